/* SPDX-License-Identifier: BSD-2-Clause */
/* The convex hull of points (quickhull): begins with a tetrahedron; while some point is outside of a face, the point
 * farthest from it replaces all faces that it sees by new ones to the edge of what it sees. Every point that is outside
 * waits in the list of one face that sees it.
 * C. B. Barber, D. P. Dobkin, H. Huhdanpaa: The quickhull algorithm for convex hulls. ACM TOMS 22, 1996. */
#include <math.h>
#include <string.h>

#include "mjcf.h"

enum { MAX_FACES = 20000 }; /* alive at one time; the time needed grows with the square of their number */

typedef struct face {
  int corner[3];
  double normal[3], distance; /* outwards, of the plane from the origin */
  int first;                  /* of the points outside of it, -1: none */
  int farthest;               /* of them */
  double height;              /* of that one */
  int seen;
} face;

typedef struct hull {
  const jn_allocator *a;
  double (*point)[3];
  int *next; /* of each point, in the list of its face */
  int point_count;
  face *faces;
  int count, capacity;
  int (*edge)[2];
  int edge_count, edge_capacity;
  double tolerance;
  int no_memory;
} hull;

static double height_of(const hull *h, const face *f, int p) {
  const double *x = h->point[p];
  return f->normal[0] * x[0] + f->normal[1] * x[1] + f->normal[2] * x[2] - f->distance;
}

/* A face without points; its plane is given by its corners. */
static face make_face(const hull *h, int a, int b, int c) {
  face f = {.corner = {a, b, c}, .first = -1};
  double x[3], y[3];
  for (int i = 0; i < 3; i++) {
    x[i] = h->point[b][i] - h->point[a][i];
    y[i] = h->point[c][i] - h->point[a][i];
  }
  for (int i = 0; i < 3; i++) f.normal[i] = x[(i + 1) % 3] * y[(i + 2) % 3] - x[(i + 2) % 3] * y[(i + 1) % 3];
  jn__mjcf_unit(f.normal);
  for (int i = 0; i < 3; i++) f.distance += f.normal[i] * h->point[a][i];
  return f;
}

static void add_face(hull *h, face f) {
  void *grown = jn__grow(h->a, h->faces, h->count, &h->capacity, sizeof *h->faces);
  if (!grown) {
    h->no_memory = 1;
    return;
  }
  h->faces = grown;
  h->faces[h->count++] = f;
}

/* Gives a point to the first of the faces from `from` on that it is outside of; it is forgotten when there is none. */
static void give_point(hull *h, int from, int p) {
  for (int i = from; i < h->count; i++) {
    face *f = &h->faces[i];
    double height = height_of(h, f, p);
    if (height <= h->tolerance) continue;
    h->next[p] = f->first;
    f->first = p;
    if (height > f->height) {
      f->height = height;
      f->farthest = p;
    }
    return;
  }
}

/* Four points that span as much as possible, one after another; 0 when they lie in a plane. */
static int begin(hull *h) {
  int four[4] = {0, 0, 0, 0};
  double size = 0;
  for (int k = 1; k < 4; k++) {
    double best = 0;
    face plane = k == 3 ? make_face(h, four[0], four[1], four[2]) : (face){0};
    for (int p = 0; p < h->point_count; p++) {
      double x[3], y[3], measure = 0;
      for (int i = 0; i < 3; i++) {
        x[i] = h->point[p][i] - h->point[four[0]][i];
        y[i] = h->point[four[1]][i] - h->point[four[0]][i];
      }
      for (int i = 0; i < 3; i++) {
        double c = x[(i + 1) % 3] * y[(i + 2) % 3] - x[(i + 2) % 3] * y[(i + 1) % 3];
        measure += k == 1 ? x[i] * x[i] : c * c;
      }
      if (k == 3) measure = fabs(height_of(h, &plane, p));
      if (measure <= best) continue;
      best = measure;
      four[k] = p;
    }
    if (k == 1) size = sqrt(best);
    h->tolerance = 1e-11 * size;
    if (!((k == 1 ? size : k == 2 ? sqrt(best) / size : best) > 100 * h->tolerance)) return 0;
  }
  face base = make_face(h, four[0], four[1], four[2]);
  int a = four[0], b = four[1], c = four[2], d = four[3];
  if (height_of(h, &base, d) > 0) b = four[2], c = four[1];
  add_face(h, make_face(h, a, b, c));
  add_face(h, make_face(h, a, d, b));
  add_face(h, make_face(h, b, d, c));
  add_face(h, make_face(h, c, d, a));
  for (int p = 0; p < h->point_count && !h->no_memory; p++) give_point(h, 0, p);
  return 1;
}

/* Notes an edge of a face that is seen; one that was noted the other way round is inside of what is seen. */
static void note_edge(hull *h, int from, int to) {
  for (int i = 0; i < h->edge_count; i++) {
    if (h->edge[i][0] != to || h->edge[i][1] != from) continue;
    memcpy(h->edge[i], h->edge[--h->edge_count], sizeof *h->edge);
    return;
  }
  void *grown = jn__grow(h->a, h->edge, h->edge_count, &h->edge_capacity, sizeof *h->edge);
  if (!grown) {
    h->no_memory = 1;
    return;
  }
  h->edge = grown;
  h->edge[h->edge_count][0] = from;
  h->edge[h->edge_count++][1] = to;
}

/* Replaces the faces that point p sees. */
static void raise_to(hull *h, int p) {
  int waiting = -1, kept = 0;
  h->edge_count = 0;
  for (int i = 0; i < h->count; i++) {
    face *f = &h->faces[i];
    f->seen = height_of(h, f, p) > h->tolerance;
    if (!f->seen) continue;
    for (int k = 0; k < 3; k++) note_edge(h, f->corner[k], f->corner[(k + 1) % 3]);
    while (f->first >= 0) {
      int q = f->first;
      f->first = h->next[q];
      h->next[q] = waiting;
      waiting = q;
    }
  }
  for (int i = 0; i < h->count; i++)
    if (!h->faces[i].seen) h->faces[kept++] = h->faces[i];
  h->count = kept;
  for (int i = 0; i < h->edge_count && !h->no_memory; i++) add_face(h, make_face(h, h->edge[i][0], h->edge[i][1], p));
  while (waiting >= 0 && !h->no_memory) {
    int q = waiting;
    waiting = h->next[q];
    if (q != p) give_point(h, kept, q);
  }
}

static const char *run(hull *h) {
  if (!begin(h)) return "has all its points in a plane";
  for (int i = 0; i < h->count && !h->no_memory;) {
    if (h->faces[i].first < 0) {
      i++;
      continue;
    }
    raise_to(h, h->faces[i].farthest);
    i = 0; /* the faces before it may have moved down */
    if (h->count > MAX_FACES) return "has a convex hull with too many faces";
  }
  return NULL;
}

const char *jn__mjcf_hull(const jn_allocator *a, jn_mjcf_triangles *t) {
  hull h = {.a = a, .point = t->corner, .point_count = t->count};
  jn_mjcf_triangles out = {0};
  h.next = jn__allocate(a, (size_t)(t->count ? t->count : 1) * sizeof *h.next);
  const char *wrong = h.next && t->count ? run(&h) : NULL;
  for (int i = 0; i < 3 * h.count && !wrong && !h.no_memory; i++)
    h.no_memory = jn__mjcf_add_corner(a, &out, h.point[h.faces[i / 3].corner[i % 3]]) != JN_OK;
  if (!h.next || h.no_memory) wrong = "takes more memory than there is";
  jn__release(a, h.next);
  jn__release(a, h.faces);
  jn__release(a, h.edge);
  if (wrong || t->count == 0) {
    jn__release(a, out.corner);
    return wrong;
  }
  jn__release(a, t->corner);
  *t = out;
  return NULL;
}

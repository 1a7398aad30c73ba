/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the changes of the inertial parameters that have no effect on any motion, from the tree alone.
 *
 * Y x = 0 for all states if and only if x changes neither the kinetic energy nor, up to a constant, the potential
 * energy. With V the twist and P the parameters of a link, twice its kinetic energy is g(V, V).P, where g(a, b) are the
 * ten numbers with a.I(P) b = g(a, b).P. Every joint is a product of exponentials exp(S1 q1) ... exp(Sk qk), so treat
 * it as k joints of one screw each, with massless links between them. Take a leaf with the screw S. In its frame at q =
 * 0 its parent has the twist W, and V = exp(-ad_S q) W + S v. Only this link depends on q and v, so x has no effect
 * only if for all twists W that the parent can have, all directions y of gravity seen from it, and all q
 *   g(S, S).P = 0,   g(S, V).P = 0,   g(S, (0, y)).P = 0,   d/dq g(V, V).P = 0                                    (1)
 * (the terms in v^2, in v, in the potential, and in v^0). If these hold, the leaf acts like its parameters transformed
 * to the parent at q = 0. Add them there, remove the leaf, and continue. Call "composite" the link's own parameters
 * plus those received from its children. Then x has no effect if and only if the composite of every link satisfies (1).
 * Since own and composite parameters determine each other, the number of such directions is the sum over links of 10 -
 * rank of (1).
 *
 * (1) needs only the spans of the twists, of gravity, and of g(W, W). Constant matrices transform them from link to
 * link, and each is closed under the motion of the screw: span{exp(D q) u, all q} = span{u, D u, D^2 u, ...}. */
#include "../dense/vectors.h"
#include "base.h"

#include <math.h>
#include <string.h>

#include "../model/convert.h"

/* ---- spans ---- */

/* Orthonormal vectors of length n <= 10. */
typedef struct span {
  int n, count;
  double v[10][10];
} span;

static double dot_n(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* What u (of a size about 1) has outside of the span, into r; its length, or 0 when that is within the tolerance. */
static double outside(const span *s, const double *u, double tolerance, double *r) {
  double size = sqrt(dot_n(u, u, s->n));
  if (size <= tolerance) return 0;
  for (int i = 0; i < s->n; i++) r[i] = u[i] / size;
  for (int twice = 0; twice < 2; twice++) /* once loses orthogonality when u is nearly inside */
    for (int k = 0; k < s->count; k++) {
      double along = dot_n(r, s->v[k], s->n);
      for (int i = 0; i < s->n; i++) r[i] -= along * s->v[k][i];
    }
  double rest = sqrt(dot_n(r, r, s->n)), length = rest * fmin(size, 1);
  for (int i = 0; i < s->n; i++) r[i] /= rest;
  return length > tolerance ? length : 0;
}

/* Adds vectors. Those that are farthest outside go first: nearly dependent ones say little of a direction. */
static void span_add(span *s, int count, const double list[][10], double tolerance) {
  double best[10], r[10];
  while (s->count < s->n) {
    double most = 0;
    for (int k = 0; k < count; k++) {
      double length = outside(s, list[k], tolerance, r);
      if (length <= most) continue;
      most = length;
      memcpy(best, r, sizeof best);
    }
    if (most == 0) return;
    memcpy(s->v[s->count++], best, (size_t)s->n * sizeof *best);
  }
}

/* The images D v of a span's vectors, D [n x n]; how many. */
static int span_images(const span *s, const double *D, double list[10][10]) {
  for (int k = 0; k < s->count; k++)
    for (int i = 0; i < s->n; i++) list[k][i] = dot_n(D + i * s->n, s->v[k], s->n);
  return s->count;
}

/* The smallest span around s that D maps into itself. */
static void span_close(span *s, const double *D, double tolerance) {
  double list[10][10];
  for (int before = -1; before < s->count;) {
    before = s->count;
    span_add(s, span_images(s, D, list), list, tolerance);
  }
}

/* The span of X v. */
static span span_map(const span *s, const double *X, double tolerance) {
  span out = {.n = s->n};
  double list[10][10];
  span_add(&out, span_images(s, X, list), list, tolerance);
  return out;
}

/* An orthonormal basis of what is normal to s. */
static span span_complement(const span *s) {
  span all = *s, out = {.n = s->n};
  double unit[10][10] = {{0}};
  for (int i = 0; i < s->n; i++) unit[i][i] = 1;
  span_add(&all, s->n, unit, 0);
  out.count = all.count - s->count;
  memcpy(out.v, all.v + s->count, (size_t)out.count * sizeof *out.v);
  return out;
}

/* ---- ten parameters ---- */

/* g with a.I(P) b = g.P */
static void gradient(const double *a, const double *b, double *g) {
  double x[3], y[3];
  cross3(a + 3, b, x); /* h.(v1 x w2 + v2 x w1) */
  cross3(b + 3, a, y);
  g[0] = dot_n(a + 3, b + 3, 3);
  for (int k = 0; k < 3; k++) {
    g[1 + k] = x[k] + y[k];
    g[4 + k] = a[k] * b[k];
  }
  g[7] = a[0] * b[1] + a[1] * b[0];
  g[8] = a[0] * b[2] + a[2] * b[0];
  g[9] = a[1] * b[2] + a[2] * b[1];
}

static void tensor_load(const double *P, double J[3][3]) {
  const double rows[3][3] = {{P[4], P[7], P[8]}, {P[7], P[5], P[9]}, {P[8], P[9], P[6]}};
  memcpy(J, rows, sizeof rows);
}

static void tensor_store(double J[3][3], double *P) {
  P[4] = J[0][0], P[5] = J[1][1], P[6] = J[2][2], P[7] = J[0][1], P[8] = J[0][2], P[9] = J[1][2];
}

/* Parameters in the parent's frame: m, R h + m p, R J R^T + 2 (p.h') E - p h'^T - h' p^T + m (p.p E - p p^T), h' = R h.
 */
static void carry(const double R[9], const double p[3], const double *P, double *out) {
  double J[3][3], RJ[3][3], K[3][3], h[3];
  tensor_load(P, J);
  for (int i = 0; i < 3; i++) h[i] = dot_n(R + 3 * i, P + 1, 3);
  double trace = 2 * dot_n(p, h, 3) + P[0] * dot_n(p, p, 3);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) RJ[i][j] = dot_n(R + 3 * i, J[j], 3);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      K[i][j] = dot_n(RJ[i], R + 3 * j, 3) + (i == j ? trace : 0) - p[i] * h[j] - h[i] * p[j] - P[0] * p[i] * p[j];
  out[0] = P[0];
  for (int i = 0; i < 3; i++) out[1 + i] = h[i] + P[0] * p[i];
  tensor_store(K, out);
}

/* The rate of carry() along exp(S q) at q = 0. */
static void carry_rate(const double S[6], const double *P, double *out) {
  const double *w = S, *v = S + 3, W[3][3] = {{0, -w[2], w[1]}, {w[2], 0, -w[0]}, {-w[1], w[0], 0}};
  double J[3][3], K[3][3], h[3];
  tensor_load(P, J);
  cross3(w, P + 1, h);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      K[i][j] = (i == j ? 2 * dot_n(v, P + 1, 3) : 0) - v[i] * P[1 + j] - P[1 + i] * v[j];
      for (int k = 0; k < 3; k++) K[i][j] += W[i][k] * J[k][j] - J[i][k] * W[k][j];
    }
  out[0] = 0;
  for (int i = 0; i < 3; i++) out[1 + i] = h[i] + P[0] * v[i];
  tensor_store(K, out);
}

/* ---- joints ---- */

static void unit_screw(double *S) {
  double w = sqrt(dot_n(S, S, 3)), v = sqrt(dot_n(S + 3, S + 3, 3)), size = w > 0 ? w : v;
  for (int k = 0; k < 6; k++) S[k] /= size;
}

static void turn_about(const double *axis, const double *point, double pitch, double *S) {
  memcpy(S, axis, 3 * sizeof *S);
  cross3(point, axis, S + 3);
  for (int k = 0; k < 3; k++) S[3 + k] += pitch * axis[k];
}

static void slide_along(const double *axis, double *S) {
  memset(S, 0, 3 * sizeof *S);
  memcpy(S + 3, axis, 3 * sizeof *S);
}

/* Two directions normal to a unit vector. */
static void across(const double *axis, double *x, double *y) {
  span s = {.n = 3, .count = 1};
  memcpy(s.v[0], axis, 3 * sizeof *axis);
  span rest = span_complement(&s);
  memcpy(x, rest.v[0], 3 * sizeof *x);
  memcpy(y, rest.v[1], 3 * sizeof *y);
}

/* Unit screws whose exponentials make up the joint's motion, in the link's frame. Spherical and free joints are rotated
 * by three angles, which reach the same poses and twists. */
static int described_screws(const jn_joint *j, double S[6][6]) {
  static const double E[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, origin[3] = {0};
  double x[3], y[3];
  int n = 0;
  switch (j->type) {
    case JN_REVOLUTE:
    case JN_CONTINUOUS:
    case JN_HELICAL:
      turn_about(j->axis, j->point, j->type == JN_HELICAL ? j->pitch : 0, S[n++]);
      break;
    case JN_PRISMATIC:
      slide_along(j->axis, S[n++]);
      break;
    case JN_CYLINDRICAL:
      turn_about(j->axis, j->point, 0, S[n++]);
      slide_along(j->axis, S[n++]);
      break;
    case JN_PLANAR:
      across(j->axis, x, y);
      slide_along(x, S[n++]);
      slide_along(y, S[n++]);
      turn_about(j->axis, j->point, 0, S[n++]);
      break;
    case JN_UNIVERSAL:
    case JN_GIMBAL:
      turn_about(j->axis, j->point, 0, S[n++]);
      turn_about(j->axis2, j->point, 0, S[n++]);
      if (j->type == JN_GIMBAL) turn_about(j->axis3, j->point, 0, S[n++]);
      break;
    case JN_FREE:
    case JN_SPHERICAL:
      for (int k = 0; k < 3 && j->type == JN_FREE; k++) slide_along(E[k], S[n++]);
      for (int k = 2; k >= 0; k--) turn_about(E[k], j->type == JN_FREE ? origin : j->point, 0, S[n++]);
      break;
    case JN_GENERAL:
      for (; n < j->screw_count; n++) memcpy(S[n], j->screws[n], sizeof S[n]);
      break;
    default: /* fixed */
      break;
  }
  for (int k = 0; k < n; k++) unit_screw(S[k]);
  return n;
}

/* ---- the tree ---- */

/* What a link can do, in its own frame: twists, gravity as a linear acceleration (0, y), and g(V, V). */
typedef struct reach {
  span twist, gravity, energy;
} reach;

/* Matrices that transform spans from the parent's frame to the child's: twists by Ad of the inverse, [6 x 6]; energies
 * by the transpose of carry(), [10 x 10]. */
static void carry_matrices(const double R[9], const double p[3], double *Ad, double *X) {
  memset(Ad, 0, 36 * sizeof *Ad);
  for (int j = 0; j < 3; j++) {
    double e[3] = {0}, pxe[3];
    e[j] = 1;
    cross3(p, e, pxe); /* linear part: R^T (v - p x w) */
    for (int i = 0; i < 3; i++) {
      Ad[6 * i + j] = Ad[6 * (3 + i) + 3 + j] = R[3 * j + i];
      for (int k = 0; k < 3; k++) Ad[6 * (3 + i) + j] -= R[3 * k + i] * pxe[k];
    }
  }
  for (int i = 0; i < 10; i++) {
    double unit[10] = {0};
    unit[i] = 1;
    carry(R, p, unit, X + 10 * i); /* column i of carry() is row i of its transpose */
  }
}

/* -ad_S [6 x 6] and the transpose of carry_rate() [10 x 10]: how spans move as q grows. */
static void rate_matrices(const double S[6], double *ad, double *D) {
  for (int j = 0; j < 6; j++) {
    double e[6] = {0}, a[3], b[3], c[3];
    e[j] = 1;
    cross3(S, e, a);
    cross3(S + 3, e, b);
    cross3(S, e + 3, c);
    for (int i = 0; i < 3; i++) {
      ad[6 * i + j] = -a[i];
      ad[6 * (3 + i) + j] = -b[i] - c[i];
    }
  }
  for (int i = 0; i < 10; i++) {
    double unit[10] = {0};
    unit[i] = 1;
    carry_rate(S, unit, D + 10 * i);
  }
}

/* Conditions (1) of a joint: a list of vectors, at most 10 + 3 + 6 + 1 of each screw. */
typedef struct conditions {
  int count;
  double v[6 * 20][10];
} conditions;

/* One screw: its conditions go to `seen`, and *r from the parent's reach to the link's. */
static void pass_screw(const double S[6], double tolerance, reach *r, conditions *seen) {
  double ad[36], D[100], own[1][10] = {{0}};
  rate_matrices(S, ad, D);
  span_close(&r->twist, ad, tolerance);
  span_close(&r->gravity, ad, tolerance);
  span_close(&r->energy, D, tolerance);
  seen->count += span_images(&r->energy, D, seen->v + seen->count);
  for (int k = 0; k < r->gravity.count; k++) gradient(S, r->gravity.v[k], seen->v[seen->count++]);
  int from = seen->count;
  for (int k = 0; k < r->twist.count; k++) gradient(S, r->twist.v[k], seen->v[seen->count++]);
  gradient(S, S, seen->v[seen->count++]);
  span_add(&r->energy, seen->count - from, (const double(*)[10])seen->v + from, tolerance);
  memcpy(own[0], S, 6 * sizeof *S);
  span_add(&r->twist, 1, (const double(*)[10])own, tolerance);
}

static reach world_reach(const jn_model *model) {
  reach r = {{.n = 6}, {.n = 6}, {.n = 10}};
  double g[3];
  jn_model_gravity(model, g);
  double size = sqrt(dot_n(g, g, 3));
  for (int k = 0; k < 3 && size > 0; k++) r.gravity.v[0][3 + k] = g[k] / size;
  r.gravity.count = size > 0;
  return r;
}

/* Rows for one link: what `seen` leaves out, and the opposite on the parent. */
static void store_rows(const span *seen, int link, int parent, const double R[9], const double p[3],
                       jn_null_space *out) {
  span free = span_complement(seen);
  for (int k = 0; k < free.count; k++) {
    double *row = out->rows + (size_t)out->count++ * (size_t)out->width, moved[10];
    memset(row, 0, (size_t)out->width * sizeof *row);
    memcpy(row + 10 * link, free.v[k], sizeof free.v[k]);
    if (parent == JN_WORLD) continue;
    carry(R, p, free.v[k], moved);
    for (int i = 0; i < 10; i++) row[10 * parent + i] = -moved[i];
  }
}

/* The constant part of a link's pose in its parent, as kernels have it. */
static void placement_of(const jn_model *model, int link, double R[9], double p[3]) {
  double T[16];
  jn_link_placement(model, link, T);
  pose at = jn__placement_pose(T);
  const vec3 column[3] = {at.R.x, at.R.y, at.R.z};
  for (int j = 0; j < 3; j++) R[j] = column[j].x, R[3 + j] = column[j].y, R[6 + j] = column[j].z;
  p[0] = at.p.x, p[1] = at.p.y, p[2] = at.p.z;
}

/* From the parent's reach to the link's; the conditions (1) of the link's joint go to `seen`. */
static reach pass_joint(const jn_model *model, int link, const reach *parent, const double R[9], const double p[3],
                        double tolerance, span *seen) {
  conditions list = {.count = 0};
  double Ad[36], X[100], S[6][6];
  carry_matrices(R, p, Ad, X);
  reach r = {span_map(&parent->twist, Ad, tolerance), span_map(&parent->gravity, Ad, tolerance),
             span_map(&parent->energy, X, tolerance)};
  int count = described_screws(jn_joint_description(model, link), S);
  for (int k = 0; k < count; k++) pass_screw(S[k], tolerance, &r, &list);
  span_add(seen, list.count, (const double(*)[10])list.v, tolerance);
  return r;
}

jn_status jn__base_structure(const jn_model *model, const jn_allocator *a, double tolerance, jn_null_space *out) {
  int links = jn_link_count(model);
  reach world = world_reach(model), *of = jn__allocate(a, (size_t)links * sizeof *of);
  if (!of) return JN_ERR_MEMORY;
  out->count = 0;
  for (int l = 0; l < links; l++) { /* parents come before children */
    span seen = {.n = 10};
    double R[9], p[3];
    int parent = jn_link_parent(model, l);
    placement_of(model, l, R, p);
    of[l] = pass_joint(model, l, parent == JN_WORLD ? &world : &of[parent], R, p, tolerance, &seen);
    store_rows(&seen, l, parent, R, p, out);
  }
  jn__release(a, of);
  return JN_OK;
}

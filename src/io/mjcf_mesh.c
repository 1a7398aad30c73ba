/* SPDX-License-Identifier: BSD-2-Clause */
/* Inertia of meshes, by integrals over the pyramids from one point to each triangle.
 *
 * A pyramid with its tip at the origin and a triangle with corners D, E, F as its base has the volume
 *   V = D . (E x F) / 6,  the centre (D + E + F) / 4,  and the second moments
 *   int x_i x_j = V/20 (2 (D_i D_j + E_i E_j + F_i F_j) + D_i E_j + D_j E_i + D_i F_j + D_j F_i + E_i F_j + E_j F_i).
 * Volumes have signs, so that the sum is right for any closed surface ("exact"). MuJoCo's default ("legacy") takes them
 * all as positive, which counts too much where a body is not convex; it is followed here. A shell has the same sums
 * over triangles: area, centre (D + E + F) / 3, and A/12 in place of V/20. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../dense/vectors.h"
#include "mjcf.h"

typedef enum method { CONVEX, EXACT, LEGACY, SHELL } method;

/* ---- Integrals ---- */

static void subtract(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

/* Twice the area of a triangle as a vector along its normal. */
static void normal_of(double (*c)[3], double out[3]) {
  double x[3], y[3];
  subtract(c[1], c[0], x);
  subtract(c[2], c[0], y);
  cross3(x, y, out);
}

/* Centre of the surface; *area gets its area, *gap the length of the sum of its areas as vectors: 0 when it is closed.
 */
static void surface_centre(const jn_mjcf_triangles *t, double centre[3], double *area, double *gap) {
  double sum[3] = {0}, n[3];
  memset(centre, 0, 3 * sizeof *centre);
  *area = 0;
  for (int i = 0; i < t->count; i += 3) {
    double(*c)[3] = t->corner + i;
    normal_of(c, n);
    double a = sqrt(dot3(n, n)) / 2;
    *area += a;
    for (int k = 0; k < 3; k++) {
      centre[k] += a * (c[0][k] + c[1][k] + c[2][k]) / 3;
      sum[k] += n[k] / 2;
    }
  }
  for (int k = 0; k < 3 && *area > 0; k++) centre[k] /= *area;
  *gap = sqrt(dot3(sum, sum));
}

/* Content and centre of the body, seen from `tip`. */
static double body_centre(const jn_mjcf_triangles *t, method how, const double tip[3], double centre[3]) {
  double total = 0, sum[3] = {0};
  for (int i = 0; i < t->count; i += 3) {
    double(*c)[3] = t->corner + i, n[3], x[3];
    normal_of(c, n);
    subtract(c[0], tip, x);
    double part = how == SHELL ? sqrt(dot3(n, n)) / 2 : dot3(x, n) / 6;
    if (how == LEGACY) part = fabs(part);
    total += part;
    for (int k = 0; k < 3; k++) {
      double corners = c[0][k] + c[1][k] + c[2][k];
      sum[k] += part * (how == SHELL ? corners / 3 : (corners + tip[k]) / 4);
    }
  }
  for (int k = 0; k < 3 && total != 0; k++) centre[k] = sum[k] / total;
  return total;
}

/* Tensor about `centre`, and the content as it is seen from there. */
static double body_tensor(const jn_mjcf_triangles *t, method how, const double centre[3], double tensor[6]) {
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double P[6] = {0}, total = 0;
  for (int i = 0; i < t->count; i += 3) {
    double x[3][3], n[3], parts = how == SHELL ? 12 : 20;
    for (int k = 0; k < 3; k++) subtract(t->corner[i + k], centre, x[k]);
    normal_of(x, n);
    double part = how == SHELL ? sqrt(dot3(n, n)) / 2 : dot3(x[0], n) / 6;
    if (how == LEGACY) part = fabs(part);
    total += part;
    for (int k = 0; k < 6; k++) {
      int a = row[k], b = column[k];
      double s = x[0][a] + x[1][a] + x[2][a], u = x[0][b] + x[1][b] + x[2][b];
      P[k] += part / parts * (s * u + x[0][a] * x[0][b] + x[1][a] * x[1][b] + x[2][a] * x[2][b]);
    }
  }
  const double out[6] = {P[1] + P[2], P[0] + P[2], P[0] + P[1], -P[3], -P[4], -P[5]};
  memcpy(tensor, out, sizeof out);
  return total;
}

/* ---- Sources ---- */

jn_status jn__mjcf_add_corner(const jn_allocator *a, jn_mjcf_triangles *t, const double corner[3]) {
  void *grown = jn__grow(a, t->corner, t->count, &t->capacity, sizeof *t->corner);
  if (!grown) return JN_ERR_MEMORY;
  t->corner = grown;
  memcpy(t->corner[t->count++], corner, sizeof *t->corner);
  return JN_OK;
}

/* All numbers of a text; they are released by the caller. */
static const char *read_all_numbers(jn_mjcf *m, const char *text, double **out, int *count) {
  int capacity = 0;
  *out = NULL;
  *count = 0;
  for (const char *at = text + strspn(text, " \t\r\n"); *at; at += strspn(at, " \t\r\n")) {
    char *end;
    double x = jn__read_number(at, &end);
    if (end == at || !isfinite(x)) return "has what is not a number";
    void *grown = jn__grow(&m->builder->allocator, *out, *count, &capacity, sizeof **out);
    if (!grown) return "takes more memory than there is";
    *out = grown;
    (*out)[(*count)++] = x;
    at = end;
  }
  return NULL;
}

/* A mesh that is written in the model: attributes vertex and face. */
static const char *read_inline(jn_mjcf *m, const jn_mjcf_mesh *mesh, jn_mjcf_triangles *t) {
  const jn_allocator *a = &m->builder->allocator;
  const char *face = jn__mjcf_get(m, &mesh->element, "face");
  double *points = NULL, *corners = NULL;
  int point_count = 0, corner_count = 0;
  const char *wrong = read_all_numbers(m, jn__mjcf_get(m, &mesh->element, "vertex"), &points, &point_count);
  if (!wrong && face) wrong = read_all_numbers(m, face, &corners, &corner_count);
  if (!wrong && (point_count % 3 || corner_count % 3)) wrong = "has numbers that do not come in threes";
  for (int i = 0; i < (face ? corner_count : point_count / 3) && !wrong; i++) {
    if (face && (corners[i] < 0 || corners[i] >= point_count / 3))
      wrong = "has a face with a vertex that does not exist";
    else if (jn__mjcf_add_corner(a, t, points + 3 * (face ? (size_t)corners[i] : (size_t)i)) != JN_OK)
      wrong = "takes more memory than there is";
  }
  if (!wrong && !face) wrong = jn__mjcf_hull(a, t);
  jn__release(a, points);
  jn__release(a, corners);
  return wrong;
}

static const char *ending_of(const char *path) {
  const char *dot_at = strrchr(path, '.');
  return dot_at && !strpbrk(dot_at, "/\\") ? dot_at + 1 : "";
}

static int same_word(const char *a, const char *b) {
  for (; *a && tolower((unsigned char)*a) == tolower((unsigned char)*b); a++, b++) {
  }
  return !*a && !*b;
}

static const char *last_part(const char *path) {
  const char *at = path;
  for (; *path; path++)
    if (*path == '/' || *path == '\\') at = path + 1;
  return at;
}

static const char cannot_open[] = "cannot be opened";

/* The text of a mesh file, in the folder that <compiler> names, else beside the file that includes the mesh. What is
 * wrong is told with the element. */
static char *open_mesh(jn_mjcf *m, int node, const char *file, const char **path, const char **wrong, size_t *length) {
  const jn_mjcf_settings *s = &m->settings;
  const char *shown = s->strip_path ? last_part(file) : file, *around = m->files[m->nodes[node].file];
  char *text = NULL;
  jn_log quiet = {0};
  *path = jn__mjcf_path(m, s->mesh_folder ? s->mesh_folder : s->asset_folder, shown);
  const char *beside = jn__mjcf_beside(m, around, shown);
  if (!*path || !beside) {
    *wrong = "takes more memory than there is";
    return NULL;
  }
  text = jn__mjcf_read_file(m, &quiet, *path, length);
  *wrong = strstr(quiet.first.text, "limit")
               ? "makes all files of this model together larger than the limit (max_bytes, --max-bytes)"
           : strstr(quiet.first.text, "directory") && !strstr(quiet.first.text, "opened") ? "is a directory"
           : strstr(quiet.first.text, "regular")                                          ? "is not a regular file"
                                                                                          : cannot_open;
  if (!text && m->nodes[node].file > 0) {
    text = jn__mjcf_read_file(m, &quiet, beside, length);
    if (text) *path = beside;
  }
  return text;
}

/* A mesh in a file of its own; *path and *line for messages. */
static const char *read_mesh_file(jn_mjcf *m, const jn_mjcf_mesh *mesh, const char *file, jn_mjcf_triangles *t,
                                  const char **path, int *line) {
  const jn_allocator *a = &m->builder->allocator;
  const char *ending = ending_of(file), *wrong;
  int stl = same_word(ending, "stl"), obj = same_word(ending, "obj");
  if (!stl && !obj) return "is in a format that is not read: convert it to STL or OBJ";
  size_t length;
  char *text = open_mesh(m, mesh->element.node, file, path, &wrong, &length);
  if (!text) return wrong;
  wrong = stl ? jn__mjcf_stl(a, text, length, t, line) : jn__mjcf_obj(a, text, length, t, line);
  jn__release(a, text);
  return wrong;
}

/* ---- Meshes ---- */

/* The name is that of the file when there is none. */
static const char *mesh_name(jn_mjcf *m, int node) {
  const char *name = jn__mjcf_own(m, node, "name"), *file = jn__mjcf_own(m, node, "file");
  if (name && *name) return name;
  if (!file) return NULL;
  char *copy = jn__mjcf_copy(m, last_part(file));
  char *end = copy ? strrchr(copy, '.') : NULL;
  if (end) *end = 0;
  return copy;
}

void jn__mjcf_read_meshes(jn_mjcf *m) {
  for (int i = 0; i < m->node_count && m->stopped == JN_OK; i++) {
    if (m->nodes[i].kind != JN_MJCF_MESH || m->nodes[m->nodes[i].parent].kind != JN_MJCF_ASSET) continue;
    void *grown = jn__mjcf_grow(m, m->meshes, m->mesh_count, &m->mesh_capacity, sizeof *m->meshes);
    const char *name = mesh_name(m, i);
    if (!grown) return;
    m->meshes = grown;
    m->meshes[m->mesh_count] = (jn_mjcf_mesh){.element = jn__mjcf_element(m, i, JN_MJCF_MESH, 0)};
    if (name && jn__mjcf_find(&m->mesh_names, name) >= 0)
      jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-name", i, "rename one of them",
                   "there is another mesh of this name");
    if (name) jn__mjcf_put(m, &m->mesh_names, name, m->mesh_count);
    m->mesh_count++;
  }
}

/* Reference pose and scale, of coordinates in single precision, as MuJoCo keeps them. A mirrored mesh is turned inside
 * out, so that its triangles still face outwards. */
static void transform(jn_mjcf *m, const jn_mjcf_mesh *mesh, jn_mjcf_triangles *t) {
  const jn_mjcf_element *e = &mesh->element;
  double pos[3] = {0}, q[4] = {1, 0, 0, 0}, scale[3] = {1, 1, 1}, R[16] = JN_IDENTITY;
  jn__mjcf_vector(m, e, "refpos", pos, 3);
  jn__mjcf_vector(m, e, "scale", scale, 3);
  double norm = jn__mjcf_vector(m, e, "refquat", q, 4) ? sqrt(dot3(q, q) + q[3] * q[3]) : 1;
  if (norm > 0) {
    const double turn[4] = {q[1] / norm, q[2] / norm, q[3] / norm, q[0] / norm};
    jn__turn_quaternion(R, turn);
  }
  for (int i = 0; i < t->count; i++) {
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = (float)t->corner[i][k] - pos[k];
    for (int k = 0; k < 3; k++) t->corner[i][k] = scale[k] * (R[k] * x[0] + R[4 + k] * x[1] + R[8 + k] * x[2]);
  }
  for (int i = 0; i < t->count && scale[0] * scale[1] * scale[2] < 0; i += 3) {
    double kept[3];
    memcpy(kept, t->corner[i], sizeof kept);
    memcpy(t->corner[i], t->corner[i + 1], sizeof kept);
    memcpy(t->corner[i + 1], kept, sizeof kept);
  }
}

/* Volume (or area), centre and tensor of the triangles; what is wrong, or NULL. */
static const char *measure(jn_mjcf *m, jn_mjcf_mesh *mesh, jn_mjcf_triangles *t) {
  static const method methods[] = {CONVEX, EXACT, LEGACY, SHELL};
  method how = methods[jn__mjcf_word(m, &mesh->element, "inertia", "convex exact legacy shell", LEGACY)];
  double middle[3], area, gap;
  if (t->count == 0) return "has no triangles";
  for (int i = 0; i < t->count; i++)
    if (!isfinite(t->corner[i][0]) || !isfinite(t->corner[i][1]) || !isfinite(t->corner[i][2]))
      return "has a coordinate that is too large for single precision";
  const char *wrong = how == CONVEX ? jn__mjcf_hull(&m->builder->allocator, t) : NULL;
  if (wrong) return wrong;
  surface_centre(t, middle, &area, &gap);
  if (how == EXACT && gap > 1e-4 * area) return "is not closed, so it has no volume";
  double content = body_centre(t, how, middle, mesh->centre);
  if (!(content > 0) || !isfinite(content)) return "has no positive volume: are its triangles facing inwards?";
  mesh->volume = body_tensor(t, how, mesh->centre, mesh->tensor);
  if (how == LEGACY && gap > 1e-4 * area)
    jn__mjcf_log(m, JN_WARNING, JN_ERR_MODEL, "mjcf-mesh", mesh->element.node, "give the body an <inertial>",
                 "the mesh is not closed: its volume, and the inertia made from it, are in doubt");
  return NULL;
}

static void read_mesh(jn_mjcf *m, jn_mjcf_mesh *mesh, int geom, int needed) {
  const char *file = jn__mjcf_get(m, &mesh->element, "file"), *path = file, *wrong;
  jn_mjcf_triangles t = {0};
  int line = 0;
  if (file)
    wrong = read_mesh_file(m, mesh, file, &t, &path, &line);
  else if (jn__mjcf_get(m, &mesh->element, "vertex"))
    wrong = read_inline(m, mesh, &t);
  else
    wrong = "has neither a file nor vertices";
  if (!wrong) {
    transform(m, mesh, &t);
    wrong = measure(m, mesh, &t);
  }
  jn__release(&m->builder->allocator, t.corner);
  mesh->state = wrong ? -1 : 1;
  if (!wrong || m->stopped != JN_OK) return;
  char place[32] = "";
  if (line > 0) snprintf(place, sizeof place, ", line %d", line);
  const char *shown = path ? path : "";
  jn__mjcf_log(m, needed ? JN_ERROR : JN_WARNING, JN_ERR_FILE, "mjcf-mesh", geom,
               wrong == cannot_open
                   ? "put the file there, or check 'meshdir' of <compiler>; or give the body an <inertial>"
                   : "give its body an <inertial>, or the geom mass=\"0\"",
               "the mass of this geom is that of a mesh, which %s%s%.*s%s%s", wrong, *shown ? " (" : "",
               (int)(strlen(shown) < 200 ? strlen(shown) : 200), shown, place, *shown ? ")" : "");
}

const jn_mjcf_mesh *jn__mjcf_mesh(jn_mjcf *m, int node, const char *name, int needed) {
  int i = jn__mjcf_named(m, &m->mesh_names, node, "mesh", "mesh", name);
  if (i < 0) return NULL;
  jn_mjcf_mesh *mesh = &m->meshes[i];
  if (mesh->state == 0) read_mesh(m, mesh, node, needed);
  return mesh->state > 0 ? mesh : NULL;
}

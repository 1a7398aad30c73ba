/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of q and the tangent space. Only spherical and free joints differ: q = (u, w) is a quaternion, before it the
 * position p of a free joint, and their velocities are body rates omega and R^T p'.
 *   T = d(tangent)/dq of q -> q/|q|:   omega = 2/|q|^2 (w du - dw u - u x du),   R^T dp
 *   E = dq/d(tangent) at unit q:       du = (w omega + u x omega)/2, dw = -u . omega/2,   dp = R v
 * Second derivatives by q are T^T G^T T and the change of T itself (curvature); of outputs, which are q (+) z, -1/4
 * lambda . q on the diagonal of the rotation, and 1/2 R (omega x v) between rotation and translation (bend). */
#include "function.h"

#include <string.h>

#include "../dense/vectors.h"

static int is_group(const jn_model *model, int joint) {
  jn_joint_type type = jn_joint_type_of(model, joint);
  return jn_joint_nv(model, joint) > 0 && (type == JN_SPHERICAL || type == JN_FREE);
}

size_t jn__chart_place(function_chart *c, const jn_model *model, char *base) {
  size_t joints = 0, used = 0;
  c->nq = jn_model_nq(model), c->nv = jn_model_nv(model), c->count = 0;
  for (int i = 0; i < jn_link_count(model); i++) joints += (size_t)is_group(model, i);
  size_t sizes[] = {joints * sizeof(chart_joint), (size_t)c->nv * sizeof(int), (size_t)c->nq * sizeof(int),
                    (size_t)c->nq * sizeof(int)};
  void *at[4];
  for (int i = 0; i < 4; i++) at[i] = base ? base + used : NULL, used += (sizes[i] + 63) & ~(size_t)63;
  if (!base) return used;
  c->joint = at[0], c->q_index = at[1], c->owner = at[2], c->width = at[3];
  for (int i = 0; i < jn_link_count(model); i++) {
    int q = jn_joint_q(model, i), v = jn_joint_v(model, i), group = is_group(model, i);
    if (jn_joint_nv(model, i) == 0) continue;
    if (group) c->joint[c->count++] = (chart_joint){q, v, jn_joint_type_of(model, i) == JN_FREE};
    for (int k = 0; k < jn_joint_nv(model, i); k++) c->q_index[v + k] = group ? -1 : q + k;
    for (int k = 0; k < jn_joint_nq(model, i); k++) {
      c->owner[q + k] = group ? v : v + k;
      c->width[q + k] = group ? jn_joint_nv(model, i) : 1;
    }
  }
  return used;
}

/* ---- one joint ---- */

/* Row-major rotation of a quaternion of any length. */
static void rotation(const double *z, double R[9]) {
  double s = 2 / (z[0] * z[0] + z[1] * z[1] + z[2] * z[2] + z[3] * z[3]);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    R[3 * i + i] = 1 - s * (z[j] * z[j] + z[k] * z[k]);
    R[3 * i + j] = s * (z[i] * z[j] - z[3] * z[k]);
    R[3 * i + k] = s * (z[i] * z[k] + z[3] * z[j]);
  }
}

/* B [3 x 4] with omega = 2/|z|^2 B dz. It is linear in z: B dz = w du - dw u - u x du. */
static void quaternion_rates(const double *z, double B[12]) {
  const double *u = z;
  double w = z[3];
  const double rows[12] = {w, u[2], -u[1], -u[0], -u[2], w, u[0], -u[1], u[1], -u[0], w, -u[2]};
  memcpy(B, rows, sizeof rows);
}

static double square(const double *z) { return z[0] * z[0] + z[1] * z[1] + z[2] * z[2] + z[3] * z[3]; }

void jn__chart_columns(const function_chart *c, const double *q, int rows, int rest, const double *in, double *out) {
  int wide = c->nv + rest, n = c->nq + rest;
  for (int r = 0; r < rows; r++) {
    for (int k = 0; k < c->nv; k++)
      if (c->q_index[k] >= 0) out[r * n + c->q_index[k]] = in[r * wide + k];
    memcpy(out + r * n + c->nq, in + r * wide + c->nv, (size_t)rest * sizeof *out);
  }
  for (int i = 0; i < c->count; i++) {
    const chart_joint *j = &c->joint[i];
    const double *z = q + j->q + (j->is_free ? 3 : 0);
    double B[12], R[9], s = 2 / square(z);
    quaternion_rates(z, B);
    rotation(z, R);
    for (int r = 0; r < rows; r++) {
      const double *g = in + r * wide + j->v;
      double *to = out + r * n + j->q;
      if (j->is_free)
        for (int k = 0; k < 3; k++) to[k] = dot3(R + 3 * k, g + 3);
      to += j->is_free ? 3 : 0;
      for (int k = 0; k < 4; k++) to[k] = s * (g[0] * B[k] + g[1] * B[4 + k] + g[2] * B[8 + k]);
    }
  }
}

/* Curvature of the rotation: g . omega = 2/|z|^2 g^T B(z) dz, differentiated by z; B is linear, 1/|z|^2 is not. */
static void rotation_curvature(const double *z, const double *g, int n, double *H) {
  double s = 2 / square(z), B[12], row[4], unit[4];
  quaternion_rates(z, B);
  for (int a = 0; a < 4; a++) row[a] = s * (g[0] * B[a] + g[1] * B[4 + a] + g[2] * B[8 + a]);
  for (int b = 0; b < 4; b++) {
    memset(unit, 0, sizeof unit);
    unit[b] = 1;
    quaternion_rates(unit, B);
    for (int a = 0; a < 4; a++)
      H[a * n + b] += s * (g[0] * B[a] + g[1] * B[4 + a] + g[2] * B[8 + a]) - s * z[b] * row[a];
  }
}

/* Curvature of the translation R^T dp: along the rotation omega of R, g . R^T dp = (R g) . dp changes by (R (omega x
 * g)) . dp. */
static void translation_curvature(const double *z, const double *g, int n, double *H) {
  double R[9], B[12], s = 2 / square(z), rotated[3], moved[3];
  rotation(z, R);
  quaternion_rates(z, B);
  for (int b = 0; b < 4; b++) {
    const double omega[3] = {s * B[b], s * B[4 + b], s * B[8 + b]};
    cross3(omega, g, rotated);
    for (int a = 0; a < 3; a++) moved[a] = dot3(R + 3 * a, rotated);
    for (int a = 0; a < 3; a++) H[a * n + 3 + b] += moved[a];
  }
}

void jn__chart_curvature(const function_chart *c, const double *q, const double *g, int n, double *H) {
  for (int i = 0; i < c->count; i++) {
    const chart_joint *j = &c->joint[i];
    double *block = H + j->q * n + j->q;
    if (j->is_free) translation_curvature(q + j->q + 3, g + j->v + 3, n, block);
    rotation_curvature(q + j->q + (j->is_free ? 3 : 0), g + j->v, n, block + (j->is_free ? 3 * n + 3 : 0));
  }
}

/* ---- outputs ---- */

void jn__chart_pull(const function_chart *c, const double *q, const double *lambda, double *lambda_t) {
  for (int k = 0; k < c->nv; k++)
    if (c->q_index[k] >= 0) lambda_t[k] = lambda[c->q_index[k]];
  for (int i = 0; i < c->count; i++) {
    const chart_joint *j = &c->joint[i];
    const double *z = q + j->q, *l = lambda + j->q;
    double R[9], B[12], *to = lambda_t + j->v;
    if (j->is_free) {
      rotation(z + 3, R);
      for (int k = 0; k < 3; k++) to[3 + k] = R[k] * l[0] + R[3 + k] * l[1] + R[6 + k] * l[2];
      z += 3, l += 3;
    }
    quaternion_rates(z, B); /* E = B^T / 2 at unit length */
    for (int k = 0; k < 3; k++)
      to[k] = (B[4 * k] * l[0] + B[4 * k + 1] * l[1] + B[4 * k + 2] * l[2] + B[4 * k + 3] * l[3]) / 2;
  }
}

void jn__chart_push(const function_chart *c, const double *q, int columns, const double *in, double *out) {
  for (int k = 0; k < c->nv; k++)
    if (c->q_index[k] >= 0) memcpy(out + c->q_index[k] * columns, in + k * columns, (size_t)columns * sizeof *out);
  for (int i = 0; i < c->count; i++) {
    const chart_joint *j = &c->joint[i];
    const double *z = q + j->q + (j->is_free ? 3 : 0);
    double R[9], B[12];
    rotation(z, R);
    quaternion_rates(z, B);
    for (int k = 0; k < columns; k++) {
      const double *from = in + j->v * columns + k;
      double *to = out + j->q * columns + k;
      const double w[3] = {from[0], from[columns], from[2 * columns]};
      if (j->is_free) {
        const double v[3] = {from[3 * columns], from[4 * columns], from[5 * columns]};
        for (int a = 0; a < 3; a++) to[a * columns] = dot3(R + 3 * a, v);
        to += 3 * columns;
      }
      for (int a = 0; a < 4; a++) to[a * columns] = (B[a] * w[0] + B[4 + a] * w[1] + B[8 + a] * w[2]) / 2;
    }
  }
}

/* G += s (a b^T + b a^T) / 2 for rows a, b of A. */
static void add_pair(int nt, double s, const double *a, const double *b, double *G) {
  for (int h = 0; h < nt; h++)
    for (int k = 0; k < nt; k++) G[h * nt + k] += s * (a[h] * b[k] + b[h] * a[k]) / 2;
}

void jn__chart_add_curvature_of_output(const function_chart *c, const double *q, const double *lambda, const double *A,
                                       int nt, double *G) {
  for (int i = 0; i < c->count; i++) {
    const chart_joint *j = &c->joint[i];
    const double *z = q + j->q, *l = lambda + j->q, *rows = A + j->v * nt;
    if (j->is_free) {
      double R[9], force[3] = {0};
      rotation(z + 3, R);
      add_turned_back(1, R, l, force);
      for (int a = 0; a < 3; a++) { /* force . (omega x v)/2, twice as a second derivative */
        int b = (a + 1) % 3, d = (a + 2) % 3;
        add_pair(nt, force[a], rows + b * nt, rows + (3 + d) * nt, G);
        add_pair(nt, -force[a], rows + d * nt, rows + (3 + b) * nt, G);
      }
      z += 3, l += 3;
    }
    double along = (z[0] * l[0] + z[1] * l[1] + z[2] * l[2] + z[3] * l[3]) / 4;
    for (int a = 0; a < 3; a++) add_pair(nt, -along, rows + a * nt, rows + a * nt, G);
  }
}

void jn__chart_ad(const function_chart *c, int k, const double *v, double *out) {
  memset(out, 0, (size_t)c->nv * sizeof *out);
  for (int i = 0; i < c->count; i++) {
    const chart_joint *j = &c->joint[i];
    int at = k - j->v;
    if (at < 0 || at >= (j->is_free ? 6 : 3)) continue;
    double unit[3] = {0};
    unit[at % 3] = 1;
    const double *w = v + j->v;
    if (at < 3) {
      cross3(unit, w, out + j->v);
      if (j->is_free) cross3(unit, w + 3, out + j->v + 3);
    } else {
      cross3(unit, w, out + j->v + 3); /* [(0, e), (w, .)] = (0, e x w) */
    }
  }
}

void jn__chart_bracket(const function_chart *c, const double *g, int nt, double *G) {
  for (int i = 0; i < c->count; i++) {
    const chart_joint *j = &c->joint[i];
    const double *t = g + j->v;
    double *block = G + j->v * nt + j->v;
    for (int a = 0; a < 3; a++) { /* e_a x e_b = e_d, and the opposite */
      int b = (a + 1) % 3, d = (a + 2) % 3;
      block[a * nt + b] += t[d] / 2;
      block[b * nt + a] -= t[d] / 2;
      if (!j->is_free) continue;
      block[a * nt + 3 + b] += t[3 + d] / 2;
      block[b * nt + 3 + a] -= t[3 + d] / 2;
      block[(3 + a) * nt + b] += t[3 + d] / 2;
      block[(3 + b) * nt + a] -= t[3 + d] / 2;
    }
  }
}

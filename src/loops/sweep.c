/* SPDX-License-Identifier: BSD-2-Clause */
/* Order zero in one sweep of the tree, and A from screws in the world's frame: row = W . Ad_{T_i} S_i over the joints i
 * between a closing frame and the world, with W the wrench of a unit multiplier about the world's origin. */
#include <string.h>

#include "loops.h"

/* ---- what does not change ---- */

/* Joints whose screws do not depend on q, in the link's frame. */
static int is_constant(const jn_joint *j) {
  switch (j->type) {
    case JN_UNIVERSAL:
    case JN_PLANAR:
    case JN_GIMBAL:
      return 0;
    case JN_GENERAL:
      return j->screw_count == 1;
    default:
      return 1;
  }
}

/* Screws of the joint of a link: velocity coordinates that it has, also when it follows another joint. */
static int screws_of(const jn_model *m, int link) {
  return jn_joint_mimic(m, link, NULL, NULL, NULL) ? 1 : jn_joint_nv(m, link);
}

int jn__loops_screws(const jn_model *m) {
  int count = 0;
  for (int i = 0; i < jn_link_count(m); i++) count += screws_of(m, i);
  return count;
}

static jn_status read_screws(jn_loops *l, int at, const double *q) {
  loop_screw *s = &l->screw[at];
  double S[36];
  jn_status status = jn_joint_jacobian_jet(l->model, l->work, 0, s->link, q, l->zeros, S);
  for (int k = 0; k < s->count && status == JN_OK; k++)
    for (int e = 0; e < 6; e++) s[k].S[e] = S[e * s->count + k];
  return status;
}

/* Marks the coordinates between a link and the world in `on` [nv]. */
static void mark_path(const jn_loops *l, int link, unsigned char *on) {
  for (; link >= 0; link = jn_link_parent(l->model, link))
    for (int k = 0; k < screws_of(l->model, link); k++) on[jn_joint_v(l->model, link) + k] = 1;
}

/* The places of a pair's coordinates, highest first. */
static void find_support(jn_loops *l, loop_pair *c, unsigned char *on) {
  memset(on, 0, (size_t)l->nv);
  mark_path(l, c->a, on);
  mark_path(l, c->b, on);
  c->count = 0;
  for (int i = l->nv - 1; i >= 0; i--)
    if (on[i]) c->support[c->count++] = i;
}

/* The coordinate before each on the way to the world; all before it when coordinates are shared or in another order,
 * and 0 then. */
static int find_parents(jn_loops *l) {
  int plain = !jn_model_is_coupled(l->model);
  for (int v = 0; v < l->nv; v++) {
    int place, joint = jn_coordinate_joint(l->model, v, &place), link = jn_link_parent(l->model, joint);
    while (link >= 0 && jn_joint_nv(l->model, link) == 0) link = jn_link_parent(l->model, link);
    l->parent[v] = place > 0 ? v - 1 : link < 0 ? -1 : jn_joint_v(l->model, link) + jn_joint_nv(l->model, link) - 1;
    plain = plain && l->parent[v] < v;
  }
  for (int v = 0; v < l->nv && !plain; v++) l->parent[v] = v - 1;
  return plain;
}

jn_status jn__loops_prepare(jn_loops *l) {
  int at = 0;
  unsigned char *on = (unsigned char *)l->B;
  jn_status status = jn_neutral(l->model, l->start);
  for (int i = 0; i < l->nlink && status == JN_OK; i++) {
    int count = screws_of(l->model, i), leader;
    double ratio = 1;
    l->first_screw[i] = at;
    l->up[i] = jn_link_parent(l->model, i);
    if (count == 0) continue;
    jn_joint_mimic(l->model, i, &leader, &ratio, NULL);
    for (int k = 0; k < count; k++)
      l->screw[at + k] = (loop_screw){.link = i,
                                      .count = count - k,
                                      .coordinate = jn_joint_v(l->model, i) + k,
                                      .ratio = ratio,
                                      .constant = is_constant(jn_joint_description(l->model, i))};
    status = read_screws(l, at, l->start);
    at += count;
  }
  l->first_screw[l->nlink] = at;
  int plain = find_parents(l);
  for (int i = 0; i < l->count; i++) {
    find_support(l, &l->pair[i], on);
    l->pair[i].rows_have_support = plain && l->row[l->pair[i].first].terms > 0;
  }
  return status;
}

/* ---- at a state ---- */

static void cross(const double *a, const double *b, double *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static void turn(const double *T, const double *x, double *out) {
  for (int i = 0; i < 3; i++) out[i] = T[4 * i] * x[0] + T[4 * i + 1] * x[1] + T[4 * i + 2] * x[2];
}

/* Ad_T S, and the wrench W in the frame T about the world's origin, which have the same form with their halves changed.
 */
static void to_world(const double *T, const double *turned, const double *carried, double *out_turned, double *out) {
  const double p[3] = {T[3], T[7], T[11]};
  double moved[3];
  turn(T, turned, out_turned);
  turn(T, carried, out);
  cross(p, out_turned, moved);
  for (int k = 0; k < 3; k++) out[k] += moved[k];
}

jn_status jn__loops_sweep(jn_loops *l, int order, const double *q, const double *v_jet, const double *wrench,
                          int dynamics) {
  const jn_terms terms = {.poses = l->poses,
                          .twists = l->frame_twists,
                          .accelerations = order >= 0 ? l->accelerations : NULL,
                          .M = dynamics ? l->H : NULL,
                          .tau = dynamics ? l->tau : NULL};
  const double *a = order >= 0 ? v_jet + l->nv : NULL;
  return jn_compute(l->model, l->work, q, v_jet, a, wrench, &terms);
}

/* Screws of all joints in the world, from l->poses. */
static jn_status world_screws(jn_loops *l, const double *q) {
  for (int i = 0, all = l->first_screw[l->nlink]; i < all; i++) {
    loop_screw *s = &l->screw[i];
    if (!s->constant && i == l->first_screw[s->link]) {
      jn_status status = read_screws(l, i, q);
      if (status != JN_OK) return status;
    }
    to_world(l->poses + 16 * s->link, s->S, s->S + 3, s->world, s->world + 3);
  }
  return JN_OK;
}

/* Adds a wrench about the world's origin on a link to a row of A. */
static void add_row(const jn_loops *l, int link, const double *W, double *A) {
  for (; link >= 0; link = l->up[link])
    for (int i = l->first_screw[link]; i < l->first_screw[link + 1]; i++) {
      const loop_screw *s = &l->screw[i];
      double sum = 0;
      for (int e = 0; e < 6; e++) sum += W[e] * s->world[e];
      A[s->coordinate] += s->ratio * sum;
    }
}

jn_status jn__loops_rows_of_A(jn_loops *l, const double *q) {
  jn_status status = l->couplings < l->count ? world_screws(l, q) : JN_OK;
  for (int i = 0; i < l->count && status == JN_OK; i++) {
    const loop_pair *c = &l->pair[i];
    for (int r = c->first; r < c->first + c->rows && l->row[r].terms > 0; r++) {
      double W[2][6], world[6];
      jn__loops_unit_wrench(l, c, r, 0, W[0], W[1]);
      for (int end = 0; end < 2; end++) {
        int link = end ? c->b : c->a;
        if (link < 0) continue;
        to_world(end ? c->P_b : c->P_a, W[end] + 3, W[end], world + 3, world);
        add_row(l, link, world, l->A + r * l->nv);
      }
    }
  }
  return status;
}

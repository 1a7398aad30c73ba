/* SPDX-License-Identifier: BSD-2-Clause */
/* Wrenches through the joints of all links, fixed ones too. Links are visited from the last to the first; each adds
 * what moves it to what its parent has to carry, in the axes and about the origin of the part that it belongs to. */
#include "functions.h"

typedef struct carried {
  jn_expr3 moment, force;
} carried;

/* Pose of a link in its part (or in the world): x_part = R x + p. */
static int link_in_part(const jn_writing *w, int link, double R[9], double p[3]) {
  const jn_frame_d *f = &w->mechanism.tree->frame[link];
  if (f->body < 0) {
    for (int i = 0; i < 9; i++) R[i] = f->R[i];
    for (int i = 0; i < 3; i++) p[i] = f->p[i];
    return -1;
  }
  int part = w->mechanism.part_of_body[f->body];
  const jn_part *to = &w->mechanism.part[part];
  for (int i = 0; i < 3; i++) {
    p[i] = to->frame_p[i];
    for (int k = 0; k < 3; k++) {
      p[i] += to->frame_R[3 * i + k] * f->p[k];
      R[3 * i + k] = 0;
      for (int j = 0; j < 3; j++) R[3 * i + k] += to->frame_R[3 * i + j] * f->R[3 * j + k];
    }
  }
  return part;
}

/* What moves the link alone. */
static carried load_link(jn_writing *w, const double *pi, int part, const double R[9], const double p[3],
                         const jn_expr9 *U, const jn_part_motion *motion) {
  jn_graph *g = &w->graph;
  jn_moments own = jn__moments_of(pi), moved = jn__moments_move(&own, R, p);
  const double *S = moved.second;
  jn_expr_moments m = {jn__constant(g, moved.mass), jn__constant3(g, moved.first), jn__constant(g, S[0]),
                       jn__constant(g, S[1]),       jn__constant(g, S[2]),         jn__constant(g, S[3]),
                       jn__constant(g, S[4]),       jn__constant(g, S[5])};
  const jn_expr *gravity = w->symbols.gravity;
  jn_part_motion at = {.acc = {jn__negate(gravity[0]), jn__negate(gravity[1]), jn__negate(gravity[2])}};
  jn_expr9 still = {0};
  if (part >= 0) at = motion[part];
  jn__load_part(g, &m, at.w, part >= 0 ? U[part] : still, at.acc, &at);
  return (carried){at.moment, at.force};
}

/* From the last part of a joint to the part of its parent: joints of several screws are several parts. */
static carried pass_inwards(const jn_symbols *s, carried c, int from, int to) {
  for (int i = from; i >= 0 && i != to; i = s->m->part[i].parent) {
    c.force = jn__to_parent(s, i, c.force);
    c.moment = jn__add3(s->g, jn__to_parent(s, i, c.moment), jn__cross(s->g, s->joint[i].origin, c.force));
  }
  return c;
}

/* In the link's frame: F' = R^T F, N' = R^T (N - p x F). */
static void write_link_wrench(jn_graph *g, const double R[9], const double p[3], carried c, jn_expr *out) {
  jn_expr9 turn = {jn__constant3(g, R), jn__constant3(g, R + 3), jn__constant3(g, R + 6)};
  jn_expr3 about = jn__subtract3(g, c.moment, jn__cross(g, jn__constant3(g, p), c.force));
  jn_expr3 N = jn__rotate_back(g, turn, about), F = jn__rotate_back(g, turn, c.force);
  const jn_expr all[6] = {N.x, N.y, N.z, F.x, F.y, F.z};
  for (int k = 0; k < 6; k++) out[k] = all[k];
}

static void write_wrenches(jn_writing *w, const double *pi, const jn_expr9 *U, const jn_part_motion *motion, carried *c,
                           jn_expr *out) {
  jn_graph *g = &w->graph;
  for (int link = jn_link_count(w->model) - 1; link >= 0; link--) {
    double R[9], p[3], parent_R[9], parent_p[3];
    int part = link_in_part(w, link, R, p), parent = jn_link_parent(w->model, link);
    carried own = load_link(w, pi + 10 * link, part, R, p, U, motion);
    own.moment = jn__add3(g, own.moment, c[link].moment);
    own.force = jn__add3(g, own.force, c[link].force);
    write_link_wrench(g, R, p, own, out + 6 * link);
    if (parent < 0) continue;
    own = pass_inwards(&w->symbols, own, part, link_in_part(w, parent, parent_R, parent_p));
    c[parent].moment = jn__add3(g, c[parent].moment, own.moment);
    c[parent].force = jn__add3(g, c[parent].force, own.force);
  }
}

int jn__write_joint_wrenches_function(jn_writing *w, jn_written_function *f) {
  f->about = "The wrench (moment, force) that its parent exerts on each link through its joint, in the link's frame.";
  if (w->options.runtime & (JN_GENERATE_PAYLOAD | JN_GENERATE_PARAMETERS)) {
    jn__writing_fail(w, JN_ERR_UNSUPPORTED,
                     "joint_wrenches cannot be generated with inertial parameters as arguments: they belong to links");
    return 0;
  }
  int n = jn_model_nv(w->model), links = jn_link_count(w->model);
  jn__take_state(w, f, 1);
  jn__add_argument(f, "a", JN_ARRAY_A, n);
  jn_expr *F = jn__add_result(w, f, "F", 6 * links, 6);
  jn_expr *v = jn__take_inputs(w, JN_ARRAY_V, 0), *a = jn__take_inputs(w, JN_ARRAY_A, 0);
  size_t parts = (size_t)w->mechanism.count + 1;
  jn_part_motion *motion = jn__allocate(&w->allocator, parts * sizeof *motion);
  jn_expr9 *U = jn__allocate(&w->allocator, parts * sizeof *U);
  carried *c = jn__allocate(&w->allocator, ((size_t)links + 1) * sizeof *c);
  double *pi = jn__allocate(&w->allocator, (size_t)(10 * links + 1) * sizeof *pi);
  int good = F && v && a && motion && U && c && pi && jn_parameters(w->model, pi) == JN_OK;
  if (good) {
    jn__write_motion(&w->symbols, v, a, 1, U, motion);
    write_wrenches(w, pi, U, motion, c, F);
  }
  jn__release(&w->allocator, v);
  jn__release(&w->allocator, a);
  jn__release(&w->allocator, motion);
  jn__release(&w->allocator, U);
  jn__release(&w->allocator, c);
  jn__release(&w->allocator, pi);
  return good;
}

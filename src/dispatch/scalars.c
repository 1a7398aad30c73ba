/* SPDX-License-Identifier: BSD-2-Clause */
/* Perturbations of named scalars (jounce/sensitivity.h). */
#include <string.h>

#include "../model/model.h"
#include "../tree/joint.h"
#include "jounce/sensitivity.h"
#include "public.h"

typedef PUBLIC(perturbation) perturbation;

/* Six twists and six rates for each joint, and its dh: 78 numbers per link. */
#if !JN_FLOAT
size_t jn_perturbation_room(const jn_model *model) {
  if (!model) return 0;
  size_t links = 78 * (size_t)model->nlink, coordinates = (size_t)model->nv;
  return (links > coordinates ? links : coordinates) + 3;
}
#endif

static const number *put(number *room, size_t count, size_t at) {
  memset(room, 0, count * sizeof *room);
  room[at] = 1;
  return room;
}

static void store(twist X, number *to) {
  double six[6];
  t_store(X, six);
  for (int k = 0; k < 6; k++) to[k] = (number)six[k];
}

/* exp(X x) of a unit screw, and T^-1 dT for a change dX of it: dexp_{-X x}(dX x). */
static pose screw_pose(twist X, double x, twist dX, twist *h) {
  mat3 J, Q;
  se3_dexp(t_scale(-x, X), &J, &Q);
  h->w = v3_scale(x, m3_mul(J, dX.w));
  h->v = v3_scale(x, v3_add(m3_mul(Q, dX.w), m3_mul(J, dX.v)));
  return se3_exp(t_scale(x, X));
}

/* Unit screw c of a body's joint in its internal frame; position of the joint along it; its scale in S. */
static twist unit_screw(const jn_tree_d *t, const jn_body_d *b, int c, const double *q, double *x, double *scale) {
  if (b->kind == JN_BODY_GENERAL) {
    const jn_screw_d *s = &t->screw[b->screw + c];
    *scale = s->scale;
    *x = s->scale * q[c];
    return t_load(s->X);
  }
  *scale = b->ratio;
  *x = b->ratio * q[0] + b->offset;
  vec3 z = {0, 0, 1};
  if (b->kind == JN_BODY_PRISMATIC) return (twist){v3_zero(), z};
  return (twist){z, v3_scale(b->pitch, z)};
}

/* Change of a unit screw when its axis turns about its point towards `to`, or, if to is NULL, when its pitch grows. */
static twist screw_change(twist X, const vec3 *to) {
  int turns = dot(X.w, X.w) > 0;
  vec3 axis = turns ? X.w : X.v, point = cross(X.w, X.v);
  if (!to) return (twist){v3_zero(), axis};
  vec3 d = v3_axpy(-dot(axis, *to), axis, *to);
  if (!turns) return (twist){v3_zero(), d};
  return (twist){d, v3_axpy(dot(X.w, X.v), d, cross(point, d))};
}

/* dh, dS, dSdot of the joint of `link` when its screw `part` changes by dX, all in the internal frame; q, v of the
 * joint. The factors after this screw transform dh; the screws before it move by dh. */
static void joint_change(const jn_tree_d *t, const jn_body_d *b, int part, const vec3 *to, const double *q,
                         const double *v, twist *dh, twist dS[6], twist drate[6]) {
  pose tail = se3_identity();
  twist S[6], V = t_zero(), dV = t_zero();
  *dh = t_zero();
  for (int c = b->nv - 1; c >= 0; c--) {
    double x, scale;
    twist X = unit_screw(t, b, c, q, &x, &scale), own = t_zero(), dX = t_zero();
    if (c == part) dX = screw_change(X, to);
    S[c] = t_scale(scale, t_Ad_inverse(tail, X));
    /* S^c = scale Ad_{tail^-1} X_c, and the tail changes by dh */
    dS[c] = t_add(t_scale(scale, t_Ad_inverse(tail, dX)), t_scale(-1, t_ad(*dh, S[c])));
    drate[c] = t_scale(-1, t_add(t_ad(dV, S[c]), t_ad(V, dS[c])));
    V = t_axpy(v[c], S[c], V);
    dV = t_axpy(v[c], dS[c], dV);
    pose E = screw_pose(X, x, dX, &own);
    if (c == part) *dh = t_Ad_inverse(tail, own);
    tail = se3_mul(E, tail);
  }
}

/* An axis or a pitch. room gets dh [nlink x 6], dS, dSdot [nlink x 36]. */
static jn_status axis_change(const jn_model *model, const jn_scalar *s, const number *q, const number *v, number *room,
                             perturbation *out) {
  const jn_tree_d *t = model->tree[JN_KIND_D];
  int l = s->index, body = t->placement[l].body;
  if (body < 0 || s->component < 0) return JN_ERR_INDEX;
  const jn_body_d *b = &t->body[body];
  int part = s->kind == JN_BY_AXIS ? s->component / 3 : s->component;
  if (part >= b->nv || b->kind == JN_BODY_SPHERICAL || b->kind == JN_BODY_FREE) return JN_ERR_INDEX;
  double own_q[6] = {0}, own_v[6] = {0}, x, scale, axis[3] = {0};
  for (int c = 0; c < b->nv; c++) {
    own_q[c] = (double)q[b->iq + c];
    own_v[c] = v ? (double)v[b->iv + c] : 0;
  }
  twist X = unit_screw(t, b, part, own_q, &x, &scale), dh, dS[6], drate[6];
  if (s->kind == JN_BY_PITCH && dot(X.w, X.w) == 0) return JN_ERR_INDEX;
  pose inner = link_in_body(t, l);
  axis[s->component % 3] = 1;
  vec3 to = m3_mul(inner.R, v3_load(axis));
  joint_change(t, b, part, s->kind == JN_BY_AXIS ? &to : NULL, own_q, own_v, &dh, dS, drate);
  size_t nlink = (size_t)model->nlink;
  memset(room, 0, 78 * nlink * sizeof *room);
  number *h = room, *S = room + 6 * nlink, *rate = room + 42 * nlink;
  store(t_Ad_inverse(inner, dh), h + 6 * l);
  for (int c = 0; c < b->nv; c++) {
    store(t_Ad_inverse(inner, dS[c]), S + 36 * l + 6 * c);
    store(t_Ad_inverse(inner, drate[c]), rate + 36 * l + 6 * c);
  }
  out->dh_dp = h;
  out->dS_dp = S;
  out->dSdot_dp = rate;
  return JN_OK;
}

/* The joint's frame moves by the twist e_c in its own axes, before the joint's motion J: h = Ad_{J^-1} e_c. */
static void placement_change(const jn_model *model, const jn_scalar *s, const number *q, number *room,
                             perturbation *out) {
  const jn_tree_d *t = model->tree[JN_KIND_D];
  int l = s->index, body = t->placement[l].body;
  double unit[6] = {0};
  unit[s->component] = 1;
  memset(room, 0, 6 * (size_t)model->nlink * sizeof *room);
  twist h = t_load(unit);
  if (body >= 0) {
    jn_body_d b = t->body[body];
    double own[7];
    for (int k = 0; k < b.nq; k++) own[k] = (double)q[b.iq + k];
    b.iq = 0;
    pose inner = link_in_body(t, l), J = joint_motion(t, &b, own);
    h = t_Ad_inverse(se3_between(inner, se3_mul(J, inner)), h);
  }
  store(h, room + 6 * l);
  out->dh_dp = room;
}

jn_status PUBLIC(perturbation_of)(const jn_model *model, jn_work *work, const jn_scalar *s, const number *q,
                                  const number *v, number *room, perturbation *out) {
  if (!model || !work || !s || !q || !room || !out) return JN_ERR_NULL;
  if (work->model != model) return JN_ERR_WORK;
  static const int components[] = {1, 1, 1, 1, 1, 10, 6, 6, 18, 6, 3};
  int i = s->index, c = s->component;
  *out = (perturbation){0};
  if ((unsigned)s->kind > JN_BY_GRAVITY) return JN_ERR_INDEX;
  int of_link = s->kind >= JN_BY_INERTIA && s->kind <= JN_BY_PITCH, of_v = s->kind <= JN_BY_ARMATURE;
  if ((of_link && (i < 0 || i >= model->nlink)) || (of_v && (i < 0 || i >= model->nv))) return JN_ERR_INDEX;
  if (!of_v && (c < 0 || c >= components[s->kind])) return JN_ERR_INDEX;
  size_t nv = (size_t)model->nv, nlink = (size_t)model->nlink, at = (size_t)(of_v || of_link ? i : 0),
         comp = (size_t)(of_v ? 0 : c);
  switch (s->kind) {
    case JN_BY_POSITION:
      out->dq_dp = put(room, nv, at);
      return JN_OK;
    case JN_BY_VELOCITY:
      out->dv_dp = put(room, nv, at);
      return JN_OK;
    case JN_BY_ACCELERATION:
      out->da_dp = put(room, nv, at);
      return JN_OK;
    case JN_BY_FORCE:
      out->dtau_dp = put(room, nv, at);
      return JN_OK;
    case JN_BY_ARMATURE:
      out->darmature_dp = put(room, nv, at);
      return JN_OK;
    case JN_BY_INERTIA:
      out->dinertia_dp = put(room, 10 * nlink, 10 * at + comp);
      return JN_OK;
    case JN_BY_WRENCH:
      out->dwrench_dp = put(room, 6 * nlink, 6 * at + comp);
      return JN_OK;
    case JN_BY_PLACEMENT:
      placement_change(model, s, q, room, out);
      return JN_OK;
    case JN_BY_GRAVITY:
      out->dgravity_dp = put(room, 3, comp);
      return JN_OK;
    default:
      return axis_change(model, s, q, v, room, out);
  }
}

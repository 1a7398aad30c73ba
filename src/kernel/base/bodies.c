/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweep outwards in the world's axes that most kernels begin with (bodies.h). [kim2012 Table 2, first sweep]
 *
 *   R_i   = R_p * placement * rotation of the joint           columns x, y, z
 *   d_i   = R_p * placement + advance of the joint along z    origin of body i from that of its parent p
 *   S_k   = R_i * screw in the body                           (e, 0) of a revolute joint, e = ratio * z
 *   V_i   = V_p (about the new origin) + S v
 *   Psi_k = dS_k/dt = [V_i, S_k] + R_i * rate of the screw in the body
 *
 *   symbol   meaning                                             size  frame, unit
 *   x, y, z  rotation of body i by columns                       3     world's axes
 *   d        origin from that of the parent                      3     world's axes, m
 *   e        axis of a one-coordinate joint, times its ratio     3     world's axes
 *   S, Psi   joint screw and its rate                            6     world's axes, about the body's origin
 *   V        twist of the body                                   6     the same; rad/s, m/s
 *   I        mass, first moment and (if wanted) tensor           10    the same; kg, kg m, kg m^2 */
#include "bodies.h"

#include "variant.h"

/* S, V and Psi of a spherical or free body i at o: rotations about its axes, then translations along them. */
static inline void group_motions(const JN_S(body) * body, int i, const real *v, const solid *o, screw *S, screw *V,
                                 screw *Psi) {
  const space axis[3] = {o->at.x, o->at.y, o->at.z};
  int free = body->kind == JN_BODY_FREE;
  S += body->id;
  for (int k = 0; k < 3; k++) {
    S[k] = (screw){axis[k], sp_zero()};
    if (free) S[3 + k] = (screw){sp_zero(), axis[k]};
  }
  if (!v) return;

  /* V = V_p + S v. */
  screw X = body->parent < 0 ? screw_zero() : screw_shift(V[body->parent], o->at.d);
  X.w = sp_add(X.w, sp_rotate(axis[0], axis[1], axis[2], v3_load(v + body->iv)));
  if (free) X.v = sp_add(X.v, sp_rotate(axis[0], axis[1], axis[2], v3_load(v + body->iv + 3)));
  V[i] = X;

  /* Psi = [V, S]: (w x e, v x e) of a rotation, (0, w x e) of a translation. */
  for (int k = 0; k < 3 && Psi; k++) {
    space rate = sp_cross(X.w, axis[k]);
    Psi[body->id + k] = (screw){rate, sp_cross(X.v, axis[k])};
    if (free) Psi[body->id + 3 + k] = (screw){sp_zero(), rate};
  }
}

/* The same for a joint of several coordinates of any kind. */
static inline void joint_motions(const JN_S(tree) * tree, int i, const real *q, const real *v, const solid *o, screw *S,
                                 screw *V, screw *Psi) {
  const JN_S(body) *body = &tree->body[i];
  twist own[6], rate[6];
  if (is_group(body)) {
    group_motions(body, i, v, o, S, V, Psi);
    return;
  }

  /* S, turned into the world's axes. */
  joint_screws(tree, body, q, v, own, v ? rate : NULL);
  for (int k = 0; k < body->nv; k++) S[body->id + k] = axes_screw(&o->at, own[k]);
  if (!v) return;

  /* V = V_p + S v,  Psi = [V, S] + R dS_body/dt. */
  screw X = body->parent < 0 ? screw_zero() : screw_shift(V[body->parent], o->at.d);
  for (int k = 0; k < body->nv; k++) X = screw_axpy(v[body->iv + k], S[body->id + k], X);
  V[i] = X;
  for (int k = 0; k < body->nv && Psi; k++) {
    screw s = S[body->id + k], r = axes_screw(&o->at, rate[k]);
    Psi[body->id + k] =
        (screw){sp_add(r.w, sp_cross(X.w, s.w)), sp_add(r.v, sp_add(sp_cross(X.v, s.w), sp_cross(X.w, s.v)))};
  }
}

/* Pose, S, V and Psi of body i with such a joint. Out of line, so that the loop over simple joints has the registers.
 */
static __attribute__((noinline)) void outward_any(const JN_S(tree) * tree, int i, const real *q, const real *v,
                                                  const angles *angle, solid *B, screw *S, screw *V, screw *Psi) {
  int p = tree->body[i].parent;
  axes world = axes_of_world();
  B[i].at = axes_outward(tree, i, q, *angle, p < 0 ? &world : &B[p].at);
  joint_motions(tree, i, q, v, &B[i], S, V, Psi);
}

/* V of a body with a revolute joint, and Psi = (w x e, v x e). rate: of its coordinate. */
static inline void revolute_twist(const JN_S(body) * body, int i, real rate, const solid *o, screw *V, screw *Psi) {
  screw X = {sp_scale(rate, o->e), sp_zero()};
  if (body->parent >= 0) {
    screw W = V[body->parent];
    X.w = sp_add(X.w, W.w);
    X.v = sp_add(W.v, sp_cross(W.w, o->at.d));
  }
  V[i] = X;
  if (Psi) Psi[body->id] = (screw){sp_cross(X.w, o->e), sp_cross(X.v, o->e)};
}

/* S, d, V and Psi of a body whose joint advances along z, and perhaps rotates about it: prismatic or helical. */
static inline void advancing_motion(const JN_S(body) * body, int i, const real *q, const real *v, solid *o, screw *S,
                                    screw *V, screw *Psi) {
  int helical = body->kind == JN_BODY_HELICAL;
  real advance = helical ? splat(body->pitch) : K(1);
  screw own = {helical ? o->e : sp_zero(), sp_scale(advance, o->e)};

  /* S = (0, e) or (e, pitch e); the origin advances along z. */
  o->at.d = sp_axpy(advance * joint_position(body, q), o->at.z, o->at.d);
  S[body->id] = own;
  if (!v) return;

  /* V = V_p + S v,  Psi = [V, S]. */
  screw X = body->parent < 0 ? screw_zero() : screw_shift(V[body->parent], o->at.d);
  X = screw_axpy(v[body->iv], own, X);
  V[i] = X;
  if (!Psi) return;
  Psi[body->id] = (screw){sp_zero(), sp_cross(X.w, own.v)};
  if (helical) Psi[body->id] = (screw){sp_cross(X.w, own.w), sp_add(sp_cross(X.v, own.w), sp_cross(X.w, own.v))};
}

/* All bodies. x, y, z stay in registers from body to body: going through memory would take a third of the time that the
 * next body has to wait. */
void JN_(bodies_outward)(const JN_S(tree) * tree, const real *q, const real *v, const angles *angle, int tensors,
                         solid *B, screw *S, screw *V, screw *Psi) {
  const axes world = axes_of_world();
  space x = world.x, y = world.y, z = world.z;
  const JN_S(body) *body = tree->body;
  solid *o = B;
  for (int i = 0; i < tree->nb; i++, body++, o++) {
    /* Indices as in the model. */
    memcpy(&o->id, &body->id, 4 * sizeof o->id);
    o->up = body->parent < 0 ? NULL : &B[body->parent];

    /* Rotation and origin, then S, V and Psi. */
    if (body->kind > JN_BODY_HELICAL) {
      outward_any(tree, i, q, v, angle, B, S, V, Psi);
      x = o->at.x;
      y = o->at.y;
      z = o->at.z;
    } else {
      if (body->parent != i - 1) {
        const axes *P = body->parent < 0 ? &world : &o->up->at;
        x = P->x;
        y = P->y;
        z = P->z;
      }
      axes at = axes_rotate_z(body, angle->c[i], angle->s[i], x, y, z);
      x = at.x;
      y = at.y;
      z = at.z;
      o->at = at;
      o->e = sp_scale(splat(body->ratio), z);
      if (is_revolute(body)) {
        S[body->id] = (screw){o->e, sp_zero()};
        if (v) revolute_twist(body, i, v[body->iv], o, V, Psi);
      } else {
        advancing_motion(body, i, q, v, o, S, V, Psi);
      }
    }

    /* Inertia in the world's axes: h = R h_body, J = R J_body R^T. */
    o->I.h = sp_sum(x, y, z, body->inertia + 1, 1);
    o->I.m = splat(body->inertia[0]);
    if (tensors) inertia_to_world(&o->at, body->inertia, &o->I);
  }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse dynamics by the recursive Newton-Euler algorithm (RNEA). [kim2012 Table 2]
 *
 * Given q, v, a and external wrenches on the links, find the joint forces tau. Two sweeps over the bodies. Each body's
 * quantities are in its own axes; S_i v_i = (w_s, v_s) is the motion that its joint adds, R_i turns its axes into
 * those of its parent p, and r_i is its origin seen from the parent's, in the body's own axes.
 *
 *   outwards   w_i  = R_i^T w_p + w_s                                            angular velocity
 *              dw_i = R_i^T dw_p + (R_i^T w_p) x w_s + dw_s                      its rate
 *              a_i  = R_i^T a_p + dw_p x r_i + w_p x (w_p x r_i)                 acceleration of the origin
 *                     + (w_p + w_i) x v_s + dv_s
 *              f_i  = m a_i + B_i h,   n_i = h x a_i + J dw_i + w_i x J w_i      wrench that moves the body
 *              where B_i = [dw_i] + [w_i]^2: the point at x of the body accelerates by a_i + B_i x
 *   inwards    F_i = (n_i, f_i) - external wrenches + sum over children of Ad*(F_child)
 *              tau_i = S_i^T F_i + armature * a + spring forces
 *
 * This is kim2012 Table 2 with B_i in place of twists, so that no linear velocity is ever needed. Weight is an upward
 * acceleration of the base, a_0 = -gravity.
 *
 *   symbol   meaning                                                  frame, unit
 *   Ex Ey Ez rows of R_i^T: from the parent's axes into the body's    -
 *   r        origin of the body from that of its parent               body axes, m
 *   w, dw    angular velocity and its rate                            body axes, rad/s, rad/s^2
 *   a        acceleration of the body's origin                        body axes, m/s^2
 *   m, h, J  mass, first and second moments about the origin          body axes, kg, kg m, kg m^2
 *   n, f     moment about the body's origin, force                    body axes, N m, N
 *
 * How it is arranged. What must pass from body to body runs in short loops: w and dw, then a, then F. Everything else
 * is computed for TILE bodies at once, side by side in a vector register (body_tiles.h). Joints of one coordinate share
 * the same lines, whatever their kind: they turn about z and advance along z. Joints of several coordinates are treated
 * one by one, in the functions whose names begin with `group`.
 *
 * in: q, v, a, wrenches (NULL: zero). forces: FORCES_... of inverse_dynamics.h. out: tau [nv]. Cost O(n). */
#include "inverse_dynamics.h"

#include "../base/springs.h"
#include "../base/tile.h"
#include "../base/variant.h"

/* TILE bodies side by side. */
typedef struct rnea_tile {
  tile3 Ex, Ey, Ez;        /* rows of R^T, from the parent's axes into the body's */
  tile3 r;                 /* origin from that of the parent */
  tile3 a;                 /* acceleration of the origin: first what the joint adds to the parent's, then all of it */
  tile rate, rate_of_rate; /* of the joint's angle: S_w v, S_w a */
  union {                  /* not needed at the same time; small tiles keep long chains in the cache */
    struct {
      tile3 w, dw; /* angular velocity of the parent and its rate, in the body's axes */
    };
    struct {
      tile3 n, f; /* wrench of the body alone, then through its joint */
    };
  };
} rnea_tile;

/* What several children, or later steps, ask about a body. */
typedef struct rnea_motion {
  vec3 w, dw; /* angular velocity and its rate, if the body has several children */
  vec3 a;     /* One state: what a joint of several coordinates adds to the acceleration of the parent's origin.
                 Lanes: the acceleration of the body's origin, if the body has several children. */
} rnea_motion;

typedef struct rnea_scratch {
  rnea_tile *tiles;    /* [number of tiles] */
  rnea_motion *motion; /* [nb] */
} rnea_scratch;

static inline rnea_scratch rnea_place(const JN_S(tree) * tree, real **at) {
  rnea_scratch scratch = {TAKE_ALIGNED(at, tiles_of(tree->nb), rnea_tile), TAKE(at, tree->nb, rnea_motion)};
  return scratch;
}

real *JN_(inverse_dynamics_scratch)(const JN_S(tree) * tree, real *scratch) {
  rnea_place(tree, &scratch);
  return scratch;
}

/* ---- one body of a tile ----
 *
 * `at` is the first number of a body in its tile. The body's next numbers are TILE apart, because those of its
 * neighbours lie between them. */

static inline int has_one_coordinate(const JN_S(body) * body) { return body->kind <= JN_BODY_HELICAL; }

static inline real *lane_of(const rnea_scratch *scratch, int i) {
  return (real *)(void *)&scratch->tiles[(unsigned)i / TILE] + (unsigned)i % TILE;
}
#define NUMBER_OF(at, member) ((at)[offsetof(rnea_tile, member) / sizeof(real)])
static inline vec3 vector_at(const real *at) { return v3(at[0], at[TILE], at[2 * TILE]); }
static inline void vector_set(real *at, vec3 x) {
  at[0] = x.x;
  at[TILE] = x.y;
  at[2 * TILE] = x.z;
}
#define VECTOR(at, member) vector_at(&NUMBER_OF(at, member))
#define SET_VECTOR(at, member, x) vector_set(&NUMBER_OF(at, member), x)

/* R^T x: a vector of the parent's axes in the body's. */
static inline vec3 into_body(const real *at, vec3 x) {
  return v3(dot(VECTOR(at, Ex), x), dot(VECTOR(at, Ey), x), dot(VECTOR(at, Ez), x));
}
/* sum + R x: adds a vector of the body's axes to one of the parent's. */
static inline vec3 add_in_parent(const real *at, vec3 x, vec3 sum) {
  return v3_axpy(x.z, VECTOR(at, Ez), v3_axpy(x.y, VECTOR(at, Ey), v3_axpy(x.x, VECTOR(at, Ex), sum)));
}

static inline wrench wrench_of(const real *at) { return (wrench){VECTOR(at, n), VECTOR(at, f)}; }
static inline void wrench_set(real *at, wrench F) {
  SET_VECTOR(at, n, F.m);
  SET_VECTOR(at, f, F.f);
}

/* ---- poses ---- */

FLAT tile3 constant_rows3(const scalar *at, int row, int step) {
  return (tile3){constant_row(at, row), constant_row(at, row + step), constant_row(at, row + 2 * step)};
}

/* R^T and r of the TILE bodies from i on, as if each joint had one coordinate. */
FLAT void tile_pose(const JN_S(tree) * tree, int i, const real *q, const angles *angle, rnea_tile *tile_i) {
  const scalar *constants = constants_at(tree, i);
  tile c = tile_load(angle->c + i), s = tile_load(angle->s + i);
  tile3 X = constant_rows3(constants, JN_CONSTANT_R, 3), Y = constant_rows3(constants, JN_CONSTANT_R + 1, 3);
  tile3 p = constant_rows3(constants, JN_CONSTANT_P, 1);

  /* R = placement * rotation about z, so the rows of R^T are the columns X, Y of the placement, turned. */
  tile_i->Ex = tile3_fma(s, Y, tile3_scale(c, X));
  tile_i->Ey = tile3_fma(-s, X, tile3_scale(c, Y));
  tile_i->Ez = constant_rows3(constants, JN_CONSTANT_R + 2, 3);

  /* r = (placement's origin, turned back into the body) + advance along z. */
  tile advance = constant_row(constants, JN_CONSTANT_ADVANCE_RATIO) * tile_positions(tree, i, q) +
                 constant_row(constants, JN_CONSTANT_ADVANCE_OFFSET);
  tile_i->r = (tile3){c * p.x + s * p.y, c * p.y - s * p.x, p.z + advance};
}

/* R^T and r of a body whose joint has several coordinates. */
static __attribute__((noinline)) void group_pose(const JN_S(tree) * tree, int i, const real *q, real *at) {
  pose X = body_pose(tree, &tree->body[i], q, ZERO, ZERO);
  SET_VECTOR(at, Ex, X.R.x);
  SET_VECTOR(at, Ey, X.R.y);
  SET_VECTOR(at, Ez, X.R.z);
  SET_VECTOR(at, r, m3_tmul(X.R, X.p));
}

/* ---- outwards ---- */

/* S x of a spherical or free joint, whose screws are the axes of the body. */
static inline twist group_twist(const JN_S(body) * body, const real *x) {
  return (twist){v3_load(x), body->kind == JN_BODY_FREE ? v3_load(x + 3) : v3_zero()};
}

/* w, dw and the joint's part of a, for a joint of several coordinates. On entry, w and dw of the tile are the parent's
 * in the body's axes. */
static __attribute__((noinline)) void group_motion(const JN_S(tree) * tree, int i, const real *q, const real *v,
                                                   const real *a, real *at, rnea_motion *motion) {
  const JN_S(body) *body = &tree->body[i];
  twist S[6], S_rate[6], joint_twist = t_zero(), joint_rate = t_zero();
  int axes_are_screws = is_group(body);

  /* Joint twist S v = (w_s, v_s) and its rate S a + dS/dt v = (dw_s, dv_s). */
  if (axes_are_screws && v) joint_twist = group_twist(body, v + body->iv);
  if (axes_are_screws && a) joint_rate = group_twist(body, a + body->iv);
  if (!axes_are_screws) joint_screws(tree, body, q, v, S, v ? S_rate : NULL);
  for (int k = 0; k < body->nv && !axes_are_screws; k++) {
    if (v) joint_twist = t_axpy(v[body->iv + k], S[k], joint_twist);
    if (v) joint_rate = t_axpy(v[body->iv + k], S_rate[k], joint_rate);
    if (a) joint_rate = t_axpy(a[body->iv + k], S[k], joint_rate);
  }

  /* w = w_p + w_s,  dw = dw_p + w_p x w_s + dw_s. */
  vec3 w_parent = VECTOR(at, w), dw_parent = VECTOR(at, dw), r = VECTOR(at, r);
  motion->w = v3_add(w_parent, joint_twist.w);
  motion->dw = v3_add(dw_parent, v3_add(cross(w_parent, joint_twist.w), joint_rate.w));

  /* a - R^T a_p = dw_p x r + w_p x (w_p x r) + (w_p + w) x v_s + dv_s. */
  motion->a = v3_add(cross(dw_parent, r), cross(w_parent, cross(w_parent, r)));
  motion->a = v3_add(motion->a, v3_add(cross(v3_add(w_parent, motion->w), joint_twist.v), joint_rate.v));

  /* The tile gets the body's own w and dw: its lines for one coordinate then add nothing, since their rates are 0. */
  SET_VECTOR(at, w, motion->w);
  SET_VECTOR(at, dw, motion->dw);
}

/* For the TILE bodies from i on: the joints' parts of a, and the wrenches due to w and dw alone, as if the origins did
 * not accelerate. */
FLAT void tile_turning(const JN_S(tree) * tree, int i, const real *v, const real *a, rnea_tile *tile_i) {
  const scalar *constants = constants_at(tree, i);
  tile3 w = tile_i->w, dw = tile_i->dw, h = constant_rows3(constants, JN_CONSTANT_INERTIA + 1, 1);

  /* dw_p x r + w_p x (w_p x r) + 2 w_p x v_s + dv_s, where v_s = shift v along z. */
  tile shift = constant_row(constants, JN_CONSTANT_ADVANCE_RATIO), twice_v = 2 * shift * tile_rates(tree, i, v);
  tile_i->a = tile3_add_arm(tile3_cross(dw, tile_i->r), w, tile3_cross(w, tile_i->r));
  tile_i->a =
      (tile3){tile_i->a.x + twice_v * w.y, tile_i->a.y - twice_v * w.x, tile_i->a.z + shift * tile_rates(tree, i, a)};

  /* From the parent's to the body's own: dw += w_p x w_s + dw_s, w += w_s, where w_s = rate along z. */
  dw = (tile3){dw.x + tile_i->rate * w.y, dw.y - tile_i->rate * w.x, dw.z + tile_i->rate_of_rate};
  w.z += tile_i->rate;

  /* B = [dw] + [w]^2, without its diagonal. */
  tile xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z, xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  tile Byx = xy + dw.z, Bxy = xy - dw.z, Bxz = xz + dw.y, Bzx = xz - dw.y, Bzy = yz + dw.x, Byz = yz - dw.x;

  /* f = B h. */
  tile_i->f = (tile3){Bxy * h.y + Bxz * h.z - (yy + zz) * h.x, Byx * h.x + Byz * h.z - (xx + zz) * h.y,
                      Bzx * h.x + Bzy * h.y - (xx + yy) * h.z};

  /* n = J dw + w x J w, from the sums that B has already. */
  tile Jxx = constant_row(constants, JN_CONSTANT_INERTIA + 4), Jyy = constant_row(constants, JN_CONSTANT_INERTIA + 5);
  tile Jzz = constant_row(constants, JN_CONSTANT_INERTIA + 6), Jxy = constant_row(constants, JN_CONSTANT_INERTIA + 7);
  tile Jxz = constant_row(constants, JN_CONSTANT_INERTIA + 8), Jyz = constant_row(constants, JN_CONSTANT_INERTIA + 9);
  tile_i->n = (tile3){Jxx * dw.x + (Jzz - Jyy) * yz - Jxy * Bzx + Jxz * Byx + Jyz * (yy - zz),
                      Jyy * dw.y + (Jxx - Jzz) * xz - Jyz * Bxy + Jxy * Bzy + Jxz * (zz - xx),
                      Jzz * dw.z + (Jyy - Jxx) * xy - Jxz * Byz + Jyz * Bxz + Jxy * (xx - yy)};
}

/* For the TILE bodies from i on: n += h x a, f += m a. Without motion there is nothing from tile_turning() to add to.
 */
FLAT void tile_forces(const JN_S(tree) * tree, int i, int moving, rnea_tile *tile_i) {
  const scalar *constants = constants_at(tree, i);
  tile3 h = constant_rows3(constants, JN_CONSTANT_INERTIA + 1, 1), a = tile_i->a;
  tile mass = constant_row(constants, JN_CONSTANT_INERTIA);
  tile_i->n = moving ? tile3_add_arm(tile_i->n, h, a) : tile3_cross(h, a);
  tile_i->f = moving ? tile3_fma(mass, a, tile_i->f) : tile3_scale(mass, a);
}

/* ---- inwards ---- */

/* tau = S^T F + armature * a of a joint with several coordinates. */
static __attribute__((noinline)) void group_forces(const JN_S(tree) * tree, int i, const real *q, wrench F,
                                                   const real *a, real *tau) {
  const JN_S(body) *body = &tree->body[i];
  twist S[6];
  joint_screws(tree, body, q, NULL, S, NULL);
  for (int k = 0; k < body->nv; k++)
    tau[body->iv + k] = power(F, S[k]) + (a ? armature_of(tree, body, k) * a[body->iv + k] : ZERO);
}

/* Subtracts the external wrenches on the links from the wrenches of their bodies. */
static __attribute__((noinline)) void subtract_external(const JN_S(tree) * tree, const real *wrenches,
                                                        const rnea_scratch *scratch) {
  for (int link = 0; link < tree->nlink; link++) {
    int i = tree->frame[link].body;
    if (i < 0) continue;
    real *at = lane_of(scratch, i);
    wrench_set(at, w_sub(wrench_of(at), w_Ad_inverse(link_in_body(tree, link), w_load(wrenches + 6 * link))));
  }
}

#include "inverse_dynamics_many.h"

#if JN_MANY

/* Lanes: all steps of a body at once (inverse_dynamics_many.h). moving: v or a is given. */
FLAT void newton_euler(const JN_S(tree) * tree, const real *q, const real *v, const real *a, int moving,
                       const real *wrenches, vec3 base, const angles *angle, const rnea_scratch *scratch, real *tau) {
  many_outward(tree, q, v, a, moving, base, angle, scratch);
  if (wrenches) subtract_external(tree, wrenches, scratch);
  many_inward(tree, q, a, scratch, tau);
}

#else

/* ---- one state: each step for all bodies, before the next step ---- */

/* From the first number of body i to that of body i + 1 or i - 1: its neighbour in the tile, or in the next one. */
enum { TILE_REALS = sizeof(rnea_tile) / sizeof(real) };
static inline real *lane_after(real *at, int i) {
  return (unsigned)(i + 1) % TILE ? at + 1 : at + (TILE_REALS - TILE + 1);
}
static inline real *lane_before(real *at, int i) { return (unsigned)i % TILE ? at - 1 : at - (TILE_REALS - TILE + 1); }

/* w and dw of all bodies. Each tile gets its parents', in the bodies' axes. */
FLAT void angular_outward(const JN_S(tree) * tree, const real *q, const real *v, const real *a,
                          const rnea_scratch *scratch) {
  vec3 w = v3_zero(), dw = v3_zero();
  const JN_S(body) *body = tree->body;
  real *at = lane_of(scratch, 0);

  for (int i = 0; i < tree->nb; at = lane_after(at, i), i++, body++) {
    /* R^T w_p, R^T dw_p. The parent is usually the body before, whose w and dw are still in registers. */
    int parent = body->parent;
    if (parent < 0) {
      w = dw = v3_zero();
    } else {
      if (parent != i - 1) w = scratch->motion[parent].w, dw = scratch->motion[parent].dw;
      w = into_body(at, w);
      dw = into_body(at, dw);
    }
    SET_VECTOR(at, w, w);
    SET_VECTOR(at, dw, dw);

    /* dw += w_p x w_s + dw_s, w += w_s. */
    if (has_one_coordinate(body)) {
      real rate = NUMBER_OF(at, rate);
      dw = v3(dw.x + rate * w.y, dw.y - rate * w.x, dw.z + NUMBER_OF(at, rate_of_rate));
      w.z += rate;
      if (body->several_children) scratch->motion[i].w = w, scratch->motion[i].dw = dw;
    } else {
      group_motion(tree, i, q, v, a, at, &scratch->motion[i]);
      w = scratch->motion[i].w, dw = scratch->motion[i].dw;
    }
  }
}

/* Accelerations of all origins: a = R^T a_p + the joint's part. */
FLAT void accelerate_outward(const JN_S(tree) * tree, vec3 base, int moving, const rnea_scratch *scratch) {
  vec3 a = base;
  const JN_S(body) *body = tree->body;
  real *at = lane_of(scratch, 0);

  for (int i = 0; i < tree->nb; at = lane_after(at, i), i++, body++) {
    int parent = body->parent;
    if (parent != i - 1) a = parent < 0 ? base : VECTOR(lane_of(scratch, parent), a);
    a = into_body(at, a);
    if (moving) a = v3_add(a, has_one_coordinate(body) ? VECTOR(at, a) : scratch->motion[i].a);
    SET_VECTOR(at, a, a);
  }
}

/* Wrenches through all joints: F_p += (R (n + r x f), R f). F is carried from body to body in registers, because this
 * is the longest chain of instructions that wait for each other. */
FLAT void wrenches_inward(const JN_S(tree) * tree, const rnea_scratch *scratch) {
  const JN_S(body) *body = &tree->body[tree->nb - 1];
  real *at = lane_of(scratch, tree->nb - 1);
  wrench F = wrench_of(at);

  for (int i = tree->nb - 1; i > 0; i--, body--) {
    /* F is complete: all children of body i have been added. */
    const real *own = at;
    int parent = body->parent;
    wrench_set(at, F);
    at = lane_before(at, i);

    if (parent != i - 1) {
      /* A branch ends here: add F to its parent in memory, and go on with body i - 1, the tip of another branch. */
      if (parent >= 0) {
        real *to = lane_of(scratch, parent);
        vec3 n = v3_add(F.m, cross(VECTOR(own, r), F.f));
        SET_VECTOR(to, n, add_in_parent(own, n, VECTOR(to, n)));
        SET_VECTOR(to, f, add_in_parent(own, F.f, VECTOR(to, f)));
      }
      F = wrench_of(at);
    } else {
      /* The parent is next: its wrench becomes the one in registers. */
      vec3 n = v3_add(F.m, cross(VECTOR(own, r), F.f));
      F = (wrench){add_in_parent(own, n, VECTOR(at, n)), add_in_parent(own, F.f, VECTOR(at, f))};
    }
  }
  wrench_set(at, F);
}

/* tau = S^T F + armature * a of the TILE bodies from i on that have one coordinate. */
FLAT void tile_tau(const JN_S(tree) * tree, int i, const real *a, const rnea_tile *tile_i, real *tau) {
  const scalar *constants = constants_at(tree, i);
  tile force = constant_row(constants, JN_CONSTANT_ANGLE_RATIO) * tile_i->n.z +
               constant_row(constants, JN_CONSTANT_ADVANCE_RATIO) * tile_i->f.z;
  if (a) force += constant_row(constants, JN_CONSTANT_ARMATURE) * tile_rates(tree, i, a);

  /* One coordinate each, in the order of the bodies: the tile is stored as it is. Otherwise each finds its place, and
   * coupled joints add up. */
  real *to = tau + (tree->nv - tree->nb + i);
  if (tree->one_each_after_base && i + TILE <= tree->nb)
    tile_store(force, to);
  else if (tree->one_each_after_base)
    tile_store_first(force, to, tree->nb - i);
  else
    for (int e = i; e < i + TILE && e < tree->nb; e++)
      if (has_one_coordinate(&tree->body[e])) tau[tree->body[e].iv] += ((const real *)(const void *)&force)[e - i];
}

/* Poses of all bodies, and the rates of the joint angles where anything moves. */
FLAT void poses_and_rates(const JN_S(tree) * tree, const real *q, const real *v, const real *a, int moving,
                          const angles *angle, const rnea_scratch *scratch) {
  rnea_tile *tile_i = scratch->tiles;
  for (int i = 0; i < tree->nb; i += TILE, tile_i++) {
    tile_pose(tree, i, q, angle, tile_i);
    if (!moving) continue;
    tile turn = constant_row(constants_at(tree, i), JN_CONSTANT_ANGLE_RATIO);
    tile_i->rate = turn * tile_rates(tree, i, v);
    tile_i->rate_of_rate = turn * tile_rates(tree, i, a);
  }

  for (int i = 0; i < tree->nb && !tree->one_each; i++)
    if (!has_one_coordinate(&tree->body[i])) group_pose(tree, i, q, lane_of(scratch, i));
}

/* All steps in turn. moving: v or a is given; with neither, only weight and external wrenches act. */
FLAT void newton_euler(const JN_S(tree) * tree, const real *q, const real *v, const real *a, int moving,
                       const real *wrenches, vec3 base, const angles *angle, const rnea_scratch *scratch, real *tau) {
  rnea_tile *tile_i;
  poses_and_rates(tree, q, v, a, moving, angle, scratch);

  /* Outwards: w and dw, then the wrenches that they cause, then accelerations and the rest of the wrenches. */
  if (moving) angular_outward(tree, q, v, a, scratch);
  tile_i = scratch->tiles;
  for (int i = 0; i < tree->nb && moving; i += TILE, tile_i++) tile_turning(tree, i, v, a, tile_i);
  accelerate_outward(tree, base, moving, scratch);
  tile_i = scratch->tiles;
  for (int i = 0; i < tree->nb; i += TILE, tile_i++) tile_forces(tree, i, moving, tile_i);
  if (wrenches) subtract_external(tree, wrenches, scratch);

  /* Inwards: wrenches through the joints, then the forces of their coordinates. */
  wrenches_inward(tree, scratch);
  for (int k = 0; k < tree->nv && !tree->one_each_after_base; k++) tau[k] = ZERO;
  tile_i = scratch->tiles;
  for (int i = 0; i < tree->nb; i += TILE, tile_i++) tile_tau(tree, i, a, tile_i, tau);
  for (int i = 0; i < tree->nb && !tree->one_each; i++)
    if (!has_one_coordinate(&tree->body[i])) group_forces(tree, i, q, wrench_of(lane_of(scratch, i)), a, tau);
}

#endif

void JN_(inverse_dynamics_forces)(const JN_S(tree) * tree, const real *q, const real *v, const real *a,
                                  const real *wrenches, int which, const angles *angle, real *scratch, real *tau) {
  vec3 base = which == FORCES_WEIGHTLESS ? v3_zero() : base_acceleration(tree).v;
  rnea_scratch placed = rnea_place(tree, &scratch);
  if (tree->nb == 0) return;

  /* Two calls, so that the compiler makes a version without everything that depends on motion. */
  if (v || a)
    newton_euler(tree, q, v, a, 1, wrenches, base, angle, &placed, tau);
  else
    newton_euler(tree, q, NULL, NULL, 0, wrenches, base, angle, &placed, tau);

  if (which == FORCES_ALL) add_springs(tree, q, K(1), tau);
}

void JN_(inverse_dynamics)(const jn_call *call) {
  const jn_inverse_dynamics_arguments *args = &call->inverse_dynamics;
  const JN_S(tree) *tree = call->tree;
  real *scratch = call->scratch;
  angles angle = angles_at(tree, args->q, &scratch);
  if (counts(call, JN_(inverse_dynamics_scratch)(tree, scratch))) return;
  JN_(inverse_dynamics_forces)(tree, args->q, args->v, args->a, args->wrench, args->forces, &angle, scratch, args->tau);
}

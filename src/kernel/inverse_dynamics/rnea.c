/* SPDX-License-Identifier: BSD-2-Clause */
/* RNEA, inverse dynamics alone: the most called of all (kim2012 Table 2). in: q, v, a, wrenches (NULL: zero).
 * arg[0]: FORCES_... of rnea.h. out: tau [nv]. O(n).
 *
 * In the bodies' own frames. Only what a body needs of its neighbour goes from body to body: angular velocity and its
 * rate, then the acceleration of the origin, outwards; then the wrench inwards. All else is worked out for several
 * bodies at once (sheet.h), and joints of one coordinate, whatever their kind, by the same lines: they turn about z and
 * advance along z. */
#include "rnea.h"

#include "../base/row.h"
#include "../base/springs.h"
#include "../base/tile.h"

/* Bodies side by side. */
typedef struct newton_tile {
  tile3 Ex, Ey, Ez;  /* rows of the rotation from the parent's axes into the body's */
  tile3 p;           /* origin from that of the parent, in the body's axes */
  tile3 a;           /* acceleration of the origin: what the joint adds to that of the parent, then all of it */
  tile rate, change; /* of the angle, and its rate */
  union {            /* small, so that long chains stay in the cache */
    struct {
      tile3 w, dw; /* angular velocity of the parent and its rate, in the body's axes */
    };
    struct {
      tile3 m, f; /* wrench of the body alone, then through its joint */
    };
  };
} newton_tile;

/* What other bodies ask about one. */
typedef struct body_motion {
  vec3 w, dw; /* angular velocity and its rate, if it has several children */
  vec3 a;     /* of a joint of several coordinates, what it adds to the acceleration of the parent's origin; in lanes,
                 the acceleration of the body's origin, if it has several children */
} body_motion;

typedef struct newton_room {
  newton_tile *x;    /* [tiles] */
  body_motion *kept; /* [nb] */
} newton_room;

static inline newton_room newton_place(const JN_S(tree) * t, real **at) {
  newton_room r = {TAKE_ALIGNED(at, tiles_of(t->nb), newton_tile), TAKE(at, t->nb, body_motion)};
  return r;
}

real *JN_(newton_scratch)(const JN_S(tree) * t, real *at) {
  newton_place(t, &at);
  return at;
}

/* ---- one body of a tile ---- */

static inline int is_one(const JN_S(body) * b) { return b->kind <= JN_BODY_HELICAL; }

/* Its first number. */
static inline real *lane_of(const newton_room *r, int i) {
  return (real *)(void *)&r->x[(unsigned)i / TILE] + (unsigned)i % TILE;
}
#define NUMBER_OF(at, member) ((at)[offsetof(newton_tile, member) / sizeof(real)])
static inline vec3 vector_at(const real *at) { return v3(at[0], at[TILE], at[2 * TILE]); }
static inline void vector_set(real *at, vec3 x) {
  at[0] = x.x;
  at[TILE] = x.y;
  at[2 * TILE] = x.z;
}
#define VECTOR(at, member) vector_at(&NUMBER_OF(at, member))
#define SET_VECTOR(at, member, x) vector_set(&NUMBER_OF(at, member), x)

static inline vec3 into_body(const real *at, vec3 a) {
  return v3(dot(VECTOR(at, Ex), a), dot(VECTOR(at, Ey), a), dot(VECTOR(at, Ez), a));
}
/* to + the vector in the parent's axes */
static inline vec3 add_in_parent(const real *at, vec3 a, vec3 to) {
  return v3_axpy(a.z, VECTOR(at, Ez), v3_axpy(a.y, VECTOR(at, Ey), v3_axpy(a.x, VECTOR(at, Ex), to)));
}

/* ---- poses ---- */

FLAT tile3 sheet_row3(const scalar *at, int row, int step) {
  return (tile3){sheet_row(at, row), sheet_row(at, row + step), sheet_row(at, row + 2 * step)};
}

/* Rotations and arms of the bodies from i on. */
FLAT void tile_pose(const JN_S(tree) * t, int i, const real *q, const angles *turn, newton_tile *x) {
  const scalar *at = sheet_at(t, i);
  tile c = tile_load(turn->c + i), s = tile_load(turn->s + i);
  tile3 X = sheet_row3(at, JN_SHEET_R, 3), Y = sheet_row3(at, JN_SHEET_R + 1, 3), p = sheet_row3(at, JN_SHEET_P, 1);
  x->Ex = tile3_fma(s, Y, tile3_scale(c, X));
  x->Ey = tile3_fma(-s, X, tile3_scale(c, Y));
  x->Ez = sheet_row3(at, JN_SHEET_R + 2, 3);
  tile way = sheet_row(at, JN_SHEET_SHIFT) * sheet_positions(t, i, q) + sheet_row(at, JN_SHEET_WAY);
  x->p = (tile3){c * p.x + s * p.y, c * p.y - s * p.x, p.z + way};
}

/* Those of a joint of several coordinates. */
static __attribute__((noinline)) void other_pose(const JN_S(tree) * t, int i, const real *q, real *at) {
  pose X = body_pose(t, &t->body[i], q, ZERO, ZERO);
  SET_VECTOR(at, Ex, X.R.x);
  SET_VECTOR(at, Ey, X.R.y);
  SET_VECTOR(at, Ez, X.R.z);
  SET_VECTOR(at, p, m3_tmul(X.R, X.p));
}

/* ---- outwards ---- */

/* S x of a joint whose screws are the axes of the body. */
static inline twist group_twist(const JN_S(body) * b, const real *x) {
  return (twist){v3_load(x), b->kind == JN_BODY_FREE ? v3_load(x + 3) : v3_zero()};
}

/* The body's own velocity at a joint of several coordinates, and its rate, both in the body's frame. */
static __attribute__((noinline)) void other_motion(const JN_S(tree) * t, int i, const real *q, const real *v,
                                                   const real *a, real *at, body_motion *m) {
  const JN_S(body) *b = &t->body[i];
  twist S[6], rate[6], own = t_zero(), change = t_zero();
  int group = is_group(b);
  if (group && v) own = group_twist(b, v + b->iv);
  if (group && a) change = group_twist(b, a + b->iv);
  if (!group) joint_screws(t, b, q, v, S, v ? rate : NULL);
  for (int k = 0; k < b->nv && !group; k++) {
    if (v) own = t_axpy(v[b->iv + k], S[k], own);
    if (v) change = t_axpy(v[b->iv + k], rate[k], change);
    if (a) change = t_axpy(a[b->iv + k], S[k], change);
  }
  vec3 before = VECTOR(at, w), d_before = VECTOR(at, dw), p = VECTOR(at, p);
  m->w = v3_add(before, own.w);
  m->dw = v3_add(d_before, v3_add(cross(before, own.w), change.w));
  m->a = v3_add(cross(d_before, p), cross(before, cross(before, p)));
  m->a = v3_add(m->a, v3_add(cross(v3_add(before, m->w), own.v), change.v)); /* 2 w_p x v + w x v + dv */
  SET_VECTOR(at, w, m->w); /* nothing is to be added by the lines for one coordinate */
  SET_VECTOR(at, dw, m->dw);
}

/* Wrenches of the bodies from i on that turn, about their origins, which do not accelerate; and what the joints add to
 * the accelerations of the origins. A point at r of a body whose origin has the acceleration a has the acceleration a +
 * B r, B = [dw] + [w]^2, so linear velocities are not needed at all. */
FLAT void tile_turning(const JN_S(tree) * t, int i, const real *v, const real *a, newton_tile *x) {
  const scalar *at = sheet_at(t, i);
  tile3 w = x->w, dw = x->dw, h = sheet_row3(at, JN_SHEET_INERTIA + 1, 1);
  tile shift = sheet_row(at, JN_SHEET_SHIFT), advance = 2 * shift * sheet_rates(t, i, v);
  x->a = tile3_add_arm(tile3_cross(dw, x->p), w, tile3_cross(w, x->p));
  x->a =
      (tile3){x->a.x + advance * w.y, x->a.y - advance * w.x, x->a.z + shift * sheet_rates(t, i, a)}; /* 2 w x v + dv */
  dw = (tile3){dw.x + x->rate * w.y, dw.y - x->rate * w.x, dw.z + x->change};
  w.z += x->rate;
  tile xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z, xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  tile Byx = xy + dw.z, Bxy = xy - dw.z, Bxz = xz + dw.y, Bzx = xz - dw.y, Bzy = yz + dw.x, Byz = yz - dw.x;
  x->f = (tile3){Bxy * h.y + Bxz * h.z - (yy + zz) * h.x, Byx * h.x + Byz * h.z - (xx + zz) * h.y,
                 Bzx * h.x + Bzy * h.y - (xx + yy) * h.z};
  tile Jxx = sheet_row(at, JN_SHEET_INERTIA + 4), Jyy = sheet_row(at, JN_SHEET_INERTIA + 5);
  tile Jzz = sheet_row(at, JN_SHEET_INERTIA + 6), Jxy = sheet_row(at, JN_SHEET_INERTIA + 7);
  tile Jxz = sheet_row(at, JN_SHEET_INERTIA + 8), Jyz = sheet_row(at, JN_SHEET_INERTIA + 9);
  x->m = (tile3){Jxx * dw.x + (Jzz - Jyy) * yz - Jxy * Bzx + Jxz * Byx + Jyz * (yy - zz), /* J dw + w x J w */
                 Jyy * dw.y + (Jxx - Jzz) * xz - Jyz * Bxy + Jxy * Bzy + Jxz * (zz - xx),
                 Jzz * dw.z + (Jyy - Jxx) * xy - Jxz * Byz + Jyz * Bxz + Jxy * (xx - yy)};
}

/* Wrenches of the bodies from i on, with those of tile_turning() if there are any. */
FLAT void tile_forces(const JN_S(tree) * t, int i, int moving, newton_tile *x) {
  const scalar *at = sheet_at(t, i);
  tile3 h = sheet_row3(at, JN_SHEET_INERTIA + 1, 1), a = x->a;
  tile mass = sheet_row(at, JN_SHEET_INERTIA);
  x->m = moving ? tile3_add_arm(x->m, h, a) : tile3_cross(h, a);
  x->f = moving ? tile3_fma(mass, a, x->f) : tile3_scale(mass, a);
}

/* ---- inwards ---- */

/* Adds S^T F of a joint of several coordinates. */
static __attribute__((noinline)) void other_forces(const JN_S(tree) * t, int i, const real *q, wrench F, const real *a,
                                                   real *tau) {
  const JN_S(body) *b = &t->body[i];
  twist S[6];
  joint_screws(t, b, q, NULL, S, NULL);
  for (int k = 0; k < b->nv; k++) tau[b->iv + k] = power(F, S[k]) + (a ? armature_of(t, b, k) * a[b->iv + k] : ZERO);
}

static inline wrench wrench_of(const real *at) { return (wrench){VECTOR(at, m), VECTOR(at, f)}; }
static inline void wrench_set(real *at, wrench F) {
  SET_VECTOR(at, m, F.m);
  SET_VECTOR(at, f, F.f);
}

/* External wrenches are taken away. */
static __attribute__((noinline)) void take_wrenches(const JN_S(tree) * t, const real *wrenches, const newton_room *r) {
  for (int l = 0; l < t->nlink; l++) {
    int i = t->frame[l].body;
    if (i < 0) continue;
    real *at = lane_of(r, i);
    wrench_set(at, w_sub(wrench_of(at), w_Ad_inverse(link_in_body(t, l), w_load(wrenches + 6 * l))));
  }
}

#include "rnea_many.h"

#if JN_MANY

/* moving: v or a is given. */
FLAT void newton_euler(const JN_S(tree) * t, const real *q, const real *v, const real *a, int moving,
                       const real *wrenches, vec3 base, const angles *turn, const newton_room *r, real *tau) {
  many_outward(t, q, v, a, moving, base, turn, r);
  if (wrenches) take_wrenches(t, wrenches, r);
  many_inward(t, q, a, r, tau);
}

#else

/* ---- one state: step by step, tiles of bodies or body by body ---- */

/* From the first number of a body to that of the next: one further, or in the next tile. */
enum { TILE_REALS = sizeof(newton_tile) / sizeof(real) };
static inline real *lane_after(real *at, int i) {
  return (unsigned)(i + 1) % TILE ? at + 1 : at + (TILE_REALS - TILE + 1);
}
static inline real *lane_before(real *at, int i) { return (unsigned)i % TILE ? at - 1 : at - (TILE_REALS - TILE + 1); }

/* Angular velocities and their rates. */
FLAT void turns_outward(const JN_S(tree) * t, const real *q, const real *v, const real *a, const newton_room *r) {
  vec3 w = v3_zero(), dw = v3_zero();
  const JN_S(body) *b = t->body;
  real *at = lane_of(r, 0);
  for (int i = 0; i < t->nb; at = lane_after(at, i), i++, b++) {
    int p = b->parent;
    if (p < 0) {
      w = dw = v3_zero();
    } else {
      if (p != i - 1) w = r->kept[p].w, dw = r->kept[p].dw;
      w = into_body(at, w);
      dw = into_body(at, dw);
    }
    SET_VECTOR(at, w, w);
    SET_VECTOR(at, dw, dw);
    if (is_one(b)) {
      real rate = NUMBER_OF(at, rate);
      dw = v3(dw.x + rate * w.y, dw.y - rate * w.x, dw.z + NUMBER_OF(at, change));
      w.z += rate;
      if (b->forks) r->kept[i].w = w, r->kept[i].dw = dw;
    } else {
      other_motion(t, i, q, v, a, at, &r->kept[i]);
      w = r->kept[i].w, dw = r->kept[i].dw;
    }
  }
}

/* Accelerations of the origins. */
FLAT void accelerate_outward(const JN_S(tree) * t, vec3 base, int moving, const newton_room *r) {
  vec3 a = base;
  const JN_S(body) *b = t->body;
  real *at = lane_of(r, 0);
  for (int i = 0; i < t->nb; at = lane_after(at, i), i++, b++) {
    int p = b->parent;
    if (p != i - 1) a = p < 0 ? base : VECTOR(lane_of(r, p), a);
    a = into_body(at, a);
    if (moving) a = v3_add(a, is_one(b) ? VECTOR(at, a) : r->kept[i].a);
    SET_VECTOR(at, a, a);
  }
}

/* Wrenches through the joints. That on its way goes from body to body in registers: this is the longest chain of
 * instructions that wait for each other. */
FLAT void wrenches_inward(const JN_S(tree) * t, const newton_room *r) {
  const JN_S(body) *b = &t->body[t->nb - 1];
  real *at = lane_of(r, t->nb - 1);
  wrench F = wrench_of(at);
  for (int i = t->nb - 1; i > 0; i--, b--) {
    const real *own = at;
    int p = b->parent;
    wrench_set(at, F);
    at = lane_before(at, i);
    if (p != i - 1) {
      if (p >= 0) {
        real *to = lane_of(r, p);
        vec3 m = v3_add(F.m, cross(VECTOR(own, p), F.f));
        SET_VECTOR(to, m, add_in_parent(own, m, VECTOR(to, m)));
        SET_VECTOR(to, f, add_in_parent(own, F.f, VECTOR(to, f)));
      }
      F = wrench_of(at);
    } else {
      vec3 m = v3_add(F.m, cross(VECTOR(own, p), F.f));
      F = (wrench){add_in_parent(own, m, VECTOR(at, m)), add_in_parent(own, F.f, VECTOR(at, f))};
    }
  }
  wrench_set(at, F);
}

/* Forces of the bodies from i on. */
FLAT void tile_tau(const JN_S(tree) * t, int i, const real *a, const newton_tile *x, real *tau) {
  const scalar *at = sheet_at(t, i);
  tile force = sheet_row(at, JN_SHEET_TURN) * x->m.z + sheet_row(at, JN_SHEET_SHIFT) * x->f.z;
  if (a) force += sheet_row(at, JN_SHEET_ARMATURE) * sheet_rates(t, i, a);
  real *to = tau + (t->nv - t->nb + i);
  if (t->even && i + TILE <= t->nb)
    tile_store(force, to);
  else if (t->even)
    tile_store_first(force, to, t->nb - i);
  else
    for (int e = i; e < i + TILE && e < t->nb; e++)
      if (is_one(&t->body[e])) tau[t->body[e].iv] += ((const real *)(const void *)&force)[e - i];
}

/* moving: v or a is given. */
FLAT void newton_euler(const JN_S(tree) * t, const real *q, const real *v, const real *a, int moving,
                       const real *wrenches, vec3 base, const angles *turn, const newton_room *r, real *tau) {
  newton_tile *x = r->x;
  for (int i = 0; i < t->nb; i += TILE, x++) {
    tile_pose(t, i, q, turn, x);
    if (!moving) continue;
    tile angle = sheet_row(sheet_at(t, i), JN_SHEET_TURN);
    x->rate = angle * sheet_rates(t, i, v);
    x->change = angle * sheet_rates(t, i, a);
  }
  for (int i = 0; i < t->nb && !t->simple; i++)
    if (!is_one(&t->body[i])) other_pose(t, i, q, lane_of(r, i));
  if (moving) turns_outward(t, q, v, a, r);
  x = r->x;
  for (int i = 0; i < t->nb && moving; i += TILE, x++) tile_turning(t, i, v, a, x);
  accelerate_outward(t, base, moving, r);
  x = r->x;
  for (int i = 0; i < t->nb; i += TILE, x++) tile_forces(t, i, moving, x);
  if (wrenches) take_wrenches(t, wrenches, r);
  wrenches_inward(t, r);
  for (int k = 0; k < t->nv && !t->even; k++) tau[k] = ZERO;
  x = r->x;
  for (int i = 0; i < t->nb; i += TILE, x++) tile_tau(t, i, a, x, tau);
  for (int i = 0; i < t->nb && !t->simple; i++)
    if (!is_one(&t->body[i])) other_forces(t, i, q, wrench_of(lane_of(r, i)), a, tau);
}

#endif

void JN_(newton_forces)(const JN_S(tree) * t, const real *q, const real *v, const real *a, const real *wrenches,
                        int which, const angles *turn, real *at, real *tau) {
  vec3 base = which == FORCES_WEIGHTLESS ? v3_zero() : base_acceleration(t).v;
  newton_room r = newton_place(t, &at);
  if (t->nb == 0) return;
  if (v || a)
    newton_euler(t, q, v, a, 1, wrenches, base, turn, &r, tau);
  else
    newton_euler(t, q, NULL, NULL, 0, wrenches, base, turn, &r, tau);
  if (which == FORCES_ALL) add_springs(t, q, K(1), tau);
}

void JN_(newton)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  real *at = c->scratch;
  angles turn = angles_at(t, c->in[0], &at);
  if (counts(c, JN_(newton_scratch)(t, at))) return;
  JN_(newton_forces)(t, c->in[0], c->in[1], c->in[2], c->in[3], c->arg[0], &turn, at, c->out[0]);
}

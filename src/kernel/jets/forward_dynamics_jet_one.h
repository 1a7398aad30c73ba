/* SPDX-License-Identifier: BSD-2-Clause */
/* Forward and hybrid dynamics to any order in time (jets.c): the sweeps of one order, for one state in double with
 * AVX2. The functions and formulas are those of forward_dynamics_jet_any.h.
 *
 * How it is arranged. A twist or wrench as a series in time is three rows of numbers, for x, y and z, in which angular
 * and linear parts alternate: w_0, v_0, w_1, v_1, ... A convolution sum_j a_j b_{k-j} goes along one row and backwards
 * along the other, which is therefore stored by falling order; then four lanes take two orders at once. Joints about z
 * go this way, the others through jets.h.
 *
 *   symbol   meaning                                              frame, unit             size
 *   U, V     twists before and behind joints                      rad/s, m/s              [nb][3][length], rising order
 *   G, T     wrenches behind and before joints, inwards           N m, N                  [nb][3][length], rising order
 *   H        momenta I V                                          body; N m s, N s        [nb][3][length], falling
 * order c, s, x  cosine, sine and translation of the joint            -, -, m                 [nb][length], falling,
 * each twice rate     ratio times the velocity of the coordinate           rad/s or m/s            [nb][length],
 * rising, each twice */
#ifndef JN_KERNEL_JETS_FORWARD_DYNAMICS_JET_ONE_H
#define JN_KERNEL_JETS_FORWARD_DYNAMICS_JET_ONE_H

#include "../base/registers.h"
#include "forward_dynamics_jet_any.h"

#if JN_FORWARD_SERIES

/* The angular and the linear part of a twist or wrench, in one axis. */
typedef scalar r2 __attribute__((vector_size(2 * sizeof(scalar))));
typedef struct r2x3 {
  r2 x, y, z;
} r2x3;

static inline r2 r2_load(const scalar *a) {
  r2 x;
  memcpy(&x, a, sizeof x);
  return x;
}
static inline void r2_store(r2 x, scalar *to) { memcpy(to, &x, sizeof x); }
/* Sum of the two halves of a register. */
static inline r2 r2_sum_of_halves(r4 a) { return (r2){a[0], a[1]} + (r2){a[2], a[3]}; }
/* The angular part moved to the place of the linear one, and the other way round; zero in its own place. */
static inline r2 angular_in_linear(r2 a) { return (r2){0, a[0]}; }
static inline r2 linear_in_angular(r2 a) { return (r2){a[1], 0}; }
static inline r2x3 r2x3_add(r2x3 a, r2x3 b) { return (r2x3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline r2x3 r2x3_scale(scalar s, r2x3 a) { return (r2x3){s * a.x, s * a.y, s * a.z}; }
static inline r2x3 r2x3_cross(const scalar *p, r2x3 a) {
  return (r2x3){p[1] * a.z - p[2] * a.y, p[2] * a.x - p[0] * a.z, p[0] * a.y - p[1] * a.x};
}
static inline r2x3 r2x3_of_twist(twist V) { return (r2x3){{V.w.x, V.v.x}, {V.w.y, V.v.y}, {V.w.z, V.v.z}}; }
static inline r2x3 r2x3_of_wrench(wrench F) { return (r2x3){{F.m.x, F.f.x}, {F.m.y, F.f.y}, {F.m.z, F.f.z}}; }
static inline twist r2x3_twist(r2x3 a) { return (twist){v3(a.x[0], a.y[0], a.z[0]), v3(a.x[1], a.y[1], a.z[1])}; }
static inline wrench r2x3_wrench(r2x3 a) { return (wrench){v3(a.x[0], a.y[0], a.z[0]), v3(a.x[1], a.y[1], a.z[1])}; }

/* Momentum I V. */
static inline r2x3 r2x3_momentum(const scalar *I, r2x3 V) {
  const scalar m = I[0];
  const r2 sign = {1, -1};
  r2x3 W = {sign * (r2){V.x[1], V.x[0]}, sign * (r2){V.y[1], V.y[0]}, sign * (r2){V.z[1], V.z[0]}}; /* v, -w */
  r2x3 h = r2x3_cross(I + 1, W);
  r2 Jxx = {I[4], m}, Jyy = {I[5], m}, Jzz = {I[6], m}, Jxy = {I[7], 0}, Jxz = {I[8], 0}, Jyz = {I[9], 0};
  return (r2x3){Jxx * V.x + (Jxy * V.y + (Jxz * V.z + h.x)), Jxy * V.x + (Jyy * V.y + (Jyz * V.z + h.y)),
                Jxz * V.x + (Jyz * V.y + (Jzz * V.z + h.z))};
}

/* Twists from the parent body's frame to the one in which the joint of the body moves, Ad_{B^-1}, and wrenches back. */
static inline r2x3 placement_outward(const JN_S(body) * body, r2x3 X) {
  const scalar *R = body->R;
  r2x3 c = r2x3_cross(body->p, (r2x3){angular_in_linear(X.x), angular_in_linear(X.y), angular_in_linear(X.z)});
  r2x3 a = {X.x - c.x, X.y - c.y, X.z - c.z};
  return (r2x3){R[0] * a.x + R[3] * a.y + R[6] * a.z, R[1] * a.x + R[4] * a.y + R[7] * a.z,
                R[2] * a.x + R[5] * a.y + R[8] * a.z};
}
static inline r2x3 placement_inward(const JN_S(body) * body, r2x3 F) {
  const scalar *R = body->R;
  r2x3 X = {R[0] * F.x + R[1] * F.y + R[2] * F.z, R[3] * F.x + R[4] * F.y + R[5] * F.z,
            R[6] * F.x + R[7] * F.y + R[8] * F.z};
  return r2x3_add(X,
                  r2x3_cross(body->p, (r2x3){linear_in_angular(X.x), linear_in_angular(X.y), linear_in_angular(X.z)}));
}

typedef struct forward_series {
  const jets *J;
  int orders, length;    /* numbers in a row */
  scalar *U, *V, *G, *T; /* [nb][3][length] twists before and behind joints; wrenches behind and before them */
  scalar *H;             /* momenta, by falling order */
  scalar *c, *s, *x;     /* [nb][length] cosine, sine, translation, each number twice, by falling order */
  scalar *rate;          /* [nb][length] velocities, twice */
  r2x3 *F, *change;      /* [nb] of one order */
} forward_series;

static inline forward_series forward_series_place(const jets *J, int orders, real **at) {
  int length = 2 * orders + 6, nb = J->tree->nb;
  forward_series sweep = {.J = J, .orders = orders, .length = length};
  sweep.U = take(at, (size_t)(19 * nb * length));
  sweep.V = sweep.U + 3 * nb * length;
  sweep.G = sweep.V + 3 * nb * length;
  sweep.T = sweep.G + 3 * nb * length;
  sweep.H = sweep.T + 3 * nb * length;
  sweep.c = sweep.H + 3 * nb * length;
  sweep.s = sweep.c + nb * length;
  sweep.x = sweep.s + nb * length;
  sweep.rate = sweep.x + nb * length;
  sweep.F = TAKE_ALIGNED(at, nb, r2x3);
  sweep.change = TAKE(at, nb, r2x3);
  return sweep;
}

/* Row `axis` of body i's series, from order k on. */
static inline scalar *rising(const forward_series *sweep, scalar *of, int i, int axis, int k) {
  return of + (3 * i + axis) * sweep->length + 2 * k;
}
/* The same of a series that is stored by falling order: from order k down. */
static inline scalar *falling(const forward_series *sweep, scalar *of, int row, int k) {
  return of + row * sweep->length + 2 * (sweep->orders - 1 - k);
}
static inline r2x3 series_order(const forward_series *sweep, scalar *of, int i, int k) {
  return (r2x3){r2_load(rising(sweep, of, i, 0, k)), r2_load(rising(sweep, of, i, 1, k)),
                r2_load(rising(sweep, of, i, 2, k))};
}
/* Stores the highest order. Beyond it, and beyond order 0 of what is stored by falling order, a row has zeros. */
static inline void set_series_order(const forward_series *sweep, scalar *of, int i, int k, r2x3 a) {
  r4_store((r4){a.x[0], a.x[1]}, rising(sweep, of, i, 0, k));
  r4_store((r4){a.y[0], a.y[1]}, rising(sweep, of, i, 1, k));
  r4_store((r4){a.z[0], a.z[1]}, rising(sweep, of, i, 2, k));
}
static inline void add_series_order(const forward_series *sweep, scalar *of, int i, int k, r2x3 a) {
  set_series_order(sweep, of, i, k, r2x3_add(series_order(sweep, of, i, k), a));
}
static inline void set_momentum_order(const forward_series *sweep, int i, int k, r2x3 V) {
  r2x3 a = r2x3_momentum(sweep->J->tree->body[i].inertia, V);
  for (int axis = 0; axis < 3 && k == 0; axis++) r4_store(r4_zero(), falling(sweep, sweep->H, 3 * i + axis, 0) + 2);
  r2_store(a.x, falling(sweep, sweep->H, 3 * i, k));
  r2_store(a.y, falling(sweep, sweep->H, 3 * i + 1, k));
  r2_store(a.z, falling(sweep, sweep->H, 3 * i + 2, k));
}

/* Order k of a series rotated by the joint of body i, by its angle or (inverse) back; z stays. `now` is order k of what
 * is rotated; it is stored afterwards, because a register cannot be loaded from numbers that were stored just before.
 */
static inline r2x3 rotate_series(const forward_series *sweep, scalar *of, int i, int k, r2x3 now, int inverse) {
  const scalar *c = falling(sweep, sweep->c, i, k), *s = falling(sweep, sweep->s, i, k);
  const scalar *x = rising(sweep, of, i, 0, 0), *y = rising(sweep, of, i, 1, 0);
  r4 cx = r4_zero(), sx = cx, cy = cx, sy = cx;

  /* Orders below k, two at a time: sum_j c_j x_{k-j}, ... */
  for (int m = 0; m < 2 * k; m += 4) {
    r4 cosine = r4_load(c + m), sine = r4_load(s + m), a = r4_load(x + m), b = r4_load(y + m);
    cx += cosine * a;
    sx += sine * a;
    cy += cosine * b;
    sy += sine * b;
  }

  /* Order k itself, with c_0 and s_0. */
  scalar c0 = c[2 * k], s0 = s[2 * k];
  set_series_order(sweep, of, i, k, now);
  if (inverse)
    return (r2x3){r2_sum_of_halves(cx + sy) + (c0 * now.x + s0 * now.y),
                  r2_sum_of_halves(cy - sx) + (c0 * now.y - s0 * now.x), now.z};
  return (r2x3){r2_sum_of_halves(cx - sy) + (c0 * now.x - s0 * now.y),
                r2_sum_of_halves(cy + sx) + (c0 * now.y + s0 * now.x), now.z};
}

/* Order k of x(t) times (x, y), of which order k is `now`; that is not stored here. */
static inline void translate_series(const forward_series *sweep, scalar *of, int i, int k, r2x3 now, r2 *x, r2 *y) {
  const scalar *d = falling(sweep, sweep->x, i, k), *a = rising(sweep, of, i, 0, 0), *b = rising(sweep, of, i, 1, 0);
  r4 ax = r4_zero(), ay = ax;
  for (int m = 0; m < 2 * k; m += 4) {
    ax += r4_load(d + m) * r4_load(a + m);
    ay += r4_load(d + m) * r4_load(b + m);
  }
  *x = r2_sum_of_halves(ax) + d[2 * k] * now.x;
  *y = r2_sum_of_halves(ay) + d[2 * k] * now.y;
}

static inline scalar advance_per_unit(const JN_S(body) * body) {
  return body->kind == JN_BODY_PRISMATIC ? 1 : body->pitch;
}
static inline int translates(const JN_S(body) * body) { return body->kind != JN_BODY_REVOLUTE; }
static inline int rotates(const JN_S(body) * body) { return body->kind != JN_BODY_PRISMATIC; }

/* The joint's own twist along z: (rate, advance rate). */
static inline r2 own_twist(const JN_S(body) * body, scalar rate) {
  return (r2){rotates(body) ? rate : 0, translates(body) ? advance_per_unit(body) * rate : 0};
}

/* Order k of the motion of body i's joint about z, from the velocities below k:  k c_k = -sum_j j x_j s_{k-j},
 * k s_k = sum_j j x_j c_{k-j}, where j x_j = rate_{j-1}. */
FLAT void extend_z_joint_motion(const forward_series *sweep, int i, int k) {
  const jets *J = sweep->J;
  const JN_S(body) *body = &J->tree->body[i];
  scalar *c = falling(sweep, sweep->c, i, k), *s = falling(sweep, sweep->s, i, k), *x = falling(sweep, sweep->x, i, k);

  /* Order 0: the configuration. Zeros follow, beyond order 0. */
  if (k == 0) {
    scalar cosine = rotates(body) ? J->angle.c[i] : 1, sine = rotates(body) ? J->angle.s[i] : 0;
    for (int m = 0; m < 4; m++) {
      c[m] = m < 2 ? cosine : 0;
      s[m] = m < 2 ? sine : 0;
      x[m] = m < 2 && translates(body) ? advance_per_unit(body) * joint_position(body, J->q) : 0;
    }
    return;
  }

  /* Translation, then cosine and sine. */
  const scalar *rate = sweep->rate + i * sweep->length;
  if (translates(body)) x[0] = x[1] = reciprocal(k) * advance_per_unit(body) * rate[2 * k - 2];
  r4 cosine = r4_zero(), sine = cosine; /* row c + 2 begins with order k - 1 */
  for (int m = 0; m < 2 * k; m += 4) {
    cosine -= r4_load(rate + m) * r4_load(s + 2 + m);
    sine += r4_load(rate + m) * r4_load(c + 2 + m);
  }
  scalar f = rotates(body) ? reciprocal(k) : 0;
  r2_store(f * r2_sum_of_halves(cosine), c);
  r2_store(f * r2_sum_of_halves(sine), s);
}

/* Order k of the motions of all joints. */
static inline void extend_joint_motions(const forward_series *sweep, int k) {
  const JN_S(tree) *tree = sweep->J->tree;

  /* Velocities of order k - 1, each twice. */
  for (int i = 0; i < tree->nb && k > 0; i++) {
    const JN_S(body) *body = &tree->body[i];
    scalar *rate = sweep->rate + i * sweep->length + 2 * k - 2;
    scalar v = is_about_z(body) ? body->ratio * sweep->J->v[(k - 1) * tree->nv + body->iv] : 0;
    r4_store(r4_set(v, v, 0, 0), rate);
  }

  /* Then what follows from them. */
  for (int i = 0; i < tree->nb; i++) {
    if (is_about_z(&tree->body[i]))
      extend_z_joint_motion(sweep, i, k);
    else
      extend_joint_motion(sweep->J, i, k);
  }
}

/* Outwards: order k of all twists and momenta. */
static inline void forward_twists(const forward_series *sweep, int k) {
  const jets *J = sweep->J;
  const JN_S(tree) *tree = J->tree;
  twist base = k == 1 && !J->without_weight ? base_acceleration(tree) : t_zero();
  extend_joint_motions(sweep, k);
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];

    /* Ad_{B^-1} V of the parent. */
    r2x3 X = body->parent < 0 ? r2x3_of_twist(base) : series_order(sweep, sweep->V, body->parent, k), V;
    X = placement_outward(body, X);

    /* Through the joint: Ad_{J^-1}, and its own twist. */
    if (is_about_z(body)) {
      if (translates(body)) { /* U.v -= x(t) (z x U.w) */
        r2 x, y;
        translate_series(sweep, sweep->U, i, k, X, &x, &y);
        X.x += angular_in_linear(y);
        X.y -= angular_in_linear(x);
      }
      V = rotate_series(sweep, sweep->U, i, k, X, 1);
      V.z += own_twist(body, body->ratio * J->v[k * tree->nv + body->iv]);
    } else {
      V = r2x3_of_twist(twist_behind_joint(J, i, r2x3_twist(X), k));
    }

    set_series_order(sweep, sweep->V, i, k, V);
    set_momentum_order(sweep, i, k, V);
  }
}

/* Order k of the wrench that accelerates body i, (k+1) H_{k+1} + sum_j V_j x* H_{k-j}: moment w x m + v x f, force w x
 * f. One number further along a row, the force of H stands where its moment does. */
FLAT r2x3 own_wrench_order(const forward_series *sweep, int i, int k) {
  const scalar *x = rising(sweep, sweep->V, i, 0, 0), *y = rising(sweep, sweep->V, i, 1, 0),
               *z = rising(sweep, sweep->V, i, 2, 0);
  const scalar *X = falling(sweep, sweep->H, 3 * i, k), *Y = falling(sweep, sweep->H, 3 * i + 1, k),
               *Z = falling(sweep, sweep->H, 3 * i + 2, k);
  r4 mx = r4_zero(), my = mx, mz = mx, fx = mx, fy = mx, fz = mx;
  for (int j = 0; j <= 2 * k; j += 4) {
    r4 vx = r4_load(x + j), vy = r4_load(y + j), vz = r4_load(z + j);
    r4 hx = r4_load(X + j), hy = r4_load(Y + j), hz = r4_load(Z + j);
    mx += vy * hz - vz * hy;
    my += vz * hx - vx * hz;
    mz += vx * hy - vy * hx;
    hx = r4_load(X + j + 1), hy = r4_load(Y + j + 1), hz = r4_load(Z + j + 1);
    fx += vy * hz - vz * hy;
    fy += vz * hx - vx * hz;
    fz += vx * hy - vy * hx;
  }
  r2 sx = r2_sum_of_halves(mx), sy = r2_sum_of_halves(my), sz = r2_sum_of_halves(mz), gx = r2_sum_of_halves(fx),
     gy = r2_sum_of_halves(fy), gz = r2_sum_of_halves(fz);
  scalar rate = (scalar)(k + 1);
  return (r2x3){rate * r2_load(X - 2) + (r2){sx[0] + sx[1], gx[0]}, rate * r2_load(Y - 2) + (r2){sy[0] + sy[1], gy[0]},
                rate * r2_load(Z - 2) + (r2){sz[0] + sz[1], gz[0]}};
}

/* The coordinate's force from the z components of a wrench: ratio (n.z + advance f.z). */
static inline scalar screw_force(const JN_S(body) * body, r2 z) {
  return body->ratio * ((rotates(body) ? z[0] : 0) + (translates(body) ? advance_per_unit(body) * z[1] : 0));
}

/* Inwards: order k of the wrenches through the joints, and of the forces of the coordinates, tau [nv]. */
static inline void forward_forces(const forward_series *sweep, int k, real *tau) {
  const jets *J = sweep->J;
  const JN_S(tree) *tree = J->tree;
  r2x3 *F = sweep->F;
  for (int r = 0; r < tree->nv; r++) tau[r] = 0;

  /* Wrenches that move the bodies, less the external ones. */
  for (int i = 0; i < tree->nb; i++) {
    F[i] = own_wrench_order(sweep, i, k);
    if (J->W) F[i] = r2x3_add(F[i], r2x3_scale(-1, r2x3_of_wrench(J->W[k * tree->nb + i])));
  }

  /* Through the joints to the parents; tau = S^T F. */
  for (int i = tree->nb - 1; i >= 0; i--) {
    const JN_S(body) *body = &tree->body[i];
    if (!is_about_z(body)) {
      r2x3 X = r2x3_of_wrench(wrench_before_joint(J, i, r2x3_wrench(F[i]), k, tau));
      if (body->parent >= 0) F[body->parent] = r2x3_add(F[body->parent], X);
      continue;
    }
    tau[body->iv] += screw_force(body, F[i].z);
    if (body->parent < 0) continue;
    r2x3 X = rotate_series(sweep, sweep->G, i, k, F[i], 0);
    if (translates(body)) { /* m += x(t) (z x f) */
      r2 x, y;
      translate_series(sweep, sweep->T, i, k, X, &x, &y);
      set_series_order(sweep, sweep->T, i, k, X);
      X.x -= linear_in_angular(y);
      X.y += linear_in_angular(x);
    }
    F[body->parent] = r2x3_add(F[body->parent], placement_inward(body, X));
  }
  add_armatures_and_springs(J, k, tau);
}

/* Velocities of order k + 1 change by dv; the twists of that order follow, through the motions of order 0 alone. */
static inline void forward_change_twists(const forward_series *sweep, int k, const real *dv) {
  const jets *J = sweep->J;
  const JN_S(tree) *tree = J->tree;
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    r2x3 X = body->parent < 0 ? (r2x3){{0}, {0}, {0}} : placement_outward(body, sweep->change[body->parent]), V;
    if (is_about_z(body)) {
      scalar c = *falling(sweep, sweep->c, i, 0), s = *falling(sweep, sweep->s, i, 0),
             x = *falling(sweep, sweep->x, i, 0);
      if (translates(body)) {
        X.x += x * angular_in_linear(X.y);
        X.y -= x * angular_in_linear(X.x);
      }
      add_series_order(sweep, sweep->U, i, k + 1, X);
      V = (r2x3){c * X.x + s * X.y, c * X.y - s * X.x, X.z + own_twist(body, body->ratio * dv[body->iv])};
    } else {
      V = r2x3_of_twist(change_twist_behind_joint(J, i, r2x3_twist(X), k + 1, dv));
    }
    sweep->change[i] = V;
    add_series_order(sweep, sweep->V, i, k + 1, V);
    set_momentum_order(sweep, i, k + 1, series_order(sweep, sweep->V, i, k + 1));
  }
}

/* The wrenches of order k follow: F_k += (k+1) I dV_{k+1}. S^T dF is added to tau [nv] (may be NULL). */
static inline void forward_change_forces(const forward_series *sweep, int k, real *tau) {
  const jets *J = sweep->J;
  const JN_S(tree) *tree = J->tree;
  r2x3 *F = sweep->F;
  for (int i = 0; i < tree->nb; i++)
    F[i] = r2x3_scale((scalar)(k + 1), r2x3_momentum(tree->body[i].inertia, sweep->change[i]));
  for (int i = tree->nb - 1; i >= 0; i--) {
    const JN_S(body) *body = &tree->body[i];
    if (!is_about_z(body)) {
      r2x3 X = r2x3_of_wrench(change_wrench_before_joint(J, i, r2x3_wrench(F[i]), k, tau));
      if (body->parent >= 0) F[body->parent] = r2x3_add(F[body->parent], X);
      continue;
    }
    if (tau) tau[body->iv] += screw_force(body, F[i].z);
    if (body->parent < 0) continue;
    scalar c = *falling(sweep, sweep->c, i, 0), s = *falling(sweep, sweep->s, i, 0),
           x = *falling(sweep, sweep->x, i, 0);
    add_series_order(sweep, sweep->G, i, k, F[i]);
    r2x3 X = {c * F[i].x - s * F[i].y, c * F[i].y + s * F[i].x, F[i].z};
    if (translates(body)) {
      add_series_order(sweep, sweep->T, i, k, X);
      X.x -= x * linear_in_angular(X.y);
      X.y += x * linear_in_angular(X.x);
    }
    F[body->parent] = r2x3_add(F[body->parent], placement_inward(body, X));
  }
}

#endif

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweeps of forward and hybrid dynamics to any order of time (jets.c) for one state with AVX2, an order at a time.
 * A twist or wrench as a series in time is three rows of numbers, x, y and z, in which angular and linear parts take
 * turns: w_0, v_0, w_1, v_1, ... A convolution sum_j a_j b_{k-j} goes along one row and backwards along the other,
 * which is therefore stored by falling order; then four lanes take two orders at once. Joints about z go this way, the
 * others through jets.h. */
#ifndef JN_KERNEL_JETS_FORWARD_DYNAMICS_JET_ONE_H
#define JN_KERNEL_JETS_FORWARD_DYNAMICS_JET_ONE_H

#include "../base/registers.h"
#include "forward_dynamics_jet_any.h"

#if JN_FORWARD_ROWS

/* The angular and the linear part of something. */
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
/* Sum of the two halves. */
static inline r2 r2_of(r4 a) { return (r2){a[0], a[1]} + (r2){a[2], a[3]}; }
/* The angular part in place of the linear one, and the other way round; zero in its own place. */
static inline r2 r2_down(r2 a) { return (r2){0, a[0]}; }
static inline r2 r2_up(r2 a) { return (r2){a[1], 0}; }
static inline r2x3 r2x3_add(r2x3 a, r2x3 b) { return (r2x3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline r2x3 r2x3_scale(scalar s, r2x3 a) { return (r2x3){s * a.x, s * a.y, s * a.z}; }
static inline r2x3 r2x3_cross(const scalar *p, r2x3 a) {
  return (r2x3){p[1] * a.z - p[2] * a.y, p[2] * a.x - p[0] * a.z, p[0] * a.y - p[1] * a.x};
}
static inline r2x3 r2x3_of_twist(twist V) { return (r2x3){{V.w.x, V.v.x}, {V.w.y, V.v.y}, {V.w.z, V.v.z}}; }
static inline r2x3 r2x3_of_wrench(wrench F) { return (r2x3){{F.m.x, F.f.x}, {F.m.y, F.f.y}, {F.m.z, F.f.z}}; }
static inline twist r2x3_twist(r2x3 a) { return (twist){v3(a.x[0], a.y[0], a.z[0]), v3(a.x[1], a.y[1], a.z[1])}; }
static inline wrench r2x3_wrench(r2x3 a) { return (wrench){v3(a.x[0], a.y[0], a.z[0]), v3(a.x[1], a.y[1], a.z[1])}; }

/* I V */
static inline r2x3 r2x3_momentum(const scalar *I, r2x3 V) {
  const scalar m = I[0];
  const r2 sign = {1, -1};
  r2x3 W = {sign * (r2){V.x[1], V.x[0]}, sign * (r2){V.y[1], V.y[0]}, sign * (r2){V.z[1], V.z[0]}}; /* v, -w */
  r2x3 h = r2x3_cross(I + 1, W);
  r2 Jxx = {I[4], m}, Jyy = {I[5], m}, Jzz = {I[6], m}, Jxy = {I[7], 0}, Jxz = {I[8], 0}, Jyz = {I[9], 0};
  return (r2x3){Jxx * V.x + (Jxy * V.y + (Jxz * V.z + h.x)), Jxy * V.x + (Jyy * V.y + (Jyz * V.z + h.y)),
                Jxz * V.x + (Jyz * V.y + (Jzz * V.z + h.z))};
}

/* From the parent body's frame to the one in which the joint of b moves, and wrenches back. */
static inline r2x3 placement_outward(const JN_S(body) * b, r2x3 X) {
  const scalar *R = b->R;
  r2x3 c = r2x3_cross(b->p, (r2x3){r2_down(X.x), r2_down(X.y), r2_down(X.z)});
  r2x3 a = {X.x - c.x, X.y - c.y, X.z - c.z};
  return (r2x3){R[0] * a.x + R[3] * a.y + R[6] * a.z, R[1] * a.x + R[4] * a.y + R[7] * a.z,
                R[2] * a.x + R[5] * a.y + R[8] * a.z};
}
static inline r2x3 placement_inward(const JN_S(body) * b, r2x3 F) {
  const scalar *R = b->R;
  r2x3 X = {R[0] * F.x + R[1] * F.y + R[2] * F.z, R[3] * F.x + R[4] * F.y + R[5] * F.z,
            R[6] * F.x + R[7] * F.y + R[8] * F.z};
  return r2x3_add(X, r2x3_cross(b->p, (r2x3){r2_up(X.x), r2_up(X.y), r2_up(X.z)}));
}

typedef struct forward_rows {
  const jets *J;
  int orders, room;      /* numbers in a row */
  scalar *U, *V, *G, *T; /* [nb][3][room] twists before and behind joints; wrenches before and behind, inwards */
  scalar *H;             /* momenta, by falling order */
  scalar *c, *s, *x;     /* [nb][room] cosine, sine, translation, each number twice, by falling order */
  scalar *rate;          /* [nb][room] velocities, twice */
  r2x3 *F, *change;      /* [nb] of one order */
} forward_rows;

static inline forward_rows forward_rows_place(const jets *J, int orders, real **at) {
  int room = 2 * orders + 6, nb = J->t->nb;
  forward_rows w = {.J = J, .orders = orders, .room = room};
  w.U = take(at, (size_t)(19 * nb * room));
  w.V = w.U + 3 * nb * room;
  w.G = w.V + 3 * nb * room;
  w.T = w.G + 3 * nb * room;
  w.H = w.T + 3 * nb * room;
  w.c = w.H + 3 * nb * room;
  w.s = w.c + nb * room;
  w.x = w.s + nb * room;
  w.rate = w.x + nb * room;
  w.F = TAKE_ALIGNED(at, nb, r2x3);
  w.change = TAKE(at, nb, r2x3);
  return w;
}

/* Row `axis` of body i's series, from order k on. */
static inline scalar *rising(const forward_rows *w, scalar *of, int i, int axis, int k) {
  return of + (3 * i + axis) * w->room + 2 * k;
}
/* The same of a series that is stored by falling order: from order k down. */
static inline scalar *falling(const forward_rows *w, scalar *of, int row, int k) {
  return of + row * w->room + 2 * (w->orders - 1 - k);
}
static inline r2x3 series_get(const forward_rows *w, scalar *of, int i, int k) {
  return (r2x3){r2_load(rising(w, of, i, 0, k)), r2_load(rising(w, of, i, 1, k)), r2_load(rising(w, of, i, 2, k))};
}
/* Stores the highest order. Beyond it, and beyond order 0 of what is stored by falling order, a row has zeros. */
static inline void series_put(const forward_rows *w, scalar *of, int i, int k, r2x3 a) {
  r4_store((r4){a.x[0], a.x[1]}, rising(w, of, i, 0, k));
  r4_store((r4){a.y[0], a.y[1]}, rising(w, of, i, 1, k));
  r4_store((r4){a.z[0], a.z[1]}, rising(w, of, i, 2, k));
}
static inline void series_add(const forward_rows *w, scalar *of, int i, int k, r2x3 a) {
  series_put(w, of, i, k, r2x3_add(series_get(w, of, i, k), a));
}
static inline void momentum_put(const forward_rows *w, int i, int k, r2x3 V) {
  r2x3 a = r2x3_momentum(w->J->t->body[i].inertia, V);
  for (int axis = 0; axis < 3 && k == 0; axis++) r4_store(r4_zero(), falling(w, w->H, 3 * i + axis, 0) + 2);
  r2_store(a.x, falling(w, w->H, 3 * i, k));
  r2_store(a.y, falling(w, w->H, 3 * i + 1, k));
  r2_store(a.z, falling(w, w->H, 3 * i + 2, k));
}

/* Order k of (x, y) turned by the joint of body i, by its angle or (inverse) back; z stays. `now` is order k of what is
 * turned; it is stored afterwards, because a register cannot be loaded from numbers that were stored just before. */
static inline r2x3 turn_series(const forward_rows *w, scalar *of, int i, int k, r2x3 now, int inverse) {
  const scalar *c = falling(w, w->c, i, k), *s = falling(w, w->s, i, k);
  const scalar *x = rising(w, of, i, 0, 0), *y = rising(w, of, i, 1, 0);
  r4 cx = r4_zero(), sx = cx, cy = cx, sy = cx;
  for (int m = 0; m < 2 * k; m += 4) {
    r4 cosine = r4_load(c + m), sine = r4_load(s + m), a = r4_load(x + m), b = r4_load(y + m);
    cx += cosine * a;
    sx += sine * a;
    cy += cosine * b;
    sy += sine * b;
  }
  scalar c0 = c[2 * k], s0 = s[2 * k];
  series_put(w, of, i, k, now);
  if (inverse)
    return (r2x3){r2_of(cx + sy) + (c0 * now.x + s0 * now.y), r2_of(cy - sx) + (c0 * now.y - s0 * now.x), now.z};
  return (r2x3){r2_of(cx - sy) + (c0 * now.x - s0 * now.y), r2_of(cy + sx) + (c0 * now.y + s0 * now.x), now.z};
}

/* Order k of x(t) times (x, y), of which order k is `now`; that is not stored here. */
static inline void slide_series(const forward_rows *w, scalar *of, int i, int k, r2x3 now, r2 *x, r2 *y) {
  const scalar *d = falling(w, w->x, i, k), *a = rising(w, of, i, 0, 0), *b = rising(w, of, i, 1, 0);
  r4 ax = r4_zero(), ay = ax;
  for (int m = 0; m < 2 * k; m += 4) {
    ax += r4_load(d + m) * r4_load(a + m);
    ay += r4_load(d + m) * r4_load(b + m);
  }
  *x = r2_of(ax) + d[2 * k] * now.x;
  *y = r2_of(ay) + d[2 * k] * now.y;
}

static inline scalar advance_of(const JN_S(body) * b) { return b->kind == JN_BODY_PRISMATIC ? 1 : b->pitch; }
static inline int slides(const JN_S(body) * b) { return b->kind != JN_BODY_REVOLUTE; }
static inline int turns(const JN_S(body) * b) { return b->kind != JN_BODY_PRISMATIC; }

/* The joint's own twist. */
static inline r2 own_twist(const JN_S(body) * b, scalar rate) {
  return (r2){turns(b) ? rate : 0, slides(b) ? advance_of(b) * rate : 0};
}

/* Order k of the motion of body i's joint, from the velocities below k: k c_k = -sum_j j x_j s_{k-j} ... */
FLAT void forward_motion(const forward_rows *w, int i, int k) {
  const jets *J = w->J;
  const JN_S(body) *b = &J->t->body[i];
  scalar *c = falling(w, w->c, i, k), *s = falling(w, w->s, i, k), *x = falling(w, w->x, i, k);
  if (k == 0) {
    scalar cosine = turns(b) ? J->turn.c[i] : 1, sine = turns(b) ? J->turn.s[i] : 0;
    for (int m = 0; m < 4; m++) {
      c[m] = m < 2 ? cosine : 0;
      s[m] = m < 2 ? sine : 0;
      x[m] = m < 2 && slides(b) ? advance_of(b) * joint_position(b, J->q) : 0;
    }
    return;
  }
  const scalar *rate = w->rate + i * w->room;
  if (slides(b)) x[0] = x[1] = reciprocal(k) * advance_of(b) * rate[2 * k - 2];
  r4 cosine = r4_zero(), sine = cosine; /* row c + 2 begins with order k - 1 */
  for (int m = 0; m < 2 * k; m += 4) {
    cosine -= r4_load(rate + m) * r4_load(s + 2 + m);
    sine += r4_load(rate + m) * r4_load(c + 2 + m);
  }
  scalar f = turns(b) ? reciprocal(k) : 0;
  r2_store(f * r2_of(cosine), c);
  r2_store(f * r2_of(sine), s);
}

static inline void forward_motions(const forward_rows *w, int k) {
  const JN_S(tree) *t = w->J->t;
  for (int i = 0; i < t->nb && k > 0; i++) {
    const JN_S(body) *b = &t->body[i];
    scalar *rate = w->rate + i * w->room + 2 * k - 2;
    scalar v = is_about_z(b) ? b->ratio * w->J->v[(k - 1) * t->nv + b->iv] : 0;
    r4_store(r4_set(v, v, 0, 0), rate);
  }
  for (int i = 0; i < t->nb; i++) {
    if (is_about_z(&t->body[i]))
      forward_motion(w, i, k);
    else
      motion_order(w->J, i, k);
  }
}

/* Order k of all twists and momenta. */
static inline void forward_twists(const forward_rows *w, int k) {
  const jets *J = w->J;
  const JN_S(tree) *t = J->t;
  twist base = k == 1 && !J->weightless ? base_acceleration(t) : t_zero();
  forward_motions(w, k);
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    r2x3 X = b->parent < 0 ? r2x3_of_twist(base) : series_get(w, w->V, b->parent, k), V;
    X = placement_outward(b, X);
    if (is_about_z(b)) {
      if (slides(b)) { /* U.v -= x(t) (z x U.w) */
        r2 x, y;
        slide_series(w, w->U, i, k, X, &x, &y);
        X.x += r2_down(y);
        X.y -= r2_down(x);
      }
      V = turn_series(w, w->U, i, k, X, 1);
      V.z += own_twist(b, b->ratio * J->v[k * t->nv + b->iv]);
    } else {
      V = r2x3_of_twist(joint_outward(J, i, r2x3_twist(X), k));
    }
    series_put(w, w->V, i, k, V);
    momentum_put(w, i, k, V);
  }
}

/* Order k of the wrench that accelerates body i: (k+1) H_{k+1} + sum_j V_j x* H_{k-j}: moment w x m + v x f, force w x
 * f. One number further along a row, the force of H stands where its moment does. */
FLAT r2x3 forward_wrench(const forward_rows *w, int i, int k) {
  const scalar *x = rising(w, w->V, i, 0, 0), *y = rising(w, w->V, i, 1, 0), *z = rising(w, w->V, i, 2, 0);
  const scalar *X = falling(w, w->H, 3 * i, k), *Y = falling(w, w->H, 3 * i + 1, k),
               *Z = falling(w, w->H, 3 * i + 2, k);
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
  r2 sx = r2_of(mx), sy = r2_of(my), sz = r2_of(mz), gx = r2_of(fx), gy = r2_of(fy), gz = r2_of(fz);
  scalar rate = (scalar)(k + 1);
  return (r2x3){rate * r2_load(X - 2) + (r2){sx[0] + sx[1], gx[0]}, rate * r2_load(Y - 2) + (r2){sy[0] + sy[1], gy[0]},
                rate * r2_load(Z - 2) + (r2){sz[0] + sz[1], gz[0]}};
}

static inline scalar own_force(const JN_S(body) * b, r2 z) {
  return b->ratio * ((turns(b) ? z[0] : 0) + (slides(b) ? advance_of(b) * z[1] : 0));
}

/* Order k of the forces of the coordinates, tau [nv], and of the wrenches through the joints. */
static inline void forward_forces(const forward_rows *w, int k, real *tau) {
  const jets *J = w->J;
  const JN_S(tree) *t = J->t;
  r2x3 *F = w->F;
  for (int r = 0; r < t->nv; r++) tau[r] = 0;
  for (int i = 0; i < t->nb; i++) {
    F[i] = forward_wrench(w, i, k);
    if (J->W) F[i] = r2x3_add(F[i], r2x3_scale(-1, r2x3_of_wrench(J->W[k * t->nb + i])));
  }
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    if (!is_about_z(b)) {
      r2x3 X = r2x3_of_wrench(joint_inward(J, i, r2x3_wrench(F[i]), k, tau));
      if (b->parent >= 0) F[b->parent] = r2x3_add(F[b->parent], X);
      continue;
    }
    tau[b->iv] += own_force(b, F[i].z);
    if (b->parent < 0) continue;
    r2x3 X = turn_series(w, w->G, i, k, F[i], 0);
    if (slides(b)) { /* m += x(t) (z x f) */
      r2 x, y;
      slide_series(w, w->T, i, k, X, &x, &y);
      series_put(w, w->T, i, k, X);
      X.x -= r2_up(y);
      X.y += r2_up(x);
    }
    F[b->parent] = r2x3_add(F[b->parent], placement_inward(b, X));
  }
  add_rotors_and_springs(J, k, tau);
}

/* Velocities of order k + 1 change by dv, and twists with them, through the motions of order 0 alone: */
static inline void forward_change_twists(const forward_rows *w, int k, const real *dv) {
  const jets *J = w->J;
  const JN_S(tree) *t = J->t;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    r2x3 X = b->parent < 0 ? (r2x3){{0}, {0}, {0}} : placement_outward(b, w->change[b->parent]), V;
    if (is_about_z(b)) {
      scalar c = *falling(w, w->c, i, 0), s = *falling(w, w->s, i, 0), x = *falling(w, w->x, i, 0);
      if (slides(b)) {
        X.x += x * r2_down(X.y);
        X.y -= x * r2_down(X.x);
      }
      series_add(w, w->U, i, k + 1, X);
      V = (r2x3){c * X.x + s * X.y, c * X.y - s * X.x, X.z + own_twist(b, b->ratio * dv[b->iv])};
    } else {
      V = r2x3_of_twist(joint_change_outward(J, i, r2x3_twist(X), k + 1, dv));
    }
    w->change[i] = V;
    series_add(w, w->V, i, k + 1, V);
    momentum_put(w, i, k + 1, series_get(w, w->V, i, k + 1));
  }
}

/* and wrenches of order k. tau [nv] (may be NULL) gets what the joints feel added. */
static inline void forward_change_forces(const forward_rows *w, int k, real *tau) {
  const jets *J = w->J;
  const JN_S(tree) *t = J->t;
  r2x3 *F = w->F;
  for (int i = 0; i < t->nb; i++) F[i] = r2x3_scale((scalar)(k + 1), r2x3_momentum(t->body[i].inertia, w->change[i]));
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    if (!is_about_z(b)) {
      r2x3 X = r2x3_of_wrench(joint_change_inward(J, i, r2x3_wrench(F[i]), k, tau));
      if (b->parent >= 0) F[b->parent] = r2x3_add(F[b->parent], X);
      continue;
    }
    if (tau) tau[b->iv] += own_force(b, F[i].z);
    if (b->parent < 0) continue;
    scalar c = *falling(w, w->c, i, 0), s = *falling(w, w->s, i, 0), x = *falling(w, w->x, i, 0);
    series_add(w, w->G, i, k, F[i]);
    r2x3 X = {c * F[i].x - s * F[i].y, c * F[i].y + s * F[i].x, F[i].z};
    if (slides(b)) {
      series_add(w, w->T, i, k, X);
      X.x -= x * r2_up(X.y);
      X.y += x * r2_up(X.x);
    }
    F[b->parent] = r2x3_add(F[b->parent], placement_inward(b, X));
  }
}

#endif

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions between frames at one state, from screws S of joints in the world's axes about one point, each with the
 * twist V and the acceleration A of what comes before it (x: product of twists, x*: of a twist and a wrench):
 *
 *   T = V x S,   N = A x S + V x T,   T_v = V' x S with V' the twist behind the joint
 *
 * A condition is a wrench W on b, -W on a, and two more, Y and Z. With V_a, V_b, A_a, A_b of its ends, and what an
 * observer sees who moves with a, V_ab = V_b - V_a and A_ab = A_b - A_a - V_a x V_b,
 *
 *   phi' = W . V_ab,   phi'' = W . A_ab + Y . V_ab / 2
 *
 * A screw that moves b but not a (a but not b: the opposite) has
 *
 *   d phi'/dv  = W . S
 *   d phi''/dv = W . (T + T_v) + Y'' . S,        Y' = Y + V_a x* W,   Y'' = Y' + V_b x* W
 *   d phi''/dq = W . N + Y'' . T + Z'' . S,      Z'' = Z + A_b x* W + V_b x* Y'
 *
 * which is d phi''/dq = W . dA/dq + Y . dV/dq + Z . S for the chain of screws from a to b. About the origin p of b's
 * closing frame, with V_ab = (w, u) and A_ab = (w', u'): for a force f (f = factor alpha)
 *
 *   W = (0, f),   Y = (u x f, f x w),   Z = (0, w x (w x f) - w' x f)
 *
 * of a distance d moreover, with f = p / d,
 *
 *   Y += (0, 2 u / d),   Z += (0, (2 u x w + u' + w x u) / d)
 *
 * and for directions alpha, beta
 *
 *   W = (beta x alpha, 0),   Y = (alpha (beta . w) + beta (alpha . w) - 2 (alpha . beta) w, 0),
 *   Z = (beta x (w x (w x alpha) - w' x alpha), 0)
 *
 * Everything is in the axes of the world. Compiled twice (wide.h): screws stand side by side, so that one step computes
 * JN_WIDE of them. */
#include <math.h>

#include "../dense/vectors.h"
#include "wide.h"

enum { SCREW_S = 0, SCREW_T = 6, SCREW_N = 12, SCREW_T2 = 18 }; /* rows of state->chain */

static inline double dot6(const double *a, const double *b) { return dot3(a, b) + dot3(a + 3, b + 3); }
/* a x b of twists. */
static inline void bracket(const double *a, const double *b, double *out) {
  double x[3], y[3];
  cross3(a, b, out);
  cross3(a, b + 3, x);
  cross3(a + 3, b, y);
  for (int e = 0; e < 3; e++) out[3 + e] = x[e] + y[e];
}
/* out += V x* W. */
static inline void add_star(const double *V, const double *W, double *out) {
  double x[3], y[3], z[3];
  cross3(V, W, x);
  cross3(V + 3, W + 3, y);
  cross3(V, W + 3, z);
  for (int e = 0; e < 3; e++) {
    out[e] += x[e] + y[e];
    out[3 + e] += z[e];
  }
}

/* ---- screws ---- */

/* Screw i of those used, in the world's axes about `about`. */
static inline void place_screw(const loop_structure *loops, loop_state *state, int i, const double *q,
                               const double *about, double *S) {
  const loop_screw *s = &loops->screw[loops->used[i]];
  double *own = state->screws + 6 * loops->used[i];
  if (!s->constant && loops->used[i] == loops->first_screw[s->link]) jn__loops_joint_screws(s, q, own);
  const double *P = state->poses + 16 * s->link, arm[3] = {P[3] - about[0], P[7] - about[1], P[11] - about[2]};
  double moved[3];
  turn3(P, own, S);
  turn3(P, own + 3, S + 3);
  cross3(arm, S, moved);
  for (int e = 0; e < 3; e++) S[3 + e] += moved[e];
}

/* S and T of all screws, and twist and acceleration behind each into state->behind; a NULL: zero. */
static void move_screws(const loop_structure *loops, loop_state *state, const double *q, const double *v,
                        const double *a) {
  const int stride = loops->chain_stride;
  const double *P = loops->used_count > 0 ? state->poses + 16 * loops->screw[loops->used[0]].link : NULL;
  for (int e = 0; e < 3 && P; e++) state->about[e] = P[4 * e + 3];
  const double about[3] = {state->about[0], state->about[1], state->about[2]};
  for (int i = 0; i < loops->used_count; i++) {
    int k = loops->screw[loops->used[i]].coordinate;
    /* behind the screw before, and before the joint */
    const double *last = state->behind + 12 * loops->links[i].last, *V = state->behind + 12 * loops->links[i].before;
    double *next = state->behind + 12 * (i + 1), *to = state->chain + i, S[6], T[6], rate = v[k], more = a ? a[k] : 0;
    place_screw(loops, state, i, q, about, S);
    bracket(V, S, T);
    for (int e = 0; e < 6; e++) {
      next[e] = last[e] + S[e] * rate;
      next[6 + e] = last[6 + e] + S[e] * more + T[e] * rate;
      to[(SCREW_S + e) * stride] = S[e];
      to[(SCREW_T + e) * stride] = T[e];
    }
  }
}

/* The same screws with other accelerations. */
void CODE(pairs_accelerate)(const loop_structure *loops, loop_state *state, const double *v, const double *a) {
  const int stride = loops->chain_stride;
  for (int i = 0; i < loops->used_count; i++) {
    int k = loops->screw[loops->used[i]].coordinate;
    const double *last = state->behind + 12 * loops->links[i].last + 6, *at = state->chain + i;
    double *next = state->behind + 12 * (i + 1) + 6;
    for (int e = 0; e < 6; e++)
      next[e] = last[e] + at[(SCREW_S + e) * stride] * a[k] + at[(SCREW_T + e) * stride] * v[k];
  }
}

/* ---- rows ---- */

/* b as a's observer sees it, about the origin of its closing frame, p from a's closing frame to there. */
typedef struct view {
  double p[3], V[6], A[6];
} view;

/* From the screws' point to the origin of b's closing frame. */
static inline void lever(const loop_state *state, const loop_ends *at, double *r) {
  for (int e = 0; e < 3; e++) r[e] = at->P_b[4 * e + 3] - state->about[e];
}

static inline void move_twist(const double *r, double *V) {
  double x[3];
  cross3(V, r, x);
  for (int e = 0; e < 3; e++) V[3 + e] += x[e];
}

static view view_of(const loop_state *state, const loop_pair *c, const loop_ends *at) {
  const double *a = state->behind + 12 * c->end_a, *b = state->behind + 12 * c->end_b;
  double r[3], moved[6];
  view x;
  lever(state, at, r);
  bracket(a, b, moved);
  for (int e = 0; e < 3; e++) x.p[e] = at->P_b[4 * e + 3] - at->P_a[4 * e + 3];
  for (int e = 0; e < 6; e++) {
    x.V[e] = b[e] - a[e];
    x.A[e] = b[6 + e] - a[6 + e] - moved[e];
  }
  move_twist(r, x.V);
  move_twist(r, x.A);
  return x;
}

/* factor alpha and beta in the world's axes; alpha is p / d of a distance. */
static inline void term_vectors(const loop_ends *at, const loop_term *t, const view *x, double *alpha, double *beta) {
  turn3(at->P_a, t->alpha, alpha);
  for (int e = 0; e < 3; e++) alpha[e] = t->kind == TERM_DISTANCE ? x->p[e] / t->factor : t->factor * alpha[e];
  if (t->kind == TERM_DIRECTION) turn3(at->P_b, t->beta, beta);
}

/* Adds a term's W and Y; returns its part of phi. */
static double add_term(const loop_ends *at, const loop_term *t, const view *x, double *W, double *Y) {
  const double *w = x->V, *u = x->V + 3;
  double alpha[3], beta[3], y[3], z[3];
  term_vectors(at, t, x, alpha, beta);
  if (t->kind == TERM_DIRECTION) {
    double wa = dot3(alpha, w), wb = dot3(beta, w), ab = dot3(alpha, beta);
    cross3(beta, alpha, y);
    for (int e = 0; e < 3; e++) {
      W[e] += y[e];
      Y[e] += alpha[e] * wb + beta[e] * wa - 2 * ab * w[e];
    }
    return ab;
  }
  cross3(u, alpha, y);
  cross3(alpha, w, z);
  for (int e = 0; e < 3; e++) {
    W[3 + e] += alpha[e];
    Y[e] += y[e];
    Y[3 + e] += z[e] + (t->kind == TERM_DISTANCE ? 2 * u[e] / t->factor : 0);
  }
  return t->kind == TERM_DISTANCE ? (dot3(alpha, x->p) - t->factor) / 2 : dot3(alpha, x->p);
}

static void rows_of(const loop_structure *loops, loop_state *state, const loop_pair *c, const loop_ends *at) {
  const view x = view_of(state, c, at);
  for (int r = c->first; r < c->first + c->rows; r++) {
    double *W = state->W + 6 * r, *Y = state->Y + 6 * r, phi = 0;
    memset(W, 0, 6 * sizeof *W);
    memset(Y, 0, 6 * sizeof *Y);
    for (int e = 0; e < loops->row[r].terms; e++) phi += add_term(at, &loops->row[r].term[e], &x, W, Y);
    state->rates[r] = phi;
    state->rates[loops->m + r] = dot6(W, x.V);
    state->rates[2 * loops->m + r] = dot6(W, x.A) + 0.5 * dot6(Y, x.V);
  }
}

void CODE(pairs_move)(const loop_structure *loops, loop_state *state, const double *q, const double *v,
                      const double *a) {
  move_screws(loops, state, q, v, a);
  for (int i = 0; i < loops->count; i++) {
    const loop_pair *c = &loops->pair[i];
    loop_ends *at = &state->ends[i];
    if (loops->row[c->first].terms == 0) continue; /* a coupling */
    jn__closing_pose(state, c->a, c->T_a, at->P_a);
    jn__closing_pose(state, c->b, c->T_b, at->P_b);
    rows_of(loops, state, c, at);
  }
}

/* ---- A ---- */

/* A wrench about the screws' point. */
static inline void move_wrench(const double *r, const double *W, double *out) {
  cross3(r, W + 3, out);
  for (int e = 0; e < 3; e++) {
    out[e] += W[e];
    out[3 + e] = W[3 + e];
  }
}

/* Sums over six rows of numbers of screws. */
static inline wide product(const double *W, const double *S, int stride) {
  return W[0] * load(S) + W[1] * load(S + stride) + W[2] * load(S + 2 * stride) + W[3] * load(S + 3 * stride) +
         W[4] * load(S + 4 * stride) + W[5] * load(S + 5 * stride);
}

/* Adds the first `count` numbers, with a sign; numbers behind are read and written as they are. */
static inline void spread(int count, double sign, wide x, double *to) {
  store(to, load(to) + first_of(sign * x, count));
}

void CODE(pairs_jacobian)(const loop_structure *loops, loop_state *state) {
  for (int i = 0; i < loops->count; i++) {
    const loop_pair *c = &loops->pair[i];
    double r[3], W[6];
    lever(state, &state->ends[i], r);
    for (int row = c->first; row < c->first + c->rows && c->runs > 0; row++) {
      double *A = state->A + row * loops->nv;
      move_wrench(r, state->W + 6 * row, W);
      for (int k = 0; k < c->runs; k++) {
        const loop_arm *run = &c->run[k];
        for (int j = 0; j < run->count; j += JN_WIDE)
          spread(run->count - j, run->sign, product(W, state->chain + run->screw + j, loops->chain_stride),
                 A + run->coordinate + j);
      }
    }
  }
}

/* ---- derivatives ---- */

/* Z of a row. */
static void find_Z(const loop_ends *at, const loop_row *row, const view *x, double *Z) {
  const double *w = x->V, *u = x->V + 3, *dw = x->A;
  memset(Z, 0, 6 * sizeof *Z);
  for (int k = 0; k < row->terms; k++) {
    const loop_term *t = &row->term[k];
    double alpha[3], beta[3], wa[3], wwa[3], da[3], turned[3], uw[3], wu[3];
    term_vectors(at, t, x, alpha, beta);
    cross3(w, alpha, wa);
    cross3(w, wa, wwa);
    cross3(dw, alpha, da);
    for (int e = 0; e < 3; e++) turned[e] = wwa[e] - da[e];
    if (t->kind == TERM_DIRECTION) {
      double z[3];
      cross3(beta, turned, z);
      for (int e = 0; e < 3; e++) Z[e] += z[e];
      continue;
    }
    for (int e = 0; e < 3; e++) Z[3 + e] += turned[e];
    if (t->kind != TERM_DISTANCE) continue;
    cross3(u, w, uw);
    cross3(w, u, wu);
    for (int e = 0; e < 3; e++) Z[3 + e] += (2 * uw[e] + x->A[3 + e] + wu[e]) / t->factor;
  }
}

/* Six numbers of each of some screws. */
typedef struct wide6 {
  wide3 w, u;
} wide6;

static inline wide6 load6(const double *x, int stride) {
  return (wide6){load3(x, stride), load3(x + 3 * stride, stride)};
}
static inline void store3(double *to, int stride, wide3 a) {
  store(to, a.x);
  store(to + stride, a.y);
  store(to + 2 * stride, a.z);
}
static inline wide6 bracket6(wide6 a, wide6 b) {
  return (wide6){cross_wide(a.w, b.w), add3(cross_wide(a.w, b.u), cross_wide(a.u, b.w))};
}
static inline wide product6(const double *W, wide6 a) {
  return W[0] * a.w.x + W[1] * a.w.y + W[2] * a.w.z + W[3] * a.u.x + W[4] * a.u.y + W[5] * a.u.z;
}

/* Twists or accelerations before screws i, i + 1, ... */
static inline wide6 before_screws(const loop_structure *loops, const loop_state *state, int i, int which) {
  double x[6][JN_WIDE];
  for (int k = 0; k < JN_WIDE; k++) {
    const double *from = state->behind + 12 * (i + k < loops->used_count ? loops->links[i + k].before : 0) + which;
    for (int e = 0; e < 6; e++) x[e][k] = from[e];
  }
  return load6(x[0], JN_WIDE);
}

/* N and T + T_v of all screws. */
static void move_screws_on(const loop_structure *loops, loop_state *state) {
  const int stride = loops->chain_stride;
  for (int i = 0; i < loops->used_count; i += JN_WIDE) {
    double *at = state->chain + i;
    wide6 S = load6(at, stride), T = load6(at + SCREW_T * stride, stride);
    wide6 N = bracket6(before_screws(loops, state, i, 6), S), more = bracket6(before_screws(loops, state, i, 0), T);
    store3(at + SCREW_N * stride, stride, add3(N.w, more.w));
    store3(at + (SCREW_N + 3) * stride, stride, add3(N.u, more.u));
    store3(at + SCREW_T2 * stride, stride, add3(T.w, T.w));
    store3(at + (SCREW_T2 + 3) * stride, stride, add3(T.u, T.u));
  }
  for (int i = 0; i < loops->used_count; i++) {
    double S[6], T[6];
    if (!loops->links[i].group) continue;
    for (int e = 0; e < 6; e++) S[e] = state->chain[e * stride + i];
    bracket(state->behind + 12 * loops->links[i].after, S, T);
    for (int e = 0; e < 6; e++)
      state->chain[(SCREW_T2 + e) * stride + i] = state->chain[(SCREW_T + e) * stride + i] + T[e];
  }
}

/* How the wrench F = (m, f) on b, -F on a, changes beside staying fixed in these links, about p, by a screw S = (w, u):
 * D with b held, E with a held.
 *   D = (u x f + C w, k u),   E = D - S x* F
 *   C = sum lambda (beta alpha^T - (alpha . beta) 1) over directions,   k = sum lambda / d over distances */
typedef struct wrench_change {
  double F[6], C[9], k;
} wrench_change;

static wrench_change change_of_wrench(const loop_structure *loops, const loop_state *state, const loop_pair *c,
                                      const loop_ends *at, const view *x, const double *lambda) {
  wrench_change y = {0};
  for (int r = c->first; r < c->first + c->rows; r++) {
    for (int e = 0; e < 6; e++) y.F[e] += lambda[r] * state->W[6 * r + e];
    for (int k = 0; k < loops->row[r].terms; k++) {
      const loop_term *t = &loops->row[r].term[k];
      double alpha[3], beta[3];
      if (t->kind == TERM_DISTANCE) y.k += lambda[r] / t->factor;
      if (t->kind != TERM_DIRECTION) continue;
      term_vectors(at, t, x, alpha, beta);
      double ab = dot3(alpha, beta);
      for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) y.C[3 * i + j] += lambda[r] * beta[i] * alpha[j];
        y.C[4 * i] -= lambda[r] * ab;
      }
    }
  }
  return y;
}

static inline wide3 scale3(double a, wide3 b) { return (wide3){a * b.x, a * b.y, a * b.z}; }

/* All screws of a pair about p, with the opposite sign, into linear->opposite. */
static void turn_round(const loop_structure *loops, const loop_state *state, loop_linearisation *linear,
                       const loop_pair *c, const double *r) {
  for (int k = 0; k < c->runs + c->shared_count; k++) {
    int first = k < c->runs ? c->run[k].screw : c->shared[k - c->runs], count = k < c->runs ? c->run[k].count : 1;
    for (int i = first; i < first + count; i++) {
      double *out = linear->opposite + 6 * i;
      for (int e = 0; e < 6; e++) out[e] = -state->chain[e * loops->chain_stride + i];
      move_twist(r, out);
    }
  }
}

/* How the wrench changes by screws j, j + 1, ... of a run. */
typedef struct wide_change {
  wide6 D, E;
} wide_change;

static inline wide_change change_by(const loop_structure *loops, const loop_state *state, const wrench_change *y,
                                    const double *r, const loop_arm *run, int j) {
  wide6 S = load6(state->chain + run->screw + j, loops->chain_stride);
  S.u = add3(S.u, cross_wide(S.w, all3(r)));
  const wide3 m = all3(y->F), f = all3(y->F + 3);
  const double *C = y->C;
  const wide3 Cw = {C[0] * S.w.x + C[1] * S.w.y + C[2] * S.w.z, C[3] * S.w.x + C[4] * S.w.y + C[5] * S.w.z,
                    C[6] * S.w.x + C[7] * S.w.y + C[8] * S.w.z};
  const wide3 ku = scale3(y->k, S.u);
  return (wide_change){{add3(cross_wide(S.u, f), Cw), ku},
                       {sub3(Cw, cross_wide(S.w, m)), sub3(ku, cross_wide(S.w, f))}};
}

/* G_q -= d (A^T lambda)/dq beside what wrenches fixed in links do, by screws j, j + 1, ... of a run. */
static inline void add_forces(const loop_structure *loops, loop_linearisation *linear, const loop_pair *c,
                              const wide_change *x, const loop_arm *run, int j) {
  const wide6 both = {sub3(x->E.w, x->D.w), sub3(x->E.u, x->D.u)};
  double *G = linear->G_q + run->coordinate + j;
  int left = run->count - j, n = loops->nv;
  for (int k = 0; k < c->runs; k++) {
    const wide6 how = c->run[k].sign > 0 ? x->E : x->D;
    const double sign = run->sign * c->run[k].sign, *S = linear->opposite + 6 * c->run[k].screw;
    for (int i = 0; i < c->run[k].count; i++)
      spread(left, sign, product6(S + 6 * i, how), G + (c->run[k].coordinate + i) * n);
  }
  for (int i = 0; i < c->shared_count; i++)
    spread(left, run->sign, product6(linear->opposite + 6 * c->shared[i], both),
           G + loops->screw[loops->used[c->shared[i]]].coordinate * n);
}

/* W, Y'', Z'' of a row, about the screws' point. */
typedef struct row_wrenches {
  double W[6], Y[6], Z[6];
} row_wrenches;

static inline row_wrenches wrenches_of(const loop_structure *loops, const loop_state *state, const loop_pair *c,
                                       const loop_ends *at, int row, const view *x, const double *r) {
  const double *V_a = state->behind + 12 * c->end_a, *V_b = state->behind + 12 * c->end_b, *A_b = V_b + 6;
  double Z[6];
  row_wrenches y;
  find_Z(at, &loops->row[row], x, Z);
  move_wrench(r, state->W + 6 * row, y.W);
  move_wrench(r, state->Y + 6 * row, y.Y);
  move_wrench(r, Z, y.Z);
  add_star(V_a, y.W, y.Y);
  add_star(A_b, y.W, y.Z);
  add_star(V_b, y.Y, y.Z);
  add_star(V_b, y.W, y.Y);
  return y;
}

static void linearise_pair(const loop_structure *loops, loop_state *state, loop_linearisation *linear,
                           const loop_pair *c, const loop_ends *at, const double *lambda) {
  const view x = view_of(state, c, at);
  const int stride = loops->chain_stride;
  double r[3];
  lever(state, at, r);
  for (int row = c->first; row < c->first + c->rows; row++) {
    const row_wrenches y = wrenches_of(loops, state, c, at, row, &x, r);
    double *by_q = linear->g_q + row * loops->nv, *by_v = linear->g_v + row * loops->nv;
    for (int k = 0; k < c->runs; k++) {
      const loop_arm *run = &c->run[k];
      for (int j = 0; j < run->count; j += JN_WIDE) {
        const double *screws = state->chain + run->screw + j;
        wide q = product(y.W, screws + SCREW_N * stride, stride) + product(y.Y, screws + SCREW_T * stride, stride) +
                 product(y.Z, screws, stride);
        wide v = product(y.W, screws + SCREW_T2 * stride, stride) + product(y.Y, screws, stride);
        spread(run->count - j, run->sign, q, by_q + run->coordinate + j);
        spread(run->count - j, run->sign, v, by_v + run->coordinate + j);
      }
    }
  }
  if (!lambda) return;
  const wrench_change y = change_of_wrench(loops, state, c, at, &x, lambda);
  turn_round(loops, state, linear, c, r);
  for (int k = 0; k < c->runs; k++)
    for (int j = 0; j < c->run[k].count; j += JN_WIDE) {
      const wide_change change = change_by(loops, state, &y, r, &c->run[k], j);
      add_forces(loops, linear, c, &change, &c->run[k], j);
    }
}

void CODE(pairs_linearise)(const loop_structure *loops, loop_state *state, loop_linearisation *linear,
                           const double *lambda) {
  size_t row = sizeof(double) * (size_t)loops->nv;
  memset(linear->g_q, 0, row * (size_t)loops->first_user);
  memset(linear->g_v, 0, row * (size_t)loops->first_user);
  move_screws_on(loops, state);
  for (int i = 0; i < loops->count; i++)
    if (loops->row[loops->pair[i].first].terms > 0)
      linearise_pair(loops, state, linear, &loops->pair[i], &state->ends[i], lambda); /* else a coupling */
}

#if JN_WIDE == 4
const loop_code jn__loop_code_avx2 = {
#else
const loop_code jn__loop_code_any = {
#endif
    CODE(pairs_move),     CODE(pairs_accelerate),  CODE(pairs_jacobian), CODE(pairs_linearise),
    CODE(factor_inertia), CODE(factor_conditions), CODE(solve_one),      CODE(solve_columns)};

/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions between frames at one state, as an observer sees them who moves with a: the screws that lead from a to b,
 * sigma_1 ... sigma_N, are a chain that moves b. In the world's axes, about the origin of b's closing frame, with x the
 * product of twists, V_< and A_< twist and acceleration of what comes before a screw, V and A those of b:
 *   V = sum sigma v,     A = sum sigma a + (V_< x sigma) v
 *   d V/dq = sigma x (V - V_<),     d A/dq = sigma x (A - A_<) + (V_< x sigma) x (V - V_<)
 *   d V/dv = sigma,                 d A/dv = V_< x sigma + sigma x (V - V_<)
 * (of a joint that is a group, all screws have the same V_<). A condition is a wrench W with phi' = W . V, and
 *   phi'' = W . A + Y . V / 2,     d phi''/dq = W . dA/dq + Y . dV/dq + Z . sigma,     d phi''/dv = W . dA/dv + Y .
 * sigma with, for a force f (f = factor alpha; of a distance d: f = p / d, and the second line besides) and for
 * directions, W = (0, f),  Y = (u x f, f x w),  Z = (0, f x w' + (f x w) x w)          V = (w, u), A = (w', u') Y +=
 * (0, 2 u / d),   Z += (0, (2 u x w + u' + w x u) / d) W = (beta x alpha, 0),  Y = (alpha (beta . w) + beta (alpha . w)
 * - 2 (alpha . beta) w, 0) Z = (beta x (w x (w x alpha) - w' x alpha), 0) Compiled twice (wide.h): screws stand side by
 * side. */
#include <math.h>

#include "wide.h"

enum { SIGMA = 0, BEFORE_V = 6, BEFORE_A = 12 }; /* rows of loop_pair.chain */

static inline double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline void cross(const double *a, const double *b, double *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}
static inline void turn(const double *T, const double *x, double *out) {
  for (int i = 0; i < 3; i++) out[i] = T[4 * i] * x[0] + T[4 * i + 1] * x[1] + T[4 * i + 2] * x[2];
}

/* ---- the chain ---- */

/* Screws of joints in the world's axes, each about the origin of its link. */
static void turn_screws(jn_loops *l, const double *q) {
  for (int i = 0; i < l->used_count; i++) {
    loop_screw *s = &l->screw[l->used[i]];
    if (!s->constant && l->used[i] == l->first_screw[s->link]) jn__loops_joint_screws(s, q);
    const double *T = l->poses + 16 * s->link;
    turn(T, s->S, s->turned);
    turn(T, s->S + 3, s->turned + 3);
  }
}

/* The screw about p. */
static inline void screw_about(const jn_loops *l, int screw, const double *p, double *out) {
  const loop_screw *s = &l->screw[screw];
  const double *T = l->poses + 16 * s->link, arm[3] = {p[0] - T[3], p[1] - T[7], p[2] - T[11]};
  double moved[3];
  cross(s->turned, arm, moved);
  for (int e = 0; e < 3; e++) {
    out[e] = s->turned[e];
    out[3 + e] = s->turned[3 + e] + moved[e];
  }
}

static void place_chain(const jn_loops *l, const loop_pair *c) {
  const double p[3] = {c->P_b[3], c->P_b[7], c->P_b[11]};
  for (int j = 0; j < c->arms; j++) {
    double S[6];
    screw_about(l, c->arm[j].screw, p, S);
    for (int e = 0; e < 6; e++) c->chain[e * c->room + j] = c->arm[j].sign * S[e];
  }
}

/* V_< and A_< of all screws, and V and A behind the last; a NULL: zero. */
static void move_chain(const loop_pair *c, const double *v, const double *a) {
  const int room = c->room;
  const double *S = c->chain;
  double *V = c->chain + BEFORE_V * room, *A = c->chain + BEFORE_A * room, x[6] = {0}, y[6] = {0};
  for (int j = 0; j < c->arms; j++) {
    double rate = v[c->arm[j].coordinate];
    for (int e = 0; e < 6; e++) {
      V[e * room + j] = x[e];
      x[e] += S[e * room + j] * rate;
    }
  }
  for (int e = 0; e < 6; e++) V[e * room + c->arms] = x[e];
  for (int j = 0; j < c->arms; j++) {
    int at = c->arm[j].before, k = c->arm[j].coordinate;
    double w[3], u[3], s[3], t[3], turned[3], moved[3], carried[3], rate = v[k], more = a ? a[k] : 0;
    for (int e = 0; e < 3; e++) {
      w[e] = V[e * room + at], u[e] = V[(3 + e) * room + at];
      s[e] = S[e * room + j], t[e] = S[(3 + e) * room + j];
    }
    cross(w, s, turned);
    cross(w, t, moved);
    cross(u, s, carried);
    for (int e = 0; e < 3; e++) {
      A[e * room + j] = y[e];
      A[(3 + e) * room + j] = y[3 + e];
      y[e] += s[e] * more + turned[e] * rate;
      y[3 + e] += t[e] * more + (moved[e] + carried[e]) * rate;
    }
  }
  for (int e = 0; e < 6; e++) A[e * room + c->arms] = y[e];
}

/* ---- rows ---- */

/* What rows are made of: b as the observer sees it, p from a's closing frame to b's. */
typedef struct view {
  double p[3], V[6], A[6];
} view;

static view view_of(const loop_pair *c) {
  view x;
  for (int e = 0; e < 3; e++) x.p[e] = c->P_b[4 * e + 3] - c->P_a[4 * e + 3];
  for (int e = 0; e < 6; e++) {
    x.V[e] = c->chain[(BEFORE_V + e) * c->room + c->arms];
    x.A[e] = c->chain[(BEFORE_A + e) * c->room + c->arms];
  }
  return x;
}

/* factor alpha and beta in the world's axes; alpha is p / d of a distance. */
static inline void term_vectors(const loop_pair *c, const loop_term *t, const view *x, double *alpha, double *beta) {
  turn(c->P_a, t->alpha, alpha);
  for (int e = 0; e < 3; e++) alpha[e] = t->kind == TERM_DISTANCE ? x->p[e] / t->factor : t->factor * alpha[e];
  if (t->kind == TERM_DIRECTION) turn(c->P_b, t->beta, beta);
}

/* Adds a term's W and Y; returns its part of phi. */
static double add_term(const loop_pair *c, const loop_term *t, const view *x, double *W, double *Y) {
  const double *w = x->V, *u = x->V + 3;
  double alpha[3], beta[3], y[3], z[3];
  term_vectors(c, t, x, alpha, beta);
  if (t->kind == TERM_DIRECTION) {
    double wa = dot(alpha, w), wb = dot(beta, w), ab = dot(alpha, beta);
    cross(beta, alpha, y);
    for (int e = 0; e < 3; e++) {
      W[e] += y[e];
      Y[e] += alpha[e] * wb + beta[e] * wa - 2 * ab * w[e];
    }
    return ab;
  }
  cross(u, alpha, y);
  cross(alpha, w, z);
  for (int e = 0; e < 3; e++) {
    W[3 + e] += alpha[e];
    Y[e] += y[e];
    Y[3 + e] += z[e] + (t->kind == TERM_DISTANCE ? 2 * u[e] / t->factor : 0);
  }
  return t->kind == TERM_DISTANCE ? (dot(alpha, x->p) - t->factor) / 2 : dot(alpha, x->p);
}

static void rows_of(jn_loops *l, const loop_pair *c) {
  const view x = view_of(c);
  for (int r = c->first; r < c->first + c->rows; r++) {
    double *W = l->W + 6 * r, *Y = l->Y + 6 * r, phi = 0;
    memset(W, 0, 6 * sizeof *W);
    memset(Y, 0, 6 * sizeof *Y);
    for (int e = 0; e < l->row[r].terms; e++) phi += add_term(c, &l->row[r].term[e], &x, W, Y);
    l->rates[r] = phi;
    l->rates[l->m + r] = dot(W, x.V) + dot(W + 3, x.V + 3);
    l->rates[2 * l->m + r] = dot(W, x.A) + dot(W + 3, x.A + 3) + 0.5 * (dot(Y, x.V) + dot(Y + 3, x.V + 3));
  }
}

void CODE(pairs_move)(jn_loops *l, const double *q, const double *v, const double *a) {
  turn_screws(l, q);
  for (int i = 0; i < l->count; i++) {
    loop_pair *c = &l->pair[i];
    if (l->row[c->first].terms == 0) continue; /* a coupling */
    jn__closing_pose(l, c->a, c->T_a, c->P_a);
    jn__closing_pose(l, c->b, c->T_b, c->P_b);
    place_chain(l, c);
    move_chain(c, v, a);
    rows_of(l, c);
  }
}

/* ---- A ---- */

static inline wide product(const double *W, const wide *S) {
  return W[0] * S[0] + W[1] * S[1] + W[2] * S[2] + W[3] * S[3] + W[4] * S[4] + W[5] * S[5];
}

/* Adds to the columns of arms j, j + 1, ... of a row. */
static inline void spread(const loop_pair *c, int j, wide x, double *row) {
  for (int k = 0; k < JN_WIDE && j + k < c->arms; k++) row[c->arm[j + k].coordinate] += x[k];
}

void CODE(pairs_jacobian)(jn_loops *l) {
  for (int i = 0; i < l->count; i++) {
    const loop_pair *c = &l->pair[i];
    for (int j = 0; j < c->arms; j += JN_WIDE) {
      wide S[6];
      for (int e = 0; e < 6; e++) S[e] = load(c->chain + e * c->room + j);
      for (int r = c->first; r < c->first + c->rows; r++) spread(c, j, product(l->W + 6 * r, S), l->A + r * l->nv);
    }
  }
}

/* ---- derivatives ---- */

/* Z of a row. */
static void find_Z(const loop_pair *c, const loop_row *row, const view *x, double *Z) {
  const double *w = x->V, *u = x->V + 3, *dw = x->A;
  memset(Z, 0, 6 * sizeof *Z);
  for (int k = 0; k < row->terms; k++) {
    const loop_term *t = &row->term[k];
    double alpha[3], beta[3], wa[3], wwa[3], da[3], turned[3], uw[3], wu[3];
    term_vectors(c, t, x, alpha, beta);
    cross(w, alpha, wa);
    cross(w, wa, wwa);
    cross(dw, alpha, da);
    for (int e = 0; e < 3; e++) turned[e] = wwa[e] - da[e];
    if (t->kind == TERM_DIRECTION) {
      double z[3];
      cross(beta, turned, z);
      for (int e = 0; e < 3; e++) Z[e] += z[e];
      continue;
    }
    for (int e = 0; e < 3; e++) Z[3 + e] += turned[e];
    if (t->kind != TERM_DISTANCE) continue;
    cross(u, w, uw);
    cross(w, u, wu);
    for (int e = 0; e < 3; e++) Z[3 + e] += (2 * uw[e] + x->A[3 + e] + wu[e]) / t->factor;
  }
}

/* Six numbers of each of some arms. */
typedef struct wide6 {
  wide3 w, u;
} wide6;

/* Product of twists. */
static inline wide6 bracket(wide6 a, wide6 b) {
  return (wide6){cross3(a.w, b.w), add3(cross3(a.w, b.u), cross3(a.u, b.w))};
}
static inline wide6 add6(wide6 a, wide6 b) { return (wide6){add3(a.w, b.w), add3(a.u, b.u)}; }
static inline wide6 sub6(wide6 a, wide6 b) { return (wide6){sub3(a.w, b.w), sub3(a.u, b.u)}; }
static inline wide product6(const double *W, wide6 a) {
  return W[0] * a.w.x + W[1] * a.w.y + W[2] * a.w.z + W[3] * a.u.x + W[4] * a.u.y + W[5] * a.u.z;
}

/* Entries of rows of the chain at the places of arms j, j + 1, ... */
static inline wide6 gather(const loop_pair *c, int row, const int *place) {
  double x[6][JN_WIDE];
  for (int e = 0; e < 6; e++)
    for (int k = 0; k < JN_WIDE; k++) x[e][k] = c->chain[(row + e) * c->room + place[k]];
  return (wide6){load3(x[0], JN_WIDE), load3(x[3], JN_WIDE)};
}

static inline wide6 load6(const double *x, int stride) {
  return (wide6){load3(x, stride), load3(x + 3 * stride, stride)};
}

/* sigma of some arms; changes of V with q (with v: sigma), of A with q and with v. */
typedef struct change {
  wide6 S, V, A, A_v;
} change;

static inline change change_of(const loop_pair *c, const view *x, int j) {
  const wide6 V = {all3(x->V), all3(x->V + 3)}, A = {all3(x->A), all3(x->A + 3)};
  change d;
  d.S = load6(c->chain + j, c->room);
  if (c->groups) {
    const int *before = c->places + j, *by_q = before + c->room, *after = by_q + c->room;
    wide6 first = gather(c, BEFORE_V, before), fixed = gather(c, BEFORE_V, by_q);
    wide6 rest = sub6(V, fixed);
    d.V = bracket(d.S, rest);
    d.A = add6(bracket(d.S, sub6(A, gather(c, BEFORE_A, by_q))), bracket(bracket(fixed, d.S), rest));
    d.A_v = add6(bracket(first, d.S), bracket(d.S, sub6(V, gather(c, BEFORE_V, after))));
  } else {
    wide6 first = load6(c->chain + BEFORE_V * c->room + j, c->room), rest = sub6(V, first);
    wide6 rate = bracket(first, d.S);
    d.V = bracket(d.S, rest);
    d.A = add6(bracket(d.S, sub6(A, load6(c->chain + BEFORE_A * c->room + j, c->room))), bracket(rate, rest));
    d.A_v = add6(rate, d.V);
  }
  return d;
}

/* How the wrench F = (m, f) on b, -F on a, changes beside staying fixed in these links: D with b held, E with a held.
 *   D = (u x f + C w, k u),     E = D - sigma x* F,     sigma = (w, u)
 * C = sum lambda (beta alpha^T - (alpha . beta) 1) over directions, k = sum lambda / d over distances. */
typedef struct wrench_change {
  double F[6], C[9], k;
} wrench_change;

static wrench_change change_of_wrench(const jn_loops *l, const loop_pair *c, const view *x, const double *lambda) {
  wrench_change y = {0};
  for (int r = c->first; r < c->first + c->rows; r++) {
    for (int e = 0; e < 6; e++) y.F[e] += lambda[r] * l->W[6 * r + e];
    for (int k = 0; k < l->row[r].terms; k++) {
      const loop_term *t = &l->row[r].term[k];
      double alpha[3], beta[3];
      if (t->kind == TERM_DISTANCE) y.k += lambda[r] / t->factor;
      if (t->kind != TERM_DIRECTION) continue;
      term_vectors(c, t, x, alpha, beta);
      double ab = dot(alpha, beta);
      for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) y.C[3 * i + j] += lambda[r] * beta[i] * alpha[j];
        y.C[4 * i] -= lambda[r] * ab;
      }
    }
  }
  return y;
}

static inline wide3 scale3(double a, wide3 b) { return (wide3){a * b.x, a * b.y, a * b.z}; }

/* G_q -= d (A^T lambda)/dq beside what wrenches fixed in links do. */
static inline void add_forces(jn_loops *l, const loop_pair *c, const wrench_change *y, int j, wide6 S) {
  const wide3 m = all3(y->F), f = all3(y->F + 3);
  const double *C = y->C;
  const wide3 Cw = {C[0] * S.w.x + C[1] * S.w.y + C[2] * S.w.z, C[3] * S.w.x + C[4] * S.w.y + C[5] * S.w.z,
                    C[6] * S.w.x + C[7] * S.w.y + C[8] * S.w.z};
  const wide3 uf = cross3(S.u, f), ku = scale3(y->k, S.u);
  const wide6 D = {add3(uf, Cw), ku}, E = {sub3(Cw, cross3(S.w, m)), sub3(ku, cross3(S.w, f))}, both = sub6(E, D);
  double T[6];
  for (int i = 0; i < c->arms; i++) {
    const wide6 *how = c->arm[i].sign > 0 ? &E : &D;
    for (int e = 0; e < 6; e++) T[e] = -c->chain[e * c->room + i];
    spread(c, j, product6(T, *how), l->G_q + c->arm[i].coordinate * l->nv);
  }
  const double p[3] = {c->P_b[3], c->P_b[7], c->P_b[11]};
  for (int i = 0; i < c->shared_count; i++) {
    screw_about(l, c->shared[i], p, T);
    for (int e = 0; e < 6; e++) T[e] = -T[e];
    spread(c, j, product6(T, both), l->G_q + l->screw[c->shared[i]].coordinate * l->nv);
  }
}

void CODE(pairs_linearise)(jn_loops *l, const double *lambda) {
  int n = l->nv;
  memset(l->g_q, 0, sizeof(double) * (size_t)l->first_user * (size_t)n);
  memset(l->g_v, 0, sizeof(double) * (size_t)l->first_user * (size_t)n);
  for (int i = 0; i < l->count; i++) {
    const loop_pair *c = &l->pair[i];
    if (l->row[c->first].terms == 0) continue; /* a coupling */
    const view x = view_of(c);
    double Z[6][6];
    wrench_change y = {0};
    for (int r = 0; r < c->rows; r++) find_Z(c, &l->row[c->first + r], &x, Z[r]);
    if (lambda) y = change_of_wrench(l, c, &x, lambda);
    for (int j = 0; j < c->arms; j += JN_WIDE) {
      const change d = change_of(c, &x, j);
      for (int r = 0; r < c->rows; r++) {
        const double *W = l->W + 6 * (c->first + r), *Y = l->Y + 6 * (c->first + r);
        spread(c, j, product6(W, d.A) + product6(Y, d.V) + product6(Z[r], d.S), l->g_q + (c->first + r) * n);
        spread(c, j, product6(W, d.A_v) + product6(Y, d.S), l->g_v + (c->first + r) * n);
      }
      if (lambda) add_forces(l, c, &y, j, d.S);
    }
  }
}

#if JN_WIDE == 4
const loop_code jn__loop_code_avx2 = {
#else
const loop_code jn__loop_code_any = {
#endif
    CODE(pairs_move),          CODE(pairs_jacobian),    CODE(pairs_linearise), CODE(factor_inertia),
    CODE(see_through_inertia), CODE(factor_conditions), CODE(solve_one),       CODE(solve_columns)};

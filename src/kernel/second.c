/* SPDX-License-Identifier: BSD-2-Clause */
/* Second derivatives of inverse dynamics in closed form, O(n d^2): as many operations as there are entries.
 *
 * Differentiating the first derivatives (derivative.h, whose notation this is) once more needs nothing new. For
 * coordinates a inward of b, that inward of c, all outward of a is carried along by a but for
 *   D_a psi_b = [psi_a, S_b],   D_a ppsi_b = [ppsi_a, S_b] + 2 [psi_a, psi_b],   D_a B = B(psi_a)
 * where B(X) is B of the same inertia with the twist X, B(X) Y - B(Y) X = -2 I [X, Y]; and c moves the inertia of all
 * that is inward of it:
 *   dI = S_c x* I_c - I_c ad_{S_c},   dB = S_c x* B_c - B_c ad_{S_c} + B_c(psi_c),   dF = X_c = Y_c + S_c x* F_c
 * Only coordinates of one branch have an entry together. With Z = I_c S_c, U = B_c^T S_c, E y = B_c(y)^T S_c,
 * Pi = Psi + psi, Yv = I_c Pi_c + B_c S_c:
 *
 *   d2 tau_c/dq_a dq_b = (S_b x* Z) . ppsi_a + (S_b x* U + E psi_b) . psi_a
 *   d2 tau_b/dq_a dq_c = (dI S_b) . ppsi_a + (dB^T S_b) . psi_a
 *   d2 tau_a/dq_b dq_c = S_a . (dI ppsi_b + dB psi_b + S_b x* X_c)
 *   d2 tau_c/dq_a dv_b = (E S_b) . psi_a              d2 tau_c/dq_b dv_a = (S_b x* Z) . Pi_a + (S_b x* U + E psi_b) .
 * S_a d2 tau_b/dq_a dv_c = (B(S_c)^T S_b) . psi_a       d2 tau_b/dq_c dv_a = (dI S_b) . Pi_a + (dB^T S_b) . S_a d2
 * tau_a/dq_b dv_c = S_a . (S_b x* Yv + B(S_c) psi_b)   d2 tau_a/dq_c dv_b = S_a . (dI Pi_b + dB S_b) d2 tau_c/dv_a dv_b
 * = (E S_b) . S_a                d2 tau_b/dv_a dv_c = (B(S_c)^T S_b) . S_a d2 tau_a/dv_b dv_c = S_a . B(S_c) S_b
 *   dM_ac/dq_b = S_a . (S_b x* Z)    dM_ab/dq_c = S_a . dI S_b    dM_bc/dq_a = 0
 *
 * They hold as well where coordinates coincide. The screws of a group (spherical, free) move each other: there the
 * first of two names is the direction that is taken last, and dPsi_b/dv_a = [S_a, S_b] is half of what it is elsewhere.
 * Everything is about the origin of the body of c. Ten products for each pair (b, c), then products of six numbers. */
#include "derivative.h"
#include "row.h"
#include "strip.h"

/* Twists of the coordinates on the way from the world to a body, about its origin. */
typedef struct way {
  int count;
  int32_t *at;          /* [count] place in v */
  int32_t *begin, *end; /* [count] coordinates that act together with it: itself, or its group */
  struct way_twists {   /* [STRIPS(count)] */
    strip6 S, psi, ppsi, Pi;
  } * x;
} way;

/* What coordinate b has with c; names as in the comment above. */
typedef struct pair {
  strip6 SZ, dIS, X, BS, Yv, dIPi; /* ... dI ppsi + dB psi + S x* X; B(S_c) S; S x* Yv + B(S_c) psi; dI Pi + dB S */
  strip3 SU, dBS, ES, BtS;         /* S x* U + E psi; dB^T S; E S; B(S_c)^T S */
} pair;
enum { SZ = 0, DIS = 6, XB = 12, BS = 18, YV = 24, DIPI = 30, SU = 36, DBS = 39, ES = 42, BTS = 45, PAIR = 48 };

/* The numbers of a with (b, c), by tensor and by whose force it is; qv: the coordinate of q, then that of v. */
enum { QQ_C, QQ_B, QQ_A, VV_C, VV_B, VV_A, QV_C_AB, QV_C_BA, QV_B_AC, QV_B_CA, QV_A_BC, QV_A_CB, M_AC, M_AB, VALUES };
typedef struct values {
  strip x[VALUES];
} values;

/* What c alone gives. */
typedef struct last {
  inertia I, dI;
  rates dB, B; /* B(S_c) */
  wrench Z, X, Yv;
  vec3 U;
  mat3 E; /* E y = E w + e x v */
  vec3 e;
} last;

typedef struct second {
  field w;
  way path;
  pair *pairs; /* [STRIPS(nd)] */
  values *a;   /* [STRIPS(nd)] */
  real *out[4];
} second;
enum { QQ, QV, VV, QA };

static inline rates rates_of(twist X, inertia I) {
  wrench P = i_mul(I, X);
  return (rates){i_rate(X, I).J, P.m, P.f};
}

static inline last last_of(const field *w, int i, int d) {
  const JN_S(body) *b = &w->t->body[i];
  column x = is_turn(b) ? column_turn(w, i, d) : column_order(w, i, d, 0);
  inertia I = w->I[i];
  rates B = w->B[i];
  twist S = w->S[d];
  last c = {.I = I, .Z = x.Z, .X = w_add(x.Y, x.F), .Yv = x.Yv, .U = x.U, .dI = i_rate(S, I), .B = rates_of(S, I)};
  wrench P = w_cross(S, (wrench){B.L, B.P}); /* B carried along, and B of psi */
  c.dB = b_add((rates){i_rate(S, (inertia){ZERO, B.P, B.Q}).J, P.m, P.f}, rates_of(w->psi[d], I));
  /* B(y)^T S = Q S.w + L x S.w + 2 P x S.v with Q, L, P of I and y */
  mat3 J = s3_full(I.J);
  c.E = m3_axpy(K(-1), skew(s3_mul(I.J, S.w)), m3_cross_right(J, S.w));
  c.E = m3_axpy(K(2), m3_cross_cross(S.v, I.h), m3_axpy(K(-1), m3_cross_left(S.w, J), c.E));
  c.e = v3_scale(K(2), v3_axpy(-I.m, S.v, cross(I.h, S.w)));
  return c;
}

/* Pairs of c with the STRIP coordinates of x. */
static inline void pairs_of(const last *c, const struct way_twists *x, pair *o) {
  strip6 S = x->S, psi = x->psi, ppsi = x->ppsi, Pi = x->Pi;
  vec3 h = c->dI.h;
  o->SZ = p6_cross(S, c->Z);
  o->dIS = (strip6){p3_add(p3_symmetric(c->dI.J, S.w), p3_cross(h, S.v)), p3_crossed(S.w, h)};
  strip3 Lw = p3_cross(c->dB.L, S.w), Qw = p3_symmetric(c->dB.Q, S.w), Pw = p3_cross(c->dB.P, S.w);
  strip3 Qpsi = p3_symmetric(c->dB.Q, psi.w), Lpsi = p3_crossed(psi.w, c->dB.L), Ppsi = p3_cross(c->dB.P, psi.w);
  o->dBS = p3_add(p3_add(Qw, Lw), p3_scale(2, p3_cross(c->dB.P, S.v)));
  strip6 more = {p3_add(p3_symmetric(c->dI.J, ppsi.w), p3_cross(h, ppsi.v)), p3_crossed(ppsi.w, h)};
  o->X = p6_add(more, p6_cross(S, c->X));
  o->X = (strip6){p3_add(o->X.w, p3_add(Qpsi, Lpsi)), p3_add(o->X.v, p3_scale(-2, Ppsi))};
  o->dIPi = (strip6){p3_add(p3_symmetric(c->dI.J, Pi.w), p3_cross(h, Pi.v)), p3_crossed(Pi.w, h)};
  o->dIPi = (strip6){p3_add(o->dIPi.w, p3_add(Qw, p3_scale(-1, Lw))), p3_add(o->dIPi.v, p3_scale(-2, Pw))};
  o->SU = p3_add(p3_crossed(S.w, c->U), p3_add(p3_matrix(c->E, psi.w), p3_cross(c->e, psi.v)));
  o->ES = p3_add(p3_matrix(c->E, S.w), p3_cross(c->e, S.v));
  strip3 Q = p3_symmetric(c->B.Q, S.w), L = p3_cross(c->B.L, S.w);
  o->BtS = p3_add(p3_add(Q, L), p3_scale(2, p3_cross(c->B.P, S.v)));
  o->BS = (strip6){p3_add(Q, p3_scale(-1, L)), p3_scale(-2, p3_cross(c->B.P, S.w))};
  strip3 turned = p3_add(p3_symmetric(c->B.Q, psi.w), p3_crossed(psi.w, c->B.L));
  o->Yv = p6_cross(S, c->Yv);
  o->Yv = (strip6){p3_add(o->Yv.w, turned), p3_add(o->Yv.v, p3_scale(-2, p3_cross(c->B.P, psi.w)))};
}

/* The numbers of STRIP coordinates a with one pair. */
static inline void values_of(const second *s, const real *b, const struct way_twists *x, values *o) {
  strip6 S = x->S;
  if (s->out[QQ] || s->out[QV]) {
    strip3 psi = x->psi.w;
    strip6 ppsi = x->ppsi, Pi = x->Pi;
    o->x[QQ_C] = p6_dot(b + SZ * STRIP, ppsi) + p3_dot(b + SU * STRIP, psi);
    o->x[QQ_B] = p6_dot(b + DIS * STRIP, ppsi) + p3_dot(b + DBS * STRIP, psi);
    o->x[QQ_A] = p6_dot(b + XB * STRIP, S);
    o->x[QV_C_AB] = p3_dot(b + ES * STRIP, psi);
    o->x[QV_C_BA] = p6_dot(b + SZ * STRIP, Pi) + p3_dot(b + SU * STRIP, S.w);
    o->x[QV_B_AC] = p3_dot(b + BTS * STRIP, psi);
    o->x[QV_B_CA] = p6_dot(b + DIS * STRIP, Pi) + p3_dot(b + DBS * STRIP, S.w);
    o->x[QV_A_BC] = p6_dot(b + YV * STRIP, S);
    o->x[QV_A_CB] = p6_dot(b + DIPI * STRIP, S);
  }
  if (s->out[VV]) {
    o->x[VV_C] = p3_dot(b + ES * STRIP, S.w);
    o->x[VV_B] = p3_dot(b + BTS * STRIP, S.w);
    o->x[VV_A] = p6_dot(b + BS * STRIP, S);
  }
  o->x[M_AC] = p6_dot(b + SZ * STRIP, S);
  o->x[M_AB] = p6_dot(b + DIS * STRIP, S);
}

/* ---- from numbers to tensors ---- */

/* Entries [h][i][k] by whose names their indices are, and the number that each tensor has there (-1: zero). */
enum { ACB, BCA, ABC, CBA, BAC, CAB, PLACES };
static const int number_at[4][PLACES] = {{QQ_C, QQ_C, QQ_B, QQ_B, QQ_A, QQ_A},
                                         {QV_C_AB, QV_C_BA, QV_B_AC, QV_B_CA, QV_A_BC, QV_A_CB},
                                         {VV_C, VV_C, VV_B, VV_B, VV_A, VV_A},
                                         {-1, M_AC, -1, M_AB, M_AC, M_AB}};

/* The places to fill: all when a, b, c are different. A place that is another's as well where two of them are one
 * coordinate is filled once; the coordinates of a group meet in every order. */
enum {
  ALL = (1 << PLACES) - 1,
  INNER = 1 << ACB | 1 << ABC | 1 << CBA, /* a and b act together */
  OUTER = 1 << ACB | 1 << BCA | 1 << BAC, /* b and c do */
  OWN = 1 << ACB                          /* all three do */
};

/* The numbers of coordinates [first, end) of the way with the pair (b, c). sum: coupled joints share coordinates. */
FLAT void spread(const second *s, int first, int end, size_t b, size_t c, int places, int sum) {
  size_t n = (size_t)s->w.t->nv, nn = n * n;
  const size_t base[PLACES] = {c * n + b, b * nn + c * n, b * n + c, c * nn + b * n, b * nn + c, c * nn + b};
  for (int k = first; k < end; k++) {
    const real *x = strip_number(s->a, k);
    size_t a = (size_t)s->path.at[k];
    const size_t step[PLACES] = {a * nn, a, a * nn, a, a * n, a * n};
    for (int e = 0; e < 4; e++)
      for (int p = 0; p < PLACES && s->out[e]; p++) {
        if (!(places >> p & 1) || number_at[e][p] < 0) continue;
        real *to = s->out[e] + base[p] + step[p];
        *to = sum ? *to + x[number_at[e][p] * STRIP] : x[number_at[e][p] * STRIP];
      }
  }
}

static inline twist way_screw(const second *s, int k) {
  const real *x = strip_number(s->path.x, k);
  return (twist){v3(x[0], x[STRIP], x[2 * STRIP]), v3(x[3 * STRIP], x[4 * STRIP], x[5 * STRIP])};
}

/* The numbers above take dPi_b/dv_a = 2 [S_a, S_b]; in a group it is half of that. And one coordinate's force does not
 * change with its own velocity. */
static inline void correct_own(const second *s, const last *c, int eb, int ec) {
  const way *p = &s->path;
  int inner = p->begin[eb], end = p->end[eb];
  if (eb == ec && end - inner == 1) strip_number(s->a, eb)[VV_C * STRIP] = ZERO;
  for (int k = inner; k < end && end - inner > 1; k++)
    strip_number(s->a, k)[VV_C * STRIP] -= power(c->Z, t_ad(way_screw(s, k), way_screw(s, eb)));
  if (eb < p->begin[ec] || eb == ec) return;
  wrench half = i_mul(c->I, t_ad(way_screw(s, eb), way_screw(s, ec)));
  for (int k = 0; k < p->begin[ec]; k++) strip_number(s->a, k)[VV_A * STRIP] -= power(half, way_screw(s, k));
}

/* ---- the way to a body ---- */

static inline void way_put(const second *s, int k, twist S, twist psi, twist ppsi, twist Pi, vec3 arm) {
  const twist all[4] = {t_shift(S, arm), t_shift(psi, arm), t_shift(ppsi, arm), t_shift(Pi, arm)};
  real *x = strip_number(s->path.x, k);
  for (int e = 0; e < 4; e++, x += 6 * STRIP) {
    x[0] = all[e].w.x;
    x[STRIP] = all[e].w.y;
    x[2 * STRIP] = all[e].w.z;
    x[3 * STRIP] = all[e].v.x;
    x[4 * STRIP] = all[e].v.y;
    x[5 * STRIP] = all[e].v.z;
  }
}

static inline void way_to(second *s, int i) {
  const field *w = &s->w;
  const JN_S(tree) *t = w->t;
  way *p = &s->path;
  vec3 arm = v3_zero();
  p->count = 0;
  for (int j = i; j >= 0; j = t->body[j].parent) p->count += t->body[j].nv;
  if (p->count % STRIP) p->x[p->count / STRIP] = (struct way_twists){0}; /* lanes that no coordinate is in */
  int first = p->count;
  for (int j = i; j >= 0; j = t->body[j].parent) {
    const JN_S(body) *b = &t->body[j];
    int group = is_group(b);
    first -= b->nv;
    for (int c = 0; c < b->nv; c++) {
      int d = b->id + c, k = first + c;
      way_put(s, k, w->S[d], w->psi[d], w->ppsi[d], t_add(w->Psi[d], w->psi[d]), arm);
      p->at[k] = b->iv + c;
      p->begin[k] = group ? first : k;
      p->end[k] = group ? first + b->nv : k + 1;
    }
    arm = v3_add(arm, w->d[j]);
  }
}

FLAT void tensors_of(const second *s, int i, int own, int sum) {
  const way *p = &s->path;
  const JN_S(body) *body = &s->w.t->body[i];
  last c = last_of(&s->w, i, body->id + own);
  int ec = p->count - body->nv + own, outer = p->begin[ec], count = p->end[ec];
  size_t oc = (size_t)p->at[ec];
  for (int k = 0; k < STRIPS(count); k++) pairs_of(&c, &p->x[k], &s->pairs[k]);
  for (int eb = 0; eb < count; eb++) {
    const real *b = strip_number(s->pairs, eb);
    size_t ob = (size_t)p->at[eb];
    int inner = p->begin[eb], end = p->end[eb];
    for (int k = 0; k < STRIPS(end); k++) values_of(s, b, &p->x[k], &s->a[k]);
    if (s->out[VV] && (eb == ec || end - inner > 1)) correct_own(s, &c, eb, ec);
    if (eb < outer) {
      spread(s, 0, inner, ob, oc, ALL, sum);
      spread(s, inner, end, ob, oc, INNER, sum);
    } else {
      spread(s, 0, inner, ob, oc, OUTER, sum);
      spread(s, inner, end, ob, oc, OWN, sum);
    }
  }
}

static __attribute__((noinline)) void tensors_set(const second *s, int i, int own) { tensors_of(s, i, own, 0); }
static __attribute__((noinline)) void tensors_add(const second *s, int i, int own) { tensors_of(s, i, own, 1); }

/* Zeros where nothing will be written: in a chain all coordinates are of one branch (100 joints: 32 MB). */
static inline void clear_tensors(const second *s) {
  const JN_S(tree) *t = s->w.t;
  size_t cube = (size_t)t->nv * (size_t)t->nv * (size_t)t->nv;
  int chain = !t->coupled;
  for (int i = 0; i < t->nb; i++) chain &= t->body[i].parent == i - 1;
  for (int e = 0; e < 4; e++)
    if (s->out[e] && (e == QA || !chain)) memset(s->out[e], 0, cube * sizeof(real));
}

/* in: q, v, a, wrenches held in their bodies (v, a, wrenches may be NULL). out: d2tau/dq2, d2tau/dqdv, d2tau/dv2,
 * dM/dq (NULL: not wanted), [nv x nv x nv], the direction of the later derivative first. */
void JN_(second)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  real *at = c->scratch;
  second s = {.w = field_place(t, 1, HOLD_BODY, 0, c->in[0], &at),
              .out = {c->out[QQ], c->out[QV], c->out[VV], c->out[QA]}};
  s.w.v = c->in[1];
  s.w.a = c->in[2];
  s.w.W = c->in[3];
  s.w.rows = 1;
  s.path.x = TAKE_ALIGNED(&at, STRIPS(t->nd), struct way_twists);
  s.pairs = TAKE_ALIGNED(&at, STRIPS(t->nd), pair);
  s.a = TAKE_ALIGNED(&at, STRIPS(t->nd), values);
  s.path.at = (int32_t *)(void *)take(&at, (size_t)(3 * t->nd));
  s.path.begin = s.path.at + t->nd;
  s.path.end = s.path.begin + t->nd;
  field_sweep(&s.w, 1);
  clear_tensors(&s);
  for (int i = 0; i < t->nb; i++) {
    way_to(&s, i);
    for (int own = 0; own < t->body[i].nv; own++) (t->coupled ? tensors_add : tensors_set)(&s, i, own);
  }
}

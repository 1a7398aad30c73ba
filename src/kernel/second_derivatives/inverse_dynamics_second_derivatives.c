/* SPDX-License-Identifier: BSD-2-Clause */
/* Second derivatives of inverse dynamics, and derivatives of the Coriolis matrix, in closed form, O(n d^2): as many
 * operations as there are entries.
 *
 * Differentiating the first derivatives (linearization.h, whose notation this is) once more needs nothing new. For
 * coordinates a inward of b, that inward of c, all outward of a is carried along by a but for
 *   D_a psi_b = [psi_a, S_b],   D_a ppsi_b = [ppsi_a, S_b] + 2 [psi_a, psi_b],   D_a B = B(psi_a)
 * where B(X) is B of the same inertia with the twist X, B(X) Y - B(Y) X = -2 I [X, Y]; and c moves the inertia of all
 * that is inward of it:
 *   dI = S_c x* I_c - I_c ad_{S_c},   dB = S_c x* B_c - B_c ad_{S_c} + B_c(psi_c),   dF = X_c = Y_c + S_c x* F_c
 * Only coordinates of one branch have an entry together. With Z = I_c S_c, U = B_c^T S_c, E y = B_c(y)^T S_c =
 * -B_c(S_c)^T y, Pi = Psi + psi, Yv = I_c Pi_c + B_c S_c:
 *
 *   d2 tau_c/dq_a dq_b = (S_b x* Z) . ppsi_a + (S_b x* U + E psi_b) . psi_a
 *   d2 tau_b/dq_a dq_c = (dI S_b) . ppsi_a + (dB^T S_b) . psi_a
 *   d2 tau_a/dq_b dq_c = S_a . (dI ppsi_b + dB psi_b + S_b x* X_c)
 *
 *   d2 tau_c/dq_a dv_b = (E S_b) . psi_a = -d2 tau_b/dq_a dv_c
 *   d2 tau_c/dq_b dv_a = (S_b x* Z) . Pi_a + (S_b x* U + E psi_b) . S_a
 *   d2 tau_b/dq_c dv_a = (dI S_b) . Pi_a + (dB^T S_b) . S_a
 *   d2 tau_a/dq_b dv_c = S_a . (S_b x* Yv + B(S_c) psi_b)
 *   d2 tau_a/dq_c dv_b = S_a . (dI Pi_b + dB S_b)
 *
 *   dM_ac/dq_b = S_a . (S_b x* Z)    dM_ab/dq_c = S_a . dI S_b    dM_bc/dq_a = 0
 *
 *   d2 tau_c/dv_a dv_b = dM_ac/dq_b - dM_ab/dq_c = -d2 tau_b/dv_a dv_c
 *   d2 tau_a/dv_b dv_c = dM_ac/dq_b + dM_ab/dq_c    (Christoffel symbols)
 *
 * They hold as well where coordinates coincide. The screws of a group (spherical, free) move each other: there the
 * first of two names is the direction that is taken last, and dPsi_b/dv_a = [S_a, S_b] is half of what it is elsewhere.
 * Everything is about the origin of the body of c. Eight products for each pair (b, c), then products of six numbers.
 */
/* The Coriolis matrix (garofalo2013 eqs. 24b, 24c). With K the sum of V x* I over a subtree,
 *   C_ij = S_i . (I Psi_j + K S_j),   D_a Psi_b = [psi_a, S_b],   D_a K = psi_a x* I,
 *   dK = S_c x* K_c - K_c ad_{S_c} + psi_c x* I_c
 * and with W = I_c Psi_c + K_c S_c, Y = K_c^T S_c, g_b = I_c [psi_b, S_c],
 *
 *   dC_bc/dq_a = (S_c x* I_c S_b - S_b x* Z) . psi_a = -dC_cb/dq_a
 *   dC_ac/dq_b = S_a . (S_b x* W + psi_b x* Z + g_b)
 *   dC_ca/dq_b = (S_b x* Z) . Psi_a + S_a . (S_b x* Y - g_b)
 *   dC_ab/dq_c = S_a . (dI Psi_b + dK S_b)
 *   dC_ba/dq_c = (dI S_b) . Psi_a + (dK^T S_b) . S_a
 *
 *   dC_bc/dv_a = q - p = -dC_cb/dv_a    dC_ac/dv_b = p + r    dC_ca/dv_b = -r    dC_ab/dv_c = q    dC_ba/dv_c = r
 *   p = S_a . (S_b x* Z),   q = S_a . (S_c x* I_c S_b),   r = S_a . I_c [S_b, S_c] = dM_ab/dq_c - q */
#include "../base/tile.h"
#include "../base/variant.h"
#include "../first_derivatives/linearization.h"

/* Chains of joints of one coordinate whose second derivatives go in blocks: shorter ones fit into the
 * cache, longer ones would take more scratch memory than all else. */
#define LONG_CHAIN(t) ((t)->chain && (t)->in_body_order && (t)->nd == (t)->nb && (t)->nv >= 40 && (t)->nv <= 256)

/* Twists of the coordinates on the way from the world to a body, about its origin. */
typedef struct branch {
  int body, count;       /* the body (-1: none yet), coordinates on the way */
  int32_t *at;           /* [count] place in v */
  int32_t *begin, *end;  /* [count] coordinates that act together with it: itself, or its group */
  struct branch_twists { /* [tiles_of(count)] */
    tile6 S, psi, ppsi, Pi;
  } * x;
} branch;

/* What coordinate b has with c; names as in the comment above. */
typedef struct pair {
  tile6 SZ, dIS, X, Yv, dIPi; /* ... dI ppsi + dB psi + S x* X; S x* Yv + B(S_c) psi; dI Pi + dB S */
  tile3 SU, dBS, ES;          /* S x* U + E psi; dB^T S; E S */
} pair;

/* The same for the Coriolis matrix: S_c x* I S; what S_a meets in dC_ac, dC_ca by q_b and dC_ab, dC_ba by q_c. */
typedef struct coriolis_pair {
  tile6 SZ, dIS, SI, ac, ca, ab, ba;
} coriolis_pair;
enum { SZ = 0, DIS = 6, XB = 12, YV = 18, DIPI = 24, SU = 30, DBS = 33, ES = 36 };

/* The numbers of a with (b, c), by tensor and by whose force it is; qv: the coordinate of q, then that of v. */
enum { QQ_C, QQ_B, QQ_A, VV_C, VV_B, VV_A, QV_C_AB, QV_C_BA, QV_B_AC, QV_B_CA, QV_A_BC, QV_A_CB, M_AC, M_AB, VALUES };
typedef struct values {
  tile x[VALUES];
} values;
/* Those of the Coriolis matrix, dC_ij by q or v of the third. */
enum { Q_AB, Q_BA, Q_AC, Q_CA, Q_BC, Q_CB, V_AB, V_BA, V_AC, V_CA, V_BC, V_CB };

/* What c alone gives. */
typedef struct last {
  inertia dI;
  rates dB, B; /* B(S_c) */
  wrench Z, X, Yv;
  vec3 U;
} last;

/* The same for the Coriolis matrix. */
typedef struct coriolis_last {
  inertia I, dI;
  twist S, psi;
  crossed K;
  mat3 At, Zt; /* transposed blocks of K */
  wrench Z, W, Y;
} coriolis_last;

typedef struct second {
  linearization w;
  branch path;
  pair *pairs;   /* [tiles_of(nd)] */
  values *a;     /* [tiles_of(nd)] */
  values *block; /* [TILE][TILE] of a tile of a with tiles of b and of c; for a chain */
  crossed *K;    /* [nb] sums over subtrees for the derivatives of C; NULL: those of tau are wanted */
  real *out[4];
} second;
enum { QQ, QV, VV, QA };

static inline rates rates_of(twist X, inertia I) {
  wrench P = i_mul(I, X);
  return (rates){i_rate(X, I).J, P.m, P.f};
}

static inline last outermost_of(const linearization *w, int i, int d) {
  const JN_S(body) *b = &w->t->body[i];
  column x = is_revolute(b) ? column_turn(w, i, d) : column_order(w, i, d, 0);
  inertia I = w->I[i];
  rates B = w->B[i];
  twist S = w->S[d];
  last c = {.Z = x.Z, .X = w_add(x.Y, x.F), .Yv = x.Yv, .U = x.U, .dI = i_rate(S, I)};
  wrench P = w_cross(S, (wrench){B.L, B.P}); /* B carried along, and B of psi */
  c.dB = b_add((rates){i_rate(S, (inertia){ZERO, B.P, B.Q}).J, P.m, P.f}, rates_of(w->psi[d], I));
  c.B = (rates){c.dI.J, c.Z.m, c.Z.f};
  return c;
}

/* dI y and B y. */
static inline tile6 dI_times(const inertia *dI, tile6 y) {
  return (tile6){tile3_add(tile3_symmetric(dI->J, y.a), tile3_across(dI->h, y.b)), tile3_crossed(y.a, dI->h)};
}
static inline tile6 B_times(tile3 Qw, tile3 Lw, tile3 Pw) {
  return (tile6){tile3_add(Qw, tile3_times(-1, Lw)), tile3_times(-2, Pw)};
}

/* Whether more is wanted than what dM/dq gives. */
static inline int moves(const second *s) { return s->out[QQ] || s->out[QV]; }

/* Pairs of c with the TILE coordinates of x. */
static inline void pairs_with(const second *s, const last *c, const struct branch_twists *x, pair *o) {
  tile6 S = x->S, psi = x->psi;
  o->SZ = tile6_cross(S, c->Z);
  o->dIS = dI_times(&c->dI, S);
  if (!moves(s)) return;
  tile3 Qw = tile3_symmetric(c->dB.Q, S.a), Lw = tile3_across(c->dB.L, S.a), Pw = tile3_across(c->dB.P, S.a);
  o->dBS = tile3_add(tile3_add(Qw, Lw), tile3_times(2, tile3_across(c->dB.P, S.b)));
  o->dIPi = tile6_add(dI_times(&c->dI, x->Pi), B_times(Qw, Lw, Pw));
  Qw = tile3_symmetric(c->dB.Q, psi.a), Lw = tile3_across(c->dB.L, psi.a), Pw = tile3_across(c->dB.P, psi.a);
  o->X = tile6_add(tile6_add(dI_times(&c->dI, x->ppsi), tile6_cross(S, c->X)), B_times(Qw, Lw, Pw));
  Qw = tile3_symmetric(c->B.Q, S.a), Lw = tile3_across(c->B.L, S.a);
  o->ES = tile3_times(-1, tile3_add(tile3_add(Qw, Lw), tile3_times(2, tile3_across(c->B.P, S.b))));
  Qw = tile3_symmetric(c->B.Q, psi.a), Lw = tile3_across(c->B.L, psi.a), Pw = tile3_across(c->B.P, psi.a);
  o->Yv = tile6_add(tile6_cross(S, c->Yv), B_times(Qw, Lw, Pw));
  tile3 Epsi = tile3_add(tile3_add(Qw, Lw), tile3_times(2, tile3_across(c->B.P, psi.b)));
  o->SU = tile3_add(tile3_crossed(S.a, c->U), tile3_times(-1, Epsi));
}

/* The numbers of TILE coordinates a with one pair. They are written where they are ready, so that the compiler reads
 * the twists again instead of keeping more of them than there are registers. strict, apart: whether there is an a that
 * does not act together with b, and whether b does not with c; else some numbers have no place. */
FLAT void values_of(const second *s, const real *b, const struct branch_twists *x, int strict, int apart, values *o) {
  o->x[M_AC] = tile6_same(b + SZ * TILE, x->S);
  o->x[M_AB] = tile6_same(b + DIS * TILE, x->S);
  o->x[VV_C] = o->x[M_AC] - o->x[M_AB];
  o->x[VV_B] = o->x[M_AB] - o->x[M_AC];
  o->x[VV_A] = o->x[M_AB] + o->x[M_AC];
  if (!moves(s)) return;
  o->x[QQ_C] = tile6_same(b + SZ * TILE, x->ppsi) + tile3_same(b + SU * TILE, x->psi.a);
  o->x[QV_C_AB] = tile3_same(b + ES * TILE, x->psi.a);
  if (apart) {
    o->x[QV_B_AC] = -o->x[QV_C_AB];
    o->x[QQ_B] = tile6_same(b + DIS * TILE, x->ppsi) + tile3_same(b + DBS * TILE, x->psi.a);
    o->x[QV_B_CA] = tile6_same(b + DIS * TILE, x->Pi) + tile3_same(b + DBS * TILE, x->S.a);
  }
  if (strict) {
    o->x[QV_C_BA] = tile6_same(b + SZ * TILE, x->Pi) + tile3_same(b + SU * TILE, x->S.a);
    o->x[QQ_A] = tile6_same(b + XB * TILE, x->S);
    o->x[QV_A_BC] = tile6_same(b + YV * TILE, x->S);
    o->x[QV_A_CB] = tile6_same(b + DIPI * TILE, x->S);
  }
}

/* ---- the same for the Coriolis matrix ---- */

static inline coriolis_last coriolis_outermost(const second *s, int i, int d) {
  const linearization *w = &s->w;
  inertia I = w->I[i];
  twist S = w->S[d];
  coriolis_last c = {.I = I, .Z = i_mul(I, S), .dI = i_rate(S, I), .S = S, .psi = w->psi[d], .K = s->K[i]};
  c.W = w_add(i_mul(I, w->Psi[d]), crossed_mul(&c.K, 0, S));
  c.Y = crossed_tmul(&c.K, 0, S);
  c.At = m3_transpose(c.K.A);
  c.Zt = m3_transpose(c.K.Z);
  return c;
}

/* [S, y], S x* F, I y, K y, K^T y */
static inline tile6 tile6_bracket(twist S, tile6 y) {
  return (tile6){tile3_across(S.w, y.a), tile3_add(tile3_across(S.w, y.b), tile3_across(S.v, y.a))};
}
static inline tile6 tile6_carry(twist S, tile6 F) {
  return (tile6){tile3_add(tile3_across(S.w, F.a), tile3_across(S.v, F.b)), tile3_across(S.w, F.b)};
}
static inline tile6 I_times(const inertia *I, tile6 y) {
  tile6 o = dI_times(I, y);
  return (tile6){o.a, tile3_add(o.b, (tile3){I->m * y.b.x, I->m * y.b.y, I->m * y.b.z})};
}
static inline tile6 K_times(const crossed *K, tile6 y) {
  tile3 m = tile3_add(tile3_matrix(K->A, y.a), tile3_matrix(K->Z, y.b));
  return (tile6){tile3_add_cross(m, K->u, y.b),
                 tile3_add(tile3_across(K->w, y.b), tile3_times(-1, tile3_matrix(K->Z, y.a)))};
}
static inline tile6 K_transposed_times(const coriolis_last *c, tile6 y) {
  tile3 m = tile3_add(tile3_matrix(c->At, y.a), tile3_times(-1, tile3_matrix(c->Zt, y.b)));
  tile3 f = tile3_add(tile3_across(c->K.u, y.a), tile3_across(c->K.w, y.b));
  return (tile6){m, tile3_add(tile3_matrix(c->Zt, y.a), tile3_times(-1, f))};
}
static inline tile6 tile6_sub(tile6 a, tile6 b) {
  return (tile6){tile3_add(a.a, tile3_times(-1, b.a)), tile3_add(a.b, tile3_times(-1, b.b))};
}

static __attribute__((noinline)) void coriolis_pairs(const coriolis_last *c, const struct branch_twists *x,
                                                     coriolis_pair *o) {
  tile6 S = x->S, psi = x->psi, turned = tile6_bracket(c->S, S), g = I_times(&c->I, tile6_bracket(c->S, psi));
  tile6 IS = I_times(&c->I, S);
  o->SZ = tile6_cross(S, c->Z);
  o->dIS = dI_times(&c->dI, S);
  o->SI = tile6_carry(c->S, IS);
  o->ac = tile6_sub(tile6_add(tile6_cross(S, c->W), tile6_cross(psi, c->Z)), g);
  o->ca = tile6_add(tile6_cross(S, c->Y), g);
  o->ab = tile6_sub(tile6_carry(c->S, K_times(&c->K, S)), K_times(&c->K, turned));
  o->ab = tile6_add(tile6_add(o->ab, tile6_carry(c->psi, IS)), dI_times(&c->dI, x->Pi));
  o->ba = tile6_sub(tile6_carry(c->S, K_transposed_times(c, S)), K_transposed_times(c, turned));
  o->ba = tile6_sub(o->ba, I_times(&c->I, tile6_bracket(c->psi, S)));
}

FLAT void coriolis_values(const real *b, const struct branch_twists *x, values *o) {
  const real *z = b, *i = b + 6 * TILE, *carried = b + 12 * TILE, *more = b + 18 * TILE;
  tile p = tile6_same(z, x->S), q = tile6_same(carried, x->S), r = tile6_same(i, x->S) - q;
  o->x[V_AB] = q;
  o->x[V_BA] = r;
  o->x[V_AC] = p + r;
  o->x[V_CA] = -r;
  o->x[V_BC] = q - p;
  o->x[V_CB] = p - q;
  o->x[Q_BC] = tile6_same(carried, x->psi) - tile6_same(z, x->psi);
  o->x[Q_CB] = -o->x[Q_BC];
  o->x[Q_AC] = tile6_same(more, x->S);
  o->x[Q_CA] = tile6_same(z, x->Pi) + tile6_same(more + 6 * TILE, x->S);
  o->x[Q_AB] = tile6_same(more + 12 * TILE, x->S);
  o->x[Q_BA] = tile6_same(i, x->Pi) + tile6_same(more + 18 * TILE, x->S);
}

/* ---- from numbers to tensors ---- */

/* Entries [h][i][k] by whose names their indices are, and the number that each tensor has there (-1: zero). */
enum { ACB, BCA, ABC, CBA, BAC, CAB, PLACES };
static const int number_at[4][PLACES] = {{QQ_C, QQ_C, QQ_B, QQ_B, QQ_A, QQ_A},
                                         {QV_C_AB, QV_C_BA, QV_B_AC, QV_B_CA, QV_A_BC, QV_A_CB},
                                         {VV_C, VV_C, VV_B, VV_B, VV_A, VV_A},
                                         {-1, M_AC, -1, M_AB, M_AC, M_AB}};
static const int coriolis_at[2][PLACES] = {{Q_CB, Q_CA, Q_BC, Q_BA, Q_AC, Q_AB}, {V_CB, V_CA, V_BC, V_BA, V_AC, V_AB}};

/* The places to fill: all when a, b, c are different. A place that is another's as well where two of them are one
 * coordinate is filled once; the coordinates of a group meet in every order. */
enum {
  ALL = (1 << PLACES) - 1,
  INNER = 1 << ACB | 1 << ABC | 1 << CBA, /* a and b act together */
  OUTER = 1 << ACB | 1 << BCA | 1 << BAC, /* b and c do */
  OWN = 1 << ACB                          /* all three do */
};

/* How tensors are filled: those of tau, all four of them or some; those of C; sums, where coupled joints share
 * coordinates. */
enum { SET_ALL, SET_SOME, ADD, CORIOLIS_SET, CORIOLIS_ADD };

/* The numbers of coordinates [first, end) of the way with the pair (b, c). */
FLAT void scatter(const second *s, int first, int end, size_t b, size_t c, int places, int how) {
  const int coriolis = how >= CORIOLIS_SET, sum = how == ADD || how == CORIOLIS_ADD;
  real *const out[4] = {s->out[QQ], s->out[QV], s->out[VV], s->out[QA]};
  size_t n = (size_t)s->w.t->nv, nn = n * n;
  const size_t base[PLACES] = {c * n + b, b * nn + c * n, b * n + c, c * nn + b * n, b * nn + c, c * nn + b};
  for (int k = first; k < end; k++) {
    const real *from = tile_number(s->a, k);
    size_t a = (size_t)s->path.at[k], an = a * n, ann = a * nn;
    const size_t at[PLACES] = {base[ACB] + ann, base[BCA] + a,  base[ABC] + ann,
                               base[CBA] + a,   base[BAC] + an, base[CAB] + an};
    real x[VALUES]; /* in registers: the compiler does not know that tensors are elsewhere */
    for (int v = 0; v < VALUES; v++) x[v] = from[v * TILE];
    for (int e = 0; e < (coriolis ? 2 : 4); e++)
      for (int p = 0; p < PLACES && (how == SET_ALL || out[e]); p++) {
        int number = coriolis ? coriolis_at[e & 1][p] : number_at[e][p];
        if (!(places >> p & 1) || number < 0) continue;
        real *to = out[e] + at[p];
        *to = sum ? *to + x[number] : x[number];
      }
  }
}

static inline twist branch_screw(const second *s, int k) {
  const real *x = tile_number(s->path.x, k);
  return (twist){v3(x[0], x[TILE], x[2 * TILE]), v3(x[3 * TILE], x[4 * TILE], x[5 * TILE])};
}

/* The numbers above take dPi_b/dv_a = 2 [S_a, S_b]; in a group it is half of that. And one coordinate's force does not
 * change with its own velocity. */
static inline void correct_own(const second *s, int i, int eb, int ec) {
  const branch *p = &s->path;
  int inner = p->begin[eb], end = p->end[eb];
  if (eb == ec && end - inner == 1) tile_number(s->a, eb)[VV_C * TILE] = ZERO;
  for (int k = inner; k < end && end - inner > 1; k++) { /* Z . [S_k, S_b] = S_k . (S_b x* Z) is there already */
    real *x = tile_number(s->a, k);
    x[VV_C * TILE] -= x[M_AC * TILE];
  }
  if (eb < p->begin[ec] || eb == ec) return;
  wrench half = i_mul(s->w.I[i], t_ad(branch_screw(s, eb), branch_screw(s, ec)));
  for (int k = 0; k < p->begin[ec]; k++) tile_number(s->a, k)[VV_A * TILE] -= power(half, branch_screw(s, k));
}

/* ---- the way to a body ---- */

static inline void branch_put(const second *s, int k, twist S, twist psi, twist ppsi, twist Pi, vec3 arm) {
  const twist all[4] = {t_shift(S, arm), t_shift(psi, arm), t_shift(ppsi, arm), t_shift(Pi, arm)};
  real *x = tile_number(s->path.x, k);
  for (int e = 0; e < 4; e++, x += 6 * TILE) {
    x[0] = all[e].w.x;
    x[TILE] = all[e].w.y;
    x[2 * TILE] = all[e].w.z;
    x[3 * TILE] = all[e].v.x;
    x[4 * TILE] = all[e].v.y;
    x[5 * TILE] = all[e].v.z;
  }
}

/* The coordinates of body j, which are [first, ...) of the way to a body at `arm` from it. */
static inline void branch_own(const second *s, int j, int first, vec3 arm) {
  const linearization *w = &s->w;
  const JN_S(body) *b = &w->t->body[j];
  const branch *p = &s->path;
  int group = is_group(b);
  for (int c = 0; c < b->nv; c++) {
    int d = b->id + c, k = first + c;
    branch_put(s, k, w->S[d], w->psi[d], w->ppsi[d], s->K ? w->Psi[d] : t_add(w->Psi[d], w->psi[d]), arm);
    p->at[k] = b->iv + c;
    p->begin[k] = group ? first : k;
    p->end[k] = group ? first + b->nv : k + 1;
  }
}

/* What is there about the parent's origin, about that of a body at d from it. */
FLAT void branch_shift(struct branch_twists *x, vec3 d) {
  const vec3 back = v3_neg(d);
  x->S.b = tile3_add_cross(x->S.b, back, x->S.a);
  x->psi.b = tile3_add_cross(x->psi.b, back, x->psi.a);
  x->ppsi.b = tile3_add_cross(x->ppsi.b, back, x->ppsi.a);
  x->Pi.b = tile3_add_cross(x->Pi.b, back, x->Pi.a);
}

/* The way to body i, from that to its parent if that is at hand. */
static inline void branch_to(second *s, int i) {
  const JN_S(tree) *t = s->w.t;
  branch *p = &s->path;
  vec3 arm = v3_zero();
  int parent = t->body[i].parent, known = parent >= 0 && parent == p->body ? p->count : 0, first = known;
  for (int j = i; j >= 0 && !known; j = t->body[j].parent) first += t->body[j].nv;
  p->count = known ? known + t->body[i].nv : first;
  p->body = i;
  for (int k = 0; k < tiles_of(known); k++) branch_shift(&p->x[k], s->w.d[i]);
  for (int k = tiles_of(known); k < tiles_of(p->count); k++)
    p->x[k] = (struct branch_twists){0}; /* lanes that no coordinate is in */
  if (known) branch_own(s, i, first, arm);
  for (int j = i; j >= 0 && !known; j = t->body[j].parent) {
    first -= t->body[j].nv;
    branch_own(s, j, first, arm);
    arm = v3_add(arm, s->w.d[j]);
  }
}

/* All of coordinate `own` of body i, but for tiles of a and b that are apart from each other and below coordinate
 * `apart`. */
FLAT void tensors_of(const second *s, int i, int own, int how, int apart) {
  const branch *p = &s->path;
  const JN_S(body) *body = &s->w.t->body[i];
  const int coriolis = how >= CORIOLIS_SET;
  coriolis_pair *others = (coriolis_pair *)(void *)s->pairs;
  int ec = p->count - body->nv + own, outer = p->begin[ec], count = p->end[ec];
  size_t oc = (size_t)p->at[ec];
  if (coriolis) {
    const coriolis_last c = coriolis_outermost(s, i, body->id + own);
    for (int k = 0; k < tiles_of(count); k++) coriolis_pairs(&c, &p->x[k], &others[k]);
  } else {
    const last c = outermost_of(&s->w, i, body->id + own);
    for (int k = 0; k < tiles_of(count); k++) pairs_with(s, &c, &p->x[k], &s->pairs[k]);
  }
  for (int eb = 0; eb < count; eb++) {
    const real *b = coriolis ? tile_number(others, eb) : tile_number(s->pairs, eb);
    size_t ob = (size_t)p->at[eb];
    int inner = p->begin[eb], end = p->end[eb], lo = eb < apart ? eb / TILE : 0;
    for (int k = lo; k < tiles_of(end); k++)
      if (coriolis)
        coriolis_values(b, &p->x[k], &s->a[k]);
      else
        values_of(s, b, &p->x[k], k * TILE < inner, eb < outer, &s->a[k]);
    if (!coriolis && s->out[VV] && (eb == ec || end - inner > 1)) correct_own(s, i, eb, ec);
    if (eb < outer) {
      scatter(s, lo * TILE, inner, ob, oc, ALL, how);
      scatter(s, inner, end, ob, oc, INNER, how);
    } else {
      scatter(s, 0, inner, ob, oc, OUTER, how);
      scatter(s, inner, end, ob, oc, OWN, how);
    }
  }
}

/* Once each: they are long when unrolled. */
#define TENSORS(name, how) \
  static __attribute__((noinline)) void name(const second *s, int i, int own) { tensors_of(s, i, own, how, 0); }
TENSORS(tensors_all, SET_ALL)
TENSORS(tensors_some, SET_SOME)
TENSORS(tensors_add, ADD)
TENSORS(coriolis_set, CORIOLIS_SET)
TENSORS(coriolis_add, CORIOLIS_ADD)
#undef TENSORS

static inline void tensors(const second *s, int i, int own) {
  int coupled = s->w.t->coupled, all = s->out[QQ] && s->out[QV] && s->out[VV] && s->out[QA];
  if (s->K)
    (coupled ? coriolis_add : coriolis_set)(s, i, own);
  else
    (coupled ? tensors_add : all ? tensors_all : tensors_some)(s, i, own);
}

/* ---- chains ----
 * The tensors of 100 joints are 32 MB: written number by number, most lines of the cache are fetched and put away eight
 * times. So in a chain of joints of one coordinate numbers of TILE coordinates a, b and c are written at once, whole
 * tiles along whichever of them comes last. 100 joints: 8.5 ms -> 6.9. */

/* Tiles of numbers v of the block, at p [a or b or c][..][..] of a tensor. */
FLAT void block_store(const values *x, int number, int place, int n, size_t a, size_t b, size_t c, real *T) {
  size_t w = (size_t)n;
  for (size_t e = 0; e < TILE; e++) { /* over b, or over c where b comes last */
    tile t[TILE];
    for (size_t f = 0; f < TILE; f++) t[f] = x[place == ACB || place == CAB ? f * TILE + e : e * TILE + f].x[number];
    if (place != BCA && place != CBA) tile_transpose(t);
    for (size_t f = 0; f < TILE; f++) {
      size_t at = place == BCA   ? ((b + e) * w + c + f) * w + a
                  : place == CBA ? ((c + f) * w + b + e) * w + a
                  : place == ABC ? ((a + f) * w + b + e) * w + c
                  : place == BAC ? ((b + e) * w + a + f) * w + c
                  : place == ACB ? ((a + f) * w + c + e) * w + b
                                 : ((c + e) * w + a + f) * w + b;
      tile_store(t[f], T + at);
    }
  }
}

static __attribute__((noinline)) void block_scatter(const second *s, int a, int b, int c) {
  for (int e = 0; e < 4; e++)
    for (int p = 0; p < PLACES && s->out[e]; p++) {
      if (number_at[e][p] < 0) continue;
#define BLOCK(place)                                                                                       \
  case place:                                                                                              \
    block_store(s->block, number_at[e][p], place, s->w.t->nv, (size_t)a, (size_t)b, (size_t)c, s->out[e]); \
    break
      switch (p) {
        BLOCK(ACB);
        BLOCK(BCA);
        BLOCK(ABC);
        BLOCK(CBA);
        BLOCK(BAC);
        default:
          BLOCK(CAB);
      }
#undef BLOCK
    }
}

static __attribute__((noinline)) void tensors_apart(const second *s, int i, int apart) {
  tensors_of(s, i, 0, SET_SOME, apart);
}

/* Tiles a and b with c. */
static inline void block_fill(const second *s, int a, int b, int c, const struct branch_twists *x, const pair *pairs) {
  int room = tiles_of(s->w.t->nd);
  for (int e = 0; e < TILE * TILE; e++) {
    int own = e % TILE * room;
    values_of(s, tile_number(pairs + own, b + e / TILE), &x[own + a / TILE], 1, 1, &s->block[e]);
  }
  block_scatter(s, a, b, c);
}

/* Coordinates [c, c + count) with all inward of them, count TILE or twice that: two tiles side by side, of a as well,
 * fill lines of the cache. */
enum { SLOTS = 2 * TILE };
static inline void chain_blocks(second *s, int c, int count, struct branch_twists *x, pair *pairs) {
  int room = tiles_of(s->w.t->nd), end = c + count - TILE;
  for (int e = 0; e < count; e++) {
    s->path.x = x + e * room;
    s->path.body = -1;
    s->pairs = pairs + e * room;
    branch_to(s, c + e);
    tensors_apart(s, c + e, c + e / TILE * TILE);
  }
  for (int two = 0; two < end; two += 2 * TILE)
    for (int b = two + TILE; b < end; b += TILE)
      for (int a = two; a < two + 2 * TILE && a < b; a += TILE)
        for (int e = b < c ? 0 : TILE; e < count; e += TILE) block_fill(s, a, b, c + e, x + e * room, pairs + e * room);
}

/* Zeros where nothing will be written: in a chain all coordinates are of one branch, and only M does not change with
 * those inward of an entry (100 joints: 2.7 MB instead of 32). */
static inline void clear_tensors(const second *s) {
  const JN_S(tree) *t = s->w.t;
  size_t n = (size_t)t->nv;
  int chain = t->chain && !t->coupled, ordered = t->chain && t->in_body_order; /* whether what is inward comes first */
  for (int i = 0; i < t->nb; i++) ordered &= !is_group(&t->body[i]);
  for (int e = 0; e < 4; e++)
    if (s->out[e] && !(e == QA ? ordered : chain)) memset(s->out[e], 0, n * n * n * sizeof(real));
  for (size_t h = 0; h < n && s->out[QA] && ordered; h++)
    for (size_t i = h; i < n; i++) memset(s->out[QA] + (h * n + i) * n + h, 0, (n - h) * sizeof(real));
}

/* K of the bodies, then of their subtrees, between the same two steps of the linearization. */
static inline void linearize_with(const linearization *w, crossed *K) {
  const JN_S(tree) *t = w->t;
  linearize_outward(w, 1);
  for (int i = 0; i < t->nb && K; i++) K[i] = crossed_of(w->V[i], w->I[i]);
  linearize_inward(w, 1);
  for (int i = t->nb - 1; i >= 0 && K; i--)
    if (t->body[i].parent >= 0) crossed_add(&K[t->body[i].parent], &K[i], w->d[i]);
}

/* All tensors of a call, of tau or of C. */
static inline void closed_form(const jn_call *c, const jn_inverse_dynamics_second_derivatives_arguments *args,
                               int coriolis, int slots) {
  const JN_S(tree) *t = c->tree;
  real *at = c->scratch;
  second s = {.w = linearization_place(t, 1, HOLD_BODY, args->q, &at), .path.body = -1};
  s.w.v = args->v;
  s.w.a = args->a;
  s.w.W = args->wrench;
  s.w.rows = 1;
  int room = tiles_of(t->nd), i = 0;
  struct branch_twists *x = TAKE_ALIGNED(&at, slots * room, struct branch_twists);
  pair *pairs =
      coriolis ? (pair *)(void *)TAKE_ALIGNED(&at, room, coriolis_pair) : TAKE_ALIGNED(&at, slots * room, pair);
  s.block = TAKE_ALIGNED(&at, slots > 1 ? TILE * TILE : 0, values);
  s.a = TAKE_ALIGNED(&at, room, values);
  s.K = coriolis ? TAKE(&at, t->nb, crossed) : NULL;
  s.path.x = x;
  s.pairs = pairs;
  s.path.at = TAKE_INTS(&at, 3 * t->nd);
  if (counts(c, at)) return;
  for (int e = 0; e < (coriolis ? 2 : 4); e++) s.out[e] = args->outputs[e];
  s.path.begin = s.path.at + t->nd;
  s.path.end = s.path.begin + t->nd;
  linearize_with(&s.w, s.K);
  clear_tensors(&s);
  while (slots > 1 && i + TILE <= t->nb) {
    int count = i + SLOTS <= t->nb ? SLOTS : TILE;
    chain_blocks(&s, i, count, x, pairs);
    i += count;
  }
  for (; i < t->nb; i++) {
    branch_to(&s, i);
    for (int own = 0; own < t->body[i].nv; own++) tensors(&s, i, own);
  }
}

/* in: q, v, a, wrenches held in their bodies (v, a, wrenches may be NULL). out: d2tau/dq2, d2tau/dqdv, d2tau/dv2,
 * dM/dq (NULL: not wanted), [nv x nv x nv], the direction of the later derivative first. */
void JN_(inverse_dynamics_second_derivatives)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  closed_form(c, &c->inverse_dynamics_second_derivatives, 0, LONG_CHAIN(t) && TILE > 1 ? SLOTS : 1);
}

/* in: q, v. out: dC/dq, dC/dv (NULL: not wanted), likewise. */
void JN_(coriolis_matrix_derivatives)(const jn_call *c) {
  const jn_coriolis_matrix_derivatives_arguments *args = &c->coriolis_matrix_derivatives;
  const jn_inverse_dynamics_second_derivatives_arguments both = {
      .q = args->q, .v = args->v, .outputs = {args->dC_dq, args->dC_dv}};
  closed_form(c, &both, 1, 1);
}

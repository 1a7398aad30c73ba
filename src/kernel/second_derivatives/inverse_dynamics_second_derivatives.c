/* SPDX-License-Identifier: BSD-2-Clause */
/* Second derivatives of inverse dynamics in closed form, and the sweep that also fills dM/dq, dC/dq and dC/dv.
 *
 * Differentiating the first derivatives (linearization.h, whose notation this is) once more needs nothing new. For
 * coordinates a inward of b, that inward of c, everything outward of a moves along with a but for
 *
 *   D_a psi_b = [psi_a, S_b],   D_a ppsi_b = [ppsi_a, S_b] + 2 [psi_a, psi_b],   D_a B = B(psi_a)
 *
 * where B(X) is B of the same inertia with the twist X, B(X) Y - B(Y) X = -2 I [X, Y]; and c moves the inertias of all
 * bodies outward of it:
 *
 *   dI = S_c x* I_c - I_c ad_{S_c},   dB = S_c x* B_c - B_c ad_{S_c} + B_c(psi_c),   dF = X_c = Y_c + S_c x* F_c
 *
 * Only coordinates of one branch have an entry together. With Z = I_c S_c, U = B_c^T S_c, E y = B_c(y)^T S_c =
 * -B_c(S_c)^T y, Pi = Psi + psi, Yv = I_c Pi_c + B_c S_c:
 *
 *   d2tau_c/dq_a dq_b = (S_b x* Z) . ppsi_a + (S_b x* U + E psi_b) . psi_a
 *   d2tau_b/dq_a dq_c = (dI S_b) . ppsi_a + (dB^T S_b) . psi_a
 *   d2tau_a/dq_b dq_c = S_a . (dI ppsi_b + dB psi_b + S_b x* X_c)
 *
 *   d2tau_c/dq_a dv_b = (E S_b) . psi_a = -d2tau_b/dq_a dv_c
 *   d2tau_c/dq_b dv_a = (S_b x* Z) . Pi_a + (S_b x* U + E psi_b) . S_a
 *   d2tau_b/dq_c dv_a = (dI S_b) . Pi_a + (dB^T S_b) . S_a
 *   d2tau_a/dq_b dv_c = S_a . (S_b x* Yv + B(S_c) psi_b)
 *   d2tau_a/dq_c dv_b = S_a . (dI Pi_b + dB S_b)
 *
 *   d2tau/dq da = dM/dq                                            first_derivatives/mass_matrix_derivative.h
 *   d2tau_c/dv_a dv_b = dM_ac/dq_b - dM_ab/dq_c = -d2tau_b/dv_a dv_c
 *   d2tau_a/dv_b dv_c = dM_ac/dq_b + dM_ab/dq_c                    Christoffel symbols
 *
 * They hold as well where coordinates coincide. The screws of a group (spherical, free) move each other: there the
 * first of two names is the direction that is taken last, and dPsi_b/dv_a = [S_a, S_b] is half of what it is elsewhere.
 * All is in world axes, about the origin of the body of c. Eight products for each pair (b, c), then products of six
 * numbers: O(n d^2), as many operations as there are entries. The sweep and its symbols: tensors.h; the terms of C:
 * first_derivatives/coriolis_matrix_derivatives.h. Results [nv x nv x nv], the direction of the later derivative first.
 */
#include "../base/variant.h"
#include "../first_derivatives/coriolis_matrix_derivatives.h"
#include "../first_derivatives/mass_matrix_derivative.h"
#include "tensors.h"

/* Whether second derivatives go in blocks: chains of joints of one coordinate. Shorter ones fit into the cache,
 * longer ones would take more scratch memory than all else. */
#define LONG_CHAIN(t) ((t)->chain && (t)->in_body_order && (t)->nd == (t)->nb && (t)->nv >= 40 && (t)->nv <= 256)

/* Terms of c alone. */
typedef struct outermost {
  inertia dI;
  inertia_rates dB, B; /* B(S_c) */
  wrench Z, X, Yv;
  vec3 U;
} outermost;

static inline inertia_rates rates_of(twist X, inertia I) {
  wrench P = i_mul(I, X);
  return (inertia_rates){inertia_rate(X, I).J, P.m, P.f};
}

/* The terms of coordinate d of body i. */
static inline outermost set_outermost(const linearization *lin, int i, int d) {
  const JN_S(body) *body = &lin->tree->body[i];
  column x = is_revolute(body) ? revolute_column(lin, i, d) : column_order(lin, i, d, 0);
  inertia I = lin->I[i];
  inertia_rates B = lin->B[i];
  twist S = lin->S[d];
  outermost c = {.Z = x.Z, .X = w_add(x.Y, x.F), .Yv = x.Yv, .U = x.U, .dI = inertia_rate(S, I)};
  wrench P = w_cross(S, (wrench){B.L, B.P}); /* B moved along, and B of psi */
  c.dB = rates_add((inertia_rates){inertia_rate(S, (inertia){ZERO, B.P, B.Q}).J, P.m, P.f}, rates_of(lin->psi[d], I));
  c.B = (inertia_rates){c.dI.J, c.Z.m, c.Z.f};
  return c;
}

/* Whether more is wanted than what dM/dq gives. */
static inline int more_than_mass_matrix(const tensor_sweep *sweep) { return sweep->out[QQ] || sweep->out[QV]; }

/* Pairs of c with the TILE coordinates of one tile of its branch. */
static inline void set_pairs(const tensor_sweep *sweep, const outermost *c, const struct branch_twists *branch_b,
                             pair *pairs) {
  tile6 S = branch_b->S, psi = branch_b->psi;
  pairs->SZ = tile6_cross(S, c->Z);
  pairs->dIS = dI_times(&c->dI, S);
  if (!more_than_mass_matrix(sweep)) return;

  /* dB^T S and dI Pi + dB S. */
  tile3 Qw = tile3_symmetric(c->dB.Q, S.a), Lw = tile3_across(c->dB.L, S.a), Pw = tile3_across(c->dB.P, S.a);
  pairs->dBS = tile3_add(tile3_add(Qw, Lw), tile3_times(2, tile3_across(c->dB.P, S.b)));
  pairs->dIPi = tile6_add(dI_times(&c->dI, branch_b->Pi), B_times(Qw, Lw, Pw));

  /* dI ppsi + dB psi + S x* X. */
  Qw = tile3_symmetric(c->dB.Q, psi.a), Lw = tile3_across(c->dB.L, psi.a), Pw = tile3_across(c->dB.P, psi.a);
  pairs->X = tile6_add(tile6_add(dI_times(&c->dI, branch_b->ppsi), tile6_cross(S, c->X)), B_times(Qw, Lw, Pw));

  /* E S = -B(S_c)^T S. */
  Qw = tile3_symmetric(c->B.Q, S.a), Lw = tile3_across(c->B.L, S.a);
  pairs->ES = tile3_times(-1, tile3_add(tile3_add(Qw, Lw), tile3_times(2, tile3_across(c->B.P, S.b))));

  /* S x* Yv + B(S_c) psi, and S x* U + E psi. */
  Qw = tile3_symmetric(c->B.Q, psi.a), Lw = tile3_across(c->B.L, psi.a), Pw = tile3_across(c->B.P, psi.a);
  pairs->Yv = tile6_add(tile6_cross(S, c->Yv), B_times(Qw, Lw, Pw));
  tile3 Epsi = tile3_add(tile3_add(Qw, Lw), tile3_times(2, tile3_across(c->B.P, psi.b)));
  pairs->SU = tile3_add(tile3_crossed(S.a, c->U), tile3_times(-1, Epsi));
}

/* The numbers of TILE coordinates a with one pair. They are written where they are ready, so that the compiler reads
 * the twists again instead of keeping more of them than there are registers. a_before_b, b_before_c: whether there is
 * an a that does not act together with b, and whether b does not act together with c; otherwise some numbers have no
 * place. */
FLAT void set_values(const tensor_sweep *sweep, const real *pair_of_b, const struct branch_twists *branch_a,
                     int a_before_b, int b_before_c, values *numbers) {
  set_mass_matrix_values(pair_of_b, branch_a, numbers);

  /* By two velocities. */
  numbers->x[VV_C] = numbers->x[M_AC] - numbers->x[M_AB];
  numbers->x[VV_B] = numbers->x[M_AB] - numbers->x[M_AC];
  numbers->x[VV_A] = numbers->x[M_AB] + numbers->x[M_AC];
  if (!more_than_mass_matrix(sweep)) return;

  /* By two positions, or a position and a velocity: the force of c, */
  numbers->x[QQ_C] =
      tile6_same(pair_of_b + SZ * TILE, branch_a->ppsi) + tile3_same(pair_of_b + SU * TILE, branch_a->psi.a);
  numbers->x[QV_C_AB] = tile3_same(pair_of_b + ES * TILE, branch_a->psi.a);

  /* of b, */
  if (b_before_c) {
    numbers->x[QV_B_AC] = -numbers->x[QV_C_AB];
    numbers->x[QQ_B] =
        tile6_same(pair_of_b + DIS * TILE, branch_a->ppsi) + tile3_same(pair_of_b + DBS * TILE, branch_a->psi.a);
    numbers->x[QV_B_CA] =
        tile6_same(pair_of_b + DIS * TILE, branch_a->Pi) + tile3_same(pair_of_b + DBS * TILE, branch_a->S.a);
  }

  /* and of a. */
  if (a_before_b) {
    numbers->x[QV_C_BA] =
        tile6_same(pair_of_b + SZ * TILE, branch_a->Pi) + tile3_same(pair_of_b + SU * TILE, branch_a->S.a);
    numbers->x[QQ_A] = tile6_same(pair_of_b + XB * TILE, branch_a->S);
    numbers->x[QV_A_BC] = tile6_same(pair_of_b + YV * TILE, branch_a->S);
    numbers->x[QV_A_CB] = tile6_same(pair_of_b + DIPI * TILE, branch_a->S);
  }
}

/* ---- from numbers to tensors ---- */

/* Entries [h][i][k] of a tensor, named by whose indices h, i, k are, and the number that belongs there (-1: zero). */
enum { ACB, BCA, ABC, CBA, BAC, CAB, PLACES };
static const int number_at[4][PLACES] = {{QQ_C, QQ_C, QQ_B, QQ_B, QQ_A, QQ_A},
                                         {QV_C_AB, QV_C_BA, QV_B_AC, QV_B_CA, QV_A_BC, QV_A_CB},
                                         {VV_C, VV_C, VV_B, VV_B, VV_A, VV_A},
                                         {-1, M_AC, -1, M_AB, M_AC, M_AB}};
static const int coriolis_at[2][PLACES] = {{Q_CB, Q_CA, Q_BC, Q_BA, Q_AC, Q_AB}, {V_CB, V_CA, V_BC, V_BA, V_AC, V_AB}};

/* The places to fill: all when a, b, c are different. A place that two of them share because they are one coordinate is
 * filled once; the coordinates of a group are combined in every order. */
enum {
  ALL = (1 << PLACES) - 1,
  INNER = 1 << ACB | 1 << ABC | 1 << CBA, /* a and b act together */
  OUTER = 1 << ACB | 1 << BCA | 1 << BAC, /* b and c do */
  OWN = 1 << ACB                          /* all three do */
};

/* How tensors are filled: all four of tau, or some; those of C; added up where coupled joints share coordinates. */
enum { SET_ALL, SET_SOME, ADD, CORIOLIS_SET, CORIOLIS_ADD };

/* Stores the numbers of coordinates [first, end) of the branch with the pair (b, c). */
FLAT void scatter(const tensor_sweep *sweep, int first, int end, size_t b, size_t c, int places, int how) {
  const int coriolis = how >= CORIOLIS_SET, sum = how == ADD || how == CORIOLIS_ADD;
  real *const out[4] = {sweep->out[QQ], sweep->out[QV], sweep->out[VV], sweep->out[QA]};
  size_t n = (size_t)sweep->lin.tree->nv, nn = n * n;
  const size_t base[PLACES] = {c * n + b, b * nn + c * n, b * n + c, c * nn + b * n, b * nn + c, c * nn + b};
  for (int k = first; k < end; k++) {
    const real *from = tile_number(sweep->numbers, k);
    size_t a = (size_t)sweep->path.iv[k], an = a * n, ann = a * nn;
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

static inline twist screw_of_branch(const tensor_sweep *sweep, int k) {
  const real *x = tile_number(sweep->path.x, k);
  return (twist){v3(x[0], x[TILE], x[2 * TILE]), v3(x[3 * TILE], x[4 * TILE], x[5 * TILE])};
}

/* The numbers above assume dPi_b/dv_a = 2 [S_a, S_b]; in a group it is half of that. And one coordinate's force does
 * not change with its own velocity. */
static inline void correct_velocity_terms(const tensor_sweep *sweep, int i, int b_at, int c_at) {
  const branch *path = &sweep->path;
  int inner = path->begin[b_at], end = path->end[b_at];
  if (b_at == c_at && end - inner == 1) tile_number(sweep->numbers, b_at)[VV_C * TILE] = ZERO;
  for (int k = inner; k < end && end - inner > 1; k++) { /* Z . [S_k, S_b] = S_k . (S_b x* Z) is there already */
    real *x = tile_number(sweep->numbers, k);
    x[VV_C * TILE] -= x[M_AC * TILE];
  }
  if (b_at < path->begin[c_at] || b_at == c_at) return;
  wrench half = i_mul(sweep->lin.I[i], t_ad(screw_of_branch(sweep, b_at), screw_of_branch(sweep, c_at)));
  for (int k = 0; k < path->begin[c_at]; k++)
    tile_number(sweep->numbers, k)[VV_A * TILE] -= power(half, screw_of_branch(sweep, k));
}

/* Fills all entries of coordinate `own` of body i, except those that blocks fill: for b below coordinate `blocked`,
 * the tiles of a before that of b. */
FLAT void fill_tensors_of(const tensor_sweep *sweep, int i, int own, int how, int blocked) {
  const branch *path = &sweep->path;
  const JN_S(body) *body = &sweep->lin.tree->body[i];
  const int coriolis = how >= CORIOLIS_SET;
  coriolis_pair *others = (coriolis_pair *)(void *)sweep->pairs;
  int c_at = path->count - body->nv + own, outer = path->begin[c_at], count = path->end[c_at];
  size_t c_iv = (size_t)path->iv[c_at];

  /* Terms of c, and its pairs with all b of the branch. */
  if (coriolis) {
    const coriolis_outermost_terms c = coriolis_outermost_of(sweep, i, body->id + own);
    for (int k = 0; k < tiles_of(count); k++) set_coriolis_pairs(&c, &path->x[k], &others[k]);
  } else {
    const outermost c = set_outermost(&sweep->lin, i, body->id + own);
    for (int k = 0; k < tiles_of(count); k++) set_pairs(sweep, &c, &path->x[k], &sweep->pairs[k]);
  }
  for (int b_at = 0; b_at < count; b_at++) {
    /* Numbers of all a with the pair (b, c). */
    const real *b = coriolis ? tile_number(others, b_at) : tile_number(sweep->pairs, b_at);
    size_t b_iv = (size_t)path->iv[b_at];
    int inner = path->begin[b_at], end = path->end[b_at], first_tile = b_at < blocked ? b_at / TILE : 0;
    for (int k = first_tile; k < tiles_of(end); k++)
      if (coriolis)
        set_coriolis_values(b, &path->x[k], &sweep->numbers[k]);
      else
        set_values(sweep, b, &path->x[k], k * TILE < inner, b_at < outer, &sweep->numbers[k]);
    if (!coriolis && sweep->out[VV] && (b_at == c_at || end - inner > 1)) correct_velocity_terms(sweep, i, b_at, c_at);

    /* Into the tensors. */
    if (b_at < outer) {
      scatter(sweep, first_tile * TILE, inner, b_iv, c_iv, ALL, how);
      scatter(sweep, inner, end, b_iv, c_iv, INNER, how);
    } else {
      scatter(sweep, 0, inner, b_iv, c_iv, OUTER, how);
      scatter(sweep, inner, end, b_iv, c_iv, OWN, how);
    }
  }
}

/* Instances, not inlined because they are long when unrolled. */
#define TENSORS(name, how)                                                                \
  static __attribute__((noinline)) void name(const tensor_sweep *sweep, int i, int own) { \
    fill_tensors_of(sweep, i, own, how, 0);                                               \
  }
TENSORS(fill_all_tensors, SET_ALL)
TENSORS(fill_some_tensors, SET_SOME)
TENSORS(add_tensors, ADD)
TENSORS(fill_coriolis_tensors, CORIOLIS_SET)
TENSORS(add_coriolis_tensors, CORIOLIS_ADD)
#undef TENSORS

/* Fills all entries of coordinate `own` of body i. */
static inline void fill_tensors(const tensor_sweep *sweep, int i, int own) {
  int coupled = sweep->lin.tree->coupled, all = sweep->out[QQ] && sweep->out[QV] && sweep->out[VV] && sweep->out[QA];
  if (sweep->K)
    (coupled ? add_coriolis_tensors : fill_coriolis_tensors)(sweep, i, own);
  else
    (coupled ? add_tensors : all ? fill_all_tensors : fill_some_tensors)(sweep, i, own);
}

/* ---- chains ----
 * The tensors of 100 joints are 32 MB: written number by number, most lines of the cache are fetched and put away eight
 * times. So in a chain of joints of one coordinate numbers of TILE coordinates a, b and c are written at once, whole
 * tiles along whichever of them comes last. 100 joints: 8.5 ms -> 6.9. */

/* Stores one number of a block at one place of the tensor T: tiles along whichever of a, b, c is the last index. */
FLAT void store_block(const values *x, int number, int place, int n, size_t a, size_t b, size_t c, real *T) {
  size_t lin = (size_t)n;
  for (size_t e = 0; e < TILE; e++) { /* over b, or over c where b comes last */
    tile t[TILE];
    for (size_t f = 0; f < TILE; f++) t[f] = x[place == ACB || place == CAB ? f * TILE + e : e * TILE + f].x[number];
    if (place != BCA && place != CBA) tile_transpose(t);
    for (size_t f = 0; f < TILE; f++) {
      size_t at = place == BCA   ? ((b + e) * lin + c + f) * lin + a
                  : place == CBA ? ((c + f) * lin + b + e) * lin + a
                  : place == ABC ? ((a + f) * lin + b + e) * lin + c
                  : place == BAC ? ((b + e) * lin + a + f) * lin + c
                  : place == ACB ? ((a + f) * lin + c + e) * lin + b
                                 : ((c + e) * lin + a + f) * lin + b;
      tile_store(t[f], T + at);
    }
  }
}

static __attribute__((noinline)) void scatter_block(const tensor_sweep *sweep, int a, int b, int c) {
  for (int e = 0; e < 4; e++)
    for (int p = 0; p < PLACES && sweep->out[e]; p++) {
      if (number_at[e][p] < 0) continue;
#define BLOCK(place)                                                                                        \
  case place:                                                                                               \
    store_block(sweep->block, number_at[e][p], place, sweep->lin.tree->nv, (size_t)a, (size_t)b, (size_t)c, \
                sweep->out[e]);                                                                             \
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

static __attribute__((noinline)) void fill_near_tensors(const tensor_sweep *sweep, int i, int blocked) {
  fill_tensors_of(sweep, i, 0, SET_SOME, blocked);
}

/* The block of tiles a, b and c: its numbers, then its entries. */
static inline void fill_block(const tensor_sweep *sweep, int a, int b, int c, const struct branch_twists *x,
                              const pair *pairs) {
  int tiles = tiles_of(sweep->lin.tree->nd);
  for (int e = 0; e < TILE * TILE; e++) {
    int own = e % TILE * tiles;
    set_values(sweep, tile_number(pairs + own, b + e / TILE), &x[own + a / TILE], 1, 1, &sweep->block[e]);
  }
  scatter_block(sweep, a, b, c);
}

/* Coordinates [c, c + count) with all inward of them; count is TILE or twice that: two tiles side by side, of a as
 * well, fill lines of the cache. */
enum { CHAIN_SLOTS = 2 * TILE };
static inline void fill_chain_blocks(tensor_sweep *sweep, int c, int count, struct branch_twists *x, pair *pairs) {
  int tiles = tiles_of(sweep->lin.tree->nd), end = c + count - TILE;
  for (int e = 0; e < count; e++) {
    sweep->path.x = x + e * tiles;
    sweep->path.body = -1;
    sweep->pairs = pairs + e * tiles;
    go_to_body(sweep, c + e);
    fill_near_tensors(sweep, c + e, c + e / TILE * TILE);
  }
  for (int two = 0; two < end; two += 2 * TILE)
    for (int b = two + TILE; b < end; b += TILE)
      for (int a = two; a < two + 2 * TILE && a < b; a += TILE)
        for (int e = b < c ? 0 : TILE; e < count; e += TILE)
          fill_block(sweep, a, b, c + e, x + e * tiles, pairs + e * tiles);
}

/* Writes zeros where nothing else will be written. In a chain all coordinates are of one branch, and only M does not
 * change with coordinates inward of an entry (100 joints: 2.7 MB instead of 32). */
static inline void clear_tensors(const tensor_sweep *sweep) {
  const JN_S(tree) *tree = sweep->lin.tree;
  size_t n = (size_t)tree->nv;
  int chain = tree->chain && !tree->coupled,
      ordered = tree->chain && tree->in_body_order; /* ordered: what is inward comes first */
  for (int i = 0; i < tree->nb; i++) ordered &= !is_group(&tree->body[i]);
  for (int e = 0; e < 4; e++)
    if (sweep->out[e] && !(e == QA ? ordered : chain)) memset(sweep->out[e], 0, n * n * n * sizeof(real));
  for (size_t h = 0; h < n && sweep->out[QA] && ordered; h++)
    for (size_t i = h; i < n; i++) memset(sweep->out[QA] + (h * n + i) * n + h, 0, (n - h) * sizeof(real));
}

/* The linearization, and for C the sums K of V x* I over subtrees. */
static inline void linearize_with_coriolis(const linearization *lin, crossed *K) {
  const JN_S(tree) *tree = lin->tree;
  linearize_outward(lin, 1);
  for (int i = 0; i < tree->nb && K; i++) K[i] = crossed_of(lin->V[i], lin->I[i]);
  linearize_inward(lin, 1);
  for (int i = tree->nb - 1; i >= 0 && K; i--)
    if (tree->body[i].parent >= 0) crossed_add(&K[tree->body[i].parent], &K[i], lin->d[i]);
}

/* All tensors of a call, of tau or of C. chains_at_once: 1, or CHAIN_SLOTS if blocks of a chain are filled. */
static inline void fill_tensors_of_call(const jn_call *call,
                                        const jn_inverse_dynamics_second_derivatives_arguments *args, int coriolis,
                                        int chains_at_once) {
  const JN_S(tree) *tree = call->tree;
  real *at = call->scratch;
  tensor_sweep sweep = {.lin = linearization_place(tree, 1, WRENCH_IN_BODY, args->q, &at), .path.body = -1};
  sweep.lin.v = args->v;
  sweep.lin.a = args->a;
  sweep.lin.W = args->wrench;
  sweep.lin.rows = 1;

  int tiles = tiles_of(tree->nd), i = 0;
  struct branch_twists *twists = TAKE_ALIGNED(&at, chains_at_once * tiles, struct branch_twists);
  pair *pairs = coriolis ? (pair *)(void *)TAKE_ALIGNED(&at, tiles, coriolis_pair)
                         : TAKE_ALIGNED(&at, chains_at_once * tiles, pair);
  sweep.block = TAKE_ALIGNED(&at, chains_at_once > 1 ? TILE * TILE : 0, values);
  sweep.numbers = TAKE_ALIGNED(&at, tiles, values);
  sweep.K = coriolis ? TAKE(&at, tree->nb, crossed) : NULL;
  sweep.path.x = twists;
  sweep.pairs = pairs;
  sweep.path.iv = TAKE_INTS(&at, 3 * tree->nd);
  if (counts(call, at)) return;

  /* The linearization; zeros. */
  for (int e = 0; e < (coriolis ? 2 : 4); e++) sweep.out[e] = args->outputs[e];
  sweep.path.begin = sweep.path.iv + tree->nd;
  sweep.path.end = sweep.path.begin + tree->nd;
  linearize_with_coriolis(&sweep.lin, sweep.K);
  clear_tensors(&sweep);

  /* Blocks of a chain, then all that is left, body by body. */
  while (chains_at_once > 1 && i + TILE <= tree->nb) {
    int count = i + CHAIN_SLOTS <= tree->nb ? CHAIN_SLOTS : TILE;
    fill_chain_blocks(&sweep, i, count, twists, pairs);
    i += count;
  }
  for (; i < tree->nb; i++) {
    go_to_body(&sweep, i);
    for (int own = 0; own < tree->body[i].nv; own++) fill_tensors(&sweep, i, own);
  }
}

/* Kernel of jn_inverse_dynamics_second_derivatives() and jn_mass_matrix_derivative().
 *   in:  q, v, a, wrenches that are fixed to their bodies (v, a, wrenches may be NULL)
 *   out: d2tau/dq2, d2tau/dqdv, d2tau/dv2, dM/dq; NULL: not wanted */
void JN_(inverse_dynamics_second_derivatives)(const jn_call *call) {
  const JN_S(tree) *tree = call->tree;
  fill_tensors_of_call(call, &call->inverse_dynamics_second_derivatives, 0,
                       LONG_CHAIN(tree) && TILE > 1 ? CHAIN_SLOTS : 1);
}

/* Kernel of jn_coriolis_matrix_derivatives(). in: q, v. out: dC/dq, dC/dv; NULL: not wanted. */
void JN_(coriolis_matrix_derivatives)(const jn_call *call) {
  const jn_coriolis_matrix_derivatives_arguments *args = &call->coriolis_matrix_derivatives;
  const jn_inverse_dynamics_second_derivatives_arguments both = {
      .q = args->q, .v = args->v, .outputs = {args->dC_dq, args->dC_dv}};
  fill_tensors_of_call(call, &both, 1, 1);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* ABA with coupled coordinates. A coordinate y_s that several joints share cannot be eliminated at one of them: it
 * stays open from its outermost joint inwards, until all its joints have been met. Till then a body has, besides its
 * articulated inertia I and bias p, the wrench U_s that a unit of y_s takes, and the equation of y_s is
 *   U_s.A + sum_t D_st y_t = u_s
 * Joint of an open coordinate, screw S:   D_ss += S.I S + 2 S.U_s,  D_st += S.U_t,  u_s -= S.p,  then U_s += I S
 * Other coordinate, eliminated with U, D: C_t = S.U_t,  D_tr -= C_t C_r / D,  u_t -= C_t u / D,  U_t -= U C_t / D
 * All joints met:                         y_s is eliminated likewise, with U_s, D_ss, and C_t = D_st
 * Known accelerations c of a body:        u_s -= U_s.c
 * Grippers and hands have one open coordinate at a time, so that this takes no longer than joints without coupling. */
#ifndef JN_KERNEL_FORWARD_DYNAMICS_ABA_COUPLED_H
#define JN_KERNEL_FORWARD_DYNAMICS_ABA_COUPLED_H

#include "articulated.h"
#include "by_factors.h"

/* An open coordinate at a body; slots of a body are a list. */
typedef struct open_slot {
  wrench U;
  int32_t s, seen, next; /* which; joints met so far in the body's subtree; the next slot, or -1 */
} open_slot;

/* y_s in what has been eliminated: c_t = C_t / D. */
typedef struct open_term {
  real c;
  int32_t s;
} open_term;

/* A coordinate that several joints share. */
typedef struct shared_coordinate {
  real u, y, gross;
  wrench U; /* U_s / D when it is eliminated */
  real inverse;
  int32_t joints, iv, place, body; /* how many; in v; in the order of elimination; where it is eliminated, -1: world */
  int32_t own;                     /* at a joint of its own, else at the body that its joints hang on */
  int32_t first, end;              /* of its terms */
} shared_coordinate;

typedef struct open_coordinates {
  const JN_S(tree) * t;
  shared_coordinate *x;      /* [shared] */
  real *D;                   /* [shared x shared] */
  int32_t shared;            /* how many */
  int32_t *of;               /* [nv] of a place in the order of elimination: which of the shared, or -1 */
  int32_t *head;             /* [nb + 1] first slot of a body; of the world */
  int32_t *closed, closings; /* [shared] which, in the order of elimination */
  open_slot *slot;           /* [nd] */
  int32_t slots;
  open_term *term; /* [nd x shared] */
  int32_t terms;
  int32_t *first, *end; /* [nd] terms of a joint's coordinate */
} open_coordinates;

/* How many coordinates are shared. */
static inline int shared_count(const JN_S(tree) * t) {
  int joints = 0;
  for (int i = 0; i < t->nb; i++) joints += !t->body[i].owner;
  return joints; /* at most: each has a joint that follows */
}

static inline open_coordinates open_place(const JN_S(tree) * t, real **at) {
  int most = shared_count(t);
  open_coordinates o = {.t = t, .x = TAKE(at, most, shared_coordinate), .D = take(at, (size_t)(most * most))};
  o.slot = TAKE(at, t->nd, open_slot);
  o.term = TAKE(at, (t->nd + most) * most, open_term);
  o.of = TAKE_INTS(at, t->nv);
  o.head = TAKE_INTS(at, t->nb + 1);
  o.closed = TAKE_INTS(at, most);
  o.first = TAKE_INTS(at, t->nd);
  o.end = TAKE_INTS(at, t->nd);
  return o;
}

/* u of coordinates that are prescribed is not needed: they are not open. */
static inline void open_fill(open_coordinates *o, const unsigned char *prescribed, const real *driving) {
  const JN_S(tree) *t = o->t;
  o->shared = o->closings = o->slots = o->terms = 0;
  for (int k = 0; k < t->nv; k++) o->of[k] = -1;
  for (int i = 0; i <= t->nb; i++) o->head[i] = -1;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    int place = t->place[b->id];
    if (b->owner || o->of[place] >= 0 || !is_free(prescribed, b->iv)) continue;
    o->x[o->shared] = (shared_coordinate){.u = driving ? driving[b->iv] : ZERO, .iv = b->iv, .place = place};
    o->x[o->shared].y = o->x[o->shared].gross = ZERO;
    o->of[place] = o->shared++;
  }
  for (int i = 0; i < t->nb; i++)
    if (t->body[i].nv == 1 && o->of[t->place[t->body[i].id]] >= 0) o->x[o->of[t->place[t->body[i].id]]].joints++;
  for (int k = 0; k < o->shared * o->shared; k++) o->D[k] = ZERO;
}

/* I -= U U^T / D, as eliminate() does with its own U. */
static inline void body_minus(body_inertia *I, wrench U, real inverse) {
#if JN_REGISTERS
  r4 m = sp_of(U.m), f = sp_of(U.f), by[2] = {inverse * m, inverse * f};
  const real M[3] = {U.m.x, U.m.y, U.m.z}, F[3] = {U.f.x, U.f.y, U.f.z};
  for (int k = 0; k < 3; k++) {
    I->J[k] -= M[k] * by[0];
    I->G[k] -= M[k] * by[1];
    I->M[k] -= F[k] * by[1];
  }
#else
  wrench by = {v3_scale(inverse, U.m), v3_scale(inverse, U.f)};
  I->J = s3_minus(I->J, by.m, U.m);
  I->M = s3_minus(I->M, by.f, U.f);
  I->H.x = v3_axpy(-U.f.x, by.m, I->H.x);
  I->H.y = v3_axpy(-U.f.y, by.m, I->H.y);
  I->H.z = v3_axpy(-U.f.z, by.m, I->H.z);
#endif
}

/* to - s x */
static inline wrench w_minus(real s, wrench x, wrench to) {
  return (wrench){v3_axpy(-s, x.m, to.m), v3_axpy(-s, x.f, to.f)};
}

/* Something with U / D = by and the force u is eliminated at body i; C_t of the slots from `from` on, S.U_t, or D_st of
 * row s if that is not negative. */
static inline void open_eliminate(open_coordinates *o, int i, wrench by, real inverse, real u, const twist *S, int s) {
  int first = o->terms, n = o->shared;
  for (int k = o->head[i]; k >= 0; k = o->slot[k].next) {
    open_slot *slot = &o->slot[k];
    if (slot->s == s) continue;
    real C = S ? power(slot->U, *S) : o->D[s * n + slot->s];
    o->term[o->terms++] = (open_term){C, slot->s};
    slot->U = w_minus(C, by, slot->U);
  }
  for (int k = first; k < o->terms; k++) {
    int a = o->term[k].s;
    real c = inverse * o->term[k].c;
    o->x[a].u -= c * u;
    for (int l = first; l < o->terms; l++) o->D[a * n + o->term[l].s] -= c * o->term[l].c;
  }
  for (int k = first; k < o->terms; k++) o->term[k].c *= inverse;
}

/* y_s is eliminated at body i, of whose list the slot is taken; p [the body's bias] and I are changed. */
static inline void open_close(open_coordinates *o, int i, int k, int own, body_inertia *I, wrench *p, real *pivots) {
  open_slot *slot = &o->slot[k];
  shared_coordinate *x = &o->x[slot->s];
  int s = slot->s, *from = &o->head[i];
  while (*from != k) from = &o->slot[*from].next;
  *from = slot->next;
  real D = o->D[s * (o->shared + 1)];
  x->inverse = K(1) / D;
  x->U = (wrench){v3_scale(x->inverse, slot->U.m), v3_scale(x->inverse, slot->U.f)};
  x->body = i == o->t->nb ? -1 : i;
  x->own = own;
  x->first = o->terms;
  open_eliminate(o, i, x->U, x->inverse, x->u, NULL, s);
  x->end = o->terms;
  o->closed[o->closings++] = s;
  pivots[x->place] = relative(D, x->gross);
  if (!I) return; /* the world */
  body_minus(I, slot->U, x->inverse);
  *p = w_minus(-x->u, x->U, *p);
}

/* Those whose joints have all been met further out. */
static inline void open_close_met(open_coordinates *o, int i, body_inertia *I, wrench *p, real *pivots) {
  for (int k = o->head[i], next; k >= 0; k = next) {
    next = o->slot[k].next;
    if (o->slot[k].seen == o->x[o->slot[k].s].joints) open_close(o, i, k, 0, I, p, pivots);
  }
}

/* The joint of body i, which moves by a shared coordinate. */
static inline void open_joint(open_coordinates *o, int i, twist S, body_inertia *I, wrench *p, real *pivots) {
  const JN_S(body) *b = &o->t->body[i];
  int s = o->of[o->t->place[b->id]], n = o->shared, k = o->head[i];
  while (k >= 0 && o->slot[k].s != s) k = o->slot[k].next;
  if (k < 0) {
    k = o->slots++;
    o->slot[k] = (open_slot){w_zero(), s, 0, o->head[i]};
    o->head[i] = k;
  }
  open_slot *slot = &o->slot[k];
  shared_coordinate *x = &o->x[s];
  wrench IS = body_mul(I, S);
  o->D[s * (n + 1)] += power(IS, S) + K(2) * power(slot->U, S) + armature_of(o->t, b, 0);
  for (int l = o->head[i]; l >= 0; l = o->slot[l].next) {
    if (l == k) continue;
    real C = power(o->slot[l].U, S);
    o->D[s * n + o->slot[l].s] += C;
    o->D[o->slot[l].s * n + s] += C;
  }
  x->u -= power(*p, S);
  x->gross += splat(o->t->gross[b->id]);
  slot->U = w_add(slot->U, IS);
  if (++slot->seen == x->joints) open_close(o, i, k, 1, I, p, pivots);
}

/* Body i hands its open coordinates to its parent, about whose origin its own is at d; c: its known acceleration. */
static inline void open_hand(open_coordinates *o, int i, twist c, vec3 d) {
  int parent = o->t->body[i].parent < 0 ? o->t->nb : o->t->body[i].parent;
  for (int k = o->head[i], next; k >= 0; k = next) {
    open_slot *slot = &o->slot[k];
    next = slot->next;
    o->x[slot->s].u -= power(slot->U, c);
    wrench U = w_shift(slot->U, d);
    int l = o->head[parent];
    while (l >= 0 && o->slot[l].s != slot->s) l = o->slot[l].next;
    if (l >= 0) {
      o->slot[l].U = w_add(o->slot[l].U, U);
      o->slot[l].seen += slot->seen;
      continue;
    }
    slot->U = U;
    slot->next = o->head[parent];
    o->head[parent] = k;
  }
  o->head[i] = -1;
}

/* sum c_t y_t */
static inline real open_sum(const open_coordinates *o, int first, int end) {
  real sum = ZERO;
  for (int k = first; k < end; k++) sum += o->term[k].c * o->x[o->term[k].s].y;
  return sum;
}

/* The last closing at body i (-1: the world) with acceleration A, at its own joint or not; 0 when there is none left.
 */
static inline int open_solve(open_coordinates *o, int i, int own, twist A) {
  shared_coordinate *x = o->closings ? &o->x[o->closed[o->closings - 1]] : NULL;
  if (!x || x->body != i || x->own != own) return 0;
  x->y = x->inverse * x->u - power(x->U, A) - open_sum(o, x->first, x->end);
  o->closings--;
  return 1;
}

#endif

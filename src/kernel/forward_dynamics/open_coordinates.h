/* SPDX-License-Identifier: BSD-2-Clause */
/* The articulated-body algorithm with coupled coordinates (forward_dynamics.c).
 *
 * A coordinate y_s that several joints share cannot be eliminated at one of them. It stays *open* from its outermost
 * joint inwards, until the sweep has passed all its joints. While it is open, a body has, besides its articulated
 * inertia IA and bias p, the wrench U_s that a unit of y_s needs, and the equation of y_s is
 *
 *   U_s^T A + sum_t D_st y_t = u_s                        A: acceleration of the body, t: open coordinates
 *
 * How the sweep inwards changes it:
 *   joint of an open coordinate, screw S    D_ss += S^T IA S + 2 S^T U_s + armature,  D_st += S^T U_t,
 *                                           u_s -= S^T p,  then U_s += IA S
 *   any other coordinate, eliminated        C_t = S^T U_t,  D_tr -= C_t C_r / D,  u_t -= C_t u / D,  U_t -= U C_t / D
 *   with U, D, u
 *   all joints of y_s passed                y_s is eliminated in the same way, with U_s, D_ss, u_s and C_t = D_st
 *   known acceleration c of a body          u_s -= U_s^T c
 *
 * Grippers and hands have one open coordinate at a time, so that this takes little longer than joints without coupling:
 * Talos with two grippers 3.6 us, and 3.1 when its 12 followers are independent. */
#ifndef JN_KERNEL_FORWARD_DYNAMICS_OPEN_COORDINATES_H
#define JN_KERNEL_FORWARD_DYNAMICS_OPEN_COORDINATES_H

#include "articulated.h"
#include "by_factors.h"

/* An open coordinate at a body. The slots of a body are a linked list. */
typedef struct open_slot {
  wrench U;
  int32_t s, seen, next; /* which; number of its joints in the body's subtree; the next slot, or -1 */
} open_slot;

/* The part of y_s in the solution of an eliminated coordinate: c = C_s / D. */
typedef struct open_term {
  real c;
  int32_t s;
} open_term;

/* A coordinate that several joints share. */
typedef struct shared_coordinate {
  real u, y, reference_inertia;
  wrench U; /* U_s / D when it is eliminated */
  real inverse;
  int32_t joints, iv, place, body; /* how many; in v; in the order of elimination; where it is eliminated, -1: world */
  int32_t own;                     /* at a joint of its own, else at the body that its joints hang on */
  int32_t first, end;              /* of its terms */
} shared_coordinate;

typedef struct open_coordinates {
  const JN_S(tree) * tree;
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

/* The most coordinates that can be shared: each has at least one joint that follows another. */
static inline int shared_count(const JN_S(tree) * tree) {
  int joints = 0;
  for (int i = 0; i < tree->nb; i++) joints += !tree->body[i].owner;
  return joints;
}

/* Takes scratch memory. */
static inline open_coordinates open_place(const JN_S(tree) * tree, real **at) {
  int most = shared_count(tree);
  open_coordinates o = {.tree = tree, .x = TAKE(at, most, shared_coordinate), .D = take(at, (size_t)(most * most))};
  o.slot = TAKE(at, tree->nd, open_slot);
  o.term = TAKE(at, (tree->nd + most) * most, open_term);
  o.of = TAKE_INTS(at, tree->nv);
  o.head = TAKE_INTS(at, tree->nb + 1);
  o.closed = TAKE_INTS(at, most);
  o.first = TAKE_INTS(at, tree->nd);
  o.end = TAKE_INTS(at, tree->nd);
  return o;
}

/* Finds the shared coordinates, and starts with D = 0, u = driving force. Prescribed coordinates are never open. */
static inline void open_fill(open_coordinates *o, const unsigned char *prescribed, const real *driving) {
  const JN_S(tree) *tree = o->tree;

  o->shared = o->closings = o->slots = o->terms = 0;
  for (int k = 0; k < tree->nv; k++) o->of[k] = -1;
  for (int i = 0; i <= tree->nb; i++) o->head[i] = -1;

  /* A joint that does not own its coordinate shares it with another. */
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    int place = tree->elimination_place[body->id];
    if (body->owner || o->of[place] >= 0 || !is_free(prescribed, body->iv)) continue;
    o->x[o->shared] = (shared_coordinate){.u = driving ? driving[body->iv] : ZERO, .iv = body->iv, .place = place};
    o->x[o->shared].y = o->x[o->shared].reference_inertia = ZERO;
    o->of[place] = o->shared++;
  }

  /* How many joints each moves. */
  for (int i = 0; i < tree->nb; i++)
    if (tree->body[i].nv == 1 && o->of[tree->elimination_place[tree->body[i].id]] >= 0)
      o->x[o->of[tree->elimination_place[tree->body[i].id]]].joints++;
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

/* A coordinate is eliminated at body i, with U / D = by, 1 / D = inverse and u: a joint with screw S, C_t = S^T U_t;
 * or, if S is NULL, the open coordinate s, C_t = D_st. Changes the equations of all coordinates open at the body. */
static inline void open_eliminate(open_coordinates *o, int i, wrench by, real inverse, real u, const twist *S, int s) {
  int first = o->terms, n = o->shared;

  /* C_t, and U_t -= U C_t / D. */
  for (int k = o->head[i]; k >= 0; k = o->slot[k].next) {
    open_slot *slot = &o->slot[k];
    if (slot->s == s) continue;
    real C = S ? power(slot->U, *S) : o->D[s * n + slot->s];
    o->term[o->terms++] = (open_term){C, slot->s};
    slot->U = w_minus(C, by, slot->U);
  }

  /* u_t -= C_t u / D,  D_tr -= C_t C_r / D. */
  for (int k = first; k < o->terms; k++) {
    int a = o->term[k].s;
    real c = inverse * o->term[k].c;
    o->x[a].u -= c * u;
    for (int l = first; l < o->terms; l++) o->D[a * n + o->term[l].s] -= c * o->term[l].c;
  }

  /* Kept for the sweep outwards: C_t / D. */
  for (int k = first; k < o->terms; k++) o->term[k].c *= inverse;
}

/* Eliminates the open coordinate of slot k at body i (nb: the world), whose bias p and articulated inertia I change. */
static inline void open_close(open_coordinates *o, int i, int k, int own, body_inertia *I, wrench *p, real *pivots) {
  open_slot *slot = &o->slot[k];
  shared_coordinate *x = &o->x[slot->s];
  int s = slot->s, *from = &o->head[i];

  /* Take the slot out of the body's list. */
  while (*from != k) from = &o->slot[*from].next;
  *from = slot->next;

  real D = o->D[s * (o->shared + 1)];
  x->inverse = K(1) / D;
  x->U = (wrench){v3_scale(x->inverse, slot->U.m), v3_scale(x->inverse, slot->U.f)};
  x->body = i == o->tree->nb ? -1 : i;
  x->own = own;

  /* From the equations of the others. */
  x->first = o->terms;
  open_eliminate(o, i, x->U, x->inverse, x->u, NULL, s);
  x->end = o->terms;
  o->closed[o->closings++] = s;
  pivots[x->place] = relative(D, x->reference_inertia);

  /* IA' = IA - U U^T / D,  p' = p + U u / D. */
  if (!I) return; /* the world */
  body_minus(I, slot->U, x->inverse);
  *p = w_minus(-x->u, x->U, *p);
}

/* Eliminates at body i the coordinates whose joints are all in the subtree, outward of its own joint. */
static inline void open_close_complete(open_coordinates *o, int i, body_inertia *I, wrench *p, real *pivots) {
  for (int k = o->head[i], next; k >= 0; k = next) {
    next = o->slot[k].next;
    if (o->slot[k].seen == o->x[o->slot[k].s].joints) open_close(o, i, k, 0, I, p, pivots);
  }
}

/* The joint of body i, with screw S, belongs to an open coordinate. */
static inline void open_joint(open_coordinates *o, int i, twist S, body_inertia *I, wrench *p, real *pivots) {
  const JN_S(body) *body = &o->tree->body[i];
  int s = o->of[o->tree->elimination_place[body->id]], n = o->shared, k = o->head[i];

  /* Its slot at this body: a new one if this is its first joint here. */
  while (k >= 0 && o->slot[k].s != s) k = o->slot[k].next;
  if (k < 0) {
    k = o->slots++;
    o->slot[k] = (open_slot){w_zero(), s, 0, o->head[i]};
    o->head[i] = k;
  }
  open_slot *slot = &o->slot[k];
  shared_coordinate *x = &o->x[s];

  /* D_ss += S^T IA S + 2 S^T U_s + armature,  D_st += S^T U_t,  u_s -= S^T p,  U_s += IA S. */
  wrench IS = body_mul(I, S);
  o->D[s * (n + 1)] += power(IS, S) + K(2) * power(slot->U, S) + armature_of(o->tree, body, 0);
  for (int l = o->head[i]; l >= 0; l = o->slot[l].next) {
    if (l == k) continue;
    real C = power(o->slot[l].U, S);
    o->D[s * n + o->slot[l].s] += C;
    o->D[o->slot[l].s * n + s] += C;
  }
  x->u -= power(*p, S);
  x->reference_inertia += splat(o->tree->reference_inertia[body->id]);
  slot->U = w_add(slot->U, IS);

  /* The last of its joints: eliminate it here. */
  if (++slot->seen == x->joints) open_close(o, i, k, 1, I, p, pivots);
}

/* The open coordinates of body i become those of its parent (or of the world). d: origin of the body from the parent's.
 * c: known acceleration of the body. */
static inline void open_move_to_parent(open_coordinates *o, int i, twist c, vec3 d) {
  int parent = o->tree->body[i].parent < 0 ? o->tree->nb : o->tree->body[i].parent;
  for (int k = o->head[i], next; k >= 0; k = next) {
    open_slot *slot = &o->slot[k];
    next = slot->next;

    /* u_s -= U_s^T c, and U_s about the parent's origin. */
    o->x[slot->s].u -= power(slot->U, c);
    wrench U = w_shift(slot->U, d);

    /* Add to the parent's slot of the same coordinate, or move this one there. */
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

/* sum over terms of c_t y_t */
static inline real open_sum(const open_coordinates *o, int first, int end) {
  real sum = ZERO;
  for (int k = first; k < end; k++) sum += o->term[k].c * o->x[o->term[k].s].y;
  return sum;
}

/* Solves for the shared coordinate that was eliminated last, if that was at body i (-1: the world) and, as `own` says,
 * at its own joint or not: y = (u - U^T A) / D - sum. Otherwise returns 0. */
static inline int open_solve(open_coordinates *o, int i, int own, twist A) {
  shared_coordinate *x = o->closings ? &o->x[o->closed[o->closings - 1]] : NULL;
  if (!x || x->body != i || x->own != own) return 0;
  x->y = x->inverse * x->u - power(x->U, A) - open_sum(o, x->first, x->end);
  o->closings--;
  return 1;
}

#endif

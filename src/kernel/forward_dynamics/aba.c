/* SPDX-License-Identifier: BSD-2-Clause */
/* ABA: hybrid dynamics (kim2012 Table 4) by articulated bodies, of which forward dynamics (Table 3) is the limit
 * without prescribed coordinates. In the world's axes, coordinate after coordinate (articulated.h). With what does not
 * depend on unknowns, c = Psi v + S a of prescribed coordinates, and p = V x* I V - external wrenches,
 *   inwards   u = tau - S.p,  p' = p + U u / D,  to the parent p' + I' c
 *   outwards  A = A of the parent + c,  x = (u - U.A) / D,  A' = A + S x
 * data: prescribed [nv] (unsigned char) or NULL. in: q, v, a (of prescribed coordinates), tau (of the others),
 * wrenches, inertias of bodies [nb x 10] (NULL:
 * those of the tree). out: a [nv], tau [nv] or NULL, pivots [nd]: effective inertias relative to what is there, zero
 * when singular. */
#include "../base/row.h"
#include "../base/springs.h"
#include "../inverse_dynamics/rnea.h"
#include "aba_coupled.h"

typedef struct forward_sweep {
  articulation o;
  const real *v, *a, *tau; /* NULL: zero */
  const unsigned char *prescribed;
  solid *B;            /* [nb] */
  screw *V;            /* [nb] */
  screw *S, *Psi;      /* [nd] */
  body_inertia *I;     /* [nb] sums over the children, then articulated if coordinates are prescribed */
  wrench *p;           /* [nb] likewise */
  int loaded;          /* by external wrenches, with which p begins */
  twist *A;            /* [nb] */
  real *x;             /* [nd] u, then accelerations */
  real *net;           /* [nv] room for `driving` */
  const real *driving; /* [nv] tau, less the forces of springs; NULL: zero */
} forward_sweep;

static inline forward_sweep forward_place(const jn_call *c, real **at) {
  const JN_S(tree) *t = c->tree;
  forward_sweep w = {.o = {t, TAKE_ALIGNED(at, t->nb, space), TAKE_ALIGNED(at, t->nd, eliminated)},
                     .v = c->in[1],
                     .a = c->in[2],
                     .tau = c->in[3],
                     .driving = c->in[3],
                     .prescribed = c->data,
                     .loaded = c->in[4] != NULL};
  w.B = TAKE_ALIGNED(at, t->nb, solid);
  w.V = TAKE_ALIGNED(at, t->nb, screw);
  w.S = TAKE(at, t->nd, screw);
  w.Psi = TAKE(at, t->nd, screw);
  w.I = TAKE_ALIGNED(at, t->nb, body_inertia);
  w.p = TAKE(at, t->nb, wrench);
  w.A = TAKE(at, t->nb, twist);
  w.x = take(at, (size_t)t->nd);
  w.net = take(at, (size_t)t->nv);
  return w;
}

/* Whether a coordinate of body i is prescribed. */
static inline int has_prescribed(const forward_sweep *w, const JN_S(body) * b) {
  for (int k = 0; k < b->nv && w->prescribed; k++)
    if (w->prescribed[b->iv + k]) return 1;
  return 0;
}

/* c of body i. */
static inline twist known_acceleration(const forward_sweep *w, int i) {
  const JN_S(body) *b = &w->o.t->body[i];
  screw c = screw_zero();
  if (is_turn(b) && w->v) {
    screw Psi = w->Psi[b->id];
    c = (screw){sp_scale(w->v[b->iv], Psi.w), sp_scale(w->v[b->iv], Psi.v)};
  }
  for (int k = 0; k < b->nv && !is_turn(b) && w->v; k++) c = screw_axpy(w->v[b->iv + k], w->Psi[b->id + k], c);
  for (int k = 0; k < b->nv && w->prescribed && w->a; k++)
    if (w->prescribed[b->iv + k]) c = screw_axpy(w->a[b->iv + k], w->S[b->id + k], c);
  return screw_numbers(c);
}

/* External wrenches are taken from the bias. */
static inline void take_wrenches(const forward_sweep *w, const real *wrenches) {
  const JN_S(tree) *t = w->o.t;
  for (int i = 0; i < t->nb; i++) w->p[i] = w_zero();
  for (int l = 0; l < t->nlink; l++) {
    const JN_S(frame) *f = &t->frame[l];
    if (f->body < 0) continue;
    pose T = se3_mul((pose){axes_rotation(&w->B[f->body].at), v3_zero()}, se3_constant(f->R, f->p));
    w->p[f->body] = w_sub(w->p[f->body], w_Ad_inverse(T, w_load(wrenches + 6 * l)));
  }
}

/* Bias of body i, with that of its children; its screws and forces are put where they are eliminated. */
FLAT wrench forward_bias(const forward_sweep *w, int i) {
  const JN_S(body) *b = &w->o.t->body[i];
  wrench p = b->end == i + 1 && !w->loaded ? w_zero() : w->p[i];
  if (w->v) {
    twist h = screw_numbers(inertia_mul(&w->B[i].I, 0, w->V[i]));
    p = w_add(p, w_cross(screw_numbers(w->V[i]), (wrench){h.w, h.v}));
  }
  w->o.d[i] = w->B[i].at.d;
  for (int k = 0; k < b->nv; k++) {
    w->o.x[b->id + k].w = w->S[b->id + k].w;
    if (!is_turn(b)) w->o.x[b->id + k].v = w->S[b->id + k].v;
    w->x[b->id + k] = w->driving ? w->driving[b->iv + k] : ZERO;
  }
  return p;
}

/* What is left of body i is handed to its parent: bias p, inertia I, known acceleration c. */
FLAT void forward_hand(const forward_sweep *w, int i, wrench p, const body_inertia *I, twist c) {
  const JN_S(body) *b = &w->o.t->body[i];
  if (b->parent < 0) return;
  p = w_shift(w_add(p, body_mul(I, c)), sp_numbers(w->o.d[i]));
  if (w->loaded || b->end != w->o.t->body[b->parent].end)
    p = w_add(w->p[b->parent], p); /* not the first child to come */
  w->p[b->parent] = p;
}

/* Body i inwards. */
static inline void forward_inward(const forward_sweep *w, int i, real *pivots) {
  const JN_S(body) *b = &w->o.t->body[i];
  wrench p = forward_bias(w, i);
  body_inertia I = articulate(&w->o, i, w->prescribed, &w->B[i].I, w->I, pivots);
  p = solve_joint_inward(&w->o, i, p, w->x);
  if (has_prescribed(w, b)) {
    w->I[i] = I;
    w->p[i] = p;
  }
  if (b->parent >= 0) forward_hand(w, i, p, &I, known_acceleration(w, i));
}

/* Body i outwards: accelerations of free coordinates, forces of prescribed ones. */
static inline void forward_outward(const forward_sweep *w, int i, twist base, real *a_out, real *tau_out) {
  const JN_S(tree) *t = w->o.t;
  const JN_S(body) *b = &t->body[i];
  twist from = b->parent < 0 ? base : t_shift(w->A[b->parent], sp_numbers(w->o.d[i]));
  twist A = t_add(known_acceleration(w, i), from);
  w->A[i] = solve_joint(&w->o, i, A, w->x);
  for (int k = 0; k < b->nv; k++) {
    a_out[b->iv + k] = w->x[b->id + k];
    if (tau_out) tau_out[b->iv + k] = w->tau ? w->tau[b->iv + k] : ZERO;
  }
  if (!has_prescribed(w, b)) return;
  wrench F = w_add(body_mul(&w->I[i], A), w->p[i]); /* through the joint */
  for (int k = 0; k < b->nv; k++) {
    int iv = b->iv + k;
    if (is_free(w->prescribed, iv)) continue;
    a_out[iv] = w->a ? w->a[iv] : ZERO;
    if (tau_out) tau_out[iv] = screw_power(b, F, screw_numbers(w->S[b->id + k])) + armature_of(t, b, k) * a_out[iv];
  }
}

/* What is left of tau for the bodies when the springs have taken theirs. */
static inline const real *without_springs(const forward_sweep *w, const real *q) {
  const JN_S(tree) *t = w->o.t;
  if (!t->sprung) return w->tau;
  for (int k = 0; k < t->nv; k++) w->net[k] = w->tau ? w->tau[k] : ZERO;
  add_springs(t, q, K(-1), w->net);
  return w->net;
}

/* Forces of prescribed coordinates drive their springs too. */
static inline void prescribed_springs(const forward_sweep *w, const real *q, real *tau) {
  const JN_S(tree) *t = w->o.t;
  for (int i = 0; i < t->nb && t->sprung; i++) {
    const JN_S(body) *b = &t->body[i];
    for (int k = 0; k < b->nv && has_springs(b); k++)
      if (!is_free(w->prescribed, b->iv + k)) tau[b->iv + k] += spring_force(t, b, k, q);
  }
}

/* Inertias that are given for each state, in the internal frames of the bodies. */
static inline void given_inertias(const forward_sweep *w, const real *given) {
  for (int i = 0; i < w->o.t->nb; i++) {
    solid *B = &w->B[i];
    const real *own = given + 10 * i;
    B->I.h = sp_turn(B->at.x, B->at.y, B->at.z, v3_load(own + 1));
    B->I.m = own[0];
#if JN_REGISTERS
    inertia_turn(&B->at, own, &B->I);
#else
    B->I.J = s3_turn(axes_rotation(&B->at), i_load(own).J);
#endif
  }
}

void JN_(forward)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  real *at = c->scratch;
  angles turn = angles_at(t, c->in[0], &at);
  forward_sweep w = forward_place(c, &at);
  if (counts(c, at)) return;
  JN_(bodies_outward)(t, c->in[0], w.v, &turn, 1, w.B, w.S, w.V, w.Psi);
  if (c->in[5]) given_inertias(&w, c->in[5]);
  if (w.loaded) take_wrenches(&w, c->in[4]);
  if (c->arg[0] == FORCES_ALL) w.driving = without_springs(&w, c->in[0]);
  for (int i = t->nb - 1; i >= 0; i--) forward_inward(&w, i, c->out[2]);
  twist base = c->arg[0] ? t_zero() : base_acceleration(t);
  for (int i = 0; i < t->nb; i++) forward_outward(&w, i, base, c->out[0], c->out[1]);
  if (c->out[1] && c->arg[0] == FORCES_ALL) prescribed_springs(&w, c->in[0], c->out[1]);
}

/* ---- coupled coordinates (aba_coupled.h) ---- */

/* Coordinate c of body i, which only its own joint has, or which is prescribed. */
static inline wrench coupled_alone(const forward_sweep *w, open_coordinates *y, int i, int c, body_inertia *I, wrench p,
                                   real *pivots) {
  const JN_S(tree) *t = w->o.t;
  const JN_S(body) *b = &t->body[i];
  eliminated *x = &w->o.x[c];
  y->first[c] = y->terms;
  pivots[t->place[c]] = K(1);
  if (!is_free(w->prescribed, b->iv + c - b->id)) return p;
  twist S = screw_numbers(w->S[c]);
  x->v = w->S[c].v;
  real D = eliminate(I, 0, armature_of(t, b, c - b->id), x);
  pivots[t->place[c]] = relative(D, splat(t->gross[c]));
  p = solve_coordinate_inward(x, 0, p, &w->x[c]);
  wrench by = {sp_numbers(x->m), sp_numbers(x->f)};
  if (y->head[i] >= 0) open_eliminate(y, i, by, x->inverse, w->x[c], &S, -1);
  return p;
}

static inline void coupled_inward(const forward_sweep *w, open_coordinates *y, int i, real *pivots) {
  const JN_S(tree) *t = w->o.t;
  const JN_S(body) *b = &t->body[i];
  wrench p = forward_bias(w, i);
  body_inertia I = b->end == i + 1 ? body_inertia_from(&w->B[i].I) : body_with(&w->I[i], &w->B[i].I);
  open_close_met(y, i, &I, &p, pivots);
  for (int c = b->id + b->nv - 1; c >= b->id; c--) {
    if (b->nv == 1 && y->of[t->place[c]] >= 0)
      open_joint(y, i, screw_numbers(w->S[c]), &I, &p, pivots);
    else
      p = coupled_alone(w, y, i, c, &I, p, pivots);
    y->end[c] = y->terms;
  }
  twist c = known_acceleration(w, i);
  open_hand(y, i, c, sp_numbers(w->o.d[i]));
  if (b->parent < 0) return;
  body_inertia moved = body_shift(&I, &w->o.d[i]), *to = &w->I[b->parent];
  if (b->end != t->body[b->parent].end) body_add(&moved, to);
  *to = moved;
  forward_hand(w, i, p, &I, c);
}

/* Body i outwards. */
static inline void coupled_outward(const forward_sweep *w, open_coordinates *y, int i, twist base, real *a_out) {
  const JN_S(tree) *t = w->o.t;
  const JN_S(body) *b = &t->body[i];
  twist A = b->parent < 0 ? base : t_shift(w->A[b->parent], sp_numbers(w->o.d[i]));
  A = t_add(known_acceleration(w, i), A);
  for (int c = b->id; c < b->id + b->nv; c++) {
    const eliminated *x = &w->o.x[c];
    int s = b->nv == 1 ? y->of[t->place[c]] : -1, iv = b->iv + c - b->id;
    twist S = screw_numbers(w->S[c]);
    if (s < 0 && !is_free(w->prescribed, iv)) {
      a_out[iv] = w->a ? w->a[iv] : ZERO;
      continue;
    }
    if (s >= 0) open_solve(y, i, 1, A);
    real with = s < 0 ? power((wrench){sp_numbers(x->m), sp_numbers(x->f)}, A) : ZERO;
    a_out[iv] = s >= 0 ? y->x[s].y : x->inverse * w->x[c] - with - open_sum(y, y->first[c], y->end[c]);
    A = t_axpy(a_out[iv], S, A);
  }
  w->A[i] = A;
  while (open_solve(y, i, 0, A)) continue;
}

/* The same with coupled coordinates. pivots [nv] come in out[2], in the order of elimination; forces of prescribed
 * coordinates are those of inverse dynamics. */
void JN_(forward_coupled)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  const real *q = c->in[0];
  if (!t->coupled) return; /* all others go through forward() */
  real *at = c->scratch, *a = c->out[0], *tau = c->out[1];
  angles turn = angles_at(t, q, &at);
  real *after = at;
  forward_sweep w = forward_place(c, &at);
  open_coordinates y = open_place(t, &at);
  if (counts(c, at) && counts(c, JN_(newton_scratch)(t, after))) return;
  JN_(bodies_outward)(t, q, w.v, &turn, 1, w.B, w.S, w.V, w.Psi);
  if (w.loaded) take_wrenches(&w, c->in[4]);
  if (c->arg[0] == FORCES_ALL) w.driving = without_springs(&w, q);
  open_fill(&y, w.prescribed, w.driving);
  for (int i = t->nb - 1; i >= 0; i--) coupled_inward(&w, &y, i, c->out[2]);
  wrench none = w_zero();
  open_close_met(&y, t->nb, NULL, &none, c->out[2]);
  twist base = c->arg[0] ? t_zero() : base_acceleration(t);
  while (open_solve(&y, -1, 0, base)) continue;
  for (int i = 0; i < t->nb; i++) coupled_outward(&w, &y, i, base, a);
  if (!tau) return;
  JN_(newton_forces)(t, q, w.v, a, c->in[4], c->arg[0], &turn, after, tau);
  for (int i = 0; i < t->nv; i++)
    if (is_free(w.prescribed, i)) tau[i] = w.tau ? w.tau[i] : ZERO;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* ABA: hybrid dynamics (kim2012 Table 4) by articulated bodies, of which forward dynamics (Table 3) is the limit
 * without prescribed coordinates. In the world's axes, coordinate after coordinate (articulated.h). With what does not
 * depend on unknowns, c = Psi v + S a of prescribed coordinates, and p = V x* I V - external wrenches: inwards   p += I
 * c,  u = tau - S.p,  p' = p + U u / D      outwards   x = (u - U.A) / D,  A' = A + S x,  at last + c data: prescribed
 * [nv] (unsigned char) or NULL. in: q, v, a (of prescribed coordinates), tau (of the others), wrenches. out: a [nv],
 * tau [nv] or NULL, pivots [nd]: effective inertias relative to what is there, zero when singular. */
#include "../base/row.h"
#include "../base/springs.h"
#include "../inverse_dynamics/rnea.h"
#include "articulated.h"

static inline int is_free(const unsigned char *prescribed, int iv) { return !prescribed || !prescribed[iv]; }

typedef struct forward_sweep {
  articulation o;
  solid *B;        /* [nb] */
  screw *V;        /* [nb] */
  screw *S, *Psi;  /* [nd] */
  body_inertia *I; /* [nb] articulated */
  wrench *p;       /* [nb] */
  twist *c, *A;    /* [nb] */
  real *x;         /* [nd] u, then accelerations */
  real *net;       /* [nv] forces without those of springs */
} forward_sweep;

static inline forward_sweep forward_place(const JN_S(tree) * t, real **at) {
  forward_sweep w = {.o = {t, TAKE_ALIGNED(at, t->nb, space), TAKE_ALIGNED(at, t->nd, eliminated)}};
  w.B = TAKE_ALIGNED(at, t->nb, solid);
  w.V = TAKE_ALIGNED(at, t->nb, screw);
  w.S = TAKE(at, t->nd, screw);
  w.Psi = TAKE(at, t->nd, screw);
  w.I = TAKE_ALIGNED(at, t->nb, body_inertia);
  w.p = TAKE(at, t->nb, wrench);
  w.c = TAKE(at, t->nb, twist);
  w.A = TAKE(at, t->nb, twist);
  w.x = take(at, (size_t)t->nd);
  w.net = take(at, (size_t)t->nv);
  return w;
}

/* Inertia, c and p of body i alone. */
static inline void forward_body(const forward_sweep *w, int i, const unsigned char *prescribed, const real *v,
                                const real *a) {
  const JN_S(body) *b = &w->o.t->body[i];
  w->o.d[i] = w->B[i].at.d;
  w->I[i] = body_inertia_from(&w->B[i].I);
  w->p[i] = w_zero();
  if (v) {
    twist h = screw_numbers(inertia_mul(&w->B[i].I, 0, w->V[i]));
    w->p[i] = w_cross(screw_numbers(w->V[i]), (wrench){h.w, h.v});
  }
  if (is_turn(b) && is_free(prescribed, b->iv)) {
    screw Psi = w->Psi[b->id];
    w->o.x[b->id].w = w->S[b->id].w;
    w->o.x[b->id].v = sp_zero();
    if (v) w->c[i] = screw_numbers((screw){sp_scale(v[b->iv], Psi.w), sp_scale(v[b->iv], Psi.v)});
    if (!v) w->c[i] = t_zero();
    return;
  }
  screw c = screw_zero();
  for (int k = 0; k < b->nv; k++) {
    screw S = w->S[b->id + k];
    w->o.x[b->id + k].w = S.w;
    w->o.x[b->id + k].v = S.v;
    if (v) c = screw_axpy(v[b->iv + k], w->Psi[b->id + k], c);
    if (a && !is_free(prescribed, b->iv + k)) c = screw_axpy(a[b->iv + k], S, c);
  }
  w->c[i] = screw_numbers(c);
}

/* External wrenches are taken from the bias. */
static inline void take_wrenches(const forward_sweep *w, const real *wrenches) {
  const JN_S(tree) *t = w->o.t;
  for (int l = 0; l < t->nlink; l++) {
    const JN_S(frame) *f = &t->frame[l];
    if (f->body < 0) continue;
    pose T = se3_mul((pose){axes_rotation(&w->B[f->body].at), v3_zero()}, se3_constant(f->R, f->p));
    w->p[f->body] = w_sub(w->p[f->body], w_Ad_inverse(T, w_load(wrenches + 6 * l)));
  }
}

/* Body i outwards: accelerations of free coordinates, forces of prescribed ones. */
static inline void forward_resolve(const forward_sweep *w, int i, const unsigned char *prescribed, const real *a,
                                   const real *tau, twist base, real *a_out, real *tau_out) {
  const JN_S(tree) *t = w->o.t;
  const JN_S(body) *b = &t->body[i];
  w->A[i] = t_add(w->c[i], b->parent < 0 ? base : t_shift(w->A[b->parent], sp_numbers(w->o.d[i])));
  wrench F = tau_out && prescribed ? w_add(body_mul(&w->I[i], w->A[i]), w->p[i]) : w_zero(); /* through the joint */
  solve_joint(&w->o, i, w->A, w->x);
  for (int k = 0; k < b->nv; k++) {
    int iv = b->iv + k, own = is_free(prescribed, iv);
    a_out[iv] = own ? w->x[b->id + k] : a ? a[iv] : ZERO;
    if (!tau_out) continue;
    tau_out[iv] = tau ? tau[iv] : ZERO;
    if (!own) tau_out[iv] = screw_power(b, F, screw_numbers(w->S[b->id + k])) + armature_of(t, b, k) * a_out[iv];
  }
}

/* What is left of tau for the bodies when the springs have taken theirs. */
static inline const real *without_springs(const forward_sweep *w, const real *q, const real *tau) {
  const JN_S(tree) *t = w->o.t;
  if (!t->sprung) return tau;
  for (int k = 0; k < t->nv; k++) w->net[k] = tau ? tau[k] : ZERO;
  add_springs(t, q, K(-1), w->net);
  return w->net;
}

/* Forces of prescribed coordinates drive their springs too. */
static inline void prescribed_springs(const JN_S(tree) * t, const real *q, const unsigned char *prescribed, real *tau) {
  for (int i = 0; i < t->nb && t->sprung; i++) {
    const JN_S(body) *b = &t->body[i];
    for (int k = 0; k < b->nv && has_springs(b); k++)
      if (!is_free(prescribed, b->iv + k)) tau[b->iv + k] += spring_force(t, b, k, q);
  }
}

void JN_(forward)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  const real *v = c->in[1], *a = c->in[2], *tau = c->in[3];
  const unsigned char *prescribed = c->data;
  real *at = c->scratch;
  angles turn = angles_at(t, c->in[0], &at);
  forward_sweep w = forward_place(t, &at);
  if (counts(c, at)) return;
  JN_(bodies_outward)(t, c->in[0], v, &turn, 1, w.B, w.S, w.V, w.Psi);
  for (int i = 0; i < t->nb; i++) forward_body(&w, i, prescribed, v, a);
  if (c->in[4]) take_wrenches(&w, c->in[4]);
  const real *net = c->arg[0] == FORCES_ALL ? without_springs(&w, c->in[0], tau) : tau;
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    articulate(&w.o, i, prescribed, w.I, c->out[2]);
    for (int k = 0; k < b->nv; k++) w.x[b->id + k] = net ? net[b->iv + k] : ZERO;
    w.p[i] = solve_joint_inward(&w.o, i, w.p[i], w.x);
    if (b->parent < 0) continue;
    wrench p = w_add(w.p[i], body_mul(&w.I[i], w.c[i]));
    w.p[b->parent] = w_add(w.p[b->parent], w_shift(p, sp_numbers(w.o.d[i])));
  }
  twist base = c->arg[0] ? t_zero() : base_acceleration(t);
  for (int i = 0; i < t->nb; i++) forward_resolve(&w, i, prescribed, a, tau, base, c->out[0], c->out[1]);
  if (c->out[1] && c->arg[0] == FORCES_ALL) prescribed_springs(t, c->in[0], prescribed, c->out[1]);
}

/* The same with coupled coordinates, where no joint can be eliminated by itself: dense, by M and the bias. The rows of
 * prescribed coordinates say a = given; their forces come from inverse dynamics of the result. pivots [nv] come in
 * out[2]. */
void JN_(forward_coupled)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  const real *q = c->in[0], *v = c->in[1], *a = c->in[2], *tau = c->in[3];
  const unsigned char *prescribed = c->data;
  int n = t->nv;
  if (!t->coupled) return; /* all others go through forward() */
  real *at = c->scratch, *H = take(&at, (size_t)(n * n)), *bias = take(&at, (size_t)n), *x = c->out[0];
  angles turn = angles_at(t, q, &at);
  if (counts(c, JN_(newton_scratch)(t, at)) && counts(c, JN_(mass_matrix_scratch)(t, at))) return;
  JN_(newton_forces)(t, q, v, NULL, c->in[4], c->arg[0], &turn, at, bias);
  JN_(mass_matrix)(t, q, &turn, 1, at, H);
  for (int i = 0; i < n; i++) {
    int free_i = is_free(prescribed, i);
    x[i] = free_i ? (tau ? tau[i] : ZERO) - bias[i] : a ? a[i] : ZERO;
    for (int j = 0; j < n; j++) {
      int free_j = is_free(prescribed, j);
      if (free_i && !free_j && a) x[i] -= H[i * n + j] * a[j];
      if (!free_i || !free_j) H[i * n + j] = i == j ? K(1) : ZERO;
    }
  }
  factorize(t, H, c->out[2]);
  substitute(t, H, x);
  if (!c->out[1]) return;
  real *tau_out = c->out[1];
  JN_(newton_forces)(t, q, v, x, c->in[4], c->arg[0], &turn, at, tau_out);
  for (int i = 0; i < n; i++)
    if (is_free(prescribed, i)) tau_out[i] = tau ? tau[i] : ZERO;
}

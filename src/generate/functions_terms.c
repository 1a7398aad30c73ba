/* SPDX-License-Identifier: BSD-2-Clause */
/* Terms of the equations of motion beside those of functions.c: C, the rate and the inverse of M, springs, matrices of
 * momentum and centre of mass, joint wrenches, and the momentum observer. */
#include <string.h>

#include "functions.h"

/* ---- forces ---- */

int jn__write_coriolis_forces_function(jn_writing *w, jn_written_function *f) {
  f->about = "Coriolis and centrifugal forces C(q, v) v.";
  jn__take_state(w, f, 1);
  jn_expr *c = jn__add_result(w, f, "c", jn_model_nv(w->model), 0), *v = jn__take_inputs(w, JN_ARRAY_V, 0);
  int good = c && v && jn__write_inverse_dynamics(&w->symbols, v, NULL, 0, 0, c);
  jn__release(&w->allocator, v);
  return good;
}

int jn__write_spring_forces_function(jn_writing *w, jn_written_function *f) {
  f->about = "Forces to stretch the joint springs: stiffness (q - rest). Inverse dynamics has them already.";
  jn__take_state(w, f, 0);
  int n = jn_model_nv(w->model);
  jn_expr *force = jn__add_result(w, f, "force", n, 0);
  for (int k = 0; force && k < n; k++) force[k] = jn__spring_force(&w->symbols, k);
  return force != NULL;
}

/* ---- M ---- */

int jn__write_mass_matrix_inverse_function(jn_writing *w, jn_written_function *f) {
  f->about = "The inverse of the mass matrix, both triangles. No pivoting: M must not be singular.";
  int n = jn_model_nv(w->model);
  jn__take_state(w, f, 0);
  jn_expr *Minv = jn__add_result(w, f, "Minv", n * n, n), *L = jn__make_mass_matrix(w);
  jn_expr *inverse = jn__allocate(&w->allocator, 2 * (size_t)(n + 1) * sizeof *inverse), *b = inverse + n;
  int good = Minv && L && inverse;
  if (good) jn__write_factors(&w->symbols, NULL, L, inverse);
  for (int column = 0; good && column < n; column++) {
    for (int i = 0; i < n; i++) b[i] = i == column ? JN_ONE : JN_ZERO;
    jn__write_solution(&w->symbols, NULL, L, inverse, b);
    for (int i = 0; i <= column; i++) Minv[i * n + column] = Minv[column * n + i] = b[i];
  }
  jn__release(&w->allocator, L);
  jn__release(&w->allocator, inverse);
  return good;
}

int jn__write_mass_matrix_rate_function(jn_writing *w, jn_written_function *f) {
  f->about = "The rate of the mass matrix, dM/dt along v.";
  int n = jn_model_nv(w->model);
  jn__take_state(w, f, 1);
  jn_expr *Mdot = jn__add_result(w, f, "Mdot", n * n, n), *M = jn__make_mass_matrix(w);
  int good = Mdot && M && jn__write_time_derivatives(w, M, n * n, 1, 0, &Mdot);
  jn__release(&w->allocator, M);
  return good;
}

/* ---- the Coriolis matrix ---- */

/* A twist of a part, seen from its child. */
static void twist_to_child(const jn_symbols *s, int child, const jn_expr3 from[2], jn_expr3 to[2]) {
  jn_expr3 carried = jn__add3(s->g, from[1], jn__cross(s->g, from[0], s->joint[child].origin));
  to[0] = jn__to_child(s, child, from[0]);
  to[1] = jn__to_child(s, child, carried);
}

/* What column j moves: S and Psi = V x S, carried outwards, and the wrenches I Psi + V x* I S of the parts. */
typedef struct column_motion {
  jn_expr3 S[2], Psi[2], moment, force;
  int moves;
} column_motion;

static void load_column(const jn_symbols *s, int i, const jn_part_momentum *p, column_motion *c) {
  jn_graph *g = s->g;
  jn_expr3 N, F;
  jn__momentum_of(g, &s->own[i], c->S[0], c->S[1], &N, &F);
  jn__momentum_of(g, &s->own[i], c->Psi[0], c->Psi[1], &c->moment, &c->force);
  c->moment = jn__add3(g, c->moment, jn__add3(g, jn__cross(g, p->w, N), jn__cross(g, p->v, F)));
  c->force = jn__add3(g, c->force, jn__cross(g, p->w, F));
}

/* Column k of part j: outwards over its subtree, inwards to the world. */
static void write_coriolis_column(jn_writing *w, const jn_part_momentum *p, int j, int k, column_motion *c,
                                  jn_expr *C) {
  const jn_symbols *s = &w->symbols;
  const jn_mechanism *m = &w->mechanism;
  jn_graph *g = &w->graph;
  int n = jn_model_nv(w->model), column = m->part[j].iv + k;
  memset(c, 0, (size_t)m->count * sizeof *c);

  /* S in its own part; Psi = V x S = (w x S_w, w x S_v + v x S_w). */
  column_motion *own = &c[j];
  jn__screw_of(s, j, k, &own->S[0], &own->S[1]);
  own->Psi[0] = jn__cross(g, p[j].w, own->S[0]);
  own->Psi[1] = jn__add3(g, jn__cross(g, p[j].w, own->S[1]), jn__cross(g, p[j].v, own->S[0]));
  own->moves = 1;
  for (int i = j; i < m->count; i++) {
    int parent = m->part[i].parent;
    if (i > j && parent >= 0 && c[parent].moves) {
      twist_to_child(s, i, c[parent].S, c[i].S);
      twist_to_child(s, i, c[parent].Psi, c[i].Psi);
      c[i].moves = 1;
    }
    if (c[i].moves) load_column(s, i, &p[i], &c[i]);
  }

  for (int i = m->count - 1; i >= 0; i--) {
    int parent = m->part[i].parent;
    jn_expr entry[6];
    jn__project(s, i, c[i].moment, c[i].force, entry);
    for (int l = 0; l < m->part[i].nv; l++) {
      jn_expr *to = &C[(m->part[i].iv + l) * n + column];
      *to = jn__add(g, *to, entry[l]);
    }
    if (parent < 0) continue;
    jn_expr3 F = jn__to_parent(s, i, c[i].force), N = jn__to_parent(s, i, c[i].moment);
    c[parent].moment = jn__add3(g, c[parent].moment, jn__add3(g, N, jn__cross(g, s->joint[i].origin, F)));
    c[parent].force = jn__add3(g, c[parent].force, F);
  }
}

/* C = sum over parts of J^T (I dJ/dt + ...), as src/kernel/terms/coriolis.h. Inertial parameters are those of the file:
 * this C, unlike C v, is that of the bodies. */
int jn__write_coriolis_matrix_function(jn_writing *w, jn_written_function *f) {
  f->about = "The Coriolis matrix C(q, v) of jn_coriolis_matrix(): dM/dt - 2 C is skew-symmetric.";
  int n = jn_model_nv(w->model);
  jn__take_state(w, f, 1);
  jn_expr *C = jn__add_result(w, f, "C", n * n, n);
  jn_part_momentum *p = jn__make_momenta(w, w->symbols.own);
  column_motion *c = jn__allocate(&w->allocator, ((size_t)w->mechanism.count + 1) * sizeof *c);
  int good = C && p && c;
  for (int j = 0; good && j < w->mechanism.count; j++)
    for (int k = 0; k < w->mechanism.part[j].nv; k++) write_coriolis_column(w, p, j, k, c, C);
  jn__release(&w->allocator, p);
  jn__release(&w->allocator, c);
  return good;
}

/* ---- matrices of momentum and centre of mass ---- */

int jn__write_columns(jn_writing *w, const jn_expr *from, int count, int by, jn_expr *to) {
  int n = jn_model_nv(w->model);
  jn_taylor t;
  jn_expr *unit = jn__allocate(&w->allocator, (size_t)(n + 1) * sizeof *unit);
  if (!unit || !jn__taylor_create(&t, &w->graph, from, count, 1)) {
    jn__release(&w->allocator, unit);
    return 0;
  }
  for (int column = 0; column < n; column++) {
    for (int i = 0; i < n; i++) unit[i] = i == column ? JN_ONE : JN_ZERO;
    if (by == 0) jn__taylor_move(&t, &w->symbols, unit, 1);
    for (int i = 0; by == 1 && i < n; i++) jn__taylor_give(&t, jn__input(&w->graph, JN_ARRAY_V, i), 1, unit[i]);
    jn__taylor_step(&t, 1);
    for (int i = 0; i < count; i++) to[i * n + column] = jn__taylor_at(&t, from[i], 1);
  }
  jn__taylor_free(&t);
  jn__release(&w->allocator, unit);
  return 1;
}

static int write_momentum_matrix(jn_writing *w, jn_expr *A) {
  jn_expr h[6];
  jn_part_momentum *p = jn__make_momenta(w, w->symbols.own);
  if (p) jn__sum_momenta(w, p, h);
  int good = p && jn__write_columns(w, h, 6, 1, A);
  jn__release(&w->allocator, p);
  return good;
}

int jn__write_momentum_matrix_function(jn_writing *w, jn_written_function *f) {
  f->about = "The matrix A of the momentum about the world's origin: h = A v.";
  int n = jn_model_nv(w->model);
  jn__take_state(w, f, 0);
  jn_expr *A = jn__add_result(w, f, "A", 6 * n, n);
  return A && write_momentum_matrix(w, A);
}

int jn__write_momentum_matrix_rate_function(jn_writing *w, jn_written_function *f) {
  f->about = "The rate of the matrix of the momentum about the world's origin, dA/dt along v.";
  int n = jn_model_nv(w->model);
  jn__take_state(w, f, 1);
  jn_expr *rate = jn__add_result(w, f, "Adot", 6 * n, n);
  jn_expr *A = jn__allocate(&w->allocator, (size_t)(6 * n + 1) * sizeof *A);
  int good = rate && A && write_momentum_matrix(w, A) && jn__write_time_derivatives(w, A, 6 * n, 1, 0, &rate);
  jn__release(&w->allocator, A);
  return good;
}

int jn__write_com_jacobian_function(jn_writing *w, jn_written_function *f) {
  f->about = "The Jacobian of the centre of mass of all moving links: cdot = J v.";
  int n = jn_model_nv(w->model);
  jn__take_state(w, f, 0);
  jn_expr *J = jn__add_result(w, f, "J", 3 * n, n), c[3];
  return J && jn__write_center(w, c) && jn__write_columns(w, c, 3, 0, J);
}

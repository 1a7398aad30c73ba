/* SPDX-License-Identifier: BSD-2-Clause */
/* Closed loops: conditions, inverse and forward dynamics with
 *   M a + h = tau + A^T lambda,     A a = -dA/dt v.
 * Rows of A that depend on others at all closed configurations are dropped; their lambda is zero. The order of
 * elimination is chosen when the code is generated (pivots.c), and the smallest pivot is a result. */
#include <string.h>

#include "conditions.h"
#include "functions.h"

/* Conditions of a model, and which of their rows are kept. */
typedef struct closed_work {
  int n, m, rank;
  jn_expr *phi, *A, *rate; /* [m], [m x n], [m] dA/dt v */
  jn_pivot_order order;    /* of A: its rows are those that are kept */
} closed_work;

static void close_work(jn_writing *w, closed_work *c) {
  jn__release(&w->allocator, c->phi);
  jn__release(&w->allocator, c->A);
  jn__release(&w->allocator, c->rate);
  jn__pivot_order_free(w, &c->order);
}

/* phi'' = A a + dA/dt v along a motion with a = 0. */
static int write_condition_rates(jn_writing *w, closed_work *c) {
  jn_expr *first = jn__allocate(&w->allocator, ((size_t)c->m + 1) * sizeof *first), *to[2] = {first, c->rate};
  int good = first && jn__write_time_derivatives(w, c->phi, c->m, 2, 0, to);
  jn__release(&w->allocator, first);
  return good;
}

static int open_work(jn_writing *w, closed_work *c) {
  *c = (closed_work){.n = jn_model_nv(w->model), .m = jn__condition_count(w->model)};
  size_t m = (size_t)c->m + 1, n = (size_t)c->n;
  c->phi = jn__allocate(&w->allocator, m * sizeof *c->phi);
  c->A = jn__allocate(&w->allocator, m * n * sizeof *c->A);
  c->rate = jn__allocate(&w->allocator, m * sizeof *c->rate);
  int good = c->phi && c->A && c->rate && jn__write_conditions(w, c->phi, c->A) &&
             jn__choose_pivots(w, c->A, c->m, c->n, &c->order);
  c->rank = good ? c->order.rank : 0;
  if (!good) close_work(w, c);
  return good;
}

/* Is the model one with loops, and with some closed configurations if these are needed? Otherwise the reason is said.
 */
static int check_loops(jn_writing *w, const char *name, int closed) {
  if (!jn_loop_count(w->model)) {
    jn__writing_fail(w, JN_ERR_UNSUPPORTED, "%s cannot be generated: the model has no loops", name);
    return 0;
  }
  if (closed && w->closed_count == 0) {
    jn__writing_fail(w, JN_ERR_UNSUPPORTED,
                     "%s cannot be generated: no configuration was found that closes the loops and is not singular, "
                     "from %d random ones",
                     name, 8 * JN_CLOSED_STATES);
    return 0;
  }
  return 1;
}

int jn__write_loops_constraint_function(jn_writing *w, jn_written_function *f) {
  f->about = "Conditions of the loops: phi(q), A = d phi/dq in the tangent space, and Adot_v: phi'' = A a + Adot_v.";
  if (!check_loops(w, f->name, 0)) return 0;
  int n = jn_model_nv(w->model), m = jn__condition_count(w->model);
  jn__take_state(w, f, 1);
  jn_expr *phi = jn__add_result(w, f, "phi", m, 0), *A = jn__add_result(w, f, "A", m * n, n),
          *rate = jn__add_result(w, f, "Adot_v", m, 0);
  closed_work c = {.n = n, .m = m, .phi = phi, .A = A, .rate = rate};
  return phi && A && rate && jn__write_conditions(w, phi, A) && write_condition_rates(w, &c);
}

/* ---- inverse dynamics ---- */

/* The equations of lambda, of kept rows. With as many passive coordinates as conditions: A_p^T lambda = r_p. With
 * fewer, so that there are motors to spare, the least squares of motor forces (src/loops/equations_inverse.c):
 *   [A_a A_a^T  A_p] [lambda]   [A_a r_a]
 *   [A_p^T       0 ] [  mu  ] = [  r_p  ]          X [size x size], b [size]; their number is returned */
static int write_lambda_equations(jn_writing *w, const closed_work *c, const jn_expr *r, jn_expr *X, jn_expr *b) {
  jn_graph *g = &w->graph;
  const unsigned char *actuated = w->options.actuated;
  int rank = c->rank, passive = 0;
  for (int i = 0; i < c->n; i++) passive += !actuated[i];
  int spare = passive < rank, size = spare ? rank + passive : rank, at = size - passive;
  memset(X, 0, (size_t)(size * size) * sizeof *X);
  memset(b, 0, (size_t)size * sizeof *b);

  for (int i = 0; i < c->n; i++) {
    if (!actuated[i]) b[at] = r[i];
    for (int k = 0; k < rank; k++) {
      jn_expr a = c->A[c->order.row[k] * c->n + i];
      if (!actuated[i]) {
        X[at * size + k] = a;
        if (spare) X[k * size + at] = a;
      } else if (spare) {
        b[k] = jn__add(g, b[k], jn__multiply(g, a, r[i]));
        for (int l = 0; l < rank; l++) {
          jn_expr other = c->A[c->order.row[l] * c->n + i];
          X[k * size + l] = jn__add(g, X[k * size + l], jn__multiply(g, a, other));
        }
      }
    }
    at += !actuated[i];
  }
  return size;
}

/* tau = r - A^T lambda of actuated coordinates, zero of the others. */
static void write_motor_forces(jn_writing *w, const closed_work *c, const jn_expr *r, const jn_expr *kept,
                               jn_expr *lambda, jn_expr *tau) {
  jn_graph *g = &w->graph;
  for (int k = 0; k < c->rank; k++) lambda[c->order.row[k]] = kept[k];
  for (int i = 0; i < c->n; i++) {
    tau[i] = JN_ZERO;
    if (!w->options.actuated[i]) continue;
    tau[i] = r[i];
    for (int k = 0; k < c->rank; k++)
      tau[i] = jn__subtract(g, tau[i], jn__multiply(g, c->A[c->order.row[k] * c->n + i], kept[k]));
  }
}

static int check_actuated(jn_writing *w, const jn_written_function *f, const closed_work *c) {
  int motors = 0, mobility = c->n - c->rank;
  for (int i = 0; w->options.actuated && i < c->n; i++) motors += w->options.actuated[i] != 0;
  if (motors == 0)
    jn__writing_fail(w, JN_ERR_UNSUPPORTED, "%s needs the joints that have a motor: --actuated LIST", f->name);
  else if (motors < mobility)
    jn__writing_fail(w, JN_ERR_UNSUPPORTED,
                     "%s cannot be generated: %d actuated coordinates cannot move %d degrees of freedom", f->name,
                     motors, mobility);
  return motors > 0 && motors >= mobility;
}

/* r: the forces of the tree alone. */
static int write_closed_inverse(jn_writing *w, jn_written_function *f, const closed_work *c, const jn_expr *r,
                                jn_expr *tau, jn_expr *lambda, jn_expr *smallest) {
  size_t most = (size_t)(c->n + c->rank) + 1;
  jn_expr *X = jn__allocate(&w->allocator, most * most * sizeof *X);
  jn_expr *b = jn__allocate(&w->allocator, 2 * most * sizeof *b), *x = b ? b + most : NULL;
  jn_pivot_order order = {0};
  int size = X && b ? write_lambda_equations(w, c, r, X, b) : 0;
  int good = X && b && jn__choose_pivots(w, X, size, size, &order);

  if (good && order.rank < size) {
    jn__writing_fail(w, JN_ERR_UNSUPPORTED,
                     "%s cannot be generated: these motors leave a motion of the passive joints free; choose others",
                     f->name);
    good = 0;
  }
  if (good) {
    jn__write_elimination(w, &order, size, X, b, x, smallest);
    write_motor_forces(w, c, r, x, lambda, tau);
  }
  jn__pivot_order_free(w, &order);
  jn__release(&w->allocator, X);
  jn__release(&w->allocator, b);
  return good;
}

int jn__write_loops_inverse_dynamics_function(jn_writing *w, jn_written_function *f) {
  f->about =
      "Inverse dynamics with loops: forces of the actuated coordinates for a motion that keeps the loops closed (not "
      "checked); lambda of the conditions; pivot: the smallest divisor over its usual size, near 0 where the motors "
      "do not hold the mechanism: do not use tau then.";
  closed_work c;
  if (!check_loops(w, f->name, 1) || !open_work(w, &c)) return 0;
  jn__take_state(w, f, 1);
  jn__add_argument(f, "a", JN_ARRAY_A, c.n);
  jn_expr *tau = jn__add_result(w, f, "tau", c.n, 0), *lambda = jn__add_result(w, f, "lambda", c.m, 0),
          *pivot = jn__add_result(w, f, "pivot", 1, 0);
  jn_expr *v = jn__take_inputs(w, JN_ARRAY_V, 0), *a = jn__take_inputs(w, JN_ARRAY_A, 0);
  jn_expr *r = jn__allocate(&w->allocator, (size_t)(c.n + 1) * sizeof *r);
  int good = tau && lambda && pivot && v && a && r && check_actuated(w, f, &c) &&
             jn__write_inverse_dynamics(&w->symbols, v, a, 1, 1, r);
  if (good) *pivot = jn__constant(&w->graph, JN_PIVOT_MOST);
  good = good && write_closed_inverse(w, f, &c, r, tau, lambda, pivot);
  f->dropped = c.m - c.rank;

  jn__release(&w->allocator, v);
  jn__release(&w->allocator, a);
  jn__release(&w->allocator, r);
  close_work(w, &c);
  return good;
}

/* ---- forward dynamics ---- */

/* With M = L^T D L, B = A L^-1 and y = L^-T (tau - h): (B D^-1 B^T) lambda = -dA/dt v - B D^-1 y, whose matrix is
 * positive definite, so that no order of elimination is bad; then L a = D^-1 (y + B^T lambda). */
typedef struct forward_work {
  jn_expr *L, *inverse; /* factors of M */
  jn_expr *B;           /* [rank x n] */
  jn_expr *S, *x;       /* [rank x rank], [rank] */
} forward_work;

static void write_lambda_system(jn_writing *w, const closed_work *c, forward_work *s, const jn_expr *y) {
  jn_graph *g = &w->graph;
  int n = c->n, rank = c->rank;
  for (int k = 0; k < rank; k++) {
    jn_expr *row = s->B + k * n;
    memcpy(row, c->A + c->order.row[k] * n, (size_t)n * sizeof *row);
    jn__write_inward_solution(&w->symbols, NULL, s->L, row);
  }
  for (int k = 0; k < rank; k++) {
    s->x[k] = jn__negate(c->rate[c->order.row[k]]);
    for (int i = 0; i < n; i++) {
      jn_expr weighted = jn__multiply(g, s->B[k * n + i], s->inverse[i]);
      s->x[k] = jn__subtract(g, s->x[k], jn__multiply(g, weighted, y[i]));
      for (int l = 0; l <= k; l++) {
        jn_expr *to = &s->S[k * rank + l];
        *to = jn__add(g, *to, jn__multiply(g, weighted, s->B[l * n + i]));
        s->S[l * rank + k] = *to;
      }
    }
  }
}

static int write_closed_forward(jn_writing *w, const closed_work *c, forward_work *s, jn_expr *a, jn_expr *lambda,
                                jn_expr *smallest) {
  jn_graph *g = &w->graph;
  int n = c->n, rank = c->rank;
  jn_pivot_order order;
  jn_expr *kept = jn__allocate(&w->allocator, (size_t)(rank + 1) * sizeof *kept);

  /* a holds tau - h. */
  jn__write_factors(&w->symbols, NULL, s->L, s->inverse);
  jn__write_inward_solution(&w->symbols, NULL, s->L, a);
  write_lambda_system(w, c, s, a);
  int good = kept && jn__choose_pivots(w, s->S, rank, rank, &order);
  if (!good) {
    jn__release(&w->allocator, kept);
    return 0;
  }
  good = order.rank == rank;
  if (good) jn__write_elimination(w, &order, rank, s->S, s->x, kept, smallest);

  for (int k = 0; good && k < rank; k++) {
    lambda[c->order.row[k]] = kept[k];
    for (int i = 0; i < n; i++) a[i] = jn__add(g, a[i], jn__multiply(g, s->B[k * n + i], kept[k]));
  }
  jn__write_outward_solution(&w->symbols, NULL, s->L, s->inverse, a);
  if (!good) jn__writing_fail(w, JN_ERR_UNSUPPORTED, "the conditions cannot be told apart by the inertia of the robot");
  jn__pivot_order_free(w, &order);
  jn__release(&w->allocator, kept);
  return good;
}

static int open_forward(jn_writing *w, const closed_work *c, forward_work *s) {
  size_t n = (size_t)c->n + 1, rank = (size_t)c->rank + 1;
  s->L = jn__make_mass_matrix(w);
  s->inverse = jn__allocate(&w->allocator, n * sizeof *s->inverse);
  s->B = jn__allocate(&w->allocator, rank * n * sizeof *s->B);
  s->S = jn__allocate(&w->allocator, rank * rank * sizeof *s->S);
  s->x = jn__allocate(&w->allocator, rank * sizeof *s->x);
  return s->L && s->inverse && s->B && s->S && s->x;
}

static void close_forward(jn_writing *w, forward_work *s) {
  jn__release(&w->allocator, s->L);
  jn__release(&w->allocator, s->inverse);
  jn__release(&w->allocator, s->B);
  jn__release(&w->allocator, s->S);
  jn__release(&w->allocator, s->x);
}

int jn__write_loops_forward_dynamics_function(jn_writing *w, jn_written_function *f) {
  f->about =
      "Forward dynamics with loops: a with M a + h = tau + A^T lambda and A a + Adot_v = 0; pivot: the smallest "
      "divisor "
      "over its usual size, near 0 at singular configurations: do not use a then. Violations are not pulled back.";
  closed_work c;
  if (!check_loops(w, f->name, 1) || !open_work(w, &c)) return 0;
  jn__take_state(w, f, 1);
  jn__add_argument(f, "tau", JN_ARRAY_TAU, c.n);
  jn_expr *a = jn__add_result(w, f, "a", c.n, 0), *lambda = jn__add_result(w, f, "lambda", c.m, 0),
          *pivot = jn__add_result(w, f, "pivot", 1, 0), *v = jn__take_inputs(w, JN_ARRAY_V, 0);
  forward_work s = {0};
  int good = a && lambda && pivot && v && open_forward(w, &c, &s) && write_condition_rates(w, &c) &&
             jn__write_inverse_dynamics(&w->symbols, v, NULL, 1, 1, a);
  for (int i = 0; good && i < c.n; i++) a[i] = jn__subtract(&w->graph, jn__input(&w->graph, JN_ARRAY_TAU, i), a[i]);
  if (good) *pivot = jn__constant(&w->graph, JN_PIVOT_MOST);
  good = good && write_closed_forward(w, &c, &s, a, lambda, pivot);
  f->dropped = c.m - c.rank;

  close_forward(w, &s);
  jn__release(&w->allocator, v);
  close_work(w, &c);
  return good;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of plain numbers for solvers, with Jacobians, Hessians and sparsity patterns, on public functions.
 *
 *   y = f(x),  x = (q, v, u, w),  J = dy/dx,  H = d2(lambda . y)/dx dx
 *
 * A kind of function computes in the tangent space: its inputs are all nv wide. function.c turns the numbers of q,
 * which need not be normalised, into a state, and the results into derivatives by these numbers. Matrices are
 * row-major.
 *
 *   function.c      creating, sizes and names, and evaluation
 *   chart.c         derivatives by the numbers of quaternions and positions from those in the tangent space
 *   pattern.c       which entries of the matrices can differ from zero
 *   tree.c          inverse and forward dynamics, gravity, the mass matrix;  rates.c: torque rates
 *   kinematics.c    frames, momentum;  steps.c: steps in time;  closed.c: loops
 *   jet_variation.c state derivatives of the jets of frames and momentum, which need no function
 *
 *   symbol   meaning                                                   size
 *   x, y     numbers in and out                                        [n], [m]
 *   J, G, g  Jacobian, Hessian and gradient in the tangent space       [mt x nt], [nt x nt], [nt]
 *   lambda   multipliers of the outputs                                [m], in the tangent space [mt] */
#ifndef JN_SOLVERS_FUNCTION_H
#define JN_SOLVERS_FUNCTION_H

#include "jounce/solvers.h"

enum { JN_FUNCTION_MOST_ARGUMENTS = 4 }; /* inputs or outputs of a function, at most */

/* Joints whose coordinates have more numbers than velocities: spherical (4, 3) and free (7, 6). */
typedef struct chart_joint {
  int q, v;    /* indices of their first numbers */
  int is_free; /* position first */
} chart_joint;

typedef struct function_chart {
  int nq, nv, count;
  chart_joint *joint; /* [count] */
  int *q_index;       /* [nv] index in q of velocity coordinate k; -1 for these joints */
  int *owner;         /* [nq] the first velocity coordinate that q_i belongs to, and how many: */
  int *width;         /* [nq] 1, 3 or 6 */
} function_chart;

/* What a kind is. Outputs in the tangent space differ from outputs when the first of them is a configuration. */
typedef struct function_kind_of {
  const char *in[JN_FUNCTION_MOST_ARGUMENTS], *out[JN_FUNCTION_MOST_ARGUMENTS]; /* names; NULL: no more */
  int has_next;                                                                 /* output 0 is a configuration */
  jn_status (*create)(jn_function *function);
  void (*pattern)(jn_function *function); /* calls jn__pattern_*() */
  jn_status (*value)(jn_function *function, double *y);
  jn_status (*jacobian)(jn_function *function, double *J); /* [mt x nt] */
  /* NULL: by the Jacobian; g [nt] */
  jn_status (*adjoint)(jn_function *function, const double *lambda, double *g);
  /* g and G [nt x nt], G[h][k] = d_h g_k, both along q (+) e_h in the order of derivatives.h; lambda [mt]. NULL:
   * differences of the gradient */
  jn_status (*hessian)(jn_function *function, const double *lambda, double *g, double *G);
} function_kind_of;

extern const function_kind_of jn__function_inverse_dynamics, jn__function_forward_dynamics, jn__function_step,
    jn__function_frames, jn__function_momentum, jn__function_loops_forward_dynamics, jn__function_loops_conditions,
    jn__function_mass_matrix, jn__function_gravity, jn__function_torque_rate;

struct jn_function {
  const jn_model *model;
  jn_allocator allocator;
  void *block; /* all arrays */
  jn_function_kind kind;
  const function_kind_of *is;
  jn_function_options options;
  int *frames;
  int nq, nv, inputs, outputs;
  int n, nt, m, mt;                               /* numbers in and out, and in the tangent space */
  int rows[JN_FUNCTION_MOST_ARGUMENTS];           /* of each output */
  int columns[JN_FUNCTION_MOST_ARGUMENTS];        /* of each output */
  unsigned char *J_pattern, *H_pattern, *related; /* [m x n], [n x n]; [nv x nv] scratch of patterns */
  jn_work *work;
  jn_simulator *simulator;
  jn_loops *loops;
  int loop_rows;
  jn_model *other;     /* momentum: the robot on a free base, without gravity */
  jn_work *other_work; /* momentum: of that; torque rates: of order 1 */
  function_chart chart;
  /* the state: q is normalised and has a copy of its own; v, u, w point into the caller's x */
  double *q;
  const double *v, *u, *w, *given_q;
  /* scratch of function.c: Jacobian and Hessian in the tangent space, gradient, multipliers; T [nv x nq] of the
   * inputs */
  double *J, *G, *g, *lambda, *T, *columns_by_q, *y;
  double *moved;        /* [nq + 2 nv] differences */
  double *scratch;      /* of the kind */
  double *step_scratch; /* steps: [n + m + max(n, m) n] of jn_function_discrete() */
};

/* ---- chart.c ---- */

size_t jn__chart_place(function_chart *c, const jn_model *model, char *base); /* bytes; base NULL: counts */
/* out [rows x (nq + rest)] from in [rows x (nv + rest)]: columns by velocities become columns by numbers of q, which
 * need not be normalised. The remaining `rest` columns are copied. */
void jn__chart_columns(const function_chart *c, const double *q, int rows, int rest, const double *in, double *out);
/* H [n x n] += sum_k g_k d2 (tangent k) / dq dq, g [nv]. */
void jn__chart_curvature(const function_chart *c, const double *q, const double *g, int n, double *H);
/* Of outputs that are a configuration q (normalised): lambda_t [nv] = E^T lambda, with E = dq/dz at q (+) z. */
void jn__chart_pull(const function_chart *c, const double *q, const double *lambda, double *lambda_t);
/* out [nq x columns] = E in [nv x columns]. */
void jn__chart_push(const function_chart *c, const double *q, int columns, const double *in, double *out);
/* G [nt x nt] += A^T K A, with K = d2(lambda . q)/dz dz at q (+) z and A [nv x nt]. */
void jn__chart_add_curvature_of_output(const function_chart *c, const double *q, const double *lambda, const double *A,
                                       int nt, double *G);
/* G [nt x nt] += half of the gradient g along [e_h, e_k], which turns symmetric second derivatives in exponential
 * coordinates into derivatives one after the other. */
void jn__chart_bracket(const function_chart *c, const double *g, int nt, double *G);
/* out [nv] = [e_k, v], the bracket of the joints' groups; zero for other joints. */
void jn__chart_ad(const function_chart *c, int k, const double *v, double *out);

/* ---- pattern.c ---- */

/* f->related: coordinates that move one link together. */
void jn__pattern_tree(jn_function *function);
/* ... or are joined by such: all that hang on the same moving root. */
void jn__pattern_components(jn_function *function);
/* f->related: all. */
void jn__pattern_all(jn_function *function);
/* Block of the Jacobian of output `out` (nv numbers, or a configuration) by input `in`: as f->related. */
void jn__pattern_related(jn_function *function, int out, int in);
/* `count` rows from `first` on, counted in all of y, by the coordinates k of input `in` with moves[k]; NULL: by all. */
void jn__pattern_rows(jn_function *function, int first, int count, int in, const unsigned char *moves);
/* Block of the Hessian by two inputs, and its transpose: as f->related. */
void jn__pattern_hessian(jn_function *function, int in, int by);
/* moves [nv]: 1 for coordinates between a link and the world; others are left as they are. */
void jn__pattern_support(const jn_model *model, int link, unsigned char *moves);

#endif

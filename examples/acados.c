/* SPDX-License-Identifier: BSD-2-Clause */
/* Discrete dynamics in the form of acados' generic external functions,
 *   int disc_dyn_fun(void **in, void **out, void *params)   and _jac, _jac_hess,
 * which acados calls with in = (x, u, pi), out = (fun, [jac_u'; jac_x'], hess_ux) as vectors and matrices of BLASFEO.
 * With BLASFEO installed its own structs are used; without it, the few lines below stand in for them, and a stub of a
 * solver calls the functions as acados would: Newton steps on the Lagrangian of a swing-up, with a Riccati sweep. */
#include <jounce/jounce.h>
#include <stdio.h>

#include "riccati.h"

#if defined(JN_WITH_BLASFEO) /* and acados/utils/external_function_generic.h for the two _args */
#include <acados/utils/external_function_generic.h>
#include <blasfeo_common.h>
#else
struct blasfeo_dvec {
  double *pa;
};
struct blasfeo_dmat {
  double *pA;
  int m; /* rows: numbers from one column to the next */
};
struct blasfeo_dvec_args {
  struct blasfeo_dvec *x;
  int xi;
};
struct blasfeo_dmat_args {
  struct blasfeo_dmat *A;
  int ai, aj;
};
#define BLASFEO_DVECEL(v, i) ((v)->pa[i])
#define BLASFEO_DMATEL(A, i, j) ((A)->pA[(i) + (j) * (A)->m])
#endif

/* ---- for acados ---- */

enum { NV = 2, NX = 2 * NV, NU = NV, N = NX + NU };

/* acados has no place for a model in its functions: `params` would be parameters of the problem. So it is here, one for
 * each thread. */
static _Thread_local jn_function *step;

static void get(void *from, int count, double *to) {
  struct blasfeo_dvec_args *args = from;
  for (int i = 0; i < count; i++) to[i] = BLASFEO_DVECEL(args->x, args->xi + i);
}

static void put(const double *from, int rows, int columns, void *to) {
  struct blasfeo_dmat_args *args = to;
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++) BLASFEO_DMATEL(args->A, args->ai + i, args->aj + j) = from[j * rows + i];
}

static int evaluate(void **in, void **out, int jac, int hess) {
  double x[NX], u[NU], pi[NX], fun[NX], J[N * NX], H[N * N];
  struct blasfeo_dvec_args *f = out[0];
  get(in[0], NX, x);
  get(in[1], NU, u);
  if (hess) get(in[2], NX, pi);
  if (jn_function_discrete(step, x, u, pi, fun, jac ? J : NULL, N, hess ? H : NULL, N) != JN_OK) return 1;
  for (int i = 0; i < NX; i++) BLASFEO_DVECEL(f->x, f->xi + i) = fun[i];
  if (jac) put(J, N, NX, out[1]);
  if (hess) put(H, N, N, out[2]);
  return 0;
}

int disc_dyn_fun(void **in, void **out, void *params);
int disc_dyn_fun_jac(void **in, void **out, void *params);
int disc_dyn_fun_jac_hess(void **in, void **out, void *params);
int disc_dyn_fun(void **in, void **out, void *params) { return (void)params, evaluate(in, out, 0, 0); }
int disc_dyn_fun_jac(void **in, void **out, void *params) { return (void)params, evaluate(in, out, 1, 0); }
int disc_dyn_fun_jac_hess(void **in, void **out, void *params) { return (void)params, evaluate(in, out, 1, 1); }

/* ---- a stub of a solver ---- */

enum { STEPS = 60, ITERATIONS = 200 };
static const double goal[NX] = {3.14159265358979, 0, 0, 0}, weight[NX] = {200, 200, 20, 20};

typedef struct problem {
  double x[STEPS + 1][NX], u[STEPS][NU], cost;
} problem;

static double cost_of(const problem *p) {
  double cost = 0;
  for (int k = 0; k < STEPS; k++)
    for (int i = 0; i < NU; i++) cost += 0.005 * p->u[k][i] * p->u[k][i];
  for (int i = 0; i < NX; i++) cost += weight[i] / 2 * (p->x[STEPS][i] - goal[i]) * (p->x[STEPS][i] - goal[i]);
  return cost;
}

/* Calls a function of the dynamics with memory of "BLASFEO". */
static int call(int (*f)(void **, void **, void *), double *x, double *u, double *pi, double *fun, double *jac,
                double *hess) {
  struct blasfeo_dvec vectors[] = {{x}, {u}, {pi}, {fun}};
  struct blasfeo_dmat matrices[] = {{jac, N}, {hess, N}};
  struct blasfeo_dvec_args v[] = {{&vectors[0], 0}, {&vectors[1], 0}, {&vectors[2], 0}, {&vectors[3], 0}};
  struct blasfeo_dmat_args m[] = {{&matrices[0], 0, 0}, {&matrices[1], 0, 0}};
  void *in[] = {&v[0], &v[1], &v[2]}, *out[] = {&v[3], &m[0], &m[1]};
  return f(in, out, NULL);
}

/* The motion with u + alpha k + K dx. */
static int roll_out(const problem *p, const feedback *f, double alpha, problem *next) {
  memcpy(next->x[0], p->x[0], sizeof p->x[0]);
  for (int k = 0; k < STEPS; k++) {
    for (int i = 0; i < NU; i++) {
      next->u[k][i] = p->u[k][i] + alpha * f[k].k[i];
      for (int j = 0; j < NX; j++) next->u[k][i] += f[k].K[i * NX + j] * (next->x[k][j] - p->x[k][j]);
    }
    if (call(disc_dyn_fun, next->x[k], next->u[k], NULL, next->x[k + 1], NULL, NULL)) return 0;
  }
  next->cost = cost_of(next);
  return isfinite(next->cost);
}

/* Node k with the curvature of the dynamics, weighted by `exact`: 0 is Gauss-Newton. pi becomes the multipliers before
 * it. */
static int linearise(problem *p, int k, double exact, double pi[NX], node *a) {
  double fun[NX], jac[N * NX], hess[N * N], before[NX] = {0};
  if (call(disc_dyn_fun_jac_hess, p->x[k], p->u[k], pi, fun, jac, hess)) return 0;
  *a = (node){0};
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NX; j++) {
      a->A[i * NX + j] = jac[i * N + NU + j];
      a->Q[i * NX + j] = exact * hess[(NU + i) * N + NU + j];
      before[j] += jac[i * N + NU + j] * pi[i];
    }
  for (int i = 0; i < NU; i++) {
    for (int j = 0; j < NX; j++) {
      a->B[j * NU + i] = jac[j * N + i];
      a->N[i * NX + j] = exact * hess[(NU + j) * N + i];
    }
    for (int j = 0; j < NU; j++) a->R[i * NU + j] = exact * hess[i * N + j] + (i == j ? 0.01 : 0);
    a->r[i] = 0.01 * p->u[k][i];
  }
  memcpy(pi, before, sizeof before);
  return 1;
}

/* One Newton step; 0: no better motion was found. */
static int improve(problem *p, double exact, double *regular) {
  static feedback f[STEPS];
  static problem next;
  value_function V = {{0}, {0}};
  double pi[NX];
  node a;
  for (int i = 0; i < NX; i++) {
    V.S[i * NX + i] = weight[i];
    V.s[i] = pi[i] = weight[i] * (p->x[STEPS][i] - goal[i]);
  }
  for (int k = STEPS - 1; k >= 0; k--)
    if (!linearise(p, k, exact, pi, &a) || !step_back(NX, NU, &a, *regular, &V, &f[k])) {
      *regular *= 10;
      return *regular < 1e6;
    }
  for (double alpha = 1; alpha > 1e-4; alpha /= 2)
    if (roll_out(p, f, alpha, &next) && next.cost < p->cost) {
      double gain = p->cost - next.cost;
      *p = next;
      *regular = fmax(1e-6, *regular / 4);
      return gain > 1e-10 * p->cost;
    }
  *regular *= 10;
  return *regular < 1e6;
}

int main(void) {
  static problem p;
  jn_model *model;
  jn_error error;
  jn_function_options options;
  double regular = 1e-3;
  int count = 0;
  if (jn_load("builtin:double_pendulum", NULL, &model, &error) != JN_OK) return fprintf(stderr, "%s\n", error.text), 1;
  jn_function_options_init(&options);
  options.step = 0.03;
  if (jn_function_create(model, JN_FUNCTION_STEP, &options, &step) != JN_OK) return 1;
  for (int k = 0; k < STEPS; k++) p.u[k][0] = 1; /* any start that is not an equilibrium */
  static feedback none[STEPS];
  problem first = p;
  if (!roll_out(&first, none, 1, &p)) return 1;
  while (count < ITERATIONS && improve(&p, count < 20 ? 0 : 1, &regular)) count++;
  double distance = 0;
  for (int i = 0; i < NX; i++) distance = fmax(distance, fabs(p.x[STEPS][i] - goal[i]));
  printf("swing-up: cost %.4f, largest distance from the goal %.3f, %s 200 iterations\n", p.cost, distance,
         count < ITERATIONS ? "in less than" : "after");
  jn_function_destroy(step);
  jn_model_destroy(model);
  return distance < 0.1 ? 0 : 1;
}

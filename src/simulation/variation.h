/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of a step x+ = step(q, v, tau, pi). Where to look:
 *   group.c       rotations and poses
 *   variation.c   euler, rk4, dopri5: stage by stage; forwards, backwards, and second derivatives
 *   rodas.c       rodas, beside the step itself
 *   derivatives.c taylor by its series; the public functions
 *   flow.c        taylor where that does not do: the variational equations along the step
 *   second.c      second derivatives by differences, where variation.c has none
 *   projection.c  loops: what putting the end of a step back onto the conditions does
 * All write columns for each input: q, v, tau (3 nv), then the inertial parameters if these are wanted. */
#ifndef JN_SIMULATION_VARIATION_H
#define JN_SIMULATION_VARIATION_H

#include "simulation.h"

/* Of group.c, [groups x 36] each. */
typedef struct group_maps {
  double *R, *Ad, *L, *Lu;
} group_maps;

typedef struct step_stage {
  double t;
  double *q, *u, *v, *a;         /* where it is; the acceleration */
  double *by_q, *by_v, *by_tau;  /* [nv x nv] of the acceleration, with all forces that depend on the state */
  group_maps maps;               /* of u, v */
  double *cu, *cq, *cv;          /* [nv x inputs] changes of u, q, v */
  double *cku, *ckv;             /* of the rates of u and v */
  double *alpha, *beta, *torque; /* [nv] weights of the rates of v and u; of forces */
} step_stage;

typedef struct step_variation step_variation;
struct step_variation {
  int inputs, parameters; /* 3 nv + parameters; 10 L, or 0 when not wanted */
  step_stage stage[RK_STAGES], end;
  double *by_pi;            /* [nv x 10 L] of an acceleration */
  double *X;                /* [2 nv x inputs] the result */
  double *E, *E2;           /* [2 nv x 2 nv] of the loops, by what is before projection, scratch */
  double *A, *inverse, *mu; /* of the loops: [m x nv], [nv x m], [m] */
  double *change, *rows;    /* of A: [nv x nv] d(A^T mu)/dq; [m x nv] d(A y)/dq, then A times the first */
  double *tensor;           /* [5 x nv^3] second derivatives */
  double *W;                /* [3 nv x 3 nv] these, weighed, scratch */
  double *weigh;            /* [2 x 3 nv x inputs + 36 nv] scratch */
  double *second;           /* scratch of second.c */
  double *node;             /* of flow.c: rates and derivatives at all nodes; of rodas.c: derivatives */
};

/* A method: u_i = h sum_j a_ij ku_j, and so on; the end: b. */
typedef struct step_tableau {
  int stages;
  const double *c, *a, *b; /* [stages], [stages x 6], [stages] */
} step_tableau;

/* runge_kutta.c. Of euler: one stage. */
step_tableau jn__simulation_tableau(jn_integrator integrator);

/* group.c. v NULL: Lu is not wanted. */
void jn__group_maps(const jn_simulator *s, const double *u, const double *v, const group_maps *to);
/* Y += f B X [nv x columns], B the blocks; of other coordinates the identity, or zero. */
void jn__group_apply(const jn_simulator *s, const double *blocks, int others, double f, const double *X, int columns,
                     double *Y);
/* y += B^T x */
void jn__group_transposed(const jn_simulator *s, const double *blocks, int others, const double *x, double *y);
/* H [columns x columns] += gamma . d2(q0 exp u), for changes q0 and cu of q0 and u. scratch: [12 x columns]. */
void jn__group_second_point(const jn_simulator *s, const double *u, const group_maps *maps, const double *gamma,
                            const double *q0, const double *cu, int columns, double *scratch, double *H);
/* H += beta . d2(L(u) v), for changes cu of u and cw of L(u) v. */
void jn__group_second_rate(const jn_simulator *s, const double *u, const double *v, const group_maps *maps,
                           const double *beta, const double *cu, const double *cw, int columns, double *H);

/* variation.c */
/* C += f A B: A [rows x middle], B [middle x columns]. */
void jn__add_product(int rows, int middle, int columns, double f, const double *A, const double *B, double *C);
/* cq, cku and ckv of a stage (without parameters) from cu, cv and its derivatives. */
void jn__vary_columns(jn_simulator *s, step_stage *at);
/* X from the changes of u in end.cu and of v+ in X, at the place end.u, end.v: of q+, and through the loops. */
jn_status jn__vary_finish(jn_simulator *s);
/* The changes of the last step into variation->X. */
jn_status jn__vary_stages(jn_simulator *s);
/* x, tau, pi (NULL: not wanted) = lambda^T of the columns, after jn__vary_stages(); stages keep their weights. */
jn_status jn__vary_back(jn_simulator *s, const double *lambda, double *x, double *tau, double *pi);
/* The same by itself, without the columns. */
jn_status jn__vary_adjoint(jn_simulator *s, const double *lambda, double *x, double *tau, double *pi);
/* H [3 nv x 3 nv], after jn__vary_back(). */
jn_status jn__vary_twice(jn_simulator *s, const double *lambda, double *H);
/* by_pi at a state with the acceleration a: -by_tau Y. */
jn_status jn__vary_parameters(jn_simulator *s, const double *q, const double *v, const double *a, const double *by_tau,
                              double *by_pi);

/* second.c: likewise by itself; the size of its scratch memory. */
jn_status jn__vary_twice_by_differences(jn_simulator *s, const double *lambda, double *H);
size_t jn__second_scratch_size(int nq, int nv);
/* rodas.c, flow.c: likewise. */
jn_status jn__vary_rodas(jn_simulator *s);
jn_status jn__vary_flow(jn_simulator *s);
size_t jn__flow_nodes(int order);
/* projection.c: E of the step that ended at s->q, s->v, from what it was before projection; then X = E X. */
jn_status jn__projection(jn_simulator *s, const double *q, const double *v);
jn_status jn__vary_projection(jn_simulator *s, const double *q, const double *v);

#endif

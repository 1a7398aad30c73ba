/* SPDX-License-Identifier: BSD-2-Clause */
/* CVODE of SUNDIALS on y = (q, v), for robots whose velocities are the rates of their coordinates: Adams' methods of
 * variable order with fixed-point iteration, right-hand side by jn_forward_dynamics(). */
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "peer_cvode.h"

typedef struct right_side {
  const jn_model *model;
  jn_work *work;
  double damping, tau[64];
  int n;
} right_side;

static int rate(realtype t, N_Vector y, N_Vector dy, void *context) {
  right_side *r = context;
  const double *q = N_VGetArrayPointer(y), *v = q + r->n;
  double *to = N_VGetArrayPointer(dy);
  (void)t;
  for (int i = 0; i < r->n; i++) r->tau[i] = -r->damping * v[i];
  memcpy(to, v, (size_t)r->n * sizeof *to);
  return jn_forward_dynamics(r->model, r->work, q, v, r->tau, NULL, to + r->n) == JN_OK ? 0 : -1;
}

long cvode_run(const jn_model *model, double damping, double tolerance, double duration, double *q, double *v) {
  right_side r = {.model = model, .damping = damping, .n = jn_model_nv(model)};
  SUNContext context;
  realtype t = 0;
  long steps = -1;
  if (r.n > 64 || jn_work_create(model, &r.work) != JN_OK || SUNContext_Create(NULL, &context)) return -1;
  N_Vector y = N_VNew_Serial(2 * r.n, context);
  memcpy(N_VGetArrayPointer(y), q, (size_t)r.n * sizeof *q);
  memcpy(N_VGetArrayPointer(y) + r.n, v, (size_t)r.n * sizeof *v);
  void *memory = CVodeCreate(CV_ADAMS, context);
  SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(y, 0, context);
  int failed = CVodeInit(memory, rate, 0, y) || CVodeSStolerances(memory, tolerance, tolerance) ||
               CVodeSetUserData(memory, &r) || CVodeSetNonlinearSolver(memory, solver) ||
               CVodeSetMaxNumSteps(memory, 1000000) || CVodeSetStopTime(memory, duration) ||
               CVode(memory, duration, y, &t, CV_NORMAL) < 0;
  if (!failed) CVodeGetNumSteps(memory, &steps);
  memcpy(q, N_VGetArrayPointer(y), (size_t)r.n * sizeof *q);
  memcpy(v, N_VGetArrayPointer(y) + r.n, (size_t)r.n * sizeof *v);
  CVodeFree(&memory);
  SUNNonlinSolFree(solver);
  N_VDestroy(y);
  SUNContext_Free(&context);
  jn_work_destroy(r.work);
  return steps;
}

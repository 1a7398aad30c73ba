/* SPDX-License-Identifier: BSD-2-Clause */
/* What the functions share: arguments, results, and solutions for accelerations. */
#include <string.h>

#include "functions.h"

/* ---- arguments and results ---- */

void jn__add_argument(jn_written_function *f, const char *name, int array, int size) {
  f->in[f->ins++] = (jn_written_array){.name = name, .array = array, .size = size};
}

/* Room for a result; NULL: out of memory. */
jn_expr *jn__add_result(jn_writing *w, jn_written_function *f, const char *name, int size, int columns) {
  jn_expr *values = jn__allocate(&w->allocator, (size_t)(size + 1) * sizeof *values);
  f->out[f->outs++] = (jn_written_array){.name = name, .size = size, .columns = columns, .values = values};
  return values;
}

/* The numbers [first, first + nv) of an input array as expressions. */
jn_expr *jn__take_inputs(jn_writing *w, int array, int first) {
  int n = jn_model_nv(w->model);
  jn_expr *x = jn__allocate(&w->allocator, (size_t)(n + 1) * sizeof *x);
  for (int k = 0; x && k < n; k++) x[k] = jn__input(&w->graph, array, first + k);
  return x;
}

void jn__take_state(jn_writing *w, jn_written_function *f, int with_velocity) {
  jn__add_argument(f, "q", JN_ARRAY_Q, jn_model_nq(w->model));
  if (with_velocity) jn__add_argument(f, "v", JN_ARRAY_V, jn_model_nv(w->model));
}

/* b = tau - h - M a over prescribed accelerations, solved for the others: a is complete afterwards. M is kept. */
int jn__solve_accelerations(jn_writing *w, const unsigned char *prescribed, const jn_expr *v, const jn_expr *tau,
                            const jn_expr *M, jn_expr *a) {
  int n = jn_model_nv(w->model);
  size_t bytes = ((size_t)n * (size_t)n + 1) * sizeof(jn_expr);
  jn_expr *L = jn__allocate(&w->allocator, bytes), *h = jn__allocate(&w->allocator, bytes);
  int good = L && h;

  /* What the known accelerations and the velocities need. */
  if (good) memcpy(L, M, bytes - sizeof *L);
  for (int k = 0; k < n; k++)
    if (!prescribed || !prescribed[k]) a[k] = JN_ZERO;
  good = good && jn__write_inverse_dynamics(&w->symbols, v, a, 1, 1, h);

  /* The rest is M times the unknown accelerations. */
  for (int k = 0; good && k < n; k++)
    if (!prescribed || !prescribed[k]) a[k] = jn__subtract(&w->graph, tau[k], h[k]);
  good = good && jn__write_solve(&w->symbols, prescribed, L, a);

  jn__release(&w->allocator, L);
  jn__release(&w->allocator, h);
  return good;
}

jn_expr *jn__make_mass_matrix(jn_writing *w) {
  size_t n = (size_t)jn_model_nv(w->model);
  jn_expr *M = jn__allocate(&w->allocator, (n * n + 1) * sizeof *M);
  if (M && jn__write_mass_matrix(&w->symbols, M)) return M;
  jn__release(&w->allocator, M);
  return NULL;
}

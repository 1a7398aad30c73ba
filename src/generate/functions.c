/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that can be generated, by name: each says its arguments and writes its results as expressions. */
#include <string.h>

#include "functions.h"

/* ---- the functions ---- */

int jn__write_gravity_forces_function(jn_writing *w, jn_written_function *f) {
  f->about = "Gravity forces g(q), without springs.";
  jn__take_state(w, f, 0);
  jn_expr *g = jn__add_result(w, f, "g", jn_model_nv(w->model), 0);
  return g && jn__write_inverse_dynamics(&w->symbols, NULL, NULL, 0, 1, g);
}

int jn__write_bias_forces_function(jn_writing *w, jn_written_function *f) {
  f->about = "Bias forces h(q, v) = C v + g + k: the forces without acceleration, springs included.";
  jn__take_state(w, f, 1);
  jn_expr *h = jn__add_result(w, f, "h", jn_model_nv(w->model), 0), *v = jn__take_inputs(w, JN_ARRAY_V, 0);
  int good = h && v && jn__write_inverse_dynamics(&w->symbols, v, NULL, 1, 1, h);
  jn__release(&w->allocator, v);
  return good;
}

int jn__write_inverse_dynamics_function(jn_writing *w, jn_written_function *f) {
  f->about = "Inverse dynamics: tau = M(q) a + C(q, v) v + g(q) + k(q), without damping and friction.";
  int n = jn_model_nv(w->model);
  jn__take_state(w, f, 1);
  jn__add_argument(f, "a", JN_ARRAY_A, n);
  jn_expr *tau = jn__add_result(w, f, "tau", n, 0);
  jn_expr *v = jn__take_inputs(w, JN_ARRAY_V, 0), *a = jn__take_inputs(w, JN_ARRAY_A, 0);
  int good = tau && v && a && jn__write_inverse_dynamics(&w->symbols, v, a, 1, 1, tau);
  jn__release(&w->allocator, v);
  jn__release(&w->allocator, a);
  return good;
}

int jn__write_mass_matrix_function(jn_writing *w, jn_written_function *f) {
  f->about = "The mass matrix M(q), both triangles.";
  int n = jn_model_nv(w->model);
  jn__take_state(w, f, 0);
  jn_expr *M = jn__add_result(w, f, "M", n * n, n);
  return M && jn__write_mass_matrix(&w->symbols, M);
}

int jn__write_forward_dynamics_function(jn_writing *w, jn_written_function *f) {
  f->about = "Forward dynamics: a with M a = tau - C v - g - k. No pivoting: M must not be singular.";
  int n = jn_model_nv(w->model);
  jn__take_state(w, f, 1);
  jn__add_argument(f, "tau", JN_ARRAY_TAU, n);
  jn_expr *a = jn__add_result(w, f, "a", n, 0), *M = jn__make_mass_matrix(w);
  jn_expr *v = jn__take_inputs(w, JN_ARRAY_V, 0), *tau = jn__take_inputs(w, JN_ARRAY_TAU, 0);
  int good = a && M && v && tau && jn__solve_accelerations(w, NULL, v, tau, M, a);
  jn__release(&w->allocator, M);
  jn__release(&w->allocator, v);
  jn__release(&w->allocator, tau);
  return good;
}

int jn__write_hybrid_dynamics_function(jn_writing *w, jn_written_function *f) {
  f->about = "Hybrid dynamics: a is given where the table of coordinates says so, tau for the others.";
  int n = jn_model_nv(w->model);
  const unsigned char *prescribed = w->options.prescribed;
  jn__take_state(w, f, 1);
  jn__add_argument(f, "a", JN_ARRAY_A, n);
  jn__add_argument(f, "tau", JN_ARRAY_TAU, n);
  jn_expr *a = jn__add_result(w, f, "a_out", n, 0), *out = jn__add_result(w, f, "tau_out", n, 0),
          *M = jn__make_mass_matrix(w);
  jn_expr *v = jn__take_inputs(w, JN_ARRAY_V, 0), *given = jn__take_inputs(w, JN_ARRAY_A, 0),
          *tau = jn__take_inputs(w, JN_ARRAY_TAU, 0);
  int good = a && out && M && v && given && tau;

  if (good) memcpy(a, given, (size_t)n * sizeof *a);
  good = good && jn__solve_accelerations(w, prescribed, v, tau, M, a);

  /* Forces of prescribed coordinates. */
  good = good && jn__write_inverse_dynamics(&w->symbols, v, a, 1, 1, out);
  for (int k = 0; good && k < n; k++)
    if (!prescribed || !prescribed[k]) out[k] = tau[k];
  jn__release(&w->allocator, M);
  jn__release(&w->allocator, v);
  jn__release(&w->allocator, given);
  jn__release(&w->allocator, tau);
  return good;
}

/* ---- by name ---- */

typedef struct known_function {
  const char *name;
  int (*write)(jn_writing *w, jn_written_function *f);
} known_function;

static const known_function known[] = {
#define KNOWN(name) {#name, jn__write_##name##_function},
    JN_GENERATED_LIST(KNOWN)
#undef KNOWN
};
enum { KNOWN_FUNCTIONS = sizeof known / sizeof *known };

/* Arguments that several functions share: sines, gravity, payload, parameters. */
static void add_common_arguments(jn_writing *w, jn_written_function *f) {
  int nq = jn_model_nq(w->model);
  if (w->options.sines == JN_SINES_GIVEN) {
    jn__add_argument(f, "sin_q", JN_ARRAY_SINE, nq);
    jn__add_argument(f, "cos_q", JN_ARRAY_COSINE, nq);
  }
  if (w->options.runtime & JN_GENERATE_GRAVITY) jn__add_argument(f, "gravity", JN_ARRAY_GRAVITY, 3);
  if (w->options.runtime & JN_GENERATE_PAYLOAD) jn__add_argument(f, "payload", JN_ARRAY_PAYLOAD, 10);
  if (w->options.runtime & JN_GENERATE_PARAMETERS)
    jn__add_argument(f, "pi", JN_ARRAY_PARAMETERS, jn_parameter_count(w->model));
}

/* All results of a function in one list, for the caller to release. */
static jn_expr *list_results(const jn_writing *w, const jn_written_function *f, int *count) {
  int at = 0;
  for (int k = 0; k < f->outs; k++) at += f->out[k].size;
  jn_expr *all = jn__allocate(&w->allocator, (size_t)(at + 1) * sizeof *all);
  *count = at;

  at = 0;
  for (int k = 0; all && k < f->outs; k++)
    for (int i = 0; i < f->out[k].size; i++) all[at++] = f->out[k].values[i];
  return all;
}

/* The results as chains of sums. */
static jn_status chain_function(jn_writing *w, jn_written_function *f) {
  int count, at = 0;
  jn_expr *all = list_results(w, f, &count);
  int good = all && jn__chain_sums(&w->graph, all, count);
  for (int k = 0; good && k < f->outs; k++)
    for (int i = 0; i < f->out[k].size; i++) f->out[k].values[i] = all[at++];
  jn__release(&w->allocator, all);
  return good ? JN_OK : JN_ERR_MEMORY;
}

static jn_status order_function(jn_writing *w, jn_written_function *f) {
  int count;
  jn_expr *all = list_results(w, f, &count);
  int good = all && jn__sequence_create(&f->sequence, &w->graph, all, count);
  jn__release(&w->allocator, all);
  return good ? JN_OK : JN_ERR_MEMORY;
}

static jn_status write_one(jn_writing *w, const char *name, size_t length) {
  for (int k = 0; k < KNOWN_FUNCTIONS; k++) {
    if (strlen(known[k].name) != length || memcmp(known[k].name, name, length) != 0) continue;
    for (int i = 0; i < w->functions; i++)
      if (w->function[i].name == known[k].name) return JN_OK; /* asked for twice */

    jn_written_function *f = &w->function[w->functions++];
    *f = (jn_written_function){.name = known[k].name};
    w->refusal = JN_OK;
    if (!known[k].write(w, f))
      return w->refusal != JN_OK ? w->refusal : jn__writing_fail(w, JN_ERR_MEMORY, "out of memory");
    add_common_arguments(w, f);
    return JN_OK;
  }
  jn_status refusal = jn__refuse_function(w, name, length);
  if (refusal != JN_OK) return refusal;
  return jn__writing_fail(w, JN_ERR_NAME, "no function '%.*s' can be generated; docs/generate.md lists them",
                          (int)(length < 60 ? length : 60), name);
}

jn_status jn__write_functions(jn_writing *w) {
  w->function = jn__allocate(&w->allocator, (KNOWN_FUNCTIONS + 1) * sizeof *w->function);
  if (!w->function) return jn__writing_fail(w, JN_ERR_MEMORY, "out of memory");

  /* All functions share one graph. */
  jn_status status = JN_OK;
  for (const char *at = w->options.want; status == JN_OK && *at;) {
    size_t length = strcspn(at, ",");
    if (length) status = write_one(w, at, length);
    at += length + (at[length] == ',');
  }
  if (status == JN_OK && w->functions == 0)
    return jn__writing_fail(w, JN_ERR_NAME, "no function is wanted: name at least one");
  if (status == JN_OK && w->graph.failed)
    return jn__writing_fail(w, JN_ERR_SIZE, "the code would be too large: generate fewer functions at once");

  /* The graph grows for the last time before statements are ordered. */
  for (int k = 0; status == JN_OK && k < w->functions && !jn__is_stopped(); k++)
    status = chain_function(w, &w->function[k]);
  for (int k = 0; status == JN_OK && k < w->functions && !jn__is_stopped(); k++)
    status = order_function(w, &w->function[k]);
  return status;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that CasADi looks up: for each f of JN_FUNCTION_LIST, and for jac_f, adj1_f and jac_adj1_f,
 *   f(arg, res, iw, w, mem), f_n_in, f_n_out, f_name_in, f_name_out, f_sparsity_in, f_sparsity_out, f_work,
 *   f_checkout, f_release, f_incref, f_decref; and f_config for f itself
 * Everything that does not change is made once, under a lock. Computing takes no lock: each thread has a slot of its
 * own, from checkout to release, and nothing allocates but a checkout that finds no free slot. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

#define EXPORT __attribute__((visibility("default"))) /* all that is visible of this library */

enum { SLOTS = 4096 }; /* threads that compute with one function at once */

typedef struct slot {
  jn_function *f;
  double *x, *lambda, *out; /* [n], [m], [the largest matrix] */
  int is_taken;
} slot;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static plugin_robot robot;
static plugin_table tables[JN_FUNCTIONS][FORMS];
static slot *slots[JN_FUNCTIONS][SLOTS];

/* ---- making ---- */

static size_t largest(const jn_function *f) {
  size_t n = (size_t)jn_function_n(f), m = (size_t)jn_function_m(f);
  return n * n + n * m + m + n;
}

static void free_slot(slot *s) {
  if (!s) return;
  jn_function_destroy(s->f);
  free(s->x);
  free(s->lambda);
  free(s->out);
  free(s);
}

static slot *make_slot(jn_function_kind kind) {
  slot *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  jn_status status = jn_function_create(robot.model, kind, &robot.options, &s->f);
  if (status == JN_OK) {
    s->x = calloc((size_t)jn_function_n(s->f) + 1, sizeof(double));
    s->lambda = calloc((size_t)jn_function_m(s->f) + 1, sizeof(double));
    s->out = calloc(largest(s->f) + 1, sizeof(double));
    if (s->x && s->lambda && s->out) return s;
    status = JN_ERR_MEMORY;
  }
  const char *why = status == JN_ERR_UNSUPPORTED ? "the model has no loops" : jn_status_text(status);
  plugin_complain("%s of %s: %s", jn_function_kind_name(kind), jn_model_name(robot.model), why);
  free_slot(s);
  return NULL;
}

static slot *first_slot(jn_function_kind kind) {
  if (!slots[kind][0]) slots[kind][0] = make_slot(kind);
  return slots[kind][0];
}

static int read_robot(int argc, const char *const *argv) {
  pthread_mutex_lock(&lock);
  int failed = plugin_read_robot(argc, argv, &robot);
  pthread_mutex_unlock(&lock);
  return failed;
}

/* The table of a function; NULL: there is none, and stderr says why. */
static const plugin_table *table_of(jn_function_kind kind, plugin_form form) {
  plugin_table *t = &tables[kind][form];
  pthread_mutex_lock(&lock);
  int failed = robot.model ? 0 : plugin_read_robot(0, NULL, &robot);
  if (!failed && t->in_count == 0) {
    slot *s = first_slot(kind);
    failed = !s || plugin_make_table(s->f, form, t);
    if (failed) plugin_free_table(t);
  }
  pthread_mutex_unlock(&lock);
  return failed ? NULL : t;
}

__attribute__((destructor)) static void free_all(void) {
  for (int kind = 0; kind < JN_FUNCTIONS; kind++) {
    for (int form = 0; form < FORMS; form++) plugin_free_table(&tables[kind][form]);
    for (int i = 0; i < SLOTS && slots[kind][i]; i++) free_slot(slots[kind][i]);
  }
  plugin_free_robot(&robot);
}

/* ---- slots ---- */

static int checkout(jn_function_kind kind) {
  int found = -1;
  if (!table_of(kind, FORM_VALUE)) return -1;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < SLOTS && found < 0; i++) {
    if (!slots[kind][i]) slots[kind][i] = make_slot(kind);
    if (!slots[kind][i]) break;
    if (!slots[kind][i]->is_taken) found = i;
  }
  if (found >= 0) slots[kind][found]->is_taken = 1;
  pthread_mutex_unlock(&lock);
  return found;
}

static void release(jn_function_kind kind, int mem) {
  if (mem < 0 || mem >= SLOTS) return;
  pthread_mutex_lock(&lock);
  if (slots[kind][mem]) slots[kind][mem]->is_taken = 0;
  pthread_mutex_unlock(&lock);
}

/* ---- computing ---- */

/* Inputs that are not given are zero. */
static void gather(const double **arg, int count, const int *sizes, double *to) {
  for (int i = 0; i < count; to += sizes[i], i++) {
    if (arg[i])
      memcpy(to, arg[i], (size_t)sizes[i] * sizeof *to);
    else
      memset(to, 0, (size_t)sizes[i] * sizeof *to);
  }
}

/* The entries of a block that the pattern lists, column by column; entry (i, k) is from[i * down + k * right]. */
static void put_entries(const casadi_int *pattern, const double *from, int down, int right, double *to) {
  const casadi_int *start = pattern + 2, *row = start + pattern[1] + 1;
  for (casadi_int k = 0; k < pattern[1]; k++)
    for (casadi_int e = start[k]; e < start[k + 1]; e++) to[e] = from[row[e] * down + k * right];
}

static void put_vectors(const plugin_table *t, const double *from, double **res) {
  for (int i = 0; i < t->out_count; i++) {
    casadi_int size = t->out_pattern[i][0] * t->out_pattern[i][1];
    if (res[i]) memcpy(res[i], from, (size_t)size * sizeof *from);
    from += size;
  }
}

static jn_status jacobian(slot *s, const plugin_table *t, double **res) {
  int n = jn_function_n(s->f), inputs = jn_function_inputs(s->f);
  jn_status status = jn_function_jacobian(s->f, s->x, s->out);
  for (int b = 0; b < t->out_count && status == JN_OK; b++)
    if (res[b])
      put_entries(t->out_pattern[b],
                  s->out + plugin_output_at(s->f, b / inputs) * n + plugin_input_at(s->f, b % inputs), n, 1, res[b]);
  return status;
}

static jn_status hessian(slot *s, const plugin_table *t, double **res) {
  int n = jn_function_n(s->f), inputs = jn_function_inputs(s->f), outputs = jn_function_outputs(s->f),
      wide = inputs + 2 * outputs, wants_H = 0, wants_J = 0;
  double *H = s->out, *J = H + n * n;
  for (int b = 0; b < t->out_count; b++) *(b % wide < inputs ? &wants_H : &wants_J) |= res[b] != NULL;
  jn_status status = wants_H ? jn_function_hessian(s->f, s->x, s->lambda, NULL, H) : JN_OK;
  if (status == JN_OK && wants_J) status = jn_function_jacobian(s->f, s->x, J);
  for (int b = 0; b < t->out_count && status == JN_OK; b++) {
    int at = plugin_input_at(s->f, b / wide), by = b % wide;
    if (!res[b]) continue;
    if (by < inputs)
      put_entries(t->out_pattern[b], H + at * n + plugin_input_at(s->f, by), n, 1, res[b]);
    else if (by >= inputs + outputs)
      put_entries(t->out_pattern[b], J + plugin_output_at(s->f, by - inputs - outputs) * n + at, 1, n, res[b]);
  }
  return status;
}

static int compute(jn_function_kind kind, plugin_form form, const double **arg, double **res, int mem) {
  if (mem < 0 || mem >= SLOTS || !slots[kind][mem]) return 1;
  slot *s = slots[kind][mem];
  const plugin_table *t = &tables[kind][form];
  int inputs = jn_function_inputs(s->f), outputs = jn_function_outputs(s->f), sizes[PLUGIN_PUTS];
  for (int i = 0; i < inputs; i++) sizes[i] = jn_function_input_size(s->f, i);
  gather(arg, inputs, sizes, s->x);
  for (int o = 0; o < outputs; o++) sizes[o] = jn_function_output_size(s->f, o);
  if (form >= FORM_ADJOINT) gather(arg + inputs + outputs, outputs, sizes, s->lambda);
  jn_status status = JN_OK;
  switch (form) {
    case FORM_VALUE:
      status = jn_function_value(s->f, s->x, s->out);
      break;
    case FORM_JACOBIAN:
      status = jacobian(s, t, res);
      break;
    case FORM_ADJOINT:
      status = jn_function_adjoint(s->f, s->x, s->lambda, s->out);
      break;
    default:
      status = hessian(s, t, res);
  }
  if (status == JN_OK && (form == FORM_VALUE || form == FORM_ADJOINT)) put_vectors(t, s->out, res);
  return status != JN_OK;
}

/* ---- what CasADi asks ---- */

static casadi_int count_of(jn_function_kind kind, plugin_form form, int out) {
  const plugin_table *t = table_of(kind, form);
  return !t ? 0 : out ? t->out_count : t->in_count;
}

static const char *name_of(jn_function_kind kind, plugin_form form, int out, casadi_int i) {
  const plugin_table *t = table_of(kind, form);
  if (!t || i < 0 || i >= (out ? t->out_count : t->in_count)) return NULL;
  return out ? t->out[i] : t->in[i];
}

static const casadi_int *pattern_of(jn_function_kind kind, plugin_form form, int out, casadi_int i) {
  static const casadi_int nothing[] = {0, 0, 0};
  const plugin_table *t = table_of(kind, form);
  if (!t || i < 0 || i >= (out ? t->out_count : t->in_count)) return nothing;
  return out ? t->out_pattern[i] : t->in_pattern[i];
}

static int work_of(jn_function_kind kind, plugin_form form, casadi_int *arg, casadi_int *res, casadi_int *iw,
                   casadi_int *w) {
  const plugin_table *t = table_of(kind, form);
  if (arg) *arg = t ? t->in_count : 0;
  if (res) *res = t ? t->out_count : 0;
  if (iw) *iw = 0;
  if (w) *w = 0;
  return t ? 0 : 1;
}

/* One function of one form under the name f; prototypes are what CasADi calls by pointer. */
#define FORM_FUNCTIONS(f, kind, form)                                                       \
  EXPORT int f(const double **arg, double **res, casadi_int *iw, double *w, int mem);       \
  EXPORT casadi_int f##_n_in(void);                                                         \
  EXPORT casadi_int f##_n_out(void);                                                        \
  EXPORT const char *f##_name_in(casadi_int i);                                             \
  EXPORT const char *f##_name_out(casadi_int i);                                            \
  EXPORT const casadi_int *f##_sparsity_in(casadi_int i);                                   \
  EXPORT const casadi_int *f##_sparsity_out(casadi_int i);                                  \
  EXPORT int f##_work(casadi_int *arg, casadi_int *res, casadi_int *iw, casadi_int *w);     \
  EXPORT int f##_checkout(void);                                                            \
  EXPORT void f##_release(int mem);                                                         \
  EXPORT void f##_incref(void);                                                             \
  EXPORT void f##_decref(void);                                                             \
  int f(const double **arg, double **res, casadi_int *iw, double *w, int mem) {             \
    (void)iw, (void)w;                                                                      \
    return compute(kind, form, arg, res, mem);                                              \
  }                                                                                         \
  casadi_int f##_n_in(void) { return count_of(kind, form, 0); }                             \
  casadi_int f##_n_out(void) { return count_of(kind, form, 1); }                            \
  const char *f##_name_in(casadi_int i) { return name_of(kind, form, 0, i); }               \
  const char *f##_name_out(casadi_int i) { return name_of(kind, form, 1, i); }              \
  const casadi_int *f##_sparsity_in(casadi_int i) { return pattern_of(kind, form, 0, i); }  \
  const casadi_int *f##_sparsity_out(casadi_int i) { return pattern_of(kind, form, 1, i); } \
  int f##_work(casadi_int *arg, casadi_int *res, casadi_int *iw, casadi_int *w) {           \
    return work_of(kind, form, arg, res, iw, w);                                            \
  }                                                                                         \
  int f##_checkout(void) { return checkout(kind); }                                         \
  void f##_release(int mem) { release(kind, mem); }                                         \
  void f##_incref(void) {} /* what is made stays until the library is unloaded */           \
  void f##_decref(void) {}

#define KIND_FUNCTIONS(f, kind)                                                           \
  FORM_FUNCTIONS(f, kind, FORM_VALUE)                                                     \
  FORM_FUNCTIONS(jac_##f, kind, FORM_JACOBIAN)                                            \
  FORM_FUNCTIONS(adj1_##f, kind, FORM_ADJOINT)                                            \
  FORM_FUNCTIONS(jac_adj1_##f, kind, FORM_HESSIAN)                                        \
  EXPORT int f##_config(int argc, const char **argv);                                     \
  int f##_config(int argc, const char **argv) { /* argv[0] is the path of this library */ \
    return read_robot(argc > 1 ? argc - 1 : 0, argv + 1) || !table_of(kind, FORM_VALUE);  \
  }

KIND_FUNCTIONS(inverse_dynamics, JN_FUNCTION_INVERSE_DYNAMICS)
KIND_FUNCTIONS(forward_dynamics, JN_FUNCTION_FORWARD_DYNAMICS)
KIND_FUNCTIONS(step, JN_FUNCTION_STEP)
KIND_FUNCTIONS(frames, JN_FUNCTION_FRAMES)
KIND_FUNCTIONS(momentum, JN_FUNCTION_MOMENTUM)
KIND_FUNCTIONS(loops_forward_dynamics, JN_FUNCTION_LOOPS_FORWARD_DYNAMICS)
KIND_FUNCTIONS(loops_conditions, JN_FUNCTION_LOOPS_CONDITIONS)
KIND_FUNCTIONS(mass_matrix, JN_FUNCTION_MASS_MATRIX)
KIND_FUNCTIONS(gravity, JN_FUNCTION_GRAVITY)
KIND_FUNCTIONS(torque_rate, JN_FUNCTION_TORQUE_RATE)

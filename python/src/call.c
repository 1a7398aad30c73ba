/* SPDX-License-Identifier: BSD-2-Clause */
/* One call of a function of the library from end to end: read the arguments, make room for the results, compute with
 * work memory of the model (one state directly, many states by batches or in a loop), return or raise. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core.h"

/* The arguments as they were given: a list of (name, value). Arrays that were left out are None. */
static PyObject *given_values(const py_call_state *c) {
  PyObject *list = PyList_New(0);
  for (int i = 0; list && c && i < c->function->inputs; i++) {
    const py_argument *a = &c->function->argument[i];
    PyObject *value = c->value[i] ? c->value[i] : a->kind == PY_IN ? Py_None : NULL;
    PyObject *pair = value ? Py_BuildValue("(sO)", a->name, value) : NULL;
    if (pair) PyList_Append(list, pair);
    Py_XDECREF(pair);
  }
  return list;
}

/* Raises jounce.Error or one of its kinds. text: what the library says beyond the status; c: which call, or NULL. */
PyObject *py_raise(jn_status status, const char *text, py_call_state *c) {
  if (PyErr_Occurred()) return NULL; /* by a function of the user */
  if (status == JN_ERR_MEMORY) return PyErr_NoMemory();
  const char *joint = NULL;
  Py_ssize_t state = -1;
  if (c && status == JN_ERR_SINGULAR && c->object && c->object->of == &py_class_Model) {
    if (c->work) joint = jn_joint_name(c->object->handle, jn_singular_joint(c->work));
    if (c->batch && jn_batch_singular(c->batch) != JN_ALL_STATES) state = (Py_ssize_t)jn_batch_singular(c->batch);
  }
  const jn_error *error = c && c->error.text[0] ? &c->error : NULL;
  PyObject *none = PyObject_CallFunction(py_glued.failed, "issssziiznN", (int)status, jn_status_text(status),
                                         c ? c->function->name : "", text ? text : "", error ? error->text : "",
                                         error ? error->file : NULL, error ? error->line : 0, error ? error->column : 0,
                                         joint, state, given_values(c));
  Py_XDECREF(none);
  return NULL;
}

/* Warnings of the report become Python warnings. */
static int warn(const jn_report *report) {
  char text[1600];
  int count = jn_report_count(report);
  for (int i = 0; i < count; i++) {
    const jn_message *m = jn_report_message(report, i);
    if (m->severity != JN_WARNING) continue;
    int at = 0;
    if (m->file[0]) at += PyOS_snprintf(text, sizeof text, m->line > 0 ? "%.300s:%d: " : "%.300s: ", m->file, m->line);
    PyOS_snprintf(text + at, sizeof text - (size_t)at, "%.300s%s%.600s%s%.300s [%.60s]", m->subject,
                  m->subject[0] ? ": " : "", m->text, m->remedy[0] ? "; " : "", m->remedy, m->rule);
    PyObject *none = PyObject_CallFunction(py_glued.warn, "s", text);
    if (!none) return -1;
    Py_DECREF(none);
  }
  return 0;
}

/* ---- Ctrl-C ---- */

/* Long computations ask py_stop() whether to go on. Only the thread that called looks for signals, a few times in a
 * tenth of a second; the other threads of a call see what it found. */
struct py_watch {
  unsigned long thread;
  atomic_int stopped;
  double next; /* [s] when to look again */
};

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Thread_local py_watch *watch_of_thread; /* of the call that is under way */

static int py_stop(void *context) {
  enum { PER_SECOND = 25 };
  py_watch *w = context;
  if (atomic_load_explicit(&w->stopped, memory_order_relaxed)) return 1;
  if (PyThread_get_thread_ident() != w->thread) return 0;

  /* not too often: the lock of Python takes a while; a clock that was set back is no reason to wait */
  double time = now();
  if (time < w->next && time > w->next - 1) return 0;
  w->next = time + 1.0 / PER_SECOND;

  /* the exception of the signal stays set */
  PyGILState_STATE state = PyGILState_Ensure();
  if (PyErr_Occurred() || PyErr_CheckSignals() < 0) atomic_store(&w->stopped, 1);
  PyGILState_Release(state);
  return atomic_load(&w->stopped);
}

static size_t core_bytes(const py_call_state *c, int i) {
  const py_argument *a = &c->function->argument[i];
  size_t n = c->is_float ? sizeof(float) : sizeof(double);
  if (a->flags & (PY_BYTES | PY_SIGNED)) n = 1;
  for (int k = 0; k < a->dims; k++) n *= (size_t)py_size_of(c, a->dim[k]);
  return n;
}

/* One state after the other, for functions that have no batches. */
static jn_status run_loop(py_call_state *c, py_caller *one, py_watch *watch) {
  const py_function *f = c->function;
  size_t step[PY_ARGUMENTS];
  for (int i = 0; i < f->arguments; i++) {
    unsigned kind = f->argument[i].kind;
    int moves = kind == PY_IN || kind == PY_INOUT || kind == PY_OUT || (kind == PY_SCALAR && c->is_held[i]);
    step[i] = moves && c->s[i].p && kind != PY_SCRATCH ? core_bytes(c, i) : 0;
  }
  jn_status status = JN_OK;
  for (size_t at = 0; at < c->count && status == JN_OK; at++) {
    if (watch && py_stop(watch)) return JN_ERR_STOPPED;
    status = one(c);
    if (f->outcome && (int)status == f->outcome) status = JN_OK; /* of this state */
    for (int i = 0; i < f->arguments; i++)
      if (step[i]) c->s[i].p = (char *)c->s[i].p + step[i];
    if (c->records) c->record = (char *)c->record + c->record_size;
  }
  return status;
}

/* Results of so many numbers are worth releasing the GIL; so is all that may take long. */
enum { PY_LARGE = 2048 };

static int is_large(const py_call_state *c) {
  return c->result_bytes > PY_LARGE * sizeof(double) || c->function->flags & PY_MAKES ||
         (c->object && c->object->of->exclusive);
}

/* Whether arrays are among the results, besides inputs that are changed. */
static int has_arrays(const py_call_state *c) {
  for (int i = c->function->inputs; i < c->function->arguments; i++)
    if (c->function->argument[i].kind == PY_OUT && c->s[i].set) return 1;
  return 0;
}

jn_status py_run_long(py_long_job *job, void *data) {
  jn_status status;

  /* a function of the user may call the library again: what was asked before is asked again afterwards */
  py_watch watch = {.thread = PyThread_get_thread_ident(), .next = now() + 0.02}, *before = watch_of_thread;
  watch_of_thread = &watch;
  jn_set_stop(py_stop, &watch);
  Py_BEGIN_ALLOW_THREADS status = job(data, &watch);
  Py_END_ALLOW_THREADS watch_of_thread = before;
  jn_set_stop(before ? py_stop : NULL, before);
  return atomic_load(&watch.stopped) ? JN_ERR_STOPPED : status;
}

/* All states of a call, which is `data`. */
static jn_status run_states(void *data, py_watch *watch) {
  py_call_state *c = data;
  const py_function *f = c->function;
  py_caller *one = c->is_float ? f->one_f : f->one, *many = c->is_float ? f->many_f : f->many;

  int at_once = c->batch || (many && !(f->flags & PY_WORK) && !c->is_looped && !has_arrays(c));
  return c->axes == 0 ? one(c) : at_once ? many(c) : run_loop(c, one, watch);
}

static jn_status run(py_call_state *c) {
  if (c->axes == 0 && !is_large(c)) return c->is_float ? c->function->one_f(c) : c->function->one(c);
  return c->count == 0 ? JN_OK : py_run_long(run_states, c);
}

/* The object, and objects among the arguments: these are behind in the order of locks, and there is one at most that
 * has a lock. */
static int lock_all(py_call_state *c) {
  if (c->object && py_lock(c->object) < 0) return -1;
  if (!(c->function->flags & PY_HANDLES)) return 0;
  for (int i = 0; i < c->function->inputs; i++) {
    if (c->function->argument[i].kind != PY_HANDLE || !c->value[i] || py_lock((py_object *)c->value[i]) == 0) continue;
    while (--i >= 0)
      if (c->function->argument[i].kind == PY_HANDLE && c->value[i]) py_unlock((py_object *)c->value[i]);
    if (c->object) py_unlock(c->object);
    return -1;
  }
  return 0;
}

static void unlock_all(py_call_state *c) {
  for (int i = 0; c->function->flags & PY_HANDLES && i < c->function->inputs; i++)
    if (c->function->argument[i].kind == PY_HANDLE && c->value[i]) py_unlock((py_object *)c->value[i]);
  if (c->object) py_unlock(c->object);
}

static PyObject *compute(py_call_state *c) {
  const py_function *f = c->function;
  py_object *object = c->object;
  py_object *pool = object && object->model ? (py_object *)object->model : object; /* the model has the work memory */
  py_work *work = NULL;
  py_batch *batch = NULL;
  PyObject *result = NULL;
  int order = f->flags & PY_ORDERED ? c->order + (f->flags & PY_MORE_WORK ? 1 : 0) : 0;
  if (f->flags & PY_WORK) {
    int batched = c->axes && c->count && !c->is_looped && (c->is_float ? f->many_f : f->many);
    batched |= f->flags & PY_BY_BATCH;
    if (batched ? !(batch = py_take_batch(pool, order)) : !(work = py_take_work(pool, order))) return NULL;
    c->work = work ? work->work : NULL;
    c->batch = batch ? batch->batch : NULL;
  }
  if (f->flags & PY_MAKES && !(c->report = jn_report_create(NULL))) {
    PyErr_NoMemory();
  } else if (lock_all(c) == 0) {
    jn_status status = run(c);
    unlock_all(c);
    if (f->outcome && (int)status == f->outcome) status = JN_OK;
    int calls_python = c->callbacks || (object && object->callbacks);
    if (status != JN_OK || (calls_python && PyErr_Occurred()))
      py_raise(status, NULL, c);
    else if (!c->report || warn(c->report) == 0)
      result = py_results(c);
  }
  jn_report_destroy(c->report);
  if (work) py_give_work(pool, work);
  if (batch) py_give_batch(pool, batch);
  return result;
}

PyObject *py_call(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names, const py_function *function) {
  py_call_state c;
  c.function = function;
  c.object = PyModule_Check(self) ? NULL : (py_object *)self;
  c.self = c.object ? c.object->handle : NULL;
  c.work = NULL;
  c.batch = NULL;
  c.report = NULL;
  c.keep = c.out = c.want = NULL;
  c.callbacks = NULL;
  c.memory = NULL;
  c.records = NULL;
  c.record = c.room;
  c.result_bytes = 0;
  c.order = 0;
  c.error.text[0] = 0;
  memset(c.is_held, 0, (size_t)function->arguments);
  memset(c.array, 0, (size_t)function->arguments * sizeof *c.array);
  memset(c.given, 0, (size_t)function->arguments * sizeof *c.given);
  if (c.object)
    memcpy(c.size, c.object->size, sizeof c.size);
  else
    memset(c.size, 0xff, sizeof c.size); /* not known: -1 */
  if (c.object && !c.self) {
    PyErr_SetString(PyExc_TypeError, "this object was not made by jounce.load() or another function of jounce");
    return NULL;
  }
  PyObject *result = NULL;
  if (py_read_arguments(&c, args, n, names) == 0 && py_make_results(&c) == 0) result = compute(&c);
  if (!c.is_usual || c.out || c.keep) py_release_arguments(&c);
  for (int i = function->flags & PY_CHANGES ? 0 : function->inputs; i < function->arguments; i++)
    Py_XDECREF(c.array[i]);
  py_callbacks_free(c.callbacks);
  free(c.memory);
  free(c.records);
  return result;
}

PyObject *py_get(PyObject *self, void *function) { return py_call(self, NULL, 0, NULL, function); }

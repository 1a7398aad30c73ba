/* SPDX-License-Identifier: BSD-2-Clause */
/* Forces, wrenches, motions, breaks and watches of simulations, costs of rollouts and paths of tasks that are Python
 * functions; callback() in jounce/_glue.py calls them with NumPy arrays and checks what they return. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"

/* What the context of a watch is. */
struct py_watched {
  const py_callbacks *with;
  PyObject *function; /* borrowed from the tuple of watches */
};

static double watch_value(void *context, double t, const double *q, const double *v);

/* The watches of a tuple that callback() has made. */
static int add_watches(py_callbacks *to, PyObject *pairs) {
  Py_ssize_t count = PyTuple_Size(pairs);
  to->watch = calloc((size_t)count + 1, sizeof *to->watch);
  to->watched = calloc((size_t)count + 1, sizeof *to->watched);
  if (!to->watch || !to->watched) {
    PyErr_NoMemory();
    return -1;
  }
  for (Py_ssize_t k = 0; k < count; k++) {
    PyObject *pair = PyTuple_GetItem(pairs, k);
    to->watched[k] = (py_watched){to, PyTuple_GetItem(pair, 0)};
    to->watch[k] = (jn_watch){watch_value, &to->watched[k], (int)PyLong_AsLong(PyTuple_GetItem(pair, 1))};
  }
  to->watch_count = (int)count;
  return 0;
}

/* Argument i is a function: it belongs to the call, and to the simulator that the call makes. */
int py_add_callback(py_call_state *c, int i) {
  const py_argument *a = &c->function->argument[i];
  const Py_ssize_t *size = c->object->size;
  if (!c->callbacks) {
    c->callbacks = calloc(1, sizeof *c->callbacks);
    if (!c->callbacks) {
      PyErr_NoMemory();
      return -1;
    }
    *c->callbacks = (py_callbacks){.nq = size[PY_nq],
                                   .nv = size[PY_nv],
                                   .nlink = size[PY_nlink],
                                   .targets = size[PY_targets],
                                   .rows = size[PY_rows]};
  }
  PyObject *function = PyObject_CallFunction(py_glued.callback, "sO", a->name, c->value[i]);
  c->callbacks->function[a->fallback] = function;
  if (!function) return -1;
  return a->fallback == WATCH_CALLBACK ? add_watches(c->callbacks, function) : 0;
}

void py_callbacks_free(py_callbacks *callbacks) {
  if (!callbacks) return;
  for (int i = 0; i < PY_CALLBACKS; i++) Py_XDECREF(callbacks->function[i]);
  free(callbacks->watch);
  free(callbacks->watched);
  free(callbacks);
}

static PyObject *bytes_of(const double *from, Py_ssize_t count) {
  if (!from) Py_RETURN_NONE;
  return PyMemoryView_FromMemory((char *)(uintptr_t)from, count * (Py_ssize_t)sizeof(double), PyBUF_READ);
}

/* Copies an array of `count` doubles, and releases it. */
static jn_status copied(PyObject *result, Py_ssize_t count, double *to) {
  jn_status status = JN_ERR_CALLBACK;
  Py_buffer view;
  if (result && PyObject_GetBuffer(result, &view, PyBUF_C_CONTIGUOUS) == 0) {
    if (view.len == count * (Py_ssize_t)sizeof(double)) {
      memcpy(to, view.buf, (size_t)view.len);
      status = JN_OK;
    }
    PyBuffer_Release(&view);
  }
  Py_XDECREF(result);
  return status;
}

/* Calls function(t, q, v_jet, order, sizes of the result) and copies its result. A Python error stays set. */
static jn_status called(PyObject *function, double t, int order, PyObject *q, PyObject *v_jet, Py_ssize_t rows,
                        Py_ssize_t columns, double *to) {
  PyObject *result = NULL;
  if (q && v_jet && !PyErr_Occurred())
    result = PyObject_CallFunction(function, "dOOinn", t, q, v_jet, order, rows, columns);
  Py_XDECREF(q);
  Py_XDECREF(v_jet);
  return copied(result, rows * columns, to);
}

/* Calls a function that gives two arrays; the second is not wanted if `second` is NULL. */
static jn_status called_for_two(PyObject *both, Py_ssize_t n, double *first, Py_ssize_t m, double *second) {
  if (!both) return JN_ERR_CALLBACK;
  PyObject *a = PySequence_GetItem(both, 0), *b = a && second ? PySequence_GetItem(both, 1) : NULL;
  Py_DECREF(both);
  jn_status status = copied(a, n, first);
  if (second) {
    jn_status other = copied(b, m, second);
    if (status == JN_OK) status = other;
  }
  return status;
}

jn_status py_force_callback(void *context, double t, int order, const double *q, const double *v_jet, double *tau_jet) {
  const py_callbacks *with = context;
  PyGILState_STATE state = PyGILState_Ensure();
  jn_status status = called(with->function[FORCE_CALLBACK], t, order, bytes_of(q, with->nq),
                            bytes_of(v_jet, (order + 1) * with->nv), order + 1, with->nv, tau_jet);
  PyGILState_Release(state);
  return status;
}

static PyObject *none(void) { Py_RETURN_NONE; }

jn_status py_wrench_callback(void *context, double t, int order, double *wrench_jet) {
  const py_callbacks *with = context;
  PyGILState_STATE state = PyGILState_Ensure();
  jn_status status =
      called(with->function[WRENCH_CALLBACK], t, order, none(), none(), order + 1, with->nlink * 6, wrench_jet);
  PyGILState_Release(state);
  return status;
}

/* Rows 1 ... order+1 of v_jet are asked for; row 0 is not touched. */
jn_status py_motion_callback(void *context, double t, int order, double *v_jet) {
  const py_callbacks *with = context;
  PyGILState_STATE state = PyGILState_Ensure();
  jn_status status =
      called(with->function[MOTION_CALLBACK], t, order, none(), none(), order + 1, with->nv, v_jet + with->nv);
  PyGILState_Release(state);
  return status;
}

/* Calls a function that gives a number; NaN if it fails: that ends the step, and the error, which stays set, is raised.
 */
static double number_of(PyObject *function, PyObject *arguments) {
  PyObject *result = arguments ? PyObject_CallObject(function, arguments) : NULL;
  double value = result ? PyFloat_AsDouble(result) : NAN;
  Py_XDECREF(arguments);
  Py_XDECREF(result);
  return PyErr_Occurred() ? NAN : value;
}

double py_next_break_callback(void *context, double t) {
  const py_callbacks *with = context;
  PyGILState_STATE state = PyGILState_Ensure();
  double at = NAN;
  if (!PyErr_Occurred()) at = number_of(with->function[NEXT_BREAK_CALLBACK], Py_BuildValue("(d)", t));
  PyGILState_Release(state);
  return at;
}

static double watch_value(void *context, double t, const double *q, const double *v) {
  const py_watched *watched = context;
  const py_callbacks *with = watched->with;
  PyGILState_STATE state = PyGILState_Ensure();
  double value = NAN; /* after an error */
  if (!PyErr_Occurred())
    value = number_of(watched->function, Py_BuildValue("(dNN)", t, bytes_of(q, with->nq), bytes_of(v, with->nv)));
  PyGILState_Release(state);
  return value;
}

/* A term of the cost, and its gradient [2nv]. */
jn_status py_cost_callback(void *context, long k, const double *q, const double *v, double *value, double *df_dx) {
  const py_callbacks *with = context;
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *q_bytes = bytes_of(q, with->nq), *v_bytes = bytes_of(v, with->nv), *both = NULL;
  if (q_bytes && v_bytes)
    both = PyObject_CallFunction(with->function[COST_CALLBACK], "lOOn", k, q_bytes, v_bytes, 2 * with->nv);
  Py_XDECREF(q_bytes);
  Py_XDECREF(v_bytes);
  jn_status status = called_for_two(both, 1, value, 2 * with->nv, df_dx);
  PyGILState_Release(state);
  return status;
}

/* The targets of tasks at a time, and their rates. */
jn_status py_path_callback(void *context, double t, int order, double *target, double *rate_jet) {
  const py_callbacks *with = context;
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *both = PyObject_CallFunction(with->function[PATH_CALLBACK], "diinn", t, order, rate_jet != NULL,
                                         with->targets, with->rows);
  jn_status status = called_for_two(both, with->targets, target, (order + 1) * with->rows, rate_jet);
  PyGILState_Release(state);
  return status;
}

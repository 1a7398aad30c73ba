/* SPDX-License-Identifier: BSD-2-Clause */
/* Forces, wrenches and motions of simulations that are Python functions; callback() in jounce/_glue.py calls them with
 * NumPy arrays and checks what they return. */
#include <stdlib.h>
#include <string.h>
#include "core.h"

/* The callbacks of the simulator that is being made. */
void *py_callbacks_of(py_call_state *c, int which, void *function) {
  if (!c->callbacks) {
    c->callbacks = calloc(1, sizeof *c->callbacks);
    if (!c->callbacks) return NULL;
    c->callbacks->nq = c->object->size[PY_nq];
    c->callbacks->nv = c->object->size[PY_nv];
    c->callbacks->nlink = c->object->size[PY_nlink];
  }
  Py_INCREF((PyObject *)function);
  c->callbacks->function[which] = function;
  return c->callbacks;
}

void py_callbacks_free(py_callbacks *callbacks) {
  if (!callbacks) return;
  for (int i = 0; i < PY_CALLBACKS; i++) Py_XDECREF(callbacks->function[i]);
  free(callbacks);
}

static PyObject *bytes_of(const double *from, Py_ssize_t count) {
  if (!from) Py_RETURN_NONE;
  return PyMemoryView_FromMemory((char *)(uintptr_t)from, count * (Py_ssize_t)sizeof(double), PyBUF_READ);
}

/* Calls function(t, q, v_jet, order, sizes of the result) and copies its result. A Python error stays set. */
static jn_status called(PyObject *function, double t, int order, PyObject *q, PyObject *v_jet, Py_ssize_t rows,
                        Py_ssize_t columns, double *to) {
  jn_status status = JN_ERR_CALLBACK;
  PyObject *result = NULL;
  Py_buffer view;
  if (q && v_jet) result = PyObject_CallFunction(function, "dOOinn", t, q, v_jet, order, rows, columns);
  Py_XDECREF(q);
  Py_XDECREF(v_jet);
  if (result && PyObject_GetBuffer(result, &view, PyBUF_C_CONTIGUOUS) == 0) {
    if (view.len == rows * columns * (Py_ssize_t)sizeof(double)) {
      memcpy(to, view.buf, (size_t)view.len);
      status = JN_OK;
    }
    PyBuffer_Release(&view);
  }
  Py_XDECREF(result);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays for the results, new or given by out=, and what a call returns: one value, or a named tuple. */
#include <stdlib.h>
#include <string.h>
#include "core.h"

static int is_result_array(const py_argument *a) {
  return a->kind == PY_OUT || a->kind == PY_INOUT || a->kind == PY_SCRATCH;
}
/* Results come after the inputs, except for inputs that are changed. */
static int is_returned(const py_function *f, int i) {
  return i >= f->inputs ? f->argument[i].kind != PY_SCRATCH : f->argument[i].kind == PY_INOUT;
}

static int first_result(const py_function *f) { return f->flags & PY_CHANGES ? 0 : f->inputs; }

static PyObject *full_shape(const py_call_state *c, const py_argument *a) {
  PyObject *shape = PyTuple_New(c->axes + a->dims);
  if (!shape) return NULL;
  for (int k = 0; k < c->axes; k++) PyTuple_SetItem(shape, k, PyLong_FromSsize_t(c->axis[k]));
  for (int k = 0; k < a->dims; k++) PyTuple_SetItem(shape, c->axes + k, PyLong_FromSsize_t(py_size_of(c, a->dim[k])));
  return shape;
}

static int is_bytes(const py_argument *a) { return a->flags & (PY_BYTES | PY_SIGNED); }

py_array_maker *py_make_array = NULL;

PyObject *py_new_array(PyObject *dtype, int nd, const Py_ssize_t *dims) {
  if (py_make_array) {
    Py_INCREF(dtype); /* for the array */
    return py_make_array((PyTypeObject *)py_glued.ndarray, dtype, nd, dims, NULL, NULL, 0, NULL);
  }
  PyObject *shape = PyTuple_New(nd);
  for (int k = 0; shape && k < nd; k++) PyTuple_SetItem(shape, k, PyLong_FromSsize_t(dims[k]));
  PyObject *array = shape ? PyObject_CallFunctionObjArgs(py_glued.empty, shape, dtype, NULL) : NULL;
  Py_XDECREF(shape);
  return array;
}

static size_t elements(const py_call_state *c, const py_argument *a) {
  size_t n = 1;
  for (int k = 0; k < a->dims; k++) n *= (size_t)py_size_of(c, a->dim[k]);
  return n;
}

static PyObject *new_array(py_call_state *c, const py_argument *a) {
  Py_ssize_t dims[PY_AXES + PY_DIMS];
  c->result_bytes += c->count * elements(c, a) * sizeof(double);
  for (int k = 0; k < c->axes; k++) dims[k] = c->axis[k];
  for (int k = 0; k < a->dims; k++) {
    dims[c->axes + k] = py_size_of(c, a->dim[k]);
    if (dims[c->axes + k] < 0)
      return PyErr_Format(PyExc_SystemError, "%s(): the size of %s is not known", c->function->name, a->name);
  }
  PyObject *type = a->flags & PY_BYTES    ? py_glued.uint8
                   : a->flags & PY_SIGNED ? py_glued.int8
                   : c->is_float          ? py_glued.float32
                                          : py_glued.float64;
  return py_new_array(type, c->axes + a->dims, dims);
}

/* Whether the array that was given has the wanted shape; -1 with an exception if not. */
static int check_given(const py_call_state *c, int i, const Py_buffer *view) {
  const py_argument *a = &c->function->argument[i];
  PyObject *expected = full_shape(c, a);
  if (!expected) return -1;
  PyObject *got = PyTuple_New(view->ndim);
  for (int k = 0; got && k < view->ndim; k++) PyTuple_SetItem(got, k, PyLong_FromSsize_t(view->shape[k]));
  int same = got ? PyObject_RichCompareBool(expected, got, Py_EQ) : -1;
  char kind = c->is_float ? 'f' : 'd';
  if (is_bytes(a)) kind = a->flags & PY_BYTES ? 'B' : 'b';
  int fits = view->format && view->format[0] == kind && view->format[1] == 0;
  if (same == 0)
    PyErr_Format(PyExc_ValueError, "%s(): out for %s has shape %S, expected %S", c->function->name, a->name, got,
                 expected);
  else if (same == 1 && !fits)
    PyErr_Format(PyExc_TypeError, "%s(): out for %s has the format '%s', expected %s", c->function->name, a->name,
                 view->format,
                 kind == 'f'   ? "float32"
                 : kind == 'B' ? "uint8"
                 : kind == 'b' ? "int8"
                               : "float64");
  Py_DECREF(expected);
  Py_XDECREF(got);
  return same == 1 && fits ? 0 : -1;
}

static int overlaps(const py_call_state *c, const char *start, size_t size) {
  const char *end = start + size;
  for (int i = 0; i < c->function->inputs; i++) {
    const py_argument *a = &c->function->argument[i];
    int is_direct = c->is_usual && a->kind == PY_IN; /* read without a view */
    const char *other = c->is_held[i] ? c->view[i].buf : is_direct ? c->s[i].p : NULL;
    size_t bytes = c->is_held[i] ? (size_t)c->view[i].len : other ? elements(c, a) * sizeof(double) : 0;
    if (other && other < end && start < other + bytes) return 1;
  }
  return 0;
}

/* The usual call is given arrays of NumPy of the right type and shape, apart from all inputs: where they are, or NULL.
 */
static void *memory_of_given(const py_call_state *c, const py_argument *a, PyObject *given) {
  if (!c->is_usual || a->kind != PY_OUT || is_bytes(a)) return NULL;
  void *memory = py_memory_of_one(c, a, given, PY_ARRAY_WRITEABLE);
  return memory && !overlaps(c, memory, elements(c, a) * sizeof(double)) ? memory : NULL;
}

/* The same for many states and other number types. */
static int fits_directly(py_call_state *c, int i, PyObject *given) {
  const py_argument *a = &c->function->argument[i];
  Py_buffer *view = &c->view[i];
  if (c->is_held[i] || is_bytes(a) || py_view(c, i, given, 1) != 0) return 0;
  int fits = view->ndim == c->axes + a->dims && view->format[0] == (c->is_float ? 'f' : 'd');
  for (int k = 0; fits && k < view->ndim; k++)
    fits = view->shape[k] == (k < c->axes ? c->axis[k] : py_size_of(c, a->dim[k - c->axes]));
  fits = fits && !overlaps(c, view->buf, (size_t)view->len);
  PyBuffer_Release(view);
  c->is_held[i] = 0;
  return fits;
}

/* Uses the array that was given, or a new one that is copied to it later if it has gaps or overlaps an input. */
static int take_given(py_call_state *c, int i, PyObject *given) {
  Py_buffer view;
  if (fits_directly(c, i, given)) {
    Py_INCREF(given);
    c->array[i] = given;
    return 0;
  }
  int is_masked = PyObject_IsInstance(given, py_glued.masked);
  if (is_masked || PyObject_GetBuffer(given, &view, PyBUF_FORMAT | PyBUF_STRIDES | PyBUF_WRITABLE) < 0) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s(): out for %s must be an array that can be written%s", c->function->name,
                 c->function->argument[i].name, is_masked ? ", not a masked array" : "");
    return -1;
  }
  int status = check_given(c, i, &view);
  int usable = status == 0 && PyBuffer_IsContiguous(&view, 'C') && !overlaps(c, view.buf, (size_t)view.len);
  PyBuffer_Release(&view);
  if (status < 0) return -1;
  if (usable) {
    Py_INCREF(given);
    c->array[i] = given;
  } else {
    c->array[i] = new_array(c, &c->function->argument[i]);
    c->given[i] = given;
  }
  return c->array[i] ? 0 : -1;
}

/* Arrays of a size that no argument tells: nobody wants them. */
static int is_left_out(const py_call_state *c, const py_argument *a) {
  if (a->kind != PY_SCRATCH && !(a->kind == PY_INOUT && a->flags & PY_NULLABLE)) return 0;
  for (int k = 0; k < a->dims; k++)
    if (py_size_of(c, a->dim[k]) < 0) return 1;
  return 0;
}

static int place(py_call_state *c, int i, PyObject *given) {
  const py_argument *a = &c->function->argument[i];
  void *from = c->s[i].p;
  if (!given && a->dims == 0 && c->axes == 0 && a->kind == PY_OUT) { /* one number */
    c->number[i] = 0;
    c->number_f[i] = 0;
    c->s[i].p = c->is_float ? (void *)&c->number_f[i] : (void *)&c->number[i];
    return 0;
  }
  void *memory = given ? memory_of_given(c, a, given) : NULL;
  if (memory) {
    c->array[i] = Py_NewRef(given);
    c->s[i].p = memory;
    c->result_bytes += elements(c, a) * sizeof(double);
    return 0;
  }
  if (!given && !c->is_held[i] && is_left_out(c, a)) {
    c->s[i].p = NULL;
    c->s[i].set = 0;
    return 0;
  }
  if (a->kind == PY_INOUT && c->is_held[i]) { /* the input is copied: its view makes room for that of the result */
    Py_buffer input = c->view[i];
    if (given ? take_given(c, i, given) < 0 : !(c->array[i] = new_array(c, a))) return -1;
    if (PyObject_GetBuffer(c->array[i], &c->view[i], PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) {
      c->view[i] = input;
      return -1;
    }
    memcpy(c->view[i].buf, from, (size_t)c->view[i].len);
    PyBuffer_Release(&input);
    c->s[i].p = c->view[i].buf;
    return 0;
  }
  if (given ? take_given(c, i, given) < 0 : !(c->array[i] = new_array(c, a))) return -1;
  if (!given && py_make_array) { /* its layout is known */
    c->s[i].p = ((const py_ndarray *)c->array[i])->data;
    if (a->kind == PY_INOUT) memset(c->s[i].p, 0, c->count * elements(c, a) * sizeof(double)); /* not given: zero */
    return 0;
  }
  if (py_view(c, i, c->array[i], 1) != 0) { /* bytes */
    if (PyObject_GetBuffer(c->array[i], &c->view[i], PyBUF_WRITABLE) < 0) return -1;
    c->is_held[i] = 1;
  }
  c->s[i].p = c->view[i].buf;
  c->result_bytes += (size_t)c->view[i].len;
  if (a->kind == PY_INOUT) memset(c->s[i].p, 0, (size_t)c->view[i].len);
  return 0;
}

static int is_wanted(const py_call_state *c, int i) {
  return c->want ? c->wanted[i] : c->function->argument[i].flags & PY_WANTED;
}

/* Marks one result by its name. */
static int want_one(py_call_state *c, PyObject *name) {
  const py_function *f = c->function;
  for (int i = first_result(f); name && PyUnicode_Check(name) && i < f->arguments; i++) {
    if (!is_returned(f, i) || PyUnicode_CompareWithASCIIString(name, f->argument[i].name) != 0) continue;
    c->wanted[i] = 1;
    return 0;
  }
  if (name) PyErr_Format(PyExc_ValueError, "%s(): %R in want is not one of its results", f->name, name);
  return -1;
}

/* want= is a name or several. */
static int read_want(py_call_state *c) {
  memset(c->wanted, 0, (size_t)c->function->arguments);
  if (PyUnicode_Check(c->want)) return want_one(c, c->want);
  Py_ssize_t n = PySequence_Size(c->want);
  for (Py_ssize_t k = 0; k < n; k++) {
    PyObject *name = PySequence_GetItem(c->want, k);
    int status = want_one(c, name);
    Py_XDECREF(name);
    if (status < 0) return -1;
  }
  return n < 0 ? -1 : 0;
}

/* The array that out= gives for result number `item`. */
static PyObject *given_for(const py_call_state *c, int items, int item) {
  if (!c->out) return NULL;
  if (items == 1 && !PyTuple_Check(c->out)) return c->out;
  PyObject *given = PyTuple_Check(c->out) && item < PyTuple_Size(c->out) ? PyTuple_GetItem(c->out, item) : NULL;
  return given == Py_None ? NULL : given;
}

/* A result that nobody wants, but another one that C writes together with it. */
static int is_needed(const py_call_state *c, int items, int i) {
  const py_function *f = c->function;
  if (!(f->argument[i].flags & PY_TOGETHER)) return 0;
  for (int k = f->inputs, item = 0; k < f->arguments; item += is_returned(f, k++))
    if (f->argument[k].flags & PY_TOGETHER && (is_wanted(c, k) || given_for(c, items, item))) return 1;
  return 0;
}

int py_make_results(py_call_state *c) {
  const py_function *f = c->function;
  int items = f->results, item = 0;
  if (c->want && read_want(c) < 0) return -1;
  if (c->out && items > 1 && (!PyTuple_Check(c->out) || PyTuple_Size(c->out) != items)) {
    PyErr_Format(PyExc_TypeError, "%s(): out must be a tuple of %d arrays, or None in their place", f->name, items);
    return -1;
  }
  for (int i = first_result(f); i < f->arguments; i++) {
    const py_argument *a = &f->argument[i];
    PyObject *given = is_returned(f, i) ? given_for(c, items, item) : NULL;
    if (i >= f->inputs && !is_result_array(a)) c->s[i].p = a->kind == PY_STRUCT ? c->room : NULL, c->s[i].n = 0;
    item += is_returned(f, i);
    if (a->kind == PY_STRUCT && c->axes) {
      const py_member *member = a->extra;
      c->record_size = member->offset;
      c->record = c->records = calloc(c->count ? c->count : 1, c->record_size);
      c->s[i].p = c->records;
      if (c->records) continue;
      PyErr_NoMemory();
      return -1;
    }
    if (!is_result_array(a)) {
      if (i >= f->inputs && c->axes) {
        PyErr_Format(PyExc_ValueError, "%s() takes one state, no leading axes", f->name);
        return -1;
      }
      continue;
    }
    c->s[i].set = a->kind == PY_INOUT || a->kind == PY_SCRATCH || given ? 1 : is_wanted(c, i);
    if (i >= f->inputs && !c->s[i].set && a->flags & PY_NULLABLE && !is_needed(c, items, i)) {
      c->s[i].p = NULL;
      continue;
    }
    if (place(c, i, given) < 0) return -1;
  }
  return 0;
}

/* ---- what is returned ---- */

static PyObject *from_constant(py_call_state *c, int i) {
  const py_argument *a = &c->function->argument[i];
  if (!c->s[i].p) Py_RETURN_NONE;
  if (c->object) c->object->of->sizes(c->object->handle, c->size); /* they may have changed since it was made */
  PyObject *array = new_array(c, a);
  Py_buffer view;
  if (array && PyObject_GetBuffer(array, &view, PyBUF_WRITABLE) == 0) {
    memcpy(view.buf, c->s[i].p, elements(c, a) * sizeof(double));
    PyBuffer_Release(&view);
  }
  return array;
}

/* Another object that a new one refers to: the trajectory of a motion with another timing. */
static PyObject *referred(const py_call_state *c) {
  for (int i = 0; i < c->function->inputs; i++)
    if (c->function->argument[i].kind == PY_HANDLE && c->value[i]) return c->value[i];
  return NULL;
}

static PyObject *from_object(py_call_state *c, int i) {
  const py_argument *a = &c->function->argument[i];
  py_class *of = (py_class *)(uintptr_t)a->extra;
  void *handle = c->s[i].p;
  PyObject *model = NULL, *parent = NULL;
  if (!handle) Py_RETURN_NONE;
  if (of != &py_class_Model) {
    model = c->object->model ? c->object->model : (PyObject *)c->object;
    parent = c->object->of != &py_class_Model ? (PyObject *)c->object : referred(c);
  }
  c->s[i].p = NULL;
  PyObject *object = py_object_new(of, handle, model, parent);
  if (object) {
    ((py_object *)object)->callbacks = c->callbacks;
    c->callbacks = NULL;
  }
  return object;
}

static PyObject *from_borrowed(py_call_state *c, int i) {
  py_class *of = (py_class *)(uintptr_t)c->function->argument[i].extra;
  PyObject *object = py_object_new(of, c->s[i].p, NULL, (PyObject *)c->object);
  if (object) ((py_object *)object)->is_borrowed = 1;
  return object;
}

static PyObject *from_array(py_call_state *c, int i) {
  if (!c->s[i].set) Py_RETURN_NONE;
  if (!c->array[i]) return PyFloat_FromDouble(c->is_float ? (double)c->number_f[i] : c->number[i]);
  if (c->given[i]) {
    if (PyObject_SetItem(c->given[i], py_glued.ellipsis, c->array[i]) < 0) return NULL;
    return Py_NewRef(c->given[i]);
  }
  PyObject *array = c->array[i];
  c->array[i] = NULL; /* the result has the reference now */
  return array;
}

static PyObject *string_or_none(const char *text) {
  if (!text) Py_RETURN_NONE;
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *from_owned_text(py_call_state *c, int i) {
  jn_options options;
  jn_options_init(&options);
  PyObject *text = PyUnicode_DecodeUTF8(c->s[i].p, (Py_ssize_t)c->s[i].n, "surrogateescape");
  jn_text_free(c->s[i].p, &options);
  c->s[i].p = NULL;
  return text;
}

static PyObject *item(py_call_state *c, int i) {
  const py_argument *a = &c->function->argument[i];
  switch (a->kind) {
    case PY_INT:
      if (c->s[i].i == JN_NONE) Py_RETURN_NONE;
      return PyLong_FromLong(c->s[i].i);
    case PY_UNSIGNED:
      return PyLong_FromUnsignedLongLong(c->s[i].u);
    case PY_DOUBLE:
      return PyFloat_FromDouble(c->s[i].d);
    case PY_STRING:
      return string_or_none(c->s[i].p);
    case PY_CHARS:
      return string_or_none(c->text);
    case PY_ENUM: {
      const char *const *names = a->extra;
      int n = 0;
      while (names[n]) n++;
      return string_or_none(c->s[i].i >= 0 && c->s[i].i < n ? names[c->s[i].i] : NULL);
    }
    case PY_STRUCT:
    case PY_STRUCT_OF_OBJECT:
      return py_from_struct(c, a->extra, c->s[i].p);
    case PY_CONSTANT:
      return from_constant(c, i);
    case PY_OWNED_TEXT:
      return from_owned_text(c, i);
    case PY_OBJECT:
      return from_object(c, i);
    case PY_BORROWED:
      return from_borrowed(c, i);
    default:
      return from_array(c, i);
  }
}

static PyObject **result_classes;
static newfunc make_tuple;
static int fills_tuples; /* whether a named tuple that is made empty and then filled is like any other */

static PyObject *named_tuple(PyObject *tuple, PyObject *class) {
  PyObject *arguments = tuple ? PyTuple_New(1) : NULL;
  if (!arguments) {
    Py_XDECREF(tuple);
    return NULL;
  }
  PyTuple_SetItem(arguments, 0, tuple);
  PyObject *named = make_tuple((PyTypeObject *)class, arguments, NULL);
  Py_DECREF(arguments);
  return named;
}

/* Later versions of Python may keep more in a tuple than its items: compares both ways to make one. */
static int check_filling(PyObject *class) {
  PyObject *filled = PyType_GenericAlloc((PyTypeObject *)class, 2);
  for (int i = 0; filled && i < 2; i++) PyTuple_SetItem(filled, i, PyLong_FromLong(i));
  PyObject *usual = named_tuple(Py_BuildValue("(ii)", 0, 1), class);
  int same = filled && usual && PyObject_RichCompareBool(filled, usual, Py_EQ) == 1 &&
             PyObject_Hash(filled) == PyObject_Hash(usual) && PyTuple_Size(filled) == 2;
  Py_XDECREF(filled);
  Py_XDECREF(usual);
  PyErr_Clear();
  return same;
}

void py_set_result_classes(PyObject **classes) {
  result_classes = classes;
  make_tuple = (newfunc)PyType_GetSlot(&PyTuple_Type, Py_tp_new);
  fills_tuples = check_filling(classes[0]);
}

PyObject *py_results(py_call_state *c) {
  const py_function *f = c->function;
  int items = f->results, at = 0;
  if (items == 0) Py_RETURN_NONE;
  PyObject *class = f->result >= 0 ? result_classes[f->result] : NULL, *tuple = NULL;
  if (items > 1) tuple = class && fills_tuples ? PyType_GenericAlloc((PyTypeObject *)class, items) : PyTuple_New(items);
  for (int i = first_result(f); i < f->arguments; i++) {
    if (!is_returned(f, i)) continue;
    PyObject *value = item(c, i);
    if (items == 1) return value;
    if (!value || !tuple) {
      Py_XDECREF(tuple);
      return NULL;
    }
    PyTuple_SetItem(tuple, at++, value);
  }
  return class && !fills_tuples ? named_tuple(tuple, class) : tuple;
}

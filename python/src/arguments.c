/* SPDX-License-Identifier: BSD-2-Clause */
/* Python values become slots. Arrays of double or float that lie in memory without gaps are used where they are;
 * everything else (lists, integers, other strides, dictionaries) is converted by jounce/_glue.py. */
#include <stdlib.h>
#include <string.h>
#include "core.h"

int py_keep(py_call_state *c, PyObject *object) {
  if (!object) return -1;
  if (!c->keep) c->keep = PyList_New(0);
  int failed = !c->keep || PyList_Append(c->keep, object) < 0;
  Py_DECREF(object);
  return failed ? -1 : 0;
}

/* ---- which value is for which argument ---- */

static int take_keyword(py_call_state *c, PyObject *name, PyObject *value) {
  const py_function *f = c->function;
  for (int i = 0; i < f->inputs; i++) {
    if (PyUnicode_CompareWithASCIIString(name, f->argument[i].name) != 0) continue;
    if (c->value[i]) {
      PyErr_Format(PyExc_TypeError, "%s() got two values for '%s'", f->name, f->argument[i].name);
      return -1;
    }
    c->value[i] = value;
    return 0;
  }
  if (PyUnicode_CompareWithASCIIString(name, "out") == 0) {
    c->out = value == Py_None ? NULL : value;
  } else if (PyUnicode_CompareWithASCIIString(name, "want") == 0) {
    c->want = value == Py_None ? NULL : value;
  } else {
    PyErr_Format(PyExc_TypeError, "%s() has no argument '%U'", f->name, name);
    return -1;
  }
  return 0;
}

static int distribute(py_call_state *c, PyObject *const *args, Py_ssize_t n, PyObject *names) {
  const py_function *f = c->function;
  for (int i = 0; i < f->inputs; i++) c->value[i] = NULL;
  if (n > f->positional) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %d arguments by position, %zd were given", f->name, f->positional,
                 n);
    return -1;
  }
  for (Py_ssize_t i = 0; i < n; i++) c->value[i] = args[i];
  Py_ssize_t count = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t k = 0; k < count; k++)
    if (take_keyword(c, PyTuple_GetItem(names, k), args[n + k]) < 0) return -1;
  for (int i = 0; i < f->inputs; i++) {
    const py_argument *a = &f->argument[i];
    if (c->value[i] == Py_None && (a->flags & PY_NULLABLE || !(a->flags & PY_REQUIRED))) c->value[i] = NULL;
    if (!c->value[i] && a->flags & PY_REQUIRED && !(a->flags & PY_NULLABLE)) {
      PyErr_Format(PyExc_TypeError, "%s() needs the argument '%s'", f->name, a->name);
      return -1;
    }
  }
  return 0;
}

/* ---- arrays ---- */

static int is_native(const Py_buffer *view, char kind) {
  return view->format && view->format[0] == kind && view->format[1] == 0;
}

int py_has_layout = 0;

/* A plain array of double or float without gaps, read directly. The view has no owner: releasing it does nothing. */
static int view_directly(Py_buffer *view, PyObject *value, int writable) {
  const py_ndarray *array = (const py_ndarray *)value;
  int needed = PY_ARRAY_C | PY_ARRAY_ALIGNED | (writable ? PY_ARRAY_WRITEABLE : 0);
  int is_double = array->dtype == py_glued.float64;
  if ((!is_double && array->dtype != py_glued.float32) || (array->flags & needed) != needed) return 0;
  view->buf = array->data;
  view->obj = NULL;
  view->itemsize = is_double ? sizeof(double) : sizeof(float);
  view->len = view->itemsize;
  for (int k = 0; k < array->nd; k++) view->len *= array->dimensions[k];
  view->readonly = !(array->flags & PY_ARRAY_WRITEABLE);
  view->ndim = array->nd;
  view->format = is_double ? "d" : "f";
  view->shape = array->dimensions;
  view->strides = array->strides;
  view->suboffsets = NULL;
  view->internal = NULL;
  return 1;
}

/* Finds the memory of value; 1 if it has to be converted. */
int py_view(py_call_state *c, int i, PyObject *value, int writable) {
  Py_buffer *view = &c->view[i];
  if (py_has_layout && (PyObject *)Py_TYPE(value) == py_glued.ndarray && view_directly(view, value, writable)) {
    c->is_held[i] = 1;
    return 0;
  }
  int is_subclass = PyObject_TypeCheck(value, (PyTypeObject *)py_glued.ndarray) &&
                    (PyObject *)Py_TYPE(value) != py_glued.ndarray; /* masked arrays and the like */
  if (!is_subclass && PyObject_CheckBuffer(value)) {
    int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(value, view, flags) == 0) {
      if (is_native(view, 'd') || is_native(view, 'f')) {
        c->is_held[i] = 1;
        return 0;
      }
      PyBuffer_Release(view);
    }
    PyErr_Clear();
  }
  return 1;
}

static int view_converted(py_call_state *c, int i, PyObject *array) {
  if (!array) return -1;
  int status = PyObject_GetBuffer(array, &c->view[i], PyBUF_FORMAT | PyBUF_C_CONTIGUOUS);
  Py_DECREF(array); /* the view keeps it */
  if (status == 0) c->is_held[i] = 1;
  return status;
}

static PyObject *object_or_none(const py_call_state *c) { return c->object ? (PyObject *)c->object : Py_None; }

static int read_array(py_call_state *c, int i) {
  const py_argument *a = &c->function->argument[i];
  if (!PyDict_Check(c->value[i])) {
    int status = py_view(c, i, c->value[i], 0);
    if (status <= 0) return status;
  }
  int code = a->dims == 1 && a->dim[0] < PY_NUMBER ? a->dim[0] : -1;
  return view_converted(c, i,
                        PyObject_CallFunction(py_glued.convert, "OOssi", object_or_none(c), c->value[i],
                                              c->function->name, a->name, code));
}

/* In double; float arrays are converted. */
static int read_doubles(py_call_state *c, int i) {
  if (read_array(c, i) < 0) return -1;
  if (is_native(&c->view[i], 'd')) return 0;
  PyBuffer_Release(&c->view[i]);
  c->is_held[i] = 0;
  return view_converted(c, i,
                        PyObject_CallFunction(py_glued.convert, "OOssi", object_or_none(c), c->value[i],
                                              c->function->name, c->function->argument[i].name, -2));
}

PyObject *py_shape_text(const py_call_state *c, const unsigned char *dim, int dims, int leading) {
  char text[160] = "(";
  size_t at = 1;
  if (leading) at += (size_t)PyOS_snprintf(text + at, sizeof text - at, dims ? "..., " : "...");
  for (int k = 0; k < dims; k++) {
    Py_ssize_t size = py_size_of(c, dim[k]);
    const char *end = k + 1 < dims ? ", " : dims == 1 && !leading ? "," : "";
    if (size < 0) /* any */
      at += (size_t)PyOS_snprintf(text + at, sizeof text - at, "n%s", end);
    else
      at += (size_t)PyOS_snprintf(text + at, sizeof text - at, "%lld%s", (long long)size, end);
  }
  PyOS_snprintf(text + at, sizeof text - at, ")");
  return PyUnicode_FromString(text);
}

static PyObject *shape_of_view(const Py_buffer *view) {
  PyObject *shape = PyTuple_New(view->ndim);
  for (int k = 0; shape && k < view->ndim; k++) PyTuple_SetItem(shape, k, PyLong_FromSsize_t(view->shape[k]));
  return shape;
}

static int wrong_shape(const py_call_state *c, int i, int leading) {
  const py_argument *a = &c->function->argument[i];
  PyObject *expected = py_shape_text(c, a->dim, a->dims, leading);
  PyObject *got = shape_of_view(&c->view[i]);
  if (expected && got)
    PyErr_Format(PyExc_ValueError, "%s(): %s has shape %S, expected %U", c->function->name, a->name, got, expected);
  Py_XDECREF(expected);
  Py_XDECREF(got);
  return -1;
}

/* The last axes must have the sizes of the argument. Sizes that are not known yet are taken from the array. */
static int check_shape(py_call_state *c, int i, int leading) {
  const py_argument *a = &c->function->argument[i];
  const Py_buffer *view = &c->view[i];
  int extra = view->ndim - a->dims;
  if (extra < 0 || (extra > 0 && !leading)) return wrong_shape(c, i, leading);
  for (int k = 0; k < a->dims; k++) {
    if (a->dim[k] < PY_NUMBER && c->size[a->dim[k]] < 0) c->size[a->dim[k]] = view->shape[extra + k];
    if (view->shape[extra + k] != py_size_of(c, a->dim[k])) return wrong_shape(c, i, leading);
  }
  return 0;
}

static void set_orders(py_call_state *c) {
  for (int k = 0; k < 3; k++) c->size[PY_K1 + k] = c->order + 1 + k;
  if (c->object) c->object->of->sizes(c->object->handle, c->size); /* (P+1), (P+2) */
}

/* Rows of a jet of order P, which the object makes of K: tries one K after the other. */
static int find_order_of(py_call_state *c, int i, Py_ssize_t rows) {
  enum { HIGHEST = 64 };
  unsigned char size = c->function->argument[i].dim[0];
  for (c->order = 0; c->order < HIGHEST; c->order++) {
    set_orders(c);
    if (c->size[size] == rows) return 0;
    if (c->size[size] <= size - PY_P1) break; /* beyond what the object was made for */
  }
  PyErr_Format(PyExc_ValueError, "%s(): %s has %zd rows, which no order needs that this %s was made for; see order()",
               c->function->name, c->function->argument[i].name, rows, c->object->of->name);
  return -1;
}

/* The factorials in jets are infinite beyond the highest order. Many states instead of derivatives may be the cause. */
enum { PY_HIGHEST = JN_MAX_ORDER };

static int too_high(const py_call_state *c) {
  const py_function *f = c->function;
  for (int i = 0; i < f->inputs; i++) {
    const py_argument *a = &f->argument[i];
    if (a->kind == PY_ORDER && c->value[i])
      PyErr_Format(PyExc_ValueError, "%s(): order is %d, but the highest is %d", f->name, c->s[i].i, PY_HIGHEST);
    if (PyErr_Occurred() || !(a->flags & PY_JET) || !c->is_held[i]) continue;
    Py_ssize_t rows = c->view[i].shape[c->view[i].ndim - a->dims];
    PyErr_Format(PyExc_ValueError,
                 "%s(): %s has %zd rows, one for each time derivative, but the highest order is %d; the axes of many "
                 "states come before the rows",
                 f->name, a->name, rows, PY_HIGHEST);
  }
  return -1;
}

/* The order of jets from the first array that has one: [(K+2) x nv] has K + 2 rows. */
static int find_order(py_call_state *c) {
  const py_function *f = c->function;
  c->order = -1;
  for (int i = 0; i < f->inputs; i++) {
    const py_argument *a = &f->argument[i];
    if (a->kind == PY_ORDER) c->order = c->s[i].i < 0 ? -2 : c->s[i].i;
    if (!(a->flags & PY_JET) || !c->is_held[i]) continue;
    if (c->view[i].ndim < a->dims) return wrong_shape(c, i, 1);
    Py_ssize_t rows = c->view[i].shape[c->view[i].ndim - a->dims];
    if (a->dim[0] < PY_K1) return find_order_of(c, i, rows);
    c->order = rows > PY_HIGHEST + 3 ? PY_HIGHEST + 1 : (int)(rows - (a->dim[0] - PY_K1 + 1));
    if (c->order < 0) {
      PyErr_Format(PyExc_ValueError, "%s(): %s has %zd rows, but a jet of order 0 has %d already", f->name, a->name,
                   rows, a->dim[0] - PY_K1 + 1);
      return -1;
    }
    break;
  }
  if (c->order == -1) c->order = 0; /* no jet was given */
  if (c->order < 0) {
    PyErr_Format(PyExc_ValueError, "%s(): the order must not be negative", f->name);
    return -1;
  }
  if (c->order > PY_HIGHEST) return too_high(c);
  set_orders(c);
  return 0;
}

static int is_array(const py_argument *a) { return a->kind == PY_IN || a->kind == PY_INOUT || a->kind == PY_SCALAR; }

/* The leading axes of all arrays together, by the rules of NumPy. */
static int join_axes(py_call_state *c, int i) {
  const Py_buffer *view = &c->view[i];
  int extra = view->ndim - c->function->argument[i].dims;
  if (extra > PY_AXES) {
    PyErr_Format(PyExc_ValueError, "%s(): more than %d leading axes", c->function->name, PY_AXES);
    return -1;
  }
  for (int k = c->axes; k < extra; k++) { /* new axes come first */
    memmove(c->axis + 1, c->axis, (size_t)c->axes * sizeof *c->axis);
    c->axis[0] = 1;
    c->axes++;
  }
  for (int k = 0; k < extra; k++) {
    Py_ssize_t *axis = &c->axis[c->axes - extra + k];
    if (*axis == 1) *axis = view->shape[k];
    if (view->shape[k] == 1 || view->shape[k] == *axis) continue;
    PyObject *shape = shape_of_view(view);
    if (shape)
      PyErr_Format(PyExc_ValueError, "%s(): the leading axes of %s %S do not go with those of the arguments before it",
                   c->function->name, c->function->argument[i].name, shape);
    Py_XDECREF(shape);
    return -1;
  }
  return 0;
}

static int has_all_axes(const py_call_state *c, int i) {
  const Py_buffer *view = &c->view[i];
  if (view->ndim - c->function->argument[i].dims != c->axes) return 0;
  for (int k = 0; k < c->axes; k++)
    if (view->shape[k] != c->axis[k]) return 0;
  return 1;
}

/* Repeats an array for the leading axes that it lacks. */
static int expand(py_call_state *c, int i) {
  const py_argument *a = &c->function->argument[i];
  PyObject *shape = PyTuple_New(c->axes + a->dims);
  if (!shape) return -1;
  for (int k = 0; k < c->axes; k++) PyTuple_SetItem(shape, k, PyLong_FromSsize_t(c->axis[k]));
  for (int k = 0; k < a->dims; k++) PyTuple_SetItem(shape, c->axes + k, PyLong_FromSsize_t(py_size_of(c, a->dim[k])));
  PyObject *memory = PyMemoryView_FromBuffer(&c->view[i]);
  PyObject *array = memory ? PyObject_CallFunctionObjArgs(py_glued.expand, memory, shape, NULL) : NULL;
  Py_DECREF(shape);
  Py_XDECREF(memory);
  if (!array) return -1;
  PyBuffer_Release(&c->view[i]);
  c->is_held[i] = 0;
  return view_converted(c, i, array);
}

static int is_floats(py_call_state *c) {
  const py_function *f = c->function;
  int floats = 0;
  if (!f->one_f) return 0;
  for (int i = 0; i < f->inputs; i++) {
    if (!is_array(&f->argument[i]) || !c->is_held[i]) continue;
    if (!is_native(&c->view[i], 'f')) return 0;
    floats++;
  }
  return floats > 0;
}

static int join_arrays(py_call_state *c) {
  const py_function *f = c->function;
  c->axes = 0;
  c->is_looped = 0;
  c->is_float = is_floats(c);
  for (int i = 0; i < f->inputs; i++) {
    const py_argument *a = &f->argument[i];
    if (!is_array(a) || !c->is_held[i]) continue;
    if (!c->is_float && is_native(&c->view[i], 'f')) {
      PyBuffer_Release(&c->view[i]);
      c->is_held[i] = 0;
      if (read_doubles(c, i) < 0) return -1;
    }
    if (check_shape(c, i, 1) < 0 || (c->view[i].ndim > a->dims && join_axes(c, i) < 0)) return -1;
    if (a->kind == PY_SCALAR && c->view[i].ndim) c->is_looped = 1;
  }
  c->count = 1;
  for (int k = 0; k < c->axes; k++) c->count *= (size_t)c->axis[k];
  for (int i = 0; i < f->inputs; i++) {
    const py_argument *a = &f->argument[i];
    if (!is_array(a)) continue;
    c->s[i].p = NULL;
    if (a->kind == PY_SCALAR && !c->is_held[i]) {
      c->number_f[i] = (float)c->number[i];
      c->s[i].p = c->is_float ? (void *)&c->number_f[i] : (void *)&c->number[i];
    } else if (c->is_held[i]) {
      if (c->axes && !has_all_axes(c, i) && expand(c, i) < 0) return -1;
      c->s[i].p = c->view[i].buf;
    }
  }
  return 0;
}

/* ---- everything else ---- */

int py_wrong_value(const py_call_state *c, int i, const char *expected) {
  PyErr_Format(PyExc_TypeError, "%s(): %s is %R, expected %s", c->function->name, c->function->argument[i].name,
               c->value[i], expected);
  return -1;
}

/* An integer of any size that C can hold; numbers of NumPy are integers, too. */
static int read_int(py_call_state *c, int i) {
  unsigned kind = c->function->argument[i].kind;
  int is_named = kind == PY_FRAME || kind == PY_LINK || kind == PY_JOINT || kind == PY_LOOP || kind == PY_ENUM ||
                 kind == PY_FRAMES;
  Py_ssize_t number =
      PyIndex_Check(c->value[i]) ? PyNumber_AsSsize_t(c->value[i], NULL) : -1; /* too large: at the end */
  if (number == -1 && (PyErr_Occurred() || !PyIndex_Check(c->value[i]))) {
    PyErr_Clear(); /* arrays have an index only if they are one integer */
    return py_wrong_value(c, i, is_named ? "a name or an index" : "an integer");
  }
  if (number < INT32_MIN || number > INT32_MAX) {
    PyErr_Format(PyExc_OverflowError, "%s(): %s is %R, which is too large", c->function->name,
                 c->function->argument[i].name, c->value[i]);
    return -1;
  }
  c->s[i].i = (int)number;
  return 0;
}

static int read_unsigned(py_call_state *c, int i) {
  if (!PyIndex_Check(c->value[i])) return py_wrong_value(c, i, "an integer");
  PyObject *number = PyNumber_Index(c->value[i]);
  c->s[i].u = number ? PyLong_AsUnsignedLongLong(number) : 0;
  Py_XDECREF(number);
  if (!PyErr_Occurred()) return 0;
  PyErr_Clear();
  return py_wrong_value(c, i, "an integer from 0 to 2^64 - 1");
}

static int read_enum(py_call_state *c, int i) {
  const py_argument *a = &c->function->argument[i];
  const char *const *names = a->extra;
  int is_number = !PyUnicode_Check(c->value[i]);
  if (is_number && read_int(c, i) < 0) return -1;
  for (int k = 0; names[k]; k++) {
    if (is_number ? c->s[i].i == k : PyUnicode_CompareWithASCIIString(c->value[i], names[k]) == 0) {
      c->s[i].i = k;
      return 0;
    }
  }
  char list[256] = "";
  for (int k = 0; names[k]; k++)
    PyOS_snprintf(list + strlen(list), sizeof list - strlen(list), "%s'%s'", k ? ", " : "", names[k]);
  PyErr_Format(PyExc_ValueError, "%s(): %s is %R, expected one of %s", c->function->name, a->name, c->value[i], list);
  return -1;
}

static jn_model *model_of(const py_call_state *c) {
  return c->object->model ? ((py_object *)c->object->model)->handle : c->object->handle;
}

/* An index, or the name of a frame, link, joint or loop. */
static int read_index(py_call_state *c, int i) {
  static const char *const what[] = {"frame", "link", "joint", "loop"};
  const py_argument *a = &c->function->argument[i];
  jn_model *model = model_of(c);
  if (!PyUnicode_Check(c->value[i])) {
    if (read_int(c, i) < 0) return -1;
  } else {
    const char *name = PyUnicode_AsUTF8AndSize(c->value[i], NULL);
    if (!name) return -1;
    int is_frame = a->kind == PY_FRAME || a->kind == PY_FRAMES;
    c->s[i].i = is_frame             ? jn_frame_index(model, name)
                : a->kind == PY_LINK ? jn_link_index(model, name)
                : a->kind == PY_LOOP ? jn_loop_index(model, name)
                                     : jn_joint_index(model, name);
    if (c->s[i].i == JN_NONE) {
      PyObject *none = PyObject_CallFunction(py_glued.unknown, "sOO", what[is_frame ? 0 : a->kind - PY_FRAME],
                                             c->value[i], (PyObject *)c->object);
      Py_XDECREF(none);
      return -1;
    }
  }
  if (a->kind == PY_JOINT || a->kind == PY_LINK) {
    c->size[PY_k] = jn_joint_nv(model, c->s[i].i);
    if (c->size[PY_k] == 0 && jn_joint_mimic(model, c->s[i].i, NULL, NULL, NULL)) c->size[PY_k] = 1;
  }
  return 0;
}

/* A list of frames, by index or name: an array of int. */
static int read_frames(py_call_state *c, int i) {
  PyObject *whole = c->value[i];
  PyObject *list =
      PyUnicode_Check(whole) || PyIndex_Check(whole) ? Py_BuildValue("[O]", whole) : PySequence_List(whole);
  if (!list) {
    PyErr_Clear();
    return py_wrong_value(c, i, "a list of names or indices of frames");
  }

  /* memory for the numbers, which lives as long as the call */
  Py_ssize_t n = PyList_Size(list);
  if (n == 0 || PyDict_Check(whole)) {
    Py_DECREF(list);
    return py_wrong_value(c, i, "a list of names or indices of frames");
  }
  PyObject *bytes = PyBytes_FromStringAndSize(NULL, (n + 1) * (Py_ssize_t)sizeof(int));
  int *frames = bytes ? (int *)(void *)PyBytes_AsString(bytes) : NULL;
  int status = py_keep(c, bytes) < 0 || py_keep(c, list) < 0 ? -1 : 0;

  for (Py_ssize_t k = 0; status == 0 && k < n; k++) {
    c->value[i] = PyList_GetItem(list, k);
    status = read_index(c, i);
    frames[k] = c->s[i].i;
  }
  c->value[i] = whole;
  c->s[i].p = frames;
  c->s[i].n = (size_t)n;
  return status;
}

/* A number of steps and the like, which arrays must agree with; or a default, or what the arrays tell. */
static int read_size(py_call_state *c, int i) {
  if (read_int(c, i) < 0) return -1;
  if (c->s[i].i < 0 || (c->s[i].i == 0 && c->function->argument[i].fallback > 0)) {
    PyErr_Format(PyExc_ValueError, "%s(): %s is %d", c->function->name, c->function->argument[i].name, c->s[i].i);
    return -1;
  }
  c->size[c->function->argument[i].dim[0]] = c->s[i].i;
  return 0;
}

/* Sizes that follow from others, when all arrays are read. */
static int derive_sizes(py_call_state *c) {
  if (c->size[PY_steps] < 0 && c->size[PY_tau_rows] > 1) c->size[PY_steps] = c->size[PY_tau_rows];
  for (int i = 0; i < c->function->inputs; i++) {
    const py_argument *a = &c->function->argument[i];
    if (a->kind != PY_SIZE || c->size[a->dim[0]] >= 0) continue;
    PyErr_Format(PyExc_TypeError, "%s() needs the argument '%s', or an array that tells it", c->function->name,
                 a->name);
    return -1;
  }
  c->size[PY_steps1] = c->size[PY_steps] + 1;
  if (c->size[PY_every] > 0) c->size[PY_stored] = c->size[PY_steps] / c->size[PY_every] + 1;
  return 0;
}

static int read_mask(py_call_state *c, int i) {
  PyObject *array = PyObject_CallFunction(py_glued.mask, "OOss", object_or_none(c), c->value[i], c->function->name,
                                          c->function->argument[i].name);
  if (view_converted(c, i, array) < 0 || check_shape(c, i, 0) < 0) return -1;
  c->s[i].p = c->view[i].buf;
  return 0;
}

static int read_strings(py_call_state *c, int i) {
  PyObject *list = PySequence_List(c->value[i]);
  if (!list) {
    PyErr_Clear();
    return py_wrong_value(c, i, "a list of names");
  }
  if (PyUnicode_Check(c->value[i])) { /* one name */
    Py_DECREF(list);
    if (!(list = Py_BuildValue("[O]", c->value[i]))) return -1;
  }
  Py_ssize_t n = PyList_Size(list);
  PyObject *bytes = PyBytes_FromStringAndSize(NULL, (n + 1) * (Py_ssize_t)sizeof(char *));
  if (py_keep(c, list) < 0 || !bytes) return -1;
  const char **strings = (const char **)(void *)PyBytes_AsString(bytes);
  if (py_keep(c, bytes) < 0) return -1;
  for (Py_ssize_t k = 0; k < n; k++)
    if (!(strings[k] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, k), NULL))) {
      PyErr_Clear();
      return py_wrong_value(c, i, "a list of names");
    }
  c->s[i].p = strings;
  c->s[i].n = (size_t)n;
  return 0;
}

static int read_text(py_call_state *c, int i) {
  Py_ssize_t length;
  char *text;
  if (PyUnicode_Check(c->value[i])) {
    text = (char *)(uintptr_t)PyUnicode_AsUTF8AndSize(c->value[i], &length);
    if (!text) return -1;
  } else if (!PyBytes_Check(c->value[i])) {
    return py_wrong_value(c, i, "a string or bytes");
  } else if (PyBytes_AsStringAndSize(c->value[i], &text, &length) < 0) {
    return -1;
  }
  c->s[i].p = text;
  c->s[i].n = (size_t)length;
  return 0;
}

static int read_string(py_call_state *c, int i) {
  Py_ssize_t length;
  if (!PyUnicode_Check(c->value[i])) {
    PyErr_Format(PyExc_TypeError, "%s(): %s must be a string, not %R", c->function->name, c->function->argument[i].name,
                 c->value[i]);
    return -1;
  }
  c->s[i].p = (void *)(uintptr_t)PyUnicode_AsUTF8AndSize(c->value[i], &length);
  if (c->s[i].p && strlen(c->s[i].p) != (size_t)length) {
    PyErr_Format(PyExc_ValueError, "%s(): %s contains a zero byte", c->function->name, c->function->argument[i].name);
    return -1;
  }
  return c->s[i].p ? 0 : -1;
}

static int read_handle(py_call_state *c, int i) {
  const py_argument *a = &c->function->argument[i];
  const py_class *of = a->extra;
  if (!PyObject_TypeCheck(c->value[i], of->type)) {
    PyErr_Format(PyExc_TypeError, "%s(): %s must be a %s", c->function->name, a->name, of->name);
    return -1;
  }
  c->s[i].p = ((py_object *)c->value[i])->handle;
  return 0;
}

/* A sequence of perturbations, each a dictionary of arrays: jounce/_glue.py makes an array of pointers of them. */
static int read_structs(py_call_state *c, int i) {
  PyObject *both = PyObject_CallFunction(py_glued.perturbations, "OO", (PyObject *)c->object, c->value[i]);
  Py_buffer view;
  if (!both) return -1;
  int failed = PyObject_GetBuffer(PyTuple_GetItem(both, 0), &view, PyBUF_C_CONTIGUOUS) < 0;
  if (!failed) {
    c->s[i].p = view.buf;
    c->size[PY_count] = view.len / (Py_ssize_t)sizeof(jn_perturbation);
    PyBuffer_Release(&view); /* the list below keeps the memory */
  }
  return py_keep(c, both) < 0 || failed ? -1 : 0;
}

/* A number or an array that does not vary between states: NaN would silently disable what it is for. */
static int refuse_nan(const py_call_state *c, int i, const double *x, Py_ssize_t count) {
  for (Py_ssize_t k = 0; k < count; k++) {
    if (x[k] == x[k]) continue;
    PyErr_Format(PyExc_ValueError, "%s(): %s %s NaN, expected %s", c->function->name, c->function->argument[i].name,
                 count > 1 ? "contains" : "is", count > 1 ? "numbers" : "a number");
    return -1;
  }
  return 0;
}

static int read_number(py_call_state *c, int i) {
  c->number[i] = PyFloat_AsDouble(c->value[i]);
  if (c->number[i] == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return py_wrong_value(c, i, "a number");
  }
  c->s[i].d = c->number[i];
  return 0;
}

static int read_one(py_call_state *c, int i) {
  switch (c->function->argument[i].kind) {
    case PY_IN:
    case PY_INOUT:
      return read_array(c, i);
    case PY_FIXED:
      if (read_doubles(c, i) < 0 || check_shape(c, i, 0) < 0) return -1;
      c->s[i].p = c->view[i].buf;
      return refuse_nan(c, i, c->s[i].p, c->view[i].len / (Py_ssize_t)sizeof(double));
    case PY_SCALAR:
      if (PyFloat_Check(c->value[i]) || PyLong_Check(c->value[i])) return read_number(c, i);
      return read_array(c, i);
    case PY_MASK:
      return read_mask(c, i);
    case PY_INT:
    case PY_ORDER:
      return read_int(c, i);
    case PY_UNSIGNED:
      return read_unsigned(c, i);
    case PY_DOUBLE:
      return read_number(c, i) < 0 ? -1 : refuse_nan(c, i, &c->number[i], 1);
    case PY_SIZE:
      return read_size(c, i);
    case PY_FRAME:
    case PY_LINK:
    case PY_JOINT:
    case PY_LOOP:
      return read_index(c, i);
    case PY_ENUM:
      return read_enum(c, i);
    case PY_STRING:
      return read_string(c, i);
    case PY_STRINGS:
      return read_strings(c, i);
    case PY_FRAMES:
      return read_frames(c, i);
    case PY_TEXT:
      return read_text(c, i);
    case PY_HANDLE:
      return read_handle(c, i);
    case PY_STRUCTS:
      return read_structs(c, i);
    case PY_RECORDS:
      return py_read_records(c, i);
    case PY_CALLBACK:
      return py_add_callback(c, i);
    default:
      PyErr_SetString(PyExc_SystemError, "jounce: unknown kind of argument");
      return -1;
  }
}

/* The memory of a plain array of double that has exactly the shape of one state; NULL: look closer. */
void *py_memory_of_one(const py_call_state *c, const py_argument *a, PyObject *value, int flags) {
  const py_ndarray *array = (const py_ndarray *)value;
  int needed = PY_ARRAY_C | PY_ARRAY_ALIGNED | flags;
  if ((PyObject *)Py_TYPE(value) != py_glued.ndarray || array->dtype != py_glued.float64 || array->nd != a->dims ||
      (array->flags & needed) != needed)
    return NULL;
  for (int k = 0; k < a->dims; k++)
    if (array->dimensions[k] != py_size_of(c, a->dim[k])) return NULL;
  return array->data;
}

/* The usual call, arguments by position, arrays of one state, out= or nothing, takes a short way. 1: not the usual
 * call. */
static int read_usual(py_call_state *c, PyObject *const *args, Py_ssize_t n, PyObject *names) {
  const py_function *f = c->function;
  c->is_usual = 0;
  if (!py_has_layout || n > f->positional || f->flags & PY_ORDERED) return 1;
  for (Py_ssize_t k = 0, given = names ? PyTuple_Size(names) : 0; k < given; k++) {
    PyObject *name = PyTuple_GetItem(names, k), *value = args[n + k] == Py_None ? NULL : args[n + k];
    int is_out = PyUnicode_CompareWithASCIIString(name, "out") == 0;
    if (!is_out && (f->results < 2 || PyUnicode_CompareWithASCIIString(name, "want") != 0)) return 1;
    *(is_out ? &c->out : &c->want) = value;
  }
  for (int i = 0; i < f->inputs; i++) {
    const py_argument *a = &f->argument[i];
    PyObject *value = i < n && args[i] != Py_None ? args[i] : NULL;
    c->value[i] = value;
    c->s[i].set = value != NULL;
    c->s[i].p = NULL;
    if (!value) {
      if (a->kind > PY_ENUM || a->kind == PY_SCALAR || a->kind == PY_SIZE || a->kind == PY_INOUT) return 1;
      if (a->flags & PY_REQUIRED && !(a->flags & PY_NULLABLE)) return 1;
      c->s[i].i = a->fallback;
    } else if (a->kind == PY_IN) {
      if (!(c->s[i].p = py_memory_of_one(c, a, value, 0))) return 1;
    } else if (a->kind != PY_FRAME && a->kind != PY_LINK && a->kind != PY_JOINT) {
      return 1;
    } else if (read_one(c, i) < 0) {
      return -1;
    }
  }
  c->axes = c->is_float = c->is_looped = 0;
  c->count = 1;
  c->is_usual = 1;
  return 0;
}

int py_read_arguments(py_call_state *c, PyObject *const *args, Py_ssize_t n, PyObject *names) {
  const py_function *f = c->function;
  int usual = read_usual(c, args, n, names);
  if (usual <= 0) return usual;
  if (distribute(c, args, n, names) < 0) return -1;
  for (int i = 0; i < f->inputs; i++) {
    c->s[i].set = c->value[i] != NULL;
    if (c->value[i]) {
      if (read_one(c, i) < 0) return -1;
    } else {
      c->s[i].p = NULL;
      c->s[i].i = f->argument[i].fallback;
      c->number[i] = f->argument[i].fallback;
      if (f->argument[i].kind == PY_SIZE) c->size[f->argument[i].dim[0]] = f->argument[i].fallback;
    }
  }
  if (f->flags & PY_ORDERED && find_order(c) < 0) return -1;
  return join_arrays(c) < 0 ? -1 : derive_sizes(c);
}

void py_release_arguments(py_call_state *c) {
  for (int i = 0; i < c->function->arguments; i++)
    if (c->is_held[i]) py_release(&c->view[i]);
  Py_XDECREF(c->keep);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Structs: lists of dictionaries become arrays of structs, and structs of numbers and arrays become named tuples. */
#include <stdlib.h>
#include <string.h>
#include "core.h"

/* ---- from Python ---- */

static int wrong_member(const py_member *member, PyObject *value, const char *expected) {
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "%s is %R, expected %s", member->name, value, expected);
  return -1;
}

static int set_enum(const py_member *member, PyObject *value, int *to) {
  const char *const *names = member->extra;
  if (!PyUnicode_Check(value)) {
    *to = (int)PyLong_AsLong(value);
    return PyErr_Occurred() ? wrong_member(member, value, "a name or a number") : 0;
  }
  for (int k = 0; names[k]; k++) {
    if (PyUnicode_CompareWithASCIIString(value, names[k]) != 0) continue;
    *to = k;
    return 0;
  }
  PyErr_Format(PyExc_ValueError, "%s is %R, which is unknown", member->name, value);
  return -1;
}

/* A fixed number of doubles, or one for all of them. */
static int set_doubles(const py_member *member, PyObject *value, double *to) {
  Py_ssize_t n = member->dim[0];
  if (PyFloat_Check(value) || PyLong_Check(value)) {
    for (Py_ssize_t k = 0; k < n; k++) to[k] = PyFloat_AsDouble(value);
    return PyErr_Occurred() ? -1 : 0;
  }
  if (PySequence_Size(value) != n) {
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError, "%s is %R, expected %zd numbers, or one for all", member->name, value, n);
    return -1;
  }
  for (Py_ssize_t k = 0; k < n; k++) {
    PyObject *item = PySequence_GetItem(value, k);
    if (!item) return -1;
    to[k] = PyFloat_AsDouble(item);
    Py_DECREF(item);
  }
  return PyErr_Occurred() ? wrong_member(member, value, "numbers") : 0;
}

static int set_member(const py_member *member, PyObject *value, char *record) {
  void *to = record + member->offset;
  switch (member->kind) {
    case 'i': {
      long number = PyLong_AsLong(value);
      *(int *)to = (int)number;
      if (number != *(int *)to) return wrong_member(member, value, "a smaller integer");
      break;
    }
    case 'l':
      *(long *)to = PyLong_AsLong(value);
      break;
    case 'd':
      *(double *)to = PyFloat_AsDouble(value);
      break;
    case 'e':
      return set_enum(member, value, to);
    case 'D':
      return set_doubles(member, value, to);
    default:
      PyErr_Format(PyExc_ValueError, "%s cannot be given from Python", member->name);
      return -1;
  }
  return PyErr_Occurred() ? wrong_member(member, value, member->kind == 'd' ? "a number" : "an integer") : 0;
}

static const py_member *find_member(const py_member *members, PyObject *name) {
  for (const py_member *member = members + 1; PyUnicode_Check(name) && member->name; member++)
    if (PyUnicode_CompareWithASCIIString(name, member->name) == 0) return member;
  return NULL;
}

static int set_record(const py_call_state *c, const py_member *members, PyObject *given, char *record) {
  PyObject *items = PyMapping_Items(given);
  if (!items) return -1;
  int status = 0;
  for (Py_ssize_t k = 0; status == 0 && k < PyList_Size(items); k++) {
    PyObject *name = PyTuple_GetItem(PyList_GetItem(items, k), 0),
             *value = PyTuple_GetItem(PyList_GetItem(items, k), 1);
    const py_member *member = name && value ? find_member(members, name) : NULL;
    status = member ? set_member(member, value, record) : -1;
    if (!member && !PyErr_Occurred())
      PyErr_Format(PyExc_ValueError, "%s(): there is no key %R", c->function->name, name);
  }
  Py_DECREF(items);
  return status;
}

int py_read_records(py_call_state *c, int i) {
  const py_member *members = c->function->argument[i].extra; /* the first one: size and set-up of the struct */
  void (*init)(void *) = (void (*)(void *))(uintptr_t)members->extra;
  PyObject *list = PySequence_List(c->value[i]);
  if (!list) {
    PyErr_Clear();
    return py_wrong_value(c, i, "a list of dictionaries");
  }
  Py_ssize_t n = PyList_Size(list);
  PyObject *bytes = PyBytes_FromStringAndSize(NULL, (n ? n : 1) * (Py_ssize_t)members->offset);
  char *memory = bytes ? PyBytes_AsString(bytes) : NULL;
  int status = memory ? 0 : -1;
  for (Py_ssize_t k = 0; status == 0 && k < n; k++) {
    init(memory + (size_t)k * members->offset);
    status = set_record(c, members, PyList_GetItem(list, k), memory + (size_t)k * members->offset);
  }
  Py_DECREF(list);
  c->s[i].p = memory;
  c->size[PY_count] = n;
  return !bytes || py_keep(c, bytes) < 0 ? -1 : status;
}

/* ---- to Python ---- */

static PyObject *array_of(const py_call_state *c, const py_member *member, const void *from) {
  Py_ssize_t rows = py_size_of(c, member->dim[0]), columns = member->dims > 1 ? py_size_of(c, member->dim[1]) : 1;
  if (!from) Py_RETURN_NONE;
  int is_bytes = member->kind == 'U';
  PyObject *type = is_bytes ? py_glued.uint8 : py_glued.float64;
  PyObject *array = py_new_array(type, member->dims, (Py_ssize_t[]){rows, columns});
  Py_buffer view;
  if (array && PyObject_GetBuffer(array, &view, PyBUF_WRITABLE) == 0) {
    memcpy(view.buf, from, (size_t)(rows * columns) * (is_bytes ? 1 : sizeof(double)));
    PyBuffer_Release(&view);
  }
  return array;
}

static PyObject *name_of(const char *const *names, int number) {
  int n = 0;
  while (names[n]) n++;
  return number >= 0 && number < n ? PyUnicode_FromString(names[number]) : PyLong_FromLong(number);
}

/* As many doubles as another member says. */
static PyObject *counted(const py_member *count, const char *base, const double *from) {
  Py_ssize_t n = *(const int *)(const void *)(base + count->offset);
  if (!from || n <= 0) Py_RETURN_NONE;
  PyObject *array = py_new_array(py_glued.float64, 1, &n);
  Py_buffer view;
  if (array && PyObject_GetBuffer(array, &view, PyBUF_WRITABLE) == 0) {
    memcpy(view.buf, from, (size_t)n * sizeof(double));
    PyBuffer_Release(&view);
  }
  return array;
}

static PyObject *member_value(const py_call_state *c, const py_member *first, const py_member *member,
                              const char *base) {
  const void *at = base + member->offset;
  switch (member->kind) {
    case 'd':
      return PyFloat_FromDouble(*(const double *)at);
    case 'l':
      return PyLong_FromLong(*(const long *)at);
    case 'e':
      return name_of(member->extra, *(const int *)at);
    case 'A':
      return counted(first + member->dim[0], base, *(const double *const *)at);
    case 'P':
    case 'U':
      return array_of(c, member, *(const void *const *)at);
    default:
      if (*(const int *)at == JN_NONE) Py_RETURN_NONE;
      return PyLong_FromLong(*(const int *)at);
  }
}

/* A member of all structs of a batch, as an array with the leading axes. */
static PyObject *member_values(const py_call_state *c, const py_member *first, const py_member *member) {
  PyObject *values = PyList_New(0), *shape = PyTuple_New(c->axes);
  for (int k = 0; shape && k < c->axes; k++) PyTuple_SetItem(shape, k, PyLong_FromSsize_t(c->axis[k]));
  for (size_t i = 0; values && i < c->count; i++) {
    PyObject *value = member_value(c, first, member, c->records + i * c->record_size);
    if (!value || PyList_Append(values, value) < 0) Py_CLEAR(values);
    Py_XDECREF(value);
  }
  PyObject *array = values && shape ? PyObject_CallFunctionObjArgs(py_glued.stack, values, shape, NULL) : NULL;
  Py_XDECREF(values);
  Py_XDECREF(shape);
  return array;
}

/* A named tuple of the members of a struct, or of all structs of a batch. */
PyObject *py_from_struct(py_call_state *c, const py_member *first, const void *base) {
  if (!base) Py_RETURN_NONE;
  PyObject *class = PyObject_GetAttrString(py_glued.results, first->name);
  PyObject *values = PyList_New(0);
  for (const py_member *member = first + 1; class && values && member->name; member++) {
    if (member->kind == '-') continue;
    PyObject *value = c->records ? member_values(c, first, member) : member_value(c, first, member, base);
    if (!value || PyList_Append(values, value) < 0) Py_CLEAR(values);
    Py_XDECREF(value);
  }
  PyObject *result = class && values ? PyObject_CallMethod(class, "_make", "O", values) : NULL;
  Py_XDECREF(class);
  Py_XDECREF(values);
  return result;
}

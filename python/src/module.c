/* SPDX-License-Identifier: BSD-2-Clause */
/* The module jounce._core: its classes with the functions that generate.py makes, and the few that are written here. */
#include <stdlib.h>
#include <string.h>
#include "core.h"

py_glue py_glued;

/* _random(state) -> (q, state): one random configuration and the next state of the generator. */
static PyObject *model_random(PyObject *self, PyObject *argument) {
  py_object *model = (py_object *)self;
  uint64_t state = PyLong_AsUnsignedLongLongMask(argument);
  if (PyErr_Occurred()) return NULL;
  PyObject *q = py_new_array(py_glued.float64, 1, &model->size[PY_nq]);
  Py_buffer view;
  if (!q || PyObject_GetBuffer(q, &view, PyBUF_WRITABLE) < 0) {
    Py_XDECREF(q);
    return NULL;
  }
  jn_status status = jn_random(model->handle, &state, view.buf);
  PyBuffer_Release(&view);
  if (status != JN_OK) {
    Py_DECREF(q);
    return py_raise(status, NULL, NULL);
  }
  return Py_BuildValue("NK", q, (unsigned long long)state);
}

static PyObject *model_perturbation(PyObject *self, PyObject *const *args, Py_ssize_t n);

#define METHOD(f) ((PyCFunction)(void (*)(void))(f))
#define PY_MORE_Model                                                                                              \
  {"_random", model_random, METH_O, "_random(state) -> (q, next state)"},                                          \
      {"_perturbation", METHOD(model_perturbation), METH_FASTCALL, "_perturbation(kind, index, component, q, v)"}, \
      {"_generate", py_generate, METH_VARARGS, "_generate(want, prefix, ...) -> files"},
#define PY_MORE_module                                                                                             \
  {"_setup", METHOD(module_setup), METH_VARARGS | METH_KEYWORDS, "Gives C the Python objects it uses."},           \
      {"_functions", module_functions, METH_NOARGS, "Descriptions of all functions, for the tests."},              \
      {"_address", module_address, METH_O, "Where the library has an object, for the tests."},                     \
      {"set_threads", module_set_threads, METH_O,                                                                  \
       "set_threads(count) -> int\n\nThreads of batches from now on; 0: as many as OpenMP would use. Returns the " \
       "setting before."},

static PyObject *module_setup(PyObject *self, PyObject *args, PyObject *keywords);
static PyObject *module_functions(PyObject *self, PyObject *none);
static PyObject *module_address(PyObject *self, PyObject *object);
static PyObject *module_set_threads(PyObject *self, PyObject *count);

#include "functions.inc"

/* ---- functions that differ from C ---- */

/* _perturbation(kind, index, component, q, v or None) -> (room, offsets): arrays as bytes, and where each member starts
 * (-1: NULL), in numbers of double. q and v are contiguous arrays of double: jounce/_glue.py sees to that. */
static PyObject *model_perturbation(PyObject *self, PyObject *const *args, Py_ssize_t n) {
  py_object *model = (py_object *)self;
  if (n != 5) return PyErr_Format(PyExc_TypeError, "_perturbation() takes 5 arguments");
  jn_scalar scalar = {(jn_scalar_kind)PyLong_AsLong(args[0]), (int)PyLong_AsLong(args[1]), (int)PyLong_AsLong(args[2])};
  size_t numbers = jn_perturbation_room(model->handle);
  PyObject *room = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(numbers * sizeof(double)));
  Py_buffer q, v = {0};
  if (PyErr_Occurred() || !room || PyObject_GetBuffer(args[3], &q, PyBUF_C_CONTIGUOUS) < 0) {
    Py_XDECREF(room);
    return NULL;
  }
  if (args[4] != Py_None && PyObject_GetBuffer(args[4], &v, PyBUF_C_CONTIGUOUS) < 0) {
    PyBuffer_Release(&q);
    Py_DECREF(room);
    return NULL;
  }
  jn_perturbation p;
  double *memory = (double *)(void *)PyByteArray_AsString(room);
  py_work *work = py_take_work(model, 0);
  jn_status status =
      work ? jn_perturbation_of(model->handle, work->work, &scalar, q.buf, v.buf, memory, &p) : JN_ERR_MEMORY;
  if (work) py_give_work(model, work);
  PyBuffer_Release(&q);
  if (v.obj) PyBuffer_Release(&v);
  if (status != JN_OK) {
    Py_DECREF(room);
    return py_raise(status, NULL, NULL);
  }
  PyObject *offsets = PyDict_New();
  for (const py_member *m = members_jn_perturbation + 1; offsets && m->name; m++) {
    const double *at = *(const double *const *)(const void *)((const char *)&p + m->offset);
    PyObject *offset = PyLong_FromSsize_t(at ? at - memory : -1);
    if (!offset || PyDict_SetItemString(offsets, m->name, offset) < 0) Py_CLEAR(offsets);
    Py_XDECREF(offset);
  }
  return Py_BuildValue("NN", room, offsets);
}

static PyObject *module_set_threads(PyObject *self, PyObject *count) {
  (void)self;
  long threads = PyLong_AsLong(count);
  if (PyErr_Occurred()) return PyErr_Format(PyExc_TypeError, "set_threads(): count is %R, expected an integer", count);
  if (threads < 0 || threads > 4096)
    return PyErr_Format(PyExc_ValueError, "set_threads(): count is %ld, expected 0 to 4096", threads);
  int before = py_threads;
  py_threads = (int)threads;
  return PyLong_FromLong(before);
}

static PyObject *module_address(PyObject *self, PyObject *object) {
  (void)self;
  for (size_t i = 0; i < sizeof py_classes / sizeof *py_classes; i++)
    if (PyObject_TypeCheck(object, py_classes[i]->type)) return PyLong_FromVoidPtr(((py_object *)object)->handle);
  return PyErr_Format(PyExc_TypeError, "_address() takes an object of the library");
}

/* [(class, name, kinds of calls, arguments, results)] for the tests: arguments as (name, kind, shape). */
static PyObject *module_functions(PyObject *self, PyObject *none) {
  (void)self;
  (void)none;
  PyObject *list = PyList_New(0);
  for (size_t k = 0; list && k < sizeof py_functions / sizeof *py_functions; k++) {
    const py_function *f = &py_functions[k];
    PyObject *arguments = PyList_New(0);
    for (int i = 0; arguments && i < f->arguments; i++) {
      const py_argument *a = &f->argument[i];
      PyObject *row = Py_BuildValue("siiiiiiii", a->name, (int)a->kind, (int)a->flags, i < f->inputs, (int)a->dims,
                                    (int)a->dim[0], (int)a->dim[1], (int)a->dim[2], (int)a->dim[3]);
      if (!row || PyList_Append(arguments, row) < 0) Py_CLEAR(arguments);
      Py_XDECREF(row);
    }
    PyObject *row =
        arguments ? Py_BuildValue("sNiii", f->name, arguments, f->one_f != NULL, f->many != NULL, f->flags) : NULL;
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

/* ---- the module ---- */

static PyObject *object_model(PyObject *self, void *closure) {
  (void)closure;
  PyObject *model = ((py_object *)self)->model;
  return Py_NewRef(model ? model : Py_None);
}

static PyObject *refuse_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  (void)args;
  (void)keywords;
  PyErr_Format(PyExc_TypeError,
               "%R cannot be made directly: models come from jounce.load() and jounce.Builder, all else "
               "from methods of a model",
               (PyObject *)type);
  return NULL;
}

static PyGetSetDef model_of_object[] = {{"model", object_model, NULL, "The model that it belongs to.", NULL},
                                        {NULL, NULL, NULL, NULL, NULL}};

static PyTypeObject *make_type(PyObject *module, py_class *of) {
  PyType_Slot slots[] = {{Py_tp_dealloc, (void *)py_object_dealloc},
                         {Py_tp_traverse, (void *)py_object_traverse},
                         {Py_tp_new, (void *)refuse_new},
                         {Py_tp_methods, of->methods},
                         {Py_tp_getset, of->properties},
                         {0, NULL}};
  PyType_Spec spec = {of->full_name, (int)sizeof(py_object), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
  PyObject *type = PyType_FromSpec(&spec);
  if (!type) return NULL;
  if (of != &py_class_Model) { /* one more property */
    PyObject *property = PyDescr_NewGetSet((PyTypeObject *)type, model_of_object);
    if (!property || PyObject_SetAttrString(type, "model", property) < 0) Py_CLEAR(type);
    Py_XDECREF(property);
  }
  if (type && PyModule_AddObjectRef(module, of->name, type) < 0) Py_CLEAR(type);
  of->type = (PyTypeObject *)type;
  return (PyTypeObject *)type;
}

/* Whether NumPy's arrays are laid out as py_ndarray says. samples: (array [2 x 3] of double, its address, its
 * transpose). */
static int has_layout(PyObject *samples) {
  PyObject *array, *turned;
  unsigned long long address;
  if (!samples || !PyArg_ParseTuple(samples, "OKO", &array, &address, &turned)) {
    PyErr_Clear();
    return 0;
  }
  const py_ndarray *a = (const py_ndarray *)array, *b = (const py_ndarray *)turned;
  enum { NEEDED = PY_ARRAY_C | PY_ARRAY_ALIGNED | PY_ARRAY_WRITEABLE };
  return (PyObject *)Py_TYPE(array) == py_glued.ndarray && (uintptr_t)a->data == address && a->nd == 2 &&
         a->dimensions[0] == 2 && a->dimensions[1] == 3 && a->strides[0] == 24 && a->strides[1] == 8 &&
         a->dtype == py_glued.float64 && (a->flags & NEEDED) == NEEDED && b->nd == 2 && b->dimensions[0] == 3 &&
         !(b->flags & PY_ARRAY_C) && (uintptr_t)b->data == address;
}

/* NumPy's own way to make arrays, from the table of its C API; NULL if anything is not as expected. */
static py_array_maker *array_maker(PyObject *capsule) {
  enum { ARRAY_TYPE = 2, NEW_FROM_DESCR = 94 };
  if (!py_has_layout || !capsule || !PyCapsule_CheckExact(capsule)) return NULL;
  void **table = PyCapsule_GetPointer(capsule, NULL);
  if (!table || table[ARRAY_TYPE] != (void *)py_glued.ndarray) {
    PyErr_Clear();
    return NULL;
  }
  py_array_maker *make = NULL;
  memcpy(&make, &table[NEW_FROM_DESCR], sizeof make);
  Py_INCREF(py_glued.float64);
  PyObject *made =
      make ? make((PyTypeObject *)py_glued.ndarray, py_glued.float64, 2, (Py_ssize_t[]){2, 3}, NULL, NULL, 0, NULL)
           : NULL;
  const py_ndarray *a = (const py_ndarray *)made;
  int fits = made && (PyObject *)Py_TYPE(made) == py_glued.ndarray && a->nd == 2 && a->dimensions[0] == 2 &&
             a->dimensions[1] == 3 && a->strides[0] == 24 && a->dtype == py_glued.float64 &&
             a->flags & PY_ARRAY_WRITEABLE && a->data;
  Py_XDECREF(made);
  PyErr_Clear();
  return fits ? make : NULL;
}

/* _setup(convert=..., ..., Model=..., results=...): called once by jounce/_glue.py. */
static PyObject *module_setup(PyObject *self, PyObject *args, PyObject *keywords) {
  (void)self;
  (void)args;
  struct {
    const char *name;
    PyObject **to;
  } wanted[] = {
      {"convert", &py_glued.convert}, {"expand", &py_glued.expand},     {"mask", &py_glued.mask},
      {"failed", &py_glued.failed},   {"unknown", &py_glued.unknown},   {"empty", &py_glued.empty},
      {"float64", &py_glued.float64}, {"ndarray", &py_glued.ndarray},   {"float32", &py_glued.float32},
      {"uint8", &py_glued.uint8},     {"int8", &py_glued.int8},         {"results", &py_glued.results},
      {"warn", &py_glued.warn},       {"callback", &py_glued.callback}, {"perturbations", &py_glued.perturbations},
      {"masked", &py_glued.masked},   {"stack", &py_glued.stack}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    PyObject *object = keywords ? PyDict_GetItemString(keywords, wanted[i].name) : NULL;
    if (!object) return PyErr_Format(PyExc_TypeError, "_setup() needs %s", wanted[i].name);
    Py_INCREF(object);
    Py_XDECREF(*wanted[i].to);
    *wanted[i].to = object;
  }
  for (size_t i = 0; i < sizeof py_classes / sizeof *py_classes; i++) {
    PyObject *type = PyDict_GetItemString(keywords, py_classes[i]->name);
    if (!type || !PyType_Check(type)) continue; /* the compiled class itself */
    Py_INCREF(type);
    py_classes[i]->type = (PyTypeObject *)type;
  }
  py_has_layout = has_layout(PyDict_GetItemString(keywords, "samples"));
  py_make_array = array_maker(PyDict_GetItemString(keywords, "api"));
  int count = (int)(sizeof py_result_names / sizeof *py_result_names) - 1;
  static PyObject *classes[sizeof py_result_names / sizeof *py_result_names];
  py_glued.ellipsis = Py_NewRef(Py_Ellipsis);
  for (int i = 0; i < count; i++) {
    PyObject *class = PyObject_GetAttrString(py_glued.results, py_result_names[i]);
    if (!class) return NULL;
    Py_XDECREF(classes[i]);
    classes[i] = class;
  }
  py_set_result_classes(classes);
  Py_RETURN_NONE;
}

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "jounce._core",
                                        "Functions of the jounce library, made from its headers.",
                                        -1,
                                        methods_module,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) {
  PyObject *module = PyModule_Create(&definition);
  if (!module) return NULL;
#ifdef Py_GIL_DISABLED
  PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED);
#endif
  for (size_t i = 0; i < sizeof py_classes / sizeof *py_classes; i++) {
    if (make_type(module, py_classes[i])) continue;
    Py_DECREF(module);
    return NULL;
  }
  return module;
}

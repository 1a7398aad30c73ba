/* SPDX-License-Identifier: BSD-2-Clause */
/* The Python module jounce._core: how functions of the library are described, called, and what their objects hold.
 *
 *   functions.inc (made by generate.py)   one py_function per public function: its arguments, and C that calls it
 *   arguments.c   Python values to slots: numbers, names, arrays; shapes, broadcasting, order of jets
 *   results.c     arrays for the results, and what is returned
 *   call.c        one call from end to end; exceptions
 *   object.c      Model, Loops, Trajectory, ...: creation, release, work memory, locks
 *   callbacks.c   forces, costs and paths that are Python functions
 *   module.c      the module itself
 *
 * Everything uses the limited API of Python 3.11, so that one compiled module serves all later versions. NumPy arrays
 * are read and written through the buffer protocol or, if their layout is as expected, directly. */
#ifndef JOUNCE_PYTHON_CORE_H
#define JOUNCE_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_GIL_DISABLED
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>
#include <jounce/jounce.h>
#include <stdatomic.h>
#include <stdint.h>

/* Sizes that shapes are made of: the first ones in the order of SIZES in methods.py, numbers from PY_NUMBER. */
enum {
  PY_nq,
  PY_nv,
  PY_nlink,
  PY_nframe,
  PY_10L,
  PY_6L,
  PY_4nv,
  PY_2nv,
  PY_k,
  PY_m,
  PY_nb,
  PY_loops,
  PY_rows,
  PY_count,
  PY_3nv,
  PY_targets,
  PY_channels,
  PY_n,
  PY_N,
  PY_nq_all,
  PY_steps,
  PY_steps1,
  PY_every,
  PY_stored,
  PY_tau_rows,
  PY_nqnv,
  PY_directions,
  PY_motors,
  PY_P1,
  PY_P2,
  PY_K1,
  PY_K2,
  PY_K3,
  PY_SIZES,
  PY_NUMBER = 64
};

enum { PY_ARGUMENTS = 48, PY_DIMS = 4, PY_AXES = 12, PY_WORKS = 8, PY_BATCHES = 4 };

/* What an argument or result is. */
typedef enum py_kind {
  PY_IN,     /* array of numbers; leading axes are batches */
  PY_INOUT,  /* the same, copied and changed */
  PY_FIXED,  /* array of double without leading axes */
  PY_MASK,   /* bytes, or names of joints */
  PY_SCALAR, /* a number, or an array of them: batches */
  PY_INT,    /* numbers that do not vary */
  PY_UNSIGNED,
  PY_DOUBLE,
  PY_ORDER,
  PY_SIZE,  /* of arrays, if these do not tell */
  PY_FRAME, /* index or name */
  PY_LINK,
  PY_JOINT,
  PY_LOOP,
  PY_ENUM,
  PY_STRING,
  PY_STRINGS,
  PY_FRAMES,   /* a list of indices or names */
  PY_TEXT,     /* str or bytes */
  PY_HANDLE,   /* another object */
  PY_STRUCTS,  /* jn_perturbation: sequence of dictionaries */
  PY_RECORDS,  /* sequence of dictionaries, which become structs */
  PY_CALLBACK, /* a Python function */
  PY_OUT,      /* results from here on */
  PY_SCRATCH,
  PY_CONSTANT, /* an array of the object, copied */
  PY_STRUCT,
  PY_STRUCT_OF_OBJECT, /* the object's own, copied */
  PY_CHARS,
  PY_OWNED_TEXT,
  PY_OBJECT,
  PY_BORROWED /* an object that belongs to this one */
} py_kind;

enum {
  PY_NULLABLE = 1,
  PY_REQUIRED = 2,
  PY_KEYWORD = 4,
  PY_WANTED = 8,
  PY_JET = 16,
  PY_BYTES = 32,
  PY_SIGNED = 64,
  PY_TOGETHER = 128 /* C writes all of these or none */
};
/* PY_CHANGES: inputs are results, too; PY_HANDLES: other objects are among the inputs; PY_MORE_WORK: work memory of one
 * order more than that of the jets. */
enum {
  PY_WORK = 1,
  PY_ORDERED = 2,
  PY_MAKES = 4,
  PY_BY_BATCH = 8,
  PY_CHANGES = 16,
  PY_HANDLES = 32,
  PY_MORE_WORK = 64
};

typedef struct py_member {
  const char *name;
  /* n: the struct itself, offset is its size; i, l, d, e: int, long, double, enum; D: doubles in the struct; P, U:
   * pointer to doubles, to bytes; A: pointer to doubles, as many as member dim[0] says; -: Python cannot set it */
  char kind;
  size_t offset;
  unsigned char dims, dim[2];
  const void *extra; /* names of an enum; n: the function that sets it up */
} py_member;

typedef struct py_argument {
  const char *name;
  unsigned char kind, flags, dims;
  unsigned char dim[PY_DIMS];
  int fallback;
  const void *extra; /* names of an enum, members of a struct, class of an object */
} py_argument;

typedef struct py_call_state py_call_state;
typedef jn_status py_caller(py_call_state *c);

typedef struct py_function {
  const char *name;
  const py_argument *argument;
  int inputs, arguments, positional, results, flags;
  py_caller *one, *one_f, *many, *many_f;
  int result;  /* named tuple, or -1 */
  int outcome; /* a status that is a result, not an error; or 0 */
} py_function;

/* Classes of objects; functions.inc defines them. */
typedef struct py_class {
  const char *name, *full_name;
  void (*destroy)(void *handle);
  int exclusive;                            /* belongs to one thread at a time */
  void (*sizes)(void *h, Py_ssize_t *size); /* that only this class has */
  PyMethodDef *methods;
  PyGetSetDef *properties;
  PyTypeObject *type; /* what new objects are, set when the package is imported */
} py_class;
extern py_class py_class_Model, py_class_Simulator;

/* Work memory of one call at a time, kept in the model between calls. */
typedef struct py_work {
  jn_work *work;
  int order;
} py_work;
typedef struct py_batch {
  jn_batch *batch;
  int order, threads;
} py_batch;

typedef struct py_object {
  PyObject ob_base;
  void *handle;
  const py_class *of;
  PyObject *model;  /* that it belongs to; NULL for a model */
  PyObject *parent; /* whatever else must live as long */
  Py_ssize_t size[PY_SIZES];
  _Atomic(py_work *) work[PY_WORKS];
  _Atomic(py_batch *) batch[PY_BATCHES];
  int is_borrowed; /* the handle is the parent's */
  PyThread_type_lock lock;
  _Atomic(unsigned long) owner; /* thread that holds the lock */
  struct py_callbacks *callbacks;
} py_object;

typedef struct py_slot {
  union {
    void *p;
    int i;
    double d;
    uint64_t u;
  };
  size_t n;
  int set;
} py_slot;

/* One call. */
struct py_call_state {
  /* what the generated code uses */
  void *self;
  jn_work *work;
  jn_batch *batch;
  size_t count;
  int order;
  jn_report *report;
  py_slot s[PY_ARGUMENTS];
  Py_ssize_t size[PY_SIZES];
  jn_error error;
  char text[512];
  double room[64];
  void *record; /* struct that a function writes: room, or in batches one of records */
  /* what the call itself needs */
  const py_function *function;
  py_object *object;             /* NULL for functions of the module */
  PyObject *value[PY_ARGUMENTS]; /* borrowed: as given */
  PyObject *array[PY_ARGUMENTS]; /* owned: results */
  PyObject *given[PY_ARGUMENTS]; /* borrowed: out=, where the result is copied to */
  Py_buffer view[PY_ARGUMENTS];
  unsigned char is_held[PY_ARGUMENTS]; /* views to release */
  unsigned char wanted[PY_ARGUMENTS];  /* if want= is given */
  double number[PY_ARGUMENTS];         /* scalars, in and out */
  float number_f[PY_ARGUMENTS];
  Py_ssize_t axis[PY_AXES]; /* leading axes */
  int axes;
  size_t result_bytes; /* of all arrays */
  int is_usual;        /* inputs are arrays of one state, read directly */
  int is_float;
  int is_looped; /* a scalar varies within the batch */
  PyObject *out, *want;
  PyObject *keep; /* list of objects to keep until the call ends */
  char *records;  /* of all states, or NULL */
  size_t record_size;
  double *memory; /* of py_room() */
  size_t memory_size;
  struct py_callbacks *callbacks;
};

static inline Py_ssize_t py_size_of(const py_call_state *c, unsigned char code) {
  return code >= PY_NUMBER ? code - PY_NUMBER : c->size[code];
}
/* Ends the use of memory that py_view() found. */
static inline void py_release(Py_buffer *view) {
  if (view->obj) PyBuffer_Release(view);
}

/* The first members of NumPy's arrays, which compiled extensions have relied on since NumPy 1.0. Reading them takes a
 * few nanoseconds where the buffer protocol takes a hundred. When the package is imported they are compared with what
 * NumPy says about two arrays, and not used unless all is as expected (py_has_layout). */
typedef struct py_ndarray {
  PyObject ob_base;
  char *data;
  int nd;
  Py_ssize_t *dimensions, *strides;
  PyObject *owner, *dtype;
  int flags;
} py_ndarray;
enum { PY_ARRAY_C = 0x1, PY_ARRAY_ALIGNED = 0x100, PY_ARRAY_WRITEABLE = 0x400 };
extern int py_has_layout;
/* PyArray_NewFromDescr(), which every NumPy has at the same place in its table of functions, since 1.0 and in 2.x; NULL
 * if what it makes is not as expected (module.c): then numpy.empty() makes arrays, which takes twice as long. */
typedef PyObject *py_array_maker(PyTypeObject *type, PyObject *dtype, int nd, const Py_ssize_t *dims,
                                 const Py_ssize_t *strides, void *data, int flags, PyObject *owner);
extern py_array_maker *py_make_array;

/* Python objects that C uses; see jounce/_glue.py. */
typedef struct py_glue {
  PyObject *convert, *expand, *mask, *failed, *unknown, *empty, *float64, *float32, *uint8, *int8, *ndarray, *results,
      *warn, *callback, *ellipsis, *perturbations, *masked, *stack;
} py_glue;
extern py_glue py_glued;

/* arguments.c */
int py_read_arguments(py_call_state *c, PyObject *const *args, Py_ssize_t n, PyObject *names);
void py_release_arguments(py_call_state *c);
int py_view(py_call_state *c, int i, PyObject *value, int writable);
void *py_memory_of_one(const py_call_state *c, const py_argument *a, PyObject *value, int flags);
int py_keep(py_call_state *c, PyObject *object);                         /* takes the reference */
int py_wrong_value(const py_call_state *c, int i, const char *expected); /* raises TypeError, returns -1 */
PyObject *py_shape_text(const py_call_state *c, const unsigned char *dim, int dims, int leading);

/* records.c */
int py_read_records(py_call_state *c, int i);
PyObject *py_from_struct(py_call_state *c, const py_member *member, const void *base);

/* results.c */
PyObject *py_new_array(PyObject *dtype, int nd, const Py_ssize_t *dims); /* not initialised */
int py_make_results(py_call_state *c);
PyObject *py_results(py_call_state *c);
void py_set_result_classes(PyObject **classes); /* named tuples, by the number that functions have for them */

/* call.c */
PyObject *py_call(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names, const py_function *function);
PyObject *py_get(PyObject *self, void *function);
PyObject *py_raise(jn_status status, const char *text, py_call_state *c);
/* Runs what may take long, without the GIL; Ctrl-C stops it, with JN_ERR_STOPPED and the exception set. */
typedef struct py_watch py_watch;
typedef jn_status py_long_job(void *data, py_watch *watch);
jn_status py_run_long(py_long_job *job, void *data);
/* Model._generate(): see generate.c. */
PyObject *py_generate(PyObject *self, PyObject *arguments);

/* object.c */
PyObject *py_object_new(py_class *of, void *handle, PyObject *model, PyObject *parent);
void py_object_dealloc(PyObject *self);
int py_object_traverse(PyObject *self, visitproc visit, void *arg);
py_work *py_take_work(py_object *model, int order);
void py_give_work(py_object *model, py_work *work);
py_batch *py_take_batch(py_object *model, int order);
void py_give_batch(py_object *model, py_batch *batch);
int py_lock(py_object *object);
void py_unlock(py_object *object);
void *py_copy(void *to, size_t bytes, const void *from);
double *py_room(py_call_state *c, size_t numbers); /* NULL: no memory; the call frees it */
extern int py_threads;

/* callbacks.c */
enum {
  FORCE_CALLBACK,
  WRENCH_CALLBACK,
  MOTION_CALLBACK,
  COST_CALLBACK,
  PATH_CALLBACK,
  NEXT_BREAK_CALLBACK,
  WATCH_CALLBACK, /* a tuple of pairs: a function, and its direction */
  PY_CALLBACKS
};
typedef struct py_watched py_watched;
typedef struct py_callbacks {
  PyObject *function[PY_CALLBACKS];
  Py_ssize_t nq, nv, nlink, targets, rows;
  jn_watch *watch; /* [watch_count] of WATCH_CALLBACK */
  py_watched *watched;
  int watch_count;
} py_callbacks;
int py_add_callback(py_call_state *c, int i);
void py_callbacks_free(py_callbacks *callbacks);
jn_force_function py_force_callback;
jn_wrench_function py_wrench_callback;
jn_motion_function py_motion_callback;
jn_cost_function py_cost_callback;
double py_next_break_callback(void *context, double t);
jn_status py_path_callback(void *context, double t, int order, double *target, double *rate_jet);

#endif

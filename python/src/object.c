/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects: a pointer of the library with its sizes. Models keep work memory for the next call; objects that belong to
 * one thread at a time have a lock. Pools are arrays of atomic pointers, so they need neither locks nor the GIL. */
#include <stdlib.h>
#include <string.h>
#include "core.h"

int py_threads = 0;

void *py_copy(void *to, size_t bytes, const void *from) { return from ? memcpy(to, from, bytes) : NULL; }

double *py_room(py_call_state *c, size_t numbers) {
  if (c->memory && c->memory_size >= numbers) return c->memory;
  free(c->memory);
  c->memory = malloc((numbers ? numbers : 1) * sizeof(double));
  c->memory_size = numbers;
  return c->memory;
}

static void set_sizes(py_object *object) {
  const jn_model *model = object->model ? ((py_object *)object->model)->handle : object->handle;
  Py_ssize_t *size = object->size;
  for (int k = 0; k < PY_SIZES; k++) size[k] = -1; /* not known */
  size[PY_nq] = jn_model_nq(model);
  size[PY_nv] = jn_model_nv(model);
  size[PY_nlink] = jn_link_count(model);
  size[PY_nframe] = jn_frame_count(model);
  size[PY_10L] = 10 * size[PY_nlink];
  size[PY_6L] = 6 * size[PY_nlink];
  size[PY_4nv] = 4 * size[PY_nv];
  size[PY_2nv] = 2 * size[PY_nv];
  size[PY_loops] = jn_loop_count(model);
  size[PY_3nv] = 3 * size[PY_nv];
  size[PY_nqnv] = size[PY_nq] + size[PY_nv];
  object->of->sizes(object->handle, size);
}

/* A new object around a handle, which it owns from now on, also if this fails. */
PyObject *py_object_new(py_class *of, void *handle, PyObject *model, PyObject *parent) {
  allocfunc allocate = (allocfunc)PyType_GetSlot(of->type, Py_tp_alloc);
  py_object *object = (py_object *)allocate(of->type, 0);
  if (!object) {
    of->destroy(handle);
    return NULL;
  }
  object->of = of;
  object->handle = handle;
  Py_XINCREF(model);
  Py_XINCREF(parent);
  object->model = model;
  object->parent = parent;
  if (of->exclusive && !(object->lock = PyThread_allocate_lock())) {
    Py_DECREF(object);
    return PyErr_NoMemory();
  }
  set_sizes(object);
  return (PyObject *)object;
}

static void free_work(py_work *work) {
  if (work) jn_work_destroy(work->work);
  free(work);
}
static void free_batch(py_batch *batch) {
  if (batch) jn_batch_destroy(batch->batch);
  free(batch);
}

/* For the garbage collector: a model keeps its loops, which keep the model; dictionaries and functions break the
 * circle. */
int py_object_traverse(PyObject *self, visitproc visit, void *arg) {
  py_object *object = (py_object *)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(object->model);
  Py_VISIT(object->parent);
  for (int i = 0; object->callbacks && i < PY_CALLBACKS; i++) Py_VISIT(object->callbacks->function[i]);
  return 0;
}

void py_object_dealloc(PyObject *self) {
  py_object *object = (py_object *)self;
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  for (int i = 0; i < PY_WORKS; i++) free_work(atomic_exchange(&object->work[i], NULL));
  for (int i = 0; i < PY_BATCHES; i++) free_batch(atomic_exchange(&object->batch[i], NULL));
  if (object->handle && !object->is_borrowed) object->of->destroy(object->handle);
  if (object->lock) PyThread_free_lock(object->lock);
  py_callbacks_free(object->callbacks);
  Py_XDECREF(object->parent);
  Py_XDECREF(object->model);
  release(self);
  Py_DECREF(type);
}

/* ---- work memory ---- */

static py_work *new_work(py_object *model, int order) {
  py_work *work = calloc(1, sizeof *work);
  jn_status status = work ? jn_work_create_order(model->handle, order, &work->work) : JN_ERR_MEMORY;
  if (status == JN_OK) {
    work->order = order;
    return work;
  }
  free(work);
  py_raise(status, NULL, NULL);
  return NULL;
}

py_work *py_take_work(py_object *model, int order) {
  for (int i = 0; i < PY_WORKS; i++) {
    py_work *work = atomic_exchange_explicit(&model->work[i], NULL, memory_order_acquire);
    if (!work) continue;
    if (work->order >= order) return work;
    free_work(work);
  }
  return new_work(model, order > 2 ? order : 2);
}

void py_give_work(py_object *model, py_work *work) {
  for (int i = 0; i < PY_WORKS; i++) {
    py_work *none = NULL;
    if (atomic_compare_exchange_strong_explicit(&model->work[i], &none, work, memory_order_release,
                                                memory_order_relaxed))
      return;
  }
  free_work(work);
}

py_batch *py_take_batch(py_object *model, int order) {
  for (int i = 0; i < PY_BATCHES; i++) {
    py_batch *batch = atomic_exchange_explicit(&model->batch[i], NULL, memory_order_acquire);
    if (!batch) continue;
    if (batch->order >= order && batch->threads == py_threads) return batch;
    free_batch(batch);
  }
  py_batch *batch = calloc(1, sizeof *batch);
  jn_status status = batch ? jn_batch_create(model->handle, order, py_threads, &batch->batch) : JN_ERR_MEMORY;
  if (status == JN_OK) {
    batch->order = order;
    batch->threads = py_threads;
    return batch;
  }
  free(batch);
  py_raise(status, NULL, NULL);
  return NULL;
}

void py_give_batch(py_object *model, py_batch *batch) {
  for (int i = 0; i < PY_BATCHES; i++) {
    py_batch *none = NULL;
    if (atomic_compare_exchange_strong_explicit(&model->batch[i], &none, batch, memory_order_release,
                                                memory_order_relaxed))
      return;
  }
  free_batch(batch);
}

/* ---- one thread at a time ---- */

static int lock_one(py_object *object) {
  if (!object->lock) return 0;
  unsigned long me = PyThread_get_thread_ident();
  if (atomic_load(&object->owner) == me) {
    PyErr_Format(PyExc_RuntimeError,
                 "this %s is in use further up in the same call: a function that it calls must not "
                 "call it again",
                 object->of->name);
    return -1;
  }
  if (!PyThread_acquire_lock(object->lock, NOWAIT_LOCK)) {
    Py_BEGIN_ALLOW_THREADS PyThread_acquire_lock(object->lock, WAIT_LOCK);
    Py_END_ALLOW_THREADS
  }
  atomic_store(&object->owner, me);
  return 0;
}

static void unlock_one(py_object *object) {
  if (!object->lock) return;
  atomic_store(&object->owner, 0);
  PyThread_release_lock(object->lock);
}

/* A simulator of loops steps with them: they are locked together, loops first. */
int py_lock(py_object *object) {
  py_object *parent = (py_object *)object->parent;
  if (parent && lock_one(parent) < 0) return -1;
  if (lock_one(object) == 0) return 0;
  if (parent) unlock_one(parent);
  return -1;
}

void py_unlock(py_object *object) {
  unlock_one(object);
  if (object->parent) unlock_one((py_object *)object->parent);
}

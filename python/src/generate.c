/* SPDX-License-Identifier: BSD-2-Clause */
/* Model._generate(): a robot's dynamics as source code. jounce/_generate.py checks the arguments. */
#include <stdlib.h>
#include "core.h"

typedef struct generate_job {
  const jn_model *model;
  jn_generate_options options;
  jn_generated *generated;
  jn_error error;
} generate_job;

static jn_status run_job(void *data, py_watch *watch) {
  generate_job *job = data;
  (void)watch; /* jn_generate() asks it */
  return jn_generate(job->model, &job->options, &job->generated, &job->error);
}

/* The names of a tuple of str, which keeps them; NULL with an exception. */
static const char **list_names(PyObject *tuple) {
  Py_ssize_t count = PyTuple_Size(tuple);
  if (count < 0) return NULL;
  const char **names = calloc((size_t)count + 1, sizeof *names);
  if (!names) PyErr_NoMemory();
  if (!names) return NULL;

  for (Py_ssize_t i = 0; i < count; i++) {
    names[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, i), NULL);
    if (names[i]) continue;
    free((void *)names);
    return NULL;
  }
  return names;
}

/* {name of file: text} */
static PyObject *make_dictionary(const jn_generated *generated) {
  PyObject *files = PyDict_New();
  for (int i = 0; files && i < jn_generated_count(generated); i++) {
    PyObject *text = PyUnicode_FromString(jn_generated_text(generated, i));
    if (!text || PyDict_SetItemString(files, jn_generated_name(generated, i), text) < 0) Py_CLEAR(files);
    Py_XDECREF(text);
  }
  return files;
}

static PyObject *raise(jn_status status, const jn_error *error) {
  if (PyErr_Occurred()) return NULL; /* Ctrl-C */
  if (status == JN_ERR_MEMORY) return PyErr_NoMemory();
  PyObject *none = PyObject_CallFunction(py_glued.failed, "issssziiznN", (int)status, jn_status_text(status),
                                         "generate", "", error->text, NULL, 0, 0, NULL, (Py_ssize_t)-1, PyList_New(0));
  Py_XDECREF(none);
  return NULL;
}

/* _generate(want, prefix, language, single, sines, regroup, order, lanes, split, snap, runtime, payload_frame, frames,
 * in, prescribed, actuated, elastic) -> {name of file: text}. prescribed, actuated: nv bytes, actuated may be empty;
 * elastic: an Elastic, or None. */
PyObject *py_generate(PyObject *self, PyObject *arguments) {
  generate_job job = {.model = ((py_object *)self)->handle};
  jn_generate_options *o = &job.options;
  int language, sines, in;
  PyObject *frames, *elastic;
  Py_buffer prescribed, actuated;
  jn_generate_options_init(o);
  if (!PyArg_ParseTuple(arguments, "ssiiiiiiidIzOiy*y*O", &o->want, &o->prefix, &language, &o->single, &sines,
                        &o->regroup, &o->order, &o->lanes, &o->split, &o->snap, &o->runtime, &o->payload_frame, &frames,
                        &in, &prescribed, &actuated, &elastic))
    return NULL;

  const char **names = NULL;
  PyObject *files = NULL;
  if (prescribed.len != jn_model_nv(job.model) || (actuated.len != 0 && actuated.len != jn_model_nv(job.model)))
    PyErr_Format(PyExc_ValueError,
                 "generate(): prescribed and actuated must have one number for each of the %d coordinates",
                 jn_model_nv(job.model));
  else
    names = list_names(frames);

  if (names) {
    o->language = (jn_language)language;
    o->sines = (jn_sines)sines;
    o->in = (jn_representation)in;
    o->frames = names;
    o->frame_count = (int)PyTuple_Size(frames);
    o->prescribed = prescribed.buf;
    o->actuated = actuated.len ? actuated.buf : NULL;
    if (elastic != Py_None) o->elastic = ((py_object *)elastic)->handle;
    jn_status status = py_run_long(run_job, &job);
    files = status == JN_OK ? make_dictionary(job.generated) : raise(status, &job.error);
  }
  jn_generated_destroy(job.generated);
  free((void *)names);
  PyBuffer_Release(&prescribed);
  PyBuffer_Release(&actuated);
  return files;
}

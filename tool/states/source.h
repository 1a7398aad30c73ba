/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the states of jounce eval come from: a JSON text (source.c), or NumPy arrays (arrays.c). Both give
 * one state at a time as a JSON object, so that all checks are the same and only one state is in memory as JSON. Needs
 * jansson. */
#ifndef JN_TOOL_STATES_SOURCE_H
#define JN_TOOL_STATES_SOURCE_H

#include <jansson.h>
#include <jounce/model.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- NumPy arrays ---- */

typedef struct eval_arrays eval_arrays;

/* Does the file begin as NPY or NPZ files do? */
bool eval_arrays_are_in(const char *bytes, size_t length);
/* Reads the arrays of a file whose bytes stay in place. NULL after reporting on stderr. */
eval_arrays *eval_arrays_open(const jn_model *model, const char *file, const char *bytes, size_t length, size_t limit,
                              size_t *count);
/* State i as an object; NULL after reporting a number that is not finite. */
json_t *eval_arrays_state(const eval_arrays *arrays, size_t i);
void eval_arrays_close(eval_arrays *arrays);

/* ---- Any source ---- */

typedef struct eval_source {
  const char *file; /* as messages name it */
  const char *text;
  size_t length, limit;
  bool is_list;        /* a JSON array of states, not a single one */
  const char *at;      /* the next state of a JSON text */
  eval_arrays *arrays; /* NULL: JSON */
  size_t index;        /* of the next state */
  size_t count;        /* of states */
} eval_source;

/* Finds out what the text is and counts the states, without parsing them. false after reporting on stderr; to be closed
 * in either case. */
bool eval_source_open(eval_source *source, const jn_model *model, const char *file, const char *text, size_t length,
                      size_t limit);
/* Passes over states without parsing them. */
void eval_source_skip(eval_source *source, size_t count);
/* The next state, for the caller to release. NULL after reporting on stderr. */
json_t *eval_source_next(eval_source *source);
void eval_source_close(eval_source *source);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What is generated: functions with named arguments and results, and the text of the files.
 *
 *   graph.c        expressions as a graph                 mechanism.c   frames, constants, regrouping
 *   symbols.c      the robot over expressions             recursions.c  inverse dynamics, M, solution
 *   functions*.c   the functions by name                  order.c       the order of statements
 *   taylor.c       derivatives on the graph               conditions.c  of closed loops
 *   pivots.c       elimination in a fixed order           closed_states.c  samples of models with loops
 *   emit_c.c       C                                      header.c      comments, tables and prototypes
 *   emit_matlab.c  MATLAB and Octave                      chains.c      sums, one product at a time
 *   selftest.c     states with their results, error       sincos.c      sine and cosine in C
 *   lanes.c        many states at once, in C              split.c       functions in pieces, in C
 *   sha256.c       of the robot file                      generate.c    the public functions */
#ifndef JN_GENERATE_GENERATE_H
#define JN_GENERATE_GENERATE_H

#include <jounce/generate.h>

#include "order.h"
#include "recursions.h"

enum { JN_WRITTEN_IN = 12, JN_WRITTEN_OUT = 8 };

/* An argument or a result: an array of `size` numbers. */
typedef struct jn_written_array {
  const char *name;
  int array; /* JN_ARRAY_..., of arguments */
  int size;
  int columns;     /* of a matrix; 0: a vector */
  jn_expr *values; /* of results [size] */
} jn_written_array;

typedef struct jn_written_function {
  const char *name;
  const char *about; /* for comments */
  jn_written_array in[JN_WRITTEN_IN], out[JN_WRITTEN_OUT];
  int ins, outs;
  int frames;  /* 1: its results are for the frames of the options */
  int dropped; /* conditions of loops that depend on others, and were left out */
  jn_sequence sequence;
  double float_error; /* largest error of float against double, relative to the largest result */
} jn_written_function;

typedef struct jn_writing {
  const jn_model *model;
  jn_generate_options options;
  jn_allocator allocator;
  jn_graph graph;
  jn_mechanism mechanism;
  jn_symbols symbols;
  jn_written_function *function;
  int functions;
  int *frame; /* [options.frame_count] */
  char prefix[48], upper[48];
  char value_type[64]; /* of variables in C: float, double or prefix_lanes */
  char hash[65];
  double *closed; /* [closed_count x (nq + 2 nv)] closed states of a model with loops: closed_states.c */
  int closed_count;
  int is_beyond_range; /* a number of the text is too large for its type */
  jn_status refusal;   /* of the function that is written: not for this model */
  jn_error *error;
} jn_writing;

/* Sets the error and returns it. */
jn_status jn__writing_fail(jn_writing *w, jn_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fills w->function from the names in options.want. */
jn_status jn__write_functions(jn_writing *w);
/* States and results: float_error of each function, and the table for the self-test. */
enum { JN_SELFTEST_STATES = 3, JN_ERROR_STATES = 1000 };
jn_status jn__measure_errors(jn_writing *w);
/* Fills the input arrays (each of jn__array_size() numbers) with a random state. */
void jn__random_inputs(const jn_writing *w, uint64_t *seed, double *const *input);
int jn__array_size(const jn_writing *w, int array);

/* The statements of a function's body, in the language of the options. */
void jn__emit_statements(jn_writing *w, jn_text *text, const jn_written_function *f);
void jn__emit_matlab_file(jn_writing *w, jn_text *text, int function);
void jn__emit_matlab_selftest(jn_writing *w, jn_text *text);
void jn__emit_c_file(jn_writing *w, jn_text *text);
void jn__emit_c_header(jn_writing *w, jn_text *text);
void jn__emit_c_selftest(jn_writing *w, jn_text *text);
void jn__emit_sincos(const jn_writing *w, jn_text *text);
/* Sine s and cosine c of x - k pi / 2, as statements. */
void jn__emit_sine_polynomials(const jn_writing *w, jn_text *text);
/* Code for many states at once (lanes.c): types for the header, helper functions, and the functions for any number. */
void jn__emit_lanes_types(const jn_writing *w, jn_text *text);
void jn__emit_lanes_support(const jn_writing *w, jn_text *text, const jn_operation_count *used, int signs);
void jn__emit_lanes_moves(const jn_writing *w, jn_text *text);
/* An argument that all states share. */
int jn__is_shared(const jn_written_array *in);
void jn__emit_many(const jn_writing *w, jn_text *text, const jn_written_function *f);
void jn__emit_many_prototype(const jn_writing *w, jn_text *text, const jn_written_function *f);
/* The type of numbers in C: float or double, also where vectors hold many. */
const char *jn__number_type(const jn_writing *w);
/* A literal of the number type; always positive. Sets is_beyond_range if the type has no such number. */
void jn__emit_literal(jn_writing *w, jn_text *text, double value);
void jn__emit_prototype(const jn_writing *w, jn_text *text, const jn_written_function *f);
/* What the code was made from, conventions, joints and operations: the lines of a C comment, without its end. */
void jn__emit_origin(const jn_writing *w, jn_text *text);
/* All input arrays in one block, which the caller releases; NULL: out of memory. */
double *jn__make_inputs(const jn_writing *w, double *input[JN_ARRAYS]);
/* Text from files inside a comment: printable ASCII without backslash, '?' and comment marks; the rest becomes '.'. */
void jn__emit_safe(jn_text *text, const char *name);

void jn__sha256(const void *data, size_t length, char hex[65]);

#endif

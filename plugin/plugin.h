/* SPDX-License-Identifier: BSD-2-Clause */
/* The CasADi plugin: one shared library with the functions of jounce/solvers.h, in the form that casadi.external()
 * loads. One copy of the file is one robot. Where to look:
 *   casadi.c    the functions that CasADi looks up by name; slots of memory, one for each thread that computes
 *   tables.c    names, sizes and patterns of all inputs and outputs, as CasADi reads them
 *   settings.c  where the robot comes from: config_args, data at the end of this file, or a model file beside it
 * Names that begin with plugin_ are of this folder. */
#ifndef JN_PLUGIN_PLUGIN_H
#define JN_PLUGIN_PLUGIN_H

#include "jounce/solvers.h"

typedef long long casadi_int;

/* What CasADi may ask of each function f: f itself, jac_f, adj1_f and jac_adj1_f. */
typedef enum plugin_form { FORM_VALUE, FORM_JACOBIAN, FORM_ADJOINT, FORM_HESSIAN, FORMS } plugin_form;

enum { PLUGIN_PUTS = 4 * 3 + 1, PLUGIN_BLOCKS = 3 * 9 };

/* Names, and patterns as CasADi wants them: rows, columns, beginnings of columns, rows of entries; or rows, columns, 1
 * for a full matrix. */
typedef struct plugin_table {
  int in_count, out_count;
  char *in[PLUGIN_PUTS], *out[PLUGIN_BLOCKS];
  casadi_int *in_pattern[PLUGIN_PUTS], *out_pattern[PLUGIN_BLOCKS];
} plugin_table;

typedef struct plugin_robot {
  jn_model *model;
  jn_function_options options;
  int *frames;
  char *given; /* settings as they were given, to know when others come */
} plugin_robot;

/* 0: *robot is filled; else a message on stderr says why not. Without arguments, the robot of this
 * file, or of the model beside it. */
int plugin_read_robot(int argc, const char *const *argv, plugin_robot *robot);
void plugin_free_robot(plugin_robot *robot);
/* One line on stderr, "jounce: ...": CasADi has no other way to hear of mistakes. */
void plugin_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* 0, or 1 when memory is out. */
int plugin_make_table(const jn_function *f, plugin_form form, plugin_table *table);
void plugin_free_table(plugin_table *table);
/* Where output block `out` by input block `in` lies in a matrix of all: its first row and column. */
int plugin_input_at(const jn_function *f, int in);
int plugin_output_at(const jn_function *f, int out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce reach in parts: reach.c the command, one pose and paths; all.c all solutions of a pose. */
#ifndef JN_TOOL_REACH_H
#define JN_TOOL_REACH_H

#include "../files/output.h"
#include "../model/argument.h"
#include "../motion/log.h"
#include "../motion/tool_path.h"

typedef struct reach_arg {
  model_arg model;
  tool_arg tool;
  number_list pose, position, rate, order, bandwidth;
  log_arg log;
  const char *path, *tolerance, *out;
  int json, all;
} reach_arg;

/* Finds and shows the distinct configurations that have the target. An exit code: EXIT_FINE if limits hold for one. */
int reach_all(const reach_arg *arg, const double *target);

#endif

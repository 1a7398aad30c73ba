/* SPDX-License-Identifier: BSD-2-Clause */
/* What JavaScript cannot call as it is: functions with option structs. Messages stay until the next call. */
#include <emscripten.h>
#include <jounce/jounce.h>
#include <stddef.h>
#include <stdio.h>

static char message[1100];

/* FILE:LINE:COLUMN: text, as the command prints it. */
static void keep(const jn_error *e) {
  char place[300] = "";
  if (e->file[0] && e->line)
    snprintf(place, sizeof place, "%s:%d:%d: ", e->file, e->line, e->column);
  else if (e->file[0])
    snprintf(place, sizeof place, "%s: ", e->file);
  snprintf(message, sizeof message, "%s%s", place, e->text);
}

EMSCRIPTEN_KEEPALIVE const char *web_error(void) { return message; }

EMSCRIPTEN_KEEPALIVE jn_model *web_load(const char *source, int floating, int ignore_mimic, int lenient) {
  jn_options options;
  jn_model *model = NULL;
  jn_options_init(&options);
  options.floating = floating;
  options.ignore_mimic = ignore_mimic;
  options.lenient = lenient;
  jn_error failure = {0};
  if (jn_load(source, &options, &model, &failure) != JN_OK) keep(&failure);
  return model;
}

/* loops NULL: the tree alone. NULL after a failure, whose status is in *status. */
EMSCRIPTEN_KEEPALIVE jn_simulator *web_simulator(const jn_model *model, jn_loops *loops, jn_integrator integrator,
                                                 double tolerance, double step, int losses, int stops,
                                                 jn_status *status) {
  jn_simulation_options options;
  jn_simulator *simulator = NULL;
  jn_simulation_options_init(&options);
  options.integrator = integrator;
  options.tolerance = tolerance;
  options.step = step;
  options.losses = losses;
  options.limits = stops ? JN_LIMITS_BOUNCE : JN_LIMITS_IGNORE;
  *status =
      loops ? jn_simulator_create_loops(loops, &options, &simulator) : jn_simulator_create(model, &options, &simulator);
  return simulator;
}

/* Loops with memory for jets of this order, which the Taylor integrator needs. */
EMSCRIPTEN_KEEPALIVE jn_loops *web_loops(const jn_model *model, int order, jn_status *status) {
  jn_loops_options options;
  jn_loops *loops = NULL;
  jn_loops_options_init(&options);
  options.order = order;
  *status = jn_loops_create(model, &options, &loops);
  return loops;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce casadi: the plugin for CasADi with a robot in it, one file to load. What is appended to the plugin is read by
 * plugin/settings.c. */
#include <jounce/simulation.h>
#include <jounce/table.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../files/installed.h"
#include "../files/output.h"
#include "../model/argument.h"
#include "../text/print.h"

enum { TAIL = 16 };
static const char mark[] = "jounceCD";

typedef struct casadi_arg {
  model_arg model;
  const char *out, *plugin;
  number_list step, friction_speed;
  name_list frames;
  int integrator, losses;
} casadi_arg;

/* The plugin without a robot, and its size: what was appended to it is left away. */
static char *read_plugin(const char *given, size_t *length) {
  char own[PATH_BYTES];
  const char *path = given ? given : installed_file(JN_PLUGIN_PLACE, own) ? own : NULL;
  if (!path) {
    say(stderr,
        "jounce: the plugin for CasADi is not installed with this command; this build may have JOUNCE_CASADI=OFF. Give "
        "its file with --plugin\n");
    return NULL;
  }
  char *data = read_input(path, path, JN_MAX_BYTES, length);
  if (!data) return NULL;
  if (*length < TAIL || memcmp(data, "\177ELF", 4) != 0) {
    say(stderr, "jounce: %s: this is not the plugin of jounce for CasADi\n", path);
    free(data);
    return NULL;
  }
  if (memcmp(data + *length - 8, mark, 8) == 0) {
    size_t bytes = 0;
    for (int k = 9; k <= 16; k++) bytes = bytes << 8 | (unsigned char)data[*length - (size_t)k];
    if (bytes < *length - TAIL) *length -= bytes + TAIL;
  }
  return data;
}

/* Options line by line, an empty line, and the model. */
static char *make_settings(const casadi_arg *c, const char *model) {
  char *text = format_text("%s", ""), *more;
  if (c->step.count) {
    more = format_text("%s--step=%.17g\n", text, c->step.values[0]);
    free(text), text = more;
  }
  if (c->integrator >= 0) {
    more = format_text("%s--integrator=%s\n", text, jn_integrator_name((jn_integrator)c->integrator));
    free(text), text = more;
  }
  if (c->losses) {
    more = format_text("%s--losses\n", text);
    free(text), text = more;
  }
  if (c->friction_speed.count) {
    more = format_text("%s--friction-speed=%.17g\n", text, c->friction_speed.values[0]);
    free(text), text = more;
  }
  for (int i = 0; i < c->frames.count; i++) {
    more = format_text("%s--frame=%s\n", text, c->frames.names[i]);
    free(text), text = more;
  }
  more = format_text("%s\n%s", text, model);
  free(text);
  return more;
}

static bool write_library(const casadi_arg *c, const char *plugin, size_t length, const char *settings) {
  output o;
  FILE *f = output_open(&o, c->out);
  if (!f) return false;
  size_t bytes = strlen(settings);
  bool good = fwrite(plugin, 1, length, f) == length && fwrite(settings, 1, bytes, f) == bytes;
  for (int k = 0; k < 8; k++) good = good && fputc((int)(bytes >> (8 * k) & 255), f) != EOF;
  good = good && fwrite(mark, 1, 8, f) == 8;
  return output_close(&o, good) && good;
}

static int check_values(const casadi_arg *c) {
  if (c->step.count && (c->step.count != 1 || !(c->step.values[0] > 0 && c->step.values[0] < 1e9)))
    return usage_error("casadi", "--step takes one number of seconds, positive and below 1e9");
  if (c->friction_speed.count && (c->friction_speed.count != 1 || !(c->friction_speed.values[0] > 0)))
    return usage_error("casadi", "--friction-speed: give one positive number");
  return OPTION_GO_ON;
}

static int check_frames(const casadi_arg *c) {
  for (int i = 0; i < c->frames.count; i++)
    if (jn_frame_index(c->model.model, c->frames.names[i]) < 0 || strchr(c->frames.names[i], '\n')) {
      say(stderr, "jounce: --frame: %s has no frame '%s'; `jounce info` lists them\n", c->model.source,
          c->frames.names[i]);
      return EXIT_USAGE;
    }
  return OPTION_GO_ON;
}

static int casadi(casadi_arg *c) {
  int status = check_values(c);
  if (status == OPTION_GO_ON) status = model_arg_load(&c->model);
  if (status == OPTION_GO_ON) status = check_frames(c);
  if (status != OPTION_GO_ON) return status;
  char *model;
  size_t length, model_length;
  jn_error error = {0};
  if (jn_save_text(c->model.model, JN_FORMAT_NATIVE, &c->model.options, &model, &model_length, &error) != JN_OK) {
    print_errors(NULL, &error, c->model.source);
    return EXIT_BAD;
  }
  char *plugin = read_plugin(c->plugin, &length), *settings = make_settings(c, model);
  jn_text_free(model, &c->model.options);
  bool good = plugin && write_library(c, plugin, length, settings);
  free(plugin);
  free(settings);
  if (good && strcmp(c->out, "-") != 0)
    say(stderr, "%s: load it with casadi.external(\"forward_dynamics\", \"%s\"), and others by name\n", c->out, c->out);
  return good ? EXIT_FINE : EXIT_BAD;
}

static const option casadi_options[] = {
    TEXT_OPTION(casadi_arg, out, "out", "FILE", "the library to write; default robot.so", .is_output = true),
    NUMBERS_OPTION(casadi_arg, step, "step", "H", "length of a step [s]; default 0.01"),
    CHOICE_OPTION(casadi_arg, integrator, "integrator", "taylor|dopri5|rodas|rk4|euler",
                  "method of steps; default rk4"),
    FLAG_OPTION(casadi_arg, losses, "losses", "steps lose energy by damping and friction of the model"),
    NUMBERS_OPTION(casadi_arg, friction_speed, "friction-speed", "V",
                   "speed below which friction fades [rad/s, m/s]; default 0.001"),
    NAMES_OPTION(casadi_arg, frames, "frame", "NAME,...", "frames of the function `frames`; default: the last one"),
    NAMES_OPTION(casadi_arg, frames, "frames", "NAME,...", NULL, .instead = "frame"),
    TEXT_OPTION(casadi_arg, plugin, "plugin", "FILE", "the plugin to start from; default: the installed one"),
    {0}};

static const option_group casadi_groups[] = {
    {.options = casadi_options},
    MODEL_GROUPS(casadi_arg, model),
};

const command_line casadi_line = {
    .name = "casadi",
    .brief = "write a library with the robot in it for CasADi",
    .arguments = "MODEL",
    .least = 1,
    .most = 1,
    .about =
        "Write a shared library with the robot in it, which casadi.external() loads, with exact Jacobians and "
        "Hessians: inverse_dynamics, forward_dynamics, step, frames, momentum, mass_matrix, gravity, torque_rate, "
        "loops_forward_dynamics and "
        "loops_conditions. It is the installed plugin with the robot appended, so no compiler is needed.",
    .groups = casadi_groups,
    .group_count = COUNT_OF(casadi_groups),
};

int command_casadi(int argc, char **argv) {
  casadi_arg c = {.out = "robot.so", .integrator = -1};
  const char *arguments[1] = {NULL};
  model_arg_init(&c.model, "casadi");
  int status = option_parse(&casadi_line, &c, argc, argv, arguments);
  if (status == OPTION_GO_ON) {
    c.model.source = arguments[0];
    status = casadi(&c);
  }
  number_list_free(&c.step);
  number_list_free(&c.friction_speed);
  name_list_free(&c.frames);
  model_arg_free(&c.model);
  return status;
}

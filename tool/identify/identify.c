/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce identify: a robot and measured motions in; a robot with the parameters that fit them out. */
#include "identify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../files/output.h"
#include "../options/shared_help.h"

/* ---- Arguments ---- */

static int check_number(const char *name, const number_list *list, double least) {
  if (list->count == 0 || (list->count == 1 && list->values[0] >= least)) return OPTION_GO_ON;
  return usage_error("identify", "--%s takes one number%s", name, least == 0 ? ", not negative" : "");
}

static int check_arguments(identify_arg *arg) {
  const struct {
    const char *name;
    const number_list *list;
    double least;
  } numbers[] = {{"prior", &arg->prior, 0},         {"cutoff", &arg->cutoff, 0},
                 {"delay", &arg->delay, -INFINITY}, {"friction-speed", &arg->coulomb_speed, 0},
                 {"outliers", &arg->outliers, 0},   {"bandwidth", &arg->bandwidth, 0},
                 {"sample-rate", &arg->rate, 0}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    int result = check_number(numbers[i].name, numbers[i].list, numbers[i].least);
    if (result != OPTION_GO_ON) return result;
  }
  for (arg->files = 0; arg->files < IDENTIFY_FILES && arg->arguments[arg->files + 1];) arg->files++;
  if (arg->out && !ends_with(arg->out, ".urdf") && !ends_with(arg->out, ".xml") && !ends_with(arg->out, ".json"))
    return usage_error("identify", "--out %s: the name must end in .urdf, .xml or .json, which tells the format",
                       arg->out);
  if (arg->out && arg->base_only)
    return usage_error("identify",
                       "--base-only makes no model: base parameters alone are not those of bodies; leave "
                       "one of --out and --base-only out");
  if (arg->prior.count && arg->prior.values[0] == 0)
    return usage_error("identify",
                       "--prior takes a positive number: without a prior, parameters that the data do not "
                       "tell would be arbitrary");
  if (arg->foresee && strcmp(arg->foresee, "auto") == 0) arg->foresee = "";
  if (arg->foresee && *arg->foresee) {
    char *end;
    double noise = strtod(arg->foresee, &end);
    if (*end || !(noise > 0) || !isfinite(noise))
      return usage_error("identify", "--foresee takes a positive number [N m] or auto, not '%s'", arg->foresee);
  }
  if (arg->foresee && (arg->out || arg->report || arg->validate.count))
    return usage_error("identify", "--foresee looks at motions alone: leave --out, --report and --validate out");
  return OPTION_GO_ON;
}

/* Words of --without. */
static int choose_columns(const identify_arg *arg, unsigned *columns) {
  static const struct {
    const char *word;
    unsigned bits;
  } known[] = {{"inertia", JN_IDENTIFY_INERTIA},
               {"rotor", JN_IDENTIFY_ROTOR},
               {"friction", JN_IDENTIFY_VISCOUS | JN_IDENTIFY_COULOMB},
               {"viscous", JN_IDENTIFY_VISCOUS},
               {"coulomb", JN_IDENTIFY_COULOMB},
               {"offset", JN_IDENTIFY_OFFSET}};
  enum { KNOWN = sizeof known / sizeof *known };
  *columns = JN_IDENTIFY_INERTIA | JN_IDENTIFY_ROTOR | JN_IDENTIFY_VISCOUS | JN_IDENTIFY_COULOMB | JN_IDENTIFY_OFFSET;
  for (int i = 0; i < arg->without.count; i++) {
    int k = 0;
    while (k < KNOWN && strcmp(known[k].word, arg->without.names[i]) != 0) k++;
    if (k == KNOWN)
      return usage_error("identify", "--without takes inertia, rotor, friction, viscous, coulomb and offset, not '%s'",
                         arg->without.names[i]);
    *columns &= ~known[k].bits;
  }
  if (arg->friction && !(*columns & (JN_IDENTIFY_VISCOUS | JN_IDENTIFY_COULOMB)))
    return usage_error("identify", "--friction and --without friction contradict each other");
  if (arg->scales) *columns |= JN_IDENTIFY_SCALE;
  if (arg->rotor && !(*columns & JN_IDENTIFY_ROTOR))
    return usage_error("identify", "--rotor and --without rotor contradict each other");
  return OPTION_GO_ON;
}

/* ---- Running ---- */

static bool write_model(const identify_run *r) {
  const identify_arg *arg = r->arg;
  jn_error error = {0};
  jn_options options = arg->model.options;
  options.report = jn_report_create(NULL);
  model_arg_original(&arg->model, &options); /* all else of a URDF file stays */
  model_arg_tell_attached(&arg->model, arg->out, ends_with(arg->out, ".json"));
  jn_status status = jn_save(r->result, arg->out, JN_FORMAT_AUTO, &options, &error);
  print_warnings(options.report, arg->out);
  if (status != JN_OK) print_errors(options.report, &error, arg->out);
  jn_report_destroy(options.report);
  return status == JN_OK;
}

/* What the motions would tell. */
static int foresee(identify_run *r) {
  int result = identify_load(r);
  if (result == OPTION_GO_ON) result = identify_make(r, NULL, &r->identification);
  r->speed_rms = allocate((size_t)r->nv * sizeof *r->speed_rms);
  return result == OPTION_GO_ON ? identify_foresee(r) : result;
}

static int run(identify_run *r) {
  if (r->arg->foresee) return foresee(r);
  int result = identify_load(r);
  if (result == OPTION_GO_ON) result = identify_solve(r);
  if (result == OPTION_GO_ON) result = identify_judge(r);
  if (result != OPTION_GO_ON) return result;
  identify_find_doubts(r);
  identify_text(r);

  /* what could not be written is not said to be written */
  r->model_written = r->arg->out && write_model(r);
  r->report_written = r->arg->report && identify_report(r, r->arg->report);
  identify_totals(r);
  bool missing = (r->arg->out && !r->model_written) || (r->arg->report && !r->report_written);
  return missing ? EXIT_BAD : EXIT_FINE;
}

static void free_arguments(identify_arg *arg) {
  name_list *const lists[] = {&arg->columns,  &arg->without,   &arg->links,   &arg->gears,
                              &arg->validate, &arg->constants, &arg->actuated};
  number_list *const numbers[] = {&arg->prior,    &arg->cutoff,    &arg->delay, &arg->coulomb_speed,
                                  &arg->outliers, &arg->bandwidth, &arg->rate};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) name_list_free(lists[i]);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) number_list_free(numbers[i]);
  model_arg_free(&arg->model);
}

static const option identify_options_1[] = {
    TEXT_OPTION(identify_arg, out, "out", "FILE",
                "write the new robot to .urdf or .json; all else of a URDF file is kept", .is_output = true),
    TEXT_OPTION(identify_arg, report, "report", "FILE",
                "write a page (HTML) with curves, confidence intervals and changes", .is_output = true),
    TEXTS_OPTION(identify_arg, validate, "validate", "FILE",
                 "a file that is not used for the fit, to judge the result; may be given several times"),
    {0}};

static const option identify_options_2[] = {
    FLAG_OPTION(identify_arg, friction, "friction", "viscous and Coulomb friction (the default; see --without)"),
    FLAG_OPTION(identify_arg, rotor, "rotor", "inertias of the rotors (the default; see --without)"),
    NAMES_OPTION(identify_arg, without, "without", "LIST",
                 "leave out: inertia, rotor, friction, viscous, coulomb, offset"),
    NAMES_OPTION(identify_arg, links, "links", "LIST", "only the inertias of these links; one link: a payload"),
    TEXT_OPTION(identify_arg, coupling, "coupling", "FILE",
                "motors that drive several joints: a table with a column for each joint and a row "
                "for each motor"),
    FLAG_OPTION(identify_arg, scales, "scales",
                "corrections of the torque constants; the inertia of some link must be known: see --links"),
    NUMBERS_OPTION(identify_arg, prior, "prior", "W", "weight of the model; default: by cross-validation"),
    FLAG_OPTION(identify_arg, base_only, "base-only", "only base parameters with their standard deviations"),
    FLAG_OPTION(identify_arg, parameters, "parameters", "list the base parameters"),
    TEXT_OPTION(identify_arg, foresee, "foresee", "NOISE",
                "before there are torques: what the motions DATA would determine, with this noise of the torques [N "
                "m], or auto: 1 % of the torques that the model needs"),
    {0}};

static const option identify_options_3[] = {
    NAMES_OPTION(identify_arg, columns, "columns", "NAME=COLUMN,...",
                 "NAME=COLUMN, NAME=#3 or NAME=COLUMN [unit]; torques NAME.tau=COLUMN"),
    FLAG_OPTION(identify_arg, degrees, "degrees", "angles whose column names no unit are in degrees"),
    NUMBERS_OPTION(identify_arg, rate, "sample-rate", "HZ", "rows per second of files without times"),
    NUMBERS_OPTION(identify_arg, rate, "rate", "HZ", NULL, .instead = "sample-rate"),
    NAMES_OPTION(identify_arg, constants, "torque-constant", "LIST",
                 "NAME=K [N m/A]: the column is a current (or has that scale)"),
    NAMES_OPTION(identify_arg, gears, "gear", "LIST", "NAME=N: the column is on the motor's side of a gear"),
    FLAG_OPTION(identify_arg, motor_torques, "motor-torques",
                "columns are the torques of the motors of --coupling, not of the joints"),
    TEXT_OPTION(
        identify_arg, wrench, "wrench-sensor", "LINK",
        "the wrench through the joint of this link is measured, e.g. by a sensor under the base: columns LINK_mx ... "
        "LINK_fz, in the link's frame; torques need not be"),
    TEXT_OPTION(identify_arg, wrench, "wrench", "LINK", NULL, .instead = "wrench-sensor"),
    FLAG_OPTION(
        identify_arg, contacts, "contacts",
        "columns LINK_mx ... LINK_fz are wrenches on links from outside; a floating base needs no torques then"),
    NAMES_OPTION(identify_arg, actuated, "actuated", "LIST", ACTUATED_HELP "those with torques"),
    CHOICE_OPTION(identify_arg, missing, "missing", "error|neutral",
                  "joints without a column: an error (default), or held at neutral"),
    TEXT_OPTION(identify_arg, tolerance, "tolerance", "X",
                "smooth positions with an RMS residual of at most X [rad, m]; 0: interpolate all; default auto: by "
                "generalised cross-validation"),
    NUMBERS_OPTION(
        identify_arg, cutoff, "cutoff", "HZ",
        "filter of torques and regressor; default: from the motion, or lower if that validates better; 0: none"),
    NUMBERS_OPTION(identify_arg, bandwidth, "bandwidth", "HZ", BANDWIDTH_HELP "; default 50"),
    FLAG_OPTION(identify_arg, log.skip_bad, "skip-bad", SKIP_BAD_HELP),
    FLAG_OPTION(identify_arg, log.unwrap, "unwrap", UNWRAP_HELP),
    NUMBERS_OPTION(identify_arg, log.lowpass, "lowpass", "HZ", LOWPASS_HELP "; default: --bandwidth, 50 at least"),
    TEXT_OPTION(identify_arg, log.motor_positions, "motor-positions", "FILE", MOTOR_POSITIONS_HELP),
    NUMBERS_OPTION(identify_arg, delay, "delay", "S", "torques were measured so much later than positions; default 0"),
    NUMBERS_OPTION(identify_arg, coulomb_speed, "friction-speed", "V",
                   "speed [rad/s, m/s] below which friction fades; default: from the data"),
    NUMBERS_OPTION(identify_arg, coulomb_speed, "coulomb-speed", "V", NULL, .instead = "friction-speed"),
    NUMBERS_OPTION(identify_arg, outliers, "outliers", "K",
                   "leave out rows beyond K standard deviations; default 5; 0: keep all"),
    {0}};

static const option_group identify_groups[] = {
    {.options = identify_options_1},
    {.heading = "What is identified", .options = identify_options_2},
    {.heading = "Data", .options = identify_options_3},
    MODEL_GROUPS(identify_arg, model),
};

const command_line identify_line = {
    .name = "identify",
    .brief = "find inertias and friction from measured motions and torques",
    .arguments = "MODEL DATA...",
    .least = 2,
    .most = IDENTIFY_FILES + 1,
    .about =
        "Find the inertias, rotor inertias and frictions of a robot from measured motions and joint torques, and write "
        "the robot with them. The result is physically consistent, and what the data do not tell stays near the model. "
        "DATA are tables with times, positions (velocities, accelerations if measured) and torques: NAME, NAME.tau.",
    .groups = identify_groups,
    .group_count = COUNT_OF(identify_groups),
};

int command_identify(int argc, char **argv) {
  identify_arg arg = {0};
  identify_run r = {.arg = &arg};
  model_arg_init(&arg.model, "identify");
  int status = option_parse(&identify_line, &arg, argc, argv, arg.arguments);
  if (status == OPTION_GO_ON) {
    arg.model.source = arg.arguments[0];
    status = check_arguments(&arg);
  }
  if (status == OPTION_GO_ON) status = choose_columns(&arg, &r.columns);
  if (status == OPTION_GO_ON) status = model_arg_load(&arg.model);
  if (status == OPTION_GO_ON) {
    r.model = arg.model.model;
    r.nv = jn_model_nv(r.model);
    status = run(&r);
    identify_unload(&r);
  }
  free_arguments(&arg);
  log_arg_free(&arg.log);
  return status;
}

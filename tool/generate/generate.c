/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce generate: a robot's dynamics as C, or as MATLAB, in files of their own. */
#include <errno.h>
#include <jounce/generate.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef _WIN32
#include <direct.h>
#define mkdir(path, mode) _mkdir(path)
#define rmdir _rmdir
#else
#include <unistd.h>
#endif

#include "../command.h"
#include "../files/output.h"
#include "../model/argument.h"
#include "../model/names.h"
#include "../text/print.h"

typedef struct generate_arg {
  model_arg model;
  const char *want, *prefix, *out, *order, *lanes, *snap, *payload, *actuators;
  name_list runtime, frames, prescribed, actuated;
  int type, language, regroup, sincos, in, split;
  char *command; /* for the header */
} generate_arg;

/* ---- options ---- */

/* A number from 0 to `most`; -1: it is none. */
static double read_option(const char *text, double most) {
  char *end;
  double x = strtod(text, &end);
  return *text && !*end && x >= 0 && x <= most ? x : -1;
}

static int set_numbers(const generate_arg *g, jn_generate_options *o) {
  double order = g->order ? read_option(g->order, 8) : 1, snap = g->snap ? read_option(g->snap, 0.1) : 0;
  if (order < 0 || order != (int)order) return usage_error("generate", "--order takes a whole number from 0 to 8");
  if (snap < 0) return usage_error("generate", "--snap takes an angle from 0 to 0.1 rad");
  double lanes = g->lanes ? read_option(g->lanes, 16) : 0;
  if (g->lanes && lanes != 2 && lanes != 4 && lanes != 8 && lanes != 16)
    return usage_error("generate", "--lanes takes 2, 4, 8 or 16");
  o->order = (int)order;
  o->lanes = (int)lanes;
  o->snap = snap;
  return OPTION_GO_ON;
}

static int set_runtime(const generate_arg *g, jn_generate_options *o) {
  static const char *const words[] = {"gravity", "payload", "parameters"};
  for (int i = 0; i < g->runtime.count; i++) {
    int k = 0;
    while (k < 3 && strcmp(words[k], g->runtime.names[i]) != 0) k++;
    if (k == 3)
      return usage_error("generate", "--runtime %s: give gravity, payload or parameters", g->runtime.names[i]);
    o->runtime |= 1u << k;
  }
  return OPTION_GO_ON;
}

/* A mask of coordinates, from names of joints. */
static int set_mask(const generate_arg *g, const char *name, const name_list *joints, unsigned char *mask) {
  const jn_model *m = g->model.model;
  for (int i = 0; i < joints->count; i++) {
    int joint, status = find_joint("generate", name, m, joints->names[i], &joint);
    if (status != OPTION_GO_ON) return status;
    for (int k = 0; k < jn_joint_nv(m, joint); k++) mask[jn_joint_v(m, joint) + k] = 1;
  }
  return OPTION_GO_ON;
}

/* ---- files ---- */

/* Is there the folder in which this one is to be made? In /proc and the like, making it fails all the same. */
static bool parent_exists(const char *folder) {
  struct stat about;
  const char *last = strrchr(folder, '/');
  char *parent = last ? copy_text(folder, (size_t)(last - folder) + 1) : copy_text(".", 1);
  bool exists = stat(parent, &about) == 0 && S_ISDIR(about.st_mode);
  free(parent);
  return exists;
}

/* Makes the folder unless it is there; false after reporting why not. */
static bool make_folder(const char *folder, bool *is_new) {
  struct stat about;
  *is_new = mkdir(folder, 0777) == 0;
  if (*is_new) return true;

  /* a folder that is there already is fine */
  int code = errno;
  if (code == EEXIST && stat(folder, &about) == 0 && S_ISDIR(about.st_mode)) return true;

  const char *why = code == EEXIST   ? "this is not a folder; give another name"
                    : code == ENOENT ? parent_exists(folder)
                                           ? "no folder can be made there; give another place"
                                           : "the folder to make it in does not exist; make that one first"
                                     : strerror(code);
  say(stderr, "jounce: generate: cannot make the folder --out %s: %s\n", folder, why);
  return false;
}

/* Writes all texts before the first file takes its place: a full disk or a file that may not be replaced leaves the old
 * files as they were. Returns how many took their place. */
static int place_files(const char *folder, const jn_generated *generated, output *files, char **paths) {
  int count = jn_generated_count(generated), opened = 0, placed = 0;
  bool good = true;

  for (; good && opened < count; opened++) {
    paths[opened] = format_text("%s/%s", folder, jn_generated_name(generated, opened));
    FILE *stream = output_open(&files[opened], paths[opened]);
    good = stream && fputs(jn_generated_text(generated, opened), stream) >= 0 && fflush(stream) == 0;
  }

  for (int i = 0; i < opened; i++) {
    good = output_close(&files[i], good) && good;
    placed += good;
    free(paths[i]);
  }
  return placed;
}

static bool write_files(const generate_arg *g, const jn_generated *generated) {
  bool is_new;
  if (!make_folder(g->out, &is_new)) return false;

  size_t count = (size_t)jn_generated_count(generated);
  output *files = allocate(count * sizeof *files);
  char **paths = allocate(count * sizeof *paths);
  int placed = place_files(g->out, generated, files, paths);
  free(files);
  free(paths);

  /* leave no empty folder behind, and tell when old and new files are mixed */
  if (placed == 0 && is_new) rmdir(g->out);
  if (placed > 0 && placed < (int)count)
    say(stderr,
        "jounce: generate: --out %s: only %d of %d files are new, so they do not fit together; generate again\n",
        g->out, placed, (int)count);
  return placed == (int)count;
}

/* The robot file again, for its hash; NULL: there is none, and the model's own text is taken. */
static char *read_source(const generate_arg *g, size_t *length) {
  if (g->model.text) {
    *length = g->model.text_length;
    return copy_text(g->model.text, g->model.text_length);
  }
  if (strncmp(g->model.source, "builtin:", 8) == 0) return NULL;
  return read_input(g->model.source, g->model.source, JN_MAX_BYTES, length);
}

/* Is some function wanted whose name begins with `word`, or (other) does not? */
static bool wants(const generate_arg *g, const char *word, bool other) {
  size_t length = strlen(word);
  for (const char *at = g->want; *at;) {
    size_t name = strcspn(at, ",");
    if (name && (strncmp(at, word, length) == 0) != other) return true;
    at += name + (at[name] == ',');
  }
  return false;
}

/* Options that no wanted function uses are refused. */
static int refuse_unused(const generate_arg *g) {
  bool has_payload = false;
  bool moving_frames = wants(g, "jacobian", false) || wants(g, "twist", false) || wants(g, "acceleration", false) ||
                       wants(g, "frame_", false);
  for (int i = 0; i < g->runtime.count; i++) has_payload |= strcmp(g->runtime.names[i], "payload") == 0;
  if (g->order && !strstr(g->want, "_jet"))
    return usage_error("generate", "--order is for functions whose name ends in _jet, and --want names none");
  if (g->frames.count && !moving_frames && !wants(g, "poses", false))
    return usage_error("generate",
                       "--frame is for functions of frames, such as poses and jacobians; --want names none");
  if (g->in >= 0 && !moving_frames)
    return usage_error("generate", "--in is for functions of moving frames, such as jacobians; --want names none");
  if (g->payload && !has_payload) return usage_error("generate", "--payload-frame is for --runtime payload");
  return OPTION_GO_ON;
}

/* What the code leaves out, or an option that it does not use. */
static int warn(const generate_arg *g) {
  int loops = jn_loop_count(g->model.model);
  if (loops && wants(g, "loops_", true))
    say(stderr,
        "jounce: warning: %s: functions without loops_ in their names are those of the tree: its %d loop%s %s not part "
        "of them\n",
        g->model.source, loops, loops == 1 ? "" : "s", loops == 1 ? "is" : "are");
  if (wants(g, "hybrid_dynamics", false) && !g->prescribed.count)
    say(stderr, "jounce: warning: hybrid_dynamics without --prescribed prescribes no joint: it is forward_dynamics\n");
  if (!wants(g, "hybrid_dynamics", false) && g->prescribed.count)
    return usage_error("generate", "--prescribed is for hybrid_dynamics, which --want does not name");
  if (!wants(g, "loops_inverse_dynamics", false) && g->actuated.count)
    return usage_error("generate", "--actuated is for loops_inverse_dynamics, which --want does not name");
  if (!wants(g, "motor_commands", false) && g->actuators)
    return usage_error("generate", "--actuators is for motor_commands, which --want does not name");
  return refuse_unused(g);
}

/* The actuators of --actuators; *elastic stays NULL without it. */
static int load_actuators(const generate_arg *g, jn_elastic **elastic) {
  jn_elastic_options options;
  jn_error error = {0};
  if (!g->actuators) return OPTION_GO_ON;
  jn_elastic_options_init(&options);
  options.max_bytes = g->model.options.max_bytes;
  if (jn_elastic_load(g->model.model, g->actuators, &options, elastic, &error) == JN_OK) return OPTION_GO_ON;
  print_errors(NULL, &error, g->actuators);
  return EXIT_BAD;
}

/* The frames that options name exist. */
static int check_frames(const generate_arg *g) {
  int frame, status = OPTION_GO_ON;
  for (int i = 0; i < g->frames.count && status == OPTION_GO_ON; i++)
    status = find_frame("generate", "frame", g->model.model, g->frames.names[i], &frame);
  if (status == OPTION_GO_ON && g->payload)
    status = find_frame("generate", "payload-frame", g->model.model, g->payload, &frame);
  return status;
}

static int run(generate_arg *g, jn_generate_options *o) {
  size_t nv = (size_t)jn_model_nv(g->model.model);
  unsigned char *mask = allocate(2 * nv + 1), *motors = mask + nv;
  memset(mask, 0, 2 * nv + 1);
  int status = set_mask(g, "prescribed", &g->prescribed, mask);
  if (status == OPTION_GO_ON) status = set_mask(g, "actuated", &g->actuated, motors);
  jn_elastic *elastic = NULL;
  if (status == OPTION_GO_ON) status = load_actuators(g, &elastic);
  o->elastic = elastic;
  size_t length = 0;
  char *source = read_source(g, &length);
  o->prescribed = mask;
  o->actuated = g->actuated.count ? motors : NULL;
  o->source = g->model.source;
  o->source_data = source;
  o->source_length = length;
  o->command = g->command;

  jn_generated *generated = NULL;
  jn_error error;
  if (status == OPTION_GO_ON && jn_generate(g->model.model, o, &generated, &error) != JN_OK) {
    say(stderr, "jounce: generate: %s: %s\n", g->model.source,
        error.text[0] ? error.text : jn_status_text(error.status));
    /* a wrong name is a mistake on the command line */
    status = error.status == JN_ERR_NAME ? EXIT_USAGE : EXIT_BAD;
  }
  if (status == OPTION_GO_ON) status = write_files(g, generated) ? EXIT_FINE : EXIT_BAD;
  jn_generated_destroy(generated);
  jn_elastic_destroy(elastic);
  free(source);
  free(mask);
  return status;
}

static int generate(generate_arg *g) {
  jn_generate_options o;
  jn_generate_options_init(&o);
  o.want = g->want;
  o.prefix = g->prefix;
  o.single = g->type == 0;
  o.language = (jn_language)g->language;
  o.regroup = g->regroup == 0;
  o.split = g->split;
  o.sines = (jn_sines)g->sincos;
  o.in = g->in >= 0 ? (jn_representation)g->in : JN_IN_ALIGNED;
  o.payload_frame = g->payload;
  o.frames = (const char *const *)g->frames.names;
  o.frame_count = g->frames.count;

  if (!g->want) return usage_error("generate", "give the functions to generate with --want, e.g. inverse_dynamics");
  if (!g->out) return usage_error("generate", "give the folder to write to with --out");
  if (strcmp(g->out, "-") == 0)
    return usage_error("generate", "--out takes a folder, as there are several files, and not '-'");
  int status = set_numbers(g, &o);
  if (status == OPTION_GO_ON) status = set_runtime(g, &o);
  if (status == OPTION_GO_ON) status = model_arg_load(&g->model);
  if (status == OPTION_GO_ON) status = warn(g);
  if (status == OPTION_GO_ON) status = check_frames(g);
  return status == OPTION_GO_ON ? run(g, &o) : status;
}

/* The command line as it was given, for the header. */
static char *join_arguments(int argc, char **argv) {
  char *text = format_text("jounce");
  for (int i = 0; i < argc; i++) {
    char *more = format_text("%s %s", text, argv[i]);
    free(text);
    text = more;
  }
  return text;
}

static const option generate_options[] = {
    TEXT_OPTION(
        generate_arg, want, "want", "LIST",
        "functions to generate, separated by commas: gravity_forces, bias_forces, inverse_dynamics, mass_matrix, "
        "forward_dynamics, hybrid_dynamics, inverse_dynamics_jet, of closed loops loops_inverse_dynamics, and more: "
        "see docs/generate.md"),
    TEXT_OPTION(generate_arg, out, "out", "FOLDER", "folder for PREFIX.c and PREFIX.h; it is made if it does not exist",
                .is_output = true),
    TEXT_OPTION(generate_arg, prefix, "prefix", "NAME",
                "beginning of all names in the code, a C identifier; default robot"),
    CHOICE_OPTION(generate_arg, type, "type", "float|double", "type of numbers; default float"),
    CHOICE_OPTION(generate_arg, language, "language", "c|matlab", "language of the code; default c"),
    TEXT_OPTION(generate_arg, order, "order", "K", "highest time derivative of jets, 0 to 8; default 1"),
    TEXT_OPTION(generate_arg, lanes, "lanes", "N",
                "code for N states at once, over vectors of GNU C, for batches: 2, 4, 8 or 16"),
    CHOICE_OPTION(
        generate_arg, sincos, "sincos", "own|libm|given",
        "sine and cosine: computed in the code (own, the default), by <math.h> (libm), or as arguments (given)"),
    CHOICE_OPTION(generate_arg, regroup, "regroup", "on|off",
                  "regroup inertial parameters, exact for joint forces; default on"),
    NAMES_OPTION(generate_arg, frames, "frame", "NAME,...", "frames of poses and Jacobians; default: the last one"),
    CHOICE_OPTION(generate_arg, in, "in", "body|world|aligned",
                  "axes and point of Jacobians, as in eval; default aligned"),
    NAMES_OPTION(generate_arg, prescribed, "prescribed", "JOINT,...",
                 "joints of hybrid_dynamics whose acceleration is given"),
    NAMES_OPTION(generate_arg, actuated, "actuated", "LIST", "joints with a motor, for loops_inverse_dynamics"),
    TEXT_OPTION(generate_arg, actuators, "actuators", "FILE",
                "motors behind springs, for motor_commands: docs/elastic.md"),
    NAMES_OPTION(generate_arg, runtime, "runtime", "gravity,payload,parameters", "arguments instead of constants"),
    TEXT_OPTION(generate_arg, payload, "payload-frame", "NAME",
                "the frame that carries the payload; default: the last one"),
    TEXT_OPTION(generate_arg, snap, "snap", "ANGLE",
                "set angles of placements this near to a quarter turn to it [rad]; default 0"),
    FLAG_OPTION(generate_arg, split, "split-functions",
                "cut long C functions into pieces, because compilers take long for them"),
    {0}};

static const option_group generate_groups[] = {
    {.options = generate_options},
    MODEL_GROUPS(generate_arg, model),
};

const command_line generate_line = {
    .name = "generate",
    .brief = "write the dynamics of a robot as C for firmware, or as MATLAB",
    .arguments = "MODEL",
    .least = 1,
    .most = 1,
    .about =
        "Write the dynamics of a robot as C (or MATLAB) that needs no library: straight-line code with all "
        "constants folded, for firmware.",
    .groups = generate_groups,
    .group_count = COUNT_OF(generate_groups),
};

int command_generate(int argc, char **argv) {
  generate_arg g = {.in = -1};
  const char *arguments[1] = {NULL};
  model_arg_init(&g.model, "generate");
  int status = option_parse(&generate_line, &g, argc, argv, arguments);
  if (status == OPTION_GO_ON) {
    g.model.source = arguments[0];
    g.command = join_arguments(argc, argv);
    status = generate(&g);
    free(g.command);
  }
  name_list_free(&g.runtime);
  name_list_free(&g.frames);
  name_list_free(&g.prescribed);
  name_list_free(&g.actuated);
  model_arg_free(&g.model);
  return status;
}

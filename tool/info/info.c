/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce info: the tree of a robot, its joints, limits and masses. */
#include "info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../model/keyframe.h"
#include "../text/print.h"

int described_coordinates(const jn_joint *joint) {
  static const int counts[] = {
#define COUNT(code, name, nq, nv) nv,
      JN_JOINT_LIST(COUNT)
#undef COUNT
  };
  return joint->type == JN_GENERAL ? joint->screw_count : counts[joint->type];
}

int moving_joint_count(const jn_model *model) {
  int count = 0;
  for (int i = 0; i < jn_link_count(model); i++) count += jn_joint_type_of(model, i) != JN_FIXED;
  return count;
}

static const char *parent_name(const jn_model *model, int link) {
  int parent = jn_link_parent(model, link);
  return parent == JN_WORLD ? "world" : jn_link_name(model, parent);
}

/* ---- Tables ---- */

void print_table(table *t) {
  if (table_rows(t) == 0) {
    table_free(t);
    return;
  }
  putchar('\n');
  table_print(t, stdout);
}

/* Do two coordinates of a joint show the same in the table? */
static bool same_limits(const jn_dof *a, const jn_dof *b) {
  return a->lower == b->lower && a->upper == b->upper && a->velocity == b->velocity && a->effort == b->effort;
}

jn_dof shown_dof(const jn_model *model, int joint, int i, const limit *limits) {
  jn_dof dof = jn_joint_description(model, joint)->dof[i];

  /* A coupled joint keeps its own limits: those of a file belong to coordinates. */
  if (!limits || jn_joint_nv(model, joint) == 0) return dof;

  const limit *of = limits + (size_t)(jn_joint_v(model, joint) + i) * QUANTITIES;
  dof.lower = of[POSITION].lower;
  dof.upper = of[POSITION].upper;
  dof.velocity = of[VELOCITY].upper;
  dof.acceleration = of[ACCELERATION].upper;
  dof.jerk = of[JERK].upper;
  dof.effort = of[EFFORT].upper;
  dof.effort_rate = of[EFFORT_RATE].upper;
  return dof;
}

static bool all_same(const jn_model *model, int joint, const limit *limits) {
  const jn_dof first = shown_dof(model, joint, 0, limits);
  for (int i = 1; i < described_coordinates(jn_joint_description(model, joint)); i++) {
    const jn_dof other = shown_dof(model, joint, i, limits);
    if (!same_limits(&first, &other)) return false;
  }
  return true;
}

/* "3", "0-5", or the leader's coordinate of a coupled joint "(6)". */
static void coordinate_cell(table *t, const jn_model *model, int joint, int first, int count) {
  int v = jn_joint_v(model, joint) + first;
  if (jn_joint_type_of(model, joint) == JN_FIXED) {
    table_cell(t, "-");
  } else if (jn_joint_nv(model, joint) == 0) {
    table_cellf(t, "(%d)", v);
  } else if (count > 1) {
    table_cellf(t, "%d-%d", v, v + count - 1);
  } else {
    table_cellf(t, "%d", v);
  }
}

static void dash_cells(table *t, int count) {
  for (int i = 0; i < count; i++) table_cell(t, "-");
}

/* Mass and centre of mass of a link; without mass it has no centre. */
static void mass_cells(table *t, const jn_model *model, int link) {
  double inertia[10], mass, com[3];
  jn_link_inertia(model, link, inertia);
  jn_inertia_unpack(inertia, &mass, com, NULL);
  table_number(t, mass);
  if (mass == 0) {
    dash_cells(t, 3);
    return;
  }
  for (int i = 0; i < 3; i++) {
    char text[NUMBER_TEXT];
    fixed_number(com[i], 4, text);
    table_cell(t, text);
  }
}

/* A position limit to four decimals, unless that would make it zero. */
static void position_cell(table *t, double x) {
  char text[NUMBER_TEXT];
  if (fabs(x) < 1e-3) {
    short_number(x, text);
  } else {
    fixed_number(x, 4, text);
  }
  table_cell(t, text);
}

static void limit_cells(table *t, const jn_joint *joint, const jn_dof *d) {
  bool bounded = joint->type != JN_SPHERICAL && joint->type != JN_FREE; /* these have no position coordinates */
  position_cell(t, bounded ? d->lower : INFINITY);
  position_cell(t, bounded ? d->upper : INFINITY);
  table_number(t, d->velocity);
  table_number(t, d->effort);
}

static bool has_mass(const jn_model *model, int link) {
  double inertia[10];
  jn_link_inertia(model, link, inertia);
  return inertia[0] != 0;
}

/* The joints with their limits, and with the masses of the links they carry if `with_mass`. A joint has one row, or one
 * for each coordinate when these differ. */
static void joint_rows(table *t, const jn_model *model, int i, bool with_mass, const limit *limits) {
  const jn_joint *joint = jn_joint_description(model, i);
  int count = described_coordinates(joint);
  int rows = count > 1 && !all_same(model, i, limits) ? count : 1;
  for (int row = 0; row < rows; row++) {
    table_cell(t, row == 0 ? jn_joint_name(model, i) : "");
    table_cell(t, row == 0 ? jn_joint_type_name(joint->type) : "");
    table_cell(t, row == 0 ? parent_name(model, i) : "");
    coordinate_cell(t, model, i, row, rows == 1 ? count : 1);
    if (count == 0) {
      dash_cells(t, 4);
    } else {
      const jn_dof dof = shown_dof(model, i, row, limits);
      limit_cells(t, joint, &dof);
    }
    if (with_mass && row == 0) mass_cells(t, model, i);
    for (int c = 0; c < 4 && with_mass && row > 0; c++) table_cell(t, "");
  }
}

enum { JOINT_COLUMNS = 8, MASS_COLUMNS = 4, PAGE_WIDTH = 120 };

static const table_column joint_columns[JOINT_COLUMNS + MASS_COLUMNS] = {
    {"joint", ALIGN_LEFT},  {"type", ALIGN_LEFT},   {"parent link", ALIGN_LEFT}, {"v", ALIGN_RIGHT},
    {"lower", ALIGN_POINT}, {"upper", ALIGN_POINT}, {"velocity", ALIGN_POINT},   {"effort", ALIGN_POINT},
    {"mass", ALIGN_POINT},  {"com x", ALIGN_POINT}, {"y", ALIGN_POINT},          {"z", ALIGN_POINT},
};

static void fill_joints(table *t, const jn_model *model, bool with_mass, const limit *limits) {
  table_init(t, joint_columns, with_mass ? JOINT_COLUMNS + MASS_COLUMNS : JOINT_COLUMNS);
  for (int i = 0; i < jn_link_count(model); i++) {
    bool moves = jn_joint_type_of(model, i) != JN_FIXED;
    if (moves || (with_mass && has_mass(model, i))) joint_rows(t, model, i, with_mass, limits);
  }
}

static void print_masses(const jn_model *model) {
  static const table_column columns[] = {
      {"link", ALIGN_LEFT}, {"mass", ALIGN_POINT}, {"com x", ALIGN_POINT}, {"y", ALIGN_POINT}, {"z", ALIGN_POINT}};
  table t;
  table_init(&t, columns, 5);
  for (int i = 0; i < jn_link_count(model); i++) {
    if (!has_mass(model, i)) continue;
    table_cell(&t, jn_link_name(model, i));
    mass_cells(&t, model, i);
  }
  print_table(&t);
}

/* Moving joints and what has mass (fixed links without mass are in the tree only): in one table, or in two when the
 * names are long. */
static void print_joints(const jn_model *model, const limit *limits) {
  table t;
  fill_joints(&t, model, true, limits);
  bool wide = table_width(&t) > PAGE_WIDTH;
  if (wide) {
    table_free(&t);
    fill_joints(&t, model, false, limits);
  }
  if (table_rows(&t) > 0) {
    puts("\nSI units: m, rad, kg, s, N, N m.  v: place in the velocity, (v): of the joint it follows.  -: no limit.");
  }
  print_table(&t);
  if (wide) print_masses(model);
}

/* A second table, of what few files have; a column appears when some joint has a value for it. */
typedef struct extra {
  table_column column;
  size_t offset;
  double absent;
} extra;

#define EXTRA(title, member, absent) \
  { {title, ALIGN_POINT}, offsetof(jn_dof, member), absent }
static const extra extras[] = {
    EXTRA("acceleration", acceleration, INFINITY),
    EXTRA("jerk", jerk, INFINITY),
    EXTRA("effort rate", effort_rate, INFINITY),
    EXTRA("armature", armature, 0),
    EXTRA("damping", damping, 0),
    EXTRA("friction", friction, 0),
    EXTRA("stiffness", stiffness, 0),
    EXTRA("rest", rest, 0),
};
enum { EXTRAS = sizeof extras / sizeof *extras };

static double extra_value(const jn_dof *d, int e) { return *(const double *)((const char *)d + extras[e].offset); }

static bool has_extra(const jn_dof *d, int e) { return extra_value(d, e) != extras[e].absent; }

static jn_dof shown_coordinate(const jn_model *model, int v, const limit *limits) {
  int i, joint = jn_coordinate_joint(model, v, &i);
  return shown_dof(model, joint, i, limits);
}

static void print_extras(const jn_model *model, const limit *limits) {
  table_column columns[EXTRAS + 2] = {{"joint", ALIGN_LEFT}, {"v", ALIGN_RIGHT}};
  int used[EXTRAS], count = 0, nv = jn_model_nv(model);
  for (int e = 0; e < EXTRAS; e++) {
    bool present = false;
    for (int v = 0; v < nv; v++) {
      const jn_dof dof = shown_coordinate(model, v, limits);
      present = present || has_extra(&dof, e);
    }
    if (!present) continue;
    columns[2 + count] = extras[e].column;
    used[count++] = e;
  }
  if (count == 0) return;
  table t;
  table_init(&t, columns, count + 2);
  for (int v = 0; v < nv; v++) {
    const jn_dof dof = shown_coordinate(model, v, limits), *d = &dof;
    bool any = false;
    for (int e = 0; e < EXTRAS; e++) any = any || has_extra(d, e);
    if (!any) continue;
    table_cell(&t, jn_joint_name(model, jn_coordinate_joint(model, v, NULL)));
    table_cellf(&t, "%d", v);
    for (int c = 0; c < count; c++) table_number(&t, extra_value(d, used[c]));
  }
  print_table(&t);
}

/* ---- Relations, frames ---- */

/* "2 * leader + 0.1" */
static void relation_cell(table *t, const char *leader, double ratio, double offset) {
  char factor[NUMBER_TEXT], constant[NUMBER_TEXT];
  short_number(ratio, factor);
  short_number(fabs(offset), constant);
  const char *times = ratio == 1 || ratio == -1 ? "" : " * ";
  table_cellf(t, "%s%s%s%s%s",
              ratio == 1    ? ""
              : ratio == -1 ? "-"
                            : factor,
              times, leader,
              offset == 0  ? ""
              : offset < 0 ? " - "
                           : " + ",
              offset == 0 ? "" : constant);
}

static void print_mimics(const jn_model *model) {
  static const table_column columns[] = {{"coupled joint", ALIGN_LEFT}, {"follows", ALIGN_LEFT}};
  table t;
  table_init(&t, columns, 2);
  for (int i = 0; i < jn_link_count(model); i++) {
    int leader;
    double ratio, offset;
    if (!jn_joint_mimic(model, i, &leader, &ratio, &offset)) continue;
    table_cell(&t, jn_joint_name(model, i));
    relation_cell(&t, jn_joint_name(model, leader), ratio, offset);
  }
  print_table(&t);
}

static void print_frames(const jn_model *model) {
  static const table_column columns[] = {
      {"frame", ALIGN_LEFT}, {"link", ALIGN_LEFT}, {"x", ALIGN_POINT}, {"y", ALIGN_POINT}, {"z", ALIGN_POINT}};
  table t;
  table_init(&t, columns, 5);
  for (int i = jn_link_count(model); i < jn_frame_count(model); i++) {
    double placement[16];
    int link = jn_frame_link(model, i);
    jn_frame_placement(model, i, placement);
    table_cell(&t, jn_frame_name(model, i));
    table_cell(&t, link == JN_WORLD ? "world" : jn_link_name(model, link));
    for (int k = 0; k < 3; k++) {
      char text[NUMBER_TEXT];
      fixed_number(placement[4 * k + 3], 4, text);
      table_cell(&t, text);
    }
  }
  print_table(&t);
}

/* ---- Totals ---- */

static void print_totals(const jn_model *model) {
  char moving[NUMBER_TEXT], fixed[NUMBER_TEXT], g[3][NUMBER_TEXT];
  double gravity[3];
  int fixed_links = 0;
  for (int i = 0; i < jn_link_count(model); i++) fixed_links += jn_link_is_fixed(model, i) == 1;
  jn_model_gravity(model, gravity);
  for (int i = 0; i < 3; i++) fixed_number(gravity[i], 5, g[i]);
  short_number(jn_model_mass(model), moving);
  short_number(jn_model_fixed_mass(model), fixed);
  printf("\nlinks          %d, %d of them fixed to the world\n", jn_link_count(model), fixed_links);
  printf("moving joints  %d\n", moving_joint_count(model));
  printf("coordinates    nq = %d, nv = %d\n", jn_model_nq(model), jn_model_nv(model));
  int depth = jn_model_depth(model);
  say(stdout, "depth          %d moving joint%s\n", depth, depth == 1 ? "" : "s");
  print_loop_totals(model);
  say(stdout, "mass           %s kg moving, %s kg fixed to the world\n", moving, fixed);
  say(stdout, "gravity        (%s, %s, %s) m/s^2\n", g[0], g[1], g[2]);
}

static void print_keyframe(void *context, const char *name) {
  bool *any = context;
  say(stdout, "%s%s", *any ? ", " : "keyframes      ", name);
  *any = true;
}

/* States that --initial key:NAME and the like take. */
static void print_keyframes(const model_arg *arg) {
  bool any = false;
  keyframe_list(arg, print_keyframe, &any);
  if (any) putchar('\n');
}

static void info_text(const model_arg *arg, const limit *limits) {
  const jn_model *model = arg->model;
  bool bright = stream_has_colour(stdout);
  print_colour(stdout, bright, COLOUR_BOLD);
  print_text(stdout, jn_model_name(model));
  print_colour(stdout, bright, COLOUR_NONE);
  fputs("\n\n", stdout);
  info_tree(model);
  print_joints(model, limits);
  print_extras(model, limits);
  print_mimics(model);
  print_frames(model);
  print_loops(model);
  print_totals(model);
  print_keyframes(arg);
}

/* An exit code. */
static int show(const model_arg *arg, const char *limits_file, bool json) {
  limit *limits = NULL;
  int status = OPTION_GO_ON;
  if (limits_file) {
    limits = allocate(((size_t)jn_model_nv(arg->model) * QUANTITIES + 1) * sizeof *limits);
    status = read_limits(arg->model, limits_file, arg->options.max_bytes, limits);
  }

  if (status == OPTION_GO_ON) {
    if (json)
      info_json(arg, limits);
    else
      info_text(arg, limits);
    status = EXIT_FINE;
  }
  free(limits);
  return status;
}

typedef struct info_arg {
  model_arg model;
  const char *limits; /* a file, or NULL */
  int json;
} info_arg;

static const option info_options[] = {
    FLAG_OPTION(info_arg, json, "json", "print JSON for programs, with all digits"),
    TEXT_OPTION(info_arg, limits, "limits", "FILE",
                "show these limits instead of the model's, as torque --limits compares with them: " LIMITS_FILE_HELP,
                .words = "builtin:"),
    {0}};

static const option_group info_groups[] = {
    {.options = info_options},
    MODEL_GROUPS(info_arg, model),
};

const command_line info_line = {
    .name = "info",
    .brief = "show a robot: its tree, joints, limits, masses",
    .arguments = "MODEL",
    .least = 1,
    .most = 1,
    .about =
        "Show a robot: the tree of its links, its joints with their limits, masses and centres of mass, "
        "couplings, named frames, loops and the resulting mobility, and totals. Units are SI: m, rad, "
        "kg, s, N, N m.",
    .groups = info_groups,
    .group_count = COUNT_OF(info_groups),
};

int command_info(int argc, char **argv) {
  info_arg arg = {0};
  model_arg_init(&arg.model, "info");
  int status = option_parse(&info_line, &arg, argc, argv, &arg.model.source);
  if (status == OPTION_GO_ON) status = model_arg_load(&arg.model);
  if (status == OPTION_GO_ON) status = show(&arg.model, arg.limits, arg.json);
  model_arg_free(&arg.model);
  return status;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Making trajectories: find the source, determine its format, hand it to the reader. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../io/limit.h"
#include "../text/content.h"
#include "columns.h"

void jn_trajectory_options_init(jn_trajectory_options *options) {
  if (!options) return;
  *options = (jn_trajectory_options){
      .size = sizeof *options, .order = 2, .wrench_interpolation = JN_INTERPOLATE_MONOTONE, .max_bytes = JN_MAX_BYTES};
}

/* ---- The motion of the papers (Kumar and Mueller 2021), about a posture that the Panda can take ---- */

static const char demo[] =
    "{\"comment\": \"q = A cos(w t) of Kumar and Mueller 2021, joints 4 and 6 about a middle position\","
    " \"duration\": 5, \"joints\": {"
    "\"panda_joint1\": {\"cosine\": {\"amplitude\": -1.2943753211777664, \"omega\": 1.7073873117335832}},"
    "\"panda_joint2\": {\"cosine\": {\"amplitude\": 0.71753414543550109, \"omega\": 3.0799927976370518}},"
    "\"panda_joint3\": {\"cosine\": {\"amplitude\": -0.56913807649661763, \"omega\": 2.1084514453622774}},"
    "\"panda_joint4\": {\"cosine\": {\"amplitude\": 0.58489441586271551, \"omega\": 3.5903916041026207, \"offset\": "
    "-1.6}},"
    "\"panda_joint5\": {\"cosine\": {\"amplitude\": 1.6216297151633214, \"omega\": 1.4183262544423447}},"
    "\"panda_joint6\": {\"cosine\": {\"amplitude\": -0.91878557097520275, \"omega\": 2.2856257938085069, \"offset\": "
    "1.8}},"
    "\"panda_joint7\": {\"cosine\": {\"amplitude\": 0.42176059919352271, \"omega\": 5.927533308659986}}}}";

/* ---- Files ---- */

static jn_status file_fault(jn_loading *l, jn_status status, const char *text, const char *remedy) {
  jn__log(&l->log, JN_ERROR, status, "file", (jn_place){l->file, 0, 0}, NULL, remedy, "%s", text);
  return status;
}

static char *read_file(jn_loading *l, size_t *length) {
  return jn__read_file(&l->allocator, &l->log, l->file, jn__limit(l->options.max_bytes), length);
}

/* ---- Formats ---- */

static int is_json(const char *text, size_t length) { return jn__content(text, length, NULL) == JN_CONTENT_JSON; }

typedef jn_status choose_columns(jn_table *table, const char *row, const char *end, void *loading);

static jn_status read_table(jn_loading *l, const char *text, size_t length, choose_columns *choose, jn_table *table) {
  const unsigned char *bytes = (const unsigned char *)text;
  *table = (jn_table){.allocator = l->allocator, .file = l->file, .limit = jn__limit(l->options.max_bytes)};
  table->skip_bad = l->options.skip_bad;
  jn_content content = jn__content(text, length, NULL);
  int numpy = content == JN_CONTENT_NPY;
  if (numpy || content == JN_CONTENT_ZIP) {
    jn_status status = numpy ? jn__read_npy(l, bytes, length, table) : jn__read_npz(l, bytes, length, table);
    if (status == JN_OK && table->skip_bad) jn__drop_bad_rows(l, table);
    if (status == JN_OK) status = choose(table, NULL, NULL, l);
    if (status == JN_OK) jn__use_stamps(l, table, NULL, 0);
    return status;
  }
  if (jn__is_xml(content))
    return file_fault(l, JN_ERR_SYNTAX,
                      "is XML, perhaps a robot; samples or closed forms are needed here: CSV, NPY, NPZ, JSON",
                      "the robot comes first: jounce torque MODEL TRAJECTORY");
  if (content == JN_CONTENT_JSON)
    return file_fault(l, JN_ERR_SYNTAX, "is JSON, but samples are needed here: CSV, NPY or NPZ", NULL);
  table->choose = choose;
  table->context = l;
  jn_status status = jn__csv_read(table, text, length, &l->log);
  if (status == JN_OK) jn__use_stamps(l, table, text, length);
  return status;
}

/* Room for one more column, of times. */
static jn_status add_times(jn_loading *l, jn_table *t) {
  size_t columns = (size_t)t->columns;
  char **names = jn__allocate(&t->allocator, (columns + 1) * sizeof *names);
  char **units = jn__allocate(&t->allocator, (columns + 1) * sizeof *units);
  double *values = jn__allocate(&t->allocator, (columns + 1) * t->room * sizeof *values);
  unsigned char *use = jn__allocate(&t->allocator, columns + 1);
  char *name = jn__allocate(&t->allocator, 2), *unit = jn__allocate(&t->allocator, 1);
  if (!names || !units || !values || !use || !name || !unit) {
    void *const blocks[] = {names, units, values, use, name, unit};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) jn__release(&t->allocator, blocks[i]);
    return JN_ERR_MEMORY;
  }
  memcpy(names, t->names, columns * sizeof *names);
  memcpy(units, t->units, columns * sizeof *units);
  memcpy(values, t->values, columns * t->room * sizeof *values);
  if (t->use) memcpy(use, t->use, columns);
  void *const old[] = {t->names, t->units, t->values, t->use};
  for (size_t i = 0; i < sizeof old / sizeof *old; i++) jn__release(&t->allocator, old[i]);
  *name = 't';
  names[columns] = name;
  units[columns] = unit;
  use[columns] = JN_COLUMN_TIME;
  t->names = names;
  t->units = units;
  t->values = values;
  t->use = use;
  l->time = t->columns++;
  return JN_OK;
}

/* Times by the options' rate. */
static jn_status set_times(jn_loading *l, jn_table *t) {
  jn_status status = l->time < 0 ? add_times(l, t) : JN_OK;
  for (int r = 0; r < t->rows && status == JN_OK; r++)
    t->values[(size_t)l->time * t->room + (size_t)r] = r / l->options.rate;
  if (status == JN_OK) *t->units[l->time] = 0;
  return status;
}

static jn_status read_samples(jn_loading *l, const char *text, size_t length, jn_trajectory *out,
                              choose_columns *choose, jn_status (*use)(jn_loading *, jn_table *, jn_trajectory *)) {
  jn_table table;
  l->origin = &out->origin;
  jn_status status = read_table(l, text, length, choose, &table);
  if (l->options.progress) l->options.progress(0.1, l->options.progress_context);
  if (status == JN_OK && l->options.rate > 0) status = set_times(l, &table);
  if (status == JN_OK) status = use(l, &table, out);
  jn__table_free(&table);
  return status;
}

static jn_status read_any(jn_loading *l, const char *text, size_t length, jn_trajectory *out) {
  if (!is_json(text, length)) return read_samples(l, text, length, out, jn__match_columns, jn__samples_to_curves);
#if JN_WITH_JSON
  return jn__analytic_read(l, text, length, out);
#else
  return file_fault(l, JN_ERR_UNSUPPORTED, "is JSON, and this build of jounce lacks jansson", "build jounce with it");
#endif
}

/* ---- Beginning and end ---- */

static int find_base(const jn_model *m) {
  if (jn_joint_index(m, "base") != JN_NONE) return JN_NONE;
  for (int j = 0; j < jn_link_count(m); j++)
    if (jn_link_parent(m, j) == JN_WORLD && jn_joint_type_of(m, j) == JN_FREE) return j;
  return JN_NONE;
}

static jn_status check_numbers(jn_loading *l) {
  const jn_trajectory_options *o = &l->options;
  struct {
    const char *name;
    double value;
  } number[] = {{"tolerance", o->smoothing == JN_SMOOTH_TOLERANCE ? o->tolerance : 0},
                {"bandwidth", o->bandwidth},
                {"lowpass", o->lowpass},
                {"rate", o->rate}};
  for (int i = 0; i < 4; i++) {
    if (number[i].value >= 0 && isfinite(number[i].value)) continue;
    jn__log(&l->log, JN_ERROR, JN_ERR_SIZE, "option", (jn_place){l->file, 0, 0}, NULL, NULL,
            "the %s is %g; it must be a finite number, and not negative", number[i].name, number[i].value);
    return JN_ERR_SIZE;
  }
  int names = o->motor_names ? o->motor_name_count : 0;
  if ((o->motor_matrix || (!o->motor_zero && !names)) && (names == 0 || names == jn_model_nv(l->model))) return JN_OK;
  jn__log(&l->log, JN_ERROR, JN_ERR_SIZE, "option", (jn_place){l->file, 0, 0}, NULL, NULL,
          "motor_zero and motor_names need a motor_matrix, and a number and a name for each coordinate");
  return JN_ERR_SIZE;
}

static jn_status begin(jn_loading *l, const jn_model *model, const char *file, const jn_trajectory_options *options) {
  *l = (jn_loading){.model = model, .file = file ? file : ""};
  jn_trajectory_options_init(&l->options);
  if (options && options->size != sizeof *options) return JN_ERR_INIT;
  if (options) l->options = *options;
  l->allocator = jn__allocator(l->options.allocator);
  l->log.report = l->options.report;
  l->log.strict = l->options.strict;
  l->base = find_base(model);
  if (jn__names_make(&l->names, &l->allocator, model) != JN_OK) return JN_ERR_MEMORY;
  if (l->options.order < 0 || l->options.order > JN_TRAJECTORY_MAX_ORDER) {
    jn__log(&l->log, JN_ERROR, JN_ERR_SIZE, "order", (jn_place){l->file, 0, 0}, NULL, NULL,
            "order %d is outside 0 ... %d", l->options.order, JN_TRAJECTORY_MAX_ORDER);
    return JN_ERR_SIZE;
  }
  return check_numbers(l);
}

static jn_trajectory *make(const jn_loading *l) {
  jn_trajectory *t = jn__allocate(&l->allocator, sizeof *t);
  if (!t) return NULL;
  *t = (jn_trajectory){.allocator = l->allocator, .model = l->model, .nq = jn_model_nq(l->model)};
  t->nv = jn_model_nv(l->model);
  t->links = jn_link_count(l->model);
  t->blocks.allocator = t->wrench_blocks.allocator = t->force_blocks.allocator = l->allocator;
  t->curves = jn__keep(&t->blocks, (size_t)t->nq * sizeof *t->curves);
  t->fits = jn__keep(&t->blocks, (size_t)t->nq * sizeof *t->fits);
  t->given = jn__keep(&t->blocks, (size_t)t->nq + 1);
  if (t->curves && t->fits && t->given) return t;
  jn_trajectory_destroy(t);
  return NULL;
}

/* The status of the whole, with the error reported unless that has been done. */
static jn_status finish(jn_loading *l, jn_status status, jn_error *error) {
  jn__names_free(&l->names);
  if (status != JN_OK && l->log.first.status == JN_OK)
    jn__log(&l->log, JN_ERROR, status, "trajectory", (jn_place){l->file, 0, 0}, NULL, NULL, "%s",
            jn_status_text(status));
  return jn__log_end(&l->log, error);
}

static jn_status finish_trajectory(jn_loading *l, jn_status status, jn_trajectory *made, jn_trajectory **out,
                                   jn_error *error) {
  status = finish(l, status, error);
  if (status == JN_OK)
    *out = made;
  else
    jn_trajectory_destroy(made);
  return status;
}

/* Splines of high degree are inaccurate; closed forms allow higher orders. */
static jn_status check_order(jn_loading *l, int sampled) {
  if (!sampled || l->options.order <= JN_TRAJECTORY_MAX_SPLINE_ORDER) return JN_OK;
  jn__log(&l->log, JN_ERROR, JN_ERR_SIZE, "order", (jn_place){l->file, 0, 0}, NULL,
          "closed forms (JSON) go to order 30", "order %d is above %d, the highest for samples", l->options.order,
          JN_TRAJECTORY_MAX_SPLINE_ORDER);
  return JN_ERR_SIZE;
}

jn_status jn_trajectory_load_text(const jn_model *model, const char *text, size_t length, const char *file,
                                  const jn_trajectory_options *options, jn_trajectory **trajectory, jn_error *error) {
  if (!model || !text || !trajectory) return jn__fail(error, JN_ERR_NULL, file, "%s", jn_status_text(JN_ERR_NULL));
  jn_loading l;
  *trajectory = NULL;
  jn_status status = begin(&l, model, file, options);
  size_t limit = jn__limit(l.options.max_bytes);
  if (status == JN_OK && length > limit) status = jn__over_limit(&l.log, l.file, NULL, "is larger than", limit);
  if (status == JN_OK) status = check_order(&l, !is_json(text, length));
  jn_trajectory *made = status == JN_OK ? make(&l) : NULL;
  if (status == JN_OK) status = made ? read_any(&l, text, length, made) : JN_ERR_MEMORY;
  return finish_trajectory(&l, status, made, trajectory, error);
}

jn_status jn_trajectory_load(const jn_model *model, const char *source, const jn_trajectory_options *options,
                             jn_trajectory **trajectory, jn_error *error) {
  if (!model || !source || !trajectory) return jn__fail(error, JN_ERR_NULL, source, "%s", jn_status_text(JN_ERR_NULL));
  if (strcmp(source, "builtin:demo") == 0)
    return jn_trajectory_load_text(model, demo, strlen(demo), source, options, trajectory, error);
  jn_loading l;
  size_t length = 0;
  *trajectory = NULL;
  jn_status status = begin(&l, model, source, options);
  if (status == JN_OK && strncmp(source, "builtin:", 8) == 0)
    status = file_fault(&l, JN_ERR_NAME, "is not a built-in trajectory", "the only one is builtin:demo");
  char *text = status == JN_OK ? read_file(&l, &length) : NULL;
  if (!text) return finish(&l, status == JN_OK ? JN_ERR_FILE : status, error);
  status = jn_trajectory_load_text(model, text, length, source, options, trajectory, error);
  jn__names_free(&l.names);
  jn__release(&l.allocator, text);
  return status;
}

jn_status jn_trajectory_load_wrenches(jn_trajectory *t, const char *source, const jn_trajectory_options *options,
                                      jn_error *error) {
  if (!t || !source) return jn__fail(error, JN_ERR_NULL, source, "%s", jn_status_text(JN_ERR_NULL));
  jn_loading l;
  size_t length = 0;
  jn_status status = begin(&l, t->model, source, options);
  if (status == JN_OK && l.options.wrench_interpolation == JN_INTERPOLATE_SPLINE) status = check_order(&l, 1);
  if (status == JN_OK && l.options.wrench_axes != JN_IN_BODY && l.options.wrench_axes != JN_IN_ALIGNED) {
    jn__log(&l.log, JN_ERROR, JN_ERR_SIZE, "wrench-axes", (jn_place){l.file, 0, 0}, NULL, NULL,
            "wrench_axes must be JN_IN_BODY or JN_IN_ALIGNED");
    status = JN_ERR_SIZE;
  }
  l.allocator = t->allocator;
  l.later = 1;
  char *text = status == JN_OK ? read_file(&l, &length) : NULL;
  if (!text) return finish(&l, status == JN_OK ? JN_ERR_FILE : status, error);
  t->wrenches = NULL;
  jn__release_blocks(&t->wrench_blocks);
  status = read_samples(&l, text, length, t, jn__match_time, jn__samples_to_wrenches);
  jn__release(&l.allocator, text);
  status = finish(&l, status, error);
  if (status != JN_OK) {
    t->wrenches = NULL;
    jn__release_blocks(&t->wrench_blocks);
  }
  return status;
}

jn_status jn_trajectory_load_forces(jn_trajectory *t, const char *source, const jn_trajectory_options *options,
                                    jn_error *error) {
  if (!t || !source) return jn__fail(error, JN_ERR_NULL, source, "%s", jn_status_text(JN_ERR_NULL));
  jn_loading l;
  size_t length = 0;
  jn_status status = begin(&l, t->model, source, options);
  l.allocator = t->allocator;
  l.later = l.forces = 1;
  char *text = status == JN_OK ? read_file(&l, &length) : NULL;
  if (!text) return finish(&l, status == JN_OK ? JN_ERR_FILE : status, error);
  jn__forget_forces(t);
  status = read_samples(&l, text, length, t, jn__match_columns, jn__samples_to_forces);
  jn__release(&l.allocator, text);
  status = finish(&l, status, error);
  if (status != JN_OK) jn__forget_forces(t);
  return status;
}

/* ---- From arrays ---- */

/* A table with all coordinates, as if it had been read. */
static jn_status make_table(jn_loading *l, int count, const double *t, const double *q, jn_table *table) {
  int nq = jn_model_nq(l->model);
  char name[JN_NAME] = "t";
  *table =
      (jn_table){.allocator = l->allocator, .file = l->file, .limit = SIZE_MAX}; /* the numbers are there already */
  if (count <= 0) {
    jn__log(&l->log, JN_ERROR, JN_ERR_SIZE, "samples", (jn_place){l->file, 0, 0}, NULL, "give more samples",
            "there are no samples");
    return JN_ERR_SIZE;
  }
  jn_status status = jn__table_make(table, NULL, (size_t)nq + 1, (size_t)count);
  for (int c = 0; c <= nq && status == JN_OK; c++) {
    if (c > 0) jn_coordinate_name(l->model, c - 1, name, sizeof name);
    status = jn__table_set_name(table, c, name, strlen(name));
    double *to = table->values + (size_t)c * table->room;
    for (int r = 0; r < count; r++) {
      to[r] = c > 0 ? q[(size_t)r * (size_t)nq + (size_t)(c - 1)] : t[r];
      if (isfinite(to[r]) || status != JN_OK || l->options.skip_bad) continue;
      status = JN_ERR_MODEL;
      jn__log(&l->log, JN_ERROR, status, "array-value", (jn_place){l->file, 0, 0}, name,
              "every sample needs a number; leave out rows without data", "row %d is %g: not a finite number", r + 1,
              to[r]);
    }
  }
  table->rows = count;
  if (status == JN_OK && l->options.skip_bad) jn__drop_bad_rows(l, table);
  return status;
}

jn_status jn_trajectory_fit(const jn_model *model, int count, const double *t, const double *q,
                            const jn_trajectory_options *options, jn_trajectory **trajectory, jn_error *error) {
  if (!model || !t || !q || !trajectory) return jn__fail(error, JN_ERR_NULL, NULL, "%s", jn_status_text(JN_ERR_NULL));
  jn_loading l;
  jn_table table = {0};
  *trajectory = NULL;
  jn_status status = begin(&l, model, "", options);
  if (status == JN_OK) status = check_order(&l, 1);
  jn_trajectory *made = status == JN_OK ? make(&l) : NULL;
  if (status == JN_OK) status = made ? make_table(&l, count, t, q, &table) : JN_ERR_MEMORY;
  l.nanoseconds = -1; /* and the times are in column 0 */
  if (status == JN_OK && table.rows > 0)
    jn__check_resolution(&l, &table, jn__table_column(&table, 0)[0], jn__table_column(&table, 0)[table.rows - 1], 1);
  if (status == JN_OK) status = jn__samples_to_curves(&l, &table, made);
  if (table.file) jn__table_free(&table);
  return finish_trajectory(&l, status, made, trajectory, error);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Measured joint forces: columns of a table that stay samples. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../text/words.h"
#include "trajectory.h"

void jn__forget_forces(jn_trajectory *t) {
  t->force_rows = 0;
  t->force_times = NULL;
  t->forces = NULL;
  t->currents = NULL;
  jn__release_blocks(&t->force_blocks);
}

/* Forces [N] of slides, moments [N m] of all others; components of wrenches on free joints are w (moment), v (force).
 */
static jn_unit_kind kind_of(const jn_model *model, int v) {
  int number, joint = jn_coordinate_joint(model, v, &number);
  jn_joint_type type = jn_joint_type_of(model, joint);
  if (type == JN_FREE) return number < 3 ? JN_UNIT_TORQUE : JN_UNIT_FORCE;
  if (type == JN_SPHERICAL) return JN_UNIT_TORQUE;
  return jn__coordinate_kind(model, jn_joint_q(model, joint) + number) == JN_UNIT_LENGTH ? JN_UNIT_FORCE
                                                                                         : JN_UNIT_TORQUE;
}

/* One column to SI units and into the trajectory. */
static jn_status take_column(jn_loading *l, jn_table *t, int c, int v, jn_trajectory *out) {
  jn_unit unit;
  int current = jn__unit_read(t->units[c], &unit) && unit.kind == JN_UNIT_CURRENT;
  if (!jn__scale_column(l, t, c, current ? JN_UNIT_CURRENT : kind_of(l->model, v), 0)) return l->log.first.status;
  size_t bytes = (size_t)t->rows * sizeof(double);
  out->forces[v] = jn__keep(&out->force_blocks, bytes);
  if (!out->forces[v]) return JN_ERR_MEMORY;
  memcpy(out->forces[v], jn__table_column(t, c), bytes);
  out->currents[v] = (unsigned char)current;
  return JN_OK;
}

/* After renaming, columns of forces are NAME.tau. */
static int force_place(const jn_loading *l, const char *name) {
  char own[JN_NAME];
  size_t n = strlen(name);
  if (n <= 4 || n - 4 >= sizeof own || strcmp(name + n - 4, ".tau") != 0) return -1;
  snprintf(own, sizeof own, "%.*s", (int)(n - 4), name);
  return jn__velocity_find(l, own);
}

/* A column of forces of a joint that the model does not have. */
static void tell_unknown(jn_loading *l, const jn_table *t, int c) {
  size_t n = strlen(t->names[c]);
  char subject[96], own[JN_NAME], remedy[160] = "jounce info shows the names of the joints";
  if (n <= 4 || n - 4 >= sizeof own || strcmp(t->names[c] + n - 4, ".tau") != 0) return;
  snprintf(own, sizeof own, "%.*s", (int)(n - 4), t->names[c]);
  const char *near = jn__nearest_joint(l->model, own);
  if (near) snprintf(remedy, sizeof remedy, "did you mean '%.*s.tau'?", JN_CLIP(near));
  snprintf(subject, sizeof subject, "column '%.*s'", JN_CLIP(t->names[c]));
  jn__log(&l->log, JN_WARNING, JN_ERR_NAME, "unknown-joint", jn__table_place(t, -1, c), subject, remedy,
          "is ignored: no joint of '%s' has this name", jn_model_name(l->model));
}

jn_status jn__samples_to_forces(jn_loading *l, jn_table *t, jn_trajectory *out) {
  int time = jn__check_times(l, t, 1), found = 0;
  if (time < 0) return l->log.first.status;
  size_t bytes = (size_t)t->rows * sizeof(double);
  jn_status status = JN_OK;
  out->force_times = jn__keep(&out->force_blocks, bytes);
  out->forces = jn__keep(&out->force_blocks, (size_t)out->nv * sizeof *out->forces);
  out->currents = jn__keep(&out->force_blocks, (size_t)out->nv + 1);
  if (!out->force_times || !out->forces || !out->currents) return JN_ERR_MEMORY;
  memcpy(out->force_times, jn__table_column(t, time), bytes);
  for (int c = 0; c < t->columns && status == JN_OK; c++) {
    int v = c == time ? -1 : force_place(l, t->names[c]);
    if (v < 0) tell_unknown(l, t, c);
    if (v < 0 || out->forces[v]) continue;
    status = take_column(l, t, c, v, out);
    found++;
  }
  if (status != JN_OK) return status;
  out->force_rows = t->rows;
  if (found) return JN_OK;
  jn__log(&l->log, JN_ERROR, JN_ERR_NAME, "no-forces", jn__table_place(t, -1, 0), NULL,
          "columns of forces are NAME.tau or NAME_effort; for other names: --columns NAME.tau=COLUMN",
          "has no column of joint forces");
  return JN_ERR_NAME;
}

jn_status jn_trajectory_set_forces(jn_trajectory *out, int count, const double *t, const double *forces) {
  if (!out || !t || !forces) return JN_ERR_NULL;
  if (count < 2) return JN_ERR_SIZE;
  for (int r = 0; r < count; r++)
    if (!isfinite(t[r]) || (r > 0 && !(t[r] > t[r - 1]))) return JN_ERR_MODEL;
  for (size_t k = 0; k < (size_t)count * (size_t)out->nv; k++)
    if (fabs(forces[k]) > JN_LARGEST_VALUE) return JN_ERR_MODEL;
  jn__forget_forces(out);
  size_t bytes = (size_t)count * sizeof(double), nv = (size_t)out->nv;
  out->force_times = jn__keep(&out->force_blocks, bytes);
  out->forces = jn__keep(&out->force_blocks, nv * sizeof *out->forces);
  out->currents = jn__keep(&out->force_blocks, nv + 1);
  int ok = out->force_times && out->forces && out->currents;
  for (size_t v = 0; v < nv && ok; v++) {
    if (isnan(forces[v])) continue;
    double *to = out->forces[v] = jn__keep(&out->force_blocks, bytes);
    for (size_t r = 0; r < (size_t)count && to; r++) to[r] = forces[r * nv + v];
    ok = to != NULL;
  }
  if (ok) memcpy(out->force_times, t, bytes);
  if (ok) out->force_rows = count;
  if (!ok) jn__forget_forces(out);
  return ok ? JN_OK : JN_ERR_MEMORY;
}

int jn_trajectory_force_rows(const jn_trajectory *t) { return t ? t->force_rows : 0; }

double jn_trajectory_force_time(const jn_trajectory *t, int row) {
  return t && row >= 0 && row < t->force_rows ? t->force_times[row] : NAN;
}

const double *jn_trajectory_forces(const jn_trajectory *t, int i) {
  return t && t->force_rows && i >= 0 && i < t->nv ? t->forces[i] : NULL;
}

int jn_trajectory_force_is_current(const jn_trajectory *t, int i) {
  return t && t->force_rows && i >= 0 && i < t->nv && t->currents[i];
}

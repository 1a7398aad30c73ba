/* SPDX-License-Identifier: BSD-2-Clause */
#include "inside.h"

#include <jounce/jounce.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../text/print.h"

enum { NAMES_TOLD = 5 };

/* How far a limit may be passed before that is said: rounding of the closed loops. */
static const double hardly_outside = 1e-9;

/* Is q as good as closed? */
static bool is_closed(jn_loops *loops, const jn_model *model, const double *q) {
  int count = jn_loop_count(model);
  double *gap = allocate(((size_t)count + 1) * sizeof *gap), tolerance = fmax(1e-6, 1000 * jn_variant_epsilon());
  bool closed = jn_loops_gaps(loops, q, gap) == JN_OK;
  for (int i = 0; i < count; i++) closed = closed && gap[i] <= tolerance;
  free(gap);
  return closed;
}

jn_status close_inside_limits(const jn_model *model, jn_loops *loops, const unsigned char *held, bool keep,
                              double accuracy, double *q, double *residual) {
  double outside;
  if (keep && is_closed(loops, model, q)) return jn_loops_assemble(loops, held, accuracy, q, residual);
  return jn_loops_assemble_inside(loops, held, accuracy, q, residual, &outside);
}

/* The place in q and the limits of coordinate v; -1: it has none, as those of spherical and free joints. */
static int limits_of(const jn_model *model, int v, const jn_dof **dof) {
  int number, joint = jn_coordinate_joint(model, v, &number);
  *dof = jn_coordinate_dof(model, v);
  bool has_place = jn_joint_nq(model, joint) == jn_joint_nv(model, joint);
  return has_place && (*dof)->lower <= (*dof)->upper ? jn_joint_q(model, joint) + number : -1;
}

void move_inside_limits(const jn_model *model, double *q) {
  for (int v = 0; v < jn_model_nv(model); v++) {
    const jn_dof *dof;
    int at = limits_of(model, v, &dof);
    if (at >= 0) q[at] = fmin(fmax(q[at], dof->lower), dof->upper);
  }
}

/* text, which is freed, with this joint at its end. */
static char *append_joint(char *text, const jn_model *model, int v, double x, const jn_dof *dof) {
  char name[JN_COORDINATE_NAME];
  jn_velocity_name(model, v, name, sizeof name);
  char *longer = format_text("%s%s'%s' at %.4g (limits %.4g ... %.4g)", text ? text : "", text ? ", " : "", name, x,
                             dof->lower, dof->upper);
  free(text);
  return longer;
}

char *outside_limits_text(const jn_model *model, const double *q) {
  char *text = NULL;
  int count = 0;

  for (int v = 0; v < jn_model_nv(model); v++) {
    const jn_dof *dof;
    int at = limits_of(model, v, &dof);
    if (at < 0 || !(q[at] < dof->lower - hardly_outside || q[at] > dof->upper + hardly_outside)) continue;
    if (count++ < NAMES_TOLD) text = append_joint(text, model, v, q[at], dof);
  }

  if (count > NAMES_TOLD) {
    char *longer = format_text("%s and %d more", text, count - NAMES_TOLD);
    free(text);
    text = longer;
  }
  return text;
}

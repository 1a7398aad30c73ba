/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce torque --plot: one column a joint; the orders of the torque as rows, with --limits the motion above them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "print.h"
#include "torque.h"

struct plot_data {
  figure figure;
  thinner *thinners; /* [rows x columns] */
  const limit_check *limits;
  int motion_rows; /* position, velocity, acceleration, jerk; or none */
  int order;
};

/* "q", "dq/dt", ... and the units, which all joints share or not. */
static char *row_title(const motion *m, int row, int motion_rows) {
  bool angular = false, linear = false;
  for (int v = 0; v < m->nv; v++) *(is_angular(m->model, v) ? &angular : &linear) = true;
  int order = row < motion_rows ? row : row - motion_rows;
  const char *both = row < motion_rows ? (order ? "(rad, m)" : "rad, m")
                     : order           ? "(N m, N)"
                                       : "N m, N",
             *turn = row < motion_rows ? "rad" : "N m";
  const char *unit = angular && linear ? both : angular ? turn : row < motion_rows ? "m" : "N";
  return figure_quantity(row >= motion_rows, order, unit);
}

static void set_limits(const plot_data *p, int v, int row, panel *to) {
  int torque = row - p->motion_rows;
  if (!p->limits || torque > 1) return;
  quantity which = torque >= 0 ? (quantity)(EFFORT + torque) : (quantity)row;
  const limit *l = &p->limits->limits[(size_t)v * QUANTITIES + which];
  to->lower = l->lower;
  to->upper = l->upper;
}

plot_data *plot_data_create(const motion *m, const limit_check *limits, int order, int samples) {
  plot_data *p = allocate(sizeof *p);
  *p = (plot_data){.limits = limits, .order = order, .motion_rows = limits ? 4 : 0};
  int rows = p->motion_rows + order + 1;
  char name[JN_COORDINATE_NAME];
  figure_init(&p->figure, rows, m->nv);
  p->figure.title = format_text("%s: %s", jn_model_name(m->model),
                                limits ? "motion and torques; grey: beyond the limits, shaded: broken, in the corner: "
                                         "how much of the limit is used"
                                       : "torques and their time derivatives");
  p->thinners = allocate((size_t)rows * (size_t)m->nv * sizeof *p->thinners);
  for (int r = 0; r < rows; r++) {
    p->figure.row_titles[r] = row_title(m, r, p->motion_rows);
    for (int v = 0; v < m->nv; v++) {
      thinner_init(&p->thinners[r * m->nv + v], figure_panel(&p->figure, r, v), samples);
      set_limits(p, v, r, figure_panel(&p->figure, r, v));
    }
  }
  for (int v = 0; v < m->nv; v++) {
    jn_velocity_name(m->model, v, name, sizeof name);
    p->figure.column_titles[v] = copy_text(name, strlen(name));
    p->figure.groups[v] = place_in_q(m->model, v) < 0; /* twists, which have no position, apart */
  }
  return p;
}

void plot_data_sample(plot_data *p, const motion *m) {
  for (int v = 0; v < m->nv; v++) {
    thinner *t = p->thinners + v;
    for (int r = 0; r < p->motion_rows; r++, t += m->nv) {
      double value = quantity_of(m, v, (quantity)r);
      if (!isnan(value)) thinner_add(t, m->t, value);
    }
    for (int k = 0; k <= p->order; k++, t += m->nv) thinner_add(t, m->t, m->tau[(size_t)k * (size_t)m->nv + (size_t)v]);
  }
}

/* A joint without motor has an effort limit of 0: where there is no torque, there is nothing to forbid. */
static void forget_idle_limits(panel *p) {
  if (p->upper > p->lower) return;
  for (int i = 0; i < p->count; i++)
    if (fabs(p->y[i] - p->upper) > 1e-9) return;
  p->lower = -INFINITY;
  p->upper = INFINITY;
}

int plot_data_draw(plot_data *p, const motion *m, const char *path) {
  for (int i = 0; i < p->figure.rows * m->nv; i++) {
    thinner_end(&p->thinners[i]);
    forget_idle_limits(&p->figure.panels[i]);
  }
  int result = figure_draw(&p->figure, path);
  figure_free(&p->figure);
  free(p->thinners);
  free(p);
  return result;
}

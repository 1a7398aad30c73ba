/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce torque --plot: one column a joint; the orders of the torque as rows, with --limits the motion above them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../figure/figure.h"
#include "../text/print.h"
#include "samples.h"

struct plot_data {
  figure figure;
  thinner *thinners; /* [rows x columns] */
  int *coordinates;  /* [columns] which velocity coordinate is drawn */
  const limit_check *limits;
  int motion_rows; /* position, velocity, acceleration, jerk; or none */
  int order;
};

/* "rad/s", "N m/s²" of velocity coordinate v in a row. A new string. */
static char *unit_of(const motion *m, const plot_data *p, int v, int row) {
  bool angular = is_angular(m->model, v), torque = row >= p->motion_rows;
  return figure_unit(torque ? (angular ? "N m" : "N") : (angular ? "rad" : "m"), torque ? row - p->motion_rows : row);
}

static void set_limits(const plot_data *p, int v, int row, panel *to) {
  int torque = row - p->motion_rows;
  if (!p->limits || torque > 1) return;
  quantity which = torque >= 0 ? (quantity)(EFFORT + torque) : (quantity)row;
  const limit *l = &p->limits->limits[(size_t)v * QUANTITIES + which];
  to->lower = l->lower;
  to->upper = l->upper;
}

static void init_row(plot_data *p, const motion *m, int row, int samples) {
  figure *f = &p->figure;
  bool torque = row >= p->motion_rows;
  f->row_titles[row] = figure_quantity(torque, torque ? row - p->motion_rows : row);
  for (int c = 0; c < f->columns; c++) {
    panel *to = figure_panel(f, row, c);
    thinner_init(&p->thinners[row * f->columns + c], to, samples);
    set_limits(p, p->coordinates[c], row, to);
    to->unit = unit_of(m, p, p->coordinates[c], row);
  }
}

plot_data *plot_data_create(const motion *m, const unsigned char *chosen, const limit_check *limits, int motion_rows,
                            int order, int samples) {
  plot_data *p = allocate(sizeof *p);
  *p = (plot_data){.limits = limits, .order = order, .motion_rows = motion_rows};
  p->coordinates = allocate((size_t)m->nv * sizeof *p->coordinates);
  int rows = p->motion_rows + order + 1, columns = 0;
  for (int v = 0; v < m->nv; v++)
    if (!chosen || chosen[v]) p->coordinates[columns++] = v;
  figure_init(&p->figure, rows, columns);
  p->figure.title = format_text("%s: %s", jn_model_name(m->model),
                                limits ? "motion and torques; grey: beyond the limits, shaded: broken, in the corner: "
                                         "how much of the limit is used"
                                : motion_rows ? "motion and torques"
                                              : "torques and their time derivatives");
  p->thinners = allocate((size_t)rows * (size_t)columns * sizeof *p->thinners);
  for (int r = 0; r < rows; r++) init_row(p, m, r, samples);
  for (int c = 0; c < columns; c++) {
    char name[JN_COORDINATE_NAME];
    jn_velocity_name(m->model, p->coordinates[c], name, sizeof name);
    p->figure.column_titles[c] = copy_text(name, strlen(name));
    p->figure.groups[c] = place_in_q(m->model, p->coordinates[c]) < 0; /* twists, which have no position, apart */
  }
  return p;
}

void plot_data_sample(plot_data *p, const motion *m) {
  int columns = p->figure.columns;
  for (int c = 0; c < columns; c++) {
    thinner *t = p->thinners + c;
    int v = p->coordinates[c];
    for (int r = 0; r < p->motion_rows; r++, t += columns) {
      double value = quantity_of(m, v, (quantity)r);
      if (!isnan(value)) thinner_add(t, m->t, value);
    }
    for (int k = 0; k <= p->order; k++, t += columns)
      thinner_add(t, m->t, m->tau[(size_t)k * (size_t)m->nv + (size_t)v]);
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

int plot_data_draw(plot_data *p, const char *path, const char *size, int *files) {
  for (int i = 0; i < p->figure.rows * p->figure.columns; i++) {
    thinner_end(&p->thinners[i]);
    forget_idle_limits(&p->figure.panels[i]);
  }
  int result = figure_draw(&p->figure, path, size, files);
  figure_free(&p->figure);
  free(p->thinners);
  free(p->coordinates);
  free(p);
  return result;
}

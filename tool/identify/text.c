/* SPDX-License-Identifier: BSD-2-Clause */
/* What jounce identify prints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "identify.h"

const char *coordinate_name(const identify_run *r, int i, char *name) {
  static const char *const parts[] = {"mx", "my", "mz", "fx", "fy", "fz"};
  if (i < r->nv)
    jn_velocity_name(r->model, i, name, JN_COORDINATE_NAME);
  else
    snprintf(name, JN_COORDINATE_NAME, "%.100s_%s", jn_link_name(r->model, r->wrench_link), parts[(i - r->nv) % 6]);
  return name;
}

double percent_of_all(const fit_quality *q, const double *error, int channels) {
  double e = 0, f = 0;
  for (int i = 0; i < channels; i++) e += error[i] * error[i] * q->rows[i], f += q->force[i] * q->force[i] * q->rows[i];
  return f > 0 ? 100 * sqrt(e / f) : NAN;
}

static double percent(double error, double force) { return force > 0 ? 100 * error / force : NAN; }

static void print_joints(const identify_run *r) {
  static const table_column columns[] = {
      {"joint", ALIGN_LEFT},   {"rows", ALIGN_RIGHT},    {"torque rms", ALIGN_POINT}, {"before %", ALIGN_POINT},
      {"base %", ALIGN_POINT}, {"after %", ALIGN_POINT}, {"noise", ALIGN_POINT}};
  const fit_quality *q = &r->quality;
  char name[JN_COORDINATE_NAME];
  table t;
  table_init(&t, columns, 7);
  for (int i = 0; i < r->channels; i++) {
    if (q->rows[i] == 0) continue;
    table_cell(&t, coordinate_name(r, i, name));
    table_cellf(&t, "%.0f", q->rows[i]);
    table_number(&t, q->force[i]);
    table_number(&t, percent(q->before[i], q->force[i]));
    table_number(&t, percent(q->base[i], q->force[i]));
    table_number(&t, percent(q->after[i], q->force[i]));
    table_number(&t, r->estimate->noise[i]);
  }
  say(stdout,
      "\nResidual / torque of each joint, root mean square: the model before, least squares of the base "
      "parameters, the consistent model after\n");
  table_print(&t, stdout);
}

static void print_links(const identify_run *r) {
  static const table_column columns[] = {{"link", ALIGN_LEFT},   {"mass before", ALIGN_POINT}, {"after", ALIGN_POINT},
                                         {"com x", ALIGN_POINT}, {"y", ALIGN_POINT},           {"z", ALIGN_POINT},
                                         {"Ixx", ALIGN_POINT},   {"Iyy", ALIGN_POINT},         {"Izz", ALIGN_POINT}};
  table t;
  table_init(&t, columns, 9);
  for (int l = 0; l < jn_link_count(r->model); l++) {
    double before[10], after[10], m, com[3], I[6];
    jn_link_inertia(r->model, l, before);
    jn_link_inertia(r->result, l, after);
    if (memcmp(before, after, sizeof after) == 0) continue;
    jn_inertia_unpack(after, &m, com, I);
    table_cell(&t, jn_link_name(r->model, l));
    table_number(&t, before[0]);
    table_number(&t, m);
    for (int k = 0; k < 3; k++) table_number(&t, com[k]);
    for (int k = 0; k < 3; k++) table_number(&t, I[k]);
  }
  if (table_rows(&t) > 0) {
    say(stdout, "\nLinks after [kg, m, kg m^2 about the centre of mass]\n");
    table_print(&t, stdout);
  }
  table_free(&t);
}

bool has_effect(const identify_run *r, int unknown) {
  const double *B = jn_identification_base_matrix(r->identification);
  for (int i = 0; i < r->estimate->base_count; i++)
    if (B[(size_t)i * (size_t)r->estimate->count + (size_t)unknown] != 0) return true;
  return false;
}

/* The unknowns behind the inertial ones: motors in rows, kinds in columns. */
static void print_motors(const identify_run *r) {
  static const table_column columns[] = {{"parameter", ALIGN_LEFT}, {"before", ALIGN_POINT}, {"after", ALIGN_POINT}};
  table t;
  table_init(&t, columns, 3);
  for (int i = 0; i < r->estimate->count; i++) {
    char name[2 * JN_COORDINATE_NAME];
    if (jn_identification_link(r->identification, i) >= 0 || !has_effect(r, i)) continue;
    jn_identification_name(r->identification, i, name, sizeof name);
    table_cell(&t, name);
    table_number(&t, jn_identification_prior(r->identification)[i]);
    table_number(&t, r->estimate->x[i]);
  }
  if (table_rows(&t) > 0) {
    say(stdout, "\nRotors [kg m^2], viscous [N m s/rad] and Coulomb friction, offsets [N m]\n");
    table_print(&t, stdout);
  }
  table_free(&t);
}

static void print_base(const identify_run *r) {
  static const table_column columns[] = {{"base parameter, led by", ALIGN_LEFT},
                                         {"model", ALIGN_POINT},
                                         {"value", ALIGN_POINT},
                                         {"deviation", ALIGN_POINT},
                                         {"relative %", ALIGN_POINT},
                                         {"", ALIGN_LEFT}};
  const jn_estimate *e = r->estimate;
  const double *B = jn_identification_base_matrix(r->identification), *x0 = jn_identification_prior(r->identification);
  table t;
  table_init(&t, columns, 6);
  for (int i = 0; i < e->base_count; i++) {
    char name[2 * JN_COORDINATE_NAME];
    double before = 0;
    jn_identification_name(r->identification, jn_identification_base_column(r->identification, i), name, sizeof name);
    for (int k = 0; k < e->count; k++) before += B[(size_t)i * (size_t)e->count + (size_t)k] * x0[k];
    table_cell(&t, name);
    table_number(&t, before);
    table_number(&t, e->base[i]);
    table_number(&t, e->deviation[i]);
    table_number(&t, 100 * e->deviation[i] / fabs(e->base[i]));
    table_cell(&t, !isfinite(e->deviation[i]) ? "not told" : e->essential[i] ? "essential" : "");
  }
  say(stdout, "\nBase parameters by least squares, with standard deviations\n");
  table_print(&t, stdout);
}

static void print_head(const identify_run *r) {
  const jn_estimate *e = r->estimate;
  int essential = 0;
  for (int i = 0; i < e->base_count; i++) essential += e->essential[i];
  say(stdout, "%s: %d unknowns, %d base parameters, of which the data tell %d and %d are essential\n",
      jn_model_name(r->model), e->count, e->base_count, e->told, essential);
  say(stdout, "data             %.0f rows from %d file%s, condition number %.3g\n", e->rows, r->data_count,
      r->data_count == 1 ? "" : "s", e->condition);
  if (r->higher_cutoff > 0)
    printf(
        "filter           %.3g Hz for torques and regressor (validates better than %.3g Hz: %.2g %% less residual)\n",
        r->cutoff, r->higher_cutoff, 100 * r->cutoff_gain);
  else if (r->cutoff > 0)
    printf("filter           %.3g Hz for torques and regressor\n", r->cutoff);
  else
    puts("filter           none");
  if (r->columns & JN_IDENTIFY_COULOMB) {
    fputs("Coulomb friction fades below", stdout);
    for (int m = 0; m < r->motors; m++) printf(" %.3g", r->speed[m]);
    puts(" rad/s (0: it jumps)");
  }
  if (e->rejected > 0) printf("outliers         %.0f rows left out\n", e->rejected);
  if (!r->arg->base_only)
    say(stdout, "prior            weight %g%s, %d steps\n", e->prior, r->arg->prior.count ? "" : " by cross-validation",
        abs(e->iterations));
}

void identify_text(const identify_run *r) {
  print_head(r);
  if (r->arg->base_only || r->arg->parameters) print_base(r);
  if (!r->arg->base_only) {
    print_links(r);
    print_motors(r);
  }
  print_joints(r);
}

static void print_total(const identify_run *r, const fit_quality *q, const char *what) {
  const double *after = r->arg->base_only ? q->base : q->after;
  if (isnan(percent_of_all(q, after, r->channels))) {
    say(stdout, "residual / torque on the %s: not defined, because all torques are zero\n", what);
    return;
  }
  say(stdout, "residual / torque on the %s: %.2f %% (before %.3g %%; joints:", what,
      percent_of_all(q, after, r->channels), percent_of_all(q, q->before, r->channels));
  for (int i = 0; i < r->channels; i++)
    if (q->rows[i] > 0) printf(" %.1f", percent(after[i], q->force[i]));
  puts(")");
}

void identify_totals(const identify_run *r) {
  putchar('\n');
  if (r->model_written) say(stdout, "written: %s\n", r->arg->out);
  if (r->report_written) say(stdout, "report: %s\n", r->arg->report);
  print_total(r, &r->quality, "data");
  for (int i = 0; i < r->held_count; i++) {
    char *what = format_text("validation file %s", r->held_quality[i].path);
    print_total(r, &r->held_quality[i], what);
    free(what);
  }
}

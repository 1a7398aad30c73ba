/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of jounce identify: one HTML file that needs nothing else. Text from files gets into it by html() only. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../files/output.h"
#include "identify.h"

enum { POINTS = 600, MOST_STATES = 30000, WIDTH = 860, HEIGHT = 170, LEFT = 60, BOTTOM = 22 };

/* Printable text, with the characters that HTML acts on as references. */
static void html(FILE *f, const char *text) {
  char *shown = printable_text(text, 0);
  for (const char *p = shown; *p; p++) {
    switch (*p) {
      case '&':
        fputs("&amp;", f);
        break;
      case '<':
        fputs("&lt;", f);
        break;
      case '>':
        fputs("&gt;", f);
        break;
      case '"':
        fputs("&quot;", f);
        break;
      case '\'':
        fputs("&#39;", f);
        break;
      default:
        fputc(*p, f);
    }
  }
  free(shown);
}

static void html_coordinate(FILE *f, const identify_run *r, int i) {
  char name[JN_COORDINATE_NAME];
  html(f, coordinate_name(r, i, name));
}

static void cell(FILE *f, double x) {
  char text[NUMBER_TEXT];
  short_number(x, text);
  fputs("<td class=n>", f);
  html(f, isfinite(x) ? text : "–");
  fputs("</td>", f);
}

/* ---- Curves ---- */

/* Averages over bins of time: measured, before, after. */
typedef struct curves {
  int count;
  double t[POINTS], *y[3]; /* [POINTS x channels] each; NaN: none */
} curves;

static void curves_free(curves *c) {
  for (int k = 0; k < 3; k++) free(c->y[k]);
}

/* The forces of the unknowns x at a state: Y x + known. */
static void predict(const identify_run *r, const double *Y, const double *known, const double *x, double *tau) {
  size_t n = (size_t)jn_identification_count(r->identification);
  for (int i = 0; i < r->channels; i++) {
    tau[i] = known[i];
    for (size_t k = 0; k < n; k++) tau[i] += Y[(size_t)i * n + k] * x[k];
  }
}

static double motor_force(const identify_run *r, const measured *m, int i, int row) {
  double sum = 0;
  if (!r->arg->motor_torques) {
    const double *x = jn_trajectory_forces(m->trajectory, i);
    return x ? r->scale[i] * x[row] : NAN;
  }
  for (int k = 0; k < r->nv; k++) {
    const double *x = jn_trajectory_forces(m->trajectory, k);
    double g = r->coupling[(size_t)k * (size_t)r->nv + (size_t)i];
    if (g != 0) sum += x ? g * r->scale[k] * x[row] : NAN;
  }
  return sum;
}

/* What is needed at one state. */
typedef struct moment {
  double *memory, *q, *v, *a, *tau, *known, *Y, *wrench; /* tau [3 x channels] */
  jn_work *work;
} moment;

static jn_status moment_init(moment *s, const identify_run *r) {
  size_t nq = (size_t)jn_model_nq(r->model), nv = (size_t)r->nv, channels = (size_t)r->channels;
  size_t n = (size_t)jn_identification_count(r->identification), links = (size_t)jn_link_count(r->model);
  s->memory = allocate((nq + 2 * nv + channels * (n + 4) + 6 * links) * sizeof *s->memory);
  s->q = s->memory;
  s->v = s->q + nq;
  s->a = s->v + nv;
  s->tau = s->a + nv;
  s->known = s->tau + 3 * channels;
  s->Y = s->known + channels;
  s->wrench = s->Y + channels * n;
  return jn_work_create_order(r->model, 0, &s->work);
}

static void moment_free(moment *s) {
  jn_work_destroy(s->work);
  free(s->memory);
}

/* Measured forces and those of both models at a row of the forces. */
static jn_status moment_at(moment *s, const identify_run *r, const measured *m, int row) {
  const jn_identification *d = r->identification;
  double t = jn_trajectory_force_time(m->trajectory, row), *outer = s->known; /* not yet in use */
  jn_status status = jn_identification_state(d, m->trajectory, t - r->delay, s->q, s->v, s->a);
  if (status == JN_OK && r->wrench) status = jn_trajectory_wrenches(m->trajectory, t, 0, s->wrench);
  if (status == JN_OK && r->wrench == JN_WRENCH_CONTACT)
    status = jn_wrench_forces_jet(r->model, s->work, 0, s->q, s->v, s->wrench, outer);
  for (int i = 0; i < r->channels && status == JN_OK; i++) {
    s->tau[i] = i < r->nv ? motor_force(r, m, i, row) : s->wrench[6 * r->wrench_link + i - r->nv];
    if (i >= r->nv || r->wrench != JN_WRENCH_CONTACT) continue;
    if (jn_joint_type_of(r->model, jn_coordinate_joint(r->model, i, NULL)) == JN_FREE && isnan(s->tau[i]))
      s->tau[i] = 0;
    s->tau[i] += outer[i];
  }
  if (status == JN_OK) status = jn_identification_regressor(d, s->work, s->q, s->v, s->a, s->tau, s->Y, s->known);
  if (status != JN_OK) return status;
  predict(r, s->Y, s->known, jn_identification_prior(d), s->tau + r->channels);
  predict(r, s->Y, s->known, r->estimate->x, s->tau + 2 * r->channels);
  return JN_OK;
}

/* One file into curves. */
static jn_status make_curves(const identify_run *r, const measured *m, curves *c) {
  size_t channels = (size_t)r->channels;
  int rows = jn_trajectory_force_rows(m->trajectory);
  int bins = rows < POINTS ? rows : POINTS, each = rows / MOST_STATES + 1, *hits = allocate(POINTS * sizeof *hits);
  moment s;
  jn_status status = moment_init(&s, r);
  c->count = bins;
  memset(hits, 0, POINTS * sizeof *hits);
  memset(c->t, 0, sizeof c->t);
  for (int k = 0; k < 3; k++) {
    c->y[k] = allocate(POINTS * channels * sizeof(double));
    memset(c->y[k], 0, POINTS * channels * sizeof(double));
  }
  for (int row = 0; row < rows && status == JN_OK; row += each) {
    int bin = (int)((double)row * bins / rows);
    status = moment_at(&s, r, m, row);
    if (status != JN_OK) break;
    hits[bin]++;
    c->t[bin] += jn_trajectory_force_time(m->trajectory, row);
    for (size_t i = 0; i < channels; i++)
      for (size_t k = 0; k < 3; k++) c->y[k][(size_t)bin * channels + i] += s.tau[k * channels + i];
  }
  for (int b = 0; b < bins; b++) {
    c->t[b] /= hits[b];
    for (size_t i = 0; i < channels; i++)
      for (int k = 0; k < 3; k++) c->y[k][(size_t)b * channels + i] /= hits[b];
  }
  moment_free(&s);
  free(hits);
  return status;
}

typedef struct axes {
  double t0, t1, low, high;
} axes;

static double x_of(const axes *a, double t) { return LEFT + (WIDTH - LEFT - 8) * (t - a->t0) / (a->t1 - a->t0); }
static double y_of(const axes *a, double y) { return 6 + (HEIGHT - BOTTOM - 12) * (a->high - y) / (a->high - a->low); }

static void polyline(FILE *f, const axes *a, const curves *c, const double *y, const double *minus, size_t nv, int i,
                     const char *class) {
  fprintf(f, "<polyline class=%s points=\"", class);
  for (int b = 0; b < c->count; b++) {
    double value = y[(size_t)b * nv + (size_t)i] - (minus ? minus[(size_t)b * nv + (size_t)i] : 0);
    value = fmin(fmax(value, a->low), a->high); /* what is beyond runs along the frame */
    if (!isnan(y[(size_t)b * nv + (size_t)i]) && isfinite(c->t[b]))
      fprintf(f, "%.1f,%.1f ", x_of(a, c->t[b]), y_of(a, value));
  }
  fputs("\"/>\n", f);
}

/* Numbers at the sides. */
static void frame(FILE *f, const axes *a) {
  fprintf(f,
          "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\"><rect class=box x=\"%d\" y=\"6\" width=\"%d\" "
          "height=\"%d\"/>\n",
          WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT, WIDTH - LEFT - 8, HEIGHT - BOTTOM - 12);
  for (int k = 0; k <= 2; k++) {
    double y = a->low + (a->high - a->low) * k / 2, t = a->t0 + (a->t1 - a->t0) * k / 2;
    fprintf(f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>", LEFT - 6, y_of(a, y) + 4, y);
    fprintf(f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%.4g s</text>\n", x_of(a, t), HEIGHT - 4,
            k == 0   ? "start"
            : k == 2 ? "end"
                     : "middle",
            t);
  }
}

static axes axes_of(const curves *c, size_t nv, int i) {
  axes a = {c->t[0], c->t[c->count - 1], INFINITY, -INFINITY};
  for (int b = 0; b < c->count; b++)
    for (int k = 0; k < 3; k++) {
      double y = c->y[k][(size_t)b * nv + (size_t)i];
      if (isfinite(y)) a.low = fmin(a.low, y), a.high = fmax(a.high, y);
    }
  if (!(a.high > a.low)) a.low -= 1, a.high += 1;
  if (!(a.t1 > a.t0)) a.t1 = a.t0 + 1;
  return a;
}

/* Measured torque, the two models, and what they leave over. */
static void draw_joint(FILE *f, const identify_run *r, const curves *c, int i) {
  size_t channels = (size_t)r->channels;
  axes a = axes_of(c, channels, i);
  fputs("<h4>", f);
  html_coordinate(f, r, i);
  fputs("</h4>\n", f);
  frame(f, &a);
  polyline(f, &a, c, c->y[0], NULL, channels, i, "m");
  polyline(f, &a, c, c->y[1], NULL, channels, i, "b");
  polyline(f, &a, c, c->y[2], NULL, channels, i, "a");
  fputs("</svg>\n", f);
  a.high = 0;
  for (int b = 0; b < c->count; b++) {
    size_t at = (size_t)b * channels + (size_t)i;
    double e = fabs(c->y[2][at] - c->y[0][at]);
    if (isfinite(e)) a.high = fmax(a.high, e);
  }
  a.high = a.high > 0 ? 1.1 * a.high : 1;
  a.low = -a.high;
  frame(f, &a);
  polyline(f, &a, c, c->y[1], c->y[0], channels, i, "b");
  polyline(f, &a, c, c->y[2], c->y[0], channels, i, "a");
  fputs("</svg>\n", f);
}

/* More motors than a model with loops has degrees of freedom: only combinations of their torques are told. */
static bool has_spare_motors(const identify_run *r) {
  int motors = 0, rows = 0;
  for (int i = 0; i < r->nv && r->actuated; i++) motors += r->actuated[i], rows += r->quality.rows[i] > 0;
  return motors > rows;
}

static void draw_file(FILE *f, const identify_run *r, const measured *m, const fit_quality *q, const char *what) {
  curves c = {0};
  fputs("<h3>", f);
  html(f, what);
  fputs(" ", f);
  html(f, m->path);
  fputs("</h3>\n", f);
  if (has_spare_motors(r))
    fputs(
        "<p>No curves: this mechanism has more motors than it needs, and only combinations of their torques are "
        "compared.</p>\n",
        f);
  else if (make_curves(r, m, &c) == JN_OK)
    for (int i = 0; i < r->channels; i++)
      if (q->rows[i] > 0) draw_joint(f, r, &c, i);
  curves_free(&c);
}

/* ---- Tables ---- */

static void write_quality(FILE *f, const identify_run *r, const fit_quality *q, const char *what) {
  fputs("<h3>", f);
  html(f, what);
  if (q->path) fputs(" ", f);
  if (q->path) html(f, q->path);
  fputs("</h3>\n<table><tr><th>joint<th>rows<th>torque rms<th>before %<th>least squares %<th>after %</tr>\n", f);
  for (int i = 0; i < r->channels; i++) {
    if (q->rows[i] == 0) continue;
    fputs("<tr><td>", f);
    html_coordinate(f, r, i);
    fputs("</td>", f);
    cell(f, q->rows[i]);
    cell(f, q->force[i]);
    cell(f, 100 * q->before[i] / q->force[i]);
    cell(f, 100 * q->base[i] / q->force[i]);
    cell(f, 100 * q->after[i] / q->force[i]);
    fputs("</tr>\n", f);
  }
  fputs("<tr class=all><td>all</td><td></td><td></td>", f);
  cell(f, percent_of_all(q, q->before, r->channels));
  cell(f, percent_of_all(q, q->base, r->channels));
  cell(f, percent_of_all(q, q->after, r->channels));
  fputs("</tr></table>\n", f);
}

/* Mass, and how far the centre of mass has moved. */
static void write_changes(FILE *f, const identify_run *r) {
  fputs(
      "<h2>Links</h2>\n<table><tr><th>link<th>mass before [kg]<th>after<th>change %<th>centre of mass moved "
      "[mm]</tr>\n",
      f);
  for (int l = 0; l < jn_link_count(r->model); l++) {
    double p[2][10], m[2], com[2][3] = {{0}}, I[6], moved = 0;
    jn_link_inertia(r->model, l, p[0]);
    jn_link_inertia(r->result, l, p[1]);
    if (memcmp(p[0], p[1], sizeof p[0]) == 0) continue;
    for (int k = 0; k < 2; k++) {
      m[k] = p[k][0];
      if (m[k] > 0) jn_inertia_unpack(p[k], &m[k], com[k], I);
    }
    for (int k = 0; k < 3; k++) moved += (com[1][k] - com[0][k]) * (com[1][k] - com[0][k]);
    fputs("<tr><td>", f);
    html(f, jn_link_name(r->model, l));
    fputs("</td>", f);
    cell(f, m[0]);
    cell(f, m[1]);
    cell(f, m[0] > 0 ? 100 * (m[1] / m[0] - 1) : NAN);
    cell(f, m[0] > 0 ? 1000 * sqrt(moved) : NAN);
    fputs("</tr>\n", f);
  }
  fputs("</table>\n", f);
}

static void write_links(FILE *f, const identify_run *r) {
  static const char *const names[10] = {"m", "hx", "hy", "hz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz"};
  fputs(
      "<p>Ten parameters in the link's frame, about its origin [kg, kg m, kg "
      "m²].</p>\n<div class=wide><table><tr><th>link<th>",
      f);
  for (int k = 0; k < 10; k++) fprintf(f, "<th>%s", names[k]);
  fputs("</tr>\n", f);
  for (int l = 0; l < jn_link_count(r->model); l++) {
    double p[2][10];
    jn_link_inertia(r->model, l, p[0]);
    jn_link_inertia(r->result, l, p[1]);
    if (memcmp(p[0], p[1], sizeof p[0]) == 0) continue;
    for (int k = 0; k < 2; k++) {
      fputs("<tr><td>", f);
      if (k == 0) html(f, jn_link_name(r->model, l));
      fputs(k == 0 ? "</td><td>before</td>" : "</td><td>after</td>", f);
      for (int i = 0; i < 10; i++) cell(f, p[k][i]);
      fputs("</tr>\n", f);
    }
  }
  fputs("</table></div>\n", f);
}

static void write_unknowns(FILE *f, const identify_run *r) {
  char name[2 * JN_COORDINATE_NAME];
  fputs("<h2>Motors</h2>\n<table><tr><th>parameter<th>before<th>after</tr>\n", f);
  for (int i = 0; i < r->estimate->count; i++) {
    if (jn_identification_link(r->identification, i) >= 0 || !has_effect(r, i)) continue;
    jn_identification_name(r->identification, i, name, sizeof name);
    fputs("<tr><td>", f);
    html(f, name);
    fputs("</td>", f);
    cell(f, jn_identification_prior(r->identification)[i]);
    cell(f, r->estimate->x[i]);
    fputs("</tr>\n", f);
  }
  fputs("</table>\n", f);
}

/* Value, 95 % interval, and the value of the consistent model. */
static void write_base(FILE *f, const identify_run *r) {
  const jn_estimate *e = r->estimate;
  const double *B = jn_identification_base_matrix(r->identification), *x0 = jn_identification_prior(r->identification);
  char name[2 * JN_COORDINATE_NAME];
  fputs(
      "<h2>Base parameters</h2>\n<p>Least squares with 95 % confidence intervals; each row is named after its leading "
      "parameter. Essential: differs from zero beyond its uncertainty.</p>\n<table><tr><th>parameter<th>model "
      "before<th>least squares<th>± 95 %<th>relative %<th>consistent<th></tr>\n",
      f);
  for (int i = 0; i < e->base_count; i++) {
    double before = 0, after = 0;
    for (int k = 0; k < e->count; k++) {
      double b = B[(size_t)i * (size_t)e->count + (size_t)k];
      before += b * x0[k];
      after += b * e->x[k];
    }
    jn_identification_name(r->identification, jn_identification_base_column(r->identification, i), name, sizeof name);
    fputs("<tr><td>", f);
    html(f, name);
    fputs("</td>", f);
    cell(f, before);
    cell(f, e->base[i]);
    cell(f, 1.96 * e->deviation[i]);
    cell(f, 196 * e->deviation[i] / fabs(e->base[i]));
    cell(f, after);
    fprintf(f, "<td>%s</td></tr>\n", !isfinite(e->deviation[i]) ? "not told" : e->essential[i] ? "essential" : "");
  }
  fputs("</table>\n", f);
}

static void write_head(FILE *f, const identify_run *r) {
  const jn_estimate *e = r->estimate;
  fputs("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><title>", f);
  html(f, jn_model_name(r->model));
  fputs(
      ": identification</title>\n<style>body{font:15px/1.45 system-ui,sans-serif;max-width:900px;margin:2em "
      "auto;padding:0 1em;color:#222}table{border-collapse:collapse;font-size:13px}td,th{padding:2px "
      "9px;border-bottom:1px solid "
      "#ddd;text-align:left}td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
      "tr.all td{font-weight:600}.warn{background:#fff4d6;padding:.5em 1em;border-left:4px solid #e0a100}"
      ".wide{overflow-x:auto}svg{display:block}svg "
      "text{font-size:11px;fill:#555}polyline{fill:none;stroke-width:1.2}.m{stroke:#222}"
      ".b{stroke:#c98a00;opacity:.75}.a{stroke:#0b62c4}.box{fill:none;stroke:#ccc}h4{margin:1em 0 .2em}</style></head>"
      "<body>\n<h1>",
      f);
  html(f, jn_model_name(r->model));
  fputs(": identification</h1>\n<p>", f);
  fprintf(f,
          "%d unknowns, %d base parameters, %d of them told by the data; %.0f rows, %.0f left out as outliers; "
          "condition number %.3g; filter %.3g Hz; delay %.4g s; prior weight %g.</p>\n",
          e->count, e->base_count, e->told, e->rows, e->rejected, e->condition, r->cutoff, r->delay, e->prior);
  for (int i = 0; i < r->warning_count; i++) {
    fputs("<p class=warn>", f);
    html(f, r->warnings[i]);
    fputs("</p>\n", f);
  }
}

bool identify_report(const identify_run *r, const char *path) {
  output o;
  FILE *f = output_open(&o, path);
  if (!f) return false;
  write_head(f, r);
  fputs("<h2>Residuals</h2>\n<p>Root mean squares of residual / torque, filtered alike.</p>\n", f);
  write_quality(f, r, &r->quality, "Data");
  for (int i = 0; i < r->held_count; i++) write_quality(f, r, &r->held_quality[i], "Held back:");
  write_changes(f, r);
  write_links(f, r);
  write_unknowns(f, r);
  write_base(f, r);
  fputs(
      "<h2>Curves</h2>\n<p>Torque: measured (black), model before (amber), model after (blue), averaged over short "
      "times. Below it the residuals, model − measured, before (amber, cut off at the frame) and after (blue).</p>\n",
      f);
  for (int i = 0; i < r->data_count; i++) draw_file(f, r, &r->data[i], &r->quality, "Data:");
  for (int i = 0; i < r->held_count; i++) draw_file(f, r, &r->held[i], &r->held_quality[i], "Held back:");
  fputs("</body></html>\n", f);
  return output_close(&o, !ferror(f));
}

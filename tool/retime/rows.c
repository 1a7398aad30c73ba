/* SPDX-License-Identifier: BSD-2-Clause */
/* What jounce retime writes are rows, and who reads them puts a curve through them. So it is the curve through the rows
 * that has to keep the limits: it is made here as jounce torque makes it, and looked at between the rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../figure/figure.h"
#include "../files/output.h"
#include "../model/names.h"
#include "../text/print.h"
#include "../text/progress.h"
#include "retime.h"

enum { FINE = 20, LEAST_ROWS = 8, MOST_ROWS = 10000000 };

/* The state of the motion becomes that of the new one: q, velocity to jerk, torque and its rate. */
static jn_status retimed_at(const new_motion *x, double t) {
  motion *m = x->m;
  int order = m->order;
  jn_status status = jn_retimed_evaluate(x->r, t, m->q, m->v_jet);
  m->order = 1;
  if (status == JN_OK && m->wrench_jet) status = jn_retimed_wrenches(x->r, t, 1, m->wrench_jet);
  if (status == JN_OK) status = motion_turn_wrenches(m);
  if (status == JN_OK) status = motion_torques(m);
  m->order = order;
  m->t = t;
  return status;
}

static double row_time(const new_motion *x, double i) { return jn_retimed_duration(x->r) * i / (x->rows - 1); }

static int fill_rows(new_motion *x, FILE *file) {
  const char *out = x->arg->torque.out;
  jn_status status = JN_OK;
  bool npz = out && ends_with(out, ".npz");
  if (!column_names_return(x->m->model, out ? out : "the rows", !npz)) return EXIT_BAD;
  writer *w = writer_begin(file, npz, x->m, 1, x->rows);
  for (int i = 0; i < x->rows && status == JN_OK; i++) {
    status = retimed_at(x, row_time(x, i));
    if (status == JN_OK) writer_sample(w, x->m);
  }
  int written = writer_close(w, status == JN_OK);
  if (status != JN_OK) {
    motion_tell(x->m, status);
    return EXIT_BAD;
  }
  if (written == EXIT_FINE) return OPTION_GO_ON;
  say(stderr, "jounce: a temporary file cannot be written\n");
  return EXIT_BAD;
}

char *stream_text(FILE *stream, size_t *length) {
  if (fflush(stream) != 0 || fseek(stream, 0, SEEK_END) != 0) return NULL;
  long end = ftell(stream);
  if (end < 0 || fseek(stream, 0, SEEK_SET) != 0) return NULL;
  *length = (size_t)end;
  char *text = allocate(*length + 1);
  if (fread(text, 1, *length, stream) == *length) return text;
  free(text);
  return NULL;
}

int rows_write(new_motion *x) {
  double rows = round(jn_retimed_duration(x->r) * x->rate) + 1;
  free(x->text);
  x->text = NULL;
  if (!(rows <= MOST_ROWS)) {
    say(stderr, "jounce: %.4g s at %.4g rows in a second are too many rows: at most %d; use a lower --rate\n",
        jn_retimed_duration(x->r), x->rate, (int)MOST_ROWS);
    return EXIT_BAD;
  }
  x->rows = (int)rows;
  if (x->rows < LEAST_ROWS) {
    say(stderr, "jounce: %.4g s at %.4g rows in a second are %d row%s, too few for a motion; use a higher --rate\n",
        jn_retimed_duration(x->r), x->rate, x->rows, x->rows == 1 ? "" : "s");
    return EXIT_BAD;
  }
  FILE *file = open_temporary();
  if (!file) {
    say(stderr, "jounce: there can be no temporary file\n");
    return EXIT_BAD;
  }
  int result = fill_rows(x, file);
  if (result == OPTION_GO_ON) x->text = stream_text(file, &x->length);
  fclose(file);
  if (result != OPTION_GO_ON || x->text) return result;
  say(stderr, "jounce: a temporary file cannot be read\n");
  return EXIT_BAD;
}

/* ---- Looking at the rows ---- */

void rows_free(new_motion *x) {
  if (!x->checked) return;
  limit_check_free(&x->check);
  motion_free(&x->back);
  if (x->elastic) {
    motor_report_free(x->motors);
    drive_free(&x->drive);
    motion_free(&x->back_motors);
  }
  x->checked = false;
}

static jn_status wrenches_at(void *context, double t, int order, double *wrench_jet) {
  const new_motion *x = context;
  return jn_retimed_wrenches(x->r, t, order, wrench_jet);
}

/* When the new motion comes to a place of the path, not before `low`: places only grow. */
static double time_of_place(const jn_retimed *r, double place, double low) {
  double s[4], high = jn_retimed_duration(r);
  for (int i = 0; i < 60 && high > nextafter(low, INFINITY); i++) {
    double middle = low + (high - low) / 2;
    jn_retimed_path(r, middle, s);
    if (s[0] < place)
      low = middle;
    else
      high = middle;
  }
  return high;
}

/* The next row of the wrenches, which belong to places of the path. */
static double next_wrench(void *context, double t) {
  new_motion *x = context;
  if (!jn_trajectory_has_wrenches(x->m->trajectory)) return INFINITY;
  if (t < x->wrench_time && t >= x->wrench_from) return x->wrench_time;

  double s[4];
  jn_retimed_path(x->r, t, s);
  double row = jn_trajectory_next_wrench(x->m->trajectory, s[0]);
  double time = row < jn_trajectory_end(x->m->trajectory) ? time_of_place(x->r, row, t) : INFINITY;

  x->wrench_from = t;
  x->wrench_time = time > t ? time : nextafter(t, INFINITY);
  return x->wrench_time;
}

static int read_back(new_motion *x, motion *to, int order, int smooth) {
  int result = motion_init_text(to, &x->arg->torque, x->m, order, smooth, x->text, x->length);
  to->wrenches = wrenches_at;
  to->next_wrench = next_wrench;
  to->wrench_context = x;
  x->wrench_from = x->wrench_time = -INFINITY;
  return result;
}

static jn_status look_at_links(new_motion *x) {
  double duration = jn_retimed_duration(x->r);
  jn_status status = JN_OK;
  int count = (x->rows - 1) * FINE;
  limit_check_begin(&x->check, &x->back, NULL, 0, duration);
  for (int i = 0; i <= count && status == JN_OK; i++) {
    double t = duration * i / count;
    status = limit_check_until(&x->check, t);
    if (status == JN_OK) status = motion_at(&x->back, t);
    if (status == JN_OK) limit_check_sample(&x->check, &x->back);
    if (i % 256 == 0) progress_show((double)i / count);
  }
  return status == JN_OK ? limit_check_doubt(&x->check, &x->back, 0, duration) : status;
}

static jn_status look_at_motors(new_motion *x) {
  jn_status status = JN_OK;
  int count = (x->rows - 1) * FINE;
  motor_report_begin(x->motors, &x->drive, 0, jn_retimed_duration(x->r), 0);
  for (int i = 0; i <= count && status == JN_OK; i++) {
    double t = jn_retimed_duration(x->r) * i / count;
    status = motor_report_until(x->motors, t);
    if (status == JN_OK) status = drive_at(&x->drive, t);
    if (status == JN_OK) motor_report_sample(x->motors, &x->drive);
    if (i % 256 == 0) progress_show((double)i / count);
  }
  return status;
}

double rows_share(const new_motion *x, int v, int which, double *used) {
  double rest = 1 - x->margin;
  *used = 0;
  if (which >= QUANTITIES) { /* of the motors together */
    if (x->motors) *used = motor_report_use(x->motors) / rest;
    return *used;
  }
  int at = v * QUANTITIES + which;
  const limit *l = &x->check.limits[at];
  const doubt *d = &x->check.doubts[at];
  if (!limit_is_finite(l)) return 0;
  *used = x->check.worst[at].use / (which == POSITION ? 1 + 1e-9 : rest); /* positions have no margin */
  if (!d->overturns) return *used;
  return fmax(*used, fmax(limit_use(l, d->value + d->off), limit_use(l, d->value - d->off)));
}

int rows_check(new_motion *x) {
  rows_free(x);
  int nv = x->m->nv, motors = x->elastic ? jn_elastic_order(x->elastic, 1) : 0;
  int slopes = x->elastic ? jn_elastic_order(x->elastic, DRIVE_ORDER) : 0;
  limit_check_init(&x->check, nv);
  memcpy(x->check.limits, x->limits, (size_t)nv * QUANTITIES * sizeof(limit));
  x->motors = NULL;
  x->checked = true;
  x->back_motors = (motion){0};
  x->drive = (drive){0};
  int result = read_back(x, &x->back, 2, 1);
  if (result == OPTION_GO_ON && x->elastic) result = read_back(x, &x->back_motors, slopes, motors);
  if (result != OPTION_GO_ON) return result;
  progress_begin("checking the rows");
  jn_status status = look_at_links(x);
  if (x->elastic && status == JN_OK) {
    drive_init(&x->drive, &x->back_motors, x->elastic);
    x->motors = motor_report_create(&x->drive, NULL, NULL, NULL, (x->rows - 1) * FINE + 1);
    status = look_at_motors(x);
  }
  progress_end();
  if (status == JN_OK) return OPTION_GO_ON;
  motion_tell(&x->back, status);
  return EXIT_BAD;
}

/* ---- Results ---- */

int rows_tell(const new_motion *x) {
  const char *out = x->arg->torque.out;
  say(stdout,
      "\nChecked: a spline through the %d rows%s%s, as jounce torque reads them, at %d times their rate of %.6g in a "
      "second\n",
      x->rows, out ? " of " : "", out ? out : "", (int)FINE, (x->rows - 1) / jn_retimed_duration(x->r));
  int result = limit_check_print(&x->check, &x->back, NULL);
  if (!x->motors) return result;
  int motors = motor_report_print(x->motors, &x->drive);
  return motors != EXIT_FINE ? motors : result;
}

static int draw(new_motion *x, int *files) {
  const torque_arg *t = &x->arg->torque;
  unsigned char *chosen = NULL;
  int result = choose_joints("retime", x->m->model, &t->joints, &chosen);
  if (result != OPTION_GO_ON) return result;
  plot_data *plot = plot_data_create(x->m, chosen, &x->check, 4, 1, x->rows);
  jn_status status = JN_OK;
  for (int i = 0; i < x->rows && status == JN_OK; i++) {
    status = retimed_at(x, row_time(x, i));
    if (status == JN_OK) plot_data_sample(plot, x->m);
  }
  free(chosen);
  return plot_data_draw(plot, t->plot, t->size, files);
}

int rows_save(new_motion *x) {
  const torque_arg *t = &x->arg->torque;
  int result = OPTION_GO_ON, files = 0;
  if (t->out) {
    output o;
    FILE *file = output_open(&o, t->out);
    if (!file) return EXIT_BAD;
    fwrite(x->text, 1, x->length, file);
    if (!output_close(&o, true)) return EXIT_BAD;
    say(stdout, "\nWritten: %s\n", t->out);
  }
  if (t->plot) result = draw(x, &files);
  if (t->plot && result == OPTION_GO_ON && strcmp(t->plot, "-") != 0) figure_tell(t->plot, files);
  return result;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce motor: what the samples give: a file, a table of largest values, margins to the motors' limits, pictures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../figure/figure.h"
#include "../files/npz.h"
#include "../files/output.h"
#include "../text/number.h"
#include "../text/print.h"
#include "../text/progress.h"
#include "motor.h"

enum { COLUMNS = MOTOR_CURRENT + 1, LIMITS = 4, ROWS = 6 };

static const char *const endings[COLUMNS] = {".theta",     ".theta_d1",     ".theta_d2", ".spring",
                                             ".motor_tau", ".motor_tau_d1", ".power",    ".current"};
static const char *const arrays[COLUMNS] = {"theta",     "theta_d1",     "theta_d2", "spring",
                                            "motor_tau", "motor_tau_d1", "power",    "current"};
static const motor_quantity limited[LIMITS] = {MOTOR_TORQUE, MOTOR_RATE, MOTOR_SPEED, MOTOR_DEFLECTION};
static const motor_quantity drawn[ROWS] = {MOTOR_DEFLECTION, MOTOR_SPEED, MOTOR_ACCELERATION,
                                           MOTOR_TORQUE,     MOTOR_RATE,  MOTOR_POWER};

struct motor_report {
  const drive *d;
  int samples, count; /* in all, and so far */
  int columns;        /* quantities that are written */
  output output;
  FILE *file;
  bool npz;
  double *t, *q, *values;      /* NPZ: [samples], [samples x nq], [columns x samples x shown] */
  double *largest, *energy;    /* [nv x MOTOR_QUANTITIES], [nv] */
  double *power, *slope, time; /* [nv] at the sample before, and its time */
  worst_case *worst;           /* [nv x LIMITS] */
  limit *limits;               /* [nv x LIMITS] */
  double *sample;              /* [nv x LIMITS] room */
  watch watch;                 /* of these quantities along the motion */
  double hidden;               /* [Hz] --bandwidth, if samples do not show all of that; 0: they do */
  figure figure;
  thinner *thinners; /* [ROWS x figure columns]; NULL: no picture */
  int *coordinates;  /* [figure columns] */
};

double motor_value(const drive *d, int v, motor_quantity which) {
  size_t n = (size_t)d->nv, at = (size_t)v;
  const double *const rows[] = {d->theta,     d->theta + n, d->theta + 2 * n, d->spring,    d->motor,
                                d->motor + n, d->power,     d->current,       d->deflection};
  return rows[which][at];
}

void motor_unit(const drive *d, int v, motor_quantity which, char text[UNIT_TEXT]) {
  switch (which) {
    case MOTOR_THETA:
    case MOTOR_SPEED:
    case MOTOR_ACCELERATION:
      motion_unit(d->m->model, v, (int)which, text);
      return;
    case MOTOR_DEFLECTION:
      motion_unit(d->m->model, v, 0, text);
      return;
    case MOTOR_SPRING:
    case MOTOR_TORQUE:
    case MOTOR_RATE:
      torque_unit(d->m->model, v, which == MOTOR_RATE, text);
      return;
    default:
      snprintf(text, UNIT_TEXT, which == MOTOR_POWER ? "W" : "A");
  }
}

static limit limit_of(const drive *d, int v, int which) {
  const jn_actuator *a = jn_elastic_actuator(d->elastic, v);
  const limit limits[LIMITS] = {{a->torque_lower, a->torque_upper},
                                {-a->effort_rate, a->effort_rate},
                                {-a->velocity, a->velocity},
                                {-a->deflection, a->deflection}};
  return limits[which];
}

/* ---- File ---- */

static void write_names(const motor_report *r) {
  const drive *d = r->d;
  const jn_model *model = d->m->model;
  char name[JN_COORDINATE_NAME], unit[UNIT_TEXT];
  fputs("t", r->file);
  for (int i = 0; i < d->m->nq; i++) {
    jn_coordinate_name(model, i, name, sizeof name);
    write_column_name(r->file, name, "", configuration_unit(model, i));
  }
  for (int k = 0; k < r->columns; k++)
    for (int i = 0; i < d->count; i++) {
      jn_velocity_name(model, d->shown[i], name, sizeof name);
      motor_unit(d, d->shown[i], (motor_quantity)k, unit);
      write_column_name(r->file, name, endings[k], unit);
    }
  fputc('\n', r->file);
}

static void write_sample(motor_report *r) {
  const drive *d = r->d;
  if (!r->npz) {
    write_exact(r->file, d->m->t);
    write_exact_row(r->file, d->m->q, d->m->nq);
  } else {
    r->t[r->count] = d->m->t;
    memcpy(r->q + (size_t)r->count * (size_t)d->m->nq, d->m->q, (size_t)d->m->nq * sizeof(double));
  }
  for (int k = 0; k < r->columns; k++)
    for (int i = 0; i < d->count; i++) {
      double x = motor_value(d, d->shown[i], (motor_quantity)k);
      if (r->npz)
        r->values[((size_t)k * (size_t)r->samples + (size_t)r->count) * (size_t)d->count + (size_t)i] = x;
      else
        write_exact_row(r->file, &x, 1);
    }
  if (!r->npz) fputc('\n', r->file);
}

static bool write_npz(const motor_report *r) {
  const drive *d = r->d;
  char shape[80], name[JN_COORDINATE_NAME];
  npz_writer z;
  npz_begin(&z, r->file);
  snprintf(shape, sizeof shape, "%d,", r->count);
  npz_numbers(&z, "t", shape, r->t, (size_t)r->count);
  snprintf(shape, sizeof shape, "%d, %d", r->count, d->m->nq);
  npz_numbers(&z, "q", shape, r->q, (size_t)r->count * (size_t)d->m->nq);
  snprintf(shape, sizeof shape, "%d, %d", r->count, d->count);
  for (int k = 0; k < r->columns; k++)
    npz_numbers(&z, arrays[k], shape, r->values + (size_t)k * (size_t)r->samples * (size_t)d->count,
                (size_t)r->count * (size_t)d->count);
  char **names = allocate(((size_t)d->count + 1) * sizeof *names);
  for (int i = 0; i < d->count; i++) {
    jn_velocity_name(d->m->model, d->shown[i], name, sizeof name);
    names[i] = copy_text(name, strlen(name));
  }
  npz_texts(&z, "names", names, d->count);
  for (int i = 0; i < d->count; i++) free(names[i]);
  free(names);
  bool good = npz_end(&z);
  if (z.failed) say(stderr, "jounce: %s: an archive of more than 4 GiB is not possible; write CSV\n", r->output.path);
  return good || !z.failed;
}

static bool open_file(motor_report *r, const char *path) {
  size_t n = (size_t)r->samples;
  if (!column_names_return(r->d->m->model, path, !ends_with(path, ".npz"))) return false;
  r->file = output_open(&r->output, path);
  if (!r->file) return false;
  r->npz = ends_with(path, ".npz");
  if (!r->npz) {
    write_names(r);
    return true;
  }
  r->t = allocate(n * sizeof(double));
  r->q = allocate(n * (size_t)r->d->m->nq * sizeof(double));
  r->values = allocate((size_t)r->columns * n * (size_t)r->d->count * sizeof(double) + 8);
  return true;
}

int motor_report_write(motor_report *r, bool good) {
  if (!r || !r->file) return good || !r ? EXIT_FINE : EXIT_BAD;
  good = good && (!r->npz || write_npz(r));
  good = output_close(&r->output, good);
  r->file = NULL;
  return good ? EXIT_FINE : EXIT_BAD;
}

/* ---- Picture ---- */

static char *row_title(motor_quantity which) {
  static const char *const titles[MOTOR_QUANTITIES] = {
      [MOTOR_DEFLECTION] = "deflection θ − q",     [MOTOR_SPEED] = "motor speed",
      [MOTOR_ACCELERATION] = "motor acceleration", [MOTOR_TORQUE] = "motor torque",
      [MOTOR_RATE] = "motor torque rate",          [MOTOR_POWER] = "motor power"};
  return copy_text(titles[which], strlen(titles[which]));
}

static void init_figure(motor_report *r, const unsigned char *chosen) {
  const drive *d = r->d;
  int columns = 0;
  r->coordinates = allocate(((size_t)d->count + 1) * sizeof *r->coordinates);
  for (int i = 0; i < d->count; i++)
    if (!chosen || chosen[d->shown[i]]) r->coordinates[columns++] = d->shown[i];
  figure_init(&r->figure, ROWS, columns);
  r->figure.title = format_text("%s: motors, seen from the joints", jn_model_name(d->m->model));
  r->thinners = allocate(((size_t)ROWS * (size_t)columns + 1) * sizeof *r->thinners);
  for (int row = 0; row < ROWS; row++) {
    r->figure.row_titles[row] = row_title(drawn[row]);
    for (int c = 0; c < columns; c++) {
      char unit[UNIT_TEXT];
      panel *p = figure_panel(&r->figure, row, c);
      thinner_init(&r->thinners[row * columns + c], p, r->samples);
      motor_unit(d, r->coordinates[c], drawn[row], unit);
      p->unit = copy_text(unit, strlen(unit));
      for (int k = 0; k < LIMITS; k++) {
        limit l = limit_of(d, r->coordinates[c], k);
        if (limited[k] == drawn[row]) p->lower = l.lower, p->upper = l.upper;
      }
    }
  }
  for (int c = 0; c < columns; c++) {
    char name[JN_COORDINATE_NAME];
    jn_velocity_name(d->m->model, r->coordinates[c], name, sizeof name);
    r->figure.column_titles[c] = copy_text(name, strlen(name));
  }
}

int motor_report_draw(motor_report *r, const char *path, const char *size, int *files) {
  for (int i = 0; i < ROWS * r->figure.columns; i++) thinner_end(&r->thinners[i]);
  return figure_draw(&r->figure, path, size, files);
}

/* ---- Samples ---- */

motor_report *motor_report_create(const drive *d, const char *out, const char *plot, const unsigned char *chosen,
                                  int samples) {
  motor_report *r = allocate(sizeof *r);
  size_t nv = (size_t)d->nv;
  *r = (motor_report){.d = d, .samples = samples, .columns = MOTOR_CURRENT};
  for (int i = 0; i < d->count; i++)
    if (jn_elastic_actuator(d->elastic, d->shown[i])->torque_constant > 0) r->columns = COLUMNS;
  r->largest = allocate(nv * (MOTOR_QUANTITIES + 3) * sizeof(double));
  memset(r->largest, 0, nv * (MOTOR_QUANTITIES + 3) * sizeof(double));
  r->energy = r->largest + nv * MOTOR_QUANTITIES;
  r->power = r->energy + nv;
  r->slope = r->power + nv;
  r->worst = allocate(nv * LIMITS * sizeof *r->worst + 1);
  r->sample = allocate(nv * LIMITS * sizeof(double) + 1);
  r->limits = allocate(nv * LIMITS * sizeof *r->limits + 1);
  for (size_t i = 0; i < nv * LIMITS; i++) r->limits[i] = (limit){-INFINITY, INFINITY};
  for (int i = 0; i < d->count * LIMITS; i++)
    r->limits[d->shown[i / LIMITS] * LIMITS + i % LIMITS] = limit_of(d, d->shown[i / LIMITS], i % LIMITS);
  watch_init(&r->watch, d->nv * LIMITS, r->limits, r->worst);
  if (plot) init_figure(r, chosen);
  if (!out || open_file(r, out)) return r;
  motor_report_free(r);
  return NULL;
}

/* Energy by the trapezoidal rule with its end correction, which takes the slopes: order 4. */
static void add_energy(motor_report *r, const drive *d, int v) {
  size_t n = (size_t)d->nv, at = (size_t)v;
  double power = d->power[v], h = d->m->t - r->time;
  double slope = d->motor[n + at] * d->theta[n + at] + d->motor[at] * d->theta[2 * n + at];
  if (r->count > 0) r->energy[v] += h / 2 * (power + r->power[v]) + h * h / 12 * (r->slope[v] - slope);
  r->power[v] = power;
  r->slope[v] = slope;
}

/* Time derivative of a limited quantity. */
static double slope_of(const drive *d, int v, motor_quantity which) {
  size_t n = (size_t)d->nv, at = (size_t)v;
  if (which == MOTOR_TORQUE) return d->motor[n + at];
  if (which == MOTOR_RATE) return d->motor[2 * n + at];
  return which == MOTOR_SPEED ? d->theta[2 * n + at] : d->deflection[n + at];
}

/* All limited quantities of the drive, and their slopes (may be NULL). */
static void take_quantities(const drive *d, double *values, double *slopes) {
  for (int i = 0; i < d->nv * LIMITS; i++) {
    values[i] = motor_value(d, i / LIMITS, limited[i % LIMITS]);
    if (slopes) slopes[i] = slope_of(d, i / LIMITS, limited[i % LIMITS]);
  }
}

static jn_status look_at_drive(void *context, double t, look *to) {
  const double longest_damped = 5e-4; /* damped springs cannot go back to look more closely */
  drive *d = context;
  jn_status status = drive_at(d, t);
  if (status != JN_OK) return status;

  take_quantities(d, to->values, to->slopes);
  to->step = motion_step(d->m, jn_trajectory_next_step(d->m->trajectory, t) - t);
  if (d->damped) to->step = fmin(to->step, longest_damped);
  return JN_OK;
}

static double next_look(void *context, double t, bool *breaks) {
  const drive *d = context;
  return motion_next(d->m, t, breaks);
}

void motor_report_begin(motor_report *r, drive *d, double start, double end, double hidden) {
  r->hidden = hidden;
  r->watch.begin = start;
  r->watch.end = end;
  r->watch.evaluate = look_at_drive;
  r->watch.next = next_look;
  r->watch.progress = progress_show;
  r->watch.is_forward = d->damped;
  r->watch.context = d;
  watch_expect(&r->watch, jn_trajectory_frequency(d->m->trajectory));
}

/* Is there a limit at all? */
static bool has_limits(const motor_report *r) {
  for (int i = 0; i < r->watch.count; i++)
    if (limit_is_finite(&r->limits[i])) return true;
  return false;
}

jn_status motor_report_until(motor_report *r, double t) { return has_limits(r) ? watch_until(&r->watch, t) : JN_OK; }

void motor_report_sample(motor_report *r, const drive *d) {
  for (int i = 0; i < d->count; i++) {
    int v = d->shown[i];
    for (int k = 0; k < MOTOR_QUANTITIES; k++) {
      double *to = &r->largest[(size_t)v * MOTOR_QUANTITIES + (size_t)k];
      *to = fmax(*to, fabs(motor_value(d, v, (motor_quantity)k)));
    }
    add_energy(r, d, v);
  }
  take_quantities(d, r->sample, NULL);
  watch_sample(&r->watch, d->m->t, r->sample);
  r->time = d->m->t;
  for (int c = 0; c < r->figure.columns && r->thinners; c++)
    for (int row = 0; row < ROWS; row++)
      thinner_add(&r->thinners[row * r->figure.columns + c], d->m->t, motor_value(d, r->coordinates[c], drawn[row]));
  if (r->file) write_sample(r);
  r->count++;
}

void motor_report_free(motor_report *r) {
  if (!r) return;
  if (r->file) output_close(&r->output, false);
  if (r->thinners) figure_free(&r->figure);
  free(r->thinners);
  free(r->coordinates);
  free(r->largest);
  free(r->worst);
  free(r->limits);
  free(r->sample);
  watch_free(&r->watch);
  free(r->t);
  free(r->q);
  free(r->values);
  free(r);
}

/* ---- Tables ---- */

static void print_largest(const motor_report *r, const drive *d) {
  static const table_column columns[] = {{"joint", ALIGN_LEFT},         {"unit", ALIGN_LEFT},
                                         {"|theta - q|", ALIGN_POINT},  {"|theta'|", ALIGN_POINT},
                                         {"|theta''|", ALIGN_POINT},    {"|spring|", ALIGN_POINT},
                                         {"|motor tau|", ALIGN_POINT},  {"|d motor tau/dt|", ALIGN_POINT},
                                         {"|power| [W]", ALIGN_POINT},  {"energy [J]", ALIGN_POINT},
                                         {"|current| [A]", ALIGN_POINT}};
  static const motor_quantity shown[] = {MOTOR_DEFLECTION, MOTOR_SPEED, MOTOR_ACCELERATION, MOTOR_SPRING,
                                         MOTOR_TORQUE,     MOTOR_RATE,  MOTOR_POWER};
  bool current = r->columns > MOTOR_CURRENT;
  char name[JN_COORDINATE_NAME];
  table t;
  table_init(&t, columns, current ? 11 : 10);
  for (int i = 0; i < d->count; i++) {
    int v = d->shown[i];
    const double *largest = r->largest + (size_t)v * MOTOR_QUANTITIES;
    jn_velocity_name(d->m->model, v, name, sizeof name);
    table_cell(&t, name);
    table_cell(&t, is_angular(d->m->model, v) ? "rad, N m" : "m, N");
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) table_number(&t, largest[shown[k]]);
    table_number(&t, r->energy[v]);
    if (current && jn_elastic_actuator(d->elastic, v)->torque_constant > 0)
      table_number(&t, largest[MOTOR_CURRENT]);
    else if (current)
      table_cell(&t, "");
  }
  puts("\nMotors, seen from the joints: largest values, and the energy that they give");
  table_print(&t, stdout);
}

/* Can neither be said that the limit holds, nor that it is broken? */
static bool is_open(const motor_report *r, int at) {
  if (!limit_is_finite(&r->limits[at]) || is_broken(&r->worst[at])) return false;
  bool jumps = limited[at % LIMITS] == MOTOR_RATE && watch_jump(&r->watch, at - 1) != NULL; /* the torque does */
  return r->watch.open[at] || isfinite(r->watch.gave_up) || jumps || r->hidden > 0;
}

static void use_cell(table *t, const motor_report *r, int at) {
  const limit *l = &r->limits[at];
  const worst_case *w = &r->worst[at];
  char time[TIME_TEXT];
  if (!limit_is_finite(l) || w->use < 0) {
    table_cell(t, "-");
    return;
  }
  time_text(w->time, 3, time);
  bool broken = is_broken(w);
  const char *mark = broken ? "! " : is_open(r, at) ? "? " : "";
  if (isfinite(l->lower) && isfinite(l->upper) && isfinite(w->use)) /* infinite: of a limit that leaves nothing */
    table_cellf(t, w->use < 0.0995 ? "%s%.2g%% @ %s" : "%s%.0f%% @ %s", mark, 100 * w->use, time);
  else
    table_cellf(t, "%s%s @ %s", mark, broken ? "beyond" : "within", time);
}

static const char *const limit_names[LIMITS] = {"motor torque", "motor torque rate", "motor speed", "deflection"};

static void print_violation(const drive *d, int v, int k, const worst_case *w) {
  char name[JN_COORDINATE_NAME], unit[UNIT_TEXT], value[NUMBER_TEXT], bound[NUMBER_TEXT], time[TIME_TEXT];
  limit l = limit_of(d, v, k);
  jn_velocity_name(d->m->model, v, name, sizeof name);
  motor_unit(d, v, limited[k], unit);
  short_number(w->value, value);
  short_number(w->value > l.upper ? l.upper : l.lower, bound);
  time_text(w->time, 4, time);
  say(stdout, "  %s %s: %s %s at %s s, beyond the limit of %s", name, limit_names[k], value, unit, time, bound);
  if (w->samples)
    say(stdout, " (%d sample%s)\n", w->samples, w->samples == 1 ? "" : "s");
  else
    puts(" (between two samples)");
}

/* Why a limit cannot be decided. */
static void print_open(const motor_report *r, const drive *d, int at) {
  char name[JN_COORDINATE_NAME], time[TIME_TEXT];
  int k = at % LIMITS;
  jn_velocity_name(d->m->model, at / LIMITS, name, sizeof name);
  if (r->hidden > 0) {
    say(stdout,
        "  %s %s: the samples show nothing faster than %.4g Hz, half of their rate, and --bandwidth is %.4g Hz\n", name,
        limit_names[k], motion_shown(d->m), r->hidden);
  } else if (isfinite(r->watch.gave_up)) {
    time_text(r->watch.gave_up, 4, time);
    say(stdout, "  %s %s: from %s s on, only the samples were looked at, because all times would take too long\n", name,
        limit_names[k], time);
  } else if (r->watch.open[at]) {
    say(stdout, "  %s %s: so near to the limit that it may be passed between two steps of the damped springs\n", name,
        limit_names[k]);
  } else {
    time_text(r->watch.jumps[at - 1].time, 4, time);
    say(stdout, "  %s %s: the motor torque jumps at %s s, so nothing bounds its rate there\n", name, limit_names[k],
        time);
  }
}

/* How many limits there are, and how many are broken. */
static int count_limits(const motor_report *r, int *broken, int *unsure) {
  int known = 0;
  *broken = *unsure = 0;
  for (int at = 0; at < r->watch.count; at++) {
    known += limit_is_finite(&r->limits[at]);
    *broken += is_broken(&r->worst[at]);
    *unsure += is_open(r, at);
  }
  return known;
}

/* Whether the limits hold. */
static int print_verdict(const motor_report *r, const drive *d, int known, int broken, int unsure) {
  if (broken) printf("%d of %d limits of the motors are broken:\n", broken, known);
  for (int at = 0; at < r->watch.count && broken; at++)
    if (is_broken(&r->worst[at])) print_violation(d, at / LIMITS, at % LIMITS, &r->worst[at]);

  if (unsure) printf("Cannot tell whether %d of %d limits of the motors hold:\n", unsure, known);
  for (int at = 0; at < r->watch.count && unsure; at++)
    if (is_open(r, at)) print_open(r, d, at);

  if (broken) return EXIT_BAD;
  if (unsure) return EXIT_UNSURE;
  say(stdout, "All %d limits of the motors hold.\n", known);
  if (jn_trajectory_samples(d->m->trajectory) > 0)
    puts("  Assumed: the splines through the samples are the motion; --limits says what noise may hide");
  return EXIT_FINE;
}

double motor_report_use(const motor_report *r) {
  double most = 0;
  for (int i = 0; i < r->d->nv * LIMITS; i++) most = fmax(most, r->worst[i].use);
  return most;
}

int motor_report_print(const motor_report *r, const drive *d) {
  static const table_column columns[] = {{"joint", ALIGN_LEFT},
                                         {"motor torque", ALIGN_RIGHT},
                                         {"torque rate", ALIGN_RIGHT},
                                         {"motor speed", ALIGN_RIGHT},
                                         {"deflection", ALIGN_RIGHT}};
  print_largest(r, d);
  double error = jn_elastic_error(d->elastic), deflection = 0;
  for (int i = 0; i < d->nv; i++) deflection = fmax(deflection, r->largest[i * MOTOR_QUANTITIES + MOTOR_DEFLECTION]);
  if (error > 1e-9 * deflection)
    printf("The deflections of damped springs may be off by %.1e rad or m: the torques change too fast in 2 ms.\n",
           error);
  int broken, unsure, known = count_limits(r, &broken, &unsure);
  if (known == 0) return EXIT_FINE;
  table t;
  char name[JN_COORDINATE_NAME];
  table_init(&t, columns, LIMITS + 1);
  for (int i = 0; i < d->count; i++) {
    int v = d->shown[i];
    jn_velocity_name(d->m->model, v, name, sizeof name);
    table_cell(&t, name);
    for (int k = 0; k < LIMITS; k++) use_cell(&t, r, v * LIMITS + k);
  }
  puts("\nLimits of the motors: largest share used, and when [s] (100%: at the limit)");
  table_print(&t, stdout);
  return print_verdict(r, d, known, broken, unsure);
}

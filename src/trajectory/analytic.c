/* SPDX-License-Identifier: BSD-2-Clause */
/* Closed forms (JSON, docs/torque.md):
 *   {"start": 0, "duration": 5, "times": [...], "joints": {NAME: form, or [forms] for joints of several coordinates}}
 * A form is a number (constant), {"polynomial": [c0, c1, ...]} in t - start, {"cosine": {...}}, {"fourier": {...}}, or
 * {"minimum_jerk": {"points": [...], ...}} and similar ones. */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../io/limit.h"
#include "../io/native.h"
#include "../text/words.h"
#include "trajectory.h"

enum { MAX_FAULTS = 20 };

typedef struct reader {
  jn_loading *l;
  jn_trajectory *out;
  const char *text, *end;
  const char *joint; /* that is read now; NULL at the top level */
  const char **keys; /* [nq] the member of "joints" that each curve comes from */
  json_t *times;
  double first_time, last_time; /* of all waypoints */
} reader;

/* ---- Messages ---- */

static jn_place place_of(const reader *r, const char *key) {
  jn_scan at = jn__scan_start(r->text, r->end), key_at = at;
  if (r->joint) at = jn__scan_member(jn__scan_member(at, r->end, "joints", &key_at), r->end, r->joint, &key_at);
  if (key) jn__scan_member(at, r->end, key, &key_at);
  return (jn_place){r->l->file, key_at.p ? key_at.line : 0, jn__scan_column(&key_at)};
}

static int fault(reader *r, const char *key, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Always 0. */
static int fault(reader *r, const char *key, const char *remedy, const char *format, ...) {
  char subject[96] = "", text[256];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (r->joint) snprintf(subject, sizeof subject, "joint '%.*s'", JN_CLIP(r->joint));
  jn__log(&r->l->log, JN_ERROR, JN_ERR_SYNTAX, "trajectory-form", place_of(r, key), subject, remedy, "%s", text);
  return 0;
}

static int no_memory(reader *r) {
  jn__log(&r->l->log, JN_ERROR, JN_ERR_MEMORY, "memory", (jn_place){r->l->file, 0, 0}, NULL, NULL, "%s",
          jn_status_text(JN_ERR_MEMORY));
  return 0;
}

static int check_keys(reader *r, const json_t *object, const char *known) {
  const char *key;
  json_t *value;
  char remedy[256];
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    if (strcmp(key, "comment") == 0 || jn__is_listed(known, key)) continue;
    jn__suggest(known, key, remedy, sizeof remedy);
    return fault(r, r->joint ? NULL : key, remedy, "'%.*s' is not a known key", JN_CLIP(key));
  }
  return 1;
}

/* ---- Values ---- */

/* A member that is a number, or a default (NaN: it must be there). */
static int get_number(reader *r, const json_t *object, const char *key, double missing, double *x) {
  json_t *value = json_object_get(object, key);
  *x = value && json_is_number(value) ? json_number_value(value) : missing;
  if (value && !json_is_number(value)) return fault(r, r->joint ? NULL : key, NULL, "'%s' must be a number", key);
  if (isnan(*x)) return fault(r, NULL, NULL, "'%s' is missing", key);
  return 1;
}

/* An array of numbers in kept memory; NULL after reporting what is wrong. */
static double *get_array(reader *r, json_t *value, const char *what, int *count) {
  if (!json_is_array(value)) return fault(r, NULL, NULL, "'%s' must be an array of numbers", what), NULL;
  size_t n = json_array_size(value);
  double *x = jn__keep(&r->out->blocks, (n + 1) * sizeof *x);
  if (!x || n > 1 << 24) return no_memory(r), NULL;
  for (size_t i = 0; i < n; i++) {
    json_t *number = json_array_get(value, i);
    if (!json_is_number(number)) return fault(r, NULL, NULL, "'%s' [%zu] is not a number", what, i), NULL;
    x[i] = json_number_value(number);
  }
  *count = (int)n;
  return x;
}

/* ---- Forms ---- */

static int read_polynomial(reader *r, json_t *value, jn_curve *c) {
  *c = (jn_curve){.kind = JN_CURVE_POLYNOMIAL, .origin = r->out->start};
  return (c->numbers = get_array(r, value, "polynomial", &c->count)) != NULL;
}

/* offset + amplitude cos(omega (t - start) + phase) */
static int read_cosine(reader *r, json_t *value, jn_curve *c) {
  double amplitude, omega, phase, offset;
  if (!json_is_object(value)) return fault(r, NULL, NULL, "'cosine' must be an object");
  if (!check_keys(r, value, "amplitude, omega, phase, offset")) return 0;
  if (!get_number(r, value, "amplitude", NAN, &amplitude) || !get_number(r, value, "omega", NAN, &omega)) return 0;
  if (!get_number(r, value, "phase", 0, &phase) || !get_number(r, value, "offset", 0, &offset)) return 0;
  double *x = jn__keep(&r->out->blocks, 3 * sizeof *x);
  if (!x) return no_memory(r);
  x[0] = offset;
  x[1] = amplitude * cos(phase);
  x[2] = phase == 0 ? 0 : -amplitude * sin(phase);
  *c = (jn_curve){.kind = JN_CURVE_FOURIER, .count = 3, .origin = r->out->start, .frequency = omega, .numbers = x};
  return 1;
}

/* offset + sum cos[k] cos((k + 1) omega s) + sin[k] sin((k + 1) omega s), s = t - start */
static int read_fourier(reader *r, json_t *value, jn_curve *c) {
  double omega, offset, *a = NULL, *b = NULL;
  int na = 0, nb = 0;
  if (!json_is_object(value)) return fault(r, NULL, NULL, "'fourier' must be an object");
  if (!check_keys(r, value, "omega, offset, cos, sin")) return 0;
  if (!get_number(r, value, "omega", NAN, &omega) || !get_number(r, value, "offset", 0, &offset)) return 0;
  json_t *cosines = json_object_get(value, "cos"), *sines = json_object_get(value, "sin");
  if (cosines && !(a = get_array(r, cosines, "cos", &na))) return 0;
  if (sines && !(b = get_array(r, sines, "sin", &nb))) return 0;
  int n = na > nb ? na : nb;
  double *x = jn__keep(&r->out->blocks, (size_t)(2 * n + 1) * sizeof *x);
  if (!x) return no_memory(r);
  x[0] = offset;
  for (int k = 0; k < n; k++) {
    x[2 * k + 1] = k < na ? a[k] : 0;
    x[2 * k + 2] = k < nb ? b[k] : 0;
  }
  *c = (jn_curve){
      .kind = JN_CURVE_FOURIER, .count = 2 * n + 1, .origin = r->out->start, .frequency = omega, .numbers = x};
  return 1;
}

/* Derivatives at an end: as many as given, the others zero (rest). */
static double *get_end(reader *r, json_t *object, const char *key, int most) {
  json_t *value = json_object_get(object, key);
  double *x = jn__keep(&r->out->blocks, JN_MAX_DEGREE * sizeof *x);
  int n = 0;
  if (!x) return no_memory(r), NULL;
  if (!value) return x;
  double *given = get_array(r, value, key, &n);
  if (!given) return NULL;
  if (n > most)
    return fault(r, NULL, NULL, "'%s' has %d derivatives; at most %d are possible: velocity, acceleration, ...", key, n,
                 most),
           NULL;
  memcpy(x, given, (size_t)n * sizeof *x);
  return x;
}

static int check_waypoints(reader *r, const double *t, int times, int points) {
  if (points < 2) return fault(r, NULL, NULL, "'points' needs at least two numbers");
  if (times != points)
    return fault(r, NULL, "'times' goes next to 'points', or at the top of the file for all joints",
                 "there are %d points but %d times", points, times);
  for (int i = 1; i < times; i++)
    if (!(t[i] > t[i - 1]))
      return fault(r, NULL, NULL, "'times' must increase, but [%d] is %g after %g", i, t[i], t[i - 1]);
  r->first_time = fmin(r->first_time, t[0]);
  r->last_time = fmax(r->last_time, t[times - 1]);
  return 1;
}

static int is_zero(const double *x, int count) {
  for (int i = 0; i < count; i++)
    if (x[i] != 0) return 0;
  return 1;
}

static int read_waypoints(reader *r, json_t *value, int m, const char *name, jn_curve *c) {
  json_t *points = json_is_array(value) ? value : json_object_get(value, "points"), *times = NULL;
  int n = 0, nt = 0;
  if (json_is_object(value) && !check_keys(r, value, "points, times, start, end")) return 0;
  if (json_is_object(value)) times = json_object_get(value, "times");
  if (!times) times = r->times;
  if (!points || !times)
    return fault(r, NULL, "'times' goes next to 'points', or at the top of the file for all joints",
                 "needs 'points' and 'times'");
  double *x = get_array(r, points, "points", &n), *t = x ? get_array(r, times, "times", &nt) : NULL;
  if (!t || !check_waypoints(r, t, nt, n)) return 0;
  double *start = get_end(r, value, "start", m - 1), *end = start ? get_end(r, value, "end", m - 1) : NULL;
  if (!end) return 0;
  jn_status status = jn__waypoint_spline(&r->out->blocks, m, n, t, x, start, end, c);
  if (status == JN_ERR_MEMORY) return no_memory(r);
  if (status != JN_OK) return fault(r, NULL, NULL, "no curve goes through these points: are times too close?");
  c->rest = (is_zero(start, m - 1) ? JN_REST_BEFORE : 0) | (is_zero(end, m - 1) ? JN_REST_BEHIND : 0);
  int continuous = 2 * m - 2;
  if (n > 2 && continuous < r->l->options.order + 2) {
    char remedy[64], subject[96];
    snprintf(remedy, sizeof remedy, "%s", m < 4 ? "use minimum_snap" : "use minimum_crackle, or a lower order");
    snprintf(subject, sizeof subject, "joint '%.*s'", JN_CLIP(r->joint));
    jn__log(
        &r->l->log, JN_WARNING, JN_ERR_MODEL, "not-smooth", place_of(r, NULL), subject, remedy,
        "%s has continuous derivatives up to order %d; torques of order %d need order %d, so they jump at the points",
        name, continuous, r->l->options.order, r->l->options.order + 2);
  }
  return 1;
}

static int read_form(reader *r, json_t *form, jn_curve *c) {
  static const char known[] =
      "polynomial, cosine, fourier, minimum_acceleration, minimum_jerk, minimum_snap, minimum_crackle";
  static const char *const minima[] = {"minimum_acceleration", "minimum_jerk", "minimum_snap", "minimum_crackle"};
  if (json_is_number(form)) {
    double *x = jn__keep(&r->out->blocks, sizeof *x);
    if (!x) return no_memory(r);
    *x = json_number_value(form);
    *c = (jn_curve){.kind = JN_CURVE_POLYNOMIAL, .count = 1, .numbers = x};
    return 1;
  }
  if (!json_is_object(form) || json_object_size(form) != 1) {
    return fault(r, NULL, NULL, "needs one form, {\"NAME\": ...}; known are: %s", known);
  }
  const char *name = json_object_iter_key(json_object_iter(form));
  json_t *value = json_object_iter_value(json_object_iter(form));
  if (!check_keys(r, form, known)) return 0;
  if (strcmp(name, "polynomial") == 0) return read_polynomial(r, value, c);
  if (strcmp(name, "cosine") == 0) return read_cosine(r, value, c);
  if (strcmp(name, "fourier") == 0) return read_fourier(r, value, c);
  for (int i = 0; i < 4; i++)
    if (strcmp(name, minima[i]) == 0) return read_waypoints(r, value, i + 2, name, c);
  return fault(r, NULL, NULL, "'comment' is not a form");
}

/* ---- Joints ---- */

static int read_joint(reader *r, const char *name, json_t *value, unsigned char *given) {
  const jn_model *m = r->l->model;
  int joint = jn_joint_index(m, name);
  if (joint == JN_NONE && strcmp(name, "base") == 0) joint = r->l->base;
  r->joint = name;
  if (joint == JN_NONE || jn_joint_nq(m, joint) == 0) {
    char remedy[JN_NAME] = "jounce info shows the names of the joints";
    const char *near = jn__nearest_joint(m, name);
    if (near && joint == JN_NONE) snprintf(remedy, sizeof remedy, "did you mean '%.*s'?", JN_CLIP(near));
    jn__log(&r->l->log, JN_ERROR, JN_ERR_NAME, "unknown-joint", place_of(r, NULL), name, remedy, "%s",
            joint == JN_NONE ? "is not a joint of the model" : "is a joint without coordinates of its own");
    return 0;
  }
  int n = jn_joint_nq(m, joint), at = jn_joint_q(m, joint);
  memset(given + at, 1, (size_t)n);
  for (int i = 0; i < n; i++) r->keys[at + i] = name;
  if (n == 1 && !json_is_array(value)) return read_form(r, value, &r->out->curves[at]);
  if (!json_is_array(value) || json_array_size(value) != (size_t)n)
    return fault(r, NULL, NULL, "has %d coordinates and needs an array of as many forms", n);
  for (int i = 0; i < n; i++)
    if (!read_form(r, json_array_get(value, (size_t)i), &r->out->curves[at + i])) return 0;
  return 1;
}

static int check_missing(reader *r, const unsigned char *given) {
  double *neutral = jn__keep(&r->out->blocks, (size_t)r->out->nq * sizeof *neutral);
  char name[JN_NAME];
  if (!neutral) return no_memory(r);
  jn_neutral(r->l->model, neutral);
  r->joint = NULL;
  for (int i = 0; i < r->out->nq; i++) {
    if (given[i]) continue;
    r->out->curves[i] = (jn_curve){.kind = JN_CURVE_POLYNOMIAL, .count = 1, .numbers = neutral + i};
    if (r->l->options.missing_neutral) continue;
    jn_coordinate_name(r->l->model, i, name, sizeof name);
    jn__log(&r->l->log, JN_ERROR, JN_ERR_NAME, "missing-joint", place_of(r, "joints"), NULL,
            "add it, or keep what is missing at rest with --missing neutral", "has nothing for '%s'", name);
    return 0;
  }
  return 1;
}

static int read_range(reader *r, json_t *root, double start) {
  double duration, end = NAN;
  json_t *value = json_object_get(root, "duration");
  if (value && !get_number(r, root, "duration", NAN, &duration)) return 0;
  if (value) end = start + duration;
  if (!value && isfinite(r->last_time)) {
    end = r->last_time;
    if (!json_object_get(root, "start")) r->out->start = r->first_time;
  }
  r->out->end = end;
  if (isnan(end)) return fault(r, NULL, "\"duration\": 5", "'duration' [s] is missing");
  if (!(end > r->out->start)) return fault(r, "duration", NULL, "'duration' must be positive");
  return 1;
}

/* Waypoints that do not cover the time of the trajectory: at rest they are held, in motion there is nothing to go on
 * by.
 */
static int check_cover(reader *r, int i) {
  const jn_curve *c = &r->out->curves[i];
  double first = c->knots[0], last = c->knots[c->count], slack = 1e-9 * (r->out->end - r->out->start);
  int before = r->out->start<first - slack, behind = r->out->end> last + slack, ends = c->degree / 2;
  int missing = (before ? JN_REST_BEFORE : 0) | (behind ? JN_REST_BEHIND : 0);
  r->joint = r->keys[i];
  if (missing & ~c->rest)
    return fault(
        r, NULL, "give points for the whole time, or let them end at rest: without 'start', 'end'",
        "has points from %.15g to %.15g s and is not at rest there, but the trajectory goes from %.15g to %.15g s",
        first, last, r->out->start, r->out->end);
  if (!missing || ends >= r->l->options.order + 2) return 1;
  char subject[96];
  snprintf(subject, sizeof subject, "joint '%.*s'", JN_CLIP(r->joint));
  jn__log(&r->l->log, JN_WARNING, JN_ERR_MODEL, "not-smooth", place_of(r, NULL), subject,
          "give points for the whole time, use a form of higher order, or ask for a lower order",
          "is at rest %s %.15g s; derivatives above order %d jump there, but torques of order %d need order %d",
          before ? "until" : "from", before ? first : last, ends, r->l->options.order, r->l->options.order + 2);
  return 1;
}

static int check_covers(reader *r) {
  int good = 1;
  for (int i = 0; i < r->out->nq; i++)
    if (r->out->curves[i].kind == JN_CURVE_SPLINE) good &= check_cover(r, i);
  r->joint = NULL;
  return good;
}

/* Angles that no joint has: likely degrees. */
static void check_degrees(reader *r, int i) {
  enum { TIMES = 200 };
  double limit, x[2], worst = 0, when = 0;
  jn_travel travel = {0};
  for (int k = 0; k <= TIMES; k++) {
    double t = r->out->start + (r->out->end - r->out->start) * k / TIMES;
    jn__curve_jet(&r->out->curves[i], t, 2, x);
    if (fabs(x[0]) > fabs(worst)) worst = x[0], when = t;
    if (k == 0) travel = (jn_travel){x[0], x[0], x[0], x[0], 0};
    travel.last = x[0];
    travel.low = fmin(travel.low, x[0]);
    travel.high = fmax(travel.high, x[0]);
    travel.speed = fmax(travel.speed, fabs(x[1]));
  }
  if (!(fabs(worst) > jn__likely_angle(r->l->model, i, &travel, &limit)) || !r->keys[i]) return;
  char subject[96];
  r->joint = r->keys[i];
  snprintf(subject, sizeof subject, "joint '%.*s'", JN_CLIP(r->joint));
  jn__log(&r->l->log, JN_WARNING, JN_ERR_MODEL, "degrees", place_of(r, NULL), subject,
          "closed forms are in radians: multiply by pi / 180", "is %.6g at %.15g s, likely degrees instead of radians",
          worst, when);
  r->joint = NULL;
}

static int read_root(reader *r, json_t *root) {
  const char *name;
  json_t *value, *joints = json_object_get(root, "joints");
  if (!json_is_object(root) || !check_keys(r, root, "start, duration, times, joints")) return 0;
  if (!get_number(r, root, "start", 0, &r->out->start)) return 0;
  r->times = json_object_get(root, "times");
  if (!json_is_object(joints))
    return fault(r, NULL, "\"joints\": {\"NAME\": {\"polynomial\": [0, 1]}}", "needs 'joints'");
  unsigned char *given = r->out->given;
  int good = 1;
  r->keys = jn__keep(&r->out->blocks, (size_t)r->out->nq * sizeof *r->keys);
  if (!r->keys) return no_memory(r);
  int faults = 0;
  json_object_foreach(joints, name, value) {
    good &= read_joint(r, name, value, given);
    if (!good && ++faults == MAX_FAULTS) break; /* to find the place of each takes a walk over the text */
  }
  r->joint = NULL;
  if (!good || !check_missing(r, given) || !read_range(r, root, r->out->start) || !check_covers(r)) return 0;
  for (int i = 0; i < r->out->nq; i++) check_degrees(r, i);
  return 1;
}

jn_status jn__analytic_read(jn_loading *l, const char *text, size_t length, jn_trajectory *out) {
  json_error_t error;
  if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3, length -= 3;
  if (!jn__json_fits(&l->log, l->file, text, length, jn__limit(l->options.max_bytes))) return JN_ERR_FILE;
  json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
  if (!root) {
    jn__log(&l->log, JN_ERROR, JN_ERR_SYNTAX, "json", (jn_place){l->file, error.line, error.column}, NULL, NULL,
            "is not JSON: %s", error.text);
    return JN_ERR_SYNTAX;
  }
  reader r = {.l = l, .out = out, .text = text, .end = text + length, .first_time = INFINITY, .last_time = -INFINITY};
  int good = read_root(&r, root);
  json_decref(root);
  return good ? JN_OK : l->log.first.status;
}

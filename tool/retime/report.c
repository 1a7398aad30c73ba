/* SPDX-License-Identifier: BSD-2-Clause */
/* What jounce retime says about a timing: durations, the limits that it reaches, or why there is none. */
#include <math.h>

#include "../command.h"
#include "../text/print.h"
#include "retime.h"

enum { MOST_EVENTS = 30 };

static void event_unit(const jn_model *model, const jn_limit_event *e, char unit[UNIT_TEXT]) {
  int which = (int)e->which;
  if (which <= JN_LIMITED_JERK)
    motion_unit(model, e->v, which, unit);
  else if (e->which == JN_LIMITED_MOTOR_VELOCITY || e->which == JN_LIMITED_DEFLECTION)
    motion_unit(model, e->v, e->which == JN_LIMITED_MOTOR_VELOCITY, unit);
  else
    torque_unit(model, e->v, e->which == JN_LIMITED_EFFORT_RATE || e->which == JN_LIMITED_MOTOR_EFFORT_RATE, unit);
}

int tell_impossible(const new_motion *x) {
  char name[JN_COORDINATE_NAME], unit[UNIT_TEXT], time[TIME_TEXT];
  const jn_limit_event *e = &x->event;
  if (e->v < 0) {
    int end = e->from > jn_trajectory_start(x->m->trajectory);
    say(stdout,
        "No motion within the limits was found that is %.6g times as fast as the given one at its %s; up to %.6g was "
        "reached\n",
        e->limit, end ? "end" : "start", e->value);
    return EXIT_BAD;
  }
  jn_velocity_name(x->m->model, e->v, name, sizeof name);
  event_unit(x->m->model, e, unit);
  time_text(e->from, 4, time);
  const char *cause = e->which == JN_LIMITED_POSITION ? "the path itself goes there"
                      : e->which >= JN_LIMITED_EFFORT ? "so much is needed at rest already"
                                                      : "so it must not move at all";
  say(stdout, "No speed keeps all limits: %s %s is %.4g %s at %s s of the given motion, the limit is %.4g; %s\n", name,
      jn_limited_name(e->which), e->value, unit, time, e->limit, cause);
  return EXIT_BAD;
}

void tell_events(const new_motion *x) {
  const jn_model *model = x->m->model;
  const jn_retimed *r = x->r;
  static const table_column columns[] = {{"from [s]", ALIGN_POINT}, {"to", ALIGN_POINT},    {"joint", ALIGN_LEFT},
                                         {"limit", ALIGN_LEFT},     {"value", ALIGN_POINT}, {"unit", ALIGN_LEFT}};
  char name[JN_COORDINATE_NAME], unit[UNIT_TEXT], time[TIME_TEXT];
  int count = jn_retimed_event_count(r);
  table t;
  if (count == 0) return;
  table_init(&t, columns, 6);
  for (int i = 0; i < count && i < MOST_EVENTS; i++) {
    jn_limit_event e;
    if (jn_retimed_event(r, i, &e) != JN_OK) break;
    jn_velocity_name(model, e.v, name, sizeof name);
    event_unit(model, &e, unit);
    time_text(e.from, 3, time);
    table_cell(&t, time);
    time_text(e.to, 3, time);
    table_cell(&t, time);
    table_cell(&t, name);
    table_cell(&t, jn_limited_name(e.which));
    table_number(&t, e.value);
    table_cell(&t, unit);
  }
  puts("\nLimits that are reached (within 2 %, less the margin and what the rows need), and when");
  table_print(&t, stdout);
  if (count > MOST_EVENTS) printf("... and %d more\n", count - MOST_EVENTS);
}

void tell_rate(const new_motion *x) {
  if (!x->arg->torque.rate.count && fabs(x->rate / 1000 - 1) > 1e-9)
    say(stdout, "Rows are %.6g in a second, because the motion is so %s; --rate changes that\n", x->rate,
        x->rate < 1000 ? "long" : "short");
}

void tell_durations(const new_motion *x) {
  const retime_arg *arg = x->arg;
  const jn_limit_event *e = &x->first;
  const jn_trajectory *given = x->m->trajectory;
  double before = jn_trajectory_end(given) - jn_trajectory_start(given), after = jn_retimed_duration(x->r);
  char name[JN_COORDINATE_NAME], time[TIME_TEXT];
  double s[2][4];
  if (arg->waypoints) {
    say(stdout, "%s through %s: %.6g s\n", jn_model_name(x->m->model), arg->torque.trajectory, after);
    return;
  }
  say(stdout, "%s along %s: %.6g s before, %.6g s now (%.4g times as fast), %s\n", jn_model_name(x->m->model),
      arg->torque.trajectory, before, after, before / after,
      arg->uniform ? "one factor for the whole motion" : "along the path");
  if (e->v >= 0) {
    jn_velocity_name(x->m->model, e->v, name, sizeof name);
    time_text(e->from, 4, time);
    say(stdout, "The largest uniform factor is %.9g%s: %s %s at %s s of the motion at that speed\n", x->factor,
        arg->uniform ? "" : ", without stopping at the ends", name, jn_limited_name(e->which), time);
  }
  if (arg->uniform && before / after < 0.995 * x->factor)
    say(stdout,
        "The motion is slower than that factor, because it lasts a whole number of rows, and the curve through them "
        "keeps "
        "the limits, too; where slower is not always safer, as with springs that change over time, both may cost much. "
        "A "
        "higher --rate may help.\n");
  if (!arg->start_speed && !arg->end_speed) return;
  jn_retimed_path(x->r, 0, s[0]);
  jn_retimed_path(x->r, after, s[1]);
  say(stdout, "At the start the motion is %.6g times as fast as the given one, at the end %.6g times\n", s[0][1],
      s[1][1]);
}

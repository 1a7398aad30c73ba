/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce simulate: what to doubt about a motion. Energy that comes from nowhere, steps that pass a singular
 * configuration without seeing it, steps that shrink before one, and steps that only stiff losses keep short. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doubt.h"

#include "../command.h"
#include "../text/print.h"

enum { CHECK_EVERY = 20, FIRST_CHECK = 100, MANY_STEPS = 1000, ENOUGH = 5 }; /* of stiffness */

void doubts_init(doubts *d, const simulate_arg *arg, const jn_model *model, jn_simulator *simulator, jn_loops *loops,
                 double duration) {
  *d = (doubts){.arg = arg, .simulator = simulator, .loops = loops, .duration = duration, .weak = 1};
  d->nq = jn_model_nq(model);
  d->nv = jn_model_nv(model);
  d->integrator = arg->integrator;
  d->is_fixed = has_fixed_steps(arg->integrator);
  d->room = allocate(((size_t)d->nq + 4 * (size_t)d->nv) * sizeof *d->room);
}

void doubts_free(doubts *d) {
  free(d->room);
  free(d->longest);
}

/* ---- During the motion ---- */

/* Conditions that lose their strength: passing zero, they halve in the last step before it. */
static void watch_loops(doubts *d, double now) {
  const double small = 0.05;
  jn_loops_health health;
  if (!d->loops || jn_loops_last_health(d->loops, &health) != JN_OK) return;
  bool halves = d->is_fixed && health.weakest < small && 2 * health.weakest <= d->weak;
  if ((halves || health.near_singular) && !d->singular) {
    d->singular = true;
    d->singular_time = now;
  }
  d->weak = health.weakest;
}

/* The longest step so far, whenever that grows by a tenth. */
static void note_step(doubts *d, double now, double step) {
  if (d->longest_count > 0 && !(step > 1.1 * d->longest[d->longest_count - 1].step)) return;
  d->longest = reallocate(d->longest, ((size_t)d->longest_count + 1) * sizeof *d->longest);
  d->longest[d->longest_count++] = (step_note){now - step, step};
}

/* The largest rate of da/dv, by power iteration on differences: what explicit methods must resolve. */
static double fastest_rate(const doubts *d) {
  enum { ITERATIONS = 4 };
  const double e = 1e-7; /* far below the speed at which friction turns round */
  double t, *q = d->room, *v = q + d->nq, *a = v + d->nv, *x = a + d->nv, *y = x + d->nv, rate = 0;
  if (jn_simulator_get(d->simulator, &t, q, v) != JN_OK) return 0;
  if (jn_simulator_forces(d->simulator, t, q, v, NULL, a) != JN_OK) return 0;
  for (int i = 0; i < d->nv; i++) x[i] = 1 + 0.5 * sin(1 + 2.4 * i);
  for (int k = 0; k < ITERATIONS; k++) {
    double length = 0, next = 0;
    for (int i = 0; i < d->nv; i++) length += x[i] * x[i];
    if (!(length > 0)) return 0;
    length = sqrt(length);
    for (int i = 0; i < d->nv; i++) v[i] += e * x[i] / length;
    if (jn_simulator_forces(d->simulator, t, q, v, NULL, y) != JN_OK) return 0;
    for (int i = 0; i < d->nv; i++) {
      v[i] -= e * x[i] / length;
      x[i] = (y[i] - a[i]) / e;
      next += x[i] * x[i];
    }
    rate = sqrt(next);
  }
  return rate;
}

/* Steps that are as long as stability allows, time after time, and many more to come as long as these. */
static void watch_stiffness(doubts *d, double now, double step) {
  bool is_explicit = d->integrator == JN_TAYLOR || d->integrator == JN_DORMAND_PRINCE;
  if (!is_explicit || d->is_stiff || d->steps < FIRST_CHECK || d->steps % CHECK_EVERY != 0) return;
  double rate = fastest_rate(d), to_come = (d->duration - now) / step;
  d->stiff = step * rate > 1 && to_come > MANY_STEPS ? d->stiff + 1 : 0;
  d->is_stiff = d->stiff >= ENOUGH;
  d->rate = rate;
  d->step = step;
}

void doubts_switch(doubts *d, jn_simulator *simulator, int integrator) {
  doubts_report(d, &d->before);
  d->simulator = simulator;
  d->integrator = integrator;
  d->stiff = 0;
}

void doubts_report(const doubts *d, jn_simulation_report *r) {
  const jn_simulation_report before = d->before;
  jn_simulator_report(d->simulator, r);
  if (before.steps == 0) return;
  r->start = before.start;
  r->work += before.work;
  r->wrenches += before.wrenches;
  r->losses += before.losses;
  r->impacts += before.impacts;
  r->drift += before.drift;
  r->steps += before.steps;
  r->rejected += before.rejected;
  r->events += before.events;
}

void doubts_step(doubts *d, double before, double now) {
  double step = now - before;
  bool is_cut = jn_simulator_happened(d->simulator, NULL) != JN_NOTHING || now >= d->duration;
  d->steps++;
  watch_loops(d, now);
  if (!is_cut) note_step(d, now, step);
  if (!is_cut) watch_stiffness(d, now, step);
}

void doubts_sample(doubts *d) {
  jn_simulation_report r;
  if (jn_simulator_report(d->simulator, &r) == JN_OK) d->kinetic = fmax(d->kinetic, r.kinetic);
}

/* ---- At the end ---- */

/* The longest step that began before t. */
static double longest_before(const doubts *d, double t) {
  double longest = 0;
  for (int i = 0; i < d->longest_count && d->longest[i].start < t; i++) longest = d->longest[i].step;
  return longest;
}

/* Where steps become a million times shorter than they are on average, and than some before, accelerations nearly have
 * a pole. (Stiff motions begin with short steps, too.) */
static void warn_of_singularity(const doubts *d, const jn_simulation_report *r, double now) {
  const double little = 1e-6;
  double usual = fmin(now / (double)(r->steps > 0 ? r->steps : 1), longest_before(d, r->least_step_time));
  bool shrinks = r->least_step > 0 && r->least_step <= little * usual;
  if (!shrinks && !d->singular) return;
  fflush(stdout);
  if (shrinks)
    say(stderr,
        "jounce: warning: at t = %.6g s the motion nearly meets a singular configuration: steps shrink to %.1e s\n"
        "    what comes after depends on rounding; compare with another --local-error, or start elsewhere\n",
        r->least_step_time, r->least_step);
  else
    say(stderr,
        "jounce: warning: at t = %.6g s the motion passes a singular configuration of the loops%s\n"
        "    what comes after depends on rounding; compare with %s, or start elsewhere\n",
        d->singular_time, d->is_fixed ? " within one step" : "",
        d->is_fixed ? "--integrator taylor" : "another --local-error");
}

/* Energy that comes from nowhere, relative to what went to and fro. */
static void warn_of_drift(const doubts *d, const jn_simulation_report *r) {
  const double much = 0.01, least = 1e-10; /* [J] less than that is rounding */
  double size = fmax(d->kinetic, r->kinetic) + fabs(r->work) + fabs(r->wrenches) + r->losses + r->impacts;
  if (d->failed || fabs(r->drift) <= fmax(much * size, least)) return;
  fflush(stdout);
  say(stderr, "jounce: warning: the energy balance is off by %.2g J, %.3g %% of the largest kinetic energy and work: ",
      r->drift, 100 * fabs(r->drift) / size);
  double step = fmin(d->arg->step.count ? d->arg->step.values[0] : r->last_step, d->duration);
  if (d->is_fixed)
    say(stderr,
        "steps of %g s are too long for this motion\n    take --step %.1g or less, or --integrator taylor, which "
        "chooses them\n",
        step, 0.1 * step);
  else
    say(stderr, "this motion is not what the forces make\n    take a smaller --local-error\n");
}

void doubts_tell(const doubts *d) {
  jn_simulation_report r;
  double now;
  doubts_report(d, &r);
  jn_simulator_get(d->simulator, &now, NULL, NULL);
  warn_of_singularity(d, &r, now);
  warn_of_drift(d, &r);
}

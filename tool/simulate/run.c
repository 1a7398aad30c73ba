/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce simulate: the motion, sample by sample. What was done when the user interrupts, or when it cannot go on, is
 * written all the same: a whole file, up to there. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../figure/figure.h"
#include "../text/print.h"
#include "../text/progress.h"
#include "doubt.h"

enum { DEFAULT_SAMPLES = 1000, MOST_EVENTS = 20 };

static volatile sig_atomic_t interrupted;

/* The first signal ends the simulation, the second one the command. */
static void interrupt(int number) {
  interrupted = 1;
  signal(number, SIG_DFL);
}

static void catch_interrupts(void) {
  interrupted = 0;
#ifndef _WIN32
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction act = {.sa_handler = interrupt}, old;
    sigemptyset(&act.sa_mask);
    if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) sigaction(numbers[i], &act, NULL);
  }
#else
  signal(SIGINT, interrupt);
#endif
}

/* The largest distances from the motion to follow, of angles and of lengths: where and when. */
typedef struct tracking {
  double most[2], time[2];
  int at[2];
  double *room; /* [nq + 3 nv] */
} tracking;

/* The change to the stiff method: one simulator stays with the caller, the other is made here. */
typedef struct method_change {
  jn_simulation_options options; /* of the new one */
  jn_simulator *first, *second;  /* second NULL: not made */
  long steps;                    /* of the new one, until it is judged; -1: it was */
  double since;                  /* its first time */
} method_change;

typedef struct simulation {
  const simulate_arg *arg;
  acting_forces *forces;
  method_change change;
  jn_simulator *simulator;
  motion m; /* the sample that the writer, the plot and the table look at */
  double duration, every;
  int samples, done; /* in all, and so far */
  writer *writer;
  plot_data *plot;
  summary summary;
  int events;
  doubts doubts;
  tracking tracking; /* of --motion */
} simulation;

static double time_of(const simulation *s, int i) { return i == s->samples - 1 ? s->duration : i * s->every; }

/* How far the state is from the motion to follow. */
static jn_status track(simulation *s) {
  tracking *track = &s->tracking;
  motion *m = &s->m;
  double *q = track->room, *v_jet = q + m->nq, *away = v_jet + 2 * m->nv;
  jn_status status = follow_desired(s->forces, m->t, q, v_jet);
  if (status == JN_OK) status = jn_difference(m->model, s->forces->work, m->q, q, away);

  for (int v = 0; v < m->nv && status == JN_OK; v++) {
    int kind = is_angular(m->model, v) ? 0 : 1;
    if (!(fabs(away[v]) >= track->most[kind])) continue;
    track->most[kind] = fabs(away[v]);
    track->time[kind] = m->t;
    track->at[kind] = v;
  }
  return status;
}

static void print_tracking(const simulation *s) {
  static const char *const units[] = {"rad", "m"};
  char name[JN_COORDINATE_NAME], at[TIME_TEXT];
  const char *between = "tracking error: at most";
  for (int kind = 0; kind < 2; kind++) {
    int v = s->tracking.at[kind];
    if (v < 0) continue;
    jn_velocity_name(s->m.model, v, name, sizeof name);
    time_text(s->tracking.time[kind], 6, at);
    say(stdout, "%s %.3g %s ('%s' at t = %s s)", between, s->tracking.most[kind], units[kind], name, at);
    between = ",";
  }
  putchar('\n');
}

static jn_status take_sample(simulation *s, double t) {
  motion *m = &s->m;
  m->t = t;
  jn_status status = jn_simulator_dense(s->simulator, t, m->q, m->v_jet);
  if (status == JN_OK && m->loops) status = jn_loops_assemble(m->loops, NULL, 0, m->q, NULL);
  if (status == JN_OK && m->loops) status = jn_loops_project(m->loops, NULL, m->q, m->v_jet);
  if (status == JN_OK) status = jn_simulator_forces(s->simulator, t, m->q, m->v_jet, m->tau, m->v_jet + m->nv);
  if (status == JN_OK && s->tracking.room) status = track(s);
  if (status != JN_OK) return status;
  summary_sample(&s->summary, m);
  if (s->writer) writer_sample(s->writer, m);
  if (s->plot) plot_data_sample(s->plot, m);
  return JN_OK;
}

/* How far a step is from the motion to follow, at its end and between: --rate does not decide what is seen. */
static jn_status track_step(simulation *s, double before, double now) {
  enum { PARTS = 4 };
  motion *m = &s->m;
  double sample_time = m->t;
  jn_status status = JN_OK;

  for (int k = 1; k <= PARTS && s->tracking.room && status == JN_OK; k++) {
    m->t = before + (now - before) * k / PARTS;
    status = jn_simulator_dense(s->simulator, m->t, m->q, m->v_jet);
    if (status == JN_OK && m->loops) status = jn_loops_assemble(m->loops, NULL, 0, m->q, NULL);
    if (status == JN_OK) status = track(s);
  }
  m->t = sample_time;
  return status;
}

/* All samples up to now. */
static jn_status take_samples(simulation *s) {
  double now;
  jn_status status = jn_simulator_get(s->simulator, &now, NULL, NULL);
  int before = s->done;
  while (status == JN_OK && s->done < s->samples && time_of(s, s->done) <= now)
    status = take_sample(s, time_of(s, s->done++));
  if (s->done > before) doubts_sample(&s->doubts);
  return status;
}

/* ---- What happens ---- */

static void tell_failure(const simulation *s, jn_status status) {
  jn_simulation_report r;
  double now;
  jn_simulator_get(s->simulator, &now, NULL, NULL);
  jn_simulator_report(s->simulator, &r);
  const char *joint = jn_joint_name(s->m.model, r.joint), *what = jn_status_text(status);
  bool too_long = status == JN_ERR_STEP && s->doubts.is_fixed;
  if (too_long) what = "the motion cannot be followed further with this --step";
  if (joint)
    say(stderr, "jounce: at t = %.15g s: joint '%s': %s\n", now, joint, what);
  else
    say(stderr, "jounce: at t = %.15g s: %s\n", now, what);
  if (too_long)
    fputs("    numbers overflow: the steps are too long; take a smaller --step, or --integrator taylor\n", stderr);
  else if (status == JN_ERR_STEP)
    fputs("    stiff springs, damping or friction: --integrator rodas; a coarser --local-error; or forces that jump\n",
          stderr);
}

/* Tells an event; true when the simulation ends with it. */
static bool tell_event(simulation *s) {
  int index;
  char name[JN_COORDINATE_NAME], at[TIME_TEXT];
  double now;
  jn_happened what = jn_simulator_happened(s->simulator, &index);
  if (what == JN_NOTHING) return false;
  bool ends = !s->arg->events || strcmp(s->arg->events, "bounce") != 0;
  if (s->events++ >= MOST_EVENTS && !ends) return false;
  const jn_dof *dof = jn_coordinate_dof(s->m.model, index);
  jn_simulator_get(s->simulator, &now, NULL, NULL);
  time_text(now, 9, at);
  jn_velocity_name(s->m.model, index, name, sizeof name);
  progress_end();
  if (what == JN_RELEASE)
    say(stderr, "jounce: at t = %s s: '%s' leaves its stop\n", at, name);
  else
    say(stderr, "jounce: at t = %s s: '%s' reaches its %s limit %g %s\n", at, name,
        what == JN_LOWER_LIMIT ? "lower" : "upper", what == JN_LOWER_LIMIT ? dof->lower : dof->upper,
        is_angular(s->m.model, index) ? "rad" : "m");
  if (s->events == MOST_EVENTS && !ends) fputs("jounce: note: further events are only counted\n", stderr);
  return ends;
}

/* Goes on with another simulator from where the last one is. */
static jn_status go_on_with(simulation *s, jn_simulator *next, int integrator) {
  motion *m = &s->m;
  double now;
  jn_status status = jn_simulator_get(s->simulator, &now, m->q, m->v_jet);
  if (status == JN_OK) status = jn_simulator_set(next, now, m->q, m->v_jet);
  if (status != JN_OK) return status;
  doubts_switch(&s->doubts, next, integrator);
  s->simulator = next;
  return JN_OK;
}

/* Changes to rodas where stability keeps the steps of an explicit method short; only says so if a method was asked for,
 * or if a stop holds a joint, which the new simulator would not know. */
static void change_if_stiff(simulation *s, double now) {
  method_change *c = &s->change;
  doubts *d = &s->doubts;
  if (!d->is_stiff || c->first) return;
  c->first = s->simulator;
  c->options.integrator = JN_RODAS;
  c->options.order = 0;

  progress_end();
  const char *name = jn_integrator_name((jn_integrator)s->arg->integrator);
  bool may = !s->arg->chosen && !s->arg->order.count && s->events == 0;
  jn_status status = JN_ERR_UNSUPPORTED;
  if (may)
    status = s->m.loops ? jn_simulator_create_loops(s->m.loops, &c->options, &c->second)
                        : jn_simulator_create(s->m.model, &c->options, &c->second);
  if (status == JN_OK) status = go_on_with(s, c->second, JN_RODAS);
  c->since = now;

  say(stderr,
      "jounce: note: at t = %.6g s: rates of %.2g 1/s (stiff damping, friction or springs) keep the steps of %s at "
      "%.2g "
      "s, not the accuracy; %s\n",
      now, d->rate, name, d->step,
      status == JN_OK ? "going on with rodas, the method for this (--integrator keeps one)"
                      : "--integrator rodas needs far fewer steps");
}

/* Goes back if the steps of rodas become much shorter. */
static void judge_change(simulation *s, double now) {
  enum { TRIAL = 100 };
  method_change *c = &s->change;
  if (!c->second || c->steps < 0 || ++c->steps < TRIAL) return;
  c->steps = -1;
  if ((now - c->since) / TRIAL > 0.5 * s->doubts.step) return; /* a step of rodas takes no longer */
  if (go_on_with(s, c->first, s->arg->integrator) != JN_OK) return;
  progress_end();
  say(stderr, "jounce: note: at t = %.6g s: the steps of rodas are even shorter, going on with %s\n", now,
      jn_integrator_name((jn_integrator)s->arg->integrator));
}

/* An exit code: EXIT_FINE when the end was reached. */
static int run_steps(simulation *s) {
  double now = 0, last = -1;
  jn_status status = take_samples(s);
  bool ended = false;
  progress_begin("simulating");
  while (status == JN_OK && now < s->duration && !ended && !interrupted) {
    double before = now;
    status = jn_simulator_step(s->simulator, s->duration);
    jn_simulator_get(s->simulator, &now, NULL, NULL);
    if (status == JN_OK) doubts_step(&s->doubts, before, now);
    if (status == JN_OK) status = track_step(s, before, now);
    if (status == JN_OK) status = take_samples(s);
    if (status == JN_OK) ended = tell_event(s);
    if (status == JN_OK && !ended && now < s->duration) {
      change_if_stiff(s, now);
      judge_change(s, now);
    }
    progress_show(now / s->duration);
  }
  progress_end();
  if (s->done > 0) last = s->m.t;
  if (now > last && now < s->duration) take_sample(s, now); /* where it ended */
  s->doubts.failed = status != JN_OK;
  if (status != JN_OK) tell_failure(s, status);
  if (interrupted) say(stderr, "jounce: interrupted at t = %.6g s of %.6g s\n", now, s->duration);
  return status == JN_OK && now >= s->duration ? EXIT_FINE : EXIT_BAD;
}

/* ---- Tables ---- */

static void print_energy(const jn_simulation_report *r) {
  static const table_column columns[] = {{"energy", ALIGN_LEFT}, {"J", ALIGN_POINT}, {"", ALIGN_LEFT}};
  const struct {
    const char *name, *about;
    double value;
  } rows[] = {
      {"at the start", "kinetic and potential", r->start},
      {"work of torques", "", r->work},
      {"work of wrenches", "", r->wrenches},
      {"losses", "damping and friction", -r->losses},
      {"impacts", "taken by stops", -r->impacts},
      {"at the end", "", r->kinetic + r->potential},
  };
  table t;
  table_init(&t, columns, 3);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    table_cell(&t, rows[i].name);
    table_cellf(&t, "%.6f", rows[i].value + 0.0); /* no -0 */
    table_cell(&t, rows[i].about);
  }
  putchar('\n');
  table_print(&t, stdout);
  printf("drift: %.2e J, the error of the method in this balance\n", r->drift);
}

static void print_report(const simulation *s) {
  jn_simulation_report r;
  char at[TIME_TEXT];
  double now;
  doubts_report(&s->doubts, &r);
  jn_simulator_get(s->simulator, &now, NULL, NULL);
  time_text(now, 6, at);
  say(stdout, "%s: %s s in %ld step%s by %s%s (order %d)", jn_model_name(s->m.model), at, r.steps,
      r.steps == 1 ? "" : "s", jn_integrator_name((jn_integrator)s->arg->integrator),
      s->change.second ? (s->simulator == s->change.second ? ", then rodas" : ", some of them by rodas") : "", r.order);
  if (r.rejected) printf(", %ld rejected", r.rejected);
  if (r.events) say(stdout, ", %ld event%s", r.events, r.events == 1 ? "" : "s");
  putchar('\n');
  if (s->tracking.room) print_tracking(s);
  doubts_tell(&s->doubts);
  if (!s->arg->summary) return;
  summary_print(&s->summary, &s->m, 0);
  print_energy(&r);
}

/* ---- All of it ---- */

static int open_sinks(simulation *s) {
  const simulate_arg *arg = s->arg;
  summary_init(&s->summary, &s->m);
  if (arg->out) {
    s->writer = writer_open(arg->out, &s->m, 0, s->samples + 1); /* one more where it ends early */
    if (!s->writer) return EXIT_BAD;
  }
  if (arg->plot) s->plot = plot_data_create(&s->m, NULL, NULL, 3, 0, s->samples + 1);
  return OPTION_GO_ON;
}

static int draw(const simulation *s, bool written) {
  int files = 0;
  if (!s->plot) return EXIT_FINE;
  if (plot_data_draw(s->plot, s->arg->plot, s->arg->size, &files) != OPTION_GO_ON) return EXIT_BAD;
  if (strcmp(s->arg->plot, "-") == 0) return EXIT_FINE;
  if (!written) putchar('\n');
  figure_tell(s->arg->plot, files);
  return EXIT_FINE;
}

static void init_motion(simulation *s, const jn_model *model, jn_loops *loops) {
  motion *m = &s->m;
  *m = (motion){.model = model, .loops = loops, .nq = jn_model_nq(model), .nv = jn_model_nv(model)};
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
  m->q = allocate((nq + 3 * nv) * sizeof(double));
  m->v_jet = m->q + nq;
  m->tau = m->v_jet + 2 * nv;
}

int simulate_run(const simulate_arg *arg, acting_forces *f, jn_loops *loops, const jn_simulation_options *options,
                 jn_simulator *simulator, const double *q, const double *v, double duration) {
  const jn_model *model = f->model;
  simulation s = {.arg = arg, .forces = f, .simulator = simulator, .duration = duration, .tracking.at = {-1, -1}};
  s.change.options = *options;
  bool quiet = arg->out && strcmp(arg->out, "-") == 0;
  s.every = arg->every.count ? arg->every.values[0] : duration / DEFAULT_SAMPLES;
  s.samples = (int)ceil(duration / s.every - 1e-9) + 1;
  init_motion(&s, model, loops);
  if (f->motion) s.tracking.room = allocate(((size_t)s.m.nq + 3 * (size_t)s.m.nv) * sizeof(double));
  doubts_init(&s.doubts, arg, model, simulator, loops, duration);
  catch_interrupts();
  jn_status status = jn_simulator_set(simulator, 0, q, v);
  int result = status == JN_OK ? open_sinks(&s) : EXIT_BAD;
  if (status != JN_OK) tell_failure(&s, status);
  if (result == OPTION_GO_ON) {
    result = run_steps(&s);
    int written = writer_close(s.writer, true);
    if (!quiet) print_report(&s);
    if (quiet) doubts_tell(&s.doubts);
    if (written == EXIT_FINE && arg->out && !quiet) say(stdout, "\nWritten: %s\n", arg->out);
    int drawn = draw(&s, arg->out && !quiet);
    if (written != EXIT_FINE || drawn != EXIT_FINE) result = EXIT_BAD;
    summary_free(&s.summary);
  }
  jn_simulator_destroy(s.change.second);
  doubts_free(&s.doubts);
  free(s.tracking.room);
  free(s.m.q);
  return result;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "closed.h"
#include "compare.h"

#define BUDGET 15e6 /* ns for each number in a round */

enum { COLUMNS = 16, ROWS = 64, NAME = 128 };

/* ns for each state; NAN: not there */
typedef struct cell {
  double own, batch, peer[PEERS], gap[PEERS];
} cell;

typedef struct column {
  char title[NAME];
  cell rows[ROWS];
} column;

typedef struct loop_row {
  char title[NAME];
  loop_times times;
} loop_row;

static struct {
  column columns[COLUMNS];
  loop_row loops[COLUMNS];
  int columns_count, loops_count, rounds;
  char peers[PEERS][256]; /* description of each that was used */
} all;

/* ---- measuring ---- */

static void round_of_cell(cell *x, subject *s, const algorithm *a, peer *const peers[PEERS], int batch) {
  x->own = fmin(time_calls(a->run, s, STATES, BUDGET).least, x->own);
  if (batch) x->batch = fmin(time_calls(a->batch, s, 1, BUDGET).least / STATES, x->batch);
  for (int k = 0; k < PEERS; k++)
    for (peer_task t = 0; (t = peer_next_task(peers[k], a, t, NULL)) < PEER_TASKS; t++)
      x->peer[k] = fmin(peer_time(peers[k], t, BUDGET).least, x->peer[k]);
}

static cell measure(const robot *r, const algorithm *a, peer *const peers[PEERS]) {
  cell x = {.own = NAN, .batch = NAN};
  int wanted = 0, batch = algorithm_fits(r, a, STATES);
  for (int k = 0; k < PEERS; k++) {
    x.peer[k] = x.gap[k] = NAN;
    wanted |= peer_next_task(peers[k], a, 0, NULL) < PEER_TASKS;
  }
  if (!wanted || !algorithm_fits(r, a, 1)) return x;
  subject s = subject_create(r, a, batch ? STATES : 1, 1);
  for (int k = 0; k < PEERS; k++)
    for (peer_task t = 0; (t = peer_next_task(peers[k], a, t, NULL)) < PEER_TASKS; t++)
      x.gap[k] = fmax(x.gap[k], peer_disagreement(&s, a, peers[k], t));
  for (int i = 0; i < all.rounds; i++) round_of_cell(&x, &s, a, peers, batch);
  subject_destroy(&s);
  return x;
}

/* The name of a file without folder and extension; what may break a table is left out. */
static void title_of(const char *name, char *to, size_t size) {
  const char *slash = strrchr(name, '/');
  snprintf(to, size, "%.60s", slash ? slash + 1 : name);
  char *dot = strrchr(to, '.');
  if (dot) *dot = 0;
  for (char *c = to; *c; c++)
    if (*c == '|' || *c == '\n') *c = ' ';
}

static void add_robot(const char *name) {
  if (all.columns_count == COLUMNS) return;
  column *c = &all.columns[all.columns_count++];
  robot r = robot_create(name);
  peer *peers[PEERS];
  char title[64];
  int floating = 0;
  for (int i = 0; i < r.nlink; i++) floating |= jn_joint_type_of(r.model, i) == JN_FREE;
  title_of(name, title, sizeof title);
  snprintf(c->title, sizeof c->title, "%s (%d%s)", title, r.nv, floating ? ", floating" : "");
  fprintf(stderr, "bench: %s\n", c->title);
  peers_create(&r, peers);
  for (int k = 0; k < PEERS; k++)
    if (peers[k]) snprintf(all.peers[k], sizeof all.peers[k], "%s", peers[k]->description);
  robot lumped = robot_lumped(&r); /* Pinocchio's regressor has columns of bodies, ours of links */
  for (int k = 0; k < algorithm_count(0) && k < ROWS; k++) {
    const algorithm *a = algorithm_at(k);
    c->rows[k] = measure(strcmp(a->name, "torque regressor") == 0 ? &lumped : &r, a, peers);
  }
  robot_destroy(&lumped);
  peers_destroy(peers);
  robot_destroy(&r);
}

static void add_mechanism(const char *name) {
  if (all.loops_count == COLUMNS) return;
  loop_row *l = &all.loops[all.loops_count++];
  const char *colon = strchr(name, ':'), *last = strrchr(name, ':');
  char file[NAME], title[64];
  snprintf(l->title, sizeof l->title, "%s", name);
  if (colon && last > colon) { /* KIND:ROBOT:LINKS */
    snprintf(file, sizeof file, "%.*s", (int)(last - colon - 1), colon + 1);
    title_of(file, title, sizeof title);
    snprintf(l->title, sizeof l->title, "%s, %.*s %s", title, (int)(colon - name), name, last + 1);
  }
  fprintf(stderr, "bench: %s\n", l->title);
  l->times = closed_loop_times(name, all.rounds);
  if (l->times.gap == l->times.gap && !(l->times.gap < 1e-6)) {
    fprintf(stderr, "bench: Pinocchio and jounce disagree on %s: %.1e\n", l->title, l->times.gap);
    exit(1);
  }
}

/* ---- printing ---- */

static void print_line_of(const char *command, const char *otherwise) {
  char text[160] = "";
  FILE *f = popen(command, "r");
  if (f && !fgets(text, sizeof text, f)) text[0] = 0;
  if (f) pclose(f);
  text[strcspn(text, "\n")] = 0;
  printf("%s", *text ? text : otherwise);
}

static void print_head(void) {
  char date[32];
  time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
  printf("Measured on %s, one thread of ", date);
  print_line_of("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo", "an unknown CPU");
  printf(" (load ");
  print_line_of("cut -d' ' -f1 /proc/loadavg", "unknown");
  printf("), %d states in turn, the least of %d rounds in which all libraries take turns.\n", STATES, all.rounds);
  printf("jounce ");
  print_line_of("git describe --always --dirty 2>/dev/null", "of an unknown revision");
  printf(", %s %s, " BENCH_FLAGS ", instruction set %s.", BENCH_COMPILER, __VERSION__, jn_variant_name());
  for (int k = PEERS - 1; k >= 0; k--)
    if (*all.peers[k]) printf(" %s.", all.peers[k]);
  puts("\n");
}

static void print_titles(const char *first) {
  printf("| %s |", first);
  for (int c = 0; c < all.columns_count; c++) printf(" %s |", all.columns[c].title);
  printf("\n|---|");
  for (int c = 0; c < all.columns_count; c++) printf("---|");
  putchar('\n');
}

static void print_name(const algorithm *a) {
  if (a->order > 0)
    printf("| torque rates to order %d |", a->order);
  else
    printf("| %s |", a->name);
}

static int in_row(int k, int first, int last) {
  for (int c = 0; c < all.columns_count; c++)
    for (int p = first; p <= last; p++)
      if (all.columns[c].rows[k].peer[p] == all.columns[c].rows[k].peer[p]) return 1;
  return 0;
}

static void print_pinocchio(void) {
  print_titles("ns: jounce / Pinocchio (ratio); jounce in a batch, per state (ratio)");
  for (int k = 0; k < algorithm_count(0); k++) {
    if (!in_row(k, PEER_PINOCCHIO, PEER_PINOCCHIO)) continue;
    print_name(algorithm_at(k));
    for (int c = 0; c < all.columns_count; c++) {
      const cell *x = &all.columns[c].rows[k];
      double theirs = x->peer[PEER_PINOCCHIO];
      if (theirs == theirs) printf(" %.0f / %.0f (%.2f)", x->own, theirs, theirs / x->own);
      if (theirs == theirs && x->batch == x->batch) printf("; %.0f (%.1f)", x->batch, theirs / x->batch);
      printf(" |");
    }
    putchar('\n');
  }
  putchar('\n');
}

static void print_others(void) {
  print_titles("ns: jounce; MuJoCo; KDL (how many times ours)");
  for (int k = 0; k < algorithm_count(0); k++) {
    if (!in_row(k, PEER_MUJOCO, PEER_KDL)) continue;
    print_name(algorithm_at(k));
    for (int c = 0; c < all.columns_count; c++) {
      const cell *x = &all.columns[c].rows[k];
      if (x->own == x->own) printf(" %.0f", x->own);
      for (int p = PEER_MUJOCO; p <= PEER_KDL; p++)
        if (x->peer[p] == x->peer[p])
          printf("; %.0f (%.1f)", x->peer[p], x->peer[p] / x->own);
        else
          printf("; -");
      printf(" |");
    }
    putchar('\n');
  }
  putchar('\n');
}

static void print_loops(void) {
  puts("| ns: jounce / Pinocchio (ratio) | nv | conditions | forward dynamics | with derivatives |");
  puts("|---|---:|---:|---|---|");
  for (int i = 0; i < all.loops_count; i++) {
    const loop_times *t = &all.loops[i].times;
    printf("| %s | %d | %d |", all.loops[i].title, t->nv, t->conditions);
    for (int e = 0; e < 2; e++)
      if (t->peer[e] == t->peer[e])
        printf(" %.0f / %.0f (%.2f)%s |", t->own[e], t->peer[e], t->peer[e] / t->own[e],
               e && t->rate_gap > 1e-6 ? " *" : "");
      else
        printf(" %.0f |", t->own[e]);
    putchar('\n');
  }
  putchar('\n');
}

/* How closely the answers agree, in one line. */
static void print_agreement(void) {
  const char *const names[PEERS] = {"MuJoCo", "KDL", "Pinocchio"};
  printf("Largest relative difference of the answers:");
  for (int p = 0; p < PEERS; p++) {
    double worst = NAN;
    for (int c = 0; c < all.columns_count; c++)
      for (int k = 0; k < algorithm_count(0); k++) worst = fmax(worst, all.columns[c].rows[k].gap[p]);
    if (worst == worst) printf(" %s %.0e;", names[p], worst);
  }
  double worst = NAN;
  for (int i = 0; i < all.loops_count; i++) worst = fmax(worst, all.loops[i].times.gap);
  if (worst == worst) printf(" Pinocchio's closed loops %.0e.", worst);
  puts("");
  double wrong = 0;
  for (int i = 0; i < all.loops_count; i++)
    if (all.loops[i].times.rate_gap > 1e-6) wrong = fmax(wrong, all.loops[i].times.rate_gap);
  if (wrong > 0)
    printf(
        "\n\\* Accelerations and their derivatives by tau agree, but those that Pinocchio gives by q and v do not add "
        "up to the "
        "rate of its own accelerations along the motion (off by %.1g, relative); ours do.\n",
        wrong);
}

/* Numbers that are short of what we aim at, to stderr. */
static void print_goals(void) {
  for (int c = 0; c < all.columns_count; c++)
    for (int k = 0; k < algorithm_count(0); k++) {
      const algorithm *a = algorithm_at(k);
      const cell *x = &all.columns[c].rows[k];
      int three = strcmp(a->name, "inverse dynamics") == 0 || strcmp(a->name, "mass matrix") == 0;
      double theirs = x->peer[PEER_PINOCCHIO], goal = a->order > 0 ? 4 : three ? 3 : 2;
      if (theirs < goal * x->own)
        fprintf(stderr, "bench: below %g: %s %s %d: %.2f\n", goal, all.columns[c].title, a->name, a->order,
                theirs / x->own);
      if (theirs < 8 * x->batch)
        fprintf(stderr, "bench: batch below 8: %s %s %d: %.2f\n", all.columns[c].title, a->name, a->order,
                theirs / x->batch);
      if (x->batch > x->own)
        fprintf(stderr, "bench: batch slower than single calls: %s %s %d: %.2f\n", all.columns[c].title, a->name,
                a->order, x->batch / x->own);
    }
  for (int i = 0; i < all.loops_count; i++)
    for (int e = 0; e < 2; e++)
      if (all.loops[i].times.peer[e] < 2 * all.loops[i].times.own[e])
        fprintf(stderr, "bench: below 2: %s%s: %.2f\n", all.loops[i].title, e ? ", with derivatives" : "",
                all.loops[i].times.peer[e] / all.loops[i].times.own[e]);
}

int table_of_peers(int count, char **words) {
  all.rounds = 5;
  for (int i = 0; i < count; i++) {
    if (strcmp(words[i], "--floating") == 0)
      robot_options.floating = 1;
    else if (strcmp(words[i], "--fixed") == 0)
      robot_options.floating = 0;
    else if (strcmp(words[i], "--ignore-mimic") == 0)
      robot_options.ignore_mimic = 1;
    else if (strcmp(words[i], "--follow-mimic") == 0)
      robot_options.ignore_mimic = 0;
    else if (strcmp(words[i], "--rounds") == 0 && i + 1 < count)
      all.rounds = atoi(words[++i]) > 1 ? atoi(words[i]) : 1;
    else if (words[i][0] == '-') {
      fprintf(stderr, "bench: '%s' is not understood; see bench/table.h\n", words[i]);
      return 2;
    } else if (is_mechanism(words[i]))
      add_mechanism(words[i]);
    else
      add_robot(words[i]);
  }
  print_head();
  if (*all.peers[PEER_PINOCCHIO]) print_pinocchio();
  if (*all.peers[PEER_MUJOCO] || *all.peers[PEER_KDL]) print_others();
  if (all.loops_count) print_loops();
  print_agreement();
  print_goals();
  return 0;
}

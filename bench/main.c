/* SPDX-License-Identifier: BSD-2-Clause */
/* Times every algorithm on fixed robots, over states that vary from call to call: docs/benchmarks.md.
 *   bench_all [--robot NAME|FILE] [--floating] [--ignore-mimic] [--only TEXT] [--all] [--batch] [--peers] [--latency]
 *             [--json FILE]
 *   bench_all [--batch] --calls ROBOT ALGORITHM ORDER CALLS   only these calls, for instruction counters and profiles
 *   bench_all --growth                                   over the joints of chains, and over the order
 *   bench_all [--peers] --table ...                      beside other libraries, as Markdown: table.h
 *   bench_all --loops [MECHANISM [ALGORITHM CALLS]]      closed loops and contacts; only these calls
 *   bench_all --list                                     robots, and algorithms with their orders */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms.h"
#include "closed.h"
#include "compare.h"
#include "growth.h"
#include "table.h"
#include "timing.h"

#define BUDGET 15e6 /* ns for each number */

typedef struct settings {
  const char *robot, *only, *json;
  int all, batch, peers, latency;
} settings;

/* ---- results ---- */

static FILE *json;
static int json_rows;

static void note(const char *library, const robot *r, const algorithm *a, int batch, double ns) {
  if (!json) return;
  fprintf(json,
          "%s\n    {\"library\": \"%s\", \"robot\": \"%s\", \"algorithm\": \"%s\", \"order\": %d, \"batch\": %d, ",
          json_rows++ ? "," : "", library, r->name, a->name, a->order < 0 ? 0 : a->order, batch);
  fprintf(json, "\"ns\": %.1f}", ns);
}

static void first_line(const char *command, char *text, size_t size) {
  FILE *f = popen(command, "r");
  text[0] = 0;
  if (f && !fgets(text, (int)size, f)) text[0] = 0;
  if (f) pclose(f);
  text[strcspn(text, "\n\"\\")] = 0;
}

static void open_json(const char *path) {
  char machine[128], commit[64];
  json = fopen(path, "w");
  if (!json) {
    fprintf(stderr, "bench: cannot write %s\n", path);
    exit(1);
  }
  first_line("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo", machine, sizeof machine);
  first_line("git rev-parse --short HEAD 2>/dev/null", commit, sizeof commit);
  fprintf(
      json,
      "{\n  \"machine\": \"%s\",\n  \"compiler\": \"%s\",\n  \"commit\": \"%s\",\n  \"row\": \"%s\",\n  \"results\": [",
      machine, __VERSION__, commit, jn_variant_name());
}

static void close_json(void) {
  if (!json) return;
  fputs("\n  ]\n}\n", json);
  fclose(json);
}

/* ---- other libraries ---- */

static void time_peer(subject *s, const algorithm *a, peer *p, double own) {
  const char *how;
  for (peer_task t = 0; (t = peer_next_task(p, a, t, &how)) < PEER_TASKS; t++) {
    double gap = peer_disagreement(s, a, p, t);
    timing time = peer_time(p, t, BUDGET);
    printf("    %-9s %8.0f ns, %.2f times ours%s; ", p->library, time.least, time.least / own, how);
    if (gap < 0)
      puts("answers not compared");
    else
      printf("answers agree to %.1e\n", gap);
    note(p->library, s->r, a, 1, time.least);
  }
}

/* ---- tables ---- */

/* Batches that took longer than the same states one by one. */
enum { MOST_SLOW = 200 };
static char slow[MOST_SLOW][100];
static int slow_count;

static void time_algorithm(const settings *o, const robot *r, const algorithm *a, peer *const peers[PEERS]) {
  int states = o->batch && algorithm_fits(r, a, STATES) ? STATES : 1;
  if (!algorithm_fits(r, a, 1)) return;
  subject s = subject_create(r, a, states, 1);
  timing t = time_calls(a->run, &s, STATES, BUDGET);
  char order[16] = "";
  if (a->order >= 0) snprintf(order, sizeof order, "%d", a->order);
  printf("%-12s %-29s %2s %9.0f %9.0f", r->name, a->name, order, t.least, t.median);
  note("jounce", r, a, 1, t.least);
  if (states == STATES) {
    s.step = s.room; /* as a batch writes them: large outputs of many states fit into no cache */
    timing apart = time_calls(a->run, &s, STATES, BUDGET), b = time_calls(a->batch, &s, 1, BUDGET);
    double loss = b.least / STATES / apart.least;
    if (loss > 1.05 && slow_count < MOST_SLOW)
      snprintf(slow[slow_count++], sizeof slow[0], "%s: %s %s, %.2f times", r->name, a->name, order, loss);
    s.step = 0;
    printf(" %9.0f %9.0f %6.2f", apart.least, b.least / STATES, 1 / loss);
    note("jounce", r, a, STATES, b.least / STATES);
    timing f = time_calls(a->floats, &s, 1, BUDGET);
    printf(" %9.0f %6.2f", f.least / STATES, b.least / f.least);
    note("jounce float", r, a, STATES, f.least / STATES);
  }
  putchar('\n');
  for (int k = 0; k < PEERS && o->peers; k++) time_peer(&s, a, peers[k], t.least);
  subject_destroy(&s);
}

/* Single calls, each timed by itself: the distribution. */
static void latency(const robot *r, const algorithm *a) {
  enum { CALLS = 100000 };
  subject s = subject_create(r, a, 1, 1);
  double *ns = bench_memory(CALLS * sizeof *ns), empty = INFINITY;
  for (int k = 0; k < 1000; k++) {
    double from = now_ns();
    empty = fmin(empty, now_ns() - from); /* what reading the clock takes */
  }
  for (int k = 0; k < CALLS; k++) {
    double from = now_ns();
    a->run(&s, k % STATES);
    ns[k] = now_ns() - from - empty;
  }
  qsort(ns, CALLS, sizeof *ns, by_size);
  printf("%-12s %-29s %9.0f %9.0f %9.0f %9.0f\n", r->name, a->name, ns[CALLS / 2], ns[CALLS / 1000 * 990],
         ns[CALLS / 1000 * 999], ns[CALLS - 1]);
  free(ns);
  subject_destroy(&s);
}

static void time_robot(const settings *o, const char *name) {
  robot r = robot_create(name);
  peer *peers[PEERS] = {NULL};
  if (o->peers) peers_create(&r, peers);
  for (int k = 0; k < algorithm_count(o->all); k++) {
    const algorithm *a = algorithm_at(k);
    if (o->only && !strstr(a->name, o->only)) continue;
    if (!o->latency)
      time_algorithm(o, &r, a, peers);
    else if (a->size <= SIZE_N2 && (a->order < 0 || a->order == 2))
      latency(&r, a);
  }
  peers_destroy(peers);
  robot_destroy(&r);
}

/* ---- command line ---- */

static int only_calls(char **argv, int batch) {
  robot r = robot_create(argv[0]);
  for (int k = 0; k < algorithm_count(1); k++) {
    const algorithm *a = algorithm_at(k);
    if (strcmp(a->name, argv[1]) != 0 || a->order != atoi(argv[2])) continue;
    subject s = subject_create(&r, a, batch ? STATES : 1, 1);
    for (int c = 0; c < atoi(argv[3]); c++) batch ? a->batch(&s, 0) : a->run(&s, c % STATES);
    subject_destroy(&s);
    robot_destroy(&r);
    return 0;
  }
  fprintf(stderr, "bench: no algorithm '%s' of order %s\n", argv[1], argv[2]);
  return 2;
}

static int list(void) {
  for (int i = 0; i < robot_count(); i++) printf("robot %s\n", robot_name(i));
  for (int i = 0; i < algorithm_count(0); i++)
    printf("algorithm %d %s\n", algorithm_at(i)->order, algorithm_at(i)->name);
  return 0;
}

static int usage(const char *word) {
  fprintf(stderr, "bench: '%s' is not understood; see the head of bench/main.c\n", word);
  return 2;
}

int main(int argc, char **argv) {
  settings o = {0};
  jn_options_init(&robot_options);
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i], **text = NULL;
    if (strcmp(word, "--calls") == 0 && argc - i == 5) return only_calls(argv + i + 1, o.batch);
    if (strcmp(word, "--list") == 0) return list();
    if (strcmp(word, "--growth") == 0) return growth(), 0;
    if (strcmp(word, "--table") == 0) return table_of_peers(argc - i - 1, argv + i + 1);
    if (strcmp(word, "--loops") == 0 && argc - i == 4)
      return closed_loop_calls(argv[i + 1], argv[i + 2], atoi(argv[i + 3]));
    if (strcmp(word, "--loops") == 0) return argc - i > 2 ? usage(argv[i + 2]) : closed_loops(argv[i + 1]);
    if (strcmp(word, "--all") == 0)
      o.all = 1;
    else if (strcmp(word, "--batch") == 0)
      o.batch = 1;
    else if (strcmp(word, "--peers") == 0)
      o.peers = 1;
    else if (strcmp(word, "--latency") == 0)
      o.latency = 1;
    else if (strcmp(word, "--floating") == 0)
      robot_options.floating = 1;
    else if (strcmp(word, "--ignore-mimic") == 0)
      robot_options.ignore_mimic = 1;
    else if (strcmp(word, "--robot") == 0)
      text = &o.robot;
    else if (strcmp(word, "--only") == 0)
      text = &o.only;
    else if (strcmp(word, "--json") == 0)
      text = &o.json;
    else
      return usage(word);
    if (text && i + 1 == argc) return usage(word);
    if (text) *text = argv[++i];
  }
  if (o.json) open_json(o.json);
  printf("variant %s, one thread, %d states, ns for each state\n", jn_variant_name(), STATES);
  if (o.latency)
    printf("%-12s %-29s %9s %9s %9s %9s\n", "robot", "single calls of", "median", "99 %", "99.9 %", "worst");
  else
    printf("%-12s %-29s %2s %9s %9s%s\n", "robot", "algorithm", "K", "least", "median",
           o.batch ? "   in turn     batch  ratio     float  ratio" : "");
  if (o.robot) time_robot(&o, o.robot);
  for (int i = 0; i < robot_count() && !o.robot; i++) time_robot(&o, robot_name(i));
  for (int i = 0; i < slow_count; i++) printf("slower in a batch than in turn: %s\n", slow[i]);
  close_json();
  return 0;
}

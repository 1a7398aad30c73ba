/* SPDX-License-Identifier: BSD-2-Clause */
/* soak [--models N] [--minutes M] [--seed S] [--small] [--results FILE] [--worst DIRECTORY] [--limit ROUNDINGS]
 * soak --states N [--processes P] [--seed S] [--results FILE]    states of one robot in batches
 * soak --replay FILE */
#include <sys/stat.h>
#include <time.h>

#include "soak.h"

enum { MOST = 2048 };

/* What is known of one function and one property. */
typedef struct record {
  char function[96];
  const char *property;
  double worst;
  long models, states, index, last;
  int k;
} record;

typedef struct soak {
  uint64_t seed;
  int small;
  record table[MOST];
  int count;
  long states; /* tried so far */
  long index;  /* of the model at hand */
  int k;       /* state at hand */
  const char *only_function, *only_property;
  double only;
} soak;

static record *find(soak *x, const char *function, const char *words) {
  for (int i = 0; i < x->count; i++)
    if (strcmp(x->table[i].property, words) == 0 && strcmp(x->table[i].function, function) == 0) return &x->table[i];
  check(x->count < MOST, "too many properties");
  record *r = &x->table[x->count++];
  snprintf(r->function, sizeof r->function, "%s", function);
  r->property = words;
  r->worst = -1;
  r->last = -1;
  return r;
}

static void put(void *context, const char *function, const char *words, double error) {
  soak *x = context;
  if (error < 0) return; /* the property says nothing about this model */
  if (x->only_function) {
    if (strcmp(function, x->only_function) == 0 && strcmp(words, x->only_property) == 0) x->only = fmax(x->only, error);
    return;
  }
  record *r = find(x, function, words);
  r->models += r->last != x->index;
  r->last = x->index;
  r->states++;
  if (!(error <= r->worst)) {
    r->worst = error;
    r->index = x->index;
    r->k = x->k;
  }
}

/* Names with spaces between them. */
static void put_all(soak *x, const char *functions, const char *words, double error) {
  char name[128];
  for (const char *at = functions; *at;) {
    size_t n = strcspn(at, " ");
    snprintf(name, sizeof name, "%s%.*s", strncmp(at, "jnf_", 4) == 0 ? "" : "jn_", (int)n, at);
    put(x, name, words, error);
    at += n + (at[n] == ' ');
  }
}

static void run_properties(soak *x, state *s, const property *list, int count) {
  for (int i = 0; i < count; i++) put_all(x, list[i].function, list[i].text, list[i].measure(s, &list[i]));
}

static void run_lie(soak *x, uint64_t seed) {
  char name[128];
  for (int i = 0; i < property_lie_count; i++)
    for (int single = 0; single < 2; single++) {
      uint64_t s = seed + (uint64_t)i * 7919;
      snprintf(name, sizeof name, "%s%s", single ? "jnf_" : "jn_", properties_lie[i].function);
      put(x, name, properties_lie[i].text, properties_lie[i].measure(&s, single));
    }
}

static void run_state(soak *x, const sample *s, const batches *b, int k) {
  static state y;
  x->k = k;
  x->states++;
  state_create(&y, s, k);
  compare_twins(&y, b, put, x);
  run_properties(x, &y, properties, property_count);
  run_properties(x, &y, properties_kinematics, property_kinematics_count);
  run_properties(x, &y, properties_dynamics, property_dynamics_count);
  run_properties(x, &y, properties_parameters, property_parameters_count);
  state_destroy(&y);
  run_lie(x, x->seed * 1000003 + (uint64_t)x->index * 101 + (uint64_t)k);
}

/* k < 0: all states. */
static void run_model(soak *x, long index, int only) {
  static batches b;
  sample s;
  x->index = index;
  sample_create(&s, x->seed, index, x->small);
  batches_create(&b, &s);
  for (int k = 0; k < s.count; k++)
    if (only < 0 || k == only) run_state(x, &s, &b, k);
  x->k = 0;
  run_others(&s, put, x);
  run_loops(x->seed * 69069 + (uint64_t)index * 1234567, put, x);
  batches_destroy(&b);
  sample_destroy(&s);
}

static void write_worst(const soak *x, const char *directory) {
  char path[512];
  mkdir(directory, 0777);
  for (int i = 0; i < x->count; i++) {
    const record *r = &x->table[i];
    int is_worst = 1;
    for (int j = 0; j < x->count; j++)
      if (strcmp(x->table[j].function, r->function) == 0 &&
          (x->table[j].worst > r->worst || (j < i && x->table[j].worst == r->worst)))
        is_worst = 0;
    if (!is_worst) continue;
    snprintf(path, sizeof path, "%s/%s", directory, r->function);
    FILE *f = fopen(path, "w");
    check(f, "%s cannot be written", path);
    fprintf(f, "variant %s\nseed %llu\nsmall %d\nmodel %ld\nstate %d\nfunction %s\nlaw %s\nerror %a\n",
            jn_variant_name(), (unsigned long long)x->seed, x->small, r->index, r->k, r->function, r->property,
            r->worst);
    fclose(f);
  }
}

static void write_results(const soak *x, const char *path, long models, double seconds) {
  FILE *f = fopen(path, "w");
  check(f, "%s cannot be written", path);
  fprintf(f, "run\t%s\t%llu\t%ld\t%.0f\n", jn_variant_name(), (unsigned long long)x->seed, models, seconds);
  for (int i = 0; i < x->count; i++) {
    const record *r = &x->table[i];
    fprintf(f, "property\t%s\t%s\t%.3g\t%ld\t%ld\t%ld\t%d\n", r->function, r->property, r->worst, r->models, r->states,
            r->index, r->k);
  }
  fclose(f);
}

static int replay(const char *path) {
  static soak x;
  static char function[96], words[256], row[32];
  unsigned long long seed = 0;
  double expected = 0;
  FILE *f = fopen(path, "r");
  if (!f) {
    fprintf(stderr, "soak: %s cannot be read\n", path);
    return 2;
  }
  int read = fscanf(f, "variant %31s seed %llu small %d model %ld state %d function %95s property %255[^\n] error %la",
                    row, &seed, &x.small, &x.index, &x.k, function, words, &expected);
  fclose(f);
  if (read != 8) {
    fprintf(stderr, "soak: %s is no file of a worst case\n", path);
    return 2;
  }
  x.seed = seed;
  x.only_function = function;
  x.only_property = words;
  x.only = -1;
  run_model(&x, x.index, x.k);
  printf("%s: %s: %.6g roundings in variant %s, recorded %.6g in variant %s\n", function, words, x.only,
         jn_variant_name(), expected, row);
  return x.only == expected || (isinf(expected) && isinf(x.only)) ? 0 : 1;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Those above the limit, or all, by function. */
static int report(const soak *x, double limit) {
  int bad = 0;
  for (int i = 0; i < x->count; i++) {
    const record *r = &x->table[i];
    if (r->worst <= limit) continue;
    bad++;
    printf("%-56s %9.3g roundings  model %ld state %d  %s\n", r->function, r->worst, r->index, r->k, r->property);
  }
  return bad;
}

int main(int argc, char **argv) {
  static soak x;
  long models = 20;
  double minutes = 0, limit = 1000, start = now();
  const char *results = NULL, *worst = NULL;
  long many = 0;
  int processes = 2;
  x.seed = 1;
  for (int i = 1; i < argc; i++) {
    const char *next = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--models") == 0)
      models = atol(next), i++;
    else if (strcmp(argv[i], "--minutes") == 0)
      minutes = atof(next), i++;
    else if (strcmp(argv[i], "--seed") == 0)
      x.seed = strtoull(next, NULL, 10), i++;
    else if (strcmp(argv[i], "--limit") == 0)
      limit = atof(next), i++;
    else if (strcmp(argv[i], "--results") == 0)
      results = next, i++;
    else if (strcmp(argv[i], "--worst") == 0)
      worst = next, i++;
    else if (strcmp(argv[i], "--small") == 0)
      x.small = 1;
    else if (strcmp(argv[i], "--states") == 0)
      many = atol(next), i++;
    else if (strcmp(argv[i], "--processes") == 0)
      processes = atoi(next), i++;
    else if (strcmp(argv[i], "--replay") == 0)
      return replay(next);
    else {
      fprintf(stderr, "soak: unknown option %s\n", argv[i]);
      return 2;
    }
  }
  if (many > 0) return billion(x.seed, many, processes, results);
  long i = 0;
  for (; minutes > 0 ? now() - start < 60 * minutes : i < models; i++) run_model(&x, i, -1);
  if (results) write_results(&x, results, i, now() - start);
  if (worst) write_worst(&x, worst);
  int bad = report(&x, limit);
  printf("%ld models, %ld states, %d pairs of a function and a property, variant %s, seed %llu, %.0f s: %s\n", i,
         x.states, x.count, jn_variant_name(), (unsigned long long)x.seed, now() - start,
         bad ? "FAILED" : "all within the limit");
  return bad > 0;
}

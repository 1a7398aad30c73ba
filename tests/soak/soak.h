/* SPDX-License-Identifier: BSD-2-Clause */
/* The soak: random models and states, and for every public function that computes the properties that its results must
 * obey.
 *
 *   generate.c    models and states from (seed, model index)
 *   catalogue.*   one line a function: how it is called over every number type, alone and in batches
 *   properties*.c       what its results are compared with
 *   measure.c floors.c
 *                     the unit: rounding of the row times the condition of the result
 *   main.c        options, the worst cases, reports */
#ifndef JN_SOAK_SOAK_H
#define JN_SOAK_SOAK_H

#include "models.h"
#include "twin.h"

#define NEAR 0x1p-26

enum { KIND_D, KIND_F, KIND_Z, KIND_L, KINDS };

/* Arrays that functions read, one row a state. */
/* clang-format off */
#define SOAK_INPUTS(X) \
  X(q, d->nq) X(p, d->nq) X(loose, d->nq) /* configurations; loose: quaternions of any length */ \
  X(v_jet, (K + 2) * n) X(tau_jet, (K + 1) * n) X(wrench_jet, (K + 1) * 6 * L) \
  X(v, n) X(a, n) X(tau, n) X(wrench, 6 * L) /* the first rows of these */ \
  X(y, n) X(v_r, n) X(a_r, n) X(dq, n) X(dv, n) X(da, n) X(dtau, n) \
  X(factor, n * n) X(fd, n) X(da_dq, n * n) X(da_dv, n * n) X(da_dtau, n * n) /* found by functions before */
/* clang-format on */
enum {
#define SOAK_ENUM(name, size) IN_##name,
  SOAK_INPUTS(SOAK_ENUM) INPUTS
};

enum { OUTPUTS = 22 };

/* Sizes and choices that all states of a model share. */
typedef struct dims {
  int nq, nv, nlink, nframe, order;
  int frame, link, joint, joint_nv, com_link;
  jn_representation in;
  jn_about about;
  unsigned char prescribed[128];
} dims;

/* A call: inputs and outputs of one state (of all states, for batches) in the numbers of one kind. */
typedef struct call {
  const jn_model *m;
  const dims *d;
  jn_work *w;
  jn_batch *b;
  size_t count;
  void *in[INPUTS];
  void *out[OUTPUTS];
} call;

typedef jn_status (*caller)(const call *x);

/* A function of the catalogue. */
typedef struct entry {
  const char *name; /* without jn_ */
  void (*sizes)(const dims *d, size_t n[OUTPUTS]);
  caller one[KINDS], many[2];
} entry;

/* Names of the catalogue as numbers: F_inverse_dynamics. */
#include "catalogue.h"
enum {
#define SOAK_NAME(name, ...) F_##name,
  CATALOGUE(SOAK_NAME, SOAK_NAME, SOAK_NAME) FUNCTIONS
#undef SOAK_NAME
};
extern const entry catalogue[FUNCTIONS];
extern const char *const input_name[INPUTS];
size_t input_size(const dims *d, int input);

/* One model with `count` states; rows are in turn state 0, 1, ... */
typedef struct sample {
  uint64_t seed;
  long index;
  const char *shape;
  jn_model *m;
  jn_model *near;  /* every number of its description changed by about NEAR: for the condition */
  jn_model *other; /* the same with other inertial parameters pi */
  dims d;
  int count;
  double *in[INPUTS]; /* [count x ...] */
  double *pi;
} sample;

void sample_create(sample *s, uint64_t seed, long index, int small);
void sample_destroy(sample *s);

/* What was computed at one state, for the properties. */
typedef struct state {
  const sample *s;
  int k; /* which state */
  const dims *d;
  double epsilon;
  call x[KINDS];                          /* over every kind, with the numbers of this state */
  double *out[FUNCTIONS][OUTPUTS];        /* of jn_x */
  long double *true_[FUNCTIONS][OUTPUTS]; /* of jnl_x */
  double size[FUNCTIONS][OUTPUTS]; /* magnitude times condition: an error of epsilon times this is one rounding */
  size_t n[FUNCTIONS][OUTPUTS];
} state;

#define D(f, o) (x->out[F_##f][o])
#define T(f, o) (x->true_[F_##f][o])
#define SIZE(f, o) (x->size[F_##f][o])
#define IN(i) ((const double *)x->x[KIND_D].in[IN_##i])
#define LIN(i) ((const long double *)x->x[KIND_L].in[IN_##i])

/* A property: what the result of a function must be by something else, and how far it is from that, in roundings. */
typedef struct property {
  const char *function; /* names of public functions without jn_, with spaces between them */
  const char *text;
  double (*measure)(state *x, const struct property *property);
  /* arguments of the properties that serve many functions */
  int f, o, base, base_o, by, layout;
} property;

extern const property properties[];
extern const int property_count;
extern const property properties_dynamics[];
extern const int property_dynamics_count;
extern const property properties_kinematics[];
extern const int property_kinematics_count;
extern const property properties_parameters[];
extern const int property_parameters_count;

/* Properties of functions without a model, tried at random arguments. */
typedef struct lie_property {
  const char *function;
  const char *text;
  double (*measure)(uint64_t *s, int single); /* single: jnf_x */
} lie_property;
extern const lie_property properties_lie[];
extern const int property_lie_count;

jn_model *random_plain_tree(uint64_t *s, int links); /* any joints, no armature */
void mat_product(const double A[16], const double B[16], double C[16]);

/* ---- measure.c ---- */

/* Largest |a - b| in units of epsilon times size; NaN counts as infinite. */
double roundings(const double *a, const long double *b, size_t n, double size, double epsilon);
/* The same of output o of f and what it should be. */
double gap(const state *x, int f, int o, const long double *expected);
/* |a - b| of two rows of long doubles in the same unit. */
double gap_long(const state *x, const long double *a, const long double *b, size_t n, double size);
/* Output o of function f at q (+) i h dq and other inputs plus i h times `by` (NULL: held): its derivative along these
 * into out [n]. `by` is [INPUTS] of doubles; q moves in the tangent space. */
void along(state *x, int f, int o, double *const by[INPUTS], long double *out);
void call_or_fail(const entry *e, caller c, const call *x);
double largest(const long double *x, size_t n);
long double *room_long(size_t n); /* zeros, freed with free() */

void raise_to_least(state *x); /* floors.c: results that are zero by structure */

/* Computes all functions of the catalogue at a state, in double and long double. */
void state_create(state *x, const sample *s, int k);
void state_destroy(state *x);

/* Results of batches, in double and float, of all states of a sample. */
typedef struct batches {
  double *d[FUNCTIONS][OUTPUTS];
  float *f[FUNCTIONS][OUTPUTS];
  jn_status status[2][FUNCTIONS];
} batches;
void batches_create(batches *b, const sample *s);
void batches_destroy(batches *b);

/* Where a result goes: a measured error of a function by a property. */
typedef void (*take)(void *context, const char *function, const char *property, double error);
/* billion.c: 0 when all is within 1000 roundings. */
int billion(uint64_t seed, long states, int processes, const char *results);
/* Closed mechanisms, properties_loops.c. */
void run_loops(uint64_t seed, take to, void *context);
/* Base parameters and trajectories, properties_other.c. */
void run_others(const sample *s, take to, void *context);
/* Every function of the catalogue at a state: rounding; batches; single precision, alone and in batches. */
void compare_twins(state *x, const batches *b, take to, void *context);

#endif

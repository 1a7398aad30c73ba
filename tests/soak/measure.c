/* SPDX-License-Identifier: BSD-2-Clause */
/* How far a result is from what it should be, in roundings: |error| / (epsilon * size), where epsilon is the rounding
 * unit of the row and size = magnitude times condition: the largest of |result| and of its change, per relative change,
 * when all inputs and all numbers of the model change a little (both in long double). */
#include "soak.h"

#include "dispatch/dispatch.h"

static void *get(size_t n, size_t each) {
  void *p = calloc(n + 1, each);
  check(p, "memory");
  return p;
}

long double *room_long(size_t n) { return get(n, sizeof(long double)); }

double largest(const long double *x, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, isnan(x[i]) ? INFINITY : (double)fabsl(x[i]));
  return most;
}

static double in_roundings(double most, double size, double epsilon) {
  if (most == 0) return 0;
  return size > 0 ? most / (size * epsilon) : INFINITY;
}

double roundings(const double *a, const long double *b, size_t n, double size, double epsilon) {
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    double e = (double)fabsl(a[i] - b[i]);
    most = fmax(most, isnan(e) ? INFINITY : e);
  }
  return in_roundings(most, size, epsilon);
}

double gap(const state *x, int f, int o, const long double *expected) {
  return roundings(x->out[f][o], expected, x->n[f][o], x->size[f][o], x->epsilon);
}

double gap_long(const state *x, const long double *a, const long double *b, size_t n, double size) {
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    double e = (double)fabsl(a[i] - b[i]);
    most = fmax(most, isnan(e) ? INFINITY : e);
  }
  return in_roundings(most, size, x->epsilon);
}

static const size_t bytes_of[KINDS] = {sizeof(double), sizeof(float), sizeof(double _Complex), sizeof(long double)};

void call_or_fail(const entry *e, caller c, const call *x) {
  jn_status status = c(x);
  check(status == JN_OK, "%s: %s", e->name, jn_status_text(status));
}

/* Inputs that come from other functions, found over the same kind, alone or in a batch. */
static jn_status prepare(call *x, int kind, int many) {
  const entry *factor = &catalogue[F_mass_factor], *fd = &catalogue[F_forward_dynamics_derivatives];
  call y = *x;
  memset(y.out, 0, sizeof y.out);
  y.out[0] = x->in[IN_factor];
  jn_status status = (many ? factor->many[kind] : factor->one[kind])(&y);
  if (status != JN_OK) return status;
  y.out[0] = x->in[IN_fd], y.out[1] = x->in[IN_da_dq], y.out[2] = x->in[IN_da_dv], y.out[3] = x->in[IN_da_dtau];
  return (many ? fd->many[kind] : fd->one[kind])(&y);
}

static void outputs_create(const dims *d, int f, size_t count, int kind, void *out[OUTPUTS], size_t n[OUTPUTS]) {
  catalogue[f].sizes(d, n);
  for (int o = 0; o < OUTPUTS; o++) out[o] = n[o] ? get(count * n[o], bytes_of[kind]) : NULL;
}

static void release_outputs(void *out[OUTPUTS]) {
  for (int o = 0; o < OUTPUTS; o++) free(out[o]);
}

static void inputs_create(call *x, const sample *s, int k, int kind) {
  x->m = s->m;
  x->d = &s->d;
  x->count = 1;
  for (int i = 0; i < INPUTS; i++) {
    size_t n = input_size(&s->d, i);
    const double *from = s->in[i] + (size_t)k * n;
    x->in[i] = get(n, bytes_of[kind]);
    for (size_t c = 0; c < n; c++) {
      if (kind == KIND_D) ((double *)x->in[i])[c] = from[c];
      if (kind == KIND_F) ((float *)x->in[i])[c] = (float)from[c];
      if (kind == KIND_Z) ((double _Complex *)x->in[i])[c] = from[c];
      if (kind == KIND_L) ((long double *)x->in[i])[c] = from[c];
    }
  }
}

/* One more evaluation in long double: at a near state of the near model. Raises the sizes. */
static void find_condition(state *x, uint64_t *random) {
  const sample *s = x->s;
  call near = {0};
  inputs_create(&near, s, x->k, KIND_L);
  near.m = s->near;
  near.w = twin_work_create(s->near, s->d.order, JN_KIND_L);
  for (int i = 0; i < IN_factor; i++) {
    size_t n = input_size(&s->d, i);
    long double *v = near.in[i], scale = i <= IN_loose ? 1 : 0;
    for (size_t c = 0; c < n; c++) scale = fmaxl(scale, fabsl(v[c]));
    for (size_t c = 0; c < n; c++) v[c] += NEAR * scale * uniform(random);
  }
  check_ok(prepare(&near, KIND_L, 0));
  for (int f = 0; f < FUNCTIONS; f++) {
    size_t n[OUTPUTS];
    outputs_create(&s->d, f, 1, KIND_L, near.out, n);
    call_or_fail(&catalogue[f], catalogue[f].one[KIND_L], &near);
    for (int o = 0; o < OUTPUTS; o++) {
      double most = 0;
      for (size_t c = 0; c < n[o]; c++)
        most = fmax(most, (double)fabsl(((long double *)near.out[o])[c] - x->true_[f][o][c]));
      x->size[f][o] = fmax(x->size[f][o], most / NEAR);
    }
    release_outputs(near.out);
  }
  for (int i = 0; i < INPUTS; i++) free(near.in[i]);
  twin_work_destroy(near.w);
}

void state_create(state *x, const sample *s, int k) {
  memset(x, 0, sizeof *x);
  x->s = s;
  x->k = k;
  x->d = &s->d;
  x->epsilon = jn_variant_epsilon();
  for (int kind = 0; kind < KINDS; kind++) inputs_create(&x->x[kind], s, k, kind);
  check_ok(jn_work_create_order(s->m, s->d.order, &x->x[KIND_D].w));
  x->x[KIND_F].w = x->x[KIND_D].w;
  x->x[KIND_Z].w = twin_work_create(s->m, s->d.order, JN_KIND_Z);
  x->x[KIND_L].w = twin_work_create(s->m, s->d.order, JN_KIND_L);
  check_ok(prepare(&x->x[KIND_D], KIND_D, 0));
  check_ok(prepare(&x->x[KIND_L], KIND_L, 0));
  for (int f = 0; f < FUNCTIONS; f++) {
    call *d = &x->x[KIND_D], *l = &x->x[KIND_L];
    outputs_create(&s->d, f, 1, KIND_D, d->out, x->n[f]);
    outputs_create(&s->d, f, 1, KIND_L, l->out, x->n[f]);
    call_or_fail(&catalogue[f], catalogue[f].one[KIND_D], d);
    call_or_fail(&catalogue[f], catalogue[f].one[KIND_L], l);
    for (int o = 0; o < OUTPUTS; o++) {
      x->out[f][o] = d->out[o];
      x->true_[f][o] = l->out[o];
      if (x->n[f][o]) x->size[f][o] = largest(l->out[o], x->n[f][o]);
      d->out[o] = l->out[o] = NULL;
    }
  }
  uint64_t random = s->seed + (uint64_t)s->index * 977 + (uint64_t)k;
  find_condition(x, &random);
  find_condition(x, &random);
  raise_to_least(x);
}

void state_destroy(state *x) {
  for (int f = 0; f < FUNCTIONS; f++)
    for (int o = 0; o < OUTPUTS; o++) free(x->out[f][o]), free(x->true_[f][o]);
  for (int kind = 0; kind < KINDS; kind++)
    for (int i = 0; i < INPUTS; i++) free(x->x[kind].in[i]);
  jn_work_destroy(x->x[KIND_D].w);
  twin_work_destroy(x->x[KIND_Z].w);
  twin_work_destroy(x->x[KIND_L].w);
}

#define STEP 0x1p-120

void along(state *x, int f, int o, double *const by[INPUTS], long double *out) {
  const dims *d = x->d;
  call *z = &x->x[KIND_Z];
  size_t n[OUTPUTS];
  double _Complex *step = get((size_t)d->nv, sizeof *step);
  for (int i = 0; i < INPUTS; i++) {
    const double *from = x->x[KIND_D].in[i];
    double _Complex *to = z->in[i];
    for (size_t c = 0; c < input_size(d, i); c++) to[c] = CMPLX(from[c], by[i] && i != IN_q ? STEP * by[i][c] : 0);
  }
  if (by[IN_q]) {
    double _Complex *q = get((size_t)d->nq, sizeof *q);
    for (int c = 0; c < d->nv; c++) step[c] = CMPLX(0, STEP * by[IN_q][c]);
    memcpy(q, z->in[IN_q], (size_t)d->nq * sizeof *q);
    check_ok(jnz_integrate(x->s->m, z->w, q, step, z->in[IN_q]));
    free(q);
  }
  outputs_create(d, f, 1, KIND_Z, z->out, n);
  call_or_fail(&catalogue[f], catalogue[f].one[KIND_Z], z);
  for (size_t c = 0; c < n[o]; c++) out[c] = (long double)cimag(((double _Complex *)z->out[o])[c]) / STEP;
  release_outputs(z->out);
  memset(z->out, 0, sizeof z->out);
  free(step);
}

/* ---- batches ---- */

static void batch_of(batches *b, const sample *s, int kind) {
  call x = {.m = s->m, .d = &s->d, .count = (size_t)s->count};
  check_ok(jn_batch_create(s->m, s->d.order, 1 + (int)(s->index % 2), &x.b));
  for (int i = 0; i < INPUTS; i++) {
    size_t n = input_size(&s->d, i) * x.count;
    x.in[i] = get(n, bytes_of[kind]);
    for (size_t c = 0; c < n; c++)
      if (kind == KIND_D)
        ((double *)x.in[i])[c] = s->in[i][c];
      else
        ((float *)x.in[i])[c] = (float)s->in[i][c];
  }
  jn_status ready = prepare(&x, kind, 1);
  for (int f = 0; f < FUNCTIONS; f++) {
    size_t n[OUTPUTS];
    outputs_create(&s->d, f, x.count, kind, x.out, n);
    b->status[kind][f] = ready != JN_OK ? ready : catalogue[f].many[kind] ? catalogue[f].many[kind](&x) : JN_OK;
    for (int o = 0; o < OUTPUTS; o++)
      if (kind == KIND_D)
        b->d[f][o] = x.out[o];
      else
        b->f[f][o] = x.out[o];
  }
  for (int i = 0; i < INPUTS; i++) free(x.in[i]);
  jn_batch_destroy(x.b);
}

void batches_create(batches *b, const sample *s) {
  batch_of(b, s, KIND_D);
  batch_of(b, s, KIND_F);
}

void batches_destroy(batches *b) {
  for (int f = 0; f < FUNCTIONS; f++)
    for (int o = 0; o < OUTPUTS; o++) free(b->d[f][o]), free(b->f[f][o]);
}

static double float_gap(const float *a, const long double *b, size_t n, double size) {
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    double e = (double)fabsl((long double)a[i] - b[i]);
    most = fmax(most, isnan(e) ? INFINITY : e);
  }
  return in_roundings(most, size, FLT_EPSILON);
}

/* The factor of M is in an order of its own in each row: jn_mass_solve() and its property stand for it. Room is not a
 * result. */
static int compared(int f, int o) {
  return f != F_mass_factor && (f != F_forward_dynamics_second_derivatives || o < 4);
}

static void told(int f, const char *form, const char *words, jn_status status, double error, take to, void *context) {
  char name[128];
  snprintf(name, sizeof name, form, catalogue[f].name);
  to(context, name, words, status == JN_OK ? error : INFINITY);
  if (f != F_mass_solve) return;
  snprintf(name, sizeof name, form, catalogue[F_mass_factor].name);
  to(context, name, words, status == JN_OK ? error : INFINITY);
}

static void compare_float(state *x, const batches *b, int f, const call *truth, take to, void *context) {
  call *y = &x->x[KIND_F];
  size_t n[OUTPUTS];
  call t = *truth;
  outputs_create(x->d, f, 1, KIND_F, y->out, n);
  outputs_create(x->d, f, 1, KIND_L, t.out, n);
  jn_status status = catalogue[f].one[KIND_F](y);
  call_or_fail(&catalogue[f], catalogue[f].one[KIND_L], &t);
  double one = 0, many = 0;
  for (int o = 0; o < OUTPUTS; o++) {
    if (!n[o] || !compared(f, o)) continue;
    one = fmax(one, float_gap(y->out[o], t.out[o], n[o], x->size[f][o]));
    if (catalogue[f].many[KIND_F])
      many = fmax(many, float_gap(b->f[f][o] + (size_t)x->k * n[o], t.out[o], n[o], x->size[f][o]));
  }
  if (status != JN_ERR_SINGULAR) told(f, "jnf_%s", "long double at the same numbers", status, one, to, context);
  if (catalogue[f].many[KIND_F] && b->status[KIND_F][f] != JN_ERR_SINGULAR)
    told(f, "jnf_%s_batch", "long double at the same numbers", b->status[KIND_F][f], many, to, context);
  release_outputs(y->out);
  release_outputs(t.out);
  memset(y->out, 0, sizeof y->out);
}

void compare_twins(state *x, const batches *b, take to, void *context) {
  call truth = x->x[KIND_L], *y = &x->x[KIND_F];
  for (int i = 0; i < INPUTS; i++) {
    size_t n = input_size(x->d, i);
    truth.in[i] = get(n, sizeof(long double));
    for (size_t c = 0; c < n; c++) ((long double *)truth.in[i])[c] = (long double)((float *)y->in[i])[c];
  }
  check_ok(prepare(&truth, KIND_L, 0));
  jn_status ready = prepare(y, KIND_F, 0);
  for (int f = 0; f < FUNCTIONS; f++) {
    double one = 0, many = 0;
    if (!compared(f, 0)) continue;
    for (int o = 0; o < OUTPUTS; o++) {
      if (!x->n[f][o] || !compared(f, o)) continue;
      one = fmax(one, gap(x, f, o, x->true_[f][o]));
      if (catalogue[f].many[KIND_D])
        many = fmax(many, roundings(b->d[f][o] + (size_t)x->k * x->n[f][o], x->true_[f][o], x->n[f][o], x->size[f][o],
                                    x->epsilon));
    }
    told(f, "jn_%s", "long double", JN_OK, one, to, context);
    if (catalogue[f].many[KIND_D])
      told(f, "jn_%s_batch", "long double, each state by itself", b->status[KIND_D][f], many, to, context);
    if (ready == JN_OK) compare_float(x, b, f, &truth, to, context);
  }
  for (int i = 0; i < INPUTS; i++) free(truth.in[i]);
}

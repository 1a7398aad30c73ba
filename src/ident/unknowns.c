/* SPDX-License-Identifier: BSD-2-Clause */
/* The unknowns of an identification: which they are, their names and values in the model, their columns at a state, and
 * the base parameters. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../model/log.h"
#include "base.h"
#include "identify.h"
#include "jounce/edit.h"

static double *numbers(const jn_allocator *a, size_t count) { return jn__allocate(a, (count + 1) * sizeof(double)); }

void jn_identification_options_init(jn_identification_options *o) {
  if (!o) return;
  *o = (jn_identification_options){.size = sizeof *o, .wrench_link = JN_NONE, .seed = 1};
  o->columns = JN_IDENTIFY_INERTIA | JN_IDENTIFY_VISCOUS | JN_IDENTIFY_COULOMB | JN_IDENTIFY_OFFSET;
}

/* ---- Which unknowns ---- */

static int has_inertia(const double p[10]) {
  for (int k = 0; k < 10; k++)
    if (p[k] != 0) return 1;
  return 0;
}

/* Joints that carry nothing with an inertia could have any acceleration: their links get one. Children come behind
 * their parents. */
static void choose_bare_ends(const jn_identification *d, unsigned char *chosen) {
  for (int l = d->links - 1; l >= 0; l--) {
    int carries = chosen[l];
    for (int k = l + 1; k < d->links && !carries; k++) {
      int up = k;
      while (up > l) up = jn_link_parent(d->model, up);
      carries = up == l && chosen[k];
    }
    if (!carries && jn_joint_nv(d->model, l) > 0 && !jn_link_is_fixed(d->model, l)) chosen[l] = 1;
  }
}

/* Marks the links that are identified; their number, or -1 after telling that one does not exist. */
static int choose_links(const jn_identification *d, unsigned char *chosen, jn_error *error) {
  const jn_identification_options *o = &d->options;
  int count = 0, empty = 1;
  double p[10];
  if (!(o->columns & JN_IDENTIFY_INERTIA)) return 0;
  for (int l = 0; l < d->links && !o->links; l++) {
    if (jn_link_is_fixed(d->model, l) || jn_link_inertia(d->model, l, p) != JN_OK) continue;
    chosen[l] = (unsigned char)has_inertia(p);
    if (chosen[l]) empty = 0;
  }
  if (!o->links && !empty) choose_bare_ends(d, chosen);
  for (int l = 0; l < d->links && !o->links && empty; l++) /* a file without any inertia: one for each moving body */
    chosen[l] = !jn_link_is_fixed(d->model, l) && jn_joint_type_of(d->model, l) != JN_FIXED;
  for (int i = 0; o->links && i < o->link_count; i++) {
    int l = o->links[i] ? jn_link_index(d->model, o->links[i]) : JN_NONE;
    if (l < 0) {
      jn__fail(error, JN_ERR_NAME, NULL, "there is no link '%.200s' to identify", o->links[i] ? o->links[i] : "");
      return -1;
    }
    chosen[l] = 1;
  }
  for (int l = 0; l < d->links; l++) count += chosen[l];
  return count;
}

static void lay_out(jn_identification *d) {
  unsigned c = d->options.columns;
  int at = d->inertial;
  const struct {
    unsigned bit;
    int *first, count;
  } blocks[] = {{JN_IDENTIFY_ROTOR, &d->first_rotor, d->motors},
                {JN_IDENTIFY_VISCOUS, &d->first_viscous, d->motors},
                {JN_IDENTIFY_COULOMB, &d->first_coulomb, d->motors},
                {JN_IDENTIFY_OFFSET, &d->first_offset, d->motors},
                {JN_IDENTIFY_SCALE, &d->first_scale, d->nv}};
  for (int i = 0; i < 5; i++) {
    *blocks[i].first = at;
    if (c & blocks[i].bit) at += blocks[i].count;
    if (!(c & blocks[i].bit)) *blocks[i].first = INT_MAX;
  }
  d->first_user = d->options.user ? at : INT_MAX;
  d->n = at + (d->options.user ? d->options.user_columns : 0);
}

/* The body that the search starts from: that of the model, the nearest possible one, or a ball. */
static void prior_of(const double given[10], double out[10]) {
  static const double com[3] = {0}, tensor[6] = {0.004, 0.004, 0.004}; /* 1 kg, 0.1 m */
  memcpy(out, given, 10 * sizeof *out);
  if (jn_inertia_is_physical(out)) return;
  jn_inertia_repair(given, JN_REPAIR_MARGIN, out, NULL);
  if (jn_inertia_is_physical(out)) return;
  double m, c[3], I[6];
  jn_inertia_unpack(given, &m, c, I);
  if (m > 0) { /* second moments on the boundary of what is possible, such as a point mass: a ball of that mass */
    double size = 0.01 * sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]) + 0.01, moment = 0.4 * m * size * size;
    for (int k = 0; k < 3; k++) I[k] += moment;
    jn_inertia_pack(m, c, I, out);
    if (jn_inertia_is_physical(out)) return;
    jn_inertia_repair(out, JN_REPAIR_MARGIN, out, NULL);
    if (jn_inertia_is_physical(out)) return;
  }
  jn_inertia_pack(1, com, tensor, out);
}

static void set_values(jn_identification *d, const unsigned char *chosen) {
  int at = 0;
  for (int l = 0; l < d->links; l++) {
    double p[10];
    jn_link_inertia(d->model, l, p);
    if (!chosen[l]) memcpy(d->known_pi + 10 * l, p, sizeof p);
    if (!chosen[l]) continue;
    prior_of(p, d->x0 + at);
    for (int k = 0; k < 10; k++) d->parameter[at++] = 10 * l + k;
  }
  for (int k = 0; k < d->motors; k++) {
    const jn_dof *dof = d->motor_of[k] >= 0 ? jn_coordinate_dof(d->model, d->motor_of[k]) : NULL;
    if (!dof) continue;
    if (d->first_rotor < d->n) d->x0[d->first_rotor + k] = dof->armature;
    if (d->first_viscous < d->n) d->x0[d->first_viscous + k] = dof->damping;
    if (d->first_coulomb < d->n) d->x0[d->first_coulomb + k] = dof->friction;
  }
}

/* Motors: G, and which of them drive one coordinate as it is. */
static void set_motors(jn_identification *d) {
  size_t nv = (size_t)d->nv;
  for (int k = 0; k < d->motors; k++) {
    int count = 0, only = JN_NONE;
    for (int i = 0; i < d->nv; i++) {
      double g = d->options.coupling ? d->options.coupling[(size_t)k * nv + (size_t)i] : k == i;
      int joint = jn_coordinate_joint(d->model, i, NULL);
      if (!d->options.coupling && jn_joint_type_of(d->model, joint) == JN_FREE) g = 0; /* it has no motor */
      d->G[(size_t)k * nv + (size_t)i] = g;
      if (g != 0) count++;
      if (g == 1) only = i;
    }
    d->motor_of[k] = count == 1 ? only : JN_NONE;
  }
  d->options.coupling = d->G;
  for (int k = 0; k < d->motors && d->options.coulomb_speed; k++) d->speed[k] = fmax(d->options.coulomb_speed[k], 0);
  d->options.coulomb_speed = d->speed;
}

/* ---- Columns at a state ---- */

static double soft_sign(double v, double speed) {
  if (speed > 0 && fabs(v) < speed) return v / speed;
  return v > 0 ? 1 : v < 0 ? -1 : 0;
}

/* Motions of the motors: theta [3 x motors] = velocity, acceleration, sign. */
static void turn_motors(const jn_identification *d, const double *v, const double *a, double *theta) {
  for (int k = 0; k < d->motors; k++) {
    const double *g = d->G + (size_t)k * (size_t)d->nv;
    double velocity = 0, acceleration = 0;
    for (int i = 0; i < d->nv; i++) velocity += g[i] * v[i], acceleration += g[i] * a[i];
    theta[k] = velocity;
    theta[d->motors + k] = acceleration;
    theta[2 * d->motors + k] = soft_sign(velocity, d->speed[k]);
  }
}

/* Losses and armature of the model that are not unknowns. */
static double known_losses(const jn_identification *d, int i, const double *v, const double *a) {
  const jn_dof *dof = jn_coordinate_dof(d->model, i);
  double sum = 0;
  if (d->first_rotor >= d->n) sum += dof->armature * a[i];
  if (d->first_viscous >= d->n) sum += dof->damping * v[i];
  if (d->first_coulomb >= d->n) sum += dof->friction * soft_sign(v[i], i < d->motors ? d->speed[i] : 0);
  return sum;
}

void jn__ident_rows(const jn_identification *d, int rows, const double *q, const double *v, const double *a,
                    const double *forces, const double *Y_pi, double *theta, double *Y_user, double *Y, double *known) {
  size_t n = (size_t)d->n, width = 10 * (size_t)d->links;
  turn_motors(d, v, a, theta);
  if (d->first_user < d->n) d->options.user(q, v, a, Y_user, d->options.context);
  if (known) jn_spring_forces(d->model, q, known);
  for (int i = 0; i < rows; i++) {
    double *row = Y + (size_t)i * n;
    const double *y = Y_pi + (size_t)i * width;
    memset(row, 0, n * sizeof *row);
    for (int k = 0; k < d->inertial; k++) row[k] = y[d->parameter[k]];
    if (known) {
      if (i >= d->nv) known[i] = 0;
      for (size_t c = 0; c < width; c++) known[i] += y[c] * d->known_pi[c];
      if (i < d->nv) known[i] += known_losses(d, i, v, a);
    }
    if (i >= d->nv) continue;
    for (int k = 0; k < d->motors; k++) {
      double g = d->G[(size_t)k * (size_t)d->nv + (size_t)i];
      if (g == 0) continue;
      int passive = d->closure && d->motor_of[k] >= 0 && !d->closure->actuated[d->motor_of[k]]; /* only friction */
      if (d->first_rotor < d->n && !passive) row[d->first_rotor + k] = g * theta[d->motors + k];
      if (d->first_viscous < d->n) row[d->first_viscous + k] = g * theta[k];
      if (d->first_coulomb < d->n) row[d->first_coulomb + k] = g * theta[2 * d->motors + k];
      if (d->first_offset < d->n && !passive) row[d->first_offset + k] = g;
    }
    if (d->first_scale < d->n && forces) row[d->first_scale + i] = -forces[i];
    for (int k = 0; k < d->options.user_columns && d->first_user < d->n; k++)
      row[d->first_user + k] = Y_user[(size_t)i * (size_t)d->options.user_columns + (size_t)k];
  }
}

/* Y_pi [channels x 10L] at one state. */
static jn_status inertial_rows(const jn_identification *d, jn_work *work, const double *q, const double *v,
                               const double *a, double *Y_pi) {
  jn_status status = jn_regressor(d->model, work, q, v, a, Y_pi);
  if (status == JN_OK && d->rows > d->nv)
    status = jn_joint_wrench_regressor(d->model, work, d->options.wrench_link, q, v, a,
                                       Y_pi + (size_t)d->nv * 10 * (size_t)d->links);
  return status;
}

/* The closed state next to this one, which belongs to the caller, in its place. */
static jn_status close_state(const jn_identification *d, const double **q, const double **v, const double **a) {
  const jn_closure *c = d->closure;
  memcpy(c->q, *q, (size_t)d->nq * sizeof *c->q);
  memcpy(c->v, *v, (size_t)d->nv * sizeof *c->v);
  memcpy(c->a, *a, (size_t)d->nv * sizeof *c->a);
  *q = c->q;
  *v = c->v;
  *a = c->a;
  return jn__ident_close(d, c->q, c->v, c->a, c->N);
}

jn_status jn_identification_regressor(const jn_identification *d, jn_work *work, const double *q, const double *v,
                                      const double *a, const double *forces, double *Y, double *known) {
  if (!d || !work || !q || !v || !a) return JN_ERR_NULL;
  size_t rows = (size_t)d->channels, count = rows * 10 * (size_t)d->links, user = (size_t)d->options.user_columns;
  double *memory =
      numbers(&d->allocator, count + 3 * (size_t)d->motors + (size_t)d->nv * user + rows * (size_t)d->n + rows);
  if (!memory) return JN_ERR_MEMORY;
  double *theta = memory + count, *Y_user = theta + 3 * d->motors, *own = Y_user + (size_t)d->nv * user;
  jn_status status = d->closure ? close_state(d, &q, &v, &a) : JN_OK;
  if (status == JN_OK) status = inertial_rows(d, work, q, v, a, memory);
  size_t own_rows = (size_t)(d->channels - d->rows); /* of the user: nothing here */
  if (Y) memset(Y + (size_t)d->rows * (size_t)d->n, 0, own_rows * (size_t)d->n * sizeof *Y);
  if (known) memset(known + d->rows, 0, own_rows * sizeof *known);
  if (status == JN_OK)
    jn__ident_rows(d, d->rows, q, v, a, forces, memory, theta, Y_user, Y ? Y : own,
                   known ? known : own + rows * (size_t)d->n);
  if (status == JN_OK && d->closure) {
    if (Y) jn__ident_close_rows(d, d->closure->N, d->n, Y);
    if (known) jn__ident_close_rows(d, d->closure->N, 1, known);
  }
  jn__release(&d->allocator, memory);
  return status;
}

/* ---- Base parameters ---- */

void jn__ident_to_base(const jn_identification *d, const double *x, double *b) {
  for (int i = 0; i < d->nb; i++) {
    const double *row = d->B + (size_t)i * (size_t)d->n;
    b[i] = 0;
    for (int k = 0; k < d->n; k++) b[i] += row[k] * x[k];
  }
}

/* Inner links first; of a link, the parameters that usually lead a combination first. */
static void set_order(const jn_identification *d, int *order) {
  static const int within[10] = {7, 8, 9, 6, 4, 1, 2, 3, 5, 0};
  for (int k = 0; k < d->n; k++) order[k] = k < d->inertial ? k / 10 * 10 + within[k % 10] : k;
}

typedef struct structure {
  double *R, *block, *w, *q, *v, *a, *forces, *largest; /* largest [channels x n]: of each column in each channel */
  double *known, most_known;                            /* [channels]; the largest of all */
  int *order;
} structure;

/* Regressors at random states, reduced to R [n x n]. */
static jn_status stack_states(jn_identification *d, structure *s) {
  int states = 4 * d->n / d->rows + 1, least = jn_model_is_coupled(d->model) ? 2 * d->n : 40;
  uint64_t seed = d->options.seed;
  size_t n = (size_t)d->n, rows = (size_t)d->channels;
  if (states < least) states = least;
  for (int k = 0; k < states; k++) {
    jn_status status = jn__ident_random_state(d, &seed, s->q, s->v, s->a);
    for (int i = 0; i < d->channels; i++)
      s->forces[i] = d->closure && i < d->nv && !d->closure->actuated[i] ? 0 : 10 * jn__base_uniform(&seed);
    if (status == JN_OK)
      status = jn_identification_regressor(d, d->work, s->q, s->v, s->a, s->forces, s->block, s->known);
    if (status != JN_OK) return status;
    for (int i = 0; i < d->nv; i++) s->most_known = fmax(s->most_known, fabs(s->known[i]));
    for (size_t i = 0; i < rows * n; i++) {
      if (!isfinite(s->block[i])) return JN_ERR_MODEL;
      s->largest[i] = fmax(s->largest[i], fabs(s->block[i]));
    }
    jn__qr_update(s->R, s->block, d->rows, d->n, s->w);
  }
  return JN_OK;
}

/* Channels have only the columns that are not zero in them. */
static jn_status use_structure(jn_identification *d, structure *s) {
  int *lead = jn__allocate(&d->allocator, (size_t)d->n * sizeof *lead);
  double *B = numbers(&d->allocator, (size_t)d->n * (size_t)d->n);
  unsigned char *used = jn__allocate(&d->allocator, (size_t)d->channels * (size_t)d->n + 1);
  jn_status status = lead && B && used ? JN_OK : JN_ERR_MEMORY;
  int closed = d->closure != NULL; /* rows of closed loops have columns of other branches, too */
  set_order(d, s->order);
  if (status == JN_OK) {
    d->nb = jn__independent(&d->allocator, s->R, d->n, d->n, s->order, 1e-11,
                            jn_variant_epsilon() > 1e-10 ? 1e-3 : 1e-8, lead, B, NULL);
    if (d->nb < 0) status = JN_ERR_MEMORY;
    if (d->nb == 0) status = JN_ERR_MODEL;
  }
  d->lead = lead;
  d->B = B;
  for (int i = 0; i < d->channels && status == JN_OK; i++) {
    const double *row = s->largest + (size_t)i * (size_t)d->n;
    double most = 0;
    for (int k = 0; k < d->n; k++) most = fmax(most, row[k]);
    for (int b = 0; b < d->nb; b++) used[i * d->nb + b] = closed || i >= d->rows || row[lead[b]] > 1e-11 * most;
  }
  if (status == JN_OK) status = jn__ident_make_channels(d, used);
  jn__release(&d->allocator, used);
  return status;
}

static jn_status find_structure(jn_identification *d, jn_error *error) {
  structure s;
  const jn_allocator *a = &d->allocator;
  size_t n = (size_t)d->n, rows = (size_t)d->channels;
  s.R = numbers(a, n * n);
  s.block = numbers(a, 2 * rows * n + n + (size_t)d->nq + 2 * (size_t)d->nv + 2 * rows);
  s.order = jn__allocate(a, n * sizeof *s.order);
  jn_status status = s.R && s.block && s.order ? JN_OK : JN_ERR_MEMORY;
  if (status == JN_OK) {
    s.largest = s.block + rows * n;
    s.w = s.largest + rows * n;
    s.q = s.w + n;
    s.v = s.q + d->nq;
    s.a = s.v + d->nv;
    s.forces = s.a + d->nv;
    s.known = s.forces + rows;
    s.most_known = 0;
    status = stack_states(d, &s);
  }
  if (status == JN_OK && d->first_scale < d->n && !(s.most_known > 0)) {
    jn__fail(error, JN_ERR_MODEL, NULL,
             "torque constants are told only next to something that is known, such as the mass of a payload; here all "
             "is unknown: name the links to identify, without the known one");
    status = JN_ERR_MODEL;
  }
  if (status == JN_OK) status = use_structure(d, &s);
  jn__release(a, s.R);
  jn__release(a, s.block);
  jn__release(a, s.order);
  return status;
}

/* ---- Making and asking ---- */

static jn_status check_options(const jn_model *model, const jn_identification_options *o, jn_error *error) {
  if (o->size != sizeof *o)
    return jn__fail(error, JN_ERR_INIT, NULL, "the options are not set up by jn_identification_options_init()");
  const char *bad = (o->motors < 0 || (o->motors > 0) != (o->coupling != NULL))           ? "motors (with coupling)"
                    : (o->user_columns < 0 || (o->user_columns > 0) != (o->user != NULL)) ? "user_columns (with user)"
                    : (o->user_channels < 0 || o->user_channels > 1000)                   ? "user_channels"
                    : o->link_count < 0                                                   ? "link_count"
                    : o->threads < 0                                                      ? "threads"
                    : o->columns >= 64                                                    ? "columns"
                    : jn_link_count(model) > INT_MAX / 1000                               ? "the number of links"
                                                                                          : NULL;
  if (bad) return jn__fail(error, JN_ERR_SIZE, NULL, "an option is out of range: %s", bad);
  int motors = o->motors ? o->motors : jn_model_nv(model);
  if (o->motor_names && o->motor_name_count != motors)
    return jn__fail(error, JN_ERR_SIZE, NULL, "there are %d names for %d motors", o->motor_name_count, motors);
  if (o->wrench_link != JN_NONE && jn_loop_count(model) > 0)
    return jn__fail(error, JN_ERR_UNSUPPORTED, NULL,
                    "the wrench of a link is not told in a model with loops, whose own forces are part of it");
  if (o->wrench_link != JN_NONE && (o->wrench_link < 0 || o->wrench_link >= jn_link_count(model)))
    return jn__fail(error, JN_ERR_INDEX, NULL, "there is no link %d for the wrench", o->wrench_link);
  for (int i = 0; i < o->motors * jn_model_nv(model); i++)
    if (!isfinite(o->coupling[i])) return jn__fail(error, JN_ERR_MODEL, NULL, "a number of the coupling is not finite");
  if (jn_model_nv(model) == 0) return jn__fail(error, JN_ERR_MODEL, NULL, "the model has no joint that moves");
  return JN_OK;
}

/* Names of the motors, one after the other behind the pointers to them. */
static int copy_names(jn_identification *d) {
  size_t motors = (size_t)d->motors, bytes = motors * sizeof *d->motor_names;
  for (size_t k = 0; k < motors; k++) bytes += (d->options.motor_names[k] ? strlen(d->options.motor_names[k]) : 0) + 1;
  char **names = d->motor_names = jn__allocate(&d->allocator, bytes), *to = names ? (char *)(names + motors) : NULL;
  for (size_t k = 0; k < motors && names; k++) {
    const char *name = d->options.motor_names[k] ? d->options.motor_names[k] : "";
    size_t length = strlen(name) + 1;
    names[k] = memcpy(to, name, length);
    to += length;
  }
  d->options.motor_names = NULL; /* the caller's */
  return names != NULL;
}

static jn_status make_arrays(jn_identification *d, const unsigned char *chosen) {
  const jn_allocator *a = &d->allocator;
  d->parameter = jn__allocate(a, (size_t)(d->inertial + 1) * sizeof *d->parameter);
  d->G = numbers(a, (size_t)d->motors * (size_t)d->nv);
  d->motor_of = jn__allocate(a, (size_t)d->motors * sizeof *d->motor_of);
  d->speed = numbers(a, (size_t)d->motors);
  d->known_pi = numbers(a, 10 * (size_t)d->links);
  lay_out(d);
  size_t n = (size_t)d->n, channels = (size_t)d->channels;
  d->x0 = numbers(a, n);
  d->x = numbers(a, n);
  d->base0 = numbers(a, n);
  d->base = numbers(a, n);
  d->deviation = numbers(a, n);
  d->screen_base = numbers(a, n);
  d->noise = numbers(a, channels);
  d->screen_noise = numbers(a, channels);
  d->essential = jn__allocate(a, n + 1);
  if (!d->parameter || !d->G || !d->speed || !d->motor_of || !d->known_pi || !d->x0 || !d->x || !d->base0 || !d->base ||
      !d->deviation || !d->screen_base || !d->noise || !d->screen_noise || !d->essential)
    return JN_ERR_MEMORY;
  if (d->options.motor_names && !copy_names(d)) return JN_ERR_MEMORY;
  set_motors(d);
  set_values(d, chosen);
  memcpy(d->x, d->x0, n * sizeof *d->x);
  jn_status status = jn_work_create(d->model, &d->work);
  return status == JN_OK ? jn_batch_create(d->model, -1, d->options.threads, &d->batch) : status;
}

static jn_status fill(jn_identification *d, jn_error *error) {
  unsigned char *chosen = jn__allocate(&d->allocator, (size_t)d->links + 1);
  int count = chosen ? choose_links(d, chosen, error) : 0;
  jn_status status = !chosen ? JN_ERR_MEMORY : count < 0 ? JN_ERR_NAME : JN_OK;
  d->inertial = 10 * count;
  if (status == JN_OK) status = make_arrays(d, chosen);
  if (status == JN_OK && d->n == 0) status = JN_ERR_MODEL;
  if (status == JN_OK) status = jn__ident_make_closure(d);
  if (status == JN_OK) status = find_structure(d, error);
  if (status == JN_OK) jn__ident_to_base(d, d->x0, d->base0);
  jn__release(&d->allocator, chosen);
  if (status != JN_OK && status != JN_ERR_NAME && !(error && *error->text))
    jn__fail(error, status, NULL, "%s",
             status == JN_ERR_MODEL  ? "there is nothing to identify, or a number is not finite"
             : status == JN_ERR_LOOP ? "the loops cannot be closed, or nothing moves when they are"
                                     : jn_status_text(status));
  return status;
}

jn_status jn_identification_create(const jn_model *model, const jn_identification_options *options,
                                   jn_identification **identification, jn_error *error) {
  jn_identification_options own;
  if (identification) *identification = NULL;
  if (!model || !identification) return jn__fail(error, JN_ERR_NULL, NULL, "%s", jn_status_text(JN_ERR_NULL));
  jn_identification_options_init(&own);
  if (options) own = *options;
  jn_status status = check_options(model, &own, error);
  if (status != JN_OK) return status;
  jn_allocator a = jn__allocator(own.allocator);
  jn_identification *d = jn__allocate(&a, sizeof *d);
  if (!d) return jn__fail(error, JN_ERR_MEMORY, NULL, "%s", jn_status_text(JN_ERR_MEMORY));
  *d = (jn_identification){.allocator = a, .model = model, .options = own, .nq = jn_model_nq(model)};
  d->nv = jn_model_nv(model);
  d->links = jn_link_count(model);
  d->motors = own.motors ? own.motors : d->nv;
  d->rows = d->nv + (own.wrench_link >= 0 ? 6 : 0);
  d->channels = d->rows + own.user_channels;
  status = fill(d, error);
  d->options.links = NULL; /* the caller's */
  d->options.actuated = NULL;
  if (status == JN_OK)
    *identification = d;
  else
    jn_identification_destroy(d);
  return status;
}

void jn_identification_destroy(jn_identification *d) {
  if (!d) return;
  jn_allocator a = d->allocator;
  jn__ident_free_channels(d);
  jn__ident_free_closure(d);
  void *const arrays[] = {d->parameter,    d->G,         d->motor_of, d->known_pi,  d->x0,          d->x,
                          d->base0,        d->base,      d->lead,     d->deviation, d->screen_base, d->noise,
                          d->screen_noise, d->essential, d->B,        d->speed,     d->motor_names};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) jn__release(&a, arrays[i]);
  jn_work_destroy(d->work);
  jn_batch_destroy(d->batch);
  jn__release(&a, d);
}

int jn_identification_count(const jn_identification *d) { return d ? d->n : 0; }
int jn_identification_channels(const jn_identification *d) { return d ? d->channels : 0; }
const double *jn_identification_prior(const jn_identification *d) { return d ? d->x0 : NULL; }
int jn_identification_base_count(const jn_identification *d) { return d ? d->nb : 0; }
int jn_identification_base_column(const jn_identification *d, int i) {
  return d && i >= 0 && i < d->nb ? d->lead[i] : JN_NONE;
}
const double *jn_identification_base_matrix(const jn_identification *d) { return d ? d->B : NULL; }

int jn_identification_link(const jn_identification *d, int i) {
  return d && i >= 0 && i < d->inertial ? d->parameter[i] / 10 : JN_NONE;
}

/* The block that unknown i is in, and its number there. */
static const char *block_of(const jn_identification *d, int i, int *number) {
  const struct {
    int first, count;
    const char *name;
  } blocks[] = {{d->first_rotor, d->motors, "rotor"},     {d->first_viscous, d->motors, "viscous"},
                {d->first_coulomb, d->motors, "Coulomb"}, {d->first_offset, d->motors, "offset"},
                {d->first_scale, d->nv, "scale"},         {d->first_user, d->options.user_columns, "user"}};
  for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
    *number = i - blocks[k].first;
    if (*number >= 0 && *number < blocks[k].count) return blocks[k].name;
  }
  return NULL;
}

int jn_identification_coordinate(const jn_identification *d, int i) {
  int number;
  if (!d || i < d->inertial || i >= d->n || i >= d->first_user) return JN_NONE;
  const char *block = block_of(d, i, &number);
  return i >= d->first_scale ? number : block ? d->motor_of[number] : JN_NONE;
}

jn_status jn_identification_name(const jn_identification *d, int i, char *name, size_t size) {
  static const char *const parameters[10] = {"m", "hx", "hy", "hz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz"};
  if (!d || !name) return JN_ERR_NULL;
  if (i < 0 || i >= d->n) return JN_ERR_INDEX;
  if (i < d->inertial) {
    snprintf(name, size, "%s.%s", jn_link_name(d->model, d->parameter[i] / 10), parameters[d->parameter[i] % 10]);
    return JN_OK;
  }
  int number, coordinate = jn_identification_coordinate(d, i);
  const char *block = block_of(d, i, &number);
  char own[JN_COORDINATE_NAME];
  if (d->motor_names && i < d->first_scale && i < d->first_user && *d->motor_names[number]) {
    snprintf(name, size, "%s.%s", d->motor_names[number], block);
  } else if (coordinate >= 0) {
    jn_velocity_name(d->model, coordinate, own, sizeof own);
    snprintf(name, size, "%s.%s", own, block);
  } else {
    snprintf(name, size, i >= d->first_user ? "user.%d" : "motor_%d.%s", number + 1, block);
  }
  return JN_OK;
}

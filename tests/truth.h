/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse dynamics along analytic motions and its time derivatives, with more than 50 digits: a truth that shares
 * neither code nor method with the library.
 *
 * Every joint is a row of turns about an axis and slides along an axis, whose angles and lengths are analytic functions
 * of time. Forces come from Newton's and Euler's laws for each link in the world frame, with rotation matrices and
 * accelerations of points. Derivatives of any quantity are its central differences over steps of 2^-100 s, in 1280
 * bits: they are off by about 2^-200. */
#ifndef JN_TESTS_TRUTH_H
#define JN_TESTS_TRUTH_H

#include <mpfr.h>

#include "models.h"

enum { BITS = 1280, STEP = -100, REACH = 5, HEAP = 1 << 16 }; /* differences reach REACH steps to either side */
enum { ORDER = 8, LINKS = 12, WIDE = 6 * LINKS, POINTS = 2 * REACH + 1, STEPS = 12 }; /* a screw has two steps */

/* ---- Numbers live on a stack that is cut back after use; they are made once and cleared at the end. ---- */
static mpfr_t heap[HEAP];
static int heap_used, heap_made;

static mpfr_ptr fresh(void) {
  check(heap_used < HEAP, "too many numbers");
  if (heap_used == heap_made) mpfr_init2(heap[heap_made++], BITS);
  return heap[heap_used++];
}

static void clear_numbers(void) {
  while (heap_made > 0) mpfr_clear(heap[--heap_made]);
  heap_used = 0;
  mpfr_free_cache();
}

#define OPERATION(name, function)                      \
  static mpfr_ptr name(mpfr_srcptr a, mpfr_srcptr b) { \
    mpfr_ptr r = fresh();                              \
    function(r, a, b, MPFR_RNDN);                      \
    return r;                                          \
  }
OPERATION(add, mpfr_add)
OPERATION(sub, mpfr_sub)
OPERATION(mul, mpfr_mul)
OPERATION(quotient, mpfr_div)
#undef OPERATION

static mpfr_ptr number(double x) {
  mpfr_ptr r = fresh();
  mpfr_set_d(r, x, MPFR_RNDN);
  return r;
}

static mpfr_ptr sine(mpfr_srcptr x) {
  mpfr_ptr r = fresh();
  mpfr_sin(r, x, MPFR_RNDN);
  return r;
}

static mpfr_ptr cosine(mpfr_srcptr x) {
  mpfr_ptr r = fresh();
  mpfr_cos(r, x, MPFR_RNDN);
  return r;
}

static double rounded(mpfr_srcptr x) { return mpfr_get_d(x, MPFR_RNDN); }

/* ---- Vectors and matrices (rows) ---- */
typedef struct vec {
  mpfr_ptr x[3];
} vec;
typedef struct mat {
  vec row[3];
} mat;

static vec vector(const double x[3]) { return (vec){{number(x[0]), number(x[1]), number(x[2])}}; }
static vec zero(void) { return vector((const double[3]){0, 0, 0}); }
static vec plus(vec a, vec b) { return (vec){{add(a.x[0], b.x[0]), add(a.x[1], b.x[1]), add(a.x[2], b.x[2])}}; }
static vec minus(vec a, vec b) { return (vec){{sub(a.x[0], b.x[0]), sub(a.x[1], b.x[1]), sub(a.x[2], b.x[2])}}; }
static vec scaled(vec a, mpfr_srcptr s) { return (vec){{mul(a.x[0], s), mul(a.x[1], s), mul(a.x[2], s)}}; }

static mpfr_ptr dot(vec a, vec b) { return add(add(mul(a.x[0], b.x[0]), mul(a.x[1], b.x[1])), mul(a.x[2], b.x[2])); }

static vec cross(vec a, vec b) {
  vec r;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    r.x[i] = sub(mul(a.x[j], b.x[k]), mul(a.x[k], b.x[j]));
  }
  return r;
}

static vec unit(const double x[3]) {
  vec a = vector(x);
  mpfr_ptr length = fresh();
  mpfr_sqrt(length, dot(a, a), MPFR_RNDN);
  return scaled(a, quotient(number(1), length));
}

static vec times(mat A, vec b) { return (vec){{dot(A.row[0], b), dot(A.row[1], b), dot(A.row[2], b)}}; }

static mat transposed(mat A) {
  mat r;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) r.row[i].x[j] = A.row[j].x[i];
  return r;
}

static mat product(mat A, mat B) {
  mat columns = transposed(B), r;
  for (int i = 0; i < 3; i++) r.row[i] = times(columns, A.row[i]);
  return r;
}

static mat matrix(const double *x, int stride) {
  return (mat){{vector(x), vector(x + stride), vector(x + 2 * stride)}};
}

/* The rotation by x about the unit vector e, column by column: u -> e (e.u) + cos x (u - e (e.u)) + sin x (e x u). */
static mat rotation(vec e, mpfr_srcptr x) {
  const double E[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  mat columns;
  for (int i = 0; i < 3; i++) {
    vec u = vector(E + 3 * i), along = scaled(e, e.x[i]);
    columns.row[i] = plus(along, plus(scaled(minus(u, along), cosine(x)), scaled(cross(e, u), sine(x))));
  }
  return transposed(columns);
}

/* ---- Trees and their motions ---- */
/* x(t) = size sin(rate t + phase) + slope t + start */
typedef struct wave {
  double size, rate, phase, slope, start;
} wave;

/* A turn about, or a slide along, an axis by factor x(t) + offset. Coordinates of a joint are its elementary motions,
 * except that the turn and the slide of one screw share a coordinate. */
typedef struct elementary {
  int slides, coordinate;
  double axis[3], point[3], factor, offset;
  wave x;
} elementary;

typedef struct truth_link {
  char name[16], parent_name[16];
  jn_link link; /* what the builder gets: the same numbers */
  int parent;
  double mass, com[3], tensor[9]; /* about the centre of mass */
  int steps, v, index;            /* v, index: place in the model's velocities and links */
  elementary step[STEPS];
  int follows; /* 1: coupled, its position is ratio x(t) + offset of the first joint of the chain */
  double ratio, offset;
  wave wrench[6];
} truth_link;

typedef struct truth_tree {
  int n, nv;
  int coupled,
      leader; /* coupled: joints of one coordinate follow the one before them, which is the leader (-1: none) */
  double gravity[3];
  truth_link link[LINKS];
} truth_tree;

/* Values of everything along the motion, derivatives of all orders: what the library is given and should answer. */
typedef struct truth_jet {
  double q[WIDE + LINKS], v[(ORDER + 2) * WIDE], wrench[(ORDER + 1) * WIDE], tau[(ORDER + 1) * WIDE];
} truth_jet;

/* x(t), dx/dt, d^2x/dt^2 */
static void evaluate_wave(const wave *w, mpfr_srcptr t, mpfr_ptr x[3]) {
  mpfr_ptr rate = number(w->rate), size = number(w->size);
  mpfr_ptr angle = add(mul(rate, t), number(w->phase));
  mpfr_ptr s = mul(size, sine(angle)), c = mul(size, cosine(angle));
  x[0] = add(s, add(mul(number(w->slope), t), number(w->start)));
  x[1] = add(mul(c, rate), number(w->slope));
  x[2] = sub(number(0), mul(mul(s, rate), rate));
}

/* A moving frame in the world: orientation, origin, angular velocity and acceleration, velocity and acceleration of the
 * origin. */
typedef struct moving {
  mat R;
  vec p, w, dw, v, a;
} moving;

static moving at_rest(void) {
  const double E[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  return (moving){matrix(E, 3), zero(), zero(), zero(), zero(), zero()};
}

/* The same rigid body seen from the point at r (world axes) from the origin. */
static moving seen_from(moving f, vec r) {
  f.p = plus(f.p, r);
  f.v = plus(f.v, cross(f.w, r));
  f.a = plus(f.a, plus(cross(f.dw, r), cross(f.w, cross(f.w, r))));
  return f;
}

/* One elementary motion on top of f. Where it acts in the world is told: its axis and a point of it. */
static moving moved(moving f, const elementary *e, mpfr_srcptr t, vec *axis, vec *point) {
  mpfr_ptr x[3];
  evaluate_wave(&e->x, t, x);
  for (int i = 0; i < 3; i++) x[i] = mul(x[i], number(e->factor));
  x[0] = add(x[0], number(e->offset));
  vec local = unit(e->axis), y = vector(e->point);
  *axis = times(f.R, local);
  if (e->slides) {
    f = seen_from(f, scaled(*axis, x[0]));
    f.v = plus(f.v, scaled(*axis, x[1]));
    f.a = plus(f.a, plus(scaled(cross(f.w, *axis), mul(number(2), x[1])), scaled(*axis, x[2])));
    *point = f.p;
    return f;
  }
  f = seen_from(f, times(f.R, y));
  *point = f.p;
  f.dw = plus(f.dw, plus(scaled(*axis, x[2]), scaled(cross(f.w, *axis), x[1])));
  f.w = plus(f.w, scaled(*axis, x[1]));
  f.R = product(f.R, rotation(local, x[0]));
  return seen_from(f, scaled(times(f.R, y), number(-1)));
}

/* ---- Newton and Euler ---- */
typedef struct load {
  vec force, moment; /* in the world, about its origin */
} load;

/* What the joint must give to move this link alone: inertia and gravity, less the external wrench. */
static load link_load(const truth_tree *tree, const truth_link *l, moving f, mpfr_ptr *wrench) {
  moving c = seen_from(f, times(f.R, vector(l->com)));
  mat I = product(f.R, product(matrix(l->tensor, 3), transposed(f.R)));
  vec external_moment = times(f.R, (vec){{wrench[0], wrench[1], wrench[2]}});
  vec external_force = times(f.R, (vec){{wrench[3], wrench[4], wrench[5]}});
  vec force = scaled(minus(c.a, vector(tree->gravity)), number(l->mass));
  vec moment = plus(times(I, c.dw), cross(c.w, times(I, c.w)));
  moment = minus(plus(moment, cross(c.p, force)), plus(external_moment, cross(f.p, external_force)));
  return (load){minus(force, external_force), moment};
}

static int on_the_group(const truth_link *l) { /* velocities are those of the body, not rates of coordinates */
  return l->link.joint.type == JN_SPHERICAL || l->link.joint.type == JN_FREE;
}

/* The load's share in the joint's coordinates, 3 or 6 components in the axes of the link. */
static void group_forces(const truth_link *l, moving f, load w, mpfr_ptr *tau) {
  moving centre = seen_from(f, times(f.R, vector(l->link.joint.point)));
  vec moment = times(transposed(f.R), minus(w.moment, cross(centre.p, w.force)));
  vec force = times(transposed(f.R), w.force);
  for (int k = 0; k < 3; k++) mpfr_set(tau[k], moment.x[k], MPFR_RNDN);
  for (int k = 0; k < 3 && l->link.joint.type == JN_FREE; k++) mpfr_set(tau[3 + k], force.x[k], MPFR_RNDN);
}

/* tau(t) without armatures, and the wrenches, at one time. */
static void inverse_dynamics(const truth_tree *tree, mpfr_srcptr t, mpfr_ptr *tau, mpfr_ptr *wrench) {
  static moving f[LINKS];
  static vec axis[LINKS][STEPS], point[LINKS][STEPS];
  load w[LINKS];
  for (int i = 0; i < tree->n; i++) {
    const truth_link *l = &tree->link[i];
    moving at = l->parent < 0 ? at_rest() : f[l->parent];
    const double *T = l->link.placement, r[3] = {T[3], T[7], T[11]};
    at = seen_from(at, times(at.R, vector(r)));
    at.R = product(at.R, matrix(T, 4));
    for (int k = 0; k < l->steps; k++) at = moved(at, &l->step[k], t, &axis[i][k], &point[i][k]);
    f[i] = at;
    for (int k = 0; k < 6; k++) {
      mpfr_ptr x[3];
      evaluate_wave(&l->wrench[k], t, x);
      mpfr_set(wrench[6 * l->index + k], x[0], MPFR_RNDN);
    }
    w[i] = link_load(tree, l, at, wrench + 6 * l->index);
  }
  for (int k = 0; k < tree->nv; k++) mpfr_set_zero(tau[k], 1);
  for (int i = tree->n - 1; i >= 0; i--) {
    const truth_link *l = &tree->link[i];
    for (int k = 0; k < l->steps && !on_the_group(l); k++) {
      vec moment = minus(w[i].moment, cross(point[i][k], w[i].force));
      mpfr_ptr share = dot(axis[i][k], l->step[k].slides ? w[i].force : moment);
      mpfr_ptr sum = tau[l->v + l->step[k].coordinate];
      mpfr_set(sum, add(sum, mul(share, number(l->step[k].factor))), MPFR_RNDN);
    }
    if (on_the_group(l)) group_forces(l, f[i], w[i], tau + l->v);
    if (l->parent < 0) continue;
    w[l->parent].force = plus(w[l->parent].force, w[i].force);
    w[l->parent].moment = plus(w[l->parent].moment, w[i].moment);
  }
}

/* ---- What the library calls q and v ---- */
/* The quaternion (x, y, z, w) of the turns of a joint, one after the other. */
static void quaternion(const truth_link *l, mpfr_srcptr t, mpfr_ptr Q[4]) {
  vec u = zero();
  mpfr_ptr c = number(1);
  for (int k = 0; k < l->steps; k++) {
    if (l->step[k].slides) continue;
    mpfr_ptr x[3];
    evaluate_wave(&l->step[k].x, t, x);
    mpfr_ptr half = mul(x[0], number(0.5)), d = cosine(half);
    vec e = scaled(unit(l->step[k].axis), sine(half));
    vec both = plus(plus(scaled(e, c), scaled(u, d)), cross(u, e));
    c = sub(mul(c, d), dot(u, e));
    u = both;
  }
  for (int k = 0; k < 3; k++) Q[k] = u.x[k];
  Q[3] = c;
}

static void configuration(const truth_tree *tree, const jn_model *m, mpfr_srcptr t, double *q) {
  for (int i = 0; i < tree->n; i++) {
    const truth_link *l = &tree->link[i];
    if (l->steps == 0 || l->follows) continue;
    double *x = q + jn_joint_q(m, l->index);
    int linear = l->link.joint.type == JN_FREE ? 3 : 0;
    mpfr_ptr y[4];
    for (int k = 0; k < l->steps && (linear ? k < 3 : !on_the_group(l)); k++) {
      evaluate_wave(&l->step[k].x, t, y);
      x[l->step[k].coordinate] = rounded(y[0]);
    }
    if (!on_the_group(l)) continue;
    quaternion(l, t, y);
    for (int k = 0; k < 4; k++) x[linear + k] = rounded(y[k]);
  }
}

/* Rates of coordinates, and for spherical and free joints the velocities of the link, its parent at rest. */
static void velocities(const truth_tree *tree, mpfr_srcptr t, mpfr_ptr *v) {
  for (int i = 0; i < tree->n; i++) {
    const truth_link *l = &tree->link[i];
    moving f = at_rest();
    vec axis, point;
    for (int k = 0; k < l->steps && !l->follows; k++) {
      mpfr_ptr x[3];
      evaluate_wave(&l->step[k].x, t, x);
      if (on_the_group(l))
        f = moved(f, &l->step[k], t, &axis, &point);
      else
        mpfr_set(v[l->v + l->step[k].coordinate], x[1], MPFR_RNDN);
    }
    if (!on_the_group(l)) continue;
    vec turning = times(transposed(f.R), f.w), moving_on = times(transposed(f.R), f.v);
    for (int k = 0; k < 3; k++) mpfr_set(v[l->v + k], turning.x[k], MPFR_RNDN);
    for (int k = 0; k < 3 && l->link.joint.type == JN_FREE; k++) mpfr_set(v[l->v + 3 + k], moving_on.x[k], MPFR_RNDN);
  }
}

/* ---- Derivatives ---- */
/* delta^k f at the point `at`, k even: sum (-1)^i binom(k, i) f(at + k/2 - i) */
static mpfr_ptr difference(mpfr_ptr f[POINTS][WIDE], int c, int k, int at) {
  mpfr_ptr sum = number(0), binomial = number(1);
  for (int i = 0; i <= k; i++) {
    sum = add(sum, mul(binomial, f[REACH + at + k / 2 - i][c]));
    binomial = mul(binomial, quotient(number(i - k), number(i + 1)));
  }
  return sum;
}

/* d^k f/dt^k in the middle; for odd k the mean of the differences half a step to either side. */
static mpfr_ptr derivative(mpfr_ptr f[POINTS][WIDE], int c, int k) {
  mpfr_ptr d = k % 2 == 0 ? difference(f, c, k, 0)
                          : mul(number(0.5), sub(difference(f, c, k - 1, 1), difference(f, c, k - 1, -1)));
  mpfr_mul_2si(d, d, -STEP * k, MPFR_RNDN);
  return d;
}

static void derivatives(mpfr_ptr f[POINTS][WIDE], int n, int order, double *jet) {
  int mark = heap_used;
  for (int k = 0; k <= order; k++)
    for (int c = 0; c < n; c++, heap_used = mark) jet[k * n + c] = rounded(derivative(f, c, k));
}

static int coordinates(const truth_link *l) {
  if (on_the_group(l)) return l->link.joint.type == JN_FREE ? 6 : 3;
  return l->steps ? l->step[l->steps - 1].coordinate + 1 : 0;
}

/* Rotor inertia that a coordinate sees: those of all the joints that it moves, by the squares of their ratios. */
static mpfr_ptr armature(const truth_tree *tree, int c) {
  mpfr_ptr sum = number(0);
  for (int i = 0; i < tree->n; i++) {
    const truth_link *l = &tree->link[i];
    int k = c - l->v, n = coordinates(l);
    if (k < 0 || k >= n) continue;
    mpfr_ptr ratio = number(l->ratio);
    sum = add(sum, mul(number(l->link.joint.dof[k].armature), mul(ratio, ratio)));
  }
  return sum;
}

/* Everything at the time t. */
static void truth_at(const truth_tree *tree, const jn_model *m, double t, truth_jet *out) {
  static mpfr_ptr tau[POINTS][WIDE], v[POINTS][WIDE], wrench[POINTS][WIDE];
  heap_used = 0;
  for (int j = 0; j < POINTS; j++)
    for (int c = 0; c < WIDE; c++) tau[j][c] = fresh(), v[j][c] = fresh(), wrench[j][c] = fresh();
  int mark = heap_used;
  for (int j = 0; j < POINTS; j++, heap_used = mark) {
    mpfr_ptr at = number(j - REACH);
    mpfr_mul_2si(at, at, STEP, MPFR_RNDN);
    at = add(at, number(t));
    inverse_dynamics(tree, at, tau[j], wrench[j]);
    velocities(tree, at, v[j]);
    if (j == REACH) configuration(tree, m, at, out->q);
  }
  derivatives(v, tree->nv, ORDER + 1, out->v);
  derivatives(wrench, 6 * tree->n, ORDER, out->wrench);
  for (int k = 0; k <= ORDER; k++)
    for (int c = 0; c < tree->nv; c++, heap_used = mark) {
      mpfr_ptr rotor = mul(armature(tree, c), derivative(v, c, k + 1));
      out->tau[k * tree->nv + c] = rounded(add(derivative(tau, c, k), rotor));
    }
}

#endif

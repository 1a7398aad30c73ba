/* SPDX-License-Identifier: BSD-2-Clause */
/* Base parameters: Y pi = Y_b (B pi) at fresh states, and not with fewer; counts against a singular value decomposition
 * of our own, against the structure, and against what is known of robots; coefficients against the classical formulas.
 */
#include "models.h"

#include "jounce/base_parameters.h"

enum { V = 60, LINKS = 34, P = 10 * LINKS };

/* ---- help ---- */

static jn_base *base_by(const jn_model *m, jn_base_method method) {
  jn_base_options o;
  jn_base *b;
  jn_base_options_init(&o);
  o.method = method;
  check_ok(jn_base_create(m, &o, &b));
  return b;
}

static jn_model *frozen(jn_builder *b) {
  jn_model *m;
  jn_error error;
  jn_status status = jn_builder_freeze(b, &m, &error);
  check(status == JN_OK, "%s", error.text);
  jn_builder_destroy(b);
  return m;
}

static jn_model *loaded(const char *source, int floating) {
  jn_model *m;
  jn_error error;
  jn_options o;
  jn_options_init(&o);
  o.floating = floating;
  check(jn_load(source, &o, &m, &error) == JN_OK, "%s", error.text);
  return m;
}

/* A link of the chain under construction, on the last one; the axis is z. */
static void add_link(jn_builder *b, int i, jn_joint_type type, const double T[16]) {
  char name[16], parent[16];
  jn_link l;
  jn_link_init(&l);
  snprintf(name, sizeof name, "l%d", i);
  snprintf(parent, sizeof parent, "l%d", i - 1);
  l.name = name;
  l.parent = i > 0 ? parent : NULL;
  l.joint.type = type;
  memcpy(l.placement, T, sizeof l.placement);
  jn_inertia_pack(1, (double[3]){0.1, 0.2, 0.3}, (double[6]){0.1, 0.1, 0.1, 0, 0, 0}, l.inertia);
  check_ok(jn_builder_add_link(b, &l));
}

/* Rx(alpha) Tx(d) Tz(r): the constant part of a joint in modified Denavit-Hartenberg parameters. */
static void dh(double alpha, double d, double r, double T[16]) {
  double c = cos(alpha), s = sin(alpha);
  const double rows[16] = {1, 0, 0, d, 0, c, -s, -r * s, 0, s, c, r * c, 0, 0, 0, 1};
  memcpy(T, rows, sizeof rows);
}

/* A random state and its regressor. One coordinate that moves many joints must move far, or functions of it that differ
 * look the same: eight times the usual range. */
static void state_regressor(const jn_model *m, jn_work *w, uint64_t *s, double *Y) {
  double q[80], v[V], a[V];
  check_ok(jn_random(m, s, q));
  for (int j = 0; j < jn_link_count(m) && jn_model_is_coupled(m); j++)
    for (int k = 0; k < jn_joint_nq(m, j) && jn_joint_nq(m, j) == jn_joint_nv(m, j); k++) q[jn_joint_q(m, j) + k] *= 8;
  fill(s, v, jn_model_nv(m), 2);
  fill(s, a, jn_model_nv(m), 5);
  check_ok(jn_regressor(m, w, q, v, a, Y));
}

/* A [cols x rows], each column of Y a row here, of `states` states; columns of length 1 or zero. */
static double *independent_stack(const jn_model *m, uint64_t *s, int states, int *rows) {
  int n = jn_parameter_count(m), nv = jn_model_nv(m);
  double *A = malloc((size_t)n * (size_t)(states * nv) * sizeof *A), *Y = malloc((size_t)nv * (size_t)n * sizeof *Y);
  assert_true(A && Y);
  jn_work *w;
  *rows = states * nv;
  check_ok(jn_work_create(m, &w));
  for (int k = 0; k < states; k++) {
    state_regressor(m, w, s, Y);
    for (int r = 0; r < nv; r++)
      for (int c = 0; c < n; c++) A[c * *rows + k * nv + r] = Y[r * n + c];
  }
  for (int c = 0; c < n; c++) {
    double size = 0;
    for (int r = 0; r < *rows; r++) size += A[c * *rows + r] * A[c * *rows + r];
    for (int r = 0; r < *rows; r++) A[c * *rows + r] = size > 1e-20 ? A[c * *rows + r] / sqrt(size) : 0;
  }
  jn_work_destroy(w);
  free(Y);
  return A;
}

/* Turns columns x and y until they are normal to each other; how far they were from it. */
static double turn(double *x, double *y, int n) {
  double a = 0, b = 0, c = 0;
  for (int i = 0; i < n; i++) a += x[i] * x[i], b += y[i] * y[i], c += x[i] * y[i];
  if (fabs(c) <= 1e-16 * sqrt(a * b) || fabs(c) < 1e-32) return 0;
  double z = (b - a) / (2 * c), t = (z < 0 ? -1 : 1) / (fabs(z) + sqrt(1 + z * z)), k = 1 / sqrt(1 + t * t), s = k * t;
  for (int i = 0; i < n; i++) {
    double u = x[i];
    x[i] = k * u - s * y[i];
    y[i] = s * u + k * y[i];
  }
  return fabs(c);
}

/* Singular values over 1e-9 of the largest, by one-sided Jacobi rotations; A is overwritten. Nothing may lie between
 * 1e-11 and 1e-7. */
static int jacobi_rank(double *A, int columns, int rows) {
  double off = 1, most = 0;
  for (int sweep = 0; sweep < 40 && off > 1e-13; sweep++) {
    off = 0;
    for (int i = 0; i < columns; i++)
      for (int j = i + 1; j < columns; j++) off = fmax(off, turn(A + i * rows, A + j * rows, rows));
  }
  double *value = malloc((size_t)columns * sizeof *value);
  assert_non_null(value);
  for (int c = 0; c < columns; c++) {
    value[c] = 0;
    for (int r = 0; r < rows; r++) value[c] += A[c * rows + r] * A[c * rows + r];
    value[c] = sqrt(value[c]);
    most = fmax(most, value[c]);
  }
  int rank = 0;
  for (int c = 0; c < columns; c++) {
    check(value[c] < 1e-11 * most || value[c] > 1e-7 * most, "no gap: %g of %g", value[c], most);
    rank += value[c] > 1e-9 * most;
  }
  free(value);
  return rank;
}

static int independent_rank(const jn_model *m, uint64_t *s) {
  int rows, nv = jn_model_nv(m), n = jn_parameter_count(m);
  if (nv == 0) return 0;
  double *A = independent_stack(m, s, jn_model_is_coupled(m) ? n + 20 : 3 * n / nv + 20, &rows);
  int rank = jacobi_rank(A, n, rows);
  free(A);
  return rank;
}

/* Roundings that B may be off: by the structure few, by numbers what their condition makes of them. */
static double allowance(const jn_base *b) {
  double kept;
  check_ok(jn_base_spectrum(b, JN_BASE_SVD, &kept, NULL));
  return jn_base_method_used(b) == JN_BASE_STRUCTURE ? 1000 : 2e4 + 100 / kept;
}

/* Y pi = Y_b (B pi) at fresh states for any pi, physical or not. */
static void check_equivalence(const jn_model *m, const jn_base *b, uint64_t *s, const char *what) {
  static double Y[V * P], Yb[V * P];
  double pi[P], x[P], one[V], two[V];
  int n = jn_parameter_count(m), nv = jn_model_nv(m), nb = jn_base_count(b);
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  for (int k = 0; k < 5; k++) {
    double size = 1;
    fill(s, pi, n, 1);
    state_regressor(m, w, s, Y);
    check_ok(jn_base_parameters(b, pi, x));
    check_ok(jn_base_regressor(b, nv, Y, Yb));
    for (int r = 0; r < nv; r++) {
      double sum = 0;
      one[r] = two[r] = 0;
      for (int c = 0; c < n; c++) one[r] += Y[r * n + c] * pi[c], sum += fabs(Y[r * n + c] * pi[c]);
      for (int i = 0; i < nb; i++) two[r] += Yb[r * nb + i] * x[i];
      size = fmax(size, sum);
    }
    check_close(one, two, nv, size, allowance(b), "Y pi = Yb (B pi), %s", what);
  }
  jn_work_destroy(w);
}

/* Whether singular values leave no doubt of the rank. Coupled coordinates may: many functions of one coordinate, such
 * as sin(0.01 q) and q, are dependent to many digits. */
static int has_gap(const jn_base *b) {
  double kept, dropped;
  check_ok(jn_base_spectrum(b, JN_BASE_SVD, &kept, &dropped));
  return kept > 1e-6 && dropped < 1e-12;
}

/* Everything about a model: three counts, our own, the identity by all methods; the number of base parameters, or -1
 * when it is in doubt. */
static int check_model(const jn_model *m, uint64_t *s, const char *what) {
  jn_base *b = base_by(m, JN_BASE_AUTO);
  int count = jn_base_count(b), structure = jn_base_count_by(b, JN_BASE_STRUCTURE), sure = has_gap(b);
  int coupled = jn_model_is_coupled(m), qr = jn_base_count_by(b, JN_BASE_QR), svd = jn_base_count_by(b, JN_BASE_SVD);
  check(coupled ? structure >= count : structure == count, "%s: structure %d, numbers %d", what, structure, count);
  check(jn_base_residual(b) < allowance(b) * jn_variant_epsilon(), "%s: residual %g", what, jn_base_residual(b));
  if (sure) {
    int rank = independent_rank(m, s);
    check(count == rank && count == qr && count == svd, "%s: %d, QR %d, SVD %d, rank %d", what, count, qr, svd, rank);
  }
  jn_base_destroy(b);
  for (int method = JN_BASE_AUTO; method <= JN_BASE_SVD; method++) {
    b = base_by(m, (jn_base_method)method);
    check_equivalence(m, b, s, what);
    jn_base_destroy(b);
  }
  return sure || count == 0 ? count : -1;
}

/* ---- properties ---- */

static void random_trees(void **st) {
  (void)st;
  uint64_t s = seed("trees");
  int coupled = 0, fewer = 0, doubtful = 0;
  for (int i = 0; i < 48; i++) {
    jn_model *m = random_tree(&s, 1 + i % 12);
    int count = check_model(m, &s, "tree");
    jn_base *b = base_by(m, JN_BASE_STRUCTURE);
    coupled += jn_model_is_coupled(m);
    doubtful += count < 0;
    fewer += count >= 0 && count < jn_base_count(b);
    jn_base_destroy(b);
    jn_model_destroy(m);
  }
  printf("# %d trees with coupled coordinates: %d have fewer base parameters than their structure, %d are in doubt\n",
         coupled, fewer, doubtful);
  check(doubtful <= coupled / 2, "most coupled trees should be clear");
}

/* Chains whose axes are parallel, normal or meet, with gravity along an axis, across it, or absent: here rank hangs on
 * special positions. */
static void special_chains(void **st) {
  (void)st;
  uint64_t s = seed("special chains");
  static const double half = 1.5707963267948966, gravities[3][3] = {{0, 0, -9.81}, {0, -9.81, 0}, {0, 0, 0}};
  for (int i = 0; i < 150; i++) {
    jn_builder *b;
    double T[16];
    check_ok(jn_builder_create(NULL, &b));
    check_ok(jn_builder_set_gravity(b, gravities[i % 3]));
    int links = 1 + i % 5;
    for (int k = 0; k < links; k++) {
      double pick = uniform(&s), alpha = pick < -0.2 ? 0 : pick < 0.5 ? half : -half;
      dh(alpha, uniform(&s) > 0 ? 0.3 : 0, uniform(&s) > 0 ? 0.2 : 0, T);
      pick = uniform(&s);
      add_link(b, k, pick < 0.2 ? JN_REVOLUTE : pick < 0.7 ? JN_PRISMATIC : pick < 0.9 ? JN_FIXED : JN_SPHERICAL, T);
    }
    jn_model *m = frozen(b);
    check_model(m, &s, "special chain");
    jn_model_destroy(m);
  }
}

static void every_joint_type_alone_and_behind_a_free_base(void **st) {
  (void)st;
  uint64_t s = seed("types");
  for (int type = 0; type < JN_JOINT_TYPES; type++)
    for (int floating = 0; floating < 2; floating++) {
      jn_builder *b;
      check_ok(jn_builder_create(NULL, &b));
      add_random_link(b, &s, "a", NULL, floating ? JN_FREE : JN_FIXED, NULL);
      add_random_link(b, &s, "b", "a", (jn_joint_type)type, NULL);
      jn_model *m = frozen(b);
      int count = check_model(m, &s, jn_joint_type_name((jn_joint_type)type));
      /* what a joint lets pass to a parent that moves in all ways: [fixed 10] revolute 3, prismatic 6, helical: the
       * mass on the axis goes along it and only sums are left; spherical: the mass */
      static const int kept[JN_JOINT_TYPES] = {
          [JN_FIXED] = 0,     [JN_REVOLUTE] = 7, [JN_CONTINUOUS] = 7, [JN_PRISMATIC] = 4,
          [JN_SPHERICAL] = 9, [JN_FREE] = 10,    [JN_GIMBAL] = 9};
      if (floating && (kept[type] || type == JN_FIXED)) assert_int_equal(count, 10 + kept[type]);
      jn_model_destroy(m);
    }
}

/* ---- known robots ---- */

static void known_counts(void **st) {
  (void)st;
  uint64_t s = seed("robots");
  static const struct {
    const char *source;
    int floating, count;
  } robots[] = {{"builtin:planar_2r", 0, 6}, /* Jzz1 + l^2 m2, hx1 + l m2, hy1, Jzz2, hx2, hy2 */
                {"builtin:double_pendulum", 0, 6},     {"builtin:panda", 0, 43}, /* Gaz et al. 2019: 43 */
                {"builtin:kuka_iiwa", 0, 43}, /* as the LWR and the iiwa in the literature */
                {"builtin:quadruped", 0, 10 + 12 * 7}, {"builtin:humanoid", 0, 10 + 31 * 7}};
  if (jn_builtin_count() == 0) skip();
  for (size_t i = 0; i < sizeof robots / sizeof *robots; i++) {
    jn_model *m = loaded(robots[i].source, robots[i].floating);
    if (i < 5) {
      assert_int_equal(check_model(m, &s, robots[i].source), robots[i].count);
    } else { /* too large for our own decomposition */
      jn_base *b = base_by(m, JN_BASE_AUTO);
      for (int method = JN_BASE_STRUCTURE; method <= JN_BASE_SVD; method++)
        assert_int_equal(jn_base_count_by(b, (jn_base_method)method), robots[i].count);
      check_equivalence(m, b, &s, robots[i].source);
      jn_base_destroy(b);
    }
    jn_model_destroy(m);
  }
}

/* n revolute joints, axes z turned by alpha from link to link, base free or not, and the gravity. */
static int chain_count(uint64_t *s, int n, double alpha, int floating, const double gravity[3]) {
  jn_builder *b;
  double T[16];
  check_ok(jn_builder_create(NULL, &b));
  check_ok(jn_builder_set_gravity(b, gravity));
  dh(0, 0, 0, T);
  if (floating) add_link(b, 0, JN_FREE, T);
  for (int k = 0; k < n; k++) {
    dh(k > 0 ? alpha : 0, k > 0 ? 0.3 : 0, 0.1, T);
    add_link(b, k + floating, JN_REVOLUTE, T);
  }
  jn_model *m = frozen(b);
  int count = check_model(m, s, "chain");
  jn_model_destroy(m);
  return count;
}

static void counts_of_chains(void **st) {
  (void)st;
  uint64_t s = seed("chains");
  const double down[3] = {0, 0, -9.81}, across[3] = {0, -9.81, 0}, none[3] = {0};
  const double half = 1.5707963267948966;
  assert_int_equal(chain_count(&s, 2, 0, 0, across), 6); /* planar 2R that feels gravity */
  assert_int_equal(chain_count(&s, 2, 0, 0, down), 4);   /* that does not: Jzz1 + l^2 m2, Jzz2, hx2, hy2 */
  assert_int_equal(chain_count(&s, 2, 0, 0, none), 4);
  assert_int_equal(chain_count(&s, 2, half, 0, down), 8); /* spatial 2R, first axis vertical: 1 + 7 */
  assert_int_equal(chain_count(&s, 2, half, 0, across), 10);
  assert_int_equal(chain_count(&s, 6, half, 0, down), 36); /* 7 n - 6 */
  assert_int_equal(chain_count(&s, 3, half, 1, down), 31); /* 10 + 3 * 7 */
  assert_int_equal(chain_count(&s, 3, half, 1, none), 31);
}

/* ---- coefficients ---- */

/* A free base and a revolute joint in modified Denavit-Hartenberg parameters: the regrouping of Jyy, hz and m of link
 * j into link j - 1 by Gautier and Khalil (1990), Khalil and Dombre (2002), eq. 9.49 ff. */
static void classical_regrouping(void **st) {
  (void)st;
  uint64_t seed_state = seed("regrouping");
  for (int i = 0; i < 20; i++) {
    double a = 3 * uniform(&seed_state), d = uniform(&seed_state), r = uniform(&seed_state), T[16];
    double s = sin(a), c = cos(a);
    jn_builder *builder;
    check_ok(jn_builder_create(NULL, &builder));
    dh(0, 0, 0, T);
    add_link(builder, 0, JN_FREE, T);
    dh(a, d, r, T);
    add_link(builder, 1, JN_REVOLUTE, T);
    jn_model *m = frozen(builder);
    jn_base *b = base_by(m, i % 2 ? JN_BASE_AUTO : JN_BASE_QR);
    /* rows: m hx hy hz Jxx Jyy Jzz Jxy Jxz Jyz of the base; columns: Jyy, hz, m of the link */
    const double expected[10][3] = {{0, 0, 1},
                                    {0, 0, d},
                                    {0, -s, -r * s},
                                    {0, c, r * c},
                                    {1, 2 * r, r * r},
                                    {c * c, 2 * r * c * c, d * d + r * r * c * c},
                                    {s * s, 2 * r * s * s, d * d + r * r * s * s},
                                    {0, d * s, d * r * s},
                                    {0, -d * c, -d * r * c},
                                    {c * s, 2 * r * c * s, r * r * c * s}};
    assert_int_equal(jn_base_count(b), 17);
    const double *B = jn_base_matrix(b);
    for (int k = 0; k < 10; k++) {
      double row[3] = {B[20 * k + 15], B[20 * k + 13], B[20 * k + 10]};
      assert_int_equal(jn_base_column(b, k), k);
      check_close(row, expected[k], 3, 1, 1000, "regrouped parameter %d", k);
    }
    for (int k = 10; k < 17; k++)
      for (int col = 10; col < 20; col++) {
        int own = col == jn_base_column(b, k), jxx = jn_base_column(b, k) == 14 && col == 15;
        check(fabs(B[20 * k + col] - (own - jxx)) < 1e-12, "Jxx - Jyy, and the others alone");
      }
    jn_base_destroy(b);
    jn_model_destroy(m);
  }
}

/* Classes by their meaning: no effect = a zero column; alone = without its column the rank is one less. */
static void check_classes(jn_model *m, uint64_t *s, jn_base_method method) {
  jn_base *b = base_by(m, method);
  int n = jn_parameter_count(m), rows, seen[3] = {0};
  double *A = independent_stack(m, s, jn_model_is_coupled(m) ? n + 20 : 3 * n / jn_model_nv(m) + 20, &rows);
  double *copy = malloc((size_t)n * (size_t)rows * sizeof *copy);
  assert_non_null(copy);
  for (int c = 0; c < n; c++) {
    double size = 0;
    for (int r = 0; r < rows; r++) size = fmax(size, fabs(A[c * rows + r]));
    jn_base_class kin = jn_base_class_of(b, c);
    seen[kin]++;
    assert_true((kin == JN_BASE_NO_EFFECT) == (size == 0));
    memcpy(copy, A, (size_t)n * (size_t)rows * sizeof *copy);
    memset(copy + c * rows, 0, (size_t)rows * sizeof *copy);
    assert_int_equal(jacobi_rank(copy, n, rows), jn_base_count(b) - (kin == JN_BASE_ALONE));
  }
  printf("# %s: %d without effect, %d alone, %d combined\n", jn_model_name(m), seen[0], seen[1], seen[2]);
  free(copy);
  free(A);
  jn_base_destroy(b);
  jn_model_destroy(m);
}

static void classes_mean_what_they_say(void **st) {
  (void)st;
  uint64_t s = seed("classes");
  check_classes(random_tree(&s, 4), &s, JN_BASE_AUTO);
  check_classes(random_tree(&s, 5), &s, JN_BASE_SVD);
  if (jn_builtin_count() == 0) return;
  check_classes(loaded("builtin:panda", 0), &s, JN_BASE_AUTO);
  check_classes(loaded("builtin:planar_2r", 0), &s, JN_BASE_QR);
}

/* All methods agree in columns and in coefficients. */
static void methods_give_the_same_matrix(void **st) {
  (void)st;
  if (jn_builtin_count() == 0) skip();
  jn_model *m = loaded("builtin:kuka_iiwa", 0);
  jn_base *first = base_by(m, JN_BASE_STRUCTURE);
  int nb = jn_base_count(first), n = jn_base_parameter_count(first);
  for (int method = JN_BASE_QR; method <= JN_BASE_SVD; method++) {
    jn_base *b = base_by(m, (jn_base_method)method);
    assert_int_equal(jn_base_count(b), nb);
    assert_int_equal(jn_base_method_used(b), method);
    for (int i = 0; i < nb; i++) assert_int_equal(jn_base_column(b, i), jn_base_column(first, i));
    check_close(jn_base_matrix(b), jn_base_matrix(first), nb * n, 1, 1e4, "B");
    for (int k = 0; k < n; k++) assert_int_equal(jn_base_class_of(b, k), jn_base_class_of(first, k));
    jn_base_destroy(b);
  }
  jn_base_destroy(first);
  jn_model_destroy(m);
}

/* ---- interface ---- */

static long left = -1, held;

static void *rationed(size_t bytes, void *context) {
  (void)context;
  if (left == 0) return NULL;
  if (left > 0) left--;
  held++;
  return malloc(bytes);
}

static void give_back(void *block, void *context) {
  (void)context;
  held -= block != NULL;
  free(block);
}

static void no_memory_is_an_error_and_no_leak(void **st) {
  (void)st;
  uint64_t s = seed("memory");
  jn_allocator a = {rationed, give_back, NULL};
  jn_model *m = random_tree(&s, 4);
  jn_base_options o;
  jn_base_options_init(&o);
  o.allocator = &a;
  for (int method = JN_BASE_AUTO; method <= JN_BASE_SVD; method++) {
    jn_status status = JN_ERR_MEMORY;
    jn_base *b;
    o.method = (jn_base_method)method;
    for (long n = 0; status == JN_ERR_MEMORY && n < 100; n++) {
      left = n;
      status = jn_base_create(m, &o, &b);
      if (status == JN_ERR_MEMORY) assert_true(!b && held == 0);
    }
    left = -1;
    check_ok(status);
    jn_base_destroy(b);
    assert_int_equal(held, 0);
  }
  jn_model_destroy(m);
}

/* The tolerance is what lies between the values that count and those that do not; raised over the least of them, it
 * takes that away, too. */
static void the_tolerance_separates_the_spectrum(void **st) {
  (void)st;
  jn_model *m = loaded("builtin:panda", 0);
  for (int method = JN_BASE_QR; method <= JN_BASE_SVD; method++) {
    double kept, dropped, given = 0;
    int count = jn_parameter_count(m) + 1;
    for (int round = 0; round < 2; round++) {
      jn_base_options o;
      jn_base *b;
      jn_base_options_init(&o);
      o.method = (jn_base_method)method;
      o.tolerance = given;
      check_ok(jn_base_create(m, &o, &b));
      double tolerance = jn_base_tolerance(b), usual = jn_variant_epsilon() > 1e-10 ? 1e-3 : 1e-8;
      assert_true(tolerance == (given > 0 ? given : usual));
      check_ok(jn_base_spectrum(b, o.method, &kept, &dropped));
      check(dropped <= tolerance && tolerance < kept, "%g, %g, %g descend", kept, tolerance, dropped);
      check(jn_base_count_by(b, o.method) < count, "%d by the tolerance %g, %d by a smaller", jn_base_count(b),
            tolerance, count);
      count = jn_base_count_by(b, o.method);
      given = 1.5 * kept;
      jn_base_destroy(b);
    }
  }
  assert_true(jn_base_tolerance(NULL) == 0);
  jn_model_destroy(m);
}

static void wrong_arguments(void **st) {
  (void)st;
  uint64_t s = seed("arguments");
  jn_model *m = random_tree(&s, 3);
  jn_base_options o;
  jn_base *b = (jn_base *)&o;
  double x[P], out;
  jn_base_options_init(&o);
  check_status(jn_base_create(NULL, &o, &b), JN_ERR_NULL);
  assert_null(b);
  check_status(jn_base_create(m, &o, NULL), JN_ERR_NULL);
  o.size = 3;
  check_status(jn_base_create(m, &o, &b), JN_ERR_INIT);
  const double bad[] = {-1, 1, NAN};
  for (int i = 0; i < 3; i++) {
    jn_base_options_init(&o);
    o.tolerance = bad[i];
    check_status(jn_base_create(m, &o, &b), JN_ERR_SIZE);
  }
  jn_base_options_init(&o);
  o.method = (jn_base_method)4;
  check_status(jn_base_create(m, &o, &b), JN_ERR_SIZE);
  jn_base_options_init(&o);
  o.states = -1;
  check_status(jn_base_create(m, &o, &b), JN_ERR_SIZE);
  check_ok(jn_base_create(m, NULL, &b));
  assert_int_equal(jn_base_column(b, -1), JN_NONE);
  assert_int_equal(jn_base_column(b, jn_base_count(b)), JN_NONE);
  assert_int_equal(jn_base_count_by(b, JN_BASE_AUTO), 0);
  assert_int_equal(jn_base_class_of(b, 30), JN_BASE_NO_EFFECT);
  check_status(jn_base_spectrum(b, JN_BASE_STRUCTURE, &out, NULL), JN_ERR_INDEX);
  check_status(jn_base_spectrum(NULL, JN_BASE_QR, &out, NULL), JN_ERR_NULL);
  check_status(jn_base_parameters(b, NULL, x), JN_ERR_NULL);
  check_status(jn_base_regressor(b, -1, x, x), JN_ERR_SIZE);
  jn_base_destroy(b);
  jn_base_destroy(NULL);
  assert_true(jn_base_count(NULL) == 0 && !jn_base_matrix(NULL) && jn_base_residual(NULL) == 0);
  jn_model_destroy(m);
}

/* A robot that cannot move has no base parameters. */
static void nothing_moves(void **st) {
  (void)st;
  jn_builder *builder;
  double T[16];
  check_ok(jn_builder_create(NULL, &builder));
  dh(0, 0, 0, T);
  add_link(builder, 0, JN_FIXED, T);
  jn_model *m = frozen(builder);
  for (int method = JN_BASE_AUTO; method <= JN_BASE_SVD; method++) {
    jn_base *b = base_by(m, (jn_base_method)method);
    assert_int_equal(jn_base_count(b), 0);
    assert_int_equal(jn_base_count_by(b, JN_BASE_STRUCTURE), 0);
    for (int k = 0; k < 10; k++) assert_int_equal(jn_base_class_of(b, k), JN_BASE_NO_EFFECT);
    jn_base_destroy(b);
  }
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_trees),
      cmocka_unit_test(special_chains),
      cmocka_unit_test(every_joint_type_alone_and_behind_a_free_base),
      cmocka_unit_test(known_counts),
      cmocka_unit_test(counts_of_chains),
      cmocka_unit_test(classical_regrouping),
      cmocka_unit_test(classes_mean_what_they_say),
      cmocka_unit_test(methods_give_the_same_matrix),
      cmocka_unit_test(no_memory_is_an_error_and_no_leak),
      cmocka_unit_test(the_tolerance_separates_the_spectrum),
      cmocka_unit_test(wrong_arguments),
      cmocka_unit_test(nothing_moves),
  };
  return cmocka_run_group_tests_name("base_parameters", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* MuJoCo as an oracle: random models made by the builder and, independently of it, as MJCF, must give the same
 * results. mujoco_pair.h says how the coordinates of the two belong together. */
#include "mujoco_pair.h"

enum { MODELS = 200 };
#define TOLERANCE 1e-10

/* ---- worst errors ---- */

#define QUANTITIES(X)                         \
  X(POSE, "pose")                             \
  X(TWIST, "twist")                           \
  X(ACCELERATION, "acceleration of links")    \
  X(JACOBIAN, "Jacobian")                     \
  X(COM, "subtree com")                       \
  X(COM_RATE, "subtree com velocity")         \
  X(COM_JACOBIAN, "com Jacobian")             \
  X(MOMENTUM, "centroidal momentum")          \
  X(MASS, "mass matrix")                      \
  X(INVERSE_MASS, "inverse mass matrix")      \
  X(GRAVITY, "gravity forces")                \
  X(CORIOLIS, "Coriolis forces")              \
  X(BIAS, "bias forces")                      \
  X(INVERSE, "inverse dynamics")              \
  X(FORWARD, "forward dynamics")              \
  X(RESIDUAL, "forward, residual of inverse") \
  X(ENERGY, "energies")                       \
  X(JOINT_WRENCH, "joint wrenches")
typedef enum quantity {
#define QUANTITY_ENUM(code, text) code,
  QUANTITIES(QUANTITY_ENUM)
#undef QUANTITY_ENUM
      QUANTITY_COUNT
} quantity;
#define QUANTITY_TEXT(code, text) text,
static const char *const texts[] = {QUANTITIES(QUANTITY_TEXT)};
static double worst[QUANTITY_COUNT];
static int compared[QUANTITY_COUNT];
static int of_type[JN_JOINT_TYPES], coupled; /* joints that were tried */

/* Relative to the largest number of the two arrays; answers below 0.01 count as 0.01. */
static void agree(quantity what, const double *ours, const double *theirs, int n) {
  double gap = distance(ours, theirs, n, 0.01);
  worst[what] = fmax(worst[what], gap);
  compared[what]++;
  if (gap > TOLERANCE)
    for (int i = 0; i < n; i++) print_error("  [%d] jounce %.15g MuJoCo %.15g\n", i, ours[i], theirs[i]);
  check(gap <= TOLERANCE, "%s apart by %.3g", texts[what], gap);
}

/* ---- comparisons ---- */

static void jacobian_from_mujoco(const pair *p, const double *Jm, int rows, double *J) {
  for (int i = 0; i < rows; i++) from_mujoco(p, Jm + i * p->mv, J + i * p->nv);
}

static void compare_link(const pair *p, const body *b) {
  static double J[6 * NV], Jm[6 * NV], J1[6 * NV];
  const double *R = p->d->xmat + 9 * b->id, *x = p->d->xpos + 3 * b->id;
  int link = link_of(p, b), nv = p->nv;
  double T[16], V[6], V1[6];
  check_ok(jn_frame_pose(p->model, p->work, link, p->q, T));
  double T1[16] = {R[0], R[1], R[2], x[0], R[3], R[4], R[5], x[1], R[6], R[7], R[8], x[2], 0, 0, 0, 1};
  agree(POSE, T, T1, 16);

  check_ok(jn_frame_twist(p->model, p->work, link, JN_IN_ALIGNED, p->q, p->v, V));
  mj_objectVelocity(p->m, p->d, mjOBJ_XBODY, b->id, V1, 0);
  agree(TWIST, V, V1, 6);

  check_ok(jn_frame_jacobian(p->model, p->work, link, JN_IN_ALIGNED, p->q, J));
  mj_jacBody(p->m, p->d, Jm + 3 * p->mv, Jm, b->id);
  jacobian_from_mujoco(p, Jm, 6, J1);
  agree(JACOBIAN, J, J1, 6 * nv);
}

/* Of a subtree that moves; jounce does not count what is fixed to the world. */
static void compare_subtree(const pair *p, const body *b) {
  static double J[3 * NV], Jm[3 * NV], J1[3 * NV];
  int link = link_of(p, b);
  double c[3], dc[3];
  if (jn_link_is_fixed(p->model, link)) return;
  check_ok(jn_center_of_mass(p->model, p->work, link, p->q, p->v, NULL, c, dc, NULL));
  agree(COM, c, p->d->subtree_com + 3 * b->id, 3);
  agree(COM_RATE, dc, p->d->subtree_linvel + 3 * b->id, 3);
  check_ok(jn_com_jacobian(p->model, p->work, link, p->q, J));
  mj_jacSubtreeCom(p->m, p->d, Jm, b->id);
  jacobian_from_mujoco(p, Jm, 3, J1);
  agree(COM_JACOBIAN, J, J1, 3 * p->nv);
}

static void compare_whole(const pair *p) {
  double h[6], h1[6], energy[2], energy1[2], fixed = 0, c[3], dc[3];
  for (int i = 0; i < p->n; i++) {
    const double *x = p->d->xipos + 3 * p->bodies[i].id, *g = p->gravity;
    if (jn_link_is_fixed(p->model, link_of(p, &p->bodies[i])))
      fixed -= p->bodies[i].mass * (g[0] * x[0] + g[1] * x[1] + g[2] * x[2]);
  }
  mj_energyPos(p->m, p->d);
  mj_energyVel(p->m, p->d);
  energy1[0] = p->d->energy[1], energy1[1] = p->d->energy[0] - fixed;
  check_ok(jn_energy(p->model, p->work, p->q, p->v, energy));
  agree(ENERGY, energy, energy1, 1);
  agree(ENERGY, energy + 1, energy1 + 1, 1);

  if (jn_model_fixed_mass(p->model) > 0) return; /* MuJoCo counts it */
  check_ok(jn_center_of_mass(p->model, p->work, JN_WORLD, p->q, p->v, NULL, c, dc, NULL));
  agree(COM, c, p->d->subtree_com, 3);
  agree(COM_RATE, dc, p->d->subtree_linvel, 3);
  check_ok(jn_momentum(p->model, p->work, JN_ABOUT_COM, p->q, p->v, h));
  for (int i = 0; i < 3; i++) {
    h1[i] = p->d->subtree_angmom[i];
    h1[3 + i] = p->m->body_subtreemass[0] * p->d->subtree_linvel[i];
  }
  agree(MOMENTUM, h, h1, 6);
}

static void compare_mass(const pair *p) {
  static double M[NV * NV], Mm[NV * NV], half[NV * NV], M1[NV * NV], row[NV], unit[NV];
  int nv = p->nv, mv = p->mv;
  check_ok(jn_mass_matrix(p->model, p->work, p->q, M));
  mj_fullM(p->m, Mm, p->d->qM);
  jacobian_from_mujoco(p, Mm, mv, half); /* M' P */
  for (int i = 0; i < nv; i++)
    for (int k = 0; k < nv; k++) {
      M1[i * nv + k] = 0;
      for (int l = 0; l < mv; l++) M1[i * nv + k] += p->P[l * NV + i] * half[l * nv + k];
    }
  agree(MASS, M, M1, nv * nv);

  if (!p->square) return;
  check_ok(jn_mass_matrix_inverse(p->model, p->work, p->q, M)); /* P M^-1 P^T = M'^-1 */
  for (int i = 0; i < nv; i++) to_mujoco(p, M + i * nv, half + i * mv);
  for (int i = 0; i < mv; i++) {
    memset(unit, 0, sizeof unit);
    unit[i] = 1;
    mj_solveM(p->m, p->d, Mm + i * mv, unit, 1);
    for (int k = 0; k < nv; k++) row[k] = half[k * mv + i];
    to_mujoco(p, row, M1 + i * mv);
  }
  agree(INVERSE_MASS, M1, Mm, mv * mv);
}

static void compare_bias(const pair *p) {
  double h[NV], h1[NV], g[NV], g1[NV], f[NV];
  int nv = p->nv, mv = p->mv;
  check_ok(jn_bias_forces(p->model, p->work, p->q, p->v, h));
  mj_mulM(p->m, p->d, f, p->c);
  for (int i = 0; i < mv; i++) f[i] += p->d->qfrc_bias[i];
  from_mujoco(p, f, h1);
  agree(BIAS, h, h1, nv);

  double keep[NV];
  memcpy(keep, p->d->qvel, (size_t)mv * sizeof *keep);
  memset(p->d->qvel, 0, (size_t)mv * sizeof *keep);
  mj_forward(p->m, p->d);
  from_mujoco(p, p->d->qfrc_bias, g1);
  memcpy(p->d->qvel, keep, (size_t)mv * sizeof *keep);
  mj_forward(p->m, p->d);
  check_ok(jn_gravity_forces(p->model, p->work, p->q, g));
  agree(GRAVITY, g, g1, nv);
  check_ok(jn_coriolis_forces(p->model, p->work, p->q, p->v, h));
  for (int i = 0; i < nv; i++) h1[i] -= g1[i];
  agree(CORIOLIS, h, h1, nv);
}

/* Wrenches through the joints: MuJoCo has them about the centre of mass of the tree, in world axes. */
static void compare_joint_wrench(const pair *p, const body *b, const double *F) {
  const double *x = p->d->cfrc_int + 6 * b->id, *R = p->d->xmat + 9 * b->id;
  double arm[3], moment[3], F1[6];
  for (int i = 0; i < 3; i++) arm[i] = p->d->subtree_com[3 * p->m->body_rootid[b->id] + i] - p->d->xpos[3 * b->id + i];
  cross(arm, x + 3, moment);
  for (int i = 0; i < 3; i++) moment[i] += x[i];
  turn_back(R, moment, F1);
  turn_back(R, x + 3, F1 + 3);
  agree(JOINT_WRENCH, F + 6 * link_of(p, b), F1, 6);
}

static void compare_inverse(pair *p) {
  double tau[NV], tau1[NV], f[NV], F[6 * LINKS];
  check_ok(jn_inverse_dynamics(p->model, p->work, p->q, p->v, p->a, p->wrench, tau));
  check_ok(jn_joint_wrenches(p->model, p->work, p->q, p->v, p->a, p->wrench, F));
  set_acceleration(p, p->a);
  mj_inverse(p->m, p->d);
  wrench_forces(p, f);
  for (int i = 0; i < p->mv; i++) f[i] = p->d->qfrc_inverse[i] - f[i];
  from_mujoco(p, f, tau1);
  agree(INVERSE, tau, tau1, p->nv);

  mj_rnePostConstraint(p->m, p->d);
  for (int i = 0; i < p->n; i++) {
    const body *b = &p->bodies[i];
    double A[6], A1[6];
    check_ok(jn_frame_acceleration(p->model, p->work, link_of(p, b), JN_IN_ALIGNED, p->q, p->v, p->a, A));
    mj_objectAcceleration(p->m, p->d, mjOBJ_XBODY, b->id, A1, 0);
    for (int k = 0; k < 3; k++) A1[3 + k] += p->gravity[k]; /* MuJoCo: what an accelerometer would tell */
    agree(ACCELERATION, A, A1, 6);
    compare_joint_wrench(p, b, F);
  }
}

static void compare_forward(uint64_t *s, pair *p) {
  double tau[NV], tau1[NV], a[NV], am[NV], f[NV];
  fill(s, p->d->qfrc_applied, p->mv, 5);
  from_mujoco(p, p->d->qfrc_applied, tau);
  check_ok(jn_forward_dynamics(p->model, p->work, p->q, p->v, tau, p->wrench, a));
  mj_forward(p->m, p->d);
  memcpy(am, p->d->qacc, (size_t)p->mv * sizeof *am);
  set_acceleration(p, a);
  if (p->square) agree(FORWARD, p->d->qacc, am, p->mv);
  mj_inverse(p->m, p->d);
  wrench_forces(p, f);
  for (int i = 0; i < p->mv; i++) f[i] = p->d->qfrc_inverse[i] - f[i];
  from_mujoco(p, f, tau1);
  agree(RESIDUAL, tau, tau1, p->nv);
}

static void report(int square) {
  printf("# MuJoCo %s, %d models, %d of them without helices and mimics; worst relative errors:\n", mj_versionString(),
         MODELS, square);
  for (int i = 0; i < QUANTITY_COUNT; i++) {
    printf("#   %-30s %9.2e  (%d times)\n", texts[i], worst[i], compared[i]);
    check(compared[i] > 0, "%s was never compared", texts[i]);
  }
  for (int i = 0; i < JN_JOINT_TYPES; i++) {
    printf("#   %4d %s joints\n", of_type[i], jn_joint_type_name((jn_joint_type)i));
    check(of_type[i] > 0, "no %s joint", jn_joint_type_name((jn_joint_type)i));
  }
  printf("#   %4d mimics\n", coupled);
  check(coupled > 0, "no mimic");
}

/* Property: two independent programs agree. */
static void test_mujoco_agrees(void **state) {
  (void)state;
  static pair p;
  uint64_t s = seed("oracle_mujoco");
  check(mj_version() == mjVERSION_HEADER, "MuJoCo's library %d is not that of its header", mj_version());
  int square = 0;
  for (int k = 0; k < MODELS; k++) {
    make_pair(&s, &p);
    set_state(&s, &p);
    mj_subtreeVel(p.m, p.d);
    for (int i = 0; i < p.n; i++) compare_link(&p, &p.bodies[i]);
    for (int i = 0; i < p.n; i++) compare_subtree(&p, &p.bodies[i]);
    compare_whole(&p);
    compare_mass(&p);
    compare_bias(&p);
    compare_inverse(&p);
    compare_forward(&s, &p);
    square += p.square;
    for (int i = 0; i < p.n; i++) of_type[p.bodies[i].link.joint.type]++, coupled += p.bodies[i].leader != JN_NONE;
    drop_pair(&p);
  }
  report(square);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mujoco_agrees)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* MuJoCo as an oracle: random models made by the builder and, apart from it, as MJCF, must give the same answers.
 *
 * MuJoCo knows hinges, slides, balls and free bodies, several on one body: J = J1 J2 ... So every joint type of jounce
 * is a product of hinges and slides, whose coordinates MuJoCo holds to be independent. With P the map of velocities,
 *   v' = P v,  a' = P a + c,  tau = P^T tau',  M = P^T M' P          (primed: MuJoCo's)
 * P has a factor for a scaled screw, two rows for one coordinate of a helix, the ratio of a mimic, and for a free joint
 * turns the linear velocity, which MuJoCo has in world axes: c = R (w x v) there, and zero elsewhere. */
#include <mujoco/mujoco.h>

#include "testing.h"

enum { MODELS = 200, LINKS = 10, PARTS = 6, NV = 6 * LINKS, NQ = 7 * LINKS };
#define TOLERANCE 1e-10

typedef struct part { /* a hinge or slide of MuJoCo */
  int slide;
  double axis[3], point[3];
  int coordinate; /* of the joint; MuJoCo's coordinate is factor times it */
  double factor, armature;
} part;

typedef struct body {
  jn_link link; /* as jounce is told */
  char name[16], parent_name[16], leader_name[16];
  int parent, leader; /* JN_NONE: not coupled */
  double ratio, offset;
  double pos[3], quat[4]; /* quaternions here are w, x, y, z */
  double mass, com[3], iquat[4], moments[3];
  part parts[PARTS];
  int part_count;
  int id; /* MuJoCo's body */
} body;

typedef struct pair {
  body bodies[LINKS];
  int n, nv, mv; /* mv: MuJoCo's nv */
  int square;    /* P has an inverse */
  double gravity[3], q[NQ], v[NV], a[NV], wrench[LINKS * 6], P[NV * NV], c[NV];
  jn_model *model;
  jn_work *work;
  mjModel *m;
  mjData *d;
} pair;

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

/* ---- random models ---- */

static double between(uint64_t *s, double low, double high) { return low + (high - low) * 0.5 * (1 + uniform(s)); }

static void cross(const double *a, const double *b, double *c) {
  for (int i = 0; i < 3; i++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void turn(const double *R, const double *x, double *y) {
  for (int i = 0; i < 3; i++) y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

static void turn_back(const double *R, const double *x, double *y) {
  for (int i = 0; i < 3; i++) y[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
}

static void random_unit(uint64_t *s, double *x, int n) {
  double length = 0;
  fill(s, x, n, 1);
  for (int i = 0; i < n; i++) length += x[i] * x[i];
  for (int i = 0; i < n; i++) x[i] /= sqrt(length);
}

static void add_part(body *b, int slide, const double *axis, const double *point, int coordinate, double factor) {
  part *p = &b->parts[b->part_count++];
  p->slide = slide;
  memcpy(p->axis, axis, sizeof p->axis);
  memcpy(p->point, point, sizeof p->point);
  p->coordinate = coordinate;
  p->factor = factor;
  int first = b->part_count == 1 || p[-1].coordinate != coordinate;
  p->armature = first ? b->link.joint.dof[coordinate].armature / (factor * factor) : 0;
}

/* The axes x, y of a planar joint by the rule of docs/conventions.md. */
static void plane_axes(const double *axis, double *x, double *y) {
  double s = axis[2] < -0.5 ? -1 : 1, a = s * axis[0], b = s * axis[1], k = 1 / (1 + s * axis[2]);
  x[0] = 1 - k * a * a, x[1] = -k * a * b, x[2] = -a;
  y[0] = -s * k * a * b, y[1] = s * (1 - k * b * b), y[2] = -s * b;
}

/* Screws of any length, pure turns, pure slides and helices: the last take two of MuJoCo's six. */
static void random_screws(uint64_t *s, body *b) {
  jn_joint *j = &b->link.joint;
  j->screw_count = 1 + (int)between(s, 0, 5.999);
  for (int k = 0; k < j->screw_count; k++) {
    double e[3], y[3], moment[3], size = between(s, 0.5, 2);
    random_unit(s, e, 3);
    fill(s, y, 3, 0.3);
    cross(y, e, moment);
    int slide = uniform(s) > 0.3;
    double pitch = j->screw_count <= 3 && uniform(s) > 0 ? between(s, 0.1, 0.4) : 0;
    for (int i = 0; i < 3; i++) {
      j->screws[k][i] = slide ? 0 : size * e[i];
      j->screws[k][3 + i] = size * (slide ? e[i] : moment[i] + pitch * e[i]);
    }
    add_part(b, slide, e, y, k, size);
    if (!slide && pitch > 0) add_part(b, 1, e, y, k, size * pitch);
  }
}

static void random_parts(uint64_t *s, body *b) {
  jn_joint *j = &b->link.joint;
  double x[3], y[3];
  switch (j->type) {
    case JN_REVOLUTE:
    case JN_CONTINUOUS:
      add_part(b, 0, j->axis, j->point, 0, 1);
      break;
    case JN_PRISMATIC:
      add_part(b, 1, j->axis, j->point, 0, 1);
      break;
    case JN_HELICAL:
      add_part(b, 0, j->axis, j->point, 0, 1);
      add_part(b, 1, j->axis, j->point, 0, j->pitch);
      break;
    case JN_CYLINDRICAL:
      add_part(b, 0, j->axis, j->point, 0, 1);
      add_part(b, 1, j->axis, j->point, 1, 1);
      break;
    case JN_PLANAR:
      plane_axes(j->axis, x, y);
      add_part(b, 1, x, j->point, 0, 1);
      add_part(b, 1, y, j->point, 1, 1);
      add_part(b, 0, j->axis, j->point, 2, 1);
      break;
    case JN_UNIVERSAL:
    case JN_GIMBAL:
      add_part(b, 0, j->axis, j->point, 0, 1);
      add_part(b, 0, j->axis2, j->point, 1, 1);
      if (j->type == JN_GIMBAL) add_part(b, 0, j->axis3, j->point, 2, 1);
      break;
    case JN_GENERAL:
      random_screws(s, b);
      break;
    default:
      break; /* fixed; spherical and free are joints of MuJoCo's own */
  }
}

/* A box with mass, anywhere in the link and turned any way. MuJoCo gets the principal moments, jounce the tensor. */
static void random_mass(uint64_t *s, body *b) {
  double x = between(s, 0.1, 0.4), y = between(s, 0.1, 0.4), z = between(s, 0.1, 0.4), R[9], I[9];
  b->mass = between(s, 0.5, 3);
  b->moments[0] = b->mass * (y * y + z * z) / 12;
  b->moments[1] = b->mass * (x * x + z * z) / 12;
  b->moments[2] = b->mass * (x * x + y * y) / 12;
  random_unit(s, b->iquat, 4);
  fill(s, b->com, 3, 0.2);
  mju_quat2Mat(R, b->iquat);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      I[3 * i + k] = 0;
      for (int l = 0; l < 3; l++) I[3 * i + k] += R[3 * i + l] * b->moments[l] * R[3 * k + l];
    }
  jn_inertia_pack(b->mass, b->com, (double[6]){I[0], I[4], I[8], I[1], I[2], I[5]}, b->link.inertia);
}

static void random_coupling(uint64_t *s, body *bodies, int i) {
  body *b = &bodies[i], *k = &bodies[(int)between(s, 0, i)];
  int one = b->part_count > 0 && b->parts[b->part_count - 1].coordinate == 0;
  b->leader = JN_NONE;
  b->ratio = 1, b->offset = 0;
  if (!one || i == 0 || uniform(s) < 0.4) return;
  if (k->part_count == 0 || k->parts[k->part_count - 1].coordinate != 0) return;
  jn_joint *j = &b->link.joint;
  snprintf(b->leader_name, sizeof b->leader_name, "%s", k->name);
  j->mimic_ratio = between(s, -2, 2);
  j->mimic_offset = uniform(s);
  b->leader = k->leader == JN_NONE ? (int)(k - bodies) : k->leader;
  b->ratio = j->mimic_ratio * k->ratio;
  b->offset = j->mimic_ratio * k->offset + j->mimic_offset;
  j->mimic = b->leader_name;
}

static void random_body(uint64_t *s, body *bodies, int i) {
  body *b = &bodies[i];
  jn_link_init(&b->link);
  jn_joint *j = &b->link.joint;
  b->parent = i == 0 || uniform(s) > 0.7 ? -1 : (int)between(s, 0, i);
  snprintf(b->name, sizeof b->name, "link%d", i);
  snprintf(b->parent_name, sizeof b->parent_name, "link%d", b->parent);
  b->link.name = b->name;
  b->link.parent = b->parent < 0 ? NULL : b->parent_name;
  fill(s, b->pos, 3, 0.5);
  random_unit(s, b->quat, 4);
  double R[9], *T = b->link.placement;
  mju_quat2Mat(R, b->quat);
  for (int k = 0; k < 3; k++) {
    memcpy(T + 4 * k, R + 3 * k, 3 * sizeof *R);
    T[4 * k + 3] = b->pos[k];
  }
  random_mass(s, b);
  do j->type = (jn_joint_type)between(s, 0, JN_JOINT_TYPES - 1e-9);
  while (j->type == JN_FREE && b->parent >= 0); /* MuJoCo frees bodies from the world only */
  random_unit(s, j->axis, 3);
  random_unit(s, j->axis2, 3);
  random_unit(s, j->axis3, 3);
  if (j->type != JN_FREE) fill(s, j->point, 3, 0.3);
  j->pitch = between(s, 0.1, 0.4);
  for (int k = 0; k < 6; k++)
    j->dof[k].armature = j->type == JN_FREE && k >= 3 ? 0 : between(s, 0, 0.1); /* see docs/oracles.md */
  random_parts(s, b);
  random_coupling(s, bodies, i);
}

/* ---- the same model twice ---- */

static jn_model *freeze(const pair *p) {
  jn_builder *builder;
  jn_model *model;
  jn_error error;
  check_ok(jn_builder_create(NULL, &builder));
  check_ok(jn_builder_set_gravity(builder, p->gravity));
  for (int i = 0; i < p->n; i++) check_ok(jn_builder_add_link(builder, &p->bodies[i].link));
  jn_status status = jn_builder_freeze(builder, &model, &error);
  jn_builder_destroy(builder);
  check(status == JN_OK || status == JN_ERR_MODEL, "%s", error.text);
  return model; /* NULL: random screws may by chance be dependent */
}

static void put(FILE *f, const char *name, const double *x, int n) {
  fprintf(f, " %s=\"", name);
  for (int i = 0; i < n; i++) fprintf(f, "%s%.17g", i ? " " : "", x[i]);
  fprintf(f, "\"");
}

static void put_body(FILE *f, const pair *p, int i) {
  const body *b = &p->bodies[i];
  fprintf(f, "<body name=\"%s\"", b->name);
  put(f, "pos", b->pos, 3);
  put(f, "quat", b->quat, 4);
  fprintf(f, ">\n<inertial");
  put(f, "mass", &b->mass, 1);
  put(f, "pos", b->com, 3);
  put(f, "quat", b->iquat, 4);
  put(f, "diaginertia", b->moments, 3);
  fprintf(f, "/>\n");
  if (b->link.joint.type == JN_FREE) fprintf(f, "<joint name=\"%s.0\" type=\"free\"/>\n", b->name);
  if (b->link.joint.type == JN_SPHERICAL) {
    fprintf(f, "<joint name=\"%s.0\" type=\"ball\"", b->name);
    put(f, "pos", b->link.joint.point, 3);
    fprintf(f, "/>\n");
  }
  for (int k = 0; k < b->part_count; k++) {
    fprintf(f, "<joint name=\"%s.%d\" type=\"%s\"", b->name, k, b->parts[k].slide ? "slide" : "hinge");
    put(f, "axis", b->parts[k].axis, 3);
    put(f, "pos", b->parts[k].point, 3);
    fprintf(f, "/>\n");
  }
  for (int k = i + 1; k < p->n; k++)
    if (p->bodies[k].parent == i) put_body(f, p, k);
  fprintf(f, "</body>\n");
}

static int address(const pair *p, const body *b, int k, int *q) {
  char name[32];
  snprintf(name, sizeof name, "%s.%d", b->name, k);
  int joint = mj_name2id(p->m, mjOBJ_JOINT, name);
  check(joint >= 0, "MuJoCo has no joint %s", name);
  if (q) *q = p->m->jnt_qposadr[joint];
  return p->m->jnt_dofadr[joint];
}

/* The file stays where the test runs, so that the last model can be looked at. */
static void load_mujoco(pair *p) {
  char text[1000] = "";
  FILE *f = fopen("oracle_mujoco.xml", "w");
  check(f != NULL, "cannot write oracle_mujoco.xml");
  fprintf(f, "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/><option");
  put(f, "gravity", p->gravity, 3);
  fprintf(f, "><flag constraint=\"disable\" contact=\"disable\" energy=\"enable\"/></option>\n<worldbody>\n");
  for (int i = 0; i < p->n; i++)
    if (p->bodies[i].parent < 0) put_body(f, p, i);
  fprintf(f, "</worldbody></mujoco>\n");
  fclose(f);
  p->m = mj_loadXML("oracle_mujoco.xml", NULL, text, sizeof text);
  check(p->m != NULL, "MuJoCo: %s", text);
  p->d = mj_makeData(p->m);
  p->mv = (int)p->m->nv;
  for (int i = 0; i < p->n; i++) {
    body *b = &p->bodies[i];
    jn_joint_type type = b->link.joint.type;
    b->id = mj_name2id(p->m, mjOBJ_BODY, b->name);
    for (int k = 0; k < b->part_count; k++) p->m->dof_armature[address(p, b, k, NULL)] = b->parts[k].armature;
    if (type != JN_SPHERICAL && type != JN_FREE) continue;
    int first = address(p, b, 0, NULL) + (type == JN_FREE ? 3 : 0);
    for (int k = 0; k < 3; k++) p->m->dof_armature[first + k] = b->link.joint.dof[k].armature;
  }
}

static void make_pair(uint64_t *s, pair *p) {
  do {
    memset(p, 0, sizeof *p);
    p->n = 1 + (int)between(s, 0, LINKS - 1e-9);
    fill(s, p->gravity, 3, 10);
    for (int i = 0; i < p->n; i++) random_body(s, p->bodies, i);
    p->model = freeze(p);
    if (p->model && jn_model_nv(p->model) == 0) jn_model_destroy(p->model), p->model = NULL;
  } while (!p->model);
  check_ok(jn_work_create(p->model, &p->work));
  p->nv = jn_model_nv(p->model);
  load_mujoco(p);
  p->square = p->mv == p->nv;
}

static void drop_pair(pair *p) {
  mj_deleteData(p->d);
  mj_deleteModel(p->m);
  jn_work_destroy(p->work);
  jn_model_destroy(p->model);
}

/* ---- the same state twice ---- */

static int link_of(const pair *p, const body *b) { return jn_link_index(p->model, b->name); }

static void set_position(pair *p, const body *b) {
  const body *leader = b->leader == JN_NONE ? b : &p->bodies[b->leader];
  const double *q = p->q + jn_joint_q(p->model, link_of(p, leader));
  int at;
  for (int k = 0; k < b->part_count; k++) {
    address(p, b, k, &at);
    p->d->qpos[at] = b->parts[k].factor * (b->ratio * q[b->parts[k].coordinate] + b->offset);
  }
  if (b->link.joint.type == JN_SPHERICAL) {
    address(p, b, 0, &at);
    memcpy(p->d->qpos + at, (double[4]){q[3], q[0], q[1], q[2]}, 4 * sizeof *q);
  }
  if (b->link.joint.type == JN_FREE) {
    address(p, b, 0, &at);
    double quat[4] = {q[6], q[3], q[4], q[5]};
    mju_mulPose(p->d->qpos + at, p->d->qpos + at + 3, b->pos, b->quat, q, quat); /* MuJoCo: in the world */
  }
}

/* P and c for one joint. */
static void set_map(pair *p, const body *b) {
  const body *leader = b->leader == JN_NONE ? b : &p->bodies[b->leader];
  int column = jn_joint_v(p->model, link_of(p, leader)), type = b->link.joint.type;
  for (int k = 0; k < b->part_count; k++)
    p->P[address(p, b, k, NULL) * NV + column + b->parts[k].coordinate] = b->parts[k].factor * b->ratio;
  if (type != JN_SPHERICAL && type != JN_FREE) return;
  int row = address(p, b, 0, NULL);
  double linear[3];
  const double *R = p->d->xmat + 9 * b->id, *v = p->v + column;
  if (type == JN_FREE) {
    cross(v, v + 3, linear);
    turn(R, linear, p->c + row);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) p->P[(row + i) * NV + column + 3 + k] = R[3 * i + k];
    row += 3;
  }
  for (int k = 0; k < 3; k++) p->P[(row + k) * NV + column + k] = 1;
}

/* x' = P x, and x = P^T x' */
static void to_mujoco(const pair *p, const double *x, double *out) {
  for (int i = 0; i < p->mv; i++) {
    out[i] = 0;
    for (int k = 0; k < p->nv; k++) out[i] += p->P[i * NV + k] * x[k];
  }
}

static void from_mujoco(const pair *p, const double *x, double *out) {
  for (int k = 0; k < p->nv; k++) {
    out[k] = 0;
    for (int i = 0; i < p->mv; i++) out[k] += p->P[i * NV + k] * x[i];
  }
}

/* jounce: at the link's origin, link axes; MuJoCo: at the body's centre of mass, world axes, force first. */
static void set_wrench(pair *p, const body *b) {
  const double *W = p->wrench + 6 * link_of(p, b), *R = p->d->xmat + 9 * b->id;
  double *x = p->d->xfrc_applied + 6 * b->id, arm[3], moment[3];
  turn(R, W + 3, x);
  turn(R, W, x + 3);
  for (int i = 0; i < 3; i++) arm[i] = p->d->xpos[3 * b->id + i] - p->d->xipos[3 * b->id + i];
  cross(arm, x, moment);
  for (int i = 0; i < 3; i++) x[3 + i] += moment[i];
}

static void set_state(uint64_t *s, pair *p) {
  check_ok(jn_random(p->model, s, p->q));
  fill(s, p->v, p->nv, 2);
  fill(s, p->a, p->nv, 5);
  fill(s, p->wrench, 6 * p->n, 5);
  for (int i = 0; i < p->n; i++) set_position(p, &p->bodies[i]);
  mj_kinematics(p->m, p->d);
  for (int i = 0; i < p->n; i++) set_map(p, &p->bodies[i]);
  for (int i = 0; i < p->n; i++) set_wrench(p, &p->bodies[i]);
  to_mujoco(p, p->v, p->d->qvel);
  mj_forward(p->m, p->d);
}

static void set_acceleration(pair *p, const double *a) {
  to_mujoco(p, a, p->d->qacc);
  for (int i = 0; i < p->mv; i++) p->d->qacc[i] += p->c[i];
}

/* J'^T W of all external wrenches. */
static void wrench_forces(const pair *p, double *f) {
  memset(f, 0, (size_t)p->mv * sizeof *f);
  for (int i = 0; i < p->n; i++) {
    int id = p->bodies[i].id;
    const double *x = p->d->xfrc_applied + 6 * id;
    mj_applyFT(p->m, p->d, x, x + 3, p->d->xipos + 3 * id, id, f);
  }
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

/* Law: two independent programs agree. */
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

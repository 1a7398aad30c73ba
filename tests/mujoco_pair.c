/* SPDX-License-Identifier: BSD-2-Clause */
#include "mujoco_pair.h"

/* ---- random models ---- */

static double between(uint64_t *s, double low, double high) { return low + (high - low) * 0.5 * (1 + uniform(s)); }

void cross(const double *a, const double *b, double *c) {
  for (int i = 0; i < 3; i++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void turn(const double *R, const double *x, double *y) {
  for (int i = 0; i < 3; i++) y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

void turn_back(const double *R, const double *x, double *y) {
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

void make_pair(uint64_t *s, pair *p) {
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

void drop_pair(pair *p) {
  mj_deleteData(p->d);
  mj_deleteModel(p->m);
  jn_work_destroy(p->work);
  jn_model_destroy(p->model);
}

/* ---- the same state twice ---- */

int link_of(const pair *p, const body *b) { return jn_link_index(p->model, b->name); }

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
void to_mujoco(const pair *p, const double *x, double *out) {
  for (int i = 0; i < p->mv; i++) {
    out[i] = 0;
    for (int k = 0; k < p->nv; k++) out[i] += p->P[i * NV + k] * x[k];
  }
}

void from_mujoco(const pair *p, const double *x, double *out) {
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

void set_state(uint64_t *s, pair *p) {
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

void set_acceleration(pair *p, const double *a) {
  to_mujoco(p, a, p->d->qacc);
  for (int i = 0; i < p->mv; i++) p->d->qacc[i] += p->c[i];
}

/* J'^T W of all external wrenches. */
void wrench_forces(const pair *p, double *f) {
  memset(f, 0, (size_t)p->mv * sizeof *f);
  for (int i = 0; i < p->n; i++) {
    int id = p->bodies[i].id;
    const double *x = p->d->xfrc_applied + 6 * id;
    mj_applyFT(p->m, p->d, x, x + 3, p->d->xipos + 3 * id, id, f);
  }
}

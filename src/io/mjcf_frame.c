/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings of <compiler> and <option>, and the poses of elements. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mjcf.h"

static const double identity[16] = JN_IDENTITY;

/* ---- Placements ---- */

void jn__mjcf_multiply(const double A[16], const double B[16], double C[16]) {
  double out[16] = JN_IDENTITY;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) {
      double sum = j == 3 ? A[4 * i + 3] : 0;
      for (int k = 0; k < 3; k++) sum += A[4 * i + k] * B[4 * k + j];
      out[4 * i + j] = sum;
    }
  memcpy(C, out, sizeof out);
}

void jn__mjcf_invert(const double A[16], double B[16]) {
  double out[16] = JN_IDENTITY;
  for (int i = 0; i < 3; i++) {
    out[4 * i + 3] = 0;
    for (int j = 0; j < 3; j++) {
      out[4 * i + j] = A[4 * j + i];
      out[4 * i + 3] -= A[4 * j + i] * A[4 * j + 3];
    }
  }
  memcpy(B, out, sizeof out);
}

double jn__mjcf_unit(double v[3]) {
  double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  if (!(length > 0) || !isfinite(length)) return 0;
  for (int i = 0; i < 3; i++) v[i] /= length;
  return length;
}

void jn__mjcf_rotation(const double axis[3], double angle, double T[16]) {
  double s = sin(angle / 2);
  const double q[4] = {s * axis[0], s * axis[1], s * axis[2], cos(angle / 2)};
  jn__turn_quaternion(T, q);
}

void jn__mjcf_turn_z(const double z[3], double T[16]) {
  double axis[3] = {-z[1], z[0], 0}, sine = jn__mjcf_unit(axis); /* z0 x z */
  if (sine == 0) axis[0] = 1;
  jn__mjcf_rotation(axis, atan2(sine, z[2]), T);
}

/* ---- Orientations ---- */

static double angle_unit(const jn_mjcf *m) { return m->settings.radian ? 1 : acos(-1) / 180; }

static void turn_euler(const jn_mjcf *m, const double angles[3], double T[16]) {
  double R[16] = JN_IDENTITY;
  for (int i = 0; i < 3; i++) {
    char letter = m->settings.sequence[i];
    int fixed = letter < 'a', k = letter - (fixed ? 'X' : 'x');
    double axis[3] = {0}, turn[16] = JN_IDENTITY;
    axis[k] = 1;
    jn__mjcf_rotation(axis, angles[i] * angle_unit(m), turn);
    if (fixed)
      jn__mjcf_multiply(turn, R, R);
    else
      jn__mjcf_multiply(R, turn, R);
  }
  for (int i = 0; i < 3; i++) memcpy(T + 4 * i, R + 4 * i, 3 * sizeof *T);
}

/* x as it is, y made orthogonal to it. 0 when they span no plane. */
static int turn_axes(const double given[6], double T[16]) {
  double x[3] = {given[0], given[1], given[2]}, y[3] = {given[3], given[4], given[5]}, z[3];
  if (jn__mjcf_unit(x) == 0) return 0;
  double along = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
  for (int i = 0; i < 3; i++) y[i] -= along * x[i];
  if (jn__mjcf_unit(y) == 0) return 0;
  for (int i = 0; i < 3; i++) z[i] = x[(i + 1) % 3] * y[(i + 2) % 3] - x[(i + 2) % 3] * y[(i + 1) % 3];
  for (int i = 0; i < 3; i++) {
    T[4 * i] = x[i];
    T[4 * i + 1] = y[i];
    T[4 * i + 2] = z[i];
  }
  return 1;
}

static const struct {
  const char *name;
  int count;
} alternatives[] = {{"axisangle", 4}, {"xyaxes", 6}, {"zaxis", 3}, {"euler", 3}};

/* The alternative to quat that holds: the element's own before that of its class. -1: none; tells of a second one. */
static int find_alternative(jn_mjcf *m, const jn_mjcf_element *e) {
  int own = -1, inherited = -1, count = 0;
  for (int i = 0; i < 4; i++) {
    if (jn__mjcf_own(m, e->node, alternatives[i].name)) {
      own = i;
      count++;
    } else if (jn__mjcf_get(m, e, alternatives[i].name)) {
      inherited = i;
    }
  }
  if (count + (jn__mjcf_own(m, e->node, "quat") != NULL) > 1)
    jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-orientation", e->node, "keep one of them",
                 "it has several orientations: quat, axisangle, xyaxes, zaxis, euler");
  return own >= 0 ? own : inherited;
}

static void turn_alternative(jn_mjcf *m, const jn_mjcf_element *e, int which, double T[16]) {
  double x[6];
  int good = 1;
  if (!jn__mjcf_vector(m, e, alternatives[which].name, x, alternatives[which].count)) return;
  if (which == 0) {
    good = jn__mjcf_unit(x) > 0;
    if (good) jn__mjcf_rotation(x, x[3] * angle_unit(m), T);
  } else if (which == 1) {
    good = turn_axes(x, T);
  } else if (which == 2) {
    good = jn__mjcf_unit(x) > 0;
    if (good) jn__mjcf_turn_z(x, T);
  } else {
    turn_euler(m, x, T);
  }
  if (!good)
    jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-orientation", e->node, "give axes that are not zero or parallel",
                 "attribute '%s' does not describe a rotation", alternatives[which].name);
}

void jn__mjcf_pose(jn_mjcf *m, const jn_mjcf_element *e, double T[16]) {
  double position[3] = {0}, q[4] = {1, 0, 0, 0};
  memcpy(T, identity, sizeof identity);
  jn__mjcf_vector(m, e, "pos", position, 3);
  for (int i = 0; i < 3; i++) T[4 * i + 3] = position[i];
  int which = find_alternative(m, e);
  if (which >= 0) {
    turn_alternative(m, e, which, T);
  } else if (jn__mjcf_vector(m, e, "quat", q, 4)) {
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (norm > 0 && isfinite(norm)) {
      const double ours[4] = {q[1] / norm, q[2] / norm, q[3] / norm, q[0] / norm};
      jn__turn_quaternion(T, ours);
    } else {
      jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-orientation", e->node, "give a unit quaternion w x y z",
                   "attribute 'quat' is zero, which does not describe a rotation");
    }
  }
}

int jn__mjcf_ends(jn_mjcf *m, const jn_mjcf_element *e, double T[16], double *half) {
  double ends[6], z[3];
  if (!jn__mjcf_vector(m, e, "fromto", ends, 6)) return 0;
  for (int i = 0; i < 3; i++) {
    z[i] = ends[i] - ends[i + 3];
    T[4 * i + 3] = (ends[i] + ends[i + 3]) / 2;
  }
  *half = jn__mjcf_unit(z) / 2;
  if (*half == 0)
    jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-fromto", e->node, "give two points apart",
                 "the two points of attribute 'fromto' are the same");
  else
    jn__mjcf_turn_z(z, T);
  return 1;
}

/* ---- Settings ---- */

static void read_sequence(jn_mjcf *m, int node) {
  const char *text = jn__mjcf_own(m, node, "eulerseq");
  if (!text) return;
  if (strlen(text) == 3 && strspn(text, "xyzXYZ") == 3) {
    memcpy(m->settings.sequence, text, 3);
    return;
  }
  jn__mjcf_log(m, JN_ERROR, JN_ERR_SYNTAX, "mjcf-word", node, "give three letters of x, y, z, X, Y, Z",
               "attribute 'eulerseq' is not known: \"%.*s\"", JN_CLIP(text));
}

static void read_compiler(jn_mjcf *m, int node) {
  jn_mjcf_settings *s = &m->settings;
  const jn_mjcf_element e = {.node = node};
  static const char truth[] = "false true";
  s->radian = jn__mjcf_word(m, &e, "angle", "degree radian", s->radian);
  s->autolimits = jn__mjcf_word(m, &e, "autolimits", truth, s->autolimits);
  s->from_geom = jn__mjcf_word(m, &e, "inertiafromgeom", "false true auto", s->from_geom);
  s->balance = jn__mjcf_word(m, &e, "balanceinertia", truth, s->balance);
  s->strip_path = jn__mjcf_word(m, &e, "strippath", truth, s->strip_path);
  s->fit_box = jn__mjcf_word(m, &e, "fitaabb", truth, s->fit_box);
  s->least_mass = jn__mjcf_number(m, &e, "boundmass", s->least_mass);
  s->least_moment = jn__mjcf_number(m, &e, "boundinertia", s->least_moment);
  s->total_mass = jn__mjcf_number(m, &e, "settotalmass", s->total_mass);
  jn__mjcf_vector(m, &e, "inertiagrouprange", s->groups, 2);
  read_sequence(m, node);
  const char *folder = jn__mjcf_own(m, node, "meshdir"), *assets = jn__mjcf_own(m, node, "assetdir");
  if (assets) s->asset_folder = assets;
  if (folder) s->mesh_folder = folder;
  if (jn__mjcf_word(m, &e, "coordinate", "local global", 0) == 1)
    jn__mjcf_log(m, JN_ERROR, JN_ERR_UNSUPPORTED, "mjcf-refused", node,
                 "load and save it once with MuJoCo 2.3.3 or older, which writes local coordinates",
                 "global coordinates are not read, as in MuJoCo itself since version 2.3.4");
}

static void read_option(jn_mjcf *m, int node) {
  const jn_mjcf_element e = {.node = node};
  double gravity[3];
  if (jn__mjcf_vector(m, &e, "gravity", gravity, 3)) jn_builder_set_gravity(m->builder, gravity);
  if (jn__mjcf_number(m, &e, "density", 0) > 0 || jn__mjcf_number(m, &e, "viscosity", 0) > 0)
    jn__mjcf_refuse(m, node, "set density and viscosity to 0",
                    "forces of a fluid around the bodies (density, viscosity) cannot be expressed");
}

static void read_flags(jn_mjcf *m, int node) {
  jn_mjcf_settings *s = &m->settings;
  const jn_mjcf_element e = {.node = node};
  const struct {
    const char *name;
    int *off;
  } flags[] = {{"gravity", &s->no_gravity},       {"spring", &s->no_spring}, {"damper", &s->no_damper},
               {"frictionloss", &s->no_friction}, {"limit", &s->no_limit},   {"equality", &s->no_equality}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    *flags[i].off = !jn__mjcf_word(m, &e, flags[i].name, "disable enable", !*flags[i].off);
  if (!jn__mjcf_word(m, &e, "passive", "disable enable", 1)) s->no_spring = s->no_damper = 1;
  if (!jn__mjcf_word(m, &e, "constraint", "disable enable", 1)) s->no_friction = s->no_limit = s->no_equality = 1;
}

void jn__mjcf_read_settings(jn_mjcf *m) {
  jn_mjcf_settings *s = &m->settings;
  *s = (jn_mjcf_settings){.autolimits = 1, .from_geom = 2, .groups = {0, 5}, .sequence = "xyz"};
  for (int i = 0; i < m->node_count && m->stopped == JN_OK; i++) {
    jn_mjcf_kind kind = m->nodes[i].kind;
    if (kind == JN_MJCF_COMPILER) read_compiler(m, i);
    if (kind == JN_MJCF_OPTION) read_option(m, i);
    if (kind == JN_MJCF_FLAG) read_flags(m, i);
  }
  static const double none[3] = {0};
  if (s->no_gravity) jn_builder_set_gravity(m->builder, none);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Mass and inertia of bodies: from <inertial>, or from their geoms, of which the primitive ones have closed forms; and
 * what <compiler> does to them afterwards. */
#include <math.h>
#include <string.h>

#include "../model/inertia_law.h"
#include "mjcf.h"

#define PI 3.14159265358979323846

/* ---- Principal axes ---- */

void jn__mjcf_principal(const double tensor[6], double moments[3], double T[16]) {
  double ascending[3], axis[3][3];
  jn__principal_axes(tensor, ascending, axis);
  for (int k = 0; k < 3; k++) {
    moments[k] = ascending[2 - k];
    for (int i = 0; i < 2; i++) T[4 * k + i] = axis[2 - i][k];
    /* the third axis makes it a rotation */
    T[4 * k + 2] = axis[2][(k + 1) % 3] * axis[1][(k + 2) % 3] - axis[2][(k + 2) % 3] * axis[1][(k + 1) % 3];
    T[4 * k + 3] = T[12 + k] = 0;
  }
  T[15] = 1;
}

/* ---- Primitive geoms ---- */

typedef enum shape { PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF } shape;

/* Mass and moments of a body of density 1 (of a surface of density 1) about its centre, along its axes. */
typedef struct shape_mass {
  double mass, moments[3];
} shape_mass;

static void add_moments(shape_mass *s, double mass, double xy, double z) {
  s->mass += mass;
  s->moments[0] += mass * xy;
  s->moments[1] += mass * xy;
  s->moments[2] += mass * z;
}

static shape_mass of_volume(shape type, const double a[3]) {
  shape_mass s = {0};
  double r = a[0], h = a[1];
  if (type == SPHERE) add_moments(&s, 4 * PI / 3 * r * r * r, 0.4 * r * r, 0.4 * r * r);
  if (type == CAPSULE) /* two half balls, whose centres are 3/8 r beyond the ends */
    add_moments(&s, 4 * PI / 3 * r * r * r, 0.4 * r * r + h * h + 0.75 * h * r, 0.4 * r * r);
  if (type == CYLINDER || type == CAPSULE) add_moments(&s, 2 * PI * r * r * h, r * r / 4 + h * h / 3, r * r / 2);
  if (type != ELLIPSOID && type != BOX) return s;
  s.mass = (type == BOX ? 8 : 4 * PI / 3) * a[0] * a[1] * a[2];
  for (int i = 0; i < 3; i++) {
    double y = a[(i + 1) % 3], z = a[(i + 2) % 3];
    s.moments[i] = s.mass * (y * y + z * z) / (type == BOX ? 3 : 5);
  }
  return s;
}

/* A shell between an ellipsoid and one with half axes longer by the same small length. Its area has no closed form:
 * MuJoCo takes Thomsen's formula, which is right to 1.1 per cent. */
static shape_mass of_ellipsoid_shell(const double a[3]) {
  const double p = 1.6075;
  double x = a[0], y = a[1], z = a[2], volume = x * y * z, grown = y * z + x * z + x * y;
  double mean = (pow(x * y, p) + pow(x * z, p) + pow(y * z, p)) / 3;
  shape_mass s = {.mass = 4 * PI * pow(mean, 1 / p)};
  for (int i = 0; i < 3; i++) {
    double b = a[(i + 1) % 3], c = a[(i + 2) % 3];
    s.moments[i] = s.mass * (b * b + c * c + 2 * volume / grown * (b + c)) / 5;
  }
  return s;
}

static shape_mass of_surface(shape type, const double a[3]) {
  shape_mass s = {0};
  double r = a[0], h = a[1], rr = r * r;
  if (type == ELLIPSOID) return of_ellipsoid_shell(a);
  if (type == SPHERE) add_moments(&s, 4 * PI * rr, 2 * rr / 3, 2 * rr / 3);
  if (type == CAPSULE) add_moments(&s, 4 * PI * rr, 2 * rr / 3 + h * h + h * r, 2 * rr / 3);
  if (type == CYLINDER) add_moments(&s, 2 * PI * rr, rr / 4 + h * h, rr / 2); /* its two ends */
  if (type == CYLINDER || type == CAPSULE) add_moments(&s, 4 * PI * r * h, rr / 2 + h * h / 3, rr);
  for (int i = 0; i < 3 && type == BOX; i++) { /* the two sides across axis i */
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double mass = 8 * a[j] * a[k], x = a[i] * a[i], y = a[j] * a[j] / 3, z = a[k] * a[k] / 3;
    s.mass += mass;
    s.moments[i] += mass * (y + z);
    s.moments[j] += mass * (x + z);
    s.moments[k] += mass * (x + y);
  }
  return s;
}

/* How many sizes a shape has; with fromto the length is given by it. */
static int size_count(shape type) { return type == SPHERE ? 1 : type == CAPSULE || type == CYLINDER ? 2 : 3; }

/* Sizes of a primitive geom; 0 after telling that they are wrong. */
static int read_sizes(jn_mjcf *m, const jn_mjcf_element *e, shape type, double T[16], double size[3]) {
  double half;
  jn__mjcf_numbers(m, e, "size", size, 3);
  if (type != SPHERE && jn__mjcf_ends(m, e, T, &half)) {
    int last = size_count(type) - 1;
    if (last == 2) size[1] = size[0];
    size[last] = half;
  }
  for (int i = 0; i < size_count(type); i++) {
    if (size[i] > 0) continue;
    jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-geom", e->node, "give sizes above 0 (radii and half lengths)",
                 "size %d of this geom is not positive", i + 1);
    return 0;
  }
  return 1;
}

/* ---- Geoms of meshes ---- */

/* Sizes of a primitive shape of the same inertia as a mesh, in its principal frame T. */
static void fit_sizes(const jn_mjcf_mesh *mesh, shape type, double scale, double T[16], double size[3]) {
  double I[3], box[3];
  jn__mjcf_principal(mesh->tensor, I, T);
  for (int i = 0; i < 3; i++) {
    double square = 6 * (I[(i + 1) % 3] + I[(i + 2) % 3] - I[i]) / mesh->volume;
    box[i] = scale * sqrt(square > 0 ? square : 0) / 2;
    T[4 * i + 3] = mesh->centre[i];
  }
  double r = (box[0] + box[1]) / 2;
  memcpy(size, box, 3 * sizeof *size);
  if (type == SPHERE) size[0] = (box[0] + box[1] + box[2]) / 3;
  if (type == CAPSULE || type == CYLINDER) {
    size[0] = r;
    size[1] = type == CYLINDER ? box[2] : fmax(0, box[2] - r / 2);
  }
}

static const jn_mjcf_mesh *mesh_of(jn_mjcf *m, const jn_mjcf_element *e, int needed) {
  const char *name = jn__mjcf_get(m, e, "mesh");
  if (name) return jn__mjcf_mesh(m, e->node, name, needed);
  jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-geom", e->node, "name a mesh of <asset>",
               "a geom of type mesh has no attribute 'mesh'");
  return NULL;
}

/* Mass, tensor and pose of a geom of density 1; the pose is that of its centre of mass. 0: it has none. */
static int measure_geom(jn_mjcf *m, const jn_mjcf_item *geom, shape type, int needed, double T[16], double *mass,
                        double tensor[6]) {
  const jn_mjcf_element *e = &geom->element;
  double size[3] = {0}, offset[16] = JN_IDENTITY;
  jn__mjcf_pose(m, e, T);
  memset(tensor, 0, 6 * sizeof *tensor);
  int fitted = type != MESH && jn__mjcf_get(m, e, "mesh");
  if (type == MESH || fitted) {
    const jn_mjcf_mesh *mesh = mesh_of(m, e, needed);
    if (!mesh) return 0;
    if (fitted && m->settings.fit_box) {
      jn__mjcf_refuse(m, e->node, "write its size", "shapes fitted to the box around a mesh (fitaabb) are not read");
      return 0;
    }
    if (fitted) {
      fit_sizes(mesh, type, jn__mjcf_number(m, e, "fitscale", 1), offset, size);
    } else {
      *mass = mesh->volume;
      memcpy(tensor, mesh->tensor, sizeof mesh->tensor);
      for (int i = 0; i < 3; i++) offset[4 * i + 3] = mesh->centre[i];
    }
    jn__mjcf_multiply(T, offset, T);
  } else if (!read_sizes(m, e, type, T, size)) {
    return 0;
  }
  if (type != MESH) {
    shape_mass s =
        jn__mjcf_word(m, e, "shellinertia", "false true", 0) ? of_surface(type, size) : of_volume(type, size);
    *mass = s.mass;
    memcpy(tensor, s.moments, sizeof s.moments);
  }
  jn__mjcf_multiply(geom->frame, T, T);
  return *mass > 0;
}

static void add_geom(jn_mjcf *m, const jn_mjcf_item *geom, double inertia[10]) {
  static const shape shapes[] = {PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF};
  const jn_mjcf_element *e = &geom->element;
  double group = jn__mjcf_number(m, e, "group", 0), density = jn__mjcf_number(m, e, "density", 1000), mass = -1;
  shape type = shapes[jn__mjcf_word(m, e, "type", "plane hfield sphere capsule ellipsoid cylinder box mesh sdf", 2)];
  int given = jn__mjcf_numbers(m, e, "mass", &mass, 1);
  if (group < m->settings.groups[0] || group > m->settings.groups[1] || type == PLANE || type == HFIELD) return;
  if (given ? mass == 0 : density == 0) return;
  if (given ? mass < 0 : density < 0) {
    jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-negative", e->node,
                 "give it a positive one, or 0 if the geom is only to be seen or touched",
                 "the %s of this geom is negative: %g", given ? "mass" : "density", given ? mass : density);
    return;
  }
  if (type == SDF) {
    jn__mjcf_refuse(m, e->node, "give the body an <inertial>", "the inertia of a geom of type sdf cannot be computed");
    return;
  }
  double T[16], tensor[6], measure = 0, ten[10];
  if (!measure_geom(m, geom, type, m->bodies[geom->body].moves, T, &measure, tensor)) return;
  if (given) density = mass / measure;
  const double centre[3] = {T[3], T[7], T[11]};
  for (int i = 0; i < 6; i++) tensor[i] *= density;
  jn__turn_tensor(T, tensor);
  jn_inertia_pack(density * measure, centre, tensor, ten);
  for (int i = 0; i < 10; i++) inertia[i] += ten[i];
}

/* ---- <inertial> ---- */

/* Tells of a negative mass or moment. As in MuJoCo, boundmass raises a mass and boundinertia the numbers of
 * diaginertia, and the inertia of a body that cannot move does not matter. */
static void check_inertial(jn_mjcf *m, const jn_mjcf_body *b, int full, double mass, const double tensor[6]) {
  const jn_mjcf_settings *s = &m->settings;
  double I[3] = {tensor[0], tensor[1], tensor[2]}, axes[16];
  jn_severity severity = b->moves ? JN_ERROR : JN_WARNING;
  const char *end = b->moves ? "" : "; it is taken as 0, since the body cannot move";
  if (mass < 0 && !(s->least_mass > 0))
    jn__mjcf_log(m, severity, JN_ERR_MODEL, "mjcf-negative", b->inertial,
                 "give the mass in kg, or set boundmass of <compiler>", "the mass is negative: %g%s", mass, end);
  if (full) jn__mjcf_principal(tensor, I, axes);
  double largest = fmax(fabs(I[0]), fmax(fabs(I[1]), fabs(I[2]))), least = fmin(I[0], fmin(I[1], I[2]));
  if (!(least < (full ? -1e-12 * largest : 0)) || (!full && s->least_moment > 0)) return;
  jn__mjcf_log(m, severity, JN_ERR_MODEL, "mjcf-negative", b->inertial,
               full ? "give the tensor about the centre of mass, in the order xx yy zz xy xz yz"
                    : "give three moments about the centre of mass in kg m^2, or set boundinertia of <compiler>",
               full ? "fullinertia has a negative principal moment: %g%s" : "diaginertia has a negative moment: %g%s",
               least, end);
}

static void read_inertial(jn_mjcf *m, jn_mjcf_body *b) {
  const jn_mjcf_element e = {.node = b->inertial};
  double T[16], mass = 0, tensor[6] = {0};
  jn__mjcf_pose(m, &e, T);
  if (!jn__mjcf_own(m, e.node, "mass"))
    jn__mjcf_log(m, JN_ERROR, JN_ERR_SYNTAX, "mjcf-inertial", e.node, "write <inertial pos mass diaginertia>",
                 "there is no attribute 'mass'");
  jn__mjcf_numbers(m, &e, "mass", &mass, 1);
  int full = jn__mjcf_own(m, e.node, "fullinertia") != NULL;
  static const char *const turns[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler", "diaginertia"};
  for (int i = 0; i < 6 && full; i++)
    if (jn__mjcf_own(m, e.node, turns[i])) {
      jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-inertial", e.node, "keep one of them",
                   "it has both fullinertia and %s", turns[i]);
      break;
    }
  if (full)
    jn__mjcf_vector(m, &e, "fullinertia", tensor, 6);
  else
    jn__mjcf_vector(m, &e, "diaginertia", tensor, 3);
  check_inertial(m, b, full, mass, tensor);
  jn__mjcf_multiply(b->inertial_frame, T, T);
  const double centre[3] = {T[3], T[7], T[11]};
  jn__turn_tensor(T, tensor);
  jn_inertia_pack(mass, centre, tensor, b->inertia);
}

/* ---- What <compiler> does to them ---- */

/* boundmass, boundinertia and balanceinertia act on the principal moments. */
static void bound_inertia(jn_mjcf *m, const jn_mjcf_body *b, double inertia[10]) {
  const jn_mjcf_settings *s = &m->settings;
  double mass, centre[3], tensor[6], I[3], axes[16];
  jn_inertia_unpack(inertia, &mass, centre, tensor);
  if (mass == 0 && s->least_mass > 0 && b->inertial < 0) {
    /* MuJoCo puts the mass that boundmass gives to a body without any at the numbers of its own `pos`, which is a place
     * in another frame. */
    const jn_mjcf_element e = {.node = b->node};
    jn__mjcf_vector(m, &e, "pos", centre, 3);
  }
  jn__mjcf_principal(tensor, I, axes);
  int low = 0, sum_low;
  for (int i = 0; i < 3; i++) low |= I[i] < s->least_moment;
  for (int i = 0; i < 3; i++) I[i] = fmax(I[i], s->least_moment);
  sum_low = I[1] + I[2] < I[0] && s->balance;
  if (sum_low) I[0] = I[1] = I[2] = (I[0] + I[1] + I[2]) / 3;
  if (mass >= s->least_mass && !low && !sum_low) return; /* as it was, to the last bit */
  const double bounded[6] = {I[0], I[1], I[2], 0, 0, 0};
  if (low || sum_low) memcpy(tensor, bounded, sizeof bounded);
  if (low || sum_low) jn__turn_tensor(axes, tensor);
  jn_inertia_pack(fmax(mass, s->least_mass), centre, tensor, inertia);
}

static void set_total_mass(jn_mjcf *m, double wanted) {
  double total = 0;
  for (int i = 1; i < m->body_count; i++) total += m->bodies[i].inertia[0];
  if (!(wanted > 0) || !(total > 0)) return;
  for (int i = 1; i < m->body_count; i++)
    for (int k = 0; k < 10; k++) m->bodies[i].inertia[k] *= wanted / total;
}

void jn__mjcf_read_inertia(jn_mjcf *m) {
  enum { NEVER, ALWAYS, WHERE_NONE };
  const jn_mjcf_settings *s = &m->settings;
  for (int i = 0; i < m->geom_count && m->stopped == JN_OK; i++) {
    jn_mjcf_body *b = &m->bodies[m->geoms[i].body];
    if (s->from_geom == ALWAYS || (s->from_geom == WHERE_NONE && b->inertial < 0))
      add_geom(m, &m->geoms[i], b->inertia);
  }
  for (int i = 1; i < m->body_count && m->stopped == JN_OK; i++) {
    jn_mjcf_body *b = &m->bodies[i];
    if (b->inertial >= 0 && (s->from_geom != ALWAYS || b->inertia[0] == 0)) read_inertial(m, b);
    bound_inertia(m, b, b->inertia);
  }
  set_total_mass(m, s->total_mass);
}

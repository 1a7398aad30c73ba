/* SPDX-License-Identifier: BSD-2-Clause */
/* Inertia from MJCF: primitive geoms against numerical integration, meshes against primitives, <inertial> by hand. */
#include "mjcf_help.h"

#define PI 3.14159265358979323846

/* Mass and moments of the only geom of a body of density 1. */
static void measure(const char *geom, double out[4]) {
  char text[1024];
  double inertia[10];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><body name='b'><joint/><geom density='1' %s/></body></worldbody></mujoco>", geom);
  jn_model *m = good(text);
  inertia_of(m, "b", inertia);
  out[0] = inertia[0];
  memcpy(out + 1, inertia + 4, 3 * sizeof *out);
  const double off[6] = {inertia[1], inertia[2], inertia[3], inertia[7], inertia[8], inertia[9]}, none[6] = {0};
  for (int i = 0; i < 6; i++) check(fabs(off[i] - none[i]) < 1e-14, "%s is symmetric", geom);
  jn_model_destroy(m);
}

/* ---- Volumes, in slices across z ---- */

typedef struct slice { /* half axes of an ellipse, or half sides of a rectangle */
  double a, b;
  int box;
} slice;

static slice slice_of(char shape, const double s[3], double z) {
  double beyond = fmax(0, fabs(z) - s[1]);
  switch (shape) {
    case 's':
      return (slice){sqrt(fmax(0, s[0] * s[0] - z * z)), sqrt(fmax(0, s[0] * s[0] - z * z)), 0};
    case 'c':
      return (slice){s[0], s[0], 0};
    case 'k':
      return (slice){sqrt(fmax(0, s[0] * s[0] - beyond * beyond)), sqrt(fmax(0, s[0] * s[0] - beyond * beyond)), 0};
    case 'e': {
      double f = sqrt(fmax(0, 1 - z * z / (s[2] * s[2])));
      return (slice){s[0] * f, s[1] * f, 0};
    }
    default:
      return (slice){s[0], s[1], 1};
  }
}

static void integrate_volume(char shape, const double s[3], double out[4]) {
  enum { N = 200000 };
  double top = shape == 's' ? s[0] : shape == 'c' ? s[1] : shape == 'k' ? s[0] + s[1] : s[2], h = 2 * top / N;
  memset(out, 0, 4 * sizeof *out);
  for (int i = 0; i < N; i++) {
    double z = -top + (i + 0.5) * h;
    slice c = slice_of(shape, s, z);
    double area = (c.box ? 4 : PI) * c.a * c.b * h, part = c.box ? 3 : 4;
    double xx = area * c.a * c.a / part, yy = area * c.b * c.b / part, zz = area * z * z;
    out[0] += area;
    out[1] += yy + zz;
    out[2] += xx + zz;
    out[3] += xx + yy;
  }
}

static void volumes_agree_with_integrals(void **state) {
  (void)state;
  static const struct {
    char shape;
    const char *geom;
    double size[3];
  } cases[] = {{'s', "type='sphere' size='.3'", {.3}},
               {'k', "type='capsule' size='.3 .5'", {.3, .5}},
               {'c', "type='cylinder' size='.3 .5'", {.3, .5}},
               {'e', "type='ellipsoid' size='.1 .2 .4'", {.1, .2, .4}},
               {'b', "type='box' size='.1 .2 .4'", {.1, .2, .4}},
               {'k', "type='capsule' size='.3' fromto='0 0 .5 0 0 -.5'", {.3, .5}},
               {'b', "type='box' size='.3' fromto='0 0 .5 0 0 -.5'", {.3, .3, .5}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double found[4], expected[4];
    measure(cases[i].geom, found);
    integrate_volume(cases[i].shape, cases[i].size, expected);
    check_near(found, expected, 4, 1e-7, "%s", cases[i].geom);
  }
}

/* ---- Surfaces ---- */

/* A point of a surface of revolution: u from 0 to 1 along its outline in the half plane (r, z). */
static void outline(char shape, const double s[3], double u, double *r, double *z) {
  double R = s[0], h = s[1];
  if (shape == 's') *r = R * sin(PI * u), *z = -R * cos(PI * u);
  if (shape == 'k') { /* a third each: quarter circle, line, quarter circle */
    double w = 3 * u;
    *r = w < 1 ? R * sin(PI / 2 * w) : w < 2 ? R : R * cos(PI / 2 * (w - 2));
    *z = w < 1 ? -h - R * cos(PI / 2 * w) : w < 2 ? -h + 2 * h * (w - 1) : h + R * sin(PI / 2 * (w - 2));
  }
  if (shape == 'c') {
    double w = 3 * u;
    *r = w < 1 ? R * w : w < 2 ? R : R * (3 - w);
    *z = w < 1 ? -h : w < 2 ? -h + 2 * h * (w - 1) : h;
  }
}

static void integrate_surface(char shape, const double s[3], double out[4]) {
  enum { N = 300000 };
  memset(out, 0, 4 * sizeof *out);
  for (int i = 0; i < N; i++) {
    double r0, z0, r1, z1;
    outline(shape, s, (double)i / N, &r0, &z0);
    outline(shape, s, (i + 1.0) / N, &r1, &z1);
    double r = (r0 + r1) / 2, z = (z0 + z1) / 2, area = 2 * PI * r * hypot(r1 - r0, z1 - z0);
    out[0] += area;
    out[1] += area * (r * r / 2 + z * z);
    out[2] += area * (r * r / 2 + z * z);
    out[3] += area * r * r;
  }
}

static void shells_agree_with_integrals(void **state) {
  (void)state;
  static const struct {
    char shape;
    const char *geom;
    double size[3];
  } cases[] = {{'s', "type='sphere' size='.3' shellinertia='true'", {.3}},
               {'k', "type='capsule' size='.3 .5' shellinertia='true'", {.3, .5}},
               {'c', "type='cylinder' size='.3 .5' shellinertia='true'", {.3, .5}}};
  double found[4], expected[4], grown[4];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    measure(cases[i].geom, found);
    integrate_surface(cases[i].shape, cases[i].size, expected);
    check_near(found, expected, 4, 1e-7, "%s", cases[i].geom);
  }
  /* of a box and an ellipsoid: the limit of the difference of two volumes; the area of the ellipsoid is approximate */
  for (int box = 0; box < 2; box++) {
    const double s[3] = {.1, .2, .4}, e = 1e-7;
    char geom[128];
    const char *shape = box ? "box" : "ellipsoid";
    snprintf(geom, sizeof geom, "type='%s' size='%.17g %.17g %.17g'", shape, s[0] + e, s[1] + e, s[2] + e);
    measure(geom, grown);
    snprintf(geom, sizeof geom, "type='%s' size='.1 .2 .4'", shape);
    measure(geom, expected);
    snprintf(geom, sizeof geom, "type='%s' size='.1 .2 .4' shellinertia='true'", shape);
    measure(geom, found);
    for (int i = 0; i < 4; i++) expected[i] = (grown[i] - expected[i]) / e;
    for (int i = 1; i < 4; i++) {
      expected[i] /= expected[0];
      found[i] /= found[0];
    }
    check_near(found + 1, expected + 1, 3, 1e-5, "%s", geom);
    check(fabs(found[0] / expected[0] - 1) < (box ? 1e-5 : 0.1), "area of a %s", shape);
  }
}

static void masses_go_before_densities(void **state) {
  (void)state;
  double a[4], b[4];
  measure("type='box' size='.1 .2 .4' mass='6'", a);
  const double expected[4] = {6, 6 * (.04 + .16) / 3, 6 * (.01 + .16) / 3, 6 * (.01 + .04) / 3};
  check_near(a, expected, 4, 1e-15, "mass of a box");
  measure("type='box' size='.1 .2 .4' mass='6' shellinertia='true'", b);
  assert_true(fabs(b[0] - 6) < 1e-14 && b[1] > a[1]);
}

static void inertial_elements_are_turned(void **state) {
  (void)state;
  double a[10], b[10];
  jn_model *m =
      good(MJCF(WORLD("<body name='a'><joint/><inertial pos='.1 .2 .3' mass='2' diaginertia='1 2 2.5' "
                      "euler='90 0 0'/></body><body name='b'><joint/><inertial pos='.1 .2 .3' mass='2' "
                      "fullinertia='1 2.5 2 0 0 0'/></body><body name='c'><joint/><inertial pos='0 0 0' mass='2' "
                      "fullinertia='3 4 5 .1 .2 .3'/></body>")));
  inertia_of(m, "a", a);
  inertia_of(m, "b", b);
  check_near(a, b, 10, 1e-15, "axes turned about x by 90 degrees");
  const double expected[10] = {2, .2, .4, .6, 1 + 2 * .13, 2.5 + 2 * .1, 2 + 2 * .05, -2 * .02, -2 * .03, -2 * .06};
  check_near(b, expected, 10, 1e-15, "about the origin of the body");
  inertia_of(m, "c", a);
  const double full[10] = {2, 0, 0, 0, 3, 4, 5, .1, .2, .3};
  check_near(a, full, 10, 1e-15, "order of fullinertia: xx yy zz xy xz yz");
  jn_model_destroy(m);
}

/* ---- Meshes ---- */

/* A box of half sides 1/8, 1/4, 1/2 (exact in single precision) at (1, 0, 0). */
static const double corners[8][3] = {{.875, -.25, -.5}, {1.125, -.25, -.5}, {1.125, .25, -.5}, {.875, .25, -.5},
                                     {.875, -.25, .5},  {1.125, -.25, .5},  {1.125, .25, .5},  {.875, .25, .5}};
static const int quads[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

static void write_meshes(void) {
  char text[8192], binary[84 + 12 * 50] = "solid, but binary";
  size_t n = 0;
  binary[80] = 12;
  n = (size_t)snprintf(text, sizeof text, "solid box\n");
  for (int i = 0; i < 12; i++) {
    const int *q = quads[i / 2], three[3] = {q[0], q[1 + i % 2], q[2 + i % 2]};
    n += (size_t)snprintf(text + n, sizeof text - n, " facet normal 0 0 0\n  outer loop\n");
    for (int k = 0; k < 3; k++) {
      const double *c = corners[three[k]];
      float x[3] = {(float)c[0], (float)c[1], (float)c[2]};
      memcpy(binary + 84 + 50 * i + 12 + 12 * k, x, 12);
      n += (size_t)snprintf(text + n, sizeof text - n, "   vertex %g %e %g\n", c[0], c[1], c[2]);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "  endloop\n endfacet\n");
  }
  snprintf(text + n, sizeof text - n, "endsolid box\n");
  write_bytes("binary.stl", binary, sizeof binary);
  write_text("text.stl", text);
  n = (size_t)snprintf(text, sizeof text, "# a box\nmtllib x.mtl\no box\n");
  for (int i = 0; i < 8; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "v %g %g %g 1\nvn 0 0 1\n", corners[i][0], corners[i][1],
                          corners[i][2]);
  for (int i = 0; i < 6; i++) /* one from the end, with and without normals */
    n += (size_t)snprintf(text + n, sizeof text - n, i % 2 ? "f %d %d//1 %d/1/1 %d\r\n" : "f %d %d %d %d\n",
                          quads[i][0] + 1, quads[i][1] + 1, quads[i][2] + 1, i % 2 ? quads[i][3] + 1 : quads[i][3] - 8);
  write_text("quads.OBJ", text);
}

static void mesh_inertia(const char *mesh, const char *geom, double inertia[10]) {
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><asset><mesh name='m' %s/></asset><worldbody><body name='b'><joint/><geom mesh='m' type='mesh' %s/>"
           "</body></worldbody></mujoco>",
           mesh, geom);
  jn_model *m = good_as(text, path_of("robot.xml"));
  inertia_of(m, "b", inertia);
  jn_model_destroy(m);
}

static void box_inertia(const char *geom, double inertia[10]) {
  char text[512];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><body name='b'><joint/><geom type='box' %s/></body></worldbody></mujoco>", geom);
  jn_model *m = good(text);
  inertia_of(m, "b", inertia);
  jn_model_destroy(m);
}

static void meshes_agree_with_primitives(void **state) {
  (void)state;
  write_meshes();
  static const char *const files[] = {"binary.stl", "text.stl", "quads.OBJ"};
  static const char *const kinds[] = {"exact", "legacy", "convex", "shell"};
  double solid[10], shell[10], found[10];
  box_inertia("size='.125 .25 .5' pos='1 0 0'", solid);
  box_inertia("size='.125 .25 .5' pos='1 0 0' shellinertia='true'", shell);
  for (int f = 0; f < 3; f++) {
    for (int k = 0; k < 4; k++) {
      char mesh[256];
      snprintf(mesh, sizeof mesh, "file='%s' inertia='%s'", files[f], kinds[k]);
      mesh_inertia(mesh, "", found);
      check_near(found, k == 3 ? shell : solid, 10, 1e-14, "%s", mesh);
    }
  }
  /* mirrored and stretched; moved by the reference pose, and turned back by the geom */
  box_inertia("size='.25 .75 .5' pos='-2 0 0'", solid);
  mesh_inertia("file='quads.OBJ' inertia='exact' scale='-2 3 1'", "", found);
  check_near(found, solid, 10, 1e-14, "scale");
  box_inertia("size='.125 .25 .5' pos='.5 0 0'", solid);
  mesh_inertia("file='quads.OBJ' inertia='exact' refpos='.5 0 0' refquat='1 0 0 1'", "euler='0 0 90'", found);
  check_near(found, solid, 10, 1e-14, "reference pose");
  mesh_inertia("vertex='0 0 0 1 0 0 0 1 0 0 0 1  .1 .1 .1'", "density='6'", found);
  assert_true(fabs(found[0] - 1) < 1e-14); /* the hull of points: a tetrahedron of volume 1/6 */
  mesh_inertia("vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 1 2 3 2 0 3'", "density='6'", found);
  assert_true(fabs(found[0] - 1) < 1e-14);
}

/* "legacy" counts too much where a mesh is not convex; the hull fills it up; "exact" is right. */
static void methods_differ_where_a_mesh_is_not_convex(void **state) {
  (void)state;
  /* the box with its top pulled down to a point inside */
  char text[1024];
  size_t n = 0;
  for (int i = 0; i < 8; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "v %g %g %g\n", corners[i][0], corners[i][1], corners[i][2]);
  n += (size_t)snprintf(text + n, sizeof text - n, "v 1 0 -.25\n");
  for (int i = 0; i < 6; i++)
    if (i != 1)
      n += (size_t)snprintf(text + n, sizeof text - n, "f %d %d %d %d\n", quads[i][0] + 1, quads[i][1] + 1,
                            quads[i][2] + 1, quads[i][3] + 1);
  snprintf(text + n, sizeof text - n, "f 5 6 9\nf 6 7 9\nf 7 8 9\nf 8 5 9\n");
  write_text("cup.obj", text);
  double exact[10], legacy[10], convex[10], full = .25 * .5 * 1 * 1000;
  mesh_inertia("file='cup.obj' inertia='exact'", "", exact);
  mesh_inertia("file='cup.obj'", "", legacy);
  mesh_inertia("file='cup.obj' inertia='convex'", "", convex);
  check(fabs(exact[0] / (full * (1 - .75 / 3)) - 1) < 1e-6,
        "the pyramid that is missing has a third of base times height");
  check(fabs(convex[0] / full - 1) < 1e-6, "the hull is the box");
  check(legacy[0] > exact[0], "legacy counts parts twice");
}

static void shapes_are_fitted_to_meshes(void **state) {
  (void)state;
  double box[10], mesh[10];
  write_meshes();
  box_inertia("size='.125 .25 .5' pos='1 0 0'", box);
  char text[512];
  snprintf(text, sizeof text,
           "<mujoco><asset><mesh name='m' file='quads.OBJ'/></asset><worldbody><body name='b'><joint/>"
           "<geom mesh='m' type='box'/></body></worldbody></mujoco>");
  jn_model *m = good_as(text, path_of("robot.xml"));
  inertia_of(m, "b", mesh);
  check_near(mesh, box, 10, 1e-14, "a box fitted to a box");
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(volumes_agree_with_integrals), cmocka_unit_test(shells_agree_with_integrals),
      cmocka_unit_test(masses_go_before_densities),   cmocka_unit_test(inertial_elements_are_turned),
      cmocka_unit_test(meshes_agree_with_primitives), cmocka_unit_test(methods_differ_where_a_mesh_is_not_convex),
      cmocka_unit_test(shapes_are_fitted_to_meshes),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

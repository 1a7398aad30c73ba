/* SPDX-License-Identifier: BSD-2-Clause */
/* The elements of MJCF and their attributes: what is read, skipped and refused. */
#include <stddef.h>
#include <string.h>

#include "mjcf.h"

#define ORIENTATION " quat axisangle xyaxes zaxis euler"
#define JOINT                                                                                             \
  "name class type group pos axis springdamper limited actuatorfrclimited solreflimit solimplimit "       \
  "solreffriction solimpfriction stiffness range actuatorfrcrange actuatorgravcomp margin ref springref " \
  "springyield armature damping frictionloss user"
#define GEOM                                                                                                \
  "name class type contype conaffinity condim group priority size material rgba friction mass density "     \
  "shellinertia solmix solref solimp margin gap fromto pos hfield mesh fitscale user fluidshape fluidcoef " \
  "adhesion castshadow surfacevel" ORIENTATION
#define SITE "name class type group pos size fromto material rgba user mesh" ORIENTATION
#define MESH                                                                                                \
  "name class content_type file vertex normal texcoord face refpos refquat scale smoothnormal maxhullvert " \
  "inertia builtin params material"
#define TENDON                                                                                             \
  "name class group limited actuatorfrclimited range actuatorfrcrange solreflimit solimplimit "            \
  "solreffriction solimpfriction frictionloss springlength springyield stiffness damping armature margin " \
  "material rgba user width"
#define EQUALITY "name class active solref solimp"
#define DRIVE                                                                                                   \
  "name class group joint jointinparent tendon site refsite body slidersite cranksite cranklength gear "        \
  "ctrllimited forcelimited actlimited ctrlrange forcerange actrange lengthrange user actdim actearly "         \
  "dyntype gaintype biastype dynprm gainprm biasprm inheritrange kp kv dampratio timeconst area bias diameter " \
  "gain armature damping delay interp nsample input ffrange velrange posrange imax ki slewmax motorconst "      \
  "nominal resistance inductance thermal saturation cogging controller lugre"

#define WHERE_IN_BODIES(X, ...) X(JN_MJCF_WORLD, __VA_ARGS__) X(JN_MJCF_BODY, __VA_ARGS__) X(JN_MJCF_FRAME, __VA_ARGS__)

typedef struct row {
  jn_mjcf_kind inside;
  const char *name;
  jn_mjcf_kind kind;
  const char *text; /* attributes, or why it is refused, perhaps with a remedy behind | */
} row;

#define ROW(inside, name, kind, text) {inside, name, kind, text},
#define IN_BODIES(name, kind, text) WHERE_IN_BODIES(ROW, name, kind, text)

static const row rows[] = {
    {JN_MJCF_ROOT, "compiler", JN_MJCF_COMPILER,
     "autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle fitaabb eulerseq "
     "meshdir texturedir assetdir discardvisual usethread fusestatic inertiafromgeom inertiagrouprange saveinertial "
     "alignfree conflict passthrough savecanonical savecompiled convexhull exactmeshinertia"},
    {JN_MJCF_COMPILER, "lengthrange", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_ROOT, "option", JN_MJCF_OPTION,
     "timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance gravity wind magnetic "
     "density viscosity o_margin o_solref o_solimp o_friction integrator cone jacobian solver iterations "
     "ls_iterations noslip_iterations ccd_iterations sdf_iterations sdf_initpoints actuatorgroupdisable apirate "
     "mpr_tolerance mpr_iterations collision"},
    {JN_MJCF_OPTION, "flag", JN_MJCF_FLAG,
     "constraint equality frictionloss limit contact passive spring damper gravity clampctrl warmstart filterparent "
     "actuation refsafe sensor midphase eulerdamp autoreset nativeccd island override energy fwdinv invdiscrete "
     "multiccd sleep diagexact ipc speculative"},
    {JN_MJCF_ROOT, "size", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_ROOT, "statistic", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_ROOT, "visual", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_ROOT, "custom", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_ROOT, "contact", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_ROOT, "sensor", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_ROOT, "keyframe", JN_MJCF_KEYFRAME, ""},
    {JN_MJCF_KEYFRAME, "key", JN_MJCF_KEY, "name time qpos qvel act ctrl mpos mquat"},
    {JN_MJCF_ROOT, "extension", JN_MJCF_REFUSED, "plugins are programs that act on the dynamics; they cannot be read"},
    {JN_MJCF_ROOT, "default", JN_MJCF_DEFAULT, "class"},
    {JN_MJCF_DEFAULT, "default", JN_MJCF_DEFAULT, "class"},
    {JN_MJCF_DEFAULT, "joint", JN_MJCF_JOINT, JOINT},
    {JN_MJCF_DEFAULT, "geom", JN_MJCF_GEOM, GEOM},
    {JN_MJCF_DEFAULT, "site", JN_MJCF_SITE, SITE},
    {JN_MJCF_DEFAULT, "mesh", JN_MJCF_MESH, MESH},
    {JN_MJCF_DEFAULT, "tendon", JN_MJCF_DEFAULT_TENDON, TENDON},
    {JN_MJCF_DEFAULT, "equality", JN_MJCF_DEFAULT_EQUALITY, EQUALITY},
    {JN_MJCF_DEFAULT, "camera", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_DEFAULT, "light", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_DEFAULT, "material", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_DEFAULT, "texture", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_DEFAULT, "pair", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_DEFAULT, "muscle", JN_MJCF_SKIPPED, NULL}, /* refused where one is */
    {JN_MJCF_ROOT, "asset", JN_MJCF_ASSET, ""},
    {JN_MJCF_ASSET, "mesh", JN_MJCF_MESH, MESH},
    {JN_MJCF_MESH, "plugin", JN_MJCF_REFUSED, "the shape of a mesh that a plugin makes cannot be read"},
    {JN_MJCF_ASSET, "hfield", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_ASSET, "skin", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_ASSET, "texture", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_ASSET, "material", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_ASSET, "model", JN_MJCF_SKIPPED, NULL}, /* refused where it is attached */
    {JN_MJCF_ROOT, "worldbody", JN_MJCF_WORLD, "name childclass pos" ORIENTATION},
    IN_BODIES("body", JN_MJCF_BODY, "name childclass pos mocap gravcomp user sleep fuse simple" ORIENTATION) IN_BODIES(
        "frame", JN_MJCF_FRAME, "name childclass pos scale massscale scaling" ORIENTATION)
        IN_BODIES("inertial", JN_MJCF_INERTIAL, "pos mass diaginertia fullinertia" ORIENTATION) IN_BODIES(
            "joint", JN_MJCF_JOINT, JOINT) IN_BODIES("freejoint", JN_MJCF_FREEJOINT, "name group align")
            IN_BODIES("geom", JN_MJCF_GEOM, GEOM) IN_BODIES("site", JN_MJCF_SITE, SITE)
                IN_BODIES("camera", JN_MJCF_SKIPPED, NULL) IN_BODIES("light", JN_MJCF_SKIPPED, NULL) IN_BODIES(
                    "attach", JN_MJCF_REFUSED,
                    "parts of other models are not attached here|load and save the file with MuJoCo, which writes the "
                    "bodies out") IN_BODIES("replicate", JN_MJCF_REFUSED,
                                            "copies of bodies are not made here|load and save the file with MuJoCo, "
                                            "which writes the bodies out")
                    IN_BODIES("composite", JN_MJCF_REFUSED,
                              "composite bodies cannot be expressed as a tree of rigid links")
                        IN_BODIES("flexcomp", JN_MJCF_REFUSED, "deformable bodies cannot be expressed as rigid links")
                            IN_BODIES("plugin", JN_MJCF_REFUSED,
                                      "plugins are programs that act on the dynamics; they cannot be read"){
                                JN_MJCF_GEOM, "plugin", JN_MJCF_REFUSED,
                                "the shape of a geom that a plugin makes cannot be read"},
    {JN_MJCF_ROOT, "deformable", JN_MJCF_DEFORMABLE, ""},
    {JN_MJCF_DEFORMABLE, "flex", JN_MJCF_REFUSED, "deformable bodies cannot be expressed as rigid links"},
    {JN_MJCF_DEFORMABLE, "skin", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_ROOT, "tendon", JN_MJCF_TENDON, ""},
    {JN_MJCF_TENDON, "spatial", JN_MJCF_SPATIAL, TENDON},
    {JN_MJCF_SPATIAL, "site", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_SPATIAL, "geom", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_SPATIAL, "pulley", JN_MJCF_SKIPPED, NULL},
    {JN_MJCF_TENDON, "fixed", JN_MJCF_FIXED, TENDON},
    {JN_MJCF_FIXED, "joint", JN_MJCF_TERM, "joint coef"},
    {JN_MJCF_ROOT, "equality", JN_MJCF_EQUALITY, ""},
    {JN_MJCF_EQUALITY, "connect", JN_MJCF_CONNECT, EQUALITY " body1 body2 site1 site2 anchor"},
    {JN_MJCF_EQUALITY, "weld", JN_MJCF_WELD, EQUALITY " body1 body2 site1 site2 anchor relpose torquescale"},
    {JN_MJCF_EQUALITY, "joint", JN_MJCF_SAME_JOINTS, EQUALITY " joint1 joint2 polycoef"},
    {JN_MJCF_EQUALITY, "tendon", JN_MJCF_SAME_TENDONS, EQUALITY " tendon1 tendon2 polycoef"},
    {JN_MJCF_EQUALITY, "flex", JN_MJCF_REFUSED, "deformable bodies cannot be expressed"},
    {JN_MJCF_EQUALITY, "flexvert", JN_MJCF_REFUSED, "deformable bodies cannot be expressed"},
    {JN_MJCF_EQUALITY, "flexstrain", JN_MJCF_REFUSED, "deformable bodies cannot be expressed"},
    {JN_MJCF_EQUALITY, "distance", JN_MJCF_REFUSED, "distances of geoms cannot be held"},
    {JN_MJCF_ROOT, "actuator", JN_MJCF_ACTUATOR, ""},
    {JN_MJCF_ACTUATOR, "muscle", JN_MJCF_REFUSED,
     "muscles make forces that depend on length and speed, which cannot be expressed"},
    {JN_MJCF_ACTUATOR, "plugin", JN_MJCF_REFUSED, "plugins are programs that act on the dynamics; they cannot be read"},
};

static const char drives[] =
    "general motor position velocity intvelocity damper cylinder adhesion orientation pid dcmotor";

int jn__mjcf_is_listed(const char *list, const char *word) {
  size_t n = strlen(word);
  if (n == 0) return 0;
  for (const char *at = list; (at = strstr(at, word)); at += n) {
    if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return 1;
  }
  return 0;
}

static const row *find_row(jn_mjcf_kind inside, const char *name) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].inside == inside && strcmp(rows[i].name, name) == 0) return &rows[i];
  return NULL;
}

jn_mjcf_kind jn__mjcf_kind_of(jn_mjcf_kind inside, const char *name, const char **attributes) {
  if (strcmp(name, "include") == 0) return JN_MJCF_INCLUDE;
  if ((inside == JN_MJCF_ACTUATOR || inside == JN_MJCF_DEFAULT) && jn__mjcf_is_listed(drives, name)) {
    *attributes = DRIVE;
    return JN_MJCF_DRIVE;
  }
  const row *r = find_row(inside, name);
  if (!r) return JN_MJCF_REFUSED;
  if (r->kind != JN_MJCF_REFUSED && r->text) *attributes = r->text;
  return r->kind;
}

const char *jn__mjcf_refusal(jn_mjcf_kind inside, const char *name) {
  const row *r = find_row(inside, name);
  return r ? r->text : NULL;
}

/* ---- What no model holds ---- */

/* Sections of which each element counts, under one name. */
static const char *counted_section(const char *name) {
  static const struct {
    const char *section, *one;
  } known[] = {{"sensor", "sensor"}, {"contact", "contact setting"}, {"custom", "custom value"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].section, name) == 0) return known[i].one;
  return NULL;
}

static void count_section(jn_mjcf *m, const char *name, const char **values) {
  m->left_one = counted_section(name);
  if (jn__mjcf_is_listed("default visual statistic size", name)) jn__left_element(m->left, name);
  for (int i = 0; values[i] && strcmp(name, "option") == 0; i += 2)
    if (strcmp(values[i], "gravity") != 0) jn__left_thing(m->left, "simulation setting");
}

void jn__mjcf_count(jn_mjcf *m, jn_mjcf_kind inside, int skipped, const char *name, const char **values) {
  if (skipped > 1 || (skipped && !m->left_one)) return;
  if (skipped) {
    jn__left_thing(m->left, m->left_one);
    return;
  }
  m->left_one = NULL;
  if (strcmp(name, "include") == 0) return;
  if (inside == JN_MJCF_ROOT) count_section(m, name, values);
  int in_body = inside == JN_MJCF_WORLD || inside == JN_MJCF_BODY || inside == JN_MJCF_FRAME;
  if ((in_body && jn__mjcf_is_listed("geom camera light", name)) || inside == JN_MJCF_ASSET ||
      (inside == JN_MJCF_DEFAULT && strcmp(name, "default") == 0) ||
      (inside == JN_MJCF_TENDON && strcmp(name, "spatial") == 0) ||
      (inside == JN_MJCF_DEFORMABLE && strcmp(name, "skin") == 0))
    jn__left_element(m->left, name);
  if (inside == JN_MJCF_ACTUATOR) jn__left_thing(m->left, "actuator");
  if (inside == JN_MJCF_KEYFRAME) jn__left_thing(m->left, "keyframe");
}

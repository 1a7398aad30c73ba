/* SPDX-License-Identifier: BSD-2-Clause */
/* What an MJCF file says, on its way from the XML text to the builder:
 *   mjcf_xml.c     text and included files -> one tree of elements in document order, with their places
 *   mjcf_schema.c  which elements and attributes are known, and what becomes of them
 *   mjcf_class.c   default classes; the attributes of an element with its defaults
 *   mjcf_frame.c   settings of <compiler> and <option>; orientations and poses
 *   mjcf_body.c    <worldbody>: bodies, joints, sites
 *   mjcf_geom.c    inertia of bodies: <inertial>, or primitive geoms in closed form; bounds on it
 *   mjcf_mesh.c    inertia of meshes by integrals over their triangles; mjcf_stl.c: STL and OBJ; mjcf_hull.c: convex
 * hulls mjcf_couple.c  <tendon>, <equality>: coupled coordinates and loops mjcf_drive.c   <actuator>: limits of efforts
 *   mjcf_key.c     <keyframe>: states
 *   mjcf_names.c   tables of names
 *   mjcf_read.c    the order of all this, and the builder's links
 * docs/mjcf.md says how each element is understood. Nothing here recurses, but included files (at most MAX_INCLUDES
 * deep). */
#ifndef JN_IO_MJCF_H
#define JN_IO_MJCF_H

#include "common.h"
#include "io.h"
#include "left_list.h"

/* ---- The tree of elements ---- */

/* What an element is. The names of sections come first; then what is in them. */
typedef enum jn_mjcf_kind {
  JN_MJCF_SKIPPED, /* nothing to do with dynamics: it has no node */
  JN_MJCF_REFUSED, /* it acts on the dynamics and cannot be expressed */
  JN_MJCF_ROOT,
  JN_MJCF_INCLUDE,
  JN_MJCF_COMPILER,
  JN_MJCF_OPTION,
  JN_MJCF_FLAG,
  JN_MJCF_DEFAULT,
  JN_MJCF_ASSET,
  JN_MJCF_WORLD,
  JN_MJCF_DEFORMABLE,
  JN_MJCF_EQUALITY,
  JN_MJCF_TENDON,
  JN_MJCF_ACTUATOR,
  JN_MJCF_KEYFRAME,
  JN_MJCF_KEY,
  JN_MJCF_BODY,
  JN_MJCF_FRAME,
  JN_MJCF_INERTIAL,
  JN_MJCF_FREEJOINT,
  JN_MJCF_CONNECT,
  JN_MJCF_WELD,
  JN_MJCF_SAME_JOINTS,  /* <equality><joint> */
  JN_MJCF_SAME_TENDONS, /* <equality><tendon> */
  JN_MJCF_SPATIAL,
  JN_MJCF_FIXED,
  JN_MJCF_TERM, /* <fixed><joint> */
  /* what default classes have settings for */
  JN_MJCF_JOINT,
  JN_MJCF_GEOM,
  JN_MJCF_SITE,
  JN_MJCF_MESH,
  JN_MJCF_DEFAULT_TENDON,
  JN_MJCF_DEFAULT_EQUALITY,
  JN_MJCF_DRIVE, /* an actuator of any kind */
  JN_MJCF_KINDS
} jn_mjcf_kind;
enum { JN_MJCF_FIRST_CLASSED = JN_MJCF_JOINT, JN_MJCF_CLASSED = JN_MJCF_KINDS - JN_MJCF_JOINT };

typedef struct jn_mjcf_attribute {
  const char *name, *value;
} jn_mjcf_attribute;

typedef struct jn_mjcf_node {
  jn_mjcf_kind kind;
  const char *name; /* of the element */
  int first, count; /* its attributes */
  int parent;       /* -1 for the root */
  int end;          /* the first node behind its content */
  int file, line, column;
} jn_mjcf_node;

/* An element with the settings of its class. */
typedef struct jn_mjcf_element {
  int node;
  const jn_mjcf_attribute *defaults;
  int default_count;
} jn_mjcf_element;

/* ---- Names ---- */

/* A table from names to numbers. */
typedef struct jn_mjcf_names {
  struct {
    const char *name;
    int value;
  } * slots;
  const char **list;   /* the names in the order in which they came */
  int count, capacity; /* capacity: a power of two, at least twice the count */
} jn_mjcf_names;

/* ---- The model ---- */

typedef struct jn_mjcf_class {
  const char *name;
  const jn_mjcf_attribute *settings[JN_MJCF_CLASSED]; /* with those of the classes around it */
  int count[JN_MJCF_CLASSED];
} jn_mjcf_class;

typedef enum jn_mjcf_joint_type { JN_MJCF_HINGE, JN_MJCF_SLIDE, JN_MJCF_BALL, JN_MJCF_FREE } jn_mjcf_joint_type;

typedef struct jn_mjcf_joint {
  jn_mjcf_joint_type type;
  const char *name;  /* NULL: unnamed */
  const char *label; /* its name in the model */
  int node, body;
  int at_world;           /* 1: its coordinates begin at the world, wherever the file has the body */
  double pos[3], axis[3]; /* in the body's frame */
  double ref;             /* coordinate at which the body is where the file has it */
  jn_dof dof;             /* of every coordinate */
  double drive;           /* sum of what its actuators can do */
  int driven;             /* how many there are */
  int leader;             /* the joint that it follows, -1: none: */
  double ratio, offset;   /*   q = ratio q_leader + offset */
} jn_mjcf_joint;

typedef struct jn_mjcf_body {
  const char *name;          /* its name in the model; of the world NULL */
  int node, parent;          /* parent: -1 for the world, which is body 0 */
  int joint, joints;         /* its joints: the first one, how many */
  int moves;                 /* some joint is between it and the world */
  int inertial;              /* the node of its <inertial>; -1: none */
  double gravcomp;           /* part of its weight that a force of its own carries */
  double pose[16];           /* in its parent, as the file has it */
  double home[16];           /* in the world, as the file has it */
  double inertial_frame[16]; /* the frame that <inertial> is in */
  double inertia[10];
} jn_mjcf_body;

/* A geom or a site. */
typedef struct jn_mjcf_item {
  jn_mjcf_element element;
  int body;
  double frame[16]; /* in which its pose is, in the body's frame */
} jn_mjcf_item;

typedef struct jn_mjcf_tendon {
  int node;
  int fixed; /* 1: a sum of coordinates; 0: spatial */
} jn_mjcf_tendon;

/* A condition that becomes a loop. */
typedef struct jn_mjcf_equality {
  int node, kind;       /* kind: as that of the node */
  int a, b;             /* joints or tendons, b -1: none; bodies */
  double offset, ratio; /* y - y0 = offset + ratio (x - x0) */
  double placement_a[16], placement_b[16];
} jn_mjcf_equality;

/* A mesh is not read before its inertia is asked for. */
typedef struct jn_mjcf_mesh {
  jn_mjcf_element element;
  int state;                   /* 0: not yet read, 1: read, -1: cannot be used, which was told */
  double volume;               /* or area, of a shell */
  double centre[3], tensor[6]; /* of density 1, about the centre */
} jn_mjcf_mesh;

/* Three corners of each triangle. */
typedef struct jn_mjcf_triangles {
  double (*corner)[3];
  int count, capacity; /* corners */
} jn_mjcf_triangles;

typedef struct jn_mjcf_settings {
  int radian, autolimits;
  int from_geom; /* 0: never, 1: always, 2: where there is no <inertial> */
  double groups[2];
  int balance, strip_path, fit_box;
  double least_mass, least_moment, total_mass;
  char sequence[4];
  const char *mesh_folder, *asset_folder;
  int no_gravity, no_spring, no_damper, no_friction, no_limit, no_equality;
} jn_mjcf_settings;

typedef struct jn_mjcf {
  jn_builder *builder;
  jn_status stopped; /* JN_OK until something ended the reading; that is then in the log */
  int message_count;
  size_t used;  /* bytes of the tree */
  size_t taken; /* bytes of all files that were read, each as often as it was read */
  void *blocks; /* memory that is released at the end */
  char *room;   /* the rest of the last block */
  size_t rest;
  const char **files; /* names of the files read; the first is the model's */
  int file_count, file_capacity;
  jn_left_list *left;   /* counts what no model holds; NULL: it is not asked for */
  const char *left_one; /* what each element of the skipped section is called that is open; NULL: they do not count */
  jn_mjcf_node *nodes;
  int node_count, node_capacity;
  jn_mjcf_attribute *attributes;
  int attribute_count, attribute_capacity;
  jn_mjcf_settings settings;
  jn_mjcf_class *classes; /* the first is the one without a name */
  int class_count, class_capacity;
  jn_mjcf_body *bodies;
  int body_count, body_capacity;
  jn_mjcf_joint *joints;
  int joint_count, joint_capacity;
  jn_mjcf_item *geoms, *sites;
  int geom_count, geom_capacity, site_count, site_capacity;
  jn_mjcf_mesh *meshes;
  int mesh_count, mesh_capacity;
  jn_mjcf_tendon *tendons;
  int tendon_count, tendon_capacity;
  jn_mjcf_equality *equalities;
  int equality_count, equality_capacity;
  jn_mjcf_names class_names, body_names, joint_names, site_names, mesh_names, tendon_names;
  jn_mjcf_names links, joint_labels, frames, loops; /* names that are taken in the model */
} jn_mjcf;

/* ---- Messages and memory: mjcf_xml.c ---- */

/* A message on an element (-1: on the file). There is a limit on their number, so that no file can flood the report. */
void jn__mjcf_log(jn_mjcf *m, jn_severity severity, jn_status status, const char *rule, int node, const char *remedy,
                  const char *format, ...) __attribute__((format(printf, 7, 8)));
/* Tells that something acts on the dynamics and cannot be expressed: an error, or with the option `lenient` a warning,
 * and it is left out. */
void jn__mjcf_refuse(jn_mjcf *m, int node, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Tells that there is no memory left, and stops. */
void jn__mjcf_no_memory(jn_mjcf *m);
/* Counts bytes of what is read, or becomes of it; 0 after telling that they are too many. */
int jn__mjcf_take_bytes(jn_mjcf *m, size_t bytes);
/* Memory that lives until the end of reading and counts as part of the tree; NULL after telling. */
void *jn__mjcf_allocate(jn_mjcf *m, size_t bytes);
char *jn__mjcf_copy(jn_mjcf *m, const char *text);
/* Room for one more element at `block`; NULL after telling. */
void *jn__mjcf_grow(jn_mjcf *m, void *block, int count, int *capacity, size_t bytes);

/* ---- Names: mjcf_names.c ---- */

int jn__mjcf_find(const jn_mjcf_names *names, const char *name); /* -1 when there is none */
/* Adds a name that is not there yet. */
void jn__mjcf_put(jn_mjcf *m, jn_mjcf_names *names, const char *name, int value);
/* The name itself, or with `ending` and then underscores behind it until it is new; it is put into the table. */
const char *jn__mjcf_new_name(jn_mjcf *m, jn_mjcf_names *names, const char *name, const char *ending);
/* Looks up what an attribute names; -1 after telling that there is none. */
int jn__mjcf_named(jn_mjcf *m, const jn_mjcf_names *names, int node, const char *attribute, const char *what,
                   const char *name);

/* ---- The tree: mjcf_xml.c, mjcf_schema.c ---- */

jn_status jn__mjcf_parse(jn_mjcf *m, const char *text, size_t length);
/* The kind of an element inside another; tells of those that are not known. */
jn_mjcf_kind jn__mjcf_kind_of(jn_mjcf_kind inside, const char *name, const char **attributes);
/* Why an element of kind JN_MJCF_REFUSED is refused; NULL for one that is unknown. */
const char *jn__mjcf_refusal(jn_mjcf_kind inside, const char *name);
/* Counts an element that no model holds; skipped: how many of the elements around it are skipped. mjcf_schema.c */
void jn__mjcf_count(jn_mjcf *m, jn_mjcf_kind inside, int skipped, const char *name, const char **values);
int jn__mjcf_is_listed(const char *list, const char *word); /* words separated by blanks */
/* A path that a file of the model has written: relative ones begin at the folder of the model. */
char *jn__mjcf_path(jn_mjcf *m, const char *folder, const char *file);
/* The same in the folder of another file. */
char *jn__mjcf_beside(jn_mjcf *m, const char *other, const char *file);
/* The text of a file that the model names, to be released; NULL after reporting why not. Pipes and devices are refused:
 * a robot file must not make anybody wait for them. All files of a model together may be as large as the limit. */
char *jn__mjcf_read_file(jn_mjcf *m, jn_log *log, const char *path, size_t *length);

/* ---- Attributes: mjcf_class.c ---- */

void jn__mjcf_read_classes(jn_mjcf *m);
/* An element with the settings of the class that it names, else of the class `inherited`. */
jn_mjcf_element jn__mjcf_element(jn_mjcf *m, int node, jn_mjcf_kind kind, int inherited);
/* The class that an element names by an attribute ("class", "childclass"), or `inherited`. */
int jn__mjcf_class_of(jn_mjcf *m, int node, const char *attribute, int inherited);

const char *jn__mjcf_own(const jn_mjcf *m, int node, const char *name);                 /* written there, or NULL */
const char *jn__mjcf_get(const jn_mjcf *m, const jn_mjcf_element *e, const char *name); /* or by its class */
/* At most n numbers. Returns how many; 0: absent, or wrong, which is told; then out is as it was. */
int jn__mjcf_numbers(jn_mjcf *m, const jn_mjcf_element *e, const char *name, double *out, int n);
double jn__mjcf_number(jn_mjcf *m, const jn_mjcf_element *e, const char *name, double otherwise);
/* Exactly n of them, or it is told; 1 or 0. */
int jn__mjcf_vector(jn_mjcf *m, const jn_mjcf_element *e, const char *name, double *out, int n);
/* The place of a word in a list "one two three"; `otherwise` when it is absent or wrong, which is told. */
int jn__mjcf_word(jn_mjcf *m, const jn_mjcf_element *e, const char *name, const char *list, int otherwise);
/* A range that holds: by `limited` ("true", "false", "auto"), or because it is there and autolimits is on. */
int jn__mjcf_range(jn_mjcf *m, const jn_mjcf_element *e, const char *limited, const char *range, double out[2]);

/* ---- Settings and poses: mjcf_frame.c ---- */

void jn__mjcf_read_settings(jn_mjcf *m);
/* The pose that pos and quat, axisangle, xyaxes, zaxis or euler give. */
void jn__mjcf_pose(jn_mjcf *m, const jn_mjcf_element *e, double T[16]);
/* The pose that fromto gives, z from the second point to the first, and half the length; 0: there is no fromto. */
int jn__mjcf_ends(jn_mjcf *m, const jn_mjcf_element *e, double T[16], double *half);
void jn__mjcf_multiply(const double A[16], const double B[16], double C[16]); /* C may be A or B */
void jn__mjcf_invert(const double A[16], double B[16]);                       /* rigid; B may be A */
void jn__mjcf_rotation(const double axis[3], double angle, double T[16]);     /* sets the rotation only */
void jn__mjcf_turn_z(const double z[3], double T[16]);                        /* the shortest turn of z */
double jn__mjcf_unit(double v[3]); /* makes it a unit vector; returns its length */

/* ---- Bodies ---- */

void jn__mjcf_read_world(jn_mjcf *m);   /* mjcf_body.c */
void jn__mjcf_read_inertia(jn_mjcf *m); /* mjcf_geom.c: of all bodies */
void jn__mjcf_weigh(jn_mjcf *m);        /* mjcf_body.c: gravity, less what gravcomp of all bodies carries */
/* Eigenvalues of (xx, yy, zz, xy, xz, yz), the largest first, and a rotation with the axes as its columns. */
void jn__mjcf_principal(const double tensor[6], double moments[3], double axes[16]);
void jn__mjcf_read_meshes(jn_mjcf *m); /* mjcf_mesh.c: what there is */
/* A mesh with its inertia; NULL when it cannot be had, which was told. `needed`: as an error, else as a warning. */
const jn_mjcf_mesh *jn__mjcf_mesh(jn_mjcf *m, int node, const char *name, int needed);
jn_status jn__mjcf_add_corner(const jn_allocator *a, jn_mjcf_triangles *t, const double corner[3]);
/* Readers of mesh files return NULL, or what is wrong; *line gets where (0: unknown). */
const char *jn__mjcf_stl(const jn_allocator *a, const char *text, size_t length, jn_mjcf_triangles *t, int *line);
const char *jn__mjcf_obj(const jn_allocator *a, const char *text, size_t length, jn_mjcf_triangles *t, int *line);
/* The convex hull of the corners, in their place. */
const char *jn__mjcf_hull(const jn_allocator *a, jn_mjcf_triangles *t);

/* ---- Between bodies ---- */

void jn__mjcf_read_tendons(jn_mjcf *m);    /* mjcf_couple.c */
void jn__mjcf_read_equalities(jn_mjcf *m); /* coupled joints; loops come after the links: */
/* Makes a joint that follows another follow the one that moves by itself, at the end of the chain. */
void jn__mjcf_resolve(jn_mjcf *m, int joint);
void jn__mjcf_add_loops(jn_mjcf *m);
void jn__mjcf_read_drives(jn_mjcf *m); /* mjcf_drive.c */
void jn__mjcf_read_keys(jn_mjcf *m);   /* mjcf_key.c: the keyframe that the builder asks for */

#endif

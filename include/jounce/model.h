/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/model.h: describe a robot (builder), freeze it into a constant model, and query the model.
 * Tier: stable (docs/stability.md).
 *
 *   builder --freeze--> jn_model (const: any number of threads may share it)
 *
 * A model is a tree of links. Exactly one joint connects each link to its parent (another link, or the world), so a
 * joint has the same index as the link it carries. Links are ordered depth first, children in the order in which they
 * were added; the subtree of link i is the range i ... jn_link_subtree_end(i) - 1. The pose of a link in its parent is
 *   T = placement * J(q),
 * the constant placement followed by the motion of the joint, both expressed in the link's own frame (for a joint with
 * one screw X, J = exp(X q)). The velocity coordinates v of a joint are the rates of its coordinates, except for
 * spherical and free joints, where v is the body-fixed angular velocity and the body twist, respectively. */
#ifndef JOUNCE_MODEL_H
#define JOUNCE_MODEL_H

#include <stdint.h>
#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Index of the world, the parent of root links. */
#define JN_WORLD (-1)

/* Joint types: code, name in files, nq, nv (0, 0 for general joints, which have one to six of each). */
#define JN_JOINT_LIST(X)                                                                                               \
  X(JN_FIXED, "fixed", 0, 0)             /* welded to the parent */                                                    \
  X(JN_REVOLUTE, "revolute", 1, 1)       /* rotation about axis through point [rad] */                                 \
  X(JN_CONTINUOUS, "continuous", 1, 1)   /* revolute without position limits; angle not wrapped */                     \
  X(JN_PRISMATIC, "prismatic", 1, 1)     /* translation along axis [m] */                                              \
  X(JN_HELICAL, "helical", 1, 1)         /* rotation about axis, advancing pitch metres per radian [rad] */            \
  X(JN_CYLINDRICAL, "cylindrical", 2, 2) /* rotation about and translation along axis: (angle, distance) */            \
  X(JN_UNIVERSAL, "universal", 2, 2)     /* R(axis, q1) R(axis2, q2) about point [rad] */                              \
  X(JN_PLANAR, "planar", 3, 3)           /* translations x, y in the plane normal to axis, then rotation about axis */ \
  X(JN_SPHERICAL, "spherical", 4, 3)     /* quaternion about point; v = body-fixed angular velocity */                 \
  X(JN_GIMBAL, "gimbal", 3, 3)           /* R(axis, q1) R(axis2, q2) R(axis3, q3) about point [rad] */                 \
  X(JN_FREE, "free", 7, 6)               /* position, quaternion; v = body twist */                                    \
  X(JN_GENERAL, "general", 0, 0)         /* exp(screw1 q1) ... exp(screwN qN), N = 1 ... 6 */

/* The joint types of JN_JOINT_LIST. */
typedef enum jn_joint_type {
#define JN_JOINT_ENUM(code, name, nq, nv) code,
  JN_JOINT_LIST(JN_JOINT_ENUM)
#undef JN_JOINT_ENUM
      JN_JOINT_TYPES /* how many there are */
} jn_joint_type;

/* The name of a joint type in files, e.g. "revolute"; NULL if the number is not a joint type. */
JN_API const char *jn_joint_type_name(jn_joint_type type);

/* Properties of one velocity coordinate of a joint. Except for lower and upper, limits are magnitudes; infinity means
 * no limit. Units: rad or m for the position, rad/s, m/s^2, ... for its rates; N m or N for the effort. */
typedef struct jn_dof {
  double lower; /* position limits, -inf and +inf for none; not used for spherical and free joints */
  double upper;
  double velocity; /* limits of |v|, |a|, |jerk|, |effort|, |d effort / dt| */
  double acceleration;
  double jerk;
  double effort;
  double effort_rate;
  double armature; /* reflected rotor inertia, added to the mass matrix [kg m^2 or kg] */
  double damping;  /* viscous friction [N m s / rad or N s / m] */
  double friction; /* Coulomb friction [N m or N] */
  /* A spring at the joint: force stiffness (q - rest) [N m / rad or N / m; rad or m], part of inverse dynamics and the
   * bias like weight, and of the potential energy. Not for spherical and free joints. */
  double stiffness;
  double rest;
} jn_dof;

/* JN_NAME_MAX: the longest name of a link, joint, frame or loop in bytes; longer names are refused. JN_COORDINATE_NAME:
 * bytes needed for any name from jn_coordinate_name(), including the terminating 0. */
enum { JN_NAME_MAX = 255, JN_COORDINATE_NAME = JN_NAME_MAX + 33 };

/* A joint as the builder takes it. Set it up with jn_link_init(). */
typedef struct jn_joint {
  jn_joint_type type;  /* which motion it allows */
  const char *name;    /* NULL: the name of the link */
  double axis[3];      /* in the link's frame, normalised by the builder; default z; gimbal: z */
  double axis2[3];     /* universal: default y; gimbal: default y */
  double axis3[3];     /* gimbal: default x */
  double point[3];     /* a point on the axis, or the centre of the joint, in the link's frame; default 0 */
  double pitch;        /* helical: metres per radian */
  int screw_count;     /* general: 1 ... 6 */
  double screws[6][6]; /* general: (angular, linear), in the link's frame; used as written, not normalised */
  const char *mimic;   /* name of a one-coordinate joint k that this one-coordinate joint follows, or NULL: */
  double mimic_ratio;  /*   q = mimic_ratio * q_k + mimic_offset; default 1, 0 */
  double mimic_offset;
  jn_dof dof[6]; /* one for each velocity coordinate */
} jn_joint;

/* A link with the joint that carries it, as the builder takes it. */
typedef struct jn_link {
  size_t size;          /* sizeof(jn_link), set by jn_link_init() */
  const char *name;     /* of the link; unique */
  const char *parent;   /* name of a link, added before or after this one; NULL or "world": the world */
  double placement[16]; /* pose of the link in its parent at q = 0 (4x4, row-major) */
  double inertia[10];   /* (m, m rx, m ry, m rz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz), link frame, about the link's ORIGIN */
  jn_joint joint;       /* the joint that carries it */
} jn_link;

/* Defaults: no name, parent world, identity placement, no inertia, fixed joint, no limits. */
JN_API void jn_link_init(jn_link *link);

/* Computes the ten inertial parameters from mass [kg], centre of mass [m] and inertia about it (xx, yy, zz, xy, xz, yz;
 * link axes) [kg m^2]:  I_origin = I_com + m (c.c E - c c^T). */
JN_API void jn_inertia_pack(double mass, const double com[3], const double tensor[6], double parameters[10]);
/* The inverse. For a massless body, com = 0 and the tensor is copied unchanged. Outputs may be NULL. */
JN_API void jn_inertia_unpack(const double parameters[10], double *mass, double com[3], double tensor[6]);

/* Constraints on the motion of a tree: code, name in files, number of scalar conditions. There are three groups:
 * closures of kinematic loops between two frames on two links; contacts; and couplings of coordinates. Contacts are
 * bilateral: they hold whatever the sign of the normal force. Their conditions are, in this order: translation along
 * the normal `axis`, translations across it, rotations about the two tangents, rotation about the normal. */
#define JN_LOOP_LIST(X)                                                                                                \
  X(JN_LOOP_WELD, "weld", 6)                                                                                           \
  X(JN_LOOP_REVOLUTE, "revolute", 5)               /* free rotation about axis */                                      \
  X(JN_LOOP_PRISMATIC, "prismatic", 5)             /* free translation along axis */                                   \
  X(JN_LOOP_CYLINDRICAL, "cylindrical", 4)         /* free rotation and translation */                                 \
  X(JN_LOOP_UNIVERSAL, "universal", 4)             /* free rotations about axis (fixed in a) and axis2 (fixed in b) */ \
  X(JN_LOOP_SPHERICAL, "spherical", 3)             /* points coincide */                                               \
  X(JN_LOOP_PLANAR, "planar", 3)                   /* b slides on the plane of a normal to axis */                     \
  X(JN_LOOP_POINT_ON_AXIS, "point_on_axis", 2)     /* origin of b stays on the axis of a */                            \
  X(JN_LOOP_DISTANCE, "distance", 1)               /* origins keep a constant distance */                              \
  X(JN_LOOP_COORDINATES, "coordinates", 0)         /* the relative coordinates in mask are zero */                     \
  X(JN_LOOP_POINT_CONTACT, "point_contact", 3)     /* no slip: the origin of b sticks to that of a */                  \
  X(JN_LOOP_SLIDING_POINT, "sliding_point", 1)     /* no friction: the origin of b slides on the plane of a */         \
  X(JN_LOOP_SURFACE_CONTACT, "surface_contact", 6) /* no slip: as weld */                                              \
  X(JN_LOOP_SLIDING_SURFACE, "sliding_surface", 3) /* no friction: as planar */                                        \
  X(JN_LOOP_COUPLING, "coupling", 1)               /* sum of factor * coordinate = offset */

/* The types of constraints in JN_LOOP_LIST. */
typedef enum jn_loop_type {
#define JN_LOOP_ENUM(code, name, rows) code,
  JN_LOOP_LIST(JN_LOOP_ENUM)
#undef JN_LOOP_ENUM
      JN_LOOP_TYPES /* how many there are */
} jn_loop_type;

/* The name of a constraint type in files, e.g. "spherical"; NULL if the number is not a type. */
JN_API const char *jn_loop_type_name(jn_loop_type type);

/* One term of a coupling: a coordinate of any joint except fixed, spherical, free and mimic joints. */
typedef struct jn_coupling {
  const char *joint; /* its name */
  int coordinate;    /* of the joint; default 0 */
  double factor;
} jn_coupling;

enum { JN_COUPLING_TERMS = 16 }; /* at most so many terms in one coupling */

/* A constraint as the builder takes it. Set it up with jn_loop_init(). */
typedef struct jn_loop {
  size_t size;        /* sizeof(jn_loop), set by jn_loop_init() */
  jn_loop_type type;  /* which relative motion it leaves free */
  const char *name;   /* unique */
  const char *link_a; /* name of a link or "world" */
  const char *link_b;
  double placement_a[16]; /* the closing frame in link a, and in link b */
  double placement_b[16];
  double axis[3];  /* in the closing frame of a; default z */
  double axis2[3]; /* universal: in the closing frame of b; default x */
  double distance; /* distance: [m] */
  unsigned mask;   /* coordinates: bit i set: relative coordinate i (rx, ry, rz, x, y, z) is held at zero */
  /* coupling: sum_i term[i].factor q_i = offset; links and placements are not used */
  int term_count;
  jn_coupling term[JN_COUPLING_TERMS];
  double offset;
} jn_loop;

/* Defaults: weld, no names, identity placements, axis z, axis2 x. */
JN_API void jn_loop_init(jn_loop *loop);

/* How models are built and read. Set up with jn_options_init(); NULL in place of options means these defaults. */
typedef struct jn_options {
  size_t size;                    /* sizeof(jn_options), set by jn_options_init() */
  const jn_allocator *allocator;  /* NULL: malloc and free. Copied; its context must outlive all objects it allocates */
  jn_report *report;              /* collects all messages; NULL: only the first error is reported, in jn_error */
  int floating;                   /* 1: the root link, if fixed to the world, gets a free joint named "base", at the
                                     identity: its coordinates are the pose of the link in the world */
  int ignore_mimic;               /* 1: mimic joints become independent joints */
  int strict;                     /* 1: warnings are errors */
  const char *const *joint_order; /* joint names in the order of the coordinates, overrides the file; others follow */
  int joint_order_count;          /*   depth first (a free joint on the world stays first unless it is listed) */
  const double *gravity;          /* [3], replaces the gravity of the file; NULL: keep it */
  size_t max_bytes;               /* size limit for input; default and 0: JN_MAX_BYTES */
  int ignore_loops;               /* 1: jn_load() and the other readers leave out loops and read only the tree */
  const char *loops;              /* path of a file with loops that the readers add to the model, e.g. to a URDF file:
                                     docs/model-file.md; NULL: none */
  int transmissions;              /* 1: motor inertias in <transmission> elements of URDF become armature */
  /* For jn_save() and jn_save_text(): the URDF file that the model was read from, whose text is then kept but for what
   * differs from the model (docs/urdf.md). A path, or the text itself; NULL: none, a new file is written. */
  const char *original;
  const char *original_text;
  size_t original_length;
  int lenient; /* 1: what acts on the dynamics but cannot be expressed is left out with a warning (MJCF) */
} jn_options;

/* Defaults: malloc and free, no report, all other members zero. */
JN_API void jn_options_init(jn_options *options);

/* The description of a robot, which can still change. */
typedef struct jn_builder jn_builder;
/* A robot ready for computation; it never changes. */
typedef struct jn_model jn_model;

/* Creates an empty description: no links, gravity (0, 0, -9.81), name "robot". The strings and structs given to the
 * builder are copied. Errors: JN_ERR_NULL, JN_ERR_MEMORY. */
JN_API jn_status jn_builder_create(const jn_options *options, jn_builder **builder);
JN_API void jn_builder_destroy(jn_builder *builder); /* Releases it; NULL is allowed. */

/* These functions only store what they are given; jn_builder_freeze() checks it, so that all errors are found at once.
 * Errors: JN_ERR_NULL, JN_ERR_INIT (not set up by jn_options_init()), JN_ERR_MEMORY. */
JN_API jn_status jn_builder_set_name(jn_builder *builder, const char *name);
JN_API jn_status jn_builder_set_gravity(jn_builder *builder, const double gravity[3]);
JN_API jn_status jn_builder_add_link(jn_builder *builder, const jn_link *link);
JN_API jn_status jn_builder_add_frame(jn_builder *builder, const char *name, const char *link,
                                      const double placement[16]);
JN_API jn_status jn_builder_add_loop(jn_builder *builder, const jn_loop *loop);

/* Change a link that was added before. jn_builder_add_payload() adds the payload's ten parameters (link frame) to the
 * link's own.
 * Errors: JN_ERR_NULL, JN_ERR_NAME. */
JN_API jn_status jn_builder_set_inertia(jn_builder *builder, const char *link, const double inertia[10]);
JN_API jn_status jn_builder_add_payload(jn_builder *builder, const char *link, const double inertia[10]);

/* Checks everything, puts all messages in the options' report, and creates the model. The builder is unchanged and can
 * be edited and frozen again. On error *model is NULL and *error (may be NULL) has the first error.
 * Rules checked: names present and unique, parents known, no cycle, numbers finite, placements rigid, axes not zero,
 * screws of one joint independent, masses not negative (errors); inertia positive definite and triangle inequality,
 * joints that move no mass, limits that leave no room to move (warnings; errors in strict mode).
 * Errors: JN_ERR_NULL, JN_ERR_MODEL, JN_ERR_MEMORY. */
JN_API jn_status jn_builder_freeze(const jn_builder *builder, jn_model **model, jn_error *error);

JN_API void jn_model_destroy(jn_model *model); /* Releases it; NULL is allowed. */

/* Creates a builder with everything the model was made from, to edit and freeze again. The model is not changed. */
JN_API jn_status jn_model_thaw(const jn_model *model, const jn_options *options, jn_builder **builder);
/* Copies with one change: the ten parameters of a link, a payload added to a link (both in the link frame), gravity.
 * Errors: JN_ERR_NULL, JN_ERR_INDEX, JN_ERR_MODEL (a number is not finite, or a mass is negative), JN_ERR_MEMORY. */
JN_API jn_status jn_model_with_inertia(const jn_model *model, int link, const double inertia[10], jn_model **copy);
JN_API jn_status jn_model_with_payload(const jn_model *model, int link, const double inertia[10], jn_model **copy);
JN_API jn_status jn_model_with_gravity(const jn_model *model, const double gravity[3], jn_model **copy);

/* ---- Queries. A NULL model or an index out of range gives 0, JN_NONE (-2) or NULL. O(1), except by name. ---- */
/* There is no such link, joint, frame, loop or coordinate. */
#define JN_NONE (-2)

JN_API const char *jn_model_name(const jn_model *model); /* as given in the file or to the builder */
JN_API int jn_model_nq(const jn_model *model);           /* numbers in a configuration */
JN_API int jn_model_nv(const jn_model *model);           /* numbers in a velocity */
JN_API int jn_model_depth(const jn_model *model);        /* most moving joints between the world and a link */
JN_API void jn_model_gravity(const jn_model *model, double gravity[3]); /* in the world frame [m/s^2] */
/* Total mass of the moving links, and of the links fixed to the world (which does not affect the dynamics) [kg]. */
JN_API double jn_model_mass(const jn_model *model);
JN_API double jn_model_fixed_mass(const jn_model *model);
/* 1 if some coordinate moves more than one joint (mimic joints). */
JN_API int jn_model_is_coupled(const jn_model *model);

JN_API int jn_link_count(const jn_model *model); /* all links, including those fixed to others */
/* Index of a link; JN_NONE if there is none of this name; JN_WORLD for "world" unless a link has that name. */
JN_API int jn_link_index(const jn_model *model, const char *name);
JN_API const char *jn_link_name(const jn_model *model, int link);    /* its name */
JN_API int jn_link_parent(const jn_model *model, int link);          /* its parent link; JN_WORLD for roots */
JN_API int jn_link_subtree_end(const jn_model *model, int link);     /* index of the last link in its subtree, plus 1 */
JN_API double jn_link_subtree_mass(const jn_model *model, int link); /* mass of the link and its subtree [kg] */
JN_API int jn_link_is_fixed(const jn_model *model, int link);        /* 1: no moving joint between it and the world */
/* The link's own ten parameters as given in the file, without those of links that are fixed to it. */
JN_API jn_status jn_link_inertia(const jn_model *model, int link, double inertia[10]);
/* Its pose in its parent at q = 0. */
JN_API jn_status jn_link_placement(const jn_model *model, int link, double placement[16]);

JN_API int jn_joint_index(const jn_model *model, const char *name);      /* index of the link it carries, or JN_NONE */
JN_API const char *jn_joint_name(const jn_model *model, int joint);      /* its name */
JN_API jn_joint_type jn_joint_type_of(const jn_model *model, int joint); /* its type; JN_JOINT_TYPES if out of range */
/* How many entries of q and of v belong to the joint; 0 for fixed and coupled joints. */
JN_API int jn_joint_nq(const jn_model *model, int joint);
JN_API int jn_joint_nv(const jn_model *model, int joint);
JN_API int jn_joint_q(const jn_model *model, int joint); /* its first index in q; the leader's for coupled joints */
JN_API int jn_joint_v(const jn_model *model, int joint); /* its first index in v; the leader's for coupled joints */
/* The joint as it was described; its strings are valid as long as the model. */
JN_API const jn_joint *jn_joint_description(const jn_model *model, int joint);
/* 1 if the joint is coupled: q = ratio * q_leader + offset, where chains of mimics are resolved; otherwise 0, and it
 * follows itself: leader = joint (JN_NONE if there is no such joint), ratio 1, offset 0. Outputs may be NULL. */
JN_API int jn_joint_mimic(const jn_model *model, int joint, int *leader, double *ratio, double *offset);
/* Index of the joint that velocity coordinate v belongs to, and which of the joint's coordinates it is. Both
 * JN_NONE if out of range. */
JN_API int jn_coordinate_joint(const jn_model *model, int v, int *coordinate);
/* Properties of velocity coordinate v (limits, armature, ...); NULL if out of range. */
JN_API const jn_dof *jn_coordinate_dof(const jn_model *model, int v);
/* The coefficients of jn_loss_forces(), loss = damping v + friction sign(v): damping [nv] [N m s/rad, N s/m] and
 * friction [nv] [N m, N] of each velocity coordinate. Joints that follow a coordinate with a ratio r are in the sum,
 * with r^2 times their damping and |r| times their friction. Either may be NULL. O(n). Errors: JN_ERR_NULL. */
JN_API jn_status jn_loss_coefficients(const jn_model *model, double *damping, double *friction);

/* Frames: all links come first (frame i = link i), then the named frames in the order in which they were added. */
JN_API int jn_frame_count(const jn_model *model);
JN_API int jn_frame_index(const jn_model *model, const char *name);
JN_API const char *jn_frame_name(const jn_model *model, int frame);
JN_API int jn_frame_link(const jn_model *model, int frame);
JN_API jn_status jn_frame_placement(const jn_model *model, int frame, double placement[16]); /* in its link */

/* ---- Inertial parameters: ten for each of the L links, stacked, as jn_link_inertia() ---- */

JN_API int jn_parameter_count(const jn_model *model);              /* 10 L */
JN_API jn_status jn_parameters(const jn_model *model, double *pi); /* pi [10 L] of the model */
/* A copy of the model with other parameters. Errors: JN_ERR_MODEL (a number is not finite, or a mass is negative),
 * JN_ERR_MEMORY. */
JN_API jn_status jn_model_with_parameters(const jn_model *model, const double *pi, jn_model **copy);
/* 1 if the ten parameters can belong to a rigid body, otherwise 0. They can if and only if the pseudo-inertia [tr(J)/2
 * E - J, h; h^T, m] is positive definite, that is, the mass is positive and the principal moments satisfy the triangle
 * inequality. */
JN_API int jn_inertia_is_physical(const double inertia[10]);
/* Log-Cholesky coordinates: pseudo-inertia = U U^T, U = e^a [e^d1 s12 s13 t1; 0 e^d2 s23 t2; 0 0 e^d3 t3; 0 0 0 1], x =
 * (a, d1, d2, d3, s12, s23, s13, t1, t2, t3). Any ten numbers give a physical body. Errors of
 * jn_inertia_to_log_cholesky(): JN_ERR_MODEL (the parameters are not physical). */
JN_API jn_status jn_inertia_from_log_cholesky(const double x[10], double inertia[10]);
JN_API jn_status jn_inertia_to_log_cholesky(const double inertia[10], double x[10]);

/* ---- Loops ---- */

JN_API int jn_loop_count(const jn_model *model);                   /* number of constraints */
JN_API int jn_loop_index(const jn_model *model, const char *name); /* JN_NONE if there is none of this name */
/* The constraint as it was described; its strings are valid as long as the model. */
JN_API const jn_loop *jn_loop_description(const jn_model *model, int loop);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The structs of tree.h over NUMBER, named by TREE(name). Included once for each scalar; no guard. */

/* A moving body with its joint. */
typedef struct TREE(body) {
  NUMBER R[9]; /* placement of the internal frame in the parent body's internal frame (row-major) */
  NUMBER p[3];
  NUMBER inertia[10];   /* lumped, in the internal frame: m, h, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz */
  NUMBER pitch;         /* helical [m/rad] */
  NUMBER ratio, offset; /* one coordinate: joint position = ratio * q[iq] + offset */
  int32_t kind;         /* JN_BODY_... */
  int32_t end;          /* bodies [i, end) are the subtree of body i */
  int32_t iq, iv;       /* first index in q and v (of the leader if coupled) */
  int32_t nq, nv;       /* number of coordinates and of velocities */
  int32_t id;     /* first index among the joint coordinates, counted as if there were no coupling, 0 <= id < nd */
  int32_t stop;   /* coordinates [id, stop) are those of the subtree */
  int32_t axis;   /* JN_AXIS_... */
  int32_t parent; /* body, or -1 for the world */
  int32_t screw;  /* general: first of its nv screws */
  int32_t link;   /* the link that this body's joint carries */
  int32_t owner;  /* 0: coupled, its coordinate belongs to another joint */
  int32_t several_children; /* it has more than one child */
} TREE(body);

/* One exponential of a general joint, exp(X scale q): X has a unit angular part, or none and a unit linear part. */
typedef struct TREE(screw) {
  NUMBER X[6];
  NUMBER scale;
  int32_t prismatic; /* X has no angular part */
} TREE(screw);

/* A frame that is fixed to a body: a link's, or one with a name of its own. */
typedef struct TREE(frame) {
  NUMBER R[9]; /* pose in the internal frame of its body (in the world when body = -1) */
  NUMBER p[3];
  int32_t body;
} TREE(frame);

typedef struct TREE(tree) {
  int32_t nb;            /* moving bodies */
  int32_t nq, nv;        /* numbers in q and v */
  int32_t nd;            /* coordinates of all joints, counted as if there were no coupling */
  int32_t nframe;        /* frames: links first, then named frames */
  int32_t nscrew, nlink; /* screws of general joints, links */
  int32_t coupled;       /* some coordinate moves more than one body */
  int32_t in_body_order; /* not coupled, and coordinates are in the order of the bodies: iv = id */
  int32_t has_springs;   /* some coordinate has a spring */
  int32_t chain;         /* each body is the child of the one before: no branches, so M has no zeros */
  int32_t
      one_each_after_base; /* every body but the first has one coordinate, and they are in the order of the bodies */
  int32_t has_armature;    /* some coordinate has an armature */
  int32_t one_each;        /* every body has one coordinate */
  NUMBER gravity[3];       /* in the world [m/s^2] */
  NUMBER spring_energy;    /* energy left when all coordinates are at `rest`: springs on one coordinate may oppose each
                              other [J] */
  const TREE(body) * body; /* [nb] */
  const NUMBER *constants; /* [blocks][JN_CONSTANT_ROWS][JN_CONSTANT_BODIES] as a structure of arrays (tree.h) */
  const TREE(frame) * frame;       /* [nframe] */
  const TREE(frame) * placement;   /* [nlink] the link's placement in its parent link; body = body of its joint or -1 */
  const TREE(screw) * screw;       /* [nscrew] */
  const NUMBER *armature;          /* [nd] inertia of the rotor, at the joint [kg m^2, kg] */
  const NUMBER *stiffness;         /* [nv] springs at the coordinates, including those of coupled joints */
  const NUMBER *rest;              /* [nv] where the force of the spring is zero */
  const NUMBER *reference_inertia; /* [nd] inertia that a coordinate moves at some configuration: the unit of pivots */
  const NUMBER *link_inertia;      /* [nlink][10] of each link by itself, in its own frame */
  const int32_t *link_parent;      /* [nlink] link, or -1 */
  /* Elimination of the mass matrix: coordinate order[k] comes k-th. Its row has entries at row lambda[k] < k, at that
   * row's lambda, and so on: along the branch of the tree. With coupled coordinates, this is the elimination tree of M,
   * so that entries that only elimination makes have their places too. Rows whose lambdas lead to k follow it without
   * a gap. */
  const int32_t *order;  /* [nv] */
  const int32_t *lambda; /* [nv] */
  /* With coupled coordinates: the same tree where every joint has coordinates of its own, iv = id, no springs. Its v is
   * G v of this tree, where G copies a coordinate to each joint that it moves; ratios are part of the joints' screws.
   * NULL if nothing is coupled. */
  const struct TREE(tree) * uncoupled;
  const int32_t
      *elimination_place; /* [nd] which row of the elimination a joint's coordinate is; NULL if uncoupled is */
} TREE(tree);

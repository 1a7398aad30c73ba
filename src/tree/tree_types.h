/* SPDX-License-Identifier: BSD-2-Clause */
/* The structs of tree.h over NUMBER, named by TREE(name). Included once for each scalar; no guard. */

typedef struct TREE(body) {
  NUMBER R[9]; /* placement of the internal frame in the parent body's internal frame (row-major) */
  NUMBER p[3];
  NUMBER inertia[10];   /* lumped, in the internal frame */
  NUMBER pitch;         /* helical [m/rad] */
  NUMBER ratio, offset; /* one coordinate: joint position = ratio * q[iq] + offset */
  int32_t kind;
  int32_t end;    /* bodies [i, end) are the subtree of body i */
  int32_t iq, iv; /* first index in q and v (of the leader if coupled) */
  int32_t nq, nv;
  int32_t id;     /* first index among the joint coordinates, counted as if there were no coupling, 0 <= id < nd */
  int32_t stop;   /* coordinates [id, stop) are those of the subtree */
  int32_t axis;   /* JN_AXIS_... */
  int32_t parent; /* body, or -1 for the world */
  int32_t screw;  /* general: first of its nv screws */
  int32_t link;   /* the link this body's joint carries */
  int32_t owner;  /* 0: coupled, its coordinate belongs to another joint */
  int32_t forks;  /* it has more than one child */
} TREE(body);

/* One exponential of a general joint, exp(X scale q): X has a unit angular part, or none and a unit linear part. */
typedef struct TREE(screw) {
  NUMBER X[6];
  NUMBER scale;
  int32_t prismatic;
} TREE(screw);

typedef struct TREE(frame) {
  NUMBER R[9]; /* pose in the internal frame of its body (in the world when body = -1) */
  NUMBER p[3];
  int32_t body;
} TREE(frame);

typedef struct TREE(tree) {
  int32_t nb, nq, nv, nd, nframe, nscrew, nlink;
  int32_t coupled;  /* some coordinate moves more than one body */
  int32_t straight; /* not coupled, and coordinates are in the order of the bodies: iv = id */
  int32_t sprung;   /* some coordinate has a spring */
  int32_t chain;    /* each body is the child of the one before: no branches, so M has no zeros */
  int32_t even;     /* every body but the first has one coordinate, and they are in the order of the bodies */
  int32_t armed;    /* some coordinate has an armature */
  int32_t simple;   /* every body has one coordinate */
  NUMBER gravity[3];
  NUMBER spring_energy;    /* energy left when all coordinates are at `rest`: springs on one coordinate may oppose each
                              other */
  const TREE(body) * body; /* [nb] */
  const NUMBER *sheet;     /* [blocks][JN_SHEET_ROWS][JN_SHEET] numbers of the bodies side by side (tree.h) */
  const TREE(frame) * frame;     /* [nframe] */
  const TREE(frame) * placement; /* [nlink] the link's placement in its parent link; body = body of its joint or -1 */
  const TREE(screw) * screw;     /* [nscrew] */
  const NUMBER *armature;        /* [nd] */
  const NUMBER *stiffness;       /* [nv] springs at the coordinates, including those of coupled joints */
  const NUMBER *rest;            /* [nv] where the force of the spring is zero */
  const NUMBER *gross; /* [nd] inertia that a coordinate moves at some configuration; pivots are compared with it */
  const NUMBER *link_inertia; /* [nlink][10] of each link by itself, in its own frame */
  const int32_t *link_parent; /* [nlink] link, or -1 */
  /* Elimination of the mass matrix: coordinate order[k] comes k-th. Its row has entries at row lambda[k] < k, at that
   * row's lambda, and so on: along the branch of the tree. With coupled coordinates, this is the elimination tree of M,
   * so that entries that only elimination makes have their places too. Rows whose lambdas lead to k follow it without
   * a gap. */
  const int32_t *order;  /* [nv] */
  const int32_t *lambda; /* [nv] */
  /* With coupled coordinates: the same tree where every joint has coordinates of its own, iv = id, no springs. Its v is
   * G v of this tree, where G copies a coordinate to each joint that it moves; ratios are part of the joints' screws.
   * NULL if nothing is coupled. */
  const struct TREE(tree) * apart;
  const int32_t *place; /* [nd] of a joint's coordinate: its place in the order of elimination; NULL as `apart` */
} TREE(tree);

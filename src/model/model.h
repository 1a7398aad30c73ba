/* SPDX-License-Identifier: BSD-2-Clause */
/* The frozen model: two blocks of memory, of which one has the links; never changed after freezing. */
#ifndef JN_MODEL_MODEL_H
#define JN_MODEL_MODEL_H

#include "../tree/tree.h"
#include "builder.h"

typedef struct jn_link_record {
  const char *name;
  int32_t parent;     /* link, JN_WORLD */
  int32_t end;        /* links [i, end) are the subtree */
  int32_t body;       /* the body that carries it, -1 when fixed to the world */
  int32_t joint_body; /* the body whose joint is this link's joint, -1 for fixed joints */
  int32_t leader;     /* link of the joint that a coupled joint follows, JN_NONE otherwise */
  int32_t nq, nv;     /* own coordinates: 0 when fixed or coupled */
  double ratio, offset;
  double placement[16];
  double inertia[10];
  double subtree_mass;
  jn_joint joint; /* as described, axes normalised; strings in the block */
} jn_link_record;

typedef struct jn_frame_record {
  const char *name;
  int32_t link;
  double placement[16];
} jn_frame_record;

struct jn_model {
  jn_allocator allocator;
  void *block; /* from the allocator: holds this struct and all arrays but `link` */
  const char *name;
  int32_t nlink, nnamed, nloop, nq, nv, depth, coupled;
  double gravity[3];
  double moving_mass, fixed_mass;
  const jn_link_record *link;     /* [nlink] */
  const jn_frame_record *named;   /* [nnamed] */
  const jn_loop *loop;            /* [nloop] */
  const int32_t *link_by_name;    /* [nlink] sorted */
  const int32_t *joint_by_name;   /* [nlink] sorted */
  const int32_t *coordinate_link; /* [nv] the joint that owns a velocity coordinate */
  const void *tree[JN_KINDS];     /* jn_tree_d, jn_tree_f, ...: NULL for scalar types that no row of this build uses */
};

/* The tree of another scalar type, made from the double one; dispatch knows which types have variants. The first
 * function returns the bytes needed (0: no variant uses the type), the second one converts into that memory. */
size_t jn__tree_bytes(int kind, const jn_tree_d *tree);
void jn__tree_convert(int kind, const jn_tree_d *tree, void *memory);
/* Whether single states are computed with AVX2 (or AVX-512): the one place where code outside the kernels that is
 * compiled twice, in src/loops and src/tasks, gets its choice. */
int jn__runs_avx2(void);

#endif

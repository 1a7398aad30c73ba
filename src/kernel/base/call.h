/* SPDX-License-Identifier: BSD-2-Clause */
/* How kernels are called, whatever their number type: one signature for all, so that one piece of dispatch moves
 * samples in and out of every variant. A kernel reads its inputs, writes its outputs (NULL: not wanted), and touches
 * nothing else. Its arguments have names: those of the kernel x are in the member x of the call. */
#ifndef JN_KERNEL_BASE_CALL_H
#define JN_KERNEL_BASE_CALL_H

#include <stddef.h>

#include "arguments.h"

/* The caller's own memory, for kernels with lanes that store results there as they come, and tell which: matrices in
 * lanes are too large for the caches. Samples of output i begin at to[i] and are stride[i] numbers of `kind` apart. */
typedef struct jn_direct {
  void (*store)(void *to, int kind, const void *from, size_t n, size_t stride, int count); /* of the variant */
  int kind, count;
  size_t bytes; /* of a number */
  void *to[JN_MAX_ARRAYS];
  size_t stride[JN_MAX_ARRAYS];
  unsigned stored; /* bits of the outputs that the kernel has stored */
} jn_direct;

typedef struct jn_call {
  const void *tree;  /* JN_S(tree) of the variant's scalar */
  void *scratch;     /* 64-byte aligned, with the bytes that the variant's scratch_bytes() says */
  jn_direct *direct; /* NULL without lanes */
  size_t *counted;   /* not NULL: only count scratch memory, of q = NULL and all arrays wanted (scratch.h) */
  union {
    void *array[JN_MAX_ARRAYS]; /* inputs, then outputs */
#define JN_ARGUMENTS_MEMBER(name) jn_##name##_arguments name;
    JN_ARGUMENTS_LIST(JN_ARGUMENTS_MEMBER)
#undef JN_ARGUMENTS_MEMBER
  };
} jn_call;

typedef void (*jn_kernel)(const jn_call *call);

enum {
#define JN_LIE_ENUM(name, n1, n2, m) JN_KERNEL_##name,
#define JN_MODEL_ENUM(name, scratch, inputs, outputs, fixed) JN_KERNEL_##name,
  JN_LIE_LIST(JN_LIE_ENUM) JN_LIE_KERNELS,
  JN_LAST_LIE = JN_LIE_KERNELS - 1,
  JN_MODEL_KERNEL_LIST(JN_MODEL_ENUM)
#undef JN_LIE_ENUM
#undef JN_MODEL_ENUM
      JN_KERNELS
};

enum jn_scratch { JN_SCRATCH_NONE, JN_SCRATCH_STATE, JN_SCRATCH_ORDER };

/* A build of all kernels for one number type and instruction set. */
typedef struct jn_variant {
  const char *name;
  int kind;                     /* JN_KIND_D ... of its scalar */
  int lanes;                    /* samples in one real */
  size_t real_bytes;            /* sizeof(real) */
  int register_bytes;           /* of a vector register of its instruction set: 16, with AVX2 32, with AVX-512 64 */
  double epsilon;               /* rounding unit of its scalar */
  const jn_kernel *kernels;     /* [JN_KERNELS] */
  const unsigned char *scratch; /* [JN_KERNELS] enum jn_scratch of each */
  /* n numbers of `count` <= lanes samples into n reals (missing lanes repeat the last sample), and back. `kind` is that
   * of the caller's numbers: JN_KIND_D or JN_KIND_F; stride is in numbers. */
  void (*load)(void *to, int kind, const void *from, size_t n, size_t stride, int count);
  void (*store)(void *to, int kind, const void *from, size_t n, size_t stride, int count);
  /* Bytes of scratch memory that the largest of its kernels takes, on a tree of its scalar; order of jets, -1: none. */
  size_t (*scratch_bytes)(const void *tree, int order);
  /* The tree of this variant's scalar from the double one. */
  size_t (*tree_bytes)(const void *tree_d);
  void (*tree_convert)(const void *tree_d, void *memory);
} jn_variant;

#endif

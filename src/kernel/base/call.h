/* SPDX-License-Identifier: BSD-2-Clause */
/* How kernels are called, whatever their number type: one signature for all, so that one piece of dispatch moves
 * samples in and out of every variant. A kernel reads in[], writes out[] (NULL: not wanted), and touches nothing else.
 */
#ifndef JN_KERNEL_BASE_CALL_H
#define JN_KERNEL_BASE_CALL_H

#include <stddef.h>

enum { JN_MAX_INPUTS = 12, JN_MAX_OUTPUTS = 24 };

/* The caller's own memory, for kernels with lanes that store results there as they come, and tell which: matrices in
 * lanes are too large for the caches. Samples of output i begin at to[i] and are stride[i] numbers of `kind` apart. */
typedef struct jn_direct {
  void (*store)(void *to, int kind, const void *from, size_t n, size_t stride, int count); /* of the variant */
  int kind, count;
  size_t bytes; /* of a number */
  void *to[JN_MAX_OUTPUTS];
  size_t stride[JN_MAX_OUTPUTS];
  unsigned stored; /* bits of the outputs that the kernel has stored */
} jn_direct;

typedef struct jn_call {
  const void *tree; /* JN_S(tree) of the variant's scalar */
  const void *in[JN_MAX_INPUTS];
  void *out[JN_MAX_OUTPUTS];
  int arg[4];
  const void *data;  /* of the caller, the same for all samples, e.g. which coordinates are prescribed */
  void *scratch;     /* 64-byte aligned, with the bytes that the variant's scratch_bytes() says */
  jn_direct *direct; /* NULL without lanes */
  size_t *counted;   /* not NULL: only count scratch memory, of q = NULL and all arrays wanted (scratch.h) */
} jn_call;

typedef void (*jn_kernel)(const jn_call *call);

/* Kernels without a model: name, numbers in the first and second input (0: none), numbers in the output. */
#define JN_LIE_LIST(X)                \
  X(so3_exp, 3, 0, 9)                 \
  X(so3_log, 9, 0, 3)                 \
  X(so3_dexp_left, 3, 0, 9)           \
  X(so3_dexp_right, 3, 0, 9)          \
  X(so3_dexp_left_inverse, 3, 0, 9)   \
  X(so3_dexp_right_inverse, 3, 0, 9)  \
  X(se3_exp, 6, 0, 16)                \
  X(se3_log, 16, 0, 6)                \
  X(se3_dexp_left, 6, 0, 36)          \
  X(se3_dexp_right, 6, 0, 36)         \
  X(se3_dexp_left_inverse, 6, 0, 36)  \
  X(se3_dexp_right_inverse, 6, 0, 36) \
  X(se3_multiply, 16, 16, 16)         \
  X(se3_inverse, 16, 0, 16)           \
  X(adjoint_matrix, 16, 0, 36)        \
  X(bracket_matrix, 6, 0, 36)         \
  X(twist_transform, 16, 6, 6)        \
  X(wrench_transform, 16, 6, 6)       \
  X(twist_bracket, 6, 6, 6)           \
  X(wrench_bracket, 6, 6, 6)          \
  X(inertia_matrix, 10, 0, 36)        \
  X(inertia_multiply, 10, 6, 6)       \
  X(inertia_transform, 16, 10, 10)    \
  X(quaternion_to_rotation, 4, 0, 9)  \
  X(rotation_to_quaternion, 9, 0, 4)  \
  X(quaternion_multiply, 4, 4, 4)     \
  X(rpy_to_rotation, 3, 0, 9)         \
  X(rotation_to_rpy, 9, 0, 3)         \
  X(axis_angle_to_rotation, 4, 0, 9)  \
  X(rotation_to_axis_angle, 9, 0, 4)

/* Kernels on a model, and what their scratch memory depends on: they take NONE; the model; the ORDER arg[0] of time
 * derivatives besides. */
#define JN_MODEL_KERNEL_LIST(X)                  \
  X(integrate, NONE)                             \
  X(difference, NONE)                            \
  X(interpolate, NONE)                           \
  X(normalize, NONE)                             \
  X(derivatives_plus, NONE)                      \
  X(derivatives_minus, NONE)                     \
  X(joint_pose, NONE)                            \
  X(joint_jacobian, NONE)                        \
  X(joint_jacobian_rate, NONE)                   \
  X(terms, STATE)                                \
  X(coriolis_matrix_christoffel, STATE)          \
  X(inverse_dynamics, STATE)                     \
  X(mass_matrix, STATE)                          \
  X(frame, STATE)                                \
  X(joint_wrenches, STATE)                       \
  X(forward_dynamics, STATE)                     \
  X(forward_dynamics_coupled, STATE)             \
  X(mass_factor, STATE)                          \
  X(mass_solve, STATE)                           \
  X(mass_matrix_inverse, STATE)                  \
  X(solve_columns, STATE)                        \
  X(inverse_dynamics_jet, ORDER)                 \
  X(hybrid_dynamics_jet, ORDER)                  \
  X(matrix_jet, ORDER)                           \
  X(frame_jet, ORDER)                            \
  X(momentum_jet, ORDER)                         \
  X(system_jet, ORDER)                           \
  X(joint_wrenches_jet, ORDER)                   \
  X(inverse_dynamics_derivatives, STATE)         \
  X(hybrid_dynamics_derivatives, STATE)          \
  X(inverse_dynamics_derivatives_along, STATE)   \
  X(inverse_dynamics_derivatives_tensors, STATE) \
  X(inverse_dynamics_second_derivatives, STATE)  \
  X(coriolis_matrix_derivatives, STATE)          \
  X(forward_dynamics_second_derivatives, STATE)  \
  X(mass_matrix_inverse_derivative, STATE)       \
  X(inverse_dynamics_jet_derivatives, ORDER)     \
  X(inverse_dynamics_adjoint, STATE)             \
  X(inverse_dynamics_sensitivity, STATE)         \
  X(regressor, STATE)                            \
  X(regressor_jet, ORDER)                        \
  X(frame_derivatives, STATE)                    \
  X(momentum_derivatives, STATE)

enum {
#define JN_LIE_ENUM(name, n1, n2, m) JN_KERNEL_##name,
#define JN_MODEL_ENUM(name, scratch) JN_KERNEL_##name,
  JN_LIE_LIST(JN_LIE_ENUM) JN_MODEL_KERNEL_LIST(JN_MODEL_ENUM)
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

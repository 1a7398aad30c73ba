/* SPDX-License-Identifier: BSD-2-Clause */
/* Inputs and outputs of the kernel `terms` (terms.c). in: q, v (NULL: zero), a (NULL: zero), wrenches (NULL: none).
 * arg[0]: representation of the quantities of frames (frames.h); arg[1]: momentum is about the centre of mass; arg[2]:
 * link whose subtree's centre of mass is wanted, -1: everything that moves; arg[3]: the end of that subtree. */
#ifndef JN_KERNEL_TERMS_TERMS_H
#define JN_KERNEL_TERMS_TERMS_H

enum {
  JN_OUT_M,             /* mass matrix [nv x nv] */
  JN_OUT_C,             /* Coriolis matrix [nv x nv] */
  JN_OUT_DM,            /* dM/dt [nv x nv] */
  JN_OUT_TAU,           /* inverse dynamics [nv] */
  JN_OUT_G,             /* gravity forces, without springs [nv] */
  JN_OUT_BIAS,          /* C v + g + springs [nv] */
  JN_OUT_CORIOLIS,      /* C v [nv] */
  JN_OUT_POSES,         /* of frames [nframe][16] */
  JN_OUT_TWISTS,        /* [nframe][6] */
  JN_OUT_ACCELERATIONS, /* [nframe][6] */
  JN_OUT_J,             /* Jacobians of frames [nframe][6 x nv] */
  JN_OUT_DJ,            /* their rates */
  JN_OUT_COM,           /* centre of mass [3] */
  JN_OUT_DCOM,          /* its velocity [3] */
  JN_OUT_DDCOM,         /* its acceleration [3] */
  JN_OUT_JCOM,          /* its Jacobian [3 x nv] */
  JN_OUT_MOMENTUM,      /* [6] */
  JN_OUT_A,             /* momentum matrix [6 x nv] */
  JN_OUT_DA,            /* its rate [6 x nv] */
  JN_OUT_ENERGY,        /* kinetic, potential [2] */
  JN_OUT_SPACE,         /* space Jacobian: all columns about the world's origin [6 x nv] */
  JN_OUT_DSPACE,        /* its rate [6 x nv] */
  JN_OUTS
};

#endif

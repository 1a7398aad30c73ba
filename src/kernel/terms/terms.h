/* SPDX-License-Identifier: BSD-2-Clause */
/* Places of the arrays of the kernel `terms`. in: q, v (NULL: zero), a (NULL: zero), wrenches (NULL: none).
 * arg[0]: representation of frames' quantities; arg[1]: momentum about the centre of mass; arg[2]: link whose subtree's
 * centre of mass is wanted, -1: all that moves; arg[3]: the end of that subtree. */
#ifndef JN_KERNEL_TERMS_TERMS_H
#define JN_KERNEL_TERMS_TERMS_H

enum {
  JN_OUT_M,
  JN_OUT_C,
  JN_OUT_DM,
  JN_OUT_TAU,
  JN_OUT_G,
  JN_OUT_BIAS,
  JN_OUT_CORIOLIS,
  JN_OUT_POSES,
  JN_OUT_TWISTS,
  JN_OUT_ACCELERATIONS,
  JN_OUT_J,
  JN_OUT_DJ,
  JN_OUT_COM,
  JN_OUT_DCOM,
  JN_OUT_DDCOM,
  JN_OUT_JCOM,
  JN_OUT_MOMENTUM,
  JN_OUT_A,
  JN_OUT_DA,
  JN_OUT_ENERGY,
  JN_OUT_SPACE,
  JN_OUT_DSPACE,
  JN_OUTS
};

#endif

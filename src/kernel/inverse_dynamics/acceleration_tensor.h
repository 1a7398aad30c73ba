/* SPDX-License-Identifier: BSD-2-Clause */
/* The acceleration tensor of a rotating body, B = [dw] + [w]^2.
 *
 * The point at x of a body whose origin accelerates by a has the acceleration a + B x. So B replaces linear velocities:
 * inverse dynamics of 7 revolute joints in lanes of four takes 75 ns a state, with twists and I A + V x* I V 113.
 *
 *   symbol  meaning                                    size   unit
 *   w, dw   angular velocity and its rate              3      rad/s, rad/s^2
 *   ww      products of the components of w            6      rad^2/s^2
 *   J       second moment of inertia about the origin  6      kg m^2 */
#ifndef JN_KERNEL_INVERSE_DYNAMICS_ACCELERATION_TENSOR_H
#define JN_KERNEL_INVERSE_DYNAMICS_ACCELERATION_TENSOR_H

#include "../../lie/motion.h"

/* B, and the products of w that it is made of. */
typedef struct acceleration_tensor {
  sym3 ww;
  mat3 B;
} acceleration_tensor;

/* B from the products of w and its rate dw. */
static inline acceleration_tensor acceleration_tensor_of(sym3 ww, vec3 dw) {
  return (acceleration_tensor){
      ww,
      {v3(-(ww.yy + ww.zz), ww.xy + dw.z, ww.xz - dw.y), v3(ww.xy - dw.z, -(ww.xx + ww.zz), ww.yz + dw.x),
       v3(ww.xz + dw.y, ww.yz - dw.x, -(ww.xx + ww.yy))}};
}

/* The products of the components of w. */
static inline sym3 products(vec3 w) { return (sym3){w.x * w.x, w.y * w.y, w.z * w.z, w.x * w.y, w.x * w.z, w.y * w.z}; }

/* J dw + w x J w, from the sums that B has already. */
static inline vec3 euler(sym3 J, vec3 dw, const acceleration_tensor *B) {
  const sym3 *s = &B->ww;
  const mat3 *b = &B->B;
  return v3(J.xx * dw.x + (J.zz - J.yy) * s->yz - J.xy * b->x.z + J.xz * b->x.y + J.yz * (s->yy - s->zz),
            J.yy * dw.y + (J.xx - J.zz) * s->xz - J.yz * b->y.x + J.xy * b->y.z + J.xz * (s->zz - s->xx),
            J.zz * dw.z + (J.yy - J.xx) * s->xy - J.xz * b->z.y + J.yz * b->z.x + J.xy * (s->xx - s->yy));
}

#endif

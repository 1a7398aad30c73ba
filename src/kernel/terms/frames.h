/* SPDX-License-Identifier: BSD-2-Clause */
/* Twist, acceleration, Jacobian and its rate of one frame in the three representations.
 *   body     J_j = Ad_{T_fj} S_j,        dJ_j = Ad_{T_fj} Psi_j - ad_V J_j
 *   world    J_j = Ad_{T_j} S_j,         dJ_j = Ad_{T_j} Psi_j
 *   aligned  J_j = blkdiag(R, R) of body, dJ_j = blkdiag(R, R) (Ad_{T_fj} Psi_j - ad_V J_j + [w] J_j)
 * with T_fj the pose of body j in the frame. */
#ifndef JN_KERNEL_TERMS_FRAMES_H
#define JN_KERNEL_TERMS_FRAMES_H

#include "../base/sweep.h"

enum { IN_BODY, IN_WORLD, IN_ALIGNED };

/* From the frame's own six numbers to the representation. rate: Y is the derivative of numbers y that belong to the
 * frame moving with V. */
static inline twist represent(int in, pose T, twist Y) {
  if (in == IN_BODY) return Y;
  if (in == IN_WORLD) return t_Ad(T, Y);
  return (twist){m3_mul(T.R, Y.w), m3_mul(T.R, Y.v)};
}

static inline twist represent_rate(int in, pose T, twist V, twist y, twist dy) {
  if (in == IN_BODY) return dy;
  if (in == IN_WORLD) return t_Ad(T, t_add(dy, t_ad(V, y)));
  return (twist){m3_mul(T.R, v3_add(dy.w, cross(V.w, y.w))), m3_mul(T.R, v3_add(dy.v, cross(V.w, y.v)))};
}

/* Jacobian (and rate, when V and Psi are given) of frame f with pose T_world; X, S, Psi of its ancestors are there. */
static inline void frame_jacobian(const JN_S(tree) * t, int f, int in, pose T_world, const pose *X, const twist *S,
                                  const twist *Psi, const twist *V_frame, real *J, real *dJ) {
  int n = t->nv;
  const JN_S(frame) *frame = &t->frame[f];
  for (int k = 0; k < 6 * n; k++) {
    if (J) J[k] = ZERO;
    if (dJ) dJ[k] = ZERO;
  }
  pose T = se3_constant(frame->R, frame->p); /* the frame in body j */
  for (int j = frame->body; j >= 0; j = t->body[j].parent) {
    const JN_S(body) *b = &t->body[j];
    for (int k = 0; k < b->nv; k++) {
      real column[6];
      twist y = t_Ad_inverse(T, S[b->id + k]);
      if (J) {
        t_store(represent(in, T_world, y), column);
        for (int r = 0; r < 6; r++) J[r * n + b->iv + k] += column[r];
      }
      if (dJ) {
        twist dy = t_axpy(K(-1), t_ad(*V_frame, y), t_Ad_inverse(T, Psi[b->id + k]));
        t_store(represent_rate(in, T_world, *V_frame, y, dy), column);
        for (int r = 0; r < 6; r++) dJ[r * n + b->iv + k] += column[r];
      }
    }
    T = se3_mul(X[j], T);
  }
}

#endif

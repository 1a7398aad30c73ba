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

/* From six numbers Y in the axes of the frame to the representation. T: pose of the frame. */
static inline twist represent(int representation, pose T, twist Y) {
  if (representation == IN_BODY) return Y;
  if (representation == IN_WORLD) return t_Ad(T, Y);
  return (twist){m3_mul(T.R, Y.w), m3_mul(T.R, Y.v)};
}

/* The rate of represent(y), where y changes by dy and the frame moves with twist V. */
static inline twist represent_rate(int representation, pose T, twist V, twist y, twist dy) {
  if (representation == IN_BODY) return dy;
  if (representation == IN_WORLD) return t_Ad(T, t_add(dy, t_ad(V, y)));
  return (twist){m3_mul(T.R, v3_add(dy.w, cross(V.w, y.w))), m3_mul(T.R, v3_add(dy.v, cross(V.w, y.v)))};
}

/* Jacobian J, and its rate dJ if Psi and V_frame are given, of frame f with pose T_world. X, S and Psi of the bodies
 * that carry it are given. NULL: not wanted. */
static inline void frame_jacobian(const JN_S(tree) * tree, int f, int representation, pose T_world, const pose *X,
                                  const twist *S, const twist *Psi, const twist *V_frame, real *J, real *dJ) {
  int n = tree->nv;
  const JN_S(frame) *frame = &tree->frame[f];
  for (int k = 0; k < 6 * n; k++) {
    if (J) J[k] = ZERO;
    if (dJ) dJ[k] = ZERO;
  }

  /* From the frame's own body inwards; T is the pose of the frame in body j. */
  pose T = se3_constant(frame->R, frame->p);
  for (int j = frame->body; j >= 0; j = tree->body[j].parent) {
    const JN_S(body) *body = &tree->body[j];
    for (int k = 0; k < body->nv; k++) {
      real column[6];
      twist y = t_Ad_inverse(T, S[body->id + k]);

      /* J_j = Ad_(T^-1) S_j. */
      if (J) {
        t_store(represent(representation, T_world, y), column);
        for (int r = 0; r < 6; r++) J[r * n + body->iv + k] += column[r];
      }

      /* dJ_j = Ad_(T^-1) Psi_j - ad_V J_j. */
      if (dJ) {
        twist dy = t_axpy(K(-1), t_ad(*V_frame, y), t_Ad_inverse(T, Psi[body->id + k]));
        t_store(represent_rate(representation, T_world, *V_frame, y, dy), column);
        for (int r = 0; r < 6; r++) dJ[r * n + body->iv + k] += column[r];
      }
    }
    T = se3_mul(X[j], T);
  }
}

#endif

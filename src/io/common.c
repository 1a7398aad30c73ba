/* SPDX-License-Identifier: BSD-2-Clause */
#include "common.h"

#include "../lie/rotation.h"

/* ---- Placements ---- */

void jn__turn_rpy(double T[16], const double rpy[3]) { m3_store_rows(so3_from_rpy(v3_load(rpy)), T, 4); }
void jn__turn_quaternion(double T[16], const double q[4]) { m3_store_rows(q_rotation(q_load(q)), T, 4); }
void jn__rpy_of(const double T[16], double rpy[3]) {
  v3_store(so3_to_rpy(m3_load_rows(T, 4)), rpy);
  for (int k = 0; k < 3; k++)
    if (rpy[k] == 0) rpy[k] = 0; /* no negative zeros */
}

void jn__turn_tensor(const double R[16], double t[6]) {
  const double T[9] = {t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2]};
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++) {
    double sum = 0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) sum += R[4 * row[k] + i] * T[3 * i + j] * R[4 * column[k] + j];
    t[k] = sum;
  }
}

/* ---- Order of coordinates ---- */

int jn__order_is_default(const jn_model *m) {
  int before = JN_WORLD;
  for (int v = 0; v < jn_model_nv(m); v++) {
    int joint = jn_coordinate_joint(m, v, NULL);
    if (joint < before) return 0;
    before = joint;
  }
  return 1;
}

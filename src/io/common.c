/* SPDX-License-Identifier: BSD-2-Clause */
#include "common.h"

#include "../lie/rotation.h"

/* ---- Placements ---- */

void jn__turn_rpy(double T[16], const double rpy[3]) { m3_store_rows(so3_from_rpy(v3_load(rpy)), T, 4); }
void jn__turn_quaternion(double T[16], const double q[4]) { m3_store_rows(q_rotation(q_load(q)), T, 4); }
void jn__rpy_of(const double T[16], double rpy[3]) { v3_store(so3_to_rpy(m3_load_rows(T, 4)), rpy); }

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

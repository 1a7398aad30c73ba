/* SPDX-License-Identifier: BSD-2-Clause */
/* The convex hull of points. */
#include "mjcf.h"

const char *jn__mjcf_hull(const jn_allocator *a, jn_mjcf_triangles *t) {
  (void)a;
  (void)t;
  return "needs its convex hull, which is not computed here: say inertia=\"exact\"";
}

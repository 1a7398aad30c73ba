/* SPDX-License-Identifier: BSD-2-Clause */
/* Planar linkages, modelled in space. */
#ifndef JN_TESTS_LINKAGE_H
#define JN_TESTS_LINKAGE_H

#include "testing.h"

#include "jounce/loops.h"

/* A chain of `links` bars in the plane x-y about z, gravity along -y; its end is held by `loop` to the ground at (span,
 * 0), or by nothing if that is NULL. Bar i has 1 + 0.3 i kg at half its length and 0.03 kg m^2. */
static UNUSED jn_model *held_linkage(int links, const double *length, double span, const jn_loop *loop) {
  jn_builder *b;
  jn_model *m;
  static const char *const name[] = {"bar0", "bar1", "bar2", "bar3", "bar4"};
  check_ok(jn_builder_create(NULL, &b));
  check_ok(jn_builder_set_gravity(b, (const double[]){0, -9.81, 0}));
  for (int i = 0; i < links; i++) {
    jn_link l;
    jn_link_init(&l);
    l.name = name[i];
    l.parent = i ? name[i - 1] : NULL;
    l.placement[3] = i ? length[i - 1] : 0;
    l.joint.type = JN_REVOLUTE;
    jn_inertia_pack(1 + 0.3 * i, (const double[]){length[i] / 2, 0, 0}, (const double[]){0.01, 0.02, 0.03, 0, 0, 0},
                    l.inertia);
    check_ok(jn_builder_add_link(b, &l));
  }
  if (loop) {
    jn_loop g = *loop;
    g.name = "pin";
    g.link_a = "world";
    g.link_b = name[links - 1];
    g.placement_a[3] = span;
    g.placement_b[3] = length[links - 1];
    check_ok(jn_builder_add_loop(b, &g));
  }
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

static UNUSED jn_model *linkage(int links, const double *length, double span) {
  jn_loop pin;
  jn_loop_init(&pin);
  pin.type = JN_LOOP_REVOLUTE;
  return held_linkage(links, length, span, &pin);
}

#endif

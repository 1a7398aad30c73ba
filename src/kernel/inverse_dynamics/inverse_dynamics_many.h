/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse dynamics of LANES states at once: the formulas of inverse_dynamics.c, body by body instead of step by step.
 *
 * All steps of a body outwards are done at once, in registers; only what the way inwards needs goes to memory. A body
 * takes 1.5 kB in lanes of eight doubles, so memory is what limits the speed: with a loop over all bodies for each
 * step, the Panda takes 1.3 times as long, and Talos, whose bodies do not fit into the first cache, 1.4 times.
 *
 * Included by inverse_dynamics.c, whose functions for a tile of bodies it uses: with lanes, a tile is one body. */
#ifndef JN_KERNEL_INVERSE_DYNAMICS_INVERSE_DYNAMICS_MANY_H
#define JN_KERNEL_INVERSE_DYNAMICS_INVERSE_DYNAMICS_MANY_H

#if JN_MANY

/* What a body passes on to its children, in its own axes: angular velocity, its rate, acceleration of the origin. */
typedef struct carried_motion {
  vec3 w, dw, a;
} carried_motion;

/* Body i, whose joint has one coordinate: `motion` of the parent becomes that of the body. root: the parent is the
 * world, which does not turn. */
FLAT void single_outward(const JN_S(tree) * tree, int i, const real *q, const real *v, const real *a, int moving,
                         int root, const angles *angle, carried_motion *motion, rnea_tile *to) {
  rnea_tile body;
  real *at = (real *)(void *)&body;
  tile_pose(tree, i, q, angle, &body);

  /* a = R^T a_p + the joint's part, which tile_turning() computes together with the wrench due to w and dw. */
  vec3 acceleration = into_body(at, motion->a);
  if (moving) {
    tile turn = constant_row(constants_at(tree, i), JN_CONSTANT_ANGLE_RATIO);
    body.rate = turn * tile_rates(tree, i, v);
    body.rate_of_rate = turn * tile_rates(tree, i, a);

    /* dw = R^T dw_p + w_p x w_s + dw_s,  w = R^T w_p + w_s. */
    vec3 w = root ? v3_zero() : into_body(at, motion->w), dw = root ? v3_zero() : into_body(at, motion->dw);
    motion->dw = v3(dw.x + body.rate * w.y, dw.y - body.rate * w.x, dw.z + body.rate_of_rate);
    motion->w = v3(w.x, w.y, w.z + body.rate);

    SET_VECTOR(at, w, w);
    SET_VECTOR(at, dw, dw);
    tile_turning(tree, i, v, a, &body);
    acceleration = v3_add(acceleration, VECTOR(at, a));
  }
  motion->a = acceleration;

  /* n += h x a, f += m a. */
  SET_VECTOR(at, a, acceleration);
  tile_forces(tree, i, moving, &body);

  /* Only what the way inwards needs is stored. */
  to->Ex = body.Ex;
  to->Ey = body.Ey;
  to->Ez = body.Ez;
  to->r = body.r;
  to->n = body.n;
  to->f = body.f;
}

/* Body i, whose joint has several coordinates: the same, in memory. */
static __attribute__((noinline)) void group_outward(const JN_S(tree) * tree, int i, const real *q, const real *v,
                                                    const real *a, int moving, const rnea_scratch *scratch,
                                                    carried_motion *motion) {
  rnea_tile *body = &scratch->tiles[i];
  real *at = lane_of(scratch, i);
  rnea_motion *kept = &scratch->motion[i];
  group_pose(tree, i, q, at);

  /* a = R^T a_p + the joint's part, w and dw from group_motion(). */
  vec3 acceleration = into_body(at, motion->a);
  if (moving) {
    body->rate = body->rate_of_rate = ZERO;
    SET_VECTOR(at, w, into_body(at, motion->w));
    SET_VECTOR(at, dw, into_body(at, motion->dw));
    group_motion(tree, i, q, v, a, at, kept);
    motion->w = kept->w;
    motion->dw = kept->dw;
    tile_turning(tree, i, NULL, NULL, body);
    acceleration = v3_add(acceleration, kept->a);
  }
  motion->a = acceleration;

  /* n += h x a, f += m a. */
  SET_VECTOR(at, a, acceleration);
  tile_forces(tree, i, moving, body);
}

/* All bodies outwards. */
FLAT void many_outward(const JN_S(tree) * tree, const real *q, const real *v, const real *a, int moving, vec3 base,
                       const angles *angle, const rnea_scratch *scratch) {
  const carried_motion world = {v3_zero(), v3_zero(), base};
  const JN_S(body) *body = tree->body;
  carried_motion motion = world;

  for (int i = 0; i < tree->nb; i++, body++) {
    /* Motion of the parent: still at hand if it is the body before. */
    int parent = body->parent;
    if (parent < 0)
      motion = world;
    else if (parent != i - 1)
      motion = (carried_motion){scratch->motion[parent].w, scratch->motion[parent].dw, scratch->motion[parent].a};

    /* Two calls for one coordinate, so that the compiler makes a shorter version for bodies on the ground. */
    if (!has_one_coordinate(body))
      group_outward(tree, i, q, v, a, moving, scratch, &motion);
    else if (parent < 0)
      single_outward(tree, i, q, v, a, moving, 1, angle, &motion, &scratch->tiles[i]);
    else
      single_outward(tree, i, q, v, a, moving, 0, angle, &motion, &scratch->tiles[i]);

    if (body->several_children) scratch->motion[i] = (rnea_motion){motion.w, motion.dw, motion.a};
  }
}

/* All bodies inwards: wrenches through the joints, and tau = S^T F + armature * a. */
FLAT void many_inward(const JN_S(tree) * tree, const real *q, const real *a, const rnea_scratch *scratch, real *tau) {
  const JN_S(body) *body = &tree->body[tree->nb - 1];
  wrench F = wrench_of(lane_of(scratch, tree->nb - 1));
  for (int k = 0; k < tree->nv && tree->coupled; k++) tau[k] = ZERO;

  for (int i = tree->nb - 1; i >= 0; i--, body--) {
    const real *own = lane_of(scratch, i);
    const scalar *constants = constants_at(tree, i);
    int parent = body->parent;

    /* Forces of the joint's coordinates; coupled joints add up. */
    if (has_one_coordinate(body)) {
      real force = constant_row(constants, JN_CONSTANT_ANGLE_RATIO) * F.m.z +
                   constant_row(constants, JN_CONSTANT_ADVANCE_RATIO) * F.f.z;
      if (a) force += constant_row(constants, JN_CONSTANT_ARMATURE) * a[body->iv];
      tau[body->iv] = tree->coupled ? tau[body->iv] + force : force;
    } else {
      group_forces(tree, i, q, F, a, tau);
    }
    if (i == 0) return;

    /* F_p += (R (n + r x f), R f), in registers if the parent is next, otherwise in memory. */
    vec3 n = v3_add(F.m, cross(VECTOR(own, r), F.f));
    real *next = lane_of(scratch, i - 1);
    if (parent == i - 1) {
      F = (wrench){add_in_parent(own, n, VECTOR(next, n)), add_in_parent(own, F.f, VECTOR(next, f))};
      continue;
    }
    if (parent >= 0) {
      real *to = lane_of(scratch, parent);
      SET_VECTOR(to, n, add_in_parent(own, n, VECTOR(to, n)));
      SET_VECTOR(to, f, add_in_parent(own, F.f, VECTOR(to, f)));
    }
    F = wrench_of(next);
  }
}

#endif

#endif

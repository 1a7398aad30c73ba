/* SPDX-License-Identifier: BSD-2-Clause */
/* RNEA of LANES states, body by body: all that a body does outwards at once, in registers, and only what its way
 * inwards needs goes to memory, where a body in lanes of eight doubles is 1.5 kB. With the loops of rnea.c, one for
 * each step, inverse dynamics of the Panda takes 1.3 times as long, of Talos, whose bodies do not fit into the first
 * cache, 1.4 times. Included by rnea.c, whose lines for a tile of bodies it uses: a tile is one body here. */
#ifndef JN_KERNEL_INVERSE_DYNAMICS_RNEA_MANY_H
#define JN_KERNEL_INVERSE_DYNAMICS_RNEA_MANY_H

#if JN_MANY

/* What a body needs of its parent, in the parent's axes: angular velocity, its rate, acceleration of the origin. */
typedef struct carried {
  vec3 w, dw, a;
} carried;

/* A joint of one coordinate. `by` of the parent becomes that of the body. */
FLAT void one_outward(const JN_S(tree) * t, int i, const real *q, const real *v, const real *a, int moving, int root,
                      const angles *turn, carried *by, newton_tile *to) {
  newton_tile x;
  real *at = (real *)(void *)&x;
  tile_pose(t, i, q, turn, &x);
  vec3 acceleration = into_body(at, by->a);
  if (moving) {
    tile angle = sheet_row(sheet_at(t, i), JN_SHEET_TURN);
    x.rate = angle * sheet_rates(t, i, v);
    x.change = angle * sheet_rates(t, i, a);
    vec3 w = root ? v3_zero() : into_body(at, by->w), dw = root ? v3_zero() : into_body(at, by->dw);
    by->dw = v3(dw.x + x.rate * w.y, dw.y - x.rate * w.x, dw.z + x.change);
    by->w = v3(w.x, w.y, w.z + x.rate);
    SET_VECTOR(at, w, w);
    SET_VECTOR(at, dw, dw);
    tile_turning(t, i, v, a, &x);
    acceleration = v3_add(acceleration, VECTOR(at, a));
  }
  by->a = acceleration;
  SET_VECTOR(at, a, acceleration);
  tile_forces(t, i, moving, &x);
  to->Ex = x.Ex;
  to->Ey = x.Ey;
  to->Ez = x.Ez;
  to->p = x.p;
  to->m = x.m;
  to->f = x.f;
}

/* Any other joint. */
static __attribute__((noinline)) void other_outward(const JN_S(tree) * t, int i, const real *q, const real *v,
                                                    const real *a, int moving, const newton_room *r, carried *by) {
  newton_tile *x = &r->x[i];
  real *at = lane_of(r, i);
  body_motion *kept = &r->kept[i];
  other_pose(t, i, q, at);
  vec3 acceleration = into_body(at, by->a);
  if (moving) {
    x->rate = x->change = ZERO;
    SET_VECTOR(at, w, into_body(at, by->w));
    SET_VECTOR(at, dw, into_body(at, by->dw));
    other_motion(t, i, q, v, a, at, kept);
    by->w = kept->w;
    by->dw = kept->dw;
    tile_turning(t, i, NULL, NULL, x);
    acceleration = v3_add(acceleration, kept->a);
  }
  by->a = acceleration;
  SET_VECTOR(at, a, acceleration);
  tile_forces(t, i, moving, x);
}

FLAT void many_outward(const JN_S(tree) * t, const real *q, const real *v, const real *a, int moving, vec3 base,
                       const angles *turn, const newton_room *r) {
  const carried world = {v3_zero(), v3_zero(), base};
  const JN_S(body) *b = t->body;
  carried by = world;
  for (int i = 0; i < t->nb; i++, b++) {
    int p = b->parent;
    if (p < 0)
      by = world;
    else if (p != i - 1)
      by = (carried){r->kept[p].w, r->kept[p].dw, r->kept[p].a};
    if (!is_one(b))
      other_outward(t, i, q, v, a, moving, r, &by);
    else if (p < 0)
      one_outward(t, i, q, v, a, moving, 1, turn, &by, &r->x[i]);
    else
      one_outward(t, i, q, v, a, moving, 0, turn, &by, &r->x[i]);
    if (b->forks) r->kept[i] = (body_motion){by.w, by.dw, by.a};
  }
}

/* Wrenches through the joints, and the forces of their coordinates. */
FLAT void many_inward(const JN_S(tree) * t, const real *q, const real *a, const newton_room *r, real *tau) {
  const JN_S(body) *b = &t->body[t->nb - 1];
  wrench F = wrench_of(lane_of(r, t->nb - 1));
  for (int k = 0; k < t->nv && t->coupled; k++) tau[k] = ZERO;
  for (int i = t->nb - 1; i >= 0; i--, b--) {
    const real *own = lane_of(r, i);
    const scalar *sheet = sheet_at(t, i);
    int p = b->parent;
    if (is_one(b)) {
      real force = sheet_row(sheet, JN_SHEET_TURN) * F.m.z + sheet_row(sheet, JN_SHEET_SHIFT) * F.f.z;
      if (a) force += sheet_row(sheet, JN_SHEET_ARMATURE) * a[b->iv];
      tau[b->iv] = t->coupled ? tau[b->iv] + force : force;
    } else {
      other_forces(t, i, q, F, a, tau);
    }
    if (i == 0) return;
    vec3 m = v3_add(F.m, cross(VECTOR(own, p), F.f));
    real *next = lane_of(r, i - 1);
    if (p == i - 1) {
      F = (wrench){add_in_parent(own, m, VECTOR(next, m)), add_in_parent(own, F.f, VECTOR(next, f))};
      continue;
    }
    if (p >= 0) {
      real *to = lane_of(r, p);
      SET_VECTOR(to, m, add_in_parent(own, m, VECTOR(to, m)));
      SET_VECTOR(to, f, add_in_parent(own, F.f, VECTOR(to, f)));
    }
    F = wrench_of(next);
  }
}

#endif

#endif

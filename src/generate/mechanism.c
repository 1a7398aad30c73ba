/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts, their frames and their inertial parameters: see mechanism.h. */
#include "mechanism.h"

#include <math.h>
#include <string.h>

/* ---- constant matrices ---- */

static void multiply(const double A[9], const double B[9], double C[9]) {
  double X[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) X[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
  memcpy(C, X, sizeof X);
}

static void rotate(const double R[9], const double x[3], double y[3]) {
  double z[3];
  for (int i = 0; i < 3; i++) z[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
  memcpy(y, z, sizeof z);
}

static void transpose(const double R[9], double T[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) T[3 * i + j] = R[3 * j + i];
}

static void turn_matrix(int axis, jn_plane_turn t, double R[9]) {
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  memset(R, 0, 9 * sizeof *R);
  R[4 * axis] = 1;
  R[4 * i] = R[4 * j] = t.c;
  R[3 * i + j] = -t.s;
  R[3 * j + i] = t.s;
}

static double angle_of(jn_plane_turn t) { return atan2(t.s, t.c); }

/* Sines and cosines within `least` of 0 and 1 are these: readers make cos(pi / 2) = 6e-17. */
static jn_plane_turn clean(jn_plane_turn t, double least) {
  if (fabs(t.s) <= least) t = (jn_plane_turn){t.c < 0 ? -1 : 1, 0};
  if (fabs(t.c) <= least) t = (jn_plane_turn){0, t.s < 0 ? -1 : 1};
  return t;
}

static const double rounding = 1e-14;

/* R = Rz(a) Rx(alpha) Rz(b); a = 0 if the axes are parallel. */
static void split_rotation(const double R[9], jn_plane_turn turn[3]) {
  double s = hypot(R[2], R[5]);
  turn[1] = clean((jn_plane_turn){R[8], s}, rounding);

  if (turn[1].s == 0) {
    double flip = turn[1].c;
    turn[0] = (jn_plane_turn){1, 0};
    turn[2] = clean((jn_plane_turn){R[0], flip * R[3]}, rounding);
    return;
  }
  turn[0] = clean((jn_plane_turn){-R[5] / s, R[2] / s}, rounding);
  turn[2] = clean((jn_plane_turn){R[7] / s, R[6] / s}, rounding);
}

static int is_quarter(jn_plane_turn t) { return t.s == 0 || t.c == 0; }

void jn__placement_rotation(const jn_part *part, double R[9]) {
  double X[9];
  turn_matrix(2, part->turn[0], R);
  turn_matrix(0, part->turn[1], X);
  multiply(R, X, R);
  turn_matrix(2, part->turn[2], X);
  multiply(R, X, R);
}

/* ---- moments ---- */

jn_moments jn__moments_of(const double inertia[10]) {
  const double *J = inertia + 4;
  jn_moments m = {.mass = inertia[0], .first = {inertia[1], inertia[2], inertia[3]}};
  for (int i = 0; i < 3; i++) m.second[i] = (J[0] + J[1] + J[2]) / 2 - J[i];
  for (int i = 3; i < 6; i++) m.second[i] = -J[i];
  return m;
}

jn_moments jn__moments_move(const jn_moments *m, const double R[9], const double p[3]) {
  static const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2}, row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double S[9], T[9], h[3];

  /* R Sigma R^T and R h */
  for (int i = 0; i < 9; i++) S[i] = m->second[at[i]];
  transpose(R, T);
  multiply(R, S, S);
  multiply(S, T, S);
  rotate(R, m->first, h);

  /* about the other origin: Sigma + h p^T + p h^T + m p p^T */
  jn_moments to = {.mass = m->mass};
  for (int i = 0; i < 3; i++) to.first[i] = h[i] + m->mass * p[i];
  for (int k = 0; k < 6; k++) {
    int i = row[k], j = column[k];
    to.second[k] = S[3 * i + j] + h[i] * p[j] + p[i] * h[j] + m->mass * p[i] * p[j];
  }
  return to;
}

static void add_moments(jn_moments *to, const jn_moments *m) {
  to->mass += m->mass;
  for (int i = 0; i < 3; i++) to->first[i] += m->first[i];
  for (int i = 0; i < 6; i++) to->second[i] += m->second[i];
}

/* ---- parts of the tree ---- */

/* Placements before frames are chosen: rotation and origin of each part in its parent. */
typedef struct placement {
  double R[9], p[3];
} placement;

static placement compose(const placement *A, const placement *B) {
  placement C;
  multiply(A->R, B->R, C.R);
  rotate(A->R, B->p, C.p);
  for (int i = 0; i < 3; i++) C.p[i] += A->p[i];
  return C;
}

static placement invert(const placement *A) {
  placement B;
  transpose(A->R, B.R);
  rotate(B.R, A->p, B.p);
  for (int i = 0; i < 3; i++) B.p[i] = -B.p[i];
  return B;
}

/* A frame whose z axis is that of the screw X = (e, y x e + h e), or (0, e). */
static placement frame_of_screw(const jn_screw_d *s, double *pitch) {
  const double *e = s->prismatic ? s->X + 3 : s->X, *v = s->X + 3;
  placement L = {.p = {0, 0, 0}};

  /* x: the coordinate axis that is farthest from e, made perpendicular to it */
  int far = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(e[i]) < fabs(e[far])) far = i;
  double x[3] = {-e[far] * e[0], -e[far] * e[1], -e[far] * e[2]};
  x[far] += 1;
  double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  for (int i = 0; i < 3; i++) {
    L.R[3 * i] = x[i] / length;
    L.R[3 * i + 2] = e[i];
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    L.R[3 * i + 1] = e[j] * L.R[3 * k] - e[k] * L.R[3 * j];
  }

  /* a point of the axis: e x v; and the advance e . v per radian */
  *pitch = s->prismatic ? 0 : e[0] * v[0] + e[1] * v[1] + e[2] * v[2];
  for (int i = 0; i < 3 && !s->prismatic; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    L.p[i] = e[j] * v[k] - e[k] * v[j];
  }
  return L;
}

/* Makes the parts of one body; `at` receives their placements. */
static void make_parts(jn_mechanism *m, int body, placement *at) {
  const jn_body_d *b = &m->tree->body[body];
  placement B, frame = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
  memcpy(B.R, b->R, sizeof B.R);
  memcpy(B.p, b->p, sizeof B.p);
  if (b->parent >= 0) { /* in the frame of the parent's last part */
    const jn_part *parent = &m->part[m->part_of_body[b->parent]];
    placement inner_frame;
    memcpy(inner_frame.R, parent->frame_R, sizeof inner_frame.R);
    memcpy(inner_frame.p, parent->frame_p, sizeof inner_frame.p);
    B = compose(&inner_frame, &B);
  }
  int screws = b->kind == JN_BODY_GENERAL ? b->nv : 1;

  for (int k = 0; k < screws; k++) {
    int i = m->count++;
    jn_part *part = &m->part[i];
    *part = (jn_part){.kind = b->kind, .iq = b->iq + k, .iv = b->iv + k, .nv = screws > 1 ? 1 : b->nv, .body = -1};
    part->ratio = b->ratio;
    part->offset = b->offset;
    part->pitch = b->pitch;
    part->parent = k ? i - 1 : b->parent < 0 ? -1 : m->part_of_body[b->parent];
    for (int c = 0; c < part->nv; c++)
      part->armature[c] = m->tree->armature[b->id + k + c] * (b->nv == 1 ? b->ratio * b->ratio : 1);

    /* A screw of a general joint: placement L(k-1)^-1 L(k). */
    if (b->kind == JN_BODY_GENERAL) {
      const jn_screw_d *s = &m->tree->screw[b->screw + k];
      placement L = frame_of_screw(s, &part->pitch), back = invert(&frame), between = compose(&back, &L);
      part->kind = s->prismatic ? JN_BODY_PRISMATIC : part->pitch != 0 ? JN_BODY_HELICAL : JN_BODY_REVOLUTE;
      part->ratio = s->scale;
      part->offset = 0;
      at[i] = k ? between : compose(&B, &L);
      frame = L;
    } else {
      at[i] = B;
    }
    if (part->nv > 1) part->ratio = 1, part->offset = 0;
    part->slide = part->offset;
  }

  /* The last part carries the body: its internal frame is L^-1 in the part. */
  jn_part *last = &m->part[m->count - 1];
  placement inner = invert(&frame);
  memcpy(last->frame_R, inner.R, sizeof inner.R);
  memcpy(last->frame_p, inner.p, sizeof inner.p);
  last->body = body;
  jn_moments own = jn__moments_of(b->inertia);
  last->own = jn__moments_move(&own, inner.R, inner.p);
  m->part_of_body[body] = m->count - 1;
}

/* ---- frames ---- */

static int is_single(const jn_part *part) { return part->kind <= JN_BODY_HELICAL; }

/* Turns the frame of a part about its z axis by t and shifts it along the axis by d: placement B Rz Tz. */
static void change_frame(jn_mechanism *m, placement *at, int i, jn_plane_turn t, double d) {
  jn_part *part = &m->part[i];
  placement change = {.p = {0, 0, d}}, back;
  turn_matrix(2, t, change.R);
  back = invert(&change);

  /* The part in its parent, and its children in it. */
  at[i] = compose(&at[i], &change);
  for (int j = i + 1; j < m->count; j++)
    if (m->part[j].parent == i) at[j] = compose(&back, &at[j]);

  /* Its body and its inertia. */
  placement body;
  memcpy(body.R, part->frame_R, sizeof body.R);
  memcpy(body.p, part->frame_p, sizeof body.p);
  body = compose(&back, &body);
  memcpy(part->frame_R, body.R, sizeof body.R);
  memcpy(part->frame_p, body.p, sizeof body.p);
  part->own = jn__moments_move(&part->own, back.R, back.p);
}

/* Snaps a turn to a quarter if it is near, and counts. */
static jn_plane_turn snap_turn(jn_mechanism *m, jn_plane_turn t, double snap) {
  if (is_quarter(t)) return t;
  jn_plane_turn near = clean(t, snap), tenth = clean(t, 1e-3);
  m->snapable += is_quarter(tenth);
  m->snapped += is_quarter(near);
  return is_quarter(near) ? near : t;
}

/* The first child whose placement is turned about this part's axis by an odd angle; otherwise the first child. */
static int choose_child(const jn_mechanism *m, const placement *at, int i) {
  int first = -1;
  for (int j = i + 1; j < m->count; j++) {
    if (m->part[j].parent != i) continue;
    jn_plane_turn turn[3];
    split_rotation(at[j].R, turn);
    if (!is_quarter(turn[0])) return j;
    if (first < 0) first = j;
  }
  return first;
}

/* Chooses turn and shift of a part's frame. The parent's frame is final, so d can make p[1] zero; if it is zero, d
 * makes p[2] of the child zero. */
static void choose_frame(jn_mechanism *m, placement *at, int i, double snap) {
  jn_part *part = &m->part[i];
  jn_plane_turn turn[3], none = {1, 0};
  part->child = choose_child(m, at, i);

  if (is_single(part)) {
    /* Turn: as the child wants it; a prismatic joint wants no turn of its own. */
    split_rotation(at[i].R, turn);
    jn_plane_turn about = none;
    if (part->child >= 0) {
      jn_plane_turn next[3];
      split_rotation(at[part->child].R, next);
      if (!is_quarter(next[0])) about = next[0];
    }
    if (part->kind == JN_BODY_PRISMATIC) about = (jn_plane_turn){turn[2].c, -turn[2].s};
    change_frame(m, at, i, about, 0);

    /* Shift: the axis in the parent is (sin a sin alpha, -cos a sin alpha, cos alpha). */
    double along[3] = {at[i].R[2], at[i].R[5], at[i].R[8]}, d = 0;
    int largest = fabs(along[2]) > 0.9 ? 2 : fabs(along[1]) > fabs(along[0]) ? 1 : 0;
    if (fabs(along[largest]) > 0.1 && part->parent >= 0 && fabs(at[i].p[largest]) > 1e-12)
      d = -at[i].p[largest] / along[largest];
    else if (part->child >= 0)
      d = at[part->child].p[2];
    change_frame(m, at, i, none, d);
  }

  /* The final placement: a rotation about z at its end is part of the joint's angle. */
  split_rotation(at[i].R, part->turn);
  for (int k = 0; k < 2; k++) part->turn[k] = snap_turn(m, part->turn[k], snap);
  if (is_single(part)) {
    if (part->kind != JN_BODY_PRISMATIC) part->offset += angle_of(snap_turn(m, part->turn[2], snap));
    part->turn[2] = none;
  }
  for (int k = 0; k < 3; k++) part->p[k] = fabs(at[i].p[k]) < rounding ? 0 : at[i].p[k];
}

/* ---- regrouping ---- */

/* Inertia that a joint cannot feel goes to the parent: it is zero along the joint's screws, and the joint's motion does
 * not change it (proof: docs/decisions/generated-code.md). */
static jn_moments take_unfelt(const jn_part *part, jn_moments *from) {
  jn_moments taken = {0};
  if (part->kind == JN_BODY_REVOLUTE || part->kind == JN_BODY_SPHERICAL) {
    taken.mass = from->mass;
    from->mass = 0;
  }
  if (part->kind == JN_BODY_REVOLUTE) {
    taken.first[2] = from->first[2];
    from->first[2] = 0;
  }
  if (part->kind == JN_BODY_REVOLUTE || part->kind == JN_BODY_HELICAL) {
    taken.second[2] = from->second[2];
    from->second[2] = 0;
  }
  if (part->kind == JN_BODY_PRISMATIC)
    for (int k = 0; k < 6; k++) {
      taken.second[k] = from->second[k];
      from->second[k] = 0;
    }
  return taken;
}

/* Numbers that are only rounding errors of the others become zero. */
static void clean_moments(jn_moments *m) {
  double first = 0, second = 0;
  for (int k = 0; k < 3; k++) first = fmax(first, fabs(m->first[k]));
  for (int k = 0; k < 6; k++) second = fmax(second, fabs(m->second[k]));

  for (int k = 0; k < 3; k++)
    if (fabs(m->first[k]) < 1e-15 * first) m->first[k] = 0;
  for (int k = 0; k < 6; k++)
    if (fabs(m->second[k]) < 1e-15 * second) m->second[k] = 0;
}

static void regroup_moments(jn_mechanism *m) {
  for (int i = m->count - 1; i >= 0; i--) {
    jn_part *part = &m->part[i];
    double R[9];
    jn_moments taken = take_unfelt(part, &part->moments);
    if (part->parent < 0) continue; /* the world takes anything */

    /* At joint position zero, where the rotation about z is the offset. */
    jn__placement_rotation(part, R);
    taken = jn__moments_move(&taken, R, part->p);
    add_moments(&m->part[part->parent].moments, &taken);
  }
}

int jn__mechanism_create(jn_mechanism *m, const jn_model *model, double snap, int regroup) {
  *m = (jn_mechanism){.model = model, .tree = model->tree[JN_KIND_D], .allocator = model->allocator};
  int most = 0;
  for (int i = 0; i < m->tree->nb; i++) most += m->tree->body[i].kind == JN_BODY_GENERAL ? m->tree->body[i].nv : 1;

  m->part = jn__allocate(&m->allocator, (size_t)(most + 1) * sizeof *m->part);
  m->part_of_body = jn__allocate(&m->allocator, (size_t)(m->tree->nb + 1) * sizeof *m->part_of_body);
  placement *at = jn__allocate(&m->allocator, (size_t)(most + 1) * sizeof *at);
  int good = m->part && m->part_of_body && at;

  if (good) {
    for (int i = 0; i < m->tree->nb; i++) make_parts(m, i, at);
    for (int i = 0; i < m->count; i++) choose_frame(m, at, i, snap);
    for (int i = 0; i < m->count; i++) m->part[i].moments = m->part[i].own;
    if (regroup) regroup_moments(m);
    for (int i = 0; i < m->count; i++) clean_moments(&m->part[i].moments), clean_moments(&m->part[i].own);
  }
  jn__release(&m->allocator, at);
  if (!good) jn__mechanism_free(m);
  return good;
}

void jn__mechanism_free(jn_mechanism *m) {
  jn__release(&m->allocator, m->part);
  jn__release(&m->allocator, m->part_of_body);
  *m = (jn_mechanism){0};
}

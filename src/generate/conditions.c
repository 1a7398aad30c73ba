/* SPDX-License-Identifier: BSD-2-Clause */
/* Values and Jacobian of loop conditions.
 *
 * What a row asks is said by src/loops/conditions.c, in terms of the pose (R, p) of the closing frame of b in that of
 * a. All parts on the way from a to b are placed in the closing frame of a: up from the link of a to the last common
 * part, then down to the link of b. There the terms and what moves them are
 *   factor alpha . p             F = factor alpha,  N = 0
 *   factor alpha . R beta        F = 0,             N = factor (R beta) x alpha
 *   (p . p - d^2) / (2 d)        F = p / d,         N = 0
 * and a joint with the screw (turn, slide) about the origin o of its part changes the row by
 *   +- (turn . (N + (p - o) x F) + slide . F),      + if it moves b, - if it moves a. */
#include "conditions.h"

#include "../loops/conditions.h"

int jn__condition_count(const jn_model *model) {
  loop_row rows[6];
  int count = 0;
  for (int i = 0; i < jn_loop_count(model); i++) count += jn__loop_rows(jn_loop_description(model, i), rows);
  return count;
}

/* Rotation to the closing frame of a, and the origin there. */
typedef struct placed {
  jn_expr9 W;
  jn_expr3 at;
} placed;

/* A constant pose in a part: that of the closing frame of a link, or of the world (part -1). */
typedef struct closing_frame {
  double R[9], p[3];
  int part;
} closing_frame;

/* C = A B, both as (R, p). */
static void compose_frames(const double *R, const double *p, const double *S, const double *q, double *U, double *r) {
  double X[9], y[3];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) X[3 * i + j] = R[3 * i] * S[j] + R[3 * i + 1] * S[3 + j] + R[3 * i + 2] * S[6 + j];
    y[i] = R[3 * i] * q[0] + R[3 * i + 1] * q[1] + R[3 * i + 2] * q[2] + p[i];
  }
  for (int i = 0; i < 9; i++) U[i] = X[i];
  for (int i = 0; i < 3; i++) r[i] = y[i];
}

static closing_frame find_closing_frame(const jn_writing *w, const char *name, const double T[16]) {
  closing_frame c = {.part = -1};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) c.R[3 * i + j] = T[4 * i + j];
    c.p[i] = T[4 * i + 3];
  }
  int link = jn_link_index(w->model, name);
  if (link < 0) return c; /* the world */

  /* In its link, in the body of the tree, in the part. */
  const jn_frame_d *f = &w->mechanism.tree->frame[link];
  compose_frames(f->R, f->p, c.R, c.p, c.R, c.p);
  if (f->body < 0) return c;
  c.part = w->mechanism.part_of_body[f->body];
  const jn_part *part = &w->mechanism.part[c.part];
  compose_frames(part->frame_R, part->frame_p, c.R, c.p, c.R, c.p);
  return c;
}

/* ---- parts in the closing frame of a ---- */

typedef struct loop_path {
  placed *part;      /* [parts] those on the way */
  signed char *side; /* [parts] -1: moves a, 1: moves b, 0: moves both or none */
  placed root;       /* the last common part, or the world */
  closing_frame a, b;
  jn_expr9 R; /* pose of b in a */
  jn_expr3 p;
} loop_path;

static void mark_sides(const jn_mechanism *m, loop_path *path) {
  for (int i = 0; i < m->count; i++) path->side[i] = 0;
  for (int i = path->a.part; i >= 0; i = m->part[i].parent) path->side[i] -= 1;
  for (int i = path->b.part; i >= 0; i = m->part[i].parent) path->side[i] += 1;
}

/* Rows of the rotation of a part turn like vectors: from its axes to those of its parent, and back. */
static placed place_parent(const jn_symbols *s, int i, const placed *from) {
  placed to;
  to.W = (jn_expr9){jn__to_parent(s, i, from->W.x), jn__to_parent(s, i, from->W.y), jn__to_parent(s, i, from->W.z)};
  to.at = jn__subtract3(s->g, from->at, jn__rotate(s->g, to.W, s->joint[i].origin));
  return to;
}

static placed place_child(const jn_symbols *s, int i, const placed *from) {
  placed to;
  to.W = (jn_expr9){jn__to_child(s, i, from->W.x), jn__to_child(s, i, from->W.y), jn__to_child(s, i, from->W.z)};
  to.at = jn__add3(s->g, from->at, jn__rotate(s->g, from->W, s->joint[i].origin));
  return to;
}

/* The constant frame's inverse: rotation R^T, origin -R^T p. */
static placed invert_frame(jn_graph *g, const closing_frame *c) {
  double p[3], R[9];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) R[3 * i + j] = c->R[3 * j + i];
    p[i] = -(c->R[i] * c->p[0] + c->R[3 + i] * c->p[1] + c->R[6 + i] * c->p[2]);
  }
  return (placed){{jn__constant3(g, R), jn__constant3(g, R + 3), jn__constant3(g, R + 6)}, jn__constant3(g, p)};
}

static void follow_path(jn_writing *w, const jn_loop *loop, loop_path *path) {
  const jn_symbols *s = &w->symbols;
  const jn_mechanism *m = &w->mechanism;
  jn_graph *g = &w->graph;
  path->a = find_closing_frame(w, loop->link_a, loop->placement_a);
  path->b = find_closing_frame(w, loop->link_b, loop->placement_b);
  mark_sides(m, path);

  /* Up from a. */
  placed at = invert_frame(g, &path->a);
  int i = path->a.part;
  for (; i >= 0 && path->side[i] < 0; i = m->part[i].parent) {
    path->part[i] = at;
    at = place_parent(s, i, &at);
  }
  path->root = at;

  /* Down to b: parents have smaller numbers. */
  for (int k = 0; k <= path->b.part; k++) {
    if (path->side[k] <= 0) continue;
    int parent = m->part[k].parent;
    path->part[k] = place_child(s, k, parent >= 0 && path->side[parent] > 0 ? &path->part[parent] : &path->root);
  }
  int end = path->b.part;
  at = end >= 0 && path->side[end] > 0 ? path->part[end] : path->root;
  jn_expr9 R = {jn__constant3(g, path->b.R), jn__constant3(g, path->b.R + 3), jn__constant3(g, path->b.R + 6)};
  path->R = (jn_expr9){jn__rotate_back(g, R, at.W.x), jn__rotate_back(g, R, at.W.y), jn__rotate_back(g, R, at.W.z)};
  path->p = jn__add3(g, at.at, jn__rotate(g, at.W, jn__constant3(g, path->b.p)));
}

/* ---- rows ---- */

/* Value of a row, and the wrench (N at the origin of b, F) that its change is the power of. */
static jn_expr write_row(jn_graph *g, const loop_row *row, const loop_path *path, jn_expr3 *N, jn_expr3 *F) {
  jn_expr value = JN_ZERO;
  *N = *F = jn__zero3();
  for (int k = 0; k < row->terms; k++) {
    const loop_term *t = &row->term[k];
    jn_expr3 alpha = jn__scale3(g, jn__constant(g, t->factor), jn__constant3(g, t->alpha));
    if (t->kind == TERM_POINT) {
      value = jn__add(g, value, jn__dot3(g, alpha, path->p));
      *F = jn__add3(g, *F, alpha);
    } else if (t->kind == TERM_DIRECTION) {
      jn_expr3 turned = jn__rotate(g, path->R, jn__constant3(g, t->beta));
      value = jn__add(g, value, jn__dot3(g, alpha, turned));
      *N = jn__add3(g, *N, jn__cross(g, turned, alpha));
    } else {
      double d = t->factor;
      jn_expr square = jn__subtract(g, jn__dot3(g, path->p, path->p), jn__constant(g, d * d));
      value = jn__add(g, value, jn__scale(g, 0.5 / d, square));
      *F = jn__add3(g, *F, jn__scale3(g, jn__constant(g, 1 / d), path->p));
    }
  }
  return value;
}

/* The screws of part i as seen from a, about the origin of b, once for all rows. */
static void write_columns(jn_writing *w, const loop_path *path, int i, const jn_expr3 *N, const jn_expr3 *F, int rows,
                          jn_expr *A) {
  jn_graph *g = &w->graph;
  int n = jn_model_nv(w->model);
  const jn_part *part = &w->mechanism.part[i];
  jn_expr3 arm = jn__subtract3(g, path->p, path->part[i].at);
  for (int c = 0; c < part->nv; c++) {
    jn_expr3 turn, slide;
    jn__screw_of(&w->symbols, i, c, &turn, &slide);
    turn = jn__rotate(g, path->part[i].W, turn);
    slide = jn__add3(g, jn__rotate(g, path->part[i].W, slide), jn__cross(g, turn, arm));
    for (int r = 0; r < rows; r++) {
      jn_expr change = jn__add(g, jn__dot3(g, turn, N[r]), jn__dot3(g, slide, F[r]));
      jn_expr *to = &A[r * n + part->iv + c];
      *to = path->side[i] < 0 ? jn__subtract(g, *to, change) : jn__add(g, *to, change);
    }
  }
}

static void write_coupling(jn_writing *w, const jn_loop *loop, jn_expr *phi, jn_expr *A) {
  jn_graph *g = &w->graph;
  jn_expr value = jn__constant(g, -loop->offset);
  for (int t = 0; t < loop->term_count; t++) {
    int joint = jn_joint_index(w->model, loop->term[t].joint), coordinate = loop->term[t].coordinate;
    jn_expr q = jn__input(g, JN_ARRAY_Q, jn_joint_q(w->model, joint) + coordinate);
    value = jn__add(g, value, jn__scale(g, loop->term[t].factor, q));
    if (A) A[jn_joint_v(w->model, joint) + coordinate] = jn__constant(g, loop->term[t].factor);
  }
  if (phi) *phi = value;
}

int jn__write_conditions(jn_writing *w, jn_expr *phi, jn_expr *A) {
  size_t parts = (size_t)w->mechanism.count + 1;
  int n = jn_model_nv(w->model), at = 0;
  loop_path path = {.part = jn__allocate(&w->allocator, parts * sizeof *path.part),
                    .side = jn__allocate(&w->allocator, parts)};
  int good = path.part && path.side;

  for (int i = 0; good && i < jn_loop_count(w->model); i++) {
    const jn_loop *loop = jn_loop_description(w->model, i);
    loop_row row[6];
    jn_expr3 N[6], F[6];
    int rows = jn__loop_rows(loop, row);
    for (int k = 0; A && k < rows * n; k++) A[at * n + k] = JN_ZERO;
    if (loop->type == JN_LOOP_COUPLING) {
      write_coupling(w, loop, phi ? phi + at : NULL, A ? A + at * n : NULL);
    } else {
      follow_path(w, loop, &path);
      for (int r = 0; r < rows; r++) {
        jn_expr value = write_row(&w->graph, &row[r], &path, &N[r], &F[r]);
        if (phi) phi[at + r] = value;
      }
      for (int k = 0; A && k < w->mechanism.count; k++)
        if (path.side[k]) write_columns(w, &path, k, N, F, rows, A + at * n);
    }
    at += rows;
  }
  jn__release(&w->allocator, path.part);
  jn__release(&w->allocator, path.side);
  return good;
}

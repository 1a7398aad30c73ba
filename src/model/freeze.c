/* SPDX-License-Identifier: BSD-2-Clause */
/* From builder to frozen model: check, order, lay out one block of memory, fill it. */
#include <string.h>

#include "convert.h"
#include "draft.h"
#include "elimination.h"
#include "model.h"
#include "singular.h"

/* Counts bytes when base is NULL, places blocks otherwise: the same calls do both. */
typedef struct layout {
  char *base;
  size_t used;
} layout;

static void *place(layout *l, size_t count, size_t bytes) {
  l->used = (l->used + 63) & ~(size_t)63;
  void *at = l->base ? l->base + l->used : NULL;
  l->used += count * bytes;
  return at;
}

static const char *place_text(layout *l, const char *text) {
  if (!text) return NULL;
  size_t n = strlen(text) + 1;
  char *at = l->base ? l->base + l->used : NULL;
  l->used += n;
  return at ? memcpy(at, text, n) : text;
}

/* ---- the draft ---- */

static void place_draft(jn_draft *d, layout *l) {
  size_t n = (size_t)d->n;
  int **ints[] = {&d->by_name, &d->by_joint_name, &d->parent, &d->next, &d->order,
                  &d->rank,    &d->end,           &d->leader, &d->q,    &d->v};
  for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) *ints[k] = place(l, n, sizeof(int));
  d->first = place(l, n + 1, sizeof(int));
  d->joint_name = place(l, n, sizeof *d->joint_name);
  d->ratio = place(l, n, sizeof(double));
  d->offset = place(l, n, sizeof(double));
}

static jn_status draft_begin(jn_draft *d, const jn_builder *b) {
  *d = (jn_draft){.b = b, .a = b->allocator, .log = b->log, .n = b->link_count};
  layout l = {0};
  place_draft(d, &l);
  if (!(d->memory = jn__allocate(&d->a, l.used))) return JN_ERR_MEMORY;
  l = (layout){d->memory, 0};
  place_draft(d, &l);
  if (!(d->link = jn__allocate(&d->a, (size_t)d->n * sizeof *d->link))) return JN_ERR_MEMORY;
  for (int i = 0; i < d->n; i++) {
    d->link[i].joint = b->links[i].link.joint;
    const char *name = b->links[i].link.name ? b->links[i].link.name : "";
    if (d->link[i].joint.name && !*d->link[i].joint.name) d->link[i].joint.name = NULL;
    d->joint_name[i] = d->link[i].joint.name ? d->link[i].joint.name : name;
  }
  return JN_OK;
}

/* ---- the model ---- */

/* The arrays while they are filled; they are const in the model. */
typedef struct arrays {
  jn_link_record *link;
  jn_frame_record *named;
  jn_loop *loop;
  int32_t *link_by_name, *joint_by_name, *coordinate_link;
  jn_tree_d *tree;
  jn_body_d *body;
  jn_frame_d *frame, *placement;
  jn_screw_d *screw;
  double *armature, *reference_inertia, *link_inertia, *stiffness, *rest, *constants;
  int32_t *link_parent, *order, *lambda;
  jn_tree_d *uncoupled; /* with coupled coordinates, else NULL */
  jn_body_d *uncoupled_body;
  int32_t *elimination_place, *uncoupled_order, *uncoupled_lambda;
  void *other[JN_KINDS];
} arrays;

static int is_general(const jn_joint *j) {
  jn_body_d body;
  pose internal;
  double scale;
  if (jn__joint_nv(j) == 0) return 0;
  jn__joint_to_body(j, &internal, &body, &scale);
  return body.kind == JN_BODY_GENERAL;
}

static jn_tree_d count_tree(const jn_draft *d) {
  jn_tree_d t = {.nq = d->nq, .nv = d->nv, .nlink = d->n, .nframe = d->n + d->b->frame_count};
  for (int i = 0; i < d->n; i++) {
    t.coupled |= d->leader[i] != JN_NONE;
    int nv = jn__joint_nv(&d->link[i].joint);
    t.nb += nv > 0;
    t.nd += nv;
    if (is_general(&d->link[i].joint)) t.nscrew += nv;
  }
  return t;
}

static jn_model *place_model(const jn_draft *d, const jn_tree_d *count, layout *l, arrays *x) {
  size_t n = (size_t)d->n, frames = (size_t)d->b->frame_count, loops = (size_t)d->b->loop_count;
  jn_model *m = place(l, 1, sizeof *m);
  x->named = place(l, frames, sizeof *x->named);
  x->loop = place(l, loops, sizeof *x->loop);
  x->link_by_name = place(l, n, sizeof(int32_t));
  x->joint_by_name = place(l, n, sizeof(int32_t));
  x->coordinate_link = place(l, (size_t)d->nv, sizeof(int32_t));
  x->tree = place(l, 1, sizeof *x->tree);
  x->body = place(l, (size_t)count->nb, sizeof *x->body);
  x->frame = place(l, (size_t)count->nframe, sizeof *x->frame);
  x->placement = place(l, n, sizeof *x->placement);
  x->screw = place(l, (size_t)count->nscrew, sizeof *x->screw);
  x->armature = place(l, (size_t)count->nd, sizeof *x->armature);
  x->reference_inertia = place(l, (size_t)count->nd, sizeof *x->reference_inertia);
  x->link_inertia = place(l, 10 * n, sizeof *x->link_inertia);
  x->stiffness = place(l, (size_t)d->nv, sizeof *x->stiffness);
  x->rest = place(l, (size_t)d->nv, sizeof *x->rest);
  x->constants = place(l, jn__constants_size(count->nb), sizeof *x->constants);
  x->link_parent = place(l, n, sizeof(int32_t));
  x->order = place(l, (size_t)d->nv, sizeof(int32_t));
  x->lambda = place(l, (size_t)d->nv, sizeof(int32_t));
  if (count->coupled) {
    size_t nd = (size_t)count->nd;
    x->uncoupled = place(l, 1, sizeof *x->uncoupled);
    x->uncoupled_body = place(l, (size_t)count->nb, sizeof *x->uncoupled_body);
    x->elimination_place = place(l, nd, sizeof(int32_t));
    x->uncoupled_order = place(l, nd, sizeof(int32_t));
    x->uncoupled_lambda = place(l, nd, sizeof(int32_t));
  }
  for (int k = 0; k < JN_KINDS; k++) {
    size_t bytes = k == JN_KIND_D ? 0 : jn__tree_bytes(k, count);
    x->other[k] = bytes ? place(l, 1, bytes) : NULL;
  }
  return m;
}

/* Strings come last in the block. When only bytes are counted, the arrays of x do not exist and nothing is written. */
static void place_texts(const jn_draft *d, layout *l, arrays *x, const char **name) {
  const char *model_name = place_text(l, d->b->name);
  if (l->base) *name = model_name;
  for (int i = 0; i < d->n; i++) {
    const jn_joint *j = &x->link[d->rank[i]].joint;
    const char *t[3] = {place_text(l, d->b->links[i].link.name), place_text(l, j->name), place_text(l, j->mimic)};
    if (!l->base) continue;
    jn_link_record *r = &x->link[d->rank[i]];
    r->name = t[0];
    r->joint.name = t[1];
    r->joint.mimic = t[2];
  }
  for (int i = 0; i < d->b->frame_count; i++) {
    const char *t = place_text(l, d->b->frames[i].name);
    if (l->base) x->named[i].name = t;
  }
  for (int i = 0; i < d->b->loop_count; i++) {
    const jn_loop *g = &d->b->loops[i].loop;
    const char *t[3] = {place_text(l, g->name), place_text(l, g->link_a), place_text(l, g->link_b)};
    for (int k = 0; k < g->term_count; k++) {
      const char *joint = place_text(l, g->term[k].joint);
      if (l->base) x->loop[i].term[k].joint = joint;
    }
    if (!l->base) continue;
    x->loop[i].name = t[0];
    x->loop[i].link_a = t[1];
    x->loop[i].link_b = t[2];
  }
}

static void fill_links(const jn_draft *d, arrays *x) {
  jn_link plain;
  jn_link_init(&plain);
  for (int i = 0; i < d->n; i++) {
    jn_link_record *r = &x->link[d->rank[i]];
    const jn_link *l = &d->b->links[i].link;
    r->parent = d->parent[i] == JN_WORLD ? JN_WORLD : d->rank[d->parent[i]];
    r->end = d->end[i];
    r->leader = d->leader[i] == JN_NONE ? JN_NONE : d->rank[d->leader[i]];
    r->ratio = d->ratio[i];
    r->offset = d->offset[i];
    r->nq = r->leader == JN_NONE ? jn__joint_nq(&r->joint) : 0;
    r->nv = r->leader == JN_NONE ? jn__joint_nv(&r->joint) : 0;
    memcpy(r->placement, i == d->floated ? plain.placement : l->placement, sizeof r->placement);
    memcpy(r->inertia, l->inertia, sizeof r->inertia);
    r->joint_body = r->body = -1;
    for (int k = 0; k < r->nv; k++) x->coordinate_link[d->v[i] + k] = d->rank[i];
    x->link_by_name[i] = d->rank[d->by_name[i]];
    x->joint_by_name[i] = d->rank[d->by_joint_name[i]];
  }
  for (int k = d->n - 1; k >= 0; k--) {
    jn_link_record *r = &x->link[k];
    r->subtree_mass += r->inertia[0];
    if (r->parent >= 0) x->link[r->parent].subtree_mass += r->subtree_mass;
  }
}

static void store_pose(pose T, double R[9], double p[3]) {
  m3_store_rows(T.R, R, 3);
  v3_store(T.p, p);
}

/* The body of link k's joint; parent_pose is the parent link in its body. Returns the link's pose in its own body. */
static pose fill_body(const jn_draft *d, arrays *x, int k, pose placed, int parent_body, int ib) {
  int i = d->order[k];
  jn_link_record *r = &x->link[k];
  jn_body_d *b = &x->body[ib];
  jn_tree_d *t = x->tree;
  pose internal;
  double scale;
  jn__joint_to_body(&r->joint, &internal, b, &scale);
  store_pose(se3_mul(placed, internal), b->R, b->p);
  b->parent = parent_body;
  b->end = ib + 1;
  b->iq = d->q[i];
  b->iv = d->v[i];
  b->nq = jn__joint_nq(&r->joint);
  b->nv = jn__joint_nv(&r->joint);
  b->ratio = scale * r->ratio;
  b->offset = scale * r->offset;
  b->id = t->nd;
  b->screw = t->nscrew;
  b->link = k;
  b->owner = r->leader == JN_NONE;
  if (b->kind == JN_BODY_GENERAL) {
    jn__joint_to_screws(&r->joint, &x->screw[t->nscrew]);
    t->nscrew += b->nv;
  }
  /* armature acts on the joint's own position; the internal position is scale times that */
  for (int c = 0; c < b->nv; c++) x->armature[t->nd + c] = r->joint.dof[c].armature / (scale * scale);
  t->nd += b->nv;
  r->joint_body = ib;
  return se3_inverse(internal);
}

/* Coordinates in the order of the bodies (id); each row has entries for its ancestors. */
static void fill_elimination(jn_tree_d *t, int32_t *order, int32_t *lambda) {
  t->in_body_order = 1;
  for (int i = 0; i < t->nb; i++) {
    const jn_body_d *b = &t->body[i];
    int last = b->parent < 0 ? -1 : t->body[b->parent].id + t->body[b->parent].nv - 1;
    t->in_body_order &= b->iv == b->id;
    for (int k = 0; k < b->nv; k++) {
      order[b->id + k] = b->iv + k;
      lambda[b->id + k] = k ? b->id + k - 1 : last;
    }
  }
  t->order = order;
  t->lambda = lambda;
}

/* The tree in which coupled joints have coordinates of their own. */
static void fill_uncoupled(jn_tree_d *t, arrays *x) {
  *x->uncoupled = *t;
  for (int i = 0; i < t->nb; i++) {
    x->uncoupled_body[i] = t->body[i];
    x->uncoupled_body[i].iv = t->body[i].id;
    x->uncoupled_body[i].owner = 1;
  }
  x->uncoupled->body = x->uncoupled_body;
  x->uncoupled->nv = t->nd;
  x->uncoupled->elimination_place = NULL;
  x->uncoupled->coupled = x->uncoupled->carries_springs = 0;
  fill_elimination(x->uncoupled, x->uncoupled_order, x->uncoupled_lambda);
  t->uncoupled = x->uncoupled;
}

static jn_status fill_order(const jn_draft *d, jn_tree_d *t, arrays *x) {
  t->chain = 1;
  for (int i = 0; i < t->nb; i++) t->chain &= t->body[i].parent == i - 1;
  if (!t->coupled) {
    fill_elimination(t, x->order, x->lambda);
    return JN_OK;
  }
  jn_status status = jn__eliminate(&d->a, t, x->order, x->lambda, x->elimination_place);
  t->order = x->order;
  t->lambda = x->lambda;
  t->elimination_place = x->elimination_place;
  fill_uncoupled(t, x);
  return status;
}

/* Adds up the springs of each coordinate: k (r q + o - x)^2 / 2 over the joints that follow q with ratio r and offset
 * o. `rest` holds the sum of k r (x - o) until all are added. */
static void fill_springs(jn_tree_d *t, arrays *x) {
  for (int i = 0; i < t->nb; i++) {
    const jn_body_d *b = &x->body[i];
    const jn_link_record *r = &x->link[b->link];
    for (int c = 0; c < b->nv; c++) {
      const jn_dof *dof = &r->joint.dof[c];
      if (dof->stiffness == 0) continue;
      double ratio = b->owner ? 1 : r->ratio, at = dof->rest - (b->owner ? 0 : r->offset);
      x->stiffness[b->iv + c] += dof->stiffness * ratio * ratio;
      x->rest[b->iv + c] += dof->stiffness * ratio * at;
      t->spring_energy += dof->stiffness * at * at / 2;
      t->carries_springs = 1;
    }
  }
  for (int k = 0; k < t->nv; k++) {
    if (x->stiffness[k] == 0) continue;
    x->rest[k] /= x->stiffness[k];
    t->spring_energy -= x->stiffness[k] * x->rest[k] * x->rest[k] / 2;
  }
  t->stiffness = x->stiffness;
  t->rest = x->rest;
}

/* Numbers of all bodies side by side, and what sweeps ask about the whole tree. */
static void fill_constants(jn_tree_d *t, arrays *x) {
  t->one_each_after_base = !t->coupled;
  t->one_each = 1;
  for (int i = 0; i < t->nb; i++) {
    const jn_body_d *b = &x->body[i];
    double *to = x->constants + i / JN_CONSTANT_BODIES * JN_CONSTANT_ROWS * JN_CONSTANT_BODIES + i % JN_CONSTANT_BODIES,
           p[3];
    int one = b->kind == JN_BODY_REVOLUTE || b->kind == JN_BODY_PRISMATIC || b->kind == JN_BODY_HELICAL;
    int turns = one && b->kind != JN_BODY_PRISMATIC;
    double advance = b->kind == JN_BODY_PRISMATIC ? 1 : b->kind == JN_BODY_HELICAL ? b->pitch : 0;
    v3_store(m3_tmul(m3_constant(b->R), v3_constant(b->p)), p);
    for (int k = 0; k < 9; k++) to[(JN_CONSTANT_R + k) * JN_CONSTANT_BODIES] = b->R[k];
    for (int k = 0; k < 3; k++) to[(JN_CONSTANT_P + k) * JN_CONSTANT_BODIES] = p[k];
    for (int k = 0; k < 10; k++) to[(JN_CONSTANT_INERTIA + k) * JN_CONSTANT_BODIES] = b->inertia[k];
    to[JN_CONSTANT_ANGLE_RATIO * JN_CONSTANT_BODIES] = turns ? b->ratio : 0;
    to[JN_CONSTANT_ANGLE_OFFSET * JN_CONSTANT_BODIES] = turns ? b->offset : 0;
    to[JN_CONSTANT_ADVANCE_RATIO * JN_CONSTANT_BODIES] = advance * b->ratio;
    to[JN_CONSTANT_ADVANCE_OFFSET * JN_CONSTANT_BODIES] = advance * b->offset;
    to[JN_CONSTANT_ARMATURE * JN_CONSTANT_BODIES] = one ? x->armature[b->id] * b->ratio * b->ratio : 0;
    x->body[i].stop = b->end < t->nb ? x->body[b->end].id : t->nd;
    x->body[i].axis = b->kind == JN_BODY_REVOLUTE    ? JN_AXIS_ROTATION
                      : b->kind == JN_BODY_PRISMATIC ? JN_AXIS_TRANSLATION
                                                     : JN_AXIS_OTHER;
    if (b->parent >= 0 && x->body[b->parent].end != b->end) x->body[b->parent].several_children = 1;
    t->one_each_after_base &= i == 0 || (one && b->iq == t->nq - t->nb + i && b->iv == t->nv - t->nb + i);
    t->one_each &= one;
    for (int c = b->id; c < b->id + b->nv; c++) t->has_armature |= x->armature[c] != 0;
  }
  t->constants = x->constants;
}

static jn_status fill_tree(const jn_draft *d, arrays *x, const jn_tree_d *count) {
  jn_tree_d *t = x->tree;
  *t = *count;
  t->nb = t->nd = t->nscrew = 0;
  for (int k = 0; k < d->n; k++) {
    jn_link_record *r = &x->link[k];
    jn_frame_d *f = &x->frame[k];
    int parent_body = r->parent < 0 ? -1 : x->link[r->parent].body;
    pose placement = jn__placement_pose(r->placement);
    pose parent = r->parent < 0 ? se3_identity() : se3_constant(x->frame[r->parent].R, x->frame[r->parent].p);
    pose at = se3_mul(parent, placement); /* in the parent's body */
    r->body = parent_body;
    if (jn__joint_nv(&r->joint) > 0) {
      r->body = t->nb++;
      at = fill_body(d, x, k, at, parent_body, r->body);
    }
    f->body = r->body;
    store_pose(at, f->R, f->p);
    x->placement[k].body = r->joint_body;
    store_pose(placement, x->placement[k].R, x->placement[k].p);
    if (r->body < 0) continue;
    double own[10];
    jn_body_d *b = &x->body[r->body];
    i_store(i_move(at, i_load(r->inertia)), own);
    for (int c = 0; c < 10; c++) b->inertia[c] += own[c];
  }
  for (int i = t->nb - 1; i >= 0; i--) {
    int p = x->body[i].parent;
    if (p >= 0 && x->body[i].end > x->body[p].end) x->body[p].end = x->body[i].end;
  }
  t->body = x->body;
  t->frame = x->frame;
  t->placement = x->placement;
  t->screw = x->screw;
  t->armature = x->armature;
  t->reference_inertia = x->reference_inertia;
  t->link_inertia = x->link_inertia;
  t->link_parent = x->link_parent;
  for (int k = 0; k < d->n; k++) {
    memcpy(&x->link_inertia[10 * k], x->link[k].inertia, sizeof x->link[k].inertia);
    x->link_parent[k] = x->link[k].parent;
  }
  fill_constants(t, x);
  jn_status status = fill_order(d, t, x);
  fill_springs(t, x);
  return status;
}

static void fill_frames_and_loops(const jn_draft *d, arrays *x) {
  for (int i = 0; i < d->b->frame_count; i++) {
    const jn_frame_item *item = &d->b->frames[i];
    int link = jn__draft_link(d, item->link);
    jn_frame_d *f = &x->frame[d->n + i];
    pose at = jn__placement_pose(item->placement);
    f->body = -1;
    x->named[i].link = JN_WORLD;
    if (link >= 0) {
      const jn_frame_d *parent = &x->frame[d->rank[link]];
      x->named[i].link = d->rank[link];
      f->body = parent->body;
      at = se3_mul(se3_constant(parent->R, parent->p), at);
    }
    store_pose(at, f->R, f->p);
    memcpy(x->named[i].placement, item->placement, sizeof item->placement);
  }
  for (int i = 0; i < d->b->loop_count; i++) {
    x->loop[i] = d->b->loops[i].loop;
    jn__unit_axis(x->loop[i].axis);
    jn__unit_axis(x->loop[i].axis2);
  }
}

static void fill_model(const jn_draft *d, jn_model *m, arrays *x) {
  const double *g = d->b->options.gravity ? d->b->options.gravity : d->b->gravity;
  m->nlink = d->n;
  m->nnamed = d->b->frame_count;
  m->nloop = d->b->loop_count;
  m->nq = d->nq;
  m->nv = d->nv;
  m->named = x->named;
  m->loop = x->loop;
  m->link_by_name = x->link_by_name;
  m->joint_by_name = x->joint_by_name;
  m->coordinate_link = x->coordinate_link;
  memcpy(m->gravity, g, sizeof m->gravity);
  memcpy(x->tree->gravity, g, sizeof m->gravity);
  if (x->uncoupled) memcpy(x->uncoupled->gravity, g, sizeof m->gravity);
  for (int k = 0; k < d->n; k++) {
    *(x->link[k].body < 0 ? &m->fixed_mass : &m->moving_mass) += x->link[k].inertia[0];
  }
  m->coupled = x->tree->coupled;
  for (int i = 0; i < x->tree->nb; i++) {
    int p = x->body[i].parent, depth = 1 + (p < 0 ? 0 : d->rank[p]);
    d->rank[i] = depth; /* depth of body i; the ranks of links are no longer needed */
    if (depth > m->depth) m->depth = depth;
  }
  m->tree[JN_KIND_D] = x->tree;
  for (int k = 0; k < JN_KINDS; k++) {
    if (!x->other[k]) continue;
    jn__tree_convert(k, x->tree, x->other[k]);
    m->tree[k] = x->other[k];
  }
}

/* The links from the builder's order to that of the tree, in place: position k gets link order[k], along the cycles of
 * this permutation. */
static void sort_links(jn_draft *d) {
  unsigned char *is_placed = (unsigned char *)d->next; /* the lists of children are no longer needed */
  memset(is_placed, 0, (size_t)d->n);
  for (int start = 0; start < d->n; start++) {
    if (is_placed[start]) continue;
    jn_link_record first = d->link[start];
    int k = start;
    for (; d->order[k] != start; k = d->order[k]) {
      d->link[k] = d->link[d->order[k]];
      is_placed[k] = 1;
    }
    d->link[k] = first;
    is_placed[k] = 1;
  }
}

static jn_status make_model(jn_draft *d, jn_model **model) {
  sort_links(d);
  jn_tree_d count = count_tree(d);
  arrays x = {.link = d->link};
  layout l = {0};
  const char *name = NULL;
  place_model(d, &count, &l, &x);
  place_texts(d, &l, &x, &name);
  void *block = jn__allocate(&d->a, l.used + 64);
  if (!block) return JN_ERR_MEMORY;
  l = (layout){(char *)block + (64 - (uintptr_t)block % 64), 0};
  jn_model *m = place_model(d, &count, &l, &x);
  m->allocator = d->a;
  m->block = block;
  m->link = d->link;
  d->link = NULL; /* the model has it now */
  fill_links(d, &x);
  jn_status status = fill_tree(d, &x, &count);
  fill_frames_and_loops(d, &x);
  place_texts(d, &l, &x, &name);
  m->name = name;
  if (status == JN_OK) status = jn__measure(d, x.tree, x.reference_inertia);
  fill_model(d, m, &x);
  if (status == JN_OK) status = jn__check_singular(d, m);
  if (status != JN_OK || d->log.first.status != JN_OK) {
    jn_model_destroy(m);
    return status;
  }
  *model = m;
  return JN_OK;
}

jn_status jn_builder_freeze(const jn_builder *b, jn_model **model, jn_error *error) {
  if (model) *model = NULL;
  if (!b || !model) return jn__fail(error, JN_ERR_NULL, NULL, "%s", jn_status_text(JN_ERR_NULL));
  jn_draft d;
  jn_status status = draft_begin(&d, b);
  if (status == JN_OK) status = jn__check_structure(&d);
  if (status == JN_OK) {
    jn__check_numbers(&d);
    jn__check_coordinates(&d);
    jn__check_inertia(&d);
    if (!d.log.broken) status = make_model(&d, model);
  }
  jn__release(&d.a, d.memory);
  jn__release(&d.a, d.link);
  if (status != JN_OK) return jn__fail(error, status, b->file, "%s", jn_status_text(status));
  return jn__log_end(&d.log, error);
}

void jn_model_destroy(jn_model *model) {
  if (!model) return;
  jn_allocator a = model->allocator;
  jn__release(&a, (void *)(uintptr_t)model->link);
  jn__release(&a, model->block);
}

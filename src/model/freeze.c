/* SPDX-License-Identifier: BSD-2-Clause */
/* From builder to frozen model.
 *
 *   1 draft      names, parents, order of the links, coordinates, checks     structure.c, numbers.c, coordinates.c
 *   2 layout     one block of memory: the same calls count bytes first, and place arrays afterwards
 *   3 links      what the user described, in the order of the tree
 *   4 tree       moving bodies with internal frames, fixed links lumped into them (src/tree/tree.h)
 *   5 numbers    constants as a structure of arrays, order of elimination, springs, trees of the other scalars
 *   6 checks     a joint without effective inertia makes M singular (src/dispatch/singular.c)
 *
 * All errors of the description are reported before freezing stops. */
#include <string.h>

#include "convert.h"
#include "draft.h"
#include "elimination.h"
#include "model.h"
#include "singular.h"

/* A block of memory. base NULL: bytes are only counted. */
typedef struct layout {
  char *base;
  size_t used;
} layout;

/* The next array, which begins at a cache line. */
static void *place(layout *memory, size_t count, size_t bytes) {
  memory->used = (memory->used + 63) & ~(size_t)63;
  void *at = memory->base ? memory->base + memory->used : NULL;
  memory->used += count * bytes;
  return at;
}

/* A copy of a text; texts are not aligned. */
static const char *place_text(layout *memory, const char *text) {
  if (!text) return NULL;
  size_t n = strlen(text) + 1;
  char *at = memory->base ? memory->base + memory->used : NULL;
  memory->used += n;
  return at ? memcpy(at, text, n) : text;
}

/* ---- the draft ---- */

/* The arrays of the draft. */
static void place_draft(jn_draft *draft, layout *memory) {
  size_t n = (size_t)draft->n;
  int **ints[] = {&draft->by_name, &draft->by_joint_name, &draft->parent, &draft->next, &draft->order,
                  &draft->rank,    &draft->end,           &draft->leader, &draft->q,    &draft->v};
  for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) *ints[k] = place(memory, n, sizeof(int));
  draft->first = place(memory, n + 1, sizeof(int));
  draft->joint_name = place(memory, n, sizeof *draft->joint_name);
  draft->ratio = place(memory, n, sizeof(double));
  draft->offset = place(memory, n, sizeof(double));
}

/* A draft with the links of the builder, whose joints may still change. */
static jn_status draft_begin(jn_draft *draft, const jn_builder *builder) {
  *draft = (jn_draft){.b = builder, .a = builder->allocator, .log = builder->log, .n = builder->link_count};
  layout l = {0};
  place_draft(draft, &l);
  if (!(draft->memory = jn__allocate(&draft->a, l.used))) return JN_ERR_MEMORY;
  l = (layout){draft->memory, 0};
  place_draft(draft, &l);

  /* Links have a block of their own, which the model takes over. */
  if (!(draft->link = jn__allocate(&draft->a, (size_t)draft->n * sizeof *draft->link))) return JN_ERR_MEMORY;
  for (int i = 0; i < draft->n; i++) {
    draft->link[i].joint = builder->links[i].link.joint;
    const char *name = builder->links[i].link.name ? builder->links[i].link.name : "";
    if (draft->link[i].joint.name && !*draft->link[i].joint.name) draft->link[i].joint.name = NULL;
    draft->joint_name[i] = draft->link[i].joint.name ? draft->link[i].joint.name : name;
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

/* Whether a joint needs several screws. */
static int is_general(const jn_joint *joint) {
  jn_body_d body;
  pose internal;
  double scale;
  if (jn__joint_nv(joint) == 0) return 0;
  jn__joint_to_body(joint, &internal, &body, &scale);
  return body.kind == JN_BODY_GENERAL;
}

/* The sizes of the tree. */
static jn_tree_d count_tree(const jn_draft *draft) {
  jn_tree_d t = {.nq = draft->nq, .nv = draft->nv, .nlink = draft->n, .nframe = draft->n + draft->b->frame_count};
  for (int i = 0; i < draft->n; i++) {
    t.coupled |= draft->leader[i] != JN_NONE;
    int nv = jn__joint_nv(&draft->link[i].joint);
    t.nb += nv > 0;
    t.nd += nv;
    if (is_general(&draft->link[i].joint)) t.nscrew += nv;
  }
  return t;
}

/* All arrays of the model and of its trees. */
static jn_model *place_model(const jn_draft *draft, const jn_tree_d *count, layout *memory, arrays *x) {
  size_t n = (size_t)draft->n, frames = (size_t)draft->b->frame_count, loops = (size_t)draft->b->loop_count;
  jn_model *model = place(memory, 1, sizeof *model);
  x->named = place(memory, frames, sizeof *x->named);
  x->loop = place(memory, loops, sizeof *x->loop);
  x->link_by_name = place(memory, n, sizeof(int32_t));
  x->joint_by_name = place(memory, n, sizeof(int32_t));
  x->coordinate_link = place(memory, (size_t)draft->nv, sizeof(int32_t));
  x->tree = place(memory, 1, sizeof *x->tree);
  x->body = place(memory, (size_t)count->nb, sizeof *x->body);
  x->frame = place(memory, (size_t)count->nframe, sizeof *x->frame);
  x->placement = place(memory, n, sizeof *x->placement);
  x->screw = place(memory, (size_t)count->nscrew, sizeof *x->screw);
  x->armature = place(memory, (size_t)count->nd, sizeof *x->armature);
  x->reference_inertia = place(memory, (size_t)count->nd, sizeof *x->reference_inertia);
  x->link_inertia = place(memory, 10 * n, sizeof *x->link_inertia);
  x->stiffness = place(memory, (size_t)draft->nv, sizeof *x->stiffness);
  x->rest = place(memory, (size_t)draft->nv, sizeof *x->rest);
  x->constants = place(memory, jn__constants_size(count->nb), sizeof *x->constants);
  x->link_parent = place(memory, n, sizeof(int32_t));
  x->order = place(memory, (size_t)draft->nv, sizeof(int32_t));
  x->lambda = place(memory, (size_t)draft->nv, sizeof(int32_t));

  /* With coupled coordinates: the same tree with independent joints. */
  if (count->coupled) {
    size_t nd = (size_t)count->nd;
    x->uncoupled = place(memory, 1, sizeof *x->uncoupled);
    x->uncoupled_body = place(memory, (size_t)count->nb, sizeof *x->uncoupled_body);
    x->elimination_place = place(memory, nd, sizeof(int32_t));
    x->uncoupled_order = place(memory, nd, sizeof(int32_t));
    x->uncoupled_lambda = place(memory, nd, sizeof(int32_t));
  }
  for (int k = 0; k < JN_KINDS; k++) {
    size_t bytes = k == JN_KIND_D ? 0 : jn__tree_bytes(k, count);
    x->other[k] = bytes ? place(memory, 1, bytes) : NULL;
  }
  return model;
}

/* Texts come last in the block. When bytes are only counted, the arrays of x do not exist, and nothing is written. */
static void place_texts(const jn_draft *draft, layout *memory, arrays *x, const char **name) {
  const char *model_name = place_text(memory, draft->b->name);
  if (memory->base) *name = model_name;
  for (int i = 0; i < draft->n; i++) {
    const jn_joint *j = &x->link[draft->rank[i]].joint;
    const char *t[3] = {place_text(memory, draft->b->links[i].link.name), place_text(memory, j->name),
                        place_text(memory, j->mimic)};
    if (!memory->base) continue;
    jn_link_record *record = &x->link[draft->rank[i]];
    record->name = t[0];
    record->joint.name = t[1];
    record->joint.mimic = t[2];
  }
  for (int i = 0; i < draft->b->frame_count; i++) {
    const char *t = place_text(memory, draft->b->frames[i].name);
    if (memory->base) x->named[i].name = t;
  }
  for (int i = 0; i < draft->b->loop_count; i++) {
    const jn_loop *g = &draft->b->loops[i].loop;
    const char *t[3] = {place_text(memory, g->name), place_text(memory, g->link_a), place_text(memory, g->link_b)};
    for (int k = 0; k < g->term_count; k++) {
      const char *joint = place_text(memory, g->term[k].joint);
      if (memory->base) x->loop[i].term[k].joint = joint;
    }
    if (!memory->base) continue;
    x->loop[i].name = t[0];
    x->loop[i].link_a = t[1];
    x->loop[i].link_b = t[2];
  }
}

/* Links in the order of the tree, and the indices of names and coordinates. */
static void fill_links(const jn_draft *draft, arrays *x) {
  jn_link plain;
  jn_link_init(&plain);
  for (int i = 0; i < draft->n; i++) {
    jn_link_record *record = &x->link[draft->rank[i]];
    const jn_link *link = &draft->b->links[i].link;
    record->parent = draft->parent[i] == JN_WORLD ? JN_WORLD : draft->rank[draft->parent[i]];
    record->end = draft->end[i];
    record->leader = draft->leader[i] == JN_NONE ? JN_NONE : draft->rank[draft->leader[i]];
    record->ratio = draft->ratio[i];
    record->offset = draft->offset[i];
    record->nq = record->leader == JN_NONE ? jn__joint_nq(&record->joint) : 0;
    record->nv = record->leader == JN_NONE ? jn__joint_nv(&record->joint) : 0;
    memcpy(record->placement, i == draft->floated ? plain.placement : link->placement, sizeof record->placement);
    memcpy(record->inertia, link->inertia, sizeof record->inertia);
    record->joint_body = record->body = -1;
    for (int k = 0; k < record->nv; k++) x->coordinate_link[draft->v[i] + k] = draft->rank[i];
    x->link_by_name[i] = draft->rank[draft->by_name[i]];
    x->joint_by_name[i] = draft->rank[draft->by_joint_name[i]];
  }

  /* Masses of subtrees, inwards. */
  for (int k = draft->n - 1; k >= 0; k--) {
    jn_link_record *record = &x->link[k];
    record->subtree_mass += record->inertia[0];
    if (record->parent >= 0) x->link[record->parent].subtree_mass += record->subtree_mass;
  }
}

/* R and p of a pose. */
static void store_pose(pose T, double R[9], double p[3]) {
  m3_store_rows(T.R, R, 3);
  v3_store(T.p, p);
}

/* The body ib of link k, whose joint moves. placed: placement of the joint in the parent body. Returns the pose of the
 * link in its own body. */
static pose fill_body(const jn_draft *draft, arrays *x, int k, pose placed, int parent_body, int ib) {
  int i = draft->order[k];
  jn_link_record *record = &x->link[k];
  jn_body_d *body = &x->body[ib];
  jn_tree_d *tree = x->tree;
  pose internal;
  double scale;
  jn__joint_to_body(&record->joint, &internal, body, &scale);

  /* The internal frame has the joint axis as its z axis. */
  store_pose(se3_mul(placed, internal), body->R, body->p);
  body->parent = parent_body;
  body->end = ib + 1;
  body->iq = draft->q[i];
  body->iv = draft->v[i];
  body->nq = jn__joint_nq(&record->joint);
  body->nv = jn__joint_nv(&record->joint);
  body->ratio = scale * record->ratio;
  body->offset = scale * record->offset;
  body->id = tree->nd;
  body->screw = tree->nscrew;
  body->link = k;
  body->owner = record->leader == JN_NONE;
  if (body->kind == JN_BODY_GENERAL) {
    jn__joint_to_screws(&record->joint, &x->screw[tree->nscrew]);
    tree->nscrew += body->nv;
  }

  /* Armature acts on the joint's own position; the internal position is scale times that. */
  for (int c = 0; c < body->nv; c++) x->armature[tree->nd + c] = record->joint.dof[c].armature / (scale * scale);
  tree->nd += body->nv;
  record->joint_body = ib;
  return se3_inverse(internal);
}

/* The order of elimination without coupling: that of the bodies (id). Each row has entries for its ancestors. */
static void fill_elimination(jn_tree_d *tree, int32_t *order, int32_t *lambda) {
  tree->in_body_order = 1;
  for (int i = 0; i < tree->nb; i++) {
    const jn_body_d *body = &tree->body[i];
    int last = body->parent < 0 ? -1 : tree->body[body->parent].id + tree->body[body->parent].nv - 1;
    tree->in_body_order &= body->iv == body->id;
    for (int k = 0; k < body->nv; k++) {
      order[body->id + k] = body->iv + k;
      lambda[body->id + k] = k ? body->id + k - 1 : last;
    }
  }
  tree->order = order;
  tree->lambda = lambda;
}

/* The tree in which coupled joints have coordinates of their own. */
static void fill_uncoupled(jn_tree_d *tree, arrays *x) {
  *x->uncoupled = *tree;
  for (int i = 0; i < tree->nb; i++) {
    x->uncoupled_body[i] = tree->body[i];
    x->uncoupled_body[i].iv = tree->body[i].id;
    x->uncoupled_body[i].owner = 1;
  }
  x->uncoupled->body = x->uncoupled_body;
  x->uncoupled->nv = tree->nd;
  x->uncoupled->elimination_place = NULL;
  x->uncoupled->coupled = x->uncoupled->has_springs = 0;
  fill_elimination(x->uncoupled, x->uncoupled_order, x->uncoupled_lambda);
  tree->uncoupled = x->uncoupled;
}

/* The order of elimination, and whether the tree is a chain. */
static jn_status fill_order(const jn_draft *draft, jn_tree_d *tree, arrays *x) {
  tree->chain = 1;
  for (int i = 0; i < tree->nb; i++) tree->chain &= tree->body[i].parent == i - 1;
  if (!tree->coupled) {
    fill_elimination(tree, x->order, x->lambda);
    return JN_OK;
  }

  /* Coupled: that of the elimination tree of M. */
  jn_status status = jn__eliminate(&draft->a, tree, x->order, x->lambda, x->elimination_place);
  tree->order = x->order;
  tree->lambda = x->lambda;
  tree->elimination_place = x->elimination_place;
  fill_uncoupled(tree, x);
  return status;
}

/* The springs of each coordinate: the sum of k (r q + o - x)^2 / 2 over the joints that follow q with ratio r and
 * offset o, as stiffness (q - rest)^2 / 2 + energy. `rest` holds the sum of k r (x - o) until all are added. */
static void fill_springs(jn_tree_d *tree, arrays *x) {
  for (int i = 0; i < tree->nb; i++) {
    const jn_body_d *body = &x->body[i];
    const jn_link_record *record = &x->link[body->link];
    for (int c = 0; c < body->nv; c++) {
      const jn_dof *dof = &record->joint.dof[c];
      if (dof->stiffness == 0) continue;
      double ratio = body->owner ? 1 : record->ratio, at = dof->rest - (body->owner ? 0 : record->offset);
      x->stiffness[body->iv + c] += dof->stiffness * ratio * ratio;
      x->rest[body->iv + c] += dof->stiffness * ratio * at;
      tree->spring_energy += dof->stiffness * at * at / 2;
      tree->has_springs = 1;
    }
  }

  /* rest = that sum / stiffness; what is left of the energy. */
  for (int k = 0; k < tree->nv; k++) {
    if (x->stiffness[k] == 0) continue;
    x->rest[k] /= x->stiffness[k];
    tree->spring_energy -= x->stiffness[k] * x->rest[k] * x->rest[k] / 2;
  }
  tree->stiffness = x->stiffness;
  tree->rest = x->rest;
}

/* The constants of the bodies as a structure of arrays (tree.h), and properties of the whole tree. */
static void fill_constants(jn_tree_d *tree, arrays *x) {
  tree->one_each_after_base = !tree->coupled;
  tree->one_each = 1;
  for (int i = 0; i < tree->nb; i++) {
    const jn_body_d *body = &x->body[i];
    double *to = x->constants + i / JN_CONSTANT_BODIES * JN_CONSTANT_ROWS * JN_CONSTANT_BODIES + i % JN_CONSTANT_BODIES,
           p[3];
    int one = body->kind == JN_BODY_REVOLUTE || body->kind == JN_BODY_PRISMATIC || body->kind == JN_BODY_HELICAL;
    int rotates = one && body->kind != JN_BODY_PRISMATIC;
    double advance = body->kind == JN_BODY_PRISMATIC ? 1 : body->kind == JN_BODY_HELICAL ? body->pitch : 0;

    /* Placement, inertia, and how the joint rotates and advances. */
    v3_store(m3_tmul(m3_constant(body->R), v3_constant(body->p)), p);
    for (int k = 0; k < 9; k++) to[(JN_CONSTANT_R + k) * JN_CONSTANT_BODIES] = body->R[k];
    for (int k = 0; k < 3; k++) to[(JN_CONSTANT_P + k) * JN_CONSTANT_BODIES] = p[k];
    for (int k = 0; k < 10; k++) to[(JN_CONSTANT_INERTIA + k) * JN_CONSTANT_BODIES] = body->inertia[k];
    to[JN_CONSTANT_ANGLE_RATIO * JN_CONSTANT_BODIES] = rotates ? body->ratio : 0;
    to[JN_CONSTANT_ANGLE_OFFSET * JN_CONSTANT_BODIES] = rotates ? body->offset : 0;
    to[JN_CONSTANT_ADVANCE_RATIO * JN_CONSTANT_BODIES] = advance * body->ratio;
    to[JN_CONSTANT_ADVANCE_OFFSET * JN_CONSTANT_BODIES] = advance * body->offset;
    to[JN_CONSTANT_ARMATURE * JN_CONSTANT_BODIES] = one ? x->armature[body->id] * body->ratio * body->ratio : 0;

    /* Range of coordinates, kind of axis, branches. */
    x->body[i].stop = body->end < tree->nb ? x->body[body->end].id : tree->nd;
    x->body[i].axis = body->kind == JN_BODY_REVOLUTE    ? JN_AXIS_ROTATION
                      : body->kind == JN_BODY_PRISMATIC ? JN_AXIS_TRANSLATION
                                                        : JN_AXIS_OTHER;
    if (body->parent >= 0 && x->body[body->parent].end != body->end) x->body[body->parent].several_children = 1;

    /* Properties of the tree. */
    tree->one_each_after_base &=
        i == 0 || (one && body->iq == tree->nq - tree->nb + i && body->iv == tree->nv - tree->nb + i);
    tree->one_each &= one;
    for (int c = body->id; c < body->id + body->nv; c++) tree->has_armature |= x->armature[c] != 0;
  }
  tree->constants = x->constants;
}

/* Bodies, frames of links, lumped inertias, then everything that follows from them. */
static jn_status fill_tree(const jn_draft *draft, arrays *x, const jn_tree_d *count) {
  jn_tree_d *tree = x->tree;
  *tree = *count;
  tree->nb = tree->nd = tree->nscrew = 0;
  for (int k = 0; k < draft->n; k++) {
    jn_link_record *record = &x->link[k];
    jn_frame_d *frame = &x->frame[k];
    int parent_body = record->parent < 0 ? -1 : x->link[record->parent].body;
    pose placement = jn__placement_pose(record->placement);
    pose parent =
        record->parent < 0 ? se3_identity() : se3_constant(x->frame[record->parent].R, x->frame[record->parent].p);
    pose at = se3_mul(parent, placement); /* in the parent's body */
    record->body = parent_body;
    if (jn__joint_nv(&record->joint) > 0) {
      record->body = tree->nb++;
      at = fill_body(draft, x, k, at, parent_body, record->body);
    }
    frame->body = record->body;
    store_pose(at, frame->R, frame->p);
    x->placement[k].body = record->joint_body;
    store_pose(placement, x->placement[k].R, x->placement[k].p);

    /* Inertia lumped into the body. */
    if (record->body < 0) continue;
    double own[10];
    jn_body_d *body = &x->body[record->body];
    i_store(i_move(at, i_load(record->inertia)), own);
    for (int c = 0; c < 10; c++) body->inertia[c] += own[c];
  }

  /* Ranges of subtrees, inwards. */
  for (int i = tree->nb - 1; i >= 0; i--) {
    int p = x->body[i].parent;
    if (p >= 0 && x->body[i].end > x->body[p].end) x->body[p].end = x->body[i].end;
  }

  /* The arrays become constant. */
  tree->body = x->body;
  tree->frame = x->frame;
  tree->placement = x->placement;
  tree->screw = x->screw;
  tree->armature = x->armature;
  tree->reference_inertia = x->reference_inertia;
  tree->link_inertia = x->link_inertia;
  tree->link_parent = x->link_parent;
  for (int k = 0; k < draft->n; k++) {
    memcpy(&x->link_inertia[10 * k], x->link[k].inertia, sizeof x->link[k].inertia);
    x->link_parent[k] = x->link[k].parent;
  }

  /* What follows from the bodies. */
  fill_constants(tree, x);
  jn_status status = fill_order(draft, tree, x);
  fill_springs(tree, x);
  return status;
}

/* Named frames in the bodies that carry them, and loops with unit axes. */
static void fill_frames_and_loops(const jn_draft *draft, arrays *x) {
  for (int i = 0; i < draft->b->frame_count; i++) {
    const jn_frame_item *item = &draft->b->frames[i];
    int link = jn__draft_link(draft, item->link);
    jn_frame_d *frame = &x->frame[draft->n + i];
    pose at = jn__placement_pose(item->placement);
    frame->body = -1;
    x->named[i].link = JN_WORLD;
    if (link >= 0) {
      const jn_frame_d *parent = &x->frame[draft->rank[link]];
      x->named[i].link = draft->rank[link];
      frame->body = parent->body;
      at = se3_mul(se3_constant(parent->R, parent->p), at);
    }
    store_pose(at, frame->R, frame->p);
    memcpy(x->named[i].placement, item->placement, sizeof item->placement);
  }
  for (int i = 0; i < draft->b->loop_count; i++) {
    x->loop[i] = draft->b->loops[i].loop;
    jn__unit_axis(x->loop[i].axis);
    jn__unit_axis(x->loop[i].axis2);
  }
}

/* Sizes, masses, depth and the trees of all scalars. */
static void fill_model(const jn_draft *draft, jn_model *model, arrays *x) {
  const double *g = draft->b->options.gravity ? draft->b->options.gravity : draft->b->gravity;
  model->nlink = draft->n;
  model->nnamed = draft->b->frame_count;
  model->nloop = draft->b->loop_count;
  model->nq = draft->nq;
  model->nv = draft->nv;
  model->named = x->named;
  model->loop = x->loop;
  model->link_by_name = x->link_by_name;
  model->joint_by_name = x->joint_by_name;
  model->coordinate_link = x->coordinate_link;
  memcpy(model->gravity, g, sizeof model->gravity);
  memcpy(x->tree->gravity, g, sizeof model->gravity);
  if (x->uncoupled) memcpy(x->uncoupled->gravity, g, sizeof model->gravity);
  for (int k = 0; k < draft->n; k++) {
    *(x->link[k].body < 0 ? &model->fixed_mass : &model->moving_mass) += x->link[k].inertia[0];
  }
  model->coupled = x->tree->coupled;
  for (int i = 0; i < x->tree->nb; i++) {
    int p = x->body[i].parent, depth = 1 + (p < 0 ? 0 : draft->rank[p]);
    draft->rank[i] = depth; /* depth of body i; the ranks of links are no longer needed */
    if (depth > model->depth) model->depth = depth;
  }
  model->tree[JN_KIND_D] = x->tree;
  for (int k = 0; k < JN_KINDS; k++) {
    if (!x->other[k]) continue;
    jn__tree_convert(k, x->tree, x->other[k]);
    model->tree[k] = x->other[k];
  }
}

/* The links from the builder's order to that of the tree, in place: position k gets link order[k], along the cycles of
 * this permutation. */
static void sort_links(jn_draft *draft) {
  unsigned char *is_placed = (unsigned char *)draft->next; /* the lists of children are no longer needed */
  memset(is_placed, 0, (size_t)draft->n);
  for (int start = 0; start < draft->n; start++) {
    if (is_placed[start]) continue;
    jn_link_record first = draft->link[start];
    int k = start;
    for (; draft->order[k] != start; k = draft->order[k]) {
      draft->link[k] = draft->link[draft->order[k]];
      is_placed[k] = 1;
    }
    draft->link[k] = first;
    is_placed[k] = 1;
  }
}

/* Steps 2 to 6: the model from a draft without errors. */
static jn_status make_model(jn_draft *draft, jn_model **model) {
  sort_links(draft);
  jn_tree_d count = count_tree(draft);
  arrays x = {.link = draft->link};
  layout l = {0};
  const char *name = NULL;
  place_model(draft, &count, &l, &x);
  place_texts(draft, &l, &x, &name);

  /* One block, aligned to a cache line. */
  void *block = jn__allocate(&draft->a, l.used + 64);
  if (!block) return JN_ERR_MEMORY;
  l = (layout){(char *)block + (64 - (uintptr_t)block % 64), 0};
  jn_model *m = place_model(draft, &count, &l, &x);
  m->allocator = draft->a;
  m->block = block;
  m->link = draft->link;
  draft->link = NULL; /* the model has it now */

  /* Fill it. */
  fill_links(draft, &x);
  jn_status status = fill_tree(draft, &x, &count);
  fill_frames_and_loops(draft, &x);
  place_texts(draft, &l, &x, &name);
  m->name = name;

  /* Reference inertias, the other scalars, and whether M is singular. */
  if (status == JN_OK) status = jn__measure(draft, x.tree, x.reference_inertia);
  fill_model(draft, m, &x);
  if (status == JN_OK) status = jn__check_singular(draft, m);
  if (status != JN_OK || draft->log.first.status != JN_OK) {
    jn_model_destroy(m);
    return status;
  }
  *model = m;
  return JN_OK;
}

jn_status jn_builder_freeze(const jn_builder *builder, jn_model **model, jn_error *error) {
  if (model) *model = NULL;
  if (!builder || !model) return jn__fail(error, JN_ERR_NULL, NULL, "%s", jn_status_text(JN_ERR_NULL));
  jn_draft draft;
  jn_status status = draft_begin(&draft, builder);
  if (status == JN_OK) status = jn__check_structure(&draft);
  if (status == JN_OK) {
    jn__check_numbers(&draft);
    jn__check_coordinates(&draft);
    jn__check_inertia(&draft);
    if (!draft.log.broken) status = make_model(&draft, model);
  }
  jn__release(&draft.a, draft.memory);
  jn__release(&draft.a, draft.link);
  if (status != JN_OK) return jn__fail(error, status, builder->file, "%s", jn_status_text(status));
  return jn__log_end(&draft.log, error);
}

void jn_model_destroy(jn_model *model) {
  if (!model) return;
  jn_allocator allocator = model->allocator;
  jn__release(&allocator, (void *)(uintptr_t)model->link);
  jn__release(&allocator, model->block);
}

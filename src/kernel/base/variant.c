/* SPDX-License-Identifier: BSD-2-Clause */
/* A variant: its table of kernels, how samples get into its lanes and back, the size of its scratch memory, and its
 * copy of the tree's constants. */
#include "variant.h"

#include <string.h>

#include "../../tree/tree.h"
#include "lanes.h"

static const jn_kernel kernels[JN_KERNELS] = {
#define LIE(name, n1, n2, m) JN_(name),
#define MODEL(name, scratch, inputs, outputs, fixed) JN_(name),
    JN_LIE_LIST(LIE) JN_MODEL_KERNEL_LIST(MODEL)};

#if JN_LANES > 1

/* Whole groups, which are most, apart: their block stays in registers. */
static void load(void *to, int kind, const void *from, size_t n, size_t stride, int count) {
  if (kind == JN_KIND)
    load_own(to, from, n, stride, count);
  else
    load_other(to, from, n, stride, count);
}

static void store(void *to, int kind, const void *from, size_t n, size_t stride, int count) {
  if (kind == JN_KIND && count == JN_LANES)
    store_own(to, from, n, stride, JN_LANES);
  else if (kind == JN_KIND)
    store_own(to, from, n, stride, count);
  else
    store_other(to, from, n, stride, count);
}

#else

static void load(void *to, int kind, const void *from, size_t n, size_t stride, int count) {
  scalar *x = to;
  (void)stride, (void)count;
  for (size_t i = 0; i < n; i++)
    x[i] = kind == JN_KIND_D ? (scalar)((const double *)from)[i] : (scalar)((const float *)from)[i];
}

static void store(void *to, int kind, const void *from, size_t n, size_t stride, int count) {
  const scalar *x = from;
  (void)stride, (void)count;
  for (size_t i = 0; i < n; i++)
    if (kind == JN_KIND_D)
      ((double *)to)[i] = (double)x[i];
    else
      ((float *)to)[i] = (float)x[i];
}

#endif

/* ---- scratch memory ---- */

static const unsigned char scratch_of[JN_KERNELS] = {
#define LIE_SCRATCH(name, n1, n2, m) JN_SCRATCH_NONE,
#define MODEL_SCRATCH(name, scratch, inputs, outputs, fixed) JN_SCRATCH_##scratch,
    JN_LIE_LIST(LIE_SCRATCH) JN_MODEL_KERNEL_LIST(MODEL_SCRATCH)};

static const unsigned char arrays_of[JN_KERNELS] = {
#define LIE_ARRAYS(name, n1, n2, m) 3,
#define MODEL_ARRAYS(name, scratch, inputs, outputs, fixed) inputs + outputs,
    JN_LIE_LIST(LIE_ARRAYS) JN_MODEL_KERNEL_LIST(MODEL_ARRAYS)};

/* Sets the first integer of a kernel, which comes after its arrays and what states share. */
static void set_first_integer(jn_call *call, int kernel, int value) {
#define FIRST(name, first)    \
  case JN_KERNEL_##name:      \
    call->name.first = value; \
    break;
  switch (kernel) { JN_FIRST_INTEGERS(FIRST) }
#undef FIRST
}

/* The largest of all kernels, each with everything wanted: they take their memory, and compute nothing. */
static size_t scratch_bytes(const void *tree, int order) {
  static _Alignas(64) char something[64]; /* never read nor written */
  size_t most = 0;
  for (int k = 0; k < JN_KERNELS; k++) {
    if (scratch_of[k] == JN_SCRATCH_NONE || (scratch_of[k] == JN_SCRATCH_ORDER && order < 0)) continue;
    jn_call c = {.tree = tree, .scratch = something, .counted = &most};
    for (int i = 1; i < arrays_of[k]; i++) c.array[i] = something;
    set_first_integer(&c, k,
                      scratch_of[k] == JN_SCRATCH_ORDER ? order : 1); /* 1: wrenches held in the world take most */
    kernels[k](&c);
  }
  return most;
}

/* ---- the constants of the model in this scalar ---- */

/* To whole cache lines. */
static size_t round_up(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

/* Bytes of the copy: the blocks of tree_convert(), in the same order. */
static size_t tree_bytes(const void *tree_d) {
  const jn_tree_d *tree = tree_d;
  return round_up(sizeof(JN_S(tree))) + round_up((size_t)tree->nb * sizeof(JN_S(body))) +
         round_up((size_t)(tree->nframe + tree->nlink) * sizeof(JN_S(frame))) +
         round_up((size_t)tree->nscrew * sizeof(JN_S(screw))) +
         round_up((size_t)(2 * tree->nd + 10 * tree->nlink + 2 * tree->nv) * sizeof(scalar)) +
         round_up(jn__constants_size(tree->nb) * sizeof(scalar)) +
         (tree->coupled ? round_up(sizeof(JN_S(tree))) + round_up((size_t)tree->nb * sizeof(JN_S(body))) : 0);
}

/* n numbers. */
static void convert(scalar *to, const double *from, int n) {
  for (int i = 0; i < n; i++) to[i] = (scalar)from[i];
}

static void convert_frames(JN_S(frame) * to, const jn_frame_d *from, int n) {
  for (int i = 0; i < n; i++) {
    convert(to[i].R, from[i].R, 9);
    convert(to[i].p, from[i].p, 3);
    to[i].body = from[i].body;
  }
}

static void convert_body(JN_S(body) * to, const jn_body_d *from) {
  convert(to->R, from->R, 9);
  convert(to->p, from->p, 3);
  convert(to->inertia, from->inertia, 10);
  to->pitch = (scalar)from->pitch;
  to->ratio = (scalar)from->ratio;
  to->offset = (scalar)from->offset;
  /* the integers are the same in every tree, from kind to the end */
  memcpy(&to->kind, &from->kind,
         offsetof(jn_body_d, several_children) + sizeof from->several_children - offsetof(jn_body_d, kind));
}

/* The tree without coupling, which shares the constants of `o`, from the double one, at `at`. */
static const JN_S(tree) * convert_uncoupled(const JN_S(tree) * o, const jn_tree_d *from, char *at) {
  JN_S(tree) *uncoupled = (JN_S(tree) *)at;
  JN_S(body) *body = (JN_S(body) *)(at + round_up(sizeof *uncoupled));
  *uncoupled = *o;
  uncoupled->nv = from->nv;
  uncoupled->coupled = uncoupled->has_springs = 0;
  uncoupled->in_body_order = from->in_body_order;
  uncoupled->order = from->order;
  uncoupled->lambda = from->lambda;
  uncoupled->elimination_place = NULL;
  uncoupled->body = body;
  for (int i = 0; i < from->nb; i++) convert_body(&body[i], &from->body[i]);
  return uncoupled;
}

/* The tree of this variant's scalar, in `memory` of tree_bytes(), from the double one. */
static void tree_convert(const void *tree_d, void *memory) {
  const jn_tree_d *tree = tree_d;
  char *at = memory;
  JN_S(tree) *o = memory;

  /* Where each array begins. */
  at += round_up(sizeof *o);
  JN_S(body) *body = (JN_S(body) *)at;
  at += round_up((size_t)tree->nb * sizeof *body);
  JN_S(frame) *frame = (JN_S(frame) *)at;
  at += round_up((size_t)(tree->nframe + tree->nlink) * sizeof *frame);
  JN_S(screw) *screw = (JN_S(screw) *)at;
  at += round_up((size_t)tree->nscrew * sizeof *screw);
  scalar *armature = (scalar *)at;
  at += round_up((size_t)(2 * tree->nd + 10 * tree->nlink + 2 * tree->nv) * sizeof(scalar));
  scalar *constants = (scalar *)at;

  /* Sizes and pointers; arrays of integers are shared with the double tree. */
  *o = (JN_S(tree)){.nb = tree->nb,
                    .nq = tree->nq,
                    .nv = tree->nv,
                    .nd = tree->nd,
                    .nframe = tree->nframe,
                    .nscrew = tree->nscrew,
                    .nlink = tree->nlink,
                    .coupled = tree->coupled,
                    .in_body_order = tree->in_body_order,
                    .has_springs = tree->has_springs,
                    .chain = tree->chain,
                    .one_each_after_base = tree->one_each_after_base,
                    .has_armature = tree->has_armature,
                    .one_each = tree->one_each,
                    .constants = constants,
                    .spring_energy = (scalar)tree->spring_energy,
                    .body = body,
                    .frame = frame,
                    .placement = frame + tree->nframe,
                    .screw = screw,
                    .armature = armature,
                    .reference_inertia = armature + tree->nd,
                    .link_inertia = armature + 2 * tree->nd,
                    .stiffness = armature + 2 * tree->nd + 10 * tree->nlink,
                    .rest = armature + 2 * tree->nd + 10 * tree->nlink + tree->nv,
                    .link_parent = tree->link_parent,
                    .order = tree->order,
                    .lambda = tree->lambda,
                    .elimination_place = tree->elimination_place};

  /* Numbers. */
  convert(o->gravity, tree->gravity, 3);
  for (int i = 0; i < tree->nb; i++) convert_body(&body[i], &tree->body[i]);
  convert_frames(frame, tree->frame, tree->nframe);
  convert_frames(frame + tree->nframe, tree->placement, tree->nlink);
  for (int i = 0; i < tree->nscrew; i++) {
    convert(screw[i].X, tree->screw[i].X, 6);
    screw[i].scale = (scalar)tree->screw[i].scale;
    screw[i].prismatic = tree->screw[i].prismatic;
  }
  convert(armature, tree->armature, tree->nd);
  convert(armature + tree->nd, tree->reference_inertia, tree->nd);
  convert(armature + 2 * tree->nd, tree->link_inertia, 10 * tree->nlink);
  convert(armature + 2 * tree->nd + 10 * tree->nlink, tree->stiffness, tree->nv);
  convert(armature + 2 * tree->nd + 10 * tree->nlink + tree->nv, tree->rest, tree->nv);
  convert(constants, tree->constants, (int)jn__constants_size(tree->nb));
  at += round_up(jn__constants_size(tree->nb) * sizeof(scalar));
  if (tree->coupled) o->uncoupled = convert_uncoupled(o, tree->uncoupled, at);
}

#if defined(__AVX512F__)
enum { REGISTER_BYTES = 64 };
#elif defined(__AVX2__)
enum { REGISTER_BYTES = 32 };
#else
enum { REGISTER_BYTES = 16 };
#endif

#define VARIANT_TEXT2(x) #x
#define VARIANT_TEXT(x) VARIANT_TEXT2(x)

const jn_variant JN_(variant) = {.name = VARIANT_TEXT(JN_VARIANT),
                                 .kind = JN_KIND,
                                 .lanes = JN_LANES,
                                 .real_bytes = sizeof(real),
                                 .register_bytes = REGISTER_BYTES,
                                 .epsilon = (double)JN_EPSILON,
                                 .kernels = kernels,
                                 .scratch = scratch_of,
                                 .load = load,
                                 .store = store,
                                 .scratch_bytes = scratch_bytes,
                                 .tree_bytes = tree_bytes,
                                 .tree_convert = tree_convert};

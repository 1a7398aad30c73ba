/* SPDX-License-Identifier: BSD-2-Clause */
/* A variant: its table of kernels, the way of samples in and out of its lanes, and its copy of the tree's constants. */
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
static void set_first_integer(jn_call *c, int kernel, int value) {
#define FIRST(name, first) \
  case JN_KERNEL_##name:   \
    c->name.first = value; \
    break;
  switch (kernel) { JN_FIRST_INTEGERS(FIRST) }
#undef FIRST
}

/* All kernels take their memory, with everything wanted, and compute nothing. */
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

static size_t up(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

static size_t tree_bytes(const void *tree_d) {
  const jn_tree_d *t = tree_d;
  return up(sizeof(JN_S(tree))) + up((size_t)t->nb * sizeof(JN_S(body))) +
         up((size_t)(t->nframe + t->nlink) * sizeof(JN_S(frame))) + up((size_t)t->nscrew * sizeof(JN_S(screw))) +
         up((size_t)(2 * t->nd + 10 * t->nlink + 2 * t->nv) * sizeof(scalar)) +
         up(jn__constants_size(t->nb) * sizeof(scalar)) +
         (t->coupled ? up(sizeof(JN_S(tree))) + up((size_t)t->nb * sizeof(JN_S(body))) : 0);
}

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

/* Of the tree o, whose constants it shares. */
static const JN_S(tree) * convert_uncoupled(const JN_S(tree) * o, const jn_tree_d *from, char *at) {
  JN_S(tree) *uncoupled = (JN_S(tree) *)at;
  JN_S(body) *body = (JN_S(body) *)(at + up(sizeof *uncoupled));
  *uncoupled = *o;
  uncoupled->nv = from->nv;
  uncoupled->coupled = uncoupled->carries_springs = 0;
  uncoupled->in_body_order = from->in_body_order;
  uncoupled->order = from->order;
  uncoupled->lambda = from->lambda;
  uncoupled->elimination_place = NULL;
  uncoupled->body = body;
  for (int i = 0; i < from->nb; i++) convert_body(&body[i], &from->body[i]);
  return uncoupled;
}

static void tree_convert(const void *tree_d, void *memory) {
  const jn_tree_d *t = tree_d;
  char *at = memory;
  JN_S(tree) *o = memory;
  at += up(sizeof *o);
  JN_S(body) *body = (JN_S(body) *)at;
  at += up((size_t)t->nb * sizeof *body);
  JN_S(frame) *frame = (JN_S(frame) *)at;
  at += up((size_t)(t->nframe + t->nlink) * sizeof *frame);
  JN_S(screw) *screw = (JN_S(screw) *)at;
  at += up((size_t)t->nscrew * sizeof *screw);
  scalar *armature = (scalar *)at;
  at += up((size_t)(2 * t->nd + 10 * t->nlink + 2 * t->nv) * sizeof(scalar));
  scalar *constants = (scalar *)at;
  *o = (JN_S(tree)){.nb = t->nb,
                    .nq = t->nq,
                    .nv = t->nv,
                    .nd = t->nd,
                    .nframe = t->nframe,
                    .nscrew = t->nscrew,
                    .nlink = t->nlink,
                    .coupled = t->coupled,
                    .in_body_order = t->in_body_order,
                    .carries_springs = t->carries_springs,
                    .chain = t->chain,
                    .one_each_after_base = t->one_each_after_base,
                    .has_armature = t->has_armature,
                    .one_each = t->one_each,
                    .constants = constants,
                    .spring_energy = (scalar)t->spring_energy,
                    .body = body,
                    .frame = frame,
                    .placement = frame + t->nframe,
                    .screw = screw,
                    .armature = armature,
                    .reference_inertia = armature + t->nd,
                    .link_inertia = armature + 2 * t->nd,
                    .stiffness = armature + 2 * t->nd + 10 * t->nlink,
                    .rest = armature + 2 * t->nd + 10 * t->nlink + t->nv,
                    .link_parent = t->link_parent,
                    .order = t->order,
                    .lambda = t->lambda,
                    .elimination_place = t->elimination_place};
  convert(o->gravity, t->gravity, 3);
  for (int i = 0; i < t->nb; i++) convert_body(&body[i], &t->body[i]);
  convert_frames(frame, t->frame, t->nframe);
  convert_frames(frame + t->nframe, t->placement, t->nlink);
  for (int i = 0; i < t->nscrew; i++) {
    convert(screw[i].X, t->screw[i].X, 6);
    screw[i].scale = (scalar)t->screw[i].scale;
    screw[i].prismatic = t->screw[i].prismatic;
  }
  convert(armature, t->armature, t->nd);
  convert(armature + t->nd, t->reference_inertia, t->nd);
  convert(armature + 2 * t->nd, t->link_inertia, 10 * t->nlink);
  convert(armature + 2 * t->nd + 10 * t->nlink, t->stiffness, t->nv);
  convert(armature + 2 * t->nd + 10 * t->nlink + t->nv, t->rest, t->nv);
  convert(constants, t->constants, (int)jn__constants_size(t->nb));
  at += up(jn__constants_size(t->nb) * sizeof(scalar));
  if (t->coupled) o->uncoupled = convert_uncoupled(o, t->uncoupled, at);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* The builder stores copies of what the caller describes. Everything is checked when it is frozen. */
#include "builder.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

const char *jn_joint_type_name(jn_joint_type type) {
#define NAME(code, name, nq, nv) name,
  static const char *const names[] = {JN_JOINT_LIST(NAME)};
#undef NAME
  return (unsigned)type < JN_JOINT_TYPES ? names[type] : NULL;
}

const char *jn_loop_type_name(jn_loop_type type) {
#define NAME(code, name, rows) name,
  static const char *const names[] = {JN_LOOP_LIST(NAME)};
#undef NAME
  return (unsigned)type < JN_LOOP_TYPES ? names[type] : NULL;
}

void jn_link_init(jn_link *link) {
  if (!link) return;
  *link = (jn_link){.size = sizeof *link};
  memcpy(link->placement, identity, sizeof identity);
  jn_joint *joint = &link->joint;
  joint->type = JN_FIXED;
  joint->axis[2] = joint->axis2[1] = joint->axis3[0] = 1;
  joint->mimic_ratio = 1;
  for (int k = 0; k < 6; k++) {
    jn_dof *dof = &joint->dof[k];
    dof->lower = -INFINITY;
    dof->upper = dof->velocity = dof->acceleration = dof->jerk = dof->effort = dof->effort_rate = INFINITY;
  }
}

void jn_loop_init(jn_loop *loop) {
  if (!loop) return;
  *loop = (jn_loop){.size = sizeof *loop, .axis = {0, 0, 1}, .axis2 = {1, 0, 0}};
  memcpy(loop->placement_a, identity, sizeof identity);
  memcpy(loop->placement_b, identity, sizeof identity);
}

void jn_options_init(jn_options *options) {
  if (options) *options = (jn_options){.size = sizeof *options, .max_bytes = JN_MAX_BYTES};
}

void jn_inertia_pack(double mass, const double com[3], const double tensor[6], double out[10]) {
  double x = com[0], y = com[1], z = com[2];
  out[0] = mass;
  out[1] = mass * x;
  out[2] = mass * y;
  out[3] = mass * z;
  out[4] = tensor[0] + mass * (y * y + z * z);
  out[5] = tensor[1] + mass * (x * x + z * z);
  out[6] = tensor[2] + mass * (x * x + y * y);
  out[7] = tensor[3] - mass * x * y;
  out[8] = tensor[4] - mass * x * z;
  out[9] = tensor[5] - mass * y * z;
}

void jn_inertia_unpack(const double p[10], double *mass, double com[3], double tensor[6]) {
  double c[3] = {0, 0, 0}, steiner[10];
  static const double none[6] = {0};
  for (int k = 0; k < 3 && p[0] != 0; k++) c[k] = p[k + 1] / p[0];
  jn_inertia_pack(p[0], c, none, steiner);
  if (mass) *mass = p[0];
  for (int k = 0; k < 3 && com; k++) com[k] = c[k];
  for (int k = 0; k < 6 && tensor; k++) tensor[k] = p[k + 4] - steiner[k + 4];
}

/* Structs of the caller begin with their size; members that an older, shorter struct does not have get their defaults.
 */
static int take(void *own, size_t own_size, const void *given, size_t given_size) {
  if (given_size == 0 || given_size > own_size) return 0;
  memcpy(own, given, given_size);
  return 1;
}

static jn_status copy_options(jn_builder *builder, const jn_options *given) {
  jn_options *o = &builder->options;
  jn_options_init(o);
  if (!given) return JN_OK;
  take(o, sizeof *o, given, given->size);
  o->allocator = &builder->allocator;
  o->joint_order = NULL;
  o->loops = o->original = o->original_text = NULL; /* the last two are for writers */
  int n = o->joint_order_count;
  o->joint_order_count = 0;
  if (n < 0 || (n > 0 && !given->joint_order)) return JN_ERR_SIZE;
  if (n > 0) {
    char **names = jn__allocate(&builder->allocator, (size_t)n * sizeof *names);
    if (!names) return JN_ERR_MEMORY;
    o->joint_order = (const char *const *)names;
    for (int i = 0; i < n; i++) {
      if (!given->joint_order[i]) return JN_ERR_NULL;
      if (!(names[i] = jn__copy_text(&builder->allocator, given->joint_order[i]))) return JN_ERR_MEMORY;
      o->joint_order_count = i + 1;
    }
  }
  const char *loops = given->size >= offsetof(jn_options, loops) + sizeof given->loops ? given->loops : NULL;
  if (loops && !(o->loops = jn__copy_text(&builder->allocator, loops))) return JN_ERR_MEMORY;
  if (o->gravity) {
    memcpy(builder->option_gravity, o->gravity, sizeof builder->option_gravity);
    o->gravity = builder->option_gravity;
  }
  return JN_OK;
}

jn_status jn_builder_create(const jn_options *options, jn_builder **builder) {
  if (!builder) return JN_ERR_NULL;
  *builder = NULL;
  if (options && (options->size == 0 || options->size > sizeof *options)) return JN_ERR_INIT;
  jn_allocator allocator = jn__allocator(options ? options->allocator : NULL);
  jn_builder *b = jn__allocate(&allocator, sizeof *b);
  if (!b) return JN_ERR_MEMORY;
  b->allocator = allocator;
  b->gravity[2] = -9.81;
  jn_status status = copy_options(b, options);
  b->log.report = b->options.report;
  b->log.strict = b->options.strict;
  if (status == JN_OK && !(b->name = jn__copy_text(&allocator, "robot"))) status = JN_ERR_MEMORY;
  if (status == JN_OK)
    *builder = b;
  else
    jn_builder_destroy(b);
  return status;
}

static void release_text(const jn_builder *builder, const char *text) {
  jn__release(&builder->allocator, (void *)(uintptr_t)text);
}

static void release_link(const jn_builder *builder, const jn_link *link) {
  release_text(builder, link->name);
  release_text(builder, link->parent);
  release_text(builder, link->joint.name);
  release_text(builder, link->joint.mimic);
}

static void release_loop(const jn_builder *builder, const jn_loop *loop) {
  release_text(builder, loop->name);
  release_text(builder, loop->link_a);
  release_text(builder, loop->link_b);
  for (int i = 0; i < JN_COUPLING_TERMS; i++) release_text(builder, loop->term[i].joint);
}

void jn__builder_drop_loops(jn_builder *builder) {
  for (int i = 0; i < builder->loop_count; i++) release_loop(builder, &builder->loops[i].loop);
  builder->loop_count = 0;
}

void jn__builder_drop_frames(jn_builder *builder) {
  for (int i = 0; i < builder->frame_count; i++) {
    jn__release(&builder->allocator, builder->frames[i].name);
    jn__release(&builder->allocator, builder->frames[i].link);
  }
  builder->frame_count = 0;
}

void jn__builder_drop_links(jn_builder *builder, const unsigned char *drop) {
  int left = 0, kept = 0;
  for (int k = 0; k < builder->kept_count; k++) { /* from links before to links after */
    int link = builder->kept_order[k], before = 0;
    if (drop[link]) continue;
    for (int i = 0; i < link; i++) before += !drop[i];
    builder->kept_order[kept++] = before;
  }
  builder->kept_count = kept;
  for (int i = 0; i < builder->link_count; i++) {
    if (drop[i])
      release_link(builder, &builder->links[i].link);
    else
      builder->links[left++] = builder->links[i];
  }
  builder->link_count = left;
}

const char *jn__builder_loop_file(const jn_builder *builder, const jn_loop_item *item) {
  return item->beside ? builder->options.loops : builder->file;
}

void jn_builder_destroy(jn_builder *builder) {
  if (!builder) return;
  jn_allocator allocator = builder->allocator;
  for (int i = 0; i < builder->link_count; i++) release_link(builder, &builder->links[i].link);
  jn__builder_drop_frames(builder);
  jn__builder_drop_loops(builder);
  release_text(builder, builder->options.loops);
  for (int i = 0; i < builder->options.joint_order_count; i++) release_text(builder, builder->options.joint_order[i]);
  jn__release(&allocator, (void *)(uintptr_t)builder->options.joint_order);
  jn__release(&allocator, builder->kept_order);
  jn__release(&allocator, builder->links);
  jn__release(&allocator, builder->frames);
  jn__release(&allocator, builder->loops);
  jn__release(&allocator, builder->name);
  jn__release(&allocator, builder->file);
  jn__release(&allocator, builder);
}

static jn_status replace_text(jn_builder *builder, char **place, const char *text) {
  char *copy = jn__copy_text(&builder->allocator, text);
  if (text && !copy) return JN_ERR_MEMORY;
  jn__release(&builder->allocator, *place);
  *place = copy;
  return JN_OK;
}

jn_status jn_builder_set_name(jn_builder *builder, const char *name) {
  return builder && name ? replace_text(builder, &builder->name, name) : JN_ERR_NULL;
}

jn_status jn__builder_set_file(jn_builder *builder, const char *file) {
  return replace_text(builder, &builder->file, file);
}

jn_status jn_builder_set_gravity(jn_builder *builder, const double gravity[3]) {
  if (!builder || !gravity) return JN_ERR_NULL;
  memcpy(builder->gravity, gravity, sizeof builder->gravity);
  return JN_OK;
}

/* Copies a string into *place; 0 if out of memory. */
static int own(const jn_builder *builder, const char **place, const char *text) {
  *place = jn__copy_text(&builder->allocator, text);
  return !text || *place;
}

jn_status jn__builder_reserve(jn_builder *builder, int links) {
  if (links <= builder->link_capacity - builder->link_count) return JN_OK;
  if (links > INT_MAX - builder->link_count) return JN_ERR_MEMORY;
  jn_link_item *bigger = jn__allocate(&builder->allocator, (size_t)(builder->link_count + links) * sizeof *bigger);
  if (!bigger) return JN_ERR_MEMORY;

  if (builder->links) memcpy(bigger, builder->links, (size_t)builder->link_count * sizeof *bigger);
  jn__release(&builder->allocator, builder->links);
  builder->links = bigger;
  builder->link_capacity = builder->link_count + links;
  return JN_OK;
}

jn_status jn_builder_add_link(jn_builder *builder, const jn_link *link) {
  if (!builder || !link) return JN_ERR_NULL;
  void *grown = jn__grow(&builder->allocator, builder->links, builder->link_count, &builder->link_capacity,
                         sizeof *builder->links);
  if (!grown) return JN_ERR_MEMORY;
  builder->links = grown;
  jn_link_item *item = &builder->links[builder->link_count];
  memset(item, 0, sizeof *item);
  jn_link_init(&item->link);
  jn_link *l = &item->link;
  if (!take(l, sizeof *l, link, link->size)) return JN_ERR_INIT;
  l->size = sizeof *l;
  jn_link given = *l;
  l->name = l->parent = l->joint.name = l->joint.mimic = NULL;
  if (own(builder, &l->name, given.name) && own(builder, &l->parent, given.parent) &&
      own(builder, &l->joint.name, given.joint.name) && own(builder, &l->joint.mimic, given.joint.mimic)) {
    builder->link_count++;
    return JN_OK;
  }
  release_link(builder, l);
  return JN_ERR_MEMORY;
}

jn_status jn_builder_add_frame(jn_builder *builder, const char *name, const char *link, const double placement[16]) {
  if (!builder || !name || !link || !placement) return JN_ERR_NULL;
  void *grown = jn__grow(&builder->allocator, builder->frames, builder->frame_count, &builder->frame_capacity,
                         sizeof *builder->frames);
  if (!grown) return JN_ERR_MEMORY;
  builder->frames = grown;
  jn_frame_item *frame = &builder->frames[builder->frame_count];
  memset(frame, 0, sizeof *frame);
  frame->name = jn__copy_text(&builder->allocator, name);
  frame->link = jn__copy_text(&builder->allocator, link);
  memcpy(frame->placement, placement, sizeof frame->placement);
  if (frame->name && frame->link) {
    builder->frame_count++;
    return JN_OK;
  }
  jn__release(&builder->allocator, frame->name);
  jn__release(&builder->allocator, frame->link);
  return JN_ERR_MEMORY;
}

static int own_terms(const jn_builder *builder, jn_loop *loop, const jn_loop *given) {
  for (int i = 0; i < given->term_count; i++)
    if (!own(builder, &loop->term[i].joint, given->term[i].joint)) return 0;
  return 1;
}

jn_status jn_builder_add_loop(jn_builder *builder, const jn_loop *loop) {
  if (!builder || !loop) return JN_ERR_NULL;
  void *grown = jn__grow(&builder->allocator, builder->loops, builder->loop_count, &builder->loop_capacity,
                         sizeof *builder->loops);
  if (!grown) return JN_ERR_MEMORY;
  builder->loops = grown;
  jn_loop_item *item = &builder->loops[builder->loop_count];
  memset(item, 0, sizeof *item);
  jn_loop_init(&item->loop);
  jn_loop *l = &item->loop;
  if (!take(l, sizeof *l, loop, loop->size)) return JN_ERR_INIT;
  l->size = sizeof *l;
  if (l->term_count < 0 || l->term_count > JN_COUPLING_TERMS) return JN_ERR_SIZE;
  jn_loop given = *l;
  l->name = l->link_a = l->link_b = NULL;
  for (int i = 0; i < JN_COUPLING_TERMS; i++) l->term[i].joint = NULL;
  if (own(builder, &l->name, given.name) && own(builder, &l->link_a, given.link_a) &&
      own(builder, &l->link_b, given.link_b) && own_terms(builder, l, &given)) {
    builder->loop_count++;
    return JN_OK;
  }
  release_loop(builder, l);
  return JN_ERR_MEMORY;
}

int jn__builder_link(const jn_builder *builder, const char *name) {
  if (!name) return JN_WORLD;
  for (int i = 0; i < builder->link_count; i++)
    if (builder->links[i].link.name && strcmp(builder->links[i].link.name, name) == 0) return i;
  return strcmp(name, "world") == 0 ? JN_WORLD : JN_NONE;
}

jn_status jn_builder_set_inertia(jn_builder *builder, const char *link, const double inertia[10]) {
  if (!builder || !link || !inertia) return JN_ERR_NULL;
  int i = jn__builder_link(builder, link);
  if (i < 0) return JN_ERR_NAME;
  memcpy(builder->links[i].link.inertia, inertia, 10 * sizeof *inertia);
  return JN_OK;
}

jn_status jn_builder_add_payload(jn_builder *builder, const char *link, const double inertia[10]) {
  if (!builder || !link || !inertia) return JN_ERR_NULL;
  int i = jn__builder_link(builder, link);
  if (i < 0) return JN_ERR_NAME;
  for (int k = 0; k < 10; k++) builder->links[i].link.inertia[k] += inertia[k];
  return JN_OK;
}

void jn__builder_place_link(jn_builder *builder, int line, int column, int joint_line, int joint_column) {
  jn_link_item *item = &builder->links[builder->link_count - 1];
  item->line = line;
  item->column = column;
  item->joint_line = joint_line;
  item->joint_column = joint_column;
}

void jn__builder_place_frame(jn_builder *builder, int line, int column) {
  builder->frames[builder->frame_count - 1].line = line;
  builder->frames[builder->frame_count - 1].column = column;
}

void jn__builder_place_loop(jn_builder *builder, int line, int column) {
  builder->loops[builder->loop_count - 1].line = line;
  builder->loops[builder->loop_count - 1].column = column;
}

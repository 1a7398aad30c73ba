/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads MJCF: the order in which its parts are understood, and what becomes of bodies, joints and sites in the builder.
 *
 * A body with joints 1 ... n moves in its parent by  pose J_1(q_1 - ref_1) ... J_n(q_n - ref_n),  each joint in the
 * body's own frame. Each becomes a link of its own, of which only the last has mass:
 *   placement_1 = pose J_1(-ref_1), placement_i = J_i(-ref_i),
 * so that our coordinates are MuJoCo's. A free joint's coordinates are the pose in the world itself. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limit.h"
#include "mjcf.h"

/* ---- Links ---- */

/* T <- T J(q) of a hinge or slide. */
static void move(const jn_mjcf_joint *j, double q, double T[16]) {
  double J[16] = JN_IDENTITY;
  if (q == 0) return;
  if (j->type == JN_MJCF_HINGE) jn__mjcf_rotation(j->axis, q, J);
  for (int i = 0; i < 3; i++) {
    if (j->type == JN_MJCF_SLIDE) J[4 * i + 3] = q * j->axis[i];
    if (j->type != JN_MJCF_HINGE) continue;
    J[4 * i + 3] = j->pos[i];
    for (int k = 0; k < 3; k++) J[4 * i + 3] -= J[4 * i + k] * j->pos[k];
  }
  jn__mjcf_multiply(T, J, T);
}

static void describe_joint(jn_mjcf *m, const jn_mjcf_joint *j, jn_link *link) {
  jn_joint *out = &link->joint;
  int limited = isfinite(j->dof.lower) || isfinite(j->dof.upper), nv = 1;
  switch (j->type) {
    case JN_MJCF_HINGE:
      out->type = limited ? JN_REVOLUTE : JN_CONTINUOUS;
      break;
    case JN_MJCF_SLIDE:
      out->type = JN_PRISMATIC;
      break;
    case JN_MJCF_BALL:
      out->type = JN_SPHERICAL, nv = 3;
      break;
    case JN_MJCF_FREE:
      out->type = JN_FREE, nv = 6;
      break;
  }
  out->name = j->label;
  if (j->type == JN_MJCF_HINGE || j->type == JN_MJCF_SLIDE) memcpy(out->axis, j->axis, sizeof j->axis);
  if (j->type == JN_MJCF_HINGE || j->type == JN_MJCF_BALL) memcpy(out->point, j->pos, sizeof j->pos);
  for (int k = 0; k < nv; k++) out->dof[k] = j->dof;
  if (j->leader >= 0) {
    out->mimic = m->joints[j->leader].label;
    out->mimic_ratio = j->ratio;
    out->mimic_offset = j->offset;
  }
  move(j, -j->ref, link->placement);
}

static void add_link(jn_mjcf *m, const jn_link *link, int node, int joint_node) {
  if (jn_builder_add_link(m->builder, link) != JN_OK) {
    jn__mjcf_no_memory(m);
    return;
  }
  /* The builder knows one file only. */
  const jn_mjcf_node *b = &m->nodes[node], *j = &m->nodes[joint_node];
  int own = b->file == 0 && j->file == 0;
  jn__builder_place_link(m->builder, own ? b->line : 0, own ? b->column : 0, own ? j->line : 0, own ? j->column : 0);
}

/* The name of the massless link between joint i of a body and the next one. */
static const char *name_between(jn_mjcf *m, const jn_mjcf_body *b, const jn_mjcf_joint *j) {
  size_t room = strlen(b->name) + strlen(j->label) + 2;
  char *text = jn__mjcf_allocate(m, room);
  if (!text) return b->name;
  snprintf(text, room, "%s/%s", b->name, j->label);
  return jn__mjcf_new_name(m, &m->links, text, "_");
}

static void add_body(jn_mjcf *m, const jn_mjcf_body *b) {
  const char *parent = b->parent > 0 ? m->bodies[b->parent].name : NULL;
  for (int i = 0; i < (b->joints ? b->joints : 1) && m->stopped == JN_OK; i++) {
    const jn_mjcf_joint *j = b->joints ? &m->joints[b->joint + i] : NULL;
    jn_link link;
    jn_link_init(&link);
    link.parent = parent;
    link.name = i + 1 < b->joints ? name_between(m, b, j) : b->name;
    if (i == 0 && !(j && (j->type == JN_MJCF_FREE || j->at_world))) memcpy(link.placement, b->pose, sizeof b->pose);
    if (i + 1 >= b->joints) memcpy(link.inertia, b->inertia, sizeof b->inertia);
    if (j) jn__mjcf_resolve(m, b->joint + i);
    if (j)
      describe_joint(m, j, &link);
    else
      link.joint.name = jn__mjcf_new_name(m, &m->joint_labels, b->name, "_fixed");
    if (m->stopped == JN_OK) add_link(m, &link, b->node, j ? j->node : b->node);
    parent = link.name;
  }
}

/* ---- Sites ---- */

static void add_site(jn_mjcf *m, const jn_mjcf_item *site) {
  if (!jn__mjcf_take_bytes(m, JN_FRAME_COST)) return;
  const char *name = jn__mjcf_own(m, site->element.node, "name"), *link = m->bodies[site->body].name;
  const char *label = jn__mjcf_new_name(m, &m->links, name, "_site");
  double T[16], half;
  if (strcmp(label, name) != 0)
    jn__mjcf_log(m, JN_NOTE, JN_OK, "mjcf-name", site->element.node, NULL,
                 "there is a body of this name, too; the site's frame is called '%.*s'", JN_CLIP(label));
  jn__mjcf_pose(m, &site->element, T);
  jn__mjcf_ends(m, &site->element, T, &half);
  jn__mjcf_multiply(site->frame, T, T);
  if (jn_builder_add_frame(m->builder, label, link ? link : "world", T) != JN_OK) {
    jn__mjcf_no_memory(m);
    return;
  }
  const jn_mjcf_node *n = &m->nodes[site->element.node];
  jn__builder_place_frame(m->builder, n->file == 0 ? n->line : 0, n->file == 0 ? n->column : 0);
}

/* ---- All ---- */

static void read_tree(jn_mjcf *m) {
  const char *name = jn__mjcf_own(m, 0, "model");
  if (jn_builder_set_name(m->builder, name && *name ? name : "MuJoCo Model") != JN_OK) jn__mjcf_no_memory(m);
  static void (*const steps[])(jn_mjcf * m) = {jn__mjcf_read_settings, jn__mjcf_read_classes,    jn__mjcf_read_meshes,
                                               jn__mjcf_read_world,    jn__mjcf_read_inertia,    jn__mjcf_weigh,
                                               jn__mjcf_read_tendons,  jn__mjcf_read_equalities, jn__mjcf_read_drives};
  for (size_t i = 0; i < sizeof steps / sizeof *steps && m->stopped == JN_OK; i++) steps[i](m);
  int links = 0;
  for (int i = 1; i < m->body_count; i++) links += m->bodies[i].joints ? m->bodies[i].joints : 1;
  if (m->stopped == JN_OK && jn__builder_reserve(m->builder, links) != JN_OK) jn__mjcf_no_memory(m);
  for (int i = 1; i < m->body_count && m->stopped == JN_OK; i++) add_body(m, &m->bodies[i]);
  for (int i = 0; i < m->site_count && m->stopped == JN_OK; i++) add_site(m, &m->sites[i]);
  if (m->stopped == JN_OK) jn__mjcf_add_loops(m);
  if (m->stopped == JN_OK) jn__mjcf_read_keys(m);
  if (m->stopped == JN_OK && m->body_count == 1)
    jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-empty", -1, "a model needs a <body> inside <worldbody>",
                 "there are no bodies");
}

static void release(jn_mjcf *m) {
  const jn_allocator *a = &m->builder->allocator;
  void *const arrays[] = {(void *)m->files, m->nodes, m->attributes, m->classes, m->bodies,    m->joints,
                          m->geoms,         m->sites, m->meshes,     m->tendons, m->equalities};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) jn__release(a, arrays[i]);
  while (m->blocks) {
    void *next;
    memcpy(&next, m->blocks, sizeof next);
    jn__release(a, m->blocks);
    m->blocks = next;
  }
}

jn_status jn__mjcf_read(jn_builder *b, const char *text, size_t length) {
  jn_mjcf m = {.builder = b};
  jn_status status = jn__mjcf_parse(&m, text, length);
  if (status == JN_OK) read_tree(&m);
  status = m.stopped != JN_OK ? m.stopped : status;
  release(&m);
  return status;
}

void jn__mjcf_tell_left(const jn_options *o, const char *path, const char *text, size_t length, jn_log *log) {
  jn_options options = *o;
  jn_left_list left = {0};
  jn_mjcf m = {.left = &left};
  char list[JN_LEFT_TEXT];
  size_t n = path ? strlen(path) : 0;
  if (n >= 4 && strcmp(path + n - 4, ".xml") == 0)
    jn__log(log, JN_NOTE, JN_OK, "format", (jn_place){0}, NULL, "let the name end in .urdf",
            "the new file is URDF, not MJCF, which is not written");
  options.report = NULL; /* what is wrong was told when the model was read */
  if (jn_builder_create(&options, &m.builder) != JN_OK) return;
  if (jn__builder_set_file(m.builder, o->original) == JN_OK && jn__mjcf_parse(&m, text, length) == JN_OK) {
    jn__left_print(&left, list, sizeof list);
    if (*list)
      jn__log(log, JN_NOTE, JN_OK, "left-behind", (jn_place){0}, NULL, NULL, "the new file does not hold %s", list);
  }
  release(&m);
  jn_builder_destroy(m.builder);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* <tendon> and <equality>: coupled coordinates and loops.
 *   joint          y - y0 = a0 + a1 (x - x0): the first joint follows the second one; a coupling where it cannot
 *   fixed tendons  the same for sums of coordinates: a coupling
 *   connect, weld  loops between two bodies, held where the file has the bodies unless it says otherwise */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "limit.h"
#include "mjcf.h"

static const double identity[16] = JN_IDENTITY;

/* ---- Tendons ---- */

/* The joint that an attribute names, which must have one coordinate; -1 after telling. */
static int named_joint(jn_mjcf *m, int node, const char *attribute) {
  const char *name = jn__mjcf_own(m, node, attribute);
  if (!name) {
    jn__mjcf_log(m, JN_ERROR, JN_ERR_SYNTAX, "mjcf-equality", node, NULL, "there is no attribute '%s'", attribute);
    return -1;
  }
  int j = jn__mjcf_named(m, &m->joint_names, node, attribute, "joint", name);
  if (j < 0 || m->joints[j].type == JN_MJCF_HINGE || m->joints[j].type == JN_MJCF_SLIDE) return j;
  jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-equality", node, "name a hinge or slide joint",
               "joint '%.*s' has more than one coordinate", JN_CLIP(name));
  return -1;
}

/* What a tendon does by itself. */
static void check_tendon(jn_mjcf *m, const jn_mjcf_element *e, int fixed) {
  static const char *const forces[] = {"stiffness", "damping", "frictionloss", "armature"};
  const char *kind = fixed ? "fixed" : "spatial";
  double x[3] = {0}, range[2];
  for (int i = 0; i < 4; i++) {
    memset(x, 0, sizeof x);
    jn__mjcf_numbers(m, e, forces[i], x, 3);
    if (x[0] != 0 || x[1] != 0 || x[2] != 0)
      jn__mjcf_refuse(m, e->node, NULL, "the %s of a %s tendon cannot be expressed", forces[i], kind);
  }
  if (!jn__mjcf_range(m, e, "limited", "range", range)) return;
  if (fixed)
    jn__mjcf_log(m, JN_WARNING, JN_ERR_UNSUPPORTED, "mjcf-left-out", e->node, NULL,
                 "the range of this tendon is left out: only joints have ranges here");
  else
    jn__mjcf_refuse(m, e->node, NULL, "a spatial tendon that holds bodies back by its range cannot be expressed");
}

void jn__mjcf_read_tendons(jn_mjcf *m) {
  for (int i = 0; i < m->node_count && m->stopped == JN_OK; i++) {
    jn_mjcf_kind kind = m->nodes[i].kind;
    if (kind != JN_MJCF_SPATIAL && kind != JN_MJCF_FIXED) continue;
    jn_mjcf_element e = jn__mjcf_element(m, i, JN_MJCF_DEFAULT_TENDON, 0);
    void *grown = jn__mjcf_grow(m, m->tendons, m->tendon_count, &m->tendon_capacity, sizeof *m->tendons);
    if (!grown) return;
    m->tendons = grown;
    m->tendons[m->tendon_count] = (jn_mjcf_tendon){i, kind == JN_MJCF_FIXED};
    const char *name = jn__mjcf_own(m, i, "name");
    if (name && jn__mjcf_find(&m->tendon_names, name) >= 0)
      jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-name", i, "rename one of them",
                   "there is another tendon of this name");
    if (name) jn__mjcf_put(m, &m->tendon_names, name, m->tendon_count);
    m->tendon_count++;
    check_tendon(m, &e, kind == JN_MJCF_FIXED);
    for (int k = i + 1; k < m->nodes[i].end && kind == JN_MJCF_FIXED; k = m->nodes[k].end) named_joint(m, k, "joint");
  }
}

/* ---- Reading equalities ---- */

static jn_mjcf_equality *add_equality(jn_mjcf *m, int node) {
  void *grown = jn__mjcf_grow(m, m->equalities, m->equality_count, &m->equality_capacity, sizeof *m->equalities);
  if (!grown) return NULL;
  m->equalities = grown;
  if (!jn__mjcf_take_bytes(m, JN_LOOP_COST)) return NULL;
  jn_mjcf_equality *q = &m->equalities[m->equality_count++];
  *q = (jn_mjcf_equality){.node = node, .kind = (int)m->nodes[node].kind, .b = -1};
  memcpy(q->placement_a, identity, sizeof identity);
  memcpy(q->placement_b, identity, sizeof identity);
  return q;
}

/* polycoef, of which only the linear part can be expressed. 0: it is refused. */
static int read_line(jn_mjcf *m, const jn_mjcf_element *e, int alone, double *offset, double *ratio) {
  double c[5] = {0, 1, 0, 0, 0};
  jn__mjcf_numbers(m, e, "polycoef", c, 5);
  *offset = c[0];
  *ratio = alone ? 0 : c[1];
  if (alone || (c[2] == 0 && c[3] == 0 && c[4] == 0)) return 1;
  jn__mjcf_refuse(m, e->node, "keep the first two numbers of polycoef, and let the others be 0",
                  "a coupling that is not linear (polycoef) cannot be expressed");
  return 0;
}

void jn__mjcf_resolve(jn_mjcf *m, int joint) {
  jn_mjcf_joint *all = m->joints;
  for (int more = 1; more;) { /* each round halves the way for all joints on it */
    more = 0;
    for (int k = joint; all[k].leader >= 0 && all[all[k].leader].leader >= 0; k = all[k].leader) {
      const jn_mjcf_joint *leader = &all[all[k].leader];
      all[k].offset += all[k].ratio * leader->offset;
      all[k].ratio *= leader->ratio;
      all[k].leader = leader->leader;
      more = 1;
    }
  }
}

/* 1 when joint j follows `other`, which follows none, perhaps through further joints. */
static int follows(jn_mjcf *m, int j, int other) {
  jn__mjcf_resolve(m, j);
  return j == other || m->joints[j].leader == other;
}

static void same_joints(jn_mjcf *m, const jn_mjcf_element *e) {
  double offset, ratio;
  int alone = jn__mjcf_own(m, e->node, "joint2") == NULL;
  int a = named_joint(m, e->node, "joint1"), b = alone ? -1 : named_joint(m, e->node, "joint2");
  if (a < 0 || (!alone && b < 0) || !read_line(m, e, alone, &offset, &ratio)) return;
  jn_mjcf_joint *j = &m->joints[a];
  if (b >= 0 && ratio != 0 && j->leader < 0 && !follows(m, b, a)) {
    j->leader = b;
    j->ratio = ratio;
    j->offset = j->ref + offset - ratio * m->joints[b].ref;
    return;
  }
  jn_mjcf_equality *q = add_equality(m, e->node);
  if (q) *q = (jn_mjcf_equality){.node = e->node, .kind = q->kind, .a = a, .b = b, .offset = offset, .ratio = ratio};
}

/* A fixed tendon by its attribute; -1 after telling. */
static int named_tendon(jn_mjcf *m, int node, const char *attribute) {
  const char *name = jn__mjcf_own(m, node, attribute);
  int t = name ? jn__mjcf_named(m, &m->tendon_names, node, attribute, "tendon", name) : -1;
  if (!name)
    jn__mjcf_log(m, JN_ERROR, JN_ERR_SYNTAX, "mjcf-equality", node, NULL, "there is no attribute '%s'", attribute);
  if (t < 0 || m->tendons[t].fixed) return t;
  jn__mjcf_refuse(m, node, NULL, "a condition on the spatial tendon '%.*s' cannot be expressed", JN_CLIP(name));
  return -1;
}

static void same_tendons(jn_mjcf *m, const jn_mjcf_element *e) {
  double offset, ratio;
  int alone = jn__mjcf_own(m, e->node, "tendon2") == NULL;
  int a = named_tendon(m, e->node, "tendon1"), b = alone ? -1 : named_tendon(m, e->node, "tendon2");
  if (a < 0 || (!alone && b < 0) || !read_line(m, e, alone, &offset, &ratio)) return;
  jn_mjcf_equality *q = add_equality(m, e->node);
  if (q) *q = (jn_mjcf_equality){.node = e->node, .kind = q->kind, .a = a, .b = b, .offset = offset, .ratio = ratio};
}

/* ---- connect and weld ---- */

/* The two sites of a connect or weld: 1 read, 0 there are none, -1 wrong. */
static int read_sites(jn_mjcf *m, jn_mjcf_equality *q) {
  static const char *const names[2] = {"site1", "site2"};
  int *bodies[2] = {&q->a, &q->b}, given = 0;
  double *placements[2] = {q->placement_a, q->placement_b};
  for (int i = 0; i < 2; i++) {
    const char *name = jn__mjcf_own(m, q->node, names[i]);
    if (!name) continue;
    int s = jn__mjcf_named(m, &m->site_names, q->node, names[i], "site", name);
    if (s < 0) return -1;
    const jn_mjcf_item *site = &m->sites[s];
    double half;
    jn__mjcf_pose(m, &site->element, placements[i]);
    jn__mjcf_ends(m, &site->element, placements[i], &half);
    jn__mjcf_multiply(site->frame, placements[i], placements[i]);
    *bodies[i] = site->body;
    given++;
  }
  if (given == 1)
    jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-equality", q->node, "name two sites, or two bodies",
                 "only one of site1 and site2 is given");
  return given == 1 ? -1 : given == 2;
}

static int read_bodies(jn_mjcf *m, jn_mjcf_equality *q) {
  const char *one = jn__mjcf_own(m, q->node, "body1"), *two = jn__mjcf_own(m, q->node, "body2");
  if (!one) {
    jn__mjcf_log(m, JN_ERROR, JN_ERR_SYNTAX, "mjcf-equality", q->node, "name body1, or site1 and site2",
                 "there is no attribute 'body1'");
    return 0;
  }
  q->a = jn__mjcf_named(m, &m->body_names, q->node, "body1", "body", one);
  q->b = two ? jn__mjcf_named(m, &m->body_names, q->node, "body2", "body", two) : 0;
  return q->a >= 0 && q->b >= 0;
}

/* Where a placement in body `from` is in body `to`, with all bodies where the file has them. */
static void carry(const jn_mjcf *m, int from, int to, const double in[16], double out[16]) {
  double inverse[16], world[16];
  jn__mjcf_multiply(m->bodies[from].home, in, world);
  jn__mjcf_invert(m->bodies[to].home, inverse);
  jn__mjcf_multiply(inverse, world, out);
}

static void set_point(double T[16], const double point[3]) {
  for (int i = 0; i < 3; i++) T[4 * i + 3] = point[i];
}

/* The anchor is a point of body 1; the bodies meet there. */
static int read_connect(jn_mjcf *m, const jn_mjcf_element *e, jn_mjcf_equality *q) {
  double anchor[3];
  if (!jn__mjcf_vector(m, e, "anchor", anchor, 3)) {
    jn__mjcf_log(m, JN_ERROR, JN_ERR_SYNTAX, "mjcf-equality", e->node, NULL, "there is no point 'anchor'");
    return 0;
  }
  set_point(q->placement_a, anchor);
  carry(m, q->a, q->b, q->placement_a, q->placement_b);
  return 1;
}

/* relpose (position of the anchor, orientation of body 2) is in body 1; the anchor is a point of body 2. Without an
 * orientation the bodies are held as the file has them. */
static int read_weld(jn_mjcf *m, const jn_mjcf_element *e, jn_mjcf_equality *q) {
  double anchor[3] = {0}, pose[7] = {0, 1, 0, 0, 0, 0, 0};
  jn__mjcf_vector(m, e, "anchor", anchor, 3);
  int given = jn__mjcf_vector(m, e, "relpose", pose, 7);
  double norm = sqrt(pose[3] * pose[3] + pose[4] * pose[4] + pose[5] * pose[5] + pose[6] * pose[6]);
  set_point(q->placement_b, anchor);
  if (!given || norm == 0) {
    carry(m, q->b, q->a, q->placement_b, q->placement_a);
  } else {
    const double turn[4] = {pose[4] / norm, pose[5] / norm, pose[6] / norm, pose[3] / norm};
    jn__turn_quaternion(q->placement_a, turn);
    set_point(q->placement_a, pose);
  }
  return 1;
}

static void hold_bodies(jn_mjcf *m, const jn_mjcf_element *e) {
  jn_mjcf_equality *q = add_equality(m, e->node);
  if (!q) return;
  int sites = read_sites(m, q), good = sites > 0;
  if (sites == 0 && read_bodies(m, q)) good = q->kind == JN_MJCF_CONNECT ? read_connect(m, e, q) : read_weld(m, e, q);
  if (!good) m->equality_count--;
}

void jn__mjcf_read_equalities(jn_mjcf *m) {
  for (int i = 0; i < m->node_count && m->stopped == JN_OK; i++) {
    jn_mjcf_kind kind = m->nodes[i].kind;
    if (kind != JN_MJCF_CONNECT && kind != JN_MJCF_WELD && kind != JN_MJCF_SAME_JOINTS && kind != JN_MJCF_SAME_TENDONS)
      continue;
    jn_mjcf_element e = jn__mjcf_element(m, i, JN_MJCF_DEFAULT_EQUALITY, 0);
    if (m->settings.no_equality || !jn__mjcf_word(m, &e, "active", "false true", 1)) {
      jn__mjcf_log(m, JN_NOTE, JN_OK, "mjcf-inactive", i, NULL, "it is not active, and so not read");
      continue;
    }
    if (kind == JN_MJCF_SAME_JOINTS)
      same_joints(m, &e);
    else if (kind == JN_MJCF_SAME_TENDONS)
      same_tendons(m, &e);
    else
      hold_bodies(m, &e);
  }
}

/* ---- To the builder ---- */

/* Adds factor (q - ref) of a joint; of one that follows another, what that makes of it. 0: too many terms. */
static int add_term(jn_mjcf *m, jn_loop *loop, int joint, double factor) {
  const jn_mjcf_joint *j = &m->joints[joint];
  jn__mjcf_resolve(m, joint);
  loop->offset += factor * j->ref;
  if (j->leader >= 0 && !m->builder->options.ignore_mimic) {
    loop->offset -= factor * j->offset;
    factor *= j->ratio;
    j = &m->joints[j->leader];
  }
  int i = 0;
  while (i < loop->term_count && strcmp(loop->term[i].joint, j->label) != 0) i++;
  if (i == JN_COUPLING_TERMS) return 0;
  if (i == loop->term_count) loop->term[loop->term_count++] = (jn_coupling){j->label, 0, 0};
  loop->term[i].factor += factor;
  return 1;
}

static int add_tendon(jn_mjcf *m, jn_loop *loop, int tendon, double factor) {
  int node = m->tendons[tendon].node, good = 1;
  for (int i = node + 1; i < m->nodes[node].end && good; i = m->nodes[i].end) {
    const jn_mjcf_element e = {.node = i};
    int j = jn__mjcf_find(&m->joint_names, jn__mjcf_own(m, i, "joint")); /* told when the tendon was read */
    if (j >= 0) good = add_term(m, loop, j, factor * jn__mjcf_number(m, &e, "coef", 1));
  }
  return good;
}

/* The sum of the terms is the offset; 0 when nothing is left to hold. */
static int make_coupling(jn_mjcf *m, const jn_mjcf_equality *q, jn_loop *loop) {
  int tendon = q->kind == JN_MJCF_SAME_TENDONS, good = 1, kept = 0;
  loop->type = JN_LOOP_COUPLING;
  loop->offset = q->offset;
  for (int side = 0; side < 2 && good; side++) {
    int which = side ? q->b : q->a;
    double factor = side ? -q->ratio : 1;
    if (which < 0 || factor == 0) continue;
    good = tendon ? add_tendon(m, loop, which, factor) : add_term(m, loop, which, factor);
  }
  if (!good) {
    jn__mjcf_refuse(m, q->node, NULL, "it has more than %d terms", (int)JN_COUPLING_TERMS);
    return 0;
  }
  for (int i = 0; i < loop->term_count; i++)
    if (loop->term[i].factor != 0) loop->term[kept++] = loop->term[i];
  loop->term_count = kept;
  if (kept == 0)
    jn__mjcf_log(m, loop->offset == 0 ? JN_NOTE : JN_ERROR, JN_ERR_MODEL, "mjcf-equality", q->node, NULL, "%s",
                 loop->offset == 0 ? "other conditions say this already" : "it contradicts other conditions");
  return kept > 0;
}

static const char *name_loop(jn_mjcf *m, int i) {
  const char *name = jn__mjcf_own(m, m->equalities[i].node, "name");
  char text[64];
  snprintf(text, sizeof text, "%s_%d", m->nodes[m->equalities[i].node].name, i + 1);
  if (!name || !*name) name = jn__mjcf_copy(m, text);
  return name ? jn__mjcf_new_name(m, &m->loops, name, "_") : NULL;
}

void jn__mjcf_add_loops(jn_mjcf *m) {
  for (int i = 0; i < m->equality_count && m->stopped == JN_OK; i++) {
    const jn_mjcf_equality *q = &m->equalities[i];
    jn_loop loop;
    jn_loop_init(&loop);
    loop.name = name_loop(m, i);
    if (!loop.name) return;
    if (q->kind == JN_MJCF_CONNECT || q->kind == JN_MJCF_WELD) {
      loop.type = q->kind == JN_MJCF_CONNECT ? JN_LOOP_SPHERICAL : JN_LOOP_WELD;
      loop.link_a = q->a > 0 ? m->bodies[q->a].name : "world";
      loop.link_b = q->b > 0 ? m->bodies[q->b].name : "world";
      memcpy(loop.placement_a, q->placement_a, sizeof q->placement_a);
      memcpy(loop.placement_b, q->placement_b, sizeof q->placement_b);
    } else if (!make_coupling(m, q, &loop)) {
      continue;
    }
    if (jn_builder_add_loop(m->builder, &loop) != JN_OK) {
      jn__mjcf_no_memory(m);
      return;
    }
    const jn_mjcf_node *n = &m->nodes[q->node];
    jn__builder_place_loop(m->builder, n->file == 0 ? n->line : 0, n->file == 0 ? n->column : 0);
  }
}

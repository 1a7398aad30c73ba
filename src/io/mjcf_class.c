/* SPDX-License-Identifier: BSD-2-Clause */
/* Default classes, and the attributes of an element with the settings of its class. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mjcf.h"

/* ---- Attributes ---- */

static const char *look_up(const jn_mjcf_attribute *list, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(list[i].name, name) == 0) return list[i].value;
  return NULL;
}

const char *jn__mjcf_own(const jn_mjcf *m, int node, const char *name) {
  const jn_mjcf_node *n = &m->nodes[node];
  return n->count ? look_up(m->attributes + n->first, n->count, name) : NULL;
}

const char *jn__mjcf_get(const jn_mjcf *m, const jn_mjcf_element *e, const char *name) {
  const char *own = jn__mjcf_own(m, e->node, name);
  return own ? own : look_up(e->defaults, e->default_count, name);
}

static const char *after_blanks(const char *s) { return s + strspn(s, " \t\r\n"); }

/* Up to n numbers separated by blanks: how many, or -1 and what is wrong. */
static int read_numbers(const char *text, double *out, int n, const char **wrong) {
  int count = 0;
  for (const char *at = after_blanks(text); *at; count++) {
    char *end;
    if (count == n) {
      *wrong = "has too many numbers";
      return -1;
    }
    out[count] = jn__read_number(at, &end);
    *wrong = end == at || (*end && !strchr(" \t\r\n", *end)) ? "is not a number"
             : isfinite(out[count])                          ? NULL
                                                             : "is not finite";
    if (*wrong) return -1;
    at = after_blanks(end);
  }
  *wrong = "is empty";
  return count ? count : -1;
}

int jn__mjcf_numbers(jn_mjcf *m, const jn_mjcf_element *e, const char *name, double *out, int n) {
  double values[16] = {0};
  const char *text = jn__mjcf_get(m, e, name), *wrong = NULL;
  if (!text) return 0;
  int count = read_numbers(text, values, n, &wrong);
  if (count > 0) {
    memcpy(out, values, (size_t)count * sizeof *out);
    return count;
  }
  char remedy[96];
  snprintf(remedy, sizeof remedy,
           n == 1 ? "give one number, with a decimal point"
                  : "give at most %d numbers separated by blanks, with decimal points",
           n);
  jn__mjcf_log(m, JN_ERROR, JN_ERR_SYNTAX, "mjcf-number", e->node, remedy, "attribute '%s' %s: \"%.*s\"", name, wrong,
               JN_CLIP(text));
  return 0;
}

double jn__mjcf_number(jn_mjcf *m, const jn_mjcf_element *e, const char *name, double otherwise) {
  double value;
  return jn__mjcf_numbers(m, e, name, &value, 1) ? value : otherwise;
}

int jn__mjcf_vector(jn_mjcf *m, const jn_mjcf_element *e, const char *name, double *out, int n) {
  double values[16];
  int count = jn__mjcf_numbers(m, e, name, values, n);
  if (count == 0) return 0;
  if (count == n) {
    memcpy(out, values, (size_t)n * sizeof *out);
    return 1;
  }
  char remedy[64];
  snprintf(remedy, sizeof remedy, "give %d numbers separated by blanks", n);
  jn__mjcf_log(m, JN_ERROR, JN_ERR_SYNTAX, "mjcf-number", e->node, remedy,
               "attribute '%s' has too few numbers: %d instead of %d", name, count, n);
  return 0;
}

int jn__mjcf_word(jn_mjcf *m, const jn_mjcf_element *e, const char *name, const char *list, int otherwise) {
  const char *text = jn__mjcf_get(m, e, name);
  if (!text) return otherwise;
  int place = 0;
  for (const char *at = list; *at; place++) {
    size_t n = strcspn(at, " ");
    if (strlen(text) == n && strncmp(at, text, n) == 0) return place;
    at += n + strspn(at + n, " ");
  }
  char remedy[160];
  snprintf(remedy, sizeof remedy, "known are: %s", list);
  jn__mjcf_log(m, JN_ERROR, JN_ERR_SYNTAX, "mjcf-word", e->node, remedy, "attribute '%s' is not known: \"%.*s\"", name,
               JN_CLIP(text));
  return otherwise;
}

int jn__mjcf_range(jn_mjcf *m, const jn_mjcf_element *e, const char *limited, const char *range, double out[2]) {
  enum { NO, YES, AUTO };
  out[0] = out[1] = 0;
  int given = jn__mjcf_vector(m, e, range, out, 2), holds = jn__mjcf_word(m, e, limited, "false true auto", AUTO);
  if (holds == AUTO && given && !m->settings.autolimits) {
    jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-range", e->node,
                 "say which holds: limited=\"true\" or \"false\"; or set autolimits=\"true\" in <compiler>",
                 "there is an attribute '%s', but autolimits is off and '%s' is not given", range, limited);
  }
  if (holds == AUTO && given && out[0] >= out[1] && (out[0] != 0 || out[1] != 0))
    jn__mjcf_log(m, JN_WARNING, JN_ERR_MODEL, "mjcf-range", e->node, "give the lower end first",
                 "attribute '%s' leaves no room: as in MuJoCo, it does not count", range);
  if (holds == AUTO) holds = given && out[0] < out[1];
  return holds == YES;
}

/* ---- Classes ---- */

/* The settings of one kind: those of `outer`, and over them the attributes of a node. */
static void add_settings(jn_mjcf *m, jn_mjcf_class *c, int kind, const jn_mjcf_node *n) {
  if (n->count == 0) return;
  const jn_mjcf_attribute *own = m->attributes + n->first, *old = c->settings[kind];
  jn_mjcf_attribute *all = jn__mjcf_allocate(m, (size_t)(c->count[kind] + n->count) * sizeof *all);
  if (!all) return;
  int count = 0;
  for (int i = 0; i < n->count; i++) all[count++] = own[i];
  for (int i = 0; i < c->count[kind]; i++)
    if (!look_up(own, n->count, old[i].name)) all[count++] = old[i];
  c->settings[kind] = all;
  c->count[kind] = count;
}

static int add_class(jn_mjcf *m, const char *name, int outer) {
  void *grown = jn__mjcf_grow(m, m->classes, m->class_count, &m->class_capacity, sizeof *m->classes);
  if (!grown) return 0;
  m->classes = grown;
  m->classes[m->class_count] = outer >= 0 ? m->classes[outer] : (jn_mjcf_class){0};
  m->classes[m->class_count].name = name;
  jn__mjcf_put(m, &m->class_names, name, m->class_count);
  return m->class_count++;
}

/* The class that a <default> opens: 0 for the outermost one. */
static int open_class(jn_mjcf *m, int node, int outer, int outermost) {
  const char *name = jn__mjcf_own(m, node, "class");
  if (outermost) {
    if (name && strcmp(name, "main") != 0)
      jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-class", node, "put a <default> around it",
                   "the outermost class cannot have another name than 'main'");
    return 0;
  }
  if (!name || !*name || jn__mjcf_find(&m->class_names, name) >= 0) {
    jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-class", node, NULL, "%s",
                 name && *name ? "there is another default class of this name" : "a class inside another needs a name");
    return outer;
  }
  return add_class(m, name, outer);
}

/* MuJoCo reads the settings of a class before the classes inside it, whatever the order in the file. */
static void read_class(jn_mjcf *m, int node, int class) {
  for (int i = node + 1; i < m->nodes[node].end && m->stopped == JN_OK; i = m->nodes[i].end) {
    const jn_mjcf_node *n = &m->nodes[i];
    int kind = (int)n->kind - JN_MJCF_FIRST_CLASSED;
    if (kind >= 0) add_settings(m, &m->classes[class], kind, n);
  }
}

void jn__mjcf_read_classes(jn_mjcf *m) {
  add_class(m, "main", -1);
  int *class_of = jn__mjcf_allocate(m, (size_t)m->node_count * sizeof *class_of);
  for (int i = 0; i < m->node_count && m->stopped == JN_OK; i++) {
    if (m->nodes[i].kind != JN_MJCF_DEFAULT) continue;
    int parent = m->nodes[i].parent, outermost = m->nodes[parent].kind != JN_MJCF_DEFAULT;
    class_of[i] = open_class(m, i, outermost ? 0 : class_of[parent], outermost);
    if (m->stopped == JN_OK) read_class(m, i, class_of[i]);
  }
}

int jn__mjcf_class_of(jn_mjcf *m, int node, const char *attribute, int inherited) {
  const char *name = jn__mjcf_own(m, node, attribute);
  if (!name) return inherited;
  int class = jn__mjcf_named(m, &m->class_names, node, attribute, "default class", name);
  return class >= 0 ? class : inherited;
}

jn_mjcf_element jn__mjcf_element(jn_mjcf *m, int node, jn_mjcf_kind kind, int inherited) {
  const jn_mjcf_class *c = &m->classes[jn__mjcf_class_of(m, node, "class", inherited)];
  int k = (int)kind - JN_MJCF_FIRST_CLASSED;
  return (jn_mjcf_element){node, c->settings[k], c->count[k]};
}

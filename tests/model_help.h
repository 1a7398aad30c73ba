/* SPDX-License-Identifier: BSD-2-Clause */
/* Building small models and looking at the messages of freezing. */
#ifndef JN_TESTS_MODEL_HELP_H
#define JN_TESTS_MODEL_HELP_H

#include "counting.h"
#include "models.h"

#include "model/model.h"

/* ---- helpers ---- */

typedef struct scene {
  jn_report *report;
  jn_options options;
  jn_builder *b;
  jn_model *m;
  jn_error error;
} scene;

static UNUSED void begin(scene *s) {
  memset(s, 0, sizeof *s);
  s->report = jn_report_create(NULL);
  jn_options_init(&s->options);
  s->options.report = s->report;
}

static UNUSED void create(scene *s) { check_ok(jn_builder_create(&s->options, &s->b)); }

static UNUSED void end(scene *s) {
  jn_model_destroy(s->m);
  jn_builder_destroy(s->b);
  jn_report_destroy(s->report);
}

static UNUSED jn_link plain(const char *name, const char *parent, jn_joint_type type) {
  jn_link l;
  jn_link_init(&l);
  l.name = name;
  l.parent = parent;
  l.joint.type = type;
  l.placement[3] = 0.5;
  jn_inertia_pack(1, (double[3]){0.1, 0, 0}, (double[6]){0.01, 0.01, 0.01, 0, 0, 0}, l.inertia);
  return l;
}

static UNUSED void add(scene *s, jn_link l) { check_ok(jn_builder_add_link(s->b, &l)); }

static UNUSED const jn_message *find(const scene *s, const char *rule, int nth) {
  for (int i = 0; i < jn_report_count(s->report); i++)
    if (strcmp(jn_report_message(s->report, i)->rule, rule) == 0 && nth-- == 0) return jn_report_message(s->report, i);
  return NULL;
}

static UNUSED void expect(scene *s, jn_status status, const char *rule, const char *subject, const char *text) {
  jn_status got = jn_builder_freeze(s->b, &s->m, &s->error);
  check(got == status, "status %d (%s), expected %d", (int)got, s->error.text, (int)status);
  const jn_message *m = find(s, rule, 0);
  check(m, "no message of rule %s; first error: %s", rule, s->error.text);
  check(strstr(m->subject, subject), "subject %s, expected %s", m->subject, subject);
  check(strstr(m->text, text), "text \"%s\" should say \"%s\"", m->text, text);
  check(*m->remedy, "rule %s gives a remedy", rule);
  check((status == JN_OK) == (s->m != NULL), "a model exactly when it is usable");
}

#endif

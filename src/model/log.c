/* SPDX-License-Identifier: BSD-2-Clause */
#include "log.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../text/printable.h"
#include "memory.h"

enum { RULE = 48, MORE = 96 };

/* How often a rule was reported. */
typedef struct rule_count {
  char rule[RULE];
  jn_severity severity;
  int count;
  char *more; /* [MORE] text of the message that says how many more there are, NULL before it exists */
} rule_count;

struct jn_report {
  jn_allocator allocator;
  jn_message *messages;
  char **blocks; /* blocks[i] holds the strings of messages[i] */
  rule_count *rules;
  int count, capacity, block_capacity;
  int rule_number, rule_capacity;
};

jn_report *jn_report_create(const jn_allocator *allocator) {
  jn_allocator a = jn__allocator(allocator);
  jn_report *r = jn__allocate(&a, sizeof *r);
  if (r) r->allocator = a;
  return r;
}

void jn_report_destroy(jn_report *report) {
  if (!report) return;
  jn_allocator allocator = report->allocator;
  for (int i = 0; i < report->count; i++) jn__release(&allocator, report->blocks[i]);
  jn__release(&allocator, report->blocks);
  jn__release(&allocator, report->messages);
  jn__release(&allocator, report->rules);
  jn__release(&allocator, report);
}

int jn_report_count(const jn_report *report) { return report ? report->count : 0; }

int jn_report_count_of(const jn_report *report, jn_severity severity) {
  int n = 0;
  for (int i = 0; report && i < report->rule_number; i++)
    if (report->rules[i].severity == severity) n += report->rules[i].count;
  return n;
}

int jn_report_count_rule(const jn_report *report, jn_severity severity, const char *rule) {
  for (int i = 0; report && rule && i < report->rule_number; i++)
    if (report->rules[i].severity == severity && strcmp(report->rules[i].rule, rule) == 0)
      return report->rules[i].count;
  return 0;
}

const jn_message *jn_report_message(const jn_report *report, int i) {
  return i >= 0 && i < jn_report_count(report) ? &report->messages[i] : NULL;
}

static const char *put(char **at, const char *s) {
  size_t n = strlen(s) + 1;
  char *start = memcpy(*at, s, n);
  *at += n;
  return start;
}

/* Texts contain names from files, so characters that a terminal would act on are replaced. */
static const char *put_shown(char **at, const char *s) {
  char *start = *at;
  put(at, s);
  jn__make_printable(start, 0);
  return start;
}

/* The entry of a rule, created if there is none; NULL if out of memory. */
static rule_count *count_rule(jn_report *r, const jn_message *m) {
  for (int i = 0; i < r->rule_number; i++)
    if (r->rules[i].severity == m->severity && strncmp(r->rules[i].rule, m->rule, RULE - 1) == 0) return &r->rules[i];
  void *grown = jn__grow(&r->allocator, r->rules, r->rule_number, &r->rule_capacity, sizeof *r->rules);
  if (!grown) return NULL;
  r->rules = grown;
  rule_count *one = &r->rules[r->rule_number++];
  *one = (rule_count){.severity = m->severity};
  snprintf(one->rule, sizeof one->rule, "%s", m->rule);
  return one;
}

/* 0 if out of memory. */
static int keep(jn_report *r, const jn_message *m) {
  void *grown = jn__grow(&r->allocator, r->messages, r->count, &r->capacity, sizeof *r->messages);
  if (!grown) return 0;
  r->messages = grown;
  grown = jn__grow(&r->allocator, r->blocks, r->count, &r->block_capacity, sizeof *r->blocks);
  if (!grown) return 0;
  r->blocks = grown;
  size_t bytes = strlen(m->rule) + strlen(m->file) + strlen(m->subject) + strlen(m->text) + strlen(m->remedy) + 5;
  char *block = jn__allocate(&r->allocator, bytes), *at = block;
  if (!block) return 0;
  jn_message copy = *m;
  copy.rule = put(&at, m->rule);
  copy.file = put(&at, m->file);
  copy.subject = put_shown(&at, m->subject);
  copy.text = put_shown(&at, m->text);
  copy.remedy = put_shown(&at, m->remedy);
  r->blocks[r->count] = block;
  r->messages[r->count++] = copy;
  return 1;
}

/* The first messages of a rule are kept; later ones are only counted. 0 if out of memory. */
static int report_add(jn_report *r, const jn_message *m) {
  rule_count *rule = count_rule(r, m);
  if (!rule) return 0;
  rule->count++;
  if (rule->count <= JN_REPORT_SAME) return keep(r, m);
  if (!rule->more) { /* in a block as long as the longest possible text */
    char blanks[MORE];
    memset(blanks, ' ', sizeof blanks - 1);
    blanks[sizeof blanks - 1] = 0;
    jn_message more = {m->severity, 0, 0, m->rule, m->file, "", blanks, ""};
    if (!keep(r, &more)) return 0;
    rule->more = (char *)(uintptr_t)r->messages[r->count - 1].text;
  }
  snprintf(rule->more, MORE, "%d more of the kind '%.40s' are not listed", rule->count - JN_REPORT_SAME, rule->rule);
  return 1;
}

/* Is `subject`, e.g. "link 'left_hand'", the same as `own`, "link 'hand'", with a prefix in front of the name? */
static int is_subject(const char *own, const char *subject, const char *prefix) {
  size_t start = strcspn(own, "'") + 1, n = strlen(prefix);
  if (start > strlen(own)) return strcmp(own, subject) == 0;
  return strncmp(own, subject, start) == 0 && strncmp(subject + start, prefix, n) == 0 &&
         strcmp(own + start, subject + start + n) == 0;
}

int jn__report_has(const jn_report *r, const jn_message *m, const char *prefix) {
  for (int i = 0; i < r->count; i++) {
    const jn_message *own = &r->messages[i];
    if (own->severity != m->severity || strcmp(own->rule, m->rule) != 0) continue;
    if (!*m->subject || is_subject(own->subject, m->subject, prefix)) return 1;
  }
  return 0;
}

int jn__report_copy(jn_report *r, const jn_message *m) { return report_add(r, m); }

/* Appends as much of s as fits. */
static void append(char *out, size_t size, const char *s) {
  size_t used = strlen(out), n = strlen(s);
  if (n > size - used - 1) n = size - used - 1;
  memcpy(out + used, s, n);
  out[used + n] = 0;
}

static void keep_first(jn_error *first, jn_status status, const jn_message *m) {
  if (first->status != JN_OK) return;
  first->status = status;
  first->line = m->line;
  first->column = m->column;
  append(first->file, sizeof first->file, m->file);
  const char *parts[5] = {m->subject, *m->subject ? ": " : "", m->text, *m->remedy ? "; " : "", m->remedy};
  for (int i = 0; i < 5; i++) append(first->text, sizeof first->text, parts[i]);
  jn__make_printable(first->text, 0);
}

void jn__log(jn_log *log, jn_severity severity, jn_status status, const char *rule, jn_place place, const char *subject,
             const char *remedy, const char *format, ...) {
  char text[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (severity == JN_ERROR) log->broken = 1;
  if (severity == JN_WARNING && log->strict) severity = JN_ERROR;
  jn_message m = {
      severity, place.line,          place.column, rule, place.file ? place.file : "", subject ? subject : "",
      text,     remedy ? remedy : ""};
  if (severity == JN_ERROR) keep_first(&log->first, status == JN_OK ? JN_ERR_MODEL : status, &m);
  if (log->report && !report_add(log->report, &m)) {
    jn_message none = {JN_ERROR, 0, 0, "memory", m.file, "", "no memory for the report", ""};
    keep_first(&log->first, JN_ERR_MEMORY, &none);
  }
}

jn_status jn__log_end(const jn_log *log, jn_error *error) {
  if (error) *error = log->first;
  return log->first.status;
}

jn_status jn__fail(jn_error *error, jn_status status, const char *file, const char *format, ...) {
  if (!error) return status;
  memset(error, 0, sizeof *error);
  error->status = status;
  if (file) snprintf(error->file, sizeof error->file, "%s", file);
  va_list list;
  va_start(list, format);
  vsnprintf(error->text, sizeof error->text, format, list);
  va_end(list);
  jn__make_printable(error->text, 0);
  return status;
}

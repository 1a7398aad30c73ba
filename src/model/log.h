/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects messages for the caller: all of them go to the report, the first error to a jn_error. */
#ifndef JN_MODEL_LOG_H
#define JN_MODEL_LOG_H

#include "jounce/base.h"

typedef struct jn_log {
  jn_report *report; /* may be NULL */
  jn_error first;    /* status JN_OK until the first error */
  int strict;        /* warnings count as errors */
  int broken; /* an error was found that is not just a warning in strict mode: further checks may not make sense */
} jn_log;

/* Where a message points to, and what it is about. */
typedef struct jn_place {
  const char *file; /* may be NULL */
  int line;
  int column;
} jn_place;

/* Add a message. `status` is used when it is an error. `subject` like "link 'base'" (or NULL), `remedy` may be NULL. */
void jn__log(jn_log *log, jn_severity severity, jn_status status, const char *rule, jn_place place, const char *subject,
             const char *remedy, const char *format, ...) __attribute__((format(printf, 8, 9)));
/* Is there a message of this severity and rule about this subject? `prefix` precedes the names in r. */
int jn__report_has(const jn_report *r, const jn_message *m, const char *prefix);
/* Adds a copy of a message; 0 if out of memory. */
int jn__report_copy(jn_report *r, const jn_message *m);
/* The first error as status, copied to *error if that is not NULL. */
jn_status jn__log_end(const jn_log *log, jn_error *error);
/* Fill *error (may be NULL) for a failure that has no log, and return status. */
jn_status jn__fail(jn_error *error, jn_status status, const char *file, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif

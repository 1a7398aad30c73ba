/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/base.h: what every other header needs: version, status codes, errors, reports, memory.
 * Tier: stable (docs/stability.md).
 *
 * Conventions of the whole library: SI units, right-handed frames. A twist is (angular, linear), a wrench is
 * (moment, force): angular part first. Quaternions are x, y, z, w, unit, body to parent. Matrices are row-major.
 * A pose is a 4x4 row-major homogeneous matrix, double[16]. No function prints, exits or keeps global state; what
 * jn_set_stop() sets belongs to the calling thread. */
#ifndef JOUNCE_BASE_H
#define JOUNCE_BASE_H

#include <stddef.h>

#if defined(JOUNCE_STATIC)
#define JN_API
#elif defined(_WIN32) && defined(JOUNCE_BUILDING)
#define JN_API __declspec(dllexport)
#elif defined(_WIN32)
#define JN_API __declspec(dllimport)
#else
#define JN_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Version of these headers; jn_version() returns the version of the library. */
#define JN_VERSION_MAJOR 0
#define JN_VERSION_MINOR 1
#define JN_VERSION_PATCH 0

/* Version of the library that is running, "major.minor.patch". */
JN_API const char *jn_version(void);

/* Status codes and their texts come from this one list: code, number, text. */
#define JN_STATUS_LIST(X)                                                                                          \
  X(JN_OK, 0, "no error")                                                                                          \
  X(JN_ERR_NULL, 1, "a required argument is NULL")                                                                 \
  X(JN_ERR_SIZE, 2, "a size, count or stride is too small or out of range")                                        \
  X(JN_ERR_INDEX, 3, "an index is outside the model")                                                              \
  X(JN_ERR_NAME, 4, "no link, joint, frame or loop has this name")                                                 \
  X(JN_ERR_MEMORY, 5, "out of memory")                                                                             \
  X(JN_ERR_MODEL, 6, "the model description breaks a rule")                                                        \
  X(JN_ERR_FILE, 7, "a file cannot be read or written")                                                            \
  X(JN_ERR_SYNTAX, 8, "a file is not in the format it should have")                                                \
  X(JN_ERR_WORK, 9, "the work memory was made for another model, or for less")                                     \
  X(JN_ERR_VARIANT, 10, "JOUNCE_VARIANT names no kernel variant of this build that this CPU can run")              \
  X(JN_ERR_SINGULAR, 11, "the system is singular")                                                                 \
  X(JN_ERR_UNSUPPORTED, 12, "this build or this file format cannot do that")                                       \
  X(JN_ERR_LOOP, 13, "the kinematic loops are not closed, or cannot be")                                           \
  X(JN_ERR_ACTUATION, 14, "too few actuated coordinates for this motion")                                          \
  X(JN_ERR_CALLBACK, 15, "a user-defined condition or force lacks the function or derivatives that this needs")    \
  X(JN_ERR_INIT, 16, "a struct was not set up: call its init function first, as jn_options_init() for jn_options") \
  X(JN_ERR_STEP, 17, "the motion cannot be followed further: no step is small enough for the tolerance")           \
  X(JN_ERR_REACH, 18, "the targets of the tasks cannot be reached")                                                \
  X(JN_ERR_STOPPED, 19, "the call was stopped on request")

/* Return value of every function that can fail: JN_OK, or the reason for the failure. */
typedef enum jn_status {
#define JN_STATUS_ENUM(code, number, text) code = number,
  JN_STATUS_LIST(JN_STATUS_ENUM)
#undef JN_STATUS_ENUM
} jn_status;

/* The text of a status code; "unknown status" for any other number. */
JN_API const char *jn_status_text(jn_status status);

/* A function of the caller that says whether to stop: nonzero ends the call that asks with JN_ERR_STOPPED. It is asked
 * from all threads that compute for the call, so it must be fast and safe in threads. */
typedef int jn_stop_function(void *context);
/* Whom long calls of the calling thread ask from now on, many times in a tenth of a second: batches of many states,
 * simulations and rollouts, motions, searches of tasks, retiming, base parameters and identification. After a yes they
 * return JN_ERR_STOPPED, what they were writing is incomplete, and every such call of the thread ends at once until
 * jn_set_stop() is called again. NULL (the default): nobody is asked, which costs nothing. */
JN_API void jn_set_stop(jn_stop_function *stop, void *context);

/* The first error of a call that builds, reads or writes a model. The caller provides the memory, so no heap is needed.
 * text is safe to print: in names that come from files, characters that a terminal would act on are replaced by '?'.
 * file is the path exactly as the caller gave it.
 * line and column count from 1; 0 means that the error has no position in a file. file is empty when there is no file.
 */
typedef struct jn_error {
  jn_status status; /* as the call returned it */
  int line;         /* from 1; 0: no position */
  int column;
  char file[256]; /* "" when there is no file */
  char text[768]; /* what is wrong, where, and how to fix it */
} jn_error;

/* Memory functions for models, builders and reports. Only functions that create, read, freeze or write allocate memory.
 * allocate returns a block with the alignment that malloc guarantees, or NULL when out of memory. */
typedef struct jn_allocator {
  void *(*allocate)(size_t bytes, void *context); /* NULL when out of memory */
  void (*release)(void *block, void *context);    /* block may be NULL */
  void *context;                                  /* passed to both */
} jn_allocator;

/* Size limit of all readers in bytes; max_bytes in their options overrides it. It applies to the size of a file, to the
 * unpacked contents of an archive, and to the memory for the numbers of a table (8 bytes each) or the values of a JSON
 * text (64 bytes each). Larger input is refused with JN_ERR_FILE. See docs/limits.md. */
#define JN_MAX_BYTES ((size_t)256 << 20)

/* How serious a message is. */
typedef enum jn_severity {
  JN_NOTE = 0,    /* worth knowing, nothing is wrong */
  JN_WARNING = 1, /* suspicious; the model loads and computes as written (an error in strict mode) */
  JN_ERROR = 2    /* the model cannot be used */
} jn_severity;

/* One message about a model or a file. */
typedef struct jn_message {
  jn_severity severity; /* how serious it is */
  int line;             /* from 1; 0: no position */
  int column;           /* from 1; 0: no position */
  const char *rule;     /* stable short name of the rule, e.g. "inertia-triangle" */
  const char *file;     /* "" when there is no file */
  const char *subject;  /* what the message is about, e.g. "link 'base'"; "" for the whole model */
  const char *text;     /* what is wrong, with the figures */
  const char *remedy;   /* how to fix it; "" when text already says so */
} jn_message;

/* All messages about a model that is being read and frozen, in the order in which they were found, not only the first
 * error. */
typedef struct jn_report jn_report;

/* Creates an empty report. allocator NULL: malloc and free. Returns NULL when out of memory. */
JN_API jn_report *jn_report_create(const jn_allocator *allocator);
JN_API void jn_report_destroy(jn_report *report); /* Releases it; NULL is allowed. */
/* Number of messages in the report. It keeps the first JN_REPORT_SAME messages of each rule, and then one that says how
 * many more there were, so that no file can fill the memory or the screen. */
JN_API int jn_report_count(const jn_report *report);
/* Number of messages of one severity that were found, including those that the report did not keep. */
JN_API int jn_report_count_of(const jn_report *report, jn_severity severity);
/* The same for one severity and one rule. */
JN_API int jn_report_count_rule(const jn_report *report, jn_severity severity, const char *rule);
#define JN_REPORT_SAME 20
/* Message i, 0 <= i < count; NULL if i is out of range. Its strings are valid as long as the report. */
JN_API const jn_message *jn_report_message(const jn_report *report, int i);

/* Name of the kernel variant (number type and instruction set) that calls for one state in double use on this CPU, e.g.
 * "d_avx2". The environment variable JOUNCE_VARIANT, read at the first call, forces a variant. Returns NULL when it
 * names a variant that cannot run here; every computing function then returns JN_ERR_VARIANT. */
JN_API const char *jn_variant_name(void);
/* Relative rounding unit of that variant's results in double: 2.2e-16, or 1.2e-7 for float variants; 0 when there is no
 * variant. */
JN_API double jn_variant_epsilon(void);

#ifdef __cplusplus
}
#endif
#endif

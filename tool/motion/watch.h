/* SPDX-License-Identifier: BSD-2-Clause */
/* Limited quantities along a motion, at all times: where a limit may be passed between two looks, it is looked at more
 * closely. No verdict depends on the times at which a motion is printed or written. */
#ifndef JN_TOOL_MOTION_WATCH_H
#define JN_TOOL_MOTION_WATCH_H

#include <jounce/jounce.h>
#include <stdbool.h>

/* Limits of one quantity; infinite where there is none. */
typedef struct limit {
  double lower, upper;
} limit;

/* What of a limit is used: 1 is the limit itself. Two-sided: distance from the middle. */
double limit_use(const limit *l, double value);
bool limit_is_finite(const limit *l);

typedef struct worst_case {
  double use, value, time;
  int samples;  /* beyond the limit */
  bool between; /* ... and only between samples */
} worst_case;

/* Beyond the limit, at samples or between them. Rounding in a value that should be at the limit is not. */
bool is_broken(const worst_case *w);

/* All quantities at a time. */
typedef struct look {
  double t;
  double *values, *slopes; /* [count]; NaN: there is none */
  double step;             /* longest time to the next look that this state suggests */
} look;

/* A quantity that jumps, most. */
typedef struct jump {
  double size, time; /* size 0: it does not */
} jump;

typedef struct watch {
  int count; /* of quantities */
  const limit *limits;
  worst_case *worst;
  jump *jumps;   /* rounding included: watch_jump() */
  double *sizes; /* [count] largest size that was seen */
  bool *open;    /* [count] a limit may be passed between two looks, and it was not possible to look more closely */
  look *looks;   /* two ends, and one for each time that an interval was halved */
  double *numbers;
  double begin, end; /* of the motion [s] */
  bool has_begun;
  bool is_forward; /* the motion cannot go back in time */
  long looked;     /* how often */
  double gave_up;  /* from this time on, because it would take too long; INFINITY: not */

  /* Evaluates the quantities at a time: values, slopes and step. */
  jn_status (*evaluate)(void *context, double t, look *to);
  /* The time at which to look next after t, by the inputs. *breaks: something may jump there. */
  double (*next)(void *context, double t, bool *breaks);
  void (*progress)(double part); /* 0 ... 1 */
  void *context;
} watch;

/* limits and worst [count] stay those of the caller. */
void watch_init(watch *w, int count, const limit *limits, worst_case *worst);
void watch_free(watch *w);
/* The highest frequency [Hz] of the motion between w->begin and w->end: if that takes too many looks, give up at once.
 */
void watch_expect(watch *w, double frequency);
/* Follow the motion from where it was watched last, at first from w->begin, to a time. The state is then at that time
 * or near it. */
jn_status watch_until(watch *w, double t);
/* The largest jump of a quantity; NULL: it does not jump by more than rounding. */
const jump *watch_jump(const watch *w, int i);
/* Take notice of a sample: values at a time, which are counted if they are beyond a limit. */
void watch_sample(watch *w, double t, const double *values);

#endif

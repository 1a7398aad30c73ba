/* SPDX-License-Identifier: BSD-2-Clause */
/* The one thing that a thread keeps between calls: whom its long computations ask whether to go on. */
#include "stop.h"

static _Thread_local jn_stop stop_of_thread;
static _Thread_local int was_stopped;

void jn_set_stop(jn_stop_function *stop, void *context) {
  stop_of_thread = (jn_stop){stop, context};
  was_stopped = 0;
}

int jn__is_stopped(void) {
  if (!stop_of_thread.asked || was_stopped) return was_stopped;
  was_stopped = stop_of_thread.asked(stop_of_thread.context) != 0;
  return was_stopped;
}

jn_stop jn__stop_get(void) { return stop_of_thread; }

void jn__stop_put(jn_stop stop) {
  if (stop.asked != stop_of_thread.asked || stop.context != stop_of_thread.context) was_stopped = 0;
  stop_of_thread = stop;
}

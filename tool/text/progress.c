/* SPDX-License-Identifier: BSD-2-Clause */
/* How far long work is: one line on stderr that is written over and taken away at the end. Nothing when stderr is not a
 * terminal, and nothing in the first half second. */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#ifdef _WIN32
#include <io.h>
#define isatty _isatty
#define fileno _fileno
#else
#include <unistd.h>
#endif

#include "progress.h"
#include "text.h"

static const char *title;
static double begun, shown;
static bool visible;

static double now(void) {
  struct timespec t;
  return timespec_get(&t, TIME_UTC) ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0;
}

void progress_begin(const char *what) {
  progress_end();
  title = isatty(fileno(stderr)) ? what : NULL;
  begun = shown = title ? now() : 0;
}

void progress_show(double part) {
  if (!title) return;
  double time = now();
  if (time - begun < 0.5 || time - shown < 0.1) return;
  say(stderr, "\r%s: %3.0f %%\033[K", title, 100 * part);
  fflush(stderr);
  shown = time;
  visible = true;
}

void progress_end(void) {
  if (visible) fputs("\r\033[K", stderr);
  visible = false;
  title = NULL;
}

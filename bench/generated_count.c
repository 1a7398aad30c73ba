/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions of generated functions on an emulated Cortex-M4F: `script/bench --generated`. calls.h, which the script
 * makes from the prototypes, has a line CALL(name, arguments) for each function. */
#include "board.h"
#include "robot.h"

/* Any finite numbers will do: the code has no branches that depend on them, but for large angles. */
static float x[4096], y[65536];

enum { CALLS = 32, NANOSECONDS = 40 };

#define CALL(name, ...)                                                                       \
  do {                                                                                        \
    robot_##name(__VA_ARGS__);                                                                \
    const uint32_t begin = board_clock();                                                     \
    for (int i = 0; i < CALLS; i++) robot_##name(__VA_ARGS__);                                \
    board_print_number(#name " ", (int32_t)(board_clock_since(begin) * NANOSECONDS / CALLS)); \
  } while (0);

int main(void) {
  board_clock_start();
  for (int i = 0; i < 4096; i++) x[i] = 0.3f + 0.0001f * (float)i;
#include "calls.h"
  return robot_selftest();
}

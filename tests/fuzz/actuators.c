/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce motor --actuators: files of springs and motors, and motions through whatever springs they are. */
#include "command.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char motion[] = "{\"duration\": 1, \"joints\": {\"joint1\": {\"polynomial\": [0, 1]}, \"joint2\": 0.5}}";
  const char *actuators = fuzz_file(0, data, size), *path = fuzz_file(1, motion, sizeof motion - 1);
  const char *const words[] = {"motor", "builtin:planar_2r", path,          "--actuators", actuators, "--rate",
                               "10",    "--modes",           "--max-bytes", "4M",          NULL};
  fuzz_run(command_motor, words);
  return 0;
}

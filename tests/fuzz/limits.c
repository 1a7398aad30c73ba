/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce torque --limits: files of limits, JSON and CSV, and the verdict on them. */
#include "command.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char motion[] = "{\"duration\": 1, \"joints\": {\"joint1\": {\"polynomial\": [0, 1]}, \"joint2\": 0.5}}";
  char limits[300];
  snprintf(limits, sizeof limits, "--limits=%s", fuzz_file(0, data, size));
  const char *path = fuzz_file(1, motion, sizeof motion - 1);
  const char *const words[] = {"torque", "builtin:planar_2r", path, limits, "--order", "0", "--rate",
                               "10",     "--max-bytes",       "4M", NULL};
  fuzz_run(command_torque, words);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of loops beside a model, and the closed system that they make: jounce info, and jounce eval with --assemble. */
#include "command.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_file(0, data, size);
  const char *const look[] = {"info", "builtin:chain:4", "--loops", path, "--max-bytes", "4M", NULL};
  const char *const compute[] = {"eval",       "builtin:chain:4", "--loops",     path, "--want",
                                 "ddq,lambda", "--assemble",      "--max-bytes", "4M", NULL};
  if (fuzz_run(command_info, look) == 0) fuzz_run(command_eval, compute);
  return 0;
}

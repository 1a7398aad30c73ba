/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of jounce identify --coupling: which motor turns which joint. The data behind it are missing, so that nothing
 * else is computed. */
#include "command.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_file(0, data, size), *no_data = fuzz_file(1, "", 0);
  const char *const words[] = {"identify", "builtin:double_pendulum", no_data, "--coupling", path, "--max-bytes", "4M",
                               NULL};
  fuzz_run(command_identify, words);
  return 0;
}

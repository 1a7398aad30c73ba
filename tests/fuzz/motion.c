/* SPDX-License-Identifier: BSD-2-Clause */
/* Trajectories: closed forms in JSON, and samples in CSV. */
#include "fuzz_motion.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check_motion(data, size);
  return 0;
}

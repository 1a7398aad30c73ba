/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of MJCF. What it reads is written as a native file. */
#include "fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check_model_text((const char *)data, size, JN_FORMAT_MJCF, JN_FORMAT_NATIVE);
  return 0;
}

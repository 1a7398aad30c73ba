/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader and the writer of URDF. */
#include "fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check_model_text((const char *)data, size, JN_FORMAT_URDF, JN_FORMAT_URDF);
  return 0;
}

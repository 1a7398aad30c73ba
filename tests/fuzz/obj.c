/* SPDX-License-Identifier: BSD-2-Clause */
/* Meshes in OBJ files. */
#include "mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check_mesh(data, size, ".obj");
  return 0;
}

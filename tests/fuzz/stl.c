/* SPDX-License-Identifier: BSD-2-Clause */
/* Meshes in STL files, binary and text. */
#include "mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check_mesh(data, size, ".stl");
  return 0;
}

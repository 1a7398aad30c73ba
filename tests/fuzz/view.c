/* SPDX-License-Identifier: BSD-2-Clause */
/* The meshes that jounce view finds in a URDF file: names each once, and only files of the folder of the robot. */
#include "fuzz.h"
#include "view/meshes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_file(0, data, size), *slash = strrchr(path, '/');
  mesh_list list;
  const name_list none = {0};
  mesh_list_find(&list, (const char *)data, size, path, &none);
  for (int i = 0; i < list.count; i++) {
    const mesh *m = &list.meshes[i];
    if (i > 0 && strcmp(list.meshes[i - 1].name, m->name) >= 0) stop("each name once, in order", m->name);
    if (m->state == MESH_FOUND && strncmp(m->path, path, (size_t)(slash - path)) != 0) stop("no file outside", m->path);
  }
  mesh_list_free(&list);
  return 0;
}

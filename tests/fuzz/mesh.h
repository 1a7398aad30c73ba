/* SPDX-License-Identifier: BSD-2-Clause */
/* Meshes of an MJCF model, from the file to the inertia of the body that has their shape. */
#ifndef JN_TESTS_FUZZ_MESH_H
#define JN_TESTS_FUZZ_MESH_H

#include "fuzz.h"

/* A file of these bytes with this ending as the shape of a body, by each rule for its inertia. */
static void check_mesh(const uint8_t *data, size_t size, const char *ending) {
  static const char *const rules[] = {"exact", "convex", "legacy", "shell"};
  const char *path = fuzz_file_ending(data, size, ending);
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    char text[1024];
    jn_options options;
    jn_model *model = NULL;
    jn_error error = {0};
    jn_options_init(&options);
    options.max_bytes = FUZZ_BYTES;
    int n = snprintf(text, sizeof text,
                     "<mujoco><asset><mesh name='m' file='%s' inertia='%s'/></asset><worldbody><body><freejoint/><geom "
                     "type='mesh' mesh='m'/></body></worldbody></mujoco>",
                     path, rules[i]);
    jn_status status = jn_load_text(text, (size_t)n, JN_FORMAT_MJCF, "fuzz.xml", &options, &model, &error);
    check_result(status, &error, model);
    jn_model_destroy(model);
  }
}

#endif

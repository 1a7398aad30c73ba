/* SPDX-License-Identifier: BSD-2-Clause */
/* A control loop without a heap: the model comes from an arena, work memory is static, and nothing allocates after the
 * start. So it runs on a microcontroller; there, build without expat and jansson. */
#include <jounce/jounce.h>
#include <stdalign.h>
#include <stdio.h>

static alignas(64) char arena[1 << 20];
static size_t used;
static alignas(64) char work_memory[1 << 18];

static void *from_arena(size_t bytes, void *context) {
  (void)context;
  size_t start = (used + 63) & ~(size_t)63;
  if (start + bytes > sizeof arena) return NULL;
  used = start + bytes;
  return arena + start;
}

static void keep(void *block, void *context) {
  (void)block;
  (void)context;
}

int main(void) {
  const jn_allocator allocator = {from_arena, keep, NULL};
  jn_options options;
  jn_options_init(&options);
  options.allocator = &allocator;

  jn_model *arm;
  jn_work *work;
  if (jn_load("builtin:chain:7", &options, &arm, NULL) != JN_OK) return 1;
  if (jn_work_init(arm, work_memory, sizeof work_memory, &work) != JN_OK) return 1;

  float q[7] = {0}, v[7] = {0}, tau[7], acceleration[7]; /* single precision, which suits a small CPU */
  q[0] = 0.5f;
  for (int step = 0; step < 1000; step++) { /* hold the posture: gravity compensation and damping */
    jnf_gravity_forces(arm, work, q, tau);
    for (int i = 0; i < 7; i++) tau[i] -= 0.5f * v[i];
    if (jnf_forward_dynamics(arm, work, q, v, tau, NULL, acceleration) != JN_OK) return 1;
    for (int i = 0; i < 7; i++) {
      v[i] += 0.001f * acceleration[i];
      q[i] += 0.001f * v[i];
    }
  }
  printf("after 1 s: q1 = %.4f (held at 0.5), %zu bytes of arena, %zu of work\n", (double)q[0], used,
         jn_work_size(arm));
  return q[0] > 0.49f && q[0] < 0.51f ? 0 : 1;
}

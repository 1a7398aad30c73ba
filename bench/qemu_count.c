/* SPDX-License-Identifier: BSD-2-Clause */
/* A plugin of qemu-user that counts the instructions which a program executes: `script/bench --instructions --arm`.
 * Compiled for the machine that qemu runs on. Declares the few functions of qemu's plugin interface (version 1) that it
 * needs, because Debian does not ship their header. */
#include <stdint.h>
#include <stdio.h>

typedef uint64_t qemu_plugin_id;
struct qemu_plugin_tb;

enum { QEMU_PLUGIN_INLINE_ADD_U64 = 0 };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id id, void (*call)(qemu_plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int operation, void *counter, uint64_t by);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
void qemu_plugin_register_atexit_cb(qemu_plugin_id id, void (*call)(qemu_plugin_id, void *), void *data);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;
int qemu_plugin_install(qemu_plugin_id id, const void *info, int argc, char **argv);

static uint64_t instructions;

/* Every block of code adds its length whenever it runs. */
static void translated(qemu_plugin_id id, struct qemu_plugin_tb *tb) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &instructions, qemu_plugin_tb_n_insns(tb));
}

static void ended(qemu_plugin_id id, void *data) {
  (void)id, (void)data;
  fprintf(stderr, "instructions %llu\n", (unsigned long long)instructions);
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id id, const void *info, int argc,
                                                               char **argv) {
  (void)info, (void)argc, (void)argv;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, ended, NULL);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of results that jounce gather puts together: one part, or two with "\n---\n" between them. */
#define _GNU_SOURCE /* memmem() */
#include "command.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char between[] = "\n---\n";
  const uint8_t *cut = memmem(data, size, between, sizeof between - 1);
  const char *out = fuzz_file(2, "", 0), *first = fuzz_file(0, data, cut ? (size_t)(cut - data) : size), *second = NULL;
  if (cut) {
    const uint8_t *rest = cut + sizeof between - 1;
    second = fuzz_file(1, rest, (size_t)(data + size - rest));
  }
  const char *const words[] = {"gather", "--max-bytes", "4M", out, first, second, NULL};
  fuzz_run(command_gather, words);
  return 0;
}

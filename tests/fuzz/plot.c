/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce plot up to the picture: a file compared with itself, its columns, and the script for gnuplot. gnuplot itself
 * is replaced by a program that does nothing. */
#include "command.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_no_program("gnuplot");
  const char *path = fuzz_file(0, data, size);
  const char *const words[] = {"plot", path, path, "--max-bytes", "4M", NULL};
  fuzz_run(command_plot, words);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval: states in JSON, and what is computed at them, for two hinges on a free body; all at once, and one a
 * line. */
#include "command.h"
#include "fuzz.h"

#define BODY(name, joint) \
  "{\"name\": \"" name "\", \"joint\": " joint ", \"inertia\": {\"mass\": 1, \"tensor\": [1, 1, 1, 0, 0, 0]}"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char model[] =
      "{\"bodies\": [" BODY("body", "{\"name\": \"base\", \"type\": \"free\"}") "}, " BODY(
          "link1", "{\"name\": \"joint1\", \"type\": \"revolute\", \"axis\": [0, 1, 0]}") ", \"parent\": \"body\"}, " BODY(
          "link2", "{\"name\": \"joint2\", \"type\": \"revolute\", \"axis\": [1, 0, 0]}") ", \"parent\": \"link1\"}]}";
  const char *input = fuzz_file(0, data, size), *robot = fuzz_file(1, model, sizeof model - 1);
  const char *const words[] = {
      "eval", robot, "--want", "all,tau_jets,hybrid_jets", "--order", "1", "--input", input, "--max-bytes", "4M", NULL};
  const char *const lines[] = {"eval",    robot, "--want",      "tau,ddq,M", "--stream",
                               "--input", input, "--max-bytes", "4M",        NULL};
  fuzz_run(command_eval, words);
  fuzz_run(command_eval, lines);
  return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the kernel variants that this build has and this CPU can run, one a line: script/test runs the tests in each.
 */
#include <stdio.h>

#include "dispatch/dispatch.h"

int main(void) {
  const jn_variant *variant;
  for (int i = 0; (variant = jn__variant(i)) != NULL; i++) puts(variant->name);
  return 0;
}

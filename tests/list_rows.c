/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the kernel rows that this build has and this CPU can run, one a line: script/test runs the tests in each. */
#include <stdio.h>

#include "dispatch/dispatch.h"

int main(void) {
  const jn_row *row;
  for (int i = 0; (row = jn__row(i)) != NULL; i++) puts(row->name);
  return 0;
}

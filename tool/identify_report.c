/* SPDX-License-Identifier: BSD-2-Clause */
#include "identify.h"

bool identify_report(const identify_run *r, const char *path) {
  (void)r;
  (void)path;
  return true;
}

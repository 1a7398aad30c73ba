/* SPDX-License-Identifier: BSD-2-Clause */
#include "jounce/base.h"

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

const char *jn_version(void) { return TEXT(JN_VERSION_MAJOR) "." TEXT(JN_VERSION_MINOR) "." TEXT(JN_VERSION_PATCH); }

const char *jn_status_text(jn_status status) {
  switch (status) {
#define CASE(code, number, text) \
  case code:                     \
    return text;
    JN_STATUS_LIST(CASE)
#undef CASE
  }
  return "unknown status";
}

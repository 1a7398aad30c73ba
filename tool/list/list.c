/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce list: the built-in robots. */
#include <jounce/io.h>
#include <string.h>

#include "../command.h"
#include "../options/options.h"
#include "../text/json.h"
#include "../text/print.h"

#define CHAIN_SUMMARY "N revolute joints in a row, for tests and measurements"

static void list_json(void) {
  json_writer j;
  emit_init(&j, stdout);
  emit_open_array(&j, NULL);
  for (int i = 0; i < jn_builtin_count(); i++) {
    emit_open_object(&j, NULL);
    emit_text(&j, "name", jn_builtin_name(i));
    emit_text(&j, "summary", jn_builtin_summary(i));
    emit_close_object(&j);
  }
  emit_close_array(&j);
}

static void list_text(void) {
  int width = (int)strlen("chain:N");
  for (int i = 0; i < jn_builtin_count(); i++) {
    int length = (int)strlen(jn_builtin_name(i));
    if (length > width) width = length;
  }
  int indent = (int)strlen("builtin:") + width + 2;
  for (int i = 0; i < jn_builtin_count(); i++) {
    say(stdout, "builtin:%-*s", width + 2, jn_builtin_name(i));
    print_wrapped(jn_builtin_summary(i), indent, indent);
  }
  say(stdout, "builtin:%-*s", width + 2, "chain:N");
  print_wrapped(CHAIN_SUMMARY, indent, indent);
}

int command_list(int argc, char **argv) {
  option_set set;
  int json = 0;
  option_set_init(&set, "list", "", "List the built-in robots, which every command accepts instead of a file.");
  option_flag(&set, "json", "print JSON for programs", &json);
  int status = option_parse(&set, argc, argv, NULL, 0, 0);
  if (status != OPTION_GO_ON) return status;
  if (json) {
    list_json();
  } else {
    list_text();
  }
  return EXIT_FINE;
}

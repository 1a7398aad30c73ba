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

typedef struct list_arg {
  int json;
} list_arg;

static const option list_options[] = {FLAG_OPTION(list_arg, json, "json", "print JSON for programs"), {0}};

static const option_group list_groups[] = {
    {.options = list_options},
};

const command_line list_line = {
    .name = "list",
    .brief = "list the built-in robots",
    .arguments = "",
    .least = 0,
    .most = 0,
    .about = "List the built-in robots, which every command accepts instead of a file.",
    .groups = list_groups,
    .group_count = COUNT_OF(list_groups),
};

int command_list(int argc, char **argv) {
  list_arg arg = {0};
  int status = option_parse(&list_line, &arg, argc, argv, NULL);
  if (status != OPTION_GO_ON) return status;
  if (arg.json)
    list_json();
  else
    list_text();
  return EXIT_FINE;
}

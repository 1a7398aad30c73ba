/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce: look at, check, convert and evaluate robot models. docs/command.md, man jounce. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <jounce/base.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "options/options.h"
#include "text/text.h"

enum { MOST_COMMANDS = 64 }; /* in suggestions */

static const subcommand *find_command(const char *name) {
  for (int i = 0; i < subcommand_count; i++) {
    if (strcmp(subcommands[i].line->name, name) == 0) return &subcommands[i];
  }
  return NULL;
}

static void print_usage(FILE *stream) {
  fputs("Usage: jounce COMMAND [OPTION...] [ARGUMENT...]\n\n", stream);
  for (int i = 0; i < subcommand_count; i++)
    say(stream, "  %-10s%s\n", subcommands[i].line->name, subcommands[i].line->brief);
  say(stream, "  %-10s%s\n", "help", "show the help of a command: jounce help COMMAND");
}

static int print_help(void) {
  fputs("jounce: robot dynamics. This command inspects, checks, converts and evaluates robot models.\n\n", stdout);
  print_usage(stdout);
  fputs(
      "\nMODEL is a URDF, MJCF (MuJoCo) or native (JSON) file, - for standard input, builtin:NAME, or "
      "builtin:chain:N.\n"
      "\nOptions:\n"
      "  --help     show this help\n"
      "  --version  show the version and the instruction set in use\n"
      "  --completion bash|zsh|fish\n"
      "             print the tab completion for a shell, e.g. source <(jounce --completion bash)\n"
      "\nExit status: 0 success, 1 the model is bad, a check fails, a limit is exceeded, or a file\ncannot be read or "
      "written, 2 wrong usage, 3 it cannot be told whether all limits hold.\n",
      stdout);
  return EXIT_FINE;
}

/* What the kernel variant says to a user; JOUNCE_VARIANT, for developers, is shown when it is set. */
static const char *instruction_set(const char *variant) {
  if (strstr(variant, "_avx512")) return "AVX-512";
  if (strstr(variant, "_avx2")) return "AVX2 and FMA";
#if defined(__x86_64__)
  return "SSE2, which every x86-64 has";
#elif defined(__aarch64__)
  return "NEON";
#else
  return "that of the compiler";
#endif
}

static int print_version(void) {
  const char *variant = jn_variant_name(), *forced = getenv("JOUNCE_VARIANT");
  say(stdout, "jounce %s\n", jn_version());
  if (!variant) {
    say(stdout, "instruction set: none; JOUNCE_VARIANT names no version of the kernels that can run here\n");
    return EXIT_FINE;
  }
  say(stdout, "instruction set: %s\n", instruction_set(variant));
  if (forced && *forced) say(stdout, "JOUNCE_VARIANT: %s\n", variant);
  return EXIT_FINE;
}

static int unknown_command(const char *name) {
  const char *names[MOST_COMMANDS] = {"help"};
  int count = 1;
  for (int i = 0; i < subcommand_count && count < MOST_COMMANDS; i++) names[count++] = subcommands[i].line->name;
  const char *near = nearest_word(name, names, count);
  if (near) return usage_error(NULL, "unknown command '%s'; did you mean %s?", name, near);
  return usage_error(NULL, "unknown command '%s'", name);
}

static int command_help(int argc, char **argv) {
  if (argc < 2 || argv[1][0] == '-') return print_help();
  if (strcmp(argv[1], "help") == 0) return print_help();
  const subcommand *c = find_command(argv[1]);
  if (!c) return unknown_command(argv[1]);
  char help[] = "--help";
  char *line[] = {argv[1], help, NULL};
  return c->run(2, line);
}

static int run(int argc, char **argv) {
  if (argc < 2) {
    print_usage(stderr);
    return EXIT_USAGE;
  }
  const char *name = argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) return print_help();
  if (strcmp(name, "--version") == 0) return print_version();
  if (strncmp(name, "--completion", 12) == 0 && (name[12] == 0 || name[12] == '='))
    return print_completion(name[12] ? name + 13 : argc > 2 ? argv[2] : "");
  if (strcmp(name, "help") == 0) return command_help(argc - 1, argv + 1);
  if (name[0] == '-') {
    const char *const names[] = {"help", "version", "completion"};
    const char *near = nearest_word(name + strspn(name, "-"), names, 3);
    if (near) return usage_error(NULL, "unknown option %s; did you mean --%s?", name, near);
    return usage_error(NULL, "unknown option %s; options follow the command: jounce COMMAND [OPTION...]", name);
  }
  const subcommand *c = find_command(name);
  return c ? c->run(argc - 1, argv + 1) : unknown_command(name);
}

int main(int argc, char **argv) {
#ifdef SIGXFSZ
  signal(SIGXFSZ, SIG_IGN); /* a file that gets too large is an error that is reported */
#endif
  int status = run(argc, argv);
  /* What was printed counts only when it has arrived. */
  int failed = ferror(stdout);
  if (fclose(stdout) != 0 || failed) {
    say(stderr, "jounce: cannot write to standard output: %s\n", strerror(errno));
    if (status == EXIT_FINE) status = EXIT_BAD;
  }
  return status;
}

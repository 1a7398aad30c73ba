/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands of `jounce`. Each has a file of its own; main.c has the table of them. */
#ifndef JN_TOOL_COMMAND_H
#define JN_TOOL_COMMAND_H

enum {
  EXIT_FINE = 0,
  EXIT_BAD = 1,   /* the model is bad, a check failed, a limit is broken, or a file cannot be read or written */
  EXIT_USAGE = 2, /* wrong use of the command line */
  EXIT_UNSURE = 3 /* no limit is broken, but the data are not good enough to be sure */
};

typedef struct subcommand {
  const char *name;
  const char *help;
  int (*run)(int argc, char **argv);
} subcommand;

/* The completion script of a shell on stdout, from the options that the commands declare: options/completion.c. */
int print_completion(const char *shell, const subcommand *commands, int count);

/* argv[0] is the name of the subcommand. Each returns an exit code. */
int command_info(int argc, char **argv);
int command_check(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_eval(int argc, char **argv);
int command_list(int argc, char **argv);
int command_base(int argc, char **argv);
int command_excite(int argc, char **argv);
int command_identify(int argc, char **argv);
int command_torque(int argc, char **argv);
int command_motor(int argc, char **argv);
int command_retime(int argc, char **argv);
int command_plot(int argc, char **argv);
int command_simulate(int argc, char **argv);
int command_view(int argc, char **argv);
int command_reach(int argc, char **argv);
int command_casadi(int argc, char **argv);
int command_generate(int argc, char **argv);
int command_gather(int argc, char **argv);

#endif

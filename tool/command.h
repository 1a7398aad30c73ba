/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands of `jounce`. Each has a folder of its own; subcommands.c has the table of them. */
#ifndef JN_TOOL_COMMAND_H
#define JN_TOOL_COMMAND_H

enum {
  EXIT_FINE = 0,
  EXIT_BAD = 1,   /* the model is bad, a check failed, a limit is broken, or a file cannot be read or written */
  EXIT_USAGE = 2, /* wrong use of the command line */
  EXIT_UNSURE = 3 /* no limit is broken, but the data are not good enough to be sure */
};

struct command_line;

/* argv[0] is the name of the subcommand; an exit code. */
typedef int command_function(int argc, char **argv);

typedef struct subcommand {
  const struct command_line *line; /* its name, arguments and options */
  command_function *run;
} subcommand;

/* All subcommands, in the order of the help: subcommands.c. */
extern const subcommand subcommands[];
extern const int subcommand_count;

/* The completion script of a shell on stdout, from the tables of options: options/completion.c. */
int print_completion(const char *shell);

extern const struct command_line info_line, check_line, convert_line, eval_line, gather_line, torque_line, motor_line,
    retime_line, simulate_line, reach_line, plot_line, view_line, casadi_line, generate_line, base_line, excite_line,
    identify_line, list_line;
command_function command_info, command_check, command_convert, command_eval, command_gather, command_torque,
    command_motor, command_retime, command_simulate, command_reach, command_plot, command_view, command_casadi,
    command_generate, command_base, command_excite, command_identify, command_list;

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside options/: what parsing and the help share. */
#ifndef JN_TOOL_OPTIONS_PARSE_H
#define JN_TOOL_OPTIONS_PARSE_H

#include "options.h"

/* The help of a command on stdout; all: shared options are explained as well. */
void print_command_help(const command_line *line, bool all);

#endif

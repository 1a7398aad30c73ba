/* SPDX-License-Identifier: BSD-2-Clause */
/* gnuplot as a machine that draws. It gets a script on its standard input and draws to its standard output: it learns
 * no name of a file, reads no start-up file, and is started without a shell. Text from outside gets into the script by
 * gnuplot_text() only. */
#ifndef JN_TOOL_FIGURE_GNUPLOT_H
#define JN_TOOL_FIGURE_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

/* Is it in the PATH? */
bool gnuplot_exists(void);
/* A string constant of gnuplot with this text: every byte as its octal number, "\141\142", so that nothing of it is
 * there for gnuplot to read. What a terminal would act on becomes '?'; line ends stay. */
void gnuplot_text(FILE *script, const char *text);
/* Runs a script that was written to a temporary file, with all that it draws going to `to`, whose position moves on.
 * False after reporting what failed. */
bool gnuplot_run(FILE *script, FILE *to);

#endif

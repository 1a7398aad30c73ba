/* SPDX-License-Identifier: BSD-2-Clause */
/* A line on stderr that says how far long work is; only on a terminal. */
#ifndef JN_TOOL_TEXT_PROGRESS_H
#define JN_TOOL_TEXT_PROGRESS_H

void progress_begin(const char *what);
void progress_show(double part); /* 0 ... 1 */
void progress_end(void);

#endif

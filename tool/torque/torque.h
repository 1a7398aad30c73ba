/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce torque: torque.c the command, check.c its --check. */
#ifndef JN_TOOL_TORQUE_H
#define JN_TOOL_TORQUE_H

#include "../motion/samples.h"

/* ---- torque/check.c ---- */

/* Differences against the exact derivatives; a table on stdout; an exit code, or OPTION_GO_ON when all agree. */
int check_derivatives(motion *m, int order, double start, double end);

#endif

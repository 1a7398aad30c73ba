/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in files: the one rule for their digits. What is written is read back to the bit, with as few digits as that
 * takes (15, 16 or 17 significant ones, zeros at the end left out). */
#ifndef JN_TOOL_TEXT_NUMBER_H
#define JN_TOOL_TEXT_NUMBER_H

#include <stdio.h>

enum { EXACT_TEXT = 32 };

/* The number as %.15g, %.16g or %.17g would print it, whichever is the first that strtod() reads back to the bit, with
 * a point whatever the locale; "nan", "inf", "-inf" as they are. Returns the length. */
int exact_number(double value, char text[EXACT_TEXT]);
/* The same to a stream. */
void write_exact(FILE *stream, double value);
/* ",x,y,z": a comma before each. */
void write_exact_row(FILE *stream, const double *values, int count);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What the example needs of a board: text to the host, the end of the program, a clock. Written for the Cortex-M4 board
 * mps2-an386 that QEMU emulates; for a board of yours, replace board.c and the linker script. */
#ifndef FIRMWARE_BOARD_H
#define FIRMWARE_BOARD_H

#include <stdint.h>

void board_print(const char *text);
void board_print_number(const char *label, int32_t value);
void board_exit(int status); /* 0: success; does not return */

/* Ticks of 25 MHz, and how many there were since another reading: at most 2^24 (0.67 s). */
void board_clock_start(void);
uint32_t board_clock(void);
uint32_t board_clock_since(uint32_t begin);

/* Bytes of stack used since board_stack_mark(), at their deepest. */
void board_stack_mark(void);
uint32_t board_stack_used(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The emulated board mps2-an386: start-up code, and output by semihosting, which QEMU understands. */
#include "board.h"

#include <stddef.h>

extern uint32_t stack_top[], stack_bottom[], data_start[], data_end[], data_load[], bss_start[], bss_end[];
int main(void);
void reset(void);

/* ---- start-up ---- */

void reset(void) {
  /* The floating-point unit: full access to coprocessors 10 and 11. */
  *(volatile uint32_t *)0xE000ED88u |= 0xFu << 20;
  __asm__ volatile("dsb\n isb");

  /* Initial values, and zeros. */
  for (uint32_t *to = data_start, *from = data_load; to < data_end;) *to++ = *from++;
  for (uint32_t *to = bss_start; to < bss_end;) *to++ = 0;
  board_exit(main());
}

static void fault(void) {
  board_print("fault\n");
  board_exit(1);
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    (void (*)(void))(uintptr_t)stack_top, reset, fault, fault, fault, fault, fault};

/* Compilers turn initialisers and loops into calls of these, also without a C library. */
void *memset(void *to, int value, size_t count);
void *memset(void *to, int value, size_t count) {
  for (volatile unsigned char *at = to; count > 0; count--) *at++ = (unsigned char)value;
  return to;
}
void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memcpy(void *restrict to, const void *restrict from, size_t count) {
  const unsigned char *source = from;
  for (volatile unsigned char *at = to; count > 0; count--) *at++ = *source++;
  return to;
}

/* ---- semihosting ---- */

static int host_call(int operation, const void *argument) {
  register int r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

void board_print(const char *text) { host_call(0x04, text); }

void board_print_number(const char *label, int32_t value) {
  char digits[12], *at = digits + sizeof digits;
  uint32_t rest = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
  *--at = 0;
  do *--at = (char)('0' + rest % 10);
  while ((rest /= 10) > 0);
  if (value < 0) *--at = '-';

  board_print(label);
  board_print(at);
  board_print("\n");
}

void board_exit(int status) {
  const uint32_t reason[2] = {0x20026, (uint32_t)status}; /* ADP_Stopped_ApplicationExit */
  host_call(0x20, reason);
  for (;;) continue;
}

/* ---- clock: SysTick, 24 bits, down from the processor's 25 MHz ---- */

static volatile uint32_t *const systick = (volatile uint32_t *)0xE000E010u; /* control, reload, value */

void board_clock_start(void) {
  systick[1] = 0xFFFFFFu;
  systick[2] = 0;
  systick[0] = 5;
}

uint32_t board_clock(void) { return 0xFFFFFFu - systick[2]; }
uint32_t board_clock_since(uint32_t begin) { return (board_clock() - begin) & 0xFFFFFFu; }

/* ---- stack: painted, then looked at ---- */

enum { PAINT = 0x5A5A5A5A };

static uint32_t *stack_pointer(void) {
  uint32_t *pointer;
  __asm__ volatile("mov %0, sp" : "=r"(pointer));
  return pointer;
}

void board_stack_mark(void) {
  for (uint32_t *at = stack_bottom, *end = stack_pointer() - 16; at < end; at++) *at = PAINT;
}

uint32_t board_stack_used(void) {
  const uint32_t *at = stack_bottom, *end = stack_pointer();
  while (at < end && *at == PAINT) at++;
  return (uint32_t)((const char *)end - (const char *)at);
}

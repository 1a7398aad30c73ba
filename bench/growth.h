/* SPDX-License-Identifier: BSD-2-Clause */
/* How the time of every algorithm grows with the number of joints, and with the order of time derivatives. */
#ifndef JN_BENCH_GROWTH_H
#define JN_BENCH_GROWTH_H

/* Measures chains of 7 to 200 joints, and prints tables. */
void growth(void);

#endif

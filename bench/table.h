/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables in Markdown of our times beside those of other libraries, for docs/benchmarks.md. */
#ifndef JN_BENCH_TABLE_H
#define JN_BENCH_TABLE_H

/* Words: robots (names or files) and mechanisms with loops (is_mechanism()); --floating, --fixed, --ignore-mimic and
 * --follow-mimic hold for the files after them; --rounds N: every number is the least of N rounds, in which all take
 * turns. Returns what the program is to end with. */
int table_of_peers(int count, char **words);

#endif

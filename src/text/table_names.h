/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of joints that tables (CSV, NPZ) cannot carry back: those that the readers of tables understand otherwise. */
#ifndef JN_TEXT_TABLE_NAMES_H
#define JN_TEXT_TABLE_NAMES_H

#include <stddef.h>

/* What is wrong with a name by itself; NULL: nothing. */
const char *jn__table_name_fault(const char *name);
/* The length of NAME in NAME_d1, NAME.tau and NAME.tau_d2; 0 for other names. */
size_t jn__table_name_stem(const char *name);

#endif

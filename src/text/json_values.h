/* SPDX-License-Identifier: BSD-2-Clause */
/* The size of a JSON text in memory. Part of the library and of the command; needs nothing else of either. */
#ifndef JN_TEXT_JSON_VALUES_H
#define JN_TEXT_JSON_VALUES_H

#include <stddef.h>

/* A parsed JSON text takes about this many bytes for each of its values, however short they are: [0,0,0,...]. */
enum { JN_JSON_VALUE = 64 };
/* An upper bound on the number of values in a text, found without parsing it. */
size_t jn__json_value_count(const char *text, size_t length);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Suggestions for names that do not exist: one rule for the library and the command. */
#ifndef JN_TEXT_NEAREST_NAME_H
#define JN_TEXT_NEAREST_NAME_H

#include <stddef.h>

/* Name i of a list, 0 <= i < count; NULL when entry i is not to be suggested. */
typedef const char *jn_name_at(const void *context, int i);

/* The name that `word` was most likely meant to be; NULL if none is near. A name is near if fewer than a third of the
 * letters, plus two, are edits away (jn__edit_distance()), and never all of them. The beginning of a name counts as one
 * edit, its middle or end as two. Of several, the nearest wins, and then the first. Lists of more than JN_NEAREST_MAX
 * names are not searched: otherwise a file with very many wrong names would take time quadratic in its length. */
enum { JN_NEAREST_MAX = 2000 };
const char *jn__nearest_name(const char *word, int count, jn_name_at *name_at, const void *context);

/* Writes "did you mean 'NAME'?" to remedy [size] and returns 1; returns 0 and changes nothing when no name is near. */
int jn__did_you_mean(const char *word, int count, jn_name_at *name_at, const void *context, char *remedy, size_t size);

#endif

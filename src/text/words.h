/* SPDX-License-Identifier: BSD-2-Clause */
/* Words and names in messages: shortened to what fits, and suggestions for misspelled ones. */
#ifndef JN_TEXT_WORDS_H
#define JN_TEXT_WORDS_H

#include <stddef.h>

/* The part of a name that fits into a message, as arguments of "%.*s": at most 60 bytes, whole characters. */
#define JN_CLIP(s) jn__clip(s), (s)
enum { JN_CLIP_BYTES = 60 };
int jn__clip(const char *s);

/* Number of edits that turn a into b: insert, delete or replace a letter, or exchange two neighbours. Capitals count as
 * small letters (ASCII). JN_CLIP_BYTES when one is longer than that. */
int jn__edit_distance(const char *a, const char *b);
/* Is word an entry of a list "one, two, three"? */
int jn__is_listed(const char *list, const char *word);
/* The nearest entry of a list, and how many edits away it is. */
int jn__nearest(const char *list, const char *word, char entry[32]);
/* A remedy for an unknown word: the nearest entry if one is near, and all of them. */
void jn__suggest(const char *list, const char *word, char *out, size_t size);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* NPZ files: NumPy arrays in a ZIP archive, not compressed, as numpy.savez writes them. */
#ifndef JN_TOOL_FILES_NPZ_H
#define JN_TOOL_FILES_NPZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { NPZ_ARRAYS = 16 };

typedef struct npz_entry {
  char name[32];
  uint32_t crc, length, offset;
} npz_entry;

typedef struct npz_writer {
  FILE *file;
  npz_entry entries[NPZ_ARRAYS];
  int count;
  uint64_t at; /* bytes written */
  bool failed; /* the archive would be larger than 4 GiB */
} npz_writer;

void npz_begin(npz_writer *w, FILE *file);
/* shape like "3, 7" or "3,". */
void npz_numbers(npz_writer *w, const char *name, const char *shape, const double *numbers, size_t count);
/* An array of text, UTF-8 in. */
void npz_texts(npz_writer *w, const char *name, char **texts, int count);
/* The directory; false if the archive is invalid or could not be written. */
bool npz_end(npz_writer *w);

#endif

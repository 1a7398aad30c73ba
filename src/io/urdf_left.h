/* SPDX-License-Identifier: BSD-2-Clause */
/* What a URDF file has that is no part of a model. */
#ifndef JN_IO_URDF_LEFT_H
#define JN_IO_URDF_LEFT_H

#include "urdf_patch.h"

/* "12 <visual>, 4 <transmission>, 3 comments" into list [size]; "" when there is nothing, or when
 * it is another XML file. */
void jn__urdf_left(const char *text, size_t length, char *list, size_t size);

/* Relative names of meshes and textures are changed so that they still lead to the same files when a text from
 * `original` is written to `out`, in another folder; a note says so, or that they are kept (either path may be NULL).
 */
void jn__urdf_meshes(jn_patch *p, const char *original, const char *out, jn_log *log);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What a file is, by its first bytes: the one place that decides it, for robots, motions, states and tables. Part of
 * the library and of the command; needs nothing else of either. */
#ifndef JN_TEXT_CONTENT_H
#define JN_TEXT_CONTENT_H

#include <stddef.h>

typedef enum jn_content {
  JN_CONTENT_OTHER, /* CSV, or anything else */
  JN_CONTENT_EMPTY, /* nothing but white space */
  JN_CONTENT_NPY,   /* one NumPy array */
  JN_CONTENT_ZIP,   /* an archive, also an empty one: NPZ */
  JN_CONTENT_JSON,  /* '{' is the first character */
  JN_CONTENT_MJCF,  /* XML whose first element is <mujoco> or <mujocoinclude> */
  JN_CONTENT_URDF,  /* XML whose first element is <robot> */
  JN_CONTENT_XML    /* other XML */
} jn_content;

/* Byte order marks of UTF-8 and UTF-16, white space, declarations and comments are passed over. *at, if not NULL, is
 * where the first character that is not white space is (0 for UTF-16). */
jn_content jn__content(const char *bytes, size_t length, size_t *at);
/* Is it XML of any kind? */
int jn__is_xml(jn_content content);

#endif

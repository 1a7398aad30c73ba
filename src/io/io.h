/* SPDX-License-Identifier: BSD-2-Clause */
/* The readers and writers behind jounce/io.h, one pair per format. Readers fill the builder and report errors through
 * b->log. They return JN_OK if they reached the end of the text, possibly with errors in the log, otherwise the status
 * of what stopped them. A faulty value is replaced by a harmless one, so that freezing finds further errors and does
 * not report the same one again. */
#ifndef JN_IO_IO_H
#define JN_IO_IO_H

#include "../model/builder.h"
#include "jounce/io.h"

jn_status jn__urdf_read(jn_builder *b, const char *text, size_t length);   /* urdf_read.c */
jn_status jn__mjcf_read(jn_builder *b, const char *text, size_t length);   /* mjcf_read.c */
jn_status jn__native_read(jn_builder *b, const char *text, size_t length); /* native_read.c */
/* A file {"loops": [...]} beside a model. native_read.c */
jn_status jn__native_read_loops(jn_builder *b, const char *text, size_t length);

/* Writers append to `out`; what cannot be expressed is reported through `log`. */
jn_status jn__urdf_write(const jn_model *m, jn_text *out, jn_log *log); /* urdf_write.c */
/* The same by editing `text`, from which the model was read: all that did not change stays. A text that cannot follow
 * the model, or is no URDF, is left; what is lost is then reported. path: where the text will be written, for meshes
 * with relative names; NULL: not known. urdf_edit.c */
jn_status jn__urdf_rewrite(const jn_model *m, const jn_options *o, const char *path, const char *text, size_t length,
                           jn_text *out, jn_log *log);
/* Reports what a URDF text has that a new file does not: a warning with the reason, or, without one (NULL), a note on
 * what native files do not hold. urdf_edit.c */
void jn__urdf_tell_left(const char *text, size_t length, const char *cannot, jn_log *log);
/* The same for an MJCF text, of which a new file never holds more than the model: a note. path: of the new file, or
 * NULL. mjcf_read.c */
void jn__mjcf_tell_left(const jn_options *o, const char *path, const char *text, size_t length, jn_log *log);
jn_status jn__native_write(const jn_model *m, jn_text *out, jn_log *log); /* native_write.c */

/* Text of a built-in robot (a native file) by name; NULL when there is none. builtin.c, generated at build time. */
const char *jn__builtin_text(const char *name);

#endif

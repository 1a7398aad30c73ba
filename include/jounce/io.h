/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/io.h: robot files. URDF and MJCF need a build with expat, native files and built-in robots one with jansson;
 * otherwise the functions return JN_ERR_UNSUPPORTED and say so in the error.
 * Tier: stable (docs/stability.md).
 *
 * Sources are: a path to a URDF, MJCF (MuJoCo) or native (JSON) file, told apart by their content; or "builtin:NAME",
 * "builtin:chain:N" (N revolute joints in a row). Formats: docs/model-file.md, docs/urdf.md, docs/mjcf.md. */
#ifndef JOUNCE_IO_H
#define JOUNCE_IO_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Formats of robot files. */
typedef enum jn_format {
  JN_FORMAT_AUTO = 0,   /* reading: by content; writing: by the ending of the name (.urdf, .xml; .json) */
  JN_FORMAT_URDF = 1,   /* docs/urdf.md */
  JN_FORMAT_NATIVE = 2, /* JSON, docs/model-file.md */
  JN_FORMAT_MJCF = 3    /* of MuJoCo, docs/mjcf.md; it is read, not written */
} jn_format;

/* Reads, checks and freezes a model. options NULL: defaults. *error (may be NULL) gets the first error with file, line
 * and column; the options' report gets all messages. On error *model is NULL.
 * Errors: JN_ERR_NULL, JN_ERR_FILE, JN_ERR_SYNTAX, JN_ERR_MODEL, JN_ERR_NAME (no such built-in robot), JN_ERR_MEMORY,
 * JN_ERR_UNSUPPORTED. */
JN_API jn_status jn_load(const char *source, const jn_options *options, jn_model **model, jn_error *error);
/* The same from text in memory (need not end in 0); file is the name used in messages, and the folder
 * in which MJCF finds what it includes and its meshes. */
JN_API jn_status jn_load_text(const char *text, size_t length, jn_format format, const char *file,
                              const jn_options *options, jn_model **model, jn_error *error);
/* The same into an empty builder, which can be edited before jn_builder_freeze(). */
JN_API jn_status jn_builder_load(jn_builder *builder, const char *source, jn_error *error);
JN_API jn_status jn_builder_load_text(jn_builder *builder, const char *text, size_t length, jn_format format,
                                      const char *file, jn_error *error);

/* Keyframes of an MJCF file are states. How many it has; 0 for other formats and built-in robots. Errors: those of
 * jn_load(). */
JN_API jn_status jn_keyframe_count(const char *source, const jn_options *options, int *count, jn_error *error);
/* Length of the name of a keyframe, with the 0 at its end. */
#define JN_KEYFRAME_NAME 256
/* Keyframe `index` (from 0) of the file that the model was read from: its name ("" if it has none), q [nq] and v [nv].
 * Joints are found by their names, so the model may have been edited; those that the keyframe does not have are neutral
 * and at rest. Without qpos, q is where the file has the bodies. Errors: those of jn_load(), JN_ERR_INDEX. */
JN_API jn_status jn_load_keyframe(const jn_model *model, const char *source, int index, const jn_options *options,
                                  char name[JN_KEYFRAME_NAME], double *q, double *v, jn_error *error);

/* Writes a model. Reading the file again with the same options gives the same model, with its current inertias.
 * Native files can express every model; URDF cannot. A joint type or joint point that URDF does not have gives
 * JN_ERR_UNSUPPORTED with the joint's name, and nothing is written. Losses that do not change the robot (gravity; named
 * frames, which become links) give a warning in the options' report.
 * options.original (or original_text): URDF is written by editing that text, so that visuals, comments, order and
 * number formats stay; an unchanged model gives the same bytes. If editing cannot express the model, a new file is
 * written, and a warning says why and what is lost. See docs/urdf.md.
 * jn_save: the file is written completely or not at all: a temporary file next to the old one replaces it at the end.
 * Symbolic links and permissions stay; a pipe or a device is written directly. Signals are blocked meanwhile.
 * jn_save_text: *text is allocated by the options' allocator and ends in 0; release it with jn_text_free(). */
JN_API jn_status jn_save(const jn_model *model, const char *path, jn_format format, const jn_options *options,
                         jn_error *error);
JN_API jn_status jn_save_text(const jn_model *model, jn_format format, const jn_options *options, char **text,
                              size_t *length, jn_error *error);
JN_API void jn_text_free(char *text, const jn_options *options);

/* Names of the built-in robots, e.g. "panda"; NULL for i outside 0 ... jn_builtin_count() - 1. */
JN_API int jn_builtin_count(void);
JN_API const char *jn_builtin_name(int i);
/* One line that says what the robot is and where its data come from. */
JN_API const char *jn_builtin_summary(int i);

#ifdef __cplusplus
}
#endif
#endif

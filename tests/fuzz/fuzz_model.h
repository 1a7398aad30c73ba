/* SPDX-License-Identifier: BSD-2-Clause */
/* The properties of all readers of models: any bytes give a model or an error that is explained; a model that was read
 * can be written in the format `as`, and reads back with as many links and coordinates. URDF that is written into the
 * text it came from has the same bytes when nothing changed, and reads back with a payload that was added. */
#ifndef JN_TESTS_FUZZ_MODEL_H
#define JN_TESTS_FUZZ_MODEL_H

#include "fuzz.h"

static int is_utf16(const char *text, size_t size) {
  return size >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0);
}

/* Writes a model into a text. */
static char *write_into(const jn_model *model, const char *text, size_t size, size_t *length) {
  jn_options options;
  jn_error error;
  char *written;
  jn_options_init(&options);
  options.original_text = text;
  options.original_length = size;
  options.report = jn_report_create(NULL);
  if (jn_save_text(model, JN_FORMAT_URDF, &options, &written, length, &error) != JN_OK)
    stop("can be written into its text", error.text);
  if (!is_utf16(text, size) && jn_report_count_rule(options.report, JN_WARNING, "urdf-rewritten") > 0)
    stop("its text is kept", "");
  jn_report_destroy(options.report);
  return written;
}

static void check_edits(const jn_model *model, const char *text, size_t size) {
  static const double payload[10] = {2, 0.5, 0, 0, 3, 4, 5, 0, 0.25, 0};
  int last = jn_link_count(model) - 1;
  size_t length;
  char *written = write_into(model, text, size, &length);
  if (!is_utf16(text, size) && (length != size || memcmp(written, text, size) != 0))
    stop("an unchanged model has the same text", written);
  jn_text_free(written, NULL);
  jn_model *loaded, *again;
  jn_error error;
  if (jn_model_with_payload(model, last, payload, &loaded) != JN_OK) return; /* beyond the range of double */
  written = write_into(loaded, text, size, &length);
  if (jn_load_text(written, length, JN_FORMAT_URDF, "edited", NULL, &again, &error) != JN_OK)
    stop("can be read after an edit", error.text);
  double p[10], q[10];
  jn_link_inertia(loaded, last, p);
  jn_link_inertia(again, last, q);
  if (p[0] != q[0]) stop("an edit changes the mass", written);
  jn_model_destroy(again);
  jn_model_destroy(loaded);
  jn_text_free(written, NULL);
}

static void check_model_text(const char *text, size_t size, jn_format format, jn_format as) {
  jn_options options;
  jn_model *model, *again;
  jn_error error;
  char *written;
  size_t length;
  jn_options_init(&options);
  options.max_bytes = FUZZ_BYTES;
  options.report = jn_report_create(NULL);
  jn_status status = jn_load_text(text, size, format, "fuzz", &options, &model, &error);
  check_result(status, &error, model);
  if (jn_report_count(options.report) > 2000) stop("reports are short", "");
  if (model) {
    if (jn_save_text(model, as, NULL, &written, &length, &error) != JN_OK) stop("can be written", error.text);
    status = jn_load_text(written, length, as, "again", NULL, &again, &error);
    if (status != JN_OK) stop("can be read again", error.text);
    if (jn_link_count(again) != jn_link_count(model) || jn_model_nv(again) != jn_model_nv(model))
      stop("reads back as the same model", "");
    jn_model_destroy(again);
    jn_text_free(written, NULL);
    if (format == JN_FORMAT_URDF) check_edits(model, text, size);
  }
  jn_model_destroy(model);
  options.transmissions = 1;
  if (format == JN_FORMAT_URDF) {
    status = jn_load_text(text, size, format, "fuzz", &options, &model, &error);
    check_result(status, &error, model);
    jn_model_destroy(model);
  }
  jn_report_destroy(options.report);
}

#endif

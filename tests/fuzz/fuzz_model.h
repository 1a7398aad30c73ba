/* SPDX-License-Identifier: BSD-2-Clause */
/* The laws of both readers of models: any bytes give a model or an error that is explained; a model that was read can
 * be written, and reads back with as many links and coordinates. */
#ifndef JN_TESTS_FUZZ_MODEL_H
#define JN_TESTS_FUZZ_MODEL_H

#include "fuzz.h"

static void check_model_text(const char *text, size_t size, jn_format format) {
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
    if (jn_save_text(model, format, NULL, &written, &length, &error) != JN_OK) stop("can be written", error.text);
    status = jn_load_text(written, length, format, "again", NULL, &again, &error);
    if (status != JN_OK) stop("can be read again", error.text);
    if (jn_link_count(again) != jn_link_count(model) || jn_model_nv(again) != jn_model_nv(model))
      stop("reads back as the same model", "");
    jn_model_destroy(again);
    jn_text_free(written, NULL);
  }
  jn_model_destroy(model);
  jn_report_destroy(options.report);
}

#endif

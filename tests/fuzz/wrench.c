/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of external wrenches. */
#include "fuzz_motion.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char still[] = "{\"duration\": 2, \"joints\": {\"a\": 1}}";
  jn_trajectory_options options;
  jn_trajectory *t;
  jn_error error;
  double wrench[2 * 3 * 6];
  motion_options(&options);
  if (jn_trajectory_load_text(motion_model(), still, sizeof still - 1, "still", &options, &t, &error) != JN_OK)
    stop("the motion is good", error.text);
  options.report = jn_report_create(NULL);
  jn_status status = jn_trajectory_load_wrenches(t, fuzz_file(0, data, size), &options, &error);
  check_result(status, &error, status == JN_OK ? t : NULL);
  if (jn_trajectory_has_wrenches(t) != (status == JN_OK)) stop("wrenches exactly when there is no error", error.text);
  if (jn_trajectory_wrenches(t, 0.7, 1, wrench) != JN_OK) stop("can be evaluated", "");
  jn_trajectory_destroy(t);
  jn_report_destroy(options.report);
  return 0;
}

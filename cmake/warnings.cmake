# SPDX-License-Identifier: BSD-2-Clause
# Warnings and sanitizers of everything we compile.
add_library(jounce_flags INTERFACE)
target_compile_options(jounce_flags INTERFACE -Wall -Wextra -Wshadow -Wvla -Wmissing-prototypes -Wstrict-prototypes)
if(JOUNCE_WERROR)
  target_compile_options(jounce_flags INTERFACE -Werror)
endif()
if(JOUNCE_SANITIZE)
  # Fuzz targets test the readers. Kernels (JOUNCE_PLAIN) are compiled without sanitizers then, which would take minutes.
  set(sanitize -fsanitize=${JOUNCE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_compile_options(jounce_flags INTERFACE "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:JOUNCE_PLAIN>>>:${sanitize}>")
  target_link_options(jounce_flags INTERFACE -fsanitize=${JOUNCE_SANITIZE})
endif()
if(JOUNCE_COVERAGE)
  target_compile_options(jounce_flags INTERFACE --coverage)
  target_link_options(jounce_flags INTERFACE --coverage)
endif()

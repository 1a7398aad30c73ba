# SPDX-License-Identifier: BSD-2-Clause
# Warnings and sanitizers of everything we compile.
add_library(jounce_flags INTERFACE)
target_compile_options(jounce_flags INTERFACE -Wall -Wextra -Wshadow -Wvla -Wmissing-prototypes -Wstrict-prototypes)
if(JOUNCE_WERROR)
  target_compile_options(jounce_flags INTERFACE -Werror)
endif()
if(JOUNCE_SANITIZE)
  target_compile_options(jounce_flags INTERFACE -fsanitize=${JOUNCE_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(jounce_flags INTERFACE -fsanitize=${JOUNCE_SANITIZE})
endif()
if(JOUNCE_COVERAGE)
  target_compile_options(jounce_flags INTERFACE --coverage)
  target_link_options(jounce_flags INTERFACE --coverage)
endif()

# SPDX-License-Identifier: BSD-2-Clause
# The time limit of every test, in one place. A limit ends a test that hangs; it does not judge speed. So it is far above
# what the slowest test takes alone in an optimised build (about 20 s), and grows with what a build slows down.
# script/test says at its end which test came near its limit.
set(JOUNCE_TEST_SLOWNESS 1 CACHE STRING "Factor of the time limits of all tests, e.g. 10 under valgrind or on a slow machine")
set(test_seconds 300)
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  math(EXPR test_seconds "4 * ${test_seconds}") # without optimisation
endif()
if(JOUNCE_SANITIZE MATCHES "thread")
  math(EXPR test_seconds "20 * ${test_seconds}")
elseif(JOUNCE_SANITIZE)
  math(EXPR test_seconds "10 * ${test_seconds}") # with -Og, as the preset asan has it
endif()
if(JOUNCE_COVERAGE)
  math(EXPR test_seconds "4 * ${test_seconds}")
endif()
if(CMAKE_CROSSCOMPILING)
  math(EXPR test_seconds "20 * ${test_seconds}") # an emulator
endif()
math(EXPR test_seconds "${JOUNCE_TEST_SLOWNESS} * ${test_seconds}")

# Gives all tests of the current directory their limit. Call it behind the last of them.
function(jounce_limit_tests)
  get_property(names DIRECTORY PROPERTY TESTS)
  if(names)
    set_tests_properties(${names} PROPERTIES TIMEOUT ${test_seconds})
  endif()
endfunction()

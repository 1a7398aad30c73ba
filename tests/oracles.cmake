# SPDX-License-Identifier: BSD-2-Clause
# Other dynamics programs as oracles, when they are installed: see docs/oracles.md. None is needed to build or test.
option(JOUNCE_ORACLES "Compare with MuJoCo and KDL where they are installed" ON)

find_path(MUJOCO_INCLUDE_DIR mujoco/mujoco.h)
find_library(MUJOCO_LIBRARY mujoco)
mark_as_advanced(MUJOCO_INCLUDE_DIR MUJOCO_LIBRARY)
if(JOUNCE_ORACLES AND MUJOCO_INCLUDE_DIR AND MUJOCO_LIBRARY)
  add_executable(oracle_mujoco oracle_mujoco.c mujoco_pair.c)
  target_include_directories(oracle_mujoco SYSTEM PRIVATE "${MUJOCO_INCLUDE_DIR}")
  target_link_libraries(oracle_mujoco PRIVATE jounce_flags jounce_testing PkgConfig::cmocka "${MUJOCO_LIBRARY}" m)
  add_test(NAME oracle_mujoco COMMAND oracle_mujoco)
  set_tests_properties(oracle_mujoco PROPERTIES LABELS once)
endif()

pkg_check_modules(kdl QUIET IMPORTED_TARGET orocos-kdl)
if(JOUNCE_ORACLES AND kdl_FOUND)
  include(CheckLanguage)
  check_language(CXX)
  if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
  endif()
  # the sanitizers of two compilers do not mix
  if(CMAKE_CXX_COMPILER AND (NOT JOUNCE_SANITIZE OR CMAKE_CXX_COMPILER_ID STREQUAL CMAKE_C_COMPILER_ID))
    add_executable(oracle_kdl oracle_kdl.cpp)
    target_compile_features(oracle_kdl PRIVATE cxx_std_17)
    target_compile_options(oracle_kdl PRIVATE -Wall -Wextra -Wshadow $<$<BOOL:${JOUNCE_WERROR}>:-Werror>)
    if(JOUNCE_SANITIZE)
      target_link_options(oracle_kdl PRIVATE -fsanitize=${JOUNCE_SANITIZE})
    endif()
    target_link_libraries(oracle_kdl PRIVATE jounce_testing PkgConfig::kdl m)
    add_test(NAME oracle_kdl COMMAND oracle_kdl)
    set_tests_properties(oracle_kdl PROPERTIES LABELS once)
  endif()
endif()

# The Python package mujoco reads the same MJCF files; skipped (77) without it. JOUNCE_ORACLE_PYTHON: an interpreter that has it.
find_program(JOUNCE_ORACLE_PYTHON python3)
mark_as_advanced(JOUNCE_ORACLE_PYTHON)
if(JOUNCE_ORACLES AND JOUNCE_ORACLE_PYTHON AND JOUNCE_TOOL AND JOUNCE_WITH_URDF AND JOUNCE_WITH_JSON AND NOT JOUNCE_SANITIZE)
  add_test(NAME oracle_mjcf COMMAND "${JOUNCE_ORACLE_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/oracle_mjcf.py"
                                    $<TARGET_FILE:jounce_command> --random 40)
  set_tests_properties(oracle_mjcf PROPERTIES LABELS once SKIP_RETURN_CODE 77)
  # toppra of PyPI, likewise
  add_test(NAME oracle_toppra COMMAND "${JOUNCE_ORACLE_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/oracle_toppra.py"
                                      $<TARGET_FILE:jounce_command>)
  set_tests_properties(oracle_toppra PROPERTIES LABELS once SKIP_RETURN_CODE 77)
endif()

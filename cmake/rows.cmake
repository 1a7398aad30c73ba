# SPDX-License-Identifier: BSD-2-Clause
# Which rows to build, from JOUNCE_ROWS: a row is all kernels compiled for one number type and instruction set
# (docs/architecture.md). The best one for the CPU is chosen when the program runs.
#   d, f                  double, float: any CPU. d is always there; float calls go through it when there is no float row.
#   d2, f4                several states in a register: any CPU
#   d_avx2, f_avx2        double, float: x86-64 with AVX2 and FMA
#   d4_avx2, f8_avx2      several states in a register: the same
#   d_avx512              double: x86-64 with AVX-512 (F, DQ, VL, BW); registers as wide as with AVX2, but twice as many
#   d8_avx512, f16_avx512 twice as many states: the same
# The list is in order of preference, each with what it needs from the CPU.
set(rows_known
    d_avx512:avx512
    d_avx2:avx2
    f_avx2:avx2
    d8_avx512:avx512
    f16_avx512:avx512
    d4_avx2:avx2
    f8_avx2:avx2
    d:any
    f:any
    d2:any
    f4:any)

foreach(option JOUNCE_AVX2 JOUNCE_LANES)
  if(DEFINED ${option} AND NOT ${option})
    message(WARNING "${option} is no longer an option and is ignored: name the rows to build, e.g. -DJOUNCE_ROWS=\"d;d2\"")
  endif()
  unset(${option} CACHE)
endforeach()

set(x86_64 FALSE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(x86_64 TRUE)
endif()
set(avx512_flags -mavx512f -mavx512dq -mavx512vl -mavx512bw)
include(CheckCCompilerFlag)
if(x86_64)
  list(JOIN avx512_flags " " avx512_text)
  check_c_compiler_flag("${avx512_text}" JOUNCE_COMPILER_AVX512)
endif()

# Sets rows (names), rows_avx2 and rows_avx512 (1 if one of them needs it, otherwise 0), row_list and row_definitions (for
# src/dispatch/rows.c).
set(rows)
set(rows_left_out)
set(rows_avx2 0)
set(rows_avx512 0)
set(row_list "")
string(REPLACE "," ";" rows_wanted "${JOUNCE_ROWS}")
foreach(known IN LISTS rows_known)
  string(REPLACE ":" ";" known "${known}")
  list(GET known 0 name)
  list(GET known 1 needs)
  set(wanted FALSE)
  if(name IN_LIST rows_wanted OR rows_wanted STREQUAL "all")
    set(wanted TRUE)
  endif()
  list(REMOVE_ITEM rows_wanted ${name})
  if(NOT wanted)
    continue()
  endif()
  if((NOT needs STREQUAL "any" AND NOT x86_64) OR (needs STREQUAL "avx512" AND NOT JOUNCE_COMPILER_AVX512))
    list(APPEND rows_left_out ${name})
    continue()
  endif()
  list(APPEND rows ${name})
  string(APPEND row_list "X(${name},${needs},0)")
  if(NOT needs STREQUAL "any")
    set(rows_avx2 1) # has_avx512() asks for it too
  endif()
  if(needs STREQUAL "avx512")
    set(rows_avx512 1)
  endif()
endforeach()
set(row_definitions JN_ROWS_AVX2=${rows_avx2} JN_ROWS_AVX512=${rows_avx512})
if(rows_wanted AND NOT rows_wanted STREQUAL "all")
  list(JOIN rows_wanted ", " unknown)
  string(REGEX REPLACE ":[a-z0-9]+" "" names "${rows_known}")
  list(JOIN names ", " names)
  message(FATAL_ERROR "JOUNCE_ROWS: no such row: ${unknown}. There are ${names}; \"all\" builds all of them.")
endif()
if(NOT "d" IN_LIST rows)
  message(FATAL_ERROR "JOUNCE_ROWS=${JOUNCE_ROWS}: d is missing; every CPU runs it, and models need it")
endif()

# -O3 is worth a factor of 1.3 in kernels, and up to 4 in some, so it does not depend on the build type: packagers build
# with -O2. Debug and sanitizers keep what their presets ask for.
set(JOUNCE_KERNEL_OPTIMISATION "-O3" CACHE STRING "Optimisation of kernels in builds that are not for debugging")
mark_as_advanced(JOUNCE_KERNEL_OPTIMISATION)
set(optimised $<NOT:$<CONFIG:Debug>>)
if(JOUNCE_SANITIZE OR JOUNCE_COVERAGE)
  set(optimised 0)
endif()
set(kernel_optimisation $<${optimised}:${JOUNCE_KERNEL_OPTIMISATION}>)

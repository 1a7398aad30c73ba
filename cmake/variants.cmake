# SPDX-License-Identifier: BSD-2-Clause
# Which variants to build, from JOUNCE_VARIANTS: a variant is all kernels compiled for one number type and instruction set
# (docs/architecture.md). The best one for the CPU is chosen when the program runs.
#   d, f                  double, float: any CPU. d is always there; float calls go through it when there is no float variant.
#   d2, f4                several states in a register: any CPU
#   d_avx2, f_avx2        double, float: x86-64 with AVX2 and FMA
#   d4_avx2, f8_avx2      several states in a register: the same
#   d_avx512              double: x86-64 with AVX-512 (F, DQ, VL, BW); registers as wide as with AVX2, but twice as many
#   d8_avx512, f16_avx512 twice as many states: the same
# all builds every variant, native those that this machine's CPU would choose among all of them, and d: less than half of them, and as fast here.
# The list is in order of preference, each with what it needs from the CPU.
set(variants_known
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
    message(WARNING "${option} is no longer an option and is ignored: name the variants to build, e.g. -DJOUNCE_VARIANTS=\"d;d2\"")
  endif()
  unset(${option} CACHE)
endforeach()

# The names of these options before 0.1.0.
foreach(old JOUNCE_ROWS:JOUNCE_VARIANTS JOUNCE_TEST_ROWS:JOUNCE_TEST_VARIANTS)
  string(REPLACE ":" ";" old "${old}")
  list(GET old 0 old_name)
  list(GET old 1 new_name)
  if(DEFINED ${old_name})
    message(WARNING "${old_name} is called ${new_name} now; its value is used")
    set(${new_name} "${${old_name}}" CACHE STRING "" FORCE)
    unset(${old_name} CACHE)
  endif()
endforeach()

set(x86_64 FALSE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(x86_64 TRUE)
endif()
set(avx512_flags -mavx512f -mavx512dq -mavx512vl -mavx512bw)
include(CheckCCompilerFlag)
include(CheckCSourceRuns)
if(x86_64)
  list(JOIN avx512_flags " " avx512_text)
  check_c_compiler_flag("${avx512_text}" JOUNCE_COMPILER_AVX512)
endif()

# native: for each of the four uses (one state or many, double or float) the first variant that this CPU prefers, by the tests that the
# library asks when it runs (src/dispatch/cpu.h).
function(jounce_native_variants result)
  set(cpu_any TRUE)
  foreach(set avx2 avx512)
    set(cpu_${set} FALSE)
    string(TOUPPER ${set} SET)
    if(x86_64 AND (set STREQUAL "avx2" OR JOUNCE_COMPILER_AVX512))
      set(CMAKE_REQUIRED_INCLUDES "${PROJECT_SOURCE_DIR}/src/dispatch")
      set(CMAKE_REQUIRED_DEFINITIONS -DJN_VARIANTS_AVX2=1 -DJN_VARIANTS_AVX512=1)
      check_c_source_runs("#include <cpu.h>\nint main(void) { return !(has_${set}() && prefers_${set}()); }" JOUNCE_CPU_${SET})
      set(cpu_${set} ${JOUNCE_CPU_${SET}})
    endif()
  endforeach()

  set(chosen d)
  foreach(use "^d_|^d:" "^f_|^f:" "^d[0-9]" "^f[0-9]")
    foreach(known IN LISTS variants_known)
      string(REGEX REPLACE ".*:" "" needs "${known}")
      if("${known}" MATCHES "${use}" AND cpu_${needs})
        string(REGEX REPLACE ":.*" "" name "${known}")
        list(APPEND chosen ${name})
        break()
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES chosen)
  set(${result} "${chosen}" PARENT_SCOPE)
endfunction()

# Sets variants (names), variants_avx2 and variants_avx512 (1 if one of them needs it, otherwise 0), variant_list and variant_definitions (for
# src/dispatch/variants.c).
set(variants)
set(variants_left_out)
set(variants_avx2 0)
set(variants_avx512 0)
set(variant_list "")
string(REPLACE "," ";" variants_wanted "${JOUNCE_VARIANTS}")
if(variants_wanted STREQUAL "native" AND CMAKE_CROSSCOMPILING)
  set(variants_wanted all) # nobody can ask the CPU
elseif(variants_wanted STREQUAL "native")
  jounce_native_variants(variants_wanted)
endif()
foreach(known IN LISTS variants_known)
  string(REPLACE ":" ";" known "${known}")
  list(GET known 0 name)
  list(GET known 1 needs)
  set(wanted FALSE)
  if(name IN_LIST variants_wanted OR variants_wanted STREQUAL "all")
    set(wanted TRUE)
  endif()
  list(REMOVE_ITEM variants_wanted ${name})
  if(NOT wanted)
    continue()
  endif()
  if((NOT needs STREQUAL "any" AND NOT x86_64) OR (needs STREQUAL "avx512" AND NOT JOUNCE_COMPILER_AVX512))
    list(APPEND variants_left_out ${name})
    continue()
  endif()
  list(APPEND variants ${name})
  string(APPEND variant_list "X(${name},${needs},0)")
  if(NOT needs STREQUAL "any")
    set(variants_avx2 1) # has_avx512() asks for it too
  endif()
  if(needs STREQUAL "avx512")
    set(variants_avx512 1)
  endif()
endforeach()
set(variant_definitions JN_VARIANTS_AVX2=${variants_avx2} JN_VARIANTS_AVX512=${variants_avx512})
if(variants_wanted AND NOT variants_wanted STREQUAL "all")
  list(JOIN variants_wanted ", " unknown)
  string(REGEX REPLACE ":[a-z0-9]+" "" names "${variants_known}")
  list(JOIN names ", " names)
  message(FATAL_ERROR "JOUNCE_VARIANTS: no such variant: ${unknown}. There are ${names}; \"all\" builds all of them, \"native\" those that this CPU uses.")
endif()
if(NOT "d" IN_LIST variants)
  message(FATAL_ERROR "JOUNCE_VARIANTS=${JOUNCE_VARIANTS}: d is missing; every CPU runs it, and models need it")
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

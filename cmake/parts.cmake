# SPDX-License-Identifier: BSD-2-Clause
# Optional parts: each is ON (required), OFF, or AUTO (when its library is there). The core needs libc and libm only.

# jounce_part(URDF expat "…" finder): sets JOUNCE_WITH_<part> to 0 or 1.
macro(jounce_part part library debian)
  set(JOUNCE_WITH_${part} 0)
  if(NOT "${JOUNCE_${part}}" STREQUAL "OFF")
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
      pkg_check_modules(${library} QUIET IMPORTED_TARGET ${library})
    endif()
    if(${library}_FOUND)
      set(JOUNCE_WITH_${part} 1)
    elseif("${JOUNCE_${part}}" STREQUAL "ON")
      message(FATAL_ERROR "JOUNCE_${part}=ON needs ${library}: install ${debian} and pkg-config, or set JOUNCE_${part}=OFF")
    endif()
  endif()
endmacro()

jounce_part(URDF expat libexpat1-dev)
jounce_part(JSON jansson libjansson-dev)
jounce_part(IDENT lapacke liblapacke-dev)
jounce_part(ZLIB zlib zlib1g-dev)

set(JOUNCE_WITH_OPENMP 0)
if(NOT "${JOUNCE_OPENMP}" STREQUAL "OFF")
  find_package(OpenMP QUIET COMPONENTS C)
  if(OpenMP_C_FOUND)
    set(JOUNCE_WITH_OPENMP 1)
  elseif("${JOUNCE_OPENMP}" STREQUAL "ON")
    message(FATAL_ERROR "JOUNCE_OPENMP=ON needs a compiler with OpenMP (clang: install libomp-dev), or set JOUNCE_OPENMP=OFF")
  endif()
endif()
message(STATUS "jounce: URDF ${JOUNCE_WITH_URDF}, native files and built-in robots ${JOUNCE_WITH_JSON}, "
               "base parameters ${JOUNCE_WITH_IDENT}, compressed NPZ ${JOUNCE_WITH_ZLIB}, threads ${JOUNCE_WITH_OPENMP}")

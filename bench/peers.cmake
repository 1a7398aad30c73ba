# SPDX-License-Identifier: BSD-2-Clause
# Other dynamics libraries beside ours in bench_all: MuJoCo and Pinocchio from their Python packages (MUJOCO_PREFIX and
# PINOCCHIO_PREFIX, which script/bench --peers sets), MuJoCo and KDL as Debian has them (libmujoco-dev, liborocos-kdl-dev).

# ---- MuJoCo
set(MUJOCO_PREFIX "" CACHE PATH "Folder of the Python package mujoco")
set(mujoco_include "")
if(MUJOCO_PREFIX AND EXISTS "${MUJOCO_PREFIX}/include/mujoco/mujoco.h")
  set(mujoco_include "${MUJOCO_PREFIX}/include")
  file(GLOB mujoco_library "${MUJOCO_PREFIX}/libmujoco.so*")
else()
  find_path(MUJOCO_INCLUDE_DIR mujoco/mujoco.h)
  find_library(MUJOCO_LIBRARY mujoco)
  mark_as_advanced(MUJOCO_INCLUDE_DIR MUJOCO_LIBRARY)
  if(MUJOCO_INCLUDE_DIR AND MUJOCO_LIBRARY)
    set(mujoco_include "${MUJOCO_INCLUDE_DIR}")
    set(mujoco_library "${MUJOCO_LIBRARY}")
  endif()
endif()
if(mujoco_include)
  target_sources(bench_all PRIVATE peer_mujoco.c)
  foreach(target bench_all bench_steps)
    if(TARGET ${target})
      target_sources(${target} PRIVATE mujoco_model.c)
      target_include_directories(${target} SYSTEM PRIVATE "${mujoco_include}")
      target_compile_definitions(${target} PRIVATE JN_BENCH_MUJOCO=1)
      target_link_libraries(${target} PRIVATE "${mujoco_library}")
    endif()
  endforeach()
endif()

# ---- CVODE of SUNDIALS (libsundials-dev) beside our integrators
find_path(SUNDIALS_INCLUDE_DIR cvode/cvode.h)
find_library(SUNDIALS_CVODE_LIBRARY sundials_cvode)
find_library(SUNDIALS_NVECTOR_LIBRARY sundials_nvecserial)
mark_as_advanced(SUNDIALS_INCLUDE_DIR SUNDIALS_CVODE_LIBRARY SUNDIALS_NVECTOR_LIBRARY)
if(TARGET bench_simulation AND SUNDIALS_INCLUDE_DIR AND SUNDIALS_CVODE_LIBRARY AND SUNDIALS_NVECTOR_LIBRARY)
  target_sources(bench_simulation PRIVATE peer_cvode.c)
  target_include_directories(bench_simulation SYSTEM PRIVATE "${SUNDIALS_INCLUDE_DIR}")
  target_compile_definitions(bench_simulation PRIVATE JN_BENCH_SUNDIALS=1)
  target_link_libraries(bench_simulation PRIVATE "${SUNDIALS_CVODE_LIBRARY}" "${SUNDIALS_NVECTOR_LIBRARY}")
endif()

# ---- KDL
find_package(PkgConfig QUIET)
pkg_check_modules(kdl QUIET IMPORTED_TARGET orocos-kdl)
include(CheckLanguage)
check_language(CXX)
if(kdl_FOUND AND CMAKE_CXX_COMPILER)
  enable_language(CXX)
  add_library(bench_kdl OBJECT peer_kdl.cpp)
  target_compile_features(bench_kdl PRIVATE cxx_std_17)
  target_compile_definitions(bench_kdl PRIVATE "PEER_VERSION=\"${kdl_VERSION}\"")
  target_include_directories(bench_kdl PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(bench_kdl PRIVATE PkgConfig::kdl)
  target_compile_definitions(bench_all PRIVATE JN_BENCH_KDL=1)
  target_link_libraries(bench_all PRIVATE bench_kdl PkgConfig::kdl stdc++)
  if(TARGET bench_reach)
    add_library(bench_reach_kdl OBJECT reach_kdl.cpp)
    target_compile_features(bench_reach_kdl PRIVATE cxx_std_17)
    target_include_directories(bench_reach_kdl PRIVATE "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(bench_reach_kdl PRIVATE PkgConfig::kdl)
    target_compile_definitions(bench_reach PRIVATE JN_BENCH_KDL=1)
    target_link_libraries(bench_reach PRIVATE bench_reach_kdl PkgConfig::kdl stdc++)
  endif()
endif()

# ---- Pinocchio: headers only (Boost among them), and Eigen. By clang if there is one, which makes it 1.8 times as fast as
# gcc does, and for this machine. Its templates take minutes, so every file is an object of its own, through ccache.
set(PINOCCHIO_PREFIX "" CACHE PATH "Prefix of Pinocchio's headers")
find_path(EIGEN_INCLUDE_DIR Eigen/Core PATHS "${PINOCCHIO_PREFIX}/include/eigen3" /usr/include/eigen3)
find_program(CLANGXX clang++)
find_program(CCACHE ccache)
mark_as_advanced(EIGEN_INCLUDE_DIR CLANGXX CCACHE)
if(NOT PINOCCHIO_PREFIX OR NOT EIGEN_INCLUDE_DIR OR NOT CMAKE_CXX_COMPILER
   OR NOT EXISTS "${PINOCCHIO_PREFIX}/include/pinocchio/multibody.hpp")
  return()
endif()
set(pinocchio_compiler "${CMAKE_CXX_COMPILER}")
if(CLANGXX)
  set(pinocchio_compiler "${CLANGXX}")
endif()
execute_process(COMMAND "${pinocchio_compiler}" --version OUTPUT_VARIABLE pinocchio_compiler_version)
string(REGEX MATCH "(clang|g\\+\\+|GNU)[^\n]*[0-9]+\\.[0-9.]+" pinocchio_compiler_version "${pinocchio_compiler_version}")
set(pinocchio_command "${pinocchio_compiler}")
if(CCACHE)
  set(pinocchio_command "${CCACHE}" "${pinocchio_compiler}")
endif()
set(pinocchio_optimisation -O3 -march=native)
list(JOIN pinocchio_optimisation " " pinocchio_text)
enable_language(CXX)

# jounce_pinocchio(object source definitions…)
function(jounce_pinocchio name source)
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${name}.o")
  add_custom_command(
    OUTPUT "${object}"
    COMMAND
      ${pinocchio_command} -std=c++17 ${pinocchio_optimisation} -DNDEBUG -DBOOST_MPL_LIMIT_LIST_SIZE=30
      -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS -DBOOST_FUSION_INVOKE_MAX_ARITY=12
      -Wno-deprecated-declarations "-I${PROJECT_SOURCE_DIR}/include" -isystem "${PINOCCHIO_PREFIX}/include" -isystem
      "${EIGEN_INCLUDE_DIR}" ${ARGN} -c "${CMAKE_CURRENT_SOURCE_DIR}/${source}" -o "${object}"
    DEPENDS ${source} peer_pinocchio.hpp taylor.hpp peers.h robots.h
    COMMENT "Building ${name}, which takes some minutes"
    VERBATIM)
  target_sources(bench_all PRIVATE "${object}")
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
endfunction()

jounce_pinocchio(peer_pinocchio peer_pinocchio.cpp "-DPEER_BUILD=\"${pinocchio_compiler_version}, ${pinocchio_text}\"")
foreach(part dynamics matrices derivatives loops)
  jounce_pinocchio(peer_pinocchio_${part} peer_pinocchio_${part}.cpp)
endforeach()
foreach(order 1 2 3 4)
  jounce_pinocchio(peer_pinocchio_taylor${order} peer_pinocchio_taylor.cpp -DJN_TAYLOR_ORDER=${order}
                   -DJN_TAYLOR_MAKE=pinocchio_series${order})
endforeach()
target_compile_definitions(bench_all PRIVATE JN_BENCH_PINOCCHIO=1)
target_link_libraries(bench_all PRIVATE stdc++)

# SPDX-License-Identifier: BSD-2-Clause
# The library: kernels are compiled once for each number type and instruction set, the rest once; all go into one libjounce.

set(kernel_sources
    src/kernel/sensitivity/inverse_dynamics_adjoint.c
    src/kernel/base/bodies.c
    src/kernel/base/configuration.c
    src/kernel/first_derivatives/first_derivatives.c
    src/kernel/first_derivatives/frame_derivatives.c
    src/kernel/first_derivatives/inverse_dynamics_jet_derivatives.c
    src/kernel/second_derivatives/forward_dynamics_second_derivatives.c
    src/kernel/mass_matrix/mass_factor.c
    src/kernel/forward_dynamics/forward_dynamics.c
    src/kernel/terms/coriolis_christoffel.c
    src/kernel/terms/composite_inertia.c
    src/kernel/terms/frame.c
    src/kernel/jets/frame_jet.c
    src/kernel/jets/jets.c
    src/kernel/base/joint.c
    src/kernel/base/lie.c
    src/kernel/mass_matrix/mass_matrix.c
    src/kernel/jets/matrix_jet.c
    src/kernel/jets/momentum_jet.c
    src/kernel/inverse_dynamics/inverse_dynamics.c
    src/kernel/regressor/regressor.c
    src/kernel/regressor/regressor_jet.c
    src/kernel/base/variant.c
    src/kernel/second_derivatives/inverse_dynamics_second_derivatives.c
    src/kernel/sensitivity/inverse_dynamics_sensitivity.c
    src/kernel/forward_dynamics/solve_columns.c
    src/kernel/jets/system_jet.c
    src/kernel/terms/terms.c
    src/kernel/jets/joint_wrenches_jet.c
    src/kernel/inverse_dynamics/joint_wrenches.c)

set(core_sources
    src/dense/decompose.c
    src/dense/symmetric.c
    src/dense/triangles.c
    src/series/rotation.c
    src/edit/attach.c
    src/edit/edit.c
    src/edit/held_loops.c
    src/edit/lock.c
    src/edit/lump.c
    src/edit/repair.c
    src/edit/reroot.c
    src/edit/split.c
    src/elastic/control.c
    src/elastic/coupled.c
    src/elastic/create.c
    src/elastic/damped.c
    src/elastic/forward.c
    src/elastic/inverse.c
    src/elastic/modes.c
    src/elastic/pieces.c
    src/elastic/robot.c
    src/elastic/spring.c
    src/generate/answers.c
    src/generate/chains.c
    src/generate/closed_states.c
    src/generate/conditions.c
    src/generate/emit_c.c
    src/generate/emit_matlab.c
    src/generate/functions.c
    src/generate/functions_help.c
    src/generate/functions_jets.c
    src/generate/functions_kinematics.c
    src/generate/functions_loops.c
    src/generate/functions_motors.c
    src/generate/functions_observer.c
    src/generate/functions_rates.c
    src/generate/functions_terms.c
    src/generate/functions_wrenches.c
    src/generate/generate.c
    src/generate/graph.c
    src/generate/header.c
    src/generate/lanes.c
    src/generate/mechanism.c
    src/generate/order.c
    src/generate/pivots.c
    src/generate/recursions.c
    src/generate/selftest.c
    src/generate/sha256.c
    src/generate/sincos.c
    src/generate/split.c
    src/generate/symbols.c
    src/generate/taylor.c
    src/ident/base_parameters.c
    src/ident/closed.c
    src/ident/consistent.c
    src/ident/filter.c
    src/ident/random.c
    src/ident/rows.c
    src/ident/solve.c
    src/ident/unknowns.c
    src/loops/assembly.c
    src/loops/inside.c
    src/loops/closure.c
    src/loops/constraints.c
    src/loops/conditions.c
    src/loops/conditions_jets.c
    src/loops/conditions_screws.c
    src/loops/conditions_user.c
    src/loops/create.c
    src/loops/derivatives.c
    src/loops/derivatives_inverse.c
    src/loops/equations.c
    src/loops/equations_inverse.c
    src/loops/factors.c
    src/loops/wrenches_impact.c
    src/loops/solve.c
    src/loops/state.c
    src/loops/structure.c
    src/tasks/batch.c
    src/tasks/course.c
    src/tasks/create.c
    src/tasks/curvature.c
    src/tasks/follow.c
    src/tasks/jets.c
    src/tasks/lanes.c
    src/tasks/limits.c
    src/tasks/motion.c
    src/tasks/operational.c
    src/tasks/priorities.c
    src/tasks/rows.c
    src/tasks/solve.c
    src/tasks/step.c
    src/model/base.c
    src/model/builder.c
    src/model/convert.c
    src/model/elimination.c
    src/model/coordinates.c
    src/model/freeze.c
    src/model/inertia_law.c
    src/model/limits.c
    src/model/log.c
    src/model/memory.c
    src/model/numbers.c
    src/model/parameters.c
    src/model/query.c
    src/model/stop.c
    src/dispatch/argument_sizes.c
    src/dispatch/singular.c
    src/model/structure.c
    src/dispatch/batch.c
    src/dispatch/parameters.c
    src/dispatch/run.c
    src/dispatch/work.c
    src/io/actuators.c
    src/io/builtin.c
    src/io/common.c
    src/io/csv.c
    src/io/limit.c
    src/io/load.c
    src/io/native_scan.c
    src/io/native_write.c
    src/io/npy.c
    src/io/table.c
    src/io/whole_file.c
    src/io/zip.c
    src/retime/optimal.c
    src/retime/path.c
    src/retime/polynomial.c
    src/retime/retime.c
    src/retime/timing.c
    src/retime/uniform.c
    src/simulation/derivatives.c
    src/simulation/energy.c
    src/simulation/events.c
    src/simulation/flow.c
    src/simulation/forces.c
    src/simulation/group.c
    src/simulation/jacobians.c
    src/simulation/motions.c
    src/simulation/projection.c
    src/simulation/rodas.c
    src/simulation/rollout.c
    src/simulation/runge_kutta.c
    src/simulation/second.c
    src/simulation/series.c
    src/simulation/simulator.c
    src/simulation/variation.c
    src/solvers/chart.c
    src/solvers/closed.c
    src/solvers/function.c
    src/solvers/jet_variation.c
    src/solvers/kinematics.c
    src/solvers/pattern.c
    src/solvers/rates.c
    src/solvers/steps.c
    src/solvers/tree.c
    src/text/content.c
    src/text/json_values.c
    src/text/printable.c
    src/text/table_names.c
    src/text/nearest_name.c
    src/text/words.c
    src/trajectory/arrays.c
    src/trajectory/columns.c
    src/trajectory/curve.c
    src/trajectory/fit_choose.c
    src/trajectory/fit_solve.c
    src/trajectory/forces.c
    src/trajectory/held.c
    src/trajectory/load.c
    src/trajectory/motors.c
    src/trajectory/names.c
    src/trajectory/noise.c
    src/trajectory/open.c
    src/trajectory/residue.c
    src/trajectory/samples.c
    src/trajectory/series.c
    src/trajectory/stamps.c
    src/trajectory/steps.c
    src/trajectory/trajectory.c
    src/trajectory/turn.c
    src/trajectory/units.c
    src/trajectory/waypoints.c
    src/trajectory/wrenches.c)

# Written for the caller's number type, compiled for double and for float.
set(public_sources
    src/dispatch/batch_functions.c
    src/dispatch/configuration.c
    src/dispatch/derivatives.c
    src/dispatch/derivatives_frame.c
    src/dispatch/dynamics.c
    src/dispatch/jets.c
    src/dispatch/kinematics.c
    src/dispatch/lie.c
    src/dispatch/regressor.c
    src/dispatch/scalars.c
    src/dispatch/forward_dynamics_sensitivity.c
    src/dispatch/sensitivity.c)

if(JOUNCE_WITH_URDF)
  list(APPEND core_sources src/io/left_list.c src/io/urdf_constraint.c src/io/urdf_edit.c src/io/urdf_left.c
       src/io/urdf_names.c src/io/urdf_patch.c src/io/urdf_read.c src/io/urdf_transmission.c src/io/urdf_walk.c src/io/urdf_write.c
       src/io/urdf_xml.c src/io/xml.c)
  foreach(part body class couple drive frame geom hull key mesh names read schema stl xml)
    list(APPEND core_sources src/io/mjcf_${part}.c)
  endforeach()
endif()
if(JOUNCE_WITH_JSON)
  set(robots_header "${PROJECT_BINARY_DIR}/generated/builtin_robots.h")
  jounce_embed_robots("${PROJECT_SOURCE_DIR}/src/io/robots" "${robots_header}")
  list(APPEND core_sources src/io/native_read.c src/trajectory/analytic.c "${robots_header}")
endif()

if(JOUNCE_WITH_IDENT)
  list(APPEND core_sources src/ident/combine.c src/ident/stack.c src/ident/structure.c)
endif()

# Without applications: robots, their dynamics and derivatives, closed loops and model files; nothing about motions over time.
if(NOT JOUNCE_APPLICATIONS)
  list(FILTER core_sources EXCLUDE REGEX "^src/(elastic|generate|ident|retime|simulation|solvers|tasks|trajectory)/")
  list(FILTER core_sources EXCLUDE REGEX "^src/io/(actuators|csv|npy|table|zip)\\.c$")
endif()

# Settings of every object that goes into the library.
function(jounce_object target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/generated")
  target_compile_definitions(${target} PRIVATE JOUNCE_BUILDING JN_WITH_URDF=${JOUNCE_WITH_URDF}
                                               JN_WITH_JSON=${JOUNCE_WITH_JSON})
  target_link_libraries(${target} PRIVATE jounce_flags)
endfunction()

# A variant: the kernels over one number type, see src/lie/number.h. -ffp-contract is set explicitly: fused multiply-add
# where the instruction set has it, and nowhere else. Kernels use neither errno nor floating-point traps, so both are off.
# ${kernel_optimisation} comes after the flags of the build type. A variant that JOUNCE_VARIANTS does not name is left out.
function(jounce_variant name kind lanes)
  if(NOT name IN_LIST variants)
    return()
  endif()
  add_library(jounce_variant_${name} OBJECT EXCLUDE_FROM_ALL ${kernel_sources})
  set_target_properties(jounce_variant_${name} PROPERTIES JOUNCE_PLAIN ${JOUNCE_FUZZ})
  jounce_object(jounce_variant_${name})
  target_compile_definitions(jounce_variant_${name} PRIVATE JN_VARIANT=${name} JN_KIND=JN_KIND_${kind} JN_LANES=${lanes})
  target_compile_options(jounce_variant_${name} PRIVATE -fno-math-errno -fno-trapping-math -Wno-psabi
                                                    ${kernel_optimisation} ${ARGN})
  set(jounce_variants ${jounce_variants} jounce_variant_${name} PARENT_SCOPE)
endfunction()

# Orders 1 to 4 of jets are unrolled completely, although their loops are long: 5 to 8 % faster.
set_source_files_properties(src/kernel/jets/jets.c PROPERTIES COMPILE_OPTIONS
                                                         "$<$<C_COMPILER_ID:GNU>:--param=max-completely-peeled-insns=1000>")
set(jounce_variants)
set(any_cpu -ffp-contract=off)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
  set(any_cpu -ffp-contract=fast) # every 64-bit ARM has NEON and fused multiply-add
endif()
set(any_cpu_lanes ${any_cpu})
if(EMSCRIPTEN)
  list(APPEND any_cpu_lanes -msimd128) # registers of 16 bytes in WebAssembly
endif()
jounce_variant(d D 1 ${any_cpu})
jounce_variant(f F 1 ${any_cpu})
jounce_variant(d2 D 2 ${any_cpu_lanes})
jounce_variant(f4 F 4 ${any_cpu_lanes})
if(variants_avx2)
  set(avx2 -mavx2 -mfma -ffp-contract=fast)
  # Packing scalars of one state into registers costs more than it saves, and code is tuned for recent CPUs, because those
  # with AVX2 usually are: together this makes derivatives of inverse dynamics 6 % faster, the mass matrix 12 %.
  # Structs are copied by whole registers, as they are loaded later: copied by halves, derivatives take 1 to 6 % longer
  # (but the gradient 7 to 15 % and second derivatives 1 to 2 % less time).
  set(gcc12 $<AND:$<C_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<C_COMPILER_VERSION>,12>>)
  set(avx2_one ${avx2} -mtune=znver3 $<$<C_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>
               $<${gcc12}:-mmove-max=256;-mstore-max=256>)
  set_source_files_properties(src/kernel/sensitivity/inverse_dynamics_adjoint.c src/kernel/second_derivatives/inverse_dynamics_second_derivatives.c PROPERTIES COMPILE_OPTIONS
                                                              "$<${gcc12}:-mmove-max=128;-mstore-max=128>")
  jounce_variant(d_avx2 D 1 ${avx2_one})
  jounce_variant(d_avx512 D 1 ${avx2_one} ${avx512_flags} -mprefer-vector-width=256)
  jounce_variant(f_avx2 F 1 ${avx2_one})
  # With lanes, registers are scarce: scheduling instructions to need fewer makes jets of high order 8 % faster (but forward
  # dynamics and first derivatives 4 to 8 % slower, so not there). `rep movs` for structs of half a kilobyte costs up to 3 %.
  set(strategy vector_loop:2048:noalign,libcall:-1:noalign)
  set(avx2_lanes ${avx2} $<$<C_COMPILER_ID:GNU>:-fschedule-insns;-fsched-pressure;-mmemcpy-strategy=${strategy};-mmemset-strategy=${strategy}>)
  set_source_files_properties(src/kernel/first_derivatives/first_derivatives.c src/kernel/forward_dynamics/forward_dynamics.c PROPERTIES
                              COMPILE_OPTIONS "$<$<C_COMPILER_ID:GNU>:-fno-schedule-insns>")
  jounce_variant(d4_avx2 D 4 ${avx2_lanes})
  jounce_variant(f8_avx2 F 8 ${avx2_lanes})
  set(avx512_lanes ${avx2_lanes} ${avx512_flags} -mprefer-vector-width=512)
  jounce_variant(d8_avx512 D 8 ${avx512_lanes})
  jounce_variant(f16_avx512 F 16 ${avx512_lanes})
endif()

if(EMSCRIPTEN) # what reads, checks and writes is not hot, and a web page has all of it inside
  set(small ${core_sources})
  list(FILTER small INCLUDE REGEX "^src/(io|model|edit|text|trajectory)/")
  set_source_files_properties(${small} PROPERTIES COMPILE_OPTIONS -Os)
endif()
add_library(jounce_core OBJECT ${core_sources})
jounce_object(jounce_core)
target_compile_options(jounce_core PRIVATE -Wconversion)
target_compile_definitions(jounce_core PRIVATE JN_WITH_IDENT=${JOUNCE_WITH_IDENT} JN_WITH_ZLIB=${JOUNCE_WITH_ZLIB}
                                               JN_WITH_OPENMP=${JOUNCE_WITH_OPENMP} JN_VARIANTS_AVX2=${variants_avx2})
if(JOUNCE_WITH_OPENMP)
  set_source_files_properties(src/dispatch/batch.c src/ident/filter.c src/tasks/create.c src/tasks/batch.c PROPERTIES COMPILE_OPTIONS "${OpenMP_C_FLAGS}")
endif()
if(JOUNCE_WITH_URDF)
  target_link_libraries(jounce_core PRIVATE PkgConfig::expat)
endif()
if(JOUNCE_WITH_JSON)
  target_link_libraries(jounce_core PRIVATE PkgConfig::jansson)
endif()
if(JOUNCE_WITH_IDENT)
  target_link_libraries(jounce_core PRIVATE PkgConfig::lapacke)
endif()
if(JOUNCE_WITH_ZLIB)
  target_link_libraries(jounce_core PRIVATE PkgConfig::zlib)
endif()

foreach(number double float)
  add_library(jounce_public_${number} OBJECT ${public_sources})
  jounce_object(jounce_public_${number})
  target_compile_options(jounce_public_${number} PRIVATE -Wconversion)
endforeach()
target_compile_definitions(jounce_public_float PRIVATE JN_FLOAT=1)

# The list of variants is compiled separately, because the tests have two more variants.
function(jounce_variants_object target)
  add_library(${target} OBJECT "${PROJECT_SOURCE_DIR}/src/dispatch/variants.c")
  jounce_object(${target})
  target_compile_options(${target} PRIVATE -Wconversion)
  target_compile_definitions(${target} PRIVATE ${variant_definitions} "JN_VARIANT_LIST=${variant_list}" ${ARGN})
endfunction()
jounce_variants_object(jounce_variants)

# Closed loops are solved in double in every variant, with AVX2 if the variant uses it: see src/loops/wide.h. So are steps of
# many inverse kinematics (src/tasks/lanes.h).
set(jounce_loops)
if(variants_avx2)
  set(jounce_loops jounce_loops_avx2)
  add_library(jounce_loops_avx2 OBJECT src/loops/conditions_screws.c src/loops/solve.c)
  if(JOUNCE_APPLICATIONS)
    target_sources(jounce_loops_avx2 PRIVATE src/tasks/lanes.c)
  endif()
  jounce_object(jounce_loops_avx2)
  target_compile_definitions(jounce_loops_avx2 PRIVATE JN_WIDE=4)
  target_compile_options(jounce_loops_avx2 PRIVATE -Wconversion -fno-math-errno -fno-trapping-math
                                                   ${kernel_optimisation} ${avx2_one})
endif()

set(jounce_objects jounce_core jounce_public_double jounce_public_float ${jounce_loops} ${jounce_variants})

# jounce_library(target type variants…): one library from all objects.
function(jounce_library target type)
  add_library(${target} ${type})
  foreach(object IN LISTS jounce_objects ARGN)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
  endforeach()
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:jounce_flags>)
  if(UNIX)
    target_link_libraries(${target} PRIVATE m)
  endif()
  if(JOUNCE_WITH_URDF)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:PkgConfig::expat>)
  endif()
  if(JOUNCE_WITH_JSON)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:PkgConfig::jansson>)
  endif()
  if(JOUNCE_WITH_IDENT)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:PkgConfig::lapacke>)
  endif()
  if(JOUNCE_WITH_OPENMP)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:OpenMP::OpenMP_C>)
  endif()
  if(JOUNCE_WITH_ZLIB)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:PkgConfig::zlib>)
  endif()
endfunction()

if(JOUNCE_SHARED)
  jounce_library(jounce SHARED jounce_variants)
  # Before 1.0 every minor version may break the ABI, so the minor number is part of the SONAME.
  set_target_properties(jounce PROPERTIES VERSION ${PROJECT_VERSION}
                                          SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  # Symbols carry the version too, if the linker supports it; abi/symbols.txt lists them all.
  include(CheckLinkerFlag)
  set(version_script "-Wl,--version-script=${PROJECT_SOURCE_DIR}/abi/jounce.map")
  check_linker_flag(C "${version_script}" JOUNCE_VERSION_SCRIPT)
  if(JOUNCE_VERSION_SCRIPT)
    target_link_options(jounce PRIVATE "${version_script}")
    set_target_properties(jounce PROPERTIES LINK_DEPENDS "${PROJECT_SOURCE_DIR}/abi/jounce.map")
  endif()
  set(jounce_main jounce)
endif()
if(JOUNCE_STATIC)
  jounce_library(jounce_static STATIC jounce_variants)
  set_target_properties(jounce_static PROPERTIES OUTPUT_NAME jounce EXPORT_NAME static)
  add_library(jounce::static ALIAS jounce_static)
  if(NOT JOUNCE_SHARED)
    set_target_properties(jounce_static PROPERTIES EXPORT_NAME jounce)
    set(jounce_main jounce_static)
  endif()
endif()
add_library(jounce::jounce ALIAS ${jounce_main})

if(JOUNCE_BENCH)
  include("${PROJECT_SOURCE_DIR}/bench/versions.cmake")
endif()

# SPDX-License-Identifier: BSD-2-Clause
# script/soak: random models and states of everything against properties and other number types.
# It needs both rows of the tests: complex numbers for exact derivatives, long double for rounding.
if("z" IN_LIST JOUNCE_TEST_VARIANTS AND "l" IN_LIST JOUNCE_TEST_VARIANTS)
  set(soak_generated "${CMAKE_CURRENT_BINARY_DIR}/twins")
  file(READ "${PROJECT_SOURCE_DIR}/include/jounce/float.h" float_header)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/jounce/float.h")
  set(twin_sources ${public_sources})
  list(FILTER twin_sources EXCLUDE REGEX "batch_functions|scalars")
  list(TRANSFORM twin_sources PREPEND "${PROJECT_SOURCE_DIR}/")
  # jn<tag>_x: the public functions over `number`, calling the dispatch of twin.c.
  function(jounce_twin tag flag number)
    string(REGEX REPLACE "([^a-z_])float([^a-z_.])" "\\1${number}\\2" text "${float_header}")
    string(REPLACE "jnf_" "jn${tag}_" text "${text}")
    string(REPLACE "JOUNCE_FLOAT_H" "JN_TWIN_${flag}_H" text "${text}")
    string(REPLACE "\"regressor.h\"" "\"jounce/regressor.h\"" text "${text}")
    file(CONFIGURE OUTPUT "${soak_generated}/twin_${tag}.h" CONTENT "${text}" @ONLY)
    add_library(jounce_twin_${tag} OBJECT ${twin_sources})
    jounce_object(jounce_twin_${tag})
    target_include_directories(jounce_twin_${tag} PRIVATE "${soak_generated}")
    target_compile_definitions(jounce_twin_${tag} PRIVATE JN_TWIN_${flag}=1 jn__run=jn__twin_run
                                                          jn__choose_variant=jn__twin_variant)
  endfunction()
  jounce_twin(z Z "double _Complex")
  jounce_twin(l L "long double")

  add_executable(soak soak/main.c soak/billion.c soak/twin.c soak/catalogue.c soak/floors.c soak/generate.c soak/properties.c soak/properties_dynamics.c soak/properties_kinematics.c soak/properties_loops.c soak/properties_other.c soak/properties_parameters.c
                      soak/properties_lie.c soak/measure.c soak/newton.c $<TARGET_OBJECTS:jounce_twin_z> $<TARGET_OBJECTS:jounce_twin_l>)
  target_include_directories(soak PRIVATE "${PROJECT_SOURCE_DIR}/src" "${CMAKE_CURRENT_SOURCE_DIR}" "${soak_generated}")
  target_link_libraries(soak PRIVATE jounce_flags jounce_testing PkgConfig::cmocka m)

  # A few seconds of it in every row; then every public function must have a check.
  set(soak_results "${CMAKE_CURRENT_BINARY_DIR}/soak.tsv")
  add_test(NAME soak COMMAND soak --small --models 12 --results "${soak_results}")
  set_tests_properties(soak PROPERTIES FIXTURES_SETUP soak_results)
  if(JOUNCE_WITH_IDENT)
    add_test(NAME verification COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/verification.sh ${PROJECT_SOURCE_DIR} "${soak_results}")
    set_tests_properties(verification PROPERTIES LABELS once FIXTURES_REQUIRED soak_results)
  endif()
endif()

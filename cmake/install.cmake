# SPDX-License-Identifier: BSD-2-Clause
# Headers, libraries, CMake package (jounce::jounce, jounce::static) and pkg-config file; components library (what
# programs need to run), development (what they are built with), and command (tool/CMakeLists.txt).
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/jounce)

install(DIRECTORY include/jounce DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.h")
set(targets)
foreach(target jounce jounce_static)
  if(TARGET ${target})
    list(APPEND targets ${target})
  endif()
endforeach()
install(TARGETS ${targets} EXPORT jounce-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library)
install(EXPORT jounce-targets NAMESPACE jounce:: DESTINATION ${package_dir} COMPONENT development)

# Other libraries that a program needs if it links the static library.
set(private_libraries "")
set(private_modules "")
if(UNIX)
  set(private_libraries "-lm")
endif()
if(JOUNCE_WITH_OPENMP)
  string(APPEND private_libraries " ${OpenMP_C_FLAGS}")
endif()
if(JOUNCE_WITH_URDF)
  string(APPEND private_modules " expat")
endif()
if(JOUNCE_WITH_JSON)
  string(APPEND private_modules " jansson")
endif()
if(JOUNCE_WITH_IDENT)
  string(APPEND private_modules " lapacke")
endif()
if(JOUNCE_WITH_ZLIB)
  string(APPEND private_modules " zlib")
endif()
configure_package_config_file(cmake/jounce-config.cmake.in jounce-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(jounce-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/jounce-config.cmake ${PROJECT_BINARY_DIR}/jounce-config-version.cmake
        DESTINATION ${package_dir} COMPONENT development)

if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
  set(pc_libdir "${CMAKE_INSTALL_LIBDIR}")
else() # relative to the file itself, so that the prefix can be chosen or changed after the build
  file(RELATIVE_PATH up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  set(pc_prefix "\${pcfiledir}/${up}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
else()
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
if(JOUNCE_SHARED)
  set(pc_requires "Requires.private")
else() # there is only the static library: every program needs its libraries, too
  set(pc_requires "Requires")
  set(pc_libs "${private_libraries}")
endif()
configure_file(cmake/jounce.pc.in jounce.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/jounce.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# SPDX-License-Identifier: BSD-2-Clause
# Debian packages by `cpack`: jounce (the command), libjounce0.1 (the library), libjounce-dev (to build with it). The preset
# `package` configures as a distribution would: cmake --workflow --preset package.
set(soname_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(JOUNCE_MAINTAINER "jounce authors <jounce@example.org>" CACHE STRING "Maintainer of the packages, with address")
mark_as_advanced(JOUNCE_MAINTAINER)

# package_<component>: the package name; also installs licence and changelog, which only packages need.
set(package_command jounce)
set(package_library libjounce${soname_version})
set(package_development libjounce-dev)
set(package_files ${PROJECT_BINARY_DIR}/package)
file(READ LICENSE licence)
string(REGEX REPLACE "\n\n" "\n.\n" licence "${licence}")
string(REGEX REPLACE "\n" "\n " licence "${licence}")
string(STRIP "${licence}" licence)
file(TIMESTAMP CHANGELOG.md package_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(cmake/copyright.in ${package_files}/copyright @ONLY)
configure_file(cmake/changelog.in ${package_files}/changelog.Debian @ONLY)
foreach(component command library development)
  install(FILES ${package_files}/copyright ${package_files}/changelog.Debian
          DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${package_${component}} COMPONENT ${component} EXCLUDE_FROM_ALL)
  install(FILES CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${package_${component}} RENAME changelog
          COMPONENT ${component} EXCLUDE_FROM_ALL)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package_${component}})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME jounce)
set(CPACK_PACKAGE_VENDOR "jounce authors")
set(CPACK_PACKAGE_CONTACT "${JOUNCE_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package-compress.cmake)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL library development)
if(JOUNCE_TOOL)
  list(APPEND CPACK_COMPONENTS_ALL command)
endif()
set(CPACK_COMPONENT_COMMAND_DEPENDS library)
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)
set(about "It computes the torques that a motion of a robot needs, their time
derivatives of any order, forward dynamics, Jacobians, and derivatives by
state and parameters, for trees and closed loops, from URDF and JSON files.")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "robot dynamics and all their derivatives (command)\n${about}")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "robot dynamics and all their derivatives (library)\n${about}")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "robot dynamics and all their derivatives (development)\n${about}
These are the headers, the static library, and files for CMake and pkg-config.")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SOURCE jounce)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "gnuplot-nox | gnuplot")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
file(WRITE ${package_files}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${package_files}/triggers)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# pkg-config checks that the libraries which the static library needs are there, even to link the shared one.
list(REMOVE_ITEM parts_debian libcmocka-dev)
list(JOIN parts_debian ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
include(CPack)

# SPDX-License-Identifier: BSD-2-Clause
# The built-in robots, src/io/robots/*.json, as a C header of arrays.
#
# Included, it gives a function; run as a script (cmake -DINPUT=dir -DOUTPUT=file -P embed.cmake), it writes the header.
# It writes bytes because compilers limit the length of string literals.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(JOUNCE_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

  # Makes the header `output` from the .json files of the directory `input` at build time. Add it to the sources of the
  # target that compiles builtin.c, and its directory to the include path.
  function(jounce_embed_robots input output)
    file(GLOB robots CONFIGURE_DEPENDS "${input}/*.json")
    add_custom_command(
      OUTPUT "${output}"
      COMMAND "${CMAKE_COMMAND}" "-DINPUT=${input}" "-DOUTPUT=${output}" -P "${JOUNCE_EMBED_SCRIPT}"
      DEPENDS ${robots} "${JOUNCE_EMBED_SCRIPT}"
      COMMENT "Embedding the built-in robots"
      VERBATIM)
  endfunction()
  return()
endif()

# "static const char NAME[] = {0x7b, ..., 0};", 24 bytes per line.
function(add_array name hex)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REPEAT "0x..," 24 line)
  string(REGEX REPLACE "(${line})" "\\1\n  " bytes "${bytes}")
  string(APPEND header "static const char ${name}[] = {\n  ${bytes}0};\n")
  set(header "${header}" PARENT_SCOPE)
endfunction()

set(header "/* Made by cmake/embed.cmake from src/io/robots. Do not edit. */\n")
set(table "")
file(GLOB files "${INPUT}/*.json")
list(SORT files)
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  file(READ "${file}" hex HEX)
  if(hex MATCHES "^(..)*[89a-f].")
    message(FATAL_ERROR "${file}: only ASCII is allowed")
  endif()
  string(JSON comment ERROR_VARIABLE error GET "${text}" comment)
  if(error)
    message(FATAL_ERROR "${file}: needs a \"comment\" that says what it is and where its data come from (${error})")
  endif()
  string(HEX "${comment}" comment_hex)
  add_array("${name}_text" "${hex}")
  add_array("${name}_summary" "${comment_hex}")
  string(APPEND table "  {\"${name}\", ${name}_summary, ${name}_text},\n")
endforeach()
file(WRITE "${OUTPUT}" "${header}static const builtin robots[] = {\n${table}};\n")

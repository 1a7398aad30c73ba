# SPDX-License-Identifier: BSD-2-Clause
# Run by cpack before it packs the installed files: in Debian, manuals and changelogs are compressed.
file(GLOB files ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/man*/*.[0-9]
     ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/doc/*/changelog ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/doc/*/changelog.Debian)
foreach(file IN LISTS files)
  execute_process(COMMAND gzip -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

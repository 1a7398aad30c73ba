# SPDX-License-Identifier: BSD-2-Clause
# Toolchain for 64-bit ARM with Debian's cross compiler (gcc-aarch64-linux-gnu); tests run under qemu-user:
#   cmake -S . -B build/arm -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.cmake
# Libraries come from the foreign architecture arm64 of the same Debian. `script/soak --arm` does all of it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)

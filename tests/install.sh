#!/bin/sh
# Installs into a temporary prefix and builds a small program against it: by find_package (shared and static), by
# pkg-config (shared and static), and by add_subdirectory.   install.sh BUILD SOURCE CC CMAKE GENERATOR
set -eu
build=$1 source=$2 cc=$3 cmake=$4 generator=$5
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
prefix=$tmp/prefix

"$cmake" --install "$build" --prefix "$prefix" >/dev/null
for file in include/jounce/jounce.h share/man/man1/jounce.1 bin/jounce; do
  [ -e "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
"$prefix/bin/jounce" --version
# what is exported is what the headers declare, and nothing internal
library=$(find "$prefix" -name 'libjounce.so')
nm -D --defined-only "$library" | awk '{print $3}' | grep -vE '^jnf?_[a-z]' && { echo "stray symbols"; exit 1; }
nm -D --defined-only "$library" | grep -q ' jn_load$' || { echo "jn_load is not exported"; exit 1; }
readelf -d "$library" | grep -q 'SONAME.*libjounce\.so\.[0-9]' || { echo "no SONAME"; exit 1; }

cat >"$tmp/main.c" <<'C'
#include <jounce/jounce.h>
#include <stdio.h>
int main(void) {
  jn_model *m;
  jn_error error;
  if (jn_load("builtin:chain:7", NULL, &m, &error) != JN_OK) return puts(error.text), 1;
  printf("%s: %d joints, %g kg\n", jn_model_name(m), jn_model_nv(m), jn_model_mass(m));
  jn_model_destroy(m);
  return jn_model_nv(m = NULL) != 0;
}
C

project() { # name, body: a CMake project that builds and runs main.c
  mkdir "$tmp/$1"
  cp "$tmp/main.c" "$tmp/$1"
  printf 'cmake_minimum_required(VERSION 3.25)\nproject(user C)\n%s\n' "$2" >"$tmp/$1/CMakeLists.txt"
  "$cmake" -G "$generator" -S "$tmp/$1" -B "$tmp/$1/build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" >"$tmp/log" 2>&1 &&
    "$cmake" --build "$tmp/$1/build" >>"$tmp/log" 2>&1 || { echo "$1 failed:"; cat "$tmp/log"; exit 1; }
  printf '%s: ' "$1"
  "$tmp/$1/build/user"
}
project find_package 'find_package(jounce 0.1 REQUIRED)
add_executable(user main.c)
target_link_libraries(user jounce::jounce)'
project find_package_static 'find_package(jounce 0.1 REQUIRED)
add_executable(user main.c)
target_link_libraries(user jounce::static)'
project add_subdirectory "add_subdirectory($source jounce)
add_executable(user main.c)
target_link_libraries(user jounce::jounce)"

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name jounce.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
"$cc" "$tmp/main.c" $(pkg-config --cflags --libs jounce) -o "$tmp/shared"
printf 'pkg-config: '
LD_LIBRARY_PATH=$(pkg-config --variable=libdir jounce) "$tmp/shared"
# shellcheck disable=SC2046
"$cc" "$tmp/main.c" $(pkg-config --cflags jounce) "$(pkg-config --variable=libdir jounce)/libjounce.a" \
  $(pkg-config --static --libs jounce | sed 's/-ljounce//') -o "$tmp/static"
printf 'pkg-config, static: '
"$tmp/static"

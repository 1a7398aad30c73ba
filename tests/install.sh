#!/bin/sh
# Installs into a temporary prefix and builds a small program against it: by find_package (shared and static), by
# pkg-config (shared and static), and by add_subdirectory.   install.sh BUILD SOURCE CC CMAKE GENERATOR
# With --packages at the end, what is tried is what the Debian packages of cpack unpack to.
set -eu
build=$1 source=$2 cc=$3 cmake=$4 generator=$5
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
prefix=$tmp/prefix

if [ "${6:-}" = --packages ]; then
  for tool in dpkg-deb dpkg-shlibdeps; do
    command -v $tool >/dev/null 2>&1 || { echo "$tool is missing"; exit 77; }
  done
  "$(dirname "$(command -v "$cmake")")/cpack" --config "$build/CPackConfig.cmake" -B "$tmp/packages" >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
  for package in jounce libjounce0.1 libjounce-dev; do
    file=$(find "$tmp/packages" -maxdepth 1 -name "${package}_*.deb")
    [ -n "$file" ] || { echo "no package $package"; exit 1; }
    printf '%s: %s\n' "$package" "$(dpkg-deb -f "$file" Depends)"
    [ $package = libjounce0.1 ] || dpkg-deb -f "$file" Depends | grep -q 'libjounce0.1 (=' ||
      { echo "$package does not depend on libjounce0.1"; exit 1; }
    dpkg-deb -x "$file" "$tmp/root"
    for doc in copyright changelog.gz; do
      [ -e "$tmp/root/usr/share/doc/$package/$doc" ] || { echo "$package has no $doc"; exit 1; }
    done
  done
  prefix=$tmp/root/usr
  manual=share/man/man1/jounce.1.gz
else
  "$cmake" --install "$build" --prefix "$prefix" >/dev/null
  manual=share/man/man1/jounce.1
fi
for file in include/jounce/jounce.h $manual bin/jounce share/bash-completion/completions/jounce \
  share/fish/vendor_completions.d/jounce.fish; do
  [ -e "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
LD_LIBRARY_PATH=$(dirname "$(find "$prefix" -name 'libjounce.so')") "$prefix/bin/jounce" --version
# what is exported is what the headers declare, and nothing internal
library=$(find "$prefix" -name 'libjounce.so')
nm -D --defined-only "$library" | awk '$2 != "A" {print $3}' | grep -vE '^jnf?_[a-z]' && { echo "stray symbols"; exit 1; }
nm -D --defined-only "$library" | grep -q ' jn_load\(@.*\)\{0,1\}$' || { echo "jn_load is not exported"; exit 1; }
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
[ "${6:-}" = --packages ] || project add_subdirectory "set(JOUNCE_VARIANTS d)
add_subdirectory($source jounce)
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

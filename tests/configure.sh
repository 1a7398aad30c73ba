#!/bin/sh
# What cmake makes of its options, without building: kernels get -O3 whatever the packager's build type, JOUNCE_VARIANTS is
# obeyed or refused, and missing libraries are told.   configure.sh SOURCE CC CMAKE
set -eu
source=$1 cc=$2 cmake=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
fail() { echo "$*"; failures=$((failures + 1)); }
# Only this test decides what is there.
unset CFLAGS CMAKE_C_COMPILER_LAUNCHER
configure() { # options of cmake; what it says goes to $tmp/log
  rm -rf "$tmp/build"
  "$cmake" -S "$source" -B "$tmp/build" -DCMAKE_C_COMPILER="$cc" -DJOUNCE_EXAMPLES=OFF -DJOUNCE_BENCH=OFF \
    -DJOUNCE_TOOL=OFF "$@" >"$tmp/log" 2>&1
}

optimised() { # the last -O that kernels are compiled with ("" is none), options
  right=$1
  shift
  configure -DJOUNCE_VARIANTS=d -DJOUNCE_TESTS=OFF "$@" || { cat "$tmp/log"; exit 1; }
  got=$(grep -m1 'jounce_variant_d\.dir' "$tmp/build/compile_commands.json" | grep -oE ' -O[0-9a-z]*' | tail -n 1 | tr -d ' ')
  [ "$got" = "$right" ] || fail "$*: kernels are compiled with '$got', not '$right'"
}
optimised -O3 # neither build type nor flags
optimised -O3 -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-g -O2" # Debian
optimised -O3 -DCMAKE_BUILD_TYPE=RelWithDebInfo
optimised -O3 -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="-O2" -DCMAKE_C_FLAGS_RELEASE=-DNDEBUG # Fedora
optimised "" -DCMAKE_BUILD_TYPE=Debug
optimised -Og -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS_RELWITHDEBINFO=-Og -DJOUNCE_SANITIZE=address

refused() { # part of the message, JOUNCE_VARIANTS
  configure -DJOUNCE_VARIANTS="$2" && fail "JOUNCE_VARIANTS=$2 is accepted"
  tr -s '\n ' ' ' <"$tmp/log" | grep -qF -- "$1" || { fail "JOUNCE_VARIANTS=$2: the message lacks '$1'"; cat "$tmp/log"; }
}
refused "no such variant: d3, sse. There are d_avx512," "d;d3;sse"
refused "d is missing" "f"

# native: what the library of all variants would choose on this CPU, for one state or many, in double or float; and d.
configure -DJOUNCE_VARIANTS=native -DJOUNCE_TESTS=OFF || { cat "$tmp/log"; fail "JOUNCE_VARIANTS=native"; }
native=$(sed -n 's/.*, kernels: //p' "$tmp/log")
right=d
for use in d:'d_[a-z0-9]*|d' f:'f_[a-z0-9]*|f' d:'d[0-9][a-z0-9_]*' f:'f[0-9][a-z0-9_]*'; do
  # the names that the CPU runs, in the order of preference of the first list in cmake/variants.cmake
  for known in $(sed -n '/^set(variants_known/,/)$/s/^ *\([a-z0-9_]*:[a-z0-9]*\).*/\1/p' "$source/cmake/variants.cmake"); do
    echo "${known%:*}" | grep -qxE "${use#*:}" || continue
    case ${known#*:} in
      avx512) grep -qw avx512_vbmi2 /proc/cpuinfo 2>/dev/null || continue ;;
      avx2) grep -qw avx2 /proc/cpuinfo 2>/dev/null || continue ;;
    esac
    right="$right ${known%:*}"
    break
  done
done
if [ -r /proc/cpuinfo ]; then
  [ "$(echo "$native" | tr ' ' '\n' | sort -u)" = "$(echo "$right" | tr ' ' '\n' | sort -u)" ] ||
    fail "JOUNCE_VARIANTS=native builds '$native', but this CPU would use '$right'"
fi

# By pip, without the libraries that read robots: it ends at once, with the remedy, unless they were not wanted.
by_pip() { PKG_CONFIG_LIBDIR=$tmp PKG_CONFIG_PATH='' configure -DJOUNCE_VARIANTS=d -DJOUNCE_PYTHON=ON -DJOUNCE_TESTS=OFF -DSKBUILD=2 "$@"; }
by_pip && fail "pip makes a package that can read no robot"
if ! grep -q "Could NOT find Python3" "$tmp/log" && ! grep -q "Python.h" "$tmp/log"; then
  tr -s '\n ' ' ' <"$tmp/log" | grep -q "development files are missing of expat.*apt install libexpat1-dev libjansson-dev" ||
    { fail "pip does not say what is missing"; cat "$tmp/log"; }
  by_pip -DJOUNCE_URDF=OFF -DJOUNCE_JSON=OFF || { fail "pip without readers, on request"; cat "$tmp/log"; }
fi

# Without any library: it configures, says so, and has no tests.
PKG_CONFIG_LIBDIR=$tmp PKG_CONFIG_PATH='' configure -DJOUNCE_VARIANTS=d || { cat "$tmp/log"; fail "a build without libraries"; }
tr -s '\n ' ' ' <"$tmp/log" >"$tmp/said"
for text in "cannot read or write URDF files" "no built-in robots" "tests NO: needs cmocka (libcmocka-dev)"; do
  grep -qF -- "$text" "$tmp/said" || fail "a build without libraries does not say '$text'"
done
[ $failures = 0 ] || { echo "$failures faults"; exit 1; }

#!/bin/sh
# Every public header compiles alone, as C and as C++, with warnings as errors; what scripts make from headers is up to
# date; benchmarks and the test of bounds have every function.   headers.sh SOURCE CC
set -eu
cd "$1"
for header in include/jounce/*.h; do
  name=${header#include/}
  for std in c99 c17; do
    printf '#include <%s>\nint main(void) { return 0; }\n' "$name" |
      "$2" -std=$std -Wall -Wextra -Wpedantic -Wstrict-prototypes -Werror -Iinclude -fsyntax-only -xc -
  done
  if command -v c++ >/dev/null 2>&1; then
    printf '#include <%s>\nint main() { return 0; }\n' "$name" |
      c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -xc++ -
  fi
  echo "$name"
done
# each header has a tier, which is that of docs/stability.md; generated headers have the tier of those they are made from
for header in include/jounce/*.h; do
  name=${header##*/}
  case $name in
    jounce.h) continue ;;
    batch.h | float.h | float_batch.h) tier=stable ;;
    *) tier=$(sed -n '1,6s/.* Tier: \([a-z]*\) (docs\/stability.md).*/\1/p' "$header") ;;
  esac
  [ -n "$tier" ] || { echo "$header: the first lines do not give its tier (docs/stability.md)"; exit 1; }
  grep "^| $tier |" docs/stability.md | grep -qF "\`$name\`" || { echo "docs/stability.md does not list $name as $tier"; exit 1; }
done
# arrays of derivatives are spelled dx_dy, as da_dq, and d2x_dydz (docs/conventions.md)
awk '{ text = $0; gsub(/\/\*.*\*\//, "", text) }
     !/^ *\*|^\/\*/ {
       while (match(text, /\*(const )?[A-Za-z0-9_]+/)) {
         name = substr(text, RSTART + 1, RLENGTH - 1)
         text = substr(text, RSTART + RLENGTH)
         old = name ~ /^(qq|qv|vv|qa|qtau|d+[A-Zqvachg])$/ || name ~ /^d+(tau|pi|inertia|wrench|gravity|armature|com|Minv|lambda|Sdot|Av)$/
         if (!old && (name !~ /^d.*_d/ || name ~ /^d(2[A-Za-z]+_d[a-z]+d[a-z]+|[A-Za-z]+_d[a-z]+[01]?)$/)) continue
         print FILENAME ":" FNR ": " name " is a derivative: spell it dx_dy, as da_dq"
         failed = 1
       }
     }
     END { exit failed }' include/jounce/*.h
# a call has at most ten arrays of one type; more are members of a struct, where names prevent silent swaps
awk '/^JN_API/ { text = $0; while (text !~ /;/) { getline more; text = text more }
       n = gsub(/(const )?double \*|double [A-Za-z]+\[/, "&", text)
       name = text; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
       if (n > 10) { print FILENAME ": " name "() has " n " arrays of double: make a struct of them"; failed = 1 } }
     END { exit failed }' include/jounce/*.h
# what is made from the description and the headers is what would be made now, and they agree
if command -v python3 >/dev/null 2>&1; then
  script/generate --check
fi
# every function that computes is timed, and called with arrays between guard pages
for function in $(sed -n 's/^JN_API jn_status jn_\([a-z0-9_]*\)_batch(.*/\1/p' include/jounce/batch.h); do
  if ! grep -q "ALGORITHM([a-z0-9_]*, $function," bench/algorithms.c bench/algorithms_more.c; then
    echo "bench/algorithms_more.c does not time jn_$function()"
    exit 1
  fi
  if ! grep -q "BOUNDED($function," tests/test_bounds.c; then
    echo "tests/test_bounds.c does not call jn_$function()"
    exit 1
  fi
done

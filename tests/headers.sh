#!/bin/sh
# Every public header compiles alone, as C and as C++, with warnings as errors; and float.h is what script/float-header
# makes.   headers.sh SOURCE CC
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
words() { tr -s ' \n' '\n\n' | tr -d '\n'; }
if [ "$(script/float-header | words)" != "$(words <include/jounce/float.h)" ]; then
  echo "include/jounce/float.h is out of date: script/float-header > include/jounce/float.h && script/format"
  exit 1
fi

#!/bin/sh
# Every fuzz target has a corpus and words, is run by script/fuzz, and is listed in SECURITY.md; and nothing else is.
set -eu
cd "$(dirname "$0")/.."
fail() { echo "fuzz_list.sh: $*"; exit 1; }
sorted() { tr ' ' '\n' | sed '/^$/d' | sort; }

# A target is a file that defines the function which libFuzzer calls.
targets=$(grep -l '^int LLVMFuzzerTestOneInput' tests/fuzz/*.c | sed 's|.*/||; s|\.c$||' | sorted)
declared=$(sed -n 's/^ *jounce_fuzz(\([a-z_]*\) .*/\1/p' tests/fuzz/fuzz.cmake | sorted)
run=$(sed -n 's/^targets=${\*:-\(.*\)}$/\1/p' script/fuzz | sorted)
listed=$(sed -n '/^| fuzz target |/,/^$/p' SECURITY.md | sed -n 's/^| `\([a-z_]*\)` |.*/\1/p' | sorted)
[ -n "$targets" ] || fail "there are no targets"
[ "$targets" = "$declared" ] || fail "tests/fuzz/fuzz.cmake does not declare the targets of tests/fuzz: $declared"
[ "$targets" = "$run" ] || fail "script/fuzz does not run the targets of tests/fuzz: $run"
[ "$targets" = "$listed" ] || fail "SECURITY.md does not list the targets of tests/fuzz: $listed"
for target in $targets; do
  [ -n "$(ls -A "tests/fuzz/corpus/$target" 2>/dev/null)" ] || fail "$target has no corpus"
  [ -s "tests/fuzz/words/$target.dict" ] || fail "$target has no words"
done
echo "$(echo "$targets" | wc -l) fuzz targets, each with a corpus, run and listed"

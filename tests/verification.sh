#!/bin/sh
# A public function without a check fails here.   verification.sh SOURCE RESULTS
# RESULTS is what tests/soak wrote: the functions that properties were tried on. Others must be in tests/claims.txt with a test
# that calls them, and all of them on the page.
set -eu
cd "$1"
results=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
script/verification --functions | sort -u >"$work/public"
awk -F'\t' '$1 == "property" { print $2 }' "$results" | sort -u >"$work/soaked"
grep -v '^#' tests/claims.txt | awk -F': ' '{ n = split($2, f, " "); for (i = 1; i <= n; i++) print f[i] "\t" $1 }' >"$work/claims"
failed=0
while IFS="$(printf '\t')" read -r function test; do
  files="tests/test_$test.c $(sed -n 's/^#include "\(.*_help\.h\)"$/tests\/\1/p' "tests/test_$test.c")" # with its helpers
  # shellcheck disable=SC2086
  grep -qw "$function" $files || { echo "tests/claims.txt: tests/test_$test.c does not call $function()"; failed=1; }
  grep -qx "$function" "$work/public" || { echo "tests/claims.txt: $function() is no public function"; failed=1; }
done <"$work/claims"
cut -f1 "$work/claims" | sort -u - "$work/soaked" >"$work/checked"
for function in $(comm -23 "$work/public" "$work/checked"); do
  echo "$function() has no check: add a property to tests/soak, or a test and a line in tests/claims.txt"
  failed=1
done
for function in $(cat "$work/public"); do
  grep -qw "$function" docs/verification.md || { echo "docs/verification.md lacks $function(): run script/verification"; failed=1; }
done
[ $failed -eq 0 ] && echo "$(wc -l <"$work/public") public functions, each with a check"
exit $failed

#!/bin/sh
# Words that were given up (tests/words.txt) do not come back, in code, comments, messages or pages.   words.sh SOURCE
set -eu
cd "$1"
failed=0
list() { git ls-files -- . 2>/dev/null | grep -vE '^(CHANGELOG\.md|tests/words\.(sh|txt))$|/corpus/|\.(svg|png|npy|npz)$|package-lock\.json$'; }
[ -n "$(list)" ] || { echo "not a git checkout: the list of files is unknown"; exit 77; }

sed '/^#/d; /^$/d' tests/words.txt | {
  while IFS= read -r entry; do
    pattern=${entry%% | *}
    rest=${entry#* | }
    say=${rest% | *}
    allowed=${rest##* | }
    [ "$allowed" != - ] || allowed='^$'
    found=$(list | grep -vE -- "$allowed" | tr '\n' '\0' | xargs -0 grep -nE -- "$pattern" 2>/dev/null | head -n 5) || true
    [ -z "$found" ] || { printf 'say "%s":\n%s\n' "$say" "$found"; failed=1; }
  done
  exit $failed
}

#!/bin/sh
# The pages do not rot: links of README.md, docs/ and examples/ lead to files and headings that exist; shell blocks of
# README.md, docs/getting-started.md, docs/how-do-i.md and docs/editing.md run; C blocks with a main() compile and run, and when a block
# without a language comes next, it is exactly what they print.   docs.sh SOURCE COMMAND LIBRARY CC
# A block after the line <!-- not run --> is left alone, and one after <!-- fails --> must fail.
set -eu
source=$1 command=$2 library=$3 cc=$4
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
fail() { echo "$*"; failures=$((failures + 1)); }
cd "$source"

# The headings of a page as GitHub names them: small letters, hyphens for spaces, nothing else but letters and digits.
anchors() {
  awk '/^```/ { code = !code } !code && /^#+ / { sub(/^#+ /, ""); print tolower($0) }' "$1" |
    sed -e 's/\[\([^]]*\)\]([^)]*)/\1/g' -e 's/[][`.,:;()+*/?!"'"'"'⁻−<>=]//g' -e 's/ /-/g'
}

for page in README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md examples/README.md docs/*.md docs/decisions/*.md; do
  directory=$(dirname "$page")
  awk '/^```/ { code = !code; next } !code' "$page" | sed 's/`[^`]*`//g' | grep -o '](\([^)]*\))' |
    sed -e 's/^](//' -e 's/)$//' -e 's/ ".*$//' | sort -u >"$tmp/links"
  while read -r link; do
    case $link in http:* | https:* | mailto:*) continue ;; esac
    file=${link%%#*} anchor=""
    case $link in *'#'*) anchor=${link#*#} ;; esac
    target=$page
    [ -z "$file" ] || target=$directory/$file
    if [ ! -e "$target" ]; then
      fail "$page: link to $link: no such file"
    elif [ -n "$anchor" ] && ! anchors "$target" | grep -qx -- "$anchor"; then
      fail "$page: link to $link: no such heading"
    fi
  done <"$tmp/links"
done

# What the pages name in backquotes exists: functions in the headers, files in the tree, properties in the tests.
pages="README.md CONTRIBUTING.md SECURITY.md examples/README.md $(echo docs/*.md)"
# shellcheck disable=SC2086
for name in $(grep -oh '`jnf\{0,1\}_[a-z0-9_]*()`' $pages | tr -d '`()' | sort -u); do
  grep -rqw "$name" include src --include="*.h" || fail "$name() is in a page, and in no header"
done
# shellcheck disable=SC2086
for name in $(grep -ohE '`(src|include|tests|tool|bench|script|cmake)/[A-Za-z0-9_./-]+`' $pages | tr -d '`' | sort -u); do
  [ -e "$name" ] || fail "$name is in a page, and not in the tree"
done
for name in $(grep -oE 'test_[a-z_]+\.c`: [a-z_, ]+' docs/mathematics.md | sed 's/.*: //' | tr ', ' '\n\n' | sort -u); do
  grep -qw "cmocka_unit_test($name)" tests/*.c || fail "docs/mathematics.md: no test has the property $name"
done

for header in include/jounce/*.h; do
  name=$(basename "$header")
  [ "$name" = jounce.h ] || grep -q "(../include/jounce/$name)" docs/api.md || fail "docs/api.md does not list $name"
done
for example in examples/*.c; do
  grep -q "($(basename "$example"))" examples/README.md || fail "examples/README.md does not list $example"
done

# Blocks of one language, each in a file of its own: page-NUMBER.KIND.LANGUAGE, KIND is what the line before says. A block
# without a language that follows, with only blank lines between, goes to a file of the same name and .shown at its end.
blocks() { # page, language
  awk -v language="$2" -v base="$tmp/$(basename "$1" .md)" '
    /^```/ && !fence { fence = 1; shown = $0 == "```" && block != "" ? block ".shown" : ""; block = ""
      if ($0 == "```" language) { n++
        kind = before == "<!-- not run -->" ? "skip" : before == "<!-- fails -->" ? "fails" : "runs"
        block = base "-" (n < 10 ? "0" n : n) "." kind "." language }
      file = block != "" ? block : shown; next }
    /^```/ { fence = 0; before = ""; if (file != "") close(file); next }
    fence { if (file != "") print >file; next }
    $0 != "" { before = $0; block = "" }' "$1"
}
# The same number may be rounded to 0.000 in one instruction set and to -0.000 in another.
unsigned_zeros() { sed -E 's/-(0\.0*)([^0-9]|$)/ \1\2/g' "$1"; }

mkdir "$tmp/bin" "$tmp/work"
ln -s "$command" "$tmp/bin/jounce"
ln -s "$source/examples" "$tmp/work/examples"
PATH=$tmp/bin:$PATH
for page in README.md docs/getting-started.md docs/how-do-i.md docs/editing.md; do
  blocks "$page" sh
  blocks "$page" c
done
for block in "$tmp"/*.runs.sh "$tmp"/*.fails.sh; do
  [ -e "$block" ] || continue
  name=$(basename "$block")
  for sub in torque plot; do # parts that a build may lack
    if grep -q "jounce $sub " "$block" && ! jounce --help | grep -q "^  $sub "; then
      echo "$name: this build has no command $sub"
      continue 2
    fi
  done
  status=0
  (cd "$tmp/work" && sh -eu "$block") >"$tmp/out" 2>&1 || status=$?
  case $name in *.fails.sh) [ $status != 0 ] && status=0 || status=1 ;; esac
  if [ $status = 0 ]; then
    echo "$name: as the page says"
  else
    fail "$name: status $status of"
    cat "$block" "$tmp/out"
  fi
done
for block in "$tmp"/*.runs.c; do
  grep -q 'int main(' "$block" || continue
  name=$(basename "$block")
  if ! "$cc" -std=c17 -Wall -Wextra -Werror -I"$source/include" "$block" "$library" -o "$tmp/program" \
    "-Wl,-rpath,$(dirname "$library")" >"$tmp/out" 2>&1 || ! (cd "$tmp/work" && "$tmp/program") >"$tmp/out" 2>&1; then
    fail "$name: does not compile or run"
    cat "$tmp/out"
  elif [ -e "$block.shown" ]; then
    unsigned_zeros "$block.shown" >"$tmp/shown"
    if unsigned_zeros "$tmp/out" | diff "$tmp/shown" - >"$tmp/difference"; then
      echo "$name: prints what the page shows"
    else
      fail "$name: the page shows < and the program prints >"
      cat "$tmp/difference"
    fi
  else
    case $name in
    how-do-i-*) fail "$name: the page does not show what it prints" ;;
    *) echo "$name: compiles and runs" ;;
    esac
  fi
done
[ $failures = 0 ] || { echo "$failures faults"; exit 1; }

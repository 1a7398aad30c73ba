#!/bin/sh
# Options of the command: one name has one meaning in all subcommands, the pages name only options that exist, in the form
# that they have, and old spellings go on working with a note.   options.sh SOURCE MANUAL COMMAND
set -eu
source=$1 manual=$2 command=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
complain() { echo "$*"; failed=1; }
cd "$source"
"$manual" --list >"$tmp/list" # command, name, value, own or shared

# One name, one meaning: the same kind of value everywhere. [FILE] may be missing, NAME,... may be several: that is the
# same. --out is where results go, a folder where there are several files.
awk -F'\t' '
  { value = $3; gsub(/[][]|,\.\.\.$/, "", value) }
  ($1, $2) in twice { print $1 " has --" $2 " twice"; failed = 1 }
  { twice[$1, $2] = 1 }
  $2 == "out" { next }
  $2 in seen && seen[$2] != value { print "--" $2 ": " seen[$2] " in " first[$2] ", but " value " in " $1; failed = 1 }
  { seen[$2] = value; first[$2] = $1 }
  END { exit failed }' "$tmp/list" || complain "an option has two meanings"

# Lines of the pages that run a subcommand: it has all the options that they give it.
cat README.md examples/README.md docs/*.md | grep -oE 'jounce [a-z]+ [^`|<>&;]*' >"$tmp/lines"
awk -F'\t' '
  NR == FNR { known[$1, $2] = 1; command[$1] = 1; next }
  {
    count = split($0, word, /[ =]+/)
    if (!(word[2] in command)) next
    for (i = 3; i <= count; i++)
      if (word[i] ~ /^--[a-z]/ && word[i] != "--help") {
        name = word[i]
        gsub(/^--|[^a-z-].*$/, "", name)
        if (!((word[2], name) in known)) { print "a page has: " $0 ", but " word[2] " has no --" name; failed = 1 }
      }
  }
  END { exit failed }' "$tmp/list" "$tmp/lines" || complain "a page names an option that does not exist"

# Tables of options in the pages: `--name VALUE`, with the value of --help, or with one of its words.
grep -hoE '^\| *`--[^`]*`' README.md docs/*.md | sed -e 's/^| *`--//' -e 's/`$//' >"$tmp/rows"
awk -F'\t' '
  NR == FNR { if (index(values[$2], "\n" $3 "\n") == 0) values[$2] = values[$2] "\n" $3 "\n"; known[$2] = 1; next }
  {
    name = $0; value = ""
    if (match($0, /[ =]/)) { name = substr($0, 1, RSTART - 1); value = substr($0, RSTART + 1) }
    if (!(name in known)) { print "a table has --" name ", which no subcommand has"; failed = 1; next }
    all = values[name]
    gsub(/\|/, "\n", all)
    if (value ~ /^[0-9]/) next # an example with numbers
    if (value != "" && index("\n" all "\n" values[name], "\n" value "\n") == 0) {
      print "a table has --" $0 "; the command has:" values[name]
      failed = 1
    }
  }
  END { exit failed }' "$tmp/list" "$tmp/rows" || complain "a table of options does not agree with the command"

# Old spellings: they work, and a note says what they are called now.
cd "$tmp"
echo '{"q": {}}' >state.json
while IFS='|' read -r old new line; do
  # shellcheck disable=SC2086
  "$command" $line >out 2>errors </dev/null || [ $? -eq 1 ] || complain "jounce $line: $(cat errors)"
  grep -q "note: --$old is now called --$new" errors || complain "jounce $line: no note: $(cat errors)"
  echo "$line" | grep -q -- "--$old" || complain "the line does not use --$old: $line"
done <<'LINES'
frame|in|eval builtin:panda --want twist --frame world --input state.json
link|payload-frame|torque builtin:panda builtin:demo --rate 2 --payload 1,0,0,0 --link panda_flange
tolerance|threshold|base builtin:planar_2r --tolerance 1e-7
tolerance|local-error|simulate builtin:planar_2r --duration 0.01 --tolerance 1e-6
order|taylor-order|simulate builtin:planar_2r --duration 0.01 --order 8
limits|position-limits|reach builtin:panda --frame panda_flange --position 0.4,0.1,0.5 --limits ignore --starts 1
margin|limit-distance|reach builtin:panda --frame panda_flange --position 0.4,0.1,0.5 --margin 0 --starts 1
range|keep-in|excite builtin:planar_2r --steps 1 --starts 1 --range joint1=-1:1
LINES

[ $failed -eq 0 ] && echo "$(wc -l <"$tmp/list") options of all subcommands: one meaning for each name"
exit $failed

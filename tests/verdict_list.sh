#!/bin/sh
# The list of verdicts is complete and true.   verdict_list.sh SOURCE
# Every sentence of tests/verdicts.txt is in the file that it names, every test exists, and docs/verification.md shows both.
# Sentences of tool/ with the words of a verdict must be in the list.
set -eu
cd "$1"
list=tests/verdicts.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
complain() { echo "$*"; failed=1; }

grep -v '^#' $list >"$work/lines"
while IFS= read -r line; do
  file=${line%%: *}
  rest=${line#*: }
  sentence=${rest%% | *}
  tests=${rest##* | }
  grep -qF -- "$sentence" "tool/$file" || complain "$list: tool/$file does not say: $sentence"
  echo "$tests" | tr ';' '\n' | sed 's/^ *//' >"$work/tests"
  while IFS= read -r entry; do
    program=${entry%%: *}
    case $program in
      *.sh) [ -x "tests/$program" ] || complain "$list: there is no tests/$program"; continue ;;
    esac
    for property in $(echo "${entry#*: }" | tr -d ','); do
      grep -qF "cmocka_unit_test($property)" "tests/test_$program.c" || complain "$list: tests/test_$program.c has no test $property"
    done
  done <"$work/tests"
  printf '%s\t%s\n' "$file" "$sentence" >>"$work/known"
done <"$work/lines"

# Words of verdicts in what is printed. Help texts, which speak of exit statuses, and comments do not count.
words='limits? (hold|holds|are broken)|limits of the motors (hold|are broken)|Cannot tell|"(fine|good|usable)"|reaches the target'
words="$words"'|keeps all limits|[Nn]othing limits|No speed|No motion within|(are|is) closed|Checked: |Check at|Check: |"not told"|this motion tells'
words="$words"'|do not hold|no link was changed|largest shares|drift: |off at most|tracking error|largest uniform factor|are reached \('
words="$words"'|not complete'
help='exit status|cannot be told whether|or if a file is bad'
awk -v words="$words" -v help="$help" '
  FILENAME ~ /known$/ { split($0, part, "\t"); sentence[++count] = part[2]; of[count] = part[1]; next }
  {
    text = $0
    gsub(/\/\*.*\*\//, "", text)
    if (text ~ /^ *(\/?\*)/ || text !~ /"/ || text !~ words || text ~ help) next
    file = FILENAME
    sub(/^tool\//, "", file)
    for (i = 1; i <= count; i++) if (of[i] == file && index(text, sentence[i])) next
    print FILENAME ":" FNR ": " text
  }' "$work/known" tool/*.c tool/*/*.c >"$work/missing"
if [ -s "$work/missing" ]; then
  cat "$work/missing"
  complain "these look like verdicts: add them to $list with what could overturn them and a test"
fi

script/verification --verdicts >"$work/section"
while IFS= read -r line; do
  grep -qxF -- "$line" docs/verification.md || complain "docs/verification.md lacks, run script/verification --verdicts: $line"
done <"$work/section"
[ $failed -eq 0 ] && echo "$(wc -l <"$work/lines") verdicts, each with a test"
exit $failed

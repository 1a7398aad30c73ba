#!/bin/sh
# Text from outside gets to a terminal through say() and print_text() of tool/text/text.c only: no other file of the command
# prints a %s with printf, or starts a program.
#   tests/printing.sh PROJECT
set -eu
cd "$1/tool"
found=$(for file in *.c */*.c; do
  [ "$file" = text/text.c ] && continue
  # calls in one line each; streams of scripts, CSV and JSON are no terminals; "%*s" with "" is padding
  tr '\n' ' ' <"$file" | grep -oE '(^|[^a-z_])(f|v|vf)?printf\([^;]*;' |
    grep -vE 'printf\((g|f|script|w->file|j->stream), ' | sed 's/%\*s//g' | grep -E '%[-+ #0-9.*]*s' |
    sed "s|^|$file: use say(): |" || true
  grep -nE '[^a-z_](system|popen|execl|execlp|execvp)\(' "$file" | sed "s|^|$file: starts a program: |" || true
done)
if [ -n "$found" ]; then
  echo "$found"
  exit 1
fi
echo "printing: all text from outside goes through tool/text/text.c"

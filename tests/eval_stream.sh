#!/bin/sh
# The Python example of docs/eval.md prints what the page says.   eval_stream.sh SOURCE COMMAND
set -eu
source=$1 command=$2
if ! command -v python3 >/dev/null; then
  echo "there is no python3: skipped"
  exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# The blocks after the line that names this test: the program, then its output.
awk '/^<!-- tested by tests\/eval_stream.sh -->/ { on = 1; next }
     on && /^```/ { inside = !inside; if (inside) block++; else if (block == 2) exit; next }
     on && inside { print > (block == 1 ? program : output) }' \
  program="$tmp/program.py" output="$tmp/expected" "$source/docs/eval.md"
mkdir "$tmp/bin"
ln -s "$command" "$tmp/bin/jounce"
PATH="$tmp/bin:$PATH" timeout 60 python3 "$tmp/program.py" >"$tmp/printed"
diff "$tmp/expected" "$tmp/printed"
echo "the example of docs/eval.md prints what the page says"

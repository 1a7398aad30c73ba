#!/bin/sh
# Robot files that are not part of the project: each URDF in the directory JOUNCE_ROBOTS loads, computes, comes back the
# same through a native file and through a new URDF file, and keeps every byte when it is edited without a change.
#   robots.sh JOUNCE        (77: skipped, no directory given)
set -eu
jounce=$1
[ -n "${JOUNCE_ROBOTS:-}" ] || { echo "JOUNCE_ROBOTS names no directory"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
count=0
for file in "$JOUNCE_ROBOTS"/*.urdf; do
  count=$((count + 1))
  echo "$file"
  for format in json urdf; do
    "$jounce" convert --fresh "$file" "$tmp/robot.$format" 2>/dev/null
    for model in "$file" "$tmp/robot.$format"; do
      echo '{}' | "$jounce" eval "$model" --want M,g --mimic ignore 2>/dev/null
    done >"$tmp/both"
    # the two halves say the same to 12 digits
    grep -oE '[-0-9.]+(e[-+][0-9]+)?' "$tmp/both" | awk '{ v[NR] = $1 } END { h = NR / 2; for (i = 1; i <= h; i++)
      { d = v[i] - v[i + h]; if (d * d > 1e-22 * (1 + v[i] * v[i])) { print "differs:", v[i], v[i + h]; exit 1 } } }'
  done
  "$jounce" convert --to urdf "$file" - 2>/dev/null | cmp - "$file"
done
echo "$count robots"
[ "$count" -gt 0 ]

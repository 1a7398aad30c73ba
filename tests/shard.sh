#!/bin/sh
# --shard and gather: parts put together are, to the last byte, what one process writes, whatever their number and order;
# parts that are missing, doubled, cut off, changed or of another run are refused and nothing is written.  shard.sh COMMAND
set -eu
jounce=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "shard.sh: $*"; exit 1; }
states() { awk -v n="$1" 'BEGIN { printf "["; for (i = 0; i < n; i++) printf "%s{\"q\": [%g, %g], \"v\": [1, %g]}", i ? "," : "", sin(i), cos(i), i; print "]" }'; }
refused() { # words of the message, command
  words=$1
  shift
  rm -f out
  if "$@" 2>message; then fail "$* was not refused"; fi
  grep -q "$words" message || { cat message; fail "'$words' is not in the message"; }
  [ ! -e out ] || fail "$*: a file was written"
}

# eval: more parts than states, too
for n in 0 1 7; do
  states $n >states.json
  eval_it() { "$jounce" eval builtin:double_pendulum --input states.json --want tau,M "$@"; }
  eval_it >whole.json
  for parts in 1 3 9; do
    rm -f part.*
    for i in $(seq "$parts"); do eval_it --shard "$i/$parts" >"part.$i"; done
    # shellcheck disable=SC2046 # names without spaces; in another order
    "$jounce" gather out $(ls part.* | sort -r)
    cmp whole.json out || fail "eval of $n states in $parts parts"
  done
done
# messages name states as one process would
printf '[{}, {}, {"q": [1, 2, 3]}]' >bad.json
! "$jounce" eval builtin:double_pendulum --input bad.json --want tau --shard 2/2 >/dev/null 2>message || fail "a bad state"
grep -q 'bad.json: state 2:' message || { cat message; fail "no message on a bad state"; }

# the states of other parts are not parsed
"$jounce" eval builtin:double_pendulum --input bad.json --want tau --shard 1/2 >/dev/null || fail "a state of another part was parsed"
# parts of different states do not go together
states 7 >states.json
for i in 1 2; do eval_it --shard $i/2 >"part.$i"; done
sed 's/0\.8/0.9/' states.json >others.json
"$jounce" eval builtin:double_pendulum --input others.json --want tau,M --shard 2/2 >part.2
refused 'different results' "$jounce" gather out part.1 part.2

# torque
"$jounce" torque builtin:panda builtin:demo --rate 50 --out whole.csv >/dev/null
for i in 1 2 3 4; do "$jounce" torque builtin:panda builtin:demo --rate 50 --out "piece$i.csv" --shard $i/4; done
"$jounce" gather out piece3.csv piece1.csv piece4.csv piece2.csv
cmp whole.csv out || fail "torque in four parts"

# refused
refused 'part 2 of 4 is missing' "$jounce" gather out piece1.csv piece3.csv piece4.csv
refused 'both part 1 of 4' "$jounce" gather out piece1.csv piece1.csv piece2.csv piece3.csv piece4.csv
"$jounce" torque builtin:panda builtin:demo --rate 50 --payload 1,0,0,0 --out other.csv --shard 2/4
refused 'different results' "$jounce" gather out piece1.csv other.csv piece3.csv piece4.csv
refused 'not a part' "$jounce" gather out whole.csv
refused 'cannot be opened' "$jounce" gather out nothing.csv
head -c 4000 piece2.csv >cut.csv
refused 'not complete' "$jounce" gather out piece1.csv cut.csv piece3.csv piece4.csv
sed '3s/1/2/' piece2.csv >changed.csv
refused 'not complete' "$jounce" gather out piece1.csv changed.csv piece3.csv piece4.csv
refused 'PART is read from' "$jounce" gather piece1.csv piece1.csv
for wrong in 0/3 4/3 1 x/y 1/ 1/2/3; do
  refused 'I/N' "$jounce" eval builtin:double_pendulum --input states.json --want tau --shard $wrong
done
refused 'FILE.csv' "$jounce" torque builtin:panda builtin:demo --shard 1/2
refused 'FILE.csv' "$jounce" torque builtin:panda builtin:demo --out out.npz --shard 1/2
refused 'stream' "$jounce" eval builtin:panda --want tau --stream --shard 1/2
echo "parts are what one process writes"

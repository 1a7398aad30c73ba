#!/bin/sh
# Generated code is C99 and C++ without a warning, proves itself by its self-test, and is the same every time.
#   generate.sh COMMAND
set -eu
command=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
fail() { echo "$*"; failures=$((failures + 1)); }
strict="-Wall -Wextra -Wpedantic -Wconversion -Wdouble-promotion -Wshadow -Wvla -Werror"

# try NAME MODEL WANT [OPTION...]: generate, compile in all ways, run
try() {
  name=$1 model=$2 want=$3
  shift 3
  if ! "$command" generate "$model" --want "$want" --prefix "$name" --out "$tmp/$name" "$@" 2>"$tmp/errors"; then
    fail "$name: not generated: $(cat "$tmp/errors")"
    return 0
  fi
  printf '#include "%s.h"\nint main(void) { return %s_selftest(); }\n' "$name" "$name" >"$tmp/$name/main.c"
  # the first one in all ways, the others in one: compilers take longer than everything else
  for cc in "gcc -std=c99" "clang -std=c99" "g++ -xc++ -std=c++17" "clang++ -xc++ -std=c++17"; do
    [ "$name" = panda ] || [ "$cc" = "gcc -std=c99" ] || continue
    command -v "${cc%% *}" >/dev/null || { echo "no ${cc%% *}: not tried"; continue; }
    # shellcheck disable=SC2086
    if ! $cc $strict -O0 -o "$tmp/$name/run" "$tmp/$name/$name.c" "$tmp/$name/main.c" -lm >"$tmp/errors" 2>&1; then
      fail "$name: $cc: $(head -5 "$tmp/errors")"
      continue
    fi
    code=0
    "$tmp/$name/run" || code=$?
    [ $code = 0 ] || fail "$name: $cc: function $code of the self-test differs"
  done
  "$command" generate "$model" --want "$want" --prefix "$name" --out "$tmp/again" "$@" 2>/dev/null
  for file in c h; do
    sed '/^ \* command /d' "$tmp/$name/$name.$file" >"$tmp/first"
    sed '/^ \* command /d' "$tmp/again/$name.$file" >"$tmp/second"
    cmp -s "$tmp/first" "$tmp/second" || fail "$name.$file: not the same the second time"
  done
}

dynamics=gravity_forces,bias_forces,inverse_dynamics,mass_matrix,forward_dynamics,hybrid_dynamics
rates=inverse_dynamics_jet,forward_dynamics_jet,inverse_dynamics_derivatives,forward_dynamics_derivatives
others=poses,jacobians,jacobian_rates,center_of_mass,momentum,energies,coriolis_matrix_christoffel,regressor,loss_forces
try panda builtin:panda $dynamics,$others,inverse_dynamics_jet
try panda_double builtin:panda $dynamics,$rates,$others --type double --order 2
try panda_libm builtin:panda $dynamics,inverse_dynamics_jet --sincos libm --regroup off
try panda_given builtin:panda $dynamics,$rates --sincos given --type double
try panda_runtime builtin:panda inverse_dynamics,mass_matrix --runtime gravity,payload,parameters --type double
try quadruped builtin:quadruped $dynamics,inverse_dynamics_jet,poses,center_of_mass --type double
try humanoid builtin:humanoid gravity_forces,inverse_dynamics,forward_dynamics

# What robot files and users may write, and code must not.
cat >"$tmp/evil.json" <<'JSON'
{"jounce": 1, "name": "*/ int main(void) {} /* \\ ??/ ö", "links": [
 {"name": "a */ #error", "mass": 1, "com": [0.1, 0, 0], "inertia": [1, 1, 1, 0, 0, 0], "joint": {"type": "revolute", "name": "j // \\"}}]}
JSON
"$command" generate "$tmp/evil.json" --want inverse_dynamics --prefix evil --out "$tmp/evil" 2>"$tmp/errors" || true
if [ -f "$tmp/evil/evil.c" ]; then
  gcc -std=c99 $strict -c -o "$tmp/evil/evil.o" "$tmp/evil/evil.c" || fail "evil names end a comment"
fi
"$command" generate builtin:panda --want inverse_dynamics --prefix 'x;y' --out "$tmp/x" 2>/dev/null && fail "a prefix that is no identifier"
"$command" generate builtin:panda --want nothing --out "$tmp/x" 2>/dev/null && fail "a function that does not exist"
[ $failures = 0 ] || { echo "$failures faults"; exit 1; }

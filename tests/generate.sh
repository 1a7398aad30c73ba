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
terms=coriolis_forces,spring_forces,coriolis_matrix,mass_matrix_rate,mass_matrix_inverse,joint_wrenches,frame_twists,frame_accelerations
terms=$terms,momentum_matrix,momentum_matrix_rate,com_jacobian,momentum_observer,gravity_forces_derivative,momentum_derivative
jets=gravity_forces_jet,mass_matrix_jet,coriolis_matrix_jet,momentum_jet,center_of_mass_jet,energy_jet,frame_twists_jet,joint_wrenches_jet
try panda_terms builtin:panda $terms,frame_twists_derivative
try panda_jets builtin:panda $jets,hybrid_dynamics_jet --prescribed panda_joint2 --type double
cat >"$tmp/motors.json" <<'JSON'
{"joints": {"panda_joint1": {"stiffness": 14000, "rotor_inertia": 0.6, "frictionloss": 0.2}, "panda_joint2": {"rotor_inertia": 0.5}}}
JSON
try panda_motors builtin:panda motor_commands --actuators "$tmp/motors.json"
closed=loops_constraint,loops_inverse_dynamics,loops_inverse_dynamics_jet,loops_forward_dynamics
try four_bar builtin:four_bar $closed --actuated motor
try delta builtin:delta $closed --actuated motor1,motor2,motor3 --type double
try humanoid builtin:humanoid gravity_forces,inverse_dynamics,forward_dynamics

# The sine and cosine in the code, relative to their own size, also where they are near zero.
"$command" generate builtin:panda --want gravity_forces --prefix one --out "$tmp/sines"
"$command" generate builtin:panda --want gravity_forces --prefix two --type double --out "$tmp/sines"
cat >"$tmp/sines/main.c" <<'C'
#include "one.c"
#include "two.c"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static double units(long double is, long double should, int bits) {
  return (double)fabsl(is - should) / ldexp(1, ilogb((double)should) - bits);
}
int main(void) {
  const double range[] = {4, 100, 7999}, allowed[2][3] = {{2, 3, 5}, {2, 2, 5}};
  double worst[2][3] = {{0}};
  int bad = 0;
  srand(1);
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 300000; i++) {
      double x = range[j] * (2 * (rand() / (RAND_MAX + 1.0)) - 1);
      float y = (float)x;
      one_angle a = one_sincos(y);
      two_angle b = two_sincos(x);
      worst[0][j] = fmax(worst[0][j], fmax(units(a.s, sinl(y), 23), units(a.c, cosl(y), 23)));
      worst[1][j] = fmax(worst[1][j], fmax(units(b.s, sinl(x), 52), units(b.c, cosl(x), 52)));
    }
    for (int k = 0; k < 2; k++) {
      printf("%s to %g rad: %.2f units\n", k ? "double" : "float", range[j], worst[k][j]);
      bad |= !(worst[k][j] <= allowed[k][j]);
    }
  }
  return bad || one_sincos(9000.0f).s == one_sincos(9000.0f).s || one_sincos(NAN).c == one_sincos(NAN).c;
}
C
gcc -O1 -ffp-contract=off -o "$tmp/sines/run" "$tmp/sines/main.c" -lm && "$tmp/sines/run" || fail "sine and cosine"

# What robot files and users may write, and code must not.
cat >"$tmp/evil.json" <<'JSON'
{"name": "*/ int main(void) {} /* \\ ??/ ö", "bodies": [
 {"name": "a */ #error", "joint": {"type": "revolute", "axis": [0, 1, 0], "name": "j // \\"},
  "inertia": {"parameters": [1, 0.1, 0, 0, 1, 1, 1, 0, 0, 0]}}]}
JSON
# one joint: not all sines and cosines are used
try evil "$tmp/evil.json" inverse_dynamics,gravity_forces
try evil_libm "$tmp/evil.json" inverse_dynamics,gravity_forces --sincos libm
grep -q 'int main' "$tmp/evil/evil.h" || fail "the name of the robot is not in the header"

# A constant that float does not have.
sed 's/\[1, 0.1, 0, 0, 1, 1, 1,/[1e300, 0, 0, 0, 1e300, 1e300, 1e300,/' "$tmp/evil.json" >"$tmp/huge.json"
"$command" generate "$tmp/huge.json" --want inverse_dynamics --out "$tmp/huge" 2>"$tmp/errors" && fail "a constant beyond float"
grep -q 'beyond the range of float' "$tmp/errors" || fail "a constant beyond float: $(cat "$tmp/errors")"
try huge "$tmp/huge.json" inverse_dynamics --type double
"$command" generate builtin:panda --want inverse_dynamics --prefix 'x;y' --out "$tmp/x" 2>/dev/null && fail "a prefix that is no identifier"
"$command" generate builtin:delta --want loops_inverse_dynamics --actuated motor1 --out "$tmp/x" 2>"$tmp/errors" && fail "too few motors"
grep -q '1 actuated coordinates cannot move 3 degrees of freedom' "$tmp/errors" || fail "too few motors: $(cat "$tmp/errors")"
"$command" generate builtin:delta --want loops_inverse_dynamics --out "$tmp/x" 2>/dev/null && fail "no motors"
"$command" generate builtin:panda --want loops_constraint --out "$tmp/x" 2>/dev/null && fail "loops of a model without loops"
"$command" generate builtin:panda --want nothing --out "$tmp/x" 2>/dev/null && fail "a function that does not exist"
[ $failures = 0 ] || { echo "$failures faults"; exit 1; }

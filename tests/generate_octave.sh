#!/bin/sh
# Generated MATLAB files run in Octave and give what the library computes: each file checks itself, and inverse dynamics
# and the mass matrix are compared with `jounce eval` at another state.  generate_octave.sh COMMAND
# Exit status 77: octave-cli is missing.
set -eu
jounce=$1
command -v octave-cli >/dev/null || { echo "generate_octave.sh: octave-cli is missing"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# All functions at once: the names that --want takes are in the header.
for robot in panda quadruped double_pendulum; do
  "$jounce" generate "builtin:$robot" --language matlab --prefix "$robot" --out . \
    --want gravity_forces,bias_forces,inverse_dynamics,mass_matrix,forward_dynamics,coriolis_matrix,momentum_observer
done
"$jounce" generate builtin:five_bar --language matlab --prefix five_bar --out . --actuated left_motor,right_motor \
  --want loops_constraint,loops_inverse_dynamics,loops_inverse_dynamics_jet,loops_forward_dynamics
echo '{"q": [0.1, -0.6, 0.2, -2.2, 0.3, 1.6, 0.8], "v": [1, 2, 3, 4, 5, 6, 7], "a": [7, 6, 5, 4, 3, 2, 1]}' |
  "$jounce" eval builtin:panda --want tau,M >expected.json

cat >check.m <<'M'
  assert(panda_selftest() == 0);
  assert(quadruped_selftest() == 0);
  assert(double_pendulum_selftest() == 0);
  assert(five_bar_selftest() == 0);
  expected = jsondecode(fileread("expected.json"));
  expected = expected.results(1);
  q = [0.1 -0.6 0.2 -2.2 0.3 1.6 0.8];
  tau = panda_inverse_dynamics(q, 1:7, 7:-1:1);
  M = panda_mass_matrix(q);
  assert(isequal(size(tau), [7 1]) && isequal(size(M), [7 7]));
  assert(max(abs(tau - expected.tau(:))) < 1e-10);
  assert(max(max(abs(M - expected.M))) < 1e-10);
  disp("ok");
M
octave-cli --quiet check.m >output 2>message || { cat output message; exit 1; }
grep -qx ok output

#!/bin/sh
# Counts and times generated code: `script/bench --generated`.  generated.sh BUILD [ROBOT...]
#
# On the Cortex-M4F, QEMU runs one instruction each nanosecond of its clock (-icount shift=0): these are instructions, not
# cycles. Sines and cosines are included. flash: the function alone, without sine and cosine, which all functions share.
set -eu
build=$1
shift
[ $# -gt 0 ] || set -- builtin:panda builtin:kuka_iiwa builtin:quadruped builtin:humanoid
want=inverse_dynamics,gravity_forces,mass_matrix,forward_dynamics,inverse_dynamics_jet
cmake --preset release -DJOUNCE_TESTS=OFF -DJOUNCE_EXAMPLES=OFF -DJOUNCE_PYTHON=OFF -B "$build" >/dev/null
cmake --build "$build" --target jounce jounce_command >"$build/log" 2>&1 || { cat "$build/log"; exit 1; }
jounce=$PWD/$build/tool/jounce
board=$PWD/examples/firmware
out=$PWD/$build/generated
mkdir -p "$out"

# CALL(name, x, x, y) for each prototype of robot.h: constant arrays are arguments, the others results, one after the other.
calls() {
  sed -n 's/^void robot_\([a-z_]*\)(\(.*\));$/\1 \2/p' "$out/robot.h" | awk '{
    name = $1; at = 0; sub(/^[a-z_]+ /, ""); count = split($0, argument, ", "); line = ""
    for (i = 1; i <= count; i++) {
      size = argument[i]; sub(/.*\[/, "", size); sub(/\].*/, "", size)
      if (argument[i] ~ /^const/) line = line ", x"
      else { line = line ", y + " at; at += size }
    }
    print "CALL(" name line ")" }'
}

m4() { # robot
  "$jounce" generate "$1" --want $want --prefix robot --out "$out" >/dev/null
  calls >"$out/calls.h"
  arm="-std=c99 -O3 -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -ffp-contract=fast -ffreestanding"
  (
    cd "$out"
    # shellcheck disable=SC2086 # several options
    arm-none-eabi-gcc $arm -fstack-usage -c robot.c -o robot.o
    # shellcheck disable=SC2086
    arm-none-eabi-gcc $arm -nostdlib -T "$board/mps2-an386.ld" -I "$board" -I . "$source/bench/generated_count.c" "$board/board.c" robot.o \
      -lgcc -o count.elf
    timeout 300 qemu-system-arm -machine mps2-an386 -nographic -monitor none -serial none \
      -semihosting-config enable=on,target=native -icount shift=0 -kernel count.elf >counts 2>&1 || { cat counts; exit 1; }
    while read -r name count; do
      flash=$(arm-none-eabi-nm -S robot.o | awk -v f="robot_$name" '$4 == f { print $2 }')
      stack=$(awk -v f=":robot_$name" 'index($1, f) && substr($1, length($1) - length(f) + 1) == f { print $2 }' robot.su)
      products=$(awk -v f="$name" '$1 == "*" && $2 == f { print $3 " " $4; exit }' robot.h)
      # shellcheck disable=SC2086
      printf '%-20s %-18s %6d %6d %12d %9d %7d\n' "$1" "$name" $products "$count" "$((0x$flash))" "$stack"
    done <counts
  )
}

source=$PWD
if command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null; then
  echo "Cortex-M4F, float, $(arm-none-eabi-gcc --version | head -1)"
  printf '%-20s %-18s %6s %6s %12s %9s %7s\n' robot function mul add instructions flash/B stack/B
  for robot; do m4 "$robot"; done
else
  echo "bench/generated.sh: without arm-none-eabi-gcc and qemu-system-arm nothing is counted" >&2
fi

printf '\nthis machine, double: %-8s %11s %11s %6s\n' '' generated library ratio
for robot; do
  "$jounce" generate "$robot" --want $want,inverse_dynamics_derivatives --type double --split-functions --prefix robot --out "$out" >/dev/null
  "$jounce" generate "$robot" --want inverse_dynamics,mass_matrix --type double --lanes 8 --prefix many --out "$out" >/dev/null
  cc -O3 -march=native -I "$out" -I include bench/generated_time.c "$out/robot.c" "$out/many.c" -L"$build" -ljounce -lm -Wl,-rpath,"$PWD/$build" \
    -o "$out/time"
  echo "$robot"
  "$out/time" "$robot"
done

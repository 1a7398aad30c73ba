#!/bin/sh
# Generated code on a Cortex-M4F that QEMU emulates: the example builds without warnings, its self-test passes, and torques
# beyond the limits of the motors are clamped.  firmware.sh SOURCE COMMAND
# Exit status 77: arm-none-eabi-gcc or qemu-system-arm is missing.
set -eu
source=$1/examples/firmware jounce=$2
for tool in arm-none-eabi-gcc qemu-system-arm; do
  command -v $tool >/dev/null || { echo "firmware.sh: $tool is missing"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$jounce" generate "$source/arm6.urdf" --want gravity_forces,inverse_dynamics,inverse_dynamics_jet --prefix arm --out .
arm-none-eabi-gcc -std=c99 -O3 -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -ffp-contract=fast -ffreestanding \
  -Wall -Wextra -Wpedantic -Wconversion -Wdouble-promotion -Wshadow -Werror \
  -nostdlib -T "$source/mps2-an386.ld" -I "$source" -I . "$source/main.c" "$source/board.c" arm.c -lgcc -o arm.elf
arm-none-eabi-size arm.elf
timeout 60 qemu-system-arm -machine mps2-an386 -nographic -monitor none -serial none -semihosting-config enable=on,target=native \
  -icount shift=0 -kernel arm.elf >output 2>&1 || { cat output; echo "firmware.sh: the firmware failed"; exit 1; }
cat output
grep -qx 'selftest: 0' output
grep -qx 'clamped at rest: 0' output
grep -qx 'clamped at 500 rad/s^2: 1' output
grep -qx 'torque rates: checked' output

#!/bin/sh
# The library without applications (-DJOUNCE_APPLICATIONS=OFF): it is complete in itself, exports nothing of theirs, and a
# program computes inverse dynamics with it.   core.sh SOURCE CC CMAKE GENERATOR
set -eu
source=$1 cc=$2 cmake=$3 generator=$4
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset CFLAGS
"$cmake" -S "$source" -B "$tmp/build" -G "$generator" -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=Debug -DJOUNCE_APPLICATIONS=OFF \
  -DJOUNCE_VARIANTS=d -DJOUNCE_URDF=OFF -DJOUNCE_JSON=OFF -DJOUNCE_OPENMP=OFF >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
"$cmake" --build "$tmp/build" --parallel 2 >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }

# Nothing is missing: all of it, and libm, make a shared object without undefined symbols.
"$cc" -shared -o "$tmp/all.so" -Wl,-z,defs -Wl,--whole-archive "$tmp/build/libjounce.a" -Wl,--no-whole-archive -lm

# Nothing of the applications is there.
if nm -D --defined-only "$tmp/build/libjounce.so" |
  grep -E ' jn_(trajectory|simulator|identification|elastic|retime|tasks|function|rollout|table|generate)_'; then
  echo "the core library has these functions of applications"
  exit 1
fi

# A pendulum of 2 kg, 0.5 m from its axis, horizontal and at rest: 2 * 9.81 * 0.5 N m.
cat >"$tmp/main.c" <<'C'
#include <jounce/dynamics.h>
#include <jounce/model.h>
#include <math.h>
#include <stdio.h>
int main(void) {
  jn_builder *builder;
  jn_model *model;
  jn_work *work;
  if (jn_builder_create(NULL, &builder) != JN_OK) return 1;

  jn_link link;
  jn_link_init(&link);
  link.name = "arm";
  link.joint.name = "hinge";
  link.joint.type = JN_REVOLUTE;
  link.joint.axis[0] = 0, link.joint.axis[1] = -1, link.joint.axis[2] = 0;
  const double com[3] = {0.5, 0, 0}, tensor[6] = {0.01, 0.02, 0.02, 0, 0, 0};
  jn_inertia_pack(2, com, tensor, link.inertia);
  if (jn_builder_add_link(builder, &link) != JN_OK) return 2;
  jn_error error;
  if (jn_builder_freeze(builder, &model, &error) != JN_OK) return puts(error.text), 3;

  if (jn_work_create(model, &work) != JN_OK) return 4;
  double q = 0, tau;
  if (jn_inverse_dynamics(model, work, &q, NULL, NULL, NULL, &tau) != JN_OK) return 5;
  printf("%.17g N m\n", tau);
  jn_work_destroy(work);
  jn_model_destroy(model);
  jn_builder_destroy(builder);
  return fabs(tau - 9.81) > 1e-14;
}
C
"$cc" -I"$source/include" "$tmp/main.c" "$tmp/build/libjounce.a" -lm -o "$tmp/main"
"$tmp/main"

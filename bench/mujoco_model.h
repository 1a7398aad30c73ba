/* SPDX-License-Identifier: BSD-2-Clause */
/* A robot as MuJoCo sees it: fixed, revolute, prismatic and free joints. */
#ifndef JN_BENCH_MUJOCO_MODEL_H
#define JN_BENCH_MUJOCO_MODEL_H

#include <jounce/jounce.h>
#include <mujoco/mujoco.h>

/* option: the rest of the element <option ...>, "": nothing else. NULL: MuJoCo does not take it, and says why. */
mjModel *mujoco_model(const jn_model *model, const char *name, const char *option);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/jounce.h: all public headers. */
#ifndef JOUNCE_JOUNCE_H
#define JOUNCE_JOUNCE_H

#include "base.h"
#include "base_parameters.h"
#include "batch.h"
#include "configuration.h"
#include "derivatives.h"
#include "dynamics.h"
#include "edit.h"
#include "elastic.h"
#include "float.h"
#include "float_batch.h"
#include "generate.h"
#include "identification.h"
#include "io.h"
#include "jets.h"
#include "kinematics.h"
#include "lie.h"
#include "loops.h"
#include "model.h"
#include "regressor.h"
#include "retime.h"
#include "sensitivity.h"
#include "simulation.h"
#include "solvers.h"
#include "table.h"
#include "tasks.h"
#include "trajectory.h"

#endif

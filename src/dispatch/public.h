/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions are written once over `number` and compiled twice: jn_x for double and jnf_x for float. */
#ifndef JN_DISPATCH_PUBLIC_H
#define JN_DISPATCH_PUBLIC_H

#include "dispatch.h"
#include "jounce/float.h"
#include "jounce/lie.h"

#if JN_FLOAT
typedef float number;
#define PUBLIC(name) jnf_##name
#define NUMBER_KIND JN_KIND_F
#else
typedef double number;
#define PUBLIC(name) jn_##name
#define NUMBER_KIND JN_KIND_D
#endif

#endif

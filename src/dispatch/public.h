/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions are written once over `number` and compiled twice: jn_x for double and jnf_x for float. */
#ifndef JN_DISPATCH_PUBLIC_H
#define JN_DISPATCH_PUBLIC_H

#include "dispatch.h"
#include "jounce/float_batch.h"
#include "jounce/lie.h"

#if JN_TWIN_Z /* tests only: complex numbers, for exact derivatives of public functions by the complex step */
#include "twin_z.h"
typedef double _Complex number;
#define PUBLIC(name) jnz_##name
#define NUMBER_KIND JN_KIND_Z
#elif JN_TWIN_L /* tests only: long double, a reference for rounding */
#include "twin_l.h"
typedef long double number;
#define PUBLIC(name) jnl_##name
#define NUMBER_KIND JN_KIND_L
#elif JN_FLOAT
typedef float number;
#define PUBLIC(name) jnf_##name
#define NUMBER_KIND JN_KIND_F
#else
typedef double number;
#define PUBLIC(name) jn_##name
#define NUMBER_KIND JN_KIND_D
#endif

/* -1, 0 or 1; NaN for NaN. */
#if JN_TWIN_Z
static inline number sign_of(number x) { return creal(x) > 0 ? 1 : creal(x) < 0 ? -1 : x; }
#else
static inline number sign_of(number x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
#endif

#endif

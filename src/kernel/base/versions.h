/* SPDX-License-Identifier: BSD-2-Clause */
/* Which specialised versions of the algorithms the variant that is being compiled has. Each one has a general twin over
 * `real`; -DJN_WITHOUT_REGISTERS, _TILES or _MANY builds the variant without it, and `script/bench --versions` times
 * both. */
#ifndef JN_KERNEL_BASE_VERSIONS_H
#define JN_KERNEL_BASE_VERSIONS_H

#include "../../lie/number.h"

/* One state, real numbers, which vector registers can hold several of. */
#define JN_ONE (JN_LANES == 1 && (JN_KIND == JN_KIND_D || JN_KIND == JN_KIND_F))

/* One state: a vector of the space, or four numbers of a kind, in one register. */
#if JN_ONE && defined(__AVX2__) && !defined(JN_WITHOUT_REGISTERS)
#define JN_REGISTERS 1
#else
#define JN_REGISTERS 0
#endif

/* One state: several columns of a matrix side by side in a register. */
#if JN_ONE && !defined(JN_WITHOUT_TILES)
#define JN_TILES 1
#else
#define JN_TILES 0
#endif

/* Several states in lanes: large results go to the caller's memory row by row. */
#if JN_LANES > 1 && !defined(JN_WITHOUT_MANY)
#define JN_MANY 1
#else
#define JN_MANY 0
#endif

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Prototypes of the kernels of the variant being compiled. */
#ifndef JN_KERNEL_BASE_VARIANT_H
#define JN_KERNEL_BASE_VARIANT_H

#include "../../lie/number.h"
#include "call.h"

#define JN_LIE_PROTOTYPE(name, n1, n2, m) void JN_(name)(const jn_call *c);
#define JN_MODEL_PROTOTYPE(name, scratch, inputs, outputs, fixed) void JN_(name)(const jn_call *c);
JN_LIE_LIST(JN_LIE_PROTOTYPE)
JN_MODEL_KERNEL_LIST(JN_MODEL_PROTOTYPE)
#undef JN_LIE_PROTOTYPE
#undef JN_MODEL_PROTOTYPE

extern const jn_variant JN_(variant);

#endif

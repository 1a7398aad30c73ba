/* SPDX-License-Identifier: BSD-2-Clause */
/* What this CPU can run, and which of it is worth choosing. Included by variants.c, which asks when a program runs, and
 * by the program that CMake runs for JOUNCE_VARIANTS=native (cmake/variants.cmake). The compiler's test checks both the
 * CPU and the operating system, which must save the registers. */
#ifndef JN_DISPATCH_CPU_H
#define JN_DISPATCH_CPU_H

static inline int has_any(void) { return 1; }
static inline int prefers_any(void) { return 1; }

#if JN_VARIANTS_AVX2
static inline int has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
static inline int prefers_avx2(void) { return 1; }
#endif

#if JN_VARIANTS_AVX512
static inline int has_avx512(void) {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
/* Batches are 1.15 to 1.6 times as fast as with AVX2 on AMD's Zen 4, single calls up to 1.2 times (docs/benchmarks.md).
 * It has VBMI2, as Intel's CPUs have from Ice Lake on; older ones lower their clock when 512 bits are used, and were
 * not measured. */
static inline int prefers_avx512(void) { return __builtin_cpu_supports("avx512vbmi2"); }
#endif

#endif

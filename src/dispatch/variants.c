/* SPDX-License-Identifier: BSD-2-Clause */
/* The variants of this build, and which of them to use on this CPU: the fastest that the CPU and the operating system
 * support, unless the environment variable JOUNCE_VARIANT names another. The choice is made once and is the library's
 * only mutable global. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../model/model.h"
#include "cpu.h"
#include "dispatch.h"

/* JN_VARIANT_LIST, made by CMake from JOUNCE_VARIANTS: X(d_avx2, avx2, 0) X(d, any, 0) ...: what the CPU must support,
 * and whether the variant is used only on request. Variants of one kind and use are in order of preference. */
#define X(name, needs, on_request) extern const jn_variant jn__variant_##name;
JN_VARIANT_LIST
#undef X

static const struct {
  const jn_variant *variant;
  int (*runs)(void), (*preferred)(void);
  int on_request; /* never chosen automatically */
} variants[] = {
#define X(name, needs, on_request) {&jn__variant_##name, has_##needs, prefers_##needs, on_request},
    JN_VARIANT_LIST
#undef X
};

enum { VARIANTS = sizeof variants / sizeof *variants };

const jn_variant *jn__variant(int i) {
  for (int k = 0; k < VARIANTS; k++)
    if (variants[k].runs() && i-- == 0) return variants[k].variant;
  return NULL;
}

const jn_variant *jn__variant_by_name(const char *name) {
  for (int k = 0; k < VARIANTS; k++)
    if (variants[k].runs() && strcmp(variants[k].variant->name, name) == 0) return variants[k].variant;
  return NULL;
}

/* The choice for the four uses, one byte each (index + 1), packed into one atomic number so that no thread sees half of
 * it. UNSET before the first use, WRONG when JOUNCE_VARIANT does not name a variant. */
enum { UNSET = 0, WRONG = 1 };
static atomic_uint chosen = UNSET;

static int is_chosen(int k) { return !variants[k].on_request && variants[k].runs() && variants[k].preferred(); }

static unsigned first_variant(int kind, int many) {
  for (int k = 0; k < VARIANTS; k++)
    if (variants[k].variant->kind == kind && (variants[k].variant->lanes > 1) == many && is_chosen(k))
      return (unsigned)k;
  return many ? first_variant(kind, 0) : first_variant(JN_KIND_D, 0); /* a build without lanes, or without float */
}

/* Chooses the variant of that name for everything. */
static unsigned only(const char *name) {
  for (unsigned k = 0; k < VARIANTS; k++)
    if (variants[k].runs() && strcmp(variants[k].variant->name, name) == 0) return (k + 2) * 0x01010101u;
  return WRONG;
}

static unsigned decide(void) {
  const char *forced = getenv("JOUNCE_VARIANT");
  if (!forced || !*forced) forced = getenv("JOUNCE_ROW"); /* its name before 0.1.0 */
  unsigned all = 0;
  if (forced && *forced) return only(forced);
  for (unsigned use = 0; use < 4; use++) all |= (first_variant((int)use / 2, (int)use % 2) + 2) << (8 * use);
  return all;
}

#if JN_VARIANTS_VERSIONS
void jn__use_variant(const char *name) { atomic_store_explicit(&chosen, only(name), memory_order_relaxed); }
#endif

const jn_variant *jn__choose_variant(int kind, int many) {
  unsigned all = atomic_load_explicit(&chosen, memory_order_relaxed);
  if (all == UNSET) {
    all = decide();
    atomic_store_explicit(&chosen, all, memory_order_relaxed);
  }
  if (all == WRONG) return NULL;
  return variants[((all >> (8 * (2 * kind + many))) & 255u) - 2].variant;
}

const char *jn_variant_name(void) {
  const jn_variant *variant = jn__choose_variant(JN_KIND_D, 0);
  return variant ? variant->name : NULL;
}

int jn__runs_avx2(void) {
  const jn_variant *variant = jn__choose_variant(JN_KIND_D, 0);
  return JN_VARIANTS_AVX2 && variant && variant->register_bytes >= 32;
}

double jn_variant_epsilon(void) {
  const jn_variant *variant = jn__choose_variant(JN_KIND_D, 0);
  if (!variant) return 0;
  return variant->epsilon > DBL_EPSILON ? variant->epsilon : DBL_EPSILON;
}

/* ---- trees of other scalars: made for every scalar that has a variant in this build ---- */

static const jn_variant *variant_of_kind(int kind) {
  for (int k = 0; k < VARIANTS; k++)
    if (variants[k].variant->kind == kind && variants[k].runs())
      return variants[k].variant; /* variants of a kind convert in the same way */
  return NULL;
}

size_t jn__tree_bytes(int kind, const jn_tree_d *t) {
  const jn_variant *variant = variant_of_kind(kind);
  return variant ? variant->tree_bytes(t) : 0;
}

void jn__tree_convert(int kind, const jn_tree_d *t, void *memory) { variant_of_kind(kind)->tree_convert(t, memory); }

/* ---- sizes of work memory ---- */

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

size_t jn__real_bytes(void) {
  const jn_variant *d = jn__choose_variant(JN_KIND_D, 0), *f = jn__choose_variant(JN_KIND_F, 0);
  return d && f ? larger(d->real_bytes, f->real_bytes) : sizeof(double);
}

/* A single state in a variant of the caller's own type is not staged, so staging memory for matrices is needed only
 * when a variant is forced or missing. Very large robots get none: in a forced variant, functions that return matrices
 * then fail with JN_ERR_WORK. */
size_t jn__staging_bytes(const jn_model *model, int order) {
  enum { SMALL = 64, LARGE = 512 };
  size_t nq = (size_t)model->nq, nv = (size_t)model->nv, nframe = (size_t)(model->nlink + model->nnamed),
         nlink = (size_t)model->nlink;
  const jn_variant *many = jn__choose_variant(JN_KIND_D, 1), *one = jn__choose_variant(JN_KIND_D, 0);
  const jn_variant *single = jn__choose_variant(JN_KIND_F, 0);
  size_t reals = 3 * nq + 3 * nv + 64;
  if (!many) return 0;
  /* a variant is forced, or the build has no variant with lanes, or none in float */
  if ((many == one || single->kind != JN_KIND_F) && nv <= LARGE) {
    reals += 3 * nv * nv + 40 * nv + 12 * nlink + nframe * (28 + 12 * nv);
    if (nv <= SMALL) reals += 4 * nv * nv * nv + 8 * nv * nv + 12 * nv * nlink + nlink * (20 * nv * nv + 20 * nv + 80);
    if (order >= 0) reals += ((size_t)order + 1) * (((size_t)order + 3) * nv * nv + 10 * nv * nlink);
    if (order >= 0)
      reals += ((size_t)order + 2) * (10 * nv + 24 * nlink + 2 * nv * nv + 6 * nlink * nv + 36 * nlink * nlink);
  }
  return many->real_bytes * reals;
}

/* Bytes of scratch memory for kernels of the variants that the caller's number types use, for one state or for many. */
size_t jn__scratch_bytes(const jn_model *model, int order, int many) {
  size_t most = 0;
  for (int kind = JN_KIND_D; kind <= JN_KIND_F; kind++) {
    const jn_variant *one = jn__choose_variant(kind, 0), *variant = jn__choose_variant(kind, many);
    if (!one || !variant) continue;
    most = larger(most, variant->scratch_bytes(model->tree[variant->kind], order));
    if (variant != one) most = larger(most, one->scratch_bytes(model->tree[one->kind], order)); /* states one by one */
  }
  return (most + 63) & ~(size_t)63;
}

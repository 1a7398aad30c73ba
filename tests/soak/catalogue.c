/* SPDX-License-Identifier: BSD-2-Clause */
/* The catalogue of functions, over four kinds of numbers. */
#include "soak.h"

#define NUMBER double
#define PREFIX jn_
#define TAG d
#define BATCHES
#include "catalogue_kind.h"
#undef NUMBER
#undef PREFIX
#undef TAG

#define NUMBER float
#define PREFIX jnf_
#define TAG f
#include "catalogue_kind.h"
#undef NUMBER
#undef PREFIX
#undef TAG
#undef BATCHES

#define NUMBER double _Complex
#define PREFIX jnz_
#define TAG z
#include "catalogue_kind.h"
#undef NUMBER
#undef PREFIX
#undef TAG

#define NUMBER long double
#define PREFIX jnl_
#define TAG l
#include "catalogue_kind.h"

#define SIZE_F(name, sizes, ...)                                                                   \
  static void sizes_##name(const dims *d, size_t out[OUTPUTS]) {                                   \
    const size_t n UNUSED = (size_t)d->nv, nq UNUSED = (size_t)d->nq, L UNUSED = (size_t)d->nlink; \
    const size_t fr UNUSED = (size_t)d->nframe, K UNUSED = (size_t)d->order, r UNUSED = K + 1;     \
    const size_t jn UNUSED = (size_t)d->joint_nv;                                                  \
    const size_t all[] = {sizes};                                                                  \
    for (size_t i = 0; i < OUTPUTS; i++) out[i] = i < sizeof all / sizeof *all ? all[i] : 0;       \
  }
CATALOGUE(SIZE_F, SIZE_F, SIZE_F)

#define ENTRY_F(name, ...) \
  {#name, sizes_##name, {one_d_##name, one_f_##name, one_z_##name, one_l_##name}, {many_d_##name, many_f_##name}},
#define ENTRY_N(name, ...) \
  {#name, sizes_##name, {one_d_##name, one_f_##name, one_z_##name, one_l_##name}, {NULL, NULL}},
const entry catalogue[FUNCTIONS] = {CATALOGUE(ENTRY_F, ENTRY_F, ENTRY_N)};

#define NAME(name, size) #name,
const char *const input_name[INPUTS] = {SOAK_INPUTS(NAME)};

size_t input_size(const dims *d, int input) {
  const size_t n = (size_t)d->nv, L = (size_t)d->nlink, K = (size_t)d->order;
#define INPUT_SIZE(name, size) (size_t)(size),
  const size_t all[INPUTS] = {SOAK_INPUTS(INPUT_SIZE)};
  return all[input];
}

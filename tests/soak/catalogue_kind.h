/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the catalogue over one kind of number. Included by catalogue.c with NUMBER, PREFIX and TAG; BATCHES when
 * there are functions for many states. */

#define SOAK_JOIN2(a, b) a##b
#define SOAK_JOIN(a, b) SOAK_JOIN2(a, b)
#define TYPE(name) SOAK_JOIN(PREFIX, name)
#define ONE(name) SOAK_JOIN(SOAK_JOIN(one_, TAG), _##name)
#define MANY(name) SOAK_JOIN(SOAK_JOIN(many_, TAG), _##name)

#define SOAK_LOCAL(name, size) NUMBER *const name UNUSED = x->in[IN_##name];
#define SOAK_LOCALS                                                                       \
  SOAK_INPUTS(SOAK_LOCAL)                                                                 \
  NUMBER *o[OUTPUTS];                                                                     \
  for (int i_ = 0; i_ < OUTPUTS; i_++) o[i_] = x->out[i_];                                \
  const NUMBER part UNUSED = (NUMBER)0.375;                                               \
  const int K UNUSED = x->d->order, frame UNUSED = x->d->frame, link UNUSED = x->d->link; \
  const int joint UNUSED = x->d->joint, com_link UNUSED = x->d->com_link;                 \
  const jn_representation in UNUSED = x->d->in;                                           \
  const jn_about about UNUSED = x->d->about;                                              \
  const unsigned char *const prescribed UNUSED = x->d->prescribed;

#define CALL_F(name, sizes, ...) \
  static jn_status ONE(name)(const call *x) { SOAK_LOCALS return TYPE(name)(x->m, x->w, __VA_ARGS__); }
#define CALL_G(name, sizes, prelude, ...)       \
  static jn_status ONE(name)(const call *x) {   \
    SOAK_LOCALS prelude;                        \
    return TYPE(name)(x->m, x->w, __VA_ARGS__); \
  }
#define CALL_N(name, sizes, ...) \
  static jn_status ONE(name)(const call *x) { SOAK_LOCALS return TYPE(name)(x->m, __VA_ARGS__); }
CATALOGUE(CALL_F, CALL_G, CALL_N)

#ifdef BATCHES
#define MANY_F(name, sizes, ...) \
  static jn_status MANY(name)(const call *x) { SOAK_LOCALS return TYPE(name##_batch)(x->b, x->count, __VA_ARGS__); }
#define MANY_G(name, sizes, prelude, ...)                   \
  static jn_status MANY(name)(const call *x) {              \
    SOAK_LOCALS prelude;                                    \
    return TYPE(name##_batch)(x->b, x->count, __VA_ARGS__); \
  }
#define MANY_N(...)
CATALOGUE(MANY_F, MANY_G, MANY_N)
#undef MANY_F
#undef MANY_G
#undef MANY_N
#endif

#undef CALL_F
#undef CALL_G
#undef CALL_N
#undef SOAK_LOCAL
#undef SOAK_LOCALS
#undef TYPE
#undef ONE
#undef MANY
#undef SOAK_JOIN
#undef SOAK_JOIN2

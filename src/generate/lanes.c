/* SPDX-License-Identifier: BSD-2-Clause */
/* Code for N states at once (--lanes N), over the vector types of GNU C: prefix_lanes holds one number of N states.
 *
 *   prefix_NAME()       N states, interleaved: q[i] holds coordinate i of all N
 *   prefix_NAME_many()  any number of states, one after the other as in the library's batches; it moves N of them at a
 *                       time into lanes, calls prefix_NAME() and moves the results out
 *
 * Vectors are passed by address, because the registers for them by value depend on the compiler's options. */
#include <math.h>

#include "generate.h"

static const char *element(const jn_writing *w) { return w->options.single ? "float" : "double"; }

void jn__emit_lanes_types(const jn_writing *w, jn_text *text) {
  int n = w->options.lanes, bytes = w->options.single ? 4 : 8;
  jn__text_format(text,
                  "#define %s_LANES %d /* states at once */\n"
                  "/* One number of all these states. */\n"
                  "typedef %s %s_lanes __attribute__((vector_size(%d)));\n\n",
                  w->upper, n, element(w), w->prefix, n * bytes);
}

/* ---- sine, cosine, sign, root ---- */

/* The quadrant n follows from rounding x 2 / pi; adding a large multiple of 4 makes it positive, so that cutting off
 * the fraction rounds. Then as in sincos.c. Lanes beyond the limit compute sin 0 and become NaN. */
static const char sines_begin[] =
    "/* Sine and cosine in lanes: within 2 units in the last place to 4 rad, within 5 to the limit; NaN beyond +-%s "
    "rad. "
    "*/\n"
    "static void %s_sincos(const %s_lanes *angle, %s_lanes *sine, %s_lanes *cosine) {\n"
    "  const %s_bits good = (%s_bits)(*angle > -%s) & (%s_bits)(*angle < %s);\n"
    "  const %s_lanes x = (%s_lanes)((%s_bits)*angle & good);\n"
    "  const %s_ints n = __builtin_convertvector(x * %s + %s, %s_ints);\n"
    "  const %s_lanes k = __builtin_convertvector(n, %s_lanes) - %s;\n";

static const char sines_end[] =
    "  const %s_bits m = __builtin_convertvector(n, %s_bits);\n"
    "  const %s_bits swap = -(m & 1);\n"
    "  const %s_bits minus_s = (m & 2) << %d, minus_c = ((m + 1) & 2) << %d;\n"
    "  *sine = (%s_lanes)(((((%s_bits)s & ~swap) | ((%s_bits)c & swap)) ^ minus_s) | ~good);\n"
    "  *cosine = (%s_lanes)(((((%s_bits)c & ~swap) | ((%s_bits)s & swap)) ^ minus_c) | ~good);\n"
    "}\n\n";

static void emit_sines(const jn_writing *w, jn_text *text) {
  int single = w->options.single;
  const char *p = w->prefix, *limit = single ? "8000.0f" : "800000.0";
  const char *factor = single ? "0.636619747f" : "0.63661977236758134";
  const char *up = single ? "8192.5f" : "1048576.5", *down = single ? "8192.0f" : "1048576.0";
  jn__text_format(text, sines_begin, limit, p, p, p, p, p, p, limit, p, limit, p, p, p, p, factor, up, p, p, p, down);
  jn__emit_sine_polynomials(w, text);
  jn__text_format(text, sines_end, p, p, p, p, single ? 30 : 62, single ? 30 : 62, p, p, p, p, p, p);
}

void jn__emit_lanes_support(const jn_writing *w, jn_text *text, const jn_operation_count *used, int signs) {
  int n = w->options.lanes, single = w->options.single;
  const char *p = w->prefix, *zero = single ? "0.0f" : "0.0";
  if (signs || used->sines)
    jn__text_format(text, "typedef %s %s_bits __attribute__((vector_size(%d)));\n", single ? "int" : "long long", p,
                    n * (single ? 4 : 8));
  if (used->sines) jn__text_format(text, "typedef int %s_ints __attribute__((vector_size(%d)));\n\n", p, 4 * n);
  if (used->sines) emit_sines(w, text);

  /* A comparison that holds is -1. */
  if (signs)
    jn__text_format(text,
                    "static void %s_sign(%s_lanes *x) {\n"
                    "  *x = __builtin_convertvector((%s_bits)(*x < %s) - (%s_bits)(*x > %s), %s_lanes);\n}\n\n",
                    p, p, p, zero, p, zero, p);
  if (used->roots)
    jn__text_format(text,
                    "static void %s_root(%s_lanes *x) {\n"
                    "  for (int k = 0; k < %d; k++) (*x)[k] = sqrt%s((*x)[k]);\n}\n\n",
                    p, p, n, single ? "f" : "");
}

/* ---- states one after the other ---- */

/* Gravity, payload and inertial parameters are the same for all states. */
int jn__is_shared(const jn_written_array *in) {
  return in->array == JN_ARRAY_GRAVITY || in->array == JN_ARRAY_PAYLOAD || in->array == JN_ARRAY_PARAMETERS;
}

void jn__emit_many_prototype(const jn_writing *w, jn_text *text, const jn_written_function *f) {
  jn__text_format(text, "void %s_%s_many(int count", w->prefix, f->name);
  for (int k = 0; k < f->ins; k++) jn__text_format(text, ", const %s *%s", element(w), f->in[k].name);
  for (int k = 0; k < f->outs; k++) jn__text_format(text, ", %s *%s", element(w), f->out[k].name);
  jn__text_add(text, ")");
}

/* Moves numbers of N states into lanes and back; the last state stands in for those that are missing. */
void jn__emit_lanes_moves(const jn_writing *w, jn_text *text) {
  const char *p = w->prefix, *type = element(w);
  int n = w->options.lanes;
  jn__text_format(text, "static void %s_take(const %s *from, int size, int left, %s_lanes *to) {\n", p, type, p);
  jn__text_format(text, "  const %s *const s0 = from;\n", type);
  for (int k = 1; k < n; k++)
    jn__text_format(text, "  const %s *const s%d = left > %d ? s%d + size : s%d;\n", type, k, k, k - 1, k - 1);
  jn__text_format(text, "  for (int i = 0; i < size; i++) {\n    const %s_lanes x = {s0[i]", p);
  for (int k = 1; k < n; k++) jn__text_format(text, ", s%d[i]", k);
  jn__text_add(text, "};\n    to[i] = x;\n  }\n}\n\n");

  jn__text_format(text,
                  "static void %s_give(const %s_lanes *from, int size, int left, %s *to) {\n"
                  "  for (int k = 0; k < left && k < %d; k++)\n"
                  "    for (int i = 0; i < size; i++) to[k * size + i] = from[i][k];\n}\n\n",
                  p, p, type, n);
  if (w->options.runtime)
    jn__text_format(text,
                    "static void %s_spread(const %s *from, int size, %s_lanes *to) {\n  const %s_lanes zero = {%s};\n"
                    "  for (int i = 0; i < size; i++) to[i] = zero + from[i];\n}\n\n",
                    p, type, p, p, w->options.single ? "0.0f" : "0.0");
}

void jn__emit_many(const jn_writing *w, jn_text *text, const jn_written_function *f) {
  const char *p = w->prefix;
  int n = w->options.lanes;
  jn__emit_many_prototype(w, text, f);
  jn__text_add(text, " {\n");
  for (int k = 0; k < f->ins; k++) jn__text_format(text, "  %s_lanes x%d[%d];\n", p, k, f->in[k].size);
  for (int k = 0; k < f->outs; k++) jn__text_format(text, "  %s_lanes y%d[%d];\n", p, k, f->out[k].size);
  for (int k = 0; k < f->ins; k++)
    if (jn__is_shared(&f->in[k]))
      jn__text_format(text, "  %s_spread(%s, %d, x%d);\n", p, f->in[k].name, f->in[k].size, k);

  /* N states at a time. */
  jn__text_format(text, "  for (int left = count; left > 0; left -= %d) {\n", n);
  for (int k = 0; k < f->ins; k++)
    if (!jn__is_shared(&f->in[k]))
      jn__text_format(text, "    %s_take(%s, %d, left, x%d);\n    %s += %d;\n", p, f->in[k].name, f->in[k].size, k,
                      f->in[k].name, n * f->in[k].size);
  jn__text_format(text, "    %s_%s(", p, f->name);
  for (int k = 0; k < f->ins; k++) jn__text_format(text, "%sx%d", k ? ", " : "", k);
  for (int k = 0; k < f->outs; k++) jn__text_format(text, "%sy%d", k + f->ins ? ", " : "", k);
  jn__text_add(text, ");\n");
  for (int k = 0; k < f->outs; k++)
    jn__text_format(text, "    %s_give(y%d, %d, left, %s);\n    %s += %d;\n", p, k, f->out[k].size, f->out[k].name,
                    f->out[k].name, n * f->out[k].size);
  jn__text_add(text, "  }\n}\n\n");
}

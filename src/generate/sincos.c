/* SPDX-License-Identifier: BSD-2-Clause */
/* Sine and cosine in generated C: reduction by multiples of pi / 2 in parts of few bits (Cody and Waite) and minimax
 * polynomials on [-pi / 4, pi / 4], the same as in src/lie/trig.h. */
#include "generate.h"

/* From x and k, the nearest multiple of pi / 2: the sine s and the cosine c of the rest. */
static const char polynomials_single[] =
    "  const %s r = (((x - k * 1.5703125f) - k * 0.000482559204f) - k * 1.2665987e-06f) - k * 9.92093518e-10f;\n"
    "  const %s z = r * r;\n"
    "  const %s s = r + r * (z * ((8.33216087e-3f - z * 1.95152959e-4f) * z - 1.66666546e-1f));\n"
    "  const %s c = (1.0f - 0.5f * z) + z * z * ((z * 2.44331571e-5f - 1.38873163e-3f) * z + 4.16666457e-2f);\n";

static const char polynomials_double[] =
    "  const %s r = ((x - k * 1.5707963267341256) - k * 6.077100506303966e-11) - k * 2.0222662487959506e-21;\n"
    "  const %s z = r * r;\n"
    "  const %s s = r + r * (z * (((((z * 1.58969099521155010e-10 - 2.50507602534068634e-8) * z\n"
    "      + 2.75573137070700677e-6) * z - 1.98412698298579493e-4) * z + 8.33333333332248946e-3) * z\n"
    "      - 1.66666666666666324e-1));\n"
    "  const %s c = (1.0 - 0.5 * z) + z * z * (((((2.08757232129817483e-9 - z * 1.13596475577881948e-11) * z\n"
    "      - 2.75573143513906633e-7) * z + 2.48015872894767294e-5) * z - 1.38888888888741096e-3) * z\n"
    "      + 4.16666666666666019e-2);\n";

void jn__emit_sine_polynomials(const jn_writing *w, jn_text *text) {
  const char *type = w->value_type;
  jn__text_format(text, w->options.single ? polynomials_single : polynomials_double, type, type, type, type);
}

/* The quadrant n is x 2 / pi, rounded; a large multiple of 4 makes it positive, so that cutting off the fraction
 * rounds. (What that loses of x 2 / pi shifts the borders of the quadrants by 0.001.) */
static const char reduction[] =
    "  const %s turns = x * %s + %s;\n"
    "  const int n = (int)turns;\n"
    "  const %s k = (%s)n - %s;\n";

void jn__emit_sincos(const jn_writing *w, jn_text *text) {
  int single = w->options.single;
  const char *type = w->value_type, *p = w->prefix, *limit = single ? "8000.0f" : "800000.0";

  jn__text_format(text, "typedef struct {\n  %s s;\n  %s c;\n} %s_angle;\n\n", type, type, p);
  jn__text_format(
      text,
      "/* Sine and cosine: within 2 units in the last place to 4 rad, within 5 to the limit; NaN beyond +-%s rad. */\n"
      "static %s_angle %s_sincos(%s x) {\n  %s_angle out;\n",
      limit, p, p, type, p);
  jn__text_format(text,
                  "  if (!((x > -%s) && (x < %s))) {\n    out.s = (x - x) / (x - x);\n    out.c = out.s;\n"
                  "    return out;\n  }\n",
                  limit, limit);
  jn__text_format(text, reduction, type, single ? "0.636619747f" : "0.63661977236758134",
                  single ? "8192.5f" : "1048576.5", type, type, single ? "8192.0f" : "1048576.0");
  jn__emit_sine_polynomials(w, text);
  jn__text_add(text,
               "  const unsigned int quadrant = (unsigned int)n;\n"
               "  out.s = ((quadrant & 1u) != 0u) ? c : s;\n"
               "  out.c = ((quadrant & 1u) != 0u) ? s : c;\n"
               "  if ((quadrant & 2u) != 0u) {\n    out.s = -out.s;\n  }\n"
               "  if (((quadrant + 1u) & 2u) != 0u) {\n    out.c = -out.c;\n  }\n"
               "  return out;\n}\n\n");
}

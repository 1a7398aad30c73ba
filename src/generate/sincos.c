/* SPDX-License-Identifier: BSD-2-Clause */
/* Sine and cosine in generated C: reduction by multiples of pi / 2 in parts of few bits (Cody and Waite) and minimax
 * polynomials on [-pi / 4, pi / 4], the same as in src/lie/trig.h. */
#include "generate.h"

static const char reduction_single[] =
    "  const float turns = x * 0.636619747f;\n"
    "  const int n = (int)(turns < 0.0f ? turns - 0.5f : turns + 0.5f);\n"
    "  const float k = (float)n;\n"
    "  const float r = (((x - k * 1.5703125f) - k * 0.000482559204f) - k * 1.2665987e-06f) - k * 9.92093518e-10f;\n"
    "  const float z = r * r;\n"
    "  const float s = r + r * (z * ((8.33216087e-3f - z * 1.95152959e-4f) * z - 1.66666546e-1f));\n"
    "  const float c = (1.0f - 0.5f * z) + z * z * ((z * 2.44331571e-5f - 1.38873163e-3f) * z + 4.16666457e-2f);\n";

static const char reduction_double[] =
    "  const double turns = x * 0.63661977236758134;\n"
    "  const int n = (int)(turns < 0.0 ? turns - 0.5 : turns + 0.5);\n"
    "  const double k = (double)n;\n"
    "  const double r = ((x - k * 1.5707963267341256) - k * 6.077100506303966e-11) - k * 2.0222662487959506e-21;\n"
    "  const double z = r * r;\n"
    "  const double ps = ((((z * 1.58969099521155010e-10 - 2.50507602534068634e-8) * z + 2.75573137070700677e-6) * z\n"
    "                    - 1.98412698298579493e-4) * z + 8.33333333332248946e-3) * z - 1.66666666666666324e-1;\n"
    "  const double pc = ((((2.08757232129817483e-9 - z * 1.13596475577881948e-11) * z - 2.75573143513906633e-7) * z\n"
    "                    + 2.48015872894767294e-5) * z - 1.38888888888741096e-3) * z + 4.16666666666666019e-2;\n"
    "  const double s = r + r * (z * ps);\n"
    "  const double c = (1.0 - 0.5 * z) + z * z * pc;\n";

void jn__emit_sincos(const jn_writing *w, jn_text *text) {
  const char *type = jn__number_type(w), *p = w->prefix;
  const char *limit = w->options.single ? "8000.0f" : "800000.0", *zero = w->options.single ? "0.0f" : "0.0";

  jn__text_format(text, "typedef struct {\n  %s s, c;\n} %s_angle;\n\n", type, p);
  jn__text_format(
      text,
      "/* Sine and cosine: within 2 units in the last place to 4 rad, within 5 to the limit; NaN beyond +-%s rad. */\n"
      "static %s_angle %s_sincos(%s x) {\n  %s_angle out;\n",
      limit, p, p, type, p);
  jn__text_format(text, "  if (!(x > -%s && x < %s)) {\n    out.s = out.c = (x - x) / (x - x);\n    return out;\n  }\n",
                  limit, limit);
  jn__text_add(text, w->options.single ? reduction_single : reduction_double);
  jn__text_format(text,
                  "  out.s = (n & 1) != %s ? c : s;\n  out.c = (n & 1) != %s ? s : c;\n"
                  "  if ((n & 2) != 0) out.s = -out.s;\n  if (((n + 1) & 2) != 0) out.c = -out.c;\n"
                  "  return out;\n}\n\n",
                  "0", "0");
  (void)zero;
}

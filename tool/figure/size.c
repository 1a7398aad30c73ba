/* SPDX-License-Identifier: BSD-2-Clause */
/* --size WIDTHxHEIGHT of a picture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../options/options.h"
#include "figure.h"

/* Limits in pixels, of which an inch has 96. The largest still fits into memory as PNG. */
enum { LEAST_WIDTH = 300, LEAST_HEIGHT = 200, MOST_PIXELS = 8000 };
static const double PIXELS_PER_CM = 96 / 2.54;

/* A plain decimal number, without sign, exponent, "nan" or "0x"; *end points behind it. */
static double read_length(const char *text, const char **end) {
  size_t length = strspn(text, "0123456789.");
  char *behind;
  double value = length > 0 ? strtod(text, &behind) : NAN;

  // "1.2.3", "0x10", "1e3": strtod() stops elsewhere.
  *end = text + length;
  return length > 0 && behind == *end ? value : NAN;
}

/* False if the text is not WIDTHxHEIGHT with nothing, px or cm behind it. */
static bool read_size(const char *text, figure_size *size) {
  const char *cross, *unit;

  // Width and height, with an x between.
  double width = text[0] == '0' && text[1] == 'x' ? NAN : read_length(text, &cross);
  if (!isfinite(width) || *cross != 'x') return false;
  double height = read_length(cross + 1, &unit);
  if (!isfinite(height)) return false;

  // Pixels of a PNG are those asked for; centimetres have two pixels for each pixel of an SVG.
  bool cm = strcmp(unit, "cm") == 0;
  if (!cm && *unit && strcmp(unit, "px") != 0) return false;
  double scale = cm ? PIXELS_PER_CM : 1;
  *size = (figure_size){round(width * scale), round(height * scale), cm ? 2 : 1};
  return true;
}

figure_size figure_read_size(const char *text) {
  figure_size size = {0, 0, 2};
  if (text && !read_size(text, &size)) size = (figure_size){0, 0, 2};
  return size;
}

int figure_check_size(const char *command, const char *path, const char *text) {
  figure_size size;

  if (!text) return OPTION_GO_ON;
  if (!path) return usage_error(command, "--size is for --plot");
  if (strcmp(path, "-") == 0)
    return usage_error(command, "--size is for pictures; text in the terminal is as wide as COLUMNS says");
  if (!read_size(text, &size))
    return usage_error(command, "--size %s: takes WIDTHxHEIGHT in pixels or centimetres: 1200x800, 16x10cm", text);
  if (size.width < LEAST_WIDTH || size.height < LEAST_HEIGHT || size.width > MOST_PIXELS || size.height > MOST_PIXELS)
    return usage_error(command, "--size %s: must be from %dx%d to %dx%d pixels, or 8x5.3cm to 211x211cm", text,
                       LEAST_WIDTH, LEAST_HEIGHT, MOST_PIXELS, MOST_PIXELS);
  return OPTION_GO_ON;
}

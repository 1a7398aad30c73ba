/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce retime --waypoints: the written motion stays as near to the lines through its points as --blend says. */
#include "support/running.h"

#include <math.h>

#include "testing.h"

enum { JOINTS = 2, MOST_POINTS = 12, MOST_ROWS = 20000 };
typedef double point[JOINTS];
static point rows[MOST_ROWS];

static int read_rows(const char *name) {
  char *text = read_file(name), *line = strchr(text, '\n');
  int count = 0;
  for (; line && line[1] && count < MOST_ROWS; line = strchr(line + 1, '\n'), count++)
    assert_int_equal(sscanf(line + 1, "%*[^,],%lf,%lf", &rows[count][0], &rows[count][1]), JOINTS);
  free(text);
  return count;
}

static double away_at(const point p, const point a, const point b, double part) {
  double most = 0;
  for (int j = 0; j < JOINTS; j++) most = fmax(most, fabs(p[j] - a[j] - part * (b[j] - a[j])));
  return most;
}

/* How far a point is from a line in any joint: the least of a convex function. */
static double line_distance(const point p, const point a, const point b) {
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) {
    double first = low + (high - low) / 3, second = high - (high - low) / 3;
    if (away_at(p, a, b, first) < away_at(p, a, b, second))
      high = second;
    else
      low = first;
  }
  return away_at(p, a, b, low);
}

static double nearest(const point p, point *lines, int count) {
  double least = INFINITY;
  for (int i = 0; i + 1 < count; i++) least = fmin(least, line_distance(p, lines[i], lines[i + 1]));
  return least;
}

static void write_points(const char *name, point *points, int count) {
  FILE *f = fopen(in_directory(name), "w");
  assert_non_null(f);
  fputs("joint1,joint2\n", f);
  for (int i = 0; i < count; i++) fprintf(f, "%.15g,%.15g\n", points[i][0], points[i][1]);
  fclose(f);
}

/* Property: the path is nowhere further from the lines than --blend, and no point is further from the path; the first
 * and the last point are met. */
static void check_path(point *points, int count, double blend, const char *what) {
  int written = read_rows("way.csv");
  double path_off = 0, point_off = 0;
  assert_true(written > 8);
  for (int i = 0; i < written; i++) path_off = fmax(path_off, nearest(rows[i], points, count));
  for (int i = 0; i < count; i++) point_off = fmax(point_off, nearest(points[i], rows, written));
  print_message("%s: blend %.3g: lines %.4f, points %.4f of it away\n", what, blend, path_off / blend,
                point_off / blend);
  if (!(path_off <= blend)) fail_msg("%s: the path is %g from the lines, allowed %g", what, path_off, blend);
  if (!(point_off <= blend)) fail_msg("%s: a point is %g from the path, allowed %g", what, point_off, blend);
  assert_true(away_at(points[0], rows[0], rows[0], 0) < 1e-9);
  assert_true(away_at(points[count - 1], rows[written - 1], rows[written - 1], 0) < 1e-9);
}

static void random_waypoints_are_passed_within_the_tolerance(void **state) {
  (void)state;
  enum { TRIALS = 8 };
  uint64_t s = seed("waypoints");
  for (int trial = 0; trial < TRIALS; trial++) {
    point points[MOST_POINTS] = {{0}};
    char words[256], what[32];
    /* lines of very different lengths, and turns from wide to far below them */
    int count = 3 + trial % 3 * 3;
    double blend = pow(10, -2.5 + 1.2 * uniform(&s));
    for (int i = 1; i < count; i++) {
      double size = pow(10, -0.8 + 0.8 * uniform(&s));
      for (int j = 0; j < JOINTS; j++) points[i][j] = points[i - 1][j] + size * uniform(&s);
    }
    write_points("points.csv", points, count);
    snprintf(words, sizeof words,
             "retime builtin:planar_2r points.csv --waypoints --blend %.6g --intervals 100 --rate 1000 --out way.csv",
             blend);
    outcome o = run_fine(words, 0);
    double told;
    const char *at = strstr(o.out, "round corners: ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "round corners: %lf", &told), 1);
    if (!(told <= blend)) fail_msg("%g is said to be the distance, more than %g", told, blend);
    done(&o);
    snprintf(what, sizeof what, "%d points", count);
    check_path(points, count, blend, what);
  }
}

static void waypoints_are_read_as_trajectories_are(void **state) {
  (void)state;
  const double degree = 3.14159265358979323846 / 180;
  point points[4] = {{0, 0}, {60 * degree, 0}, {60 * degree, 80 * degree}, {0, 40 * degree}};
  write_file("points.csv", "joint2 [deg],joint1 [deg]\n0,0\n0,60\n0,60\n80,60\n40,0\n");
  outcome o = run_fine("retime builtin:planar_2r points.csv --waypoints --blend 0.02 --rate 500 --out way.csv", 0);
  check_has(o.out, "4 waypoints with round corners: 0.0198 rad");
  check_has(o.out, "All 6 limits hold.");
  check_has(o.err, "row 3 is where row 2 is");
  done(&o);
  check_path(points, 4, 0.02, "in degrees");

  check_says("retime builtin:planar_2r points.csv --waypoints --uniform", 2, "--waypoints have no times");
  check_says("retime builtin:planar_2r points.csv --blend 1", 2, "--blend is for --waypoints");
  check_says("retime builtin:planar_2r points.csv --waypoints --blend 0", 2, "--blend takes");
  write_file("one.csv", "joint1,joint2\n0,0\n");
  check_says("retime builtin:planar_2r one.csv --waypoints", 1, "two waypoints at least");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_waypoints_are_passed_within_the_tolerance),
                                     cmocka_unit_test(waypoints_are_read_as_trajectories_are)};
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}

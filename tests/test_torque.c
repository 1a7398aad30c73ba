/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce torque as a user runs it: torques, files, wrong use, plots. */
#include "torque_help.h"

/* ---- What is computed ---- */

enum { ORDER = 3, NV = 7 };

typedef struct panda {
  jn_model *model;
  jn_work *work;
  jn_trajectory *trajectory;
  double q[NV], v[(ORDER + 2) * NV], tau[(ORDER + 1) * NV];
} panda;

static void panda_init(panda *p, const double *payload) {
  jn_model *bare;
  jn_trajectory_options o;
  jn_trajectory_options_init(&o);
  o.order = ORDER;
  assert_int_equal(jn_load("builtin:panda", NULL, &bare, NULL), JN_OK);
  p->model = bare;
  if (payload) {
    double inertia[10];
    const double none[6] = {0};
    jn_inertia_pack(payload[0], payload + 1, none, inertia);
    assert_int_equal(jn_model_with_payload(bare, jn_link_index(bare, "panda_link7"), inertia, &p->model), JN_OK);
    jn_model_destroy(bare);
  }
  assert_int_equal(jn_work_create_order(p->model, ORDER, &p->work), JN_OK);
  assert_int_equal(jn_trajectory_load(p->model, "builtin:demo", &o, &p->trajectory, NULL), JN_OK);
}

static void panda_at(panda *p, double t, const double *wrench) {
  assert_int_equal(jn_trajectory_evaluate(p->trajectory, t, ORDER, p->q, p->v), JN_OK);
  assert_int_equal(jn_inverse_dynamics_jet(p->model, p->work, ORDER, p->q, p->v, wrench, p->tau), JN_OK);
}

/* The same torques by the kernel that the command uses: that of many states, which rounds differently. */
static void panda_in_lanes(panda *p) {
  enum { STATES = 64 };
  static double q[STATES][NV], v[STATES][(ORDER + 2) * NV], tau[STATES][(ORDER + 1) * NV];
  for (int k = 0; k < STATES; k++) {
    memcpy(q[k], p->q, sizeof q[k]);
    memcpy(v[k], p->v, sizeof v[k]);
  }
  jn_batch *batch;
  assert_int_equal(jn_batch_create(p->model, ORDER, 1, &batch), JN_OK);
  assert_int_equal(jn_inverse_dynamics_jet_batch(batch, STATES, ORDER, q[0], v[0], NULL, tau[0]), JN_OK);
  jn_batch_destroy(batch);
  memcpy(p->tau, tau[0], sizeof tau[0]);
}

static void panda_free(panda *p) {
  jn_trajectory_destroy(p->trajectory);
  jn_work_destroy(p->work);
  jn_model_destroy(p->model);
}

/* All torques of a table are those of the library at the same times, to the 15 digits that are written. */
static void check_torques(const jn_table *t, panda *p, const double *wrench) {
  char name[64];
  for (int r = 0; r < t->rows; r += 7) {
    panda_at(p, jn__table_column(t, 0)[r], wrench);
    for (int k = 0; k <= ORDER; k++)
      for (int j = 0; j < NV; j++) {
        snprintf(name, sizeof name, k ? "panda_joint%d.tau_d%d" : "panda_joint%d.tau", j + 1, k);
        int column = jn__table_find(t, name);
        if (column < 0) fail_msg("no column %s", name);
        double is = jn__table_column(t, column)[r], exact = p->tau[k * NV + j];
        /* t has 15 digits, too: 5e-15 s times the rate of the next order, some ten times larger */
        if (fabs(is - exact) > 1e-12 * (1 + fabs(exact)) * pow(10, k))
          fail_msg("%s, row %d: %.17g, not %.17g", name, r, is, exact);
      }
  }
}

static void csv_has_the_torques_with_names_and_units(void **state) {
  (void)state;
  outcome o = run_fine("torque builtin:panda builtin:demo --order 3 --out r.csv", 0);
  check_has(o.out, "panda along builtin:demo: 1001 samples from 0 to 5 s");
  check_has(o.out, "|d3 tau/dt3|");
  done(&o);
  size_t length;
  char *text = (char *)read_bytes("r.csv", &length);
  text[length] = 0;
  assert_int_equal(strncmp(text, "t,panda_joint1 [rad],", 21), 0);
  check_has(text, ",panda_joint7_d1 [rad/s],panda_joint1_d2 [rad/s^2],");
  check_has(text, ",panda_joint7.tau [N m],panda_joint1.tau_d1 [N m/s],");
  check_has(text, ",panda_joint7.tau_d3 [N m/s^3]\n0,");
  free(text);
  jn_table t;
  panda p;
  read_result("r.csv", &t);
  assert_int_equal(t.rows, 1001);
  panda_init(&p, NULL);
  check_torques(&t, &p, NULL);
  panda_free(&p);
  jn__table_free(&t);
}

/* CSV that was written is a trajectory again, and gives the same torques. */
static void results_can_be_read_as_trajectories(void **state) {
  (void)state;
  outcome o = run_fine("torque builtin:panda builtin:demo --order 3 --rate 200 --out r.csv", 0);
  done(&o);
  o = run_fine("torque builtin:panda r.csv --order 3 --check --out s.csv", 0);
  check_has(o.out, "Splines of degree 7 through 1001 samples");
  assert_string_equal(o.err, "");
  done(&o);
  jn_table a, b;
  read_result("r.csv", &a);
  read_result("s.csv", &b);
  assert_int_equal(a.columns, b.columns);
  int column = jn__table_find(&a, "panda_joint2.tau_d2");
  for (int r = 0; r < a.rows;
       r++) { /* values of some 1000 N m/s^2. The samples have 15 digits; the fourth derivative amplifies what is behind
                 them by (pi / 0.014 s)^4 = 3e9; the ends of a spline are its worst part. */
    double x = jn__table_column(&a, column)[r], y = jn__table_column(&b, column)[r];
    int inside = r >= 10 && r < a.rows - 10;
    if (fabs(x - y) > (inside ? 1e-5 : 1e-3)) fail_msg("row %d: %.12g and %.12g", r, x, y);
  }
  jn__table_free(&a);
  jn__table_free(&b);
}

static void npz_has_the_torques_to_the_bit(void **state) {
  (void)state;
  outcome o = run_fine("torque builtin:panda builtin:demo --order 3 --rate 20 --out r.npz", 0);
  done(&o);
  size_t length;
  unsigned char *bytes = read_bytes("r.npz", &length);
  const jn_allocator a = jn__allocator(NULL);
  jn_zip zip;
  jn_zip_entry entries[4];
  char why[160] = "", name[64];
  if (jn__zip_open(&zip, &a, bytes, length, length, why, sizeof why) != JN_OK) fail_msg("%s", why);
  jn_array t, tau, names, q;
  const struct {
    const char *name;
    jn_array *array;
  } wanted[] = {{"t", &t}, {"tau", &tau}, {"v_names", &names}, {"q", &q}};
  for (int i = 0; i < 4; i++) {
    jn_zip_entry *e = &entries[i];
    if (jn__zip_get(&zip, wanted[i].name, e, why, sizeof why) != JN_OK) fail_msg("%s: %s", wanted[i].name, why);
    assert_non_null(e->bytes);
    if (!jn__npy_parse(e->bytes, e->length, wanted[i].array, why, sizeof why)) fail_msg("%s: %s", wanted[i].name, why);
  }
  assert_int_equal(t.shape[0], 101);
  assert_int_equal(tau.dimensions, 3);
  assert_int_equal(tau.shape[1], ORDER + 1);
  assert_int_equal(tau.shape[2], NV);
  assert_true(jn__array_text(&names, 6, name, sizeof name));
  assert_string_equal(name, "panda_joint7");
  panda p;
  panda_init(&p, NULL);
  for (size_t r = 0; r < 101; r += 5) {
    panda_at(&p, jn__array_number(&t, r, 0), NULL);
    panda_in_lanes(&p);
    double row[(ORDER + 1) * NV];
    memcpy(row, tau.data + r * sizeof row, sizeof row);
    for (size_t i = 0; i < NV; i++) assert_true(jn__array_number(&q, r, i) == p.q[i]);
    for (int i = 0; i < (ORDER + 1) * NV; i++) assert_true(row[i] == p.tau[i]);
  }
  panda_free(&p);
  for (int i = 0; i < 4; i++) jn__zip_release(&zip, &entries[i]);
  free(bytes);
  o = run_fine("torque builtin:panda r.npz --order 1", 0); /* and it is a trajectory */
  check_has(o.out, "101 samples");
  done(&o);
}

static void payload_and_wrench_count(void **state) {
  (void)state;
  jn_table t;
  panda p;
  const double payload[4] = {2, 0.01, -0.02, 0.1};
  outcome o =
      run_fine("torque builtin:panda builtin:demo --order 3 --rate 50 --payload 2,0.01,-0.02,0.1 --out r.csv", 0);
  done(&o);
  read_result("r.csv", &t);
  panda_init(&p, payload);
  check_torques(&t, &p, NULL);
  panda_free(&p);
  jn__table_free(&t);
  /* in the flange, 0.107 m further out */
  o = run_fine(
      "torque builtin:panda builtin:demo --order 3 --rate 50 --payload 2,0.01,-0.02,-0.007 --payload-frame "
      "panda_flange "
      "--out r.csv",
      0);
  done(&o);
  read_result("r.csv", &t);
  panda_init(&p, payload);
  check_torques(&t, &p, NULL);
  panda_free(&p);
  jn__table_free(&t);
  /* a force that does not change, in the frame of the link */
  write_file("w.csv",
             "t,panda_link7_fz,panda_link7_mx\n0,5,1\n1,5,1\n2,5,1\n3,5,1\n4,5,1\n4.5,5,1\n5,5,1\n5.5,5,1\n6,5,1\n");
  o = run_fine("torque builtin:panda builtin:demo --order 3 --rate 50 --wrench w.csv --out r.csv", 0);
  done(&o);
  read_result("r.csv", &t);
  panda_init(&p, NULL);
  static double wrench[(ORDER + 1) * NV * 6];
  wrench[6 * 6] = 1;
  wrench[6 * 6 + 5] = 5;
  check_torques(&t, &p, wrench);
  panda_free(&p);
  jn__table_free(&t);
}

/* A robot that stands still: a weight at the origin of a link is a force in the axes of the world. */
static void check_weight(const char *robot, const char *motion, const char *link, const char *force, const char *axis) {
  char line[300];
  jn_table a, b;
  snprintf(line, sizeof line, "torque %s still.csv --payload 2,0,0,0 --link %s --out a.csv", robot, link);
  write_file("still.csv", motion);
  outcome o = run_fine(line, 0);
  done(&o);
  snprintf(line, sizeof line, "t,%s_f%s\n0,%s\n", link, axis, force);
  write_file("w.csv", line);
  snprintf(line, sizeof line, "torque %s still.csv --wrench w.csv --wrench-axes world --out b.csv", robot);
  o = run_fine(line, 0);
  assert_non_null(strstr(o.out, "in the axes of the world"));
  done(&o);
  read_result("a.csv", &a);
  read_result("b.csv", &b);
  for (int c = 0; c < a.columns; c++)
    if (strstr(a.names[c], ".tau") && !strstr(a.names[c], ".tau_d")) {
      double x = jn__table_column(&a, c)[3], y = jn__table_column(&b, jn__table_find(&b, a.names[c]))[3];
      if (!(fabs(x - y) < 1e-9))
        fail_msg("%s, %s: %.12g with the weight, %.12g with the force", robot, a.names[c], x, y);
    }
  jn__table_free(&a);
  jn__table_free(&b);
}

static void forces_in_world_axes_are_weights(void **state) {
  (void)state;
  check_weight("builtin:panda",
               "t,panda_joint1,panda_joint2,panda_joint3,panda_joint4,panda_joint5,panda_joint6,panda_joint7\n"
               "0,0.3,-0.5,0.2,-2,0.4,1.6,0.7\n1,0.3,-0.5,0.2,-2,0.4,1.6,0.7\n2,0.3,-0.5,0.2,-2,0.4,1.6,0.7\n"
               "3,0.3,-0.5,0.2,-2,0.4,1.6,0.7\n4,0.3,-0.5,0.2,-2,0.4,1.6,0.7\n5,0.3,-0.5,0.2,-2,0.4,1.6,0.7\n"
               "6,0.3,-0.5,0.2,-2,0.4,1.6,0.7\n7,0.3,-0.5,0.2,-2,0.4,1.6,0.7\n",
               "panda_link5", "-19.6133", "z");
  check_weight("builtin:four_bar", "t,motor\n0,0.8\n1,0.8\n2,0.8\n3,0.8\n4,0.8\n5,0.8\n6,0.8\n7,0.8\n", "coupler",
               "-19.62", "y");
  check_refusal("torque builtin:panda still.csv --wrench w.csv --wrench-axes base", 2, "world");
}

/* ---- Limits and what samples can tell ---- */

/* 0 N m for two rows, then 100: no torque before, none beyond. */
static void wrenches_are_interpolated_as_asked(void **state) {
  (void)state;
  static const struct {
    const char *option, *words;
    double low, high, middle; /* of the torque, and at 1.5 s */
  } cases[] = {{"", "by monotone cubics from row to row (4 rows); derivatives of the torques jump", -100, 0, -50},
               {"--wrench-interpolation hold", "held from row to row (4 rows); torques jump", -100, 0, 0},
               {"--wrench-interpolation linear", "straight from row to row (4 rows); deriv", -100, 0, -50},
               {"--wrench-interpolation monotone", "by monotone cubics", -100, 0, -50},
               {"--wrench-interpolation spline", "by smoothing splines (4 rows)", -244.9, 18.2, -43.125}};
  write_file("rod.json", rod);
  write_file("still.json", "{\"duration\": 5, \"joints\": {\"hinge\": 0}}");
  write_file("w.csv", "t,rod_my\n0,0\n1,0\n2,100\n5,100\n");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char line[160];
    snprintf(line, sizeof line, "torque rod.json still.json --wrench w.csv --rate 100 --out r.csv %s", cases[i].option);
    outcome o = run_fine(line, 0);
    check_has(o.out, cases[i].words);
    done(&o);
    jn_table t;
    read_result("r.csv", &t);
    const double *tau = jn__table_column(&t, jn__table_find(&t, "hinge.tau"));
    double low = 0, high = 0;
    for (int r = 0; r < t.rows; r++) low = fmin(low, tau[r]), high = fmax(high, tau[r]);
    if (fabs(low - cases[i].low) > 0.1 || fabs(high - cases[i].high) > 0.1 || fabs(tau[150] - cases[i].middle) > 1e-9)
      fail_msg("%s: from %g to %g N m, %g in the middle", line, low, high, tau[150]);
    jn__table_free(&t);
  }
  check_refusal("torque rod.json still.json --wrench w.csv --wrench-interpolation cubic", 2, "hold");
}

/* ---- Wrong use, bad files ---- */

static void wrong_usage_is_reported(void **state) {
  (void)state;
  check_refusal("torque builtin:panda", 2, "TRAJECTORY is missing");
  check_refusal("torque builtin:panda builtin:demo --order 1.5", 2, "--order takes one whole number");
  check_refusal("torque builtin:panda builtin:demo --out x.txt", 2, "must end in .csv or .npz");
  check_refusal("torque builtin:panda builtin:demo --plot x.gif", 2, "pictures end in .svg, .png or .pdf");
  check_refusal("torque builtin:panda builtin:demo --payload 1,2", 2, "--payload takes m,x,y,z");
  check_refusal("torque builtin:panda builtin:demo --payload 1,0,0,0 --payload-frame panda_link77", 2,
                "did you mean 'panda_link7'?");
  check_refusal("torque builtin:panda builtin:demo --payload=-1,0,0,0", 2, "the mass -1 kg is negative");
  check_refusal("torque builtin:panda builtin:demo --payload 1,0,0,0,-1,0,0,0,0,0", 2, "no body has the inertia");
  check_refusal("torque builtin:panda builtin:demo --payload 1,0,0,0,1,1,2.1,0,0,0", 2, "larger than the sum");
  check_refusal("torque builtin:panda builtin:demo --payload 0,0,0,0,1,1,1,0,0,0", 2, "without a mass");
  outcome plate = run_fine("torque builtin:panda builtin:demo --order 0 --payload 1,0,0,0,1,1,2,0,0,0", 0);
  done(&plate);
  check_refusal("torque builtin:quadruped builtin:demo --payload 1,0,0,0", 2, "ends in several links");
  check_refusal("torque builtin:panda builtin:demo --rate -5", 2, "--rate takes one positive number");
  check_refusal("torque builtin:panda builtin:demo --range 4,9", 2, "goes from 0 to 5 s");
  check_refusal("torque builtin:panda builtin:demo --actuated panda_joint1", 2, "for models with loops");
  check_refusal("torque builtin:panda builtin:demo --tolerance x", 2, "--tolerance takes a number");
  check_refusal("torque builtin:panda nowhere.csv", 1, "nowhere.csv: cannot be opened");
  check_refusal("torque builtin:kuka_iiwa builtin:demo", 1, "is not a joint of the model");
  check_refusal("torque builtin:panda builtin:demo --out - --check", 2, "--out - writes CSV alone");
  write_file("x.csv", "t,panda_joint1,panda_jnt2\n0,0,0\n0.1,0,x\n");
  check_refusal("torque builtin:panda x.csv", 1, "x.csv:3:3: column 'panda_jnt2': row 2: 'x' is not a finite number");
  write_file("x.csv", "t,panda_joint1,panda_jnt2\n0,0,0\n1,0,0\n2,0,0\n3,0,0\n4,0,0\n5,0,0\n");
  check_refusal("torque builtin:panda x.csv", 1, "did you mean 'panda_joint2'?");
  check_refusal("torque builtin:panda x.csv", 1, "no column for 6 of 7 coordinates");
  outcome o = run_fine("torque builtin:panda x.csv --missing neutral", 0);
  done(&o);
  o = run_fine("torque builtin:panda builtin:demo --out - --range 1,2", 0);
  assert_int_equal(strncmp(o.out, "t,panda_joint1 [rad]", 20), 0);
  done(&o);
}

/* What is read is never written over; what could not be written is not told as written. */
static void files_are_safe(void **state) {
  (void)state;
  outcome o = run_fine("torque builtin:panda builtin:demo --rate 20 --out in.csv", 0);
  done(&o);
  size_t before, after;
  free(read_bytes("in.csv", &before));
  check_refusal("torque builtin:panda in.csv --out ./in.csv", 2,
                "would write over the file that TRAJECTORY is read from");
  check_refusal("torque builtin:panda builtin:demo --wrench in.csv --out in.csv", 2, "that --wrench is read from");
  check_refusal("torque builtin:panda builtin:demo --limits=in.csv --out in.csv", 2, "that --limits is read from");
  free(read_bytes("in.csv", &after));
  assert_int_equal(before, after);
  if (system("test -c /dev/full") != 0) return;
  char line[256];
  snprintf(line, sizeof line, "ln -sf /dev/full '%s/full.csv'", directory);
  assert_int_equal(system(line), 0);
  o = run_fine("torque builtin:panda builtin:demo --out full.csv", 1);
  check_has(o.err, "cannot write full.csv");
  assert_null(strstr(o.out, "Written"));
  done(&o);
  o = run_fine("torque builtin:panda builtin:demo --plot nowhere/x.svg", 1);
  assert_null(strstr(o.out, "Drawn"));
  done(&o);
}

/* A motion through a pipe; endings in capitals; how many faults there are. */
static void small_conveniences(void **state) {
  (void)state;
  outcome o = run_fine("torque builtin:panda builtin:demo --rate 20 --out R.CSV", 0);
  done(&o);
  o = run_fine("torque builtin:panda - --order 1 < R.CSV", 0);
  check_has(o.out, "101 samples from 0 to 5 s");
  done(&o);
  check_refusal("torque - -", 2, "cannot both be standard input");
  check_refusal("torque builtin:panda - < /dev/null", 1, "<stdin>: is empty");
  write_file("x.csv", "t,panda_joint1\n0,a\n1,a\n2,a\n3,a\n4,a\n5,a\n6,a\n7,a\n8,a\n9,a\n10,a\n11,a\n12,a\n");
  check_refusal("torque builtin:panda x.csv", 1, "x.csv: has 3 more errors like these");
  write_file("x.csv", "t,panda_joint1\n0,0\n0,0\n0,0\n0,0\n0,0\n0,0\n0,0\n0,0\n0,0\n0,0\n0,0\n0,0\n0,0\n");
  check_refusal("torque builtin:panda x.csv", 1, "x.csv: 2 more rows are not later than the row before");
}

/* Seconds since 1970 have ten digits before the point: what is behind it must not get lost. */
static void large_times_keep_their_digits(void **state) {
  (void)state;
  write_file("m.json",
             "{\"start\": 1700000000.25, \"duration\": 2, \"joints\": {\"motor\": {\"polynomial\": [0, 2, 1]}}}");
  write_file("l.json", "{\"motor\": {\"velocity\": 5}}");
  outcome o = run_fine("torque builtin:four_bar m.json --rate 16 --limits=l.json --out r.csv", 1);
  check_has(o.out, "33 samples from 1700000000.25 to 1700000002.25 s");
  check_has(o.out, "motor velocity: 6 rad/s at 1700000002.25 s, beyond the limit of 5");
  check_has(o.out, "120% @ 1700000002.25");
  done(&o);
  write_file("x.csv", "t,motor\n1700000000.25,0\n1700000000.5,1\n1700000000.75,0\n1700000001,1\n1700000002,0\n");
  o = run_fine("torque builtin:four_bar x.csv --order 0 --tolerance 0.1", 0);
  check_has(o.out, "5 samples from 0 to 1.75 s"); /* samples of a clock: from the first one on */
  check_has(o.err, "starts at 1700000000.25 s; all times are counted from this first stamp");
  done(&o);
  write_file("m.json", "{\"duration\": 2e-8, \"joints\": {\"motor\": {\"polynomial\": [0, 2, 1]}}}");
  o = run_fine("torque builtin:four_bar m.json --rate 1e9", 0); /* and short times are not zero */
  check_has(o.out, "samples from 0 to 2e-08 s");
  done(&o);
  write_file("m.json",
             "{\"start\": 1700000000.25, \"duration\": 2, \"joints\": {\"motor\": {\"polynomial\": [0, 2, 1]}}}");
  check_refusal("torque builtin:four_bar m.json --range 0,1", 2, "goes from 1700000000.25 to 1700000002.25 s");
  write_file("x.csv", "t,motor\n1700000000.25,0\n1700000000.5,0\n1700000000.375,0\n1700000001,0\n1700000002,0\n");
  check_refusal("torque builtin:four_bar x.csv --order 0", 1, "t = 0.125 s, but 0.25 s in the row before");
}

/* ---- Plots ---- */

static int has_gnuplot(void) { return system("gnuplot --version >/dev/null 2>&1") == 0; }

static void plots_are_drawn(void **state) {
  (void)state;
  outcome o = run_here("torque builtin:panda builtin:demo --out r.csv");
  done(&o);
  char before[256];
  snprintf(before, sizeof before, "cd '%s' && PATH=/nowhere", directory);
  o = run_with(before, "torque builtin:panda builtin:demo --plot p.svg");
  check_has(o.err, "apt-get install gnuplot-nox");
  assert_int_equal(o.code, 1);
  done(&o);
  if (!has_gnuplot()) {
    puts("# no gnuplot: pictures are not tested");
    return;
  }
  o = run_fine("torque builtin:panda builtin:demo --limits --plot p.svg", 1);
  check_has(o.out, "Drawn: p.svg");
  assert_string_equal(o.err, "");
  done(&o);
  size_t length;
  char *svg = (char *)read_bytes("p.svg", &length);
  svg[length] = 0;
  check_has(svg, "<svg");
  check_has(svg, "panda_joint7");
  check_has(svg, "101.6 %");
  check_has(svg, "rgb(245, 183, 138)"); /* what is broken is shaded */
  check_has(svg, "</svg>");
  free(svg);
  o = run_fine("plot r.csv --pattern '*.tau*' --out p.png", 0);
  done(&o);
  unsigned char *png = read_bytes("p.png", &length);
  assert_int_equal(memcmp(png, "\x89PNG", 4), 0);
  free(png);
  o = run_fine("plot r.csv --pattern 'panda_joint1.tau*' --out p.pdf", 0);
  done(&o);
  o = run_fine("plot r.csv --pattern panda_joint2.tau", 0);
  check_has(o.out, "panda_joint2");
  check_has(o.out, "*");
  done(&o);
  check_refusal("plot r.csv --pattern nothing", 2, "no column has such a name");
  check_refusal("plot nowhere.csv", 1, "nowhere.csv: cannot be opened");
  write_file("x.csv", "t,a\n0,1\n1,b\n");
  check_refusal("plot x.csv", 1, "x.csv:3: column 'a': 'b' is not a number");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(csv_has_the_torques_with_names_and_units),
      cmocka_unit_test(results_can_be_read_as_trajectories),
      cmocka_unit_test(npz_has_the_torques_to_the_bit),
      cmocka_unit_test(payload_and_wrench_count),
      cmocka_unit_test(wrenches_are_interpolated_as_asked),
      cmocka_unit_test(forces_in_world_axes_are_weights),
      cmocka_unit_test(wrong_usage_is_reported),
      cmocka_unit_test(files_are_safe),
      cmocka_unit_test(large_times_keep_their_digits),
      cmocka_unit_test(small_conveniences),
      cmocka_unit_test(plots_are_drawn),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}

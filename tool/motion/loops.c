/* SPDX-License-Identifier: BSD-2-Clause */
/* Models with loops in jounce torque: which coordinates of the motion are taken as they are, and where motors are. A
 * file may have all joints, as reach and simulate write them; each is fitted by itself, so that loops would not close
 * exactly. As many as move independently are then taken, motors first, and the others follow from the loops. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../model/names.h"
#include "../text/print.h"
#include "motion.h"

static bool has_motor(const motion *m, int v) {
  const jn_dof *dof = jn_coordinate_dof(m->model, v);
  return dof && dof->effort > 0;
}

/* What the trajectory gives. */
static void find_given(motion *m) {
  for (int v = 0; v < m->nv; v++) {
    int joint = jn_coordinate_joint(m->model, v, NULL);
    m->given[v] = m->path ? 1 : (unsigned char)jn_trajectory_given(m->trajectory, jn_joint_q(m->model, joint));
  }
}

/* How much a coordinate should be independent: 0 not given, 1 with a motor; 2 given, 3 with a motor. */
static int rank_of(const motion *m, int v, bool named) {
  return 2 * (m->given[v] != 0) + (named ? m->actuated[v] != 0 : has_motor(m, v));
}

/* The largest element of A [rows x nv] below `done` in free columns of one rank; *column -1: none that counts. */
static int find_pivot(const motion *m, const double *A, int rows, int done, bool named, int rank, double tiny,
                      int *column) {
  double most = tiny;
  int row = done;
  *column = -1;
  for (int v = 0; v < m->nv; v++) {
    if (!m->held[v] || rank_of(m, v, named) != rank) continue;
    for (int r = done; r < rows; r++)
      if (fabs(A[r * m->nv + v]) > most) most = fabs(A[r * m->nv + v]), row = r, *column = v;
  }
  return row;
}

/* m->held: coordinates that are left when loops, by elimination of A, determine as many as they can; those that should
 * be independent last. */
static void eliminate(motion *m, double *A, int rows, bool named) {
  int n = m->nv, done = 0;
  double most = 0;
  for (int i = 0; i < rows * n; i++) most = fmax(most, fabs(A[i]));
  memset(m->held, 1, (size_t)n);
  for (int rank = 0; rank <= 3; rank++)
    for (int column; done < rows; done++) {
      int row = find_pivot(m, A, rows, done, named, rank, 1e-7 * most, &column);
      if (column < 0) break;
      m->held[column] = 0;
      for (int v = 0; v < n; v++) {
        double x = A[row * n + v];
        A[row * n + v] = A[done * n + v];
        A[done * n + v] = x;
      }
      for (int r = done + 1; r < rows; r++) {
        double factor = A[r * n + column] / A[done * n + column];
        for (int v = 0; v < n; v++) A[r * n + v] -= factor * A[done * n + v];
      }
    }
}

/* The configuration at which coordinates are chosen: the first, if all of it is given. */
static jn_status first_configuration(motion *m, double *q) {
  double t = jn_trajectory_start(m->trajectory);
  bool whole = !memchr(m->given, 0, (size_t)m->nv);
  jn_status status = jn_neutral(m->model, q);
  if (m->path)
    status = tool_path_at(m->path, t, 0, q, m->v_jet);
  else if (status == JN_OK && whole)
    status = jn_trajectory_evaluate(m->trajectory, t, 0, q, NULL);
  return status == JN_OK && !m->path ? jn_loops_assemble(m->loops, NULL, 0, q, NULL) : status;
}

/* Names the joints that move by themselves and have no motion. */
static int tell_missing(const motion *m, const torque_arg *arg, int given, int independent) {
  char name[JN_COORDINATE_NAME], *list = copy_text("", 0);
  for (int v = 0; v < m->nv; v++) {
    if (!m->held[v] || m->given[v]) continue;
    jn_velocity_name(m->model, v, name, sizeof name);
    char *longer = format_text("%s%s'%s'", list, *list ? ", " : "", name);
    free(list);
    list = longer;
  }
  say(stderr, "jounce: %s gives the motion of %d coordinates, but %d move independently of each other: %s has none\n",
      arg->trajectory, given, independent, list);
  fputs(
      strcmp(arg->command, "simulate") == 0
          ? "    add columns for these or others that determine them, or --lock them\n"
          : "    add columns for these or others that determine them, or hold them where they are: --missing neutral\n",
      stderr);
  free(list);
  return EXIT_BAD;
}

/* Where the trajectory gives too few coordinates: with --missing neutral as many others as needed are held at neutral,
 * else that is an error with their names. */
static int hold_missing(motion *m, const torque_arg *arg) {
  int rows = jn_loops_rows(m->loops), given = 0, left = 0;
  double *q = allocate((size_t)m->nq * sizeof *q), *A = allocate((size_t)rows * (size_t)m->nv * sizeof *A);
  jn_loops_health health = {0};
  for (int v = 0; v < m->nv; v++) given += m->given[v];

  jn_status status = first_configuration(m, q);
  if (status == JN_OK) status = jn_loops_health_at(m->loops, q, &health, NULL);
  if (status == JN_OK) status = jn_loops_constraint(m->loops, q, NULL, NULL, A, NULL);
  int rank = health.generic > health.rank ? health.generic : health.rank, result = OPTION_GO_ON;

  if (status == JN_OK && given < m->nv - rank && !m->path) {
    eliminate(m, A, rows, arg->actuated.count > 0);
    for (int v = 0; v < m->nv; v++) left += m->held[v] && m->given[v];
    if (!arg->missing || left < given) result = tell_missing(m, arg, given, m->nv - rank);
  }
  free(q);
  free(A);
  return result;
}

static int choose_held(motion *m, bool named) {
  int rows = jn_loops_rows(m->loops), rank = 0, given = 0;
  double *q = allocate((size_t)m->nq * sizeof *q), *A = allocate((size_t)rows * (size_t)m->nv * sizeof *A);
  for (int v = 0; v < m->nv; v++) given += m->given[v];
  memcpy(m->held, m->given, (size_t)m->nv);
  jn_status status = first_configuration(m, q);
  if (status == JN_OK) status = jn_loops_rank(m->loops, q, &rank);
  if (status == JN_OK && given > m->nv - rank) {
    status = jn_loops_constraint(m->loops, q, NULL, NULL, A, NULL);
    if (status == JN_OK) eliminate(m, A, rows, named);
    m->surplus = true;
  }
  free(q);
  free(A);
  if (status == JN_OK || (status == JN_ERR_LOOP && !m->path)) return OPTION_GO_ON; /* which the motion will tell */
  motion_tell(m, status);
  return EXIT_BAD;
}

static int read_actuated(motion *m, const char *command, const name_list *names) {
  memset(m->actuated, 0, (size_t)m->nv);
  for (int i = 0; i < names->count; i++) {
    int joint, status = find_joint(command, "actuated", m->model, names->names[i], &joint);
    if (status != OPTION_GO_ON) return status;
    for (int k = 0; k < jn_joint_nv(m->model, joint); k++) m->actuated[jn_joint_v(m->model, joint) + k] = 1;
  }
  return OPTION_GO_ON;
}

/* Motors are where it was said; or at the joints of the trajectory; or, if that has more than can move, at those that
 * are taken from it, as far as the model tells motors from passive joints. */
static int set_actuated(motion *m, const torque_arg *arg) {
  bool known = false;
  if (arg->actuated.count) return OPTION_GO_ON;
  for (int v = 0; v < m->nv; v++) known = known || !has_motor(m, v);
  memcpy(m->actuated, m->held, (size_t)m->nv);
  for (int v = 0; v < m->nv && m->surplus; v++)
    if (!known || (m->held[v] && !has_motor(m, v)))
      return usage_error(arg->command,
                         "%s has more joints than move independently, so --actuated is needed: the joints "
                         "with a motor",
                         m->path ? "a tool path" : arg->trajectory);
  return OPTION_GO_ON;
}

int motion_init_loops(motion *m, const torque_arg *arg) {
  if (jn_loop_count(m->model) == 0) {
    if (arg->actuated.count == 0) return OPTION_GO_ON;
    return usage_error(arg->command, "--actuated is for models with loops; '%s' has none", jn_model_name(m->model));
  }
  jn_loops_options options;
  jn_loops_options_init(&options);
  options.order = m->order;
  jn_status status = jn_loops_create(m->model, &options, &m->loops);
  if (status != JN_OK) {
    say(stderr, "jounce: %s\n", jn_status_text(status));
    return EXIT_BAD;
  }
  find_given(m);
  int result = read_actuated(m, arg->command, &arg->actuated);
  if (result == OPTION_GO_ON) result = choose_held(m, arg->actuated.count > 0);
  if (result == OPTION_GO_ON) result = hold_missing(m, arg);
  return result == OPTION_GO_ON ? set_actuated(m, arg) : result;
}

jn_status motion_assemble(motion *m) {
  double *before = m->loss; /* [2 x nv] room; angles and lengths alone */
  for (int v = 0; v < m->nv && m->surplus; v++) {
    int place = place_in_q(m->model, v);
    before[v] = place >= 0 && m->given[v] ? m->q[place] : NAN;
  }
  double enough = fmax(1e-12, 10 * jn_variant_epsilon()),
         residual; /* more, so that differences of torques are smooth */
  jn_status status = jn_loops_assemble(m->loops, m->held, 0.01 * enough, m->q, &residual);
  if (status == JN_ERR_LOOP && residual <= enough) status = JN_OK;
  for (int v = 0; v < m->nv && m->surplus && status == JN_OK; v++) {
    if (isnan(before[v])) continue;
    double moved = fabs(m->q[place_in_q(m->model, v)] - before[v]);
    if (moved > m->moved) m->moved = moved, m->moved_most = v, m->moved_time = m->t;
  }
  return status;
}

void motion_note_loops(const motion *m) {
  static const double noise = 1e-6;
  char name[JN_COORDINATE_NAME], *list = copy_text("", 0);
  if (m->surplus && !m->path && m->moved > noise) {
    for (int v = 0; v < m->nv; v++) {
      if (!m->held[v]) continue;
      jn_velocity_name(m->model, v, name, sizeof name);
      char *longer = format_text("%s%s%s", list, *list ? ", " : "", name);
      free(list);
      list = longer;
    }
    jn_velocity_name(m->model, m->moved_most, name, sizeof name);
    say(stderr,
        "jounce: %s: the loops determine all joints from %s; the others differ from the file by up to %.2g %s ('%s' at "
        "t "
        "= %.6g s)\n",
        m->moved > 1e-2 ? "warning" : "note", list, m->moved, is_angular(m->model, m->moved_most) ? "rad" : "m", name,
        m->moved_time);
  }
  free(list);
}

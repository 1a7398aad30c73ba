/* SPDX-License-Identifier: BSD-2-Clause */
/* Poses, Jacobians, centre of mass, momentum, energies, regressor and losses.
 *
 * The rows of a part's rotation matrix in the world turn like vectors, from the parent's axes to its own; so do the
 * origins: o_i = o_p + W_p origin_i. Inertial parameters are those of the file, not regrouped. */
#include "functions.h"

/* ---- parts in the world ---- */

typedef struct part_pose {
  jn_expr9 W;  /* rotation to the world */
  jn_expr3 at; /* origin in the world */
} part_pose;

static jn_expr9 identity(void) {
  return (jn_expr9){{JN_ONE, JN_ZERO, JN_ZERO}, {JN_ZERO, JN_ONE, JN_ZERO}, {JN_ZERO, JN_ZERO, JN_ONE}};
}

static part_pose *make_poses(jn_writing *w) {
  const jn_symbols *s = &w->symbols;
  part_pose *pose = jn__allocate(&w->allocator, ((size_t)s->m->count + 1) * sizeof *pose);
  for (int i = 0; pose && i < s->m->count; i++) {
    int parent = s->m->part[i].parent;
    part_pose from = {.W = identity()};
    if (parent >= 0) from = pose[parent];
    pose[i].W = (jn_expr9){jn__to_child(s, i, from.W.x), jn__to_child(s, i, from.W.y), jn__to_child(s, i, from.W.z)};
    pose[i].at = jn__add3(s->g, from.at, jn__rotate(s->g, from.W, s->joint[i].origin));
  }
  return pose;
}

/* Pose of a frame in the world, and the part that carries it (-1: fixed to the world). */
static part_pose frame_pose(jn_writing *w, const part_pose *pose, int frame, int *part) {
  jn_graph *g = &w->graph;
  const jn_frame_d *f = &w->mechanism.tree->frame[frame];
  jn_expr9 R = {jn__constant3(g, f->R), jn__constant3(g, f->R + 3), jn__constant3(g, f->R + 6)};
  part_pose to = {.W = R, .at = jn__constant3(g, f->p)};
  *part = f->body < 0 ? -1 : w->mechanism.part_of_body[f->body];
  if (*part < 0) return to;

  /* Body in part, part in world: W (B R) and W (B p + b) + o; constants are multiplied first. */
  const jn_part *p = &w->mechanism.part[*part];
  jn_expr9 B = {jn__constant3(g, p->frame_R), jn__constant3(g, p->frame_R + 3), jn__constant3(g, p->frame_R + 6)};
  jn_expr9 C = {jn__rotate_back(g, R, B.x), jn__rotate_back(g, R, B.y), jn__rotate_back(g, R, B.z)};
  jn_expr3 c = jn__add3(g, jn__rotate(g, B, to.at), jn__constant3(g, p->frame_p));
  const part_pose *at = &pose[*part];
  to.W = (jn_expr9){jn__rotate_back(g, C, at->W.x), jn__rotate_back(g, C, at->W.y), jn__rotate_back(g, C, at->W.z)};
  to.at = jn__add3(g, at->at, jn__rotate(g, at->W, c));
  return to;
}

int jn__write_poses_function(jn_writing *w, jn_written_function *f) {
  f->frames = 1;
  f->about = "Poses of the frames of the table in the world, 4 x 4 each.";
  jn__take_state(w, f, 0);
  int frames = w->options.frame_count;
  jn_expr *T = jn__add_result(w, f, "T", 16 * frames, 4);
  part_pose *pose = make_poses(w);
  for (int k = 0; T && pose && k < frames; k++) {
    int part;
    part_pose at = frame_pose(w, pose, w->frame[k], &part);
    const jn_expr all[16] = {at.W.x.x, at.W.x.y, at.W.x.z, at.at.x, at.W.y.x, at.W.y.y, at.W.y.z, at.at.y,
                             at.W.z.x, at.W.z.y, at.W.z.z, at.at.z, JN_ZERO,  JN_ZERO,  JN_ZERO,  JN_ONE};
    for (int i = 0; i < 16; i++) T[16 * k + i] = all[i];
  }
  jn__release(&w->allocator, pose);
  return T && pose;
}

/* ---- Jacobians ---- */

/* Column of a joint's screw for a frame at `to`: (w, w x (p - o) + v) in the world's axes, then as `in` says. */
static void write_jacobian_column(jn_writing *w, const part_pose *joint, jn_expr3 turn, jn_expr3 slide,
                                  const part_pose *to, int column, jn_expr *J) {
  jn_graph *g = &w->graph;
  int n = jn_model_nv(w->model);
  jn_expr3 angular = jn__rotate(g, joint->W, turn), linear = jn__rotate(g, joint->W, slide);
  jn_expr3 arm =
      w->options.in == JN_IN_WORLD ? jn__subtract3(g, jn__zero3(), joint->at) : jn__subtract3(g, to->at, joint->at);
  linear = jn__add3(g, linear, jn__cross(g, angular, arm));
  if (w->options.in == JN_IN_BODY) {
    angular = jn__rotate_back(g, to->W, angular);
    linear = jn__rotate_back(g, to->W, linear);
  }
  const jn_expr all[6] = {angular.x, angular.y, angular.z, linear.x, linear.y, linear.z};
  for (int i = 0; i < 6; i++) J[i * n + column] = jn__add(g, J[i * n + column], all[i]);
}

/* J [frames x 6 x nv] */
static int write_jacobians(jn_writing *w, jn_expr *J) {
  int n = jn_model_nv(w->model);
  part_pose *pose = make_poses(w);
  for (int k = 0; pose && k < w->options.frame_count; k++) {
    int part;
    part_pose at = frame_pose(w, pose, w->frame[k], &part);
    for (; part >= 0; part = w->mechanism.part[part].parent)
      for (int c = 0; c < w->mechanism.part[part].nv; c++) {
        jn_expr3 turn, slide;
        jn__screw_of(&w->symbols, part, c, &turn, &slide);
        write_jacobian_column(w, &pose[part], turn, slide, &at, w->mechanism.part[part].iv + c, J + 6 * n * k);
      }
  }
  jn__release(&w->allocator, pose);
  return pose != NULL;
}

int jn__write_jacobians_function(jn_writing *w, jn_written_function *f) {
  f->frames = 1;
  f->about = "Jacobians of the frames of the table: twist (angular, linear) = J v.";
  int n = jn_model_nv(w->model), size = w->options.frame_count * 6 * n;
  jn__take_state(w, f, 0);
  jn_expr *J = jn__add_result(w, f, "J", size, n);
  return J && write_jacobians(w, J);
}

int jn__write_time_derivatives(jn_writing *w, const jn_expr *from, int count, int order, int with_acceleration,
                               jn_expr *const *to) {
  int n = jn_model_nv(w->model);
  jn_taylor t;
  jn_expr *series = jn__allocate(&w->allocator, (size_t)(2 * n + 1) * sizeof *series);
  if (!series || !jn__taylor_create(&t, &w->graph, from, count, order)) {
    jn__release(&w->allocator, series);
    return 0;
  }
  for (int i = 0; i < n; i++) {
    series[i] = jn__input(&w->graph, JN_ARRAY_V, i);
    if (with_acceleration) series[n + i] = jn__input(&w->graph, JN_ARRAY_A, i);
  }
  for (int k = 1; k <= order; k++) {
    jn__taylor_move(&t, &w->symbols, series, k);
    for (int i = 0; i < n && k == 1; i++) jn__taylor_give(&t, series[i], 1, series[n + i]);
    jn__taylor_step(&t, k);
    for (int i = 0; i < count; i++) to[k - 1][i] = jn__scale(&w->graph, k, jn__taylor_at(&t, from[i], k));
  }
  jn__taylor_free(&t);
  jn__release(&w->allocator, series);
  return 1;
}

int jn__write_jacobian_rates_function(jn_writing *w, jn_written_function *f) {
  f->frames = 1;
  f->about = "Rates of the Jacobians of the frames of the table, dJ/dt along v.";
  int n = jn_model_nv(w->model), size = w->options.frame_count * 6 * n;
  jn__take_state(w, f, 1);
  jn_expr *rate = jn__add_result(w, f, "Jdot", size, n);
  jn_expr *J = jn__allocate(&w->allocator, (size_t)(size + 1) * sizeof *J);
  int good = rate && J && write_jacobians(w, J) && jn__write_time_derivatives(w, J, size, 1, 0, &rate);
  jn__release(&w->allocator, J);
  return good;
}

/* ---- twists ---- */

/* V [frames x 6]: the twist of the part at the frame, as `in` says. */
static int write_twists(jn_writing *w, jn_expr *V) {
  jn_graph *g = &w->graph;
  part_pose *pose = make_poses(w);
  jn_part_momentum *p = jn__make_momenta(w, w->symbols.own);
  for (int k = 0; pose && p && k < w->options.frame_count; k++) {
    int part;
    part_pose at = frame_pose(w, pose, w->frame[k], &part);
    if (part < 0) continue;
    jn_expr3 angular = jn__rotate(g, pose[part].W, p[part].w), linear = jn__rotate(g, pose[part].W, p[part].v);
    jn_expr3 arm = w->options.in == JN_IN_WORLD ? jn__subtract3(g, jn__zero3(), pose[part].at)
                                                : jn__subtract3(g, at.at, pose[part].at);
    linear = jn__add3(g, linear, jn__cross(g, angular, arm));
    if (w->options.in == JN_IN_BODY) {
      angular = jn__rotate_back(g, at.W, angular);
      linear = jn__rotate_back(g, at.W, linear);
    }
    const jn_expr all[6] = {angular.x, angular.y, angular.z, linear.x, linear.y, linear.z};
    for (int i = 0; i < 6; i++) V[6 * k + i] = all[i];
  }
  int good = pose && p;
  jn__release(&w->allocator, pose);
  jn__release(&w->allocator, p);
  return good;
}

int jn__write_frame_twists_function(jn_writing *w, jn_written_function *f) {
  f->frames = 1;
  f->about = "Twists (angular, linear) of the frames of the table.";
  jn__take_state(w, f, 1);
  jn_expr *V = jn__add_result(w, f, "V", 6 * w->options.frame_count, 6);
  return V && write_twists(w, V);
}

int jn__write_frame_accelerations_function(jn_writing *w, jn_written_function *f) {
  f->frames = 1;
  f->about = "Time derivatives of the twists of the frames of the table, without gravity.";
  jn__take_state(w, f, 1);
  jn__add_argument(f, "a", JN_ARRAY_A, jn_model_nv(w->model));
  int size = 6 * w->options.frame_count;
  jn_expr *A = jn__add_result(w, f, "A", size, 6), *V = jn__allocate(&w->allocator, (size_t)(size + 1) * sizeof *V);
  int good = A && V && write_twists(w, V) && jn__write_time_derivatives(w, V, size, 1, 1, &A);
  jn__release(&w->allocator, V);
  return good;
}

/* ---- mass, momentum, energy ---- */

/* Mass, and mass times the centre of mass, of all moving parts in the world. */
static jn_expr3 write_first_moment(jn_writing *w, const part_pose *pose, jn_expr *mass) {
  jn_graph *g = &w->graph;
  jn_expr3 sum = jn__zero3();
  *mass = JN_ZERO;
  for (int i = 0; i < w->mechanism.count; i++) {
    const jn_expr_moments *m = &w->symbols.own[i];
    sum = jn__add3(g, sum, jn__add3(g, jn__scale3(g, m->mass, pose[i].at), jn__rotate(g, pose[i].W, m->first)));
    *mass = jn__add(g, *mass, m->mass);
  }
  return sum;
}

int jn__write_center(jn_writing *w, jn_expr c[3]) {
  part_pose *pose = make_poses(w);
  if (!pose) return 0;
  jn_expr mass;
  jn_expr3 sum = write_first_moment(w, pose, &mass);
  c[0] = jn__divide(&w->graph, sum.x, mass);
  c[1] = jn__divide(&w->graph, sum.y, mass);
  c[2] = jn__divide(&w->graph, sum.z, mass);
  jn__release(&w->allocator, pose);
  return 1;
}

int jn__write_center_of_mass_function(jn_writing *w, jn_written_function *f) {
  f->about = "Centre of mass of all moving links in the world, its velocity and acceleration.";
  jn__take_state(w, f, 1);
  jn__add_argument(f, "a", JN_ARRAY_A, jn_model_nv(w->model));
  jn_expr *c = jn__add_result(w, f, "c", 3, 0);
  jn_expr *rates[2] = {jn__add_result(w, f, "cdot", 3, 0), jn__add_result(w, f, "cddot", 3, 0)};
  return c && rates[0] && rates[1] && jn__write_center(w, c) && jn__write_time_derivatives(w, c, 3, 2, 1, rates);
}

jn_part_momentum *jn__make_momenta(jn_writing *w, const jn_expr_moments *moments) {
  const jn_symbols *s = &w->symbols;
  jn_graph *g = s->g;
  jn_part_momentum *p = jn__allocate(&w->allocator, ((size_t)s->m->count + 1) * sizeof *p);
  jn_expr *v = jn__take_inputs(w, JN_ARRAY_V, 0);
  for (int i = 0; p && v && i < s->m->count; i++) {
    const jn_part *part = &s->m->part[i];
    for (int c = 0; c < part->nv; c++) {
      jn_expr3 turn, slide;
      jn__screw_of(s, i, c, &turn, &slide);
      p[i].w = jn__add3(g, p[i].w, jn__scale3(g, v[part->iv + c], turn));
      p[i].v = jn__add3(g, p[i].v, jn__scale3(g, v[part->iv + c], slide));
    }
    if (part->parent >= 0) {
      const jn_part_momentum *from = &p[part->parent];
      jn_expr3 carried = jn__add3(g, from->v, jn__cross(g, from->w, s->joint[i].origin));
      p[i].w = jn__add3(g, p[i].w, jn__to_child(s, i, from->w));
      p[i].v = jn__add3(g, p[i].v, jn__to_child(s, i, carried));
    }
    jn__momentum_of(g, &moments[i], p[i].w, p[i].v, &p[i].moment, &p[i].force);
  }
  jn__release(&w->allocator, v);
  return p;
}

void jn__sum_momenta(jn_writing *w, jn_part_momentum *p, jn_expr h[6]) {
  /* Inwards; what reaches the world is the sum. */
  jn_graph *g = &w->graph;
  jn_expr3 moment = jn__zero3(), force = jn__zero3();
  for (int i = w->mechanism.count - 1; i >= 0; i--) {
    int parent = w->mechanism.part[i].parent;
    jn_expr3 F = jn__to_parent(&w->symbols, i, p[i].force);
    jn_expr3 N = jn__add3(g, jn__to_parent(&w->symbols, i, p[i].moment), jn__cross(g, w->symbols.joint[i].origin, F));
    jn_expr3 *to_moment = parent < 0 ? &moment : &p[parent].moment, *to_force = parent < 0 ? &force : &p[parent].force;
    *to_moment = jn__add3(g, *to_moment, N);
    *to_force = jn__add3(g, *to_force, F);
  }
  const jn_expr all[6] = {moment.x, moment.y, moment.z, force.x, force.y, force.z};
  for (int k = 0; k < 6; k++) h[k] = all[k];
}

int jn__write_momentum_function(jn_writing *w, jn_written_function *f) {
  f->about = "Momentum (angular, linear) of all moving links about the world's origin, in its axes.";
  jn__take_state(w, f, 1);
  jn_expr *h = jn__add_result(w, f, "h", 6, 0);
  jn_part_momentum *p = jn__make_momenta(w, w->symbols.own);
  if (h && p) jn__sum_momenta(w, p, h);
  jn__release(&w->allocator, p);
  return h && p;
}

/* Energy of the springs, and half the armatures times v^2. */
static void add_joint_energies(jn_writing *w, jn_expr energy[2]) {
  jn_graph *g = &w->graph;
  const jn_tree_d *t = w->mechanism.tree;
  for (int i = 0; i < w->mechanism.count; i++) {
    const jn_part *part = &w->mechanism.part[i];
    for (int c = 0; c < part->nv; c++) {
      jn_expr v = jn__input(g, JN_ARRAY_V, part->iv + c);
      energy[0] = jn__add(g, energy[0], jn__scale(g, part->armature[c] / 2, jn__multiply(g, v, v)));
    }
  }
  energy[1] = jn__add(g, energy[1], jn__constant(g, t->spring_energy));
  for (int k = 0; k < t->nv; k++) {
    if (t->stiffness[k] == 0) continue;
    int i = 0;
    while (w->mechanism.part[i].iv != k) i++;
    jn_expr x = jn__subtract(g, jn__input(g, JN_ARRAY_Q, w->mechanism.part[i].iq), jn__constant(g, t->rest[k]));
    energy[1] = jn__add(g, energy[1], jn__scale(g, t->stiffness[k] / 2, jn__multiply(g, x, x)));
  }
}

int jn__write_energies_function(jn_writing *w, jn_written_function *f) {
  f->about = "Kinetic energy, and potential energy of gravity (zero at the world's origin) and springs.";
  jn__take_state(w, f, 1);
  jn_expr *energy = jn__add_result(w, f, "energy", 2, 0), mass;
  jn_part_momentum *p = jn__make_momenta(w, w->symbols.own);
  part_pose *pose = make_poses(w);
  int good = energy && p && pose;
  jn_graph *g = &w->graph;

  for (int i = 0; good && i < w->mechanism.count; i++) {
    jn_expr twice = jn__add(g, jn__dot3(g, p[i].w, p[i].moment), jn__dot3(g, p[i].v, p[i].force));
    energy[0] = jn__add(g, energy[0], jn__scale(g, 0.5, twice));
  }
  if (good) {
    jn_expr3 sum = write_first_moment(w, pose, &mass);
    const jn_expr *gravity = w->symbols.gravity;
    energy[1] = jn__negate(jn__dot3(g, (jn_expr3){gravity[0], gravity[1], gravity[2]}, sum));
    add_joint_energies(w, energy);
  }
  jn__release(&w->allocator, p);
  jn__release(&w->allocator, pose);
  return good;
}

/* ---- regressor, losses ---- */

/* Inverse dynamics is linear in the inertial parameters: with these as inputs, its derivatives by them. */
int jn__write_regressor_function(jn_writing *w, jn_written_function *f) {
  f->about = "The torque regressor: tau without armature and springs is Y pi, ten parameters for each link.";
  int n = jn_model_nv(w->model), count = jn_parameter_count(w->model);
  jn__take_state(w, f, 1);
  jn__add_argument(f, "a", JN_ARRAY_A, n);
  jn_expr *Y = jn__add_result(w, f, "Y", n * count, count);
  jn_expr *tau = jn__allocate(&w->allocator, (size_t)(n + 1) * sizeof *tau);
  jn_expr *v = jn__take_inputs(w, JN_ARRAY_V, 0), *a = jn__take_inputs(w, JN_ARRAY_A, 0);
  jn_symbols s = {0};
  jn_taylor t;
  unsigned runtime = (w->options.runtime & JN_RUNTIME_GRAVITY) | JN_RUNTIME_PARAMETERS;
  int good = Y && tau && v && a &&
             jn__symbols_create(&s, &w->graph, &w->mechanism, runtime, 0, w->options.sines == JN_SINES_GIVEN) &&
             jn__write_inverse_dynamics(&s, v, a, 0, 1, tau) && jn__taylor_create(&t, &w->graph, tau, n, 1);

  for (int k = 0; good && k < count; k++) {
    for (int i = k ? k - 1 : 0; i <= k; i++)
      jn__taylor_give(&t, jn__input(&w->graph, JN_ARRAY_PARAMETERS, i), 1, i == k ? JN_ONE : JN_ZERO);
    jn__taylor_step(&t, 1);
    for (int i = 0; i < n; i++) Y[i * count + k] = jn__taylor_at(&t, tau[i], 1);
  }
  if (good) jn__taylor_free(&t);
  if (s.g) jn__symbols_free(&s);
  jn__release(&w->allocator, tau);
  jn__release(&w->allocator, v);
  jn__release(&w->allocator, a);
  return good;
}

/* Coupled joints lose energy, too: ratio^2 damping, |ratio| friction. */
void jn__write_losses(jn_writing *w, jn_expr *loss) {
  jn_graph *g = &w->graph;
  for (int link = 0; link < jn_link_count(w->model); link++) {
    double ratio = 1;
    const jn_joint *joint = jn_joint_description(w->model, link);
    int follows = jn_joint_mimic(w->model, link, NULL, &ratio, NULL);
    int count = follows ? 1 : jn_joint_nv(w->model, link), iv = jn_joint_v(w->model, link);
    for (int c = 0; c < count; c++) {
      jn_expr v = jn__input(g, JN_ARRAY_V, iv + c), rate = jn__scale(g, ratio * ratio * joint->dof[c].damping, v);
      jn_expr dry = jn__scale(g, (ratio < 0 ? -ratio : ratio) * joint->dof[c].friction, jn__apply(g, JN_NODE_SIGN, v));
      loss[iv + c] = jn__add(g, loss[iv + c], jn__add(g, rate, dry));
    }
  }
}

int jn__write_loss_forces_function(jn_writing *w, jn_written_function *f) {
  f->about = "Forces to overcome damping and Coulomb friction: damping v + friction sign(v), sign(0) = 0.";
  int n = jn_model_nv(w->model);
  jn__add_argument(f, "v", JN_ARRAY_V, n);
  jn_expr *loss = jn__add_result(w, f, "loss", n, 0);
  if (loss) jn__write_losses(w, loss);
  return loss != NULL;
}

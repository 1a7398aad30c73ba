/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts, orders and sizes beyond all memory: every function that takes one refuses it before it looks at any array. */
#include <limits.h>
#include <stdint.h>

#include "testing.h"

#include "jounce/jounce.h"

/* JN_ERR_SIZE, and nothing else. */
#define REFUSES(call)                                                                           \
  do {                                                                                          \
    jn_status status_ = (call);                                                                 \
    check(status_ == JN_ERR_SIZE, #call " gave %d: %s", (int)status_, jn_status_text(status_)); \
  } while (0)

static void check_counts(jn_batch *b, size_t count) {
  REFUSES(jn_integrate_batch(b, count, NULL, NULL, NULL));
  REFUSES(jn_difference_batch(b, count, NULL, NULL, NULL));
  REFUSES(jn_integrate_derivatives_batch(b, count, NULL, NULL, NULL, NULL));
  REFUSES(jn_difference_derivatives_batch(b, count, NULL, NULL, NULL, NULL));
  REFUSES(jn_interpolate_batch(b, count, NULL, NULL, 0, NULL));
  REFUSES(jn_normalize_batch(b, count, NULL, NULL));
  REFUSES(jn_joint_pose_batch(b, count, 0, NULL, NULL));
  REFUSES(jn_joint_jacobian_batch(b, count, 0, NULL, NULL));
  REFUSES(jn_joint_jacobian_rate_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jn_frame_pose_batch(b, count, 0, NULL, NULL));
  REFUSES(jn_frame_twist_batch(b, count, 0, 0, NULL, NULL, NULL));
  REFUSES(jn_frame_acceleration_batch(b, count, 0, 0, NULL, NULL, NULL, NULL));
  REFUSES(jn_frame_jacobian_batch(b, count, 0, 0, NULL, NULL));
  REFUSES(jn_frame_jacobian_rate_batch(b, count, 0, 0, NULL, NULL, NULL));
  REFUSES(jn_frame_poses_batch(b, count, NULL, NULL));
  REFUSES(jn_frame_jacobians_batch(b, count, 0, NULL, NULL));
  REFUSES(jn_frame_jacobian_rates_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jn_space_jacobian_batch(b, count, NULL, NULL));
  REFUSES(jn_space_jacobian_rate_batch(b, count, NULL, NULL, NULL));
  REFUSES(jn_center_of_mass_batch(b, count, 0, NULL, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jn_com_jacobian_batch(b, count, 0, NULL, NULL));
  REFUSES(jn_momentum_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jn_momentum_matrix_batch(b, count, 0, NULL, NULL));
  REFUSES(jn_momentum_matrix_rate_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jn_inverse_dynamics_batch(b, count, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jn_gravity_forces_batch(b, count, NULL, NULL));
  REFUSES(jn_coriolis_forces_batch(b, count, NULL, NULL, NULL));
  REFUSES(jn_bias_forces_batch(b, count, NULL, NULL, NULL));
  REFUSES(jn_forward_dynamics_batch(b, count, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jn_hybrid_dynamics_batch(b, count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jn_mass_matrix_batch(b, count, NULL, NULL));
  REFUSES(jn_mass_matrix_inverse_batch(b, count, NULL, NULL));
  REFUSES(jn_mass_matrix_rate_batch(b, count, NULL, NULL, NULL));
  REFUSES(jn_coriolis_matrix_batch(b, count, NULL, NULL, NULL));
  REFUSES(jn_coriolis_matrix_christoffel_batch(b, count, NULL, NULL, NULL));
  REFUSES(jn_mass_factor_batch(b, count, NULL, NULL));
  REFUSES(jn_mass_solve_batch(b, count, NULL, NULL, NULL));
  REFUSES(jn_energy_batch(b, count, NULL, NULL, NULL));
  REFUSES(jn_joint_wrenches_batch(b, count, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jn_compute_batch(b, count, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jn_inverse_dynamics_jet_batch(b, count, 0, NULL, NULL, NULL, NULL));
  REFUSES(jn_forward_dynamics_jet_batch(b, count, 0, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jn_hybrid_dynamics_jet_batch(b, count, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jn_mass_matrix_jet_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jn_coriolis_matrix_jet_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jn_gravity_forces_jet_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jn_momentum_jet_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jn_center_of_mass_jet_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jn_energy_jet_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jn_frame_twist_jet_batch(b, count, 0, 0, NULL, NULL, NULL));
  REFUSES(jn_frame_jacobian_jet_batch(b, count, 0, 0, NULL, NULL, NULL));
  REFUSES(jn_joint_jacobian_jet_batch(b, count, 0, 0, NULL, NULL, NULL));
  REFUSES(jn_system_jet_batch(b, count, 0, NULL, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jn_rate_matrices_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jn_wrench_forces_jet_batch(b, count, 0, NULL, NULL, NULL, NULL));
  REFUSES(jn_joint_wrenches_jet_batch(b, count, 0, NULL, NULL, NULL, NULL));
  REFUSES(jn_inverse_dynamics_derivatives_batch(b, count, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL));
  REFUSES(jn_forward_dynamics_derivatives_batch(b, count, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jn_hybrid_dynamics_derivatives_batch(b, count, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL));
  REFUSES(jn_inverse_dynamics_derivatives_along_batch(b, count, NULL, NULL, NULL, NULL, 0, NULL, NULL));
  REFUSES(jn_inverse_dynamics_second_derivatives_batch(b, count, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL));
  REFUSES(jn_forward_dynamics_derivatives_along_batch(b, count, NULL, NULL, NULL, 0, NULL, NULL, NULL));
  REFUSES(jn_forward_dynamics_second_derivatives_batch(b, count, NULL, NULL, NULL, 0, NULL, NULL));
  REFUSES(jn_mass_matrix_derivative_batch(b, count, NULL, NULL));
  REFUSES(jn_mass_matrix_inverse_derivative_batch(b, count, NULL, NULL, NULL));
  REFUSES(jn_coriolis_matrix_derivatives_batch(b, count, NULL, NULL, NULL, NULL));
  REFUSES(jn_mass_matrix_rate_derivatives_batch(b, count, NULL, NULL, NULL, NULL));
  REFUSES(jn_gravity_forces_derivative_batch(b, count, NULL, NULL));
  REFUSES(jn_frame_jacobian_derivatives_batch(b, count, 0, 0, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jn_frame_twist_derivatives_batch(b, count, 0, 0, NULL, NULL, NULL));
  REFUSES(jn_frame_acceleration_derivatives_batch(b, count, 0, 0, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jn_momentum_derivative_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jn_center_of_mass_derivatives_batch(b, count, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jn_inverse_dynamics_jet_derivatives_batch(b, count, 0, NULL, NULL, NULL, NULL));
  REFUSES(jn_inverse_dynamics_adjoint_batch(b, count, NULL, NULL, NULL, NULL, 0, NULL, NULL));
  REFUSES(jn_forward_dynamics_adjoint_batch(b, count, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL));
  REFUSES(jn_regressor_batch(b, count, NULL, NULL, NULL, NULL));
  REFUSES(jn_slotine_li_regressor_batch(b, count, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jn_inertia_regressor_batch(b, count, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jn_gravity_regressor_batch(b, count, NULL, NULL));
  REFUSES(jn_energy_regressor_batch(b, count, NULL, NULL, NULL));
  REFUSES(jn_momentum_regressor_batch(b, count, NULL, NULL, NULL));
  REFUSES(jn_joint_wrench_regressor_batch(b, count, 0, NULL, NULL, NULL, NULL));
  REFUSES(jn_regressor_jet_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jn_parameter_derivatives_batch(b, count, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jn_forward_dynamics_parameter_derivatives_batch(b, count, NULL, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jn_hybrid_dynamics_parameter_derivatives_batch(b, count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                                         NULL));
  REFUSES(jnf_integrate_batch(b, count, NULL, NULL, NULL));
  REFUSES(jnf_difference_batch(b, count, NULL, NULL, NULL));
  REFUSES(jnf_integrate_derivatives_batch(b, count, NULL, NULL, NULL, NULL));
  REFUSES(jnf_difference_derivatives_batch(b, count, NULL, NULL, NULL, NULL));
  REFUSES(jnf_interpolate_batch(b, count, NULL, NULL, 0, NULL));
  REFUSES(jnf_normalize_batch(b, count, NULL, NULL));
  REFUSES(jnf_joint_pose_batch(b, count, 0, NULL, NULL));
  REFUSES(jnf_joint_jacobian_batch(b, count, 0, NULL, NULL));
  REFUSES(jnf_joint_jacobian_rate_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jnf_frame_pose_batch(b, count, 0, NULL, NULL));
  REFUSES(jnf_frame_twist_batch(b, count, 0, 0, NULL, NULL, NULL));
  REFUSES(jnf_frame_acceleration_batch(b, count, 0, 0, NULL, NULL, NULL, NULL));
  REFUSES(jnf_frame_jacobian_batch(b, count, 0, 0, NULL, NULL));
  REFUSES(jnf_frame_jacobian_rate_batch(b, count, 0, 0, NULL, NULL, NULL));
  REFUSES(jnf_frame_poses_batch(b, count, NULL, NULL));
  REFUSES(jnf_frame_jacobians_batch(b, count, 0, NULL, NULL));
  REFUSES(jnf_frame_jacobian_rates_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jnf_space_jacobian_batch(b, count, NULL, NULL));
  REFUSES(jnf_space_jacobian_rate_batch(b, count, NULL, NULL, NULL));
  REFUSES(jnf_center_of_mass_batch(b, count, 0, NULL, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jnf_com_jacobian_batch(b, count, 0, NULL, NULL));
  REFUSES(jnf_momentum_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jnf_momentum_matrix_batch(b, count, 0, NULL, NULL));
  REFUSES(jnf_momentum_matrix_rate_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jnf_inverse_dynamics_batch(b, count, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jnf_gravity_forces_batch(b, count, NULL, NULL));
  REFUSES(jnf_coriolis_forces_batch(b, count, NULL, NULL, NULL));
  REFUSES(jnf_bias_forces_batch(b, count, NULL, NULL, NULL));
  REFUSES(jnf_forward_dynamics_batch(b, count, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jnf_hybrid_dynamics_batch(b, count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jnf_mass_matrix_batch(b, count, NULL, NULL));
  REFUSES(jnf_mass_matrix_inverse_batch(b, count, NULL, NULL));
  REFUSES(jnf_mass_matrix_rate_batch(b, count, NULL, NULL, NULL));
  REFUSES(jnf_coriolis_matrix_batch(b, count, NULL, NULL, NULL));
  REFUSES(jnf_coriolis_matrix_christoffel_batch(b, count, NULL, NULL, NULL));
  REFUSES(jnf_mass_factor_batch(b, count, NULL, NULL));
  REFUSES(jnf_mass_solve_batch(b, count, NULL, NULL, NULL));
  REFUSES(jnf_energy_batch(b, count, NULL, NULL, NULL));
  REFUSES(jnf_joint_wrenches_batch(b, count, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jnf_compute_batch(b, count, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jnf_inverse_dynamics_jet_batch(b, count, 0, NULL, NULL, NULL, NULL));
  REFUSES(jnf_forward_dynamics_jet_batch(b, count, 0, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jnf_hybrid_dynamics_jet_batch(b, count, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jnf_mass_matrix_jet_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jnf_coriolis_matrix_jet_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jnf_gravity_forces_jet_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jnf_momentum_jet_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jnf_center_of_mass_jet_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jnf_energy_jet_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jnf_frame_twist_jet_batch(b, count, 0, 0, NULL, NULL, NULL));
  REFUSES(jnf_frame_jacobian_jet_batch(b, count, 0, 0, NULL, NULL, NULL));
  REFUSES(jnf_joint_jacobian_jet_batch(b, count, 0, 0, NULL, NULL, NULL));
  REFUSES(jnf_system_jet_batch(b, count, 0, NULL, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jnf_rate_matrices_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jnf_wrench_forces_jet_batch(b, count, 0, NULL, NULL, NULL, NULL));
  REFUSES(jnf_joint_wrenches_jet_batch(b, count, 0, NULL, NULL, NULL, NULL));
  REFUSES(jnf_inverse_dynamics_derivatives_batch(b, count, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL));
  REFUSES(jnf_forward_dynamics_derivatives_batch(b, count, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jnf_hybrid_dynamics_derivatives_batch(b, count, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL));
  REFUSES(jnf_inverse_dynamics_derivatives_along_batch(b, count, NULL, NULL, NULL, NULL, 0, NULL, NULL));
  REFUSES(jnf_inverse_dynamics_second_derivatives_batch(b, count, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL));
  REFUSES(jnf_forward_dynamics_derivatives_along_batch(b, count, NULL, NULL, NULL, 0, NULL, NULL, NULL));
  REFUSES(jnf_forward_dynamics_second_derivatives_batch(b, count, NULL, NULL, NULL, 0, NULL, NULL));
  REFUSES(jnf_mass_matrix_derivative_batch(b, count, NULL, NULL));
  REFUSES(jnf_mass_matrix_inverse_derivative_batch(b, count, NULL, NULL, NULL));
  REFUSES(jnf_coriolis_matrix_derivatives_batch(b, count, NULL, NULL, NULL, NULL));
  REFUSES(jnf_mass_matrix_rate_derivatives_batch(b, count, NULL, NULL, NULL, NULL));
  REFUSES(jnf_gravity_forces_derivative_batch(b, count, NULL, NULL));
  REFUSES(jnf_frame_jacobian_derivatives_batch(b, count, 0, 0, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jnf_frame_twist_derivatives_batch(b, count, 0, 0, NULL, NULL, NULL));
  REFUSES(jnf_frame_acceleration_derivatives_batch(b, count, 0, 0, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jnf_momentum_derivative_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jnf_center_of_mass_derivatives_batch(b, count, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jnf_inverse_dynamics_jet_derivatives_batch(b, count, 0, NULL, NULL, NULL, NULL));
  REFUSES(jnf_inverse_dynamics_adjoint_batch(b, count, NULL, NULL, NULL, NULL, 0, NULL, NULL));
  REFUSES(jnf_forward_dynamics_adjoint_batch(b, count, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL));
  REFUSES(jnf_regressor_batch(b, count, NULL, NULL, NULL, NULL));
  REFUSES(jnf_slotine_li_regressor_batch(b, count, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jnf_inertia_regressor_batch(b, count, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jnf_gravity_regressor_batch(b, count, NULL, NULL));
  REFUSES(jnf_energy_regressor_batch(b, count, NULL, NULL, NULL));
  REFUSES(jnf_momentum_regressor_batch(b, count, NULL, NULL, NULL));
  REFUSES(jnf_joint_wrench_regressor_batch(b, count, 0, NULL, NULL, NULL, NULL));
  REFUSES(jnf_regressor_jet_batch(b, count, 0, NULL, NULL, NULL));
  REFUSES(jnf_parameter_derivatives_batch(b, count, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jnf_forward_dynamics_parameter_derivatives_batch(b, count, NULL, NULL, NULL, NULL, NULL, NULL));
  REFUSES(jnf_hybrid_dynamics_parameter_derivatives_batch(b, count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                                          NULL, NULL));
}

static void counts_beyond_all_memory_are_refused(void **state) {
  static const char *const robots[] = {"builtin:chain:3", "builtin:quadruped"};
  const size_t counts[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 8, (size_t)1 << 60};
  double x[16] = {0};
  (void)state;
  for (size_t r = 0; r < 2; r++) {
    jn_model *model;
    jn_batch *b;
    jn_motions motions;
    check_ok(jn_load(robots[r], NULL, &model, NULL));
    for (int threads = 1; threads <= 2; threads++) {
      check_ok(jn_batch_create(model, 2, threads, &b));
      jn_motions_init(&motions);
      motions.step = 1e-3;
      motions.room = x;
      for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        check_counts(b, counts[i]);
        REFUSES(jn_batch_set_parameters(b, counts[i], x));
        REFUSES(jn_motions_run(b, counts[i], &motions, x, x));
        check(jn_motions_room(model, counts[i], JN_RUNGE_KUTTA_4) == 0, "room of motions");
      }
      jn_batch_destroy(b);
    }
    REFUSES(jn_batch_create(model, INT_MAX, 1, &b));
    REFUSES(jn_batch_create(model, 1, INT_MAX, &b));
    jn_model_destroy(model);
  }
}

/* Of functions of a jn_loops, which was made for some order: JN_ERR_WORK, too. */
#define REFUSES_ORDER(call)                                                                     \
  do {                                                                                          \
    jn_status status_ = (call);                                                                 \
    check(status_ == JN_ERR_SIZE || status_ == JN_ERR_WORK, #call " gave %d: %s", (int)status_, \
          jn_status_text(status_));                                                             \
  } while (0)

static void check_orders(const jn_model *model, jn_work *work, jn_loops *loops, int order) {
  double x[1024] = {0};
  const unsigned char marks[64] = {0};
  REFUSES(jn_inverse_dynamics_jet(model, work, order, x, x, x, x));
  REFUSES(jn_forward_dynamics_jet(model, work, order, x, x, x, x, x));
  REFUSES(jn_hybrid_dynamics_jet(model, work, order, marks, x, x, x, x, x, x));
  REFUSES(jn_mass_matrix_jet(model, work, order, x, x, x));
  REFUSES(jn_coriolis_matrix_jet(model, work, order, x, x, x));
  REFUSES(jn_gravity_forces_jet(model, work, order, x, x, x));
  REFUSES(jn_momentum_jet(model, work, order, x, x, x));
  REFUSES(jn_center_of_mass_jet(model, work, order, x, x, x));
  REFUSES(jn_energy_jet(model, work, order, x, x, x));
  REFUSES(jn_frame_twist_jet(model, work, order, 0, x, x, x));
  REFUSES(jn_frame_jacobian_jet(model, work, order, 0, x, x, x));
  REFUSES(jn_joint_jacobian_jet(model, work, order, 0, x, x, x));
  REFUSES(jn_system_jet(model, work, order, x, x, x, x, x, x));
  REFUSES(jn_rate_matrices(model, work, order, x, x, x));
  REFUSES(jn_wrench_forces_jet(model, work, order, x, x, x, x));
  REFUSES(jn_joint_wrenches_jet(model, work, order, x, x, x, x));
  REFUSES(jn_regressor_jet(model, work, order, x, x, x));
  REFUSES(jn_inverse_dynamics_jet_derivatives(model, work, order, x, x, x, x));
  REFUSES_ORDER(jn_loops_forward_dynamics_jet(loops, order, x, x, x, x, x, x));
  REFUSES_ORDER(jn_loops_hybrid_dynamics_jet(loops, order, marks, x, x, x, x, x, x, x));
  REFUSES_ORDER(jn_loops_inverse_dynamics_jet(loops, order, marks, 0, x, x, x, x, x, x, x));
  REFUSES_ORDER(jn_loops_complete_motion(loops, order, marks, x, x));
  REFUSES_ORDER(jn_loops_regressor_jet(loops, order, marks, 0, x, x, x, x));
  REFUSES_ORDER(jn_loops_link_wrenches_jet(loops, order, x, x, x, x, x));
}

static void orders_beyond_all_factorials_are_refused(void **state) {
  const int orders[] = {INT_MAX, INT_MAX - 1, INT_MAX / 2, INT_MIN, -1, JN_MAX_ORDER + 1};
  char memory[64];
  jn_model *model;
  jn_work *work, *none;
  jn_loops *loops, *no_loops;
  jn_loops_options options;
  (void)state;
  check_ok(jn_load("builtin:four_bar", NULL, &model, NULL));
  check_ok(jn_work_create_order(model, 2, &work));
  check_ok(jn_loops_create(model, NULL, &loops));
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    check_orders(model, work, loops, orders[i]);
    REFUSES(jn_work_create_order(model, orders[i], &none));
    REFUSES(jn_work_init_order(model, orders[i], memory, SIZE_MAX, &none));
    check(jn_work_size_order(model, orders[i]) == 0, "size of work for order %d", orders[i]);
    jn_loops_options_init(&options);
    options.order = orders[i];
    REFUSES(jn_loops_create(model, &options, &no_loops));
  }
  jn_loops_destroy(loops);
  jn_work_destroy(work);
  jn_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_beyond_all_memory_are_refused),
      cmocka_unit_test(orders_beyond_all_factorials_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

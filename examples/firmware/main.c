/* SPDX-License-Identifier: BSD-2-Clause */
/* The control loop of an arm with six joints, as firmware: gravity compensation that refuses a position without
 * torques, and a motion whose torques are checked against the limits of the motors before they are sent.
 *
 * arm.c and arm.h come from `jounce generate arm6.urdf --want gravity_forces,inverse_dynamics --prefix arm --out .`
 * Here the arm is a simulated one that stands still; on a board, read_joints() and send_torques() talk to the drives.
 */
#include "arm.h"
#include "board.h"

/* Limits of the motors [N m], from the table in arm.h. */
static const float torque_limit[ARM_NV] = {150.0f, 150.0f, 150.0f, 28.0f, 28.0f, 28.0f};

static void read_joints(float q[ARM_NQ], float v[ARM_NV]) {
  static const float standing[ARM_NQ] = {0.3f, -0.9f, 1.4f, -0.6f, 0.2f, 0.0f};
  for (int i = 0; i < ARM_NQ; i++) q[i] = standing[i];
  for (int i = 0; i < ARM_NV; i++) v[i] = 0.0f;
}

static float sent[ARM_NV];
static void send_torques(const float tau[ARM_NV]) {
  for (int i = 0; i < ARM_NV; i++) sent[i] = tau[i];
}

/* One cycle: read, compute, clamp, write. Returns how many torques were clamped. */
static int control_cycle(const float a_wanted[ARM_NV]) {
  float q[ARM_NQ], v[ARM_NV], tau[ARM_NV];
  int clamped = 0;
  read_joints(q, v);

  /* Torques for the wanted accelerations; with all of them zero, gravity compensation. */
  arm_inverse_dynamics(q, v, a_wanted, tau);

  /* Comparisons are written so that NaN is clamped, too. */
  for (int i = 0; i < ARM_NV; i++) {
    if (!(tau[i] <= torque_limit[i])) tau[i] = torque_limit[i], clamped++;
    if (!(tau[i] >= -torque_limit[i])) tau[i] = -torque_limit[i], clamped++;
  }
  send_torques(tau);
  return clamped;
}

/* Whether a motion asks for torque rates within 1000 N m/s: v_jet has velocity, acceleration and jerk, six each. */
static int rates_hold(const float q[ARM_NQ], const float v_jet[3 * ARM_NV]) {
  float tau_jet[2 * ARM_NV];
  arm_inverse_dynamics_jet(q, v_jet, tau_jet);

  /* The second row has the rates of the torques; NaN does not hold. */
  for (int i = ARM_NV; i < 2 * ARM_NV; i++)
    if (!(tau_jet[i] <= 1000.0f && tau_jet[i] >= -1000.0f)) return 0;
  return 1;
}

/* Instructions of one call: QEMU with -icount shift=0 runs one instruction each nanosecond, a tick has 40. */
enum { CALLS = 200, NANOSECONDS = 40 };

static int32_t count_instructions(void) {
  float q[ARM_NQ], v[ARM_NV], a[ARM_NV], tau[ARM_NV];
  read_joints(q, v);
  for (int i = 0; i < ARM_NV; i++) a[i] = 0.5f;

  uint32_t begin = board_clock();
  for (int i = 0; i < CALLS; i++) arm_inverse_dynamics(q, v, a, tau);
  return (int32_t)(board_clock_since(begin) * NANOSECONDS / CALLS);
}

int main(void) {
  const float rest[ARM_NV] = {0}, too_fast[ARM_NV] = {500.0f};
  board_clock_start();

  /* Does this processor compute what the generator computed? */
  int failed = arm_selftest();
  board_print_number("selftest: ", failed);

  /* At rest no torque reaches its limit, and gravity compensation is what inverse dynamics gives. */
  int clamped = control_cycle(rest);
  float q[ARM_NQ], v[ARM_NV], weight[ARM_NV];
  read_joints(q, v);
  arm_gravity_forces(q, weight);
  for (int i = 0; i < ARM_NV; i++) {
    float difference = sent[i] - weight[i];
    if (!(difference < 1e-3f && difference > -1e-3f)) failed++;
  }
  board_print_number("clamped at rest: ", clamped);

  /* An acceleration beyond the first motor. */
  int clamped_fast = control_cycle(too_fast);
  board_print_number("clamped at 500 rad/s^2: ", clamped_fast);

  /* A jerk of 20 rad/s^3 at the second joint is gentle; 2000 would ask for too fast a change of its torque. */
  float v_jet[3 * ARM_NV] = {0};
  v_jet[2 * ARM_NV + 1] = 20.0f;
  int gentle = rates_hold(q, v_jet);
  v_jet[2 * ARM_NV + 1] = 2000.0f;
  int harsh = rates_hold(q, v_jet);
  board_print(gentle && !harsh ? "torque rates: checked\n" : "torque rates: wrong\n");

  board_stack_mark();
  arm_inverse_dynamics(q, v, rest, weight);
  board_print_number("stack of inverse dynamics [bytes]: ", (int32_t)board_stack_used());
  board_print_number("instructions of inverse dynamics: ", count_instructions());
  return failed || clamped || !clamped_fast || !gentle || harsh;
}

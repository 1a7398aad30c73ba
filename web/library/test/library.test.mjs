// SPDX-License-Identifier: BSD-2-Clause
// The JavaScript library in Node: laws of mechanics, and agreement with the command that runs in the same module.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import factory from "../../dist/jounce.mjs";
import simdFactory from "../../dist/jounce-simd.mjs";
import { hasSimd, Jounce, JounceError } from "../../dist/library/index.js";

const wasm = readFileSync(new URL("../../dist/jounce.wasm", import.meta.url));
const jounce = await Jounce.create(factory, wasm);

const close = (a, b, tolerance, what) => {
  assert.equal(a.length, b.length, what);
  a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) <= tolerance * (1 + Math.abs(b[i])), `${what}: ${x} and ${b[i]}`));
};
const wave = (n, phase) => Array.from({ length: n }, (_, i) => Math.sin(1.3 * i + phase));

test("every built-in robot loads, and M a is what a adds to the torques at rest", () => {
  assert.ok(jounce.builtin.includes("panda"));
  for (const name of jounce.builtin) {
    const robot = jounce.load(`builtin:${name}`);
    const q = robot.integrate(robot.neutral(), wave(robot.nv, 1));
    const a = wave(robot.nv, 2);
    const M = robot.massMatrix(q);
    const tau = robot.inverseDynamics(q, null, a);
    const g = robot.gravityForces(q);
    const expected = g.map((x, i) => a.reduce((sum, y, k) => sum + M[i * robot.nv + k] * y, x));
    close(tau, expected, 1e-11, name);
    close(robot.forwardDynamics(q, null, tau), Float64Array.from(a), 1e-7, `${name}: forward is the inverse of inverse`);
    robot.free();
  }
});

test("torques are those that the command prints", async () => {
  const robot = jounce.load("builtin:panda");
  const [q, v, a] = [0, 1, 2].map((phase) => wave(7, phase));
  const run = await jounce.run(["eval", "builtin:panda", "--input", "state.json", "--want", "tau"], {
    "state.json": JSON.stringify({ q, v, a }),
  });
  assert.equal(run.status, 0, run.stderr);
  close(robot.inverseDynamics(q, v, a), JSON.parse(run.stdout).results[0].tau, 1e-14, "tau");
  robot.free();
});

test("the first row of the torque jet is the torque", () => {
  const robot = jounce.load("builtin:kuka_iiwa");
  const q = wave(7, 0.3);
  const jet = wave(35, 0.7);
  const rows = robot.inverseDynamicsJet(3, q, jet);
  close(rows.slice(0, 7), robot.inverseDynamics(q, jet.slice(0, 7), jet.slice(7, 14)), 1e-13, "order 0");
  robot.free();
});

test("a falling double pendulum keeps its energy", () => {
  const robot = jounce.load("builtin:double_pendulum");
  const simulator = robot.simulator({ tolerance: 1e-12, losses: false });
  simulator.set(0, [2, 1], null);
  const energy = ([kinetic, potential]) => kinetic + potential;
  const before = energy(robot.energy([2, 1], null));
  simulator.run(5);
  const { t, q, v } = simulator.get();
  assert.equal(t, 5);
  assert.ok(Math.abs(energy(robot.energy(q, v)) - before) < 1e-9);
  simulator.free();
  robot.free();
});

test("a loop that is dragged stays closed", () => {
  const robot = jounce.load("builtin:four_bar");
  const q = robot.assemble(robot.neutral());
  q[0] += 0.3;
  const held = new Uint8Array(robot.nv);
  held[0] = 1;
  const closed = robot.assemble(q, held);
  assert.equal(closed[0], q[0]);
  close(robot.assemble(closed), closed, 1e-10, "closed already");
  robot.free();
});

test("a bad file says its line and the remedy, as the command does", async () => {
  const text = "<robot name='r'>\n<link name='a'/>\n<joint name='j' type='revolut'/>\n</robot>";
  const files = { "bad.urdf": text };
  assert.throws(() => jounce.load("bad.urdf", files), (error) => {
    assert.ok(error instanceof JounceError);
    assert.match(error.message, /bad\.urdf:3.*revolut/s);
    return true;
  });
  const run = await jounce.run(["check", "bad.urdf"], files);
  assert.equal(run.status, 1);
  assert.match(run.stdout + run.stderr, /did you mean revolute/);
});

test("the command's files come back whole, and its folder is its own", async () => {
  const first = await jounce.run(["convert", "builtin:panda", "panda.urdf"]);
  assert.equal(first.status, 0, first.stderr);
  assert.deepEqual(Object.keys(first.files), ["panda.urdf"]);
  const second = await jounce.run(["check", "panda.urdf"]);
  assert.equal(second.status, 1, "the second run does not see the first one's files");
});

test("wrong sizes are refused by name", () => {
  const robot = jounce.load("builtin:panda");
  assert.throws(() => robot.gravityForces([1, 2]), /q has 2 numbers; this robot needs 7/);
  assert.throws(() => robot.inverseDynamics(robot.neutral(), [1], null), /needs 7/);
  assert.throws(() => jounce.load("builtin:nobody"), JounceError);
  robot.free();
});

test("a batch in SIMD lanes gives what single calls give", async () => {
  assert.ok(hasSimd());
  const simd = await Jounce.create(simdFactory, readFileSync(new URL("../../dist/jounce-simd.wasm", import.meta.url)));
  for (const name of ["panda", "quadruped", "four_bar"]) {
    const robot = simd.load(`builtin:${name}`);
    const { nq, nv } = robot;
    const count = 7; // odd, so that a lane is left
    const states = Array.from({ length: count }, (_, k) => robot.integrate(robot.neutral(), wave(nv, k)));
    const q = states.flatMap((state) => [...state]);
    const v = wave(count * nv, 0.4);
    const a = wave(count * nv, 0.9);
    const batch = robot.batch(2);
    const at = (values, k, n) => values.slice(k * n, (k + 1) * n);
    const tau = batch.inverseDynamics(q, v, a);
    const M = batch.massMatrix(q);
    const back = batch.forwardDynamics(q, v, tau);
    const jet = wave(count * 4 * nv, 0.1);
    const rates = batch.inverseDynamicsJet(2, q, jet);
    const poses = batch.framePoses(q);
    for (let k = 0; k < count; k++) {
      close(at(tau, k, nv), robot.inverseDynamics(states[k], at(v, k, nv), at(a, k, nv)), 1e-12, `${name}: tau`);
      close(at(M, k, nv * nv), robot.massMatrix(states[k]), 1e-12, `${name}: M`);
      close(at(rates, k, 3 * nv), robot.inverseDynamicsJet(2, states[k], at(jet, k, 4 * nv)), 1e-11, `${name}: rates`);
      close(at(poses, k, 16 * robot.frameCount), robot.framePoses(states[k]), 1e-13, `${name}: poses`);
    }
    close(back, Float64Array.from(a), 1e-7, `${name}: forward is the inverse of inverse`);
    assert.throws(() => batch.massMatrix(q.slice(1)), /this robot needs/);
    assert.throws(() => batch.inverseDynamics(q, v.slice(1), null), /7 states need/);
    assert.throws(() => batch.inverseDynamicsJet(3, q, jet), /made for 2/);
    assert.equal(nq * count, q.length);
    batch.free();
    robot.free();
  }
});

test("the module for every engine has no SIMD, and says where batches are", () => {
  const robot = jounce.load("builtin:panda");
  assert.throws(() => robot.batch(), /jounce-simd/);
  robot.free();
});

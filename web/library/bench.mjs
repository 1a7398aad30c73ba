// SPDX-License-Identifier: BSD-2-Clause
// Microseconds for each state in WebAssembly: one call for each state, batches one state at a time (row d), batches in lanes (row d2).
//   node library/bench.mjs [ROBOT ...]    after script/web, in the folder web
import { readFileSync } from "node:fs";
import factory from "../dist/jounce-simd.mjs";
import { start } from "../dist/library/wasm.js";
import { Model } from "../dist/library/index.js";
import { Scratch } from "../dist/library/memory.js";

const COUNT = 128;
const module = await WebAssembly.compile(readFileSync(new URL("../dist/jounce-simd.wasm", import.meta.url)));
const silent = { out: () => undefined, error: () => undefined };

async function model(robot, row) {
  const instance = await start(factory, module, silent, row ? { JOUNCE_VARIANT: row } : {});
  const scratch = new Scratch(instance);
  scratch.reset(100);
  const address = instance._web_load(scratch.text(`builtin:${robot}`), 0, 0, 0);
  if (address === 0) throw new Error(`no robot ${robot}`);
  return new Model(instance, address);
}

/** The least of several runs, without the copies between JavaScript and the module. */
function time(m, name, before, sizes, states) {
  const scratch = new Scratch(m.instance);
  scratch.reset(8 * (sizes.reduce((a, b) => a + b) * COUNT + 64));
  const arrays = sizes.map((size) => (size ? scratch.put(Float64Array.from({ length: size * COUNT }, (_, i) => Math.sin(i + 1))) : 0));
  const f = m.instance[`_jn_${name}`];
  const call = states === 1 ? (k) => f(...before, ...arrays.map((at, i) => at && at + 8 * sizes[i] * k)) : () => f(...before, ...arrays);
  if (call(0) !== 0) throw new Error(name);
  let least = Infinity;
  for (let run = 0; run < 60; run++) {
    const begin = performance.now();
    for (let k = 0; k < 20 * COUNT; k += states) call(k % COUNT);
    least = Math.min(least, (1000 * (performance.now() - begin)) / (20 * COUNT));
  }
  return least;
}

function batchOf(m) {
  const scratch = new Scratch(m.instance);
  scratch.reset(16);
  const at = scratch.numbers(1);
  m.check(m.call("batch_create", m.pointer, 3, 1, at));
  return m.instance.HEAP32[at / 4];
}

console.log("| microseconds for each state | one call each | batch, one at a time | batch in lanes | gain by lanes |\n|---|---:|---:|---:|---:|");
for (const robot of process.argv.length > 2 ? process.argv.slice(2) : ["panda", "quadruped", "humanoid"]) {
  const plain = await model(robot, "d");
  const lanes = await model(robot, "d2");
  const n = plain.nv;
  const q = plain.nq;
  const functions = [
    ["inverse dynamics", "inverse_dynamics", [], [q, n, n, 0, n]],
    ["mass matrix", "mass_matrix", [], [q, n * n]],
    ["forward dynamics", "forward_dynamics", [], [q, n, n, 0, n]],
    ["torque rates to order 3", "inverse_dynamics_jet", [3], [q, 5 * n, 0, 4 * n]],
  ];
  for (const [title, name, first, sizes] of functions) {
    const one = time(plain, name, [plain.pointer, plain.workPointer, ...first], sizes, 1);
    const [each, both] = [plain, lanes].map((m) => time(m, `${name}_batch`, [batchOf(m), COUNT, ...first], sizes, COUNT));
    console.log(`| ${title}, ${robot} | ${one.toFixed(2)} | ${each.toFixed(2)} | ${both.toFixed(2)} | ${(each / both).toFixed(2)} |`);
  }
}

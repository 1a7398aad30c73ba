// SPDX-License-Identifier: BSD-2-Clause
// Many states in one call: arrays have one row for each state. In the module jounce-simd, two states share a register.
import { JounceError } from "./errors.js";
import { Scratch } from "./memory.js";
import type { Model, Numbers } from "./model.js";

/** Work memory for many states of one model: Model.batch(). free() it before the model. */
export class Batch {
  private readonly model: Model;
  private readonly order: number;
  private readonly scratch: Scratch;
  private address: number;

  /** Use Model.batch(). order: the highest order of jets, -1 for none. */
  constructor(model: Model, order: number) {
    this.model = model;
    this.order = order;
    this.scratch = new Scratch(model.instance);
    this.scratch.reset(16);
    const at = this.scratch.numbers(1);
    model.check(model.call("batch_create", model.pointer, order, 1, at));
    this.address = model.instance.HEAP32[at / 4] ?? 0;
  }

  free(): void {
    if (this.address === 0) return;
    this.model.call("batch_destroy", this.address);
    this.scratch.free();
    this.address = 0;
  }

  /** q: count x nq; v and a: count x nv, null for rest. The torques, count x nv. */
  inverseDynamics(q: Numbers, v: Numbers | null, a: Numbers | null): Float64Array {
    const { nv } = this.model;
    return this.compute("inverse_dynamics_batch", [], q, [[v, nv], [a, nv], [null, 0]], nv);
  }

  /** The accelerations that tau gives, count x nv. */
  forwardDynamics(q: Numbers, v: Numbers | null, tau: Numbers | null): Float64Array {
    const { nv } = this.model;
    return this.compute("forward_dynamics_batch", [], q, [[v, nv], [tau, nv], [null, 0]], nv);
  }

  gravityForces(q: Numbers): Float64Array {
    return this.compute("gravity_forces_batch", [], q, [], this.model.nv);
  }

  /** count x nv x nv. */
  massMatrix(q: Numbers): Float64Array {
    return this.compute("mass_matrix_batch", [], q, [], this.model.nv * this.model.nv);
  }

  /** Poses of all frames, count x frames x 16. */
  framePoses(q: Numbers): Float64Array {
    return this.compute("frame_poses_batch", [], q, [], 16 * this.model.frameCount);
  }

  /** tau and its time derivatives, count x (order + 1) x nv, from vJet, count x (order + 2) x nv. */
  inverseDynamicsJet(order: number, q: Numbers, vJet: Numbers): Float64Array {
    const { nv } = this.model;
    if (order > this.order) throw new JounceError(`order is ${String(order)}; this batch was made for ${String(this.order)}`);
    return this.compute("inverse_dynamics_jet_batch", [order], q, [[vJet, (order + 2) * nv], [null, 0]], (order + 1) * nv);
  }

  /** function(batch, count, first..., q, inputs..., output): inputs and output with their numbers for each state. */
  private compute(name: string, first: number[], q: Numbers, inputs: [Numbers | null, number][], size: number): Float64Array {
    const count = q.length / this.model.nq;
    if (!Number.isInteger(count)) throw new JounceError(`q has ${String(q.length)} numbers; this robot needs ${String(this.model.nq)} for each state`);
    for (const [values, each] of inputs)
      if (values && values.length !== count * each)
        throw new JounceError(`an input has ${String(values.length)} numbers; ${String(count)} states need ${String(count * each)}`);
    const total = inputs.reduce((sum, [values]) => sum + (values?.length ?? 0), q.length);
    this.scratch.reset(8 * (total + count * size + 16));
    const at = this.scratch.numbers(count * size);
    const given = [q, ...inputs.map(([values]) => values)].map((values) => this.scratch.put(values));
    this.model.check(this.model.call(name, this.address, count, ...first, ...given, at));
    return this.scratch.get(at, count * size);
  }
}

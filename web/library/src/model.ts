// SPDX-License-Identifier: BSD-2-Clause
import { Batch } from "./batch.js";
import { JounceError } from "./errors.js";
import { Scratch, textAt } from "./memory.js";
import type { Instance } from "./wasm.js";

/** Numbers in: an array or a typed array. */
export type Numbers = ArrayLike<number>;

/** The name of a method, in the order of jn_integrator. */
const INTEGRATORS = ["taylor", "dopri5", "rodas", "rk4", "euler"] as const;
export type Integrator = (typeof INTEGRATORS)[number];

export interface SimulationOptions {
  integrator?: Integrator;
  /** Local error of a step. */
  tolerance?: number;
  /** [s] of rk4 and euler. */
  step?: number;
  /** Damping and friction of the model. */
  losses?: boolean;
  /** Position limits are hard stops (not with loops). */
  stops?: boolean;
}

export interface State {
  t: number;
  q: Float64Array;
  v: Float64Array;
}

const JET_ORDER = 16;
/** JN_COORDINATE_NAME of the C library: no name of a coordinate is longer. */
const NAME_BYTES = 288;

/** A robot in the memory of a module. Its memory is not collected: call free() at the end.
 *  Matrices are row by row; poses 4 x 4; units SI; frames and signs as in the C library. */
export class Model {
  readonly name: string;
  readonly nq: number;
  readonly nv: number;
  readonly linkCount: number;
  readonly frameCount: number;
  readonly loopCount: number;
  /** Names of links; the joint that carries link i has the same index. */
  readonly links: readonly string[];
  readonly joints: readonly string[];
  /** Names of frames: the links come first. */
  readonly frames: readonly string[];
  /** Names of the nq configuration and nv velocity coordinates, as in files: base_x ... base_qw, base_wx ... base_vz for a free joint. */
  readonly coordinates: readonly string[];
  readonly velocities: readonly string[];

  readonly instance: Instance;
  private readonly scratch: Scratch;
  private address: number;
  private readonly work: number;
  private loops = 0;

  /** Use Jounce.load(). */
  constructor(instance: Instance, address: number) {
    const names = (count: number, name: (i: number) => number) =>
      Array.from({ length: count }, (_, i) => textAt(instance, name(i)));
    this.instance = instance;
    this.address = address;
    this.scratch = new Scratch(instance);
    this.name = textAt(instance, this.ask("model_name"));
    this.nq = this.ask("model_nq");
    this.nv = this.ask("model_nv");
    this.linkCount = this.ask("link_count");
    this.frameCount = this.ask("frame_count");
    this.loopCount = this.ask("loop_count");
    this.links = names(this.linkCount, (i) => this.ask("link_name", i));
    this.joints = names(this.linkCount, (i) => this.ask("joint_name", i));
    this.frames = names(this.frameCount, (i) => this.ask("frame_name", i));
    this.coordinates = Array.from({ length: this.nq }, (_, i) => this.written("coordinate_name", i));
    this.velocities = Array.from({ length: this.nv }, (_, i) => this.written("velocity_name", i));
    this.scratch.reset(16);
    const at = this.scratch.numbers(1);
    this.check(this.call("work_create_order", address, JET_ORDER, at));
    this.work = instance.HEAP32[at / 4] ?? 0;
  }

  /** Releases the memory of the module. */
  free(): void {
    if (this.address === 0) return;
    if (this.loops) this.call("loops_destroy", this.loops);
    this.call("work_destroy", this.work);
    this.call("model_destroy", this.address);
    this.scratch.free();
    this.address = this.loops = 0;
  }

  /** The configuration that every joint calls zero. */
  neutral(): Float64Array {
    return this.results([this.nq], ([q]) => this.call("neutral", this.address, q));
  }

  /** q moved by the velocity v for one second: on the group for spherical and free joints. */
  integrate(q: Numbers, v: Numbers): Float64Array {
    return this.compute("integrate", [this.q(q), this.v(v)], this.nq);
  }

  /** Poses of all frames, 16 numbers each, in the world. */
  framePoses(q: Numbers): Float64Array {
    return this.compute("frame_poses", [this.q(q)], 16 * this.frameCount);
  }

  /** tau = M a + C v + g; v and a null: at rest. */
  inverseDynamics(q: Numbers, v: Numbers | null, a: Numbers | null): Float64Array {
    return this.compute("inverse_dynamics", [this.q(q), this.v(v), this.v(a), null], this.nv);
  }

  gravityForces(q: Numbers): Float64Array {
    return this.compute("gravity_forces", [this.q(q)], this.nv);
  }

  /** The acceleration that tau gives; tau null: none. */
  forwardDynamics(q: Numbers, v: Numbers | null, tau: Numbers | null): Float64Array {
    return this.compute("forward_dynamics", [this.q(q), this.v(v), this.v(tau), null], this.nv);
  }

  /** nv x nv. */
  massMatrix(q: Numbers): Float64Array {
    return this.compute("mass_matrix", [this.q(q)], this.nv * this.nv);
  }

  /** Kinetic and potential energy [J]. */
  energy(q: Numbers, v: Numbers | null): Float64Array {
    return this.compute("energy", [this.q(q), this.v(v)], 2);
  }

  /** Derivative of gravity and spring forces by q, nv x nv. */
  stiffness(q: Numbers): Float64Array {
    const given = this.q(q);
    const n = this.nv * this.nv;
    return this.results(
      [n],
      ([out], s) =>
        this.call("inverse_dynamics_derivatives", this.address, this.work, s.put(given), 0, 0, 0, 0, out, 0, 0, 0),
      given.length,
    );
  }

  /** Centre of mass of the whole robot in the world [m]. */
  centerOfMass(q: Numbers): Float64Array {
    const given = this.q(q);
    this.scratch.reset(8 * (given.length + 16));
    const at = this.scratch.numbers(3);
    this.check(this.call("center_of_mass", this.address, this.work, -1, this.scratch.put(given), 0, 0, at, 0, 0));
    return this.scratch.get(at, 3);
  }

  /** tau and its time derivatives to the given order, (order + 1) x nv, from v and its derivatives, (order + 2) x nv. */
  inverseDynamicsJet(order: number, q: Numbers, vJet: Numbers): Float64Array {
    const n = this.nv;
    if (order > JET_ORDER) throw new JounceError(`order is ${String(order)}; at most ${String(JET_ORDER)} is possible`);
    const jet = expect("vJet", vJet, (order + 2) * n);
    const given = this.q(q);
    return this.results(
      [(order + 1) * n],
      ([out], s) => this.call("inverse_dynamics_jet", this.address, this.work, order, s.put(given), s.put(jet), 0, out),
      given.length + jet.length,
    );
  }

  /** The configuration nearest to q that closes the loops; coordinates of velocity with held[i] != 0 stay. */
  assemble(q: Numbers, held: Numbers | null = null): Float64Array {
    const given = this.q(q);
    if (this.loopCount === 0) return Float64Array.from(given);
    const loops = this.withLoops();
    return this.results(
      [this.nq],
      ([out], s) => {
        this.instance.HEAPF64.set(given, (out ?? 0) / 8);
        return this.call("loops_assemble", loops, s.bytes(held), 0, out, 0);
      },
      this.nv,
    );
  }

  /** A configuration near q that closes the loops inside the position limits; outside: how far the coordinate that is farthest outside still is [rad, m]. */
  assembleInside(q: Numbers, held: Numbers | null = null): { q: Float64Array; outside: number } {
    const given = this.q(q);
    if (this.loopCount === 0) throw new JounceError(`${this.name} has no loops`);
    const loops = this.withLoops();
    const both = this.results(
      [this.nq + 1],
      ([out = 0], s) => {
        this.instance.HEAPF64.set(given, out / 8);
        return this.call("loops_assemble_inside", loops, s.bytes(held), 0, out, 0, out + 8 * this.nq);
      },
      this.nv,
    );
    return { q: both.slice(0, this.nq), outside: both[this.nq] ?? 0 };
  }

  /** Forces of the actuated coordinates (actuated[i] != 0) that hold the robot at rest with its loops closed. */
  holdingForces(q: Numbers, actuated: Numbers): Float64Array {
    const given = this.q(q);
    if (this.loopCount === 0) return this.gravityForces(q);
    const loops = this.withLoops();
    const n = this.nv;
    return this.results(
      [n],
      ([out], s) =>
        this.call("loops_inverse_dynamics_jet", loops, 0, s.bytes(actuated), 0, 0, s.put(given), s.put(new Float64Array(2 * n)), 0, 0, out, 0),
      given.length + 4 * n,
    );
  }

  /** Moves the robot in time; free() it before the model. */
  simulator(options: SimulationOptions = {}): Simulator {
    const { integrator = "taylor", tolerance = 1e-8, step = 0, losses = true, stops = false } = options;
    this.scratch.reset(16);
    const status = this.scratch.numbers(1);
    const make = this.instance["_web_simulator"];
    if (!make) throw new JounceError("the module has no simulator");
    const loops = this.loopCount ? this.withLoops() : 0;
    const method = INTEGRATORS.indexOf(integrator);
    const address = make(this.address, loops, method, tolerance, step, Number(losses), Number(stops), status);
    if (address === 0) this.check(this.instance.HEAP32[status / 4] ?? 0);
    return new Simulator(this, address);
  }

  /** Many states in one call, up to jets of this order; free() it before the model. Needs the module jounce-simd. */
  batch(order = -1): Batch {
    if (!this.instance["_jn_batch_create"]) throw new JounceError("this module has no batches: use jounce-simd.mjs and jounce-simd.wasm");
    return new Batch(this, order);
  }

  /** The address of the model in the memory of the module, for call(). */
  get pointer(): number {
    return this.address;
  }

  /** And of its work memory. */
  get workPointer(): number {
    return this.work;
  }

  /** Calls a function of the C library by its name without jn_: for what this class does not have. */
  call(name: string, ...values: (number | undefined)[]): number {
    const f = this.instance[`_jn_${name}`];
    if (!f) throw new JounceError(`there is no function jn_${name}`);
    return f(...(values as number[]));
  }

  /** Throws when a status is not 0. */
  check(status: number): void {
    if (status !== 0) throw new JounceError(textAt(this.instance, this.call("status_text", status)), status);
  }

  private withLoops(): number {
    if (this.loops) return this.loops;
    this.scratch.reset(16);
    const status = this.scratch.numbers(1);
    this.loops = this.instance["_web_loops"]?.(this.address, JET_ORDER, status) ?? 0;
    if (this.loops === 0) this.check(this.instance.HEAP32[status / 4] ?? 0);
    return this.loops;
  }

  private ask(name: string, ...values: number[]): number {
    return this.call(name, this.address, ...values);
  }

  /** A name that the function copies to memory. */
  private written(name: string, index: number): string {
    this.scratch.reset(NAME_BYTES);
    const at = this.scratch.numbers(NAME_BYTES / 8);
    this.check(this.call(name, this.address, index, at, NAME_BYTES));
    return textAt(this.instance, at);
  }

  private q(values: Numbers): Numbers {
    return expect("q", values, this.nq);
  }

  private v(values: Numbers | null): Numbers | null {
    return values && expect("a velocity, acceleration or force", values, this.nv);
  }

  /** function(model, work, inputs..., output) */
  private compute(name: string, inputs: (Numbers | null)[], size: number): Float64Array {
    const total = inputs.reduce((sum, x) => sum + (x?.length ?? 0), 0);
    return this.results(
      [size],
      ([out], s) => this.call(name, this.address, this.work, ...inputs.map((x) => s.put(x)), out),
      total,
    );
  }

  private results(
    sizes: [number],
    compute: (outputs: number[], scratch: Scratch) => number,
    inputs = 0,
  ): Float64Array {
    this.scratch.reset(8 * (inputs + sizes[0] + 16));
    const at = this.scratch.numbers(sizes[0]);
    this.check(compute([at], this.scratch));
    return this.scratch.get(at, sizes[0]);
  }
}

function expect(what: string, values: Numbers, length: number): Numbers {
  if (values.length === length) return values;
  throw new JounceError(`${what} has ${String(values.length)} numbers; this robot needs ${String(length)}`);
}

/** One simulation. */
export class Simulator {
  private readonly model: Model;
  private readonly scratch: Scratch;
  private address: number;

  /** Use Model.simulator(). */
  constructor(model: Model, address: number) {
    this.model = model;
    this.address = address;
    this.scratch = new Scratch(model.instance);
  }

  free(): void {
    if (this.address === 0) return;
    this.model.call("simulator_destroy", this.address);
    this.scratch.free();
    this.address = 0;
  }

  /** Starts again from a state; v null: at rest. */
  set(t: number, q: Numbers, v: Numbers | null): void {
    const { nq, nv } = this.model;
    this.scratch.reset(8 * (nq + nv));
    const given = v && expect("v", v, nv);
    const at = this.scratch.put(expect("q", q, nq));
    this.model.check(this.model.call("simulator_set", this.address, t, at, this.scratch.put(given)));
  }

  /** Steps until this time [s]. */
  run(until: number): void {
    this.model.check(this.model.call("simulator_run", this.address, until));
  }

  get(): State {
    const { nq, nv } = this.model;
    this.scratch.reset(8 * (nq + nv + 1));
    const [t, q, v] = [1, nq, nv].map((n) => this.scratch.numbers(n)) as [number, number, number];
    this.model.check(this.model.call("simulator_get", this.address, t, q, v));
    return { t: this.scratch.get(t, 1)[0] ?? 0, q: this.scratch.get(q, nq), v: this.scratch.get(v, nv) };
  }
}

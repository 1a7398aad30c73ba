// SPDX-License-Identifier: BSD-2-Clause
// The state of the page: one robot, where it is, and what moves it. Panels listen to changes.
import { JounceError, type Files, type Jounce, type LoadOptions, type Simulator } from "../../library/src/index.js";
import { flags, loadRobot, type Coordinate, type Robot } from "./robot.js";
import { readLooks, type Looks } from "./shapes.js";
import { readTable } from "./table.js";
import type { Viewer } from "./viewer.js";

/** A motion that was computed by `jounce torque`. */
export interface Motion {
  name: string;
  t: Float64Array;
  columns: Map<string, Float64Array>;
  /** What the command printed. */
  report: string;
  csv: Uint8Array;
}

export interface Panel {
  readonly title: string;
  readonly root: HTMLElement;
  /** Another robot. */
  load?(): void;
  /** Another configuration. */
  moved?(): void;
  /** A motion was read, or there is none now. */
  motion?(): void;
}

const LIMITS = ["lower", "upper", "velocity", "acceleration", "jerk", "effort", "effort_rate"] as const;
export const MOTION_FILE = /\.(csv|npy|npz)$/i;

export class App {
  readonly jounce: Jounce;
  readonly viewer: Viewer;
  robot: Robot | null = null;
  looks: Looks = { links: new Map(), missing: [] };
  q: Float64Array = new Float64Array();
  v: Float64Array = new Float64Array();
  motion: Motion | null = null;
  playing = false;
  time = 0;
  /** Torques that the page shows against the limits. */
  torque: Float64Array = new Float64Array();
  readonly panels: Panel[] = [];
  private simulator: Simulator | null = null;
  private last = 0;
  private readonly say: (text: string, kind?: "error" | "good" | "") => void;

  constructor(jounce: Jounce, viewer: Viewer, say: App["say"]) {
    this.jounce = jounce;
    this.viewer = viewer;
    this.say = say;
    viewer.onDrag = (link, amount) => {
      const coordinate = this.robot?.coordinates.find((c) => c.link === link);
      if (coordinate) this.move(coordinate, amount);
    };
  }

  tell(text: string, kind: "error" | "good" | "" = ""): void {
    this.say(text, kind);
  }

  async open(source: string, files: Files = {}, options: LoadOptions = {}): Promise<boolean> {
    this.stop();
    let robot: Robot;
    try {
      robot = await loadRobot(this.jounce, source, files, options);
    } catch (error) {
      if (!(error instanceof JounceError)) throw error;
      this.tell(error.message, "error");
      return false;
    }
    this.robot?.model.free();
    this.robot = robot;
    this.motion = null;
    this.looks = readLooks(this.text(source, files), files);
    this.viewer.show(robot, this.looks);
    this.q = robot.model.neutral();
    this.v = new Float64Array(robot.model.nv);
    for (const panel of this.panels) panel.load?.();
    for (const panel of this.panels) panel.motion?.();
    this.place(this.inside(this.q));
    const missing = this.looks.missing.length;
    this.tell(missing ? `${String(missing)} meshes are not among the files (${this.looks.missing[0] ?? ""}); boxes are shown instead` : "");
    return true;
  }

  private text(source: string, files: Files): string {
    const content = files[source];
    return content === undefined ? "" : typeof content === "string" ? content : new TextDecoder().decode(content);
  }

  /** Zero may lie outside of the limits: the nearest allowed value. */
  private inside(q: Float64Array): Float64Array {
    const out = q.slice();
    for (const { q: at, limits } of this.robot?.coordinates ?? []) {
      if (at === null) continue;
      const x = out[at] ?? 0;
      out[at] = Math.min(Math.max(x, limits.lower ?? -Infinity), limits.upper ?? Infinity);
    }
    return out;
  }

  /** Shows a configuration. Loops are closed from there, with one coordinate held. */
  place(q: Float64Array, held: number | null = null): void {
    const { robot } = this;
    if (!robot) return;
    try {
      const hold = held === null ? null : Uint8Array.from({ length: robot.model.nv }, (_, i) => Number(i === held));
      this.q = robot.model.loopCount ? robot.model.assemble(q, hold) : q;
    } catch (error) {
      if (!(error instanceof JounceError)) throw error;
      this.tell(`The loops cannot be closed there: ${error.message}`, "error");
      return;
    }
    this.torque = this.holding(robot);
    this.show();
  }

  /** Torques that hold the robot. With loops, joints with an effort limit above zero have the motors; all, when none has. */
  private holding(robot: Robot): Float64Array {
    const { model, coordinates } = robot;
    const actuated = new Uint8Array(model.nv);
    for (const c of coordinates) actuated[c.v] = Number(c.limits.effort !== null && c.limits.effort > 0);
    if (!actuated.includes(1)) actuated.fill(1);
    try {
      return model.holdingForces(this.q, actuated);
    } catch (error) {
      if (!(error instanceof JounceError)) throw error;
      return new Float64Array(model.nv).fill(NaN); // its motors cannot hold it there
    }
  }

  private show(): void {
    const { robot } = this;
    if (!robot) return;
    this.viewer.pose(robot.model.framePoses(this.q), robot.model.centerOfMass(this.q));
    for (const panel of this.panels) panel.moved?.();
  }

  /** Moves one coordinate, but not beyond its limits. */
  move(coordinate: Coordinate, amount: number): void {
    const { robot } = this;
    if (!robot) return;
    this.stop();
    let by = amount;
    if (coordinate.q !== null) {
      const x = this.q[coordinate.q] ?? 0;
      const { lower, upper } = coordinate.limits;
      by = Math.min(Math.max(x + amount, lower ?? -Infinity), upper ?? Infinity) - x;
    }
    const step = new Float64Array(robot.model.nv);
    step[coordinate.v] = by;
    this.place(robot.model.integrate(this.q, step), coordinate.v);
  }

  // ---- Motions ----

  /** Computes the torques of a motion file by the command. known: what the one who made it says about its limits, first line and all. */
  async follow(name: string, files: Files, known?: { verdict: string; report: string }): Promise<void> {
    const { robot } = this;
    if (!robot) return;
    this.stop();
    const args = ["torque", robot.source, name, "--order", "1", "--limits", "--out", "jounce-torques.csv", ...flags(robot.options)];
    const run = await this.jounce.run(args, { ...robot.files, ...files });
    const csv = run.files["jounce-torques.csv"];
    if (!csv) {
      this.tell(run.stderr.trim() || `jounce torque ended with status ${String(run.status)}`, "error");
      return;
    }
    const columns = readTable(csv);
    const report = [known?.report, run.stdout + run.stderr].filter(Boolean).join("\n");
    this.motion = { name, t: columns.get("t") ?? new Float64Array(), columns, report, csv };
    if (known && run.status !== 1) this.tell(known.verdict, "good");
    else this.tell(this.verdict(run.status) || run.stderr, run.status === 0 ? "good" : "error");
    for (const panel of this.panels) panel.motion?.();
    this.seek(this.motion.t[0] ?? 0);
  }

  /** What an exit status of `jounce torque --limits` means. */
  private verdict(status: number): string {
    const limited = this.robot?.coordinates.some(({ limits }) => LIMITS.some((name) => limits[name] !== null));
    if (status === 0 && !limited) return "The robot has no limits: there is nothing to compare with.";
    const verdicts = ["All limits hold.", "A limit is exceeded: see the panel Motion.", "", "It cannot be told whether all limits hold."];
    return verdicts[status] ?? "";
  }

  /** The values of a column at a time, between samples linearly. */
  at(column: Float64Array, time: number): number {
    const t = this.motion?.t ?? new Float64Array();
    let [a, b] = [0, t.length - 1];
    while (b - a > 1) {
      const middle = (a + b) >> 1;
      if ((t[middle] ?? 0) <= time) a = middle;
      else b = middle;
    }
    const [t0 = 0, t1 = 1, x0 = 0, x1 = 0] = [t[a], t[b], column[a], column[b]];
    const s = t1 > t0 ? Math.min(Math.max((time - t0) / (t1 - t0), 0), 1) : 0;
    return x0 + s * (x1 - x0);
  }

  seek(time: number): void {
    const { robot, motion } = this;
    if (!robot || !motion) return;
    this.time = time;
    const q = this.q.slice();
    const torque = new Float64Array(robot.model.nv);
    for (const c of robot.coordinates) {
      const position = motion.columns.get(c.joint.name);
      const tau = motion.columns.get(`${c.joint.name}.tau`);
      if (position && c.q !== null) q[c.q] = this.at(position, time);
      if (tau) torque[c.v] = this.at(tau, time);
    }
    this.q = robot.model.loopCount ? robot.model.assemble(q) : q;
    this.torque = torque;
    this.show();
  }

  // ---- Moving by itself ----

  get falling(): boolean {
    return this.simulator !== null;
  }

  /** Lets go: the robot falls from where it is, by the Taylor integrator. */
  fall(losses: boolean, stops: boolean): void {
    const { robot } = this;
    if (!robot) return;
    this.stop();
    try {
      const simulator = robot.model.simulator({ tolerance: 1e-8, losses, stops: stops && robot.model.loopCount === 0 });
      simulator.set(0, this.q, null);
      this.simulator = simulator;
      this.time = 0;
      this.last = performance.now();
    } catch (error) {
      if (!(error instanceof JounceError)) throw error;
      this.tell(error.message, "error");
    }
  }

  stop(): void {
    this.playing = false;
    this.simulator?.free();
    this.simulator = null;
  }

  /** Energy now [J]. */
  energy(): number {
    const [kinetic = 0, potential = 0] = this.robot?.model.energy(this.q, this.v) ?? [];
    return kinetic + potential;
  }

  /** One picture: real time passes for what moves. */
  tick(now: number): void {
    const passed = Math.min((now - this.last) / 1000, 0.05);
    this.last = now;
    if (this.simulator && this.robot) {
      try {
        const target = this.time + passed;
        while (this.time < target) {
          this.simulator.run(target);
          const state = this.simulator.get();
          [this.time, this.q, this.v] = [state.t, state.q, state.v];
        }
        this.torque = new Float64Array(this.robot.model.nv);
        this.show();
      } catch (error) {
        if (!(error instanceof JounceError)) throw error;
        this.stop();
        this.tell(`The simulation ended: ${error.message}`, "error");
      }
    } else if (this.playing && this.motion) {
      const end = this.motion.t.at(-1) ?? 0;
      const start = this.motion.t[0] ?? 0;
      this.seek(this.time + passed > end ? start : this.time + passed);
    }
    this.viewer.draw();
  }
}

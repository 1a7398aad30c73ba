// SPDX-License-Identifier: BSD-2-Clause
// The state of the page: one robot, where it is, and what moves it. Panels listen to changes.
import { JounceError, type Files, type Jounce, type LoadOptions, type Simulator } from "../../library/src/index.js";
import { short } from "./dom.js";
import { flags, limitsOf, loadRobot, type Coordinate, type Robot } from "./robot.js";
import { quaternionAt } from "./sliders.js";
import { readLooks, type Looks } from "./shapes.js";
import { quaternionAtTime, readTable, valueAt } from "./table.js";
import type { Viewer } from "./viewer.js";

/** A motion that was computed by `jounce torque`. */
export interface Motion {
  name: string;
  /** What it was computed from, besides the robot's files. */
  files: Files;
  t: Float64Array;
  columns: Map<string, Float64Array>;
  /** What the command printed. */
  report: string;
  csv: Uint8Array;
}

/** Under which conditions motions are computed: options of `jounce torque`. */
export interface Conditions {
  /** Files with limits and with external wrenches, by their names; null: the robot's own limits, no wrenches. */
  limits: string | null;
  wrench: string | null;
  losses: boolean;
  files: Files;
}

const USUAL_CONDITIONS: Conditions = { limits: null, wrench: null, losses: false, files: {} };

/** The options that tell the command these conditions. */
export function conditionFlags({ limits, wrench, losses }: Conditions): string[] {
  return [
    limits === null ? "--limits" : `--limits=${limits}`,
    ...(wrench === null ? [] : [`--wrench=${wrench}`]),
    ...(losses ? ["--losses"] : []),
  ];
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
/** How many configurations of a motion the view is fitted to. */
const FITTED_POSES = 60;
export const MOTION_FILE = /\.(csv|npy|npz)$/i;

export class App {
  readonly jounce: Jounce;
  readonly viewer: Viewer;
  robot: Robot | null = null;
  looks: Looks = { links: new Map(), missing: [], unreadable: [] };
  conditions: Conditions = { ...USUAL_CONDITIONS };
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
    this.conditions = { ...USUAL_CONDITIONS };
    this.looks = readLooks(this.text(source, files), files);
    this.viewer.show(robot, this.looks);
    this.q = robot.model.neutral();
    this.v = new Float64Array(robot.model.nv);
    for (const panel of this.panels) panel.load?.();
    for (const panel of this.panels) panel.motion?.();
    const start = this.startInside(robot);
    this.place(start.q);
    this.tell(start.problem || this.aboutMeshes(), start.problem ? "error" : "");
    return true;
  }

  /** Which meshes are not shown, in one line; the panel Check has all names. */
  private aboutMeshes(): string {
    const { missing, unreadable } = this.looks;
    const count = (names: string[], what: string) => {
      if (names.length === 0) return [];
      const others = names.length > 1 ? ` and ${String(names.length - 1)} more` : "";
      return [`${names[0] ?? ""}${others} ${what}`];
    };
    const parts = [...count(missing, "not found"), ...count(unreadable, "not readable (STL, OBJ and DAE are)")];
    return parts.length ? `Meshes: ${parts.join("; ")}. Boxes with the links' mass and moments are shown instead; see Check.` : "";
  }

  private text(source: string, files: Files): string {
    const content = files[source];
    return content === undefined ? "" : typeof content === "string" ? content : new TextDecoder().decode(content);
  }

  /** Where a robot is when it is opened. Zero may lie outside of the limits: the nearest allowed value, and with loops what the library finds. */
  private startInside({ model, coordinates }: Robot): { q: Float64Array; problem: string } {
    const q = this.q.slice();
    if (model.loopCount) {
      try {
        const { q: closed, outside } = model.assembleInside(q);
        const problem = `No configuration was found that closes the loops inside all position limits: one is passed by ${short(outside)} rad or m.`;
        return { q: closed, problem: outside > 0 ? problem : "" };
      } catch (error) {
        if (!(error instanceof JounceError)) throw error;
        return { q, problem: `The loops cannot be closed: ${error.message}` };
      }
    }
    for (const { q: at, limits } of coordinates)
      if (at !== null) q[at] = Math.min(Math.max(q[at] ?? 0, limits.lower ?? -Infinity), limits.upper ?? Infinity);
    return { q, problem: "" };
  }

  /** Shows a configuration. Loops are closed from there, while the held velocity coordinates stay. */
  place(q: Float64Array, held: number[] = []): void {
    const { robot } = this;
    if (!robot) return;
    try {
      const hold = held.length ? Uint8Array.from({ length: robot.model.nv }, (_, i) => Number(held.includes(i))) : null;
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
    this.place(robot.model.integrate(this.q, step), [coordinate.v]);
  }

  // ---- Motions ----

  /** Computes the torques of a motion file by the command. known: what the one who made it says about its limits, first line and all. */
  async follow(name: string, files: Files, known?: { verdict: string; report: string }): Promise<void> {
    const { robot } = this;
    if (!robot) return;
    this.stop();
    const { conditions } = this;
    const args = ["torque", robot.source, name, "--order", "1", ...conditionFlags(conditions), "--out", "jounce-torques.csv", ...flags(robot.options)];
    const run = await this.jounce.run(args, { ...robot.files, ...conditions.files, ...files });
    const csv = run.files["jounce-torques.csv"];
    if (!csv) {
      this.tell(run.stderr.trim() || `jounce torque ended with status ${String(run.status)}`, "error");
      return;
    }
    const columns = readTable(csv);
    const report = [known?.report, run.stdout + run.stderr].filter(Boolean).join("\n");
    this.motion = { name, files, t: columns.get("t") ?? new Float64Array(), columns, report, csv };
    if (known && run.status !== 1) this.tell(known.verdict, "good");
    else this.tell(this.verdict(run.status) || run.stderr, run.status === 0 ? "good" : "error");
    for (const panel of this.panels) panel.motion?.();
    this.viewer.fitTo(this.posesAlong(this.motion));
    this.seek(this.motion.t[0] ?? 0);
  }

  /** Other limits, wrenches or losses; computes the motion again. Keeps what was there when the command refuses them. */
  async setConditions(change: Partial<Conditions>): Promise<boolean> {
    const { robot, motion } = this;
    if (!robot) return false;
    const next = { ...this.conditions, ...change };
    try {
      if (next.limits !== this.conditions.limits || change.files) await limitsOf(this.jounce, robot, next.limits, next.files);
    } catch (error) {
      if (!(error instanceof JounceError)) throw error;
      this.tell(error.message, "error");
      return false;
    }
    this.conditions = next;
    for (const panel of this.panels) panel.load?.();
    if (motion) await this.follow(motion.name, motion.files);
    else this.place(this.q);
    return true;
  }

  /** Poses of the frames at some times of a motion, from which the view chooses where to look from. */
  private posesAlong(motion: Motion): Float64Array[] {
    const { robot } = this;
    if (!robot) return [];
    const every = Math.max(1, Math.floor(motion.t.length / FITTED_POSES));
    const times = motion.t.filter((_, i) => i % every === 0 || i === motion.t.length - 1);
    return [...times].map((time) => robot.model.framePoses(this.configurationAt(robot, motion, time)));
  }

  /** What an exit status of `jounce torque --limits` means. */
  private verdict(status: number): string {
    const limited = this.robot?.coordinates.some(({ limits }) => LIMITS.some((name) => limits[name] !== null));
    if (status === 0 && !limited) return "The robot has no limits: there is nothing to compare with.";
    const verdicts = ["All limits hold.", "A limit is exceeded: see the panel Motion.", "", "It cannot be told whether all limits hold."];
    return verdicts[status] ?? "";
  }

  /** Where a motion has the robot at a time. Coordinates that it does not have stay. */
  private configurationAt(robot: Robot, motion: Motion, time: number): Float64Array {
    const { model, info } = robot;
    const q = this.q.slice();
    model.coordinates.forEach((name, i) => {
      const column = motion.columns.get(name);
      if (column) q[i] = valueAt(motion.t, column, time);
    });
    for (const { joint } of info.links) {
      const first = joint.mimic ? null : quaternionAt(joint);
      const names = first === null ? [] : model.coordinates.slice(first, first + 4);
      const columns = names.map((name) => motion.columns.get(name)).filter((column) => column !== undefined);
      if (first !== null && columns.length === 4) q.set(quaternionAtTime(motion.t, columns, time), first);
    }
    return model.loopCount ? model.assemble(q) : q;
  }

  seek(time: number): void {
    const { robot, motion } = this;
    if (!robot || !motion) return;
    this.time = time;
    this.q = this.configurationAt(robot, motion, time);
    this.torque = Float64Array.from(robot.model.velocities, (name) => {
      const tau = motion.columns.get(`${name}.tau`);
      return tau ? valueAt(motion.t, tau, time) : NaN;
    });
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

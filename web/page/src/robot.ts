// SPDX-License-Identifier: BSD-2-Clause
// A robot as the page needs it: the model, and what `jounce info --json` and `jounce check --json` say about it.
import { JounceError, type Files, type Jounce, type LoadOptions, type Model } from "../../library/src/index.js";
import { isLength, slidersOf, type Slider } from "./sliders.js";

export interface Limits {
  lower: number | null;
  upper: number | null;
  velocity: number | null;
  acceleration: number | null;
  jerk: number | null;
  effort: number | null;
  effort_rate: number | null;
}

export interface JointInfo {
  name: string;
  type: string;
  q: number;
  nq: number;
  v: number;
  nv: number;
  axis: number[];
  point: number[];
  limits: Limits[];
  mimic: unknown;
}

export interface LinkInfo {
  name: string;
  parent: string | null;
  fixed: boolean;
  mass: number;
  com: number[];
  /** m, m c, moments about the origin: xx yy zz xy xz yz. */
  inertia: number[];
  placement: number[][];
  joint: JointInfo;
}

export interface Message {
  severity: "error" | "warning" | "note";
  rule: string;
  file: string;
  line: number;
  column: number;
  subject: string;
  text: string;
  remedy: string;
}

interface Info {
  name: string;
  nq: number;
  nv: number;
  mass: number;
  gravity: number[];
  links: LinkInfo[];
  frames: { name: string; link: string; placement: number[][] }[];
  loops: { name: string }[];
}

/** One velocity coordinate, which has a force, limits and columns in files. */
export interface Coordinate {
  /** As in files: the joint's name, and for joints with several coordinates an ending such as _wx. */
  name: string;
  link: number;
  joint: JointInfo;
  /** Among the velocities, and among the positions when these are the same kind of number. */
  v: number;
  q: number | null;
  limits: Limits;
  unit: "rad" | "m";
}

export interface Robot {
  source: string;
  files: Files;
  options: LoadOptions;
  model: Model;
  info: Info;
  messages: Message[];
  coordinates: Coordinate[];
  sliders: Slider[];
}

/** The options of the command that read a robot as the page does. */
export function flags(options: LoadOptions): string[] {
  return [
    ...(options.floating ? ["--floating"] : []),
    ...(options.ignoreMimic ? ["--mimic", "ignore"] : []),
    ...(options.lenient ? ["--lenient"] : []),
  ];
}

function coordinatesOf(info: Info, names: readonly string[]): Coordinate[] {
  const found: Coordinate[] = [];
  info.links.forEach((link, index) => {
    const { joint } = link;
    if (joint.mimic || joint.nv === 0) return;
    joint.limits.forEach((limits, k) => {
      found.push({
        name: names[joint.v + k] ?? joint.name,
        link: index,
        joint,
        v: joint.v + k,
        q: joint.nq === joint.nv ? joint.q + k : null,
        limits,
        unit: isLength(joint, k) ? "m" : "rad",
      });
    });
  });
  return found;
}

/** The column of a coordinate's derivative of an order (0: position) in files; null when there is none. Files have twists, the
 *  first derivatives, of free and spherical joints, and what follows from them. */
export function motionColumn(c: Coordinate, order: number): string | null {
  const first = c.q === null ? 1 : 0;
  if (order < first) return null;
  return order === first ? c.name : `${c.name}_d${String(order - first)}`;
}

/** Takes the limits of a file over those of the robot (null: the robot's own again); throws a JounceError when it is refused. */
export async function limitsOf(jounce: Jounce, robot: Robot, file: string | null, files: Files): Promise<void> {
  const option = file === null ? [] : [`--limits=${file}`];
  const run = await jounce.run(["info", "--json", ...option, ...flags(robot.options), robot.source], { ...robot.files, ...files });
  if (run.status !== 0) throw new JounceError(run.stderr.trim());
  const { links } = JSON.parse(run.stdout) as Info;
  for (const c of robot.coordinates) c.limits = links[c.link]?.joint.limits[c.v - c.joint.v] ?? c.limits;
}

/** Loads a robot; throws a JounceError when the file is not usable. */
export async function loadRobot(jounce: Jounce, source: string, files: Files, options: LoadOptions): Promise<Robot> {
  const model = jounce.load(source, files, options);
  const [info, check] = await Promise.all(
    ["info", "check"].map((command) => jounce.run([command, "--json", ...flags(options), source], files)),
  );
  if (!info || !check) throw new Error("the command gave no answer");
  const parsed = JSON.parse(info.stdout) as Info;
  const { messages } = JSON.parse(check.stdout) as { messages: Message[] };
  const sliders = parsed.links.flatMap((link) => slidersOf(link, model.velocities));
  return { source, files, options, model, info: parsed, messages, coordinates: coordinatesOf(parsed, model.velocities), sliders };
}

// SPDX-License-Identifier: BSD-2-Clause
// A robot as the page needs it: the model, and what `jounce info --json` and `jounce check --json` say about it.
import type { Files, Jounce, LoadOptions, Model } from "../../library/src/index.js";

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

/** One coordinate that a slider can move. */
export interface Coordinate {
  /** The joint's name, with a number when it has several. */
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
}

/** The options of the command that read a robot as the page does. */
export function flags(options: LoadOptions): string[] {
  return [
    ...(options.floating ? ["--floating"] : []),
    ...(options.ignoreMimic ? ["--mimic", "ignore"] : []),
    ...(options.lenient ? ["--lenient"] : []),
  ];
}

const SLIDING = new Set(["prismatic"]);

function coordinatesOf(info: Info): Coordinate[] {
  const found: Coordinate[] = [];
  info.links.forEach((link, index) => {
    const { joint } = link;
    if (joint.mimic || joint.nv === 0) return;
    joint.limits.forEach((limits, k) => {
      const plain = joint.nq === joint.nv;
      found.push({
        name: joint.nv > 1 ? `${joint.name} ${String(k + 1)}` : joint.name,
        link: index,
        joint,
        v: joint.v + k,
        q: plain ? joint.q + k : null,
        limits,
        unit: SLIDING.has(joint.type) || (joint.type === "free" && k > 2) ? "m" : "rad",
      });
    });
  });
  return found;
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
  return { source, files, options, model, info: parsed, messages, coordinates: coordinatesOf(parsed) };
}

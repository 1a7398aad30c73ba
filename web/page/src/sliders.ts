// SPDX-License-Identifier: BSD-2-Clause
// Numbers that place a robot: one for each joint coordinate; x, y, z, roll, pitch and yaw for joints that turn freely.
import { Euler, Quaternion } from "three";
import type { JointInfo, LinkInfo } from "./robot.js";

export interface Slider {
  /** "elbow", "base x", "base yaw". */
  label: string;
  /** What the label means, in a sentence. */
  title: string;
  unit: "rad" | "m";
  lower: number;
  upper: number;
  /** Velocity coordinates that stay where they are put while loops are closed. */
  held: number[];
  read(q: Float64Array): number;
  /** A copy of q with this number at another value. */
  write(q: Float64Array, value: number): Float64Array;
}

/** How far sliders without limits go. */
const REACH = { rad: 2 * Math.PI, m: 2 } as const;

/** The index of the first of four numbers qx, qy, qz, qw of a joint in q; null when it has none. */
export function quaternionAt(joint: JointInfo): number | null {
  if (joint.type === "free") return joint.q + 3;
  return joint.type === "spherical" ? joint.q : null;
}

/** Whether coordinate k of a joint is a length; the others are angles. */
export function isLength(joint: JointInfo, k: number): boolean {
  switch (joint.type) {
    case "prismatic":
      return true;
    case "cylindrical":
      return k === 1;
    case "planar":
      return k < 2;
    case "free":
      return k > 2;
    default:
      return false;
  }
}

function withValue(q: Float64Array, at: number, value: number): Float64Array {
  const out = q.slice();
  out[at] = value;
  return out;
}

/** Position of a free joint along a world axis. */
function shiftSlider(joint: JointInfo, k: number, held: number[]): Slider {
  const axis = "xyz".charAt(k);
  const at = joint.q + k;
  return {
    label: `${joint.name} ${axis}`,
    title: `Position of ${joint.name} along ${axis} of the world`,
    unit: "m",
    lower: -REACH.m,
    upper: REACH.m,
    held,
    read: (q) => q[at] ?? 0,
    write: (q, value) => withValue(q, at, value),
  };
}

/** Orientation as yaw about z, then pitch about y, then roll about x (<origin rpy> of URDF). */
const anglesOf = (q: Float64Array, at: number) =>
  new Euler().setFromQuaternion(new Quaternion(q[at], q[at + 1], q[at + 2], q[at + 3]), "ZYX");

function turnSlider(joint: JointInfo, at: number, k: number, held: number[]): Slider {
  const axis = (["x", "y", "z"] as const)[k] ?? "x";
  const name = ["roll", "pitch", "yaw"][k] ?? "";
  const most = k === 1 ? Math.PI / 2 : Math.PI;
  return {
    label: `${joint.name} ${name}`,
    title: `Orientation of ${joint.name}: ${name}, about ${axis}`,
    unit: "rad",
    lower: -most,
    upper: most,
    held,
    read: (q) => anglesOf(q, at)[axis],
    write: (q, value) => {
      const angles = anglesOf(q, at);
      angles[axis] = value;
      const out = q.slice();
      out.set(new Quaternion().setFromEuler(angles).toArray(), at);
      return out;
    },
  };
}

function plainSlider(joint: JointInfo, name: string, k: number): Slider {
  const unit = isLength(joint, k) ? "m" : "rad";
  const at = joint.q + k;
  const limits = joint.limits[k];
  return {
    label: name,
    title: name,
    unit,
    lower: Math.max(limits?.lower ?? -Infinity, -REACH[unit]),
    upper: Math.min(limits?.upper ?? Infinity, REACH[unit]),
    held: [joint.v + k],
    read: (q) => q[at] ?? 0,
    write: (q, value) => withValue(q, at, value),
  };
}

/** The sliders of the joint that carries a link; velocities: names of all velocity coordinates. */
export function slidersOf({ joint }: LinkInfo, velocities: readonly string[]): Slider[] {
  if (joint.mimic || joint.nv === 0) return [];
  const at = quaternionAt(joint);
  if (at === null) return joint.limits.map((_, k) => plainSlider(joint, velocities[joint.v + k] ?? joint.name, k));
  const held = Array.from({ length: joint.nv }, (_, k) => joint.v + k);
  const shifts = joint.type === "free" ? [0, 1, 2].map((k) => shiftSlider(joint, k, held)) : [];
  return [...shifts, ...[0, 1, 2].map((k) => turnSlider(joint, at, k, held))];
}

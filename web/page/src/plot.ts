// SPDX-License-Identifier: BSD-2-Clause
// Curves over time on a canvas, with limits and the intervals that break them.
import { color, short } from "./dom.js";

export interface Curve {
  name: string;
  color: string;
  values: Float64Array;
  /** Smallest and largest allowed value. */
  lower: number;
  upper: number;
}

const COLORS = ["#4f86d9", "#d9813f", "#4da36b", "#b65fae", "#b0a23a", "#45a9b5", "#d05c6a", "#8a78d8"];

/** Intervals [from, to] of samples outside the limits. */
export function violations(curve: Curve): [number, number][] {
  const found: [number, number][] = [];
  curve.values.forEach((x, i) => {
    if (x >= curve.lower && x <= curve.upper) return;
    const last = found.at(-1);
    if (last?.[1] === i - 1) last[1] = i;
    else found.push([i, i]);
  });
  return found;
}

/** Draws curves over t. `now`: where the playback is. `relative`: every curve as a part of its own limit. */
export function drawPlot(canvas: HTMLCanvasElement, t: Float64Array, curves: Curve[], now: number, relative: boolean): void {
  const ratio = Math.min(devicePixelRatio, 2);
  const { clientWidth: width, clientHeight: height } = canvas;
  if (width === 0) return;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const g = canvas.getContext("2d");
  if (!g) return;
  g.scale(ratio, ratio);
  const scale = (curve: Curve) => (relative ? Math.max(Math.abs(curve.lower), Math.abs(curve.upper)) : 1);
  let [low, high] = relative ? [-1.1, 1.1] : [Infinity, -Infinity];
  for (const curve of curves)
    for (const x of curve.values) {
      low = Math.min(low, x / scale(curve));
      high = Math.max(high, x / scale(curve));
    }
  if (!(high > low)) [low, high] = [low - 1, high + 1];
  const [first = 0, last = 1] = [t[0], t.at(-1)];
  const left = 48;
  const X = (time: number) => left + ((width - left - 6) * (time - first)) / (last - first || 1);
  const Y = (value: number) => height - 18 - ((height - 26) * (value - low)) / (high - low);
  g.font = "11px system-ui, sans-serif";
  g.fillStyle = color("quiet");
  g.strokeStyle = color("line");
  for (const value of relative ? [-1, 0, 1] : [low, 0, high]) {
    if (value < low || value > high) continue;
    g.beginPath();
    g.moveTo(left, Y(value));
    g.lineTo(width, Y(value));
    g.stroke();
    g.textAlign = "right";
    g.fillText(relative ? `${String(100 * value)} %` : short(value, 3), left - 4, Y(value) + 4);
  }
  g.textAlign = "left";
  g.fillText(`${short(first, 3)} s`, left, height - 4);
  g.textAlign = "right";
  g.fillText(`${short(last, 3)} s`, width - 4, height - 4);
  for (const curve of curves) {
    g.fillStyle = "rgba(208, 48, 56, 0.18)";
    for (const [a, b] of violations(curve)) {
      const [from, to] = [X(t[a] ?? first), X(t[b] ?? last)];
      g.fillRect(from - 1, 4, to - from + 2, height - 22);
    }
    g.strokeStyle = curve.color;
    g.lineWidth = 1.4;
    g.beginPath();
    curve.values.forEach((x, i) => {
      g.lineTo(X(t[i] ?? 0), Y(x / scale(curve)));
    });
    g.stroke();
  }
  g.strokeStyle = color("text");
  g.lineWidth = 1;
  g.beginPath();
  g.moveTo(X(now), 4);
  g.lineTo(X(now), height - 18);
  g.stroke();
}

export function curveColor(index: number): string {
  return COLORS[index % COLORS.length] ?? "gray";
}

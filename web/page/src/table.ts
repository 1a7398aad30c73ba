// SPDX-License-Identifier: BSD-2-Clause
// Tables over time that jounce wrote: reading them, and values between their rows.

/** The columns of a CSV file that jounce wrote, by their names without units. */
export function readTable(bytes: Uint8Array): Map<string, Float64Array> {
  const lines = new TextDecoder().decode(bytes).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const names = (lines[0] ?? "").split(",").map((name) => name.replace(/^"|"$/g, "").replace(/ \[[^\]]*\]$/, ""));
  const columns = names.map(() => new Float64Array(lines.length - 1));
  lines.slice(1).forEach((line, row) => {
    line.split(",").forEach((text, k) => {
      const column = columns[k];
      if (column) column[row] = text === "" ? NaN : Number(text);
    });
  });
  return new Map(names.map((name, k) => [name, columns[k] ?? new Float64Array()]));
}

/** The rows before and after a time, and how far it is from the one to the other, 0 to 1. */
function rowsAround(t: Float64Array, time: number): { before: number; after: number; part: number } {
  let [before, after] = [0, Math.max(t.length - 1, 0)];
  while (after - before > 1) {
    const middle = (before + after) >> 1;
    if ((t[middle] ?? 0) <= time) before = middle;
    else after = middle;
  }
  const [start = 0, end = 0] = [t[before], t[after]];
  return { before, after, part: end > start ? Math.min(Math.max((time - start) / (end - start), 0), 1) : 0 };
}

/** A column at a time, between rows linearly. */
export function valueAt(t: Float64Array, column: Float64Array, time: number): number {
  const { before, after, part } = rowsAround(t, time);
  return (1 - part) * (column[before] ?? 0) + part * (column[after] ?? 0);
}

/** Four columns of a quaternion at a time: linearly the short way round, and of length 1. */
export function quaternionAtTime(t: Float64Array, columns: Float64Array[], time: number): number[] {
  const { before, after, part } = rowsAround(t, time);
  const ends = columns.map((column) => [column[before] ?? 0, column[after] ?? 0] as const);
  const side = ends.reduce((sum, [a, b]) => sum + a * b, 0) < 0 ? -1 : 1;
  const mixed = ends.map(([a, b]) => (1 - part) * a + part * side * b);
  const length = Math.hypot(...mixed) || 1;
  return mixed.map((x) => x / length);
}

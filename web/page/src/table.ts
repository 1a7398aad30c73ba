// SPDX-License-Identifier: BSD-2-Clause
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

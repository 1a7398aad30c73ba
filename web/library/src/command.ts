// SPDX-License-Identifier: BSD-2-Clause
import { start, type Factory, type Instance } from "./wasm.js";

/** Files by name, as text or bytes. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** What a run of the command left. */
export interface Run {
  /** The exit status of the command. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Files that the command wrote or changed. */
  readonly files: Record<string, Uint8Array>;
}

const FOLDER = "/work";

/** Writes files below a folder of the instance. */
export function writeFiles(instance: Instance, folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const path = `${folder}/${name}`;
    instance.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    instance.FS.writeFile(path, content);
  }
}

function same(a: Uint8Array, given: string | Uint8Array | undefined): boolean {
  if (given === undefined) return false;
  const b = typeof given === "string" ? new TextEncoder().encode(given) : given;
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function collect(instance: Instance, folder: string, given: Files, found: Record<string, Uint8Array>): void {
  for (const name of instance.FS.readdir(folder)) {
    if (name === "." || name === "..") continue;
    const path = `${folder}/${name}`;
    if (instance.FS.isDir(instance.FS.stat(path).mode)) {
      collect(instance, path, given, found);
      continue;
    }
    const content = instance.FS.readFile(path);
    const relative = path.slice(FOLDER.length + 1);
    if (!same(content, given[relative])) found[relative] = content;
  }
}

/** Runs the command `jounce` in an instance of its own, in a folder that holds only these files. */
export async function run(
  factory: Factory,
  module: WebAssembly.Module,
  args: readonly string[],
  files: Files = {},
): Promise<Run> {
  const out: string[] = [];
  const error: string[] = [];
  const instance = await start(factory, module, {
    out: (line) => out.push(line),
    error: (line) => error.push(line),
  });
  instance.FS.mkdirTree(FOLDER);
  writeFiles(instance, FOLDER, files);
  instance.FS.chdir(FOLDER);
  const status = instance.callMain([...args]);
  const written: Record<string, Uint8Array> = {};
  collect(instance, FOLDER, files, written);
  const text = (lines: string[]) => lines.map((line) => `${line}\n`).join("");
  return { status, stdout: text(out), stderr: text(error), files: written };
}

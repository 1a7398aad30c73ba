// SPDX-License-Identifier: BSD-2-Clause
// jounce in JavaScript: the C library and its command, compiled to WebAssembly. Everything is computed where this runs.
import { run, writeFiles, type Files, type Run } from "./command.js";
import { JounceError } from "./errors.js";
import { Scratch, textAt, textBytes } from "./memory.js";
import { Model } from "./model.js";
import { start, type Factory, type Instance } from "./wasm.js";

export { Batch } from "./batch.js";
export { JounceError, Model };
export { Simulator, type Integrator, type Numbers, type SimulationOptions, type State } from "./model.js";
export type { Factory, Files, Run };

export interface LoadOptions {
  /** The root link gets a free joint. */
  floating?: boolean;
  /** Joints that mimic others move independently. */
  ignoreMimic?: boolean;
  /** What MJCF has and jounce cannot express is left out. */
  lenient?: boolean;
}

const MODELS = "/models";

/** Whether this engine runs jounce-simd.wasm. All current ones do: Chrome from 91, Firefox from 89, Safari from 16.4, Node from 16.4. */
export function hasSimd(): boolean {
  // A module with one function whose body is i32.const 0; i8x16.splat; drop.
  return WebAssembly.validate(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 65, 0, 253, 15, 26, 11));
}

/** A module, ready to load robots and to run the command. */
export class Jounce {
  private readonly factory: Factory;
  private readonly module: WebAssembly.Module;
  private readonly instance: Instance;
  private readonly scratch: Scratch;

  private constructor(factory: Factory, module: WebAssembly.Module, instance: Instance) {
    this.factory = factory;
    this.module = module;
    this.instance = instance;
    this.scratch = new Scratch(instance);
  }

  /** From what jounce.mjs exports and the content of jounce.wasm; or from jounce-simd.mjs and jounce-simd.wasm, where
   *  the engine has SIMD128 (see hasSimd()). */
  static async create(factory: Factory, wasm: BufferSource | WebAssembly.Module): Promise<Jounce> {
    const module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
    const silent = { out: () => undefined, error: () => undefined };
    return new Jounce(factory, module, await start(factory, module, silent));
  }

  get version(): string {
    return textAt(this.instance, this.instance["_jn_version"]?.() ?? 0);
  }

  /** Names of the built-in robots; load them as builtin:NAME. */
  get builtin(): string[] {
    const count = this.instance["_jn_builtin_count"]?.() ?? 0;
    return Array.from({ length: count }, (_, i) => textAt(this.instance, this.instance["_jn_builtin_name"]?.(i) ?? 0));
  }

  /** Reads a robot: "builtin:NAME", or one of the files (URDF, MJCF or native; others may be meshes that it refers to).
   *  Throws a JounceError with file, line and remedy. */
  load(source: string, files: Files = {}, options: LoadOptions = {}): Model {
    const { floating = false, ignoreMimic = false, lenient = false } = options;
    this.instance.FS.mkdirTree(MODELS);
    this.instance.FS.chdir(MODELS);
    writeFiles(this.instance, MODELS, files);
    this.scratch.reset(textBytes(source));
    const flags = [floating, ignoreMimic, lenient].map(Number);
    const address = this.instance["_web_load"]?.(this.scratch.text(source), ...flags) ?? 0;
    if (address === 0) throw new JounceError(textAt(this.instance, this.instance["_web_error"]?.() ?? 0));
    return new Model(this.instance, address);
  }

  /** Runs the command, e.g. run(["torque", "robot.urdf", "motion.csv", "--out", "t.csv"], files), and returns what it
   *  printed and wrote. */
  run(args: readonly string[], files: Files = {}): Promise<Run> {
    return run(this.factory, this.module, args, files);
  }
}

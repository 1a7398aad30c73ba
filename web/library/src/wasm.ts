// SPDX-License-Identifier: BSD-2-Clause
// The WebAssembly module that script/web builds, as TypeScript sees it.

/** Files in the memory of one instance. */
export interface FileSystem {
  writeFile(path: string, data: string | Uint8Array): void;
  readFile(path: string): Uint8Array;
  mkdirTree(path: string): void;
  readdir(path: string): string[];
  stat(path: string): { mode: number };
  isDir(mode: number): boolean;
  chdir(path: string): void;
}

/** One instance: its own memory, its own files. */
export interface Instance {
  readonly HEAPF64: Float64Array;
  readonly HEAP32: Int32Array;
  readonly HEAPU8: Uint8Array;
  readonly FS: FileSystem;
  readonly ENV: Record<string, string>;
  callMain(args: string[]): number;
  _malloc(bytes: number): number;
  _free(address: number): number;
  /** The public functions of jounce, as `_jn_...`. */
  readonly [name: `_${string}`]: (...values: number[]) => number;
}

/** The function that emscripten writes to jounce.mjs. */
export type Factory = (settings: {
  print(line: string): void;
  printErr(line: string): void;
  preRun: ((instance: Instance) => void)[];
  instantiateWasm(
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): object;
}) => Promise<Instance>;

/** Where lines that the module prints go. */
export interface Output {
  out(line: string): void;
  error(line: string): void;
}

/** Starts an instance of a compiled module; environment: further variables, e.g. JOUNCE_VARIANT. */
export async function start(
  factory: Factory,
  module: WebAssembly.Module,
  output: Output,
  environment: Record<string, string> = {},
): Promise<Instance> {
  let failed: (reason: unknown) => void = () => undefined;
  const failure = new Promise<never>((_, reject) => {
    failed = reject;
  });
  const ready = factory({
    print: (line) => {
      output.out(line);
    },
    printErr: (line) => {
      output.error(line);
    },
    preRun: [
      (instance) => {
        instance.ENV["NO_COLOR"] = "1";
        instance.ENV["TERM"] = "dumb";
        Object.assign(instance.ENV, environment);
      },
    ],
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(module, imports).then((instance) => {
        done(instance, module);
      }, failed);
      return {};
    },
  });
  return Promise.race([ready, failure]);
}

// SPDX-License-Identifier: BSD-2-Clause
import type { Instance } from "./wasm.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A text in the memory of the module, as JavaScript's. */
export function textAt(instance: Instance, address: number): string {
  if (address === 0) return "";
  const bytes = instance.HEAPU8;
  return decoder.decode(bytes.subarray(address, bytes.indexOf(0, address)));
}

/** Memory of the module that one call uses: a stack that starts again with every call. */
export class Scratch {
  private readonly instance: Instance;
  private base = 0;
  private size = 0;
  private used = 0;

  constructor(instance: Instance) {
    this.instance = instance;
  }

  /** Everything that was placed is forgotten; there is room for this many bytes. */
  reset(bytes: number): void {
    this.used = 0;
    if (bytes <= this.size) return;
    this.instance._free(this.base);
    this.size = Math.max(bytes, 2 * this.size);
    this.base = this.instance._malloc(this.size);
    if (this.base === 0) throw new RangeError("jounce: out of memory");
  }

  private take(bytes: number): number {
    const at = this.base + this.used;
    this.used += (bytes + 7) & ~7;
    if (this.used > this.size) throw new RangeError("jounce: scratch memory is too small");
    return at;
  }

  /** Room for numbers. */
  numbers(count: number): number {
    return this.take(8 * count);
  }

  /** Numbers for the module to read; 0 (NULL) for none. */
  put(values: ArrayLike<number> | null | undefined): number {
    if (!values) return 0;
    const at = this.numbers(values.length);
    this.instance.HEAPF64.set(values, at / 8);
    return at;
  }

  bytes(values: ArrayLike<number> | null | undefined): number {
    if (!values) return 0;
    const at = this.take(values.length);
    this.instance.HEAPU8.set(values, at);
    return at;
  }

  text(value: string): number {
    const bytes = encoder.encode(value);
    const at = this.take(bytes.length + 1);
    this.instance.HEAPU8.set(bytes, at);
    this.instance.HEAPU8[at + bytes.length] = 0;
    return at;
  }

  /** A copy of what the module wrote. */
  get(at: number, count: number): Float64Array {
    return this.instance.HEAPF64.slice(at / 8, at / 8 + count);
  }

  free(): void {
    this.instance._free(this.base);
    this.base = this.size = this.used = 0;
  }
}

/** Bytes that a text takes with its end. */
export function textBytes(value: string): number {
  return 3 * value.length + 16;
}

// SPDX-License-Identifier: BSD-2-Clause
// What the builds of the page and of the live examples share.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** jounce.wasm as the module virtual:jounce-wasm: packed, in base64. */
export function packedModule(): Plugin {
  const id = "virtual:jounce-wasm";
  return {
    name: "jounce-wasm",
    resolveId: (name) => (name === id ? `\0${id}` : null),
    load(name) {
      if (name !== `\0${id}`) return null;
      const bytes = readFileSync(new URL("../dist/jounce.wasm", import.meta.url));
      return `export default ${JSON.stringify(gzipSync(bytes, { level: 9 }).toString("base64"))}`;
    },
  };
}

/** emscripten's code would fetch jounce.wasm by its address; the page has it inside. */
export function withoutAddress(): Plugin {
  return {
    name: "without-address",
    transform: (code, name) =>
      name.endsWith("/dist/jounce.mjs") ? code.replace('new URL("jounce.wasm",import.meta.url).toString()', '"jounce.wasm"') : null,
  };
}

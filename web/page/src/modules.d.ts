// SPDX-License-Identifier: BSD-2-Clause
declare module "virtual:jounce-wasm" {
  /** jounce.wasm, packed by gzip, in base64. */
  const packed: string;
  export default packed;
}
declare module "*/dist/jounce.mjs" {
  const factory: unknown;
  export default factory;
}

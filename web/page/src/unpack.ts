// SPDX-License-Identifier: BSD-2-Clause
// Files inside of the page: base64, and the module packed by gzip.

export const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

export async function unpack(base64: string): Promise<ArrayBuffer> {
  return new Response(new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

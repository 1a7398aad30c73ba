// SPDX-License-Identifier: BSD-2-Clause
/** What a function of the library refused, with the library's own words. */
export class JounceError extends Error {
  override readonly name = "JounceError";
  /** The library's status (jn_status), 0 when a file could not be read. */
  readonly status: number;

  constructor(message: string, status = 0) {
    super(message);
    this.status = status;
  }
}

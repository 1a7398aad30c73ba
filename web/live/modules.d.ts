// SPDX-License-Identifier: BSD-2-Clause
declare module "*?raw" {
  const text: string;
  export default text;
}

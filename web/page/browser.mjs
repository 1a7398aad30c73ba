// SPDX-License-Identifier: BSD-2-Clause
// The browser of the tests: Debian's Chromium, or the one that CHROMIUM names. Screenshots go to build/web/pictures.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const pictures = fileURLToPath(new URL("../../build/web/pictures/", import.meta.url));
mkdirSync(pictures, { recursive: true });

export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });

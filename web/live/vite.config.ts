// SPDX-License-Identifier: BSD-2-Clause
// One plain script, dist/live.js: modules cannot be loaded by pages that are opened as files.
import { defineConfig } from "vite";
import { packedModule, withoutAddress } from "../page/plugins.js";

export default defineConfig({
  root: new URL(".", import.meta.url).pathname,
  plugins: [packedModule(), withoutAddress()],
  build: {
    outDir: "../dist/live",
    emptyOutDir: true,
    lib: { entry: "main.ts", formats: ["iife"], name: "jounceLive", fileName: () => "live.js" },
    target: "es2022",
    chunkSizeWarningLimit: 4000,
  },
});

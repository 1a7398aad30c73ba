// SPDX-License-Identifier: BSD-2-Clause
// One self-contained file: scripts, styles and the packed module are inside index.html.
import { gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import { packedModule, withoutAddress } from "./plugins.js";

/** A script packed by gzip, and what unpacks and starts it: a quarter smaller than the script itself. */
function packedScript(code: string): string {
  const packed = gzipSync(code, { level: 9 }).toString("base64");
  const start = `const bytes = Uint8Array.from(atob(document.getElementById("packed").textContent), (c) => c.charCodeAt(0));
const script = document.createElement("script");
script.type = "module";
script.textContent = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
document.head.append(script);`;
  return `<script id="packed" type="text/plain">${packed}</script><script type="module">${start}</script>`;
}

function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("there is no index.html");
      let html = String(page.source);
      for (const [name, part] of Object.entries(bundle)) {
        if (name === "index.html") continue;
        const isScript = part.type === "chunk";
        const tag = isScript ? new RegExp(`<script[^>]*src="[^"]*${part.fileName}"[^>]*></script>`) : new RegExp(`<link[^>]*href="[^"]*${part.fileName}"[^>]*>`);
        const made = isScript ? packedScript(part.code) : `<style>${String(part.source)}</style>`;
        const before = isScript ? "</body>" : "</head>";
        html = html.replace(tag, "").replace(before, () => `${made}${before}`);
        Reflect.deleteProperty(bundle, name);
      }
      page.source = html;
    },
  };
}

export default defineConfig({
  root: new URL(".", import.meta.url).pathname,
  base: "./",
  plugins: [packedModule(), withoutAddress(), oneFile()],
  build: { outDir: "../dist/page", emptyOutDir: true, modulePreload: false, assetsInlineLimit: 1e9, cssCodeSplit: false, target: "es2022", chunkSizeWarningLimit: 4000 },
});

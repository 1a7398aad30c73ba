// SPDX-License-Identifier: BSD-2-Clause
// One self-contained file: scripts, styles and the packed module are inside index.html.
import { defineConfig, type Plugin } from "vite";
import { packedModule, withoutAddress } from "../plugins.js";

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
        const text = (part.type === "chunk" ? part.code : String(part.source)).replaceAll("</script", "<\\/script");
        const tag = part.type === "chunk" ? new RegExp(`<script[^>]*src="[^"]*${part.fileName}"[^>]*></script>`) : new RegExp(`<link[^>]*href="[^"]*${part.fileName}"[^>]*>`);
        html = html.replace(tag, "");
        const made = part.type === "chunk" ? `<script type="module">${text}</script>` : `<style>${text}</style>`;
        html = html.replace(part.type === "chunk" ? "</body>" : "</head>", () => `${made}${part.type === "chunk" ? "</body>" : "</head>"}`);
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

// SPDX-License-Identifier: BSD-2-Clause
// The live examples of the documentation site: blocks of code that can be changed and run on the library in the page.
// One script with the module inside, so that it also works in pages that are opened as files.
import factory from "../dist/jounce.mjs";
import { Jounce, type Factory, type Model } from "../library/src/index.js";
import { unpack } from "../page/src/unpack.js";
import { download, element } from "../page/src/dom.js";
import wasm from "virtual:jounce-wasm";
import motion from "../../examples/panda_motion.csv?raw";

const FILES = { "panda_motion.csv": motion };
let module: Promise<Jounce> | null = null;
const ready = (): Promise<Jounce> => (module ??= unpack(wasm).then((bytes) => Jounce.create(factory as Factory, bytes)));

type Print = (...values: unknown[]) => void;
type Example = (jounce: object, print: Print) => Promise<void>;

/** Robots that an example loads are released after it. */
async function runCode(code: string, print: Print): Promise<void> {
  const jounce = await ready();
  const loaded: Model[] = [];
  const lent = {
    version: jounce.version,
    builtin: jounce.builtin,
    load: (...values: Parameters<Jounce["load"]>) => {
      const model = jounce.load(...values);
      loaded.push(model);
      return model;
    },
    run: (args: string[], files = {}) => jounce.run(args, { ...FILES, ...files }),
  };
  // The reader's own code, in the reader's own page: nothing else can put code here.
  const asynchronous: unknown = async () => Promise.resolve();
  const make = (asynchronous as { constructor: new (...text: string[]) => Example }).constructor;
  try {
    await new make("jounce", "print", code)(lent, print);
  } finally {
    for (const model of loaded) model.free();
  }
}

/** Words of a command line; quotes hold words together. */
export function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((m) => m[1] ?? m[2] ?? m[3] ?? "");
}

async function runCommand(line: string, print: Print, bar: HTMLElement): Promise<void> {
  const [name, ...args] = words(line.trim());
  if (name !== "jounce") throw new Error("Only the command jounce is here: jounce --help lists what it does.");
  const run = await (await ready()).run(args, FILES);
  print((run.stdout + run.stderr).trimEnd());
  print(`(exit status ${String(run.status)})`);
  for (const [file, content] of Object.entries(run.files))
    bar.append(element("button", { class: "saved", onclick: () => { download(file, content); } }, `Save ${file}`));
}

function makeLive(block: Element): void {
  const code = block.querySelector("code")?.textContent.trimEnd() ?? "";
  const command = block.classList.contains("command");
  const text = element("textarea", { rows: code.split("\n").length + 1, spellcheck: "false", "aria-label": command ? "Command line" : "Example, can be changed" });
  const output = element("pre", { class: "output", "aria-live": "polite" });
  const button = element("button", {}, "Run");
  const bar = element("div", { class: "bar" }, button);
  text.value = code;
  const start = async () => {
    output.textContent = "…";
    output.classList.remove("bad");
    for (const saved of bar.querySelectorAll(".saved")) saved.remove();
    const lines: string[] = [];
    const print: Print = (...values) => lines.push(values.map(String).join(" "));
    const begin = performance.now();
    try {
      await (command ? runCommand(text.value, print, bar) : runCode(text.value, print));
      lines.push(`\n${(performance.now() - begin).toFixed(0)} ms`);
    } catch (error) {
      lines.push(error instanceof Error ? error.message : String(error));
      output.classList.add("bad");
    }
    output.textContent = lines.join("\n");
  };
  button.addEventListener("click", () => void start());
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void start();
  });
  block.replaceChildren(text, bar, output);
}

for (const block of document.querySelectorAll(".live")) makeLive(block);

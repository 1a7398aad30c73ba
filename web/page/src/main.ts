// SPDX-License-Identifier: BSD-2-Clause
// Puts the page together: the module, the view, the panels, files that are dropped, and the address.
import factory from "../../dist/jounce.mjs";
import { Jounce, type Factory, type Files, type LoadOptions } from "../../library/src/index.js";
import { App, type Panel } from "./app.js";
import { byId, element } from "./dom.js";
import { filesPanel } from "./files.js";
import { jointsPanel } from "./joints.js";
import { isMotion, motionPanel } from "./motion.js";
import { checkPanel, matrixPanel, simulatePanel } from "./panels.js";
import type { Robot } from "./robot.js";
import { sharePanel } from "./share.js";
import { bytesOf, unpack } from "./unpack.js";
import { PARTS, USUAL, Viewer } from "./viewer.js";
import wasm from "virtual:jounce-wasm";
import "./style.css";

/** What `jounce view` puts into the page. */
interface Given extends LoadOptions {
  /** Names are percent-encoded, contents in base64: nothing of them can be markup. */
  source: string;
  files: [name: string, content: string][];
  /** Further names of files, and the name that each has in `files`. */
  same?: [name: string, original: string][];
  motion?: string;
  /** Files of limits and of wrenches for the motion, and whether losses count. */
  limits?: string;
  wrench?: string;
  losses?: boolean;
}

const ROBOT_FILE = /\.(urdf|xml|mjcf|json)$/i;

/** Not package.xml, a launch file or any other XML or JSON of a folder; a broken robot is one, too. */
const isRobot = (text: string) => /<(robot|mujoco)[\s>]|"bodies"/.test(text) || !/<(package|launch|plist|html)[\s>]/.test(text);

function say(text: string, kind = ""): void {
  const status = byId("status", "div");
  status.textContent = text;
  status.className = kind;
}

function addTabs(panels: Panel[], shown: () => void): void {
  const tabs = byId("tabs", "nav");
  const pages = byId("pages", "div");
  panels.forEach((panel, k) => {
    const button = element("button", { role: "tab", id: `tab${String(k)}`, "aria-controls": "pages" }, panel.title);
    button.addEventListener("click", () => {
      for (const other of tabs.children) other.setAttribute("aria-selected", String(other === button));
      pages.replaceChildren(panel.root);
      pages.setAttribute("aria-labelledby", button.id);
      shown();
    });
    button.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      const next = tabs.children[(k + step + panels.length) % panels.length];
      if (step && next instanceof HTMLElement) next.focus();
    });
    tabs.append(button);
  });
  const first = tabs.firstElementChild;
  if (first instanceof HTMLElement) first.click();
}

// ---- Files ----

type Named = [name: string, file: File];

async function entries(item: FileSystemEntry, folder: string): Promise<Named[]> {
  const path = folder + item.name;
  if (item.isFile)
    return [[path, await new Promise<File>((done, failed) => { (item as FileSystemFileEntry).file(done, failed); })]];
  const reader = (item as FileSystemDirectoryEntry).createReader();
  const all: Named[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => { reader.readEntries(done, failed); });
    if (some.length === 0) return all;
    for (const entry of some) all.push(...(await entries(entry, `${path}/`)));
  }
}

async function openFiles(app: App, named: Named[]): Promise<void> {
  const files: Record<string, Uint8Array> = {};
  for (const [name, file] of named) files[name] = new Uint8Array(await file.arrayBuffer());
  const text = (name: string) => new TextDecoder().decode(files[name]);
  const names = Object.keys(files);
  const motion = names.find((name) => isMotion(name, text(name)));
  const robots = names.filter((name) => ROBOT_FILE.test(name) && name !== motion && isRobot(text(name)));
  const [robot, ...others] = robots.sort((a, b) => Number(!/\.urdf$/i.test(a)) - Number(!/\.urdf$/i.test(b)));
  if (robot !== undefined) {
    if (await app.open(robot, files)) {
      remember(app);
      if (others.length) app.tell(`Shown: ${robot}. There are other robots among the files: ${others.slice(0, 5).join(", ")}`);
    }
  } else if (motion === undefined) {
    say(`None of these files is a robot (.urdf, .xml, .json) or a motion (.csv, .json): ${names.slice(0, 5).join(", ")}`, "error");
  }
  if (motion !== undefined) await app.follow(motion, files);
}

function listenToFiles(app: App): void {
  for (const id of ["files", "folder"]) {
    const input = byId(id, "input");
    input.addEventListener("change", () => {
      void openFiles(app, [...(input.files ?? [])].map((file) => [file.webkitRelativePath || file.name, file]));
    });
  }
  const shade = byId("drop", "div");
  addEventListener("dragover", (event) => {
    event.preventDefault();
    shade.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) shade.hidden = true;
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    shade.hidden = true;
    const items = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry()).filter((item) => item !== null);
    const plain: Named[] = [...(event.dataTransfer?.files ?? [])].map((file) => [file.name, file]);
    const all = items.length ? Promise.all(items.map((item) => entries(item, ""))).then((lists) => lists.flat()) : Promise.resolve(plain);
    void all.then((named) => openFiles(app, named));
  });
}

// ---- The address: #robot=builtin:panda&q=0,0.1&panel=Motion&motion=builtin:demo&t=0.5&show=shapes,axes ----

const loopsOf = ({ model: { loopCount } }: Robot) => (loopCount ? `, ${String(loopCount)} loop${loopCount === 1 ? "" : "s"}` : "");

function tellTitle({ robot }: App): void {
  if (robot) byId("title", "span").textContent = `${robot.info.name}: ${String(robot.info.nv)} coordinates, ${robot.info.mass.toPrecision(4)} kg${loopsOf(robot)}`;
}

function remember(app: App): void {
  const { robot, motion } = app;
  if (!robot) return;
  tellTitle(app);
  const q = [...app.q].map((x) => String(Number(x.toPrecision(6)))).join(",");
  const state = new URLSearchParams();
  if (robot.source.startsWith("builtin:")) {
    state.set("robot", robot.source);
    state.set("q", q);
    if (motion?.name.startsWith("builtin:")) {
      state.set("motion", motion.name);
      state.set("t", app.time.toFixed(3));
    }
  }
  const panel = document.querySelector('#tabs [aria-selected="true"]')?.textContent ?? "";
  if (panel !== "Joints") state.set("panel", panel);
  const parts = PARTS.filter((part) => app.viewer.isShown(part));
  if (parts.join() !== USUAL.join()) state.set("show", parts.join(","));
  history.replaceState(null, "", `#${state.toString().replaceAll("%3A", ":").replaceAll("%2C", ",")}`);
}

/** What the address says besides robot and configuration. */
async function restoreRest(app: App, state: URLSearchParams): Promise<void> {
  const motion = state.get("motion");
  if (motion?.startsWith("builtin:")) {
    await app.follow(motion, {});
    const time = Number(state.get("t"));
    if (app.motion && Number.isFinite(time)) app.seek(Math.min(Math.max(time, app.motion.t[0] ?? 0), app.motion.t.at(-1) ?? 0));
  }
  const panel = state.get("panel");
  for (const button of byId("tabs", "nav").children)
    if (button instanceof HTMLElement && button.textContent === panel) button.click();
  const shown = state.get("show")?.split(",");
  if (shown) for (const part of PARTS) app.viewer.toggle(part, shown.includes(part));
}

async function restore(app: App): Promise<void> {
  const given = JSON.parse(byId("given", "script").textContent || "null") as Given | null;
  if (given) {
    const files = Object.fromEntries(given.files.map(([name, content]) => [decodeURIComponent(name), bytesOf(content)]));
    for (const [again, original] of given.same ?? []) {
      const content = files[decodeURIComponent(original)];
      if (content) files[decodeURIComponent(again)] = content;
    }
    const name = (text: string | undefined) => (text === undefined ? null : decodeURIComponent(text));
    const { losses = false } = given;
    const ready = await app.open(decodeURIComponent(given.source), files, given)
      && await app.setConditions({ limits: name(given.limits), wrench: name(given.wrench), losses, files });
    if (ready && given.motion !== undefined) await app.follow(decodeURIComponent(given.motion), files);
    remember(app);
    return;
  }
  const state = new URLSearchParams(location.hash.slice(1));
  await app.open(state.get("robot") ?? "builtin:panda");
  const q = state.get("q")?.split(",").map(Number);
  if (q?.length === app.q.length && q.every(Number.isFinite)) app.place(Float64Array.from(q));
  await restoreRest(app, state);
  remember(app);
}

function addControls(app: App): void {
  const choice = byId("robot", "select");
  choice.append(...app.jounce.builtin.map((name) => element("option", { value: `builtin:${name}` }, name)));
  const own = element("option", { disabled: true });
  const show = () => {
    const source = app.robot?.source ?? "";
    const builtin = source.startsWith("builtin:");
    if (builtin) own.remove();
    else choice.prepend(own);
    tellTitle(app);
    own.value = own.textContent = builtin ? "" : source;
    choice.value = source;
  };
  app.panels.push({ title: "", root: choice, load: show });
  show();
  choice.addEventListener("change", () => {
    void app.open(choice.value).then(() => { remember(app); });
  });
  for (const part of PARTS) {
    const box = element("input", { type: "checkbox", checked: app.viewer.isShown(part) });
    box.addEventListener("change", () => {
      app.viewer.toggle(part, box.checked);
      remember(app);
    });
    byId("shown", "div").append(element("label", {}, box, ` ${part}`));
  }
  byId("play", "button").addEventListener("click", () => { app.playing = !app.playing && app.motion !== null; });
  byId("time", "input").addEventListener("input", () => {
    app.playing = false;
    app.seek(byId("time", "input").valueAsNumber);
  });
}

/** The clock below the view, while there is a motion. */
function clockPanel(app: App): Panel {
  const [clock, time, now, play] = [byId("clock", "div"), byId("time", "input"), byId("now", "output"), byId("play", "button")];
  return {
    title: "",
    root: clock,
    motion: () => {
      clock.hidden = !app.motion;
      time.min = String(app.motion?.t[0] ?? 0);
      time.max = String(app.motion?.t.at(-1) ?? 1);
    },
    moved: () => {
      time.value = String(app.time);
      now.textContent = `${app.time.toFixed(2)} s`;
      play.textContent = app.playing ? "❚❚" : "▶";
    },
  };
}

async function begin(): Promise<void> {
  let ready = false;
  say("Starting …");
  const jounce = await Jounce.create(factory as Factory, await unpack(wasm));
  const app = new App(jounce, new Viewer(byId("view", "canvas")), say);
  const panels = [jointsPanel, checkPanel, motionPanel, simulatePanel, matrixPanel, sharePanel, filesPanel].map((make) => make(app));
  app.panels.push(...panels, clockPanel(app));
  addTabs(panels, () => {
    for (const panel of panels) panel.moved?.();
    if (ready) remember(app);
  });
  await restore(app);
  ready = true;
  addControls(app);
  listenToFiles(app);
  addEventListener("hashchange", () => void restore(app));
  let waiting = 0;
  app.panels.push({ title: "", root: document.body, moved: () => { clearTimeout(waiting); waiting = window.setTimeout(() => { remember(app); }, 500); } });
  const tick = (now: number) => {
    app.tick(now);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  Object.assign(globalThis, { jounceApp: app }); // for the tests, and for the console
}

void begin().catch((error: unknown) => { say(String(error), "error"); });
export type { Files };

// SPDX-License-Identifier: BSD-2-Clause
// The panel Files: everything that the page holds besides itself. Who gets a page of `jounce view` gets these files with it.
import type { App, Panel } from "./app.js";
import { download, element } from "./dom.js";
import type { Files } from "../../library/src/index.js";

/** A file with all names that it goes by; contents that are one array were given once. */
export interface Held {
  names: string[];
  bytes: Uint8Array;
  use: string;
}

/** What a file is used for, by the names that the page uses. */
function useOf(app: App, names: string[]): string {
  const { robot, motion, conditions, looks } = app;
  const is = (name: string | null | undefined) => name !== null && name !== undefined && names.includes(name);
  if (is(robot?.source)) return "robot";
  if (is(motion?.name)) return "motion";
  if (is(conditions.limits)) return "limits";
  if (is(conditions.wrench)) return "wrenches";
  if (!names.some((name) => /\.(stl|obj|dae)$/i.test(name))) return "";
  return names.some((name) => looks.unreadable.includes(name)) ? "mesh that cannot be read" : "mesh";
}

export function heldFiles(app: App): Held[] {
  const all: Files = { ...app.robot?.files, ...app.conditions.files, ...app.motion?.files };
  const found = new Map<Uint8Array | string, string[]>();
  for (const [name, content] of Object.entries(all)) found.set(content, [...(found.get(content) ?? []), name]);
  return [...found].map(([content, names]) => ({
    names,
    bytes: typeof content === "string" ? new TextEncoder().encode(content) : content,
    use: useOf(app, names),
  }));
}

const size = (bytes: number) => (bytes < 1e4 ? `${String(bytes)} bytes` : bytes < 1e7 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

export function filesPanel(app: App): Panel {
  const root = element("div");
  const row = ({ names, bytes, use }: Held) => {
    const [name = "", ...others] = names;
    const save = element("button", { onclick: () => { download(name.split("/").pop() ?? name, bytes); } }, "Save");
    const also = others.length ? [element("p", { class: "quiet" }, `also called ${others.join(", ")}`)] : [];
    return element("tr", {}, element("td", {}, name, ...also), element("td", {}, use), element("td", { class: "number" }, size(bytes.length)), element("td", {}, save));
  };
  const draw = () => {
    const held = heldFiles(app);
    const total = held.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const count = held.length === 1 ? "one file" : `${String(held.length)} files`;
    root.replaceChildren(
      element("p", {}, held.length
        ? `Besides itself, the page holds ${count}, ${size(total)} together. They were put into it by the one who made it, or opened by you; the page sends nothing anywhere.`
        : "The page holds no files: the robot is built in."),
      element("table", {}, ...held.map(row)),
    );
  };
  return { title: "Files", root, load: draw, motion: draw };
}

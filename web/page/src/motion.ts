// SPDX-License-Identifier: BSD-2-Clause
// The panel Motion: torques and rates over time, where they break limits, and under which conditions they are computed.
import { conditionFlags, MOTION_FILE, type App, type Conditions, type Motion, type Panel } from "./app.js";
import { download, element, short } from "./dom.js";
import { curveColor, drawPlot, violations, type Curve } from "./plot.js";
import { flags, motionColumn, type Coordinate } from "./robot.js";

const QUANTITIES = [
  { title: "Torque", column: (c: Coordinate) => `${c.name}.tau`, limit: "effort" },
  { title: "Torque rate", column: (c: Coordinate) => `${c.name}.tau_d1`, limit: "effort_rate" },
  { title: "Position", column: (c: Coordinate) => motionColumn(c, 0), limit: "position" },
  { title: "Velocity", column: (c: Coordinate) => motionColumn(c, 1), limit: "velocity" },
  { title: "Acceleration", column: (c: Coordinate) => motionColumn(c, 2), limit: "acceleration" },
  { title: "Jerk", column: (c: Coordinate) => motionColumn(c, 3), limit: "jerk" },
] as const;
type Quantity = (typeof QUANTITIES)[number];

interface Plot {
  canvas: HTMLCanvasElement;
  curves: Curve[];
  relative: boolean;
}

function curvesOf(app: App, quantity: Quantity): Curve[] {
  const curves: Curve[] = [];
  (app.robot?.coordinates ?? []).forEach((c, k) => {
    const values = app.motion?.columns.get(quantity.column(c) ?? "");
    if (!values) return;
    const limits = c.limits;
    const most = quantity.limit === "position" ? null : limits[quantity.limit];
    const [lower, upper] = quantity.limit === "position" ? [limits.lower, limits.upper] : [most === null ? null : -most, most];
    curves.push({ name: c.name, color: curveColor(k), values, lower: lower ?? -Infinity, upper: upper ?? Infinity });
  });
  return curves;
}

/** A button that lets the user choose one file. */
function fileButton(label: string, accept: string, chosen: (name: string, content: Uint8Array) => void): HTMLElement {
  const input = element("input", { type: "file", accept, class: "hidden" });
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) void file.arrayBuffer().then((bytes) => { chosen(file.name, new Uint8Array(bytes)); });
    input.value = "";
  });
  return element("label", { class: "button" }, label, input);
}

/** Files with limits and wrenches, and losses. */
function conditionsForm(app: App): { root: HTMLElement; show(): void } {
  const losses = element("input", { type: "checkbox", id: "losses" });
  losses.addEventListener("change", () => void app.setConditions({ losses: losses.checked }));

  const choose = (what: "limits" | "wrench", name: string, content: Uint8Array) => {
    void app.setConditions({ [what]: name, files: { ...app.conditions.files, [name]: content } });
  };
  const forget = (what: "limits" | "wrench") => element("button", { onclick: () => void app.setConditions({ [what]: null }) }, "Remove");
  const line = (what: "limits" | "wrench", label: string) => {
    const name = element("span", { id: `${what}-file` });
    const remove = forget(what);
    remove.setAttribute("aria-label", `Remove ${label.toLowerCase()}`);
    return { row: element("div", { class: "row" }, fileButton(label, ".csv,.json", (file, content) => { choose(what, file, content); }), name, remove), name, remove };
  };
  const limits = line("limits", "Other limits");
  const wrench = line("wrench", "External wrenches");
  const details = element("details", {}, element("summary", {}, "Limits, wrenches, losses"), limits.row, wrench.row, element("label", { class: "row" }, losses, " damping and friction of the joints"));

  const show = () => {
    const now: Conditions = app.conditions;
    limits.name.textContent = now.limits ?? "the robot's own";
    wrench.name.textContent = now.wrench ?? "none";
    limits.remove.hidden = now.limits === null;
    wrench.remove.hidden = now.wrench === null;
    losses.checked = now.losses;
    details.open ||= now.limits !== null || now.wrench !== null || now.losses;
  };
  return { root: details, show };
}

/** Intervals in which curves are outside of their limits, as a sentence; null when there are none. */
function broken(t: Float64Array, curves: Curve[]): HTMLElement | null {
  const found = curves.flatMap((curve) => violations(curve).map(([a, b]) => `${curve.name}: ${short(t[a] ?? 0)} to ${short(t[b] ?? 0)} s`));
  return found.length ? element("p", { class: "error" }, `Beyond the limit: ${found.slice(0, 6).join("; ")}${found.length > 6 ? ` and ${String(found.length - 6)} more` : ""}`) : null;
}

/** The names of all curves, each with its color. */
function legend(app: App): HTMLElement {
  const names = curvesOf(app, QUANTITIES[0]).map((curve) => {
    const mark = element("span", { "aria-hidden": "true" }, "■ ");
    mark.style.color = curve.color;
    return element("span", {}, mark, curve.name);
  });
  return element("p", { class: "legend" }, ...names);
}

async function retime(app: App): Promise<void> {
  const { robot, motion, conditions } = app;
  if (!robot || !motion) return;
  app.tell("Looking for the fastest timing that all limits allow …");
  await new Promise((painted) => setTimeout(painted, 50));
  const files = { ...robot.files, ...conditions.files, "motion.csv": motion.csv };
  const run = await app.jounce.run(["retime", robot.source, "motion.csv", "--out", "retimed.csv", ...conditionFlags(conditions).filter((flag) => flag !== "--limits"), ...flags(robot.options)], files);
  const file = run.files["retimed.csv"];
  if (!file) {
    app.tell(`No other timing: ${(run.stderr || run.stdout).trim()}`, "error");
    return;
  }
  const [summary = ""] = run.stdout.split("\n");
  const holds = /^.*limits? holds?\.$/m.exec(run.stdout)?.[0] ?? "";
  await app.follow("retimed.csv", { "retimed.csv": file }, { verdict: `${summary.replace("motion.csv", motion.name)}. ${holds}`, report: run.stdout });
}

export function motionPanel(app: App): Panel {
  const body = element("div");
  const demo = element("button", { onclick: () => void app.follow("builtin:demo", {}) }, "Demo motion of the Panda");
  const open = fileButton("Open a motion", ".csv,.json,.npy,.npz", (name, content) => void app.follow(name, { [name]: content }));
  const conditions = conditionsForm(app);
  const root = element("div", {}, element("div", { class: "row" }, open, demo), conditions.root, body);
  let plots: Plot[] = [];
  const draw = () => {
    const t = app.motion?.t;
    if (t && root.isConnected) for (const { canvas, curves, relative } of plots) drawPlot(canvas, t, curves, app.time, relative);
  };

  const addPlot = (motion: Motion, quantity: Quantity) => {
    const curves = curvesOf(app, quantity);
    if (curves.length === 0) return;
    const relative = curves.every((curve) => Number.isFinite(Math.max(Math.abs(curve.lower), Math.abs(curve.upper))));
    const canvas = element("canvas", { class: "plot", role: "img", "aria-label": `${quantity.title} over time` });
    body.append(element("h2", {}, quantity.title + (relative ? " as a part of its limit" : "")), canvas);
    const marks = broken(motion.t, curves);
    if (marks) body.append(marks);
    plots.push({ canvas, curves, relative });
  };

  const fill = () => {
    const { motion } = app;
    plots = [];
    conditions.show();
    if (!motion) {
      body.replaceChildren(element("p", { class: "quiet" }, "Open a motion or drop it on the page: a CSV file with the columns t and one for each joint. Torques, their rates and the margins to all limits are computed here, by the same code as the command's."));
      return;
    }
    body.replaceChildren(
      element("div", { class: "row" },
        element("button", { onclick: () => { download("torques.csv", motion.csv); } }, "Save torques as CSV"),
        element("button", { onclick: () => void retime(app) }, "Retime to the limits"),
      ),
      legend(app),
    );
    for (const quantity of QUANTITIES) addPlot(motion, quantity);
    body.append(element("h2", {}, "What the command says"), element("pre", { tabindex: 0, "aria-label": "What the command says" }, motion.report.trim()));
    requestAnimationFrame(draw);
  };

  return {
    title: "Motion",
    root,
    load: () => {
      demo.hidden = app.robot?.source !== "builtin:panda";
      conditions.show();
    },
    motion: fill,
    moved: draw,
  };
}

/** Whether a file is a motion rather than a robot. */
export function isMotion(name: string, text: string): boolean {
  return MOTION_FILE.test(name) || (/\.json$/i.test(name) && /"(joints|trajectory|duration)"/.test(text) && !/"bodies"/.test(text));
}

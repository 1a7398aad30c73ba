// SPDX-License-Identifier: BSD-2-Clause
// The panels beside the view.
import { MOTION_FILE, type App, type Panel } from "./app.js";
import { download, element, short } from "./dom.js";
import { curveColor, drawPlot, violations, type Curve } from "./plot.js";
import { flags, type Coordinate, type Message } from "./robot.js";
import { principal } from "./shapes.js";

/** Sliders for the coordinates, and the torque each joint bears against its limit. */
export function jointsPanel(app: App): Panel {
  const list = element("div");
  const root = element(
    "div",
    {},
    element("p", { class: "quiet" }, "Move a joint with its slider, or drag a link in the view. Bars: torque that holds the robot (or of the motion) against the effort limit."),
    list,
  );
  let rows: { c: Coordinate; slider: HTMLInputElement; value: HTMLOutputElement; bar: HTMLElement; fill: HTMLElement }[] = [];
  const load = () => {
    rows = (app.robot?.coordinates ?? []).map((c, k) => {
      const lower = Math.max(c.limits.lower ?? -Infinity, c.unit === "rad" ? -2 * Math.PI : -2);
      const upper = Math.min(c.limits.upper ?? Infinity, c.unit === "rad" ? 2 * Math.PI : 2);
      const slider = element("input", { type: "range", id: `joint${String(k)}`, min: lower, max: upper, step: 0.001, value: 0 });
      const fill = element("i");
      const bar = element("div", { class: "bar" }, fill);
      const value = element("output", { for: slider.id });
      let before = 0;
      slider.addEventListener("input", () => {
        const now = slider.valueAsNumber;
        const at = c.q === null ? before : (app.q[c.q] ?? 0);
        app.move(c, now - at);
        before = now;
      });
      list.append(element("div", { class: "joint" }, element("label", { for: slider.id, title: c.name }, c.name), slider, value));
      list.append(element("div", { class: "joint" }, element("span"), bar, element("output", { class: "quiet" })));
      return { c, slider, value, bar, fill };
    });
  };
  return {
    title: "Joints",
    root,
    load: () => {
      list.replaceChildren();
      load();
    },
    moved: () => {
      for (const { c, slider, value, bar, fill } of rows) {
        if (c.q !== null) {
          const x = app.q[c.q] ?? 0;
          slider.value = String(x);
          value.textContent = `${short(x, 4)} ${c.unit}`;
        }
        const tau = app.torque[c.v] ?? 0;
        const limit = c.limits.effort;
        const part = limit ? tau / limit : Math.tanh(tau / 50);
        fill.style.transform = `scaleX(${String(Math.max(-1, Math.min(1, part)))})`;
        bar.classList.toggle("over", limit !== null && Math.abs(tau) > limit);
        const text = bar.nextElementSibling;
        if (text) text.textContent = `${short(tau, 4)} ${c.unit === "m" ? "N" : "N m"}`;
        bar.title = limit ? `${short(100 * Math.abs(part), 3)} % of ${short(limit)}` : "no effort limit";
      }
    },
  };
}

/** What `jounce check` says; an entry marks its link. */
export function checkPanel(app: App): Panel {
  const root = element("div");
  const place = (m: Message) => (m.line ? `${m.file}:${String(m.line)}:${String(m.column)}: ` : "");
  const entry = (m: Message) => {
    const name = /'(.*)'/.exec(m.subject)?.[1] ?? "";
    const link = app.robot?.info.links.findIndex((l) => l.name === name || l.joint.name === name) ?? -1;
    const text = `${place(m)}${m.severity}: ${m.subject}${m.subject ? ": " : ""}${m.text}${m.remedy ? `; ${m.remedy}` : ""} [${m.rule}]`;
    return element("button", { class: `message ${m.severity}`, onclick: () => { app.viewer.highlight(link); } }, text);
  };
  const repair = async () => {
    const { robot } = app;
    if (!robot) return;
    const out = robot.source.replace(/^builtin:/, "").replace(/(\.\w+)?$/, (ending) => `-repaired${/^\.(urdf|json)$/.test(ending) ? ending : ".json"}`);
    const run = await app.jounce.run(["check", robot.source, "--repair", out, ...flags(robot.options)], robot.files);
    const file = run.files[out];
    if (file) download(out, file);
    app.tell((run.stdout + run.stderr).trim().split("\n").at(-1) ?? "", file ? "good" : "error");
  };
  return {
    title: "Check",
    root,
    load: () => {
      const messages = app.robot?.messages ?? [];
      root.replaceChildren(
        messages.length
          ? element("p", {}, `${String(messages.length)} messages; choose one to mark its link.`)
          : element("p", { class: "good" }, "No errors, no warnings, no notes."),
        ...messages.map(entry),
      );
      if (messages.some((m) => m.rule.startsWith("inertia") || m.rule.startsWith("unit")))
        root.append(element("button", { onclick: () => void repair() }, "Repair the inertias and save the file"));
    },
  };
}

const QUANTITIES = [
  { title: "Torque", suffix: ".tau", limit: "effort" },
  { title: "Torque rate", suffix: ".tau_d1", limit: "effort_rate" },
  { title: "Position", suffix: "", limit: "position" },
  { title: "Velocity", suffix: "_d1", limit: "velocity" },
  { title: "Acceleration", suffix: "_d2", limit: "acceleration" },
  { title: "Jerk", suffix: "_d3", limit: "jerk" },
] as const;

function curvesOf(app: App, quantity: (typeof QUANTITIES)[number]): Curve[] {
  const curves: Curve[] = [];
  for (const c of app.robot?.coordinates ?? []) {
    const values = app.motion?.columns.get(`${c.joint.name}${quantity.suffix}`);
    if (!values) continue;
    const limits = c.limits;
    const most = quantity.limit === "position" ? null : limits[quantity.limit];
    const [lower, upper] = quantity.limit === "position" ? [limits.lower, limits.upper] : [most === null ? null : -most, most];
    curves.push({ name: c.name, values, lower: lower ?? -Infinity, upper: upper ?? Infinity });
  }
  return curves;
}

/** A motion: its torques and rates over time, and where they break limits. */
export function motionPanel(app: App): Panel {
  const body = element("div");
  const input = element("input", { type: "file", accept: ".csv,.json,.npy,.npz", class: "hidden" });
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) void file.arrayBuffer().then((bytes) => app.follow(file.name, { [file.name]: new Uint8Array(bytes) }));
  });
  const demo = element("button", { onclick: () => void app.follow("builtin:demo", {}) }, "Demo motion of the Panda");
  const root = element("div", {}, element("div", { class: "row" }, element("label", { class: "button" }, "Open a motion", input), demo), body);
  let plots: { canvas: HTMLCanvasElement; curves: Curve[]; relative: boolean }[] = [];
  const draw = () => {
    const t = app.motion?.t;
    if (t && root.isConnected) for (const { canvas, curves, relative } of plots) drawPlot(canvas, t, curves, app.time, relative);
  };
  const broken = (curves: Curve[]) => {
    const t = app.motion?.t ?? new Float64Array();
    const found = curves.flatMap((curve) => violations(curve).map(([a, b]) => `${curve.name}: ${short(t[a] ?? 0)} to ${short(t[b] ?? 0)} s`));
    return found.length ? element("p", { class: "error" }, `Beyond the limit: ${found.slice(0, 6).join("; ")}${found.length > 6 ? " …" : ""}`) : null;
  };
  const retime = async () => {
    const { robot, motion } = app;
    if (!robot || !motion) return;
    app.tell("Looking for the fastest timing that all limits allow …");
    await new Promise((painted) => setTimeout(painted, 50));
    const run = await app.jounce.run(["retime", robot.source, "motion.csv", "--out", "retimed.csv", ...flags(robot.options)], { ...robot.files, "motion.csv": motion.csv });
    const file = run.files["retimed.csv"];
    if (!file) {
      app.tell(`No other timing: ${(run.stderr || run.stdout).trim()}`, "error");
      return;
    }
    const [summary = ""] = run.stdout.split("\n");
    const holds = /^.*limits? holds?\.$/m.exec(run.stdout)?.[0] ?? "";
    await app.follow("retimed.csv", { "retimed.csv": file }, { verdict: `${summary.replace("motion.csv", motion.name)}. ${holds}`, report: run.stdout });
  };
  return {
    title: "Motion",
    root,
    load: () => {
      demo.hidden = app.robot?.source !== "builtin:panda";
    },
    motion: () => {
      const { motion } = app;
      plots = [];
      body.replaceChildren();
      if (!motion) {
        body.append(element("p", { class: "quiet" }, "Drop a motion on the page: a CSV file with t and a column for each joint. Torques, rates and margins are computed here, by the same code as the command's."));
        return;
      }
      body.append(
        element("div", { class: "row" },
          element("button", { onclick: () => { download("torques.csv", motion.csv); } }, "Save torques as CSV"),
          element("button", { onclick: () => void retime() }, "Retime to the limits"),
        ),
      );
      const names = curvesOf(app, QUANTITIES[0]).map((curve, k) => {
        const mark = element("span", {}, "■ ");
        mark.style.color = curveColor(k);
        return element("span", {}, mark, `${curve.name}  `);
      });
      body.append(element("p", {}, ...names));
      for (const quantity of QUANTITIES) {
        const curves = curvesOf(app, quantity);
        if (curves.length === 0) continue;
        const relative = curves.every((curve) => Number.isFinite(Math.max(Math.abs(curve.lower), Math.abs(curve.upper))));
        const canvas = element("canvas", { class: "plot", role: "img", "aria-label": `${quantity.title} over time` });
        body.append(element("h2", {}, quantity.title + (relative ? " as a part of its limit" : "")), canvas);
        const marks = broken(curves);
        if (marks) body.append(marks);
        plots.push({ canvas, curves, relative });
      }
      body.append(element("h2", {}, "What the command says"), element("pre", {}, motion.report.trim()));
      requestAnimationFrame(draw);
    },
    moved: draw,
  };
}

/** Let go, and watch it fall. */
export function simulatePanel(app: App): Panel {
  const losses = element("input", { type: "checkbox", checked: true });
  const stops = element("input", { type: "checkbox", checked: true });
  const facts = element("p", { class: "quiet", id: "facts" });
  const button = element("button", { id: "fall" }, "Let go");
  button.addEventListener("click", () => {
    if (app.falling) app.stop();
    else app.fall(losses.checked, stops.checked);
    button.textContent = app.falling ? "Hold" : "Let go";
  });
  const root = element(
    "div",
    {},
    element("p", {}, "The robot falls from where it is, without torques. The Taylor-series integrator of the library steps it in real time."),
    element("div", { class: "row" }, button, element("label", {}, losses, " damping and friction"), element("label", {}, stops, " stops at the limits")),
    facts,
  );
  return {
    title: "Simulate",
    root,
    load: () => {
      button.textContent = "Let go";
    },
    moved: () => {
      if (!app.falling) {
        button.textContent = "Let go";
        return;
      }
      facts.textContent = `t = ${app.time.toFixed(2)} s, energy ${short(app.energy(), 6)} J, ${app.viewer.rate.toFixed(0)} pictures a second`;
    },
  };
}

/** M as a picture, and how fast the robot swings here. */
export function matrixPanel(app: App): Panel {
  const canvas = element("canvas", { class: "matrix", role: "img", "aria-label": "Mass matrix" });
  const table = element("table");
  const open = element("p", { class: "quiet" }, "Not shown for robots with loops: the conditions of the loops would have to be part of the oscillation.");
  const root = element("div", {}, element("h2", {}, "Mass matrix M(q)"), canvas, element("p", { class: "quiet" }, "Brightness: logarithm of the entry's size; red is negative."), element("h2", {}, "Eigenfrequencies under gravity and springs"), open, table);
  const draw = (M: Float64Array, n: number) => {
    const cell = Math.max(2, Math.floor(340 / n));
    canvas.width = canvas.height = cell * n;
    const g = canvas.getContext("2d");
    const most = M.reduce((a, x) => Math.max(a, Math.abs(x)), 1e-300);
    for (let i = 0; i < n * n; i++) {
      const x = M[i] ?? 0;
      const level = Math.max(0, 1 + Math.log10(Math.abs(x) / most + 1e-12) / 5);
      if (!g) return;
      g.fillStyle = x === 0 ? "#808080" : x > 0 ? `rgb(${[40, 110, 220].map((c) => String(Math.round(20 + level * c))).join(",")})` : `rgb(${[220, 60, 60].map((c) => String(Math.round(20 + level * c))).join(",")})`;
      g.fillRect(cell * (i % n), cell * Math.floor(i / n), cell, cell);
    }
  };
  return {
    title: "Matrix",
    root,
    moved: () => {
      const { robot } = app;
      if (!robot || !root.isConnected) return;
      const n = robot.model.nv;
      const M = robot.model.massMatrix(app.q);
      draw(M, n);
      open.hidden = robot.model.loopCount === 0;
      table.hidden = !open.hidden;
      if (table.hidden) return;
      table.replaceChildren(element("tr", {}, element("th", {}, "mode"), element("th", {}, "frequency or growth"), element("th", {}, "mostly moves")));
      modes(app, M).slice(0, 12).forEach((mode, k) => {
        const speed = mode.square >= 0 ? `${short(Math.sqrt(mode.square) / (2 * Math.PI))} Hz` : `falls, e-fold in ${short(1 / Math.sqrt(-mode.square), 3)} s`;
        table.append(element("tr", {}, element("td", {}, String(k + 1)), element("td", { class: "number" }, speed), element("td", {}, mode.joint)));
      });
    },
  };
}

/** Squared angular frequencies of M x'' + K x = 0, K = d(gravity and springs)/dq, by Cholesky and Jacobi. */
function modes(app: App, M: Float64Array): { square: number; joint: string }[] {
  const { robot } = app;
  if (!robot) return [];
  const n = robot.model.nv;
  const K = robot.model.stiffness(app.q);
  const L = new Float64Array(n * n);
  const at = (A: Float64Array, i: number, k: number) => A[i * n + k] ?? 0;
  for (let i = 0; i < n; i++)
    for (let k = 0; k <= i; k++) {
      let sum = at(M, i, k);
      for (let j = 0; j < k; j++) sum -= at(L, i, j) * at(L, k, j);
      L[i * n + k] = i === k ? Math.sqrt(Math.max(sum, 1e-300)) : sum / at(L, k, k);
    }
  const solve = (B: Float64Array) => {
    const X = B.slice();
    for (let c = 0; c < n; c++)
      for (let i = 0; i < n; i++) {
        let sum = at(X, i, c);
        for (let j = 0; j < i; j++) sum -= at(L, i, j) * at(X, j, c);
        X[i * n + c] = sum / at(L, i, i);
      }
    return X;
  };
  const transpose = (B: Float64Array) => B.map((_, i) => at(B, i % n, Math.floor(i / n)));
  const S = solve(transpose(solve(K)));
  const rows = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (__, k) => (at(S, i, k) + at(S, k, i)) / 2));
  const { values, vectors } = principal(rows);
  return values
    .map((square, k) => {
      const shape = vectors.map((row) => Math.abs(row[k] ?? 0));
      const largest = shape.indexOf(Math.max(...shape));
      return { square, joint: robot.coordinates.find((c) => c.v === largest)?.name ?? "" };
    })
    .sort((a, b) => a.square - b.square);
}

/** Whether a file is a motion rather than a robot. */
export function isMotion(name: string, text: string): boolean {
  return MOTION_FILE.test(name) || (/\.json$/i.test(name) && /"(joints|trajectory|duration)"/.test(text) && !/"bodies"/.test(text));
}

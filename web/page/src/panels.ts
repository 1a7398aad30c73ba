// SPDX-License-Identifier: BSD-2-Clause
// The panels Check, Simulate and Matrix; joints.ts, motion.ts and share.ts have the others.
import type { App, Panel } from "./app.js";
import { download, element, short } from "./dom.js";
import { flags, type Message } from "./robot.js";
import { principal } from "./shapes.js";

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
  const meshes = () => {
    const { missing, unreadable } = app.looks;
    const list = (title: string, names: string[]) =>
      names.length ? [element("h2", {}, title), element("ul", {}, ...names.map((name) => element("li", {}, name)))] : [];
    return [
      ...list("Meshes that were not found", missing),
      ...(missing.length ? [element("p", { class: "quiet" }, "Open the robot's whole folder, or drop the meshes on the page together with the robot.")] : []),
      ...list("Meshes that cannot be read", unreadable),
      ...(unreadable.length ? [element("p", { class: "quiet" }, "They are damaged, or of another format than STL, OBJ and DAE.")] : []),
    ];
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
        ...meshes(),
      );
      if (messages.some((m) => m.rule.startsWith("inertia") || m.rule.startsWith("unit")))
        root.append(element("button", { onclick: () => void repair() }, "Repair the inertias and save the file"));
    },
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

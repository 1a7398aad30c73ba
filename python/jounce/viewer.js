// SPDX-License-Identifier: BSD-2-Clause
// Draws a robot with WebGL, without any library: links with their visuals, or as bars between joints; inertias as ellipsoids, frames as
// axes. _scene.py says what the scene has. Poses are arrays of 12: the upper three rows, row by row.
"use strict";
(() => {
  const scene = JSON.parse(document.getElementById("scene").textContent);
  const canvas = document.getElementById("view"), gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
  const labels = document.getElementById("labels"), pen = labels.getContext("2d");
  const shown = (id) => document.getElementById(id).checked;
  const count = scene.links.length + scene.frames.length;
  let now = 0, playing = false;
  if (!gl) { document.getElementById("hint").textContent = "This browser has no WebGL 2: the robot cannot be drawn."; return; }

  // ---- poses and matrices ----

  const origin = (pose) => [pose[3], pose[7], pose[11]];
  const point = (pose, p) => [0, 1, 2].map((r) => pose[4 * r] * p[0] + pose[4 * r + 1] * p[1] + pose[4 * r + 2] * p[2] + pose[4 * r + 3]);
  function product(a, b) {
    const out = new Array(12);
    for (let r = 0; r < 3; r++)
      for (let c = 0; c < 4; c++)
        out[4 * r + c] = a[4 * r] * b[c] + a[4 * r + 1] * b[4 + c] + a[4 * r + 2] * b[8 + c] + (c === 3 ? a[4 * r + 3] : 0);
    return out;
  }
  function inverse(a) { // of a rotation and a translation
    const R = [0, 1, 2].map((r) => [a[r], a[4 + r], a[8 + r]]);
    return R.flatMap((row) => [...row, -(row[0] * a[3] + row[1] * a[7] + row[2] * a[11])]);
  }
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

  // exp of the screw (w, u) times x: R = 1 + s K + c K^2, p = (1 x + (1 - cos) / a K + (a x - sin) / a K^2) u, with the axis K = [w] / |w|.
  function exponential(screw, x) {
    const w = screw.slice(0, 3), u = screw.slice(3), rate = Math.hypot(...w), angle = rate * x;
    if (rate < 1e-12) return [1, 0, 0, u[0] * x, 0, 1, 0, u[1] * x, 0, 0, 1, u[2] * x];
    const k = w.map((c) => c / rate), s = Math.sin(angle), c = 1 - Math.cos(angle);
    const turn = (v) => { const kv = cross(k, v), kkv = cross(k, kv); return v.map((e, i) => e + s * kv[i] + c * kkv[i]); };
    const columns = [turn([1, 0, 0]), turn([0, 1, 0]), turn([0, 0, 1])], ku = cross(k, u), kku = cross(k, ku);
    const p = u.map((e, i) => e * x + (c / rate) * ku[i] + (x - s / rate) * kku[i]);
    return [0, 1, 2].flatMap((r) => [columns[0][r], columns[1][r], columns[2][r], p[r]]);
  }

  // With sliders, the poses of links follow from those at the start; named frames keep their place in their link.
  const start = scene.poses[0];
  const parentPose = (all, i) => (scene.links[i].parent < 0 ? IDENTITY : all[scene.links[i].parent]);
  const inParent = scene.links.map((_, i) => product(inverse(parentPose(start, i)), start[i]));
  const inLink = scene.frames.map((frame, k) => product(inverse(frame.link < 0 ? IDENTITY : start[frame.link]), start[scene.links.length + k]));
  const order = scene.links.map((_, i) => i).sort((a, b) => depth(a) - depth(b));
  function depth(i) { let n = 0; for (let p = scene.links[i].parent; p >= 0; p = scene.links[p].parent) n++; return n; }
  const values = scene.sliders.map((slider) => slider.start);
  let moved = start;
  function move() {
    const local = inParent.slice(), all = [];
    scene.sliders.forEach((slider, k) => {
      for (const [link, screw] of slider.moves) local[link] = product(inParent[link], exponential(screw, values[k] - slider.start));
    });
    for (const i of order) all[i] = product(parentPose(all, i), local[i]);
    scene.frames.forEach((frame, k) => all.push(product(frame.link < 0 ? IDENTITY : all[frame.link], inLink[k])));
    moved = all;
  }
  const poses = () => (scene.sliders.length ? moved : scene.poses[now]);

  // ---- meshes ----

  const program = gl.createProgram();
  const vertex = `#version 300 es
    in vec3 corner; uniform mat4 place, camera; out vec3 world;
    void main() { vec4 p = place * vec4(corner, 1.0); world = p.xyz; gl_Position = camera * p; }`;
  // The normal of a triangle from how its points change on the screen; two lights.
  const fragment = `#version 300 es
    precision highp float; in vec3 world; uniform vec4 color; uniform float lit; out vec4 pixel;
    void main() {
      vec3 n = normalize(cross(dFdx(world), dFdy(world)));
      float light = 0.42 + 0.38 * abs(dot(n, normalize(vec3(0.4, -0.6, 0.8)))) + 0.25 * abs(dot(n, normalize(vec3(-0.7, 0.5, 0.3))));
      pixel = vec4(color.rgb * (lit > 0.5 ? light : 1.0), color.a); // the normal of a line is not a number
    }`;
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text); gl.compileShader(shader); gl.attachShader(program, shader);
  }
  gl.bindAttribLocation(program, 0, "corner");
  gl.linkProgram(program); gl.useProgram(program);
  const uniform = Object.fromEntries(["place", "camera", "color", "lit"].map((name) => [name, gl.getUniformLocation(program, name)]));

  function upload(data, type, normalized, mode) {
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, type, normalized, 0, 0);
    return { array, count: data.length / 3, mode };
  }
  const floats = (numbers, mode) => upload(new Float32Array(numbers), gl.FLOAT, false, mode);
  function round(rows) { // points (radius, height) turned about z
    const corner = (k, a) => [rows[k][0] * Math.cos(a), rows[k][0] * Math.sin(a), rows[k][1]], out = [];
    for (let k = 0; k + 1 < rows.length; k++)
      for (let s = 0; s < 24; s++) {
        const a = (s * Math.PI) / 12, b = ((s + 1) * Math.PI) / 12;
        out.push(...corner(k, a), ...corner(k, b), ...corner(k + 1, b), ...corner(k, a), ...corner(k + 1, b), ...corner(k + 1, a));
      }
    return floats(out, gl.TRIANGLES);
  }
  const ball = round(Array.from({ length: 13 }, (_, k) => [Math.sin((k * Math.PI) / 12), -Math.cos((k * Math.PI) / 12)]));
  const rod = round([[0, 0], [1, 0], [1, 1], [0, 1]]);
  const segment = floats([0, 0, 0, 1, 0, 0], gl.LINES);
  const meshes = scene.meshes.map((mesh) => {
    const bytes = Uint8Array.from(atob(mesh.corners), (c) => c.charCodeAt(0)), size = mesh.high.map((h, k) => h - mesh.low[k]);
    return { ...upload(new Uint16Array(bytes.buffer), gl.UNSIGNED_SHORT, true, gl.TRIANGLES),
      box: [size[0], 0, 0, mesh.low[0], 0, size[1], 0, mesh.low[1], 0, 0, size[2], mesh.low[2]] };
  });

  // ---- where to look from: the box around everything, at all times ----

  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  const grow = (p) => p.forEach((x, k) => { low[k] = Math.min(low[k], x); high[k] = Math.max(high[k], x); });
  for (const at of scene.poses)
    at.forEach((pose, i) => {
      grow(origin(pose));
      const shape = i < scene.links.length ? scene.links[i].shape : null;
      if (shape === null) return;
      for (let k = 0; k < 8; k++) grow(point(product(pose, meshes[shape].box), [k & 1, (k >> 1) & 1, k >> 2]));
    });
  const size = Math.max(0.2, Math.hypot(...low.map((x, k) => high[k] - x)));
  const eye = { turn: -0.9, tilt: 0.35, distance: 1.25 * size, target: low.map((x, k) => (x + high[k]) / 2) };

  // World to clip coordinates, column by column. Right, up and back are the axes of the eye.
  function camera() {
    const ct = Math.cos(eye.turn), st = Math.sin(eye.turn), cp = Math.cos(eye.tilt), sp = Math.sin(eye.tilt);
    const axes = [[-st, ct, 0], [-sp * ct, -sp * st, cp], [cp * ct, cp * st, sp]];
    const view = axes.map((a, k) => [...a, -(a[0] * eye.target[0] + a[1] * eye.target[1] + a[2] * eye.target[2]) - (k === 2 ? eye.distance : 0)]);
    const f = 1.9, near = 0.02 * eye.distance, far = 4 * eye.distance + 6 * size, aspect = canvas.width / canvas.height;
    const rows = [view[0].map((x) => (x * f) / Math.max(1, aspect)), view[1].map((x) => x * f * Math.min(1, aspect)),
      view[2].map((x, k) => ((far + near) / (near - far)) * x + (k === 3 ? (2 * far * near) / (near - far) : 0)), view[2].map((x) => -x)];
    return [0, 1, 2, 3].flatMap((c) => rows.map((row) => row[c]));
  }
  function project(matrix, p) { // pixels, or null behind the eye
    const at = [0, 1, 3].map((r) => matrix[r] * p[0] + matrix[4 + r] * p[1] + matrix[8 + r] * p[2] + matrix[12 + r]);
    return at[2] > 0 ? [(0.5 + (0.5 * at[0]) / at[2]) * labels.width, (0.5 - (0.5 * at[1]) / at[2]) * labels.height] : null;
  }

  // ---- drawing ----

  const style = getComputedStyle(document.documentElement);
  const rgb = (name) => { const h = style.getPropertyValue(name).trim(); return [1, 3, 5].map((k) => parseInt(h.slice(k, k + 2), 16) / 255); };
  function hue(i) {
    const h = ((205 + 47 * i) % 360) / 60, x = 1 - Math.abs((h % 2) - 1), c = [[1, x, 0], [x, 1, 0], [0, 1, x], [0, x, 1], [x, 0, 1], [1, 0, x]][Math.floor(h)];
    return c.map((e) => 0.3 + 0.5 * e);
  }
  function put(mesh, pose, color, alpha, lit) {
    gl.uniformMatrix4fv(uniform.place, false, [0, 1, 2, 3].flatMap((c) => [pose[c], pose[4 + c], pose[8 + c], c === 3 ? 1 : 0]));
    gl.uniform4f(uniform.color, ...color, alpha);
    gl.uniform1f(uniform.lit, lit);
    gl.bindVertexArray(mesh.array);
    gl.drawArrays(mesh.mode, 0, mesh.count);
  }
  function line(a, b, color) {
    put(segment, [b[0] - a[0], 0, 0, a[0], b[1] - a[1], 0, 0, a[1], b[2] - a[2], 0, 0, a[2]], color, 1, 0);
  }
  const step = Math.pow(10, Math.floor(Math.log10(size))) / 2, cells = Math.ceil((1.2 * size) / step);
  function drawGround() {
    for (let k = -cells; k <= cells; k++) {
      line([k * step, -cells * step, 0], [k * step, cells * step, 0], rgb("--line"));
      line([-cells * step, k * step, 0], [cells * step, k * step, 0], rgb("--line"));
    }
  }
  function drawBar(i) { // from the parent's joint to this one
    const link = scene.links[i], b = origin(poses()[i]), a = link.parent >= 0 ? origin(poses()[link.parent]) : b;
    const along = b.map((x, k) => x - a[k]), length = Math.hypot(...along), r = 0.008 * size;
    put(ball, [1.5 * r, 0, 0, b[0], 0, 1.5 * r, 0, b[1], 0, 0, 1.5 * r, b[2]], link.type === "fixed" ? rgb("--line") : rgb("--ink"), 1, 1);
    if (length < 1e-9) return;
    const z = along.map((x) => x / length), helper = Math.abs(z[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0];
    let x = cross(helper, z); x = x.map((e) => e / Math.hypot(...x));
    const y = cross(z, x);
    put(rod, [0, 1, 2].flatMap((k) => [r * x[k], r * y[k], along[k], a[k]]), hue(link.parent), 1, 1);
  }
  function drawEllipsoid(i) {
    const e = scene.links[i].ellipsoid;
    if (!e) return;
    const box = [0, 1, 2].flatMap((r) => [...[0, 1, 2].map((k) => e.axes[k][r] * Math.max(e.half[k], 1e-4 * size)), e.center[r]]);
    put(ball, product(poses()[i], box), hue(i), 0.45, 1);
  }
  function drawFrame(i) {
    [[0.85, 0.2, 0.2], [0.15, 0.65, 0.15], [0.2, 0.4, 0.85]].forEach((color, k) => {
      const tip = [0, 0, 0]; tip[k] = 0.06 * size;
      line(origin(poses()[i]), point(poses()[i], tip), color);
    });
  }
  function drawNames(matrix, ratio) {
    pen.clearRect(0, 0, labels.width, labels.height);
    if (!shown("names")) return;
    pen.fillStyle = style.getPropertyValue("--ink"); pen.font = `${12 * ratio}px system-ui`;
    for (let i = 0; i < count; i++) {
      const p = project(matrix, origin(poses()[i])), item = i < scene.links.length ? scene.links[i] : scene.frames[i - scene.links.length];
      if (p) pen.fillText(item.name, p[0] + 8 * ratio, p[1] - 6 * ratio);
    }
  }
  const dressed = scene.links.some((link) => link.shape !== null);
  function draw() {
    const ratio = window.devicePixelRatio || 1;
    for (const c of [canvas, labels]) { c.width = canvas.clientWidth * ratio; c.height = canvas.clientHeight * ratio; }
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(...rgb("--paper"), 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST); gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    const matrix = camera();
    gl.uniformMatrix4fv(uniform.camera, false, matrix);
    drawGround();
    scene.links.forEach((link, i) => {
      if (!shown("bodies")) return;
      if (link.shape !== null) put(meshes[link.shape], product(poses()[i], meshes[link.shape].box), rgb("--body"), 1, 1);
      else if (!dressed) drawBar(i);
    });
    if (shown("frames")) { gl.disable(gl.DEPTH_TEST); for (let i = 0; i < count; i++) drawFrame(i); gl.enable(gl.DEPTH_TEST); }
    if (shown("ellipsoids")) { gl.depthMask(false); scene.links.forEach((_, i) => drawEllipsoid(i)); gl.depthMask(true); }
    drawNames(matrix, ratio);
  }

  // ---- controls ----

  let held = null;
  canvas.addEventListener("pointerdown", (e) => { held = e; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("pointermove", (e) => {
    if (!held) return;
    const dx = e.clientX - held.clientX, dy = e.clientY - held.clientY;
    held = e;
    if (e.shiftKey) {
      const unit = eye.distance / canvas.clientHeight, ct = Math.cos(eye.turn), st = Math.sin(eye.turn);
      eye.target[0] += st * dx * unit; eye.target[1] -= ct * dx * unit; eye.target[2] += dy * unit;
    } else {
      eye.turn -= 0.008 * dx; eye.tilt = Math.max(-1.5, Math.min(1.5, eye.tilt + 0.008 * dy));
    }
    draw();
  });
  canvas.addEventListener("wheel", (e) => { e.preventDefault(); eye.distance *= Math.exp(0.001 * e.deltaY); draw(); }, { passive: false });
  document.getElementById("frames").checked = document.getElementById("ellipsoids").checked = !dressed;
  for (const id of ["bodies", "frames", "ellipsoids", "names"]) document.getElementById(id).addEventListener("change", draw);

  const panel = document.getElementById("sliders");
  panel.hidden = scene.sliders.length === 0;
  scene.sliders.forEach((slider, k) => {
    const row = document.createElement("label"), input = document.createElement("input"), name = document.createElement("span"), value = document.createElement("output");
    Object.assign(input, { type: "range", min: slider.lower, max: slider.upper, step: "any", value: slider.start });
    name.textContent = slider.name; value.textContent = slider.start.toFixed(2);
    input.addEventListener("input", () => { values[k] = +input.value; value.textContent = values[k].toFixed(2); move(); draw(); });
    row.append(name, input, value); panel.append(row);
  });

  const slider = document.getElementById("time"), play = document.getElementById("play"), clock = document.getElementById("clock");
  function go(k) { now = k; slider.value = k; clock.textContent = scene.times[k].toFixed(2) + " s"; draw(); }
  if (scene.poses.length > 1) {
    slider.max = scene.poses.length - 1;
    [slider, play, clock].forEach((e) => (e.hidden = false));
    slider.addEventListener("input", () => go(+slider.value));
    let began = 0;
    const frame = (stamp) => {
      if (!playing) return;
      const length = scene.times[scene.times.length - 1] - scene.times[0];
      const t = scene.times[0] + ((stamp - began) / 1000) % Math.max(length, 1e-3);
      const k = scene.times.findIndex((x) => x > t);
      go(k < 0 ? scene.times.length - 1 : Math.max(0, k - 1));
      requestAnimationFrame(frame);
    };
    play.addEventListener("click", () => {
      playing = !playing; play.textContent = playing ? "Pause" : "Play";
      if (playing) requestAnimationFrame((stamp) => { began = stamp - 1000 * (scene.times[now] - scene.times[0]); frame(stamp); });
    });
  }
  document.getElementById("title").textContent = scene.name;
  window.addEventListener("resize", draw);
  go(0);
})();

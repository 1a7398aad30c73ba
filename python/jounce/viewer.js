// SPDX-License-Identifier: BSD-2-Clause
// Draws a robot on a canvas, without any library: links as bars between joints, inertias as ellipsoids, frames as axes.
// The scene (see _show.py): links {name, parent, joint, type, ellipsoid}, frames {name, link}, times, and poses [time][frame][12],
// each the upper three rows of a pose, row by row. Frame i is link i; named frames follow.
"use strict";
(() => {
  const scene = JSON.parse(document.getElementById("scene").textContent);
  const canvas = document.getElementById("view"), pen = canvas.getContext("2d");
  const shown = (id) => document.getElementById(id).checked;
  let now = 0, playing = false;
  const eye = { turn: -0.9, tilt: 0.35, distance: 1, target: [0, 0, 0] };

  const origin = (pose) => [pose[3], pose[7], pose[11]];
  const point = (pose, p) => [0, 1, 2].map((r) => pose[4 * r] * p[0] + pose[4 * r + 1] * p[1] + pose[4 * r + 2] * p[2] + pose[4 * r + 3]);
  const poses = () => scene.poses[now];

  // the box around all poses: where to look, and from how far
  const corner = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (const at of scene.poses)
    for (const pose of at)
      origin(pose).forEach((x, k) => { corner[0][k] = Math.min(corner[0][k], x, 0); corner[1][k] = Math.max(corner[1][k], x, 0); });
  eye.target = corner[0].map((low, k) => (low + corner[1][k]) / 2);
  const size = Math.max(0.2, Math.hypot(...corner[0].map((low, k) => corner[1][k] - low)));
  eye.distance = 1.6 * size;

  // world to screen: [x, y, depth]
  function project(p) {
    const [x, y, z] = p.map((c, k) => c - eye.target[k]);
    const ct = Math.cos(eye.turn), st = Math.sin(eye.turn), cp = Math.cos(eye.tilt), sp = Math.sin(eye.tilt);
    // seen from the front: forward points away from the eye, which looks down by tilt
    const right = -st * x + ct * y, away = -(ct * x + st * y);
    const up = cp * z + sp * away, depth = eye.distance + cp * away - sp * z;
    const scale = 1.2 * Math.min(canvas.width, canvas.height) / Math.max(depth, 0.05 * size);
    return [canvas.width / 2 + right * scale, canvas.height / 2 - up * scale, depth, scale];
  }

  const style = getComputedStyle(document.documentElement);
  const ink = () => style.getPropertyValue("--ink"), line = () => style.getPropertyValue("--line");
  function stroke(a, b, width, color) {
    pen.beginPath(); pen.moveTo(a[0], a[1]); pen.lineTo(b[0], b[1]);
    pen.lineWidth = width; pen.strokeStyle = color; pen.lineCap = "round"; pen.stroke();
  }
  const hue = (i) => `hsl(${(205 + 47 * i) % 360} 55% 52%)`;

  function drawGround(list) {
    const step = Math.pow(10, Math.floor(Math.log10(size))) / 2, n = Math.ceil(1.2 * size / step);
    for (let k = -n; k <= n; k++) {
      list.push({ depth: 1e9, draw: () => {
        stroke(project([k * step, -n * step, 0]), project([k * step, n * step, 0]), 1, line());
        stroke(project([-n * step, k * step, 0]), project([n * step, k * step, 0]), 1, line());
      } });
    }
  }
  function drawBar(list, i) {
    const link = scene.links[i], to = origin(poses()[i]);
    const from = link.parent >= 0 ? origin(poses()[link.parent]) : [to[0], to[1], 0];
    const a = project(from), b = project(to), moving = link.type !== "fixed";
    list.push({ depth: (a[2] + b[2]) / 2, draw: () => {
      stroke(a, b, Math.max(2, 0.02 * size * b[3]), link.parent >= 0 ? hue(link.parent) : line());
      pen.beginPath(); pen.arc(b[0], b[1], Math.max(2, (moving ? 0.018 : 0.01) * size * b[3]), 0, 7);
      pen.fillStyle = moving ? ink() : line(); pen.fill();
    } });
  }
  // three great circles, and the outline as the hull of many points
  function drawEllipsoid(list, i) {
    const e = scene.links[i].ellipsoid;
    if (!e) return;
    const at = (s) => point(poses()[i], e.center.map((c, k) => c + e.axes[0][k] * s[0] * e.half[0] + e.axes[1][k] * s[1] * e.half[1] + e.axes[2][k] * s[2] * e.half[2]));
    const cloud = [];
    for (let a = 0; a < 16; a++)
      for (let b = 1; b < 10; b++)
        cloud.push(project(at([Math.cos(a * Math.PI / 8) * Math.sin(b * Math.PI / 10), Math.sin(a * Math.PI / 8) * Math.sin(b * Math.PI / 10), Math.cos(b * Math.PI / 10)])));
    const outline = hull(cloud), depth = project(at([0, 0, 0]))[2];
    list.push({ depth, draw: () => {
      pen.beginPath(); outline.forEach((p, k) => (k ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1]))); pen.closePath();
      pen.globalAlpha = 0.35; pen.fillStyle = hue(i); pen.fill(); pen.globalAlpha = 0.9; pen.lineWidth = 1; pen.strokeStyle = hue(i); pen.stroke();
      for (let c = 0; c < 3; c++) {
        pen.beginPath();
        for (let k = 0; k <= 32; k++) {
          const s = [0, 0, 0]; s[c] = Math.cos(k * Math.PI / 16); s[(c + 1) % 3] = Math.sin(k * Math.PI / 16);
          const p = project(at(s)); if (k) pen.lineTo(p[0], p[1]); else pen.moveTo(p[0], p[1]);
        }
        pen.globalAlpha = 0.5; pen.stroke();
      }
      pen.globalAlpha = 1;
    } });
  }
  function hull(points) {
    points = points.slice().sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    const half = (list) => { const out = []; for (const p of list) { while (out.length > 1 && turn(out[out.length - 2], out[out.length - 1], p) <= 0) out.pop(); out.push(p); } out.pop(); return out; };
    return half(points).concat(half(points.slice().reverse()));
  }
  function drawFrame(list, i) {
    const pose = poses()[i], a = project(origin(pose));
    ["#d33", "#2a2", "#36d"].forEach((color, k) => {
      const tip = [0, 0, 0]; tip[k] = 0.07 * size;
      const b = project(point(pose, tip));
      list.push({ depth: Math.min(a[2], b[2]) - 0.01 * size, draw: () => stroke(a, b, 2 * devicePixelRatio, color) });
    });
  }
  function draw() {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * ratio; canvas.height = canvas.clientHeight * ratio;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const list = [];
    drawGround(list);
    scene.links.forEach((_, i) => { if (shown("bodies")) drawBar(list, i); if (shown("ellipsoids")) drawEllipsoid(list, i); });
    const count = scene.links.length + scene.frames.length;
    if (shown("frames")) for (let i = 0; i < count; i++) drawFrame(list, i);
    list.sort((a, b) => b.depth - a.depth).forEach((item) => item.draw());
    if (shown("names")) {
      pen.fillStyle = ink(); pen.font = `${12 * ratio}px system-ui`;
      for (let i = 0; i < count; i++) {
        const p = project(origin(poses()[i])), name = (i < scene.links.length ? scene.links[i] : scene.frames[i - scene.links.length]).name;
        pen.fillText(name, p[0] + 8 * ratio, p[1] - 6 * ratio);
      }
    }
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
  for (const id of ["bodies", "frames", "ellipsoids", "names"]) document.getElementById(id).addEventListener("change", draw);
  const slider = document.getElementById("time"), play = document.getElementById("play"), clock = document.getElementById("clock");
  function go(k) { now = k; slider.value = k; clock.textContent = scene.times[k].toFixed(2) + " s"; draw(); }
  if (scene.poses.length > 1) {
    slider.max = scene.poses.length - 1;
    [slider, play, clock].forEach((e) => (e.hidden = false));
    slider.addEventListener("input", () => go(+slider.value));
    let start = 0;
    const frame = (stamp) => {
      if (!playing) return;
      const length = scene.times[scene.times.length - 1] - scene.times[0];
      const t = scene.times[0] + ((stamp - start) / 1000) % Math.max(length, 1e-3);
      let k = scene.times.findIndex((x) => x > t);
      go(k < 0 ? scene.times.length - 1 : Math.max(0, k - 1));
      requestAnimationFrame(frame);
    };
    play.addEventListener("click", () => {
      playing = !playing; play.textContent = playing ? "Pause" : "Play";
      if (playing) requestAnimationFrame((stamp) => { start = stamp - 1000 * (scene.times[now] - scene.times[0]); frame(stamp); });
    });
  }
  document.getElementById("title").textContent = scene.name;
  window.addEventListener("resize", draw);
  go(0);
})();

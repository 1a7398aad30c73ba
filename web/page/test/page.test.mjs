// SPDX-License-Identifier: BSD-2-Clause
// The page in a real browser (Debian's Chromium): robots, files good and bad, numbers as the command's, speed and size.
// Screenshots go to build/web/pictures.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, pictures } from "../browser.mjs";
import { origin } from "../meshes.mjs";
import factory from "../../dist/jounce.mjs";
import { Jounce } from "../../dist/library/index.js";

const file = fileURLToPath(new URL("../../dist/page/index.html", import.meta.url));
const jounce = await Jounce.create(factory, readFileSync(new URL("../../dist/jounce.wasm", import.meta.url)));

// A robot with a mesh and an odd name, and a motion of it.
const URDF = `<robot name="r"><link name="a"/><link name="<i>b</i>"><visual><geometry><mesh filename="package://r/meshes/b.stl"/></geometry></visual><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="continuous"><parent link="a"/><child link="<i>b</i>"/><axis xyz="0 1 0"/></joint></robot>`.replaceAll("<i>", "&lt;i>").replaceAll("</i>", "&lt;/i>");
const STL = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0.3 0 0\nvertex 0 0.3 0\nendloop\nendfacet\nendsolid s\n";
const CSV = `t,j\n${Array.from({ length: 50 }, (_, i) => `${i / 25},${Math.sin(i / 25)}`).join("\n")}\n`;

let browser;
let page;
const requests = [];
const faults = [];

before(async () => {
  browser = await launch();
  page = await open("");
});
after(() => browser?.close());

async function open(address, size = { width: 1280, height: 800 }, options = {}) {
  const made = await browser.newPage({ viewport: size, ...options });
  made.on("request", (request) => requests.push(request.url()));
  made.on("pageerror", (error) => faults.push(String(error)));
  await made.goto(`file://${file}${address}`);
  await made.waitForFunction(() => globalThis.jounceApp?.robot);
  return made;
}

const choose = async (name) => {
  await page.selectOption("#robot", `builtin:${name}`);
  await page.waitForFunction((source) => globalThis.jounceApp.robot?.source === source, `builtin:${name}`);
};
const tab = (name) => page.click(`#tabs >> text=${name}`);
const drop = async (files) => {
  const input = files.map(([name, content]) => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) }));
  await page.setInputFiles("#files", input);
};

test("one file of less than 2 MB, and no request besides", () => {
  console.log(`# ${statSync(file).size} bytes are transferred, in ${requests.filter((url) => url.startsWith("file:")).length} request`);
  assert.ok(statSync(file).size < 2e6, `${statSync(file).size} bytes`);
  assert.deepEqual(requests.filter((url) => !/^(file|data|blob):/.test(url)), []);
});

test("every built-in robot is shown, with the torques of the command", async () => {
  for (const name of jounce.builtin) {
    await choose(name);
    const shown = await page.evaluate(() => {
      const { robot, q } = globalThis.jounceApp;
      return { q: [...q], g: [...robot.model.gravityForces(q)], loops: robot.model.loopCount };
    });
    const run = await jounce.run(["eval", `builtin:${name}`, "--want", "g", "--loops", "ignore", "--input", "s.json"], {
      "s.json": JSON.stringify({ q: shown.q }),
    });
    assert.equal(run.status, 0, run.stderr);
    JSON.parse(run.stdout).results[0].g.forEach((x, i) => assert.ok(Math.abs(x - shown.g[i]) < 1e-9, `${name}: g[${i}]`));
    await page.screenshot({ path: `${pictures}${name}.png` });
  }
});

test("a slider moves its joint, and loops stay closed", async () => {
  await choose("four_bar");
  await tab("Joints");
  await page.locator("#joint0").fill("0.5");
  const { q, gap } = await page.evaluate(() => {
    const { robot, q } = globalThis.jounceApp;
    const closed = robot.model.assemble(q);
    return { q: [...q], gap: Math.max(...closed.map((x, i) => Math.abs(x - q[i]))) };
  });
  assert.ok(Math.abs(q[0] - 0.5) < 1e-3, `${q[0]}`);
  assert.ok(gap < 1e-9, `${gap}`);
});

const opened = (source, files) => page.evaluate(async ([name, texts]) => {
  await globalThis.jounceApp.open(name, texts);
  const { q, robot } = globalThis.jounceApp;
  return { q: [...q], limits: robot.coordinates.map((c) => [c.name, c.q, c.limits.lower, c.limits.upper]) };
}, [source, files]);

test("a robot with loops starts inside its position limits", async () => {
  // At zero the loop is closed, and from the nearest allowed angle of the motor, 1.5, it closes at 0.83.
  const robot = JSON.parse(readFileSync(new URL("../../../src/io/robots/four_bar.json", import.meta.url), "utf8"));
  Object.assign(robot.bodies[0].joint.limits, { lower: 1.5, upper: 2.6 });
  const { q, limits } = await opened("limited.json", { "limited.json": JSON.stringify(robot) });
  for (const [name, at, lower, upper] of limits)
    assert.ok(q[at] >= lower - 1e-9 && q[at] <= upper + 1e-9, `${name} is ${q[at]}, its limits are ${lower} and ${upper}`);
});

test("the page lists the files that it holds", async () => {
  const shown = async () => {
    await tab("Files");
    return (await page.locator("#pages tr").allTextContents()).map((text) => text.replace(/Save$/, ""));
  };
  await choose("panda");
  assert.deepEqual(await shown(), []);
  assert.match(await page.textContent("#pages"), /holds no files/);
  await page.evaluate(async ([urdf, stl, csv]) => {
    const bytes = new TextEncoder().encode(stl);
    const files = { "r.urdf": urdf, "package://r/meshes/b.stl": bytes, "again <b>.stl": bytes, "motion.csv": csv };
    await globalThis.jounceApp.open("r.urdf", files);
    await globalThis.jounceApp.follow("motion.csv", files);
  }, [URDF, STL, CSV]);
  assert.deepEqual(await shown(), [
    `r.urdfrobot${URDF.length} bytes`,
    `package://r/meshes/b.stlalso called again <b>.stlmesh${STL.length} bytes`,
    `motion.csvmotion${CSV.length} bytes`,
  ]);
  await page.screenshot({ path: `${pictures}files.png` });
  await tab("Joints");
});

test("a link can be dragged", async () => {
  await choose("panda");
  const before_ = await page.evaluate(() => [...globalThis.jounceApp.q]);
  const box = await page.locator("#view").boundingBox();
  const [x, y] = [box.x + 0.52 * box.width, box.y + 0.34 * box.height];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y + 10, { steps: 4 });
  await page.mouse.up();
  const after_ = await page.evaluate(() => [...globalThis.jounceApp.q]);
  assert.ok(after_.some((value, i) => Math.abs(value - before_[i]) > 1e-3));
});

test("a motion is played, and its broken limits are named as by the command", async () => {
  await choose("panda");
  await tab("Motion");
  await page.click("text=Demo motion of the Panda");
  await page.waitForFunction(() => globalThis.jounceApp.motion);
  const report = await page.textContent("#pages pre");
  const run = await jounce.run(["torque", "builtin:panda", "builtin:demo", "--order", "1", "--limits", "--out", "jounce-torques.csv"]);
  assert.equal(run.status, 1);
  assert.equal(report.trim(), (run.stdout + run.stderr).trim());
  assert.match(await page.textContent("#pages"), /Beyond the limit: panda_joint1/);
  await page.click("#play");
  await page.waitForFunction(() => globalThis.jounceApp.time > 0.3);
  await page.screenshot({ path: `${pictures}motion.png` });
});

test("a floating base follows its motion, with the forces of the command", async () => {
  await choose("quadruped");
  const names = await page.evaluate(() => globalThis.jounceApp.robot.model.coordinates);
  assert.deepEqual(names.slice(0, 8), ["base_x", "base_y", "base_z", "base_qx", "base_qy", "base_qz", "base_qw", "front_left_abduction"]);
  const rows = Array.from({ length: 81 }, (_, i) => {
    const t = i / 40;
    const half = 0.4 * Math.sin(t);
    return [t, 5 * t, -t, 0.5, 0, 0, Math.sin(half), Math.cos(half), ...Array.from({ length: 12 }, (__, k) => 0.1 * Math.sin(t + k) - (k % 3 === 2 ? 1 : 0))];
  });
  const csv = `t,${names.join(",")}\n${rows.map((row) => row.join(",")).join("\n")}\n`;
  await drop([["walk.csv", csv]]);
  await page.waitForFunction(() => globalThis.jounceApp.motion?.name === "walk.csv");
  const run = await jounce.run(["torque", "builtin:quadruped", "walk.csv", "--out", "t.csv"], { "walk.csv": csv });
  const [head, ...lines] = new TextDecoder().decode(run.files["t.csv"]).trim().split("\n");
  const column = (name) => head.split(",").findIndex((title) => title.startsWith(`${name} [`));
  const values = lines[33].split(",").map(Number);
  const state = await page.evaluate((time) => {
    const app = globalThis.jounceApp;
    app.seek(time);
    return { q: [...app.q], torque: [...app.torque], velocities: app.robot.model.velocities };
  }, values[0]);
  names.forEach((name, i) => assert.ok(Math.abs(state.q[i] - values[column(name)]) < 1e-9, name));
  state.velocities.forEach((name, i) => {
    const expected = values[column(`${name}.tau`)];
    assert.ok(Math.abs(state.torque[i] - expected) < 1e-9 * (1 + Math.abs(expected)), `${name}: ${state.torque[i]} and ${expected}`);
  });
  assert.ok(Math.abs(state.torque[5]) > 100, "the force that carries the robot");

  // What the panel shows, and that the whole way is in the picture.
  await tab("Joints");
  const labels = await page.locator("#pages .joint label").allTextContents();
  assert.deepEqual(labels.slice(0, 6), ["base x", "base y", "base z", "base roll", "base pitch", "base yaw"]);
  const bars = await page.locator("#pages .joint span").allTextContents();
  assert.deepEqual(bars.slice(0, 6), ["x", "y", "z"].map((axis) => `moment about ${axis}`).concat(["x", "y", "z"].map((axis) => `force along ${axis}`)));
  const yaw = await page.evaluate(() => document.getElementById("joint5").valueAsNumber);
  assert.ok(Math.abs(yaw - 0.8 * Math.sin(values[0])) < 1e-3, `${yaw}`);
  const outside = await page.evaluate(() => {
    const app = globalThis.jounceApp;
    const { camera } = app.viewer;
    camera.updateMatrixWorld();
    let found = 0;
    for (const time of [app.motion.t[0], app.motion.t.at(-1)]) {
      app.seek(time);
      const poses = app.robot.model.framePoses(app.q);
      for (let i = 0; i < app.robot.model.linkCount; i++) {
        const at = camera.position.clone().set(poses[16 * i + 3], poses[16 * i + 7], poses[16 * i + 11]).project(camera);
        found += Number(Math.max(Math.abs(at.x), Math.abs(at.y)) > 1);
      }
    }
    return found;
  });
  assert.equal(outside, 0, "links outside of the picture");
  await page.screenshot({ path: `${pictures}walk.png` });
});

test("base sliders put the base where they say, and read it back", async () => {
  await choose("humanoid");
  await tab("Joints");
  const values = [0.4, -0.3, 1.1, 0.5, -0.7, 2.5];
  for (const [k, value] of values.entries()) await page.locator(`#joint${k}`).fill(String(value));
  const read = await page.evaluate(() => [0, 1, 2, 3, 4, 5].map((k) => document.getElementById(`joint${k}`).valueAsNumber));
  values.forEach((value, k) => assert.ok(Math.abs(read[k] - value) < 2e-3, `${k}: ${read[k]} and ${value}`));
  const pose = await page.evaluate(() => [...globalThis.jounceApp.robot.model.framePoses(globalThis.jounceApp.q).slice(0, 12)]);
  origin(values.slice(0, 3), values.slice(3)).slice(0, 3).flat().forEach((x, i) => assert.ok(Math.abs(pose[i] - x) < 2e-3, `pose[${i}]`));
});

test("limits, wrenches and losses of files change the results as in the command", async () => {
  const urdf = URDF.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"/><dynamics damping="2" friction="0.5"/>');
  const files = { "arm.urdf": urdf, "swing.csv": CSV, "limits.json": '{"j": {"velocity": 0.5, "effort": 100}}', "push.csv": "t,<i>b</i>_my\n0,3\n" };
  await drop([["arm.urdf", urdf], ["b.stl", STL]]);
  await page.waitForFunction(() => globalThis.jounceApp.robot.source === "arm.urdf");
  await drop([["swing.csv", CSV]]);
  await page.waitForFunction(() => globalThis.jounceApp.motion?.name === "swing.csv");
  await tab("Motion");
  await page.click("summary");
  const give = (button, name) => page.setInputFiles(`label:has-text("${button}") input`, { name, mimeType: "text/plain", buffer: Buffer.from(files[name]) });
  const same = async (...options) => {
    const run = await jounce.run(["torque", "arm.urdf", "swing.csv", "--order", "1", ...options, "--out", "jounce-torques.csv"], files);
    await page.waitForFunction((report) => globalThis.jounceApp.motion.report.trim() === report, (run.stdout + run.stderr).trim());
    assert.equal(await page.evaluate(() => new TextDecoder().decode(globalThis.jounceApp.motion.csv)), new TextDecoder().decode(run.files["jounce-torques.csv"]));
    return run.status;
  };
  assert.equal(await same("--limits"), 0);
  await give("Other limits", "limits.json");
  assert.equal(await same("--limits=limits.json"), 1);
  assert.match(await page.textContent("#pages"), /Velocity as a part of its limit[^]*Beyond the limit: j: 0/);
  await page.click("#losses");
  await same("--limits=limits.json", "--losses");
  await give("External wrenches", "push.csv");
  await same("--limits=limits.json", "--losses", "--wrench=push.csv");
  assert.equal(await page.textContent("#wrench-file"), "push.csv");
  await page.click('button:has-text("Remove"):visible >> nth=0');
  await same("--limits", "--losses", "--wrench=push.csv");

  // What is refused is said, and changes nothing.
  files["bad.json"] = '{"k": {"velocity": 1}}';
  await give("Other limits", "bad.json");
  await page.waitForFunction(() => /bad\.json: joint 'k' is not a moving joint/.test(document.getElementById("status").textContent));
  assert.equal(await page.textContent("#limits-file"), "the robot's own");
  await page.screenshot({ path: `${pictures}conditions.png` });
});

test("let go: a robot falls, and keeps its energy without losses", async () => {
  await choose("double_pendulum");
  await page.evaluate(() => globalThis.jounceApp.place(Float64Array.of(2, 0.5)));
  await tab("Simulate");
  await page.locator("#pages input[type=checkbox]").first().uncheck();
  const before_ = await page.evaluate(() => globalThis.jounceApp.energy());
  await page.click("#fall");
  await page.waitForFunction(() => globalThis.jounceApp.time > 1);
  const after_ = await page.evaluate(() => globalThis.jounceApp.energy());
  assert.ok(Math.abs(after_ - before_) < 1e-5 * (1 + Math.abs(before_)), `${before_} and ${after_}`);
  console.log(`# ${(await page.evaluate(() => globalThis.jounceApp.viewer.rate)).toFixed(0)} pictures a second, drawn by software`);
  await page.screenshot({ path: `${pictures}fall.png` });
  await page.click("#fall");
});

test("gravity torques of 50 coordinates as bars, 60 times a second", async () => {
  const joints = Array.from({ length: 50 }, (_, i) => `<joint name="j${i}" type="revolute"><parent link="l${i}"/><child link="l${i + 1}"/><origin xyz="0 0 0.05"/><axis xyz="${i % 2} ${(i + 1) % 2} 0"/><limit lower="-2" upper="2" effort="300" velocity="3"/></joint>`);
  const links = Array.from({ length: 51 }, (_, i) => `<link name="l${i}"><inertial><mass value="0.5"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>`);
  await drop([["fifty.urdf", `<robot name="fifty">${links.join("")}${joints.join("")}</robot>`]]);
  await page.waitForFunction(() => globalThis.jounceApp.robot.source === "fifty.urdf");
  await tab("Joints");
  assert.equal(await page.locator("#pages .bar").count(), 50);
  const milliseconds = await page.evaluate(() => {
    const app = globalThis.jounceApp;
    let least = Infinity;
    for (let run = 0; run < 10; run++) {
      const start = performance.now();
      for (let k = 0; k < 10; k++) {
        const q = app.q.slice();
        q[0] = 0.001 * k;
        app.place(q);
        document.getElementById("pages").getBoundingClientRect(); // and the layout
      }
      least = Math.min(least, (performance.now() - start) / 10);
    }
    return least;
  });
  console.log(`# one configuration of 50 joints, with torques, bars and layout: ${milliseconds.toFixed(2)} ms of 16.7 in the page`);
  assert.ok(milliseconds < 16.7, `${milliseconds} ms`);
});

test("a bad file says what the command says; what was shown stays", async () => {
  await choose("panda");
  await drop([["bad.urdf", "<robot name='r'>\n<link name='a'/>\n<joint name='j' type='revolut'/>\n</robot>"]]);
  await page.waitForFunction(() => document.getElementById("status").textContent.includes("revolut"));
  assert.match(await page.textContent("#status"), /bad\.urdf:3:1: joint 'j'.*did you mean revolute/);
  assert.equal(await page.evaluate(() => globalThis.jounceApp.robot.source), "builtin:panda");
});

test("MJCF and native files, a folder with meshes, and a real drop", async () => {
  const mjcf = "<mujoco model='m'><worldbody><body name='b' pos='0 0 1'><joint name='hinge' axis='0 1 0'/><geom type='sphere' size='0.1' mass='2' pos='0 0 -0.5'/></body></worldbody></mujoco>";
  await drop([["pendulum.xml", mjcf]]);
  await page.waitForFunction(() => globalThis.jounceApp.robot.source === "pendulum.xml");
  assert.equal(await page.evaluate(() => globalThis.jounceApp.robot.model.nv), 1);
  const native = (await jounce.run(["convert", "builtin:planar_2r", "arm.json"])).files["arm.json"];
  await drop([["arm.json", native]]);
  await page.waitForFunction(() => globalThis.jounceApp.robot.source === "arm.json");

  const folder = `${pictures}arm_description`;
  for (const part of ["urdf", "meshes"]) mkdirSync(`${folder}/${part}`, { recursive: true });
  writeFileSync(`${folder}/package.xml`, "<package><name>arm_description</name></package>");
  writeFileSync(`${folder}/urdf/arm.urdf`, URDF.replace("package://r/", "package://arm_description/"));
  writeFileSync(`${folder}/meshes/b.stl`, STL);
  await page.setInputFiles("#folder", folder);
  await page.waitForFunction(() => globalThis.jounceApp.robot.source.endsWith("arm.urdf"));
  const looks = () => page.evaluate(() => [globalThis.jounceApp.looks.links.size, globalThis.jounceApp.looks.missing.length]);
  assert.deepEqual(await looks(), [1, 0]);

  await page.evaluate(([urdf, stl]) => {
    const data = new DataTransfer();
    data.items.add(new File([urdf], "dropped.urdf"));
    data.items.add(new File([stl], "b.stl"));
    dispatchEvent(new DragEvent("dragover", { dataTransfer: data, cancelable: true }));
    dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
  }, [URDF, STL]);
  await page.waitForFunction(() => globalThis.jounceApp.robot.source === "dropped.urdf");
  assert.deepEqual(await looks(), [1, 0]);
  assert.ok(await page.locator("#drop").isHidden());
});

test("frames, axes, ellipsoids and the centre of mass are drawn when they are asked for", async () => {
  await choose("panda");
  const picture = () => page.locator("#view").screenshot();
  for (const part of ["frames", "axes", "ellipsoids", "centre of mass", "boxes"]) {
    const box = page.locator(`#shown label:has-text("${part}") input`);
    const before_ = await picture();
    await box.click();
    await page.waitForTimeout(100);
    assert.ok(!before_.equals(await picture()), `${part} change nothing`);
    await box.click();
  }
});

test("loops stay closed while a link is dragged, and while the robot falls", async () => {
  await choose("four_bar");
  const box = await page.locator("#view").boundingBox();
  const gap = () => page.evaluate(() => {
    const { robot, q } = globalThis.jounceApp;
    const closed = robot.model.assemble(q);
    return Math.max(...closed.map((x, i) => Math.abs(x - q[i])));
  });
  // The middle of the coupler on the screen.
  const [x, y] = await page.evaluate(() => {
    const { links, parts, camera } = globalThis.jounceApp.viewer;
    const shape = links[1].children.find((child) => parts.boxes.includes(child));
    shape.updateWorldMatrix(true, false);
    const at = shape.position.clone().setFromMatrixPosition(shape.matrixWorld).project(camera);
    return [(at.x + 1) / 2, (1 - at.y) / 2];
  });
  const before_ = await page.evaluate(() => [...globalThis.jounceApp.q]);
  await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
  await page.mouse.down();
  await page.mouse.move(box.x + x * box.width + 15, box.y + y * box.height + 5, { steps: 2 });
  await page.mouse.up();
  const after_ = await page.evaluate(() => [...globalThis.jounceApp.q]);
  const moved = Math.max(...after_.map((value, i) => Math.abs(value - before_[i])));
  assert.ok(moved > 1e-3, "the coupler does not move");
  assert.ok((await gap()) < 1e-9);
  await tab("Simulate");
  await page.click("#fall");
  await page.waitForFunction(() => globalThis.jounceApp.time > 0.3);
  await page.click("#fall");
  assert.ok((await gap()) < 1e-6, `${await gap()}`);
});

test("torques can be saved; a motion beyond its limits is timed again, and then keeps them", async () => {
  await choose("panda");
  await tab("Motion");
  await page.click("text=Demo motion of the Panda");
  await page.waitForFunction(() => globalThis.jounceApp.motion);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click("text=Save torques as CSV")]);
  const run = await jounce.run(["torque", "builtin:panda", "builtin:demo", "--order", "1", "--limits", "--out", "t.csv"]);
  assert.equal(readFileSync(await saved.path(), "utf8"), new TextDecoder().decode(run.files["t.csv"]));
  for (const title of ["Torque", "Torque rate", "Velocity"]) assert.ok(await page.locator(`#pages h2:text-matches("^${title}( as a part|$)")`).count(), title);
  await page.click("text=Retime to the limits");
  await page.waitForFunction(() => globalThis.jounceApp.motion.name === "retimed.csv", null, { timeout: 120000 });
  assert.match(await page.textContent("#status"), /s before, .* s now.*All 42 limits hold/);
  assert.doesNotMatch(await page.textContent("#pages"), /Beyond the limit/);
});

test("when there is no other timing, the page says why", async () => {
  await drop([["free.urdf", URDF], ["b.stl", STL]]);
  await page.waitForFunction(() => globalThis.jounceApp.robot.source === "free.urdf");
  await drop([["swing.csv", CSV]]);
  await page.waitForFunction(() => globalThis.jounceApp.motion?.name === "swing.csv");
  assert.match(await page.textContent("#status"), /no limits/);
  await tab("Motion");
  await page.click("text=Retime to the limits");
  await page.waitForFunction(() => /No other timing: [^]*nothing limits this motion/.test(document.getElementById("status").textContent));
  await drop([["bad.csv", "t,j\n0,0\n0.1,zero\n"]]);
  await page.waitForFunction(() => /bad\.csv:3/.test(document.getElementById("status").textContent));
});

test("a pendulum's eigenfrequency is that of the textbook", async () => {
  const length = 0.7;
  await drop([["pendulum.urdf", `<robot name="p"><link name="a"/><link name="b"><inertial><origin xyz="0 0 ${-length}"/><mass value="2"/><inertia ixx="1e-9" iyy="1e-9" izz="1e-9" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint></robot>`]]);
  await page.waitForFunction(() => globalThis.jounceApp.robot.source === "pendulum.urdf");
  await tab("Matrix");
  const shown = Number(/([\d.]+) Hz/.exec(await page.textContent("#pages td.number"))[1]);
  assert.ok(Math.abs(shown - Math.sqrt(9.81 / length) / (2 * Math.PI)) < 1e-3, `${shown} Hz`);
  const painted = await page.$eval("canvas.matrix", (canvas) => canvas.getContext("2d").getImageData(0, 0, 1, 1).data[3]);
  assert.equal(painted, 255);
  await choose("four_bar");
  assert.match(await page.textContent("#pages"), /Not shown for robots with loops/);
});

test("what is copied gives the numbers that are shown", async () => {
  await choose("panda");
  await page.evaluate(() => globalThis.jounceApp.place(Float64Array.of(0.1, -0.4, 0.2, -1.5, 0.3, 1.2, 0.4)));
  await tab("Copy");
  const [command, c, python] = await page.$$eval("#pages pre", (blocks) => blocks.map((block) => block.textContent));
  const [, state, options] = /^echo '(.*)' \| jounce (eval .*)$/.exec(command);
  const run = await jounce.run([...options.split(" "), "--input", "s.json"], { "s.json": state });
  assert.equal(run.status, 0, run.stderr);
  const shown = await page.evaluate(() => [...globalThis.jounceApp.torque]);
  JSON.parse(run.stdout).results[0].g.forEach((x, i) => assert.ok(Math.abs(x - shown[i]) < 1e-7, `g[${i}]`));
  writeFileSync(`${pictures}copied.c`, c);
  writeFileSync(`${pictures}copied.py`, python);
  const include = fileURLToPath(new URL("../../../include", import.meta.url));
  execFileSync("cc", ["-std=c17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", `-I${include}`, `${pictures}copied.c`]);
  execFileSync("python3", ["-m", "py_compile", `${pictures}copied.py`]);
  assert.ok(python.includes("0.1, -0.4, 0.2"));
});

test("keyboard and screen readers: every control has a name, tabs move with arrows", async () => {
  await choose("panda");
  for (const title of ["Joints", "Check", "Motion", "Simulate", "Matrix", "Copy"]) {
    await tab(title);
    const nameless = await page.evaluate(() => {
      const named = (e) => e.getAttribute("aria-label") || e.textContent.trim() || [...(e.labels ?? [])].some((label) => label.textContent.trim());
      return [...document.querySelectorAll("button, input, select, canvas, [role=tab]")].filter((e) => !named(e)).map((e) => e.outerHTML.slice(0, 80));
    });
    assert.deepEqual(nameless, [], title);
  }
  await page.locator("#tabs button").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  assert.equal(await page.textContent('#tabs [aria-selected="true"]'), "Check");
  await tab("Joints");
  await page.locator("#joint1").focus();
  const before_ = await page.evaluate(() => globalThis.jounceApp.q[1]);
  await page.keyboard.press("ArrowRight");
  assert.ok((await page.evaluate(() => globalThis.jounceApp.q[1])) > before_);
  const view = await page.locator("#view").screenshot();
  await page.locator("#view").focus();
  await page.keyboard.press("ArrowLeft");
  await page.waitForTimeout(200);
  assert.ok(!view.equals(await page.locator("#view").screenshot()), "the arrow keys do not turn the view");
});

test("text from files is never markup", async () => {
  const name = "<img src=x onerror=globalThis.broken=1>".replaceAll("<", "&lt;");
  await drop([["odd.urdf", `<robot name="r"><link name="${name}"/><link name="b"/><joint name="${name}" type="continuous"><parent link="${name}"/><child link="b"/></joint></robot>`]]);
  await page.waitForFunction(() => globalThis.jounceApp.robot.source === "odd.urdf");
  for (const title of ["Joints", "Check", "Copy"]) await tab(title);
  assert.equal(await page.evaluate(() => globalThis.broken), undefined);
});

test("check marks the link and offers the repaired file", async () => {
  await drop([["broken.urdf", "<robot name='r'><link name='a'/><joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint><link name='b'><inertial><mass value='1'/><inertia ixx='0.1' iyy='0.9' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>"]]);
  await page.waitForFunction(() => globalThis.jounceApp.robot.source === "broken.urdf");
  await tab("Check");
  await page.click("text=inertia-triangle");
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click("text=Repair the inertias")]);
  const repaired = readFileSync(await saved.path(), "utf8");
  const run = await jounce.run(["check", "repaired.urdf"], { "repaired.urdf": repaired });
  assert.doesNotMatch(run.stdout + run.stderr, /inertia-triangle/);
});

test("the address brings the whole state back", async () => {
  await choose("panda");
  await tab("Motion");
  await page.click("text=Demo motion of the Panda");
  await page.waitForFunction(() => globalThis.jounceApp.motion);
  await page.evaluate(() => globalThis.jounceApp.seek(1.25));
  await page.locator('#shown label:has-text("frames") input').click();
  await page.waitForFunction(() => location.hash.includes("t=1.250"));
  const again = await open(await page.evaluate(() => location.hash));
  const state = await again.evaluate(() => {
    const { robot, motion, time, viewer } = globalThis.jounceApp;
    return [robot.source, motion.name, time, viewer.isShown("frames"), document.querySelector('#tabs [aria-selected="true"]').textContent];
  });
  assert.deepEqual(state, ["builtin:panda", "builtin:demo", 1.25, true, "Motion"]);
  await again.close();
  await page.locator('#shown label:has-text("frames") input').click();
});

test("the address brings a configuration back", async () => {
  const other = await open("#robot=builtin:planar_2r&q=0.25,-0.5");
  assert.deepEqual(await other.evaluate(() => [...globalThis.jounceApp.q]), [0.25, -0.5]);
  await other.close();
});

test("dark and light, and as wide as a phone", async () => {
  const backs = [];
  for (const colorScheme of ["dark", "light"]) {
    const phone = await open("", { width: 390, height: 800 }, { colorScheme });
    const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide} pixels wide`);
    backs.push(await phone.evaluate(() => getComputedStyle(document.body).backgroundColor));
    await phone.screenshot({ path: `${pictures}phone-${colorScheme}.png` });
    await phone.close();
  }
  assert.notEqual(backs[0], backs[1]);
});

test("jounce view writes the page with the robot, its mesh and a motion inside", async () => {
  const files = { "robot.urdf": URDF, "meshes/b.stl": STL, "motion.csv": CSV, "empty.html": readFileSync(file, "utf8") };
  const run = await jounce.run(["view", "robot.urdf", "motion.csv", "--page", "empty.html", "--out", "view.html"], files);
  assert.equal(run.status, 0, run.stderr);
  assert.doesNotMatch(run.stderr, /not found/);
  writeFileSync(`${pictures}view.html`, run.files["view.html"]);
  const shown = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  shown.on("pageerror", (error) => faults.push(String(error)));
  await shown.goto(`file://${pictures}view.html`);
  await shown.waitForFunction(() => globalThis.jounceApp?.motion);
  const { meshes, missing, samples } = await shown.evaluate(() => {
    const { looks, motion } = globalThis.jounceApp;
    return { meshes: looks.links.size, missing: looks.missing.length, samples: motion.t.length };
  });
  assert.deepEqual({ meshes, missing, samples }, { meshes: 1, missing: 0, samples: 50 });
  await shown.screenshot({ path: `${pictures}view.png` });
  await shown.close();
});

test("jounce view passes limits, wrenches and losses on", async () => {
  const urdf = URDF.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"/><dynamics damping="2" friction="0.5"/>');
  const files = { "robot.urdf": urdf, "a/x.csv": CSV, "b/x.csv": "t,<i>b</i>_my\n0,3\n", "l.json": '{"j": {"velocity": 0.5}}', "empty.html": readFileSync(file, "utf8") };
  const run = await jounce.run(["view", "robot.urdf", "a/x.csv", "--wrench", "b/x.csv", "--limits", "l.json", "--losses", "--page", "empty.html", "--out", "view.html"], files);
  assert.equal(run.status, 0, run.stderr);
  writeFileSync(`${pictures}conditions.html`, run.files["view.html"]);
  const shown = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await shown.goto(`file://${pictures}conditions.html`);
  await shown.waitForFunction(() => globalThis.jounceApp?.motion);
  const csv = await shown.evaluate(() => new TextDecoder().decode(globalThis.jounceApp.motion.csv));
  const same = await jounce.run(["torque", "robot.urdf", "a/x.csv", "--order", "1", "--limits=l.json", "--wrench", "b/x.csv", "--losses", "--out", "t.csv"], files);
  assert.equal(csv, new TextDecoder().decode(same.files["t.csv"]));
  assert.equal(await shown.evaluate(() => globalThis.jounceApp.robot.coordinates[0].limits.velocity), 0.5);
  await shown.close();
});

test("no script failed", () => assert.deepEqual(faults, []));

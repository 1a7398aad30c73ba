// SPDX-License-Identifier: BSD-2-Clause
// The page in a real browser (Debian's Chromium): robots, files good and bad, numbers as the command's, speed and size.
// Screenshots go to build/web/pictures.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import factory from "../../dist/jounce.mjs";
import { Jounce } from "../../dist/library/index.js";

const file = fileURLToPath(new URL("../../dist/page/index.html", import.meta.url));
const pictures = fileURLToPath(new URL("../../../build/web/pictures/", import.meta.url));
const jounce = await Jounce.create(factory, readFileSync(new URL("../../dist/jounce.wasm", import.meta.url)));
mkdirSync(pictures, { recursive: true });

let browser;
let page;
const requests = [];
const faults = [];

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
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
  await page.screenshot({ path: `${pictures}fall.png` });
  await page.click("#fall");
});

test("50 coordinates are computed fast enough for 60 pictures a second", async () => {
  await choose("humanoid");
  const milliseconds = await page.evaluate(() => {
    const app = globalThis.jounceApp;
    const start = performance.now();
    for (let k = 0; k < 100; k++) app.place(app.q);
    return (performance.now() - start) / 100;
  });
  console.log(`# one configuration of the humanoid: ${milliseconds.toFixed(2)} ms in the page`);
});

test("a bad file says what the command says; what was shown stays", async () => {
  await choose("panda");
  await drop([["bad.urdf", "<robot name='r'>\n<link name='a'/>\n<joint name='j' type='revolut'/>\n</robot>"]]);
  await page.waitForFunction(() => document.getElementById("status").textContent.includes("revolut"));
  assert.match(await page.textContent("#status"), /bad\.urdf:3:1: joint 'j'.*did you mean revolute/);
  assert.equal(await page.evaluate(() => globalThis.jounceApp.robot.source), "builtin:panda");
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

test("the address brings the robot back", async () => {
  const other = await open("#robot=builtin:planar_2r&q=0.25,-0.5");
  assert.deepEqual(await other.evaluate(() => [...globalThis.jounceApp.q]), [0.25, -0.5]);
  await other.close();
});

test("dark, and as wide as a phone", async () => {
  const phone = await open("", { width: 390, height: 800 }, { colorScheme: "dark" });
  const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide} pixels wide`);
  await phone.screenshot({ path: `${pictures}phone.png` });
  await phone.close();
});

test("jounce view writes the page with the robot, its mesh and a motion inside", async () => {
  const urdf = `<robot name="r"><link name="a"/><link name="<i>b</i>"><visual><geometry><mesh filename="package://r/meshes/b.stl"/></geometry></visual><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="continuous"><parent link="a"/><child link="<i>b</i>"/><axis xyz="0 1 0"/></joint></robot>`.replaceAll("<i>", "&lt;i>").replaceAll("</i>", "&lt;/i>");
  const stl = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0.3 0 0\nvertex 0 0.3 0\nendloop\nendfacet\nendsolid s\n";
  const csv = `t,j\n${Array.from({ length: 50 }, (_, i) => `${i / 25},${Math.sin(i / 25)}`).join("\n")}\n`;
  const files = { "robot.urdf": urdf, "meshes/b.stl": stl, "motion.csv": csv, "empty.html": readFileSync(file, "utf8") };
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

test("no script failed", () => assert.deepEqual(faults, []));

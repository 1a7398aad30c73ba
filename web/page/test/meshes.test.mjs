// SPDX-License-Identifier: BSD-2-Clause
// Where the page shows meshes: every corner of every mesh is where the pose of its link, <origin> and scale put it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, pictures } from "../browser.mjs";
import { asciiStl, binaryStl, collada, corners, moved, obj, origin, random } from "../meshes.mjs";
import factory from "../../dist/jounce.mjs";
import { Jounce } from "../../dist/library/index.js";

const file = fileURLToPath(new URL("../../dist/page/index.html", import.meta.url));
const jounce = await Jounce.create(factory, readFileSync(new URL("../../dist/jounce.wasm", import.meta.url)));
const seed = 20261118;
const next = random(seed);
const some = (size) => size * (2 * next() - 1);
const three = (size) => [some(size), some(size), some(size)];
console.log(`# seed ${seed}`);

let formats = 0; // goes on from robot to robot, so that all of FORMATS are used
let browser;
let page;
const faults = [];
before(async () => {
  browser = await launch();
  page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
  page.on("pageerror", (error) => faults.push(String(error)));
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => globalThis.jounceApp?.robot);
});
after(() => browser?.close());

const open = async (files) => {
  const source = files[0][0];
  await page.setInputFiles("#files", files.map(([name, content]) => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) })));
  await page.waitForFunction((name) => globalThis.jounceApp.robot.source === name, source);
};

/** The corners of each link's shape in the world as the page has them, for a configuration. */
const shown = (q) =>
  page.evaluate((given) => {
    const app = globalThis.jounceApp;
    app.place(Float64Array.from(given));
    const found = {};
    for (const [name, look] of app.looks.links) {
      const points = [];
      look.updateWorldMatrix(true, true);
      look.traverse((object) => {
        if (!object.isMesh) return;
        const place = object.geometry.attributes.position;
        const m = object.matrixWorld.elements;
        for (let i = 0; i < place.count; i++) {
          const [x, y, z] = [place.getX(i), place.getY(i), place.getZ(i)];
          points.push([0, 1, 2].map((k) => m[k] * x + m[4 + k] * y + m[8 + k] * z + m[12 + k]));
        }
      });
      found[name] = points;
    }
    return found;
  }, [...q]);

/** The distance from each expected corner to the nearest shown one, and the other way round; the largest. */
const distance = (a, b) => {
  const far = (from, to) => Math.max(...from.map((p) => Math.min(...to.map((r) => Math.hypot(...p.map((x, i) => x - r[i]))))));
  return a.length && b.length ? Math.max(far(a, b), far(b, a)) : Infinity;
};

/** Mesh files in all formats, with what their numbers mean in metres. */
const FORMATS = [
  { ending: "stl", write: (points) => asciiStl(points) },
  { ending: "STL", write: (points) => binaryStl(points) },
  { ending: "obj", write: (points) => obj(points) },
  ...[null, "X_UP", "Y_UP", "Z_UP"].flatMap((up) => [null, 0.001, 0.0254].map((unit) => ({ ending: "dae", write: (points) => collada(points, { up, unit }), unit: unit ?? 1 }))),
  ...["Y_UP", "Z_UP"].map((up) => ({ ending: "dae", node: true, write: (points, matrix) => collada(points, { up, unit: 0.01, matrix: matrix.flat() }), unit: 0.01 })),
];

/** A mesh for a link: its file, the <visual>, and the corners in the frame of the link. */
function makeVisual(k, name) {
  const format = FORMATS[k % FORMATS.length];
  const unit = format.unit ?? 1;
  const [xyz, rpy] = [three(0.2), three(3)];
  const scale = k % 3 ? [1, 1, 1] : [0.5 + next(), 0.5 + next(), 0.5 + next()];
  const inFile = corners(three(0.1 / unit), [0.02, 0.05, 0.11].map((x) => x / unit));
  const node = format.node ? origin(three(3), three(2)) : origin([0, 0, 0], [0, 0, 0]);
  const inLink = inFile.map((p) => moved(origin(xyz, rpy), moved(node, p).map((x, i) => x * unit * scale[i])));
  const path = `${name}.${format.ending}`;
  const visual = `<visual><origin xyz="${xyz.join(" ")}" rpy="${rpy.join(" ")}"/><geometry><mesh filename="package://robot/meshes/${path}" scale="${scale.join(" ")}"/></geometry></visual>`;
  return { path, content: format.write(inFile, node), visual, inLink };
}

test("each mesh is where its link is: STL, OBJ, and Collada with every up axis, unit and node", async () => {
  for (const name of ["panda", "kuka_iiwa", "quadruped", "humanoid"]) {
    const floating = ["quadruped", "humanoid"].includes(name);
    const written = await jounce.run(["convert", `builtin:${name}`, `${name}.urdf`]);
    let text = new TextDecoder().decode(written.files[`${name}.urdf`]).replace(/<visual>[^]*?<\/visual>/g, "");
    const expected = new Map();
    const files = [];
    let k = 0;
    text = text.replace(/<link name="([^"]*)"\s*(\/>|>)/g, (_, link, end) => {
      const made = makeVisual(formats++, `${name}_mesh_${k}`);
      k++;
      expected.set(link, made.inLink);
      files.push([made.path, made.content]);
      return `<link name="${link}">${made.visual}${end === "/>" ? "</link>" : ""}`;
    });
    assert.ok(k > 7 && k >= 8, `${name} has ${k} links`);
    await open([[`${name}.urdf`, text], ...files]);

    // Somewhere else than at zero.
    const model = jounce.load(`${name}.urdf`, { [`${name}.urdf`]: text });
    const q = model.integrate(model.neutral(), Array.from({ length: model.nv }, () => some(1)));
    const poses = model.framePoses(q);
    const found = await shown(q);
    assert.equal(Object.keys(found).length, k);
    let worst = 0;
    for (const [link, inLink] of expected) {
      const at = 16 * model.links.indexOf(link);
      assert.ok(at >= 0, link);
      const pose = [0, 1, 2, 3].map((row) => [...poses.slice(at + 4 * row, at + 4 * row + 4)]);
      const off = distance(inLink.map((p) => moved(pose, p)), found[link]);
      assert.ok(off < 1e-5, `${name}: the mesh of ${link} is ${off} m away (${floating ? "floating" : "fixed"} base)`);
      worst = Math.max(worst, off);
    }
    console.log(`# ${name}: ${k} meshes, at most ${worst.toExponential(1)} m off`);
    model.free();
    await page.screenshot({ path: `${pictures}meshes-${name}.png` });
  }
});

test("files of one name in two packages are not mixed up, and what is missing or damaged is named", async () => {
  const link = (name, mesh) => `<link name="${name}"><visual><geometry><mesh filename="${mesh}"/></geometry></visual></link>`;
  const joint = (parent, child) => `<joint name="to_${child}" type="fixed"><parent link="${parent}"/><child link="${child}"/></joint>`;
  const meshes = { one: "package://one/meshes/part.stl", two: "package://two/meshes/part.stl", up: "../meshes/other.stl", gone: "package://one/meshes/gone.stl", bad: "meshes/bad.dae", odd: "meshes/odd.ply" };
  const names = Object.keys(meshes);
  const urdf = `<robot name="r">${names.map((name) => link(name, meshes[name])).join("")}${names.slice(1).map((name) => joint("one", name)).join("")}</robot>`;
  const box = (half) => asciiStl(corners([0, 0, 0], [half, half, half]));
  const files = { "one/meshes/part.stl": box(0.1), "two/meshes/part.stl": box(0.2), "meshes/other.stl": box(0.3), "meshes/bad.dae": Buffer.from("<COLLADA><nothing"), "meshes/odd.ply": Buffer.from("ply") };
  await page.evaluate(async ([text, others]) => {
    const given = Object.fromEntries(others.map(([name, content]) => [name, Uint8Array.from(content)]));
    await globalThis.jounceApp.open("robot.urdf", { "robot.urdf": text, ...given });
  }, [urdf, Object.entries(files).map(([name, content]) => [name, [...content]])]);
  const found = await shown([]);
  const size = (points) => Math.max(...points.flat());
  assert.deepEqual(Object.keys(found), ["one", "two", "up"]);
  [["one", 0.1], ["two", 0.2], ["up", 0.3]].forEach(([name, half]) => assert.ok(Math.abs(size(found[name]) - half) < 1e-6, name));
  const { missing, unreadable } = await page.evaluate(() => globalThis.jounceApp.looks);
  assert.deepEqual([missing, unreadable], [[meshes.gone], [meshes.bad, meshes.odd]]);
  assert.match(await page.textContent("#status"), /gone\.stl not found; meshes\/bad\.dae and 1 more not readable/);
  await page.click("#tabs >> text=Check");
  for (const name of [meshes.gone, meshes.bad, meshes.odd]) assert.ok((await page.textContent("#pages")).includes(name), name);
  await page.click("#tabs >> text=Joints");
});

// With JOUNCE_ROBOTS=DIRECTORY: its URDF files, with boxes for all meshes that they name, in Collada files with z up.
test("each mesh is where its link is, of robots that are not part of the project", { skip: !process.env.JOUNCE_ROBOTS }, async () => {
  const folder = process.env.JOUNCE_ROBOTS;
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith(".urdf"))) {
    const text = readFileSync(`${folder}/${name}`, "utf8").replace(/\.(stl|obj)(["'])/gi, ".dae$2").replace(/(<mesh[^>]*)scale\s*=\s*["'][^"']*["']/g, "$1");
    const points = corners([0.01, 0.02, 0.03], [0.02, 0.03, 0.05]);
    const meshes = [...new Set([...text.matchAll(/filename\s*=\s*["']([^"']*\.dae)["']/gi)].map((found) => found[1]))];
    const given = Object.fromEntries(meshes.map((mesh) => [mesh, [...collada(points.map((p) => p.map((x) => 1000 * x)), { up: "Z_UP", unit: 0.001 })]]));
    const opened = await page.evaluate(async ([source, urdf, others]) => {
      const files = Object.fromEntries(Object.entries(others).map(([mesh, content]) => [mesh, Uint8Array.from(content)]));
      return globalThis.jounceApp.open(source, { [source]: urdf, ...files });
    }, [name, text, given]);
    assert.ok(opened, name);
    const model = jounce.load(name, { [name]: text });
    const q = model.integrate(model.neutral(), Array.from({ length: model.nv }, () => some(1)));
    const poses = model.framePoses(q);
    const visuals = await page.evaluate((urdf) => {
      const made = [];
      const tree = new DOMParser().parseFromString(urdf, "application/xml");
      for (const link of tree.querySelectorAll("robot > link"))
        for (const visual of [...link.children].filter((child) => child.tagName === "visual")) {
          const place = [...visual.children].find((child) => child.tagName === "origin");
          const three = (key) => (place?.getAttribute(key) ?? "0 0 0").trim().split(/\s+/).map(Number);
          if (visual.querySelector("geometry > mesh")) made.push([link.getAttribute("name"), three("xyz"), three("rpy")]);
        }
      return made;
    }, text);
    const found = await shown(q);
    let worst = 0;
    for (const [link, xyz, rpy] of visuals) {
      const at = 16 * model.links.indexOf(link);
      const pose = [0, 1, 2, 3].map((row) => [...poses.slice(at + 4 * row, at + 4 * row + 4)]);
      const expected = points.map((p) => moved(pose, moved(origin(xyz, rpy), p)));
      const off = Math.max(...expected.map((p) => Math.min(...found[link].map((r) => Math.hypot(...p.map((x, i) => x - r[i]))))));
      worst = Math.max(worst, off);
    }
    console.log(`# ${name}: ${visuals.length} meshes, at most ${worst.toExponential(1)} m off`);
    assert.ok(worst < 1e-5, `${name}: a mesh is ${worst} m away`);
    model.free();
    await page.screenshot({ path: `${pictures}meshes-${name}.png` });
  }
});

test("no script failed", () => assert.deepEqual(faults, []));

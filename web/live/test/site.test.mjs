// SPDX-License-Identifier: BSD-2-Clause
// The documentation site in a real browser (Debian's Chromium), opened as files: script/docs --test. Screenshots go to build/web/pictures.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, pictures } from "../../page/browser.mjs";

const site = fileURLToPath(new URL("../../../build/docs/site/", import.meta.url));

let browser;
const requests = [];
const faults = [];

before(async () => {
  browser = await launch();
});
after(() => browser?.close());

async function open(name, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => faults.push(`${name}: ${String(error)}`));
  await page.goto(`file://${site}${name}`);
  return page;
}

test("the search finds functions and guides without a server", async () => {
  const page = await open("index.html");
  for (const [words, expected] of [["jn_inverse_dynamics_jet", /c\/jets\.html/], ["hybrid dynamics", /site\/(dynamics|loops|how-do-i|jets)\.html/]]) {
    const query = page.locator("[data-md-component=search-query]");
    await query.click();
    await query.fill("");
    await query.pressSequentially(words);
    const found = (pattern) => [...document.querySelectorAll(".md-search-result__link")].slice(0, 8).some((link) => new RegExp(pattern).test(link.href));
    await page.waitForFunction(found, expected.source);
  }
  await page.close();
});

test("the landing page has the demo picture, the comparison and a robot", async () => {
  const page = await open("index.html");
  assert.ok(await page.$eval("img[src$='demo.svg']", (image) => image.complete && image.naturalWidth > 0));
  const text = await page.textContent("article");
  for (const name of ["Pinocchio", "MuJoCo", "Drake", "RBDL", "KDL", "frax", "dynibo", "cdm"]) assert.ok(text.includes(name), name);
  await page.screenshot({ path: `${pictures}site.png` });
  await page.locator("iframe.app").scrollIntoViewIfNeeded();
  const app = await (await page.$("iframe.app")).contentFrame();
  await app.waitForFunction(() => globalThis.jounceApp?.robot);
  assert.match(await app.textContent("#title"), /panda/i);
  await page.screenshot({ path: `${pictures}site-robot.png` });
  await page.close();
});

test("formulas are rendered, and none is left as text", async () => {
  const page = await open("dynamics.html");
  assert.ok((await page.locator(".formula .katex").count()) >= 5);
  assert.equal(await page.locator(".katex-error").count(), 0);
  const text = await page.$eval("article", (article) => {
    const copy = article.cloneNode(true);
    for (const source of copy.querySelectorAll("annotation")) source.remove(); // of formulas, for screen readers and for copying
    return copy.textContent;
  });
  assert.doesNotMatch(text, /```|<\/?sub>|\b[A-Z]_[a-z]\b/);
  const family = await page.$eval(".katex", (e) => getComputedStyle(e).fontFamily);
  assert.match(family, /KaTeX/);
  await page.waitForFunction(() => [...document.fonts].some((font) => font.family.includes("KaTeX_Main") && font.status === "loaded"));
  await page.screenshot({ path: `${pictures}site-formulas.png` });
  await page.close();
});

test("live examples run, can be changed, and say what is wrong", async () => {
  const page = await open("live.html", { colorScheme: "dark" });
  await page.waitForSelector(".live textarea");
  const blocks = await page.$$(".live");
  assert.ok(blocks.length >= 5);
  for (const block of blocks) {
    await (await block.$("button")).click();
    await block.waitForSelector("pre.output");
    await page.waitForFunction((b) => !["", "…"].includes(b.querySelector("pre.output").textContent), block);
    const output = await block.$("pre.output");
    assert.equal(await output.getAttribute("class"), "output", await output.textContent());
  }
  assert.match(await (await blocks[0].$("pre.output")).textContent(), /panda_joint2/);
  await (await blocks[0].$("textarea")).fill("print(jounce.load('builtin:planar_2r').nv)");
  await (await blocks[0].$("textarea")).press("Control+Enter");
  await page.waitForFunction((b) => b.querySelector("pre.output").textContent.startsWith("2\n"), blocks[0]);
  await (await blocks[0].$("textarea")).fill("jounce.load('bad.urdf', { 'bad.urdf': '<robot>\\n<lnk/>\\n</robot>' })");
  await (await blocks[0].$("button")).click();
  await page.waitForFunction((b) => /bad\.urdf:/.test(b.querySelector("pre.output").textContent), blocks[0]);
  await page.screenshot({ path: `${pictures}site-live.png` });
  await page.close();
});

test("every page fits a phone", async () => {
  const page = await open("index.html", { viewport: { width: 390, height: 800 }, colorScheme: "dark" });
  for (const name of ["index.html", "live.html", "gallery.html", "comparison.html", "c/dynamics.html", "python-reference.html", "jets.html"]) {
    await page.goto(`file://${site}${name}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${name} is ${wide} pixels wide`);
    await page.screenshot({ path: `${pictures}site-phone-${name.replace(/\W/g, "-")}.png` });
  }
  await page.close();
});

test("nothing is asked from the network", () => {
  assert.deepEqual(requests.filter((url) => !/^(file|data|blob|about):/.test(url)), []);
});

test("no script failed", () => assert.deepEqual(faults, []));

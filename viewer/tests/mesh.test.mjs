// Meshes dropped on the page, in a real browser against the real program; see browser.test.mjs.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, withLab } from "./browser.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** A test with a program of its own. */
function inBrowser(name, options, body) {
  test(name, { timeout: 120_000 }, () => withLab(browser, options, body));
}

/** A corner of a cube, open on one side, and a face that pierces it. */
const OPEN = "v 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 100\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";
const PIERCED = `${OPEN}v 20 20 -9\nv 20 30 9\nv 30 20 9\nf 5 6 7\n`;

inBrowser("a mesh dropped on the page is shown with its faults, and the scene goes on", { scene: "rope-drop" }, async (lab) => {
  const tab = await lab.scene();
  await tab.drop("liver.obj", PIERCED);
  const sheet = tab.$("#mesh-dialog");
  await sheet.waitFor();
  await tab.$('#mesh-canvas[data-drawn="1"]').waitFor();
  const facts = await tab.$("#mesh-facts").innerText();
  assert.match(facts, /NO: 6 open edges in 2 loops/);
  assert.match(facts, /millimetres, since a liver is about 0\.2 m/);
  assert.match(facts, /2 faces in 1 pairs/);
  assert.match(await tab.$(".mesh-marks").innerText(), /6 open edges[\s\S]*2 faces that meet others/);
  await tab.moreFrames();
  await tab.page.keyboard.press("Escape");
  await sheet.waitFor({ state: "hidden" });
  assert.equal(await tab.$("#mesh-canvas").count(), 0, "the picture is given back");
});

inBrowser("a mesh that cannot be read is told with its line", {}, async (lab) => {
  const tab = await lab.open();
  await tab.state("gallery");
  await tab.drop("broken.obj", "v 0 0 0\nf 1 2 3\n");
  await tab.toast("line 2: vertex 2 is named");
  await tab.drop("notes.txt", "hello");
  await tab.toast("notes.txt is no scene");
  assert.equal(await tab.$("#mesh-dialog").isVisible(), false);
});

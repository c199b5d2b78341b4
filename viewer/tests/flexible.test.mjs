// Flexible bodies in the page: gizmos at control elements, what stops them, and maps of what the surface shows.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, until, withLab } from "./browser.mjs";
import { FLEXIBLE } from "./files.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** A test with the bar in a program of its own. */
function withBar(name, body) {
  const run = async (lab) => {
    const tab = await lab.open();
    await tab.state("gallery");
    await tab.drop("bar.toml", FLEXIBLE);
    await tab.state("scene");
    await tab.drawn();
    await body(tab, lab);
  };
  test(name, { timeout: 120_000 }, () => withLab(browser, {}, run));
}

/** Chooses the right end of the bar. */
async function choose(tab) {
  await tab.$(".handle").nth(1).click();
  await tab.$("#element").waitFor();
  assert.match(await tab.$("#element").innerText(), /right/);
}

/** Goes with the pointer from the middle of the gizmo in some direction until it is over a part, and returns the place. */
async function find(tab, axis, [right, up]) {
  const seen = () => tab.page.evaluate(() => window.serosa?.gizmoScreen());
  let place;
  await until(`the part ${axis} of the gizmo should be found`, async () => {
    const { x, y } = await seen();
    for (let away = 0; away < 150; away += 3) {
      place = { x: x + right * away, y: y - up * away };
      await tab.page.mouse.move(place.x, place.y);
      if ((await seen()).axis === axis) {
        return true;
      }
    }
    return false;
  });
  return place;
}

/** Takes hold of a part of the gizmo and draws it over the screen; the button stays down. */
async function drag(tab, axis, direction, dx, dy) {
  const { x, y } = await find(tab, axis, direction);
  await tab.page.mouse.down();
  await tab.page.mouse.move(x + dx, y + dy, { steps: 6 });
}

const led = (tab) => tab.sent.findLast((message) => message.type === "control");

withBar("a gizmo drags, turns and scales a control element, and the body follows", async (tab) => {
  assert.equal(await tab.$("#element").isVisible(), false);
  await choose(tab);
  const [start] = await tab.probe("end");
  const rest = tab.frame.elements[1].place;
  await drag(tab, "X", [1, 0], 14, 0);
  await until("the element should be led to the right", () => tab.frame.elements[1].place[0] > rest[0] + 0.004);
  await tab.page.mouse.up();
  assert.equal(led(tab).element, 1);
  assert.ok(Math.abs(led(tab).position[2] - rest[2]) < 1e-6, "along its axis alone");
  await until("the body should follow", async () => (await tab.probe("end"))[0] > start + 0.004);
  const stays = tab.frame.elements[0];
  assert.ok(Math.abs(stays.place[0] + 0.05) < 1e-6, "and the other element stays");

  await tab.page.keyboard.press("2");
  // Beside the other two rings, which are seen from the side.
  await drag(tab, "Y", [0.7, 0.7], 4, 4);
  await tab.page.mouse.up();
  await until("it should be turned", () => Math.abs(tab.frame.elements[1].turn[1]) > 0.02);

  await tab.page.keyboard.press("3");
  assert.equal(await tab.$("#mode-scale").getAttribute("aria-pressed"), "true");
  await drag(tab, "Z", [0, 1], 0, -8);
  await tab.page.mouse.up();
  await until("it should be scaled", () => tab.frame.elements[1].scale[2] > 1.05);
  assert.ok(Math.abs(tab.frame.elements[1].scale[0] - 1) < 1e-3);

  await tab.page.keyboard.press("Escape");
  await tab.$("#element").waitFor({ state: "hidden" });
  await tab.page.keyboard.press("Tab");
  await until("Tab should choose the first", async () => /left/.test(await tab.$("#element").innerText()));
  await tab.restarts(() => tab.page.keyboard.press("r"));
  await until("the scene begins as it was", () => Math.abs(tab.frame.elements[1].place[0] - rest[0]) < 1e-6);
});

withBar("the page says why a control element is stopped, for as long as it is", async (tab, lab) => {
  const watcher = await lab.scene();
  await choose(tab);
  assert.equal(await tab.$("#stopped").isVisible(), false);
  await drag(tab, "X", [1, 0], 200, 0);
  const words = /^The control element "right" of "bar" is stopped: .* more than 10\.0 mm/;
  for (const page of [tab, watcher]) {
    await page.$("#stopped").waitFor();
    assert.match(await page.$("#stopped").innerText(), words);
  }
  assert.equal(await watcher.$(".handle").first().isEnabled(), false, "whoever watches leads nothing");
  const [left, right] = tab.frame.elements;
  assert.ok(right.place[0] - left.place[0] < 0.1201, `at most 2 cm more than at rest: ${right.place[0] - left.place[0]}`);
  await tab.page.mouse.up();
  await tab.$("#stopped").waitFor({ state: "hidden" });
  await watcher.$("#stopped").waitFor({ state: "hidden" });
});

withBar("values of the surface are asked for, coloured and told in a legend, one key away", async (tab, lab) => {
  const watcher = await lab.scene();
  await choose(tab);
  await drag(tab, "X", [1, 0], 20, 0);
  await tab.page.mouse.up();
  assert.equal(tab.frame.valuesOf, 0);
  await tab.page.evaluate(() => document.querySelector("#colour-force").click());
  await tab.page.keyboard.press("m");
  assert.equal(await tab.$("#colour-area").isChecked(), true, "M goes on to the next");
  await until("changes of area should come", () => tab.frame.valuesOf === 1 && tab.frame.values.length === 1);
  assert.match(await tab.$("#legend").innerText(), /Change of area \[%\]/);
  const mean = () => tab.frame.values[0].values.reduce((sum, v, _, all) => sum + v / all.length, 0);
  await until("the bar is longer and thinner, and has more surface", () => mean() > 0.005);
  assert.deepEqual([watcher.frame.valuesOf, watcher.frame.values.length], [0, 0], "nobody else gets them");
  await tab.page.keyboard.press("m");
  await until("energies should come", () => tab.frame.valuesOf === 8 && Math.min(...tab.frame.values[0].values) >= 0);
  await until("the legend should follow", async () => /Elastic energy \[[mk]?J\/m³\]/.test(await tab.$("#legend").innerText()));
  await tab.page.keyboard.press("Shift+M");
  assert.equal(await tab.$("#colour-area").isChecked(), true, "and Shift M back");
  const lines = () => tab.page.evaluate(() => window.serosa?.lines() ?? 0);
  await tab.page.keyboard.press("Escape");
  await until("no lines without a gizmo", async () => (await lines()) === 0);
  await tab.page.keyboard.press("x");
  assert.equal(await tab.$("#show-wires").isChecked(), true, "X is for the wireframe");
  await until("edges should be drawn", async () => (await lines()) > 100);
  await tab.page.evaluate(() => document.querySelector("#colour-none").click());
  await until("none are asked for any more", () => tab.frame.valuesOf === 0);
  await tab.$("#gallery-button").click();
  await tab.state("gallery");
  await tab.$('.card[data-scene="rope-drop"]').click();
  await tab.state("scene");
  assert.equal(await tab.$("#colours .chip:has(#colour-area)").isVisible(), false, "a rope has none");
});

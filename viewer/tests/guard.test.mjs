// A body that runs away, in the page: told by name, given back by a button, and replayed as it was.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, until, withLab } from "./browser.mjs";
import { RUNAWAY } from "./files.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** A test with a stone that falls too fast, in a program of its own. */
function withRunaway(name, body) {
  const run = async (lab) => {
    const tab = await lab.open();
    await tab.state("gallery");
    await tab.drop("runaway.toml", RUNAWAY);
    await tab.state("scene");
    await tab.drawn();
    await body(tab, lab);
  };
  test(name, { timeout: 120_000 }, () => withLab(browser, {}, run));
}

const times = (tab) => tab.status.held[0]?.times ?? 0;

/** Waits until the stone has run away so often that it is held for 1.6 s each time. */
async function heldForLong(tab) {
  const long = ({ held }) => held[0]?.times >= 6 && held[0].is_held;
  await tab.told("it ran away six times, and is held", long);
  // Slowly from here: the machine may be busy, and the button is to be pressed in time.
  await tab.$("#speed").fill("0.1");
  await tab.told("slow motion", ({ speed }) => speed < 0.2);
}

/** Presses the button, and waits until the stone has run away once more: by itself it would be held for longer. */
async function release(tab) {
  const [before, at] = [times(tab), tab.time];
  await tab.$("#held button").click();
  await tab.told("it ran away once more", ({ held }) => held[0]?.times > before);
  assert.ok(tab.time - at < 1.2, `it was given back and ran away within ${tab.time - at} s`);
}

withRunaway("a body that runs away is named, and given back by the button", async (tab) => {
  const banner = tab.$("#held li");
  await until("the banner should name it", async () => /^stone was too fast/.test(await banner.innerText()));
  await heldForLong(tab);
  assert.match(await banner.innerText(), /stone was too fast \d+ times\. It is held .*Reset begins again/s);
  await release(tab);
  assert.deepEqual(tab.sent.findLast(({ type }) => type === "release"), { type: "release", body: 0 });
  await tab.restarts(() => tab.$("#reset").click());
  await tab.told("it begins again", ({ held }) => held.length === 0 || held[0].times < 4);
});

withRunaway("made sound, a body is given back for good, and the banner goes", async (tab) => {
  await heldForLong(tab);
  await tab.$(".tunable input").fill("331");
  await tab.told("the usual weight", ({ tunables }) => Math.abs(tunables[0] - 9.81) < 0.2);
  const [from] = (await tab.probe("height")).slice(2);
  await tab.$("#held button").click();
  await tab.told("it was given back", ({ held }) => held[0] && !held[0].is_held);
  await until("the banner should say so", async () => /was given back/.test(await tab.$("#held li").innerText()));
  assert.equal(await tab.$("#held button").isDisabled(), true, "there is nothing to give back");
  await until("it should fall", async () => (await tab.probe("height"))[2] < from - 0.01);
  await tab.$("#speed").fill("1");
  await tab.told("it is forgotten", ({ held }) => held.length === 0);
  await until("the banner should go", async () => !(await tab.$("#held").isVisible()));
});

withRunaway("a release is recorded, and its replay is exact", async (tab) => {
  await tab.restarts(() => tab.$("#record").click());
  await tab.told("it records", ({ recording }) => recording !== null);
  await heldForLong(tab);
  await release(tab);
  await tab.told("it is held again", ({ held }) => held[0].is_held);
  await until("the button should be ready", () => tab.$("#held button").isEnabled());
  await release(tab);
  await tab.$("#stop").click();
  await tab.told("one recording", ({ recordings }) => recordings.length === 1);
  await tab.$("#recordings").selectOption(tab.status.recordings[0]);
  await tab.told("it replays", ({ replay }) => replay !== null);
  await tab.$("#speed").fill("2");
  await until("the replay should tell of the stone", async () => times(tab) > 0);
  assert.equal(await tab.$("#held button").isDisabled(), true, "a replay is not to be changed");
  await tab.told("it comes to its end", ({ playing }) => !playing);
  assert.equal(tab.status.replay.differs_at_s, null);
  assert.ok(times(tab) >= 8, JSON.stringify(tab.status.held));
});

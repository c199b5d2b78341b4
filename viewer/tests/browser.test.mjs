// The page in a real browser, against the real program. Run with `node --test viewer/tests/browser.test.mjs`
// after `cargo build --release`, or as a part of `cargo xtask test`.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, sleep, until, withLab } from "./browser.mjs";
import { BROKEN, SCRIPTED, TWO_HANDS } from "./files.mjs";
import { ask, Program, sceneNames } from "./program.mjs";

/** What a browser itself writes when nobody answers; the page cannot prevent it. */
const NO_ANSWER = /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|WebSocket connection to .* failed/;

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** A test with a program of its own. */
function inBrowser(name, options, body) {
  test(name, { timeout: 120_000 }, () => withLab(browser, options, body));
}

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const minus = (a, b) => a.map((x, i) => x - b[i]);
const unit = (a) => a.map((x) => x / Math.hypot(...a));

/** Towards the viewer and to the right, as the camera of the open scene sees it; up is z. */
function directions(tab) {
  const { eye, target } = tab.scene.camera;
  const nearer = unit(minus(eye, target));
  return { nearer, right: unit([-nearer[1], nearer[0], 0]) };
}

/** Takes hold of the first tool and draws it over the screen; the button stays down. */
async function grab(tab, dx, dy) {
  const { x, y } = await tab.tool();
  // On the shaft a little above the tip: the tool may be on its way up or down.
  const [fromX, fromY] = [x, y - 12];
  await tab.page.mouse.move(fromX, fromY);
  await tab.page.mouse.down();
  await tab.page.mouse.move(fromX + dx, fromY + dy, { steps: 8 });
  return { x: x + dx, y: y + dy };
}

/** Simulated seconds for each second, over a while. */
async function rate(tab) {
  const [time, wall] = [tab.time, Date.now()];
  await sleep(1200);
  return (1000 * (tab.time - time)) / (Date.now() - wall);
}

inBrowser("the gallery shows every scene and a click opens one", {}, async (lab) => {
  const tab = await lab.open();
  await tab.state("gallery");
  const cards = tab.$(".card");
  const names = await cards.evaluateAll((all) => all.map((card) => card.dataset.scene));
  assert.deepEqual(names, sceneNames());
  assert.deepEqual(names.slice(0, 2), ["liver-press", "gallbladder-lift"]);
  for (const about of await cards.allInnerTexts()) {
    assert.ok(about.length > 40, `a card should have a title and a line: ${about}`);
  }
  await tab.$('.card[data-scene="rope-drop"]').click();
  await tab.state("scene");
  await tab.drawn();
  assert.equal(await tab.$("#title").innerText(), "Rope drop");
  assert.match(tab.page.url(), /scene=rope-drop/);
  await tab.$("#gallery-button").click();
  await tab.state("gallery");
  assert.equal(await cards.first().isVisible(), true);
});

inBrowser("play, pause, step and reset do what they say", { scene: "rope-drop" }, async (lab) => {
  const tab = await lab.scene();
  await tab.reach(0.2);
  await tab.$("#play").click();
  const paused = await tab.stands();
  const clock = await tab.$("#time").innerText();
  await tab.$("#step").click();
  await until("one step should be taken", () => tab.time > paused);
  const dt = tab.scene.dt_s;
  assert.ok(Math.abs((await tab.stands()) - paused - dt) < 1e-9, `a step is ${dt} s: from ${paused} to ${tab.time}`);
  await tab.page.keyboard.press(".");
  await until("the key . should take a step", () => tab.time > paused + 1.5 * dt);
  assert.equal(await tab.$("#play").getAttribute("aria-label"), "Play");
  assert.match(clock, /^0:0\d\.\d$/);
  await tab.restarts(() => tab.$("#reset").click());
  assert.equal(tab.time, 0);
  await until("the clock should say so", async () => (await tab.$("#time").innerText()) === "0:00.0");
  assert.equal(tab.status.playing, false, "a scene that stood still still does");
  await tab.page.keyboard.press("Space");
  await tab.reach(0.1);
  await until("the clock should run", async () => (await tab.$("#time").innerText()) !== "0:00.0");
  await tab.reach(0.4);
  await tab.restarts(() => tab.page.keyboard.press("r"));
});

inBrowser("the speed is obeyed", { scene: "rope-drop" }, async (lab) => {
  const tab = await lab.scene();
  for (const [speed, low, high] of [[0.1, 0.05, 0.2], [2, 0.7, 2.5]]) {
    await tab.$("#speed").fill(String(speed));
    await tab.told(`${speed} times real time`, (status) => Math.abs(status.speed - speed) < 1e-6);
    assert.match(await tab.$("#speed-value").innerText(), new RegExp(`^${speed}`));
    await sleep(200);
    const tries = [];
    // The machine may be busy with other things for a while: the promise must hold in one of some tries.
    while (tries.length < 5 && !tries.some((seen) => seen > low && seen < high)) {
      tries.push(await rate(tab));
    }
    const seen = tries.at(-1);
    assert.ok(seen > low && seen < high, `simulated seconds for each second, ${speed} were asked for: ${tries}`);
  }
});

inBrowser("a tool is dragged over the view and in depth", { scene: "membrane-poke" }, async (lab) => {
  const tab = await lab.scene();
  const { nearer, right } = directions(tab);
  const start = await tab.probe("tip");
  const aim = await grab(tab, 110, -40);
  await until("the tip should come to the pointer", async () => {
    const { x, y } = await tab.tool();
    return Math.hypot(x - aim.x, y - aim.y) < 30;
  });
  const hand = tab.frame.tools[0].hand;
  await tab.page.mouse.wheel(0, 240);
  await until("the wheel should lead it in depth", () => Math.abs(dot(minus(tab.frame.tools[0].hand, hand), nearer)) > 0.005);
  await tab.page.mouse.up();
  await until("the probe `tip` should move with it", async () => dot(minus(await tab.probe("tip"), start), right) > 0.02);
  await tab.reach(tab.time + 0.2);
  const left = tab.frame.tools[0].hand;
  await tab.reach(tab.time + 0.4);
  assert.deepEqual(tab.frame.tools[0].hand, left, "let go, it stays where it is");
});

/** A tab on the scene with two tools, dropped as a file. */
async function twoHands(lab) {
  const tab = await lab.open();
  await tab.state("gallery");
  await tab.drop("two-hands.toml", TWO_HANDS);
  await tab.state("scene");
  await tab.drawn();
  return tab;
}

inBrowser("G closes the jaws, a button opens them", {}, async (lab) => {
  const tab = await twoHands(lab);
  const grip = tab.$(".tool .grip").first();
  assert.equal(await grip.getAttribute("aria-pressed"), "false");
  await tab.page.keyboard.press("g");
  await until("the jaws should hold the thread", () => tab.frame.tools[0].holds);
  assert.equal(tab.sent.findLast((message) => message.type === "hand").grip, true);
  assert.equal(await grip.getAttribute("aria-pressed"), "true");
  await tab.$(".tool.holds").first().waitFor();
  await grip.click();
  await until("the jaws should let go", () => !tab.frame.tools[0].holds);
  assert.equal(await grip.getAttribute("aria-pressed"), "false");
});

inBrowser("two tools are led by the keyboard", {}, async (lab) => {
  const tab = await twoHands(lab);
  const hands = () => tab.frame.tools.map((tool) => tool.hand);
  const leads = async (key, index) => {
    const from = [hands(), await tab.probe(["left_tip", "right_tip"][index])];
    await tab.page.keyboard.down(key);
    await until(`${key} should lead a hand`, () => Math.hypot(...minus(hands()[index], from[0][index])) > 0.01);
    await tab.page.keyboard.up(key);
    assert.deepEqual(hands()[1 - index], from[0][1 - index], `${key} should leave the other hand alone`);
    await until(`${key} should lead a tool`, async () => {
      const tip = await tab.probe(["left_tip", "right_tip"][index]);
      return Math.hypot(...minus(tip, from[1])) > 0.01;
    });
    const still = tab.sent.length;
    await sleep(200);
    assert.ok(tab.sent.length <= still + 1, `${key} is up, and nothing is led any more`);
  };
  await leads("ArrowRight", 0);
  await leads("w", 1);
  await tab.page.keyboard.press("Tab");
  await tab.page.keyboard.press("g");
  await until("Tab should choose the second tool for G", () =>
    tab.sent.some((message) => message.type === "hand" && message.tool === 1 && message.grip),
  );
});

inBrowser("a tunable is turned, and the program keeps it", { scene: "membrane-poke" }, async (lab) => {
  const tab = await lab.scene();
  const row = tab.$('.tunable[data-name="membrane stiffness"]');
  const { value: start } = tab.scene.tunables[0];
  assert.equal(Number(await row.getAttribute("data-value")), start);
  await row.locator("input").fill("900");
  await tab.told("a stiffer membrane", (status) => status.tunables[0] > 1.5 * start);
  const value = tab.status.tunables[0];
  assert.ok(Math.abs(Number(await row.getAttribute("data-value")) - value) < 1);
  assert.match(await row.innerText(), /N\/m/);
  await tab.page.reload();
  await tab.state("scene");
  await until("the value should be there after a reload", async () =>
    Math.abs(Number(await row.getAttribute("data-value")) - value) < 1,
  );
});

inBrowser("two tabs: one drives, one watches, and they change places", { scene: "rope-drop" }, async (lab) => {
  const first = await lab.scene();
  const second = await lab.scene();
  const controls = ["#play", "#step", "#reset", "#speed", "#record", "#gallery-button", ".tunable input"];
  const driven = async (tab, yes) => {
    await until(`the tab should ${yes ? "drive" : "watch"}`, async () => (await tab.$("#watching").isVisible()) !== yes);
    const enabled = (all) => all.filter((id) => !document.querySelector(id).disabled);
    assert.deepEqual(await tab.page.evaluate(enabled, controls), yes ? controls : []);
  };
  await driven(first, true);
  await driven(second, false);
  await second.page.keyboard.press("Space");
  await second.moreFrames();
  assert.equal(second.status.playing, true, "a watcher is not obeyed");
  await second.$("#takeover").click();
  await driven(second, true);
  await driven(first, false);
  await second.$("#play").click();
  await until("the first tab should see the pause", async () => (await first.$("#play").getAttribute("aria-label")) === "Play");
});

inBrowser("a killed program is told, a new one is found", { expected: NO_ANSWER }, async (lab) => {
  const tab = await lab.scene({ scene: "rope-drop" });
  await lab.program.kill();
  await tab.state("lost");
  await tab.toast("Connection lost");
  assert.equal(await tab.$("#play").isEnabled(), false, "there is nobody to obey");
  lab.program = await Program.start({ like: lab.program });
  await tab.state("scene");
  assert.equal(await tab.$("#title").innerText(), "Rope drop", "the scene that was open is opened again");
  await tab.moreFrames();
  await tab.$("#play").click();
  await tab.told("it obeys again", (status) => !status.playing);
});

inBrowser("a cut connection comes back by itself", { scene: "rope-drop" }, async (lab) => {
  const tab = await lab.blank();
  const links = [];
  await tab.page.routeWebSocket(/\/ws/, (link) => {
    link.connectToServer();
    links.push(link);
  });
  await tab.page.goto(lab.program.url());
  await tab.state("scene");
  await tab.drawn();
  await links[0].close({ code: 4000, reason: "cut by the test" });
  await tab.state("lost");
  await tab.state("scene");
  await tab.moreFrames();
  assert.equal(links.length, 2);
  await tab.toast("Back again");
});

inBrowser("a frame that cannot be drawn is left out and told", { scene: "rope-drop" }, async (lab) => {
  const tab = await lab.blank();
  let send;
  await tab.page.routeWebSocket(/\/ws/, (link) => {
    link.connectToServer();
    send = (data) => link.send(data);
  });
  await tab.page.goto(lab.program.url());
  await tab.state("scene");
  await tab.drawn();
  const frame = Buffer.from("SRF7".padEnd(400, "\xff"), "latin1");
  frame.writeUInt32LE(tab.frame.generation, 20);
  for (const bad of [Buffer.alloc(10), Buffer.alloc(100), frame, "no JSON"]) {
    send(bad);
  }
  await until("all four should be counted", async () => (await tab.$("#malformed").innerText()) === "4");
  await tab.toast("it was left out");
  await tab.moreFrames();
});

inBrowser("a frame of another scene is left out without a word", { scene: "rope-drop" }, async (lab) => {
  const tab = await lab.blank();
  let pass;
  await tab.page.routeWebSocket(/\/ws/, (link) => {
    const server = link.connectToServer();
    // The time of every second frame is far ahead, and its scene is another.
    server.onMessage((data) => {
      link.send(data);
      if (typeof data !== "string") {
        const strange = Buffer.from(data);
        strange.writeUInt32LE(strange.readUInt32LE(20) + 1, 20);
        strange.writeDoubleLE(1e4, 8);
        link.send(strange);
        pass = true;
      }
    });
  });
  await tab.page.goto(lab.program.url());
  await tab.state("scene");
  await tab.drawn();
  await until("strange frames should come", () => pass);
  await tab.moreFrames();
  await tab.$("#play").click();
  await tab.told("it stands still", (status) => !status.playing);
  await sleep(300);
  assert.match(await tab.$("#time").innerText(), /^0:\d\d\.\d$/);
  assert.equal(await tab.$("#malformed-row").isVisible(), false, "nothing is wrong with such a frame");
});

inBrowser("a scripted tool keeps its turn and its jaws when it is taken", {}, async (lab) => {
  const tab = await lab.open();
  await tab.state("gallery");
  await tab.drop("scripted.toml", SCRIPTED);
  await tab.state("scene");
  await tab.drawn();
  await until("the script should close the jaws", () => tab.frame.tools[0].closed);
  await tab.reach(0.6);
  const grip = tab.$(".tool .grip").first();
  await until("the button should say so", async () => (await grip.getAttribute("aria-pressed")) === "true");
  const { turn } = tab.frame.tools[0];
  assert.ok(Math.abs(turn[1]) > 0.3, `the script should have turned the tool: ${turn}`);
  await grab(tab, 60, 0);
  await until("the pointer should lead it", () => tab.sent.some((message) => message.type === "hand"));
  const said = tab.sent.findLast((message) => message.type === "hand");
  assert.equal(said.grip, true, "the jaws should stay closed");
  assert.ok(Math.abs(dot(said.rotation, turn)) > 0.9999, `it should stay turned: ${turn}, then ${said.rotation}`);
  await tab.page.mouse.up();
  await tab.page.keyboard.press("g");
  await until("G should open them", () => !tab.frame.tools[0].closed);
});

inBrowser("while time stands still, few frames come", { scene: "rope-drop" }, async (lab) => {
  const tab = await lab.scene();
  await tab.$("#play").click();
  await tab.stands();
  const before = await tab.frames();
  await sleep(2500);
  const came = (await tab.frames()) - before;
  assert.ok(came >= 1 && came <= 4, `a heartbeat each second: ${came} frames in 2.5 s`);
});

inBrowser("a scene file dropped on the page runs", {}, async (lab) => {
  const tab = await lab.open();
  await tab.state("gallery");
  await tab.drop("mine.toml", ask("scenes", "rope-drop").replace('"Rope drop"', '"My own rope"'));
  await tab.state("scene");
  await tab.drawn();
  assert.equal(await tab.$("#title").innerText(), "My own rope");
  await tab.reach(0.1);
});

inBrowser("a broken scene lists its problems with their lines", { scene: "rope-drop" }, async (lab) => {
  const tab = await lab.scene();
  await tab.drop("broken.toml", BROKEN);
  const problems = tab.$("#problems li");
  await problems.first().waitFor();
  const texts = await problems.allInnerTexts();
  assert.equal(texts.length, 3);
  assert.match(texts[0], /6:76/);
  assert.match(texts[0], /mass.*length/);
  assert.match(texts[2], /7:33[\s\S]*did you mean `stiffness`/);
  await tab.page.keyboard.press("Escape");
  await problems.first().waitFor({ state: "hidden" });
  assert.equal(await tab.$("#title").innerText(), "Rope drop", "the scene that ran still runs");
  await tab.moreFrames();
});

inBrowser("a recording dropped as a scene is explained", { scene: "rope-drop" }, async (lab) => {
  const tab = await lab.scene();
  const path = join(lab.program.folder, "a.mcap");
  ask("run", "rope-drop", "--steps", "20", "--record", path);
  for (const name of ["a.mcap", "scene.toml"]) {
    await tab.drop(name, readFileSync(path));
    await tab.toast(`${name} is a recording`);
    await tab.toast(`serosa replay ${name}`);
  }
  await tab.drop("notes.txt", "hello");
  await tab.toast("notes.txt is no scene");
  await tab.moreFrames();
});

inBrowser("record, stop, replay and scrub", { scene: "rope-drop" }, async (lab) => {
  const tab = await lab.scene();
  await tab.reach(0.3);
  await tab.restarts(() => tab.$("#record").click());
  await tab.told("it records", (status) => status.recording !== null);
  await tab.reach(0.8);
  await tab.$("#stop").click();
  await tab.told("one recording", (status) => status.recordings.length === 1);
  assert.ok(existsSync(join(lab.program.folder, "recordings", tab.status.recordings[0])));
  await tab.$("#recordings").selectOption("rope-drop-1.mcap");
  await tab.told("it replays", (status) => status.replay !== null);
  assert.ok(tab.status.replay.duration_s >= 0.8);
  await tab.$("#replay-bar").waitFor();
  assert.match(await tab.$("#replay-name").innerText(), /rope-drop-1\.mcap/);
  if (tab.status.playing) {
    await tab.$("#play").click();
  }
  await tab.stands();
  for (const place of [0.5, 0.2]) {
    const step = Number(await tab.$("#scrub").getAttribute("step"));
    const value = Math.round(place / step) * step;
    await tab.$("#scrub").fill(String(value));
    await until(`the replay should go to ${place} s`, () => Math.abs(tab.time - place) < step + tab.scene.dt_s);
  }
  await tab.$("#leave-replay").click();
  await tab.told("the replay is left", (status) => status.replay === null);
  await tab.$("#record").waitFor();
});

inBrowser("the keys are told with ? and put away with Escape", { scene: "rope-drop" }, async (lab) => {
  const tab = await lab.scene();
  const help = tab.$("#help-dialog");
  await tab.page.keyboard.press("?");
  await help.waitFor();
  assert.match(await help.innerText(), /Space[\s\S]*play or pause/);
  await tab.page.keyboard.press("Escape");
  await help.waitFor({ state: "hidden" });
  await tab.$("#help").click();
  await help.waitFor();
  await help.locator(".close").click();
  await help.waitFor({ state: "hidden" });
});

inBrowser("light and dark", { scene: "rope-drop" }, async (lab) => {
  const tab = await lab.scene({}, { colorScheme: "light" });
  const theme = () => tab.page.evaluate(() => document.documentElement.dataset.theme);
  const light = () =>
    tab.page.evaluate(() => {
      const [r, g, b] = getComputedStyle(document.getElementById("transport")).backgroundColor.match(/[\d.]+/g);
      return Number(r) + Number(g) + Number(b);
    });
  assert.equal(await theme(), "light");
  const before = await light();
  await tab.$("#theme").click();
  assert.equal(await theme(), "dark");
  await until("the page should be darker", async () => (await light()) < before / 2);
  await tab.page.reload();
  await tab.state("scene");
  assert.equal(await theme(), "dark", "the choice is remembered");
  await tab.$("#theme").click();
  assert.equal(await theme(), "light");
});

/** A tablet. */
const TOUCH = { hasTouch: true, isMobile: true, deviceScaleFactor: 1 };

/** Controls that must be in reach on every screen. */
const MAIN = ["#play", "#step", "#reset", "#speed", "#record", "#gallery-button", "#fit", "#help", "#theme"];

/** In the page: what is wrong with the place of some controls; `least` is the size that can be hit [px]. */
function outOfReach([selectors, least]) {
  const { innerWidth: width, innerHeight: height } = window;
  const wrong = (selector) => {
    const element = document.querySelector(selector);
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const place = `${selector} from ${[left, top]} to ${[right, bottom]}`;
    if (left < 0 || top < 0 || right > width + 0.5 || bottom > height + 0.5) {
      return `${place} should lie within ${width} × ${height}`;
    }
    if (selector !== "#speed" && Math.min(right - left, bottom - top) < least) {
      return `${place} should be at least ${least} px wide and high`;
    }
    const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return element.contains(there) ? [] : `${place} is covered by ${there?.outerHTML.slice(0, 60)}`;
  };
  const wide = document.documentElement.scrollWidth;
  return [...selectors.flatMap(wrong), ...(wide > width ? [`${wide} px wide, cut off at ${width}`] : [])];
}

/** Checks that all main controls are seen, whole, and large enough to be hit, and that the view has most of the room. */
async function inReach(tab, least) {
  assert.deepEqual(await tab.page.evaluate(outOfReach, [MAIN, least]), []);
  const part = await tab.page.evaluate(() => {
    const { width, height } = document.querySelector("#view canvas").getBoundingClientRect();
    return (width * height) / (innerWidth * innerHeight);
  });
  assert.ok(part > 0.4, `the view should have most of the room, and has ${(100 * part).toFixed(0)} % of it`);
}

inBrowser("a tablet has everything in reach, and fingers lead tools", { scene: "membrane-poke" }, async (lab) => {
  const tab = await lab.scene({}, { viewport: { width: 820, height: 1180 }, ...TOUCH });
  await inReach(tab, 36);
  const { x, y } = await tab.tool();
  const touch = await tab.page.context().newCDPSession(tab.page);
  const finger = (type, dx) =>
    touch.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: x + dx, y: y - 12 }] });
  const before = tab.frame.tools[0].hand;
  await finger("touchStart", 0);
  for (const dx of [20, 40, 60, 80, 100]) {
    await finger("touchMove", dx);
  }
  const { right } = directions(tab);
  await until("the finger should lead the tool", () => dot(minus(tab.frame.tools[0].hand, before), right) > 0.02);
  await finger("touchEnd", 0);
  await tab.$("#play").tap();
  await tab.stands();
});

inBrowser("a laptop has everything in reach, with the panel beside it", { scene: "rope-drop" }, async (lab) => {
  const tab = await lab.scene({}, { viewport: { width: 1280, height: 720 }, deviceScaleFactor: 1 });
  await inReach(tab, 24);
  const panel = await tab.$("#panel").boundingBox();
  assert.ok(panel.x > 640 && panel.x + panel.width <= 1280.5, JSON.stringify(panel));
  await tab.$("#panel-toggle").click();
  await tab.$("#panel").waitFor({ state: "hidden" });
  await inReach(tab, 24);
});

/** In the page: presses chips and waits until they have been drawn. */
function pressAndDraw(selector) {
  document.querySelectorAll(selector).forEach((chip) => chip.click());
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}

// A test for each: the time for one scene then bounds the whole, however many scenes there are.
for (const name of sceneNames()) {
  inBrowser(`every overlay and colour is drawn in ${name}`, { scene: name }, async (lab) => {
    const tab = await lab.scene();
    await tab.page.evaluate(pressAndDraw, "#overlays input:not(:checked)");
    assert.equal(await tab.$("#overlays input:checked").count(), 5);
    const measured = [["area", /Change of area \[%\]/], ["zx", /Shear strain zx \[%\]/], ["energy", /Elastic energy \[[mkM]?J\/m³\]/]];
    const own = [["strain", /Strain \[%\]/], ["speed", /Speed \[m?m\/s\]/], ["force", /Contact force \[m?N\]/]];
    const flexible = tab.scene.bodies.some((body) => body.flexible);
    for (const [colour, legend] of flexible ? [...own, ...measured] : own) {
      await tab.page.evaluate(pressAndDraw, `#colour-${colour}`);
      assert.match(await tab.$("#legend").innerText(), legend);
    }
  });
}

inBrowser("without the right token, the page says what to do", { expected: NO_ANSWER }, async (lab) => {
  for (const address of ["/", `/?token=${"0".repeat(32)}`]) {
    const tab = await lab.blank();
    await tab.page.goto(`http://127.0.0.1:${lab.program.port}${address}`);
    await tab.state("refused");
    assert.match(await tab.$("#cover").innerText(), /address that the program printed[\s\S]*token/);
  }
});

inBrowser("where too many pages are open, the page says so", { expected: NO_ANSWER }, async (lab) => {
  const crowd = await browser.newPage();
  await crowd.goto(`http://127.0.0.1:${lab.program.port}/app.css`);
  const enter = (address) =>
    Promise.all(
      Array.from({ length: 32 }, () => new Promise((done) => (new WebSocket(address).onopen = () => done()))),
    );
  await crowd.evaluate(enter, `ws://127.0.0.1:${lab.program.port}/ws?token=${lab.program.token}`);
  const tab = await lab.open();
  await tab.state("refused");
  assert.match(await tab.$("#cover").innerText(), /Too many pages are open[\s\S]*Close some/);
  await crowd.close();
  await tab.state("gallery");
  assert.equal(await tab.$("#cover").isVisible(), false, "when there is room it comes in by itself");
});

inBrowser("without WebGL, the page says what to do", { scene: "rope-drop" }, async (lab) => {
  const tab = await lab.blank();
  await tab.page.addInitScript(() => {
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind.startsWith("webgl") ? null : getContext.call(this, kind, ...rest);
    };
  });
  await tab.page.goto(lab.program.url());
  await tab.$("#cover h1").waitFor();
  assert.match(await tab.$("#cover").innerText(), /WebGL[\s\S]*acceleration/);
});

inBrowser("the first picture is there within two seconds", { scene: "rope-drop" }, async (lab) => {
  const tries = [];
  // The machine may be busy with other things for a while: the promise must hold in one of some tries.
  while (tries.length < 3 && !tries.some((ms) => ms < 2000)) {
    const tab = await lab.blank({ viewport: { width: 900, height: 650 } });
    await tab.page.addInitScript(() => {
      const look = setInterval(() => {
        if (window.serosa?.screenshotReady()) {
          window.firstPicture = performance.now();
          clearInterval(look);
        }
      }, 10);
    });
    await tab.page.goto(lab.program.url());
    tries.push(await until("a picture should be there", () => tab.page.evaluate(() => window.firstPicture)));
    await tab.page.close();
  }
  assert.ok(tries.some((ms) => ms < 2000), `milliseconds from opening to the first picture: ${tries.map(Math.round)}`);
});

inBrowser("an intestine is drawn with its mesentery, in all colours", { scene: "intestine" }, async (lab) => {
  const tab = await lab.scene();
  const triangles = () => tab.page.evaluate(() => window.serosa?.triangles() ?? 0);
  // 85,000 with shadows: the tube has 32,000 and is drawn twice, the mesentery 9,500 without which there are too few.
  assert.ok((await triangles()) > 80_000, `triangles: ${await triangles()}`);
  for (const by of ["strain", "speed", "force"]) {
    await tab.$(`#colour-${by}`).check({ force: true });
    await until("the legend should be there", () => tab.$("#legend").isVisible());
    await tab.moreFrames();
  }
  await tab.$("#show-wires").check({ force: true });
  await tab.$("#show-contacts").check({ force: true });
  await tab.moreFrames();
  assert.ok((await triangles()) > 80_000, `triangles: ${await triangles()}`);
});

inBrowser("active pairs are asked for, drawn and counted on demand only", { scene: "intestine" }, async (lab) => {
  const tab = await lab.scene();
  const lines = () => tab.page.evaluate(() => window.serosa?.lines() ?? 0);
  const [count, chip] = [tab.$("#pairs-count"), tab.$("#show-pairs")];
  await tab.reach(0.5);
  assert.deepEqual([tab.frame.pairsInAll, await lines(), await count.isVisible()], [0, 0, false]);
  await tab.page.keyboard.press("p");
  await until("the program should be asked", () => tab.sent.at(-1)?.type === "pairs" && tab.sent.at(-1).show);
  await until("pairs should come", () => tab.frame.pairs.length > 10);
  assert.equal(await chip.isChecked(), true);
  await tab.$("#play").click();
  await tab.stands();
  const { pairs, pairsInAll } = tab.frame;
  await until("each should be a line", async () => (await lines()) === pairs.length);
  await until("their number should be told", async () => (await count.innerText()) === `Active pairs: ${pairsInAll}.`);
  const lengths = pairs.map(([a, b]) => Math.hypot(...minus(a, b)));
  assert.ok(Math.max(...lengths) < 0.08, `tubes of 2 cm and what is near them: ${Math.max(...lengths)} m`);
  await chip.uncheck({ force: true });
  await until("no more should come", () => tab.frame.pairsInAll === 0);
  await until("nothing should be drawn", async () => (await lines()) === 0);
  assert.equal(await count.isVisible(), false);
  await tab.page.keyboard.press("c");
  assert.equal(await tab.$("#show-contacts").isChecked(), true, "and C is for contacts");
});

inBrowser("a page whose connection was cut asks for pairs again", { scene: "intestine" }, async (lab) => {
  const tab = await lab.blank();
  const links = [];
  await tab.page.routeWebSocket(/\/ws/, (link) => {
    link.connectToServer();
    links.push(link);
  });
  await tab.page.goto(lab.program.url());
  await tab.state("scene");
  await tab.drawn();
  await tab.page.keyboard.press("p");
  await until("pairs should come", () => tab.frame?.pairs.length > 0);
  await links[0].close({ code: 4000, reason: "cut by the test" });
  await tab.state("lost");
  await tab.state("scene");
  assert.equal(links.length, 2);
  await until("pairs should come again", () => tab.frame?.pairs.length > 0);
});

inBrowser("where there are too many pairs, the page says how many are drawn", { scene: "rope-drop" }, async (lab) => {
  const tab = await lab.blank();
  // What the program says, with a larger number of pairs.
  await tab.page.routeWebSocket(/\/ws/, (link) => {
    const server = link.connectToServer();
    server.onMessage((data) => {
      if (typeof data !== "string") {
        data.writeUInt32LE(7000, 96);
      }
      link.send(data);
    });
  });
  await tab.page.goto(lab.program.url());
  await tab.state("scene");
  await tab.drawn();
  await tab.page.keyboard.press("p");
  await until("it should be told", async () =>
    /^Active pairs: \d+ of 7,000 are drawn, the nearest\.$/.test(await tab.$("#pairs-count").innerText()),
  );
});

inBrowser("a goal has a label, and it follows what is covered", { scene: "colon-access" }, async (lab) => {
  const tab = await lab.scene();
  const label = tab.$(".label.goal");
  const share = async () => Number((await label.innerText()).match(/^colon: ([\d.]+) % covered$/)?.[1] ?? NaN);
  await until("the label should say a share", async () => Number.isFinite(await share()));
  const first = await share();
  await until("the label should follow", async () => Math.abs((await share()) - first) > 5);
  await tab.page.keyboard.press("Space");
  await tab.stands();
  await until("label and probe should agree", async () => {
    const [covered] = await tab.probe("covered");
    return Math.abs(100 * covered - (await share())) < 0.6;
  });
  assert.match(await tab.$('.probe[data-name="covered"] .value').innerText(), /%$/);
});

inBrowser("a tab that vanishes in mid-drag lets go of what it holds", {}, async (lab) => {
  const first = await twoHands(lab);
  const second = await lab.scene();
  const tool = () => second.frame.tools[0];
  const { right } = directions(second);
  const start = tool().hand;
  await first.page.keyboard.press("g");
  await until("the watcher should see the jaws hold", () => tool().holds);
  await grab(first, 60, -20);
  await until("the watcher should see the tool led", () => dot(minus(tool().hand, start), right) > 0.01);
  assert.ok(tool().holds, "the jaws should still hold");
  await first.page.close();
  await second.told("the second tab drives", (status) => status.driver === second.client);
  await until("the jaws should open", () => !tool().holds);
  const left = tool().hand;
  await second.reach(second.time + 0.4);
  const drift = Math.hypot(...minus(tool().hand, left));
  assert.ok(drift < 1e-4, `the tool should stand where it was left, and went on by ${drift} m`);
  await grab(second, -80, 0);
  await until("the second tab should lead it now", () => dot(minus(tool().hand, left), right) < -0.01);
  await second.page.mouse.up();
});

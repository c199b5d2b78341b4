// Pictures for README and gallery: `node shots.mjs FOLDER scenes [NAME …]` renders every built-in scene alone, or those
// named; `node shots.mjs FOLDER gizmo` a gizmo; `node shots.mjs FOLDER page` the page, a gizmo and the gallery, which shows the pictures that the program embeds.

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { launch, Lab, sleep, until } from "./browser.mjs";
import { Driver } from "./driver.mjs";
import { Program, sceneNames } from "./program.mjs";

/**
 * Simulated time at which each scene looks best [s]: the probe of membrane-poke presses from 1.2 s to 2 s, intestines
 * have widened and settled after 4 s, half of the colon is free at 5.8 s, the instrument is in the liver from 3 s on and
 * the paddle at the kidneys, the cloth has folded after 2 s, the cable runs off its pulley at half a second and the net is
 * stretched most soon after, what has fallen lies still after 3 s, jaws pull at the beam, the liver and the tumour, the
 * ball is in the ring at 2.4 s, the beam has been turned four times at 6.2 s, tools are at work in the abdomen from
 * 4.5 s on, the tube is on its connector from 3 s on and the other one hangs by tilted ends from 6 s on, the cable is a
 * spring between 2 s and 3 s, the rubber is sheared and pressed at 2 s, and the ball is pressed deepest, behind the top of the pad, at 2 s.
 */
const MOMENTS = {
  abdomen: 4.5,
  drape: 2,
  "gallbladder-lift": 3,
  "liver-press": 5.8,
  squeeze: 2.4,
  twist: 6.2,
  "cloth-fold": 2,
  "colon-access": 5.8,
  "instrument-press": 3.2,
  intestine: 4,
  "intestine-2003": 4,
  "intestine-8x400": 4,
  "kidney-press": 4,
  "membrane-poke": 1.6,
  "mesh-drape": 3,
  "organ-pile": 3,
  "cable-cylinder": 2,
  "cable-pulley": 0.5,
  "edge-on-seam": 0.6,
  "strain-limit": 0.3,
  "suture-thread": 2,
  "beam-twist": 2.5,
  "liver-hang": 4.2,
  tumour: 5.8,
  "tube-connector": 2.6,
  "tube-sag": 6,
  "cable-spring": 2.5,
  "plate-block": 2,
  "bem-contact": 2,
};
const USUAL_MOMENT = 1.5;
/** Scenes whose bodies fill the picture; the others are seen as their camera sees them. */
const FILLED = ["coil", "net-on-sphere"];
/** Scenes that are also shown coloured by strain or what goes with it, in a folder of that name. */
const STRAINED = {
  "beam-bend": "strain",
  "beam-twist": "strain",
  "liver-hang": "strain",
  tumour: "strain",
  "tube-connector": "area",
  "cable-spring": "area",
  "plate-block": "area",
  "bem-contact": "energy",
};
/** The scene behind the panels, and the one whose control element is led. */
const PAGE_SCENE = "colon-access";
const GIZMO_SCENE = "plate-block";
const SIZE = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1, colorScheme: "light" };
const JPEG = { type: "jpeg", quality: 85 };

/** Few pixels: what is drawn on the way to the moment is not seen. */
const ON_THE_WAY = { width: 480, height: 360 };

/** In the page: waits for some pictures. */
function pictures(count) {
  return new Promise((done) => {
    const next = (left) => (left === 0 ? done() : requestAnimationFrame(() => next(left - 1)));
    next(count);
  });
}

/** Runs with a program and a browser, and complains about what the browser complains about. */
async function withProgram(browser, scene, body) {
  const lab = new Lab(browser, await Program.start({ scene }));
  try {
    await body(lab);
  } finally {
    await lab.end();
  }
  const mistakes = lab.mistakes();
  if (mistakes.length > 0) {
    throw new Error(`the page of ${scene ?? "the gallery"} made mistakes; mend them first:\n${mistakes.join("\n")}`);
  }
}

async function shootScene(lab, name, path) {
  const driver = await Driver.start(lab);
  const time = await driver.standAt(MOMENTS[name] ?? USUAL_MOMENT);
  const tab = await lab.open({ shot: "1" }, SIZE);
  await tab.state("scene");
  await tab.drawn();
  if (FILLED.includes(name)) {
    await tab.page.keyboard.press("f");
  }
  await tab.page.evaluate(pictures, 4);
  await tab.page.screenshot({ ...JPEG, path });
  const by = STRAINED[name];
  if (by) {
    await colour(tab, by);
    const strained = join(dirname(path), "strain");
    mkdirSync(strained, { recursive: true });
    await tab.page.screenshot({ ...JPEG, path: join(strained, `${name}.jpg`) });
  }
  await driver.end();
  console.log(`${path}: ${name} at ${time.toFixed(3)} s`);
}

/** Colours the bodies by a quantity, with its legend. */
async function colour(tab, by) {
  await tab.page.evaluate((by) => {
    document.querySelector("#legend").classList.remove("chrome");
    document.querySelector(`#colour-${by}`).click();
  }, by);
  if (by !== "strain") {
    await until("the values should come", () => tab.frame.valuesOf > 0);
  }
  await tab.page.evaluate(pictures, 8);
}

/** A control element with its gizmo, the bodies coloured. */
async function shootGizmo(lab, path) {
  const driver = await Driver.start(lab);
  const time = await driver.standAt(MOMENTS[GIZMO_SCENE]);
  const tab = await lab.open({ shot: "1" }, { ...SIZE, viewport: { width: 1280, height: 800 } });
  await tab.state("scene");
  await tab.drawn();
  await driver.end();
  await tab.told("it drives", (status) => status.driver === tab.client);
  await colour(tab, STRAINED[GIZMO_SCENE]);
  await tab.page.evaluate(() => {
    document.documentElement.classList.remove("shot");
    document.documentElement.classList.add("panel-closed");
    document.querySelectorAll(".toast").forEach((toast) => toast.remove());
  });
  await tab.$(".handle").last().click();
  await tab.page.evaluate(pictures, 6);
  await tab.page.screenshot({ ...JPEG, path });
  console.log(`${path}: a gizmo at ${time.toFixed(3)} s`);
}

/** The page as one works with it: drawn as well as a picture of the scene alone, with everything around it. */
async function shootPage(lab, path) {
  // The driver stops the time, not the page: fine pictures can keep a page from hearing its own keys for long.
  const driver = await Driver.start(lab);
  await driver.say({ type: "pause" });
  await driver.say({ type: "reset" });
  const tab = await lab.open({ shot: "1" }, { ...SIZE, viewport: ON_THE_WAY });
  await tab.state("scene");
  await tab.drawn();
  await driver.say({ type: "play" });
  const moment = MOMENTS[PAGE_SCENE] ?? USUAL_MOMENT;
  await until("the moment should come", async () => (await driver.heard()).time >= moment, 120_000);
  await driver.say({ type: "pause" });
  await driver.end();
  const time = await tab.stands();
  await tab.page.setViewportSize(SIZE.viewport);
  await tab.page.evaluate(() => {
    document.documentElement.classList.remove("shot", "panel-closed");
    document.querySelectorAll(".toast").forEach((toast) => toast.remove());
  });
  await tab.page.evaluate(pictures, 6);
  await tab.page.screenshot({ ...JPEG, path });
  console.log(`${path}: the page at ${time.toFixed(3)} s`);
}

async function shootGallery(lab, path) {
  const tab = await lab.open({}, SIZE);
  await tab.state("gallery");
  const waiting = () => tab.page.evaluate(() => [...document.querySelectorAll(".card img")].some((image) => !image.complete));
  await until("the pictures should be there", async () => !(await waiting()));
  const [cards, pictures] = [await tab.$(".card").count(), await tab.$(".card img").count()];
  if (pictures < cards) {
    throw new Error(`only ${pictures} of ${cards} cards have a picture: take those of the scenes first and build again`);
  }
  // The pictures fade in.
  await sleep(1000);
  await tab.page.screenshot({ ...JPEG, path });
  console.log(`${path}: the gallery`);
}

const [folder, what, ...named] = process.argv.slice(2);
if (!folder || !["scenes", "gizmo", "page"].includes(what)) {
  console.error("Say where the pictures go and which: node shots.mjs FOLDER scenes [NAME …]|gizmo|page");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const browser = await launch();
try {
  if (what === "scenes") {
    for (const name of named.length > 0 ? named : sceneNames()) {
      await withProgram(browser, name, (lab) => shootScene(lab, name, join(folder, `${name}.jpg`)));
    }
  }
  if (what !== "scenes") {
    await withProgram(browser, GIZMO_SCENE, (lab) => shootGizmo(lab, join(folder, "gizmo.jpg")));
  }
  if (what === "page") {
    await withProgram(browser, PAGE_SCENE, (lab) => shootPage(lab, join(folder, "page.jpg")));
    await withProgram(browser, undefined, (lab) => shootGallery(lab, join(folder, "gallery.jpg")));
  }
} finally {
  await browser.close();
}

// Chromium with the page in it: what a test does to the page, sees on it and overhears on its connection.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { Program } from "./program.mjs";
import { readFrame } from "./wire.mjs";

/** How long anything that is waited for may take [ms]; the machine may be busy and has no graphics card. */
const PATIENCE_MS = 30_000;

/** Wide enough for the panel, and few pixels: they are drawn by the processor, which the program needs too. */
const SMALL = { viewport: { width: 940, height: 600 }, deviceScaleFactor: 0.25 };

/** Starts Debian's Chromium, or the one named by `SEROSA_CHROMIUM`. */
export async function launch() {
  const executablePath = process.env.SEROSA_CHROMIUM ?? "/usr/bin/chromium";
  if (!existsSync(executablePath)) {
    throw new Error(`${executablePath} is missing: install the package \`chromium\`, or name a browser in SEROSA_CHROMIUM`);
  }
  const args = ["--no-sandbox", "--enable-unsafe-swiftshader", "--disable-background-networking"];
  return chromium.launch({
    executablePath,
    headless: true,
    args: [...args, "--disable-component-update", "--disable-sync", "--no-first-run"],
  });
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Asks again and again until the answer is truthy, and returns it; `what` completes the complaint. */
export async function until(what, ask, patience = PATIENCE_MS) {
  const start = Date.now();
  for (;;) {
    const answer = await ask();
    if (answer) {
      return answer;
    }
    assert.ok(Date.now() - start < patience, `within ${patience / 1000} s, ${what}`);
    await sleep(25);
  }
}

/** One tab with the page. */
export class Tab {
  /** What the browser complained about. */
  mistakes = [];
  /** Messages that the page sent, newest last. */
  sent = [];
  /** The latest status that the program sent. */
  status = null;
  /** The latest frame that the program sent. */
  frame = null;
  /** How often time went back: the scene began again, or a replay was wound back. */
  rewinds = 0;
  /** Who this page is to the program. */
  client = null;
  /** The scene as the program told it. */
  scene = null;

  constructor(page) {
    this.page = page;
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("pageerror", (error) => this.mistakes.push(`exception: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error") {
        this.mistakes.push(`console: ${message.text()}`);
      }
    });
    page.on("websocket", (socket) => {
      socket.on("framesent", ({ payload }) => this.sent.push(JSON.parse(payload)));
      socket.on("framereceived", ({ payload }) => this.#overhear(payload));
    });
  }

  #overhear(payload) {
    if (typeof payload !== "string") {
      const before = this.time;
      this.frame = readFrame(payload);
      this.rewinds += Number(this.time < before);
      return;
    }
    const message = JSON.parse(payload);
    if (message.type === "status") {
      this.status = message;
    } else if (message.type === "hello") {
      this.client = message.client;
    } else if (message.type === "scene") {
      this.scene = message.scene;
      this.frame = null;
    }
  }

  /** An element of the page. */
  $(selector) {
    return this.page.locator(selector);
  }

  /** Waits for a state of the page. */
  async state(wanted) {
    const read = () => this.page.evaluate(() => document.documentElement.dataset.state);
    let seen;
    await until(`the page should come to the state "${wanted}"`, async () => (seen = await read()) === wanted).catch((error) => {
      throw new Error(`${error.message}, and is "${seen}"`);
    });
  }

  /** Waits for a status of the program. */
  async told(what, wanted) {
    await until(`the program should confirm: ${what}`, () => this.status && wanted(this.status));
  }

  /** Waits until the scene is on the screen. */
  async drawn() {
    await until("the scene should be drawn", () => this.page.evaluate(() => window.serosa?.screenshotReady()));
  }

  /** Simulated time of the latest frame [s]. */
  get time() {
    return this.frame?.time ?? -1;
  }

  /** Waits for a simulated time [s]. */
  async reach(time) {
    await until(`simulated time should reach ${time} s`, () => this.time >= time);
  }

  /** Does something that should make the scene begin again, and waits until it has. */
  async restarts(act) {
    const { rewinds } = this;
    await act();
    await until("the scene should begin again", () => this.rewinds > rewinds);
  }

  /** Waits until the scene stands still, and returns its time. */
  async stands() {
    await this.told("it stands still", (status) => !status.playing);
    let before;
    await until("time should stand still", async () => {
      before = this.time;
      await sleep(250);
      return this.time === before;
    });
    return before;
  }

  /** Numbers of a probe as the panel has them. */
  async probe(name) {
    const text = await this.$(`.probe[data-name="${name}"]`).getAttribute("data-value");
    return (text ?? "").split(",").map(Number);
  }

  /** Where the tip of a tool is on the screen. */
  async tool(index = 0) {
    return until("the tool should be on the screen", () => this.page.evaluate((i) => window.serosa?.toolScreen(i), index));
  }

  /** Frames that the page has received. */
  frames() {
    return this.page.evaluate(() => window.serosa?.frames() ?? 0);
  }

  /** Waits until more frames have come. */
  async moreFrames() {
    const before = await this.frames();
    await until("frames should keep coming", async () => (await this.frames()) > before + 3);
  }

  /** Drops a file on the page. */
  async drop(name, content) {
    await this.page.evaluate(
      ([name, bytes]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([new Uint8Array(bytes)], name));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
      },
      [name, [...Buffer.from(content)]],
    );
  }

  /** Waits for a short message at the edge of the page. */
  async toast(words) {
    await this.$("#toasts .toast").filter({ hasText: words }).first().waitFor();
  }
}

/** A program and the tabs on it, for one test. */
export class Lab {
  tabs = [];
  #contexts = [];

  constructor(browser, program) {
    this.browser = browser;
    this.program = program;
  }

  /** A new tab that has loaded nothing yet, in a browser that remembers nothing. */
  async blank(options = {}) {
    const context = await this.browser.newContext({ ...SMALL, ...options });
    this.#contexts.push(context);
    const tab = new Tab(await context.newPage());
    this.tabs.push(tab);
    return tab;
  }

  /** A new tab on the page. */
  async open(address = {}, options = {}) {
    const tab = await this.blank(options);
    await tab.page.goto(this.program.url(address));
    return tab;
  }

  /** A new tab on a scene that is drawn and may be driven. */
  async scene(address = {}, options = {}) {
    const tab = await this.open(address, options);
    await tab.state("scene");
    await tab.drawn();
    return tab;
  }

  /** What the browser complained about, except what a test expects. */
  mistakes(expected) {
    return this.tabs.flatMap((tab) => tab.mistakes).filter((text) => !expected?.test(text));
  }

  async end() {
    await Promise.all(this.#contexts.map((context) => context.close()));
    await this.program.end();
  }
}

/**
 * Runs a test with a program of its own. No test ends well with an error in the console.
 * @param {{ scene?: string, expected?: RegExp }} options `expected` are the errors that belong to the test.
 */
export async function withLab(browser, { scene, expected }, body) {
  const lab = new Lab(browser, await Program.start({ scene }));
  try {
    await body(lab);
    assert.deepEqual(lab.mistakes(expected), [], "nothing should be wrong in the console");
  } catch (error) {
    // Playwright's call log is in the message already.
    delete error.log;
    const mistakes = lab.mistakes(expected);
    if (mistakes.length > 0) {
      error.message += `\nThe console says:\n${mistakes.join("\n")}`;
    }
    throw error;
  } finally {
    await lab.end();
  }
}

// How the program fares: real time, time by stage, contacts, and warnings in plain words.

import { byId, el, setText, show } from "./dom";
import { digits, quantity } from "./format";
import type { FrameState } from "./frame";
import type { SceneInfo, Status } from "./wire";

/** Stages in the order of the frame, with what they do. */
const STAGE_NAMES: [string, string][] = [
  ["tools", "leading the tools"],
  ["predict", "forces and springs"],
  ["detect", "finding contacts"],
  ["respond", "answering contacts"],
  ["filter", "holding bodies apart"],
  ["finish", "finishing the step"],
  ["guard", "watching for run-aways"],
];

/** Below this part of the speed asked for, the scene is called slow. */
const SLOW = 0.93;
/** Slowness must last this long before it is a warning [ms]. */
const SLOW_FOR_MS = 2000;
const EVERY_MS = 250;

/** The part of the panel that measures. */
export class Panel {
  private readonly bars: HTMLElement[];
  private readonly times: HTMLElement[];
  private thinnest = Infinity;
  private dtMs = 1;
  private sweeps = 1;
  private budgetMs: number | null = null;
  private last = 0;
  private smooth = 0;
  private slowSince = 0;

  /** Into the elements of the page. */
  constructor() {
    this.bars = STAGE_NAMES.map(([name, does], i) => el("i", { class: `stage-${i}`, title: `${name}: ${does}` }));
    this.times = STAGE_NAMES.map(() => el("span", { class: "ms" }));
    byId("stages").replaceChildren(...this.bars);
    byId("stage-legend").replaceChildren(
      ...STAGE_NAMES.map(([name, does], i) =>
        el("li", { title: does }, el("i", { class: `stage-${i}` }), el("span", { text: name }), this.times[i]),
      ),
    );
  }

  /** Takes up a scene. */
  open(scene: SceneInfo): void {
    const radii = scene.bodies.flatMap(({ look }) => (look.kind === "solid" ? [] : [look.radius]));
    this.thinnest = Math.min(...radii);
    this.dtMs = 1000 * scene.dt_s;
    this.sweeps = scene.sweeps;
    this.budgetMs = scene.budget_ms;
    this.smooth = 0;
    this.slowSince = 0;
    this.last = 0;
  }

  /** Writes the numbers, four times a second. */
  update(frame: FrameState, status: Status, now: number): void {
    if (now - this.last < EVERY_MS || frame.count === 0) {
      return;
    }
    this.last = now;
    const speed = status.speed > 0 ? status.speed : 1;
    this.smooth = this.smooth > 0 && status.playing ? 0.6 * this.smooth + 0.4 * frame.realTime : frame.realTime;
    const slow = status.playing && this.smooth > 0 && this.smooth < SLOW * speed;
    this.slowSince = slow ? this.slowSince || now : 0;
    const lasting = slow && now - this.slowSince > SLOW_FOR_MS;
    setText(byId("factor"), status.playing ? (this.smooth > 0 ? `${digits(this.smooth, 2)} ×` : "…") : "Paused");
    setText(byId("factor-words"), this.inWords(frame, status, speed, slow));
    byId("factor").classList.toggle("slow", lasting);
    setText(byId("step-time"), `${digits(frame.stepMs)} ms`);
    setText(byId("contact-count"), frame.contacts.toLocaleString("en"));
    setText(byId("deepest"), `${quantity(Math.max(frame.deepestMm, 0), "mm", 2)} mm`);
    const quality = this.quality(frame);
    setText(byId("quality"), quality.short);
    byId("quality").title = quality.long;
    this.stages(frame);
    this.warn(frame, lasting);
  }

  /** How well the last step was solved: for the eye, and in whole sentences. */
  private quality(frame: FrameState): { short: string; long: string } {
    const parts = [`${frame.sweeps} of ${this.sweeps} passes`];
    const long = [`The last step made ${frame.sweeps} of the ${this.sweeps} passes that the scene asks for.`];
    if (frame.sweeps < this.sweeps && this.budgetMs !== null) {
      long.push(`More do not fit into its budget of ${digits(this.budgetMs)} ms: forces are right to 5 % all the same, or simulated time slows.`);
    }
    if (Number.isFinite(frame.errorMm)) {
      const [mm, newtons] = [`${quantity(frame.errorMm, "mm", 2)}\u00a0mm`, `${quantity(frame.errorN, "N", 2)}\u00a0N`];
      parts.push(`±\u00a0${mm}`, `±\u00a0${newtons}`);
      long.push(`More passes would move places by about ${mm}, and change the force on a hand by about ${newtons}.`);
    }
    if (frame.truncated > 0) {
      parts.push(`${frame.truncated} held back`);
      long.push(`The filter shortened ${frame.truncated} steps so that nothing passes through anything.`);
    }
    if (frame.violated > 0) {
      long.push(`${frame.violated} attachments got less than they pulled for.`);
    }
    return { short: parts.join(", "), long: long.join(" ") };
  }

  private inWords(frame: FrameState, status: Status, speed: number, slow: boolean): string {
    if (!status.playing) {
      return "time stands still";
    }
    if (slow) {
      const factor = digits(this.smooth, 2);
      if (this.smooth > 0.8 * speed) {
        return "a little behind what was asked";
      }
      if (speed > 1) {
        return `${factor} × real time of the ${digits(speed, 2)} × asked for`;
      }
      // Steps that are short enough, yet too few: the processor is wanted elsewhere.
      const why =
        frame.stepMs * speed < 0.75 * this.dtMs
          ? "this machine is busy with other things"
          : "the scene is heavier than this machine";
      return `${factor} × real time: ${why}`;
    }
    if (Math.abs(speed - 1) < 0.01) {
      return "real time";
    }
    return speed < 1 ? "slow motion, as asked" : "faster than real time, as asked";
  }

  private stages(frame: FrameState): void {
    const total = frame.stages.reduce((a, b) => a + b, 0);
    frame.stages.forEach((ms, i) => {
      this.bars[i].style.flexGrow = String(total > 0 ? ms / total : 0);
      setText(this.times[i], digits(ms, 2));
    });
  }

  private warn(frame: FrameState, slow: boolean): void {
    const texts: string[] = [];
    if (frame.deepestMm > 1000 * this.thinnest) {
      texts.push(
        `Bodies overlap by ${digits(frame.deepestMm, 2)} mm, more than half the thickness of the thinnest ` +
          `(${digits(1000 * this.thinnest, 2)} mm): they may pass through one another.`,
      );
    }
    if (slow) {
      texts.push("Slower than asked for: what you see and feel lags behind your hand.");
    }
    const host = byId("warnings");
    const joined = texts.join("\n");
    if (host.dataset.texts !== joined) {
      host.dataset.texts = joined;
      host.replaceChildren(...texts.map((text) => el("li", { text })));
      show(host, texts.length > 0);
    }
  }
}

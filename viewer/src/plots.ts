// Probes as small live plots: the last ten seconds of simulated time.

import { el, setText } from "./dom";
import { quantity, shownIn, words } from "./format";
import type { FrameState } from "./frame";
import type { ProbeInfo } from "./wire";

/** Width of a plot in simulated time [s]. */
const WINDOW = 10;
/** Samples kept; one is taken no more often than the window allows. */
const SAMPLES = 600;
const HEIGHT = 46;
const LINES = ["--plot-0", "--plot-1", "--plot-2"];
const AXES = ["x", "y", "z"];

/** One probe. */
class Plot {
  readonly element: HTMLElement;
  private readonly canvas = el("canvas", { height: HEIGHT });
  private readonly value = el("span", { class: "value" });
  private readonly range = el("span", { class: "range" });
  private readonly times = new Float64Array(SAMPLES);
  private readonly samples: Float32Array;
  private first = 0;
  private count = 0;

  constructor(
    private readonly probe: ProbeInfo,
    private readonly offset: number,
  ) {
    this.samples = new Float32Array(SAMPLES * probe.width);
    this.element = el(
      "div",
      { class: "probe", "data-name": probe.name },
      el("div", { class: "probe-head" }, el("span", { class: "name", text: words(probe.name) }), this.value),
      this.canvas,
      el(
        "div",
        { class: "probe-foot" },
        ...(probe.width > 1
          ? AXES.slice(0, probe.width).map((axis, k) => el("b", { class: `axis-${k}`, text: axis }))
          : []),
        this.range,
      ),
    );
  }

  /** Takes a sample. Time that went back (reset, seek) begins the plot again. */
  sample(frame: FrameState): void {
    const newest = this.count > 0 ? this.times[(this.first + this.count - 1) % SAMPLES] : -Infinity;
    if (frame.time < newest) {
      this.count = 0;
    } else if (frame.time < newest + WINDOW / SAMPLES) {
      return;
    }
    const slot = (this.first + this.count) % SAMPLES;
    this.times[slot] = frame.time;
    for (let k = 0; k < this.probe.width; k++) {
      this.samples[slot * this.probe.width + k] = frame.probes[this.offset + k];
    }
    if (this.count < SAMPLES) {
      this.count++;
    } else {
      this.first = (this.first + 1) % SAMPLES;
    }
  }

  /** Draws the plot and writes its numbers. */
  draw(frame: FrameState, style: CSSStyleDeclaration): void {
    const { width } = this.probe;
    const now = Array.from(frame.probes.subarray(this.offset, this.offset + width));
    this.element.dataset.value = now.map((v) => String(Number(v.toPrecision(6)))).join(",");
    const [low, high] = this.extent(frame.time);
    const shown = shownIn(this.probe.unit, Math.max(Math.abs(low), Math.abs(high)));
    const text = (v: number): string => quantity(v, this.probe.unit, 3, shown.factor);
    setText(this.value, `${now.map(text).join("  ")} ${shown.unit}`.trim());
    setText(this.range, `${text(low)} to ${text(high)}`);
    this.lines(frame.time, low, high, style);
  }

  private extent(time: number): [number, number] {
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < this.count; i++) {
      const slot = (this.first + i) % SAMPLES;
      if (this.times[slot] < time - WINDOW) {
        continue;
      }
      for (let k = 0; k < this.probe.width; k++) {
        const v = this.samples[slot * this.probe.width + k];
        if (Number.isFinite(v)) {
          low = Math.min(low, v);
          high = Math.max(high, v);
        }
      }
    }
    return low <= high ? [low, high] : [0, 0];
  }

  private lines(time: number, low: number, high: number, style: CSSStyleDeclaration): void {
    const ratio = Math.min(window.devicePixelRatio, 2);
    const wide = this.canvas.clientWidth;
    if (wide === 0) {
      return;
    }
    if (this.canvas.width !== Math.round(wide * ratio)) {
      this.canvas.width = Math.round(wide * ratio);
      this.canvas.height = Math.round(HEIGHT * ratio);
    }
    const context = this.canvas.getContext("2d");
    if (!context) {
      return;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, wide, HEIGHT);
    // A flat line is drawn in the middle: noise in the last digit is not blown up to the whole height.
    const least = 1e-3 * Math.max(Math.abs(low), Math.abs(high)) + 1e-9;
    const span = Math.max(high - low, least);
    const middle = (low + high) / 2;
    const y = (v: number): number => HEIGHT / 2 - ((v - middle) / span) * (HEIGHT - 8);
    if (low < 0 && high > 0) {
      context.fillStyle = style.getPropertyValue("--line");
      context.fillRect(0, y(0), wide, 1);
    }
    const from = Math.max(time - WINDOW, 0);
    for (let k = 0; k < this.probe.width; k++) {
      context.strokeStyle = style.getPropertyValue(LINES[k % LINES.length]);
      context.lineWidth = 1.5;
      context.beginPath();
      for (let i = 0; i < this.count; i++) {
        const slot = (this.first + i) % SAMPLES;
        const x = ((this.times[slot] - from) / WINDOW) * wide;
        context.lineTo(x, y(this.samples[slot * this.probe.width + k]));
      }
      context.stroke();
    }
  }
}

/** All probes of a scene. */
export class Plots {
  private plots: Plot[] = [];
  private lastDraw = 0;
  private drawnCount = -1;

  /** Into a part of the panel. */
  constructor(private readonly host: HTMLElement) {}

  /** Takes up the probes of a scene. */
  open(probes: ProbeInfo[]): void {
    let offset = 0;
    this.plots = probes.map((probe) => {
      const plot = new Plot(probe, offset);
      offset += probe.width;
      return plot;
    });
    this.host.replaceChildren(...this.plots.map((plot) => plot.element));
  }

  /** Takes a sample of all probes; called for every frame that arrives. */
  sample(frame: FrameState): void {
    this.plots.forEach((plot) => plot.sample(frame));
  }

  /** Draws all plots, at most ten times a second. */
  draw(frame: FrameState, now: number): void {
    if (now - this.lastDraw < 100 || this.drawnCount === frame.count) {
      return;
    }
    this.lastDraw = now;
    this.drawnCount = frame.count;
    const style = getComputedStyle(document.documentElement);
    this.plots.forEach((plot) => plot.draw(frame, style));
  }
}

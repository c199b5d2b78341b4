// Sliders for what the scene lets the user turn.

import { el, setText } from "./dom";
import { digits } from "./format";
import type { TunableInfo } from "./wire";

/** Positions of a slider. */
const STEPS = 1000;
/** Ranges wider than this, and above zero, get equal ratios for equal ways. */
const WIDE = 20;

interface Row {
  info: TunableInfo;
  element: HTMLElement;
  slider: HTMLInputElement;
  value: HTMLElement;
  restart: HTMLButtonElement;
  held: boolean;
}

/** The sliders of a scene. */
export class Tunables {
  private rows: Row[] = [];

  /** Into a part of the panel; `tune` is called when the user turns one. */
  constructor(
    private readonly host: HTMLElement,
    private readonly tune: (index: number, value: number) => void,
  ) {}

  /** Takes up the tunables of a scene. */
  open(infos: TunableInfo[]): void {
    this.rows = infos.map((info, index) => this.row(info, index));
    this.host.replaceChildren(...this.rows.map((row) => row.element));
  }

  /** Shows the values that the program has, except where the user is turning. */
  show(values: number[]): void {
    this.rows.forEach((row, i) => {
      if (!row.held && values[i] !== undefined) {
        row.slider.value = String(place(row.info, values[i]));
        write(row, values[i]);
      }
    });
  }

  /** Makes the sliders respond, or not. */
  enable(enabled: boolean): void {
    for (const row of this.rows) {
      row.slider.disabled = !enabled;
      row.restart.disabled = !enabled;
    }
  }

  private row(info: TunableInfo, index: number): Row {
    const slider = el("input", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": info.name });
    const value = el("output");
    const restart = el(
      "button",
      { class: "small", title: "Back to the start value", "aria-label": `Reset ${info.name}` },
      "↺",
    );
    const head = el("div", { class: "tunable-head" }, el("span", { class: "name", text: info.name }), value, restart);
    const element = el("div", { class: "tunable", "data-name": info.name }, head, slider);
    const row: Row = { info, element, slider, value, restart, held: false };
    slider.value = String(place(info, info.value));
    write(row, info.value);
    slider.addEventListener("input", () => {
      row.held = true;
      const si = valueAt(info, Number(slider.value));
      write(row, si);
      this.tune(index, si);
    });
    slider.addEventListener("change", () => (row.held = false));
    restart.addEventListener("click", () => {
      slider.value = String(place(info, info.value));
      write(row, info.value);
      this.tune(index, info.value);
    });
    return row;
  }
}

function write(row: Row, si: number): void {
  const { info } = row;
  row.element.dataset.value = String(Number(si.toPrecision(6)));
  setText(row.value, `${digits(si / info.unit_size)} ${info.unit}`.trim());
  row.restart.style.visibility = Math.abs(place(info, si) - place(info, info.value)) < 1 ? "hidden" : "visible";
}

function logarithmic(info: TunableInfo): boolean {
  return info.min > 0 && info.max / info.min >= WIDE;
}

/** Position of the slider for a value. */
function place(info: TunableInfo, si: number): number {
  if (!(info.max > info.min)) {
    return 0;
  }
  const part = logarithmic(info)
    ? Math.log(Math.max(si, info.min) / info.min) / Math.log(info.max / info.min)
    : (si - info.min) / (info.max - info.min);
  return Math.round(STEPS * Math.min(Math.max(part, 0), 1));
}

/** Value at a position of the slider. */
function valueAt(info: TunableInfo, position: number): number {
  const part = position / STEPS;
  return logarithmic(info) ? info.min * (info.max / info.min) ** part : info.min + part * (info.max - info.min);
}

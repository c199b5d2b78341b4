// What is shown over and on the bodies, and the legend of the colours.

import { byId, el, show } from "./dom";
import { gradient } from "./colours";
import { digits, shownIn, ticks } from "./format";
import type { View } from "./scene";
import type { Shows } from "./look/overlays";
import type { ColourBy, Values } from "./values";

const OVERLAYS: [keyof Shows, string][] = [
  ["contacts", "Contacts"],
  ["normals", "Normals"],
  ["wires", "Wireframe"],
  ["held", "Held vertices"],
];

const COLOURS: [ColourBy, string][] = [
  ["none", "Tissue"],
  ["strain", "Strain"],
  ["speed", "Speed"],
  ["force", "Contact force"],
];

/** The display options. */
export class Display {
  private readonly shows: Shows = { contacts: false, normals: false, wires: false, held: false };
  private by: ColourBy = "none";
  private legendOf = "";

  /** Into the panel, acting on the view. */
  constructor(private readonly view: View) {
    const boxes = OVERLAYS.map(([name, label]) => {
      const input = el("input", { type: "checkbox", id: `show-${name}` });
      input.addEventListener("change", () => {
        this.shows[name] = input.checked;
        this.apply();
      });
      return el("label", { class: "chip" }, input, el("span", { text: label }));
    });
    const colours = COLOURS.map(([by, label]) => {
      const input = el("input", {
        type: "radio",
        name: "colour",
        value: by,
        id: `colour-${by}`,
        checked: by === this.by,
      });
      input.addEventListener("change", () => {
        this.by = by;
        this.apply();
      });
      return el("label", { class: "chip" }, input, el("span", { text: label }));
    });
    byId("overlays").replaceChildren(...boxes);
    byId("colours").replaceChildren(...colours);
  }

  /** Puts the options on the open scene. */
  apply(): void {
    this.view.setShows(this.shows);
    this.view.setColourBy(this.by);
    this.legend();
  }

  /** Shows the legend of the present scale; cheap where nothing changed. */
  legend(): void {
    const values = this.view.opened?.values;
    const host = byId("legend");
    const key = values && values.by !== "none" ? `${values.by} ${values.scale.low} ${values.scale.high}` : "";
    if (key !== this.legendOf) {
      this.legendOf = key;
      show(host, key !== "");
      if (values && key) {
        host.replaceChildren(...legendOf(values));
      }
    }
  }
}

function legendOf({ by, scale }: Values): HTMLElement[] {
  const shown = by === "strain" ? { unit: "%", factor: 100 } : shownIn(by === "speed" ? "m/s" : "N", scale.high);
  const title = { none: "", strain: "Strain", speed: "Speed", force: "Contact force" }[by];
  const bar = el("div", { class: "legend-bar" });
  bar.style.background = gradient(scale.map, "to right");
  const low = scale.low * shown.factor;
  const high = scale.high * shown.factor;
  const marks = ticks(low, high, 4).map((value) => {
    const mark = el("span", {
      text: digits(value, 3).replace(/\.?0+$/, (zeros) => (zeros.startsWith(".") ? "" : zeros)),
    });
    mark.style.left = `${((value - low) / (high - low)) * 100}%`;
    return mark;
  });
  return [
    el("div", { class: "legend-title", text: `${title} [${shown.unit}]` }),
    bar,
    el("div", { class: "legend-ticks" }, ...marks),
  ];
}

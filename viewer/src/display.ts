// What is shown over and on the bodies, and the legend of the colours.

import { byId, el, setText, show } from "./dom";
import { gradient } from "./colours";
import { digits, shownIn, ticks } from "./format";
import type { View } from "./scene";
import { NOTHING_SHOWN, type Shows } from "./look/overlays";
import type { ColourBy, Values } from "./values";

const OVERLAYS: [keyof Shows, string][] = [
  ["contacts", "Contacts"],
  ["normals", "Normals"],
  ["pairs", "Active pairs"],
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
  private readonly shows: Shows = { ...NOTHING_SHOWN };
  private by: ColourBy = "none";
  private legendOf = "";

  /** Into the panel, acting on the view; pairs come only if the program is told that they are wanted. */
  constructor(
    private readonly view: View,
    private readonly wantPairs: (show: boolean) => void,
  ) {
    const boxes = OVERLAYS.map(([name, label]) => {
      const input = el("input", { type: "checkbox", id: `show-${name}` });
      input.addEventListener("change", () => this.choose(name, input.checked));
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
    this.update();
  }

  /** Shows an overlay, or hides it. */
  toggle(name: keyof Shows): void {
    (byId(`show-${name}`) as HTMLInputElement).checked = !this.shows[name];
    this.choose(name, !this.shows[name]);
  }

  /** Tells a program that knows nothing of this page yet what it wants. */
  ask(): void {
    if (this.shows.pairs) {
      this.wantPairs(true);
    }
  }

  /** Shows the legend of the present scale and the number of pairs; cheap where nothing changed. */
  update(): void {
    this.legend();
    const frame = this.view.opened?.frame;
    show(byId("pairs-count"), this.shows.pairs && frame !== undefined);
    if (this.shows.pairs && frame) {
      setText(byId("pairs-count"), pairsInWords(frame.pairCount, frame.pairsInAll));
    }
  }

  private choose(name: keyof Shows, shown: boolean): void {
    this.shows[name] = shown;
    if (name === "pairs") {
      this.wantPairs(shown);
    }
    this.apply();
  }

  private legend(): void {
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

function pairsInWords(drawn: number, all: number): string {
  const count = (number: number): string => number.toLocaleString("en");
  return drawn < all
    ? `Active pairs: ${count(drawn)} of ${count(all)} are drawn, the nearest.`
    : `Active pairs: ${count(all)}.`;
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

// What is shown over and on the bodies, and the legend of the colours.

import { byId, el, setText, show } from "./dom";
import { gradient } from "./colours";
import { digits, shownIn, ticks } from "./format";
import type { View } from "./scene";
import { NOTHING_SHOWN, type Shows } from "./look/overlays";
import { measured, type ColourBy, type Values } from "./values";
import type { ToServer } from "./wire";

const OVERLAYS: [keyof Shows, string][] = [
  ["contacts", "Contacts"],
  ["normals", "Normals"],
  ["pairs", "Active pairs"],
  ["wires", "Wireframe"],
  ["held", "Held vertices"],
];

/** What to colour by: its name on the chip, its title in the legend and its unit. */
const COLOURS: [ColourBy, string, string, string][] = [
  ["none", "Tissue", "", ""],
  ["strain", "Strain", "Strain", "of 1"],
  ["speed", "Speed", "Speed", "m/s"],
  ["force", "Contact force", "Contact force", "N"],
  ["area", "Area", "Change of area", "of 1"],
  ["energy", "Energy", "Elastic energy", "J/m³"],
  ["xx", "Strain xx", "Strain xx", "of 1"],
  ["yy", "Strain yy", "Strain yy", "of 1"],
  ["zz", "Strain zz", "Strain zz", "of 1"],
  ["xy", "Shear xy", "Shear strain xy", "of 1"],
  ["yz", "Shear yz", "Shear strain yz", "of 1"],
  ["zx", "Shear zx", "Shear strain zx", "of 1"],
];

/** The display options. */
export class Display {
  private readonly shows: Shows = { ...NOTHING_SHOWN };
  private by: ColourBy = "none";
  private legendOf = "";
  /** What the program was asked for last. */
  private asked: ColourBy | null = null;

  /** Into the panel, acting on the view; pairs and values come only if the program is told that they are wanted. */
  constructor(
    private readonly view: View,
    private readonly send: (message: ToServer) => void,
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
      input.addEventListener("change", () => this.colourBy(by));
      return el("label", { class: "chip" }, input, el("span", { text: label }));
    });
    byId("overlays").replaceChildren(...boxes);
    byId("colours").replaceChildren(...colours);
  }

  /** Puts the options on the open scene, as far as it has them. */
  apply(): void {
    const known = this.known();
    COLOURS.forEach(([by]) => show(byId(`colour-${by}`).parentElement as HTMLElement, known.includes(by)));
    this.by = known.includes(this.by) ? this.by : "none";
    (byId(`colour-${this.by}`) as HTMLInputElement).checked = true;
    this.view.setShows(this.shows);
    this.view.setColourBy(this.by);
    this.askForValues();
    this.update();
  }

  /** Chooses the next colouring, or the one before. */
  nextColour(step: 1 | -1): void {
    const known = this.known();
    this.colourBy(known[(known.indexOf(this.by) + step + known.length) % known.length]);
  }

  /** Shows an overlay, or hides it. */
  toggle(name: keyof Shows): void {
    (byId(`show-${name}`) as HTMLInputElement).checked = !this.shows[name];
    this.choose(name, !this.shows[name]);
  }

  /** Tells a program that knows nothing of this page yet what it wants. */
  ask(): void {
    if (this.shows.pairs) {
      this.send({ type: "pairs", show: true });
    }
    this.asked = null;
    this.askForValues();
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
      this.send({ type: "pairs", show: shown });
    }
    this.apply();
  }

  private colourBy(by: ColourBy): void {
    this.by = by;
    this.apply();
  }

  /** The colourings that the open scene has. */
  private known(): ColourBy[] {
    const flexible = this.view.opened?.info.bodies.some((body) => body.flexible) ?? false;
    return COLOURS.map(([by]) => by).filter((by) => flexible || measured(by) === null);
  }

  /** The program measures flexible bodies, and only for those who ask. */
  private askForValues(): void {
    const of = measured(this.by);
    if (of !== this.asked) {
      this.asked = of;
      this.send({ type: "values", of });
    }
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
  const [, , title, unit] = COLOURS.find(([name]) => name === by) ?? COLOURS[0];
  const shown = shownIn(unit, scale.high);
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

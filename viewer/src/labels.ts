// Texts of the scene, laid over the view where they belong.

import { Vector3 } from "three";
import { el } from "./dom";
import type { View } from "./scene";
import type { TextInfo } from "./wire";

/** The texts of a scene. */
export class Labels {
  private labels: { element: HTMLElement; at: Vector3 }[] = [];

  /** Into a layer over the canvas. */
  constructor(
    private readonly host: HTMLElement,
    private readonly view: View,
  ) {}

  /** Takes up the texts of a scene. */
  open(texts: TextInfo[]): void {
    this.labels = texts.map(({ text, at }) => ({
      element: el("span", { class: "label", text }),
      at: new Vector3(...at),
    }));
    this.host.replaceChildren(...this.labels.map((label) => label.element));
  }

  /** Moves the texts; called after each picture. */
  update(): void {
    if (this.labels.length === 0) {
      return;
    }
    const box = this.host.getBoundingClientRect();
    for (const { element, at } of this.labels) {
      const place = this.view.project(at, { x: 0, y: 0 });
      element.hidden = place === null;
      if (place) {
        element.style.transform = `translate(-50%, -50%) translate(${place.x - box.left}px, ${place.y - box.top}px)`;
      }
    }
  }
}

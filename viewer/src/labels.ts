// Texts of the scene and of its goals, laid over the view where they belong.

import { Vector3 } from "three";
import { el, setText } from "./dom";
import { goalText } from "./look/goals";
import type { View } from "./scene";
import type { TextInfo } from "./wire";

/** The texts of a scene. */
export class Labels {
  private labels: { element: HTMLElement; at: Vector3 }[] = [];
  private goals: { element: HTMLElement; at: Vector3 }[] = [];

  /** Into a layer over the canvas. */
  constructor(
    private readonly host: HTMLElement,
    private readonly view: View,
  ) {}

  /** Takes up the texts of a scene and as many goals. */
  open(texts: TextInfo[], goals: number): void {
    this.labels = texts.map(({ text, at }) => ({
      element: el("span", { class: "label", text }),
      at: new Vector3(...at),
    }));
    this.goals = Array.from({ length: goals }, () => ({
      element: el("span", { class: "label goal" }),
      at: new Vector3(),
    }));
    this.host.replaceChildren(...[...this.labels, ...this.goals].map((label) => label.element));
  }

  /** Moves the texts; called after each picture. */
  update(): void {
    if (this.labels.length + this.goals.length === 0) {
      return;
    }
    this.read();
    const box = this.host.getBoundingClientRect();
    for (const { element, at } of [...this.labels, ...this.goals]) {
      const place = this.view.project(at, { x: 0, y: 0 });
      element.hidden = place === null;
      if (place) {
        element.style.transform = `translate(-50%, -50%) translate(${place.x - box.left}px, ${place.y - box.top}px)`;
      }
    }
  }

  /** What the goals' labels say, and where. */
  private read(): void {
    const opened = this.view.opened;
    this.goals.forEach(({ element, at }, i) => {
      const goal = opened?.goals.all[i];
      if (opened && goal) {
        goal.lowest(this.view.camera, at);
        element.classList.toggle("free", goal.free);
        setText(element, goalText(goal, i, opened.info, opened.frame));
      }
    });
  }
}

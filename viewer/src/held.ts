// Bodies that ran away: which, why, what became of them, and a button that gives one back at once.

import { byId, el, show } from "./dom";
import type { HeldInfo } from "./wire";

/** What a banner says of a body. */
export function inWords({ name, why, times, is_held, stuck }: HeldInfo): string {
  const often = times > 1 ? ` ${times} times` : "";
  const now = !is_held
    ? "It was given back."
    : stuck
      ? "It is held, since its shape at rest does not fit anywhere."
      : "It is held where it last was sound, and will be given back in a moment.";
  const help = times > 2 ? " Softer parameters or a shorter step would help; Reset begins again." : "";
  return `${name} ${why}${often}. ${now}${help}`;
}

/** The banners, one for each body that ran away not long ago. */
export class HeldBodies {
  private readonly host = byId("held");
  private readonly rows = new Map<number, { text: Element; button: HTMLButtonElement }>();

  /** A press of a button goes to `release`. */
  constructor(private readonly release: (body: number) => void) {}

  /** Shows them; `mayAct` says whether this page may give bodies back. */
  show(all: HeldInfo[], mayAct: boolean): void {
    const bodies = all.map(({ body }) => body);
    // Only where the list itself changes: a button that is being pressed must stay.
    if (bodies.join() !== [...this.rows.keys()].join()) {
      this.rows.clear();
      this.host.replaceChildren(...all.map((held) => this.row(held)));
    }
    for (const held of all) {
      const row = this.rows.get(held.body);
      if (row) {
        const text = inWords(held);
        if (row.text.textContent !== text) {
          row.text.textContent = text;
        }
        row.button.disabled = !mayAct || !held.is_held;
      }
    }
    show(this.host, all.length > 0);
  }

  private row({ body, name }: HeldInfo): HTMLElement {
    const text = el("span");
    const button = el("button", {
      type: "button",
      text: "Release",
      title: `Give ${name} back to the simulation at once`,
      onclick: () => this.release(body),
    });
    this.rows.set(body, { text, button });
    return el("li", {}, text, button);
  }
}

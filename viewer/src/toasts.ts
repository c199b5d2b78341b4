// Short messages at the edge of the page.

import { el } from "./dom";

/** How a message is meant. */
export type Level = "info" | "good" | "warning";

const MOST = 4;
const STAYS_MS: Record<Level, number> = { info: 6000, good: 3500, warning: 10000 };

/** Shows messages, newest last; equal ones are not repeated. */
export class Toasts {
  /** Into a list. */
  constructor(private readonly host: HTMLElement) {}

  /** Shows a message for a while. With `stays` it remains until `close` is called with what is returned. */
  say(text: string, level: Level = "info", stays = false): HTMLElement {
    for (const old of [...this.host.children]) {
      if (old.getAttribute("data-text") === text) {
        old.remove();
      }
    }
    const toast = el("div", { class: `toast ${level}`, role: "status", "data-text": text });
    const close = el("button", { class: "close", "aria-label": "Close", onclick: () => toast.remove() }, "×");
    toast.append(el("span", { text }), close);
    this.host.append(toast);
    while (this.host.children.length > MOST) {
      this.host.firstElementChild?.remove();
    }
    if (!stays) {
      window.setTimeout(() => toast.remove(), STAYS_MS[level]);
    }
    return toast;
  }

  /** Takes a message away. */
  close(toast: HTMLElement | null): void {
    toast?.remove();
  }
}

// The help over the page.

import { el } from "./dom";
import { HELP } from "./keys";

/** A dialog with all keys. */
export class Help {
  private readonly dialog: HTMLDialogElement;

  /** Built once, into the page. */
  constructor(host: HTMLElement, version: () => string) {
    const about = el("p", { class: "quiet" });
    const groups = HELP.map(({ title, lines }) =>
      el(
        "section",
        {},
        el("h3", { text: title }),
        el(
          "dl",
          {},
          ...lines.flatMap(({ keys, does }) => [
            el("dt", {}, ...keys.map((key) => el("kbd", { text: key }))),
            el("dd", { text: does }),
          ]),
        ),
      ),
    );
    this.dialog = el(
      "dialog",
      { id: "help-dialog", class: "sheet", "aria-label": "Keys and gestures" },
      el(
        "header",
        {},
        el("h2", { text: "Keys and gestures" }),
        el("button", { class: "close", "aria-label": "Close", onclick: () => this.dialog.close() }, "×"),
      ),
      el("div", { class: "help-groups" }, ...groups),
      about,
    );
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) {
        this.dialog.close();
      }
    });
    this.dialog.addEventListener("toggle", () => (about.textContent = `Serosa ${version()}`));
    host.append(this.dialog);
  }

  /** Shows or hides it. */
  toggle(): void {
    if (this.dialog.open) {
      this.dialog.close();
    } else {
      this.dialog.showModal();
    }
  }

  /** Whether it is shown. */
  get open(): boolean {
    return this.dialog.open;
  }
}

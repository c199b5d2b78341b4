// What is wrong with a scene file, as a list that can be read beside the file.

import { el } from "./dom";
import type { ProblemInfo } from "./wire";

/** The dialog with the mistakes of a scene. */
export class Problems {
  private readonly dialog: HTMLDialogElement;
  private readonly title = el("h2");
  private readonly list = el("ol", { id: "problems" });

  /** Built once, into the page. */
  constructor(host: HTMLElement) {
    this.dialog = el(
      "dialog",
      { id: "problems-dialog", class: "sheet", "aria-label": "Problems of the scene" },
      el(
        "header",
        {},
        this.title,
        el("button", { class: "close", "aria-label": "Close", onclick: () => this.dialog.close() }, "×"),
      ),
      el("p", { class: "quiet", text: "Mend the file and drop it again." }),
      this.list,
    );
    host.append(this.dialog);
  }

  /** Shows the mistakes of a file. */
  show(name: string, problems: ProblemInfo[]): void {
    const count = problems.length === 1 ? "one problem" : `${problems.length} problems`;
    this.title.textContent = `${name} cannot be run: ${count}`;
    this.list.replaceChildren(...problems.map(item));
    if (!this.dialog.open) {
      this.dialog.showModal();
    }
  }

  /** Closes it, if it is open. */
  close(): void {
    this.dialog.close();
  }

  /** Whether it is shown. */
  get open(): boolean {
    return this.dialog.open;
  }
}

function item(problem: ProblemInfo): HTMLElement {
  const source = problem.source.replaceAll("\t", " ").trimEnd();
  const column = Math.max(problem.column - 1, 0);
  // A long line is cut about the mistake, so that the caret stays in sight.
  const from = column > 70 ? column - 60 : 0;
  const shown = (from > 0 ? "…" : "") + source.slice(from, from + 110);
  const caret = " ".repeat(column - from + (from > 0 ? 1 : 0)) + "^";
  return el(
    "li",
    {},
    el("span", { class: "place", text: `${problem.line}:${problem.column}` }),
    el("span", { class: "message", text: problem.message }),
    source ? el("pre", { text: `${shown}\n${caret}` }) : "",
    problem.help ? el("span", { class: "quiet", text: problem.help }) : "",
  );
}

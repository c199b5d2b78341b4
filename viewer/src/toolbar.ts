// The tools in words: which is which, how hard the hand pushes, whether the jaws hold something.

import { el, setText } from "./dom";
import { quantity } from "./format";
import { FORCE, HOLDS, TOOL, type FrameState } from "./frame";
import type { Hands } from "./hands";
import { TOOL_COLOURS } from "./look/materials";
import type { ToolInfo } from "./wire";

interface Chip {
  element: HTMLElement;
  force: HTMLElement;
  grip: HTMLButtonElement;
}

/** A chip for each tool, with a button that closes its jaws (fingers have no key G). */
export class Toolbar {
  private chips: Chip[] = [];
  private last = 0;

  /** Into a place over the view. */
  constructor(
    private readonly host: HTMLElement,
    private readonly hands: Hands,
  ) {
    hands.onChange = () => this.mark();
  }

  /** Takes up the tools of a scene. */
  open(tools: ToolInfo[]): void {
    this.chips = tools.map((tool, i) => {
      const force = el("span", { class: "force" });
      const grip = el("button", {
        class: "grip",
        id: `grip-${i}`,
        "aria-pressed": "false",
        onclick: () => this.press(i),
      });
      const dot = el("i");
      dot.style.background = `#${TOOL_COLOURS[i % TOOL_COLOURS.length].toString(16).padStart(6, "0")}`;
      const name = el("span", { class: "name", text: tool.name });
      const element = el(
        "div",
        { class: "tool", "data-tool": i, onclick: () => this.hands.select(i) },
        dot,
        name,
        force,
        grip,
      );
      return { element, force, grip };
    });
    this.host.replaceChildren(...this.chips.map((chip) => chip.element));
    this.mark();
  }

  /** Makes the buttons respond, or not. */
  enable(enabled: boolean): void {
    this.chips.forEach((chip) => (chip.grip.disabled = !enabled));
  }

  /** Writes the forces, five times a second. */
  update(frame: FrameState, now: number): void {
    if (now - this.last < 200) {
      return;
    }
    this.last = now;
    this.chips.forEach((chip, i) => {
      const holds = frame.tools[TOOL * i + HOLDS] > 0.5;
      chip.element.classList.toggle("holds", holds);
      setText(chip.force, `${quantity(frame.tools[TOOL * i + FORCE], "N", 2)} N${holds ? ", holding" : ""}`);
    });
  }

  private press(tool: number): void {
    this.hands.select(tool);
    this.hands.toggleGrip(tool);
  }

  private mark(): void {
    this.chips.forEach((chip, i) => {
      const closed = this.hands.hands[i]?.grip ?? false;
      chip.element.classList.toggle("selected", this.chips.length > 1 && i === this.hands.selected);
      chip.grip.setAttribute("aria-pressed", String(closed));
      setText(chip.grip, closed ? "Let go" : "Grip");
    });
  }
}

// The keyboard: what each key does is in one table, from which the help is also made.

/** What a gizmo does to its control element. */
export type Mode = "translate" | "rotate" | "scale";

/** A line of the help. */
export interface KeyLine {
  /** The keys as they are written. */
  keys: string[];
  /** What they do. */
  does: string;
}

/** What the keyboard may ask for. */
export interface Commands {
  /** Run or stand still. */
  playPause(): void;
  /** One step. */
  step(): void;
  /** Begin again. */
  reset(): void;
  /** See everything. */
  fit(): void;
  /** Open or close the jaws of the selected tool. */
  grip(): void;
  /** Select the next control element or tool; says whether there was one to select. */
  next(): boolean;
  /** Show or hide what lies over the bodies. */
  overlay(name: "contacts" | "pairs" | "wires"): void;
  /** Colour the bodies by the next quantity, or by the one before. */
  nextColour(step: 1 | -1): void;
  /** What the gizmo of a control element does; says whether there is one. */
  gizmo(mode: Mode): boolean;
  /** Show or hide the help. */
  help(): void;
  /** Close whatever is open over the view. */
  escape(): void;
  /** A key that leads a tool; says whether it does. */
  lead(code: string, down: boolean): boolean;
  /** No key is down any more. */
  release(): void;
  /** Whether a scene is open and nothing lies over it. */
  inScene(): boolean;
}

/** The help, in groups. */
export const HELP: { title: string; lines: KeyLine[] }[] = [
  {
    title: "Time",
    lines: [
      { keys: ["Space"], does: "play or pause" },
      { keys: ["."], does: "one step" },
      { keys: ["R"], does: "begin the scene again" },
    ],
  },
  {
    title: "View",
    lines: [
      { keys: ["Drag"], does: "turn the view (two fingers on a screen)" },
      { keys: ["Right drag"], does: "slide the view (one finger on a screen)" },
      { keys: ["Wheel"], does: "nearer or farther (two fingers)" },
      { keys: ["F"], does: "fit everything into the view" },
      { keys: ["C"], does: "show or hide contacts" },
      { keys: ["P"], does: "show or hide active pairs: those the detector follows" },
      { keys: ["X"], does: "wireframe: show or hide the edges of bodies, and see through them" },
      { keys: ["M", "Shift M"], does: "next or previous colour map, with its legend" },
    ],
  },
  {
    title: "Tools with the pointer",
    lines: [
      { keys: ["Drag a tool"], does: "lead it across the view" },
      { keys: ["Wheel", "Shift drag"], does: "while dragging: deeper or nearer" },
      { keys: ["Alt drag"], does: "turn it about its tip" },
      { keys: ["Right button", "G"], does: "close or open its jaws" },
    ],
  },
  {
    title: "Tools with the keyboard",
    lines: [
      { keys: ["←", "→", "↑", "↓", "PgUp", "PgDn"], does: "first tool: across the view, away and nearer" },
      { keys: ["W", "A", "S", "D", "Q", "E"], does: "second tool: across the view, nearer and away" },
      { keys: ["Shift"], does: "slowly" },
      { keys: ["Tab"], does: "choose the tool for G" },
    ],
  },
  {
    title: "Control elements of flexible bodies",
    lines: [
      { keys: ["Click a handle", "Tab"], does: "choose a control element: it shows its gizmo" },
      { keys: ["1", "2", "3"], does: "the gizmo drags, turns or scales" },
      { keys: ["Drag the gizmo"], does: "lead the control element; a scene's own motion of it ends" },
      { keys: ["Esc"], does: "put the gizmo away" },
    ],
  },
  {
    title: "Page",
    lines: [
      { keys: ["?"], does: "this help" },
      { keys: ["Esc"], does: "close what lies over the view" },
    ],
  },
];

/** Keys of the gizmo's modes. */
const MODES: Partial<Record<string, Mode>> = { "1": "translate", "2": "rotate", "3": "scale" };

/** Listens to the whole page; keys typed into a control belong to that control. */
export function listen(commands: Commands): void {
  window.addEventListener("keydown", (event) => down(event, commands));
  window.addEventListener("keyup", (event) => commands.lead(event.code, false));
  window.addEventListener("blur", () => commands.release());
}

function down(event: KeyboardEvent, commands: Commands): void {
  if (event.ctrlKey || event.metaKey) {
    return;
  }
  if (event.key === "Escape") {
    commands.escape();
    return;
  }
  if (belongs(event)) {
    return;
  }
  if (event.key === "?") {
    commands.help();
    event.preventDefault();
    return;
  }
  if (commands.inScene() && act(event, commands)) {
    event.preventDefault();
  }
}

/** Does what a key asks for in a scene; says whether it asks for anything. */
function act(event: KeyboardEvent, commands: Commands): boolean {
  const onControl = event.target instanceof HTMLElement && event.target.closest("button, summary, a") !== null;
  const key = event.key.toLowerCase();
  if (key === " " && onControl) {
    return false;
  }
  // Tab walks over the controls unless the view itself has the focus.
  if (key === "tab") {
    return !onControl && !event.shiftKey && commands.next();
  }
  const once: Record<string, () => void> = {
    " ": () => commands.playPause(),
    ".": () => commands.step(),
    r: () => commands.reset(),
    f: () => commands.fit(),
    g: () => commands.grip(),
    c: () => commands.overlay("contacts"),
    p: () => commands.overlay("pairs"),
    x: () => commands.overlay("wires"),
    m: () => commands.nextColour(event.shiftKey ? -1 : 1),
  };
  const mode = MODES[key];
  if (mode) {
    return commands.gizmo(mode);
  }
  const command = once[key];
  if (command) {
    if (!event.repeat || key === ".") {
      command();
    }
    return true;
  }
  return commands.lead(event.code, true);
}

/** Whether a key belongs to the control that has the focus. */
function belongs({ target, key }: KeyboardEvent): boolean {
  if (target instanceof HTMLInputElement && target.type === "range") {
    return /^(Arrow|Page|Home|End|Tab)/.test(key);
  }
  if (target instanceof HTMLInputElement && (target.type === "checkbox" || target.type === "radio")) {
    return key === " " || key === "Tab";
  }
  return target instanceof HTMLElement && target.matches("input, textarea, select");
}

/** After a click or touch the keys go to the view again; who walks by keyboard keeps the focus. */
export function giveFocusBack(canvas: HTMLElement): void {
  document.addEventListener("pointerup", (event) => {
    const control = event.target instanceof Element ? event.target.closest("button, input, summary, label") : null;
    if (control && !control.closest("dialog")) {
      // Later, so that the control has done its work.
      window.setTimeout(() => {
        if (document.activeElement instanceof HTMLElement && !document.activeElement.matches("select, [type=file]")) {
          document.activeElement.blur();
          canvas.focus({ preventScroll: true });
        }
      }, 0);
    }
  });
}

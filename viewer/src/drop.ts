// Files dropped on the page, or chosen: scenes are opened, anything else is looked at as a mesh.

import type { Level } from "./toasts";
import { show } from "./dom";

/** The largest scene file that the program takes [bytes]. */
const LARGEST = 4 * 1024 * 1024;
/** The largest mesh file that the program takes from a page [bytes]. */
const LARGEST_MESH = 64 * 1024 * 1024;
/** How every MCAP file begins. */
const MCAP = [0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a];

/** What becomes of a file. */
export interface Receiver {
  /** A scene. */
  open(name: string, text: string): void;
  /** A file that may be a mesh. */
  look(file: File): void;
  /** A file that cannot be opened, and why. */
  say(text: string, level: Level): void;
  /** Whether this page may open scenes now. */
  allowed(): boolean;
}

/** Listens for files anywhere on the page and in the file chooser. */
export function listenForFiles(veil: HTMLElement, chooser: HTMLInputElement, receiver: Receiver): void {
  // Every child that is entered gives a leave of the parent: counting tells when the page itself is left.
  let depth = 0;
  const files = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  window.addEventListener("dragenter", (event) => {
    if (files(event)) {
      depth++;
      show(veil, true);
    }
  });
  window.addEventListener("dragleave", (event) => {
    if (files(event) && --depth <= 0) {
      depth = 0;
      show(veil, false);
    }
  });
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    show(veil, false);
    void take(event.dataTransfer?.files ?? null, receiver);
  });
  chooser.addEventListener("change", () => {
    void take(chooser.files, receiver).finally(() => (chooser.value = ""));
  });
}

async function take(files: FileList | null, receiver: Receiver): Promise<void> {
  const file = files?.[0];
  if (!file) {
    return;
  }
  if (files.length > 1) {
    receiver.say(`One file at a time, please: ${file.name} is taken, the others are left.`, "info");
  }
  const answer = await read(file).catch(() => `${file.name} could not be read by the browser.`);
  if (typeof answer === "string") {
    receiver.say(answer, "warning");
  } else if (answer.text === null) {
    receiver.look(file);
  } else if (!receiver.allowed()) {
    receiver.say("Only the driver can open a scene. Press “Take over” first.", "warning");
  } else {
    receiver.open(file.name, answer.text);
  }
}

/** The text of a scene file, null for what may be a mesh, or a sentence that says why it is neither. */
async function read(file: File): Promise<{ text: string | null } | string> {
  const start = new Uint8Array(await file.slice(0, MCAP.length).arrayBuffer());
  if (MCAP.every((byte, i) => start[i] === byte)) {
    return `${file.name} is a recording. Replay it from the command line: serosa replay ${file.name}`;
  }
  if (!file.name.toLowerCase().endsWith(".toml")) {
    const size = `${file.name} has ${(file.size / 1048576).toFixed(0)} MB; a mesh dropped here has at most 64 MB.`;
    return file.size <= LARGEST_MESH ? { text: null } : `${size} Use the command line: serosa query info ${file.name}`;
  }
  if (file.size > LARGEST) {
    return `${file.name} has ${(file.size / 1048576).toFixed(2)} MB; a scene file has at most 4 MB.`;
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()) };
  } catch {
    return `${file.name} is not text in UTF-8. Save it as UTF-8 and drop it again.`;
  }
}

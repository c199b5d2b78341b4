// What covers the whole page when there is nothing else to show.

import { byId, el, show } from "./dom";
import type { Refusal } from "./wire";

/** A button on the cover. */
export interface CoverButton {
  /** What it says. */
  label: string;
  /** What it does. */
  press: () => void;
}

/** Covers the page with a message. */
export function cover(title: string, lines: string[], button?: CoverButton): void {
  const host = byId("cover");
  host.replaceChildren(
    el(
      "div",
      {},
      el("h1", { text: title }),
      ...lines.map((text) => el("p", { text })),
      ...(button ? [el("button", { class: "primary", onclick: button.press, text: button.label })] : []),
    ),
  );
  show(host, true);
}

/** Uncovers the page. */
export function uncover(): void {
  show(byId("cover"), false);
}

/** The program does not let this page in. */
export function coverRefused(why: Refusal): void {
  cover(...REFUSED[why]);
}

const REFUSED: Record<Refusal, [string, string[]]> = {
  token: [
    "Open the address that the program printed",
    [
      "This page belongs to a running Serosa, which lets in only those who have its whole address, " +
        "the token at its end included.",
      "Copy the address from the terminal in which you started it (http://127.0.0.1:…/?token=…) and open it here.",
    ],
  ],
  full: [
    "Too many pages are open",
    ["The program serves no more pages at once. Close some of them; this page tries again by itself."],
  ],
  elsewhere: [
    "This page comes from elsewhere",
    [
      "The program answers pages that were loaded from 127.0.0.1 or localhost at its own port, without anything between.",
      "Open the address that the program printed (http://127.0.0.1:…/?token=…) on the machine on which it runs.",
    ],
  ],
};

/** No WebGL. */
export function coverNoWebGl(): void {
  cover("This browser cannot draw in three dimensions", [
    "Serosa needs WebGL 2, which every current browser has; here it is switched off or blocked.",
    "Turn on “hardware acceleration” (or “graphics acceleration”) in the browser's settings and start it again, " +
      "or open this address in another browser.",
    "Without a picture, `serosa run SCENE` runs a scene in the terminal.",
  ]);
}

/** The graphics card went away. */
export function coverContextLost(): void {
  cover(
    "The graphics card stopped drawing",
    [
      "The simulation goes on. This happens when the card is overloaded or the computer slept; " +
        "loading the page again brings the picture back.",
    ],
    { label: "Load again", press: () => location.reload() },
  );
}

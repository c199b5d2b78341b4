// What covers the whole page when there is nothing else to show.

import { byId, el, show } from "./dom";

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

/** No token, or one that the program does not know. */
export function coverRefused(): void {
  cover("Open the address that the program printed", [
    "This page belongs to a running Serosa, which lets in only those who have its whole address, " +
      "the token at its end included.",
    "Copy the address from the terminal in which you started it (http://127.0.0.1:…/?token=…) and open it here.",
    "If that is what you did, too many pages may be open: close some. This page tries again by itself.",
  ]);
}

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

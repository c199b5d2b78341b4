// The gallery: a card for each built-in scene.

import { el } from "./dom";
import type { GalleryEntry } from "./wire";

/** Fills the gallery; `open` is called with the name of the scene whose card was pressed. */
export function fillGallery(host: HTMLElement, entries: GalleryEntry[], open: (scene: string) => void): void {
  host.replaceChildren(...entries.map((entry, index) => card(entry, index, open)));
}

/** Makes the cards respond, or not: a watcher cannot open a scene. */
export function enableGallery(host: HTMLElement, enabled: boolean): void {
  host.querySelectorAll("button").forEach((button) => (button.disabled = !enabled));
}

function card(entry: GalleryEntry, index: number, open: (scene: string) => void): HTMLElement {
  const picture = el("div", { class: `picture hue-${index % 4}` }, el("span", { text: entry.title }));
  if (entry.picture) {
    const image = el("img", { alt: "", loading: "lazy", decoding: "async", draggable: "false" });
    // Until the picture is there, and where it is missing, the gradient below it is seen.
    image.addEventListener("load", () => picture.classList.add("loaded"));
    image.addEventListener("error", () => image.remove());
    image.src = entry.picture;
    picture.append(image);
  }
  return el(
    "button",
    { class: "card", "data-scene": entry.name, onclick: () => open(entry.name) },
    picture,
    el("span", { class: "card-title", text: entry.title }),
    el("span", { class: "card-about", text: entry.about }),
  );
}

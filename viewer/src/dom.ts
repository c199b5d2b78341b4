// Building the page's elements without a framework.

/** What an element may be given at birth: attributes, `text`, and listeners under `on…`. */
export type Props = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

/** A new element with attributes, listeners and children. `false` and `undefined` leave an attribute out. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value);
    } else if (name === "text") {
      element.textContent = String(value);
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== undefined && value !== false) {
      element.setAttribute(name, String(value));
    }
  }
  element.append(...children);
  return element;
}

/** The element of that id; the page is broken without it, so its absence throws at once. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) {
    throw new Error(`The page has no element #${id}.`);
  }
  return element;
}

/** Writes a text only where it differs, so that the browser has nothing to lay out again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** Shows or hides an element. */
export function show(element: HTMLElement, visible: boolean): void {
  if (element.hidden === visible) {
    element.hidden = !visible;
  }
}

/** A drawing of 24 × 24 units as an icon; the path is ours. */
export function icon(path: string): SVGSVGElement {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(ns, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

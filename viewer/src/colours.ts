// Colour maps, made in OKLab so that equal steps of a value look like equal steps of colour.

/** Entries of a map. */
const SIZE = 256;

/** A colour map as a table. */
export interface ColourMap {
  /** Linear red, green, blue of each entry, for the 3-D view. */
  linear: Float32Array;
  /** The same for CSS, from low to high. */
  css: string[];
}

/** For values from nothing to much: indigo, teal, green, pale yellow. */
export const SEQUENTIAL = table((t) => [
  0.3 + 0.63 * t,
  0.1 + 0.1 * Math.sin(Math.PI * (0.15 + 0.7 * t)),
  288 - 186 * t,
]);

/** For values of either sign: blue below, pale at zero, red above. */
export const DIVERGING = table((t) => {
  const side = 2 * t - 1;
  const away = Math.abs(side);
  return [0.93 - 0.47 * away ** 1.1, 0.19 * away ** 0.8, side < 0 ? 258 : 27];
});

/** Writes the colour for `t` (0 to 1, clamped) at `out[at…at+2]`. */
export function paint(map: ColourMap, t: number, out: Float32Array, at: number): void {
  const entry = 3 * Math.round(Math.min(Math.max(t, 0), 1) * (SIZE - 1)) || 0;
  out[at] = map.linear[entry];
  out[at + 1] = map.linear[entry + 1];
  out[at + 2] = map.linear[entry + 2];
}

/** The map as a CSS gradient in the given direction. */
export function gradient(map: ColourMap, direction: string): string {
  const stops = [];
  for (let i = 0; i < SIZE; i += 15) {
    stops.push(map.css[i]);
  }
  return `linear-gradient(${direction}, ${stops.join(", ")})`;
}

/** A map from lightness, chroma and hue [degrees] at each t. */
function table(lch: (t: number) => [number, number, number]): ColourMap {
  const linear = new Float32Array(3 * SIZE);
  const css: string[] = [];
  for (let i = 0; i < SIZE; i++) {
    const [lightness, chroma, hue] = lch(i / (SIZE - 1));
    const rgb = inGamut(lightness, chroma, (hue * Math.PI) / 180);
    linear.set(rgb, 3 * i);
    css.push(`rgb(${rgb.map((v) => Math.round(255 * encode(v))).join(" ")})`);
  }
  return { linear, css };
}

/** The colour with as much of the chroma as a screen can show. */
function inGamut(lightness: number, chroma: number, hue: number): number[] {
  for (let part = 1; part > 0; part -= 0.05) {
    const rgb = oklab(lightness, part * chroma * Math.cos(hue), part * chroma * Math.sin(hue));
    if (rgb.every((v) => v >= -0.001 && v <= 1.001)) {
      return rgb.map((v) => Math.min(Math.max(v, 0), 1));
    }
  }
  const grey = lightness ** 3;
  return [grey, grey, grey];
}

/** OKLab to linear sRGB (Ottosson 2020). */
function oklab(lightness: number, a: number, b: number): number[] {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** Linear light to the sRGB curve. */
function encode(v: number): number {
  return v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;
}

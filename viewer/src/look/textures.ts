// Textures drawn at the start: nothing is downloaded.

import { CanvasTexture, RepeatWrapping, SRGBColorSpace, type Texture } from "three";

/** Points along the side of a texture. */
export const SIZE = 256;

/** A pair of textures: colour to multiply with, and height for the bump. */
export interface Surface {
  /** Colour, near white. */
  map: Texture;
  /** Height, grey. */
  bump: Texture;
}

/** A repeatable chance between 0 and 1; the page looks the same each time. */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** Smooth noise that repeats at the borders: value noise in `octaves` of doubling fineness from `cells`. */
export function noise(cells: number, octaves: number, seed: number): Float32Array {
  const out = new Float32Array(SIZE * SIZE);
  let weight = 1;
  let total = 0;
  for (let o = 0; o < octaves; o++, weight *= 0.55) {
    const n = cells << o;
    const random = chance(seed + o);
    const grid = Float32Array.from({ length: n * n }, random);
    total += weight;
    for (let y = 0; y < SIZE; y++) {
      const gy = (y / SIZE) * n;
      const [y0, fy] = [Math.floor(gy), smooth(gy % 1)];
      for (let x = 0; x < SIZE; x++) {
        const gx = (x / SIZE) * n;
        const [x0, fx] = [Math.floor(gx), smooth(gx % 1)];
        const [x1, y1] = [(x0 + 1) % n, (y0 + 1) % n];
        const top = grid[y0 * n + x0] * (1 - fx) + grid[y0 * n + x1] * fx;
        const low = grid[y1 * n + x0] * (1 - fx) + grid[y1 * n + x1] * fx;
        out[y * SIZE + x] += weight * (top * (1 - fy) + low * fy);
      }
    }
  }
  return out.map((v) => v / total);
}

function smooth(t: number): number {
  return t * t * (3 - 2 * t);
}

function canvas(): CanvasRenderingContext2D {
  const element = document.createElement("canvas");
  element.width = SIZE;
  element.height = SIZE;
  const context = element.getContext("2d");
  if (!context) {
    throw new Error("This browser cannot draw in two dimensions.");
  }
  return context;
}

function texture(context: CanvasRenderingContext2D, colour: boolean, fine: boolean): Texture {
  const result = new CanvasTexture(context.canvas);
  result.wrapS = RepeatWrapping;
  result.wrapT = RepeatWrapping;
  result.anisotropy = fine ? 4 : 1;
  if (colour) {
    result.colorSpace = SRGBColorSpace;
  }
  return result;
}

/** Fills a canvas from a function of the pixel that gives red, green, blue and how dense it is from 0 to 1. */
function fill(context: CanvasRenderingContext2D, pixel: (i: number, x: number) => [number, number, number, number?]): void {
  const image = context.createImageData(SIZE, SIZE);
  for (let i = 0; i < SIZE * SIZE; i++) {
    const [r, g, b, dense = 1] = pixel(i, i % SIZE);
    image.data[4 * i] = 255 * r;
    image.data[4 * i + 1] = 255 * g;
    image.data[4 * i + 2] = 255 * b;
    image.data[4 * i + 3] = 255 * dense;
  }
  context.putImageData(image, 0, 0);
}

/** Moist tissue: mottled, with fine unevenness; on membranes also small vessels. `fine` keeps it sharp at a slant. */
export function tissue(vessels: boolean, fine: boolean): Surface {
  const blotches = noise(4, 4, 11);
  const grain = noise(16, 3, 29);
  const colour = canvas();
  fill(colour, (i) => {
    const v = 0.84 + 0.28 * (blotches[i] - 0.5) + 0.1 * (grain[i] - 0.5);
    return [Math.min(v + 0.1, 1), v, v - 0.01];
  });
  const height = canvas();
  fill(height, (i) => {
    const v = 0.5 + 0.5 * (blotches[i] - 0.5) + 0.4 * (grain[i] - 0.5);
    return [v, v, v];
  });
  if (vessels) {
    drawVessels(colour, "rgba(150, 30, 44, 0.30)", 1);
    drawVessels(height, "rgba(235, 235, 235, 0.35)", 1.3);
  }
  return { map: texture(colour, true, fine), bump: texture(height, false, fine) };
}

/** Threads along one side of a tile of {@link weave}. */
export const THREADS = 4;
/** Half the width of a thread, in distances between threads. */
const THREAD = 0.2;
/** How dense the pores are: hardly there, but for the light that smooth threads scatter. */
const PORE = 0.1;

/** Threads that pass over and under one another, and pores between them; where nothing is, the tile is seen through. */
export function weave(fine: boolean): Surface {
  // How high the upper side of a thread is at a distance across and along it, from 0 to 1; nothing beside it.
  const thread = (across: number, along: number, over: boolean): number => {
    const off = (across - Math.round(across)) / THREAD;
    const wave = 0.5 + 0.3 * Math.cos(Math.PI * along) * (over ? 1 : -1);
    return Math.abs(off) < 1 ? wave * Math.sqrt(1 - off * off) + 0.1 : 0;
  };
  const height = (i: number): number => {
    const [u, v] = [(THREADS * (i % SIZE)) / SIZE, (THREADS * Math.floor(i / SIZE)) / SIZE];
    return Math.max(thread(u, v, Math.round(u) % 2 === 0), thread(v, u, Math.round(v) % 2 === 1));
  };
  const colour = canvas();
  fill(colour, (i) => {
    const h = height(i);
    const v = 0.7 + 0.3 * h;
    return [v, v, v, h > 0 ? 0.95 : PORE];
  });
  const bump = canvas();
  fill(bump, (i) => {
    const h = height(i);
    return [h, h, h];
  });
  return { map: texture(colour, true, fine), bump: texture(bump, false, fine) };
}

/** How much of a vessel lies at each point, from 0 to 1. */
export function drawnVessels(): Float32Array {
  const context = canvas();
  fill(context, () => [0, 0, 0]);
  drawVessels(context, "rgba(255, 255, 255, 0.8)", 1);
  const { data } = context.getImageData(0, 0, SIZE, SIZE);
  return Float32Array.from({ length: SIZE * SIZE }, (_, i) => data[4 * i] / 255);
}

/** Branching lines, drawn once for each neighbouring tile so that they go on over its border. */
function drawVessels(context: CanvasRenderingContext2D, style: string, widen: number): void {
  const random = chance(5);
  const strokes: [number, number, number, number, number][] = [];
  const grow = (x: number, y: number, angle: number, width: number): void => {
    let [px, py, heading] = [x, y, angle];
    const pieces = 14 + Math.floor(random() * 12);
    for (let k = 0; k < pieces && width > 0.35; k++) {
      heading += (random() - 0.5) * 0.55;
      const [nx, ny] = [px + 6 * Math.cos(heading), py + 6 * Math.sin(heading)];
      strokes.push([px, py, nx, ny, width]);
      [px, py] = [nx, ny];
      if (random() < 0.2) {
        grow(px, py, heading + (random() < 0.5 ? -0.8 : 0.8), width * 0.6);
      }
      width *= 0.95;
    }
  };
  for (let k = 0; k < 5; k++) {
    grow(random() * SIZE, random() * SIZE, random() * 6.28, 1.6 + 1.2 * random());
  }
  context.strokeStyle = style;
  context.lineCap = "round";
  for (const [x0, y0, x1, y1, width] of strokes) {
    context.lineWidth = width * widen;
    for (let tile = 0; tile < 9; tile++) {
      const [ox, oy] = [((tile % 3) - 1) * SIZE, (Math.floor(tile / 3) - 1) * SIZE];
      context.beginPath();
      context.moveTo(x0 + ox, y0 + oy);
      context.lineTo(x1 + ox, y1 + oy);
      context.stroke();
    }
  }
}

/** Streaks across the tool, as a brush leaves them: the roughness of steel. */
export function brushed(): Texture {
  const random = chance(77);
  const rows = Float32Array.from({ length: SIZE }, () => 0.84 + 0.16 * random());
  const context = canvas();
  fill(context, (i) => {
    const v = rows[Math.floor(i / SIZE)];
    return [v, v, v];
  });
  return texture(context, false, false);
}

// Vessels drawn at the start: the arcades of the mesentery, and what goes on from them in the wall of the bowel.

import { CanvasTexture, ClampToEdgeWrapping, RepeatWrapping, SRGBColorSpace, type Texture } from "three";
import { chance, tissue, type Surface } from "./textures";

/** Girths of bowel that one picture of its wall covers; two metres at the usual width, so that nobody sees it again. */
const GIRTHS = 16;
/** Arteries that leave the root, for the whole length of the tube. */
const TRUNKS = 18;
/** How long the root is, as part of the tube: so much are places pushed together there. */
const ROOT = 0.06;

type Paint = (context: CanvasRenderingContext2D) => void;

function canvas(width: number, height: number, draw: Paint): HTMLCanvasElement {
  const element = document.createElement("canvas");
  element.width = width;
  element.height = height;
  const context = element.getContext("2d");
  if (!context) {
    throw new Error("This browser cannot draw in two dimensions.");
  }
  draw(context);
  return element;
}

function picture(element: HTMLCanvasElement, fine: boolean): Texture {
  const texture = new CanvasTexture(element);
  texture.colorSpace = SRGBColorSpace;
  texture.anisotropy = fine ? 8 : 1;
  return texture;
}

/** Covers a canvas with a small picture, turned and mirrored from place to place so that it is not known again. */
function cover(context: CanvasRenderingContext2D, tile: CanvasImageSource, size: number, opacity: number): void {
  const { width, height } = context.canvas;
  context.globalAlpha = opacity;
  for (let y = 0, row = 0; y < height; y += size, row++) {
    for (let x = 0; x < width; x += size) {
      context.save();
      context.translate(x, row % 2 === 0 ? y : y + size);
      context.scale(1, row % 2 === 0 ? 1 : -1);
      context.drawImage(tile, 0, 0, size, size);
      context.restore();
    }
  }
  context.globalAlpha = 1;
}

/** The wall of the bowel: around it from the border of the mesentery and back, and along it. */
export function wall(fine: boolean): Surface {
  const { map: tile, bump } = tissue(false, fine);
  const around = fine ? 512 : 256;
  const element = canvas(around, (around / 2) * GIRTHS, (context) => {
    const image = tile.image as HTMLCanvasElement;
    cover(context, image, around, 1);
    cover(context, image, 2 * around, 0.4);
    wallVessels(context);
  });
  tile.dispose();
  const map = picture(element, fine);
  map.wrapS = map.wrapT = RepeatWrapping;
  map.repeat.set(1, 1 / GIRTHS);
  return { map, bump };
}

/** Small vessels that come from the mesentery on both sides, run around the tube and branch. */
function wallVessels(context: CanvasRenderingContext2D): void {
  const { width, height } = context.canvas;
  const random = chance(41);
  const unit = width / 512;
  const stroke = (x0: number, y0: number, x1: number, y1: number, thick: number, strong: number): void => {
    context.strokeStyle = `rgba(150, 26, 42, ${strong})`;
    context.lineWidth = thick * unit;
    for (const turn of [-height, 0, height]) {
      context.beginPath();
      context.moveTo(x0, y0 + turn);
      context.lineTo(x1, y1 + turn);
      context.stroke();
    }
  };
  const grow = (x: number, y: number, side: number, slant: number, thick: number, reach: number): void => {
    let [px, py, heading] = [x, y, slant];
    for (let gone = 0; gone < reach && thick > 0.3; ) {
      heading += (random() - 0.5) * 0.5 - 0.04 * heading;
      const [nx, ny] = [px + side * 9 * unit * Math.cos(heading), py + 9 * unit * Math.sin(heading)];
      stroke(px, py, nx, ny, thick, Math.min(0.14 + 0.14 * thick, 0.45));
      gone += 9;
      [px, py] = [nx, ny];
      thick *= 0.965;
      if (random() < 0.16) {
        grow(px, py, side, heading + (random() < 0.5 ? -0.75 : 0.75), thick * 0.6, 0.6 * (reach - gone));
      }
    }
  };
  context.lineCap = "round";
  for (let y = 0; y < height; ) {
    const thick = 1.1 + 2.2 * random() ** 2;
    const reach = 130 + 190 * random();
    grow(0, y, 1, (random() - 0.5) * 0.9, thick, reach);
    grow(width, y + 12 * unit * (random() - 0.5), -1, (random() - 0.5) * 0.9, thick, reach);
    y += unit * (22 + 46 * random());
  }
}

/** A line on the mesentery, by places along the tube and from root to tube (0 to 1), with a width in millimetres. */
interface Run {
  points: [number, number][];
  from: number;
  to: number;
}

/** The mesentery along the tube and from root to tube: thin and yellowish, more so along the vessels. */
export function mesentery(fine: boolean): Texture {
  const [width, height] = fine ? [4096, 512] : [2048, 256];
  const { map: tile } = tissue(false, fine);
  const runs = arcades();
  const element = canvas(width, height, (context) => {
    context.fillStyle = "rgba(232, 158, 138, 0.45)";
    context.fillRect(0, 0, width, height);
    context.globalCompositeOperation = "source-atop";
    cover(context, tile.image as HTMLCanvasElement, height / 2, 0.25);
    context.globalCompositeOperation = "source-over";
    for (const [wide, colour] of FAT) {
      runs.forEach((run) => draw(context, run, colour, wide, 0));
    }
    ends(context);
    runs.forEach((run) => draw(context, run, "rgba(122, 66, 92, 0.6)", 1.25, 1.1));
    runs.forEach((run) => draw(context, run, "rgba(172, 40, 42, 0.75)", 0.9, -0.9));
  });
  tile.dispose();
  const map = picture(element, fine);
  map.wrapS = map.wrapT = ClampToEdgeWrapping;
  return map;
}

/** How wide fat lies along a vessel, in widths of it, and its colour: softer further out. */
const FAT: [number, string][] = [
  [16, "rgba(240, 196, 128, 0.07)"],
  [11, "rgba(242, 200, 132, 0.1)"],
  [7, "rgba(244, 206, 138, 0.15)"],
  [4.5, "rgba(246, 212, 146, 0.2)"],
];

/** Fat at the root and where the sheet meets the tube. */
function ends(context: CanvasRenderingContext2D): void {
  const { width, height } = context.canvas;
  const shade = context.createLinearGradient(0, height, 0, 0);
  shade.addColorStop(0, "rgba(238, 196, 134, 0.95)");
  shade.addColorStop(0.22, "rgba(238, 196, 134, 0.25)");
  shade.addColorStop(0.4, "rgba(238, 196, 134, 0)");
  shade.addColorStop(0.74, "rgba(240, 190, 146, 0)");
  shade.addColorStop(0.86, "rgba(236, 178, 140, 0.7)");
  shade.addColorStop(1, "rgba(226, 158, 132, 1)");
  context.fillStyle = shade;
  context.fillRect(0, 0, width, height);
}

/** Trunks from the root, three orders of arches that join them, and straight vessels from the last to the tube. */
function arcades(): Run[] {
  const random = chance(19);
  const runs: Run[] = [];
  const trunks = Array.from({ length: TRUNKS }, (_, i) => (i + 0.5 + 0.5 * (random() - 0.5)) / TRUNKS);
  const tops = trunks.map((u) => {
    const top = 0.42 + 0.1 * random();
    const lean = 0.3 * (random() - 0.5);
    const wave = 0.004 * (random() - 0.5);
    const points = Array.from({ length: 17 }, (_, k): [number, number] => {
      const v = (top * k) / 16;
      return [u + (lean / TRUNKS) * (1 - v / top) + wave * Math.sin(9 * v), v];
    });
    runs.push({ points, from: 2.2, to: 1.5 });
    return [u, top] as [number, number];
  });
  const ground = [[-0.5 / TRUNKS, 0.5] as [number, number], ...tops, [1 + 0.5 / TRUNKS, 0.5] as [number, number]];
  arches(ground, 0, runs, random);
  return runs;
}

/** How high the arches of each order rise, into how many parts the next divides them, and their widths [mm]. */
const ORDERS = [
  { rise: 0.16, parts: 3, wide: 1.25 },
  { rise: 0.1, parts: 3, wide: 0.85 },
  { rise: 0.07, parts: 3, wide: 0.6 },
];

function arches(ground: [number, number][], order: number, runs: Run[], random: () => number): void {
  const { rise, parts, wide } = ORDERS[order];
  for (let i = 0; i + 1 < ground.length; i++) {
    const [[u0, v0], [u1, v1]] = [ground[i], ground[i + 1]];
    const high = rise * (0.7 + 0.6 * random());
    const [lean, wave, phase] = [0.5 * (random() - 0.5), 0.008 * random(), 6 * random()];
    const points = Array.from({ length: 13 }, (_, k): [number, number] => {
      const t = k / 12;
      // Steep at its feet and flat above, as vessels under pressure lie.
      const arch = 1 - (2 * t - 1) ** 4;
      const way = t + lean * t * (1 - t);
      return [u0 + (u1 - u0) * way, v0 + (v1 - v0) * t + arch * (high + wave * Math.sin(11 * t + phase))];
    });
    runs.push({ points, from: wide, to: wide });
    const upon = Array.from({ length: parts + 1 }, (_, k): [number, number] => {
      const part = (k + (k > 0 && k < parts ? 0.5 * (random() - 0.5) : 0)) / parts;
      return points[Math.round(12 * Math.min(Math.max(part, 0.1), 0.9))];
    });
    if (order + 1 < ORDERS.length) {
      arches(upon, order + 1, runs, random);
    } else {
      for (const [u, v] of upon) {
        const lean = 0.004 * (random() - 0.5);
        runs.push({ points: [[u, v], [u + 0.5 * lean, 0.5 * (v + 1)], [u + lean, 1]], from: 0.5, to: 0.35 });
      }
    }
  }
}

/** Fills a line `wide` times its width, moved sideways by `beside` widths. On the sheet it is as wide everywhere. */
function draw(context: CanvasRenderingContext2D, run: Run, colour: string, wide: number, beside: number): void {
  const { width, height } = context.canvas;
  // Pixels for a millimetre: a tube of 4 m, and a sheet of 15 cm.
  const [du, dv] = [width / 4000, height / 150];
  const last = run.points.length - 1;
  const sides: [number, number][][] = [[], []];
  run.points.forEach(([u, v], k) => {
    const [a, b] = [run.points[Math.max(k - 1, 0)], run.points[Math.min(k + 1, last)]];
    const room = ROOT + (1 - ROOT) * v;
    const [tx, ty] = [(b[0] - a[0]) * 4000 * room, (b[1] - a[1]) * 150];
    const length = Math.hypot(tx, ty) || 1;
    const thick = run.from + ((run.to - run.from) * k) / last;
    sides.forEach((side, s) => {
      const out = 0.5 * thick * (beside + (s === 0 ? wide : -wide));
      side.push([u * width - (out * ty * du) / (length * room), (1 - v) * height - (out * tx * dv) / length]);
    });
  });
  context.fillStyle = colour;
  // The thinnest are seen through fat.
  context.globalAlpha = Math.min(0.3 + 0.6 * run.from, 1);
  context.beginPath();
  [...sides[0], ...sides[1].reverse()].forEach(([x, y]) => context.lineTo(x, y));
  context.fill();
  context.globalAlpha = 1;
}

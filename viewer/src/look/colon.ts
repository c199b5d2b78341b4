// A rod drawn as colon: pouches between folds that draw the wall in, and three bands along it.

import { BufferAttribute, BufferGeometry, Color } from "three";
import type { SolidShape } from "../wire";

type Capsule = Extract<SolidShape, { shape: "capsule" }>;

const SIDES = 72;
/** Rings for each radius of length. */
const FINE = 12;
/** Length of a pouch, in radii. */
const POUCH = 1.15;
/** How deep the folds between pouches are, and how far the bands lie in, as parts of the radius. */
const FOLD = 0.2;
const BAND = 0.1;

const WALL = new Color(0xdba795);
const PALE = new Color(0xe9cdb8);
const DEEP = new Color(0x8a453c);

/**
 * A colon about a rod along z. It is never wider than the rod that is simulated, and touches it with every pouch.
 */
export function colonGeometry({ length, radius }: Capsule): BufferGeometry {
  const half = length / 2 + radius;
  const rings = Math.ceil((FINE * 2 * half) / radius);
  const position = new Float32Array(3 * (rings + 1) * (SIDES + 1));
  const colour = new Float32Array(position.length);
  const uv = new Float32Array((2 * position.length) / 3);
  const tint = new Color();
  for (let i = 0, v = 0; i <= rings; i++) {
    // Rings lie closer at the poles, where the rod is round.
    const z = -half * Math.cos((Math.PI * i) / rings) * 0.15 + 0.85 * (-half + (2 * half * i) / rings);
    const beyond = Math.max(Math.abs(z) - length / 2, 0);
    const round = Math.sqrt(Math.max(radius * radius - beyond * beyond, 0));
    for (let j = 0; j <= SIDES; j++, v++) {
      const angle = (2 * Math.PI * (j % SIDES)) / SIDES;
      const { depth, band } = wall(z / radius, angle);
      const reach = round * (1 - depth);
      position.set([reach * Math.cos(angle), reach * Math.sin(angle), z], 3 * v);
      tint.copy(WALL).lerp(DEEP, Math.min((0.95 * depth * (1 - band)) / FOLD, 1));
      tint.lerp(PALE, 0.75 * band).toArray(colour, 3 * v);
      uv.set([(2 * j) / SIDES, z / (Math.PI * radius)], 2 * v);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(position, 3));
  geometry.setAttribute("color", new BufferAttribute(colour, 3));
  geometry.setAttribute("uv", new BufferAttribute(uv, 2));
  geometry.setIndex(faces(rings));
  geometry.computeVertexNormals();
  seam(geometry, rings);
  return geometry;
}

/** How far in the wall lies at a place along (in radii) and around, and how much of a band it is. */
function wall(along: number, angle: number): { depth: number; band: number } {
  const third = (2 * Math.PI) / 3;
  const side = Math.floor(angle / third);
  const across = angle / third - side;
  // Bands at the borders of the three sides; the pouches of each side begin where they like.
  const band = Math.max(Math.exp(-((across / 0.085) ** 2)), Math.exp(-(((1 - across) / 0.085) ** 2)));
  const at = along / POUCH + 0.37 * side + 0.12 * Math.sin(1.7 * along + 2 * side);
  const fold = (0.5 + 0.5 * Math.cos(2 * Math.PI * at)) ** 5;
  // Between bands the wall bulges; at a fold it is drawn in, most of all in the middle of its side.
  const bulge = Math.sin(Math.PI * across);
  return { depth: BAND * (1 - bulge ** 0.6) + FOLD * fold * (0.35 + 0.65 * bulge) * (1 - 0.6 * band), band };
}

function faces(rings: number): number[] {
  const index: number[] = [];
  for (let i = 0; i < rings; i++) {
    for (let j = 0; j < SIDES; j++) {
      const a = i * (SIDES + 1) + j;
      const c = a + SIDES + 1;
      index.push(a, a + 1, c, a + 1, c + 1, c);
    }
  }
  return index;
}

/** The first and the last vertex of a ring are the same place: they share one normal. */
function seam(geometry: BufferGeometry, rings: number): void {
  const n = geometry.attributes.normal;
  for (let i = 0; i <= rings; i++) {
    const [a, b] = [i * (SIDES + 1), i * (SIDES + 1) + SIDES];
    const sum = [n.getX(a) + n.getX(b), n.getY(a) + n.getY(b), n.getZ(a) + n.getZ(b)];
    const scale = 1 / (Math.hypot(...sum) || 1);
    for (const v of [a, b]) {
      n.setXYZ(v, scale * sum[0], scale * sum[1], scale * sum[2]);
    }
  }
}

// A skin that keeps its edges: along them its faces share places, not normals.

import type { Object3D } from "three";
import type { SoftState } from "../frame";
import type { Look, Surface } from "../wire";
import type { Shade, SoftLook } from "./look";
import { SkinLook } from "./skin";

type Skin = Extract<Look, { kind: "skin" }>;

/** Faces at more than this to one another make an edge [rad]. */
const SHARP = 0.7;

/** A skin with edges. It is drawn with a vertex for each smooth part of the surface around one of the body. */
export class EdgedLook implements SoftLook {
  private readonly skin: SkinLook;
  /** The body's vertex of each that is drawn. */
  private readonly from: Uint32Array;
  private readonly positions: Float32Array;
  private readonly values: Float32Array;

  /** For a skin without thickness. */
  constructor(look: Skin, surface: Surface, index: number) {
    const { from, triangles } = part(look.rest, look.triangles);
    this.from = from;
    this.positions = new Float32Array(3 * from.length);
    this.values = new Float32Array(from.length);
    const rest = Array.from(from, (v) => look.rest.slice(3 * v, 3 * v + 3)).flat();
    const spots = look.spots.length > 0 ? Array.from(from, (v) => look.spots[v]) : [];
    this.skin = new SkinLook({ ...look, rest, triangles, spots }, surface, index);
  }

  /** To put in the scene. */
  get object(): Object3D {
    return this.skin.object;
  }

  /** Moves and colours it. */
  update(soft: SoftState, shade: Shade | null): void {
    const { from, positions, values } = this;
    for (let i = 0; i < from.length; i++) {
      positions[3 * i] = soft.positions[3 * from[i]];
      positions[3 * i + 1] = soft.positions[3 * from[i] + 1];
      positions[3 * i + 2] = soft.positions[3 * from[i] + 2];
      values[i] = shade ? shade.values.vertex[from[i]] : 0;
    }
    const own = shade && { ...shade, values: { vertex: values, edge: null } };
    this.skin.update({ ...soft, positions }, own);
  }

  /** Sees through it. */
  setGhost(ghost: boolean): void {
    this.skin.setGhost(ghost);
  }

  /** Gives its buffers back. */
  dispose(): void {
    this.skin.dispose();
  }
}

/** Parts a surface along its edges: each vertex once for every smooth part around it, and the triangles in new numbers. */
export function part(rest: number[], triangles: number[]): { from: Uint32Array; triangles: number[] } {
  const normals = normalsOf(rest, triangles);
  // Corners that are drawn as one: those of smooth neighbours at both ends of a common side.
  const together = Uint32Array.from(triangles, (_, corner) => corner);
  const first = (corner: number): number => {
    let at = corner;
    while (together[at] !== at) {
      at = together[at] = together[together[at]];
    }
    return at;
  };
  const sides = new Map<number, number>();
  triangles.forEach((a, corner) => {
    const next = corner % 3 === 2 ? corner - 2 : corner + 1;
    const b = triangles[next];
    const beyond = sides.get(b * 0x4000000 + a);
    sides.set(a * 0x4000000 + b, corner);
    if (beyond !== undefined && smooth(normals, Math.floor(corner / 3), Math.floor(beyond / 3))) {
      // The neighbour runs along the side the other way.
      const itsNext = beyond % 3 === 2 ? beyond - 2 : beyond + 1;
      together[first(corner)] = first(itsNext);
      together[first(next)] = first(beyond);
    }
  });
  const numbers = new Map<number, number>();
  const from: number[] = [];
  const renumbered = triangles.map((vertex, corner) => {
    const group = first(corner);
    const known = numbers.get(group) ?? from.push(vertex) - 1;
    numbers.set(group, known);
    return known;
  });
  return { from: Uint32Array.from(from), triangles: renumbered };
}

/** Unit normals of all triangles. */
function normalsOf(p: number[], triangles: number[]): Float32Array {
  const normals = new Float32Array(triangles.length);
  for (let f = 0; f < triangles.length; f += 3) {
    const [a, b, c] = [3 * triangles[f], 3 * triangles[f + 1], 3 * triangles[f + 2]];
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const length = Math.hypot(x, y, z) || 1;
    normals.set([x / length, y / length, z / length], f);
  }
  return normals;
}

function smooth(n: Float32Array, f: number, g: number): boolean {
  return n[3 * f] * n[3 * g] + n[3 * f + 1] * n[3 * g + 1] + n[3 * f + 2] * n[3 * g + 2] > Math.cos(SHARP);
}

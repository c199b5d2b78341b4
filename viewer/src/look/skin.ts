// A skin as the shell that it is: both faces at half its thickness, and a round rim where it ends.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh, MeshBasicMaterial } from "three";
import { paint } from "../colours";
import type { SoftState } from "../frame";
import type { Look, Surface } from "../wire";
import type { Shade, SoftLook } from "./look";
import { organMaterials, setGhost, skinMaterials, weaveMaterials, type TissuePair } from "./materials";
import { isOrgan, layOrgan } from "./organs";

type Skin = Extract<Look, { kind: "skin" }>;

/** Width of one tile of the texture on a skin [m]. */
const TILE = 0.11;

/** A skin. Vertices: the upper face, then the lower, then the rim. One that is closed, or thin, has the upper face alone. */
export class SkinLook implements SoftLook {
  /** The shell. */
  readonly object: Mesh;
  private readonly triangles: Uint32Array;
  private readonly vertices: number;
  /** Border edges a → b as their triangles run. */
  private readonly border: Uint32Array;
  /** Vertices on the border, in the order of the rim's vertices. */
  private readonly rim: Uint32Array;
  /** For each vertex: its number on the rim + 1, or 0. */
  private readonly rimOf: Uint32Array;
  private readonly normals: Float32Array;
  private readonly outward: Float32Array;
  private readonly position: BufferAttribute;
  private readonly normal: BufferAttribute;
  private readonly colour: BufferAttribute;
  private readonly materials: TissuePair;
  private readonly radius: number;
  private readonly nearest: Mesh<BufferGeometry, MeshBasicMaterial> | null;

  /** For a skin; `index` chooses the colour where the surface does not. */
  constructor(look: Skin, surface: Surface, index: number) {
    this.triangles = Uint32Array.from(look.triangles);
    this.vertices = look.rest.length / 3;
    const woven = surface === "weave";
    // Through the pores of one face the other would be seen, a little beside it: a weave has its threads in the middle.
    this.radius = woven ? 0 : look.radius;
    // What has no thickness is seen from outside alone, as what is closed.
    this.border = look.radius > 0 ? borderOf(this.triangles) : new Uint32Array();
    this.rim = Uint32Array.from(new Set(this.border));
    this.rimOf = new Uint32Array(this.vertices);
    this.rim.forEach((vertex, i) => (this.rimOf[vertex] = i + 1));
    this.normals = new Float32Array(3 * this.vertices);
    this.outward = new Float32Array(3 * this.rim.length);
    const closed = this.border.length === 0;
    const total = closed ? this.vertices : 2 * this.vertices + this.rim.length;
    const dynamic = (): BufferAttribute =>
      new BufferAttribute(new Float32Array(3 * total), 3).setUsage(DynamicDrawUsage);
    this.position = dynamic();
    this.normal = dynamic();
    this.colour = dynamic();
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("normal", this.normal);
    geometry.setAttribute("color", this.colour);
    geometry.setAttribute("uv", this.layOut(look.rest, total));
    geometry.setIndex(this.faces(closed, total));
    if (closed && isOrgan(surface)) {
      const rest = Float32Array.from(look.rest);
      this.bend(rest);
      layOrgan(geometry, { rest, normals: this.normals.slice(), triangles: this.triangles, spots: look.spots });
      this.materials = organMaterials(surface);
    } else {
      this.materials = woven ? weaveMaterials(TILE) : skinMaterials(index, closed);
    }
    this.object = new Mesh(geometry, this.materials.own);
    this.object.frustumCulled = false;
    // Light falls through what is clear, and through pores, which are too small for the map of shadows.
    const clear = closed && this.materials.own.transparent;
    this.object.castShadow = !woven && !clear;
    this.object.receiveShadow = !clear;
    // Of what is clear the nearest wall is seen, and solids through it: where it is is found first.
    this.nearest = clear ? new Mesh(geometry, new MeshBasicMaterial({ colorWrite: false, transparent: true })) : null;
    if (this.nearest) {
      this.nearest.frustumCulled = false;
      this.nearest.renderOrder = -1;
      this.object.add(this.nearest);
    }
  }

  /** Moves and colours the shell. */
  update(soft: SoftState, shade: Shade | null): void {
    this.bend(soft.positions);
    this.write(soft.positions);
    this.position.needsUpdate = true;
    this.normal.needsUpdate = true;
    this.object.material = shade ? this.materials.mapped : this.materials.own;
    if (shade) {
      this.paint(shade);
      this.colour.needsUpdate = true;
    }
  }

  /** Sees through it, but not through a map: on that its edges lie. */
  setGhost(ghost: boolean): void {
    setGhost(this.materials.own, ghost);
    if (this.nearest) {
      this.nearest.visible = !ghost;
    }
  }

  /** Gives its buffers back. */
  dispose(): void {
    this.object.geometry.dispose();
    this.nearest?.material.dispose();
    this.materials.own.dispose();
    this.materials.mapped.dispose();
  }

  /** Normals of all vertices, weighted by area; at the rim also the direction outward. */
  private bend(p: Float32Array): void {
    const { normals: n, triangles, outward } = this;
    n.fill(0);
    for (let f = 0; f < triangles.length; f += 3) {
      const [a, b, c] = [3 * triangles[f], 3 * triangles[f + 1], 3 * triangles[f + 2]];
      const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
      const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
      const x = uy * vz - uz * vy;
      const y = uz * vx - ux * vz;
      const z = ux * vy - uy * vx;
      n[a] += x;
      n[a + 1] += y;
      n[a + 2] += z;
      n[b] += x;
      n[b + 1] += y;
      n[b + 2] += z;
      n[c] += x;
      n[c + 1] += y;
      n[c + 2] += z;
    }
    unit(n);
    outward.fill(0);
    for (let e = 0; e < this.border.length; e += 2) {
      const [a, b] = [3 * this.border[e], 3 * this.border[e + 1]];
      const [dx, dy, dz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
      for (const end of [a, b]) {
        const at = 3 * (this.rimOf[end / 3] - 1);
        outward[at] += dy * n[end + 2] - dz * n[end + 1];
        outward[at + 1] += dz * n[end] - dx * n[end + 2];
        outward[at + 2] += dx * n[end + 1] - dy * n[end];
      }
    }
    unit(outward);
  }

  private write(p: Float32Array): void {
    const position = this.position.array as Float32Array;
    const normal = this.normal.array as Float32Array;
    const { normals: n, radius: r, vertices, rim, outward } = this;
    const both = this.border.length > 0;
    for (let i = 0; i < 3 * vertices; i++) {
      position[i] = p[i] + r * n[i];
      normal[i] = n[i];
      if (both) {
        position[3 * vertices + i] = p[i] - r * n[i];
        normal[3 * vertices + i] = -n[i];
      }
    }
    for (let i = 0, at = 6 * vertices; i < rim.length; i++) {
      for (let axis = 0; axis < 3; axis++, at++) {
        position[at] = p[3 * rim[i] + axis] + r * outward[3 * i + axis];
        normal[at] = outward[3 * i + axis];
      }
    }
  }

  private paint({ values, scale }: Shade): void {
    const colours = this.colour.array as Float32Array;
    const span = scale.high - scale.low;
    const both = this.border.length > 0;
    for (let i = 0; i < this.vertices; i++) {
      paint(scale.map, (values.vertex[i] - scale.low) / span, colours, 3 * i);
    }
    if (both) {
      colours.copyWithin(3 * this.vertices, 0, 3 * this.vertices);
    }
    this.rim.forEach((vertex, i) => colours.copyWithin(6 * this.vertices + 3 * i, 3 * vertex, 3 * vertex + 3));
  }

  /** Texture places by the two longest sides of the body's box at rest. */
  private layOut(rest: number[], total: number): BufferAttribute {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    rest.forEach((v, i) => {
      low[i % 3] = Math.min(low[i % 3], v);
      high[i % 3] = Math.max(high[i % 3], v);
    });
    const axes = [0, 1, 2].sort((a, b) => high[b] - low[b] - (high[a] - low[a]));
    const uv = new Float32Array(2 * total);
    for (let i = 0; i < total; i++) {
      const vertex = i < 2 * this.vertices ? i % this.vertices : this.rim[i - 2 * this.vertices];
      uv[2 * i] = rest[3 * vertex + axes[0]] / TILE;
      uv[2 * i + 1] = rest[3 * vertex + axes[1]] / TILE;
    }
    return new BufferAttribute(uv, 2);
  }

  private faces(closed: boolean, total: number): BufferAttribute {
    const { triangles, vertices, border, rimOf } = this;
    const count = closed ? triangles.length : 2 * triangles.length + 6 * border.length;
    const index = new (total > 65535 ? Uint32Array : Uint16Array)(count);
    index.set(triangles);
    if (closed) {
      return new BufferAttribute(index, 1);
    }
    let at = triangles.length;
    for (let f = 0; f < triangles.length; f += 3, at += 3) {
      index.set([triangles[f] + vertices, triangles[f + 2] + vertices, triangles[f + 1] + vertices], at);
    }
    for (let e = 0; e < border.length; e += 2, at += 12) {
      const [a, b] = [border[e], border[e + 1]];
      const [ra, rb] = [2 * vertices + rimOf[a] - 1, 2 * vertices + rimOf[b] - 1];
      const [la, lb] = [a + vertices, b + vertices];
      index.set([b, a, ra, b, ra, rb, rb, ra, la, rb, la, lb], at);
    }
    return new BufferAttribute(index, 1);
  }
}

/** Edges of one triangle only, in pairs, as that triangle runs. */
function borderOf(triangles: Uint32Array): Uint32Array {
  const seen = new Map<number, number>();
  const key = (a: number, b: number): number => Math.min(a, b) * 0x4000000 + Math.max(a, b);
  const each = (visit: (a: number, b: number) => void): void => {
    for (let f = 0; f < triangles.length; f += 3) {
      for (let k = 0; k < 3; k++) {
        visit(triangles[f + k], triangles[f + ((k + 1) % 3)]);
      }
    }
  };
  each((a, b) => seen.set(key(a, b), (seen.get(key(a, b)) ?? 0) + 1));
  const border: number[] = [];
  each((a, b) => {
    if (seen.get(key(a, b)) === 1) {
      border.push(a, b);
    }
  });
  return Uint32Array.from(border);
}

/** Makes each vector of three a unit vector, where it has a length. */
function unit(v: Float32Array): void {
  for (let i = 0; i < v.length; i += 3) {
    const length = Math.sqrt(v[i] * v[i] + v[i + 1] * v[i + 1] + v[i + 2] * v[i + 2]);
    if (length > 0) {
      v[i] /= length;
      v[i + 1] /= length;
      v[i + 2] /= length;
    }
  }
}

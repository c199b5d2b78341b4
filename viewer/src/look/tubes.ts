// A chain as one smooth tube: rings about its centre line, with frames that do not twist.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh } from "three";
import { paint } from "../colours";
import type { SoftState } from "../frame";
import type { Look } from "../wire";
import { Cavity } from "./cavity";
import { Centreline } from "./centreline";
import type { Shade, SoftLook } from "./look";
import { bowelMaterials, setGhost, threadMaterials, type TissuePair } from "./materials";

type Threads = Extract<Look, { kind: "threads" }>;

/** Rings of each round end, the pole included. */
const CAP = 5;
/** About as many rings as one tube may have. */
const RINGS = 1600;
/** Up to this part of the bend's radius the inner side of a tube is round … */
const ROUND = 0.55;
/** … and it never comes nearer to the middle of the bend than this: there it would fold through itself. */
const NEAREST = 0.88;

/** How fast along the tube its frame follows the mesentery: a part of the way from ring to ring. */
const FOLLOW = 0.15;

/** What sort of tube. */
export interface Sort {
  /** Bowel is uneven, moist and dark in its crevices; otherwise it is a cord or a vessel. */
  bowel: boolean;
  /** For each vertex of the chain, one of the mesentery: its side of the tube is where the texture begins. */
  rooted?: Uint32Array;
}

/** A chain. All buffers are made once; a frame only rewrites them. */
export class TubeLook implements SoftLook {
  /** The tube. */
  readonly object: Mesh;
  private readonly nodes: Uint32Array;
  private readonly sides: number;
  /** Rings along the curve; those of the ends come beside them. */
  private readonly inner: number;
  private readonly line: Centreline;
  /** Length of the rest shape up to each vertex, in girths. */
  private readonly lengths: Float32Array;
  private readonly circle: Float32Array;
  private readonly position: BufferAttribute;
  private readonly normal: BufferAttribute;
  private readonly colour: BufferAttribute;
  private readonly uv: BufferAttribute;
  private readonly materials: TissuePair;
  private radius: number;
  private readonly bowel: boolean;
  private readonly rooted: Uint32Array | null;
  private readonly cavity: { darkness: BufferAttribute; of: Cavity } | null = null;
  /** The first ring's direction, kept from frame to frame so that the surface does not spin. */
  private readonly start = new Float32Array([0.3, 0.2, 1]);

  /** For a chain; `index` chooses the colour. */
  constructor(look: Threads, index: number, sort: Sort) {
    this.nodes = order(look);
    const segments = this.nodes.length - 1;
    this.radius = look.radius;
    this.bowel = sort.bowel;
    this.rooted = sort.rooted ?? null;
    this.sides = segments > 3000 ? 8 : this.bowel ? 20 : 12;
    this.inner = segments * Math.min(Math.max(Math.floor(RINGS / segments), 1), this.bowel ? 8 : 6) + 1;
    this.line = new Centreline(this.nodes, this.inner, this.bowel ? 0.6 : 0);
    this.lengths = lengthsOf(look, this.nodes);
    this.circle = new Float32Array(2 * (this.sides + 1));
    for (let j = 0; j <= this.sides; j++) {
      const angle = (2 * Math.PI * (j % this.sides)) / this.sides;
      this.circle.set([Math.cos(angle), Math.sin(angle)], 2 * j);
    }
    const vertices = this.rings * (this.sides + 1);
    const dynamic = (size: number): BufferAttribute =>
      new BufferAttribute(new Float32Array(size * vertices), size).setUsage(DynamicDrawUsage);
    this.position = dynamic(3);
    this.normal = dynamic(3);
    this.colour = dynamic(3);
    this.uv = dynamic(2);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("normal", this.normal);
    geometry.setAttribute("color", this.colour);
    geometry.setAttribute("uv", this.uv);
    geometry.setIndex(this.faces(vertices));
    if (this.bowel) {
      this.cavity = { darkness: dynamic(1), of: new Cavity(this.inner, this.sides) };
      geometry.setAttribute("cavity", this.cavity.darkness);
    }
    this.materials = this.bowel ? bowelMaterials(index) : threadMaterials(index, true);
    this.object = new Mesh(geometry, this.materials.own);
    this.object.frustumCulled = false;
    this.object.castShadow = true;
    this.object.receiveShadow = true;
  }

  /** Sweeps the tube along the chain. */
  update(soft: SoftState, shade: Shade | null): void {
    this.radius = soft.tube ?? this.radius;
    this.line.update(soft.positions, this.radius);
    this.sweep(soft.positions);
    this.bend();
    this.layOut();
    this.darken();
    this.position.needsUpdate = true;
    this.normal.needsUpdate = true;
    this.uv.needsUpdate = true;
    this.object.material = shade ? this.materials.mapped : this.materials.own;
    if (shade) {
      this.paint(shade);
      this.colour.needsUpdate = true;
    }
  }

  /** Sees through it. */
  setGhost(ghost: boolean): void {
    setGhost(this.materials.own, ghost);
    setGhost(this.materials.mapped, ghost);
  }

  /** Gives its buffers back. */
  dispose(): void {
    this.object.geometry.dispose();
    this.materials.own.dispose();
    this.materials.mapped.dispose();
  }

  private get rings(): number {
    return this.inner + 2 * CAP;
  }

  /** Rings along the curve; the frame is carried on by two reflections (Wang et al. 2008, Eq. 2). */
  private sweep(positions: Float32Array): void {
    const { centres: c, tangents: t } = this.line;
    const { start, inner } = this;
    let [nx, ny, nz] = this.steer(positions, 0, start[0], start[1], start[2]);
    [nx, ny, nz] = perpendicular(nx, ny, nz, t[0], t[1], t[2]);
    start.set([nx, ny, nz]);
    this.cap(0, 0, -1, nx, ny, nz, this.radius);
    for (let i = 0, k = 0; i < inner; i++, k += 3) {
      if (i > 0) {
        const [vx, vy, vz] = [c[k] - c[k - 3], c[k + 1] - c[k - 2], c[k + 2] - c[k - 1]];
        const c1 = vx * vx + vy * vy + vz * vz;
        const f1 = c1 > 1e-18 ? 2 / c1 : 0;
        const rn = f1 * (vx * nx + vy * ny + vz * nz);
        const rt = f1 * (vx * t[k - 3] + vy * t[k - 2] + vz * t[k - 1]);
        const [ax, ay, az] = [nx - rn * vx, ny - rn * vy, nz - rn * vz];
        const [wx, wy, wz] = [t[k] - t[k - 3] + rt * vx, t[k + 1] - t[k - 2] + rt * vy, t[k + 2] - t[k - 1] + rt * vz];
        const c2 = wx * wx + wy * wy + wz * wz;
        const rw = c2 > 1e-18 ? (2 / c2) * (wx * ax + wy * ay + wz * az) : 0;
        [nx, ny, nz] = this.steer(positions, i, ax - rw * wx, ay - rw * wy, az - rw * wz);
        [nx, ny, nz] = perpendicular(nx, ny, nz, t[k], t[k + 1], t[k + 2]);
      }
      this.ring(i, nx, ny, nz, this.radius);
    }
    this.cap(CAP + inner, inner - 1, 1, nx, ny, nz, this.radius);
  }

  /** A ring's direction, turned a little towards the mesentery where there is one. */
  private steer(p: Float32Array, i: number, nx: number, ny: number, nz: number): [number, number, number] {
    if (!this.rooted) {
      return [nx, ny, nz];
    }
    const { centres: c, tangents: t, along } = this.line;
    const s = Math.min(Math.floor(along[i]), this.rooted.length - 2);
    const part = along[i] - s;
    const [a, b, k] = [3 * this.rooted[s], 3 * this.rooted[s + 1], 3 * i];
    const dx = p[a] + (p[b] - p[a]) * part - c[k];
    const dy = p[a + 1] + (p[b + 1] - p[a + 1]) * part - c[k + 1];
    const dz = p[a + 2] + (p[b + 2] - p[a + 2]) * part - c[k + 2];
    const forward = dx * t[k] + dy * t[k + 1] + dz * t[k + 2];
    const [x, y, z] = [dx - forward * t[k], dy - forward * t[k + 1], dz - forward * t[k + 2]];
    // A mesentery that lies along the tube says little about its sides, and its wish counts for as little.
    const wish = FOLLOW / (Math.sqrt(dx * dx + dy * dy + dz * dz) || 1);
    return [nx + wish * x, ny + wish * y, nz + wish * z];
  }

  /** Crevices between the folds. */
  private darken(): void {
    if (this.cavity) {
      const row = (this.sides + 1) * CAP;
      const positions = (this.position.array as Float32Array).subarray(3 * row);
      const { darkness, of } = this.cavity;
      of.update(this.line.centres, positions, (darkness.array as Float32Array).subarray(row), this.radius);
      darkness.needsUpdate = true;
    }
  }

  /** A round end: rings from pole to rim where `side` is −1, from rim to pole where it is 1. */
  private cap(first: number, i: number, side: number, nx: number, ny: number, nz: number, radius: number): void {
    const { centres: c, tangents: t } = this.line;
    const position = this.position.array as Float32Array;
    const normal = this.normal.array as Float32Array;
    const k = 3 * i;
    const [tx, ty, tz] = [t[k], t[k + 1], t[k + 2]];
    const [bx, by, bz] = [ty * nz - tz * ny, tz * nx - tx * nz, tx * ny - ty * nx];
    this.swell(i);
    let at = 3 * first * (this.sides + 1);
    for (let ring = 0; ring < CAP; ring++) {
      const angle = (Math.PI / 2) * (side < 0 ? (CAP - ring) / CAP : (ring + 1) / CAP);
      const [out, up] = [Math.cos(angle), side * Math.sin(angle)];
      for (let j = 0; j < this.circle.length; j += 2, at += 3) {
        const [cos, sin] = [out * this.circle[j], out * this.circle[j + 1]];
        normal[at] = nx * cos + bx * sin + tx * up;
        normal[at + 1] = ny * cos + by * sin + ty * up;
        normal[at + 2] = nz * cos + bz * sin + tz * up;
        const reach = radius * swollen(this.circle[j], this.circle[j + 1]);
        for (let axis = 0; axis < 3; axis++) {
          position[at + axis] = c[k + axis] + reach * normal[at + axis];
        }
      }
    }
  }

  /** One ring: round, but drawn in on the inner side of a bend that is tighter than the tube is thick. */
  private ring(i: number, nx: number, ny: number, nz: number, radius: number): void {
    const { centres: c, tangents: t, bends } = this.line;
    const position = this.position.array as Float32Array;
    const { circle } = this;
    const k = 3 * i;
    const [tx, ty, tz] = [t[k], t[k + 1], t[k + 2]];
    const [bx, by, bz] = [ty * nz - tz * ny, tz * nx - tx * nz, tx * ny - ty * nx];
    const bendN = nx * bends[k] + ny * bends[k + 1] + nz * bends[k + 2];
    const bendB = bx * bends[k] + by * bends[k + 1] + bz * bends[k + 2];
    this.swell(i);
    this.neighbours(i, nx, ny, nz, bx, by, bz);
    const [beforeN, beforeB, beforeGap, afterN, afterB, afterGap] = NEAR;
    let at = 3 * (CAP + i) * (this.sides + 1);
    for (let j = 0; j < circle.length; j += 2, at += 3) {
      const cos = circle[j];
      const sin = circle[j + 1];
      const wanted = radius * swollen(cos, sin);
      const towards = cos * bendN + sin * bendB;
      const tight = wanted * towards;
      let reach = tight > ROUND ? drawnIn(tight) / towards : wanted;
      const before = -cos * beforeN - sin * beforeB;
      const after = cos * afterN + sin * afterB;
      reach = before * reach > beforeGap ? beforeGap / before : reach;
      reach = after * reach > afterGap ? afterGap / after : reach;
      position[at] = c[k] + reach * (nx * cos + bx * sin);
      position[at + 1] = c[k + 1] + reach * (ny * cos + by * sin);
      position[at + 2] = c[k + 2] + reach * (nz * cos + bz * sin);
    }
  }

  /**
   * Where the planes of the rings before and after lie, into `NEAR`: their directions as this ring sees them, and how
   * far they are. No vertex goes beyond them, so that not even a kink turns the surface inside out.
   */
  private neighbours(i: number, nx: number, ny: number, nz: number, bx: number, by: number, bz: number): void {
    const { centres: c, tangents: t } = this.line;
    const k = 3 * i;
    for (let side = 0; side < 2; side++) {
      const o = 3 * Math.min(Math.max(i + 2 * side - 1, 0), this.inner - 1);
      const sign = side === 0 ? 1 : -1;
      const [dx, dy, dz] = [c[k] - c[o], c[k + 1] - c[o + 1], c[k + 2] - c[o + 2]];
      NEAR[3 * side] = nx * t[o] + ny * t[o + 1] + nz * t[o + 2];
      NEAR[3 * side + 1] = bx * t[o] + by * t[o + 1] + bz * t[o + 2];
      const gap = sign * (dx * t[o] + dy * t[o + 1] + dz * t[o + 2]);
      NEAR[3 * side + 2] = o === k ? Infinity : Math.max(0.95 * gap, 0);
    }
  }

  /**
   * How bowel is thicker here and thinner there, by a few per cent, into `SWELL`: waves along it, and less so around it
   * (in turn what to add for the cosine and the sine of a side, and for their product).
   */
  private swell(i: number): void {
    if (!this.bowel) {
      return void SWELL.set([1, 0, 0, 0]);
    }
    const u = 2 * Math.PI * this.lengthAt(i);
    const waves = 0.022 * Math.sin(2.1 * u) + 0.02 * Math.sin(1.27 * u + 1.3) + 0.016 * Math.sin(0.61 * u + 4);
    // Now and then the muscle draws the wall in.
    const ring = Math.max(0, Math.sin(0.9 * u + 0.6) * Math.sin(0.37 * u));
    SWELL[0] = 1 + waves - 0.05 * ring ** 4;
    SWELL[1] = 0.012 * Math.sin(1.7 * u);
    SWELL[2] = 0.012 * Math.cos(1.1 * u + 2);
    SWELL[3] = 0.024 * Math.sin(0.8 * u);
  }

  /** Where a ring is on the rest shape, in girths. */
  private lengthAt(i: number): number {
    const at = this.line.along[i];
    const s = Math.min(Math.floor(at), this.lengths.length - 2);
    return this.lengths[s] + (this.lengths[s + 1] - this.lengths[s]) * (at - s);
  }

  /**
   * Normals of the rings along the curve, from where their neighbours are; those of the ends are known. Written out
   * here and in `ring`: a pair of brackets for each vertex costs as much as the rest.
   */
  private bend(): void {
    const p = this.position.array as Float32Array;
    const normal = this.normal.array as Float32Array;
    const row = 3 * (this.sides + 1);
    for (let i = 0; i < this.inner; i++) {
      const first = (CAP + i) * row;
      const [back, on] = [i > 0 ? -row : 0, i + 1 < this.inner ? row : 0];
      for (let j = 0; j < this.sides; j++) {
        const at = first + 3 * j;
        const left = j > 0 ? at - 3 : first + 3 * (this.sides - 1);
        const right = at + 3;
        const a = at + on;
        const b = at + back;
        const ux = p[right] - p[left];
        const uy = p[right + 1] - p[left + 1];
        const uz = p[right + 2] - p[left + 2];
        const vx = p[a] - p[b];
        const vy = p[a + 1] - p[b + 1];
        const vz = p[a + 2] - p[b + 2];
        const x = uy * vz - uz * vy;
        const y = uz * vx - ux * vz;
        const z = ux * vy - uy * vx;
        const scale = 1 / (Math.sqrt(x * x + y * y + z * z) || 1);
        normal[at] = x * scale;
        normal[at + 1] = y * scale;
        normal[at + 2] = z * scale;
      }
      normal.copyWithin(first + row - 3, first, first + 3);
    }
  }

  private paint({ values, scale }: Shade): void {
    const colours = this.colour.array as Float32Array;
    const last = this.nodes.length - 1;
    const span = scale.high - scale.low;
    for (let ring = 0; ring < this.rings; ring++) {
      const along = this.line.along[this.nearest(ring)];
      const s = Math.min(Math.floor(along), last - 1);
      const [a, b] = [values.vertex[this.nodes[s]], values.vertex[this.nodes[s + 1]]];
      const value = a + (b - a) * (along - s);
      const first = 3 * ring * (this.sides + 1);
      paint(scale.map, (value - scale.low) / span, colours, first);
      for (let j = 1; j <= this.sides; j++) {
        colours.copyWithin(first + 3 * j, first, first + 3);
      }
    }
  }

  /** The ring along the curve that a ring of an end belongs to. */
  private nearest(ring: number): number {
    return Math.min(Math.max(ring - CAP, 0), this.inner - 1);
  }

  /** Texture places: once around is one tile, and as long along; they stay where they are on the tissue. */
  private layOut(): void {
    const uv = this.uv.array as Float32Array;
    for (let ring = 0, at = 0; ring < this.rings; ring++) {
      const i = this.nearest(ring);
      const along = this.lengthAt(i) + 0.03 * (ring - CAP - i);
      for (let j = 0; j <= this.sides; j++, at += 2) {
        uv[at] = j / this.sides;
        uv[at + 1] = along;
      }
    }
  }

  private faces(vertices: number): BufferAttribute {
    const row = this.sides + 1;
    const index = new (vertices > 65535 ? Uint32Array : Uint16Array)(6 * (this.rings - 1) * this.sides);
    let at = 0;
    for (let ring = 0; ring + 1 < this.rings; ring++) {
      for (let j = 0; j < this.sides; j++) {
        const a = ring * row + j;
        const c = a + row;
        index.set([a, a + 1, c, a + 1, c + 1, c], at);
        at += 6;
      }
    }
    return new BufferAttribute(index, 1);
  }
}

/** Thickness of a side of the ring that `SWELL` is of, as part of the usual one. */
function swollen(cos: number, sin: number): number {
  return SWELL[0] + cos * SWELL[1] + sin * SWELL[2] + cos * sin * SWELL[3];
}

/** Radius times curvature as it may be, where it would be `tight`: even beyond `ROUND`, and below `NEAREST`. */
function drawnIn(tight: number): number {
  const room = NEAREST - ROUND;
  return ROUND + room * (1 - Math.exp((ROUND - tight) / room));
}

/** The vertices in the order of the chain. */
function order(look: Threads): Uint32Array {
  const edges = look.edges.length / 2;
  const nodes = new Uint32Array(edges + 1);
  nodes[0] = look.edges[0] ?? 0;
  for (let e = 0; e < edges; e++) {
    nodes[e + 1] = look.edges[2 * e + 1];
  }
  return nodes;
}

/** Length of the rest shape up to each vertex, in girths of the tube. */
function lengthsOf({ rest, radius }: Threads, nodes: Uint32Array): Float32Array {
  const lengths = new Float32Array(nodes.length);
  for (let s = 0; s + 1 < nodes.length; s++) {
    const [a, b] = [3 * nodes[s], 3 * nodes[s + 1]];
    const length = Math.hypot(rest[b] - rest[a], rest[b + 1] - rest[a + 1], rest[b + 2] - rest[a + 2]);
    lengths[s + 1] = lengths[s] + length / (2 * Math.PI * radius);
  }
  return lengths;
}

/** The part of v across the unit vector t, as a unit vector; any direction across where v runs along t. */
function perpendicular(
  vx: number,
  vy: number,
  vz: number,
  tx: number,
  ty: number,
  tz: number,
): [number, number, number] {
  let along = vx * tx + vy * ty + vz * tz;
  let [x, y, z] = [vx - along * tx, vy - along * ty, vz - along * tz];
  let length = Math.sqrt(x * x + y * y + z * z);
  if (length < 1e-6) {
    const [ux, uz] = Math.abs(tx) < 0.7 ? [1, 0] : [0, 1];
    along = ux * tx + uz * tz;
    [x, y, z] = [ux - along * tx, -along * ty, uz - along * tz];
    length = Math.sqrt(x * x + y * y + z * z);
  }
  return [x / length, y / length, z / length];
}

const NEAR = new Float64Array(6);
const SWELL = new Float64Array(4);

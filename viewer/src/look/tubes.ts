// A chain as one smooth tube: a Catmull-Rom curve through its nodes, swept with frames that do not twist.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh } from "three";
import { paint } from "../colours";
import type { SoftState } from "../frame";
import type { Look } from "../wire";
import type { Shade, SoftLook } from "./look";
import { setGhost, threadMaterials, type TissuePair } from "./materials";

type Threads = Extract<Look, { kind: "threads" }>;

/** Rings of each round end, the pole included. */
const CAP = 5;
/** About as many rings as one tube may have. */
const RINGS = 1600;

/** A chain. All buffers are made once; a frame only rewrites them. */
export class TubeLook implements SoftLook {
  /** The tube. */
  readonly object: Mesh;
  private readonly nodes: Uint32Array;
  private readonly pieces: number;
  private readonly sides: number;
  private readonly rings: number;
  private readonly centres: Float32Array;
  private readonly tangents: Float32Array;
  private readonly circle: Float32Array;
  private readonly position: BufferAttribute;
  private readonly normal: BufferAttribute;
  private readonly colour: BufferAttribute;
  private readonly materials: TissuePair;
  private radius: number;
  /** The first ring's direction, kept from frame to frame so that the surface does not spin. */
  private readonly start = new Float32Array([0.3, 0.2, 1]);

  /** For a chain; `index` chooses the colour. */
  constructor(look: Threads, index: number) {
    this.nodes = order(look);
    const segments = this.nodes.length - 1;
    this.radius = look.radius;
    this.pieces = Math.min(Math.max(Math.floor(RINGS / segments), 1), 6);
    this.sides = segments > 3000 ? 8 : 12;
    const inner = segments * this.pieces + 1;
    this.rings = inner + 2 * CAP;
    this.centres = new Float32Array(3 * inner);
    this.tangents = new Float32Array(3 * inner);
    this.circle = new Float32Array(2 * (this.sides + 1));
    for (let j = 0; j <= this.sides; j++) {
      const angle = (2 * Math.PI * (j % this.sides)) / this.sides;
      this.circle.set([Math.cos(angle), Math.sin(angle)], 2 * j);
    }
    const vertices = this.rings * (this.sides + 1);
    const dynamic = (): BufferAttribute =>
      new BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(DynamicDrawUsage);
    this.position = dynamic();
    this.normal = dynamic();
    this.colour = dynamic();
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("normal", this.normal);
    geometry.setAttribute("color", this.colour);
    geometry.setAttribute("uv", this.layOut(look));
    geometry.setIndex(this.faces(vertices));
    this.materials = threadMaterials(index, true);
    this.object = new Mesh(geometry, this.materials.own);
    this.object.frustumCulled = false;
    this.object.castShadow = true;
    this.object.receiveShadow = true;
  }

  /** Sweeps the tube along the chain. */
  update(soft: SoftState, shade: Shade | null): void {
    this.radius = soft.tube ?? this.radius;
    this.curve(soft.positions);
    this.sweep();
    this.position.needsUpdate = true;
    this.normal.needsUpdate = true;
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

  /** Places and directions along the curve. The ends are mirrored, so that they run out straight. */
  private curve(p: Float32Array): void {
    const { nodes, pieces, centres, tangents } = this;
    const last = nodes.length - 1;
    for (let s = 0, ring = 0; s < last; s++) {
      const b = 3 * nodes[s];
      const c = 3 * nodes[s + 1];
      const a = s > 0 ? 3 * nodes[s - 1] : -1;
      const d = s + 2 <= last ? 3 * nodes[s + 2] : -1;
      const count = s === last - 1 ? pieces + 1 : pieces;
      for (let k = 0; k < count; k++, ring++) {
        const t = k / pieces;
        for (let axis = 0; axis < 3; axis++) {
          const p1 = p[b + axis];
          const p2 = p[c + axis];
          const p0 = a >= 0 ? p[a + axis] : 2 * p1 - p2;
          const p3 = d >= 0 ? p[d + axis] : 2 * p2 - p1;
          const c1 = 0.5 * (p2 - p0);
          const c2 = p0 - 2.5 * p1 + 2 * p2 - 0.5 * p3;
          const c3 = 1.5 * (p1 - p2) + 0.5 * (p3 - p0);
          centres[3 * ring + axis] = p1 + t * (c1 + t * (c2 + t * c3));
          tangents[3 * ring + axis] = c1 + t * (2 * c2 + 3 * t * c3);
        }
      }
    }
    this.normalise();
  }

  private normalise(): void {
    const t = this.tangents;
    let [x, y, z] = [1, 0, 0];
    for (let i = 0; i < t.length; i += 3) {
      const length = Math.sqrt(t[i] * t[i] + t[i + 1] * t[i + 1] + t[i + 2] * t[i + 2]);
      if (length > 1e-12) {
        [x, y, z] = [t[i] / length, t[i + 1] / length, t[i + 2] / length];
      }
      t[i] = x;
      t[i + 1] = y;
      t[i + 2] = z;
    }
  }

  /** Rings along the curve; the frame is carried on by two reflections (Wang et al. 2008, Eq. 2). */
  private sweep(): void {
    const { centres: c, tangents: t, start } = this;
    const inner = c.length / 3;
    let [nx, ny, nz] = perpendicular(start[0], start[1], start[2], t[0], t[1], t[2]);
    start.set([nx, ny, nz]);
    this.cap(0, 0, -1, nx, ny, nz);
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
        [nx, ny, nz] = perpendicular(ax - rw * wx, ay - rw * wy, az - rw * wz, t[k], t[k + 1], t[k + 2]);
      }
      this.ring(CAP + i, k, nx, ny, nz, 1, 0);
    }
    this.cap(CAP + inner, 3 * (inner - 1), 1, nx, ny, nz);
  }

  /** A round end: rings from pole to rim where `side` is −1, from rim to pole where it is 1. */
  private cap(first: number, k: number, side: number, nx: number, ny: number, nz: number): void {
    for (let i = 0; i < CAP; i++) {
      const angle = (Math.PI / 2) * (side < 0 ? (CAP - i) / CAP : (i + 1) / CAP);
      this.ring(first + i, k, nx, ny, nz, Math.cos(angle), side * Math.sin(angle));
    }
  }

  /** One ring about centre `k`: `out` of the radius across, `along` of it along the curve. */
  private ring(ring: number, k: number, nx: number, ny: number, nz: number, out: number, along: number): void {
    const { centres: c, tangents: t, circle, radius } = this;
    const position = this.position.array as Float32Array;
    const normal = this.normal.array as Float32Array;
    const [tx, ty, tz] = [t[k], t[k + 1], t[k + 2]];
    const [bx, by, bz] = [ty * nz - tz * ny, tz * nx - tx * nz, tx * ny - ty * nx];
    let at = 3 * ring * (this.sides + 1);
    for (let j = 0; j < circle.length; j += 2, at += 3) {
      const cos = out * circle[j];
      const sin = out * circle[j + 1];
      const x = nx * cos + bx * sin + tx * along;
      const y = ny * cos + by * sin + ty * along;
      const z = nz * cos + bz * sin + tz * along;
      normal[at] = x;
      normal[at + 1] = y;
      normal[at + 2] = z;
      position[at] = c[k] + radius * x;
      position[at + 1] = c[k + 1] + radius * y;
      position[at + 2] = c[k + 2] + radius * z;
    }
  }

  private paint({ values, scale }: Shade): void {
    const colours = this.colour.array as Float32Array;
    const last = this.nodes.length - 1;
    const span = scale.high - scale.low;
    for (let ring = 0; ring < this.rings; ring++) {
      const along = Math.min(Math.max(ring - CAP, 0) / this.pieces, last);
      const s = Math.min(Math.floor(along), last - 1);
      const [a, b] = [values.vertex[this.nodes[s]], values.vertex[this.nodes[s + 1]]];
      const value = a + (b - a) * (along - s);
      const first = 3 * ring * (this.sides + 1);
      paint(scale.map, (value - scale.low) / span, colours, first);
      colours.copyWithin(first + 3, first, first + 3);
      for (let j = 1; j <= this.sides; j++) {
        colours[first + 3 * j] = colours[first];
        colours[first + 3 * j + 1] = colours[first + 1];
        colours[first + 3 * j + 2] = colours[first + 2];
      }
    }
  }

  /** Texture places: once around is one tile, and as long along. */
  private layOut(look: Threads): BufferAttribute {
    const uv = new Float32Array(2 * this.rings * (this.sides + 1));
    const { rest } = look;
    const girth = 2 * Math.PI * look.radius;
    let length = 0;
    for (let s = 0; s + 1 < this.nodes.length; s++) {
      const [a, b] = [3 * this.nodes[s], 3 * this.nodes[s + 1]];
      length += Math.hypot(rest[b] - rest[a], rest[b + 1] - rest[a + 1], rest[b + 2] - rest[a + 2]);
    }
    const inner = this.rings - 2 * CAP;
    for (let ring = 0; ring < this.rings; ring++) {
      const along = ((ring - CAP) / (inner - 1)) * (length / girth);
      for (let j = 0; j <= this.sides; j++) {
        uv.set([j / this.sides, along], 2 * (ring * (this.sides + 1) + j));
      }
    }
    return new BufferAttribute(uv, 2);
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

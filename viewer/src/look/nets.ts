// Threads that are no chain: every edge a rod, every knot a ball, drawn as instances.

import {
  CylinderGeometry,
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  DynamicDrawUsage,
  SphereGeometry,
  type BufferGeometry,
} from "three";
import { paint } from "../colours";
import type { SoftState } from "../frame";
import type { Scale } from "../values";
import type { Look } from "../wire";
import type { Shade, SoftLook } from "./look";
import { QUALITY, setGhost, threadMaterials, type TissuePair } from "./materials";

/** Above so many edges a net is drawn more simply. */
const MANY = 5000;

type Threads = Extract<Look, { kind: "threads" }>;

/** A net. */
export class NetLook implements SoftLook {
  /** Rods and knots. */
  readonly object = new Group();
  private readonly rods: InstancedMesh;
  private readonly knots: InstancedMesh;
  private readonly edges: Uint32Array;
  private readonly radius: number;
  private readonly materials: TissuePair;

  /** For threads; `index` chooses the colour. */
  constructor(look: Threads, index: number) {
    this.edges = Uint32Array.from(look.edges);
    this.radius = look.radius;
    this.materials = threadMaterials(index, false);
    // The colours of instances come through `instanceColor`, not through the geometry.
    this.materials.mapped.vertexColors = false;
    const edges = this.edges.length / 2;
    // The knots of a very fine net are too small to be seen, and would be most of what is drawn.
    const knots = edges > MANY ? 0 : look.rest.length / 3;
    const sides = edges > MANY ? 4 : QUALITY.fine ? 9 : 6;
    this.rods = this.instances(new CylinderGeometry(1, 1, 1, sides, 1, true), edges);
    // Most of a knot lies inside its rods. An icosahedron, whose corners are not shared, took four times as long.
    this.knots = this.instances(new SphereGeometry(1, sides, 5), knots);
    this.object.add(this.rods, this.knots);
  }

  /** Moves all rods and knots. */
  update(soft: SoftState, shade: Shade | null): void {
    this.place(soft.positions);
    for (const mesh of [this.rods, this.knots]) {
      mesh.instanceMatrix.needsUpdate = true;
      mesh.material = shade ? this.materials.mapped : this.materials.own;
    }
    this.paint(shade);
  }

  /** Sees through it. */
  setGhost(ghost: boolean): void {
    setGhost(this.materials.own, ghost);
    setGhost(this.materials.mapped, ghost);
  }

  /** Gives its buffers back. */
  dispose(): void {
    for (const mesh of [this.rods, this.knots]) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
    this.materials.own.dispose();
    this.materials.mapped.dispose();
  }

  private instances(geometry: BufferGeometry, count: number): InstancedMesh {
    const mesh = new InstancedMesh(geometry, this.materials.own, count);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * count).fill(1), 3);
    mesh.instanceColor.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    return mesh;
  }

  private place(p: Float32Array): void {
    const knots = this.knots.instanceMatrix.array as Float32Array;
    const r = this.radius;
    for (let i = 0, m = 0; m < knots.length; i += 3, m += 16) {
      knots[m] = knots[m + 5] = knots[m + 10] = r;
      knots[m + 12] = p[i];
      knots[m + 13] = p[i + 1];
      knots[m + 14] = p[i + 2];
      knots[m + 15] = 1;
    }
    const rods = this.rods.instanceMatrix.array as Float32Array;
    for (let e = 0, m = 0; e < this.edges.length; e += 2, m += 16) {
      rod(rods, m, p, 3 * this.edges[e], 3 * this.edges[e + 1], r);
    }
  }

  private paint(shade: Shade | null): void {
    const rods = this.rods.instanceColor;
    const knots = this.knots.instanceColor;
    if (!rods || !knots) {
      return;
    }
    if (!shade) {
      if (rods.array[0] !== 1 || rods.array[1] !== 1) {
        rods.array.fill(1);
        knots.array.fill(1);
        rods.needsUpdate = true;
        knots.needsUpdate = true;
      }
      return;
    }
    const { values, scale } = shade;
    for (let i = 0; 3 * i < knots.array.length; i++) {
      put(scale, values.vertex[i], knots.array as Float32Array, i);
    }
    for (let e = 0; 2 * e < this.edges.length; e++) {
      const mean = 0.5 * (values.vertex[this.edges[2 * e]] + values.vertex[this.edges[2 * e + 1]]);
      put(scale, values.edge ? values.edge[e] : mean, rods.array as Float32Array, e);
    }
    rods.needsUpdate = true;
    knots.needsUpdate = true;
  }
}

function put(scale: Scale, value: number, colours: Float32Array, i: number): void {
  paint(scale.map, (value - scale.low) / (scale.high - scale.low), colours, 3 * i);
}

/** Writes the matrix that lays a unit cylinder along y between two places. */
function rod(out: Float32Array, m: number, p: Float32Array, a: number, b: number, r: number): void {
  const [dx, dy, dz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
  const length = Math.sqrt(dx * dx + dy * dy + dz * dz) || 1e-9;
  const [ux, uy, uz] = [dx / length, dy / length, dz / length];
  // Any direction across will do: a rod is round.
  let [sx, sy, sz] = Math.abs(uz) < 0.9 ? [-uy, ux, 0] : [0, -uz, uy];
  const across = r / Math.sqrt(sx * sx + sy * sy + sz * sz);
  [sx, sy, sz] = [sx * across, sy * across, sz * across];
  out[m] = sx;
  out[m + 1] = sy;
  out[m + 2] = sz;
  out[m + 4] = dx;
  out[m + 5] = dy;
  out[m + 6] = dz;
  out[m + 8] = sy * uz - sz * uy;
  out[m + 9] = sz * ux - sx * uz;
  out[m + 10] = sx * uy - sy * ux;
  out[m + 12] = 0.5 * (p[a] + p[b]);
  out[m + 13] = 0.5 * (p[a + 1] + p[b + 1]);
  out[m + 14] = 0.5 * (p[a + 2] + p[b + 2]);
  out[m + 15] = 1;
}

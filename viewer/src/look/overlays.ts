// What is drawn over the bodies on demand: contacts, their normals, active pairs, wires and held vertices.

import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  LatheGeometry,
  LineBasicMaterial,
  LineSegments,
  MeshBasicMaterial,
  OctahedronGeometry,
  SphereGeometry,
  Vector2,
} from "three";
import { CONTACT, PAIR, type FrameState } from "../frame";
import type { SceneInfo } from "../wire";

/** Which overlays are shown. */
export interface Shows {
  /** Dots sized by force. */
  contacts: boolean;
  /** Arrows. */
  normals: boolean;
  /** Lines between the two of each pair that the detector follows. */
  pairs: boolean;
  /** The edges of the soft bodies. */
  wires: boolean;
  /** Vertices held where they are. */
  held: boolean;
}

interface Held {
  body: number;
  vertices: number[];
  radius: number;
  mesh: InstancedMesh;
}

/** Nothing over the bodies. */
export const NOTHING_SHOWN: Shows = { contacts: false, normals: false, pairs: false, wires: false, held: false };

/** How much of so many edges is seen: many close together would hide what they lie on. */
function wireOpacity(edges: number): number {
  return Math.max(0.1, 0.6 * Math.min(1, Math.sqrt(2000 / edges)));
}

/** All overlays of a scene. */
export class Overlays {
  /** To put in the scene. */
  readonly object = new Group();
  /** Which are shown. */
  readonly shows: Shows = { ...NOTHING_SHOWN };
  private readonly wires: { body: number; lines: LineSegments<BufferGeometry>; version: number }[] = [];
  private readonly held: Held[] = [];
  private dots: InstancedMesh;
  private arrows: InstancedMesh;
  private readonly pairs = pairLines();
  private peak = 0.05;

  /** For a scene of some size [m], over the positions of its frames. */
  constructor(
    scene: SceneInfo,
    frame: FrameState,
    private readonly size: number,
  ) {
    this.dots = marks(new SphereGeometry(1, 14, 10), 0xffd23f, 512);
    this.arrows = marks(arrow(), 0x3fd0ff, 512);
    this.object.add(this.dots, this.arrows, this.pairs);
    scene.bodies.forEach(({ look }, body) => {
      const soft = frame.soft[body];
      if (look.kind === "solid" || !soft) {
        return;
      }
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(soft.positions, 3).setUsage(DynamicDrawUsage));
      geometry.setIndex(look.edges);
      const opacity = wireOpacity(look.edges.length / 2);
      const material = new LineBasicMaterial({ color: 0x8fb7d8, transparent: true, opacity });
      const lines = new LineSegments(geometry, material);
      lines.frustumCulled = false;
      lines.renderOrder = 5;
      this.wires.push({ body, lines, version: 0 });
      this.object.add(lines);
      if (look.held.length > 0) {
        const mesh = marks(new OctahedronGeometry(1), 0x4a7fd0, look.held.length);
        this.held.push({ body, vertices: look.held, radius: Math.max(look.radius, size * 0.004), mesh });
        this.object.add(mesh);
      }
    });
  }

  /** Colours of the wires by theme. */
  setWireColour(colour: number): void {
    this.wires.forEach(({ lines }) => (lines.material as LineBasicMaterial).color.setHex(colour));
  }

  /** Moves what is shown; what is hidden costs nothing. */
  update(frame: FrameState): void {
    const { contacts, normals, pairs, wires, held } = this.shows;
    this.dots.visible = contacts;
    this.arrows.visible = normals;
    if (contacts || normals) {
      this.placeContacts(frame);
    }
    this.pairs.visible = pairs && frame.pairCount > 0;
    if (this.pairs.visible) {
      placePairs(this.pairs.geometry, frame);
    }
    for (const wire of this.wires) {
      wire.lines.visible = wires;
      const version = frame.soft[wire.body]?.version ?? 0;
      if (wires && version !== wire.version) {
        wire.version = version;
        wire.lines.geometry.attributes.position.needsUpdate = true;
      }
    }
    for (const { body, vertices, radius, mesh } of this.held) {
      mesh.visible = held;
      const soft = frame.soft[body];
      if (held && soft) {
        const matrices = mesh.instanceMatrix.array as Float32Array;
        vertices.forEach((vertex, i) => ball(matrices, i, soft.positions, 3 * vertex, 1.25 * radius));
        mesh.count = vertices.length;
        mesh.instanceMatrix.needsUpdate = true;
      }
    }
  }

  /** Gives all buffers back. */
  dispose(): void {
    for (const mesh of [this.dots, this.arrows, ...this.held.map((h) => h.mesh)]) {
      mesh.geometry.dispose();
      (mesh.material as MeshBasicMaterial).dispose();
      mesh.dispose();
    }
    for (const lines of [this.pairs, ...this.wires.map((wire) => wire.lines)]) {
      lines.geometry.dispose();
      (lines.material as LineBasicMaterial).dispose();
    }
  }

  private placeContacts(frame: FrameState): void {
    this.dots = this.grown(this.dots, frame.shownCount);
    this.arrows = this.grown(this.arrows, frame.shownCount);
    const { shown } = frame;
    let largest = 0;
    for (let c = 0; c < frame.shownCount; c++) {
      largest = Math.max(largest, shown[CONTACT * c + 6]);
    }
    this.peak = Math.max(largest, this.peak * 0.995, 1e-4);
    const dots = this.dots.instanceMatrix.array as Float32Array;
    const arrows = this.arrows.instanceMatrix.array as Float32Array;
    for (let c = 0; c < frame.shownCount; c++) {
      const at = CONTACT * c;
      // Area by force: twice the force is twice the dot.
      const part = Math.sqrt(Math.max(shown[at + 6], 0) / this.peak);
      ball(dots, c, shown, at, this.size * (0.0025 + 0.007 * part));
      stand(arrows, c, shown, at, this.size * (0.03 + 0.06 * part));
    }
    for (const mesh of [this.dots, this.arrows]) {
      mesh.count = frame.shownCount;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  private grown(mesh: InstancedMesh, count: number): InstancedMesh {
    if (count <= mesh.instanceMatrix.count) {
      return mesh;
    }
    const bigger = new InstancedMesh(mesh.geometry, mesh.material, 2 * count);
    bigger.frustumCulled = false;
    bigger.renderOrder = mesh.renderOrder;
    bigger.visible = mesh.visible;
    this.object.remove(mesh);
    mesh.dispose();
    this.object.add(bigger);
    return bigger;
  }
}

/** Lines from core to core, thin and never hidden: most of each lies inside the bodies. */
function pairLines(): LineSegments<BufferGeometry> {
  const material = new LineBasicMaterial({ color: 0x5fff9a, transparent: true, opacity: 0.85, depthTest: false });
  const lines = new LineSegments(new BufferGeometry(), material);
  lines.frustumCulled = false;
  lines.renderOrder = 9;
  lines.visible = false;
  return lines;
}

function placePairs(geometry: BufferGeometry, { pairs, pairCount }: FrameState): void {
  let places = geometry.attributes.position as BufferAttribute | undefined;
  if (places?.array !== pairs) {
    // The frame has taken another array: this one's buffer is given back.
    geometry.dispose();
    places = new BufferAttribute(pairs, 3).setUsage(DynamicDrawUsage);
    geometry.setAttribute("position", places);
  }
  places.needsUpdate = true;
  geometry.setDrawRange(0, (PAIR / 3) * pairCount);
}

function marks(geometry: BufferGeometry, colour: number, count: number): InstancedMesh {
  // Contacts lie between the bodies, where a depth test would hide them.
  const material = new MeshBasicMaterial({ color: colour, transparent: true, opacity: 0.9, depthTest: false });
  const mesh = new InstancedMesh(geometry, material, count);
  mesh.instanceMatrix.setUsage(DynamicDrawUsage);
  mesh.frustumCulled = false;
  mesh.renderOrder = 10;
  mesh.count = 0;
  mesh.visible = false;
  return mesh;
}

/** An arrow of unit length along y. */
function arrow(): LatheGeometry {
  const outline = [
    [0, 0],
    [0.022, 0],
    [0.022, 0.7],
    [0.075, 0.7],
    [0, 1],
  ];
  return new LatheGeometry(
    outline.map(([x, y]) => new Vector2(x, y)),
    10,
  );
}

/** The matrix of a ball at a place. */
function ball(out: Float32Array, i: number, places: Float32Array, at: number, radius: number): void {
  const m = 16 * i;
  out.fill(0, m, m + 16);
  out[m] = out[m + 5] = out[m + 10] = radius;
  out[m + 12] = places[at];
  out[m + 13] = places[at + 1];
  out[m + 14] = places[at + 2];
  out[m + 15] = 1;
}

/** The matrix that stands an arrow at a contact along its normal. */
function stand(out: Float32Array, i: number, shown: Float32Array, at: number, length: number): void {
  const m = 16 * i;
  const [x, y, z] = [shown[at + 3], shown[at + 4], shown[at + 5]];
  let [sx, sy, sz] = Math.abs(z) < 0.9 ? [-y, x, 0] : [0, -z, y];
  const across = 1 / (Math.hypot(sx, sy, sz) || 1);
  [sx, sy, sz] = [sx * across, sy * across, sz * across];
  out[m] = length * sx;
  out[m + 1] = length * sy;
  out[m + 2] = length * sz;
  out[m + 4] = length * x;
  out[m + 5] = length * y;
  out[m + 6] = length * z;
  out[m + 8] = length * (sy * z - sz * y);
  out[m + 9] = length * (sz * x - sx * z);
  out[m + 10] = length * (sx * y - sy * x);
  out[m + 12] = shown[at];
  out[m + 13] = shown[at + 1];
  out[m + 14] = shown[at + 2];
  out[m + 15] = 1;
}

// What the colours show: a number for each vertex, computed on the page or, of flexible bodies, by the program.

import { DIVERGING, SEQUENTIAL, type ColourMap } from "./colours";
import { roundUp } from "./format";
import { CONTACT, QUANTITIES, type FrameState, type SoftState } from "./frame";
import { mostStayBelow, SurfaceStrain } from "./strain";
import type { Look, Quantity, SceneInfo } from "./wire";

/** What to colour by. */
export type ColourBy = "none" | "strain" | "speed" | "force" | Quantity;

/** The quantity that the program is to measure for a colouring, if it is one of those. */
export function measured(by: ColourBy): Quantity | null {
  return QUANTITIES.find((quantity) => quantity === by) ?? null;
}

/** How values become colours: from `low` to `high` along the map. */
export interface Scale {
  /** The map. */
  map: ColourMap;
  /** Value at its low end, SI. */
  low: number;
  /** Value at its high end, SI. */
  high: number;
}

/** Values of one soft body. */
export interface BodyValues {
  /** One for each vertex. */
  vertex: Float32Array;
  /** One for each edge, where the quantity belongs to edges. */
  edge: Float32Array | null;
}

type Soft = Exclude<Look, { kind: "solid" }>;

interface Rest {
  look: Soft;
  /** Of a skin: its triangles tell more than its edges. */
  surface: SurfaceStrain | null;
  /** Whether an edge counts for the strain of one of its vertices: on a tube, what the tube does, not its skin. */
  counts: (edge: number, vertex: number) => boolean;
  lengths: Float32Array;
  degree: Float32Array;
  values: BodyValues;
  edge: Float32Array;
  /** How far a contact's colour reaches [m]. */
  reach: number;
}

/** The smallest full scale of each quantity, so that rest does not look like alarm. */
const FLOOR: Record<ColourBy, number> = {
  none: 1,
  strain: 0.01,
  speed: 0.02,
  force: 0.02,
  area: 1e-4,
  xx: 1e-4,
  yy: 1e-4,
  zz: 1e-4,
  xy: 1e-4,
  yz: 1e-4,
  zx: 1e-4,
  energy: 1e-3,
};
/** Quantities of one sign alone. */
const POSITIVE: ColourBy[] = ["speed", "force", "energy"];
const TABLE = 4096;

/** Computes the values of all soft bodies of a scene. */
export class Values {
  /** What is shown. */
  by: ColourBy = "none";
  /** How it is coloured. */
  scale: Scale = { map: SEQUENTIAL, low: 0, high: 1 };
  private readonly rests: (Rest | null)[];
  /** Whether the program has told values of a body. */
  private readonly told: boolean[];
  private peak = 0;
  private readonly heads = new Int32Array(TABLE);
  private next = new Int32Array(256);

  /** For a scene. */
  constructor(scene: SceneInfo) {
    this.rests = scene.bodies.map(({ look }) => (look.kind === "solid" ? null : restOf(look)));
    this.told = scene.bodies.map(() => false);
  }

  /** Chooses the quantity and forgets the range seen. */
  choose(by: ColourBy): void {
    this.by = by;
    this.peak = 0;
    this.setScale(FLOOR[by]);
  }

  /** Values of a body, as last computed; null where there are none of this quantity. */
  of(body: number): BodyValues | null {
    return measured(this.by) && !this.told[body] ? null : (this.rests[body]?.values ?? null);
  }

  /** Computes all values; says whether the scale changed. */
  update(frame: FrameState): boolean {
    if (this.by === "none") {
      return false;
    }
    let largest = 0;
    this.rests.forEach((rest, body) => {
      const soft = frame.soft[body];
      if (rest && soft) {
        const told = measured(this.by) && frame.valuesOf === this.by ? frame.values[body] : null;
        this.told[body] = told !== null;
        largest = Math.max(largest, told ? this.take(rest, told) : this.fill(rest, soft, frame));
      }
    });
    // The scale follows a peak at once and forgets it slowly: a scale that breathes cannot be read.
    this.peak = Math.max(largest, this.peak * 0.999);
    const full = roundUp(Math.max(this.peak, FLOOR[this.by]));
    const changed = full !== this.scale.high;
    if (changed) {
      this.setScale(full);
    }
    return changed;
  }

  private setScale(full: number): void {
    const positive = POSITIVE.includes(this.by);
    this.scale = positive ? { map: SEQUENTIAL, low: 0, high: full } : { map: DIVERGING, low: -full, high: full };
  }

  /** Values that the program has told. */
  private take(rest: Rest, told: Float32Array): number {
    rest.values.edge = null;
    rest.values.vertex.set(told);
    return mostStayBelow(told);
  }

  private fill(rest: Rest, soft: SoftState, frame: FrameState): number {
    rest.values.edge = this.by === "strain" && !rest.surface ? rest.edge : null;
    if (this.by === "strain" && rest.surface) {
      rest.surface.fill(soft.positions, rest.values.vertex);
      return mostStayBelow(rest.values.vertex);
    }
    if (this.by === "strain") {
      return strain(rest, soft.positions);
    }
    if (this.by === "speed") {
      rest.values.vertex.set(soft.speeds);
      return soft.speeds.reduce((a, b) => Math.max(a, b), 0);
    }
    return this.by === "force" ? this.force(rest, soft.positions, frame) : 0;
  }

  /** Each contact colours the vertices within reach. The contacts are hashed into cells of that size. */
  private force(rest: Rest, positions: Float32Array, frame: FrameState): number {
    const { vertex } = rest.values;
    vertex.fill(0);
    if (frame.shownCount === 0) {
      return 0;
    }
    if (this.next.length < frame.shownCount) {
      this.next = new Int32Array(2 * frame.shownCount);
    }
    const size = rest.reach;
    const { shown } = frame;
    this.heads.fill(-1);
    for (let c = 0; c < frame.shownCount; c++) {
      const at = CONTACT * c;
      const cell = hash(
        Math.floor(shown[at] / size),
        Math.floor(shown[at + 1] / size),
        Math.floor(shown[at + 2] / size),
      );
      this.next[c] = this.heads[cell];
      this.heads[cell] = c;
    }
    let largest = 0;
    for (let i = 0; i < vertex.length; i++) {
      vertex[i] = this.near(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2], size, shown);
      largest = Math.max(largest, vertex[i]);
    }
    return largest;
  }

  /** The largest contact force about a place, less with distance. */
  private near(x: number, y: number, z: number, size: number, shown: Float32Array): number {
    const [i, j, k] = [Math.floor(x / size), Math.floor(y / size), Math.floor(z / size)];
    let value = 0;
    for (let n = 0; n < 27; n++) {
      const cell = hash(i + (n % 3) - 1, j + (Math.floor(n / 3) % 3) - 1, k + Math.floor(n / 9) - 1);
      for (let c = this.heads[cell]; c >= 0; c = this.next[c]) {
        const at = CONTACT * c;
        const far = Math.hypot(shown[at] - x, shown[at + 1] - y, shown[at + 2] - z) / size;
        if (far < 1) {
          value = Math.max(value, shown[at + 6] * (1 - far * far));
        }
      }
    }
    return value;
  }
}

function hash(i: number, j: number, k: number): number {
  return (Math.imul(i, 73856093) ^ Math.imul(j, 19349663) ^ Math.imul(k, 83492791)) & (TABLE - 1);
}

function restOf(look: Soft): Rest {
  const vertices = look.rest.length / 3;
  const edges = look.edges.length / 2;
  const lengths = new Float32Array(edges);
  const degree = new Float32Array(vertices);
  const tube = look.kind === "strip" ? look.columns - 1 : 0;
  const rows = look.kind === "strip" ? look.rows : 1;
  const counts = (edge: number, vertex: number): boolean => tube === 0 || edge < tube || vertex % rows !== 0;
  let sum = 0;
  for (let e = 0; e < edges; e++) {
    const [a, b] = [look.edges[2 * e], look.edges[2 * e + 1]];
    lengths[e] = distance(look.rest, a, b);
    sum += lengths[e];
    degree[a] += Number(counts(e, a));
    degree[b] += Number(counts(e, b));
  }
  const mean = edges > 0 ? sum / edges : look.radius;
  // A tube is thick for the distance of its vertices, so that those about a contact are found nearer.
  const reach = tube > 0 ? 1.5 * look.radius + 0.7 * mean : 2 * look.radius + 1.2 * mean;
  const values = { vertex: new Float32Array(vertices), edge: null };
  const skin = look.kind === "skin" && look.triangles.length > 0;
  const surface = skin ? new SurfaceStrain(look.rest, look.triangles) : null;
  return { look, surface, counts, lengths, degree, values, edge: new Float32Array(edges), reach };
}

/** Relative change of length: of each edge, and of each vertex as the mean of its edges. */
function strain(rest: Rest, positions: Float32Array): number {
  const { vertex } = rest.values;
  const { edges } = rest.look;
  vertex.fill(0);
  let largest = 0;
  for (let e = 0; e < rest.edge.length; e++) {
    const [a, b] = [edges[2 * e], edges[2 * e + 1]];
    const value = rest.lengths[e] > 0 ? distance(positions, a, b) / rest.lengths[e] - 1 : 0;
    rest.edge[e] = value;
    vertex[a] += rest.counts(e, a) ? value / rest.degree[a] : 0;
    vertex[b] += rest.counts(e, b) ? value / rest.degree[b] : 0;
    largest = Math.max(largest, Math.abs(value));
  }
  return largest;
}

function distance(positions: ArrayLike<number>, a: number, b: number): number {
  const dx = positions[3 * b] - positions[3 * a];
  const dy = positions[3 * b + 1] - positions[3 * a + 1];
  const dz = positions[3 * b + 2] - positions[3 * a + 2];
  return Math.sqrt(dx * dx + dy * dy + dz * dz);
}

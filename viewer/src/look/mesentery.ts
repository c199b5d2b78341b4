// The mesentery: a sheet of thin fat between the root and the tube, smooth, and seen through.
//
// The lattice of the simulation is coarse. The sheet drawn is the cubic B-spline over it: its light has no corners, and
// as it passes near the vertices and not through them, neither has its outline. It ends inside the tube, and at the root.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh, type Vector3 } from "three";
import { paint } from "../colours";
import type { SoftState } from "../frame";
import type { Look } from "../wire";
import type { Shade, SoftLook } from "./look";
import { mesenteryMaterials, setGhost, type TissuePair } from "./materials";

type Strip = Extract<Look, { kind: "strip" }>;

/** About as many columns as a sheet is drawn with. */
const COLUMNS = 400;
/** Steps of depth by which the triangles are sorted. */
const DEPTHS = 2048;

/** The weights of four vertices at each place of one direction, for the place and for its slope. */
interface Spline {
  /** Places. */
  count: number;
  /** The first of the four vertices. */
  first: Uint32Array;
  /** Four for each place. */
  place: Float32Array;
  /** Four for each place. */
  slope: Float32Array;
}

/** A sheet. All buffers are made once; a frame only rewrites them. */
export class MesenteryLook implements SoftLook {
  /** The sheet. */
  readonly object: Mesh;
  private readonly along: Spline;
  private readonly across: Spline;
  private readonly rows: number;
  /** Of one column: places of all rows and their slopes along the tube. */
  private readonly column: Float32Array;
  private readonly position: BufferAttribute;
  private readonly normal: BufferAttribute;
  private readonly colour: BufferAttribute;
  private readonly index: BufferAttribute;
  /** The triangles as they lie on the sheet. */
  private readonly triangles: Uint32Array;
  private readonly depths: Uint16Array;
  private readonly starts = new Uint32Array(DEPTHS + 1);
  private readonly materials: TissuePair;

  /** For a strip; `index` chooses the shade. */
  constructor(look: Strip, index: number) {
    const { columns, rows } = look;
    this.rows = rows;
    this.along = spline(columns, Math.min(Math.max(Math.floor(COLUMNS / columns), 1), 4));
    this.across = spline(rows, rows > 5 ? 2 : 4);
    this.column = new Float32Array(6 * rows);
    const vertices = this.along.count * this.across.count;
    const dynamic = (): BufferAttribute =>
      new BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(DynamicDrawUsage);
    this.position = dynamic();
    this.normal = dynamic();
    this.colour = dynamic();
    this.triangles = this.faces();
    this.depths = new Uint16Array(this.triangles.length / 3);
    this.index = new BufferAttribute(this.triangles.slice(), 1).setUsage(DynamicDrawUsage);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("normal", this.normal);
    geometry.setAttribute("color", this.colour);
    geometry.setAttribute("uv", this.layOut());
    geometry.setIndex(this.index);
    this.materials = mesenteryMaterials(index);
    this.object = new Mesh(geometry, this.materials.own);
    this.object.frustumCulled = false;
    // Light goes through it; a shadow map knows no half shadows.
    this.object.receiveShadow = true;
  }

  /** Moves and colours the sheet. */
  update(soft: SoftState, shade: Shade | null): void {
    this.lay(soft.positions);
    this.position.needsUpdate = true;
    this.normal.needsUpdate = true;
    this.object.material = shade ? this.materials.mapped : this.materials.own;
    if (shade) {
      this.paint(shade);
      this.colour.needsUpdate = true;
    }
  }

  /** Sorts the triangles from back to front: what is seen through must be drawn first. Counted, not compared. */
  face(eye: Vector3): void {
    const p = this.position.array as Float32Array;
    const { triangles, depths, starts } = this;
    const out = this.index.array as Uint32Array;
    let [low, high] = [Infinity, -Infinity];
    for (let v = 0; v < p.length; v += 3) {
      const [x, y, z] = [p[v] - eye.x, p[v + 1] - eye.y, p[v + 2] - eye.z];
      const far = Math.sqrt(x * x + y * y + z * z);
      low = Math.min(low, far);
      high = Math.max(high, far);
    }
    const scale = (DEPTHS - 1) / (high - low || 1);
    starts.fill(0);
    for (let f = 0; f < depths.length; f++) {
      const [a, b, c] = [3 * triangles[3 * f], 3 * triangles[3 * f + 1], 3 * triangles[3 * f + 2]];
      const x = (p[a] + p[b] + p[c]) / 3 - eye.x;
      const y = (p[a + 1] + p[b + 1] + p[c + 1]) / 3 - eye.y;
      const z = (p[a + 2] + p[b + 2] + p[c + 2]) / 3 - eye.z;
      const near = (high - Math.sqrt(x * x + y * y + z * z)) * scale;
      depths[f] = Math.min(Math.max(near, 0), DEPTHS - 1);
      starts[depths[f] + 1]++;
    }
    for (let d = 0; d < DEPTHS; d++) {
      starts[d + 1] += starts[d];
    }
    for (let f = 0; f < depths.length; f++) {
      const at = 3 * starts[depths[f]]++;
      out[at] = triangles[3 * f];
      out[at + 1] = triangles[3 * f + 1];
      out[at + 2] = triangles[3 * f + 2];
    }
    this.index.needsUpdate = true;
  }

  /** Sees through it even more. */
  setGhost(ghost: boolean): void {
    setGhost(this.materials.own, ghost);
    setGhost(this.materials.mapped, ghost);
    this.materials.own.depthWrite = false;
  }

  /** Gives its buffers back. */
  dispose(): void {
    this.object.geometry.dispose();
    this.materials.own.dispose();
    this.materials.mapped.dispose();
  }

  /** Places and normals: first along the tube for each row of the lattice, then across. */
  private lay(p: Float32Array): void {
    const { along, across, rows, column } = this;
    const position = this.position.array as Float32Array;
    const normal = this.normal.array as Float32Array;
    for (let i = 0, at = 0; i < along.count; i++) {
      this.gather(p, i);
      for (let j = 0; j < across.count; j++, at += 3) {
        SUM.fill(0);
        for (let k = 0, w = 4 * j; k < 4; k++, w++) {
          const from = 6 * Math.min(across.first[j] + k, rows - 1);
          for (let axis = 0; axis < 3; axis++) {
            SUM[axis] += across.place[w] * column[from + axis];
            SUM[3 + axis] += across.place[w] * column[from + 3 + axis];
            SUM[6 + axis] += across.slope[w] * column[from + axis];
          }
        }
        const [x, y, z, ux, uy, uz, vx, vy, vz] = SUM;
        const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
        const scale = 1 / (Math.sqrt(nx * nx + ny * ny + nz * nz) || 1);
        position[at] = x;
        position[at + 1] = y;
        position[at + 2] = z;
        normal[at] = nx * scale;
        normal[at + 1] = ny * scale;
        normal[at + 2] = nz * scale;
      }
    }
  }

  /** One column between those of the lattice: places and slopes of all rows, into `column`. */
  private gather(p: Float32Array, i: number): void {
    const { along, rows, column } = this;
    column.fill(0);
    for (let k = 0, w = 4 * i; k < 4; k++, w++) {
      const from = 3 * rows * (along.first[i] + k);
      const [place, slope] = [along.place[w], along.slope[w]];
      if (place === 0 && slope === 0) {
        continue;
      }
      for (let row = 0; row < rows; row++) {
        for (let axis = 0; axis < 3; axis++) {
          const v = p[from + 3 * row + axis];
          column[6 * row + axis] += place * v;
          column[6 * row + 3 + axis] += slope * v;
        }
      }
    }
  }

  private paint({ values, scale }: Shade): void {
    const { along, across, rows } = this;
    const colours = this.colour.array as Float32Array;
    const span = scale.high - scale.low;
    for (let i = 0, at = 0; i < along.count; i++) {
      for (let j = 0; j < across.count; j++, at += 3) {
        let value = 0;
        for (let n = 0; n < 16; n++) {
          const weight = along.place[4 * i + (n >> 2)] * across.place[4 * j + (n & 3)];
          const vertex = rows * (along.first[i] + (n >> 2)) + across.first[j] + (n & 3);
          value += weight === 0 ? 0 : weight * values.vertex[vertex];
        }
        paint(scale.map, (value - scale.low) / span, colours, at);
      }
    }
  }

  /** Texture places: along the tube, and from the root to the tube. */
  private layOut(): BufferAttribute {
    const { along, across } = this;
    const uv = new Float32Array(2 * along.count * across.count);
    for (let i = 0, at = 0; i < along.count; i++) {
      for (let j = 0; j < across.count; j++, at += 2) {
        uv[at] = i / (along.count - 1);
        uv[at + 1] = 1 - j / (across.count - 1);
      }
    }
    return new BufferAttribute(uv, 2);
  }

  private faces(): Uint32Array {
    const [columns, rows] = [this.along.count, this.across.count];
    const triangles = new Uint32Array(6 * (columns - 1) * (rows - 1));
    for (let i = 0, at = 0; i + 1 < columns; i++) {
      for (let j = 0; j + 1 < rows; j++, at += 6) {
        const a = i * rows + j;
        triangles.set([a, a + rows, a + 1, a + 1, a + rows, a + rows + 1], at);
      }
    }
    return triangles;
  }
}

/**
 * Uniform cubic B-spline over some vertices, `fine` places from one to the next. Beyond each end one more vertex is
 * thought of, as far out as the next is in, so that the curve ends in the last vertex; its weight goes to those two.
 */
function spline(vertices: number, fine: number): Spline {
  const count = (vertices - 1) * fine + 1;
  const result = {
    count,
    first: new Uint32Array(count),
    place: new Float32Array(4 * count),
    slope: new Float32Array(4 * count),
  };
  const spare = Math.max(vertices - 4, 0);
  for (let i = 0; i < count; i++) {
    const s = Math.min(Math.floor(i / fine), vertices - 2);
    const t = i / fine - s;
    const u = 1 - t;
    const place = [u ** 3, 4 - 6 * t * t + 3 * t ** 3, 4 - 6 * u * u + 3 * u ** 3, t ** 3].map((w) => w / 6);
    const slope = [-u * u, 3 * t * t - 4 * t, 4 * u - 3 * u * u, t * t].map((w) => w / 2);
    const first = Math.min(Math.max(s - 1, 0), spare);
    result.first[i] = first;
    const add = (k: number, vertex: number, part: number): void => {
      result.place[4 * i + vertex - first] += part * place[k];
      result.slope[4 * i + vertex - first] += part * slope[k];
    };
    for (let k = 0; k < 4; k++) {
      const vertex = s - 1 + k;
      if (vertex < 0 || vertex >= vertices) {
        const [end, next] = vertex < 0 ? [0, 1] : [vertices - 1, vertices - 2];
        add(k, end, 2);
        add(k, next, -1);
      } else {
        add(k, vertex, 1);
      }
    }
  }
  return result;
}

const SUM = new Float64Array(9);

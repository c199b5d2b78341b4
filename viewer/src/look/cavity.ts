// How deep in a crevice each vertex of a folded tube lies: near other parts of the tube little light comes in.
//
// Ambient occlusion in screen space would see more, and needs a second picture in every frame.

/** How near another part must come before it darkens, in radii. */
const REACH = 0.75;
/** Parts of the same tube nearer along it than this are neighbours and no crevice, in radii. */
const NEIGHBOURS = 4;
const TABLE = 1024;

/** Crevices of one tube. */
export class Cavity {
  private readonly heads = new Int32Array(TABLE);
  private readonly next: Int32Array;
  private readonly near = new Int32Array(64);

  /** For a tube of so many rings, `sides` + 1 vertices each. */
  constructor(
    private readonly rings: number,
    private readonly sides: number,
  ) {
    this.next = new Int32Array(rings);
  }

  /** Rewrites `out`, one number for each vertex; `positions` and `out` begin with the first ring. */
  update(centres: Float32Array, positions: Float32Array, out: Float32Array, radius: number): void {
    const each = this.sort(centres, radius);
    for (let i = 0; i < this.rings; i++) {
      this.darken(i, this.gather(centres, i, radius, each), centres, positions, out, radius);
    }
  }

  /** Puts two centres for each radius into cells; says how many rings make up one radius. */
  private sort(c: Float32Array, radius: number): number {
    let length = 0;
    for (let k = 3; k < c.length; k += 3) {
      length += Math.hypot(c[k] - c[k - 3], c[k + 1] - c[k - 2], c[k + 2] - c[k - 1]);
    }
    const each = Math.max((radius * this.rings) / Math.max(length, 1e-9), 1);
    const size = CELL * radius;
    this.heads.fill(-1);
    for (let i = 0; i < this.rings; i += Math.max(Math.floor(each / 2), 1)) {
      const cell = hash(Math.floor(c[3 * i] / size), Math.floor(c[3 * i + 1] / size), Math.floor(c[3 * i + 2] / size));
      this.next[i] = this.heads[cell];
      this.heads[cell] = i;
    }
    return each;
  }

  /** Rings of other parts of the tube near ring `i`, into `near`; says how many. */
  private gather(c: Float32Array, i: number, radius: number, each: number): number {
    const size = CELL * radius;
    const [x, y, z] = [c[3 * i], c[3 * i + 1], c[3 * i + 2]];
    const [cx, cy, cz] = [Math.floor(x / size), Math.floor(y / size), Math.floor(z / size)];
    let count = 0;
    for (let n = 0; n < 27; n++) {
      const cell = hash(cx + (n % 3) - 1, cy + (Math.floor(n / 3) % 3) - 1, cz + Math.floor(n / 9) - 1);
      for (let j = this.heads[cell]; j >= 0 && count < this.near.length; j = this.next[j]) {
        const [dx, dy, dz] = [c[3 * j] - x, c[3 * j + 1] - y, c[3 * j + 2] - z];
        const close = dx * dx + dy * dy + dz * dz < size * size;
        if (close && Math.abs(j - i) > NEIGHBOURS * each) {
          this.near[count++] = j;
        }
      }
    }
    return count;
  }

  private darken(
    i: number,
    count: number,
    c: Float32Array,
    p: Float32Array,
    out: Float32Array,
    radius: number,
  ): void {
    const row = this.sides + 1;
    const far = (1 + REACH) * radius;
    for (let v = i * row; v < (i + 1) * row; v++) {
      let least = far * far;
      for (let n = 0; n < count; n++) {
        const k = 3 * this.near[n];
        const [dx, dy, dz] = [c[k] - p[3 * v], c[k + 1] - p[3 * v + 1], c[k + 2] - p[3 * v + 2]];
        least = Math.min(least, dx * dx + dy * dy + dz * dz);
      }
      const gap = Math.max(Math.sqrt(least) - radius, 0) / (REACH * radius);
      out[v] = (1 - gap) * (1 - gap);
    }
  }
}

/** Edge of a cell, in radii: as far as the centres of two parts can be while one darkens the other. */
const CELL = 2 + REACH;

function hash(i: number, j: number, k: number): number {
  return (Math.imul(i, 73856093) ^ Math.imul(j, 19349663) ^ Math.imul(k, 83492791)) & (TABLE - 1);
}

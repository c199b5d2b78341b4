// The curve through the vertices of a chain, and where rings stand on it.
//
// A natural cubic spline: its curvature is continuous, so that neither the light on a tube nor the room on the inner
// side of its bends jumps at a vertex, as both do on a Catmull-Rom curve.

/** Places between two vertices at which the curve is measured before rings are placed. */
const FINE = 4;
/** Bends count for the placing of rings up to this curvature times radius; a kink must not starve all the rest. */
const BENT_MAX = 2;

/** The centre line of a chain; all arrays are made once and rewritten by `update`. */
export class Centreline {
  /** x, y, z of each ring's centre [m]. */
  readonly centres: Float32Array;
  /** Unit direction of the curve at each ring. */
  readonly tangents: Float32Array;
  /** Towards the middle of the bend at each ring, as long as the curvature [1/m]. */
  readonly bends: Float32Array;
  /** Where each ring is, counted in vertices. */
  readonly along: Float32Array;
  private readonly last: number;
  private readonly q: Float32Array;
  private readonly m: Float32Array;
  private readonly factors: Float32Array;
  private readonly measure: Float32Array;

  /** For a chain of `order`, with so many rings; `ease` from 0 to 1 takes the edge off bends at single vertices. */
  constructor(
    private readonly order: Uint32Array,
    private readonly rings: number,
    private readonly ease: number,
  ) {
    const nodes = order.length;
    this.last = nodes - 1;
    this.centres = new Float32Array(3 * rings);
    this.tangents = new Float32Array(3 * rings);
    this.bends = new Float32Array(3 * rings);
    this.along = new Float32Array(rings);
    this.q = new Float32Array(3 * nodes);
    this.m = new Float32Array(3 * nodes);
    this.measure = new Float32Array(FINE * this.last + 1);
    this.factors = new Float32Array(nodes);
    for (let i = 1; i < this.last; i++) {
      this.factors[i] = 1 / (4 - this.factors[i - 1]);
    }
  }

  /** Follows the vertices. `radius` is about that of the tube [m]: bends that are tight for it get more rings. */
  update(positions: Float32Array, radius: number): void {
    this.gather(positions);
    this.solve();
    this.walk(radius);
    this.place();
    smooth(this.bends);
  }

  private gather(p: Float32Array): void {
    const { order, q, last } = this;
    const part = this.ease / 6;
    for (let i = 0; i <= last; i++) {
      const b = 3 * order[i];
      const inner = i > 0 && i < last;
      const [a, c] = inner ? [3 * order[i - 1], 3 * order[i + 1]] : [b, b];
      for (let k = 0; k < 3; k++) {
        q[3 * i + k] = p[b + k] + part * (p[a + k] - 2 * p[b + k] + p[c + k]);
      }
    }
  }

  /** Second derivatives at the vertices, none at the ends: M₋ + 4 M + M₊ = 6 (q₋ − 2 q + q₊). */
  private solve(): void {
    const { q, m, last, factors } = this;
    m.fill(0);
    for (let i = 1; i < last; i++) {
      for (let k = 3 * i; k < 3 * i + 3; k++) {
        m[k] = (6 * (q[k - 3] - 2 * q[k] + q[k + 3]) - m[k - 3]) * factors[i];
      }
    }
    for (let i = last - 1; i > 0; i--) {
      for (let k = 3 * i; k < 3 * i + 3; k++) {
        m[k] -= factors[i] * m[k + 3];
      }
    }
  }

  /** How many rings, so to speak, each part of the curve is worth: by its length, and more where it bends. */
  private walk(radius: number): void {
    const { measure, last } = this;
    let before = 0;
    for (let i = 0; i < measure.length; i++) {
      const s = Math.min(Math.floor(i / FINE), last - 1);
      this.evaluate(s, i / FINE - s);
      const bent = Math.min(Math.hypot(AT[6], AT[7], AT[8]) * radius, BENT_MAX);
      const density = AT[9] * (1 + 2 * bent) + 1e-9;
      measure[i] = i === 0 ? 0 : measure[i - 1] + 0.5 * (before + density);
      before = density;
    }
  }

  /** Rings at equal steps of that measure. */
  private place(): void {
    const { measure, rings, last, centres, tangents, bends, along } = this;
    const step = measure[measure.length - 1] / (rings - 1);
    for (let ring = 0, cell = 0; ring < rings; ring++) {
      const wanted = ring * step;
      while (cell < measure.length - 2 && measure[cell + 1] < wanted) {
        cell++;
      }
      const part = (wanted - measure[cell]) / (measure[cell + 1] - measure[cell]);
      const at = Math.min((cell + Math.min(Math.max(part, 0), 1)) / FINE, last);
      const s = Math.min(Math.floor(at), last - 1);
      this.evaluate(s, at - s);
      along[ring] = at;
      for (let k = 0; k < 3; k++) {
        centres[3 * ring + k] = AT[k];
        tangents[3 * ring + k] = AT[3 + k];
        bends[3 * ring + k] = AT[6 + k];
      }
    }
  }

  /** Place, direction, bend and speed at part `t` of segment `s`, into `AT`. */
  private evaluate(s: number, t: number): void {
    const { q, m } = this;
    const u = 1 - t;
    const [pu, pt] = [(u * u * u - u) / 6, (t * t * t - t) / 6];
    const [vu, vt] = [(1 - 3 * u * u) / 6, (3 * t * t - 1) / 6];
    for (let k = 0, i = 3 * s; k < 3; k++, i++) {
      AT[k] = u * q[i] + t * q[i + 3] + pu * m[i] + pt * m[i + 3];
      AT[3 + k] = q[i + 3] - q[i] + vu * m[i] + vt * m[i + 3];
      AT[6 + k] = u * m[i] + t * m[i + 3];
    }
    const speed = Math.sqrt(AT[3] * AT[3] + AT[4] * AT[4] + AT[5] * AT[5]);
    AT[9] = speed;
    // Where vertices coincide there is no direction; the one before is kept.
    for (let k = 0; k < 3; k++) {
      AT[3 + k] = speed > 1e-9 ? AT[3 + k] / speed : KEPT[k];
      KEPT[k] = AT[3 + k];
    }
    const turn = AT[6] * AT[3] + AT[7] * AT[4] + AT[8] * AT[5];
    const square = Math.max(speed * speed, 1e-12);
    for (let k = 0; k < 3; k++) {
      AT[6 + k] = (AT[6 + k] - turn * AT[3 + k]) / square;
    }
  }
}

/** Averages each vector with its neighbours, twice. */
function smooth(v: Float32Array): void {
  for (let pass = 0; pass < 2; pass++) {
    for (let k = 0; k < 3; k++) {
      let before = v[k];
      for (let i = 3 + k; i + 3 < v.length; i += 3) {
        const here = v[i];
        v[i] = 0.25 * (before + 2 * here + v[i + 3]);
        before = here;
      }
    }
  }
}

const AT = new Float64Array(10);
const KEPT = new Float64Array([1, 0, 0]);

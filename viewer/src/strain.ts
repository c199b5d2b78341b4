// How much a surface is stretched, from its triangles at rest and now.

/** The strains of a surface of triangles, and the room to compute them in. */
export class SurfaceStrain {
  private readonly triangles: Uint32Array;
  /** Of each triangle at rest: the inverse of its metric (three numbers), and its area. */
  private readonly rest: Float32Array;
  /** Of all triangles at each vertex [m²]. */
  private readonly areas: Float32Array;

  /** For a surface at rest. Triangles without area count for nothing. */
  constructor(places: ArrayLike<number>, triangles: ArrayLike<number>) {
    this.triangles = Uint32Array.from(triangles);
    this.rest = new Float32Array((4 * triangles.length) / 3);
    this.areas = new Float32Array(places.length / 3);
    for (let f = 0; f < this.triangles.length / 3; f++) {
      const [uu, uv, vv] = metric(places, this.triangles, f);
      const square = uu * vv - uv * uv;
      if (square > 1e-12 * uu * vv) {
        const area = Math.sqrt(square) / 2;
        this.rest.set([vv / square, -uv / square, uu / square, area], 4 * f);
        for (let k = 0; k < 3; k++) {
          this.areas[this.triangles[3 * f + k]] += area;
        }
      }
    }
  }

  /**
   * Of each vertex, the mean over the triangles at it of the larger of their two principal strains: positive where they
   * are stretched, negative where they are pressed.
   */
  fill(positions: ArrayLike<number>, out: Float32Array): void {
    out.fill(0);
    const { triangles, rest, areas } = this;
    for (let f = 0; f < triangles.length / 3; f++) {
      const area = rest[4 * f + 3];
      if (area === 0) {
        continue;
      }
      const value = principal(metric(positions, triangles, f), rest, 4 * f);
      for (let k = 0; k < 3; k++) {
        const vertex = triangles[3 * f + k];
        out[vertex] += (value * area) / areas[vertex];
      }
    }
  }
}

/** The squares and the product of two sides of a triangle. */
function metric(places: ArrayLike<number>, triangles: Uint32Array, f: number): [number, number, number] {
  const [a, b, c] = [3 * triangles[3 * f], 3 * triangles[3 * f + 1], 3 * triangles[3 * f + 2]];
  let [uu, uv, vv] = [0, 0, 0];
  for (let k = 0; k < 3; k++) {
    const [u, v] = [places[b + k] - places[a + k], places[c + k] - places[a + k]];
    uu += u * u;
    uv += u * v;
    vv += v * v;
  }
  return [uu, uv, vv];
}

/** The principal stretch farthest from one, less one: the eigenvalues of metric at rest⁻¹ · metric now are its square. */
function principal([uu, uv, vv]: [number, number, number], rest: Float32Array, at: number): number {
  const [a, b, c] = [rest[at], rest[at + 1], rest[at + 2]];
  const half = (a * uu + 2 * b * uv + c * vv) / 2;
  const square = Math.max((a * c - b * b) * (uu * vv - uv * uv), 0);
  const apart = Math.sqrt(Math.max(half * half - square, 0));
  const long = Math.sqrt(half + apart) - 1;
  const short = Math.sqrt(Math.max(half - apart, 0)) - 1;
  return Math.abs(short) > Math.abs(long) ? short : long;
}

/** So many values are looked at. */
const SAMPLES = 2000;

/** What all but two of a hundred values stay below, by their size: one torn triangle does not make a scale. */
export function mostStayBelow(values: Float32Array): number {
  const stride = Math.ceil(values.length / SAMPLES);
  const sizes = new Float32Array(Math.ceil(values.length / Math.max(stride, 1)));
  sizes.forEach((_, i) => (sizes[i] = Math.abs(values[i * stride])));
  sizes.sort();
  return sizes.length > 0 ? sizes[Math.ceil(0.98 * sizes.length) - 1] : 0;
}

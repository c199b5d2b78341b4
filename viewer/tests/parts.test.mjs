// Parts of the page that can be tested without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load, pretendDocument } from "./bundle.mjs";

test("numbers below all sense are nothing", async () => {
  const { quantity, shownIn } = await load("format.ts");
  assert.equal(quantity(6.1e-16, "N", 2), "0");
  assert.equal(quantity(-6.1e-16, "N", 2), "0");
  assert.equal(quantity(4e-7, "N", 2), "0");
  assert.equal(quantity(1.4e-6, "mm", 2), "0");
  assert.equal(quantity(0.023, "N", 3, 1000), "23.0");
  assert.equal(quantity(2.3, "N", 2), "2.3");
  assert.equal(quantity(Number.NaN, "N"), "–");
  assert.equal(shownIn("N", 6.1e-16).unit, "N");
});

/** A chain along some places, as the program tells it. */
function chain(places, radius) {
  const edges = places.slice(1).flatMap((_, i) => [i, i + 1]);
  return { kind: "threads", rest: places.flat(), edges, radius, chain: true, held: [] };
}

/** A tube along some places: its vertices by ring, and the direction of the centre line at each. */
async function tube(places, radius, now = null, sort = { bowel: true }) {
  pretendDocument();
  const { TubeLook } = await load("look/tubes.ts");
  const look = new TubeLook(chain(places, radius), 0, sort);
  const positions = Float32Array.from(places.flat());
  look.update({ positions, tube: now, speeds: new Float32Array(places.length), version: 1, moving: false }, null);
  const { line, sides } = look;
  const all = look.object.geometry.attributes.position.array;
  const at = (ring, j) => all.slice(3 * ((ring + 5) * (sides + 1) + j)).slice(0, 3);
  return { line, sides, at, normals: look.object.geometry.attributes.normal.array, all, look, positions };
}

const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Bends of growing tightness, in segments of 4 cm: by so many degrees at each vertex. */
function meander(degrees, count = 60) {
  const places = [[0, 0, 0]];
  let heading = 0;
  for (let i = 0; i < count; i++) {
    heading += (Math.sin(i * 0.45) > 0 ? 1 : -1) * (degrees * Math.PI) / 180;
    const [x, y, z] = places.at(-1);
    places.push([x + 0.04 * Math.cos(heading), y + 0.04 * Math.sin(heading), z + 0.004 * Math.sin(i)]);
  }
  return places;
}

test("no tube folds through itself, however tight its bends", async () => {
  for (const degrees of [5, 30, 60, 90, 120]) {
    const { line, sides, at } = await tube(meander(degrees), 0.02);
    const rings = line.along.length;
    const folded = [];
    for (let i = 0; i + 1 < rings; i++) {
      const direction = line.tangents.slice(3 * i, 3 * i + 3);
      for (let j = 0; j < sides; j++) {
        if (dot(minus(at(i + 1, j), at(i, j)), direction) < 0) {
          folded.push([i, j]);
        }
      }
    }
    assert.deepEqual(folded, [], `at ${degrees}° for each segment these (ring, side) run backwards`);
  }
});

test("a tube keeps its radius where it is straight, and follows radii that change", async () => {
  const straight = Array.from({ length: 41 }, (_, i) => [0.04 * i, 0, 0]);
  const reach = ({ at, line, sides }, i) => {
    const centre = line.centres.slice(3 * i, 3 * i + 3);
    return Array.from({ length: sides }, (_, j) => Math.hypot(...minus(at(i, j), centre)));
  };
  const even = await tube(straight, 0.02);
  for (let i = 0; i < even.line.along.length; i++) {
    for (const r of reach(even, i)) {
      assert.ok(Math.abs(r / 0.02 - 1) < 0.14, `gently uneven: ${r} m`);
    }
  }
  const thread = await tube(straight, 0.002, null, { bowel: false });
  assert.ok(reach(thread, 30).every((r) => Math.abs(r - 0.002) < 1e-6), "a thread is round");
  const wider = await tube(straight, 0.02, 0.03);
  const mean = (all) => all.reduce((a, b) => a + b, 0) / all.length;
  const last = wider.line.along.length - 10;
  assert.ok(mean(reach(wider, last)) / mean(reach(even, last)) > 1.45, "it has widened by half");
});

test("the curve passes near its vertices, and rings are denser where it bends", async () => {
  const places = [...Array.from({ length: 20 }, (_, i) => [0.04 * i, 0, 0]), ...Array.from({ length: 20 }, (_, i) => [0.76, 0.04 * (i + 1), 0])];
  const { line } = await tube(places, 0.02);
  places.forEach((place, node) => {
    const nearest = Math.min(...Array.from(line.along, (_, i) => Math.hypot(...minus(line.centres.slice(3 * i, 3 * i + 3), place))));
    assert.ok(nearest < 0.008, `vertex ${node} is ${nearest} m away`);
  });
  const within = (low, high) => line.along.filter((at) => at >= low && at < high).length;
  assert.ok(within(18, 20) > 1.3 * within(8, 10), `${within(18, 20)} rings at the bend, ${within(8, 10)} where it is straight`);
});

test("all is finite, also where vertices coincide", async () => {
  const places = [[0, 0, 0], [0, 0, 0], [0.04, 0, 0], [0.04, 0, 0], [0, 0, 0], [0, 0.04, 0]];
  const { all, normals } = await tube(places, 0.02);
  assert.ok(all.every(Number.isFinite) && normals.every(Number.isFinite));
});

test("folds that touch darken each other, and a tube alone stays light", async () => {
  const fold = [...Array.from({ length: 20 }, (_, i) => [0.04 * i, 0, 0]), ...Array.from({ length: 20 }, (_, i) => [0.76 - 0.04 * i, 0.042, 0])];
  const darkest = async (places) => Math.max(...(await tube(places, 0.02)).look.object.geometry.attributes.cavity.array);
  assert.ok((await darkest(fold)) > 0.7, `darkest where they touch: ${await darkest(fold)}`);
  assert.ok((await darkest(fold.slice(0, 20))) < 0.05, "a straight tube has no crevices");
});

/** A strip of some columns and rows: the tube along x, the root below it. */
function strip(columns, rows) {
  const rest = [];
  for (let i = 0; i < columns; i++) {
    for (let j = 0; j < rows; j++) {
      rest.push(0.04 * i, 0.01 * Math.sin(i), -0.05 * j);
    }
  }
  const edges = Array.from({ length: columns - 1 }, (_, i) => [i * rows, (i + 1) * rows]).flat();
  return { kind: "strip", rest, rows, columns, triangles: [], edges, radius: 0.02, skin_radius: 0.005, held: [] };
}

test("the mesentery goes from root to tube, and is sorted from back to front", async () => {
  pretendDocument();
  const { MesenteryLook } = await load("look/mesentery.ts");
  for (const [columns, rows] of [[30, 4], [3, 2], [12, 9]]) {
    const look = new MesenteryLook(strip(columns, rows), 0);
    const positions = Float32Array.from(strip(columns, rows).rest);
    look.update({ positions }, null);
    const { position, normal } = look.object.geometry.attributes;
    assert.ok(position.array.every(Number.isFinite) && normal.array.every(Number.isFinite));
    const heights = Array.from({ length: position.count }, (_, i) => position.getZ(i));
    assert.ok(Math.abs(Math.max(...heights)) < 1e-6, "up to the tube");
    assert.ok(Math.abs(Math.min(...heights) + 0.05 * (rows - 1)) < 1e-6, "down to the root");
    const eye = { x: 2, y: -3, z: 1 };
    look.face(eye);
    const index = look.object.geometry.index.array;
    const far = (f) => {
      const mean = [0, 1, 2].map((axis) => [0, 1, 2].reduce((sum, k) => sum + position.array[3 * index[f + k] + axis] / 3, 0));
      return Math.hypot(mean[0] - eye.x, mean[1] - eye.y, mean[2] - eye.z);
    };
    for (let f = 3; f < index.length; f += 3) {
      assert.ok(far(f) < far(f - 3) + 2e-3, "nearer ones come later");
    }
  }
});

test("a sheet's strain is its larger principal one, however it is cut into triangles and turned", async () => {
  const { SurfaceStrain, mostStayBelow } = await load("strain.ts");
  const rest = [0, 0, 0, 1, 0, 0, 1, 2, 0, 0, 2, 0];
  const strain = new SurfaceStrain(rest, [0, 1, 2, 0, 2, 3, 1, 1, 2]);
  const shown = (map) => {
    const now = [0, 1, 2, 3].flatMap((v) => map(rest[3 * v], rest[3 * v + 1]));
    const out = new Float32Array(4);
    strain.fill(now, out);
    return out;
  };
  const near = (values, wanted) => values.forEach((v) => assert.ok(Math.abs(v - wanted) < 1e-6, `${v} for ${wanted}`));
  near(shown((x, y) => [x, y, 0]), 0);
  near(shown((x, y) => [3 - y, 5, x]), 0);
  near(shown((x, y) => [1.2 * x, 0.9 * y, 0]), 0.2);
  near(shown((x, y) => [0, 0.7 * x, 1.1 * y]), -0.3);
  // Simple shear by g stretches by g/2 + √(1 + g²/4) along one direction and presses along the other.
  near(shown((x, y) => [x + 0.4 * y, y, 0]), 0.2 + Math.sqrt(1.04) - 1);
  const values = Float32Array.from({ length: 1000 }, (_, i) => (i === 7 ? -90 : i / 1000));
  assert.ok(mostStayBelow(values) < 1, "one wild value does not make the scale");
  assert.ok(mostStayBelow(values.map((v) => Math.min(v, 1) * 0.5)) >= 0.49);
  assert.equal(mostStayBelow(new Float32Array(5)), 0);
});

test("a surface is parted along its edges and nowhere else", async () => {
  const { part } = await load("look/edged.ts");
  const cube = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((v) => [v & 1, (v >> 1) & 1, v >> 2]);
  const sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
  const triangles = sides.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]);
  const parted = part(cube, triangles);
  assert.equal(parted.from.length, 24, "each corner of a cube is one of three sides");
  assert.deepEqual(parted.triangles.map((v) => parted.from[v]), triangles);
  for (let side = 0; side < 6; side++) {
    assert.equal(new Set(parted.triangles.slice(6 * side, 6 * side + 6)).size, 4, "and a side is whole");
  }
  // A tube of 24 sides, open at its ends, is smooth all around.
  const ring = Array.from({ length: 48 }, (_, v) => [Math.cos((v % 24) * (Math.PI / 12)), Math.sin((v % 24) * (Math.PI / 12)), v < 24 ? 0 : 1]);
  const wall = Array.from({ length: 24 }, (_, i) => [i, (i + 1) % 24, 24 + i, (i + 1) % 24, 24 + ((i + 1) % 24), 24 + i]).flat();
  assert.equal(part(ring.flat(), wall).from.length, 48);
});

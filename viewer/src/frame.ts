// Binary frames into typed arrays. The layout is in crates/serosa_io/src/wire/frame.rs.

import type { Quantity, SceneInfo } from "./wire";

/** What values of flexible bodies may be, in the order by which frames number them from 1. */
export const QUANTITIES: Quantity[] = ["area", "xx", "yy", "zz", "xy", "yz", "zx", "energy"];

/** Number of stages whose times a frame carries. */
export const STAGES = 7;

/** Floats of a pose in `FrameState.poses`: position, then quaternion x, y, z, w. */
export const POSE = 7;

/** Floats of a tool in `FrameState.tools`; the names below say where each begins. */
export const TOOL = 10;
/** Where the hand leads the tip [m] is at 0; how it turns the tool (quaternion x, y, z, w) is here. */
export const TURN = 3;
/** Force of the hand [N]. */
export const FORCE = 7;
/** 1 where the jaws hold something. */
export const HOLDS = 8;
/** 1 where the jaws are to be closed. */
export const CLOSED = 9;

/** Floats of a control element in `FrameState.elements`: where its origin is, quaternion x, y, z, w, scale along each axis
 * before it is turned, force on its body [N], why it was stopped. */
export const ELEMENT = 12;
/** Of a control element, the force on its body [N]. */
export const PULL = 10;
/** Of a control element, why it was stopped: 0 where it was not. */
export const STOPPED = 11;

/** Floats of a contact in `FrameState.shown`: place, normal, force. */
export const CONTACT = 7;

/** Floats of a pair in `FrameState.pairs`: the closest points of the two. */
export const PAIR = 6;

const HEADER = 132;
/** `SRF7`, read as a little-endian number. */
const MAGIC = 0x37465253;
/** More than this is no frame of ours. */
const SHOWN_MAX = 1 << 20;

/** Where a soft body is. */
export interface SoftState {
  /** x, y, z of each vertex in turn [m]. */
  positions: Float32Array;
  /** Speed of each vertex, smoothed over a few frames [m/s]. */
  speeds: Float32Array;
  /** Grows when the positions change. */
  version: number;
  /** Whether any speed differs from 0. */
  moving: boolean;
  /** How wide the tube of a strip is now [m]; null for other bodies. */
  tube: number | null;
}

/** The latest frame of a scene, unpacked into arrays that are used again and again. */
export class FrameState {
  /** Frames read so far. */
  count = 0;
  /** Grows when anything moved; frames of a scene at rest leave it alone. */
  version = 0;
  /** Simulated time [s]. */
  time = 0;
  /** Simulated seconds for each second, measured. */
  realTime = 0;
  /** Mean CPU time of a step [ms]. */
  stepMs = 0;
  /** Mean time of each stage [ms]. */
  readonly stages = new Float32Array(STAGES);
  /** Contacts in the last step. */
  contacts = 0;
  /** Deepest overlap left [mm]. */
  deepestMm = 0;
  /** Passes of the last step. */
  sweeps = 0;
  /** How far the last of them still moved something [mm]; not a number where that was not measured. */
  /** How far more passes would move something, and change the force on a hand, as far as one can tell. */
  errorMm = NaN;
  errorN = NaN;
  /** Vertices whose step the filter shortened in the last step. */
  truncated = 0;
  /** Attachments that held such a vertex. */
  violated = 0;
  /** For each body: its vertices, or null where it is a solid. */
  readonly soft: (SoftState | null)[];
  /** Poses of all rigid frames, `POSE` floats each. */
  poses: Float32Array;
  /** Grows when any pose changes. */
  posesVersion = 0;
  /** All tools, `TOOL` floats each. */
  readonly tools: Float32Array;
  /** Control elements of all flexible bodies, `ELEMENT` floats each. */
  readonly elements: Float32Array;
  /** Contacts worth showing, `CONTACT` floats each; only the first `shownCount` count. */
  shown = new Float32Array(CONTACT * 256);
  /** How many contacts are in `shown`. */
  shownCount = 0;
  /** Pairs that the detector follows, `PAIR` floats each, where the page asked for them; the first `pairCount` count. */
  pairs = new Float32Array(0);
  /** How many pairs are in `pairs`. */
  pairCount = 0;
  /** How many pairs the detector follows; more than `pairCount` where they are too many to be sent. */
  pairsInAll = 0;
  /** What `values` are; null where none have come. */
  valuesOf: Quantity | null = null;
  /** For each body a number for each vertex, where the page asked for them; null where it has none. */
  readonly values: (Float32Array | null)[];
  /** Grows when values change. */
  valuesVersion = 0;
  /** Numbers of all probes in the order of the scene. */
  readonly probes: Float32Array;

  /** For the bodies, tools and probes of a scene; `generation` is what its frames bear. */
  constructor(
    scene: SceneInfo,
    readonly generation: number,
  ) {
    let rigids = 0;
    this.soft = scene.bodies.map(({ look }) => {
      if (look.kind === "solid") {
        rigids = Math.max(rigids, look.rigid + 1);
        return null;
      }
      const positions = Float32Array.from(look.rest);
      const tube = look.kind === "strip" ? look.radius : null;
      const speeds = new Float32Array(positions.length / 3);
      return { positions, speeds, version: 1, moving: false, tube };
    });
    for (const tool of scene.tools) {
      rigids = Math.max(rigids, tool.rigid + 1);
    }
    this.poses = new Float32Array(POSE * rigids);
    for (let i = 0; i < rigids; i++) {
      this.poses[POSE * i + 6] = 1;
    }
    this.values = scene.bodies.map(() => null);
    this.tools = new Float32Array(TOOL * scene.tools.length);
    this.elements = new Float32Array(ELEMENT * scene.elements.length);
    this.probes = new Float32Array(scene.probes.reduce((sum, probe) => sum + probe.width, 0));
  }

  /**
   * Reads a frame. Says what is wrong with it, having changed nothing, or null when all is well. A frame of another
   * scene is not wrong, and is left out.
   */
  read(buffer: ArrayBuffer): string | null {
    if (buffer.byteLength < HEADER || buffer.byteLength % 4 !== 0) {
      return `a frame of ${buffer.byteLength} bytes`;
    }
    const view = new DataView(buffer);
    const floats = new Float32Array(buffer);
    const ints = new Uint32Array(buffer);
    if (ints[0] !== MAGIC) {
      return "a frame that does not begin as frames do";
    }
    if (ints[5] !== this.generation) {
      return null;
    }
    const [sections, rigids, tools, shown, probes, tubes, pairs, pairsInAll] = ints.subarray(17, 25);
    const [elements, of, valued] = ints.subarray(29, 32);
    const wrong = this.check(ints, floats, [sections, rigids, tools, shown, probes, tubes, pairs, elements, of, valued]);
    if (wrong) {
      return wrong;
    }

    const time = view.getFloat64(8, true);
    const passed = this.count > 0 ? time - this.time : 0;
    this.time = time;
    this.realTime = floats[6];
    this.stepMs = floats[7];
    this.stages.set(floats.subarray(8, 8 + STAGES));
    const poses = this.posesVersion;
    this.contacts = ints[15];
    this.deepestMm = floats[16];
    [this.sweeps, this.errorMm, this.truncated, this.violated] = [ints[25], floats[26], ints[27], ints[28]];
    this.errorN = floats[32];
    let at = this.readSections(buffer, ints, floats, sections, passed);
    at = this.readTubes(floats, at);
    at = this.readPoses(floats, at, rigids);
    if (sections > 0 || poses !== this.posesVersion || this.count === 0) {
      this.version++;
    }
    this.tools.set(floats.subarray(at, at + TOOL * tools));
    at += TOOL * tools;
    this.elements.set(floats.subarray(at, at + ELEMENT * elements));
    at += ELEMENT * elements;
    this.shown = filled(this.shown, floats.subarray(at, at + CONTACT * shown));
    this.shownCount = shown;
    at += CONTACT * shown;
    this.pairs = filled(this.pairs, floats.subarray(at, at + PAIR * pairs));
    [this.pairCount, this.pairsInAll] = [pairs, pairsInAll];
    at += PAIR * pairs;
    at = this.readValues(buffer, at, of, valued);
    this.probes.set(floats.subarray(at, at + probes));
    this.count++;
    return null;
  }

  /** Whether the counts fit the scene and the length; walks the sections without copying. */
  private check(ints: Uint32Array, floats: Float32Array, counts: number[]): string | null {
    const [sections, rigids, tools, shown, probes, tubes, pairs, elements, of, valued] = counts;
    const many = rigids > 1e6 || shown > SHOWN_MAX || pairs > SHOWN_MAX;
    if (sections > this.soft.length || POSE * rigids < this.poses.length || many) {
      return "a frame whose counts do not fit the scene";
    }
    if (ELEMENT * elements !== this.elements.length) {
      return "a frame with other control elements than the scene has";
    }
    if (TOOL * tools !== this.tools.length || probes !== this.probes.length) {
      return "a frame with other tools or probes than the scene has";
    }
    if (tubes !== this.soft.filter((soft) => soft !== null && soft.tube !== null).length) {
      return "a frame with other tubes than the scene has";
    }
    let at = HEADER / 4;
    for (let s = 0; s < sections; s++) {
      if (at + 8 > ints.length) {
        return "a frame cut short";
      }
      const soft = this.soft[ints[at]];
      const vertices = ints[at + 1];
      if (!soft || vertices !== soft.speeds.length) {
        return "a frame with a body that the scene does not have";
      }
      for (let k = 2; k < 8; k++) {
        if (!Number.isFinite(floats[at + k])) {
          return "a frame with a place that is not a number";
        }
      }
      at += 8 + (3 * vertices + (vertices & 1)) / 2;
    }
    at += tubes + POSE * rigids + TOOL * tools + ELEMENT * elements + CONTACT * shown + PAIR * pairs;
    for (let v = 0; v < valued; v++) {
      if (at + 4 > ints.length) {
        return "a frame cut short";
      }
      if (of < 1 || of > QUANTITIES.length || ints[at + 1] !== this.soft[ints[at]]?.speeds.length) {
        return "a frame with values of a body that the scene does not have";
      }
      at += 4 + Math.ceil(ints[at + 1] / 2);
    }
    return at + probes === ints.length ? null : "a frame of the wrong length";
  }

  /** Values of flexible bodies: least value and unit, then 16-bit steps. */
  private readValues(buffer: ArrayBuffer, from: number, of: number, bodies: number): number {
    const before = this.valuesOf;
    this.valuesOf = of > 0 ? QUANTITIES[of - 1] : null;
    let [at, changed] = [from, before !== this.valuesOf];
    for (let v = 0; v < bodies; v++) {
      const [body, count] = new Uint32Array(buffer, 4 * at, 2);
      const [low, unit] = new Float32Array(buffer, 4 * at + 8, 2);
      const steps = new Uint16Array(buffer, 4 * at + 16, count);
      const values = (this.values[body] ??= new Float32Array(count));
      for (let i = 0; i < count; i++) {
        const value = Math.fround(low + unit * steps[i]);
        changed ||= values[i] !== value;
        values[i] = value;
      }
      at += 4 + Math.ceil(count / 2);
    }
    this.valuesVersion += Number(changed);
    return at;
  }

  private readSections(
    buffer: ArrayBuffer,
    ints: Uint32Array,
    floats: Float32Array,
    sections: number,
    passed: number,
  ): number {
    let at = HEADER / 4;
    const steps = new Uint16Array(buffer);
    const frame = this.count;
    for (let s = 0; s < sections; s++) {
      const soft = this.soft[ints[at]];
      const vertices = ints[at + 1];
      if (soft) {
        unpack(soft, steps, 2 * (at + 8), floats.subarray(at + 2, at + 8), passed);
        soft.version++;
        soft.moving = true;
        this.touched[ints[at]] = frame;
      }
      at += 8 + (3 * vertices + (vertices & 1)) / 2;
    }
    // A body that the frame leaves out did not move.
    this.soft.forEach((soft, body) => {
      if (soft?.moving && this.touched[body] !== frame && passed !== 0) {
        soft.speeds.fill(0);
        soft.moving = false;
        soft.version++;
        this.version++;
      }
    });
    return at;
  }

  /** How wide the tubes of strips are, in the order of the bodies. */
  private readTubes(floats: Float32Array, from: number): number {
    let at = from;
    for (const soft of this.soft) {
      if (soft && soft.tube !== null) {
        const radius = floats[at++];
        if (Number.isFinite(radius) && radius !== soft.tube) {
          soft.tube = radius;
          soft.version++;
          this.version++;
        }
      }
    }
    return at;
  }

  /** The frame in which each body was last in a section. */
  private readonly touched: number[] = [];

  private readPoses(floats: Float32Array, at: number, rigids: number): number {
    if (this.poses.length < POSE * rigids) {
      this.poses = new Float32Array(POSE * rigids);
    }
    let changed = false;
    for (let i = 0; i < rigids; i++) {
      const from = at + POSE * i;
      let sound = true;
      for (let k = 0; k < POSE; k++) {
        sound &&= Number.isFinite(floats[from + k]);
      }
      for (let k = 0; sound && k < POSE; k++) {
        changed ||= this.poses[POSE * i + k] !== floats[from + k];
        this.poses[POSE * i + k] = floats[from + k];
      }
    }
    if (changed) {
      this.posesVersion++;
    }
    return at + POSE * rigids;
  }
}

/** The array with these values first; another one, with room to spare, where it is too short. */
function filled(array: Float32Array<ArrayBuffer>, values: Float32Array): Float32Array<ArrayBuffer> {
  const roomy = array.length < values.length ? new Float32Array(2 * values.length) : array;
  roomy.set(values);
  return roomy;
}

/** Positions of one section: lowest corner and unit in `box`, 16-bit steps from `from`; speeds on the way. */
function unpack(soft: SoftState, steps: Uint16Array, from: number, box: Float32Array, passed: number): void {
  const { positions, speeds } = soft;
  const [lx, ly, lz, ux, uy, uz] = box;
  // A jump (reset, seek, the first frame) is no motion.
  const rate = passed > 0 && passed < 0.5 ? 1 / passed : 0;
  for (let i = 0, k = 0; i < speeds.length; i++, k += 3) {
    const x = lx + ux * steps[from + k];
    const y = ly + uy * steps[from + k + 1];
    const z = lz + uz * steps[from + k + 2];
    const dx = x - positions[k];
    const dy = y - positions[k + 1];
    const dz = z - positions[k + 2];
    speeds[i] = rate === 0 ? 0 : 0.6 * speeds[i] + 0.4 * rate * Math.sqrt(dx * dx + dy * dy + dz * dz);
    positions[k] = x;
    positions[k + 1] = y;
    positions[k + 2] = z;
  }
}

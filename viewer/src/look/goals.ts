// Boxes that are to be laid free: an outline and a breath of colour, which say how much is still hidden.

import {
  BoxGeometry,
  Color,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  Vector3,
  type PerspectiveCamera,
} from "three";
import { digits, words } from "../format";
import { POSE, type FrameState } from "../frame";
import type { GoalInfo, SceneInfo } from "../wire";

/** Hidden by no more than this, a goal counts as free: one line of sight may graze a fold. */
export const FREE = 0.02;

const GREEN = new Color(0x35b36b);
const AMBER = new Color(0xe0a02f);

/** One box. */
class Goal {
  readonly object = new Group();
  /** How much of it is hidden, from 0 to 1; unknown before the first frame. */
  covered = NaN;
  private readonly corners: Vector3[];
  private readonly fill: Mesh<BoxGeometry, MeshBasicMaterial>;
  private readonly edges: LineSegments<EdgesGeometry, LineBasicMaterial>;

  constructor(
    info: GoalInfo,
    private readonly offset: number,
    readonly name: string,
  ) {
    const [low, high] = [new Vector3(...info.min), new Vector3(...info.max)];
    const size = high.clone().sub(low);
    const box = new BoxGeometry(size.x, size.y, size.z);
    this.fill = new Mesh(box, new MeshBasicMaterial({ transparent: true, opacity: 0.07, depthWrite: false }));
    const line = new LineBasicMaterial({ transparent: true, opacity: 0.85, depthWrite: false });
    this.edges = new LineSegments(new EdgesGeometry(box), line);
    // Over the membranes, which let light through, and behind what stands before it.
    this.fill.renderOrder = this.edges.renderOrder = 4;
    this.object.add(this.fill, this.edges);
    this.object.position.copy(low).addScaledVector(size, 0.5);
    this.corners = Array.from({ length: 8 }, (_, i) =>
      low.clone().add(new Vector3(i & 1, (i >> 1) & 1, i >> 2).multiply(size)),
    );
  }

  get free(): boolean {
    return this.covered <= FREE;
  }

  update(frame: FrameState): void {
    this.covered = frame.probes[this.offset];
    const colour = this.free ? GREEN : AMBER;
    this.fill.material.color.copy(colour);
    this.edges.material.color.copy(colour);
  }

  /** The corner that is lowest on the screen: a text under it hides nothing of the box. */
  lowest(camera: PerspectiveCamera, out: Vector3): Vector3 {
    let least = Infinity;
    for (const corner of this.corners) {
      const { y } = SCRATCH.copy(corner).project(camera);
      if (y < least) {
        least = y;
        out.copy(corner);
      }
    }
    return out;
  }

  dispose(): void {
    for (const part of [this.fill, this.edges]) {
      part.geometry.dispose();
      part.material.dispose();
    }
  }
}

/** The goals of a scene. */
export class Goals {
  /** To put in the scene. */
  readonly object = new Group();
  /** Each box. */
  readonly all: readonly Goal[];

  /** For a scene. */
  constructor(scene: SceneInfo) {
    this.all = scene.goals.map((info) => {
      const before = scene.probes.slice(0, info.probe);
      const offset = before.reduce((sum, probe) => sum + probe.width, 0);
      return new Goal(info, offset, words(scene.probes[info.probe].name));
    });
    this.all.forEach((goal) => this.object.add(goal.object));
  }

  /** Colours the boxes by what is hidden now. */
  update(frame: FrameState): void {
    this.all.forEach((goal) => goal.update(frame));
  }

  /** Gives all buffers back. */
  dispose(): void {
    this.all.forEach((goal) => goal.dispose());
  }
}

/** What a goal's label says: `colon: 7 % covered`, by the name of the solid that is in the box, if one is. */
export function goalText(goal: Goal, index: number, scene: SceneInfo, frame: FrameState): string {
  const { min, max } = scene.goals[index];
  const inside = scene.bodies.find(({ look }) => {
    if (look.kind !== "solid" || look.shape.shape === "plane") {
      return false;
    }
    const at = frame.poses.subarray(POSE * look.rigid, POSE * look.rigid + 3);
    return at.every((v, k) => v >= min[k] && v <= max[k]);
  });
  const share = `${digits(100 * goal.covered, goal.covered >= 0.1 || goal.covered === 0 ? 1 : 2)} %`;
  return inside ? `${words(inside.name)}: ${share} covered` : `${goal.name}: ${share}`;
}

const SCRATCH = new Vector3();

// All bodies of a scene in the 3-D view; each is touched only when it changed.

import { Box3, Color, Group, Sphere, Vector3 } from "three";
import type { FrameState } from "../frame";
import { measured, type Values } from "../values";
import type { SceneInfo, Surface } from "../wire";
import { EdgedLook } from "./edged";
import type { Shade, SoftLook } from "./look";
import { NetLook } from "./nets";
import { isCreased } from "./organs";
import { SkinLook } from "./skin";
import { SolidLook, toolOf } from "./solids";
import { StripLook } from "./strip";
import { TubeLook } from "./tubes";

interface Drawn {
  body: number;
  look: SoftLook;
  version: number;
}

/** The bodies of a scene. */
export class Bodies {
  /** To put in the scene. */
  readonly object = new Group();
  /** The solid of each tool. */
  readonly tools: (SolidLook | null)[];
  private readonly soft: Drawn[] = [];
  private readonly solids: SolidLook[] = [];
  private posesVersion = -1;
  private coloured = false;

  /** For a scene of some size [m]. */
  constructor(
    private readonly scene: SceneInfo,
    size: number,
  ) {
    this.tools = scene.tools.map(() => null);
    const toolNumbers = toolOf(scene.bodies, scene.tools);
    scene.bodies.forEach(({ look, surface }, body) => {
      if (look.kind === "solid") {
        const tool = toolNumbers[body];
        const solid = new SolidLook(look, surface, this.solids.length, scene.tools, tool, size);
        this.solids.push(solid);
        this.object.add(solid.object);
        if (tool >= 0) {
          this.tools[tool] = solid;
        }
        return;
      }
      const drawn = softLook(look, surface, this.soft.length);
      if (drawn) {
        this.soft.push({ body, look: drawn, version: -1 });
        this.object.add(drawn.object);
      }
    });
  }

  /** Moves what the frame moved. `repaint` colours all bodies anew. */
  update(frame: FrameState, values: Values, repaint: boolean): void {
    const coloured = values.by !== "none";
    const all = repaint || coloured !== this.coloured;
    this.coloured = coloured;
    for (const drawn of this.soft) {
      const soft = frame.soft[drawn.body];
      const own = coloured ? values.of(drawn.body) : null;
      // The force on a body that stands still can change, so that colour always follows the frame; what the program
      // tells of a body may come after it has moved.
      const late = values.by === "force" || measured(values.by) !== null;
      if (soft && (all || soft.version !== drawn.version || late)) {
        const shade: Shade | null = own ? { values: own, scale: values.scale } : null;
        drawn.look.update(soft, shade);
        drawn.version = soft.version;
      }
    }
    if (this.posesVersion !== frame.posesVersion) {
      this.posesVersion = frame.posesVersion;
      this.solids.forEach((solid) => solid.update(frame.poses));
    }
  }

  /** Turns the bodies to the eye, where their look depends on it. */
  face(eye: Vector3): void {
    this.soft.forEach((drawn) => drawn.look.face?.(eye));
  }

  /** Sees through the soft bodies. */
  setGhost(ghost: boolean): void {
    this.soft.forEach((drawn) => drawn.look.setGhost(ghost));
  }

  /** The colour of tables. */
  setTableColour(colour: Color): void {
    this.solids.forEach((solid) => solid.setTableColour(colour));
  }

  /** Whether the scene lies inside a body: its floor is tissue. */
  get inside(): boolean {
    return this.scene.bodies.some(
      ({ look, surface }) => look.kind === "solid" && look.shape.shape === "plane" && surface === "tissue",
    );
  }

  /** Gives all buffers back. */
  dispose(): void {
    this.soft.forEach((drawn) => drawn.look.dispose());
    this.solids.forEach((solid) => solid.dispose());
  }
}

function softLook(
  look: Exclude<SceneInfo["bodies"][number]["look"], { kind: "solid" }>,
  surface: Surface,
  index: number,
): SoftLook | null {
  if (look.kind === "strip") {
    return new StripLook(look, index);
  }
  if (look.kind === "skin") {
    const edged = look.radius === 0 && isCreased(surface);
    return look.triangles.length === 0 ? null : new (edged ? EdgedLook : SkinLook)(look, surface, index);
  }
  if (look.chain && look.edges.length >= 2) {
    return new TubeLook(look, index, { bowel: surface === "bowel" });
  }
  return look.rest.length > 0 ? new NetLook(look, index) : null;
}

/** Visits balls that make up all bodies of bounded size, as they are now; of tools the tip, since a shaft is long. */
export function eachBall(scene: SceneInfo, frame: FrameState, visit: (centre: Vector3, radius: number) => void): void {
  const place = new Vector3();
  scene.bodies.forEach(({ look }, body) => {
    const soft = frame.soft[body];
    if (soft && look.kind !== "solid") {
      for (let i = 0; i < soft.positions.length; i += 3) {
        visit(place.fromArray(soft.positions, i), look.radius);
      }
    } else if (look.kind === "solid" && look.shape.shape !== "plane") {
      const tool = scene.tools.some((t) => t.body === body);
      const { shape } = look;
      const reach =
        shape.shape === "sphere"
          ? shape.radius
          : shape.shape === "capsule"
            ? shape.radius + (tool ? 0.15 : 0.5) * shape.length
            : Math.hypot(...shape.size) / 2;
      visit(place.fromArray(frame.poses, 7 * look.rigid), reach);
    }
  });
}

/** The ball about all of them. */
export function ballAbout(scene: SceneInfo, frame: FrameState, target: Sphere): Sphere {
  const box = new Box3();
  const corner = new Vector3();
  eachBall(scene, frame, (centre, radius) => {
    box.expandByPoint(corner.copy(centre).addScalar(radius)).expandByPoint(corner.copy(centre).addScalar(-radius));
  });
  if (box.isEmpty()) {
    return target.set(new Vector3(), 0.5);
  }
  box.getBoundingSphere(target);
  target.radius = Math.max(target.radius, 0.01);
  return target;
}

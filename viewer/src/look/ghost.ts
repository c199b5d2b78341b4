// The hand made visible: a ball where the tip is to be, and a line to where it is.

import {
  BufferAttribute,
  BufferGeometry,
  Group,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  SphereGeometry,
  type PerspectiveCamera,
  type Vector3,
} from "three";
import { TOOL_COLOURS } from "./materials";

/** The ghost of a tool that is being led. */
export class Ghost {
  /** To put in the scene. */
  readonly object = new Group();
  private readonly ends = new BufferAttribute(new Float32Array(6), 3);
  private readonly ball = new Mesh(
    new SphereGeometry(1, 24, 16),
    new MeshBasicMaterial({ transparent: true, opacity: 0.4, depthTest: false }),
  );
  private readonly line: Line<BufferGeometry, LineBasicMaterial>;

  /** For a tool by its number; hidden at first. */
  constructor(tool: number) {
    const geometry = new BufferGeometry().setAttribute("position", this.ends);
    this.line = new Line(geometry, new LineBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 }));
    this.line.frustumCulled = false;
    this.line.renderOrder = 20;
    this.ball.renderOrder = 21;
    this.object.add(this.line, this.ball);
    this.object.visible = false;
    const colour = TOOL_COLOURS[tool % TOOL_COLOURS.length];
    this.ball.material.color.setHex(colour);
    this.line.material.color.setHex(colour);
  }

  /** From the tip to the hand, as large on the screen at any distance. */
  show(tip: Vector3, target: Vector3, camera: PerspectiveCamera): void {
    this.object.visible = true;
    this.ball.position.copy(target);
    this.ball.scale.setScalar(0.011 * camera.position.distanceTo(target) * Math.tan((camera.fov * Math.PI) / 360) * 2);
    tip.toArray(this.ends.array, 0);
    target.toArray(this.ends.array, 3);
    this.ends.needsUpdate = true;
  }

  /** Hides it; says whether it was seen. */
  hide(): boolean {
    const seen = this.object.visible;
    this.object.visible = false;
    return seen;
  }

  /** Gives its buffers back. */
  dispose(): void {
    this.ball.geometry.dispose();
    this.ball.material.dispose();
    this.line.geometry.dispose();
    this.line.material.dispose();
  }
}

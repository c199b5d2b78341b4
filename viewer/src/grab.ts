// Tools by pointer, pen and finger: picking generously, dragging in the view plane and in depth, turning.

import { Quaternion, Vector3 } from "three";
import { POSE } from "./frame";
import type { Hand, Hands } from "./hands";
import type { View } from "./scene";

/** How near the pointer must come to a tool [px], by kind of pointer. */
const NEAR_PX: Record<string, number> = { mouse: 16, pen: 20, touch: 30 };

interface Drag {
  tool: number;
  pointer: number;
  x: number;
  y: number;
}

/** Listens on the canvas; what is no tool is left to the camera. */
export class Grab {
  private drag: Drag | null = null;

  /** Listens before the camera's controls do. */
  constructor(
    private readonly view: View,
    private readonly hands: Hands,
    private readonly driving: () => boolean,
  ) {
    const { canvas } = view;
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.up(event));
    canvas.addEventListener("lostpointercapture", (event) => this.up(event));
    canvas.addEventListener("pointerleave", () => this.drag ?? this.hands.hover(-1));
    // A second button of a mouse gives no pointerdown, but it gives a mousedown.
    canvas.addEventListener("mousedown", (event) => this.second(event), { capture: true });
    canvas.addEventListener("wheel", (event) => this.wheel(event), { capture: true, passive: false });
  }

  /** Whether a tool is being dragged. */
  get dragging(): boolean {
    return this.drag !== null;
  }

  private down(event: PointerEvent): void {
    if (this.drag) {
      // A second finger while a tool is held would turn the camera under it.
      event.stopImmediatePropagation();
      return;
    }
    if (!this.driving() || this.view.overGizmo) {
      return;
    }
    const tool = this.pick(event.clientX, event.clientY, event.pointerType);
    if (tool < 0) {
      return;
    }
    if (event.button === 2) {
      event.stopImmediatePropagation();
      event.preventDefault();
      this.hands.select(tool);
      this.hands.toggleGrip(tool);
    } else if (event.button === 0 && this.hands.take(tool)) {
      event.stopImmediatePropagation();
      this.view.canvas.focus({ preventScroll: true });
      this.view.canvas.setPointerCapture(event.pointerId);
      this.drag = { tool, pointer: event.pointerId, x: event.clientX, y: event.clientY };
      this.hands.select(tool);
      this.hands.hover(tool);
      this.cursor("grabbing");
    }
  }

  private second(event: MouseEvent): void {
    if (this.drag && event.button === 2) {
      event.stopImmediatePropagation();
      event.preventDefault();
      const { tool } = this.drag;
      this.hands.toggleGrip(tool);
      this.hands.take(tool);
    }
  }

  private move(event: PointerEvent): void {
    const { drag } = this;
    if (!drag) {
      if (event.buttons === 0 && event.pointerType !== "touch") {
        const tool = this.driving() && !this.view.overGizmo ? this.pick(event.clientX, event.clientY, event.pointerType) : -1;
        this.hands.hover(tool);
        this.cursor(tool >= 0 || this.view.overGizmo ? "grab" : "");
      }
      return;
    }
    if (event.pointerId !== drag.pointer) {
      return;
    }
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    [drag.x, drag.y] = [event.clientX, event.clientY];
    const hand = this.hands.take(drag.tool);
    if (!hand) {
      this.end();
      return;
    }
    const { camera } = this.view;
    camera.matrixWorld.extractBasis(RIGHT, UP, BACK);
    const scale = this.metresPerPixel(hand);
    if (event.altKey) {
      hand.rotation
        .premultiply(TURN.setFromAxisAngle(UP, 0.008 * dx))
        .premultiply(TURN.setFromAxisAngle(RIGHT, 0.008 * dy));
      hand.rotation.normalize();
    } else if (event.shiftKey) {
      hand.target.addScaledVector(BACK, 1.5 * scale * dy);
    } else {
      hand.target.addScaledVector(RIGHT, scale * dx).addScaledVector(UP, -scale * dy);
    }
    hand.due = true;
  }

  private up(event: PointerEvent): void {
    if (this.drag && event.pointerId === this.drag.pointer && event.buttons === 0) {
      this.end();
    }
  }

  private end(): void {
    if (this.drag) {
      this.hands.leave(this.drag.tool);
      this.drag = null;
      this.cursor("");
    }
  }

  private wheel(event: WheelEvent): void {
    const hand = this.drag ? this.hands.take(this.drag.tool) : null;
    if (hand) {
      event.stopImmediatePropagation();
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      this.view.camera.getWorldDirection(BACK);
      hand.target.addScaledVector(BACK, -0.35 * this.metresPerPixel(hand) * event.deltaY * lines);
      hand.due = true;
    }
  }

  private metresPerPixel(hand: Hand): number {
    const { camera, canvas } = this.view;
    camera.getWorldDirection(FORWARD);
    const depth = Math.max(PLACE.copy(hand.target).sub(camera.position).dot(FORWARD), camera.near);
    return (2 * depth * Math.tan((camera.fov * Math.PI) / 360)) / canvas.clientHeight;
  }

  /** The tool nearest to a place on the screen, or −1. */
  private pick(x: number, y: number, pointer: string): number {
    const opened = this.view.opened;
    if (!opened || opened.frame.count === 0) {
      return -1;
    }
    let best = -1;
    let least = Infinity;
    opened.info.tools.forEach((tool, i) => {
      const look = opened.info.bodies[tool.body]?.look;
      if (look?.kind !== "solid") {
        return;
      }
      const { shape } = look;
      const half = shape.shape === "capsule" ? shape.length / 2 : shape.shape === "box" ? shape.size[2] / 2 : 0;
      const thick = shape.shape === "capsule" || shape.shape === "sphere" ? shape.radius : 0.005;
      const far = this.distance(x, y, opened.frame.poses, POSE * tool.rigid, half, thick);
      const limit = NEAR_PX[pointer] ?? NEAR_PX.mouse;
      if (far < limit && far < least) {
        least = far;
        best = i;
      }
    });
    return best;
  }

  /** Distance [px] from a place on the screen to a rod along z of its frame, less its thickness there. */
  private distance(x: number, y: number, poses: Float32Array, at: number, half: number, thick: number): number {
    TURN.fromArray(poses, at + 3);
    let least = Infinity;
    const pieces = 8;
    let before: { x: number; y: number } | null = null;
    for (let k = 0; k <= pieces; k++) {
      PLACE.set(0, 0, half * ((2 * k) / pieces - 1))
        .applyQuaternion(TURN)
        .add(ORIGIN.fromArray(poses, at));
      const depth = this.view.camera.position.distanceTo(PLACE);
      const px =
        (thick * this.view.canvas.clientHeight) / (2 * depth * Math.tan((this.view.camera.fov * Math.PI) / 360));
      const here = this.view.project(PLACE, { x: 0, y: 0 });
      if (here) {
        const from = before ?? here;
        least = Math.min(least, toSegment(x, y, from.x, from.y, here.x, here.y) - px);
      }
      before = here;
    }
    return least;
  }

  private cursor(shape: string): void {
    this.view.canvas.style.cursor = shape;
  }
}

function toSegment(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const square = dx * dx + dy * dy;
  const t = square > 0 ? Math.min(Math.max(((x - ax) * dx + (y - ay) * dy) / square, 0), 1) : 0;
  return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}

const RIGHT = new Vector3();
const UP = new Vector3();
const BACK = new Vector3();
const FORWARD = new Vector3();
const PLACE = new Vector3();
const ORIGIN = new Vector3();
const TURN = new Quaternion();

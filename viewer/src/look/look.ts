// What every look has in common.

import type { Object3D, Vector3 } from "three";
import type { SoftState } from "../frame";
import type { BodyValues, Scale } from "../values";

/** The colours of a body's vertices, or null for its own material. */
export interface Shade {
  /** Values to colour by. */
  values: BodyValues;
  /** From values to colours. */
  scale: Scale;
}

/** A soft body in the 3-D view. */
export interface SoftLook {
  /** To put in the scene. */
  readonly object: Object3D;
  /** Moves and colours it; called only when something changed. */
  update(soft: SoftState, shade: Shade | null): void;
  /** Turns to the eye: what is seen through is drawn from back to front. Called before each picture. */
  face?(eye: Vector3): void;
  /** Sees through it, so that its wires can be seen. */
  setGhost(ghost: boolean): void;
  /** Gives its buffers back. */
  dispose(): void;
}

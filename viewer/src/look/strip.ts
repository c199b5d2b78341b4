// A strip: the tube along its border, and the mesentery between tube and root.

import { Group, type Vector3 } from "three";
import type { SoftState } from "../frame";
import type { Look } from "../wire";
import type { Shade, SoftLook } from "./look";
import { MesenteryLook } from "./mesentery";
import { TubeLook } from "./tubes";

type Strip = Extract<Look, { kind: "strip" }>;

/** A tube with its mesentery. */
export class StripLook implements SoftLook {
  /** Both. */
  readonly object = new Group();
  private readonly parts: SoftLook[];

  /** For a strip; `index` chooses the colour. */
  constructor(look: Strip, index: number) {
    const { rest, held, rows, columns } = look;
    const edges = look.edges.slice(0, 2 * (look.columns - 1));
    // Vertices lie column by column, so that the next after one of the tube belongs to the mesentery.
    const rooted = Uint32Array.from({ length: columns }, (_, i) => i * rows + 1);
    const threads = { kind: "threads" as const, rest, edges, radius: look.radius, chain: true, held };
    this.parts = [new TubeLook(threads, index, { bowel: true, rooted }), new MesenteryLook(look, index)];
    this.parts.forEach((part) => this.object.add(part.object));
  }

  /** Moves and colours both. */
  update(soft: SoftState, shade: Shade | null): void {
    this.parts.forEach((part) => part.update(soft, shade));
  }

  /** Turns the mesentery to the eye. */
  face(eye: Vector3): void {
    this.parts.forEach((part) => part.face?.(eye));
  }

  /** Sees through both. */
  setGhost(ghost: boolean): void {
    this.parts.forEach((part) => part.setGhost(ghost));
  }

  /** Gives all buffers back. */
  dispose(): void {
    this.parts.forEach((part) => part.dispose());
  }
}

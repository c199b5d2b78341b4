// A strip: the tube along its border, and the skin between tube and root.

import { Group } from "three";
import type { SoftState } from "../frame";
import type { Look } from "../wire";
import type { Shade, SoftLook } from "./look";
import { SkinLook } from "./skin";
import { TubeLook } from "./tubes";

type Strip = Extract<Look, { kind: "strip" }>;

/** A tube with its skin. */
export class StripLook implements SoftLook {
  /** Both. */
  readonly object = new Group();
  private readonly parts: SoftLook[];

  /** For a strip; `index` chooses the colours, one for the tube and the next for the skin. */
  constructor(look: Strip, index: number) {
    const { rest, held } = look;
    const edges = look.edges.slice(0, 2 * (look.columns - 1));
    const tube = new TubeLook({ kind: "threads", rest, edges, radius: look.radius, chain: true, held }, index);
    const { triangles, skin_radius: radius } = look;
    const skin = new SkinLook({ kind: "skin", rest, triangles, edges: look.edges, radius, held }, index + 1);
    this.parts = [tube, skin];
    this.parts.forEach((part) => this.object.add(part.object));
  }

  /** Moves and colours both. */
  update(soft: SoftState, shade: Shade | null): void {
    this.parts.forEach((part) => part.update(soft, shade));
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

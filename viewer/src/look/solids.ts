// Solids and tools: a shape about its own origin, moved by the poses of the frames.

import {
  BoxGeometry,
  BufferAttribute,
  CapsuleGeometry,
  Color,
  CylinderGeometry,
  Group,
  Mesh,
  RingGeometry,
  SphereGeometry,
  type BufferGeometry,
  type MeshLambertMaterial,
  type MeshStandardMaterial,
  type Object3D,
} from "three";
import { POSE } from "../frame";
import type { BodyInfo, Look, SolidShape, Surface, ToolInfo } from "../wire";
import { colonGeometry } from "./colon";
import { colon, floor, organ, ring, solid, steel, table } from "./materials";

type Solid = Extract<Look, { kind: "solid" }>;

/** Width of one tile of the texture on a floor of tissue [m]. */
const FLOOR_TILE = 0.23;

/** How far the table reaches, in sizes of the scene; it fades long before. */
const TABLE_REACH = 9;

/** A solid in the 3-D view. */
export class SolidLook {
  /** To put in the scene. */
  readonly object: Object3D;
  /** The number of its frame. */
  readonly rigid: number;
  private readonly materials: (MeshStandardMaterial | MeshLambertMaterial)[] = [];
  private readonly geometries: BufferGeometry[] = [];
  /** Whether its colour is the theme's. */
  private readonly themed: boolean;

  /** For a solid; `tool` is its number among the tools, or −1. `size` is that of the scene [m]. */
  constructor(look: Solid, surface: Surface, index: number, tools: ToolInfo[], tool: number, size: number) {
    this.rigid = look.rigid;
    const isPlane = look.shape.shape === "plane";
    this.themed = isPlane && surface !== "tissue";
    this.object = isPlane ? this.plane(size, surface) : this.shape(look, index, surface);
    const info = tools[tool];
    if (info && look.shape.shape === "capsule") {
      this.object.add(this.mark(look.shape, info, tool));
    }
  }

  /** Follows its frame. */
  update(poses: Float32Array): void {
    const at = POSE * this.rigid;
    this.object.position.set(poses[at], poses[at + 1], poses[at + 2]);
    this.object.quaternion.set(poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]);
  }

  /** Shines a little, where the pointer is over it. */
  setLit(lit: boolean): void {
    for (const material of this.materials) {
      material.emissive.setHex(lit ? 0x24405e : 0);
    }
  }

  /** The colour of the table follows the theme. */
  setTableColour(colour: Color): void {
    if (this.themed) {
      this.materials[0].color.copy(colour);
    }
  }

  /** Gives its buffers back. */
  dispose(): void {
    this.materials.forEach((material) => {
      if ("roughnessMap" in material) {
        material.roughnessMap?.dispose();
      }
      material.dispose();
    });
    this.geometries.forEach((geometry) => geometry.dispose());
  }

  private mesh(geometry: BufferGeometry, material: MeshStandardMaterial | MeshLambertMaterial): Mesh {
    this.geometries.push(geometry);
    this.materials.push(material);
    const mesh = new Mesh(geometry, material);
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    return mesh;
  }

  private shape(look: Solid, index: number, surface: Surface): Object3D {
    const group = new Group();
    if (surface === "bowel" && look.shape.shape === "capsule") {
      group.add(this.mesh(colonGeometry(look.shape), colon()));
    } else {
      group.add(this.mesh(geometryOf(look.shape), materialOf(surface, index, look.movable)));
    }
    return group;
  }

  /** A coloured ring behind the tip tells the tools apart. */
  private mark(shape: Extract<SolidShape, { shape: "capsule" }>, tool: ToolInfo, number: number): Mesh {
    const width = Math.min(0.006, shape.length * 0.06);
    const geometry = new CylinderGeometry(shape.radius * 1.015, shape.radius * 1.015, width, 40, 1, true);
    geometry.rotateX(Math.PI / 2);
    const side = tool.tip[2] < 0 ? -1 : 1;
    geometry.translate(0, 0, side * (shape.length / 2 - Math.min(0.03, shape.length * 0.25)));
    return this.mesh(geometry, ring(number));
  }

  /** The half-space below: a disc whose vertex colours fade to nothing. */
  private plane(size: number, surface: Surface): Object3D {
    const geometry = new RingGeometry(0, TABLE_REACH * size, 48, 32);
    const colours = new Float32Array(4 * geometry.attributes.position.count).fill(1);
    const { position } = geometry.attributes;
    for (let i = 0; i < position.count; i++) {
      const far = Math.hypot(position.getX(i), position.getY(i)) / (TABLE_REACH * size);
      colours[4 * i + 3] = Math.exp(-9 * far * far) * Math.min(1, 6 * (1 - far));
    }
    geometry.setAttribute("color", new BufferAttribute(colours, 4));
    const { uv } = geometry.attributes;
    for (let i = 0; i < uv.count; i++) {
      uv.setXY(i, position.getX(i) / FLOOR_TILE, position.getY(i) / FLOOR_TILE);
    }
    const mesh = this.mesh(geometry, surface === "tissue" ? floor() : table());
    mesh.castShadow = false;
    mesh.renderOrder = -1;
    return mesh;
  }
}

/** The tools' numbers by body, and −1 for what is no tool. */
export function toolOf(bodies: BodyInfo[], tools: ToolInfo[]): number[] {
  return bodies.map((_, body) => tools.findIndex((tool) => tool.body === body));
}

function materialOf(surface: Surface, index: number, movable: boolean): MeshStandardMaterial {
  switch (surface) {
    case "steel":
      return steel();
    case "plain":
    case "table":
      return solid(index, movable);
    default:
      return organ(index);
  }
}

function geometryOf(shape: SolidShape): BufferGeometry {
  switch (shape.shape) {
    case "sphere":
      return new SphereGeometry(shape.radius, 64, 40);
    case "capsule": {
      const geometry = new CapsuleGeometry(shape.radius, shape.length, 12, 40, 1);
      geometry.rotateX(Math.PI / 2);
      return geometry;
    }
    case "box":
      return new BoxGeometry(...shape.size);
    case "plane":
      return new RingGeometry(0, 1);
  }
}

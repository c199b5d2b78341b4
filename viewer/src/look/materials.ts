// Materials: moist tissue, thin membranes, brushed steel, drapes and the colour maps' own.

import { Color, DoubleSide, FrontSide, MeshLambertMaterial, MeshPhysicalMaterial, MeshStandardMaterial, type Material, type Texture } from "three";
import { organMaterial, type OrganSurface } from "./organs";
import { inRoom, type Wear } from "./room";
import { brushed, THREADS, tissue, weave, type Surface } from "./textures";
import { mesentery, wall } from "./vessels";

/** Warm colours, one for each soft body in turn. */
const TISSUES = [0xb9605a, 0xd58d80, 0xa34a45, 0xcf9a82, 0x974a58];
/** Colours of bowel. */
const BOWELS = [0xd9897c, 0xd49a86, 0xc97f78];
/** Calm colours for solids that do not move. */
const SOLIDS = [0x8ea6b4, 0xcdbb9a, 0x8fae9c, 0xa99bb0];

// Shadows are cast by the sides that the lamp sees. Those turned away, as is usual, touch the table where a body lies
// on it, and leave a line of light there.

/** Whether there is a graphics card for fine unevenness; without one it costs half the frame rate. */
export const QUALITY = { fine: true };

let threadSurface: Surface | null = null;
let skinSurface: Surface | null = null;
let wallSurface: Surface | null = null;
let mesenterySurface: Texture | null = null;
let weaveSurface: Surface | null = null;

/** A soft body's own material and the one that shows colour maps. */
export interface TissuePair {
  /** As tissue looks. */
  own: MeshPhysicalMaterial;
  /** As values look. */
  mapped: MeshLambertMaterial;
}

/** A thread of tissue: a gut, a cord, a vessel. */
export function threadMaterials(index: number, textured: boolean): TissuePair {
  const own = moist(index);
  if (textured) {
    threadSurface ??= tissue(false, QUALITY.fine);
    own.map = threadSurface.map;
    own.bumpMap = QUALITY.fine ? threadSurface.bump : null;
    own.bumpScale = 1.2;
  }
  return { own, mapped: mappedMaterial() };
}

/** Bowel: pink, wet, with small vessels in its wall. */
export function bowelMaterials(index: number): TissuePair {
  wallSurface ??= wall(QUALITY.fine);
  const own = moist(index, BOWELS, { cavity: true });
  own.roughness = 0.42;
  own.clearcoat = 0.9;
  own.clearcoatRoughness = 0.18;
  own.map = wallSurface.map;
  own.bumpMap = QUALITY.fine ? wallSurface.bump : null;
  own.bumpScale = 1;
  return { own, mapped: mappedMaterial() };
}

/** A mesentery: fat so thin that light comes through. Its triangles are sorted, so that one pass draws both sides. */
export function mesenteryMaterials(index: number): TissuePair {
  mesenterySurface ??= mesentery(QUALITY.fine);
  const own = moist(index, [0xf3d3c0], { thin: true });
  own.roughness = 0.55;
  own.clearcoat = 0.35;
  own.map = mesenterySurface;
  own.transparent = true;
  own.depthWrite = false;
  own.side = DoubleSide;
  own.forceSinglePass = true;
  const mapped = mappedMaterial();
  mapped.side = DoubleSide;
  return { own, mapped };
}

/** A skin: a membrane lets light through, a closed organ does not. */
export function skinMaterials(index: number, closed: boolean): TissuePair {
  skinSurface ??= tissue(true, QUALITY.fine);
  const own = moist(index + 1);
  own.map = skinSurface.map;
  own.bumpMap = QUALITY.fine ? skinSurface.bump : null;
  own.bumpScale = 0.8;
  if (!closed) {
    own.transparent = true;
    own.opacity = 0.9;
  }
  return { own, mapped: mappedMaterial() };
}

/** Distance between the threads of a surgical mesh [m]. */
const PITCH = 0.0028;

/** A surgical mesh of polypropylene threads, for texture places that repeat after `tile` metres. */
export function weaveMaterials(tile: number): TissuePair {
  weaveSurface ??= weave(QUALITY.fine);
  const own = new MeshPhysicalMaterial({ color: 0xeef1ee, roughness: 0.4, shadowSide: FrontSide, transparent: true });
  own.map = weaveSurface.map;
  own.bumpMap = QUALITY.fine ? weaveSurface.bump : null;
  own.bumpScale = 2;
  const often = tile / (THREADS * PITCH);
  [weaveSurface.map, weaveSurface.bump].forEach((texture) => texture.repeat.set(often, often));
  return { own: inRoom(own, new Color(0x20262a)), mapped: mappedMaterial() };
}

/** The closed surface of an organ. */
export function organMaterials(surface: OrganSurface): TissuePair {
  return { own: organMaterial(surface, QUALITY.fine), mapped: mappedMaterial() };
}

function moist(index: number, colours: number[] = TISSUES, wear: Wear = {}): MeshPhysicalMaterial {
  const colour = new Color(colours[index % colours.length]);
  const material = new MeshPhysicalMaterial({
    color: colour,
    shadowSide: FrontSide,
    roughness: 0.5,
    clearcoat: 0.6,
    clearcoatRoughness: 0.25,
  });
  return inRoom(material, colour.clone().multiplyScalar(wear.thin ? 0.05 : 0.3), wear);
}

/** Lit softly and not tone-mapped, so that the colours stay those of the legend; behind its own edges. */
function mappedMaterial(): MeshLambertMaterial {
  const behind = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };
  return new MeshLambertMaterial({ vertexColors: true, toneMapped: false, shadowSide: FrontSide, ...behind });
}

/** A tool of brushed steel. */
export function steel(): MeshStandardMaterial {
  const roughnessMap = brushed();
  return inRoom(
    new MeshStandardMaterial({ color: 0xd4d7da, metalness: 1, roughness: 0.42, roughnessMap, shadowSide: FrontSide }),
  );
}

/** A ring that tells the tools apart. */
export function ring(tool: number): MeshStandardMaterial {
  return inRoom(new MeshStandardMaterial({ color: TOOL_COLOURS[tool % TOOL_COLOURS.length], roughness: 0.5 }));
}

/** Colours of the tools' rings, marks and buttons. */
export const TOOL_COLOURS = [0x2f7fd6, 0xe0922f, 0x3aa36a, 0xa05ad0];

/** A solid that is no tool. */
export function solid(index: number, movable: boolean): MeshStandardMaterial {
  const colour = movable ? 0xd9c9ae : SOLIDS[index % SOLIDS.length];
  return inRoom(new MeshStandardMaterial({ color: colour, roughness: 0.62, shadowSide: FrontSide }));
}

/** The table: matte, seen from above only; its vertex colours carry the fading into the background. */
export function table(): MeshLambertMaterial {
  const material = new MeshLambertMaterial({ transparent: true, vertexColors: true, dithering: true });
  // The fading is finer than the steps of a pixel's opacity, which would be seen as rings.
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace(
      "#include <dithering_fragment>",
      "#include <dithering_fragment>\ngl_FragColor.a += (rand(gl_FragCoord.xy) - 0.5) / 127.0;",
    );
  };
  return material;
}

/** The floor of the abdomen: dark, moist peritoneum, which fades as a table does. */
export function floor(): MeshPhysicalMaterial {
  threadSurface ??= tissue(false, QUALITY.fine);
  const material = moist(0, [0x6c362f]);
  material.map = threadSurface.map;
  material.bumpMap = QUALITY.fine ? threadSurface.bump : null;
  material.bumpScale = 1.4;
  material.clearcoat = 0.35;
  material.clearcoatRoughness = 0.45;
  material.transparent = true;
  material.vertexColors = true;
  return material;
}

/** A solid organ. */
export function organ(index: number): MeshPhysicalMaterial {
  skinSurface ??= tissue(true, QUALITY.fine);
  const material = moist(index);
  material.map = skinSurface.map;
  return material;
}

/** Colon: paler than small bowel, moist; its bands and fat are in the vertex colours. */
export function colon(): MeshPhysicalMaterial {
  skinSurface ??= tissue(true, QUALITY.fine);
  const rim = new Color(0xd7a593).multiplyScalar(0.07);
  const wet = { roughness: 0.62, clearcoat: 0.4, clearcoatRoughness: 0.3, shadowSide: FrontSide };
  const material = inRoom(new MeshPhysicalMaterial(wet), rim);
  material.vertexColors = true;
  material.map = skinSurface.map;
  material.bumpMap = QUALITY.fine ? skinSurface.bump : null;
  material.bumpScale = 0.8;
  return material;
}

/** Makes a material see-through, or as it was. */
export function setGhost(material: Material, ghost: boolean): void {
  const own = material.userData as { solid?: { transparent: boolean; opacity: number } };
  own.solid ??= { transparent: material.transparent, opacity: material.opacity };
  const transparent = ghost || own.solid.transparent;
  if (transparent !== material.transparent) {
    material.transparent = transparent;
    material.needsUpdate = true;
  }
  material.opacity = ghost ? 0.22 : own.solid.opacity;
  material.depthWrite = !ghost;
}

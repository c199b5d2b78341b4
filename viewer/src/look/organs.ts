// The closed surfaces of organs: moist capsules with their own colour, grain and vessels. Rubber and plastic, too.
//
// Textures lie in the organ as it is at rest and are seen from three sides, blended by its normal: a closed surface has
// no layout in the plane without seams. They are in metres, so that a large liver has the same grain as a small one.

import { BufferAttribute, Color, DataTexture, FrontSide, LinearFilter, LinearMipmapLinearFilter, MeshPhysicalMaterial, RepeatWrapping, SRGBColorSpace, type BufferGeometry } from "three";
import type { Surface } from "../wire";
import { inRoom } from "./room";
import { drawnVessels, noise, SIZE } from "./textures";

/** What is special about an organ. */
interface Kind {
  /** Of the capsule. */
  colour: number;
  /** Of what lies in its hollows: fat, or blood that shines through. */
  hollow: number;
  /** Width of one tile of its texture [m]. */
  tile: number;
  /** Height of its grain [m]. */
  grain: number;
  /** How many bumps lie side by side in a tile. */
  cells: number;
  /** How much its colour varies, from 0 to 1. */
  mottle: number;
  /** How strong its vessels are drawn, from 0 to 1. */
  vessels: number;
  /** How rough it is, from 0 to 1. */
  rough: number;
  /** How wet it is, from 0 to 1. */
  wet: number;
  /** Where another material comes to the surface. */
  spot: number;
  /** How much of the light it holds back, from 0 to 1. */
  opacity: number;
  /** Whether it has edges. */
  creased: boolean;
}

export type OrganSurface = Extract<Surface, "kidney" | "liver" | "gallbladder" | "stomach" | "spleen" | "colon" | "rubber" | "plastic">;

/** Moist, and pale where another material comes to the surface, as most tumours are under the capsule. */
const ORGAN = { wet: 0.85, spot: 0xd8bd94, opacity: 1, creased: false };

const KINDS: Record<OrganSurface, Kind> = {
  kidney: { ...ORGAN, colour: 0x98493a, hollow: 0xd9b06a, tile: 0.06, grain: 0.00025, cells: 16, mottle: 0.3, vessels: 0.35, rough: 0.42 },
  liver: { ...ORGAN, colour: 0x7c2b20, hollow: 0x4a1512, tile: 0.05, grain: 0.0002, cells: 32, mottle: 0.25, vessels: 0, rough: 0.38 },
  gallbladder: { ...ORGAN, colour: 0x8a9a55, hollow: 0x6a6c34, tile: 0.045, grain: 0.0002, cells: 8, mottle: 0.4, vessels: 0.55, rough: 0.34 },
  stomach: { ...ORGAN, colour: 0xd98a7e, hollow: 0xb5605a, tile: 0.09, grain: 0.0005, cells: 16, mottle: 0.3, vessels: 0.5, rough: 0.42 },
  spleen: { ...ORGAN, colour: 0x703050, hollow: 0x451a30, tile: 0.05, grain: 0.0004, cells: 16, mottle: 0.35, vessels: 0.15, rough: 0.4 },
  colon: { ...ORGAN, colour: 0xd99c88, hollow: 0xb06a5c, tile: 0.07, grain: 0.0003, cells: 12, mottle: 0.3, vessels: 0.6, rough: 0.4 },
  rubber: { colour: 0xc07d3c, hollow: 0xc07d3c, tile: 0.05, grain: 0.00005, cells: 32, mottle: 0.06, vessels: 0, rough: 0.6, wet: 0.15, spot: 0xaab4bc, opacity: 1, creased: true },
  plastic: { colour: 0x82b4d2, hollow: 0x82b4d2, tile: 0.05, grain: 0, cells: 16, mottle: 0, vessels: 0, rough: 0.3, wet: 0.6, spot: 0xaab4bc, opacity: 0.62, creased: true },
};

/** Whether a surface has edges. */
export function isCreased(surface: Surface): boolean {
  return isOrgan(surface) && KINDS[surface].creased;
}

/** Whether a surface is that of an organ. */
export function isOrgan(surface: Surface): surface is OrganSurface {
  return surface in KINDS;
}

const HEAD = /* glsl */ `
uniform sampler2D organMap;
uniform vec3 organHollow;
uniform vec3 organSpotColour;
uniform float organGrain;
varying vec3 vOrganPlace;
varying vec3 vOrganNormal;
varying float vOrganHollow;
varying float vOrganSpot;

vec4 organSeen(vec3 p, vec3 weight) {
  return weight.x * texture2D(organMap, p.yz) + weight.y * texture2D(organMap, p.zx + 0.37) + weight.z * texture2D(organMap, p.xy + 0.61);
}
`;

/** The same picture at two sizes, so that its repetition is not seen. */
const COLOUR = /* glsl */ `
vec3 organWeight = pow(abs(normalize(vOrganNormal)), vec3(4.0));
organWeight /= organWeight.x + organWeight.y + organWeight.z;
vec4 organHere = organSeen(vOrganPlace, organWeight);
diffuseColor.rgb = mix(diffuseColor.rgb, organHollow, vOrganHollow);
diffuseColor.rgb *= organHere.rgb * (0.55 + 0.55 * organSeen(0.21 * vOrganPlace, organWeight).g);
float organSpotHere = vOrganSpot + 0.9 * (organSeen(0.5 * vOrganPlace, organWeight).g - 0.8);
vec3 organSpotShade = organSpotColour * (0.35 + 0.65 * organHere.g * organSeen(0.8 * vOrganPlace, organWeight).g);
diffuseColor.rgb = mix(diffuseColor.rgb, 0.55 * diffuseColor.rgb, smoothstep(0.05, 0.4, vOrganSpot) * (1.0 - smoothstep(0.4, 0.7, vOrganSpot)));
diffuseColor.rgb = mix(diffuseColor.rgb, organSpotShade, 0.92 * smoothstep(0.3, 0.75, organSpotHere));
`;

/** The slope of the grain, from its height here and one pixel to the side and up. */
const GRAIN = /* glsl */ `
vec3 organX = dFdx(-vViewPosition);
vec3 organY = dFdy(-vViewPosition);
float organRiseX = organSeen(vOrganPlace + dFdx(vOrganPlace), organWeight).a - organHere.a;
float organRiseY = organSeen(vOrganPlace + dFdy(vOrganPlace), organWeight).a - organHere.a;
vec3 organAcrossX = cross(organY, normal);
vec3 organAcrossY = cross(normal, organX);
float organArea = dot(organX, organAcrossX);
vec3 organSlope = sign(organArea) * organGrain * (organRiseX * organAcrossX + organRiseY * organAcrossY);
normal = normalize(max(abs(organArea), 1e-12) * normal - organSlope);
`;

/** Fluid fills the grain: the film is flatter than what is below it. */
const FILM = /* glsl */ `
clearcoatNormal = normalize(mix(nonPerturbedNormal, normal, 0.45));
`;

/** The material of an organ; `fine` where there is a graphics card for its grain. */
export function organMaterial(surface: OrganSurface, fine: boolean): MeshPhysicalMaterial {
  const kind = KINDS[surface];
  const colour = new Color(kind.colour);
  const material = new MeshPhysicalMaterial({
    color: colour,
    shadowSide: FrontSide,
    roughness: kind.rough,
    clearcoat: kind.wet,
    transparent: kind.opacity < 1,
    opacity: kind.opacity,
    clearcoatRoughness: 0.16,
  });
  const picture = (pictures[surface] ??= paint(kind));
  inRoom(material, colour.clone().multiplyScalar(0.35));
  const room = material.onBeforeCompile;
  material.onBeforeCompile = (shader, renderer) => {
    room.call(material, shader, renderer);
    shader.uniforms.organMap = { value: picture };
    shader.uniforms.organHollow = { value: new Color(kind.hollow) };
    shader.uniforms.organSpotColour = { value: new Color(kind.spot) };
    shader.uniforms.organGrain = { value: kind.grain };
    shader.uniforms.organTile = { value: 1 / kind.tile };
    shader.vertexShader = shader.vertexShader
      .replace(
        "#include <common>",
        "#include <common>\nuniform float organTile;\nattribute vec3 organPlace;\nattribute vec3 organNormal;\nattribute float organHollow;\nattribute float organSpot;\nvarying vec3 vOrganPlace;\nvarying vec3 vOrganNormal;\nvarying float vOrganHollow;\nvarying float vOrganSpot;",
      )
      .replace(
        "#include <begin_vertex>",
        "#include <begin_vertex>\nvOrganPlace = organTile * organPlace;\nvOrganNormal = organNormal;\nvOrganHollow = organHollow;\nvOrganSpot = organSpot;",
      );
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>\n${HEAD}`)
      .replace("#include <map_fragment>", COLOUR)
      .replace("#include <normal_fragment_maps>", fine ? GRAIN : "")
      .replace("#include <clearcoat_normal_fragment_maps>", fine ? FILM : "");
  };
  material.customProgramCacheKey = () => `organ ${fine}`;
  return material;
}

const pictures: Partial<Record<OrganSurface, DataTexture>> = {};

/** Colour near white, and in the fourth channel the height of the grain. */
function paint(kind: Kind): DataTexture {
  const blotches = noise(4, 4, 11);
  const grain = noise(kind.cells, 3, 29);
  const vessels = kind.vessels > 0 ? drawnVessels() : null;
  const data = new Uint8Array(4 * SIZE * SIZE);
  for (let i = 0; i < SIZE * SIZE; i++) {
    const vessel = kind.vessels * (vessels?.[i] ?? 0);
    const shade = 0.86 + kind.mottle * (blotches[i] - 0.5) + 0.3 * kind.mottle * (grain[i] - 0.5);
    data[4 * i] = 255 * Math.min(shade + 0.08, 1) * (1 - 0.3 * vessel);
    data[4 * i + 1] = 255 * Math.min(shade, 1) * (1 - 0.7 * vessel);
    data[4 * i + 2] = 255 * Math.min(shade, 1) * (1 - 0.6 * vessel);
    data[4 * i + 3] = 255 * Math.min(0.2 + 0.5 * grain[i] + 0.2 * blotches[i] + 0.1 * vessel, 1);
  }
  const texture = new DataTexture(data, SIZE, SIZE);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.colorSpace = SRGBColorSpace;
  texture.magFilter = LinearFilter;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.generateMipmaps = true;
  texture.anisotropy = 4;
  texture.needsUpdate = true;
  return texture;
}

/** A closed surface at rest. */
interface Closed {
  rest: Float32Array;
  normals: Float32Array;
  triangles: Uint32Array;
  /** How much another material comes to the surface at each vertex, from 0 to 1; empty where none does. */
  spots: number[];
}

/** What the material asks of a geometry: place and normal at rest, how hollow the surface is there, and its spots. */
export function layOrgan(geometry: BufferGeometry, { rest, normals, triangles, spots }: Closed): void {
  geometry.setAttribute("organPlace", new BufferAttribute(rest, 3));
  geometry.setAttribute("organNormal", new BufferAttribute(normals, 3));
  geometry.setAttribute("organHollow", new BufferAttribute(hollows(rest, normals, triangles), 1));
  const spot = new Float32Array(rest.length / 3);
  spot.set(spots.slice(0, spot.length));
  geometry.setAttribute("organSpot", new BufferAttribute(spot, 1));
}

/** How hollow the surface is at each vertex, from 0 to 1: its curvature inwards by the size of the organ, smoothed. */
function hollows(p: Float32Array, n: Float32Array, triangles: Uint32Array): Float32Array {
  const count = p.length / 3;
  const [bend, neighbours] = [new Float32Array(count), new Float32Array(count)];
  let size = 0;
  for (let i = 0; i < p.length; i++) {
    size = Math.max(size, Math.abs(p[i] - p[i % 3]));
  }
  const eachSide = (visit: (a: number, b: number) => void): void => {
    for (let f = 0; f < triangles.length; f += 3) {
      for (let k = 0; k < 3; k++) {
        // Every edge is a side of two triangles, which run along it in opposite directions.
        visit(triangles[f + k], triangles[f + ((k + 1) % 3)]);
      }
    }
  };
  eachSide((a, b) => {
    const d = [0, 1, 2].map((axis) => p[3 * b + axis] - p[3 * a + axis]);
    const square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const rise = d[0] * n[3 * a] + d[1] * n[3 * a + 1] + d[2] * n[3 * a + 2];
    bend[a] += square > 0 ? (2 * rise) / square : 0;
    neighbours[a]++;
  });
  let own = bend.map((b, i) => (neighbours[i] > 0 ? b / neighbours[i] : 0));
  for (let round = 0; round < 2; round++) {
    const sum = own.slice();
    eachSide((a, b) => (sum[a] += own[b]));
    own = sum.map((s, i) => s / (1 + neighbours[i]));
  }
  return own.map((curvature) => Math.min(Math.max(0.12 * size * curvature - 0.05, 0), 1));
}

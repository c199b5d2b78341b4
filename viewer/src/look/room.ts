// The room that steel and moist tissue mirror, as a formula in the shader.
//
// A prefiltered environment map looks the same and was refused: making one takes seconds on a machine without a
// graphics card, and looking it up halves the frame rate there.

import { Color, Vector3, type MeshStandardMaterial } from "three";

/** How bright the room is; the theme changes it for all materials at once. */
export const ROOM_LIGHT = { value: 1 };

/** Light from a direction (z up), blurred as a surface of that roughness sees it. */
const ROOM = /* glsl */ `
uniform float roomLight;
uniform vec3 roomRim;

float roomPanel(vec3 d, vec3 towards, float size, float blur) {
  return smoothstep(size - blur, size + blur, dot(d, towards));
}

vec3 roomSeen(vec3 viewDirection, float roughness) {
  vec3 d = inverseTransformDirection(viewDirection, viewMatrix);
  float blur = 0.03 + 0.5 * roughness * roughness;
  vec3 light = mix(vec3(0.17, 0.15, 0.14), vec3(0.42, 0.45, 0.48), smoothstep(-0.55 - blur, 0.45 + blur, d.z));
  light += vec3(2.6, 2.45, 2.3) * roomPanel(d, vec3(-0.32, -0.21, 0.92), 0.93, blur) / (1.0 + 5.0 * roughness);
  light += vec3(0.9, 1.0, 1.1) * roomPanel(d, vec3(0.92, 0.12, 0.37), 0.86, blur);
  light += vec3(0.75, 0.68, 0.6) * roomPanel(d, vec3(-0.70, -0.68, 0.22), 0.88, blur);
  return roomLight * light;
}
`;

const SEEN = /* glsl */ `
#include <lights_fragment_maps>
radiance += roomSeen(reflect(-geometryViewDir, geometryNormal), material.roughness);
iblIrradiance += vec3(0.35) * roomLight;
#ifdef USE_CLEARCOAT
  clearcoatRadiance += roomSeen(reflect(-geometryViewDir, geometryClearcoatNormal), material.clearcoatRoughness);
#endif
float roomGraze = 1.0 - saturate(dot(geometryNormal, geometryViewDir));
totalEmissiveRadiance += roomRim * roomLight * roomGraze * roomGraze;
`;

/** What is special about a material. */
export interface Wear {
  /** Its geometry says in the attribute `cavity` how deep in a crevice each vertex lies, from 0 to 1. */
  cavity?: boolean;
  /** Thin and seen through: lit from behind too, and denser where it is seen at a slant. */
  thin?: boolean;
}

/** Where the lamp stands, as seen from the middle of the scene. */
export const LAMP = new Vector3(-0.42, -0.28, 1).normalize();

/** Little light finds its way into a crevice, and what comes back from there is red. */
const CAVITY = /* glsl */ `
outgoingLight *= mix(vec3(1.0), vec3(0.20, 0.075, 0.07), vCavity);
#include <opaque_fragment>
`;

/** Light through a sheet, and how much longer its way through it is at a slant (Beer and Lambert). */
const THIN = /* glsl */ `
vec3 thinLamp = normalize((viewMatrix * vec4(${LAMP.toArray().join(", ")}, 0.0)).xyz);
float thinBehind = saturate(-dot(normal, thinLamp));
outgoingLight += diffuseColor.rgb * vec3(0.75, 0.5, 0.36) * thinBehind * roomLight;
diffuseColor.a = 1.0 - pow(1.0 - min(diffuseColor.a, 0.98), 1.0 / max(abs(dot(normal, normalize(vViewPosition))), 0.3));
#include <opaque_fragment>
`;

/** Lets a material mirror the room. `rim` is light that grazing parts give back, as light wanders inside tissue. */
export function inRoom<M extends MeshStandardMaterial>(material: M, rim: Color = new Color(0), wear: Wear = {}): M {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.roomLight = ROOM_LIGHT;
    shader.uniforms.roomRim = { value: rim };
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <lights_pars_begin>", `#include <lights_pars_begin>\n${ROOM}`)
      .replace("#include <lights_fragment_maps>", SEEN);
    if (wear.thin) {
      shader.fragmentShader = shader.fragmentShader.replace("#include <opaque_fragment>", THIN);
    }
    if (wear.cavity) {
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nattribute float cavity;\nvarying float vCavity;")
        .replace("#include <begin_vertex>", "#include <begin_vertex>\nvCavity = cavity;");
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", "#include <common>\nvarying float vCavity;")
        .replace("#include <opaque_fragment>", CAVITY);
    }
  };
  material.customProgramCacheKey = () => `room ${Boolean(wear.thin)} ${Boolean(wear.cavity)}`;
  return material;
}

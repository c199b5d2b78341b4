// The room that steel and moist tissue mirror, as a formula in the shader.
//
// A prefiltered environment map looks the same and was refused: making one takes seconds on a machine without a
// graphics card, and looking it up halves the frame rate there.

import { Color, type MeshStandardMaterial } from "three";

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

/** Lets a material mirror the room. `rim` is light that grazing parts give back, as light wanders inside tissue. */
export function inRoom<M extends MeshStandardMaterial>(material: M, rim: Color = new Color(0)): M {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.roomLight = ROOM_LIGHT;
    shader.uniforms.roomRim = { value: rim };
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <lights_pars_begin>", `#include <lights_pars_begin>\n${ROOM}`)
      .replace("#include <lights_fragment_maps>", SEEN);
  };
  material.customProgramCacheKey = () => "room";
  return material;
}

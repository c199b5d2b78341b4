// Light: a sky over a floor, and one lamp that casts the shadow.

import { Color, DirectionalLight, HemisphereLight, type Scene, type Sphere } from "three";
import { LAMP, ROOM_LIGHT } from "./room";

/** The lights of a scene. */
export class Stage {
  private readonly sky = new HemisphereLight(0xffffff, 0xffffff, 1);
  private readonly lamp = new DirectionalLight(0xfff3e4, 2.6);
  private readonly fill = new DirectionalLight(0xdfe9ff, 0.5);

  /** Lights a scene; `shadow` is the width of the shadow's picture. */
  constructor(scene: Scene, shadow: number) {
    this.lamp.castShadow = true;
    this.lamp.shadow.mapSize.set(shadow, shadow);
    this.lamp.shadow.bias = -0.0002;
    this.lamp.shadow.radius = 4;
    // A room is never black where the lamp does not shine.
    this.lamp.shadow.intensity = 0.8;
    this.fill.position.set(1, 0.5, 0.5);
    scene.add(this.sky, this.lamp, this.lamp.target, this.fill);
  }

  /** Light and dark differ in the room about the scene, not in the lamp. */
  setDark(dark: boolean): void {
    this.sky.color.set(dark ? 0xb9cbe0 : 0xf4f8ff);
    this.sky.groundColor.set(dark ? 0x2a2420 : 0xcdbfb2);
    this.sky.intensity = dark ? 0.7 : 1.1;
    this.fill.intensity = dark ? 0.35 : 0.5;
    this.lamp.intensity = dark ? 2.4 : 2.5;
    ROOM_LIGHT.value = dark ? 0.75 : 1;
  }

  /** Points the lamp at what is there, with a shadow no wider than needed. */
  aim(ball: Sphere): void {
    const reach = ball.radius * 1.35;
    this.lamp.target.position.copy(ball.center);
    this.lamp.position
      .copy(LAMP)
      .multiplyScalar(4 * reach)
      .add(ball.center);
    const { camera } = this.lamp.shadow;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = reach;
    camera.far = 8 * reach;
    camera.updateProjectionMatrix();
    // Two texels: less shows stripes, more lifts the shadow off its body.
    this.lamp.shadow.normalBias = (4 * reach) / this.lamp.shadow.mapSize.x;
    this.lamp.target.updateMatrixWorld();
  }
}

/** The colour of a table by theme. */
export function tableColour(dark: boolean): Color {
  return new Color(dark ? 0x47656c : 0xbfdde2);
}

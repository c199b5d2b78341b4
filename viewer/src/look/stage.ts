// Light: a soft room, a sky over a floor, and one lamp that casts the shadow.

import {
  BackSide,
  BoxGeometry,
  Color,
  DirectionalLight,
  HemisphereLight,
  Mesh,
  MeshBasicMaterial,
  PMREMGenerator,
  Scene,
  SphereGeometry,
  Vector3,
  type Sphere,
  type WebGLRenderer,
} from "three";

/** Where the lamp stands, as seen from the middle of the scene. */
const LAMP = new Vector3(0.35, -0.25, 1).normalize();

/** The lights of a scene. */
export class Stage {
  private readonly sky = new HemisphereLight(0xffffff, 0xffffff, 1);
  private readonly lamp = new DirectionalLight(0xfff3e4, 2.6);
  private readonly fill = new DirectionalLight(0xdfe9ff, 0.5);

  /** Lights a scene; `shadow` is the width of the shadow's picture. */
  constructor(
    private readonly scene: Scene,
    renderer: WebGLRenderer,
    shadow: number,
  ) {
    this.lamp.castShadow = true;
    this.lamp.shadow.mapSize.set(shadow, shadow);
    this.lamp.shadow.bias = -0.0004;
    this.lamp.shadow.radius = 4;
    this.fill.position.set(-1, 0.6, 0.5);
    scene.add(this.sky, this.lamp, this.lamp.target, this.fill);
    scene.environment = room(renderer);
    scene.environmentIntensity = 0.55;
  }

  /** Light and dark differ in the room about the scene, not in the lamp. */
  setDark(dark: boolean): void {
    this.sky.color.set(dark ? 0xb9cbe0 : 0xf4f8ff);
    this.sky.groundColor.set(dark ? 0x2a2420 : 0xcdbfb2);
    this.sky.intensity = dark ? 0.55 : 1.05;
    this.fill.intensity = dark ? 0.35 : 0.5;
    this.lamp.intensity = dark ? 2.4 : 2.5;
    this.scene.environmentIntensity = dark ? 0.5 : 0.6;
  }

  /** Points the lamp at what is there, with a shadow no wider than needed. */
  aim(ball: Sphere): void {
    const reach = ball.radius * 1.35;
    this.lamp.target.position.copy(ball.center);
    this.lamp.position.copy(LAMP).multiplyScalar(4 * reach).add(ball.center);
    const { camera } = this.lamp.shadow;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = reach;
    camera.far = 8 * reach;
    camera.updateProjectionMatrix();
    this.lamp.shadow.normalBias = reach * 0.004;
    this.lamp.target.updateMatrixWorld();
  }
}

/** The colour of a table by theme. */
export function tableColour(dark: boolean): Color {
  return new Color(dark ? 0x4d6a6c : 0xbfd3d0);
}

/** A room with a broad lamp above and two panels at the sides, for steel and moist tissue to mirror. */
function room(renderer: WebGLRenderer): Scene["environment"] {
  const scene = new Scene();
  const walls = new Mesh(new SphereGeometry(20, 16, 12), new MeshBasicMaterial({ color: 0x6f777d, side: BackSide }));
  const floor = panel(0x4a4540, 1, [30, 30, 0.2], [0, 0, -6]);
  const lamp = panel(0xfff6ea, 14, [7, 7, 0.2], [2, -1, 12]);
  const left = panel(0xe8f1ff, 5, [0.2, 8, 6], [-13, 0, 4]);
  const right = panel(0xfff0e0, 3, [0.2, 6, 4], [13, -6, 3]);
  scene.add(walls, floor, lamp, left, right);
  const maker = new PMREMGenerator(renderer);
  const target = maker.fromScene(scene, 0.03, 0.1, 100, { size: 64 });
  maker.dispose();
  scene.traverse((object) => {
    if (object instanceof Mesh) {
      object.geometry.dispose();
      (object.material as MeshBasicMaterial).dispose();
    }
  });
  return target.texture;
}

function panel(colour: number, strength: number, size: [number, number, number], at: [number, number, number]): Mesh {
  const material = new MeshBasicMaterial({ color: new Color(colour).multiplyScalar(strength) });
  const mesh = new Mesh(new BoxGeometry(...size), material);
  mesh.position.set(...at);
  return mesh;
}

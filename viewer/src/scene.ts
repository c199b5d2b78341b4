// The 3-D view: renderer, camera, and the scene that is open.

import {
  ACESFilmicToneMapping,
  PCFShadowMap,
  PerspectiveCamera,
  Scene,
  Sphere,
  TOUCH,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { FrameState } from "./frame";
import { Bodies, ballAbout, eachBall } from "./look/bodies";
import { Goals } from "./look/goals";
import { QUALITY } from "./look/materials";
import { Overlays, type Shows } from "./look/overlays";
import { Stage, tableColour } from "./look/stage";
import { measured, Values, type ColourBy } from "./values";
import type { SceneInfo } from "./wire";

/** How often the shadow's frame and the fit look at where the bodies are [ms]. */
const AIM_EVERY_MS = 700;

/** Vertical angle of view where the scene names none [rad]. */
const USUAL_ANGLE = 0.7;
/** The scene's angle of view is meant for windows at least this wide for their height. */
const LEAST_ASPECT = 1.25;
/** How much of the window is filled where everything is to be seen. */
const FILLED = 0.88;
/** Without a graphics card pictures are this far apart [ms]: drawing shares the processor with the simulation. */
const SOFTWARE_GAP_MS = 40;
/** The same for pictures, which cost more. */
const SHOT_GAP_MS = 250;

/** What is open. */
export interface Opened {
  /** As the program described it. */
  info: SceneInfo;
  /** The latest frame. */
  frame: FrameState;
  /** The bodies drawn. */
  bodies: Bodies;
  /** What is drawn over them. */
  overlays: Overlays;
  /** Boxes to be laid free. */
  goals: Goals;
  /** What they are coloured by. */
  values: Values;
}

/** The 3-D view. */
export class View {
  /** The canvas. */
  readonly canvas: HTMLCanvasElement;
  /** The camera. */
  readonly camera = new PerspectiveCamera(40, 1, 0.005, 20);
  /** Orbit, pan and zoom. */
  readonly controls: OrbitControls;
  /** Everything drawn. */
  readonly scene = new Scene();
  /** The open scene. */
  opened: Opened | null = null;
  /** Whether the pointer is over a gizmo, which comes before tools. */
  overGizmo = false;
  /** Frames drawn since the scene was opened. */
  drawn = 0;
  /** Called after each picture, for what is laid over the canvas. */
  onDrawn: () => void = () => undefined;

  private readonly renderer: WebGLRenderer;
  private readonly stage: Stage;
  private readonly ball = new Sphere(new Vector3(), 0.5);
  private readonly aimed = new Sphere(new Vector3(), 0);
  private angle = USUAL_ANGLE;
  private dirty = true;
  private repaint = true;
  private dark = false;
  private seen = -1;
  private lastAim = 0;
  private scale = 1;
  private slow = 0;
  private lastDraw = 0;
  /** Whether the canvas is on the screen, with a size of its own. */
  private sized = false;
  /** Its width and height [px], and pixels of the picture for each. */
  private size = [0, 0, 0];
  private readonly software: boolean;
  private readonly context: WebGL2RenderingContext;
  /** Comes true when the last picture is done. */
  private done: WebGLSync | null = null;

  /** Draws into `host`. Throws where there is no WebGL. With `shot`, quality comes before speed. */
  constructor(
    private readonly host: HTMLElement,
    private readonly shot: boolean,
  ) {
    this.canvas = document.createElement("canvas");
    const context = this.canvas.getContext("webgl2", {
      antialias: true,
      alpha: true,
      powerPreference: "high-performance",
    });
    if (!context) {
      const error = new Error("This browser has no WebGL 2.");
      error.name = "NoWebGl";
      throw error;
    }
    this.context = context;
    this.software = drawsInSoftware(context);
    this.scale = this.software && !shot ? 0.75 : 1;
    QUALITY.fine = shot || !this.software;
    this.renderer = new WebGLRenderer({ canvas: this.canvas, context, alpha: true, antialias: true });
    this.renderer.toneMapping = ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 1.05;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("aria-label", "The scene in three dimensions");
    host.prepend(this.canvas);
    this.camera.up.set(0, 0, 1);
    this.camera.position.set(0.6, -0.7, 0.5);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_ROTATE };
    this.controls.zoomToCursor = true;
    this.controls.maxPolarAngle = Math.PI * 0.98;
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.stage = new Stage(this.scene, shot ? 2048 : 1024);
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
  }

  /** Shows a scene. The camera stays where it is when the same scene is opened again. */
  open(info: SceneInfo, generation: number, keepCamera: boolean): Opened {
    const old = this.opened;
    this.close();
    const frame = new FrameState(info, generation);
    ballAbout(info, frame, this.ball);
    const size = this.ball.radius;
    const values = new Values(info);
    const overlays = new Overlays(info, frame, size);
    const opened = { info, frame, values, bodies: new Bodies(info, size), overlays, goals: new Goals(info) };
    if (old) {
      Object.assign(opened.overlays.shows, old.overlays.shows);
      values.choose(old.values.by);
    }
    this.opened = opened;
    this.scene.add(opened.bodies.object, opened.overlays.object, opened.goals.object);
    this.host.classList.toggle("inside", opened.bodies.inside);
    this.drawn = 0;
    this.seen = -1;
    this.aimed.radius = 0;
    this.setDark(this.dark);
    this.setShows(opened.overlays.shows);
    // Now, not when the browser comes to say so: else the first picture is drawn twice, the first time in no size.
    this.resize();
    if (!keepCamera) {
      this.look(info);
    }
    return opened;
  }

  /** Shows nothing. */
  close(): void {
    if (this.opened) {
      for (const part of [this.opened.bodies, this.opened.overlays, this.opened.goals]) {
        this.scene.remove(part.object);
        part.dispose();
      }
      this.opened = null;
      this.drawn = 0;
      this.dirty = true;
    }
  }

  /** Triangles of the last picture, its shadows included. */
  get triangles(): number {
    return this.renderer.info.render.triangles;
  }

  /** Lines of the last picture. */
  get lines(): number {
    return this.renderer.info.render.lines;
  }

  /** Asks for a new picture. */
  touch(): void {
    this.dirty = true;
  }

  /** Chooses the overlays. */
  setShows(shows: Shows): void {
    if (this.opened) {
      Object.assign(this.opened.overlays.shows, shows);
      this.opened.bodies.setGhost(shows.wires);
      this.dirty = true;
    }
  }

  /** Chooses the colours. */
  setColourBy(by: ColourBy): void {
    this.opened?.values.choose(by);
    this.repaint = true;
    this.dirty = true;
  }

  /** Chooses light or dark. */
  setDark(dark: boolean): void {
    this.dark = dark;
    this.stage.setDark(dark);
    this.opened?.bodies.setTableColour(tableColour(dark));
    this.opened?.overlays.setWireColour(dark ? 0x9cc4e4 : 0x1f4a6e);
    this.dirty = true;
  }

  /** Moves the camera so that everything is seen, from where it looks now. */
  fit(): void {
    if (!this.opened) {
      return;
    }
    const { info, frame } = this.opened;
    const centre = ballAbout(info, frame, this.ball).center.clone();
    this.camera.updateMatrixWorld();
    const [right, up, back] = [new Vector3(), new Vector3(), new Vector3()];
    this.camera.matrixWorld.extractBasis(right, up, back);
    // The middle of what is seen, then the distance from which the outermost is still seen.
    const [low, high] = [new Vector2(Infinity, Infinity), new Vector2(-Infinity, -Infinity)];
    const seen = new Vector2();
    eachBall(info, frame, (place, radius) => {
      place.sub(centre);
      seen.set(place.dot(right), place.dot(up));
      low.min(seen.subScalar(radius));
      high.max(seen.addScalar(2 * radius));
    });
    if (high.x >= low.x) {
      centre.addScaledVector(right, (low.x + high.x) / 2).addScaledVector(up, (low.y + high.y) / 2);
    }
    const tall = Math.tan((this.camera.fov * Math.PI) / 360) * FILLED;
    const wide = tall * this.camera.aspect;
    let away = 0;
    eachBall(info, frame, (place, radius) => {
      place.sub(centre);
      const [x, y] = [Math.abs(place.dot(right)) + radius, Math.abs(place.dot(up)) + radius];
      away = Math.max(away, place.dot(back) + Math.max(x / wide, y / tall));
    });
    this.controls.target.copy(centre);
    this.camera.position.copy(back.multiplyScalar(Math.max(away, 0.02)).add(centre));
    this.reach();
    this.controls.update();
    this.dirty = true;
  }

  /** Where a place is on the screen [px], or null behind the camera. */
  project(place: Vector3, target: { x: number; y: number }): { x: number; y: number } | null {
    const ndc = SCRATCH.copy(place).project(this.camera);
    if (ndc.z > 1 || ndc.z < -1) {
      return null;
    }
    const box = this.canvas.getBoundingClientRect();
    target.x = box.left + ((ndc.x + 1) / 2) * box.width;
    target.y = box.top + ((1 - ndc.y) / 2) * box.height;
    return target;
  }

  /** Draws, if anything changed since the last picture. Says whether it drew. */
  draw(now: number): boolean {
    const opened = this.opened;
    if (!this.sized) {
      return false;
    }
    const fresh = opened !== null && this.stamp(opened) !== this.seen;
    // A paused scene is drawn a few times, so that a picture is surely on the screen.
    const settling = opened !== null && opened.frame.count > 0 && this.drawn < 3;
    if (!this.dirty && !fresh && !settling) {
      this.lastDraw = 0;
      return false;
    }
    if (this.busy()) {
      return false;
    }
    if (this.software && now - this.lastDraw < (this.shot ? SHOT_GAP_MS : SOFTWARE_GAP_MS)) {
      return false;
    }
    if (opened) {
      this.follow(opened, now, fresh);
      opened.bodies.face(this.camera.position);
    }
    this.renderer.render(this.scene, this.camera);
    this.done = this.context.fenceSync(this.context.SYNC_GPU_COMMANDS_COMPLETE, 0);
    this.context.flush();
    this.dirty = false;
    if (opened && opened.frame.count > 0) {
      this.drawn++;
    }
    this.adapt(now);
    this.onDrawn();
    return true;
  }

  /**
   * Whether the last picture is still being drawn. To begin another would block the whole page until then, and with
   * it the buttons and the frames that arrive.
   */
  private busy(): boolean {
    if (this.done && this.context.clientWaitSync(this.done, 0, 0) === this.context.TIMEOUT_EXPIRED) {
      return true;
    }
    this.context.deleteSync(this.done);
    this.done = null;
    return false;
  }

  /** Changes when there is something new to draw. Contacts can change while nothing moves. */
  private stamp({ frame, overlays, values }: Opened): number {
    const { contacts, normals, pairs } = overlays.shows;
    const told = measured(values.by) ? frame.valuesVersion : 0;
    return contacts || normals || pairs || values.by === "force" ? frame.count : frame.version + told;
  }

  private follow(opened: Opened, now: number, fresh: boolean): void {
    const { frame, values, bodies, overlays, goals } = opened;
    if (fresh || this.repaint) {
      const rescaled = values.update(frame);
      bodies.update(frame, values, this.repaint || rescaled || this.seen < 0);
      this.repaint = false;
      this.seen = this.stamp(opened);
    }
    overlays.update(frame);
    goals.update(frame);
    if (now - this.lastAim > AIM_EVERY_MS || this.aimed.radius === 0) {
      this.lastAim = now;
      ballAbout(opened.info, frame, this.ball);
      this.aim();
    }
  }

  /** Aims the lamp again only when the bodies left its light or fill little of it: a shadow that swims is ugly. */
  private aim(): void {
    const { ball, aimed } = this;
    const outside = ball.center.distanceTo(aimed.center) + ball.radius > aimed.radius * 1.3;
    if (outside || ball.radius < aimed.radius * 0.45) {
      aimed.copy(ball);
      aimed.radius *= 1.15;
      this.stage.aim(aimed);
    }
  }

  /** The camera of the scene, or one that sees everything. */
  private look(info: SceneInfo): void {
    if (info.camera) {
      this.angle = info.camera.angle;
      this.camera.position.fromArray(info.camera.eye);
      this.controls.target.fromArray(info.camera.target);
    } else {
      this.angle = USUAL_ANGLE;
      this.controls.target.copy(this.ball.center);
      this.camera.position
        .set(0.7, -0.9, 0.6)
        .multiplyScalar(3 * this.ball.radius)
        .add(this.ball.center);
    }
    this.reach();
    this.controls.update();
    if (!info.camera) {
      this.fit();
    }
    this.dirty = true;
  }

  private reach(): void {
    const away = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = away / 200;
    this.camera.far = away * 30;
    this.controls.minDistance = away / 20;
    this.controls.maxDistance = away * 6;
    this.widen();
  }

  /** The camera's angle; in an upright window more, so that the sides are not cut off. */
  private widen(): void {
    const upright = Math.max(1, LEAST_ASPECT / this.camera.aspect);
    this.camera.fov = (360 / Math.PI) * Math.atan(upright * Math.tan(this.angle / 2));
    this.camera.updateProjectionMatrix();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    this.sized = width >= 1 && height >= 1;
    const most = this.shot ? (this.software ? 1.5 : 2) : Math.min(window.devicePixelRatio, 2);
    if (!this.sized || this.size.join() === [width, height, most * this.scale].join()) {
      return;
    }
    this.size = [width, height, most * this.scale];
    this.renderer.setPixelRatio(most * this.scale);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.widen();
    this.dirty = true;
    // A canvas of a new size is empty: drawn at once, it does not flicker. A scene that was not drawn before is not
    // ready for it: rods without a place yet have corners at infinity, which took minutes without a graphics card.
    if (this.drawn > 0) {
      this.renderer.render(this.scene, this.camera);
    }
  }

  /** A machine without a graphics card draws slowly: fewer pixels then, more again when there is time. */
  private adapt(now: number): void {
    const took = this.lastDraw > 0 ? now - this.lastDraw : 0;
    this.lastDraw = now;
    if (this.shot || took === 0 || took > 1000) {
      return;
    }
    this.slow = 0.9 * this.slow + 0.1 * took;
    if (this.drawn % 30 !== 29) {
      return;
    }
    if (this.slow > 75 && this.scale > 0.55) {
      this.scale *= 0.85;
      this.resize();
    } else if (this.slow < 45 && this.scale < 1) {
      this.scale = Math.min(1, this.scale * 1.1);
      this.resize();
    }
  }
}

/** Whether the processor does the work of a graphics card. */
function drawsInSoftware(context: WebGL2RenderingContext): boolean {
  const known = context.getExtension("WEBGL_debug_renderer_info");
  const name: unknown = known ? context.getParameter(known.UNMASKED_RENDERER_WEBGL) : "";
  return typeof name === "string" && /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

const SCRATCH = new Vector3();

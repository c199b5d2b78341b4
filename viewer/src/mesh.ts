// A mesh dropped on the page: shown beside what is known of it, its faults marked in place.

import {
  AmbientLight,
  Box3,
  BufferAttribute,
  BufferGeometry,
  DirectionalLight,
  DoubleSide,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
  PerspectiveCamera,
  Scene,
  Sphere,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { el } from "./dom";
import type { MeshAnswer, MeshInfo } from "./wire";

const SOUND = 0xc98f83;
/** What is marked, in which colour, and how many of them there are. */
const MARKS: { name: string; colour: number; count: (mesh: MeshInfo) => number }[] = [
  { name: "open edges", colour: 0xe01b24, count: (mesh) => mesh.open.length / 6 },
  { name: "edges of more than two faces", colour: 0x9141ac, count: (mesh) => mesh.crowded.length / 6 },
  { name: "edges whose faces disagree", colour: 0x1a5fb4, count: (mesh) => mesh.flipped.length / 6 },
  { name: "faces that meet others", colour: 0xff2a2a, count: (mesh) => mesh.crossing.length },
  { name: "faces without area, and needles", colour: 0xe68a00, count: (mesh) => mesh.degenerate.length },
];
const [OPEN, CROWDED, FLIPPED, CROSSING, DEGENERATE] = MARKS;

/** The dialog with a mesh. */
export class MeshSheet {
  private readonly dialog: HTMLDialogElement;
  private readonly title = el("h2");
  private readonly facts = el("dl", { id: "mesh-facts" });
  private readonly marks = el("p", { class: "mesh-marks" });
  private readonly note = el("p", { class: "quiet" });
  private readonly host = el("div");
  private picture: Picture | null = null;

  /** Built once, into the page. */
  constructor(host: HTMLElement) {
    this.dialog = el(
      "dialog",
      { id: "mesh-dialog", class: "sheet", "aria-label": "A mesh file" },
      el(
        "header",
        {},
        this.title,
        el("button", { class: "close", "aria-label": "Close", onclick: () => this.dialog.close() }, "×"),
      ),
      this.marks,
      this.note,
      el("div", { class: "mesh-body" }, this.host, this.facts),
    );
    this.dialog.addEventListener("close", () => this.forget());
    host.append(this.dialog);
  }

  /** Has the program look at a file, and shows what it says. The answer is a sentence where it cannot be shown. */
  async look(file: File): Promise<string | null> {
    const query = new URLSearchParams({
      token: new URLSearchParams(location.search).get("token") ?? "",
      name: file.name,
    });
    let answer: MeshAnswer;
    try {
      const said = await fetch(`/mesh?${query}`, { method: "POST", body: file, cache: "no-store" });
      if (!said.ok) {
        return `${file.name} was not taken by the program (${said.status}): ${await said.text()}`;
      }
      answer = (await said.json()) as MeshAnswer;
    } catch {
      return `${file.name} could not be sent: the program does not answer.`;
    }
    if (answer.type === "refused") {
      return `${file.name} is no scene, and not read as a mesh: ${answer.message}. To do: ${answer.help}.`;
    }
    this.show(answer);
    return null;
  }

  /** Whether it is shown. */
  get open(): boolean {
    return this.dialog.open;
  }

  private show(mesh: MeshInfo): void {
    this.forget();
    this.title.textContent = mesh.name;
    this.note.textContent = mesh.note ?? "";
    const found = MARKS.filter((mark) => mark.count(mesh) > 0);
    this.marks.replaceChildren(
      ...found.map((mark) => {
        const dot = el("i");
        dot.style.background = `#${mark.colour.toString(16).padStart(6, "0")}`;
        return el("span", {}, dot, `${mark.count(mesh).toLocaleString("en")} ${mark.name}`);
      }),
    );
    if (found.length === 0 && mesh.triangles.length > 0) {
      this.marks.textContent = "No faults to mark.";
    }
    this.facts.replaceChildren(
      ...mesh.facts.flatMap(({ name, value }) => [el("dt", { text: name }), el("dd", { text: value })]),
    );
    if (!this.dialog.open) {
      this.dialog.showModal();
    }
    if (mesh.triangles.length > 0) {
      this.picture = new Picture(this.host, mesh);
    }
  }

  /** Gives the picture back: browsers have few of them. */
  private forget(): void {
    this.picture?.dispose();
    this.picture = null;
    this.host.replaceChildren();
  }
}

/** A mesh drawn whenever it is turned, and not otherwise. */
class Picture {
  private readonly renderer: WebGLRenderer;
  private readonly camera = new PerspectiveCamera(40, 1, 0.001, 10);
  private readonly scene = new Scene();
  private readonly controls: OrbitControls;
  private readonly watcher: ResizeObserver;
  private readonly canvas = el("canvas", { id: "mesh-canvas", "aria-label": "The mesh in three dimensions" });

  constructor(host: HTMLElement, mesh: MeshInfo) {
    host.append(this.canvas);
    this.renderer = new WebGLRenderer({ canvas: this.canvas, alpha: true, antialias: true });
    this.scene.add(new AmbientLight(0xffffff, 1.1));
    const lamp = new DirectionalLight(0xffffff, 2.2);
    lamp.position.set(-0.4, -0.6, 1);
    // The light comes with the eye, so that every side can be looked at.
    this.camera.add(lamp);
    this.scene.add(this.camera, ...build(mesh));
    const ball = new Box3().setFromArray(mesh.points).getBoundingSphere(new Sphere());
    const reach = Math.max(ball.radius, 1e-6);
    this.camera.up.set(0, 0, 1);
    this.camera.near = reach / 100;
    this.camera.far = reach * 100;
    this.camera.position.set(0.7, -0.9, 0.6).multiplyScalar(2.3 * reach).add(ball.center);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.target.copy(ball.center);
    this.controls.addEventListener("change", () => this.draw());
    this.controls.update();
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(this.canvas);
    this.resize();
  }

  dispose(): void {
    this.watcher.disconnect();
    this.controls.dispose();
    this.scene.traverse((object) => {
      if (object instanceof Mesh || object instanceof LineSegments) {
        (object.geometry as BufferGeometry).dispose();
      }
    });
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width >= 1 && height >= 1) {
      this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
      this.renderer.setSize(width, height, false);
      this.camera.aspect = width / height;
      this.camera.updateProjectionMatrix();
      this.draw();
    }
  }

  private draw(): void {
    this.renderer.render(this.scene, this.camera);
    this.canvas.dataset.drawn = "1";
  }
}

/** Faces in two colours, and lines over them. */
function build(mesh: MeshInfo): (Mesh | LineSegments)[] {
  const crossing = new Set(mesh.crossing);
  const [sound, bad]: [number[], number[]] = [[], []];
  for (let at = 0; at < mesh.triangles.length; at += 3) {
    const into = crossing.has(at / 3) ? bad : sound;
    into.push(mesh.triangles[at], mesh.triangles[at + 1], mesh.triangles[at + 2]);
  }
  const position = new BufferAttribute(Float32Array.from(mesh.points), 3);
  const faces = (index: number[], colour: number): Mesh => {
    const geometry = new BufferGeometry().setAttribute("position", position);
    geometry.setIndex(new BufferAttribute(Uint32Array.from(index), 1));
    return new Mesh(
      geometry,
      new MeshStandardMaterial({ color: colour, side: DoubleSide, flatShading: true, roughness: 0.75 }),
    );
  };
  const outline = mesh.degenerate.flatMap((face) => {
    const [a, b, c] = mesh.triangles.slice(3 * face, 3 * face + 3).map((i) => mesh.points.slice(3 * i, 3 * i + 3));
    return [a, b, b, c, c, a].flat();
  });
  return [
    faces(sound, SOUND),
    faces(bad, CROSSING.colour),
    lines(mesh.open, OPEN.colour),
    lines(mesh.crowded, CROWDED.colour),
    lines(mesh.flipped, FLIPPED.colour),
    lines(outline, DEGENERATE.colour),
  ];
}

/** Segments that are seen through everything: a fault on the far side is a fault. */
function lines(ends: number[], colour: number): LineSegments {
  const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(Float32Array.from(ends), 3));
  return new LineSegments(geometry, new LineBasicMaterial({ color: colour, depthTest: false }));
}

// Control elements of flexible bodies: a handle at each, and a gizmo at the chosen one that drags, turns and scales it.

import { Object3D, Quaternion, Vector3 } from "three";
import { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import { el, setText, show } from "./dom";
import { quantity } from "./format";
import { ELEMENT, PULL, STOPPED, type FrameState } from "./frame";
import type { Mode } from "./keys";
import { Ghost } from "./look/ghost";
import type { View } from "./scene";
import type { ElementInfo, SceneInfo, ToServer } from "./wire";

/** Messages are at least this far apart [ms]. */
const GAP_MS = 1000 / 60;
/** What each mode is called, and its key. */
const MODES: [Mode, string, string][] = [
  ["translate", "Drag", "1"],
  ["rotate", "Turn", "2"],
  ["scale", "Scale", "3"],
];

/** The control elements of the open scene. */
export class Gizmo {
  /** The chosen one, or −1. */
  selected = -1;
  private elements: ElementInfo[] = [];
  private handles: HTMLButtonElement[] = [];
  /** Where the chosen one is to be while it is dragged, else where it is. */
  private readonly goal = new Object3D();
  /** Where it was when the drag began. */
  private readonly start = new Object3D();
  private readonly controls: TransformControls;
  private readonly ghost = new Ghost(0);
  private readonly name = el("span", { class: "name" });
  private readonly force = el("span", { class: "force" });
  private readonly modes: HTMLButtonElement[];
  private due = false;
  /** The element that was let go last and may be on its way, or −1. */
  private left = -1;
  private lastSent = 0;
  private lastWritten = 0;

  /** Handles go into `layer` over the canvas, the bar of the chosen one into `bar`; messages leave by `send`. */
  constructor(
    private readonly view: View,
    private readonly layer: HTMLElement,
    private readonly bar: HTMLElement,
    private readonly send: (message: ToServer) => void,
    private readonly mayLead: () => boolean,
  ) {
    this.controls = new TransformControls(view.camera, view.canvas);
    this.controls.size = 1.1;
    view.scene.add(this.goal, this.controls.getHelper(), this.ghost.object);
    this.controls.addEventListener("change", () => view.touch());
    this.controls.addEventListener("objectChange", () => (this.due = true));
    this.controls.addEventListener("axis-changed", ({ value }) => (view.overGizmo = value !== null));
    this.controls.addEventListener("dragging-changed", ({ value }) => this.drag(value === true));
    this.modes = MODES.map(([mode, label, key]) =>
      el("button", { class: "mode", id: `mode-${mode}`, title: `Key ${key}`, onclick: () => this.setMode(mode) }, label),
    );
    const close = el("button", { class: "close", "aria-label": "Put the gizmo away", onclick: () => this.select(-1) }, "×");
    bar.replaceChildren(this.name, this.force, ...this.modes, close);
    this.setMode("translate");
  }

  /** Takes up the control elements of a scene. */
  open(info: SceneInfo | null): void {
    this.elements = info?.elements ?? [];
    this.handles = this.elements.map((element, i) => {
      const of = info?.bodies[element.body]?.name ?? "";
      const title = `Control element “${element.name}” of “${of}”`;
      return el("button", { class: "handle", title, "aria-label": title, onclick: () => this.select(i) });
    });
    this.layer.replaceChildren(...this.handles);
    this.forget();
    this.select(-1);
  }

  /** What this page said of the elements holds no longer: the scene began again, or someone else drives. */
  forget(): void {
    this.left = -1;
  }

  /** Chooses a control element, or none. */
  select(element: number): void {
    this.selected = element;
    const info = this.elements[element];
    this.handles.forEach((handle, i) => handle.setAttribute("aria-pressed", String(i === element)));
    show(this.bar, info !== undefined);
    if (info) {
      const frame = this.view.opened?.frame;
      if (frame) {
        this.read(frame, element, this.goal);
      }
      this.controls.attach(this.goal);
      setText(this.name, info.name);
      this.lastWritten = 0;
    } else {
      this.controls.detach();
    }
    this.enable();
    this.view.touch();
  }

  /** Chooses the next control element; after the last none. Says whether there are any. */
  next(): boolean {
    this.select(this.selected + 1 < this.elements.length ? this.selected + 1 : -1);
    return this.elements.length > 0;
  }

  /** What the gizmo does; says whether there are control elements. */
  setMode(mode: Mode): boolean {
    this.controls.setMode(mode);
    // A scale is along the element's own axes; so is the gizmo that shows it.
    this.controls.setSpace(mode === "scale" ? "local" : "world");
    this.modes.forEach((button, i) => button.setAttribute("aria-pressed", String(MODES[i][0] === mode)));
    return this.elements.length > 0;
  }

  /** Lets the gizmo lead, or not: whoever watches has none. */
  enable(): void {
    const may = this.mayLead();
    this.controls.enabled = may;
    this.controls.getHelper().visible = may && this.selected >= 0;
    this.handles.forEach((handle) => (handle.disabled = !may));
  }

  /** Where the middle of the gizmo is on the screen [px], and which part of it is under the pointer, for tests. */
  screen(): { x: number; y: number; axis: string | null } | null {
    const place = this.selected >= 0 ? this.view.project(this.goal.position, { x: 0, y: 0 }) : null;
    return place && { ...place, axis: this.controls.axis };
  }

  /** Follows the frame and sends what is due. */
  tick(now: number): void {
    const frame = this.view.opened?.frame;
    if (!frame || frame.count === 0) {
      return;
    }
    this.leave(frame);
    if (this.selected < 0) {
      return;
    }
    if (this.controls.dragging) {
      if (this.due && now - this.lastSent >= GAP_MS - 1) {
        this.due = false;
        this.lastSent = now;
        this.lead(this.selected, this.goal);
      }
      this.ghost.show(PLACE.fromArray(frame.elements, ELEMENT * this.selected), this.goal.position, this.view.camera);
      this.view.touch();
    } else if (this.read(frame, this.selected, this.goal)) {
      this.view.touch();
    }
    if (now - this.lastWritten > 200) {
      this.lastWritten = now;
      setText(this.force, `${quantity(frame.elements[ELEMENT * this.selected + PULL], "N", 2)} N`);
    }
  }

  /** Moves the handles; called after each picture. */
  update(): void {
    const frame = this.view.opened?.frame;
    if (!frame || this.handles.length === 0) {
      return;
    }
    const box = this.layer.getBoundingClientRect();
    this.handles.forEach((handle, i) => {
      const place = this.view.project(PLACE.fromArray(frame.elements, ELEMENT * i), { x: 0, y: 0 });
      show(handle, place !== null && i !== this.selected);
      handle.classList.toggle("stopped", frame.elements[ELEMENT * i + STOPPED] > 0);
      if (place) {
        handle.style.transform = `translate(-50%, -50%) translate(${place.x - box.left}px, ${place.y - box.top}px)`;
      }
    });
  }

  /** A drag begins or ends. */
  private drag(begins: boolean): void {
    this.view.controls.enabled = !begins;
    const pulled = this.elements[this.selected]?.give ?? null;
    this.left = begins || pulled ? -1 : this.selected;
    if (begins) {
      copy(this.goal, this.start);
      return;
    }
    this.ghost.hide();
    if (pulled) {
      // Nobody pulls any more.
      copy(this.start, this.goal);
    }
    this.due = false;
    this.lead(this.selected, this.goal);
    this.view.touch();
  }

  /** What was let go and cannot go where it was led is not led there for ever. */
  private leave(frame: FrameState): void {
    const { elements } = frame;
    const own = this.elements[this.left]?.body;
    const stopped = this.elements.some(({ body }, i) => body === own && elements[ELEMENT * i + STOPPED] > 0);
    if (stopped) {
      this.read(frame, this.left, HERE);
      this.lead(this.left, HERE);
      this.left = -1;
    }
  }

  /** Tells the program where an element is to be, or how strongly it is pulled there. */
  private lead(element: number, { position, quaternion, scale }: Object3D): void {
    const info = this.elements[element];
    if (!info || !this.mayLead()) {
      return;
    }
    const [force, torque] = [new Vector3(), new Vector3()];
    if (info.give) {
      // As strong as it takes to bring it there, were it alone.
      force.subVectors(position, this.start.position).divideScalar(info.give[0]);
      rotationVector(TURN.copy(quaternion).multiply(BACK.copy(this.start.quaternion).invert()), torque);
      torque.divideScalar(info.give[1]);
    }
    this.send({
      type: "control",
      element,
      position: position.toArray(),
      rotation: quaternion.toArray(),
      scale: scale.toArray(),
      force: force.toArray(),
      torque: torque.toArray(),
    });
  }

  /** Where an element is; says whether that is elsewhere than before. */
  private read({ elements }: FrameState, element: number, { position, quaternion, scale }: Object3D): boolean {
    const at = ELEMENT * element;
    PLACE.fromArray(elements, at);
    TURN.fromArray(elements, at + 3);
    SIZE.fromArray(elements, at + 7);
    const same = PLACE.equals(position) && TURN.equals(quaternion) && SIZE.equals(scale);
    if (!same && TURN.lengthSq() > 0) {
      position.copy(PLACE);
      quaternion.copy(TURN);
      scale.copy(SIZE);
    }
    return !same;
  }
}

function copy(from: Object3D, to: Object3D): void {
  to.position.copy(from.position);
  to.quaternion.copy(from.quaternion);
}

/** Axis times angle [rad] of a rotation. */
function rotationVector({ x, y, z, w }: Quaternion, out: Vector3): Vector3 {
  const sine = Math.hypot(x, y, z);
  const angle = 2 * Math.atan2(sine, Math.abs(w));
  return out.set(x, y, z).multiplyScalar(sine > 0 ? (Math.sign(w || 1) * angle) / sine : 0);
}

const HERE = new Object3D();
const PLACE = new Vector3();
const SIZE = new Vector3();
const TURN = new Quaternion();
const BACK = new Quaternion();

// The hands: where each tool is to be led, from pointer and keyboard, told to the program.

import { Quaternion, Vector3 } from "three";
import { CLOSED, POSE, TOOL, TURN } from "./frame";
import { Ghost } from "./look/ghost";
import type { View } from "./scene";
import type { ToServer, ToolInfo } from "./wire";

/** Speed of a tool led by the keyboard [m/s]; with Shift a fifth of it. */
const KEY_SPEED = 0.05;
/** Hand messages are at least this far apart [ms]: 60 a second for all tools together. */
const GAP_MS = 1000 / 60;

/** Keys that lead each tool: right, left, up, down, away, nearer. */
const KEYS = [
  ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "PageUp", "PageDown"],
  ["KeyD", "KeyA", "KeyW", "KeyS", "KeyE", "KeyQ"],
];

/** One hand. */
export interface Hand {
  /** Where the tip is to be [m]. */
  target: Vector3;
  /** How the tool is to be turned. */
  rotation: Quaternion;
  /** Whether the jaws are to be closed. */
  grip: boolean;
  /** Whether the pointer or keys lead it now. */
  led: boolean;
  /** Whether a message is due. */
  due: boolean;
  /** Whether this page has led it; until then frames say how it is turned and whether its jaws are closed. */
  mine: boolean;
}

/** All hands of the open scene. */
export class Hands {
  /** One for each tool. */
  hands: Hand[] = [];
  /** The tool that grip keys act on. */
  selected = 0;
  /** The tool under the pointer, or −1. */
  hovered = -1;
  /** Called when selection, grip or hover changed. */
  onChange: () => void = () => undefined;

  private tools: ToolInfo[] = [];
  private readonly pressed = new Set<string>();
  private ghosts: Ghost[] = [];
  private lastSent = 0;
  private turn = 0;

  /** Leads the tools of the view; messages leave by `send` while `driving` says so. */
  constructor(
    private readonly view: View,
    private readonly send: (message: ToServer) => void,
    private readonly driving: () => boolean,
  ) {}

  /** Takes up the tools of a scene; also after a reset, when the scene's own script leads them again. */
  open(tools: ToolInfo[]): void {
    this.tools = tools;
    this.hands = tools.map(() => ({
      target: new Vector3(),
      rotation: new Quaternion(),
      grip: false,
      led: false,
      due: false,
      mine: false,
    }));
    this.selected = Math.min(this.selected, Math.max(tools.length - 1, 0));
    this.hovered = -1;
    this.pressed.clear();
    this.ghosts.forEach((ghost) => {
      this.view.scene.remove(ghost.object);
      ghost.dispose();
    });
    this.ghosts = tools.map((_, tool) => new Ghost(tool));
    this.ghosts.forEach((ghost) => this.view.scene.add(ghost.object));
    this.onChange();
  }

  /** What this page said of the tools holds no longer: someone else drives, or did. */
  forget(): void {
    this.hands.forEach((hand) => Object.assign(hand, { mine: false, led: false, due: false }));
  }

  /** Where the tip of a tool is, or null before the first frame. */
  tip(tool: number, target: Vector3): Vector3 | null {
    const frame = this.view.opened?.frame;
    const info = this.tools[tool];
    if (!frame || !info || frame.count === 0) {
      return null;
    }
    const at = POSE * info.rigid;
    POSED.fromArray(frame.poses, at + 3);
    return target.fromArray(info.tip).applyQuaternion(POSED).add(PLACE.fromArray(frame.poses, at));
  }

  /** Begins to lead a tool from where it is being led now, so that it does not jump. */
  take(tool: number): Hand | null {
    const frame = this.view.opened?.frame;
    const hand = this.hands[tool];
    if (!hand || !frame || frame.count === 0 || !this.driving()) {
      return null;
    }
    this.learn();
    hand.mine = true;
    if (!hand.led) {
      hand.target.fromArray(frame.tools, TOOL * tool);
      hand.led = true;
    }
    return hand;
  }

  /** Leaves a tool where it is. */
  leave(tool: number): void {
    const hand = this.hands[tool];
    if (hand) {
      hand.led = false;
      hand.due = true;
    }
    this.view.touch();
  }

  /** Opens or closes the jaws of a tool. */
  toggleGrip(tool: number): void {
    const hand = this.take(tool);
    if (hand) {
      hand.grip = !hand.grip;
      hand.due = true;
      if (!this.isKeyed(tool)) {
        hand.led = false;
      }
      this.onChange();
    }
  }

  /** Chooses the tool for the grip key. */
  select(tool: number): void {
    this.selected = tool;
    this.onChange();
  }

  /** Marks the tool under the pointer. */
  hover(tool: number): void {
    if (tool !== this.hovered) {
      this.view.opened?.bodies.tools.forEach((solid, i) => solid?.setLit(i === tool));
      this.hovered = tool;
      this.view.touch();
    }
  }

  /** A key went down or up. Says whether it leads a tool. */
  key(code: string, down: boolean): boolean {
    const tool = KEYS.findIndex((keys) => keys.includes(code));
    if (tool < 0 || tool >= this.tools.length) {
      return false;
    }
    if (down && this.driving()) {
      this.pressed.add(code);
    } else if (this.pressed.delete(code) && !this.isKeyed(tool)) {
      this.leave(tool);
    }
    return true;
  }

  /** No key is down any more: the page lost the focus. */
  releaseKeys(): void {
    for (const code of [...this.pressed]) {
      this.key(code, false);
    }
  }

  /** Moves what the keys lead, shows the ghosts and sends what is due; `dt` in seconds. */
  tick(now: number, dt: number, slow: boolean): void {
    this.learn();
    this.tools.forEach((_, tool) => this.moveByKeys(tool, dt * KEY_SPEED * (slow ? 0.2 : 1)));
    this.hands.forEach((hand, tool) => {
      if (hand.led && this.tip(tool, TIP)) {
        this.ghosts[tool].show(TIP, hand.target, this.view.camera);
        this.view.touch();
      } else if (this.ghosts[tool].hide()) {
        this.view.touch();
      }
    });
    this.flush(now);
  }

  private isKeyed(tool: number): boolean {
    return KEYS[tool]?.some((code) => this.pressed.has(code)) ?? false;
  }

  private moveByKeys(tool: number, step: number): void {
    if (!this.isKeyed(tool)) {
      return;
    }
    const hand = this.take(tool);
    if (!hand) {
      return;
    }
    const sign = (i: number): number =>
      Number(this.pressed.has(KEYS[tool][i])) - Number(this.pressed.has(KEYS[tool][i + 1]));
    this.view.camera.matrixWorld.extractBasis(RIGHT, UP, BACK);
    hand.target.addScaledVector(RIGHT, step * sign(0));
    hand.target.addScaledVector(UP, step * sign(2));
    hand.target.addScaledVector(BACK, -step * sign(4));
    hand.due = true;
  }

  /** A tool that this page has not led is turned, and its jaws are closed, as the frames say. */
  private learn(): void {
    const frame = this.view.opened?.frame;
    if (!frame || frame.count === 0) {
      return;
    }
    let changed = false;
    this.hands.forEach((hand, tool) => {
      if (!hand.mine) {
        const grip = frame.tools[TOOL * tool + CLOSED] > 0.5;
        changed ||= grip !== hand.grip;
        hand.grip = grip;
        hand.rotation.fromArray(frame.tools, TOOL * tool + TURN);
      }
    });
    if (changed) {
      this.onChange();
    }
  }

  private flush(now: number): void {
    if (now - this.lastSent < GAP_MS - 1) {
      return;
    }
    // In turn, so that two busy tools share the rate.
    for (let k = 0; k < this.hands.length; k++) {
      const tool = (this.turn + k) % this.hands.length;
      const hand = this.hands[tool];
      if (hand.due && this.driving()) {
        hand.due = false;
        this.turn = tool + 1;
        this.lastSent = now;
        const { x, y, z, w } = hand.rotation;
        this.send({ type: "hand", tool, position: hand.target.toArray(), rotation: [x, y, z, w], grip: hand.grip });
        return;
      }
    }
  }
}

const TIP = new Vector3();
const PLACE = new Vector3();
const RIGHT = new Vector3();
const UP = new Vector3();
const BACK = new Vector3();
const POSED = new Quaternion();

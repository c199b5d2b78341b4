// The page: what the program says goes to the parts of the page, what the user does goes to the program.

import { Vector3 } from "three";
import { Connection, type Link } from "./connection";
import { coverContextLost, coverNoWebGl, coverRefused, uncover, cover } from "./cover";
import { Display } from "./display";
import { byId, el, setText, show } from "./dom";
import { listenForFiles } from "./drop";
import { enableGallery, fillGallery } from "./gallery";
import { Gizmo } from "./gizmo";
import { Grab } from "./grab";
import { Hands } from "./hands";
import { HeldBodies } from "./held";
import { Help } from "./help";
import { giveFocusBack, listen } from "./keys";
import { Labels } from "./labels";
import { MeshSheet } from "./mesh";
import { Panel } from "./panel";
import { Plots } from "./plots";
import { Problems } from "./problems";
import { View } from "./scene";
import { Theme } from "./theme";
import { Toasts } from "./toasts";
import { Toolbar } from "./toolbar";
import { Transport } from "./transport";
import { Tunables } from "./tunables";
import type { Refusal, SceneInfo, Status, ToPage, ToServer } from "./wire";

type State = "connecting" | "gallery" | "scene" | "lost" | "refused";

const NOTHING: Status = {
  driver: null,
  clients: 0,
  playing: false,
  speed: 1,
  tunables: [],
  recording: null,
  replay: null,
  recordings: [],
  held: [],
  stopped: [],
};

/** All parts of the page. */
class Page {
  private readonly toasts = new Toasts(byId("toasts"));
  private readonly view: View;
  private readonly connection: Connection;
  private readonly hands: Hands;
  private readonly gizmo: Gizmo;
  private readonly transport: Transport;
  private readonly tunables: Tunables;
  private readonly toolbar: Toolbar;
  private readonly labels: Labels;
  private readonly plots = new Plots(byId("probes"));
  private readonly panel = new Panel();
  private readonly problems = new Problems(document.body);
  private readonly mesh = new MeshSheet(document.body);
  private readonly help = new Help(document.body, () => this.version);
  private readonly display: Display;
  private readonly held: HeldBodies;
  private status = NOTHING;
  private client = -1;
  private version = "";
  private frames = 0;
  private malformed = 0;
  private lostToast: HTMLElement | null = null;
  private wasOpen = false;
  /** Whether this connection has said what is open; only then may the address open a scene. */
  private told = { scene: false, status: false, asked: false, shown: false };
  private lastTick = 0;
  private slowly = false;

  constructor(shot: boolean) {
    this.view = new View(byId("view"), shot);
    const send = (message: ToServer): void => this.send(message);
    const mayLead = (): boolean => this.driving && this.status.replay === null;
    this.hands = new Hands(this.view, send, mayLead);
    this.gizmo = new Gizmo(this.view, byId("handles"), byId("element"), send, mayLead);
    new Grab(this.view, this.hands, mayLead);
    this.transport = new Transport(send, () => this.hands.open(this.view.opened?.info.tools ?? []));
    this.tunables = new Tunables(byId("tunables"), (index, value) => send({ type: "tune", index, value }));
    this.toolbar = new Toolbar(byId("tools"), this.hands);
    this.labels = new Labels(byId("labels"), this.view);
    this.view.onDrawn = () => {
      this.labels.update();
      this.gizmo.update();
    };
    this.display = new Display(this.view, send);
    this.held = new HeldBodies((body) => send({ type: "release", body }));
    const theme = new Theme((dark) => this.view.setDark(dark));
    byId("theme").addEventListener("click", () => theme.toggle());
    this.listen();
    this.connection = new Connection({
      onText: (message) => this.hear(message),
      onFrame: (buffer) => this.hearFrame(buffer),
      onLink: (link, refusal) => this.linked(link, refusal),
      onMalformed: (what) => this.countMalformed(what),
    });
    this.connection.start();
    window.serosa = {
      toolScreen: (tool) => {
        const tip = this.hands.tip(tool, new Vector3());
        return tip ? this.view.project(tip, { x: 0, y: 0 }) : null;
      },
      gizmoScreen: () => this.gizmo.screen(),
      frames: () => this.frames,
      triangles: () => this.view.triangles,
      lines: () => this.view.lines,
      screenshotReady: () => this.view.drawn >= 2,
    };
    requestAnimationFrame((now) => this.tick(now));
  }

  private get driving(): boolean {
    return this.status.driver !== null && this.status.driver === this.client;
  }

  private send(message: ToServer): void {
    this.connection.send(message);
  }

  private listen(): void {
    byId("gallery-button").addEventListener("click", () => this.send({ type: "gallery" }));
    byId("fit").addEventListener("click", () => this.view.fit());
    byId("help").addEventListener("click", () => this.help.toggle());
    byId("takeover").addEventListener("click", () => this.send({ type: "drive" }));
    byId("panel-toggle").addEventListener("click", () => this.togglePanel());
    byId("choose-file").addEventListener("click", () => byId("file").click());
    this.view.canvas.addEventListener("webglcontextlost", () => coverContextLost());
    window.addEventListener("keydown", (event) => (this.slowly = event.shiftKey));
    window.addEventListener("keyup", (event) => (this.slowly = event.shiftKey));
    listenForFiles(byId("veil"), byId("file") as HTMLInputElement, {
      open: (name, text) => this.send({ type: "open_text", name, text }),
      look: (file) => void this.mesh.look(file).then((wrong) => wrong && this.toasts.say(wrong, "warning")),
      say: (text, level) => this.toasts.say(text, level),
      allowed: () => this.driving,
    });
    giveFocusBack(this.view.canvas);
    listen({
      playPause: () => this.driving && this.transport.playPause(),
      step: () => this.driving && this.transport.step(),
      reset: () => this.driving && this.transport.reset(),
      fit: () => this.view.fit(),
      grip: () => this.hands.toggleGrip(this.hands.selected),
      next: () => this.gizmo.next() || this.nextTool(),
      nextColour: (step) => this.display.nextColour(step),
      gizmo: (mode) => this.gizmo.setMode(mode),
      overlay: (name) => this.display.toggle(name),
      help: () => this.help.toggle(),
      escape: () => {
        if (!this.covered) {
          this.gizmo.select(-1);
        }
        this.view.canvas.focus({ preventScroll: true });
      },
      lead: (code, down) => this.hands.key(code, down),
      release: () => this.hands.releaseKeys(),
      inScene: () => this.view.opened !== null && !this.covered,
    });
  }

  /** Whether something lies over the view. */
  private get covered(): boolean {
    return this.help.open || this.problems.open || this.mesh.open;
  }

  private nextTool(): boolean {
    const count = this.hands.hands.length;
    if (count < 2) {
      return false;
    }
    this.hands.select((this.hands.selected + 1) % count);
    return true;
  }

  private togglePanel(): void {
    const closed = document.documentElement.classList.toggle("panel-closed");
    byId("panel-toggle").setAttribute("aria-expanded", String(!closed));
  }

  private linked(link: Link, refusal?: Refusal): void {
    if (link === "open") {
      this.told = { scene: false, status: false, asked: false, shown: false };
      this.display.ask();
      this.toasts.close(this.lostToast);
      this.lostToast = null;
      if (this.wasOpen) {
        this.toasts.say("Back again.", "good");
      }
      this.wasOpen = true;
      return;
    }
    if (link === "refused") {
      this.setState("refused");
      this.toasts.close(this.lostToast);
      coverRefused(refusal ?? "token");
      return;
    }
    if (link === "connecting") {
      this.setState("connecting");
      return;
    }
    this.setState("lost");
    this.hear({ type: "status", ...this.status, driver: null });
    if (this.wasOpen) {
      this.lostToast ??= this.toasts.say("Connection lost, trying again…", "warning", true);
    } else {
      cover("No answer yet", [
        "The program does not answer at this address. Is it running? This page tries again by itself.",
      ]);
    }
  }

  private hear(message: ToPage): void {
    switch (message.type) {
      case "hello":
        this.client = message.client;
        this.version = message.version;
        fillGallery(byId("cards"), message.gallery, (scene) => this.send({ type: "open", scene }));
        break;
      case "scene":
        this.told.scene = true;
        this.showScene(message.scene, message.generation);
        break;
      case "status":
        this.told.status ||= message.driver !== null;
        this.showStatus(message);
        break;
      case "problems":
        this.problems.show(message.name, message.problems);
        break;
      case "notice":
        this.toasts.say(message.text, message.level === "warning" ? "warning" : "info");
        break;
      default:
        this.countMalformed("a message that this page does not know");
    }
    this.openFromAddress();
  }

  /** A scene named in the address is opened once, by the driver, where nothing is open. */
  private openFromAddress(): void {
    const name = new URLSearchParams(location.search).get("scene");
    if (name && this.told.scene && this.told.status && !this.told.asked && this.driving && !this.view.opened) {
      this.told.asked = true;
      this.send({ type: "open", scene: name });
    }
  }

  /** The address follows what is open, so that loading the page again shows the same. */
  private writeAddress(scene: string | null): void {
    const address = new URL(location.href);
    const builtIn = scene !== null && document.querySelector(`.card[data-scene="${CSS.escape(scene)}"]`) !== null;
    if (builtIn) {
      address.searchParams.set("scene", scene);
    } else {
      address.searchParams.delete("scene");
    }
    if (address.href !== location.href) {
      history.replaceState(null, "", address);
    }
  }

  private showScene(info: SceneInfo | null, generation: number): void {
    uncover();
    show(byId("gallery"), info === null);
    show(byId("work"), info !== null);
    this.setState(info ? "scene" : "gallery");
    document.title = info ? `${info.title} – Serosa` : "Serosa";
    if (!info) {
      // Before the first scene of a connection the address still says what to open, also after a restart.
      if (this.told.shown || this.told.asked) {
        this.writeAddress(null);
      }
      this.view.close();
      this.hands.open([]);
      this.gizmo.open(null);
      return;
    }
    const same = this.view.opened?.info.name === info.name;
    this.told.shown = true;
    this.problems.close();
    this.view.open(info, generation, same);
    this.writeAddress(info.name);
    this.hands.open(info.tools);
    this.toolbar.open(info.tools);
    this.gizmo.open(info);
    this.tunables.open(info.tunables);
    this.plots.open(info.probes);
    this.panel.open(info);
    this.labels.open(info.texts, info.goals.length);
    this.display.apply();
    show(byId("tunables-part"), info.tunables.length > 0);
    show(byId("probes-part"), info.probes.length > 0);
    setText(byId("title"), info.title);
    setText(byId("about"), info.about);
    byId("notes").replaceChildren(...info.notes.map((text) => el("li", { text })));
    this.showStatus(this.status);
  }

  private showStatus(status: Status): void {
    const drove = this.driving;
    this.status = status;
    const { driving } = this;
    document.documentElement.dataset.role = driving ? "driver" : "watcher";
    show(byId("watching"), !driving && this.client >= 0 && document.documentElement.dataset.state !== "lost");
    setText(
      byId("watch-words"),
      status.driver === null ? "Nobody drives this." : "Someone else drives this; you watch.",
    );
    enableGallery(byId("cards"), driving);
    this.tunables.enable(driving && status.replay === null);
    this.tunables.show(status.tunables);
    this.toolbar.enable(driving && status.replay === null);
    this.transport.show(status, driving);
    this.gizmo.enable();
    this.held.show(status.held, driving && status.replay === null);
    show(byId("stopped"), status.stopped.length > 0);
    setText(byId("stopped"), status.stopped.join("\n"));
    (byId("gallery-button") as HTMLButtonElement).disabled = !driving;
    if (drove !== driving) {
      this.hands.releaseKeys();
      this.hands.forget();
      this.gizmo.forget();
    }
  }

  private hearFrame(buffer: ArrayBuffer): void {
    const opened = this.view.opened;
    this.frames++;
    if (!opened) {
      return;
    }
    const { time: before, count } = opened.frame;
    const wrong = opened.frame.read(buffer);
    if (wrong) {
      this.countMalformed(wrong);
    }
    if (opened.frame.count === count) {
      return;
    }
    if (opened.frame.time < before && this.status.replay === null) {
      // The scene began again, perhaps by another page: its own script leads the tools.
      this.hands.open(opened.info.tools);
      this.gizmo.forget();
    }
    this.plots.sample(opened.frame);
  }

  private countMalformed(what: string): void {
    this.malformed++;
    setText(byId("malformed"), String(this.malformed));
    show(byId("malformed-row"), true);
    if (this.malformed === 1) {
      this.toasts.say(
        `The program sent ${what}; it was left out. The page and the program may be of different versions.`,
        "warning",
      );
    }
  }

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    const dt = Math.min((now - this.lastTick) / 1000, 0.1);
    this.lastTick = now;
    this.hands.tick(now, dt, this.slowly);
    this.gizmo.tick(now);
    this.view.draw(now);
    const opened = this.view.opened;
    if (opened && opened.frame.count > 0) {
      this.transport.showTime(opened.frame.time);
      this.panel.update(opened.frame, this.status, now);
      this.plots.draw(opened.frame, now);
      this.toolbar.update(opened.frame, now);
      this.display.update();
    }
  }

  private setState(state: State): void {
    document.documentElement.dataset.state = state;
  }
}

declare global {
  interface Window {
    /** For tests and pictures. */
    serosa?: {
      /** Where the tip of a tool is on the screen [px]. */
      toolScreen(tool: number): { x: number; y: number } | null;
      /** Where the middle of the gizmo is on the screen [px], and which part of it is under the pointer. */
      gizmoScreen(): { x: number; y: number; axis: string | null } | null;
      /** Frames received. */
      frames(): number;
      /** Triangles of the last picture. */
      triangles(): number;
      /** Lines of the last picture. */
      lines(): number;
      /** Whether a scene has been drawn at least twice. */
      screenshotReady(): boolean;
    };
  }
}

/** Starts the page, or says why it cannot be started. */
function start(): void {
  const shot = new URLSearchParams(location.search).get("shot") === "1";
  document.documentElement.classList.toggle("shot", shot);
  document.documentElement.dataset.state = "connecting";
  if (window.matchMedia("(max-width: 900px)").matches) {
    document.documentElement.classList.add("panel-closed");
  }
  const toasts = new Toasts(byId("toasts"));
  const tell = (what: string): HTMLElement =>
    toasts.say(`The page made a mistake: ${what}. Loading it again may help.`, "warning");
  window.addEventListener("error", (event) => tell(event.message));
  window.addEventListener("unhandledrejection", (event) => tell(String(event.reason)));
  try {
    new Page(shot);
  } catch (error) {
    if (error instanceof Error && error.name === "NoWebGl") {
      coverNoWebGl();
    } else {
      throw error;
    }
  }
}

start();

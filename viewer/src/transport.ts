// Time: play, pause, step, reset, speed, record, replay and scrub.

import { byId, el, icon, setText, show } from "./dom";
import { clock, digits } from "./format";
import type { Status, ToServer } from "./wire";

const PLAY = "M7 4.5v15l12-7.5z";
const PAUSE = "M6.5 5h4v14h-4zM13.5 5h4v14h-4z";
/** A seek is sent no more often than this while scrubbing [ms]. */
const SEEK_MS = 70;

/** The bar below the view. */
export class Transport {
  private readonly play = byId("play");
  private readonly speed = byId("speed") as HTMLInputElement;
  private readonly scrub = byId("scrub") as HTMLInputElement;
  private readonly recordings = byId("recordings") as HTMLSelectElement;
  private status: Status | null = null;
  private scrubbing = false;
  private speeding = false;
  private lastSeek = 0;
  private playing: boolean | null = null;

  /** Sends what the user asks for. */
  constructor(
    private readonly send: (message: ToServer) => void,
    private readonly onReset: () => void,
  ) {
    this.play.addEventListener("click", () => this.playPause());
    byId("step").addEventListener("click", () => this.step());
    byId("reset").addEventListener("click", () => this.reset());
    byId("record").addEventListener("click", () => send({ type: "record" }));
    byId("stop").addEventListener("click", () => send({ type: "stop" }));
    byId("leave-replay").addEventListener("click", () => send({ type: "stop" }));
    this.speed.addEventListener("input", () => this.chooseSpeed());
    this.speed.addEventListener("change", () => (this.speeding = false));
    this.recordings.addEventListener("change", () => {
      if (this.recordings.value) {
        send({ type: "replay", name: this.recordings.value });
        this.recordings.value = "";
      }
    });
    this.scrub.addEventListener("input", () => this.seek(false));
    this.scrub.addEventListener("change", () => this.seek(true));
  }

  /** Runs or stands still. */
  playPause(): void {
    this.send({ type: this.status?.playing ? "pause" : "play" });
  }

  /** One step; a running scene is paused first. */
  step(): void {
    if (this.status?.playing) {
      this.send({ type: "pause" });
    }
    this.send({ type: "step" });
  }

  /** Begins again. */
  reset(): void {
    this.send({ type: "reset" });
    this.onReset();
  }

  /** Shows how things stand. */
  show(status: Status, driving: boolean): void {
    this.status = status;
    if (this.playing !== status.playing) {
      this.playing = status.playing;
      this.play.replaceChildren(icon(status.playing ? PAUSE : PLAY));
      this.play.title = status.playing ? "Pause (Space)" : "Play (Space)";
      this.play.setAttribute("aria-label", status.playing ? "Pause" : "Play");
    }
    if (!this.speeding) {
      this.speed.value = String(status.speed);
      setText(byId("speed-value"), `${digits(status.speed, 2)} ×`);
    }
    const replaying = status.replay !== null;
    show(byId("record"), !replaying && status.recording === null);
    show(byId("stop"), !replaying && status.recording !== null);
    show(byId("replay-bar"), replaying);
    show(byId("recordings-box"), !replaying && status.recording === null && status.recordings.length > 0);
    this.listRecordings(status.recordings);
    this.showReplay(status);
    for (const id of ["play", "step", "reset", "speed", "record", "stop", "recordings", "scrub", "leave-replay"]) {
      (byId(id) as HTMLButtonElement).disabled = !driving;
    }
    (byId("reset") as HTMLButtonElement).disabled = !driving || replaying;
  }

  /** Shows the time of the frame. */
  showTime(time: number): void {
    setText(byId("time"), clock(time));
    if (this.status?.recording) {
      // A recording begins with the scene, so the scene's time is its length.
      setText(byId("recorded"), clock(time));
    }
    if (this.status?.replay && !this.scrubbing) {
      this.scrub.value = String(time);
    }
    if (this.status?.replay) {
      setText(byId("scrub-time"), `${clock(time)} of ${clock(this.status.replay.duration_s)}`);
    }
  }

  private chooseSpeed(): void {
    this.speeding = true;
    let value = Number(this.speed.value);
    // Real time is the speed that is wanted most, so it catches.
    if (Math.abs(value - 1) < 0.11) {
      value = 1;
      this.speed.value = "1";
    }
    setText(byId("speed-value"), `${digits(value, 2)} ×`);
    this.send({ type: "speed", value });
  }

  private seek(last: boolean): void {
    this.scrubbing = !last;
    const now = performance.now();
    if (last || now - this.lastSeek > SEEK_MS) {
      this.lastSeek = now;
      this.send({ type: "seek", time_s: Number(this.scrub.value) });
    }
  }

  private listRecordings(names: string[]): void {
    const key = names.join("\n");
    if (this.recordings.dataset.names !== key) {
      this.recordings.dataset.names = key;
      this.recordings.replaceChildren(
        el("option", { value: "", text: "Replay…" }),
        ...names.map((name) => el("option", { value: name, text: name })),
      );
    }
  }

  private showReplay(status: Status): void {
    const { replay } = status;
    if (!replay) {
      this.scrubbing = false;
      return;
    }
    this.scrub.max = String(replay.duration_s);
    this.scrub.step = String(Math.max(replay.duration_s / 1000, 0.001));
    setText(byId("replay-name"), `Replay of ${replay.name}`);
    const differs = byId("replay-differs");
    show(differs, replay.differs_at_s !== null);
    if (replay.differs_at_s !== null) {
      setText(differs, `From ${digits(replay.differs_at_s, 4)} s on, this replay differs from what was recorded.`);
    }
  }
}

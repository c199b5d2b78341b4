// The WebSocket to the program: it comes back by itself, and tells the page how it stands.

import type { Door, Refusal, ToPage, ToServer } from "./wire";

/** How the connection stands. `lost` and `refused` both try again, the latter without hurry. */
export type Link = "connecting" | "open" | "lost" | "refused";

/** What the connection reports. */
export interface Listener {
  /** A message in words. */
  onText(message: ToPage): void;
  /** A frame. */
  onFrame(buffer: ArrayBuffer): void;
  /** The connection stands otherwise than before; where it is refused, why. */
  onLink(link: Link, refusal?: Refusal): void;
  /** A message that could not be read. */
  onMalformed(what: string): void;
}

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 5000;

/** A WebSocket that reconnects. */
export class Connection {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT_MS;
  private timer = 0;
  private refused = false;
  private readonly address: string | null;

  /** The token is in the page's own address; without one there is nothing to connect to. */
  constructor(private readonly listener: Listener) {
    const token = new URLSearchParams(location.search).get("token");
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.address = token ? `${scheme}://${location.host}/ws?token=${encodeURIComponent(token)}` : null;
    window.addEventListener("online", () => this.hurry());
    document.addEventListener("visibilitychange", () => this.hurry());
  }

  /** Connects for the first time. */
  start(): void {
    if (!this.address) {
      this.listener.onLink("refused", "token");
      return;
    }
    this.listener.onLink("connecting");
    this.connect(this.address);
  }

  /** Sends a message; without a connection it is dropped, and false is returned. */
  send(message: ToServer): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) {
      return false;
    }
    this.socket.send(JSON.stringify(message));
    return true;
  }

  private connect(address: string): void {
    let opened = false;
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      opened = true;
      this.refused = false;
      this.wait = FIRST_WAIT_MS;
      this.listener.onLink("open");
    };
    socket.onmessage = (event: MessageEvent<unknown>) => this.hear(event.data);
    socket.onclose = () => {
      this.socket = null;
      void this.lost(address, opened);
    };
  }

  private hear(data: unknown): void {
    if (data instanceof ArrayBuffer) {
      this.listener.onFrame(data);
    } else if (typeof data === "string") {
      let message: ToPage;
      try {
        message = JSON.parse(data) as ToPage;
      } catch {
        this.listener.onMalformed("a message that is not JSON");
        return;
      }
      this.listener.onText(message);
    }
  }

  /** A browser does not say why a WebSocket failed; the program does, if it is there. */
  private async lost(address: string, opened: boolean): Promise<void> {
    if (!this.refused) {
      this.listener.onLink("lost");
    }
    const refusal = opened ? null : await askAtDoor();
    this.refused = refusal !== null;
    if (refusal) {
      this.listener.onLink("refused", refusal);
      this.wait = LONGEST_WAIT_MS;
    }
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      this.connect(address);
    }, this.wait);
    this.wait = Math.min(this.wait * 1.7, LONGEST_WAIT_MS);
  }

  /** Where a wait is under way and the user looks, tries at once. */
  private hurry(): void {
    if (this.timer !== 0 && this.address && document.visibilityState === "visible") {
      window.clearTimeout(this.timer);
      this.timer = 0;
      this.connect(this.address);
    }
  }
}

/** Why the program does not let this page in; null where it would, or does not answer. */
async function askAtDoor(): Promise<Refusal | null> {
  try {
    const answer = await fetch(`/door${location.search}`, { method: "POST", cache: "no-store" });
    return answer.ok ? ((await answer.json()) as Door).refused : null;
  } catch {
    return null;
  }
}

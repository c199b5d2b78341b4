// The WebSocket to the program: it comes back by itself, and tells the page how it stands.

import type { ToPage, ToServer } from "./wire";

/** How the connection stands. `refused` is final; `lost` tries again. */
export type Link = "connecting" | "open" | "lost" | "refused";

/** What the connection reports. */
export interface Listener {
  /** A message in words. */
  onText(message: ToPage): void;
  /** A frame. */
  onFrame(buffer: ArrayBuffer): void;
  /** The connection stands otherwise than before. */
  onLink(link: Link): void;
  /** A message that could not be read. */
  onMalformed(what: string): void;
}

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 5000;
/** The close code with which a server says that it will not have this page. */
const POLICY = 1008;

/** A WebSocket that reconnects. */
export class Connection {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT_MS;
  private timer = 0;
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
      this.listener.onLink("refused");
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
      this.wait = FIRST_WAIT_MS;
      this.listener.onLink("open");
    };
    socket.onmessage = (event: MessageEvent<unknown>) => this.hear(event.data);
    socket.onclose = (event) => {
      this.socket = null;
      if (event.code === POLICY) {
        this.listener.onLink("refused");
      } else {
        void this.lost(address, opened);
      }
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

  /** A browser does not say why a WebSocket failed, so the page asks the server for itself: 401 and 403 are final. */
  private async lost(address: string, opened: boolean): Promise<void> {
    this.listener.onLink("lost");
    if (!opened && (await refuses())) {
      this.listener.onLink("refused");
      return;
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

async function refuses(): Promise<boolean> {
  try {
    const answer = await fetch(location.pathname + location.search, { cache: "no-store" });
    return answer.status === 401 || answer.status === 403;
  } catch {
    return false;
  }
}

// A page that draws nothing and drives: it brings a scene to an exact moment, however slow the drawing is.

import { sleep, until } from "./browser.mjs";

/** Steps asked for at once; the program's queue holds more than twice as many. */
const AT_ONCE = 100;

/** In the page: connects, and keeps what is said last. */
function connect(address) {
  const link = new WebSocket(address);
  link.binaryType = "arraybuffer";
  window.heard = { link, time: -1, dt: 0, playing: null };
  link.onmessage = ({ data }) => {
    if (typeof data !== "string") {
      window.heard.time = new DataView(data).getFloat64(8, true);
      return;
    }
    const message = JSON.parse(data);
    if (message.type === "scene" && message.scene) {
      window.heard.dt = message.scene.dt_s;
    } else if (message.type === "status") {
      window.heard.playing = message.playing;
    }
  };
  return new Promise((done, fail) => {
    link.onopen = () => done();
    link.onerror = () => fail(new Error("the program refuses the driver; is its token right?"));
  });
}

/** The driver of a lab's program. */
export class Driver {
  /** Connects from a file of the program's own, since it lets in its own pages only. */
  static async start(lab) {
    const { port, token } = lab.program;
    const page = await lab.browser.newPage();
    await page.goto(`http://127.0.0.1:${port}/app.css`);
    await page.evaluate(connect, `ws://127.0.0.1:${port}/ws?token=${token}`);
    return new Driver(page);
  }

  constructor(page) {
    this.page = page;
  }

  /** Lets go; the page that has been there longest drives then. */
  end() {
    return this.page.close();
  }

  /** Sends a message, once or more often. */
  say(message, times = 1) {
    const send = ([text, times]) => {
      for (let i = 0; i < times; i++) {
        window.heard.link.send(text);
      }
    };
    return this.page.evaluate(send, [JSON.stringify(message), times]);
  }

  /** Simulated time, length of a step, and whether time runs. */
  heard() {
    return this.page.evaluate(() => ({ time: window.heard.time, dt: window.heard.dt, playing: window.heard.playing }));
  }

  /** Begins the scene again and leaves it standing at the step nearest to a time [s]. */
  async standAt(moment) {
    await this.say({ type: "pause" });
    await this.say({ type: "reset" });
    await until("the scene should begin again", async () => (await this.heard()).time === 0);
    const { dt } = await this.heard();
    const wanted = Math.round(moment / dt);
    await this.say({ type: "play" });
    await until("the moment should come near", async () => (await this.heard()).time > moment - 0.5, 120_000);
    await this.say({ type: "pause" });
    await until("the scene should stand", async () => (await this.heard()).playing === false);
    await sleep(200);
    for (;;) {
      const { time } = await this.heard();
      const missing = wanted - Math.round(time / dt);
      if (missing <= 0) {
        return time;
      }
      const steps = Math.min(missing, AT_ONCE);
      await this.say({ type: "step" }, steps);
      const reached = time + (steps - 0.5) * dt;
      await until("the steps should be taken", async () => (await this.heard()).time > reached);
      // The program hears no more than 400 messages a second from one page.
      await sleep(300);
    }
  }
}

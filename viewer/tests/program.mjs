// The real program, started for a test in a folder of its own and ended with it.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
/** How long the program may take to say its address [ms]. */
const PATIENCE_MS = 60_000;

/** Programs that still run; none of them outlives the tests. */
const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/** Path of the program: `SEROSA_BIN`, or where cargo puts it. */
export function binary() {
  const path = resolve(process.env.SEROSA_BIN ?? join(ROOT, "target/release/serosa"));
  if (!existsSync(path)) {
    throw new Error(`${path} is missing: run \`cargo build --release\`, or name the program in SEROSA_BIN`);
  }
  return path;
}

/** What the program prints for a command that ends by itself. */
export function ask(...args) {
  const { status, stdout, stderr, error } = spawnSync(binary(), args, { encoding: "utf8" });
  if (status !== 0) {
    throw new Error(`serosa ${args.join(" ")} failed: ${error ?? stderr}`);
  }
  return stdout;
}

/** Names of the built-in scenes, in the order of the gallery. */
export function sceneNames() {
  return ask("scenes").split("\n").flatMap((line) => line.match(/^([\w-]+)\s/)?.[1] ?? []);
}

/** `serosa view` at a port, with its token. */
export class Program {
  /**
   * Starts it; with `like`, in the place of a program that has ended: same port and folder, therefore same token.
   * @param {{ scene?: string, like?: Program }} options
   */
  static async start({ scene, like } = {}) {
    const program = new Program();
    program.folder = like?.folder ?? mkdtempSync(join(tmpdir(), "serosa-page-"));
    const args = ["view", ...(scene ? [scene] : []), "--no-open", "--port", String(like?.port ?? 0)];
    program.child = spawn(binary(), args, {
      cwd: program.folder,
      // The token is kept under this folder: a test neither reads nor writes the user's own.
      env: { ...process.env, XDG_STATE_HOME: program.folder },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(program.child);
    program.gone = new Promise((done) => program.child.once("exit", done));
    const line = await program.#firstLine();
    const [, port, token] = line.match(/http:\/\/127\.0\.0\.1:(\d+)\/\?token=(\w+)/) ?? [];
    if (!token) {
      throw new Error(`the program should begin with its address, and said: ${line}`);
    }
    program.port = Number(port);
    program.token = token;
    return program;
  }

  /** The address of the page, with further options. */
  url(options = {}) {
    return `http://127.0.0.1:${this.port}/?${new URLSearchParams({ token: this.token, ...options })}`;
  }

  /** Ends it without a word, as a crash would. */
  async kill() {
    this.child.kill("SIGKILL");
    await this.gone;
    running.delete(this.child);
  }

  /** Ends it and takes its folder away. */
  async end() {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #firstLine() {
    let complaint = "";
    this.child.stderr.on("data", (data) => (complaint += data));
    return new Promise((done, fail) => {
      const late = setTimeout(() => fail(new Error(`the program says no address: ${complaint}`)), PATIENCE_MS);
      const ended = () => fail(new Error(`the program ended at once: ${complaint}`));
      this.child.once("error", fail);
      void this.gone.then(ended);
      createInterface({ input: this.child.stdout }).once("line", (line) => {
        clearTimeout(late);
        done(line);
      });
    });
  }
}

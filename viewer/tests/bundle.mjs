// Parts of the page without a browser: bundled and run in Node.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), "../src");

/** What a module of the page exports; `path` is that under viewer/src. */
export async function load(path) {
  const entryPoints = [join(SOURCE, path)];
  const { outputFiles } = await build({ entryPoints, bundle: true, format: "esm", write: false, logLevel: "error" });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

/** Enough of a document for textures, which nobody looks at. */
export function pretendDocument() {
  const context = new Proxy(
    { canvas: {}, createImageData: (w, h) => ({ data: new Uint8ClampedArray(4 * w * h) }) },
    { get: (own, name) => own[name] ?? (() => ({ addColorStop: () => undefined })), set: () => true },
  );
  globalThis.document = { createElement: () => ({ getContext: () => context }) };
}

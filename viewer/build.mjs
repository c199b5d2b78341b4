// Bundles the page: `node build.mjs OUTDIR` writes app.js, app.css and index.html there. It needs no network.

import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
if (!out) {
  console.error("Say where to write the page: node build.mjs OUTDIR");
  process.exit(2);
}

let esbuild;
try {
  esbuild = await import("esbuild");
} catch {
  console.error(`esbuild is missing: run \`npm ci\` in ${here}, then build again.`);
  process.exit(2);
}

mkdirSync(out, { recursive: true });
await esbuild.build({
  entryPoints: [join(here, "src", "main.ts")],
  outfile: join(out, "app.js"),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "eof",
  logLevel: "warning",
});
copyFileSync(join(here, "src", "index.html"), join(out, "index.html"));
copyFileSync(join(here, "src", "style.css"), join(out, "app.css"));

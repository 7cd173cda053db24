// Bundles `brezel` for require(): packages/brezel/dist/index.cjs (or the file named). Run at publish; a test loads the result.
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const entry = fileURLToPath(new URL('../packages/brezel/dist/index.js', import.meta.url));
const outfile = process.argv[2] ?? entry.replace(/\.js$/, '.cjs');

await build({
  entryPoints: [entry],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // Loaded at run time: the addon picks its binary, piscina its worker script.
  external: ['@brezel/native', 'piscina'],
  define: { 'import.meta.url': '__moduleUrl' },
  banner: { js: "const __moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
  logLevel: 'warning',
});

// What executors run is looked for beside the module that starts them.
const worker = fileURLToPath(new URL('../packages/runtime/dist/worker.mjs', import.meta.url));
copyFileSync(worker, join(dirname(outfile), 'worker.mjs'));

// The entry points of the published package that use the code cache. Each one is a small file that
// loads the rest of the code: with `code-cache.cjs` if the user names a folder for the cache,
// otherwise with `require`. `docs/adr/0024-code-cache.md` gives the reasons.
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = fileURLToPath(new URL('../../packages/brezel/src/code-cache/index.ts', import.meta.url));
const entries = new Set(['index', 'serve', 'cli']);

/**
 * Returns whether this is an entry point that uses the code cache. Returns false for chunks.
 *
 * @param {string} name the name of an entry point or of a chunk
 */
export const isCached = (name) => entries.has(name);

/** Returns the name of the file with the code of an entry point. */
export const mainOf = (name) => `${name}-main.cjs`;

/** Bundles the code that reads and writes the cache. */
export async function bundleCodeCache(out) {
  await build({
    entryPoints: [source],
    outfile: join(out, 'code-cache.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'warning',
  });
}

/**
 * Returns an entry point as a CommonJS module. Its last statement lists the exported names for
 * Node's ES module loader, which does not run the module to find them.
 */
export function cachedEntry(name, exports, bundle) {
  const file = mainOf(name);
  return `'use strict';
const load = () => require('./${file}');
const bundle = '${bundle}';
module.exports = process.env.BREZEL_CODE_CACHE
  ? require('./code-cache.cjs').loadCached({ folder: __dirname, file: '${file}', bundle }, load)
  : load();
0 && (module.exports = { ${[...exports].sort().join(', ')} });
`;
}

/**
 * Returns the SHA-256 of the contents of all files. The names of the cache files of a release
 * contain it.
 */
export function sha256(files) {
  const hash = createHash('sha256');
  for (const [name, text] of [...files].sort(([one], [other]) => (one < other ? -1 : 1)))
    hash.update(`${name}\0${text.length}\0${text}`);
  return hash.digest('hex');
}

/**
 * Converts `import()` of a literal module name to `require`, because the code cache cannot import.
 */
export const withRequire = (code) =>
  code.replace(/(?<![.\w])import\(("[^"]+")\)/g, 'Promise.resolve().then(() => require($1))');

/**
 * Returns the bundles that the code cache may load: the cached entry points and the chunks that
 * they import. Chunks that only worker threads import are not included.
 *
 * @param {import('esbuild').Metafile['outputs']} outputs
 * @returns {ReadonlySet<string>} their names, without extension
 */
export function cachedBundles(outputs) {
  const imported = new Map(
    Object.entries(outputs).map(([path, { imports }]) => [basename(path, '.js'), imports.map((one) => one.path)]),
  );
  const found = new Set([...imported.keys()].filter(isCached));
  // a set visits the names that are added during the loop
  for (const name of found)
    for (const path of imported.get(name) ?? []) if (path.endsWith('.js')) found.add(basename(path, '.js'));
  return found;
}

/** Throws if a file that the code cache may load imports a module whose name is computed. */
export function checkImports(file, code) {
  if (/(?<![.\w])import\(/.test(code))
    throw new Error(`${file} calls import(): the code cache cannot load it; use require, or a module of a worker`);
}

// Bundles each package into dist, with one file for each entry point. Without bundles, Node would
// create a module for each of some 600 files. `tsc -b` writes the declarations beside the bundles.
// Unchanged files are not written again. `docs/adr/0017-one-published-package.md` gives the reasons
// and the measured effect.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeWeb } from './bundle-web.mjs';
import {
  bundledPackages,
  entryPoints,
  inlinedLibraries,
  moduleEntryPoints,
  scriptEntryPoints,
  withClassNames,
} from './entry-points.mjs';

const packages = fileURLToPath(new URL('../packages', import.meta.url));

/** Files that `writeWeb` copies into dist of `brezel`. */
const copied = new Set(['kernels.wasm']);

const options = {
  bundle: true,
  write: false,
  mainFields: ['module', 'main'],
  platform: 'node',
  format: 'esm',
  target: 'node20',
  alias: Object.fromEntries(bundledPackages.map((name) => [name, sourceOf(name)])),
  sourcemap: 'linked',
  sourcesContent: false,
  // Chunks of shared code are in dist itself, as all entry points are, so that
  // `new URL('./worker.mjs', import.meta.url)` works in shared code.
  chunkNames: '[name]-[hash]',
  logLevel: 'warning',
};

/**
 * An esbuild plugin. It bundles the file of an import that ends in `?bundle`, such as the script of
 * a page, into one text. The bundle of the package contains the text, so that a server reads no
 * other files.
 */
const textBundles = {
  name: 'text-bundles',
  setup(builder) {
    builder.onResolve({ filter: /\?bundle$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace(/\?bundle$/, '')),
      namespace: 'text-bundle',
    }));
    builder.onLoad({ filter: /.*/, namespace: 'text-bundle' }, async ({ path }) => {
      const text = path.endsWith('.html') ? readFileSync(path, 'utf8') : await browserBundle(path);
      return { contents: `export const text = ${JSON.stringify(text)};`, watchFiles: [path] };
    });
  },
};

/** Returns the source of an internal package whose code is bundled into others. */
function sourceOf(name) {
  return join(packages, name.replace('@brezel/', ''), 'src/index.ts');
}

async function browserBundle(path) {
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}

const names = readdirSync(packages).filter((name) => existsSync(join(packages, name, 'src/index.ts')));
await Promise.all(names.map(bundle));
await writeWeb(join(packages, 'brezel/dist'));

async function bundle(name) {
  const [src, outdir] = [join(packages, name, 'src'), join(packages, name, 'dist')];
  const sources = (entries, extension) =>
    Object.entries(entries).map(([out, file]) => ({ out, in: join(src, `${file}.${extension}`) }));
  const external = externals(name);
  const built = await Promise.all([
    build({
      ...options,
      external,
      outdir,
      plugins: [textBundles],
      splitting: true,
      entryPoints: sources({ index: 'index', ...entryPoints[name] }, 'ts'),
    }),
    build({
      ...options,
      external,
      outdir,
      outExtension: { '.js': '.mjs' },
      entryPoints: sources(moduleEntryPoints[name] ?? {}, 'mts'),
    }),
    build({
      ...options,
      external,
      outdir,
      format: 'cjs',
      outExtension: { '.js': '.cjs' },
      entryPoints: sources(scriptEntryPoints[name] ?? {}, 'cts'),
    }),
  ]);
  const files = new Map(
    built.flatMap(({ outputFiles }) => outputFiles).map(({ path, text }) => [path, withClassNames(text)]),
  );
  for (const [path, text] of files) checkUrls(path, text, files);
  for (const [path, text] of files) write(path, text);
  for (const path of modulesIn(outdir)) if (!files.has(path) && basename(path) !== 'web.js') rmSync(path);
}

/**
 * Returns the packages that a bundle must not contain, so that each class and each table exists
 * once.
 */
function externals(name) {
  const {
    dependencies = {},
    peerDependencies = {},
    optionalDependencies = {},
  } = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'));
  const used = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
  return used.filter((dependency) => !inlinedLibraries.includes(dependency));
}

/** Checks that every file that a module names by a relative URL exists. */
function checkUrls(path, text, files) {
  if (path.endsWith('.map')) return;
  for (const [, url] of text.matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g)) {
    const target = join(dirname(path), url);
    if (copied.has(basename(target))) continue;
    if (!files.has(target) && !(basename(target) === 'package.json' && existsSync(target)))
      throw new Error(`${relative(packages, path)} names ${url}: no entry point of scripts/entry-points.mjs`);
  }
}

function write(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Returns the modules in a folder and their source maps. */
function modulesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.js(\.map)?$/.test(file))
    .map((file) => join(folder, file.split('/').join(sep)));
}

// Bundles `brezel` as it is published: all internal packages in one folder. `import` and `require`
// of `brezel` and of `brezel/serve` then share one copy of every class. The implementation is
// CommonJS, which every Node from version 20 loads with `import` and with `require`. Each entry
// point also has an ES module that exports the same names.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import {
  entryPoints,
  inlinedLibraries,
  moduleEntryPoints,
  optionalPackages,
  scriptEntryPoints,
  withClassNames,
} from '../entry-points.mjs';
import {
  bundleCodeCache,
  cachedBundles,
  cachedEntry,
  checkImports,
  isCached,
  mainOf,
  sha256,
  withRequire,
} from './code-cache.mjs';
import { withLazyBuiltins } from './lazy-builtins.mjs';

const packages = fileURLToPath(new URL('../../packages', import.meta.url));
const nativeLoader = fileURLToPath(new URL('../../native/index.cjs', import.meta.url));

/**
 * The modules that source files import by a package name. Each has the name of its file in the
 * published package.
 */
const namedModules = {
  '@brezel/core/thread-entry': './thread-entry.cjs',
  '@brezel/onnxruntime/worker': './onnxruntime-worker.js',
  '@brezel/onnxruntime/probe-child': './onnxruntime-probe.js',
  '@brezel/tfjs/worker': './tfjs-worker.js',
  '@brezel/native': './native.cjs',
};

/** Entry points that only the workspace has. They are not published. */
const unpublished = new Set(['internal', 'explain-views', 'bench-measure', 'bench-statistics']);

/**
 * Writes the JavaScript of the published package.
 *
 * @param {string} out its dist folder
 * @returns {Promise<string[]>} the libraries that it imports; each is a dependency of the published
 * package
 */
export async function bundleBrezel(out) {
  mkdirSync(out, { recursive: true });
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: sources(),
    outdir: out,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    metafile: true,
    plugins: [workspaceSources],
  });
  const cached = cachedBundles(metafile.outputs);
  const files = new Map();
  for (const { path, text } of outputFiles) {
    const name = basename(path, '.js');
    const file = isCached(name) ? mainOf(name) : `${name}.cjs`;
    const code = withoutPackageNames(await commonJs(withClassNames(text)), name);
    if (cached.has(name)) checkImports(file, code);
    files.set(file, code);
  }
  for (const [file, text] of files) write(out, file, text);
  const bundle = sha256(files);
  for (const [path, { entryPoint, exports }] of Object.entries(metafile.outputs)) {
    const name = basename(path, '.js');
    if (entryPoint && isCached(name)) write(out, `${name}.cjs`, cachedEntry(name, exports, bundle));
  }
  await bundleCodeCache(out);
  for (const [path, { entryPoint, exports }] of Object.entries(metafile.outputs))
    if (entryPoint) write(out, esModuleOf(basename(path, '.js')), esModule(basename(path, '.js'), exports));
  await bundleScripts(out);
  write(out, 'native.cjs', await loaderOfAddon());
  return librariesOf(metafile);
}

const options = {
  bundle: true,
  write: false,
  mainFields: ['module', 'main'],
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
};

/** Returns the loader of the addon as one CommonJS file. */
async function loaderOfAddon() {
  const { outputFiles } = await build({ ...options, format: 'cjs', entryPoints: [nativeLoader] });
  return outputFiles[0].text;
}

/** Returns a map from each bundle in `dist` to the source file of its entry point. */
function sources() {
  const files = { index: join(packages, 'brezel/src/index.ts'), cli: join(packages, 'cli/src/index.ts') };
  for (const [extension, table] of [
    ['ts', entryPoints],
    ['mts', moduleEntryPoints],
  ]) {
    for (const [name, entries] of Object.entries(table))
      for (const [out, file] of Object.entries(entries))
        if (!unpublished.has(out)) files[out] = join(packages, name, 'src', `${file}.${extension}`);
  }
  return files;
}

/**
 * A plugin that resolves imports of our packages to their sources. Imports of other packages stay
 * imports, except the inlined libraries.
 */
export const workspaceSources = {
  name: 'workspace-sources',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      // the importer is in an inlined library, so its imports are bundled too
      const isOfLibrary = importer.includes('/node_modules/');
      if (kind === 'entry-point' || isOfLibrary) return undefined;
      const [, scope, name, entry] = /^(@brezel\/)?([\w-]+)(?:\/([\w-]+))?$/.exec(path) ?? [];
      if (optionalPackages.includes(path)) return { path, external: true };
      if (scope || name === 'brezel') {
        const file = entry ? entryPoints[name]?.[entry] : 'index';
        if (name !== 'native' && file) return { path: join(packages, name, 'src', `${file}.ts`) };
      }
      return inlinedLibraries.some((library) => path === library || path.startsWith(`${library}/`))
        ? undefined
        : { path, external: true };
    });
  },
};

/**
 * Converts a module to CommonJS. The result requires .cjs files instead of .js files, and computes
 * the value of `import.meta.url` from its file name.
 */
async function commonJs(text) {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    define: { 'import.meta.url': '__moduleUrl' },
  });
  const linked = withRequire(withLazyBuiltins(code)).replace(/require\("\.\/([\w-]+)\.js"\)/g, 'require("./$1.cjs")');
  const url = "const __moduleUrl = require('node:url').pathToFileURL(__filename).href;\n";
  return linked.includes('__moduleUrl') ? linked.replace(/^("use strict";\n)?/, `$1${url}`) : linked;
}

/**
 * Returns the file name of an ES module. The worker of executors keeps the extension .mjs, because
 * its URL has this extension.
 */
const esModuleOf = (name) => (Object.hasOwn(moduleEntryPoints.runtime, name) ? `${name}.mjs` : `${name}.js`);

/** Returns an ES module that exports the names that a CommonJS module exports. */
function esModule(name, exports) {
  const names = exports.filter((exported) => exported !== 'default').sort();
  return [
    names.length > 0 && `export {\n${names.map((exported) => `  ${exported},\n`).join('')}} from './${name}.cjs';`,
    exports.includes('default') && `import commonJs from './${name}.cjs';\nexport default commonJs.default;`,
    exports.length === 0 && `import './${name}.cjs';`,
  ]
    .filter(Boolean)
    .join('\n')
    .concat('\n');
}

/**
 * Replaces the names of internal packages by their files. Throws if a name of an internal package
 * remains.
 */
function withoutPackageNames(code, name) {
  const text = code.replace(/(["'])(@brezel\/[\w/-]+)\1/g, (quoted, _, module) =>
    namedModules[module] ? JSON.stringify(namedModules[module]) : quoted,
  );
  const named = [...text.matchAll(/["'`](@brezel\/(?!native-)[\w/-]+)["'`]/g)];
  const left = named.find(([, module]) => !optionalPackages.includes(module));
  if (left) throw new Error(`${name}.cjs names ${left[1]}: add it to namedModules of scripts/release/bundle.mjs`);
  return text;
}

/** Bundles sources that are already CommonJS. */
async function bundleScripts(out) {
  for (const [name, entries] of Object.entries(scriptEntryPoints))
    for (const [file, source] of Object.entries(entries)) {
      const entry = join(packages, name, 'src', `${source}.cts`);
      const { outputFiles } = await build({ ...options, format: 'cjs', entryPoints: [entry] });
      write(out, `${file}.cjs`, outputFiles[0].text);
    }
}

/** Returns the packages that the bundle imports, except optional packages and modules of Node. */
function librariesOf({ inputs }) {
  const imported = Object.values(inputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
  const names = imported.map(({ path }) =>
    path
      .split('/')
      .slice(0, path.startsWith('@') ? 2 : 1)
      .join('/'),
  );
  return [...new Set(names)]
    .filter((name) => !name.startsWith('node:') && name !== '<runtime>' && !optionalPackages.includes(name))
    .sort();
}

/**
 * Writes a file. Throws if the file exists, because two entry points then have the same name.
 *
 * @param {string} folder
 * @param {string} name
 * @param {string} text
 */
function write(folder, name, text) {
  const file = join(folder, name);
  if (existsSync(file)) throw new Error(`two entry points are called ${name}`);
  writeFileSync(file, text);
}

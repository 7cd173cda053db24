// Writes the build of `brezel` that bundlers take, by the export condition "module". It consists of
// ES modules and names no file: worker threads and the thread pool are in the bundle. A program can
// therefore be one file. `docs/adr/0023-build-for-bundlers.md` gives the reasons.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { build, transform } from 'esbuild';
import { entryPoints, moduleEntryPoints, subpaths, withClassNames } from '../entry-points.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const packages = join(root, 'packages');
const inBundle = fileURLToPath(new URL('in-bundle', import.meta.url));
const piscina = join(root, 'node_modules/piscina/dist');

/**
 * The value that replaces `import.meta.url`. `new URL('./worker.mjs', BUNDLE_URL)` then identifies
 * a worker thread.
 */
const BUNDLE_URL = 'brezel:///';
const [, INTERFACE] = /^const INTERFACE = '(\w+)';$/m.exec(readFileSync(join(root, 'native/index.cjs'), 'utf8'));

/** The source code of worker threads, by the name of their entry point. */
const threads = Object.fromEntries(
  ['plan-worker', 'import-worker', 'onnxruntime-worker', 'tfjs-worker', 'worker'].map((name) => [name, sourceOf(name)]),
);

/**
 * Writes the build of brezel that bundlers such as webpack use.
 *
 * @param {string} out a folder
 * @param {import('esbuild').Plugin} workspaceSources resolves imports of internal packages
 * @param {string} version of brezel
 */
export async function buildForBundlers(out, workspaceSources, version) {
  const names = Object.keys(threads);
  const sources = await Promise.all(names.map((name) => threadProgram(threads[name], workspaceSources, version)));
  const compressed = sources.map((text) => deflateRawSync(text, { level: 9 }).toString('base64'));
  const { outputFiles } = await build({
    ...options,
    format: 'esm',
    outdir: out,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    entryPoints: {
      index: join(packages, 'brezel/src/index.ts'),
      ...Object.fromEntries(
        subpaths.map((name) => [name, join(packages, 'brezel/src', `${entryPoints.brezel[name]}.ts`)]),
      ),
    },
    plugins: [
      inTheBundle(version, 'parts-of-program.mjs'),
      compressedKernels,
      threadSources(Object.fromEntries(names.map((name, index) => [name, compressed[index]]))),
      inlinedPiscina,
      workspaceSources,
    ],
  });
  mkdirSync(out, { recursive: true });
  for (const { path, text } of outputFiles) {
    const { code } = await transform(withClassNames(text), { format: 'esm', minifyWhitespace: true });
    writeFileSync(join(out, basename(path)), code);
  }
}

const options = {
  bundle: true,
  write: false,
  mainFields: ['module', 'main'],
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  minifySyntax: true,
  define: {
    'import.meta.url': JSON.stringify(BUNDLE_URL),
    __dirname: '"/"', // piscina's folder, which worker-threads.mjs ignores
    BUNDLE_URL: JSON.stringify(BUNDLE_URL),
    INTERFACE: JSON.stringify(INTERFACE),
  },
};

/**
 * Matches the source of the worker threads that `packages/brezel/src/importing/start-thread.ts`
 * starts. These threads run without piscina.
 */
const withoutPool = /[/\\]importing[/\\]worker\.ts$/;

/** Returns the source file of a worker thread. */
function sourceOf(name) {
  for (const [extension, table] of [
    ['ts', entryPoints],
    ['mts', moduleEntryPoints],
  ])
    for (const [folder, entries] of Object.entries(table))
      if (entries[name]) return join(packages, folder, 'src', `${entries[name]}.${extension}`);
  throw new Error(`scripts/entry-points.mjs has no ${name}`);
}

/**
 * Returns the script of a worker thread. The script imports no packages, except optional packages.
 * Piscina's worker, which is in the script, requires a module of tasks by its path. For the path
 * `/brezel-thread`, `require` returns the exports of the script itself. A script without piscina
 * answers messages itself.
 */
async function threadProgram(source, workspaceSources, version) {
  const program = withoutPool.test(source)
    ? `import ${JSON.stringify(source)};`
    : `
        import { workerData } from 'node:worker_threads';
        import * as tasks from ${JSON.stringify(source)};
        import ${JSON.stringify(join(piscina, 'worker.js'))};
        export default (task) => tasks[workerData.name](task);
      `;
  const { outputFiles } = await build({
    ...options,
    format: 'cjs',
    minify: true,
    keepNames: true, // errors show the names of classes
    stdin: { resolveDir: root, contents: program },
    external: ['@napi-rs/nice'],
    plugins: [inTheBundle(version, 'parts-of-thread.mjs'), inlinedPackages, workspaceSources],
  });
  return (
    '((nodeRequire) => { const module = { exports: {} }; ' +
    "const require = (name) => (name === '/brezel-thread' ? module.exports : nodeRequire(name));\n" +
    `${outputFiles[0].text}\n})(require);`
  );
}

/** Returns a plugin that replaces the modules that search for files. */
const inTheBundle = (version, parts) => ({
  name: 'in-the-bundle',
  setup({ onResolve, onLoad }) {
    const isSource = (importer) => importer.startsWith(packages);
    onResolve({ filter: /^node:module$/ }, ({ importer }) =>
      isSource(importer) ? { path: join(inBundle, 'module.mjs') } : undefined,
    );
    onResolve({ filter: /^\.\/parts\.mjs$/ }, () => ({ path: join(inBundle, parts) }));
    onLoad({ filter: /[/\\]brezel[/\\]src[/\\]version\.ts$/ }, () => ({
      contents: `export const version = () => ${JSON.stringify(version)};`,
    }));
    onLoad({ filter: /[/\\]importing[/\\]start-thread\.ts$/ }, () => ({
      resolveDir: inBundle,
      contents: `
        import { Worker } from './worker-threads.mjs';
        export const startThread = (resourceLimits) =>
          new Worker(undefined, { resourceLimits, workerData: { module: 'import-worker.js' } });
      `,
    }));
    onLoad({ filter: /[/\\]brezel[/\\]src[/\\]is-bundled\.ts$/ }, () => ({
      contents: 'export const isBundled = true;',
    }));
    onLoad({ filter: /[/\\]brezel[/\\]src[/\\]wasm[/\\]kernels-file\.ts$/ }, () => ({
      resolveDir: inBundle,
      contents: `export { kernelsFile } from './${parts.replace('parts', 'kernels')}';`,
    }));
  },
});

/** An esbuild plugin that puts the kernels in WebAssembly into the bundle, compressed. */
const compressedKernels = {
  name: 'compressed-kernels',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^brezel:kernels$/ }, ({ path }) => ({ path, namespace: 'kernels' }));
    onLoad({ filter: /.*/, namespace: 'kernels' }, () => {
      const bytes = readFileSync(join(root, 'native/wasm/kernels.wasm'));
      return { contents: JSON.stringify(deflateRawSync(bytes, { level: 9 }).toString('base64')), loader: 'json' };
    });
  },
};

const threadSources = (compressed) => ({
  name: 'thread-sources',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^brezel:thread-sources$/ }, ({ path }) => ({ path, namespace: 'thread-sources' }));
    onLoad({ filter: /.*/, namespace: 'thread-sources' }, () => ({
      contents: JSON.stringify(compressed),
      loader: 'json',
    }));
  },
});

/**
 * An esbuild plugin that inlines piscina. The threads of piscina then start from a string. An ES
 * module has no `require`, so the `require` calls of Node's modules become imports. They are
 * default imports, because webpack removes named imports that it considers unused.
 */
const inlinedPiscina = {
  name: 'inlined-piscina',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^piscina$/ }, () => ({ path: join(piscina, 'main.js') }));
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'require-call' ? { path, namespace: 'required' } : { path, external: true },
    );
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({ contents: required(path), resolveDir: inBundle }));
    onResolve({ filter: /^default-of:/ }, ({ path }) => ({
      path: path.slice('default-of:'.length),
      namespace: 'default',
    }));
    onLoad({ filter: /.*/, namespace: 'default' }, ({ path }) => ({ contents: `export { default } from '${path}';` }));
  },
};

/** Returns the CommonJS module that replaces a module of Node in piscina. */
const required = (path) =>
  path === 'node:worker_threads'
    ? `module.exports = { ...require('default-of:${path}').default, ...require('./worker-threads.mjs') };`
    : `module.exports = require('default-of:${path}').default;`;

/**
 * An esbuild plugin that inlines every package, because a thread that starts from a string cannot
 * find node_modules.
 */
const inlinedPackages = {
  name: 'inlined-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^piscina$/ }, () => ({ path: join(piscina, 'main.js') }));
    onResolve({ filter: /^(re2js|@bufbuild\/protobuf)/ }, ({ path }) => ({
      path: fileURLToPath(import.meta.resolve(path)),
    }));
  },
};

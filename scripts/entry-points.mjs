// The entry points of each package besides index.ts: files that package.json names, and files that
// are started by their URL. scripts/build-bundles.mjs bundles each package for this workspace;
// scripts/release/bundle.mjs bundles all packages into `brezel`.

/**
 * For each package, a map from the name in dist to the source file below src, without its
 * extension.
 */
export const entryPoints = {
  brezel: {
    serve: 'serve/index',
    'inference-session': 'inference-session/index',
    internal: 'internal',
    'plan-worker': 'workers/worker',
    'import-worker': 'importing/worker',
  },
  cli: {
    'bench-trial': 'bench/trial',
    'bench-tails': 'bench/tails/tails-process',
    'bench-measure': 'bench/measure',
    'bench-statistics': 'bench/statistics',
  },
  oven: { 'explain-views': 'explain/views' },
  onnxruntime: { 'onnxruntime-worker': 'worker', 'onnxruntime-probe': 'probe-child' },
  tfjs: { 'tfjs-worker': 'worker/tasks' },
};

/** The entry points of the published package besides `brezel`: `brezel/serve`, ... */
export const subpaths = ['serve', 'inference-session'];

/**
 * Entry points whose file name ends in .mjs, so that Node loads them as ES modules wherever users
 * copy them.
 */
export const moduleEntryPoints = { runtime: { worker: 'parallel/executors/worker' } };

/** Entry points that are CommonJS modules. */
export const scriptEntryPoints = { core: { 'thread-entry': 'thread-entry' } };

/**
 * Small libraries that are bundled into the only package that uses them. As separate modules they
 * would take a third of the time from process start to first answer.
 */
export const inlinedLibraries = ['flatbuffers', 'lru-cache', 'p-limit', 'saxes', 'xmlchars', 'xxhash-wasm'];

/**
 * Restores the names of classes that refer to themselves. esbuild writes `var Flow = class _Flow`,
 * but errors and the console must show `Flow`.
 *
 * @param {string} text a bundle
 */
export function withClassNames(text) {
  return text.replace(
    /^(var (\w+) = class _\2\b.*\{)$/gm,
    (_, head, name) => `${head} static { Object.defineProperty(this, "name", { value: "${name}" }); }`,
  );
}

/**
 * Packages that `brezel` imports only if the user installed them. They are not bundled, and they
 * are optional peers.
 */
export const optionalPackages = ['@brezel/grpc', '@brezel/http', '@brezel/nats', '@brezel/selection'];

/**
 * Internal packages whose code is bundled into each published package that lists them in its
 * devDependencies.
 */
export const bundledPackages = ['@brezel/oip'];

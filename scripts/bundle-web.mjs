// Bundles `brezel/web` for browsers and edge runtimes: one ES module without imports, and the
// kernels in WebAssembly beside it.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = join(root, 'packages');

/**
 * An esbuild plugin that resolves our packages to their sources. It marks them as free of side
 * effects, so that the bundle contains only the files that it uses. Modules of Node stay imports;
 * `bundleWeb` rejects them if they remain.
 */
const sources = {
  name: 'sources-without-side-effects',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@brezel\// }, ({ path }) => ({
      path: join(packages, path.replace('@brezel/', ''), 'src/index.ts'),
      sideEffects: false,
    }));
    onResolve({ filter: /^\./ }, ({ path, importer, kind }) =>
      kind === 'import-statement' && importer.startsWith(packages)
        ? { path: join(dirname(importer), path.replace(/\.js$/, '.ts')), sideEffects: false }
        : undefined,
    );
    // The kernels compute checksums, so the bundle needs no second module for them.
    onResolve({ filter: /^xxhash-wasm$/ }, () => ({ path: 'xxhash-wasm', namespace: 'absent' }));
    onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'export default undefined;' }));
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};

/**
 * Returns the text of the bundle.
 *
 * @param {{ minify?: boolean }} [options]
 * @throws if the bundle imports a module, for example of Node
 */
export async function bundleWeb({ minify = true } = {}) {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(packages, 'brezel/src/web/index.ts')],
    inject: [join(packages, 'brezel/src/web/buffer.ts')],
    plugins: [sources],
    bundle: true,
    write: false,
    metafile: true,
    minify,
    outfile: 'web.js',
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
  });
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  if (imported.length > 0) throw new Error(`brezel/web imports ${[...new Set(imported)].join(', ')}`);
  return { text: outputFiles[0].text, inputs: metafile.outputs['web.js'].inputs };
}

/** Writes `web.js` and `kernels.wasm` into a folder. */
export async function writeWeb(folder) {
  const { text } = await bundleWeb();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'web.js'), text);
  copyFileSync(join(root, 'native/wasm/kernels.wasm'), join(folder, 'kernels.wasm'));
}

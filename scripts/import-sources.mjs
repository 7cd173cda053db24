// Imports modules of a package that the package does not export. Scripts that write documentation
// use it, because dist contains only bundles.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const packages = fileURLToPath(new URL('../packages', import.meta.url));

/**
 * Imports source files of one package. The modules that several of these files import are loaded
 * once, but separately from the modules of the package.
 *
 * @param {string} name folder of the package
 * @param {readonly string[]} files below its src
 * @returns {Promise<Record<string, any>[]>} the exports of each file
 */
export async function importSources(name, files) {
  const { outputFiles } = await build({
    stdin: {
      contents: files.map((file, at) => `export * as module${at} from './${file}';`).join('\n'),
      resolveDir: join(packages, name, 'src'),
    },
    bundle: true,
    write: false,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  const script = join(packages, name, `.sources-${process.pid}-${Date.now()}.mjs`);
  writeFileSync(script, outputFiles[0].text);
  try {
    const loaded = await import(pathToFileURL(script).href);
    return files.map((_, at) => loaded[`module${at}`]);
  } finally {
    rmSync(script);
  }
}

// Modules of a package that it does not export, for the scripts that write documentation: dist
// holds bundles only.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const packages = fileURLToPath(new URL('../packages', import.meta.url));

/**
 * Imports source files of one package. They share what they import from each other, not what the
 * package itself has loaded.
 *
 * @param {string} name folder of the package
 * @param {readonly string[]} files below its src
 * @returns {Promise<Record<string, any>[]>} what each exports
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

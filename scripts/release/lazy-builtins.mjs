// Modules of Node that the published package loads at first use. Otherwise a process that serves
// one row would load the libraries for signatures, threads and histograms, which takes about 10 ms.
const lazy = ['crypto', 'fs/promises', 'os', 'perf_hooks', 'timers/promises', 'worker_threads'];

const IMPORT = new RegExp(`^var (import_\\w+) = require\\("node:(${lazy.join('|')})"\\);$`, 'gm');

/**
 * Converts the imports of the modules in `lazy` to functions. Each function loads its module at the
 * first call.
 *
 * @param {string} code a CommonJS module of esbuild
 */
export function withLazyBuiltins(code) {
  const names = [...code.matchAll(IMPORT)].map(([, name]) => name);
  const calls = code.replace(
    IMPORT,
    (_, name, module) => `var loaded_${name};\nvar ${name} = () => (loaded_${name} ??= require("node:${module}"));`,
  );
  return names.reduce(
    (text, name) =>
      text
        .replace(new RegExp(`\\bnew ${name}\\.(\\w+)`, 'g'), `new (${name}().$1)`) // `new f().X` would construct f
        .replace(new RegExp(`\\b(?<!_)${name}\\.`, 'g'), `${name}().`),
    calls,
  );
}

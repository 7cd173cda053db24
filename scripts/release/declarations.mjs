// Writes the declarations of the published package. They are the declarations of the internal
// packages, as `tsc -b` writes them, in one folder. Imports of internal packages become relative
// paths, so the augmentations of `Flow` by operators stay unchanged.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledPackages } from '../entry-points.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Matches the module name of an import, an export, an import type, or an augmentation. */
const MODULE = /(\bfrom |\bimport |\bimport\(|\bdeclare module )(["'])([^"'\n]+)\2/g;

/**
 * Writes every declaration that is reachable from the entry points.
 *
 * @param {string} out the folder `types` of the published package
 * @param {readonly string[]} entries declarations of entry points, relative to the repository
 * @param {string} [adapter] the published package to which the entry points belong, if it is not
 * `brezel`: then only declarations of this package and of the packages in its bundle are written
 */
export function writeDeclarations(out, entries, adapter) {
  const waiting = [...entries];
  const done = new Set();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (done.has(file)) continue;
    done.add(file);
    const text = readFileSync(join(root, file), 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?/gm, '');
    const target = join(out, placeOf(file, adapter));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(
      target,
      text.replace(MODULE, (all, keyword, quote, module) => {
        const declaration = declarationOf(file, module, adapter);
        if (declaration === undefined) return all;
        waiting.push(declaration);
        return `${keyword}${quote}${relativeModule(file, declaration, adapter)}${quote}`;
      }),
    );
  }
}

/**
 * Returns the declaration file of a module that another file imports, relative to the repository.
 * Returns undefined for packages outside this repository. With `adapter`, returns undefined also
 * for packages of this repository that are not in the adapter's bundle.
 */
function declarationOf(file, module, adapter) {
  if (module.startsWith('.')) {
    const path = posix.join(posix.dirname(file), module.replace(/\.([mc]?)js$/, '.d.$1ts'));
    if (!existsSync(join(root, path))) throw new Error(`${file} imports ${module}: ${path} is missing`);
    return path;
  }
  const [, scope, name, entry] = /^(@brezel\/)?([\w-]+)(?:\/([\w-]+))?$/.exec(module) ?? [];
  if (!scope && name !== 'brezel') return undefined;
  if (adapter !== undefined && !bundledPackages.includes(module)) return undefined;
  if (name === 'native') return 'native/index.d.ts';
  const { exports } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
  const { types } = exports[entry ? `./${entry}` : '.'];
  return posix.join('packages', name, types);
}

/**
 * Returns the path in the published package: `flour/flow.d.ts` for `packages/flour/dist/flow.d.ts`.
 */
const placeOf = (file, adapter) =>
  file.replace(/^packages\/([\w-]+)\/dist\//, (_, name) => (name === adapter ? '' : `${name}/`));

function relativeModule(from, to, adapter) {
  const path = relative(dirname(placeOf(from, adapter)), placeOf(to, adapter))
    .split(sep)
    .join('/');
  return (path.startsWith('.') ? path : `./${path}`).replace(/\.d\.([mc]?)ts$/, '.$1js');
}

/**
 * Returns the declarations of an entry point for CommonJS modules. CommonJS declarations can import
 * only types from ES modules, so each value is declared again with its type.
 *
 * @param {string} module the declarations for ES modules, as a relative import
 * @param {Readonly<Record<string, unknown>>} exported the exports of the entry point
 * @param {string} types the folder of all declarations
 */
export function requireDeclarations(module, exported, types) {
  const generic = genericClasses(types);
  const lines = Object.entries(exported).flatMap(([name, value]) => {
    // exported only as a type, because a declared value would lose the type parameters
    if (generic.has(name)) return [];
    const isClass = typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
    const declared = `export declare const ${name}: typeof esm.${name};`;
    return isClass ? [declared, `export type ${name} = esm.${name};`] : [declared];
  });
  return [
    `import type * as esm from '${module}' with { 'resolution-mode': 'import' };`,
    `export type * from '${module}' with { 'resolution-mode': 'import' };`,
    ...lines,
    '',
  ].join('\n');
}

/** Returns the names of exported classes with type parameters. */
function genericClasses(types) {
  const files = readdirSync(types, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'));
  const text = files.map((file) => readFileSync(join(types, file), 'utf8')).join('\n');
  return new Set([...text.matchAll(/^export declare (?:abstract )?class (\w+)</gm)].map(([, name]) => name));
}

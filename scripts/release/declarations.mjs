// Declarations of the published package: those of the internal packages, as `tsc -b` writes them,
// in one folder. Imports of internal packages become relative paths, so the augmentations of `Flow`
// by the operators stay as they are.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The module of an import, an export, an import type, or an augmentation. */
const MODULE = /(\bfrom |\bimport |\bimport\(|\bdeclare module )(["'])([^"'\n]+)\2/g;

/**
 * Writes every declaration that the entry points reach.
 *
 * @param {string} out the folder `types` of the published package
 * @param {readonly string[]} entries declarations of entry points, relative to the repository
 */
export function writeDeclarations(out, entries) {
  const waiting = [...entries];
  const done = new Set();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (done.has(file)) continue;
    done.add(file);
    const text = readFileSync(join(root, file), 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?/gm, '');
    const target = join(out, placeOf(file));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(
      target,
      text.replace(MODULE, (all, keyword, quote, module) => {
        const declaration = declarationOf(file, module);
        if (declaration === undefined) return all;
        waiting.push(declaration);
        return `${keyword}${quote}${relativeModule(file, declaration)}${quote}`;
      }),
    );
  }
}

/**
 * The declaration that a module name means in a file, relative to the repository; undefined for
 * packages of others.
 */
function declarationOf(file, module) {
  if (module.startsWith('.')) {
    const path = posix.join(posix.dirname(file), module.replace(/\.([mc]?)js$/, '.d.$1ts'));
    if (!existsSync(join(root, path))) throw new Error(`${file} imports ${module}: ${path} is missing`);
    return path;
  }
  const [, scope, name, entry] = /^(@brezel\/)?([\w-]+)(?:\/([\w-]+))?$/.exec(module) ?? [];
  if (!scope && name !== 'brezel') return undefined;
  if (name === 'native') return 'native/index.d.ts';
  const { exports } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
  const { types } = exports[entry ? `./${entry}` : '.'];
  return posix.join('packages', name, types);
}

/** `packages/flour/dist/flow.d.ts` → `flour/flow.d.ts`. */
const placeOf = (file) => file.replace(/^packages\/([\w-]+)\/dist\//, '$1/');

function relativeModule(from, to) {
  const path = relative(dirname(placeOf(from)), placeOf(to))
    .split(sep)
    .join('/');
  return (path.startsWith('.') ? path : `./${path}`).replace(/\.d\.([mc]?)ts$/, '.$1js');
}

/**
 * Returns the declarations of an entry point for CommonJS modules, which may read those of ES
 * modules as types only: each value is declared again, with its type there.
 *
 * @param {string} module the declarations for ES modules, as a relative import
 * @param {Readonly<Record<string, unknown>>} exported what the entry point exports
 * @param {string} types the folder of all declarations
 */
export function requireDeclarations(module, exported, types) {
  const generic = genericClasses(types);
  const lines = Object.entries(exported).flatMap(([name, value]) => {
    if (generic.has(name)) return []; // as a type only: a value cannot pass on type parameters
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

/** Names of exported classes with type parameters. */
function genericClasses(types) {
  const files = readdirSync(types, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'));
  const text = files.map((file) => readFileSync(join(types, file), 'utf8')).join('\n');
  return new Set([...text.matchAll(/^export declare (?:abstract )?class (\w+)</gm)].map(([, name]) => name));
}

// Checks that every public export has a docstring: the exports of the published packages, as their
// declarations list them. Run after `npm run build:ts`.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The public modules and their declarations. The API reference of the site has the same modules.
 */
export const publicModules = {
  brezel: 'packages/brezel/dist/index.d.ts',
  'brezel/serve': 'packages/brezel/dist/serve/index.d.ts',
  'brezel/inference-session': 'packages/brezel/dist/inference-session/index.d.ts',
  '@brezel/http': 'packages/http/dist/index.d.ts',
  '@brezel/grpc': 'packages/grpc/dist/index.d.ts',
  '@brezel/nats': 'packages/nats/dist/index.d.ts',
  '@brezel/prom-client': 'packages/prom-client/dist/index.d.ts',
  '@brezel/opentelemetry': 'packages/opentelemetry/dist/index.d.ts',
  '@brezel/external': 'packages/external/dist/index.d.ts',
  '@brezel/selection': 'packages/selection/dist/index.d.ts',
};

const FROM = /^export (?:type )?(\*|\{[^}]*\}) from '([^']+)';/gm;
const NAMED = /^export (?:type )?(\{[^}]*\});/gm;
const IMPORTED = /^import (?:type )?(\{[^}]*\}) from '([^']+)';/gm;
const DECLARED =
  /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?^(export )?(?:declare )?(?:abstract )?(?:const|let|function|class|interface|type|enum) (\w+)/gm;

/**
 * Returns the exports of a declaration file: for each name, whether a declaration of it has a
 * docstring. A declaration in a package outside this repository counts as documented.
 *
 * @param {string} file
 * @returns {Map<string, boolean>}
 */
export function exportsOf(file, cache = new Map()) {
  if (file === undefined) return new Map();
  if (cache.has(file)) return cache.get(file);
  const found = new Map();
  cache.set(file, found);
  const text = readFileSync(file, 'utf8');
  const declared = new Map();
  for (const [, docstring, exported, name] of text.matchAll(DECLARED)) {
    declared.set(name, declared.get(name) === true || docstring !== undefined);
    if (exported) found.set(name, declared.get(name));
  }
  for (const [, names, module] of text.matchAll(IMPORTED))
    for (const [name, local] of pairs(names)) declared.set(local, isDocumented(file, module, name, cache));
  for (const [, names] of text.matchAll(NAMED))
    for (const [name, exported] of pairs(names)) found.set(exported, declared.get(name) ?? false);
  for (const [, names, module] of text.matchAll(FROM)) {
    if (names === '*') for (const [name, has] of exportsOf(declarationOf(file, module), cache)) found.set(name, has);
    else for (const [name, exported] of pairs(names)) found.set(exported, isDocumented(file, module, name, cache));
  }
  return found;
}

function isDocumented(file, module, name, cache) {
  const target = declarationOf(file, module);
  return target === undefined || (exportsOf(target, cache).get(name) ?? false);
}

/** Splits `{ a, type B as C }` into pairs of the original and the new name. */
const pairs = (names) =>
  names
    .slice(1, -1)
    .split(',')
    .map((one) => one.trim().replace(/^type /, ''))
    .filter(Boolean)
    .map((one) => one.split(' as '))
    .map(([name, local = name]) => [name, local]);

/** Returns the declaration file of a module, or undefined for a package outside this repository. */
function declarationOf(file, module) {
  if (module.startsWith('.')) return join(dirname(file), module.replace(/\.([mc]?)js$/, '.d.$1ts'));
  const [, scope, name, entry] = /^(@brezel\/)?([\w-]+)(?:\/([\w-]+))?$/.exec(module) ?? [];
  if (!scope && name !== 'brezel') return undefined;
  const folder = join(root, 'packages', name);
  if (!existsSync(folder)) return undefined;
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, exports[entry ? `./${entry}` : '.'].types);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cache = new Map();
  let count = 0;
  for (const [module, file] of Object.entries(publicModules)) {
    const found = exportsOf(join(root, file), cache);
    if (found.size === 0) throw new Error(`${file} has no exports: run npm run build:ts`);
    count += found.size;
    for (const [name, has] of found) {
      if (has) continue;
      console.error(`${module}: ${name} has no docstring`);
      process.exitCode = 1;
    }
  }
  if (process.exitCode === undefined) console.log(`${count} public exports have docstrings`);
}

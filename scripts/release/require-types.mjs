// Declarations for require('brezel') in CommonJS modules. The declarations of the packages are those of ES modules, which a CommonJS module may read as types only,
// so each value is declared here again, by its type there.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as brezel from 'brezel';

const packages = fileURLToPath(new URL('../../packages', import.meta.url));

/** The text of `index.d.cts`, which lies beside `index.d.ts`. */
export function requireTypes() {
  const generic = genericClasses();
  const lines = Object.entries(brezel).flatMap(([name, value]) => {
    if (generic.has(name)) return []; // only the type: what makes one is a method
    const isClass = typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
    const declared = `export declare const ${name}: typeof esm.${name};`;
    return isClass ? [declared, `export type ${name} = esm.${name};`] : [declared];
  });
  return [
    "import type * as esm from './index.js' with { 'resolution-mode': 'import' };",
    "export type * from './index.js' with { 'resolution-mode': 'import' };",
    ...lines,
    '',
  ].join('\n');
}

/** Classes with type parameters. A type cannot pass these on without knowing them. */
function genericClasses() {
  const declarations = readdirSync(packages).flatMap((name) =>
    readdirSync(join(packages, name, 'dist'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.d.ts'))
      .map((file) => readFileSync(join(packages, name, 'dist', file), 'utf8')),
  );
  return new Set(
    [...declarations.join('\n').matchAll(/^export declare (?:abstract )?class (\w+)</gm)].map(([, name]) => name),
  );
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../../', import.meta.url));

export const readPage = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8');

/**
 * Collects the names of all exported types and functions of the packages, and of the types of the
 * addon.
 */
export function declaredNames(): Set<string> {
  const names = new Set<string>();
  const find = (folder: string, endings: RegExp, declaration: RegExp) => {
    for (const file of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }))
      if (endings.test(file))
        for (const [, name] of readFileSync(join(root, folder, file), 'utf8').matchAll(declaration)) names.add(name!);
  };
  for (const name of readdirSync(join(root, 'packages')))
    find(
      `packages/${name}/src`,
      /\.m?ts$/,
      /^export (?:abstract )?(?:async )?(?:class|interface|type|function) (\w+)/gm,
    );
  for (const entry of readdirSync(join(root, 'native'), { withFileTypes: true }))
    if (entry.isDirectory() && !/^(build|node_modules|\.)/.test(entry.name))
      find(`native/${entry.name}`, /\.hpp$/, /^(?:class|struct) (\w+)/gm);
  return names;
}

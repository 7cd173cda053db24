import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const page = readFileSync(join(root, 'docs/glossary.md'), 'utf8');
const terms = [...page.matchAll(/^\| ([\w ]+) \| .* \| `(\w+)` \|$/gm)].map(
  ([, term, type]) => [term!, type!] as const,
);

/** Names of all exported types and functions of the packages, and of the types of the addon. */
function declared(): Set<string> {
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
  for (const name of readdirSync(join(root, 'native'), { withFileTypes: true }))
    if (name.isDirectory() && !/^(build|node_modules|\.)/.test(name.name))
      find(`native/${name.name}`, /\.hpp$/, /^(?:class|struct) (\w+)/gm);
  return names;
}

test('docs/glossary.md has a row for every table line', () => {
  const lines = page.split('\n').filter((line) => /^\| /.test(line) && !line.startsWith('| term |'));
  expect(terms).toHaveLength(lines.length);
});

const names = declared();
test.each(terms)('%s: the type %s exists', (_, type) => expect(names).toContain(type));

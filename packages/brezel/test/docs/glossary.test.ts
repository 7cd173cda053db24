import { expect, test } from 'vitest';
import { declaredNames, readPage } from './declared-names.js';

const page = readPage('glossary.md');
const terms = [...page.matchAll(/^\| ([\w -]+) \| .* \| `(\w+)` \|$/gm)].map(
  ([, term, type]) => [term!, type!] as const,
);

test('docs/glossary.md has a row for every table line', () => {
  const lines = page.split('\n').filter((line) => /^\| /.test(line) && !line.startsWith('| term |'));
  expect(terms).toHaveLength(lines.length);
});

const names = declaredNames();
test.each(terms)('%s: the type %s exists', (_, type) => expect(names).toContain(type));

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { declaredNames, readPage, root } from './declared-names.js';

const page = readPage('ARCHITECTURE.md');
const inCode = [...new Set([...page.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!))];
const paths = inCode.filter((code) => /^(packages|native|scripts|docs|examples|benchmarks)\b[\w./-]*$/.test(code));
const types = [...page.matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(([, type]) => type!);

test('docs/ARCHITECTURE.md names paths and types', () => {
  expect(paths.length).toBeGreaterThan(40);
  expect(types).toContain('PlanRecord');
});

test.each(paths)('%s exists', (path) => expect(existsSync(join(root, path))).toBe(true));

const names = declaredNames();
test.each(types)('the type %s exists', (type) => expect(names).toContain(type));

test('every package has a row', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const missing = readdirSync(join(root, 'packages')).filter(
    (name) => !rows.some((row) => row.includes(`\`packages/${name}\``)),
  );
  expect(missing).toEqual([]);
});

/** Links `[text](target)` whose target is a path, not a URL. */
const LINK = /\]\((?!https?:)([^)#\s]+)(?:#[^)\s]*)?\)/g;
const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.md') && !/node_modules|site\/build/.test(name),
);
test.each(pages)('links of docs/%s lead to files', (name) => {
  const targets = [...readPage(name).matchAll(LINK)].map(([, target]) =>
    join(dirname(join(root, 'docs', name)), target!),
  );
  expect(targets.filter((target) => !existsSync(target))).toEqual([]);
});

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

it('npm run docs:site builds every page, with search and both color schemes', () => {
  execFileSync(process.execPath, [join(root, 'scripts/docs-site.mjs')], { cwd: root, stdio: 'pipe' });
  const site = join(root, 'docs/site/build/site');
  const files = readdirSync(site, { recursive: true, encoding: 'utf8' });
  for (const page of [
    'index',
    'guides/getting-started',
    'operators',
    'adr/index',
    'api/index',
    'api/functions/brezel.createFlour',
  ])
    expect(files).toContain(`${page}.html`);
  const home = readFileSync(join(site, 'index.html'), 'utf8');
  expect(home).toContain('href="/guides/getting-started.html"');
  expect(home).toContain('prefers-color-scheme: dark');
  const index = files.find((file) => /VPLocalSearchBox|localSearchIndex/.test(file));
  expect(index).toBeDefined();
});

// npm run docs:site [-- --serve]: builds the site in docs/site/build/site. With --serve it also
// serves the site on this machine.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, serve } from 'vitepress';
import { buildApi } from './build-api.mjs';
import { readPages, root } from './read-pages.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const staged = join(folder, 'build/pages');

const { pages, assets, errors } = readPages();
if (errors.length > 0) {
  console.error(errors.join('\n'));
  process.exit(1);
}
rmSync(join(folder, 'build'), { recursive: true, force: true });
for (const [path, text] of pages) write(path, text);
for (const [path, file] of assets) {
  mkdirSync(dirname(join(staged, path)), { recursive: true });
  cpSync(join(root, file), join(staged, path));
}
await build(folder);
await buildApi(join(folder, 'build/site/api'), process.env.BREZEL_DOCS_BASE ?? '/');
console.log(`${pages.size} pages in docs/site/build/site`);
if (process.argv.includes('--serve')) await serve({ root: folder });

function write(path, text) {
  mkdirSync(dirname(join(staged, path)), { recursive: true });
  writeFileSync(join(staged, path), text);
}

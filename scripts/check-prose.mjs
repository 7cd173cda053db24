// Checks that comments and Markdown use plain words and are wrapped at 100 columns. With paths, it
// checks only the files below these paths.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commentLines, markdownLines } from './prose.mjs';
import { proseRules, WIDTH } from './prose-rules.mjs';

const SKIPPED = new Set([
  'node_modules',
  'dist',
  'build',
  '.git',
  'shared',
  'generated',
  'release',
  'results',
  'models',
  'corpus',
  'test-results',
]);

/** Returns the findings in one file, as `line: phrase (hint)`. */
export function findings(path, source) {
  const lines = path.endsWith('.md') ? markdownLines(source) : commentLines(source);
  return lines.flatMap(({ line, text, width }) => {
    const found = proseRules.flatMap(([pattern, hint]) => {
      const phrase = pattern.exec(text)?.[0];
      return phrase === undefined ? [] : [`${line}: "${phrase}" (${hint})`];
    });
    return width > WIDTH ? [...found, `${line}: ${width} columns (wrap at ${WIDTH})`] : found;
  });
}

function files(root, folder = '') {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (SKIPPED.has(entry.name) || entry.isSymbolicLink()) return [];
    if (entry.isDirectory()) return files(root, path);
    return /\.(?:md|[cm]?[jt]s|hpp|cpp|h|c)$/.test(path) ? [path] : [];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const below = process.argv.slice(2).map((path) => relative(root, resolve(path)));
  const isBelow = (path) => below.length === 0 || below.some((one) => path === one || path.startsWith(`${one}/`));
  const checked = files(root).filter(isBelow);
  const found = checked.flatMap((path) =>
    findings(path, readFileSync(join(root, path), 'utf8')).map((one) => `${path}:${one}`),
  );
  for (const one of found) console.error(one);
  console.log(`${found.length} findings in ${checked.length} files`);
  if (found.length > 0 || checked.length === 0) process.exitCode = 1;
}

// Checks that comments and Markdown use plain words and are wrapped at 100 columns. It fails for
// folders in `cleanFolders` of prose-rules.mjs. `--all` prints every finding, `--counts` the number
// of findings in each folder, and a path the findings below the path.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commentLines, markdownLines } from './prose.mjs';
import { cleanFolders, proseRules, WIDTH } from './prose-rules.mjs';

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

/**
 * Returns the folder to which a file's findings are added: a package, the folder of decisions, or a
 * top-level folder. For a file in the root, returns its name.
 */
export function folderOf(path) {
  const parts = path.split('/');
  if (parts.length === 1) return path;
  return parts[0] === 'packages' || path.startsWith('docs/adr/') ? parts.slice(0, 2).join('/') : parts[0];
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
  const asked = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
  const below = asked.map((path) => relative(root, resolve(path)));
  const counts = new Map();
  for (const path of files(root)) {
    const found = findings(path, readFileSync(join(root, path), 'utf8'));
    const folder = folderOf(path);
    counts.set(folder, (counts.get(folder) ?? 0) + found.length);
    const isWanted = below.some((one) => path === one || path.startsWith(`${one}/`)) || process.argv.includes('--all');
    const isBroken = cleanFolders.includes(folder) && below.length === 0;
    if (isWanted || isBroken) for (const one of found) console.error(`${path}:${one}`);
    if (isBroken && found.length > 0) process.exitCode = 1;
  }
  if (process.argv.includes('--counts'))
    for (const [folder, count] of [...counts].sort((one, other) => other[1] - one[1]))
      console.log(`${String(count).padStart(6)} ${folder}`);
  const unlisted = [...counts].filter(([folder, count]) => count > 0 && !cleanFolders.includes(folder)).length;
  console.log(`${unlisted} of ${counts.size} folders have findings; node scripts/check-prose.mjs --counts`);
  for (const folder of cleanFolders.filter((folder) => !counts.has(folder))) {
    console.error(`${folder}: in cleanFolders of scripts/prose-rules.mjs, but does not exist`);
    process.exitCode = 1;
  }
}

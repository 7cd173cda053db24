// Checks scripts/test-map.mjs: every source folder must have tests, every test must belong to a
// folder, and CONTRIBUTING.md must contain the table. `--write` updates the table in
// CONTRIBUTING.md.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderOf, printedMap, testMap } from './test-map.mjs';

const PRINTED = /(?<=<!-- test map -->\n)[\s\S]*?(?=\n<!-- end of test map -->)/;

function filesBelow(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (['node_modules', 'dist', 'build'].includes(entry.name)) return [];
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });
}

/** Returns whether a package builds its tests into dist. */
function buildsTests(root, config) {
  const { exclude = [] } = JSON.parse(readFileSync(join(root, config), 'utf8'));
  return !exclude.includes('src/**/*.test.ts');
}

/**
 * Returns every difference between the test map and a checkout, such as a test file that the map
 * does not contain.
 *
 * @param {string} root
 * @param {Record<string, string[]>} map
 */
export function differences(root, map = testMap) {
  const files = ['packages', 'native', 'benchmarks', 'examples', 'scripts']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => filesBelow(root, folder));
  const tests = files.filter((file) => /\.test\.ts$/.test(file));
  const patterns = Object.values(map).flat();
  const isNamed = (test) =>
    folderOf(test, map) !== undefined || patterns.some((pattern) => test === pattern || test.startsWith(`${pattern}/`));
  const sources = files.filter((file) => /^packages\/[^/]+\/src\/.*\.ts$/.test(file));
  const inSource = sources.filter((file) => file.endsWith('.test.ts'));
  return [
    ...inSource
      .filter((test) => !sources.includes(test.replace('.test.ts', '.ts')))
      .map((test) => `${test}: no unit of this name is next to it; tests of several units are in test/`),
    ...[...new Set(inSource.map((test) => test.replace(/\/src\/.*/, '/tsconfig.json')))]
      .filter((config) => buildsTests(root, config))
      .map((config) => `${config}: "exclude" must contain "src/**/*.test.ts", or tests are built into dist`),
    ...sources
      .filter((file) => folderOf(file, map) === undefined)
      .map((file) => `${file}: its folder has no tests in scripts/test-map.mjs`),
    ...tests
      .filter((test) => !isNamed(test))
      .map((test) => `${test}: no folder names this test in scripts/test-map.mjs`),
    ...Object.keys(map)
      .filter((folder) => !files.some((file) => file.startsWith(folder)))
      .map((folder) => `${folder}: in scripts/test-map.mjs, but has no files`),
    ...patterns
      .filter((pattern) => !tests.some((test) => test === pattern || test.startsWith(`${pattern}/`)))
      .map((pattern) => `${pattern}: in scripts/test-map.mjs, but has no tests`),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const page = join(root, 'CONTRIBUTING.md');
  const text = readFileSync(page, 'utf8');
  if (process.argv.includes('--write')) writeFileSync(page, text.replace(PRINTED, printedMap()));
  const found = differences(root);
  if (PRINTED.exec(readFileSync(page, 'utf8'))?.[0] !== printedMap())
    found.push(
      'CONTRIBUTING.md: prints another table than scripts/test-map.mjs; run node scripts/check-test-map.mjs --write',
    );
  for (const one of found) console.error(one);
  process.exitCode = found.length === 0 ? 0 : 1;
}

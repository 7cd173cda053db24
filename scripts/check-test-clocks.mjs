// Checks that no test depends on the clock. It rejects timers, clocks, time limits and bounded
// polling in tests. A test must wait for an event or use `until` (testing/until.ts). Where code
// waits, a test must advance a ManualClock (testing/manual-clock.ts).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allowedClocks } from './allowed-test-clocks.mjs';

/** Patterns that tests must not use, and what to do instead. */
const BANNED = [
  [/\bset(?:Timeout|Interval)\b/, 'wait for an event, for until(...), or move a ManualClock'],
  [/\bperformance\.now\b|\bDate\.now\b|\bhrtime\b/, 'read a ManualClock'],
  [/\bAbortSignal\.timeout\b/, 'abort an AbortController when an event happens'],
  [/\bAtomics\.wait\(/, 'wait for a message'],
  [/\bexpect\.poll\b|\bvi\.waitFor\b|\bvi\.waitUntil\b/, 'until(...) has no time limit'],
  [/\btimeout: (?!GUARD_MS)/, 'the runner has a guard; a child process takes GUARD_MS (testing/guard.ts)'],
  [/^\s*\}, [\d_]{4,}\);/, 'the runner has a guard of ten minutes'],
  [
    /\wMs\)\.toBe(?:Less|Greater)|toBe(?:Less|Greater)Than\w*\([\w* ]*(?:Ms|_MS|elapsed)\b/,
    'a test asserts no duration',
  ],
];

/** Returns the uses of a clock in one test file, as `line: text (what to do)`. */
export function clocksIn(text) {
  return text.split('\n').flatMap((line, index) => {
    const hint = BANNED.find(([pattern]) => pattern.test(line))?.[1];
    return hint === undefined ? [] : [`${index + 1}: ${line.trim()} (${hint})`];
  });
}

const TEST = /^(?:packages\/[^/]+|native|benchmarks)\/test\/.*\.[cm]?[jt]s$|\.test\.ts$/;

function testFiles(root, folder = '') {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (['node_modules', 'dist', 'build', '.git', 'shared'].includes(entry.name) || entry.isSymbolicLink()) return [];
    if (entry.isDirectory()) return testFiles(root, path);
    return TEST.test(path) ? [path] : [];
  });
}

/**
 * Returns every violation in a checkout: uses of a clock outside the allowed files, and allowed
 * files that use no clock.
 *
 * @param {string} root
 * @param {Record<string, string>} allowed
 */
export function violations(root, allowed = allowedClocks) {
  const found = new Map(
    testFiles(root)
      .map((path) => [path, clocksIn(readFileSync(join(root, path), 'utf8'))])
      .filter(([, uses]) => uses.length > 0),
  );
  const refused = [...found].flatMap(([path, uses]) => (path in allowed ? [] : uses.map((use) => `${path}:${use}`)));
  const unused = Object.keys(allowed).filter((path) => !found.has(path));
  return [
    ...refused,
    ...unused.map((path) => `${path}: uses no clock; remove it from scripts/allowed-test-clocks.mjs`),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const all = violations(fileURLToPath(new URL('..', import.meta.url)));
  for (const one of all) console.error(one);
  if (all.length > 0)
    console.error('Tests do not depend on the clock. Reasons for exceptions: scripts/allowed-test-clocks.mjs');
  process.exitCode = all.length === 0 ? 0 : 1;
}

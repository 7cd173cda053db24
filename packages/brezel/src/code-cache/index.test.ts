import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

// A package of three files, which new processes load with a code cache.

const PRINTED = 'first';
const EDITED = 'other'; // of the same length
const source = (word: string) =>
  `exports.word = () => '${word}'; exports.again = async () => require('./chunk-B.cjs'); exports.file = __filename;`;
const WRITTEN = new Date('2024-01-01T00:00:00Z');
const MAIN = `const a = require('./chunk-A.cjs'); module.exports = { ...a, same: require('node:fs') === process.fs };`;
const RUN = `
process.fs = require('node:fs');
const entry = { folder: __dirname, file: 'main.cjs', bundle: 'b'.repeat(64) };
const main = require('./code-cache.cjs').loadCached(entry, () => require('./main.cjs'));
const { channel } = require('node:diagnostics_channel');
const usual = require('./chunk-A.cjs');
main.again().then((b) => {
  const { word } = main;
  if (process.argv[2] === 'answer') channel('brezel.firstAnswer').publish({});
  const [isShared, isSame] = [usual.word === word, main.same];
  process.stdout.write(JSON.stringify({ word: word(), b, isShared, isSame, file: main.file }));
  if (process.argv[3] === 'exit') process.exit(0);
});
`;

let folder: string;
let cache: string;

const file = (name: string) => join(folder, name);
const write = (name: string, text: string) => writeFileSync(file(name), text);
const cacheFiles = () => readdirSync(cache);

/** Runs the package in a new process. Returns what it prints, and its warnings. */
function start(...args: string[]) {
  const env = { ...process.env, BREZEL_CODE_CACHE: cache, NODE_OPTIONS: '' };
  const warnings = file('warnings');
  rmSync(warnings, { force: true });
  const flags = [`--redirect-warnings=${warnings}`, file('run.cjs'), ...args];
  const printed = JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8', env }));
  return { ...printed, warnings: readdirSync(folder).includes('warnings') ? readFileSync(warnings, 'utf8') : '' };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'code-cache-'));
  cache = mkdtempSync(join(tmpdir(), 'code-cache-own-'));
  buildSync({
    entryPoints: [new URL('index.ts', import.meta.url).pathname],
    outfile: file('code-cache.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
  });
  write('main.cjs', MAIN);
  write('chunk-A.cjs', source(PRINTED));
  utimesSync(file('chunk-A.cjs'), WRITTEN, WRITTEN);
  write('chunk-B.cjs', 'module.exports = 7;');
  write('run.cjs', RUN);
});

afterEach(() => {
  for (const path of [folder, cache]) rmSync(path, { recursive: true, force: true });
});

describe('a code cache', () => {
  const works = { b: 7, isShared: true, isSame: true, warnings: '' };

  it('is written after the first answer, and not before', () => {
    expect(start()).toMatchObject({ ...works, word: PRINTED, file: file('chunk-A.cjs') });
    expect(cacheFiles()).toEqual([]);
    expect(start('answer')).toMatchObject({ ...works, word: PRINTED });
    expect(cacheFiles()).toEqual([expect.stringMatching(/^main-b{64}-.*\.cache$/)]);
  });

  it('is written when the process exits right after the answer', () => {
    start('answer', 'exit');
    expect(cacheFiles()).toHaveLength(1);
  });

  it('is used, until a source changes', () => {
    start('answer');
    const [name] = cacheFiles();
    const { ino } = statSync(join(cache, name!));
    // An edit that leaves size and time unchanged has no effect, because the code is cached.
    write('chunk-A.cjs', source(EDITED));
    utimesSync(file('chunk-A.cjs'), WRITTEN, WRITTEN);
    expect(start('answer')).toMatchObject({ ...works, word: PRINTED });
    expect(statSync(join(cache, name!)).ino).toBe(ino); // nothing new to write
    utimesSync(file('chunk-A.cjs'), WRITTEN, new Date(+WRITTEN + 60_000));
    expect(start('answer')).toMatchObject({ ...works, word: EDITED });
    expect(statSync(join(cache, name!)).ino).not.toBe(ino);
    expect(start('answer')).toMatchObject({ ...works, word: EDITED });
  });

  it('of other flags of V8 is another file', () => {
    start('answer');
    const env = { ...process.env, BREZEL_CODE_CACHE: cache, NODE_OPTIONS: '' };
    execFileSync(process.execPath, ['--no-opt', file('run.cjs'), 'answer'], { env, stdio: 'ignore' });
    expect(cacheFiles()).toHaveLength(2);
  });

  it('is written again if V8 rejects it or if it is damaged', () => {
    start('answer');
    const path = join(cache, cacheFiles()[0]!);
    const whole = readFileSync(path);
    writeFileSync(path, whole.subarray(0, whole.length / 2));
    expect(start('answer')).toMatchObject({ ...works, word: PRINTED });
    expect(readFileSync(path).length).toBeGreaterThan(whole.length / 2);
  });

  it('is not used with a folder that others can write, and the process warns', () => {
    chmodSync(cache, 0o777);
    const { warnings, ...printed } = start('answer');
    expect(printed).toMatchObject({ word: PRINTED, b: 7, isShared: true });
    expect(warnings).toContain(`[BREZEL_CODE_CACHE]`);
    expect(warnings).toContain('has mode 777, expected 700: run chmod 700');
    expect(cacheFiles()).toEqual([]);
  });

  it('does not follow a symbolic link to a file of the cache', () => {
    start('answer');
    const path = join(cache, cacheFiles()[0]!);
    const elsewhere = file('elsewhere');
    writeFileSync(elsewhere, readFileSync(path));
    rmSync(path);
    symlinkSync(elsewhere, path);
    const before = readFileSync(elsewhere);
    expect(start('answer')).toMatchObject({ ...works, word: PRINTED });
    expect(statSync(path).ino).not.toBe(statSync(elsewhere).ino); // replaced by a new file
    expect(readFileSync(elsewhere)).toEqual(before);
  });

  it('is not used by a bundle that has no file of the entry point', () => {
    const bundled = file('bundled.cjs');
    const entry = `const load = () => require('./main.cjs');
      const at = { folder: __dirname + '/moved', file: 'main.cjs', bundle: '' };
      console.log(require('./code-cache.cjs').loadCached(at, load).word());`;
    writeFileSync(bundled, entry);
    const env = { ...process.env, BREZEL_CODE_CACHE: cache };
    expect(execFileSync(process.execPath, [bundled], { encoding: 'utf8', env })).toBe(`${PRINTED}\n`);
  });
});

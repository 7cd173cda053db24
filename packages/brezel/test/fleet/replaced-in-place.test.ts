import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from './folder.js';
import { packAnswer } from './large-fleet.js';

// Writers that replace a fleet file in place (`cp`, `rsync --inplace`) truncate or overwrite bytes
// that other processes map. The reading process must survive that.

const files = temporaryFolder();
afterAll(files.remove);
beforeAll(async () => {
  await packAnswer(files.path('old.brezel'), 1);
  await packAnswer(files.path('small.brezel'), 2, 2);
});

/** Functions for the programs below. */
const prelude = `
  import { closeSync, copyFileSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
  import { createRegistry, createRuntime, openFleet } from 'brezel';
  const [old, small, folder] = process.argv.slice(1);
  const watched = folder + '/fleet.brezel';
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  copyFileSync(old, watched);
  const text = Array.from({ length: 2000 }, (_, word) => 'word' + word * 29).join(' ');
  const number = (answer) => answer.output[0];
  /** Points every word of the dictionary to a weight far outside the file. The length stays. */
  function overwrite() {
    const bytes = readFileSync(watched);
    const dictionary = bytes.indexOf('BZNG');
    const field = (number) => bytes.readUInt32LE(dictionary + 4 * number);
    for (let bucket = 0; bucket < field(6); bucket++)
      bytes.fill('ffffff7e', dictionary + field(7) + 64 * bucket + 48, dictionary + field(7) + 64 * bucket + 60, 'hex');
    const descriptor = openSync(watched, 'r+');
    writeSync(descriptor, bytes);
    closeSync(descriptor);
  }`;

/**
 * Runs a program in a separate process. Returns the signal that ended it, its exit status, and the
 * JSON value in its last line, or its errors if it printed nothing.
 */
function run(program: string): { signal: string | null; status: number | null; printed: unknown } {
  const { signal, status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `${prelude}\n${program}`,
      files.path('old.brezel'),
      files.path('small.brezel'),
      files.path('watched'),
    ],
    { cwd: import.meta.dirname, encoding: 'utf8', env: { ...process.env, XDG_CACHE_HOME: files.path('cache') } },
  );
  const last = stdout.trim().split('\n').at(-1) ?? '';
  return { signal, status, printed: last === '' ? stderr : JSON.parse(last) };
}

const registry = `
  const registry = await createRegistry();
  const watch = await registry.watch(folder, { intervalMs: 0 });
  const ask = async (name) => number(await registry.predict(name, text));`;

describe('a fleet file that is replaced in place', () => {
  test('a watched folder survives a shorter file: cp new.brezel watched/fleet.brezel', () => {
    const { signal, status, printed } = run(`${registry}
      const before = await ask('m0');
      copyFileSync(small, watched);
      // m0 is loaded; m1 was never loaded, so its parameters were never read
      const during = [await ask('m0'), await ask('m1').catch(({ code }) => code)];
      await watch.scan();
      console.log(JSON.stringify({ before, during, after: [await ask('m0'), await ask('m1')] }));
      await registry.close();`);
    expect({ signal, status, printed }).toEqual({
      signal: null,
      status: 0,
      printed: { before: 2001, during: [2001, 4001], after: [3, 4] },
    });
  });

  test('a watched folder survives an overwrite of the same length', () => {
    const { signal, status, printed } = run(`${registry}
      const before = await ask('m0');
      overwrite();
      const during = [await ask('m0'), await ask('m1')];
      await watch.scan();
      const [{ error }] = watch.files();
      console.log(JSON.stringify({ before, during, code: error.code, after: await ask('m0') }));
      await registry.close();`);
    expect({ signal, status, printed }).toEqual({
      signal: null,
      status: 0,
      printed: { before: 2001, during: [2001, 4001], code: 'ERR_STORE_DAMAGED', after: 2001 },
    });
  });

  test.each(['copyFileSync(small, watched)', 'overwrite()'])(
    'openFleet with mapping snapshot survives %s',
    (change) => {
      const { signal, status, printed } = run(`
      const fleet = await openFleet(watched, { mapping: 'snapshot' });
      ${change};
      const runtime = createRuntime({ store: fleet.store });
      const answers = fleet.names.map((name) => number(runtime.predictSync(runtime.register(fleet.plan(name)), text)));
      fleet.close();
      console.log(JSON.stringify(answers));`);
      expect({ signal, status, printed }).toEqual({ signal: null, status: 0, printed: [2001, 4001] });
    },
  );
});

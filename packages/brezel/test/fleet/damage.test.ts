import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import {
  BrezelError,
  createFlour,
  createRuntime,
  type Flow,
  type ObjectStore,
  openFleet,
  openStore,
  packFleet,
  vector,
} from 'brezel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { stores, temporaryFolder } from './folder.js';
import { join, partsOf } from './forge.js';
import { drawer } from './mutate.js';

const folder = temporaryFolder();
afterAll(folder.remove);
const whole = folder.path('whole.brezel');
const damaged = folder.path('damaged.brezel');
let bytes: Buffer;

beforeAll(async () => {
  const flour = await createFlour();
  const x = flour.input('x', vector('float32', 2)) as Flow<'vector'>;
  const y = x.linear({ weights: [0.5, -1], bias: [0.25] });
  const plan = flour.program({ y, z: y.map('sigmoid') }, { name: 'small' }).plan();
  await packFleet([{ plan, rows: [{ x: [1, 2] }] }], whole, { store: flour.store });
  bytes = readFileSync(whole);
});

/**
 * Returns the code of the error that rejects the file, or `opened`. Nothing of the file may stay in
 * the store.
 */
async function refusal(store: Parameters<typeof openFleet>[1] & object, path = damaged): Promise<string> {
  try {
    (await openFleet(path, store)).close();
    return 'opened';
  } catch (error) {
    if (!(error instanceof BrezelError)) throw error;
    expect(error.message).toContain(path);
    expect(error.hint).not.toBe('');
    return error.code;
  } finally {
    expect(store.store!.stats().objects).toBe(0);
  }
}

/**
 * Calls `check` with one byte of the damaged file changed, for each change. It writes in place,
 * because some file systems write a file that is emptied and written again to the disk at once.
 */
async function eachChanged(
  changes: Iterable<readonly [at: number, mask: number]>,
  check: (at: number, mask: number) => Promise<void>,
): Promise<void> {
  writeFileSync(damaged, bytes);
  const file = openSync(damaged, 'r+');
  try {
    for (const [at, mask] of changes) {
      writeSync(file, Uint8Array.of(bytes[at]! ^ mask), 0, 1, at);
      await check(at, mask);
      writeSync(file, bytes, at, 1, at);
    }
  } finally {
    closeSync(file);
  }
}

describe('a damaged file', () => {
  test('truncated at any byte', async () => {
    for (const [kind, store] of await stores()) {
      writeFileSync(damaged, bytes);
      for (let length = bytes.length - 1; length >= 0; length--) {
        truncateSync(damaged, length);
        expect(await refusal({ store }), `${kind}, ${length} bytes`).toMatch(/^ERR_STORE_(DAMAGED|FORMAT)$/);
        expect(await refusal({ store, verify: false }), `${kind}, ${length} bytes`).toMatch(/^ERR_STORE_/);
      }
    }
  });

  test('with additional bytes at its end', async () => {
    for (const store of (await stores()).values()) {
      writeFileSync(damaged, Buffer.concat([bytes, Buffer.alloc(1)]));
      expect(await refusal({ store })).toBe('ERR_STORE_DAMAGED');
    }
  });

  test('with a bit of each byte flipped; the long fuzz test flips bits of larger files', async () => {
    const draw = drawer(seed);
    for (const [kind, store] of await stores()) {
      const step = kind === 'mapped' ? 1 : 7;
      const flips = Array.from(
        { length: Math.ceil(bytes.length / step) },
        (_, at) => [at * step, 1 << draw(8)] as const,
      );
      await eachChanged(flips, async (at, mask) => {
        const code = await refusal({ store });
        if (!/^ERR_STORE_(DAMAGED|FORMAT|VERSION)$/.test(code))
          expect.fail(`${kind}, byte ${at}, bits ${mask}, BREZEL_SEED=${seed}: ${code}`);
      });
    }
  });

  test('the addon and JavaScript read a manifest in the same way', async () => {
    const opened = [await openStore(), await openStore({ native: false })];
    const draw = drawer(seed);
    const { front, manifest } = partsOf(whole);
    const verdict = (store: ObjectStore) =>
      openFleet(damaged, { store, verify: false }).then(
        (fleet) => fleet.close(),
        (error: Error) => error.message,
      );
    const counts = { taken: 0, refused: 0 };
    for (let run = 0; run < 400; run++) {
      const changed = Buffer.from(manifest);
      const places = Array.from({ length: 1 + draw(3) }, () => draw(changed.length));
      for (const at of places) changed[at] = draw(2) === 0 ? draw(256) : changed[at]! + 4 * draw(8);
      join(damaged, { front, manifest: changed });
      const [native, javascript] = await Promise.all(opened.map(verdict));
      expect(native, `BREZEL_SEED=${seed}, bytes ${places}`).toBe(javascript);
      counts[native === undefined ? 'taken' : 'refused']++;
    }
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(20);
  });

  test('a changed bit in header or manifest is also detected without verify', async () => {
    const store = await openStore();
    const { front } = partsOf(whole);
    const checked = [...bytes.keys()].filter((at) => at < 128 || at >= front.length);
    await eachChanged(
      checked.map((at) => [at, 0x10] as const),
      async (at) =>
        expect(await refusal({ store, verify: false }), `byte ${at}`).toMatch(/^ERR_STORE_(DAMAGED|FORMAT|VERSION)$/),
    );
  });
});

describe('a file that is not a fleet file', () => {
  test('of a newer version', async () => {
    const store = await openStore();
    const newer = Buffer.from(bytes);
    newer.writeUInt32LE(2, 8);
    writeFileSync(damaged, newer);
    expect(await refusal({ store })).toBe('ERR_STORE_VERSION');
  });

  test('an empty file, other bytes, a folder, a device, and a missing file', async () => {
    for (const store of (await stores()).values()) {
      writeFileSync(damaged, '');
      expect(await refusal({ store })).toBe('ERR_STORE_FORMAT');
      writeFileSync(damaged, Buffer.alloc(5000, 7));
      expect(await refusal({ store })).toBe('ERR_STORE_FORMAT');
      expect(await refusal({ store }, folder.path('nothing'))).toBe('ERR_STORE_FILE');
      expect(await refusal({ store }, folder.path(''))).toBe('ERR_STORE_FILE');
      if (process.platform === 'linux') expect(await refusal({ store }, '/dev/zero')).toBe('ERR_STORE_FILE');
    }
  });

  test('a sparse file that is larger than memory', async () => {
    const store = await openStore();
    writeFileSync(damaged, bytes);
    truncateSync(damaged, 2 ** 40);
    expect(await refusal({ store })).toBe('ERR_STORE_DAMAGED');
  });
});

test('a symbolic link is followed for reading and writing', async () => {
  mkdirSync(folder.path('there'));
  const target = folder.path('there/target.brezel');
  writeFileSync(target, bytes);
  const link = folder.path('link.brezel');
  symlinkSync(target, link);
  using fleet = await openFleet(link);
  const plan = fleet.plan('small');
  await packFleet([{ plan, name: 'renamed' }], link, { store: fleet.store });
  using again = await openFleet(target);
  expect(again.names).toEqual(['renamed']);
  // The old mapping is still valid: the old file exists until it is closed.
  const runtime = createRuntime({ store: fleet.store });
  expect(runtime.predictSync(runtime.register(plan), { x: [1, 2] })).toMatchObject({ y: [-1.25] });
  expect((await fleet.replay()).differences).toEqual([]);
});

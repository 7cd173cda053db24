import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import {
  createRegistry,
  createRuntime,
  type FileEvent,
  type ModelRegistry,
  openStore,
  packFleet,
  type WatchOptions,
} from 'brezel';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock.js';
import { temporaryFolder } from '../../brezel/test/fleet/folder.js';
import { codeOf, constantPlan, nextTurn, numberOf, onnxModel, writeOnnx } from './models.js';

let files: ReturnType<typeof temporaryFolder>;
let registry: ModelRegistry;
let events: string[];
beforeEach(async () => {
  files = temporaryFolder();
  registry = await createRegistry();
  events = [];
  registry.on('file', ({ file, change, versions }: FileEvent) =>
    events.push(
      `${change} ${file.slice(files.path('').length + 1)}${versions.length > 1 ? ` ${versions.length}` : ''}`,
    ),
  );
});
afterEach(async () => {
  await nextTurn(); // events arrive in a later turn, and belong to this test
  await registry.close();
  expect(registry.store.stats().references).toBe(0);
  files.remove();
});

const row = { x: [0, 0] };
const ask = async (reference: string) => numberOf(await registry.predict(reference, row));
const watch = (options: WatchOptions = {}) => registry.watch(files.path('.'), { intervalMs: 0, ...options });

let temporaries = 0;
/**
 * Writes a complete temporary file and renames it to `name`, so that no reader sees a partly
 * written file.
 */
function replace(name: string, content: number | string): void {
  const temporary = files.path(`.${++temporaries}.tmp`);
  writeFileSync(temporary, typeof content === 'number' ? onnxModel(content) : content);
  utimesSync(temporary, new Date(), new Date(1.7e12 + temporaries * 1000));
  renameSync(temporary, files.path(name));
}

async function pack(name: string, answers: Readonly<Record<string, number>>): Promise<void> {
  const store = await openStore();
  const members = await Promise.all(
    Object.entries(answers).map(async ([plan, answer]) => ({ name: plan, plan: await constantPlan(store, answer) })),
  );
  await packFleet(members, files.path(name), { store });
  utimesSync(files.path(name), new Date(), new Date(1.7e12 + ++temporaries * 1000));
}

describe('a watched folder', () => {
  test('existing files are added without loading, newer versions last', async () => {
    for (const [name, answer] of [
      ['film@9.onnx', 9],
      ['film@10.onnx', 10],
      ['book.onnx', 1],
      ['notes.txt', 0],
      ['.hidden.onnx', 0],
    ] as const)
      replace(name, answer);
    mkdirSync(files.path('folder.onnx'));
    await watch();
    expect(registry.stats().versions.map(({ version, state }) => [version.replace(/@2023.*/, '@T'), state])).toEqual([
      ['film@9', 'unloaded'],
      ['film@10', 'unloaded'],
      ['book@T', 'unloaded'],
    ]);
    expect(await Promise.all([ask('film'), ask('film@9'), ask('book')])).toEqual([10, 9, 1]);
  });

  test('a replaced file becomes the default immediately, and the old version is removed', async () => {
    replace('film.onnx', 1);
    const folder = await watch();
    expect(await ask('film')).toBe(1);
    const [old] = registry.model('film')!.versions;
    replace('film.onnx', 2);
    expect(await ask('film')).toBe(1);
    await folder.scan();
    expect(numberOf(registry.predictSync('film', row))).toBe(2); // loaded by the scan
    expect(registry.model('film')!.versions).not.toContain(old);
    expect(registry.model('film')!.versions).toHaveLength(1);
    await folder.scan();
    await nextTurn();
    expect(events).toEqual(['taken film.onnx', 'taken film.onnx']);
  });

  test('an invalid file is reported, and the old version stays, also under memory pressure', async () => {
    replace('film.onnx', 1);
    const folder = await watch();
    expect(await ask('film')).toBe(1);
    for (const broken of ['', 'no model', onnxModel(3).slice(0, 40).toString()]) {
      replace('film.onnx', broken);
      await folder.scan();
      expect(numberOf(registry.predictSync('film', row))).toBe(1);
      expect(folder.files()).toMatchObject([{ error: { code: 'ERR_REGISTRY_LOAD' } }]);
    }
    // The version is pinned: its file was replaced, so it could not be loaded again.
    expect(registry.stats().versions).toMatchObject([{ pinned: true, state: 'loaded' }]);
    await nextTurn();
    expect(events).toEqual(['taken film.onnx', 'refused film.onnx', 'refused film.onnx', 'refused film.onnx']);
    replace('film.onnx', 4);
    await folder.scan();
    expect(await ask('film')).toBe(4);
    expect(folder.files()[0]).not.toHaveProperty('error');
    expect(registry.stats().versions).toMatchObject([{ pinned: false }]);
  });

  test('several versions exist together; the default alias follows the greatest version, unless the user moves it', async () => {
    replace('film@1.onnx', 1);
    const folder = await watch();
    replace('film@2.onnx', 2);
    await folder.scan();
    expect(await ask('film')).toBe(2);
    registry.rollback('film');
    await folder.scan();
    expect(await ask('film')).toBe(1);
    replace('film@3.onnx', 3);
    await folder.scan();
    expect(await ask('film')).toBe(3);
    replace('film@0.onnx', 100);
    await folder.scan();
    expect([await ask('film'), await ask('film@0'), await ask('film@1')]).toEqual([3, 100, 1]);
    // The content of a version must not change.
    replace('film@3.onnx', 33);
    await folder.scan();
    expect(await ask('film')).toBe(3);
    expect(folder.files().find(({ error }) => error)).toMatchObject({ error: { code: 'ERR_REGISTRY_EXISTS' } });
  });

  test('removed files remove their versions, except versions to which an alias of the user points', async () => {
    for (const version of [1, 2, 3]) replace(`film@${version}.onnx`, version);
    const folder = await watch();
    registry.setAlias('film:production', 2);
    expect([await ask('film'), await ask('film:production')]).toEqual([3, 2]);
    for (const version of [2, 3]) rmSync(files.path(`film@${version}.onnx`));
    await folder.scan();
    expect([await ask('film'), await ask('film:production')]).toEqual([2, 2]);
    registry.setAlias('film:production', 1);
    registry.setAlias('film', 1);
    await folder.scan();
    expect(registry.model('film')!.versions).toEqual(['1']);
    registry.removeAlias('film:production');
    rmSync(files.path('film@1.onnx'));
    await folder.scan();
    expect(registry.names()).toEqual([]);
    await nextTurn();
    expect(events.slice(3)).toEqual(['gone film@2.onnx', 'gone film@3.onnx', 'gone film@1.onnx']);
  });

  test('fleets: every plan is a model; a new file replaces all plans, and removes plans that it lacks', async () => {
    await pack('fleet.brezel', { a: 1, b: 2, c: 3 });
    const folder = await watch();
    const texts = async () =>
      Promise.all(
        registry
          .names()
          .sort()
          .map(async (name) => `${name}${numberOf(await registry.predict(name, 'x'))}`),
      );
    expect(await texts()).toEqual(['a1', 'b2', 'c3']);
    await pack('fleet.brezel', { b: 20, c: 30, d: 40 });
    await folder.scan();
    expect(await texts()).toEqual(['b20', 'c30', 'd40']);
    writeFileSync(files.path('x.tmp'), 'broken');
    renameSync(files.path('x.tmp'), files.path('fleet.brezel'));
    await folder.scan();
    expect(await texts()).toEqual(['b20', 'c30', 'd40']);
    await nextTurn();
    expect(events).toEqual(['taken fleet.brezel 3', 'taken fleet.brezel 3', 'refused fleet.brezel 3']);
  });

  test('invalid names, and names that another file has', async () => {
    for (const name of ['a@b@c.onnx', '@1.onnx', 'film@1.onnx']) replace(name, 1);
    await pack('fleet@1.brezel', { film: 2, other: 3 });
    const folder = await watch();
    const faults = folder.files().filter(({ error }) => error !== undefined);
    expect(faults.map(({ error }) => (error as { code: string }).code).sort()).toEqual([
      'ERR_REGISTRY_EXISTS',
      'ERR_REGISTRY_REFERENCE',
      'ERR_REGISTRY_REFERENCE',
    ]);
    expect(registry.names()).toHaveLength(1); // a fleet file adds all its plans or none
  });

  test('a folder that is a symbolic link is followed', async () => {
    mkdirSync(files.path('v1'));
    mkdirSync(files.path('v2'));
    writeOnnx(files.path('v1/film.onnx'), 1);
    writeOnnx(files.path('v2/film.onnx'), 2);
    utimesSync(files.path('v1/film.onnx'), 1.7e9, 1.7e9);
    symlinkSync(files.path('v1'), files.path('now'));
    const folder = await registry.watch(files.path('now'), { intervalMs: 0 });
    expect(await ask('film')).toBe(1);
    symlinkSync(files.path('v2'), files.path('next'));
    renameSync(files.path('next'), files.path('now'));
    await folder.scan();
    expect(await ask('film')).toBe(2);
  });

  test('a folder that cannot be read is an error at the start, and an event later', async () => {
    expect(await codeOf(() => registry.watch(files.path('none')))).toBe('ERR_REGISTRY_FOLDER');
    expect(await codeOf(() => watch({ intervalMs: -1 }))).toBe('ERR_REGISTRY_OPTION');
    mkdirSync(files.path('models'));
    writeOnnx(files.path('models/film.onnx'), 1);
    const folder = await registry.watch(files.path('models'), { intervalMs: 0 });
    renameSync(files.path('models'), files.path('away'));
    await folder.scan();
    await folder.scan();
    expect(registry.has('film')).toBe(true);
    renameSync(files.path('away'), files.path('models'));
    await folder.scan();
    expect(await ask('film')).toBe(1);
    await nextTurn();
    expect(events).toEqual(['taken models/film.onnx', 'refused models']);
  });

  test('a watch with another alias, with pinned versions, or without an alias', async () => {
    replace('film@1.onnx', 1);
    const folder = await watch({ alias: 'live', pin: true });
    replace('film@2.onnx', 2);
    await folder.scan();
    expect([await ask('film:live'), await ask('film')]).toEqual([2, 1]);
    expect(registry.stats().versions.every(({ pinned }) => pinned)).toBe(true);
    await folder.close();
    const other = await createRegistry();
    const second = await other.watch(files.path('.'), { intervalMs: 0, alias: false });
    replace('film@3.onnx', 3);
    await second.scan();
    expect(other.resolve('film')).toBe('film@1'); // the first that was added
    await other.close();
  });

  test('a file is loaded after two equal scans, for any way of writing it', async () => {
    const clock = new ManualClock();
    await using runtime = createRuntime({ store: await openStore(), clock });
    const registry = await createRegistry({ runtime });
    const ask = async (reference: string) => numberOf(await registry.predict(reference, row));
    replace('film.onnx', 1);
    const folder = await registry.watch(files.path('.'), { intervalMs: 20 });
    /** Advances the clock by one interval, and waits until the next scan is planned. */
    const look = async () => {
      clock.advance(20);
      await clock.untilTimer(20);
    };
    expect(await ask('film')).toBe(1);
    const model = onnxModel(2);
    for (let end = 1; end < model.length; end += 40) {
      writeFileSync(files.path('film.onnx'), model.subarray(0, end)); // in place, in several parts
      await look();
      expect(await ask('film')).toBe(1);
    }
    writeFileSync(files.path('film.onnx'), model);
    await look();
    expect(await ask('film'), 'not before it stands still').toBe(1);
    await look();
    expect(await ask('film')).toBe(2);
    rmSync(files.path('film.onnx'));
    await look();
    expect(registry.has('film'), 'missing once').toBe(true);
    await look();
    expect(registry.has('film')).toBe(false);
    await folder.close();
    expect(clock.timers).toBe(0);
    await registry.close();
  });

  test('closing the registry during a scan', async () => {
    for (let model = 0; model < 20; model++) replace(`m${model}.onnx`, model);
    const folder = await watch();
    for (let model = 0; model < 20; model++) replace(`m${model}.onnx`, model + 100);
    const scan = folder.scan();
    await nextTurn();
    await registry.close();
    await scan;
    expect(registry.names()).toEqual([]);
  });
});

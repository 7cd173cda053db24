import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { changeModels, type ModelChange } from '@brezel/http';
import {
  createRegistry,
  createRuntime,
  type FileEvent,
  type ModelRegistry,
  openFleet,
  openStore,
  type Runtime,
} from 'brezel';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { until } from '../../../../../testing/until.js';
import { regressorModel } from '../../../test/brezel.js';
import { packHere, planNamesOf } from './packer.js';
import { SharedModels } from './shared-models.js';
import type { ModelState, VersionState } from './shared-state.js';
import { WorkerModels } from './worker-models.js';

const folder = mkdtempSync(join(tmpdir(), 'brezel-processes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, weights: readonly number[]) => {
  const path = join(folder, name);
  writeFileSync(path, regressorModel(weights));
  return path;
};
const [one, two] = [file('one.onnx', [1, 0]), file('two.onnx', [0, 1])];
const row = { x: [3, 5] };

/** A worker in this process. Messages are copied, as between processes. */
class Worker {
  readonly registry: ModelRegistry;
  readonly models: WorkerModels;
  readonly runtime: Runtime;
  /** The step that fails, with this error. */
  failing: { readonly step: string; readonly error: Error } | undefined;
  losses = 0;

  private constructor(registry: ModelRegistry, runtime: Runtime) {
    this.registry = registry;
    this.runtime = runtime;
    this.models = new WorkerModels(registry, runtime, { register: {}, prefault: false });
  }

  static async create(): Promise<Worker> {
    const runtime = createRuntime({ store: await openStore({ native: false }), native: false });
    const registry = await createRegistry({ runtime });
    return new Worker(registry, runtime);
  }

  async step(method: string, argument?: unknown): Promise<void> {
    if (this.failing?.step === method) throw this.failing.error;
    const copy = structuredClone(argument);
    if (method === 'prepare') await this.models.prepare(copy as VersionState[]);
    if (method === 'abort') this.models.abort();
    if (method === 'commit') await this.models.commit(copy as ModelState);
  }

  lose(): void {
    this.losses++;
  }

  /** Returns the aliases with their versions and canaries, and the loaded versions. */
  view() {
    const { versions, aliases } = this.registry.stats();
    return {
      aliases: aliases.map(({ alias, version, canary }) => [alias, version, canary?.percent]),
      loaded: versions.filter(({ loaded }) => loaded).map(({ version }) => version),
    };
  }
}

async function setup(
  add: (models: SharedModels) => Promise<void> | void,
  { packing, written }: { packing?: () => Promise<void>; written?: () => void } = {},
) {
  const workers = [await Worker.create(), await Worker.create()] as const;
  let files = 0;
  const models = new SharedModels({
    runtime: createRuntime({ store: await openStore({ native: false }), native: false }),
    pack: async (job) => {
      await packing?.();
      return (await packHere(job, { nonFinite: 'refuse' })).map((error) => error && new Error(error.message));
    },
    planNames: async (path) => {
      using fleet = await openFleet(path);
      return fleet.names;
    },
    writeFile: async (write) => {
      const path = join(folder, `packed-${crypto.randomUUID()}`);
      await write(path);
      written?.();
      files++;
      return { path, close: () => void files-- };
    },
    workers: () => workers as never,
  });
  await add(models);
  await models.start();
  for (const worker of workers) await worker.models.replace(statesOf(models));
  const close = async () => {
    await models.stopWatching();
    await models.close();
    for (const { registry } of workers) await registry.close();
  };
  return { models, workers, close, openFiles: () => files };
}

/** Returns a copy of the states of all models, as a worker receives them. */
const statesOf = (models: SharedModels): ModelState[] =>
  structuredClone(models.names().map((name) => models.stateOf(name)));

/** Returns the error code of a change, or 'done'. */
const outcome = (work: () => Promise<void>): Promise<string> =>
  work().then(
    () => 'done',
    ({ code, kind = code }) => kind,
  );

const twoVersions = async (models: SharedModels) => {
  models.add('film', { path: one }, { version: 1 });
  models.add('film', { path: two }, { version: 2 });
  await models.load('film');
};

test('functions without changes run at once, and changes wait for them', async () => {
  const { models, close } = await setup(twoVersions);
  const events: string[] = [];
  const ends: (() => void)[] = [];
  const load = (name: string) =>
    models.withoutChanges(async () => {
      events.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      events.push(`${name} ends`);
      if (name === 'first') throw new Error('a worker ended');
    });
  const first = load('first').catch(() => undefined);
  const second = load('second');
  const change = models.exclusively(async () => void events.push('change'));
  const third = load('third');
  await until(() => ends.length === 2);
  expect(events).toEqual(['first', 'second']);
  for (const end of ends) end();
  await until(() => ends.length === 3);
  ends[2]!();
  await Promise.all([first, second, change, third]);
  expect(events.slice(2)).toEqual(['first ends', 'second ends', 'change', 'third', 'third ends']);
  await close();
});

test('a worker prepares a new version in turns, and releases it', async () => {
  const path = join(folder, 'prepared.brezel');
  expect(await packHere({ members: [{ path: one, name: 'film' }], output: path }, { nonFinite: 'refuse' })).toEqual([
    undefined,
  ]);
  const { models, registry, runtime } = await Worker.create();
  const atOnce = vi.spyOn(runtime, 'register');
  const version = { reference: 'film@1', version: '1', path, plan: 'film', isLoaded: true };
  await models.prepare([version]);
  expect(runtime.stats().plans.map(({ name }) => name)).toEqual(['film@1 (prepared)']);
  expect(atOnce).not.toHaveBeenCalled();
  models.abort();
  expect([runtime.stats().plans, runtime.store.stats().objects]).toEqual([[], 0]);
  await registry.close();
  await runtime.close();
});

describe('a change', () => {
  test('reaches all workers or none', async () => {
    const { models, workers, close, openFiles } = await setup(twoVersions);
    const before = { aliases: [['film:default', 'film@1', undefined]], loaded: ['film@1'] };
    for (const worker of workers) expect(worker.view()).toEqual(before);

    const error = new Error('no memory');
    workers[1].failing = { step: 'prepare', error };
    for (const change of [
      { action: 'promote', reference: 'film', version: '2' },
      { action: 'canary', reference: 'film', to: '2', percent: 10 },
      { action: 'load', reference: 'film@2' },
    ] as const) {
      await expect(models.change(change)).rejects.toBe(error);
      for (const worker of workers) expect(worker.view()).toEqual(before);
    }
    workers[1].failing = { step: 'checkUnused', error };
    await expect(models.change({ action: 'unload', name: 'film' })).rejects.toBe(error);
    for (const worker of workers) expect(worker.view()).toEqual(before);

    workers[1].failing = undefined;
    await models.change({ action: 'promote', reference: 'film', version: '2' });
    for (const { registry } of workers) expect(await registry.predict('film', row)).toEqual({ y: [5] });
    await models.change({ action: 'canary', reference: 'film', to: '1', percent: 10 });
    const canary = { aliases: [['film:default', 'film@2', 10]], loaded: ['film@1', 'film@2'] };
    for (const worker of workers) expect(worker.view()).toEqual(canary);
    await models.change({ action: 'rollback', reference: 'film' });
    await models.change({ action: 'rollback', reference: 'film' });
    await models.change({ action: 'unload', name: 'film' });
    for (const worker of workers) expect(worker.view()).toEqual({ ...before, loaded: [] });
    expect(openFiles()).toBe(1);
    await close();
    expect(openFiles()).toBe(0);
  });

  test('that the registry rejects changes no worker', async () => {
    const { models, workers, close } = await setup(twoVersions);
    const views = workers.map((worker) => worker.view());
    for (const [change, code] of [
      [{ action: 'rollback', reference: 'film' }, 'ERR_REGISTRY_NO_PREVIOUS'],
      [{ action: 'promote', reference: 'film', version: '9' }, 'ERR_REGISTRY_UNKNOWN'],
      [{ action: 'promote', reference: 'film@1', version: '2' }, 'ERR_REGISTRY_REFERENCE'],
      [{ action: 'unload', name: 'other' }, 'ERR_REGISTRY_UNKNOWN'],
      [{ action: 'load', reference: '../other' }, 'ERR_REGISTRY_UNKNOWN'],
    ] as const)
      await expect(models.change(change)).rejects.toMatchObject({ code });
    expect(workers.map((worker) => worker.view())).toEqual(views);
    await close();
  });

  test('gets the same errors as in one process', async () => {
    const { models, close } = await setup(twoVersions);
    const registry = await createRegistry();
    for (const version of [1, 2]) registry.add('film', { path: one }, { version });
    const differences: unknown[] = [];
    const references = ['film', 'film@1', 'film@9', 'film:live', 'film:', 'nope', 'nope@1', 'nope:live', '__proto__'];
    const versions = ['2', '9', '2:default', '1@film'];
    const changes: ModelChange[] = [
      { action: 'load', reference: 'film@2' },
      ...references.flatMap((reference): ModelChange[] => [
        { action: 'load', reference },
        { action: 'rollback', reference },
        ...versions.map((to) => ({ action: 'shadow', reference, to, sample: 0.5 }) as const),
        ...versions.map((to) => ({ action: 'canary', reference, to, percent: 300 }) as const),
        ...versions.slice(1).map((version) => ({ action: 'promote', reference, version }) as const),
      ]),
      { action: 'promote', reference: 'film:live', version: '2' },
      { action: 'load', reference: 'film:live' },
      { action: 'unload', name: 'film:live' },
      ...references.map((name) => ({ action: 'unload', name }) as const),
    ];
    for (const change of changes) {
      const [one, many] = await Promise.all([
        outcome(() => changeModels(registry, change)),
        outcome(() => models.change(change)),
      ]);
      if (one !== many) differences.push({ change, one, many });
    }
    expect(differences).toEqual([]);
    await registry.close();
    await close();
  });

  test('replaces a worker that cannot follow, and counts no worker that has ended', async () => {
    const { models, workers, close } = await setup(twoVersions);
    workers[0].failing = { step: 'commit', error: new Error('broken') };
    workers[1].failing = { step: 'prepare', error: Object.assign(new Error('gone'), { code: 'ERR_CLI_WORKER' }) };
    await models.change({ action: 'promote', reference: 'film', version: '2' });
    expect(workers.map(({ losses }) => losses)).toEqual([1, 0]);
    const replacement = await Worker.create();
    await replacement.models.replace(statesOf(models));
    expect(replacement.view().aliases).toEqual([['film:default', 'film@2', undefined]]);
    await replacement.registry.close();
    await close();
  });
});

describe('a watched folder', () => {
  test('adds, replaces and removes versions in all workers or in none', async () => {
    const models1 = join(folder, 'watched');
    const put = (name: string, weights: readonly number[] | string) => {
      const path = join(folder, 'next');
      writeFileSync(path, typeof weights === 'string' ? weights : regressorModel(weights));
      renameSync(path, join(models1, name));
    };
    mkdirSync(models1);
    put('film@1.onnx', [1, 0]);
    put('broken@1.onnx', 'no model');
    const events: FileEvent[] = [];
    let scan: () => Promise<void> = async () => undefined;
    const { models, workers, close, openFiles } = await setup(async (models) => {
      models.on('file', (event) => events.push(event));
      const watch = await models.watch(models1, { intervalMs: 0 });
      scan = () => watch.scan();
      for (const name of models.names()) await models.load(name);
    });
    expect(events.filter(({ change }) => change === 'refused')).toHaveLength(1);
    const settled = async () => {
      await scan();
      await models.exclusively(async () => undefined);
    };
    const views = () => workers.map((worker) => worker.view());
    const only = (version: string) => ({ aliases: [['film:default', version, undefined]], loaded: [version] });
    expect(views()).toEqual([only('film@1'), only('film@1')]);

    workers[1].failing = { step: 'prepare', error: new Error('no memory') };
    put('film@2.onnx', [0, 1]);
    await settled();
    expect(views()).toEqual([only('film@1'), only('film@1')]);
    expect(openFiles()).toBe(1);

    workers[1].failing = undefined;
    await settled();
    for (const { registry } of workers) expect(await registry.predict('film', row)).toEqual({ y: [5] });
    rmSync(join(models1, 'film@1.onnx'));
    await settled();
    expect(views()).toEqual([only('film@2'), only('film@2')]);
    expect(openFiles()).toBe(1);
    await close();
  });
});

describe('a version that is being packed', () => {
  test('is unknown to changes, and reaches no worker', async () => {
    const watched = join(folder, 'packing');
    mkdirSync(watched);
    writeFileSync(join(watched, 'film@1.onnx'), regressorModel([1, 0]));
    let packing: () => Promise<void> = async () => undefined;
    let scan: () => Promise<void> = async () => undefined;
    const { models, workers, close } = await setup(
      async (models) => {
        const watch = await models.watch(watched, { intervalMs: 0 });
        scan = () => watch.scan();
        await models.load('film');
      },
      { packing: () => packing() },
    );
    let before = workers.map((worker) => worker.view());
    const outcomes: unknown[] = [];
    const packWith = async (file: string, changes: readonly ModelChange[]) => {
      packing = async () => {
        for (const change of changes) outcomes.push(await outcome(() => models.change(change)));
        expect(workers.map((worker) => worker.view())).toEqual(before);
        packing = async () => undefined;
      };
      writeFileSync(join(watched, file), regressorModel([0, 1]));
      await scan();
      await models.exclusively(async () => undefined);
      before = workers.map((worker) => worker.view());
    };
    await packWith('film@2.onnx', [
      { action: 'shadow', reference: 'film', to: '2', sample: 1 },
      { action: 'canary', reference: 'film', to: '2', percent: 5 },
      { action: 'promote', reference: 'film', version: '2' },
      { action: 'load', reference: 'film@2' },
    ]);
    await packWith('new@1.onnx', [
      { action: 'load', reference: 'new' },
      { action: 'unload', name: 'new' },
    ]);
    expect(outcomes).toEqual(Array(6).fill('ERR_REGISTRY_UNKNOWN'));
    await models.change({ action: 'shadow', reference: 'film', to: '1', sample: 1 });
    expect(models.stateOf('film').aliases[0]!.shadow).toEqual({ to: '1', sample: 1 });
    await close();
  });

  test('at the start of the server is served, also when it appears during the first pack', async () => {
    const watched = join(folder, 'starting');
    mkdirSync(watched);
    writeFileSync(join(watched, 'film@1.onnx'), regressorModel([1, 0]));
    const fleet = join(folder, 'starting.brezel');
    expect(await packHere({ members: [{ name: 'other', path: two }], output: fleet }, { nonFinite: 'refuse' })).toEqual(
      [undefined],
    );
    const events: FileEvent[] = [];
    let packing: () => Promise<void> = async () => undefined;
    const { workers, close } = await setup(
      async (models) => {
        models.on('file', (event) => events.push(event));
        const watch = await models.watch(watched, { intervalMs: 0 });
        packing = async () => {
          packing = async () => undefined;
          renameSync(fleet, join(watched, 'other.brezel'));
          writeFileSync(join(watched, 'film@2.onnx'), regressorModel([0, 1]));
          await watch.scan();
        };
      },
      { packing: () => packing() },
    );
    expect(events.map(({ change }) => change)).toEqual(['taken', 'taken', 'taken']);
    for (const { registry } of workers) {
      expect(await registry.predict('other', row)).toEqual({ y: [5] });
      expect(await registry.predict('film', row)).toEqual({ y: [5] });
    }
    await close();
  });
});

test('a packer that ends is reported as a packer', async () => {
  const program = process.argv[1]!;
  const ending = join(folder, 'ending.mjs');
  writeFileSync(ending, 'process.exit(3)');
  process.argv[1] = ending;
  const names = planNamesOf(one, new AbortController().signal);
  process.argv[1] = program;
  const message = 'the process that packs the models ended before it replied: exit code 3';
  await expect(names).rejects.toMatchObject({ code: 'ERR_CLI_WORKER', message });
});

test('an error of the cache folder after a pack ends the start', async () => {
  const full = new Error('no space');
  const written = () => {
    throw full;
  };
  await expect(setup(twoVersions, { written })).rejects.toBe(full);
});

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as brezel from 'brezel';
import { createFlour, createRuntime, importOnnx, loadNative, packFleet } from 'brezel';
import * as serving from 'brezel/serve';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { punctuation } from '../custom/fleet-operators.mjs';
import { temporaryFolder } from './folder.js';
import { forge } from './forge.js';

const folder = temporaryFolder();
afterAll(folder.remove);
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const texts = ['a good film', '', 'bad, bad', 'naïve café 😀'];
const model = readFileSync(new URL('../../../../examples/models/sa-fam-a-00.onnx', import.meta.url));
/** The answers of the plan `film`. */
let expected: unknown[];

/** The plan `film` runs completely in the addon. The plan `marks` has a custom operator. */
beforeAll(async () => {
  const flour = await createFlour();
  const film = importOnnx(model, flour).program.plan();
  await packFleet([{ plan: film, name: 'film', rows: texts }], folder.path('film.brezel'), { store: flour.store });
  const text = flour.columns({ text: 'string' }).select('text');
  const marks = text.custom(punctuation, { parameters: { weights: [1, 10] }, attributes: { marks: '?!' } }).plan();
  await packFleet([{ plan: marks, name: 'marks' }], folder.path('marks.brezel'), { store: flour.store });
  const runtime = createRuntime({ store: flour.store });
  const registered = runtime.register(film);
  expected = texts.map((row) => runtime.predictSync(registered, row));
});

/** Prints the URL of every module that the process loads. */
const hook = `
  import { writeSync } from 'node:fs';
  export async function load(url, context, next) { writeSync(2, url + '\\n'); return next(url, context); }`;

/**
 * Runs `body` in a separate process. Returns what the process prints and which packages of Brezel
 * it loads.
 *
 * @param body code that may use `openFleet`, `createRuntime`, `path` and `texts`
 */
function inProcess(body: string, file = 'film') {
  const program = `
    import { createRuntime, openFleet } from 'brezel/serve';
    const [path, texts] = ${JSON.stringify([folder.path(`${file}.brezel`), texts])};
    ${body}`;
  writeFileSync(folder.path('hook.mjs'), hook);
  writeFileSync(
    folder.path('hooks.mjs'),
    `import { register } from 'node:module'; register('./hook.mjs', import.meta.url);`,
  );
  const parameters = ['--import', folder.path('hooks.mjs'), '--input-type=module', '-e', program];
  const log = folder.path('loaded.txt');
  const printed = execFileSync('sh', ['-c', 'exec "$0" "$@" 2>"$LOG"', process.execPath, ...parameters], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, LOG: log },
  });
  const loaded = new Set(
    [...readFileSync(log, 'utf8').matchAll(/\/packages\/([\w-]+)\/dist\//g)].map(([, name]) => name!),
  );
  return { answer: JSON.parse(printed) as unknown, loaded: [...loaded].sort() };
}

const predict = (options: string) => `
  const fleet = await openFleet(path, ${options});
  const runtime = createRuntime({ store: fleet.store });
  const plan = runtime.register(fleet.plan(fleet.names[0]));
  const answers = texts.map((row) => runtime.predictSync(plan, row));
  const batch = await runtime.predictBatch(plan, texts);
  fleet.close();
  console.log(JSON.stringify({ answers, batch }));
  await runtime.close();`;

test('brezel/serve is a part of brezel', () => {
  for (const name of Object.keys(serving)) expect(Object.keys(brezel)).toContain(name);
});

describe.skipIf(!loadNative().addon)('a process that only serves', () => {
  test('answers with the same bits, and loads no operator, compiler or importer', () => {
    const { answer, loaded } = inProcess(predict('{ verify: false }'));
    expect(answer).toEqual({ answers: expected, batch: expected });
    expect(loaded).toEqual(['brezel', 'core', 'fleet-file', 'object-store', 'runtime', 'text']);
  });

  test('loads operators if a file is verified', () => {
    const { answer, loaded } = inProcess(predict('{}'));
    expect(answer).toEqual({ answers: expected, batch: expected });
    expect(loaded).toContain('flour');
  });

  test('replays golden rows without loading operators', () => {
    const { answer, loaded } = inProcess(
      'const fleet = await openFleet(path, { verify: false }); console.log(JSON.stringify(await fleet.replay()));',
    );
    expect(answer).toEqual({ plans: 1, rows: 4, differences: [] });
    expect(loaded).not.toContain('flour');
  });

  test('has no reference engine without brezel, and says so', () => {
    const byReference = `
      const fleet = await openFleet(path, { verify: false });
      const runtime = createRuntime({ store: fleet.store });
      const plan = runtime.register(fleet.plan('film'));
      const ask = () => runtime.predictBatch(plan, texts, { engine: 'reference' }).catch(({ code }) => code);
      const before = await ask();
      const accept = { name: 'accept', missing: 'accept' };
      let missing;
      try { runtime.register(fleet.plan('film'), accept); } catch ({ code, hint }) { missing = [code, hint]; }
      await import('brezel');
      runtime.register(fleet.plan('film'), accept);
      const after = runtime.register(fleet.plan('film'));
      const answers = await runtime.predictBatch(after, texts, { engine: 'reference' });
      console.log(JSON.stringify({ before, missing, answers }));
      await runtime.close();`;
    expect(inProcess(byReference).answer).toEqual({
      before: 'ERR_FLEET_REFERENCE',
      missing: ['ERR_RUNTIME_OPTION', "import 'brezel' beside 'brezel/serve'"],
      answers: expected,
    });
  });

  test('rejects custom operators that this process does not define', () => {
    const { answer } = inProcess(
      `const fleet = await openFleet(path, { verify: false });
       try { fleet.plan('marks'); } catch ({ code }) { console.log(JSON.stringify(code)); }`,
      'marks',
    );
    expect(answer).toBe('ERR_FLEET_OPERATOR');
  });

  test('rejects inconsistent files, and frees their memory', async () => {
    const forged = folder.path('forged.brezel');
    forge(folder.path('film.brezel'), forged, ({ programs }) => {
      programs[0]!.calls[0]!.attributes = [];
    });
    const store = await serving.openStore();
    using fleet = await serving.openFleet(forged, { store, verify: false });
    const plan = fleet.plan('film');
    await using runtime = serving.createRuntime({ store });
    expect(() => runtime.register(plan)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_NATIVE' }));
    plan.release();
    fleet.close();
    expect(store.stats().objects).toBe(0);
  });
});

test('gives the same answers without the addon, after loading the operators', async () => {
  const store = await serving.openStore({ native: false });
  using fleet = await serving.openFleet(folder.path('film.brezel'), { store, verify: false });
  await using runtime = serving.createRuntime({ store });
  const plan = fleet.plan('film');
  const registered = runtime.register(plan);
  plan.release();
  expect(texts.map((row) => runtime.predictSync(registered, row))).toEqual(expected);
});

test.each([true, false])(
  'a prefaulted fleet answers the same before and after all pages were read (addon: %s)',
  async (native) => {
    const store = await serving.openStore({ native });
    const fleet = await serving.openFleet(folder.path('film.brezel'), { store, verify: false, prefault: true });
    await using runtime = serving.createRuntime({ store });
    const plan = fleet.plan('film');
    const registered = runtime.register(plan);
    plan.release();
    const ask = () => texts.map((row) => runtime.predictSync(registered, row));
    expect(ask()).toEqual(expected);
    expect(fleet.prefaulted).toBeInstanceOf(Promise);
    expect(await fleet.prefaulted).toBeUndefined();
    expect(ask()).toEqual(expected);
    fleet.close();
    expect(await fleet.prefaulted).toBeUndefined();
  },
);

test('a fleet that is closed early stops reading pages, and its plans stay', async () => {
  const store = await serving.openStore();
  const fleet = await serving.openFleet(folder.path('film.brezel'), { store, verify: false, prefault: true });
  await using runtime = serving.createRuntime({ store });
  const plan = fleet.plan('film');
  const registered = runtime.register(plan);
  plan.release();
  fleet.close();
  await fleet.prefaulted;
  expect(texts.map((row) => runtime.predictSync(registered, row))).toEqual(expected);
});

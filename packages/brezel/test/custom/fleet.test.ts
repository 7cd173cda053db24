import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { createFlour, createRuntime, defineOperator, explain, openFleet, packFleet } from 'brezel';
import { afterAll, expect, test } from 'vitest';
import { brezelProcess } from '../../../cli/test/brezel.js';
import { stores, temporaryFolder } from '../fleet/folder.js';
import { punctuation } from './fleet-operators.mjs';

const folder = temporaryFolder();
afterAll(folder.remove);
const path = folder.path('scores.brezel');
const texts = ['What? A good film!!', '', 'bad'];
const module = fileURLToPath(new URL('./fleet-operators.mjs', import.meta.url));

const flour = await createFlour();
const text = flour.columns({ text: 'string' }).select('text');
const marks = text.custom(punctuation, { parameters: { weights: [1, 10] }, attributes: { marks: '?!' } });
const words = text.tokenize().wordNgram({ vocabulary: [['good'], ['bad']] });
const program = flour.program(
  { marks, score: words.concat(marks).linear({ weights: [1, -1, 0.5, 0.25] }) },
  { name: 'scores' },
);
const plan = program.plan();
await packFleet([{ plan, rows: texts }], path, { store: flour.store });
const runtime = createRuntime({ store: flour.store });
const registered = runtime.register(plan);
const expected = texts.map((one) => runtime.predictSync(registered, one));

test('a fleet with custom operators gives the answers that it gave when it was packed', async () => {
  expect(expected[0]).toEqual({ marks: [1, 20], score: [1 + 0.5 + 5] });
  for (const [kind, store] of await stores()) {
    using fleet = await openFleet(path, { store });
    expect(await fleet.replay(), kind).toEqual({ plans: 1, rows: 3, differences: [] });
  }
});

/** Returns the message of a new thread, which has defined no operators. */
function inThread(file: string, operators: boolean): Promise<Record<string, unknown>> {
  const workerData = { path: file, texts, operators };
  const worker = new Worker(new URL('./worker.mjs', import.meta.url), { workerData });
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
}

test('a thread that imports the operators runs the plan; another thread gets an error that names the missing operators', async () => {
  const engine = 'mixed';
  expect(await inThread(path, true)).toEqual({ engine, answers: expected });
  const refused = await inThread(path, false);
  expect(refused).toMatchObject({
    code: 'ERR_FLEET_OPERATOR',
    hint: expect.stringContaining('import the module that defines it (defineOperator)'),
  });
  expect(refused.message).toContain(
    'expected the custom operator test-fleet/punctuation, version 2, to be defined at stage ',
  );
  expect(refused.message).toContain('received no operator of this name');
});

test('another version of an operator does not replace it', async () => {
  const next = defineOperator({
    name: 'test-fleet/other',
    version: 5,
    inputs: ['text'],
    output: 'float32',
    run: () => 1,
  });
  const other = text.custom(next).plan({ name: 'scores' });
  const file = folder.path('other.brezel');
  await packFleet([other], file, { store: flour.store });
  other.release();
  expect(await inThread(file, true)).toMatchObject({ code: 'ERR_FLEET_OPERATOR' });
});

test('a plan of another thread is rejected if this thread does not define its operators', async () => {
  const compiled = { ...plan, stages: plan.stages.map((one) => ({ ...one, stage: { ...one.stage } })) };
  const unknown = JSON.parse(JSON.stringify(compiled).replaceAll('test-fleet/punctuation', 'test-fleet/unheard-of'));
  expect(() => runtime.register(unknown)).toThrow(
    expect.objectContaining({
      code: 'ERR_RUNTIME_OPERATOR',
      message: expect.stringContaining('test-fleet/unheard-of, version 2'),
    }),
  );
});

test('the command line loads the operators', async () => {
  const bare = await brezelProcess(['verify', path]);
  expect(bare.code).not.toBe(0);
  expect(bare.err).toContain('test-fleet/punctuation');
  const { code, out, err } = await brezelProcess(['verify', path], undefined, { NODE_OPTIONS: `--import ${module}` });
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/golden rows +3, same bits/);
});

test('generated golden rows that a plan rejects are omitted', async () => {
  const picky = defineOperator({
    name: 'test-fleet/picky',
    inputs: ['text'],
    output: 'float32',
    run: (one, { refuse }) => {
      if (one === '') return refuse('nothing');
      if (!/^[a-z ]+$/.test(one)) throw new RangeError('strange');
      return 1;
    },
  });
  const refusing = text.custom(picky).plan({ name: 'picky' });
  const file = folder.path('picky.brezel');
  await packFleet([refusing], file, { store: flour.store });
  refusing.release();
  using fleet = await openFleet(file);
  expect(await fleet.replay()).toEqual({ plans: 1, rows: 4, differences: [] });
});

test('EXPLAIN shows which stages run in JavaScript', () => {
  const told = explain(program);
  expect(told).toMatch(/^stage \d runs in JavaScript: operators without a kernel$/m);
  expect(told).toMatch(/test-fleet\/punctuation\(text\) +\?!? ?/);
});

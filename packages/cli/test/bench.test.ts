import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { GUARD_MS } from '../../../testing/guard.js';
import { compareWithBaseline, differentFrom, parseBaseline } from '../src/bench/baseline.js';
import { takeTurns } from '../src/bench/measure.js';
import type { Measurements } from '../src/bench/measurements.js';
import { baselineText, benchText } from '../src/text/bench-text.js';
import { brezel, model, temporaryFolder } from './brezel.js';

const folder = temporaryFolder();
afterAll(folder.remove);

const parse = (value: unknown) => parseBaseline(Buffer.from(JSON.stringify(value)), 'base.json');

describe('brezel bench', () => {
  test('measures, saves, and compares: exit code 1 on a sure regression', {
    timeout: GUARD_MS,
  }, async () => {
    const rows = folder.file('rows.jsonl', '{"text": "a good film"}\n\n{"text": "a bad film"}\n');
    const crafted = measured('sa-fam-a-00.onnx', {
      ...samples,
      // Multiples of the reference workload, so large that no load of this machine matters.
      single: [[1e300], [1e300]],
      batch: [[1e300], [1e300]],
      load: [[1e300], [1e300]],
      parameters: [[1000], [1000]],
    });
    const base = folder.file('base.json', JSON.stringify(crafted));
    const saved = folder.path('saved.json');
    const flags = ['--trials', '3', '--rounds', '1', '--no-rival', '--json', '--rows', rows];
    const ended = await brezel(['bench', model(0), model(1), ...flags, '--baseline', base, '--save', saved]);
    expect(ended.code).toBe(1);
    expect(ended.err).toMatch(
      /^brezel: ERR_CLI_REGRESSION: expected at most 10 % above the baseline, received sa-fam-a-00.onnx parameters 1,\d{3}x/,
    );
    const { models, comparisons, unknown, different } = JSON.parse(ended.out);
    expect(models[0]).toMatchObject({ name: 'sa-fam-a-00.onnx', engine: 'native', rows: 2 });
    expect(models[0].ownBytes).toBe(models[0].parameterBytes);
    // The model shares its other parameters with the first model.
    expect(models[1].ownBytes).toBeLessThan(models[1].parameterBytes / 10);
    expect(models[0].singleMicros.p99).toBeGreaterThanOrEqual(models[0].singleMicros.p50);
    expect(comparisons.map(({ metric, verdict }: Record<string, unknown>) => [metric, verdict])).toEqual([
      ['single', 'improved'],
      ['batch', 'improved'],
      ['load', 'improved'],
      ['parameters', 'regressed'],
    ]);
    expect(unknown).toEqual(['sa-fam-a-01.onnx']);
    expect(different).toContain(`node ${process.version}, in the baseline v20.0.0`);
    const again = parseBaseline(readFileSync(saved), saved);
    expect(again.models.map(({ name, samples }) => [name, samples.single.length])).toEqual([
      ['sa-fam-a-00.onnx', 3],
      ['sa-fam-a-01.onnx', 3],
    ]);
  });

  test.each<[string, string[], number, RegExp]>([
    ['command', ['--trials', '2', '--fail-above', '10%'], 2, /ERR_CLI_USAGE.*from 3 to 1000/],
    [
      'baseline',
      ['--baseline', folder.file('none.json', '{"format": "other"}')],
      1,
      /ERR_CLI_BASELINE.*"other".*--save/,
    ],
  ])('tells in one line what is wrong with the %s', async (_, flags, code, message) => {
    const ended = await brezel(['bench', model(0), ...flags]);
    expect(ended.err).toMatch(message);
    expect(ended.err.trim().split('\n')).toHaveLength(1);
    expect(ended).toMatchObject({ code, out: '' });
  });
});

const samples = { single: [[1], [1]], batch: [[1], [1]], load: [[1], [1]], parameters: [[1], [1]] };
const measured = (name: string, now = samples): Measurements => ({
  format: 'brezel-bench-1',
  machine: { cpu: 'a processor', cores: 2, node: 'v20.0.0', brezel: '0.0.0' },
  referenceMicros: 12,
  rival: '1.0.0',
  models: [
    {
      name,
      engine: 'native',
      rows: 1,
      singleMicros: { p50: 1.5, p99: 15_000 },
      rowsPerSecond: 1_234_567,
      loadMs: 12.3456,
      residentBytes: undefined,
      parameterBytes: 1_300_000,
      ownBytes: 8800,
      samples: now,
      rival: { missing: 'a \u001b[31mreason' },
    },
  ],
});

describe('the baseline', () => {
  test('must be a file of brezel bench', () => {
    for (const value of [
      null,
      [],
      'text',
      { format: 'brezel-bench-0' },
      { format: 'brezel-bench-1' },
      { format: 'brezel-bench-1', machine: {}, models: {} },
      { format: 'brezel-bench-1', machine: {}, models: [null] },
      { format: 'brezel-bench-1', machine: {}, models: [{ name: 1, samples }] },
      { format: 'brezel-bench-1', machine: {}, models: [{ name: 'a', samples: {} }] },
      ...[[], [[1]], [[1], []], [[1], [0]], [[1], [-1]], [[1], ['1']], [[1], [null]], [[1], 1]].map((single) => ({
        format: 'brezel-bench-1',
        machine: {},
        models: [{ name: 'a', samples: { ...samples, single } }],
      })),
    ])
      expect(() => parse(value), JSON.stringify(value)).toThrow(/brezel bench --save/);
    expect(() => parseBaseline(Buffer.from([0xff]), 'base.json')).toThrow(/not JSON/);
    expect(parse(measured('a')).models[0]!.name).toBe('a');
  });

  test('compares models by name, each number separately', () => {
    const then = parse(measured('a'));
    expect(compareWithBaseline(measured('b'), then, 0.1)).toEqual([]);
    const slower = measured('a', { ...samples, batch: [[1.2, 1.2, 9], [1.2]], load: [[1.05], [1.05]] });
    const found = compareWithBaseline(slower, then, 0.1);
    expect(found.map(({ metric, verdict }) => [metric, verdict])).toEqual([
      ['single', 'same'],
      ['batch', 'regressed'],
      ['load', 'slower'],
      ['parameters', 'same'],
    ]);
    expect(baselineText(found, ['c\n', ...differentFrom(slower, { ...then, machine: { node: 'v20.0.0' } })])).toBe(
      [
        'now / baseline, with times as multiples of the reference workload (above 1: worse):',
        '  a  single      1.00x (1.00-1.00)  no significant difference',
        '  a  batch       1.20x (1.20-1.20)  REGRESSED',
        '  a  load        1.05x (1.05-1.05)  worse, within the limit',
        '  a  parameters  1.00x (1.00-1.00)  no significant difference',
        '  c\u{fffd}',
        '  cpu a processor, in the baseline undefined',
        '  brezel 0.0.0, in the baseline undefined\n',
      ].join('\n'),
    );
  });
});

test('the table shows units, and why there is no rival', () => {
  expect(benchText(measured('model.onnx'))).toBe(
    `  model           p50      p99             batch     load  memory  parameters  unshared
  model.onnx  1.50 µs  15.0 ms  1,234,567 rows/s  12.3 ms              1.3 MB    8.8 KB

ratio to onnxruntime-node 1.0.0, one thread (above 1: Brezel is better):
  model       single  batch  load  memory  answers
  model.onnx                               not run (see below)
  not run: a \u{fffd}[31mreason

  a processor, 2 cores, Node v20.0.0, Brezel 0.0.0; reference workload 12.0 µs
`,
  );
});

test('contestants alternate equally often, and promises are awaited', async () => {
  let pending = 0;
  const order: string[] = [];
  const contestant = (name: string, isAsync: boolean) => ({
    name,
    async run() {
      expect(pending).toBe(0);
      if (order.at(-1) !== name) order.push(name);
      pending++;
      if (isAsync) await new Promise(setImmediate);
      pending--;
    },
  });
  const times = await takeTurns([contestant('a', true), contestant('b', false)], { rounds: 4, periodMs: 0 });
  // Warm-up of both, then four rounds in alternating order. Adjacent blocks of one contestant are
  // one entry.
  expect(order).toEqual(['a', 'b', 'a', 'b', 'a', 'b', 'a']);
  expect([...times].map(([name, { rounds }]) => [name, rounds.length])).toEqual([
    ['a', 4],
    ['b', 4],
  ]);
});

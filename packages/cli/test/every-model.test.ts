import { readFileSync } from 'node:fs';
import { makeNode, makeTensor, tensorInput } from '@brezel/onnx';
import { createFlour, createRegistry, createRuntime, importModel, openFleet } from 'brezel';
import { InferenceSession, Tensor as OrtTensor } from 'onnxruntime-node';
import { afterAll, describe, expect, test } from 'vitest';
import { constant, file, flag, float, graph, int64, integer } from '../../brezel/test/tensors/models.js';
import { brezel, temporaryFolder } from './brezel.js';

const folder = temporaryFolder();
afterAll(folder.remove);

/**
 * Doubles x n times. The trip count of a Loop is one number, so several rows cannot run together.
 */
const body = graph(
  [makeNode('Add', ['v', 'v'], ['twice']), makeNode('Identity', ['go'], ['on'])],
  [integer('i', []), flag('go'), float('v', ['a', 'b'])],
  [flag('on'), float('twice', ['a', 'b'])],
);
const doubling = folder.file(
  'doubling.onnx',
  file(
    graph(
      [
        constant('axis', int64([1], 0)),
        makeNode('Squeeze', ['n', 'axis'], ['trips']),
        makeNode('Loop', ['trips', '', 'x'], ['y'], { body: { g: body } }),
        makeNode('Cast', ['y'], ['whole'], { to: { i: 7n } }),
      ],
      [float('x', ['N', 2]), integer('n', ['N'])],
      [float('y', ['N', 2]), integer('whole', ['N', 2])],
    ),
  ),
);
const rows = [
  { x: [1.5, -2], n: 0 },
  { x: [1.5, -2], n: 3 },
  { x: [0.25, 100], n: 1 },
];
const lines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const input = lines(rows);

/** Returns the answers of onnxruntime to rows that are sent one by one. */
async function theirs() {
  const session = await InferenceSession.create(readFileSync(doubling));
  const answers: { y: number[]; whole: number[] }[] = [];
  for (const { x, n } of rows) {
    const { y, whole } = await session.run({
      x: new OrtTensor('float32', Float32Array.from(x), [1, 2]),
      n: new OrtTensor('int64', BigInt64Array.of(BigInt(n)), [1]),
    });
    answers.push({
      y: Array.from(y!.data as Float32Array),
      whole: Array.from(whole!.data as BigInt64Array, Number),
    });
  }
  return answers;
}

const ok = async (args: readonly string[], stdin = '') => {
  const { code, out, err } = await brezel(args, stdin);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
};
const parsed = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

describe('a tensor program, row by row', () => {
  const big = 2n ** 53n + 1n;
  const picks = file(
    graph(
      [
        constant('axis', int64([1], 0)),
        constant('big', { element: 'int64', shape: [1], data: BigInt64Array.of(big) }),
        constant('table', { element: 'float32', shape: [3], data: Float32Array.of(5, 6, 7) }),
        makeNode('Squeeze', ['n', 'axis'], ['trips']),
        makeNode('Loop', ['trips', '', 'x'], ['y'], { body: { g: body } }),
        makeNode('Add', ['n', 'big'], ['sum']),
        makeNode('Gather', ['table', 'n'], ['picked']),
      ],
      [float('x', ['N', 2]), integer('n', ['N'])],
      [float('y', ['N', 2]), integer('sum', ['N']), float('picked', ['N'])],
    ),
  );

  test('keeps all bits of int64 answers, and names the row that fails', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store });
    const model = importModel(picks, flour, { rowByRow: true });
    if (model.kind !== 'row') throw new Error('not row by row');
    const compiled = model.program.plan();
    expect(compiled.stages[0]!.stage.steps[0]!.operator).toBe('brezel/tensor-rows');
    const plan = runtime.register(compiled);
    const row = (n: number) => ({ x: [1, 2], n });
    expect(runtime.predictSync(plan, row(1))).toMatchObject({ sum: Number(big + 1n), picked: 6 });
    expect(runtime.predictSync(plan, row(0))).toMatchObject({ sum: big, picked: 5 });
    const error = await runtime.predictBatch(plan, [row(1), row(2), row(7)]).catch((cause) => cause);
    expect(error).toMatchObject({ code: 'ERR_RUNTIME_INPUT', details: { row: 2 } });
  });
});

describe('a model that is a tensor program only', () => {
  test('predict gives the answers of onnxruntime, with every engine', async () => {
    const expected = await theirs();
    expect(expected[1]).toEqual({ y: [12, -16], whole: [12, -16] });
    for (const engine of ['batch', 'request-response', 'reference'])
      expect(parsed(await ok(['predict', doubling, '--engine', engine], input)), engine).toEqual(expected);
  });

  test('verify, types and schema support it', async () => {
    const expected = folder.file('expected.jsonl', lines(await theirs()));
    const file = folder.file('rows.jsonl', input);
    expect(await ok(['verify', doubling, '--rows', file, '--expected', expected])).toContain('3 of 3 rows agree');
    const types = folder.path('models.d.ts');
    await ok(['types', doubling, '-o', types]);
    expect(readFileSync(types, 'utf8')).toMatch(/whole: /);
    expect(JSON.parse(await ok(['schema', doubling]))).toMatchObject({});
  });

  test('pack stores it, and the fleet file gives the same answers', async () => {
    const fleet = folder.path('fleet.brezel');
    await ok(['pack', doubling, '-o', fleet, '--rows', folder.file('golden.jsonl', input)]);
    expect(await ok(['verify', fleet])).toContain('3, same bits');
    expect(parsed(await ok(['predict', fleet], input))).toEqual(await theirs());
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store });
    using opened = await openFleet(fleet, { store: flour.store, verify: false });
    const plan = runtime.register(opened.plan(opened.names[0]!));
    expect(runtime.predictSync(plan, rows[1]!)).toEqual((await theirs())[1]);
  });

  test('bench measures it', async () => {
    const file = folder.file('bench.jsonl', input);
    const out = JSON.parse(
      await ok(['bench', doubling, '--trials', '3', '--rounds', '1', '--no-rival', '--rows', file, '--json']),
    );
    expect(out.models[0]).toMatchObject({ name: 'doubling.onnx', rows: 3 });
  });

  test('bench accepts the sizes that a file does not declare', async () => {
    const nodes = [makeNode('Relu', ['x'], ['y'])];
    const open = folder.file('relu.onnx', file(graph(nodes, [float('x', ['N', 'M'])], [float('y', ['N', 'M'])])));
    const flags = ['--trials', '3', '--rounds', '1', '--json'];
    expect((await brezel(['bench', open, ...flags])).err).toMatch(/ERR_ONNX_SHAPE/);
    const out = JSON.parse(await ok(['bench', open, ...flags, '--shape', 'x=N,3']));
    expect(out.models[0]).toMatchObject({ name: 'relu.onnx', rival: { largestDifference: 0 } });
  });

  test('a registry loads and answers it', async () => {
    await using registry = await createRegistry();
    registry.add('doubling', { path: doubling }, { version: 1 });
    expect(await registry.predictBatch('doubling', rows)).toEqual(await theirs());
  });

  test('executors answer it, too', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 1 });
    const model = importModel(readFileSync(doubling), flour, { rowByRow: true });
    if (model.kind !== 'row') throw model.why;
    expect(model.warnings[0]).toMatch(
      /^each row runs alone, over whole tensors, because the graph is not a row program: .*Squeeze/,
    );
    const compiled = model.program.plan();
    const plan = runtime.register(compiled);
    compiled.release();
    const many = Array.from({ length: 300 }, (_, at) => rows[at % rows.length]!);
    const expected = await theirs();
    expect(await runtime.predictBatch(plan, many)).toEqual(many.map((_, at) => expected[at % rows.length]!));
  });
});

describe('a Scan over the entries of the row', () => {
  // Sums the entries from the last to the first. The state starts at 0 for each row.
  const sums = graph(
    [makeNode('Add', ['s', 'e'], ['t']), makeNode('Tanh', ['t'], ['u'])],
    [float('s', ['N']), float('e', ['N'])],
    [float('t', ['N']), float('u', ['N'])],
  );
  const path = folder.file(
    'sums.onnx',
    file(
      graph(
        [
          makeNode('Shape', ['x'], ['n'], { end: { i: 1 } }),
          makeNode('ConstantOfShape', ['n'], ['zeros']),
          makeNode('Scan', ['zeros', 'x'], ['total', 'each'], {
            body: { g: sums },
            num_scan_inputs: { i: 1 },
            scan_input_axes: { ints: [1] },
            scan_input_directions: { ints: [1] },
            scan_output_axes: { ints: [-1] },
          }),
        ],
        [float('x', ['N', 4])],
        [float('total', ['N']), float('each', ['N', 4])],
      ),
    ),
  );
  const many = [[1.5, -2, 0.25, 3], [0.1, 0.2, 0.3, 0.4], [1e8, 1, -1e8, 7]]; // biome-ignore format: one row a list

  test('is a row program, and all commands give the answers of onnxruntime for the batch', async () => {
    const session = await InferenceSession.create(readFileSync(path));
    const { total, each } = await session.run({ x: new OrtTensor('float32', Float32Array.from(many.flat()), [3, 4]) });
    const expected = many.map((_, row) => ({
      total: (total!.data as Float32Array)[row],
      each: Array.from((each!.data as Float32Array).subarray(row * 4, row * 4 + 4)),
    }));
    const near = expected.map((answer) => ({
      total: answer.total,
      each: answer.each.map((one) => expect.closeTo(one, 6)),
    }));
    await using registry = await createRegistry();
    registry.add('sums', { path }, { version: 1 });
    expect(await registry.predictBatch('sums', many)).toEqual(near);
    const rowsFile = folder.file('sums.jsonl', lines(many));
    const wanted = folder.file('sums-expected.jsonl', lines(expected));
    expect(await ok(['verify', path, '--rows', rowsFile, '--expected', wanted])).toContain('3 of 3 rows agree');
    const fleet = folder.path('sums.brezel');
    await ok(['pack', path, '-o', fleet, '--rows', rowsFile]);
    expect(await ok(['verify', fleet])).toContain('3, same bits');
    for (const engine of ['batch', 'request-response', 'reference'])
      expect(parsed(await ok(['predict', fleet, '--engine', engine], lines(many))), engine).toEqual(near);
    expect(await ok(['explain', path])).not.toContain('tensor-rows');
  });
});

test('an output whose size depends on the row is an error of that row', async () => {
  // The answer to row n has the numbers from 0 to n * (n - 1) + 1: two numbers for the rows 0 and
  // 1, four for the row 2.
  const nodes = [
    constant('axis', int64([1], 0)),
    constant('zero', int64([], 0)),
    constant('one', int64([], 1)),
    constant('two', int64([], 2)),
    makeNode('Squeeze', ['n', 'axis'], ['k']),
    makeNode('Sub', ['k', 'one'], ['less']),
    makeNode('Mul', ['k', 'less'], ['product']),
    makeNode('Add', ['product', 'two'], ['end']),
    makeNode('Range', ['zero', 'end', 'one'], ['y']),
  ];
  const range = folder.file('range.onnx', file(graph(nodes, [integer('n', ['N'])], [integer('y', ['M'])])));
  const { code, out } = await brezel(['predict', range, '--on-error', 'line'], lines([{ n: 0 }, { n: 2 }, { n: 1 }]));
  expect(code).toBe(1);
  expect(parsed(out)).toEqual([
    { y: [0, 1] },
    {
      error: expect.objectContaining({
        message: expect.stringMatching(/2 elements of int64 as output "y".*int64\[4\]/),
      }),
    },
    { y: [0, 1] },
  ]);
});

test('a row that the graph rejects is an error with the node', async () => {
  const { code, err } = await brezel(['predict', doubling], lines([{ x: [1], n: 1 }]));
  expect(err).toMatch(/ERR_CLI_ROW.*line 1/);
  expect(code).toBe(1);
});

describe('a graph without rows', () => {
  test.each<[string, Uint8Array]>([
    [
      'whose output depends on the values in size',
      file(graph([makeNode('NonZero', ['x'], ['y'])], [float('x', ['N', 2])], [integer('y', [2, 'M'])])),
    ],
    [
      'whose input has no first axis that is open',
      file(
        graph([makeNode('Unique', ['x'], ['y'], { sorted: { i: 1n } })], [float('x', [3, 2])], [float('y', ['M'])], {
          initializer: [makeTensor('w', 'float32', [1], Float32Array.of(1))],
        }),
      ),
    ],
    [
      'whose input is one number',
      file(graph([makeNode('Range', ['x', 'x', 'x'], ['y'])], [tensorInput('x', 1, [])], [float('y', ['M'])])),
    ],
  ])('%s is refused with the reason', async (name, bytes) => {
    const path = folder.file(`${name}.onnx`, bytes);
    const { code, out, err } = await brezel(['predict', path], '{"x": [1, 2]}\n');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/ERR_ONNX_(SHAPE|UNSUPPORTED)/);
  });
});

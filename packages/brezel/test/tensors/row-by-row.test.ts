import { DataType, makeNode, tensorInput } from '@brezel/onnx';
import { createFlour, createRuntime, importOnnx, importTensors, type Tensor } from 'brezel';
import { expect, test } from 'vitest';
import { constant, file, float, float32, graph, int64, integer } from './models.js';

// Graphs that are not row programs. Each row runs alone, as a tensor program.

const flag = (name: string) => tensorInput(name, DataType.BOOL, ['N', 2]);
const text = (name: string) => tensorInput(name, DataType.STRING, ['N', 2]);
const big = 2n ** 60n + 1n;

/** A file that subtracts from columns their mean over all rows, and returns every element type. */
const mixed = (width: number | string) =>
  file(
    graph(
      [
        constant('w', float32([3, 2], 1, 2, 3, 4, 5, 6)),
        makeNode('MatMul', ['x', 'w'], ['m']),
        makeNode('ReduceMean', ['m'], ['mean'], { axes: { ints: [0n] } }),
        makeNode('Sub', ['m', 'mean'], ['apart']),
        makeNode('Cast', ['m'], ['whole'], { to: { i: BigInt(DataType.INT64) } }),
        constant('far', { element: 'int64', shape: [1], data: BigInt64Array.of(big) }),
        makeNode('Add', ['whole', 'far'], ['wide']),
        makeNode('Greater', ['m', 'mean'], ['more']),
        makeNode('Equal', ['m', 'mean'], ['same']),
        makeNode('Cast', ['m'], ['shown'], { to: { i: BigInt(DataType.STRING) } }),
        makeNode('Cast', ['apart'], ['gap'], { to: { i: BigInt(DataType.STRING) } }),
      ],
      [float('x', ['N', width])],
      [
        float('m', ['N', 2]),
        float('apart', ['N', 2]),
        integer('whole', ['N', 2]),
        integer('wide', ['N', 2]),
        ...['more', 'same'].map(flag),
        ...['shown', 'gap'].map(text),
      ],
    ),
  );

const rows = [
  [1, 2, 3],
  [-4, 0.5, 6],
];

test('the graph runs once for all outputs of one element type', async () => {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store });
  const bytes = mixed(3);
  const plan = importOnnx(bytes, flour, { rowByRow: true }).program.plan();
  const runs = plan.stages.flatMap(({ stage }) => stage.steps.filter(({ operator }) => operator.includes('/')));
  expect(runs.map(({ attributes }) => attributes.dtype).toSorted()).toEqual(['bool', 'float32', 'int64', 'string']);
  const registered = runtime.register(plan);
  const answers = await runtime.predictBatch(registered, rows.map((x) => ({ x })) as never);
  const tensors = importTensors(bytes).program;
  for (const [index, x] of rows.entries()) {
    const results = tensors.run([float32([1, 3], ...x)]) as Tensor[];
    const names = tensors.outputs.map(({ name }) => name);
    for (const [at, name] of names.entries()) {
      const { data, element } = results[at]!;
      const expected = Array.from(data as ArrayLike<unknown>, (value) => (element === 'bool' ? value === 1 : value));
      const received = (answers[index] as Record<string, readonly unknown[]>)[name]!;
      expect(Array.from(received, exact), name).toEqual(expected.map(exact));
    }
  }
  expect((answers[0] as { wide: readonly unknown[] }).wide).toEqual([big + 22n, big + 28n]);
  plan.release();
});

/** Converts a value to text, so that bigints, numbers and booleans can be compared exactly. */
const exact = (value: unknown) =>
  typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : `${value}`;

test('the width of an input of shape [?, ?] follows from the weights', async () => {
  using flour = await createFlour();
  const { program, warnings } = importOnnx(mixed('M'), flour, { rowByRow: true });
  expect(program.inputs[0]!.type).toMatchObject({ kind: 'vector', size: 3 });
  expect(warnings[0]).toContain('each row runs alone');
});

test('a minimum width causes a warning', async () => {
  using flour = await createFlour();
  const bytes = file(
    graph(
      [
        constant('i', int64([2], 1, 0)),
        makeNode('Gather', ['x', 'i'], ['g'], { axis: { i: 1n } }),
        makeNode('ReduceMean', ['g'], ['mean'], { axes: { ints: [0n] } }),
        makeNode('Sub', ['g', 'mean'], ['y']),
      ],
      [float('x', ['N', 'M'])],
      [float('y', ['N', 2])],
    ),
  );
  const { warnings } = importOnnx(bytes, flour, { rowByRow: true });
  expect(warnings.join()).toContain('declares no number of columns');
});

import { elementCount, type Tensor } from '@brezel/core';
import { makeGraph, makeModel, makeNode, type NodeProto, tensorInput, writeModel } from '@brezel/onnx';
import { createFlour, importOnnx, type Row } from 'brezel';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { runAsTensors } from './as-tensors.js';
import { dataTypes, type NumberType, tensorOf } from './element-types.js';
import { difference, Engines } from './engines.js';
import { axisOf, each, front, indexOf, listOf, shapes } from './random-tensor-node.js';
import { seed } from './seed.js';

// Nodes that read or write elements at indices of a row. They run in the addon, along any axis and
// for every type, and give the bits of a tensor program.

/** The number of random nodes in each test. nodes.long.test.ts sets a larger number. */
const RUNS = Number(process.env.BREZEL_NODE_RUNS ?? 8);
const OPSET = 20;
const names = Object.keys(dataTypes) as NumberType[];

const flour = await createFlour();
const engines = new Engines(flour.store);
afterAll(() => flour.dispose());

interface Given {
  readonly node: NodeProto;
  readonly inputs: readonly Tensor[];
}

/** Draws small numbers whose sums and products exceed 8 bits, zeros of both signs, and NaN. */
const valueIn = (element: NumberType): fc.Arbitrary<number> => {
  if (element === 'bool') return fc.nat(1);
  if (element.startsWith('u')) return fc.integer({ min: 0, max: 255 });
  if (element.startsWith('int')) return fc.integer({ min: -128, max: 127 });
  return fc.oneof(
    fc.integer({ min: -2047, max: 2047 }).map((value) => value / 8),
    fc.constantFrom(0, -0, Number.NaN),
  );
};

const tensor = (element: NumberType, shape: readonly number[]) =>
  listOf(valueIn(element), elementCount(shape)).map((values) => tensorOf(element, shape, values));

/**
 * Draws the shape of data whose first axis holds the rows, another axis of the data, and indices
 * along that axis.
 */
const alongAxis = fc.tuple(fc.integer({ min: 1, max: 3 }), shapes(1, 3)).chain(([rows, row]) => {
  const shape = [rows, ...row];
  return axisOf(row.length)
    .map((axis) => (axis < 0 ? axis : axis + 1))
    .chain((axis) => {
      const at = front(axis, shape.length);
      return each(row, (size) => fc.integer({ min: 1, max: size }))
        .chain((kept) => fc.integer({ min: 1, max: 5 }).map((many) => [rows, ...kept].with(at, many)))
        .chain((sizes) =>
          listOf(indexOf(shape[at]!), elementCount(sizes)).map((values) => ({ shape, axis, sizes, values })),
        );
    });
});

const indicesOf = fc.constantFrom<'int64' | 'int32'>('int64', 'int32');

const gatherElements = fc.tuple(alongAxis, indicesOf, fc.constantFrom(...names)).chain(
  ([{ shape, axis, sizes, values }, kind, element]): fc.Arbitrary<Given> =>
    tensor(element, shape).map((data) => ({
      node: makeNode('GatherElements', ['x', 'i'], ['y'], { axis: { i: axis } }),
      inputs: [data, tensorOf(kind, sizes, values)],
    })),
);

const scatterElements = (element: NumberType, reduction: string) =>
  fc.tuple(alongAxis, indicesOf).chain(
    ([{ shape, axis, sizes, values }, kind]): fc.Arbitrary<Given> =>
      fc.tuple(tensor(element, shape), tensor(element, sizes)).map(([data, updates]) => ({
        node: makeNode('ScatterElements', ['x', 'i', 'u'], ['y'], { axis: { i: axis }, reduction: { s: reduction } }),
        inputs: [data, tensorOf(kind, sizes, values), updates],
      })),
  );

/**
 * Tuples of indices that select elements or blocks of a row. Data and indices may share batch axes
 * besides the axis of the rows.
 */
const gatherBlocks = fc
  .tuple(fc.integer({ min: 1, max: 3 }), shapes(1, 3), fc.integer({ min: 1, max: 3 }), fc.constantFrom(...names))
  .chain(([rows, row, count, element]) =>
    fc.nat(row.length - 1).chain((shared) =>
      fc.integer({ min: 1, max: row.length - shared }).chain((width) => {
        const [lead, axes] = [[rows, ...row.slice(0, shared), count], row.slice(shared, shared + width)];
        return fc.tuple(tensor(element, [rows, ...row]), listOf(each(axes, indexOf), elementCount(lead))).map(
          ([data, tuples]): Given => ({
            node: makeNode('GatherND', ['x', 'i'], ['y'], { batch_dims: { i: 1 + shared } }),
            inputs: [data, tensorOf('int64', [...lead, width], tuples.flat())],
          }),
        );
      }),
    ),
  );

function fileOf({ node, inputs }: Given): Uint8Array {
  const declared = ({ element, shape }: Tensor, at: number) =>
    tensorInput(node.input[at]!, dataTypes[element as NumberType], ['N', ...shape.slice(1)]);
  const output = tensorInput('y', dataTypes[inputs[0]!.element as NumberType], []);
  Object.assign(output.type!.tensorType!, { shape: undefined });
  const graph = makeGraph({ node: [node], initializer: [], input: inputs.map(declared), output: [output] });
  return writeModel(makeModel(graph, { '': OPSET }));
}

/** Returns the rows of all inputs. */
function rowsOf({ node, inputs }: Given): Row[] {
  return Array.from({ length: inputs[0]!.shape[0]! }, (_, row) =>
    Object.fromEntries(
      inputs.map(({ shape, data }, at) => {
        const size = elementCount(shape.slice(1));
        const own = Array.from(data.slice(row * size, (row + 1) * size) as Iterable<number | bigint>, Number);
        return [node.input[at]!, own];
      }),
    ),
  );
}

/**
 * Fails unless every engine gives the answers of a tensor program over the whole batch, and the
 * addon runs the expected stages.
 */
async function expectAsTensors(given: Given, isNative: boolean): Promise<void> {
  const want = runAsTensors(given.node, given.inputs, OPSET)![0] as Tensor;
  const plan = importOnnx(fileOf(given), flour).program.plan();
  try {
    const outside = plan.stages.filter(({ stage }) => stage.calls === undefined).flatMap(({ stage }) => stage.steps);
    const isOutside = outside.some(({ attributes }) => attributes.operator === given.node.opType);
    expect(!isOutside, 'runs in the addon').toBe(isNative);
    const { answers } = await engines.answers(plan, rowsOf(given));
    const reference = answers.get('reference')!;
    for (const [engine, got] of answers) expect(difference(got, reference), engine).toBeUndefined();
    const got = reference.flatMap(({ y }) => [y].flat(Number.POSITIVE_INFINITY));
    // Brezel returns a uint64 of a row as the int64 with the same bits.
    const plain = (value: unknown) => (typeof value === 'bigint' ? BigInt.asIntN(64, value) : value);
    const told = (value: unknown) => (want.element === 'bool' ? Number(value) : Number(plain(value)));
    expect(got.map(told)).toEqual(Array.from(want.data as Iterable<unknown>, told));
  } finally {
    plan.release();
  }
}

const check = (nodes: fc.Arbitrary<Given>, isNative = true) =>
  fc.assert(
    fc.asyncProperty(nodes, (given) => expectAsTensors(given, isNative)),
    { numRuns: RUNS, seed },
  );

describe('elements at indices of the row', () => {
  test('GatherElements', () => check(gatherElements));
  test('GatherND', () => check(gatherBlocks));

  const uses = names.flatMap((name) =>
    ['none', 'add', 'mul', 'max', 'min'].map((reduction) => [name, reduction] as const),
  );
  test.each(uses)('ScatterElements of %s, %s', (name, reduction) => {
    // Reductions of 16-bit floats round after each sum or product. No kernel does this.
    const isRounded = name === 'float16' && (reduction === 'add' || reduction === 'mul');
    return check(scatterElements(name, reduction), !isRounded);
  });
});

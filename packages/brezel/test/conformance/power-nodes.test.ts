import type { Tensor } from '@brezel/core';
import { makeGraph, makeModel, makeNode, tensorInput, writeElements, writeModel } from '@brezel/onnx';
import { createFlour, importOnnx, type Row } from 'brezel';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { runAsTensors } from './as-tensors.js';
import { dataTypes, type NumberType, tensorOf } from './element-types.js';
import { difference, Engines } from './engines.js';
import { seed } from './seed.js';

// Powers of every type of base and exponent. They run in the addon, and give the bits of a tensor
// program.

/** The number of random nodes in each test. nodes.long.test.ts sets a larger number. */
const RUNS = Number(process.env.BREZEL_NODE_RUNS ?? 5);
const OPSET = 15;
const COLUMNS = 3;
/** The types for which ONNX defines powers. */
type Name = Exclude<NumberType, 'bool' | 'float16'>;
const names = (Object.keys(dataTypes) as NumberType[]).filter(
  (name): name is Name => name !== 'bool' && name !== 'float16',
);
const isFloat = (name: Name) => name.startsWith('float');

const flour = await createFlour();
const engines = new Engines(flour.store);
afterAll(() => flour.dispose());

const node = makeNode('Pow', ['x', 'z'], ['y']);

/** Draws bases and exponents. Some of their powers exceed the type, are fractions, or are NaN. */
const base = (name: Name) => {
  if (isFloat(name)) return fc.constantFrom(0, -0, 1, -1, 0.5, -2, 3, 10, Number.NaN, Number.POSITIVE_INFINITY);
  return fc.integer({ min: name.startsWith('u') ? 0 : -12, max: 12 });
};
const exponent = (name: Name) => {
  if (isFloat(name)) return fc.constantFrom(0, -1, 0.5, 2, 3, -1.5, 7, 33, 70, Number.NaN, Number.NEGATIVE_INFINITY);
  return fc.oneof(fc.integer({ min: name.startsWith('u') ? 0 : -4, max: 9 }), fc.constantFrom(2, 17, 33, 63, 64, 100));
};

interface Given {
  readonly x: Tensor;
  readonly z: Tensor;
  /** Whether the exponent is a constant. */
  readonly isConstant: boolean;
}

function fileOf({ x, z, isConstant }: Given): Uint8Array {
  const input = (name: string, { element }: Tensor) => tensorInput(name, dataTypes[element as Name], ['N', COLUMNS]);
  const graph = makeGraph({
    node: [node],
    initializer: isConstant ? [writeElements('z', z)] : [],
    input: isConstant ? [input('x', x)] : [input('x', x), input('z', z)],
    output: [input('y', x)],
  });
  return writeModel(makeModel(graph, { '': OPSET }));
}

const rowOf = ({ data }: Tensor, row: number) =>
  Array.from(data.slice(row * COLUMNS, (row + 1) * COLUMNS) as Iterable<number | bigint>, Number);

/**
 * Returns whether the addon runs the node. Rows hold a uint64 as the int64 with the same bits. The
 * addon computes powers of uint64 only if the exponent is an integer that cannot be negative. If
 * the exponent is uint64, it must be a constant.
 */
function isNative({ x, z, isConstant }: Given): boolean {
  if (z.element === 'uint64') return isConstant;
  if (x.element !== 'uint64') return true;
  if (isFloat(z.element as Name)) return false;
  return isConstant
    ? Array.from(z.data as Iterable<number | bigint>).every((one) => one >= 0)
    : z.element.startsWith('u');
}

async function expectAsTensors(given: Given): Promise<void> {
  const want = runAsTensors(node, [given.x, given.z], OPSET)![0] as Tensor;
  const plan = importOnnx(fileOf(given), flour).program.plan();
  try {
    const outside = plan.stages.filter(({ stage }) => stage.calls === undefined).flatMap(({ stage }) => stage.steps);
    expect(!outside.some(({ operator }) => operator === 'row-tensor'), 'runs in the addon').toBe(isNative(given));
    const rows: Row[] = Array.from({ length: given.x.shape[0]! }, (_, row) =>
      given.isConstant ? { x: rowOf(given.x, row) } : { x: rowOf(given.x, row), z: rowOf(given.z, row) },
    );
    const { answers } = await engines.answers(plan, rows);
    const reference = answers.get('reference')!;
    for (const [engine, got] of answers) expect(difference(got, reference), engine).toBeUndefined();
    // Brezel returns a uint64 of a row as the int64 with the same bits. Integers that were
    // converted from floats may be saturated, and answers round them.
    const isWhole = !isFloat(given.x.element as Name) && !isFloat(given.z.element as Name);
    const told = (value: unknown) => {
      const bits = typeof value === 'bigint' ? BigInt.asIntN(64, value) : (value as number);
      return isWhole ? BigInt(bits) : Number(bits);
    };
    const got = reference.flatMap(({ y }) => y as unknown[]);
    expect(got.map(told)).toEqual(Array.from(want.data as Iterable<unknown>, told));
  } finally {
    plan.release();
  }
}

const listOf = (element: fc.Arbitrary<number>, length: number) =>
  fc.array(element, { minLength: length, maxLength: length });

describe.each(names)('powers of %s', (of) => {
  test.each(names)('to %s', (to) => {
    const given = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.boolean()).chain(([rows, isConstant]) =>
      fc.tuple(listOf(base(of), rows * COLUMNS), listOf(exponent(to), (isConstant ? 1 : rows) * COLUMNS)).map(
        ([x, z]): Given => ({
          x: tensorOf(of, [rows, COLUMNS], x),
          z: tensorOf(to, [isConstant ? 1 : rows, COLUMNS], z),
          isConstant,
        }),
      ),
    );
    return fc.assert(fc.asyncProperty(given, expectAsTensors), { numRuns: RUNS, seed });
  });
});

test.each([[2, 2, 2], [2], [3]])('powers of integers to floats saturate: %s', (...exponents) =>
  expectAsTensors({
    x: tensorOf('int32', [1, COLUMNS], [100_000, -100_000, 3]),
    z: tensorOf('float32', [1, exponents.length], exponents),
    isConstant: true,
  }),
);

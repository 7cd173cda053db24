import { type ElementType, elementArray, elementCount, type Tensor, type TensorValue } from '@brezel/core';
import { allTensorOperators, type TensorCall, type TensorOperator } from '@brezel/tensors';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed } from '../conformance/seed.js';

// Operators receive arbitrary tensors and attributes. An operator returns complete tensors, or
// fails with its error.

class Refused extends Error {}

const elements: readonly ElementType[] = [
  'float32',
  'float64',
  'float16',
  'bfloat16',
  'int8',
  'int16',
  'int32',
  'int64',
  'uint8',
  'uint16',
  'uint32',
  'uint64',
  'bool',
  'string',
  'int4',
  'uint2',
  'float8e5m2',
  'float4e2m1',
];
const likely = fc.constantFrom<ElementType>('float32', 'float64', 'int32', 'int64', 'bool', 'string');
const size = fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 3 }) }, fc.constant(2 ** 40));
const numbers = fc.oneof(fc.integer({ min: -4, max: 4 }), fc.constantFrom(Number.NaN, 1e30, -1e30, 0.5, 127, -128));
const words = fc.constantFrom('', 'a', '1', '-2.5', '1e400', 'NaN', '..');

function filled(element: ElementType, shape: readonly number[], values: readonly number[], texts: readonly string[]) {
  const count = elementCount(shape);
  if (element === 'string') return { element, shape, data: Array.from({ length: count }, (_, at) => texts[at % 4]!) };
  const data = elementArray(element, count);
  const big = element === 'int64' || element === 'uint64';
  for (let at = 0; at < count; at++) {
    const value = element === 'bool' ? Number(values[at % 8]! > 0) : values[at % 8]!;
    data[at] = (big ? BigInt(Math.trunc(Number.isNaN(value) ? 0 : value)) : value) as never;
  }
  return { element, shape, data } as Tensor;
}

const tensor: fc.Arbitrary<Tensor> = fc
  .tuple(
    fc.oneof(likely, fc.constantFrom(...elements)),
    fc.array(size, { maxLength: 4 }).filter((shape) => elementCount(shape) <= 1000),
    fc.array(numbers, { minLength: 8, maxLength: 8 }),
    fc.array(words, { minLength: 4, maxLength: 4 }),
  )
  .map(([element, shape, values, texts]) => filled(element, shape, values, texts));

/**
 * Several inputs often have the same type. With different types, most operators would fail before
 * they read anything else.
 */
const inputs = fc
  .tuple(fc.array(fc.option(tensor, { nil: undefined, freq: 12 }), { maxLength: 5 }), fc.boolean())
  .map(([all, same]) => {
    const first = all[0]?.element;
    if (!same || first === undefined) return all;
    return all.map((one) => one && filled(first, one.shape, [1, 2, 0, -1, 3, 1, 2, 0], ['1', 'a', '', '2']));
  });

const attribute = fc.oneof(
  fc.integer({ min: -4, max: 12 }),
  numbers,
  words,
  fc.constantFrom(
    'LEFT',
    'RIGHT',
    'tanh',
    'ij,jk->ik',
    '...i->i',
    'ii',
    'i,i',
    'FLOAT',
    'none',
    'sum',
    'circular',
    'standard',
  ),
  fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 3 }),
  fc.array(words, { maxLength: 3 }),
  tensor,
);
const names =
  'axis axes keepdims to alpha beta broadcast direction equation p epsilon fmod exclusive reverse transA transB min max ' +
  'inverse onesided reduction ignore_index shape dtype seed sample_size mode output_datatype periodic round_mode';
const attributes = fc.dictionary(fc.constantFrom(...names.split(' ')), attribute, { maxKeys: 5 });

function run(operator: TensorOperator, given: readonly (TensorValue | undefined)[], rest: Partial<TensorCall>) {
  let left = 20_000;
  const take = (count: number) => {
    left -= count;
    if (!(left >= 0)) throw new Refused(`${count} elements`);
  };
  const fault = (received: string, hint?: string) => new Refused(`${received}; ${hint}`);
  const defaults = { attributes: {}, opset: operator.versions[1], outputs: 1 };
  return operator.run({ ...defaults, ...rest, inputs: given, budget: { take }, fault });
}

function expectWhole(value: TensorValue | undefined): void {
  if (value === undefined) return;
  if (value.element === 'sequence') return value.tensors.forEach(expectWhole);
  expect(value.data.length).toBe(elementCount(value.shape));
  if (value.element === 'string') expect(Array.isArray(value.data)).toBe(true);
  else expect(value.data).toBeInstanceOf(elementArray(value.element, 0).constructor);
}

const known = allTensorOperators().map((operator) => [operator.operator, operator] as const);

test('the operators exist', () => expect(known.length).toBeGreaterThan(90));

test.each(known)('%s', (_, operator) => {
  const [from, to] = operator.versions;
  const call = fc.record({
    attributes,
    opset: fc.integer({ min: from, max: to }),
    outputs: fc.integer({ min: 1, max: 3 }),
  });
  fc.assert(
    fc.property(inputs, call, (given, rest) => {
      try {
        run(operator, given, rest).forEach(expectWhole);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
    }),
    { seed, numRuns: 300 },
  );
});

test('statistics of empty groups are rejected before they allocate memory', () => {
  const layer = known.find(([name]) => name === 'LayerNormalization')![1];
  const nothing = { element: 'float32', shape: [2 ** 40, 0], data: new Float32Array() } as const;
  expect(() => run(layer, [nothing, nothing], { outputs: 2 })).toThrow(Refused);
});

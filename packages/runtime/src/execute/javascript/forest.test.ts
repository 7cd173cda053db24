import { type DenseBlock, dense, vector } from '@brezel/core';
import { describe, expect, test } from 'vitest';
import { forestPlans, Random, randomForest, randomRows } from '../../../../brezel/test/conformance/random-forests.js';
import { linkedForest } from '../../../../flour/src/ops/tree-ensemble/linked-forest.js';
import { perfectForest } from '../../../../flour/src/ops/tree-ensemble/perfect-forest.js';
import { type Forest, reference } from '../../../../flour/src/ops/tree-ensemble/reference.js';
import { seed } from '../../../test/execute/javascript/seed.js';
import { fastKernels } from './index.js';

/**
 * Every forest that a packed kernel can run, even if the compiler selects another kernel for it.
 */
const packable = forestPlans.filter(({ kernel }) => kernel !== 'tree_ensemble');
const kernels = [
  { kernel: 'perfect_forest', build: perfectForest, plans: packable.filter(({ depth }) => depth <= 12) },
  { kernel: 'linked_forest', build: linkedForest, plans: packable },
] as const;

const parametersOf = (forest: Forest) =>
  Object.fromEntries(
    Object.entries(forest).map(([name, data]) => [
      name,
      data instanceof Float32Array
        ? ({ dtype: 'float32', shape: [data.length], data } as const)
        : ({ dtype: 'int32', shape: [data.length], data: data as Int32Array } as const),
    ]),
  );

describe.each(kernels)('$kernel', ({ kernel, build, plans }) => {
  test.each(plans)('$name has the bits of the reference', (shape) => {
    const random = new Random(seed);
    const forest = randomForest(random, shape);
    const size = shape.features + 2;
    const type = vector('float32', shape.targets);
    const inputTypes = [vector('float32', size)];
    for (const rows of [1, 5, 40]) {
      const inputs = [dense('float32', rows, size, randomRows(random, rows, size))];
      const got = fastKernels[kernel]!({ rows, inputs, type, attributes: [], parameters: [build(forest)] });
      const want = reference({ rows, inputs, inputTypes, type, attributes: {}, parameters: parametersOf(forest) });
      expect((got as DenseBlock).values, `seed ${seed}`).toEqual((want as DenseBlock).values);
    }
  });
});

describe('invalid bytes are rejected, and no walk leaves the forest', () => {
  const header = (bytes: Uint8Array) => new Uint32Array(bytes.buffer, bytes.byteOffset, 16);
  const [trees, targets, form, nodes, firstNodes, depths] = [2, 3, 6, 9, 10, 11];
  const wordsAt = (bytes: Uint8Array, field: number) => new Uint32Array(bytes.buffer, header(bytes)[field]!);

  test.each<[string, 'perfect_forest' | 'linked_forest', RegExp, (bytes: Uint8Array) => void]>([
    ['the other kind', 'perfect_forest', /sizes/, (bytes) => (header(bytes)[0] = 0x4c465a42)],
    ['a depth of 4 billion', 'perfect_forest', /sizes/, (bytes) => (header(bytes)[form] = 0xffffffff)],
    ['more trees than bytes', 'perfect_forest', /sizes/, (bytes) => (header(bytes)[trees] = 1 << 30)],
    ['another number of targets', 'perfect_forest', /targets/, (bytes) => (header(bytes)[targets] = 2)],
    ['a section beyond the end', 'linked_forest', /./, (bytes) => (header(bytes)[nodes] = 0x7ffffff0)],
    ['trees out of order', 'linked_forest', /leads nowhere|depth/, (bytes) => (wordsAt(bytes, firstNodes)[1] = 0)],
    ['a tree that is deeper than it says', 'linked_forest', /depth/, (bytes) => wordsAt(bytes, depths)[0]!++],
    [
      'a node that leads to itself',
      'linked_forest',
      /nowhere/,
      (bytes) => (wordsAt(bytes, nodes)[1]! &= 2 ** header(bytes)[form]! - 1),
    ],
  ])('%s', (_, kernel, message, change) => {
    const build = kernel === 'perfect_forest' ? perfectForest : linkedForest;
    const plan = forestPlans.find(({ name }) => name === 'one tree of depth 8')!;
    const bytes = build(randomForest(new Random(seed), { ...plan, trees: 5 }));
    const inputs = [dense('float32', 1, plan.features, new Float32Array(plan.features))];
    const run = (blob: Uint8Array) =>
      fastKernels[kernel]!({ rows: 1, inputs, type: vector('float32', 1), attributes: [], parameters: [blob] });
    expect(() => run(bytes)).not.toThrow();
    const changed = bytes.slice(); // a copy, because a checked forest is not checked again
    change(changed);
    expect(() => run(changed)).toThrow(message);
  });
});

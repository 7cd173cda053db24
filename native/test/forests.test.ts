import { dense, type ParameterValue, vector } from '@brezel/core';
import { afterEach, describe, expect, it } from 'vitest';
import {
  forestPlans,
  Random,
  randomForest,
  randomRows,
} from '../../packages/brezel/test/conformance/random-forests.js';
import { LikelyBranches, TOP_BRANCHES } from '../../packages/flour/src/ops/tree-ensemble/likely-branches.js';
import { linkedForest } from '../../packages/flour/src/ops/tree-ensemble/linked-forest.js';
import { perfectForest } from '../../packages/flour/src/ops/tree-ensemble/perfect-forest.js';
import { type Forest, reference } from '../../packages/flour/src/ops/tree-ensemble/reference.js';
import { seed as SEED } from '../../testing/seed.js';
import { codeOf, firstDifference, isas, Program } from './harness.js';

/**
 * Compares both packed kernels with the reference, on every forest that they support. A damaged
 * blob must give an error or an answer; the address sanitizer checks that nothing reads outside it.
 */

const ROWS = [1, 2, 7, 8, 15, 16, 17, 24, 31, 100];
const MOST_PERFECT_DEPTH = 12;

let program = new Program();
afterEach(() => {
  program.free();
  program = new Program();
});

const packable = forestPlans.filter(({ kernel }) => kernel !== 'tree_ensemble');
const kernels = [
  { kernel: 'perfect_forest', build: perfectForest, plans: packable.filter((one) => one.depth <= MOST_PERFECT_DEPTH) },
  { kernel: 'linked_forest', build: linkedForest, plans: packable },
] as const;

function expected(forest: Forest, rows: Float32Array, size: number): Float32Array {
  const parameters = Object.fromEntries(
    Object.entries(forest).map(([name, data]) => [name, { dtype: 'float32', shape: [data.length], data }]),
  ) as Record<string, ParameterValue>;
  const type = vector('float32', forest.base.length);
  const count = rows.length / size;
  const inputs = [dense('float32', count, size, rows)];
  const inputTypes = [vector('float32', size)];
  const answer = reference({ rows: count, inputs, inputTypes, type, attributes: {}, parameters });
  return (answer as { values: Float32Array }).values;
}

describe.each(kernels)('$kernel', ({ kernel, build, plans }) => {
  it.each(plans)('$name', (shape) => {
    const random = new Random(SEED);
    const forest = randomForest(random, shape);
    const size = shape.features + 2;
    program.output(program.call(kernel, [program.input('dense', size)], ['dense', shape.targets], [build(forest)]));
    for (const count of ROWS) {
      const rows = randomRows(random, count, size);
      const want = expected(forest, rows, size);
      for (const isa of isas) {
        const got = program.run(isa, [Float64Array.from(rows)], count);
        expect(firstDifference(got, want), `${isa}, ${count} rows, seed ${SEED}`).toBe(-1);
      }
    }
  });
});

/** Returns a forest with random covers. Some are NaN, as inside a split of several nodes. */
function withCovers(forest: Forest, random: Random): Forest {
  return {
    ...forest,
    cover: Float32Array.from(forest.mode, () => (random.next() < 0.2 ? Number.NaN : random.below(9))),
  };
}

/** The order of the nodes changes which branches are in the top of a tree, but no answer. */
it.each(packable.filter(({ kernel }) => kernel === 'linked_forest'))(
  'every order of nodes gives the same bits: $name',
  (shape) => {
    const random = new Random(SEED);
    const forest = randomForest(random, shape);
    const rows = randomRows(random, 100, shape.features);
    const want = expected(forest, rows, shape.features);
    const blobs = {
      covers: linkedForest(withCovers(forest, random)),
      'earlier version': linkedForest(forest, 'leaves'),
    };
    for (const [order, blob] of Object.entries(blobs)) {
      const one = new Program();
      one.output(one.call('linked_forest', [one.input('dense', shape.features)], ['dense', shape.targets], [blob]));
      for (const isa of isas) {
        const got = one.run(isa, [Float64Array.from(rows)], 100);
        expect(firstDifference(got, want), `${order}, ${isa}, seed ${SEED}`).toBe(-1);
      }
      one.free();
    }
  },
);

it('the top of a tree has the branches that most rows visit, parents first', () => {
  const shape = packable.find(({ name }) => name === 'a deep tree')!;
  const forest = randomForest(new Random(SEED), shape);
  const visits = Float32Array.from(forest.mode, () => 0);
  visits[0] = 1;
  forest.mode.forEach((mode, node) => {
    if (mode === 6) return;
    visits[forest.trueChild[node]!] = 0.75 * visits[node]!;
    visits[forest.falseChild[node]!] = 0.25 * visits[node]!;
  });
  const top = new LikelyBranches({ ...forest, cover: visits }, shape.features).below(0);
  expect(top).toHaveLength(TOP_BRANCHES);
  expect(top[0]).toBe(0);
  const isInTop = new Set(top);
  const others = [...forest.mode.keys()].filter((node) => forest.mode[node] !== 6 && !isInTop.has(node));
  const least = Math.min(...top.map((node) => visits[node]!));
  expect(Math.max(...others.map((node) => visits[node]!))).toBeLessThanOrEqual(least);
  for (const node of top.slice(1)) {
    const parent = top.findIndex((one) => forest.trueChild[one] === node || forest.falseChild[one] === node);
    expect(parent).toBeGreaterThanOrEqual(0);
    expect(parent).toBeLessThan(top.indexOf(node));
  }
});

/** Walks are listed in groups of 256: many trees of one row, or many rows of one tree. */
it.each([
  { name: 'more trees than a list holds', trees: 300, depth: 8, counts: [1, 3, 19] },
  { name: 'more rows than a list holds', trees: 3, depth: 14, counts: [255, 256, 264, 300, 530] },
])('linked_forest: $name', ({ trees, depth, counts }) => {
  const random = new Random(SEED);
  const plan = packable.find(({ name }) => name === 'deep classes by tree')!;
  const [size, targets] = [plan.features, plan.targets];
  const forest = randomForest(random, { ...plan, trees, depth });
  program.output(
    program.call('linked_forest', [program.input('dense', size)], ['dense', targets], [linkedForest(forest)]),
  );
  const rows = randomRows(random, Math.max(...counts), size);
  const want = expected(forest, rows, size);
  for (const count of counts) {
    for (const isa of isas) {
      const got = program.run(isa, [Float64Array.from(rows.subarray(0, count * size))], count);
      expect(firstDifference(got, want.subarray(0, count * targets)), `${isa}, ${count} rows, seed ${SEED}`).toBe(-1);
    }
  }
});

describe.each(kernels)('damaged blobs of $kernel', ({ kernel, build }) => {
  const shape = { ...packable.find(({ name }) => name === 'some probabilities')!, trees: 3, depth: 4 };
  const blob = build(randomForest(new Random(1), shape));

  /**
   * Creates a stage with a blob. Returns the addon's error, or runs the stage if the addon accepts
   * the blob.
   */
  const offer = (bytes: Uint8Array, targets = shape.targets, size = shape.features): string | undefined => {
    const one = new Program();
    one.output(one.call(kernel, [one.input('dense', size)], ['dense', targets], [bytes]));
    try {
      return codeOf(() => {
        for (const isa of isas) one.run(isa, [new Float64Array(size * 33).fill(Number.NaN)], 33);
      });
    } finally {
      one.free();
    }
  };
  const edited = (word: number, change: (value: number) => number) => {
    const bytes = blob.slice();
    const words = new Uint32Array(bytes.buffer);
    words[word] = change(words[word]!);
    return bytes;
  };

  it('accepts the blob as it was built', () => expect(offer(blob)).toBeUndefined());

  it('rejects other sizes', () => {
    expect(offer(blob, shape.targets + 1)).toBe('ERR_NATIVE_PROGRAM');
    expect(offer(blob, shape.targets, shape.features - 1)).toBe('ERR_NATIVE_PROGRAM');
    for (const length of [0, 4, 63, 64, blob.length - 64]) {
      expect(offer(blob.slice(0, length))).toBe('ERR_NATIVE_PARAMETER');
    }
  });

  it('rejects wrong values of every header field', () => {
    // Other fields may change without an error: a smaller number of features is harmless, and some
    // words are unused.
    for (const field of [0, 1, 2, 6, 15]) {
      expect(offer(edited(field, (value) => value + 1)), `field ${field} + 1`).toBe('ERR_NATIVE_PARAMETER');
    }
    for (const field of [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15]) {
      for (const value of [0x7fffffc0, 0xffffffc0, 0xffffffff])
        expect(offer(edited(field, () => value))?.slice(0, 10), `field ${field} = ${value}`).toBe('ERR_NATIVE');
    }
  });

  it('never reads outside the blob, for any changed word or bit', () => {
    const random = new Random(SEED);
    let refused = 0;
    for (let word = 0; word < blob.length / 4; word++) {
      for (const change of [() => 0xffffffff, (value: number) => value ^ (1 << random.below(32))]) {
        const code = offer(edited(word, change));
        if (code !== undefined) {
          expect(code).toMatch(/^ERR_NATIVE_(PARAMETER|PROGRAM)$/);
          refused++;
        }
      }
    }
    expect(refused, `seed ${SEED}`).toBeGreaterThan(50);
  });
});

import { makeModel, makeNode, writeModel } from '@brezel/onnx';
import { type BlackBoxChoice, BrezelError, createFlour, importOnnx } from 'brezel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { columnsModel, linearModel, pipelineModel, treeModel } from '../robustness/models.js';
import { mutated, rewritten } from '../robustness/mutations.js';
import { float, graph } from './models.js';

const runs = Math.ceil(Number(process.env.BREZEL_FUZZ_RUNS ?? 2000) / 2);

const square = ['N', 2, 2];
const mixed = graph(
  [
    makeNode('Neg', ['x'], ['a']),
    makeNode('Inverse', ['a'], ['b'], {}, 'com.microsoft'),
    makeNode('Inverse', ['z'], ['c'], {}, 'com.microsoft'),
    makeNode('Concat', ['b', 'c'], ['d'], { axis: { i: 1 } }),
    makeNode('Flatten', ['d'], ['y']),
  ],
  [float('x', square), float('z', square)],
  [float('y', ['N', 8])],
  { valueInfo: [float('b', square), float('c', square)] },
);
const files = [
  writeModel(makeModel(mixed, { '': 17, 'com.microsoft': 1 })),
  linearModel(),
  treeModel(),
  pipelineModel(),
  columnsModel(),
];
const choices: readonly BlackBoxChoice[] = ['allow', 'prefer', ({ operator }) => operator.length % 2 === 0];

// The test compiles boxes, but does not run them. The runtime of a box handles the mutated content
// of the box.
test.each([
  ['bytes', mutated(files)],
  ['graphs', rewritten(files)],
] as const)(
  `${runs} files with mutated %s become plans with black boxes, or an error that leaves nothing`,
  async (how, broken) => {
    using flour = await createFlour();
    const outcomes = new Map<string, number>();
    const outcomeOf = (bytes: Uint8Array, blackBox: BlackBoxChoice): string => {
      try {
        const { program, blackBoxes } = importOnnx(bytes, flour, { blackBox });
        program.plan().release();
        return blackBoxes.length === 0 ? 'no box' : 'boxes';
      } catch (error) {
        if (error instanceof BrezelError) return error.code;
        throw error;
      }
    };
    const property = fc.property(broken, fc.constantFrom(...choices), (bytes, choice) => {
      const outcome = outcomeOf(bytes, choice);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      expect(outcome).not.toBe('ERR_INTERNAL');
    });
    fc.assert(property, { numRuns: runs, seed });
    console.info(
      `BREZEL_FUZZ_RUNS/2=${runs} ${how}: ${[...outcomes].map(([code, times]) => `${code} ${times}`).join(', ')}`,
    );
    expect(outcomes.get('boxes')).toBeGreaterThan(0);
    flour.dispose();
    expect(flour.store.stats().objects).toBe(0);
  },
);

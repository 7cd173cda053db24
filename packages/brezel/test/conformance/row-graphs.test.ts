import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectAsOnnxruntime, ort } from './against-onnxruntime.js';
import { rowGraph, shownGraph } from './row-graphs.js';
import { seed } from './seed.js';

const RUNS = Number(process.env.BREZEL_GRAPH_RUNS ?? 150);

describe.skipIf(ort === undefined)('random graphs over tensors of a row', () => {
  test('agree with onnxruntime, for all rows together and one by one', async () => {
    await fc.assert(
      fc.asyncProperty(rowGraph, async (comparison) => {
        await expectAsOnnxruntime(comparison).catch((error: Error) => {
          throw new Error(`${error.message}\n${shownGraph(comparison)}`, { cause: error });
        });
      }),
      { numRuns: RUNS, seed },
    );
    expect(RUNS).toBeGreaterThan(0);
  });
});

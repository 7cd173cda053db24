import fc from 'fast-check';
import { describe, test } from 'vitest';
import { ort } from './against-onnxruntime.js';
import { signalNodes } from './random-signal-nodes.js';
import { seed } from './seed.js';
import { expectAsOnnxruntime } from './tensor-node-as-onnxruntime.js';

// Compares transforms, windows and losses with onnxruntime, with random options.

const RUNS = Number(process.env.BREZEL_FUZZ_RUNS ?? 200);
console.info(`BREZEL_FUZZ_RUNS=${RUNS}`);

describe.skipIf(ort === undefined)('signals and losses as onnxruntime', () => {
  test.each([...signalNodes])('%s', async (_, nodes) => {
    await fc.assert(fc.asyncProperty(nodes, expectAsOnnxruntime), { seed, numRuns: RUNS });
  });
});

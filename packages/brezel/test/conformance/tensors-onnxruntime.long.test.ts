import fc from 'fast-check';
import { describe, test } from 'vitest';
import { ort } from './against-onnxruntime.js';
import { attentionNodes } from './random-attention-nodes.js';
import { imageNodes } from './random-image-nodes.js';
import { quantizedNodes } from './random-quantized-nodes.js';
import { recurrentNodes } from './random-recurrent-nodes.js';
import { resizeNodes } from './random-resize-nodes.js';
import { seed } from './seed.js';
import { expectAsOnnxruntime } from './tensor-node-as-onnxruntime.js';

// Runs tensors-onnxruntime.test.ts for operators with many options, which need more runs to test
// all options.

const RUNS = Math.ceil(Number(process.env.BREZEL_FUZZ_RUNS ?? 50_000) / 1000);
console.info(`tensor operators as onnxruntime: BREZEL_FUZZ_RUNS/1000=${RUNS} random nodes an operator`);

describe.skipIf(ort === undefined)('tensor operators as onnxruntime', () => {
  test.each([...quantizedNodes, ...resizeNodes, ...recurrentNodes, ...imageNodes, ...attentionNodes])(
    '%s',
    async (_, nodes) => {
      await fc.assert(fc.asyncProperty(nodes, expectAsOnnxruntime), { seed, numRuns: RUNS });
    },
  );
});

import fc from 'fast-check';
import { describe, test } from 'vitest';
import { ort } from './against-onnxruntime.js';
import { indexNodes } from './random-index-nodes.js';
import { layoutNodes } from './random-layout-nodes.js';
import { microsoftNodes } from './random-microsoft-nodes.js';
import { neuralNodes } from './random-neural-nodes.js';
import { textNodes } from './random-text-nodes.js';
import { seed } from './seed.js';
import { expectAsOnnxruntime } from './tensor-node-as-onnxruntime.js';

// Compares operators over tensors with onnxruntime: shapes, types and elements must be equal. The
// test skips cases where onnxruntime and the ONNX documents disagree.

const RUNS = Number(process.env.BREZEL_ORT_RUNS ?? 25);

describe.skipIf(ort === undefined)('tensor operators as onnxruntime', () => {
  test.each([...layoutNodes, ...indexNodes, ...textNodes, ...neuralNodes, ...microsoftNodes])(
    '%s',
    async (_, nodes) => {
      await fc.assert(fc.asyncProperty(nodes, expectAsOnnxruntime), { seed, numRuns: RUNS });
    },
  );
});

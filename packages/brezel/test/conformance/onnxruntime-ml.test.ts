import fc from 'fast-check';
import { describe, test } from 'vitest';
import { expectAsOnnxruntime, ort } from './against-onnxruntime.js';
import { categoryNodes } from './random-ml-category-nodes.js';
import { featureNodes } from './random-ml-feature-nodes.js';
import { linearNodes } from './random-ml-linear-nodes.js';
import { svmNodes } from './random-ml-svm-nodes.js';
import { treeEnsembles } from './random-ml-tree-ensembles.js';
import { treeNodes } from './random-ml-tree-nodes.js';
import { seed } from './seed.js';

// Compares every operator of ai.onnx.ml with onnxruntime, on random small models.

const RUNS = Number(process.env.BREZEL_ORT_RUNS ?? 10);
const cases = [featureNodes, categoryNodes, linearNodes, svmNodes, treeNodes, treeEnsembles].flat();

describe.skipIf(ort === undefined)('ai.onnx.ml agrees with onnxruntime', () => {
  test.each(cases)('%s', async (_, comparisons) => {
    await fc.assert(fc.asyncProperty(comparisons, expectAsOnnxruntime), { numRuns: RUNS, seed });
  });
});

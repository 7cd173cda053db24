import { describe, expect, test } from 'vitest';
import { type Case, REFUSED, WEIGHT } from './hostile-graphs/case.js';
import { columns } from './hostile-graphs/columns.js';
import { encoders } from './hostile-graphs/encoders.js';
import { graphs } from './hostile-graphs/graphs.js';
import { inputs } from './hostile-graphs/inputs.js';
import { linearModels } from './hostile-graphs/linear-models.js';
import { ngrams } from './hostile-graphs/ngrams.js';
import { supportVectors } from './hostile-graphs/support-vectors.js';
import { tokenizers } from './hostile-graphs/tokenizers.js';
import { trees } from './hostile-graphs/trees.js';
import { treesOfVersion5 } from './hostile-graphs/trees-5.js';
import { columnsModel, linearModel, ngramModel, pipelineModel, regressorModel, treeModel } from './models.js';
import { Survivor } from './survive.js';

const survivor = await Survivor.create();

const intact: readonly Case[] = [
  ['n-grams', () => ngramModel(), 'works'],
  ['linear', () => linearModel(), 'works'],
  ['trees', () => treeModel(), 'works'],
  ['regression trees', () => regressorModel(), 'works'],
  ['a pipeline', pipelineModel, 'works'],
  ['columns', columnsModel, 'works'],
];

describe.each(
  Object.entries({
    'the models themselves': intact,
    graphs,
    inputs,
    'n-grams': ngrams,
    tokenizers,
    'linear models': linearModels,
    trees,
    'encoders and scalers': encoders,
    'support vectors': supportVectors,
    'version 5 of trees': treesOfVersion5,
    'columns and constants': columns,
  }),
)('%s', (_, cases) => {
  test.each(cases)('%s', async (_, bytes, outcome) => {
    expect(await survivor.outcome(bytes())).toMatch(outcome);
    if (outcome === WEIGHT) expect(await survivor.outcome(bytes(), { nonFinite: 'allow' })).toBe('works');
  });
});

test('broken bytes', async () => {
  const bytes = pipelineModel();
  expect(await survivor.outcome(new Uint8Array())).toMatch(REFUSED);
  expect(await survivor.outcome(Uint8Array.of(0xff, 0xff, 0xff))).toMatch(REFUSED);
  expect(await survivor.outcome(new Uint8Array(1000))).toMatch(REFUSED);
  expect(await survivor.outcome(new TextEncoder().encode('not a model'))).toMatch(REFUSED);
  // The operator sets are at the end of the file. If some of them are missing, onnxruntime and
  // Brezel use their defaults.
  const operatorSets = Buffer.from(bytes).lastIndexOf('ai.onnx.ml') - 20;
  for (let end = 0; end < bytes.length; end += 7)
    expect(await survivor.outcome(bytes.subarray(0, end))).toMatch(end < operatorSets ? REFUSED : /works|ERR_ONNX/);
});

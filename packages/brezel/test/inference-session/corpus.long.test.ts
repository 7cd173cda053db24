import { describe, expect, test } from 'vitest';
import { compareRow, corpus, corpusFolders, readModel } from '../corpus/corpus.js';
import leftOut from '../corpus/left-out.json' with { type: 'json' };
import { sessionAnswers } from './replay.js';

const folders = [...corpusFolders('family'), ...corpusFolders('pipelines'), ...corpusFolders('models')];
const nameOf = (folder: string) => folder.split('/').slice(-2).join('/');
const reasons = new Set(Object.keys(leftOut));

/** Answers all rows of a model by a session, and compares them with onnxruntime's. */
async function replay(folder: string): Promise<void> {
  const model = readModel(folder);
  const answers = await sessionAnswers(model);
  answers.forEach((answer, row) => {
    const wanted = model.meta.ort.batch_ok ? model.expected[row] : (model.single ?? model.expected)[row];
    expect(compareRow(model, row, answer, wanted)).toBeUndefined();
  });
}

describe.skipIf(corpus === undefined)('the corpus by InferenceSession', () => {
  test.each(folders.map((folder) => [nameOf(folder), folder]))('%s', async (name, folder) => {
    if (reasons.has(name)) await expect(replay(folder), 'passes: take it off left-out.json').rejects.toThrow();
    else await replay(folder);
  });
});

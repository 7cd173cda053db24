import { DataType, readModel, tensorInput, writeModel } from '@brezel/onnx';
import { createFlour, createRegistry, importOnnx, importTensors } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { file, floats, node, regressorModel, treeModel } from '../../brezel/test/robustness/models.js';
import { recognizedModels } from '../../brezel/test/robustness/models-recognized.js';
import { brezel, temporaryFolder } from './brezel.js';
import { ngramModel } from './ngram-model.js';

const folder = temporaryFolder();
const flour = await createFlour();
afterAll(() => {
  folder.remove();
  flour.dispose();
});

/** Returns the file with another producer: the name of an exporter. */
const by = (producerName: string, bytes: Uint8Array) => writeModel({ ...readModel(bytes), producerName });
const named = (name: string, bytes: Uint8Array): Uint8Array => {
  const model = readModel(bytes);
  const graph = { ...model.graph!, node: model.graph!.node.map((one) => ({ ...one, name })) };
  return writeModel({ ...model, graph });
};
const warnings = (bytes: Uint8Array) => importOnnx(bytes, flour).warnings.join('\n');

const less = { nodes_modes: { strings: ['BRANCH_LT', 'LEAF', 'LEAF', 'LEAF'] } };
const untracked = { nodes_missing_value_tracks_true: undefined };

describe('losses of exporters are reported', () => {
  test('of trees of XGBoost', () => {
    const told = /exporter of XGBoost loses the weights of DART trees and, in some versions, base_score/;
    expect(warnings(by('skl2onnx', treeModel(less)))).toMatch(told);
    expect(warnings(by('OnnxMLTools', regressorModel(less)))).toMatch(told);
    expect(warnings(by('skl2onnx', treeModel()))).not.toMatch(told);
    expect(warnings(by('mine', treeModel(less)))).toBe('');
  });

  test('of thresholds of boosted trees, and of the exp of their regressors', () => {
    const [rounded, lost] = [/float64 thresholds, which are float32/, /poisson, gamma or tweedie/];
    for (const bytes of [
      by('skl2onnx', regressorModel()),
      by('OnnxMLTools', named('LgbmRegressor', regressorModel(untracked))),
    ]) {
      expect(warnings(bytes)).toMatch(rounded);
      expect(warnings(bytes)).toMatch(lost);
    }
    expect(warnings(by('skl2onnx', treeModel()))).toMatch(rounded);
    expect(warnings(by('skl2onnx', treeModel()))).not.toMatch(lost);
    expect(warnings(by('skl2onnx', regressorModel(untracked)))).toBe('');
  });

  test('of neighbors that count by distance', () => {
    const told = recognizedModels().map((bytes) => warnings(by('skl2onnx', bytes)).includes("weights='distance'"));
    expect(told.filter(Boolean)).toHaveLength(2);
  });

  test('of whole tensors as of rows', () => {
    expect(importTensors(by('skl2onnx', treeModel(less)), { flour }).warnings.join()).toContain('DART');
  });

  test('of the case of texts with stop words', () => {
    const normalizer = (action: string) =>
      node('StringNormalizer', ['text'], ['same'], {
        case_change_action: { s: action },
        stopwords: { strings: ['the'] },
      });
    const tokenizer = node(
      'Tokenizer',
      ['same'],
      ['words'],
      { mark: { i: 0 }, mincharnum: { i: 1 }, pad_value: { s: '#' }, tokenexp: { s: '[a-z]+' } },
      'com.microsoft',
    );
    const ngrams = node('TfIdfVectorizer', ['words'], ['y'], {
      mode: { s: 'TF' },
      min_gram_length: { i: 1 },
      max_gram_length: { i: 1 },
      max_skip_count: { i: 0 },
      ngram_counts: { ints: [0] },
      ngram_indexes: { ints: [0] },
      pool_strings: { strings: ['a'] },
    });
    const text = [tensorInput('text', DataType.STRING, ['N'])];
    const told = (action: string) => warnings(file([normalizer(action), tokenizer, ngrams], text, ['y']));
    expect(told('LOWER')).toMatch(/1 stop words.*lowercase=False/);
    expect(told('NONE')).toMatch(/1 stop words/);
    expect(told('NONE')).not.toContain('lowercase');
  });
});

describe('token patterns of skl2onnx', () => {
  const ngrams = (...choice: Parameters<typeof ngramModel>) => by('skl2onnx', ngramModel(...choice));
  const other = /words end at letters beyond ASCII.*TfidfVectorizer: \{'tokenexp'/;
  const single = /n-grams contain words of one letter/;

  test.each<[string, string, readonly string[], number, RegExp[]]>([
    ['the replaced default, and other letters', '[a-zA-Z0-9_]+', ['café', 'good'], 1, [other]],
    ['\\w, and other letters', '\\w\\w+', ['café', 'good'], 1, [other]],
    ['the replaced default, and pairs of words', '[a-zA-Z0-9_]+', ['bad', 'good'], 2, [single]],
    ['the replaced default, and ASCII words', '[a-zA-Z0-9_]+', ['bad', 'good'], 1, []],
    ['classes of any script', '[\\p{L}\\p{N}_]{2,}', ['café', 'good'], 2, []],
  ])('%s', (_, pattern, terms, most, expected) => {
    const found = warnings(ngrams(pattern, terms, most));
    expect([other, single].filter((one) => one.test(found))).toEqual(expected);
  });

  test('a term of 200 letters, whose length needs two bytes, is ASCII', () => {
    expect(warnings(ngrams('[a-zA-Z0-9_]+', ['a'.repeat(200), 'b'.repeat(16_000), 'good']))).toBe('');
  });

  test('--repair-ngrams splits n-grams that the exporter wrote as one string', async () => {
    const path = folder.file('unsplit.onnx', ngrams('[a-z]+', ['bad', 'not good'], 2));
    expect((await brezel(['inspect', path])).out).toMatch(/warning.*never match.*repairNgrams/);
    expect((await brezel(['inspect', path, '--repair-ngrams'])).out).toMatch(/warning.*were split into words/);
    const predict = ['predict', path, '-i', '-', '--repair-ngrams'];
    expect((await brezel(predict, '{"text":"a not good film"}\n')).out).toBe('{"y": [0, 1]}\n');
  });

  test.each([0, 1])('repairNgrams of a registry and of a version, with %i import threads', async (importThreads) => {
    const path = folder.file('unsplit.onnx', ngrams('[a-z]+', ['bad', 'not good'], 2));
    const answerOf = async (repairNgrams: boolean | undefined, ofVersion: object = {}) => {
      await using registry = await createRegistry({
        importThreads,
        ...(repairNgrams !== undefined && { repairNgrams }),
      });
      registry.add('film', { path, ...ofVersion });
      return (await registry.predict('film', 'a not good film')).y;
    };
    expect(await answerOf(undefined)).toEqual([0, 0]);
    expect(await answerOf(true)).toEqual([0, 1]);
    expect(await answerOf(true, { repairNgrams: false })).toEqual([0, 0]);
    expect(await answerOf(undefined, { repairNgrams: true })).toEqual([0, 1]);
    const wrong = { code: 'ERR_REGISTRY_OPTION', message: expect.stringContaining('repairNgrams true or false') };
    await expect(answerOf('yes' as never)).rejects.toMatchObject(wrong);
    await expect(answerOf(undefined, { repairNgrams: 1 })).rejects.toMatchObject(wrong);
  });
});

describe('outputs with wrong declarations', () => {
  const doubled = (declared: readonly (number | string)[]) =>
    file([node('Add', ['x', 'x'], ['y'])], floats(3), ['y'], { output: [tensorInput('y', DataType.FLOAT, declared)] });

  test('are reported with both sizes', async () => {
    expect(warnings(doubled(['N', 7]))).toBe('output "y" is declared with 7 columns, and has 3');
    const { out, code } = await brezel(['inspect', folder.file('doubled.onnx', doubled(['N', 7]))]);
    expect(code).toBe(0);
    expect(out).toMatch(/warning +output "y" is declared with 7 columns, and has 3/);
  });

  test('are not reported if they are correct or missing', () => {
    for (const declared of [['N', 3], ['N', 'k'], [1, 3], ['N']]) expect(warnings(doubled(declared))).toBe('');
  });
});

test('trees that read more features than the file declares are rejected', () => {
  const wide = { nodes_featureids: { ints: [17, 0, 0, 0] } };
  expect(() => importOnnx(treeModel(wide), flour)).toThrow(/at least 18 features.*received 2/);
});

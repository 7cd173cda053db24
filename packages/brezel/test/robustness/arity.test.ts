import { onnxOperators } from '@brezel/flour';
import { arityOf, DataType, makeNode, tensorInput } from '@brezel/onnx';
import { allTensorOperators, controlOperators } from '@brezel/tensors';
import { BrezelError, createFlour, importModel, importOnnx, importTensors } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { file, floats, ml, node } from './models.js';

// Every operator has a schema, and every node is checked with it before anything reads its inputs.

const flour = await createFlour();
afterAll(() => flour.dispose());

const known = [
  ...onnxOperators,
  ...allTensorOperators(),
  ...controlOperators.map((one) => ({ ...one, domain: '' as const })),
];
const operators = [...new Map(known.map((one) => [`${one.domain}:${one.operator}`, one])).values()];

const codeOf = (run: () => unknown): string => {
  try {
    run();
    return 'works';
  } catch (error) {
    if (error instanceof BrezelError) return error.code;
    throw error;
  }
};

describe('arity', () => {
  test('every operator that Brezel imports has one', () => {
    const missing = operators.filter(
      ({ domain, operator, versions: [, newest] }) => arityOf(domain, operator, newest) === undefined,
    );
    expect(missing.map(({ domain, operator }) => `${domain}:${operator}`)).toEqual([]);
  });

  test.each([
    ['Transpose with two outputs', [node('Transpose', ['x'], ['y', 'z'])], /^1 output of Transpose/],
    ['Pow with one input', [node('Pow', ['x'], ['y'])], /^2 inputs of Pow/],
    ['Pow with an empty input', [node('Pow', ['x', ''], ['y'])], /^input 1 of Pow/],
    ['Neg without outputs', [node('Neg', ['x'], []), node('Neg', ['x'], ['y'])], /^1 output of Neg/],
    [
      'Concat of nothing',
      [node('Concat', [], ['z'], { axis: { i: 1 } }), node('Neg', ['x'], ['y'])],
      /^at least 1 input/,
    ],
    ['a classifier with one output', [ml('LinearClassifier', ['x'], ['y'], {})], /^2 outputs of LinearClassifier/],
  ] as const)('%s', (_, nodes, expected) => {
    for (const run of [importOnnx, importModel, (bytes: Uint8Array) => importTensors(bytes, { flour })]) {
      const error = (() => {
        try {
          run(file([...nodes], floats(2), ['y']), flour);
        } catch (thrown) {
          return thrown as BrezelError;
        }
        return undefined;
      })();
      expect(error).toMatchObject({ code: 'ERR_ONNX_GRAPH', details: { expected: expect.stringMatching(expected) } });
    }
  });

  test('no operator throws anything else for any number of inputs and outputs', () => {
    const inputs = [tensorInput('x', DataType.FLOAT, ['N', 2])];
    for (const { domain, operator, versions } of operators) {
      for (let count = 0; count <= 9; count++) {
        for (const outputs of [0, 1, 2, 4]) {
          const names = Array.from({ length: count }, () => 'x');
          const results = Array.from({ length: outputs }, (_, at) => (at === 0 ? 'y' : `z${at}`));
          const nodes = [makeNode(operator, names, results, {}, domain)];
          const bytes = file(outputs === 0 ? [...nodes, node('Neg', ['x'], ['y'])] : nodes, inputs, ['y']);
          const arity = arityOf(domain, operator, domain === '' ? 17 : domain === 'ai.onnx.ml' ? 3 : 1);
          const fits = arity !== undefined && count >= arity.inputs.least && count <= arity.inputs.most;
          const code = codeOf(() => flour.attempt(() => importModel(bytes, flour)));
          if (!fits && versions[0] <= 3) expect([operator, count, outputs, code]).not.toContain('works');
        }
      }
    }
  });
});

import { makeGraph, makeModel, makeNode, makeStringTensor, makeTensor, tensorInput } from '../../src/proto/make.js';
import { DataType, type ModelProto } from '../../src/proto/schema.js';

/**
 * A small model that uses every kind of field: attributes of all types, a subgraph, tensors, names.
 */
export function smallModel(): ModelProto {
  const body = makeGraph({
    name: 'body',
    node: [makeNode('Identity', ['x'], ['z'])],
    output: [tensorInput('z', DataType.FLOAT, ['N', 2])],
  });
  const weights = makeTensor('w', 'float32', [2], Float32Array.of(0.5, -1.5));
  return makeModel(
    makeGraph({
      node: [
        makeNode('If', ['cond'], ['y'], { then_branch: { g: body }, else_branch: { g: body } }),
        makeNode('Constant', [], ['c'], { value: { t: makeTensor('', 'int64', [3], BigInt64Array.of(-1n, 2n, 3n)) } }),
        makeNode('Scaler', ['y'], ['s'], { offset: { floats: [1, 2] }, scale: { floats: [3, 4] } }, 'ai.onnx.ml'),
        makeNode('TfIdfVectorizer', ['t'], ['v'], {
          mode: { s: 'TF' },
          max_gram_length: { i: 2 },
          pool_strings: { strings: ['naïve', '', 'bag'] },
          ngram_counts: { ints: [0, 300, -1] },
        }),
        makeNode('Elu', ['v'], ['e'], { alpha: { f: 0.25 } }),
      ],
      input: [tensorInput('x', DataType.FLOAT, [undefined, 2]), tensorInput('t', DataType.STRING, ['N', 1])],
      output: [tensorInput('e', DataType.FLOAT, ['N', 3])],
      initializer: [weights, makeStringTensor('words', [2], ['a', 'ß'])],
    }),
    undefined,
    { docString: 'small', metadataProps: [{ key: 'author', value: 'test' }], modelVersion: 3n },
  );
}

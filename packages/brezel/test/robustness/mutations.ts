import { makeAttribute, readModel, writeModel } from '@brezel/onnx';
import fc from 'fast-check';
import { fraction } from '../../../../testing/fraction.js';

/** Changes the bytes of a file at one position. `at` is the index of a byte. */
type Mutation = (bytes: Uint8Array, at: number) => Uint8Array;

const splice =
  (removed: number, inserted: Uint8Array): Mutation =>
  (bytes, at) =>
    Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)]);

const set =
  (value: (old: number) => number): Mutation =>
  (bytes, at) =>
    new Uint8Array(bytes).fill(value(bytes[at]!), at, at + 1);

/**
 * Invalid numbers that are common in hostile files, as varints: -1, 2^31 - 1, 2^32, 2^53, 2^63 - 1.
 */
const varints = [
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0xff, 0xff, 0xff, 0xff, 0x07],
  [0x80, 0x80, 0x80, 0x80, 0x10],
  [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
];

const mutation = (others: readonly Uint8Array[]): fc.Arbitrary<Mutation> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.nat(7).map((bit) => set((old) => old ^ (1 << bit))) },
    { weight: 4, arbitrary: fc.constantFrom(0, 1, 0x7f, 0x80, 0xff).map((value) => set(() => value)) },
    { weight: 2, arbitrary: fc.constantFrom(-1, 1).map((step) => set((old) => old + step)) },
    { weight: 1, arbitrary: fc.constant<Mutation>((bytes, at) => bytes.subarray(0, at)) },
    { weight: 2, arbitrary: fc.constantFrom(...varints).map((bytes) => splice(1, Uint8Array.from(bytes))) },
    {
      weight: 1,
      arbitrary: fc
        .record({ removed: fc.nat(8), inserted: fc.uint8Array({ maxLength: 8 }) })
        .map((one) => splice(one.removed, one.inserted)),
    },
    {
      weight: 1,
      arbitrary: fc.nat(300).map(
        (size): Mutation =>
          (bytes, at) =>
            splice(0, bytes.subarray(at, at + size))(bytes, at),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...others).map(
        (other): Mutation =>
          (bytes, at) =>
            Buffer.concat([bytes.subarray(0, at), other.subarray(Math.min(at, other.length))]),
      ),
    },
  );

/** Draws files with one to four changes. Every byte of a file is equally likely to change. */
export const mutated = (files: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> =>
  fc
    .record({
      file: fc.nat(files.length - 1),
      steps: fc.array(fc.tuple(mutation(files), fraction), { minLength: 1, maxLength: 4 }),
    })
    .map(({ file, steps }) =>
      steps.reduce<Uint8Array>(
        (bytes, [mutate, place]) => (bytes.length === 0 ? bytes : mutate(bytes, Math.floor(place * bytes.length))),
        files[file]!,
      ),
    );

export type Model = ReturnType<typeof readModel>;
type Node = NonNullable<Model['graph']>['node'][number];
type Attribute = Node['attribute'][number];

const oddIntegers = [
  0n,
  1n,
  -1n,
  2n,
  3n,
  7n,
  64n,
  65n,
  255n,
  2n ** 24n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n,
  2n ** 53n,
  2n ** 63n - 1n,
  -(2n ** 63n),
];
const oddNumbers = [
  0,
  -0,
  1,
  -1,
  0.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  1e38,
  -1e38,
  1e-45,
];
const oddTexts = [
  '',
  'a',
  'good',
  'LEAF',
  'BRANCH_GT',
  'BRANCH_EQ',
  'TF',
  'IDF',
  'TFIDF',
  'L1',
  'MAX',
  'UPPER',
  'LOGISTIC',
  'SOFTMAX_ZERO',
  'PROBIT',
  'POLY',
  'SIGMOID',
  'MIN',
  'TO_FLOAT',
  'DENSE',
  '1e3',
  'NONE',
  '.',
  '[a-z]',
  '\\w+',
  ' ',
  '(',
  '\0',
  'İ',
  '日本',
];
const operators = [
  'Neg',
  'Exp',
  'Log',
  'Concat',
  'Identity',
  'Softmax',
  'ArgMax',
  'Add',
  'Mul',
  'Div',
  'Cast',
  'ReduceSum',
  'Flatten',
  'Greater',
  'Sqrt',
  'Cast',
  'Scaler',
  'LabelEncoder',
  'DictVectorizer',
];

/** The choices of one mutation, which an endless list of random numbers determines. */
export class Choices {
  #at = 0;
  constructor(readonly numbers: readonly number[]) {}
  below(count: number): number {
    return count === 0 ? 0 : this.numbers[this.#at++ % this.numbers.length]! % count;
  }
  of<T>(list: ArrayLike<T>): T {
    return list[this.below(list.length)]!;
  }
}

/** Changes the content of a model in one place. The file stays well-formed. */
export function rewrite(model: Model, numbers: readonly number[]): Model {
  const choices = new Choices(numbers);
  const graph = model.graph!;
  const nodes = [...graph.node];
  if (nodes.length === 0) return model;
  const at = choices.below(nodes.length);
  const node = nodes[at]!;
  const names = [
    '',
    'x',
    'text',
    'words',
    'i',
    'm',
    ...nodes.flatMap((one) => [...one.output]),
    ...graph.initializer.map((tensor) => tensor.name),
  ];
  const changed = (change: Partial<Node>): Model => ({
    ...model,
    graph: { ...graph, node: nodes.with(at, { ...node, ...change }) },
  });
  const attribute = choices.below(node.attribute.length);
  switch (choices.below(12)) {
    case 0:
      return { ...model, graph: { ...graph, node: nodes.toSpliced(at, 1) } };
    case 1:
      return {
        ...model,
        graph: {
          ...graph,
          node: nodes.toSpliced(choices.below(nodes.length), 0, {
            ...node,
            output: node.output.map((name) => `${name}2`),
          }),
        },
      };
    case 2:
      return changed({ opType: choices.of(operators), domain: choices.below(3) === 0 ? 'ai.onnx.ml' : '' });
    case 3:
      return changed({
        input:
          node.input.length === 0
            ? [choices.of(names)]
            : node.input.with(choices.below(node.input.length), choices.of(names)),
      });
    case 4:
      return changed({ input: choices.below(2) === 0 ? node.input.slice(1) : [...node.input, choices.of(names)] });
    case 5:
      return {
        ...model,
        graph: { ...graph, output: [...graph.output, { ...graph.output[0]!, name: choices.of(names) }] },
      };
    case 6:
      return changed({ attribute: node.attribute.toSpliced(attribute, 1) });
    case 7: {
      const tensor = choices.below(graph.initializer.length);
      const old = graph.initializer[tensor];
      if (old === undefined) return model;
      const dims = choices.below(2) === 0 ? [...old.dims, 1] : old.dims.map((dim) => dim + choices.below(3) - 1);
      return {
        ...model,
        graph: {
          ...graph,
          initializer: graph.initializer.with(tensor, {
            ...old,
            dims,
            floatData: old.floatData.map((value) => (choices.below(3) === 0 ? choices.of(oddNumbers) : value)),
          }),
        },
      };
    }
    default:
      return node.attribute.length === 0
        ? model
        : changed({ attribute: node.attribute.with(attribute, rewriteAttribute(node.attribute[attribute]!, choices)) });
  }
}

function rewriteAttribute(old: Attribute, choices: Choices): Attribute {
  const { name, ints, floats } = old;
  if (ints.length > 0) {
    const list = Array.from(ints);
    const at = choices.below(list.length);
    if (choices.below(4) === 0) return makeAttribute(name, { ints: list.toSpliced(at, 1) });
    return makeAttribute(name, {
      ints: list.with(at, choices.below(2) === 0 ? choices.of(list) : choices.of(oddIntegers)),
    });
  }
  if (floats.length > 0) {
    const list = Array.from(floats);
    const at = choices.below(list.length);
    return makeAttribute(name, {
      floats: choices.below(4) === 0 ? list.toSpliced(at, 1) : list.with(at, choices.of(oddNumbers)),
    });
  }
  if (old.strings.length > 0) {
    const list = old.strings.texts();
    const at = choices.below(list.length);
    return makeAttribute(name, {
      strings:
        choices.below(4) === 0
          ? list.toSpliced(at, 1)
          : list.with(at, choices.below(2) === 0 ? choices.of(list) : choices.of(oddTexts)),
    });
  }
  if (old.t !== undefined) return makeAttribute(name, { t: rewriteTensor(old.t, choices) });
  if (old.i !== undefined) return makeAttribute(name, { i: choices.of(oddIntegers) });
  return makeAttribute(name, { s: choices.of(oddTexts) });
}

type Tensor = NonNullable<Attribute['t']>;

function rewriteTensor(old: Tensor, choices: Choices): Tensor {
  const odd = <T extends number>(value: T): T => (choices.below(2) === 0 ? (choices.of(oddNumbers) as T) : value);
  switch (choices.below(4)) {
    case 0:
      return { ...old, dims: old.dims.map((dim) => dim + choices.below(3) - 1) };
    case 1:
      return { ...old, dims: [...old.dims, 1] };
    case 2:
      return { ...old, dataType: choices.below(17) };
    default:
      return { ...old, doubleData: old.doubleData.map(odd), floatData: old.floatData.map(odd) };
  }
}

/** Draws files whose graphs have one to four changes. */
export const rewritten = (files: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> => {
  const models = files.map((file) => readModel(file));
  return fc
    .record({
      model: fc.nat(models.length - 1),
      steps: fc.array(fc.array(fc.nat(1_000_000), { minLength: 8, maxLength: 8 }), { minLength: 1, maxLength: 4 }),
    })
    .map(({ model, steps }) => writeModel(steps.reduce(rewrite, models[model]!)));
};

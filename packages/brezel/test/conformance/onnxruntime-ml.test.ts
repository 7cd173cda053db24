import { type AttributeValue, DataType, makeNode, makeTensor } from '@brezel/onnx';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import {
  type Column,
  type Comparison,
  type ElementType,
  expectAsOnnxruntime,
  mlNode,
  ort,
} from './against-onnxruntime.js';
import { seed } from './seed.js';

// Every ai.onnx.ml operator on random small models, answered by onnxruntime and by us.

const RUNS = Number(process.env.BREZEL_ORT_RUNS ?? 10);
const tame = fc.integer({ min: -24, max: 24 }).map((value) => value / 8);
const list = <T>(element: fc.Arbitrary<T>, length: number) =>
  fc.array(element, { minLength: length, maxLength: length });
const whole = fc.integer({ min: -4, max: 4 });
const rowsOf = (columns: number, element: fc.Arbitrary<number | string> = tame) =>
  fc.array(list(element, columns), { minLength: 1, maxLength: 7 });
const column = (type: ElementType, rows: Column['rows']): Column => ({ type, rows });
const floats = (...values: (number | readonly number[])[]): AttributeValue => ({ floats: values.flat() });
const ints = (...values: (number | readonly number[])[]): AttributeValue => ({ ints: values.flat() });
const strings = (...values: (string | readonly string[])[]): AttributeValue => ({ strings: values.flat() });
const transforms = ['NONE', 'LOGISTIC', 'SOFTMAX', 'SOFTMAX_ZERO', 'PROBIT'] as const;

type Case = readonly [name: string, cases: fc.Arbitrary<Comparison>];
const of = (
  operator: string,
  type: ElementType,
  rows: Column['rows'],
  attributes: Readonly<Record<string, AttributeValue>>,
  outputs: Readonly<Record<string, ElementType>>,
  more: Partial<Comparison> = {},
): Comparison => ({
  inputs: { x: column(type, rows) },
  nodes: [mlNode(operator, attributes, Object.keys(outputs))],
  outputs,
  ...more,
});

const words = ['a', 'b', '', 'größer', 'a somewhat longer word than others'];
const anyWord = fc.constantFrom(...words, 'unknown', 'A');

const scaler: Case = [
  'Scaler',
  fc
    .tuple(
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom<ElementType>('float32', 'float64', 'int64', 'int32'),
      fc.boolean(),
    )
    .chain(([size, type, isShort]) =>
      fc
        .tuple(rowsOf(size, type.startsWith('float') ? tame : whole), list(tame, size), list(tame, size))
        .map(([rows, offset, scale]) => {
          const cut = (numbers: number[]) => floats(isShort ? numbers.slice(0, 1) : numbers);
          return of('Scaler', type, rows, { offset: cut(offset), scale: cut(scale) }, { y: 'float32' });
        }),
    ),
];

const imputer: Case = [
  'Imputer',
  fc
    .tuple(fc.integer({ min: 1, max: 5 }), fc.boolean(), fc.constantFrom(Number.NaN, 0, 2))
    .chain(([size, isInteger, missing]) =>
      fc
        .tuple(rowsOf(size, isInteger ? whole : fc.oneof(tame, fc.constant(Number.NaN))), list(whole, size))
        .map(([rows, values]) =>
          isInteger
            ? of(
                'Imputer',
                'int64',
                rows,
                { imputed_value_int64s: ints(values), replaced_value_int64: { i: 2 } },
                { y: 'int64' },
              )
            : of(
                'Imputer',
                'float32',
                rows,
                { imputed_value_floats: floats(values), replaced_value_float: { f: missing } },
                { y: 'float32' },
              ),
        ),
    ),
];

const binarizer: Case = [
  'Binarizer',
  fc
    .tuple(rowsOf(3), tame)
    .map(([rows, threshold]) => of('Binarizer', 'float32', rows, { threshold: { f: threshold } }, { y: 'float32' })),
];

const normalizer: Case = [
  'Normalizer',
  fc
    .tuple(fc.constantFrom<ElementType>('float32', 'float64', 'int64', 'int32'), fc.constantFrom('L1', 'L2', 'MAX'))
    .chain(([type, norm]) =>
      // onnxruntime takes the greatest magnitude for MAX in some versions, the greatest value in others: positive ones agree.
      rowsOf(4, norm === 'MAX' ? fc.integer({ min: 0, max: 9 }) : type.startsWith('float') ? tame : whole).map((rows) =>
        of('Normalizer', type, rows, { norm: { s: norm } }, { y: 'float32' }),
      ),
    ),
];

const oneHot: Case = [
  'OneHotEncoder',
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom<ElementType>('string', 'int64', 'float32', 'float64'))
    .chain(([size, type]) =>
      rowsOf(size, type === 'string' ? anyWord : type === 'int64' ? whole : tame).map((rows) =>
        of(
          'OneHotEncoder',
          type,
          rows,
          type === 'string' ? { cats_strings: strings(words) } : { cats_int64s: ints(3, 0, -1, 2) },
          { y: 'float32' },
        ),
      ),
    ),
];

const oneHotStrict: Case = [
  'OneHotEncoder with zeros=0 over known categories',
  rowsOf(1, fc.constantFrom(...words)).map((rows) =>
    of('OneHotEncoder', 'string', rows, { cats_strings: strings(words), zeros: { i: 0 } }, { y: 'float32' }),
  ),
];

/** Keys, values and defaults of each type, under the attribute names of LabelEncoder. */
const encoders = {
  string: {
    name: 'strings',
    keys: words,
    values: ['x', 'y', '', 'zz', 'x'],
    default: 'string',
    otherwise: { s: 'other' },
  },
  int64: { name: 'int64s', keys: [3, -2, 0, 1, 4], values: [7, 7, -1, 0, 3], default: 'int64', otherwise: { i: 9 } },
  float32: {
    name: 'floats',
    keys: [0.5, Number.NaN, 0, 3, -1],
    values: [1.5, Number.NaN, 0, 2, 3],
    default: 'float',
    otherwise: { f: -7.5 },
  },
} as const;
type Encodable = keyof typeof encoders;
const encodable = fc.constantFrom<Encodable>('string', 'int64', 'float32');

const labelEncoder: Case = [
  'LabelEncoder',
  fc
    .tuple(encodable, encodable, fc.boolean(), fc.integer({ min: 1, max: 3 }), fc.constantFrom(2, 4))
    .chain(([from, to, hasDefault, size, opset]) => {
      const element = {
        string: anyWord,
        int64: whole,
        float32: fc.oneof(fc.constantFrom(0.5, Number.NaN, -0, 3, -1), tame),
      }[from];
      const [keys, values] = [encoders[from], encoders[to]];
      const attribute = (content: readonly (string | number)[], type: Encodable): AttributeValue =>
        type === 'string'
          ? strings(content as string[])
          : type === 'int64'
            ? ints(content as number[])
            : floats(content as number[]);
      return rowsOf(size, element).map((rows) =>
        of(
          'LabelEncoder',
          from,
          rows,
          {
            [`keys_${keys.name}`]: attribute(keys.keys, from),
            [`values_${values.name}`]: attribute(values.values, to),
            ...(hasDefault && { [`default_${values.default}`]: values.otherwise }),
          },
          { y: to },
          { opset },
        ),
      );
    }),
];

const doubleEncoder: Case = [
  'LabelEncoder over double tensors',
  rowsOf(2, fc.constantFrom(0.5, 1, 2.25, Number.NaN, 9)).map((rows) =>
    of(
      'LabelEncoder',
      'float64',
      rows,
      {
        keys_tensor: { t: makeTensor('k', 'float64', [3], Float64Array.of(0.5, 2.25, 1)) },
        values_tensor: { t: makeTensor('v', 'float64', [3], Float64Array.of(1e300, 0.1, -3)) },
        default_tensor: { t: makeTensor('d', 'float64', [1], Float64Array.of(4.5)) },
      },
      { y: 'float64' },
      { opset: 4 },
    ),
  ),
];

const mapper: Case = [
  'CategoryMapper',
  fc.boolean().chain((isToText) =>
    rowsOf(2, isToText ? whole : anyWord).map((rows) =>
      of(
        'CategoryMapper',
        isToText ? 'int64' : 'string',
        rows,
        {
          cats_strings: strings(words),
          cats_int64s: ints(3, -2, 0, 1, 4),
          default_string: { s: 'none' },
          default_int64: { i: -5 },
        },
        { y: isToText ? 'string' : 'int64' },
      ),
    ),
  ),
];

const vectorizer: Case = [
  'FeatureVectorizer',
  fc.tuple(rowsOf(2), rowsOf(3)).map(([a, b]) => {
    const count = Math.min(a.length, b.length);
    return {
      inputs: { a: column('float32', a.slice(0, count)), b: column('float32', b.slice(0, count)) },
      nodes: [mlNode('FeatureVectorizer', { inputdimensions: ints(2, 3) }, ['y'], ['a', 'b'])],
      outputs: { y: 'float32' as const },
    };
  }),
];

const extractor: Case = [
  'ArrayFeatureExtractor',
  fc.constantFrom<ElementType>('float32', 'float64', 'int64', 'int32', 'string').chain((type) =>
    fc
      .tuple(rowsOf(4, type === 'string' ? anyWord : whole), fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }))
      .map(([rows, at]) => ({
        inputs: { x: column(type, rows) },
        nodes: [mlNode('ArrayFeatureExtractor', {}, ['y'], ['x', 'at'])],
        initializers: [makeTensor('at', 'int64', [at.length], BigInt64Array.from(at, BigInt))],
        outputs: { y: type },
      })),
  ),
];

const linearClassifier: Case = [
  'LinearClassifier',
  fc
    .tuple(
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom(1, 2, 3, 5),
      fc.constantFrom(...transforms),
      fc.boolean(),
      fc.constantFrom<ElementType>('float32', 'float64', 'int64', 'int32'),
    )
    .chain(([size, scores, transform, isText, type]) =>
      fc
        .tuple(rowsOf(size, type.startsWith('float') ? tame : whole), list(tame, size * scores), list(tame, scores))
        .map(([rows, coefficients, intercepts]) => {
          const classes = scores === 1 ? 2 : scores;
          const linked = scores === 1 && transform === 'PROBIT' ? 'NONE' : transform; // leaves the second score unwritten
          const labels = isText
            ? { classlabels_strings: strings(['no', 'yes', 'c', 'd', 'e'].slice(0, classes)) }
            : { classlabels_ints: ints([10, 3, -7, 0, 5].slice(0, classes)) };
          return of(
            'LinearClassifier',
            type,
            rows,
            {
              coefficients: floats(coefficients),
              intercepts: floats(intercepts),
              post_transform: { s: linked },
              ...labels,
            },
            { label: isText ? 'string' : 'int64', y: 'float32' },
            { tolerance: [1e-4, 1e-4] },
          );
        }),
    ),
];

const linearRegressor: Case = [
  'LinearRegressor',
  fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(1, 2, 3), fc.constantFrom(...transforms))
    .chain(([size, targets, transform]) =>
      fc.tuple(rowsOf(size), list(tame, size * targets), list(tame, targets)).map(([rows, coefficients, intercepts]) =>
        of(
          'LinearRegressor',
          'float32',
          rows,
          {
            coefficients: floats(coefficients),
            intercepts: floats(intercepts),
            targets: { i: targets },
            post_transform: { s: transform },
          },
          { y: 'float32' },
          { tolerance: [1e-4, 1e-4] },
        ),
      ),
    ),
];

const kernels = ['LINEAR', 'POLY', 'RBF', 'SIGMOID'] as const;
const kernelAttributes = (kernel: string, gamma: number, coef0: number, degree: number) => ({
  kernel_type: { s: kernel },
  kernel_params: floats(gamma, coef0, degree),
});

const svmRegressor: Case = [
  'SVMRegressor',
  fc
    .tuple(
      fc.integer({ min: 1, max: 20 }),
      fc.nat(5),
      fc.constantFrom(...kernels),
      fc.constantFrom(1, 2, 3, 4),
      fc.boolean(),
    )
    .chain(([size, supports, kernel, degree, isOneClass]) =>
      fc
        .tuple(rowsOf(size), list(tame, Math.max(supports, 1) * size), list(tame, supports || size), tame)
        .map(([rows, vectors, coefficients, rho]) =>
          of(
            'SVMRegressor',
            'float32',
            rows,
            {
              ...kernelAttributes(kernel, 0.25, 0.5, degree),
              n_supports: { i: supports },
              support_vectors: floats(supports > 0 ? vectors : []),
              coefficients: floats(coefficients),
              rho: floats(rho),
              ...(isOneClass && { one_class: { i: 1 } }),
            },
            { y: 'float32' },
            // Sums of other orders: a one-class score next to zero may change its sign, but not in multiples of 1/8.
            { tolerance: [1e-3, 1e-2] },
          ),
        ),
    ),
];

const svmClassifier: Case = [
  'SVMClassifier',
  fc
    .tuple(
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom(2, 3, 4),
      fc.constantFrom('LINEAR', 'RBF'),
      fc.boolean(),
      fc.boolean(),
    )
    .chain(([size, classes, kernel, hasProbabilities, isText]) => {
      const pairs = (classes * (classes - 1)) / 2;
      return fc
        .tuple(
          rowsOf(size),
          list(fc.integer({ min: 1, max: 3 }), classes).chain((perClass) => {
            const supports = perClass.reduce((sum, count) => sum + count, 0);
            return fc.tuple(fc.constant(perClass), list(tame, supports * size), list(tame, supports * (classes - 1)));
          }),
          list(tame, pairs),
          list(tame, pairs),
          list(tame, pairs),
        )
        .map(([rows, [perClass, vectors, coefficients], rho, a, b]) =>
          of(
            'SVMClassifier',
            'float32',
            rows,
            {
              ...kernelAttributes(kernel, 0.25, 0, 3),
              vectors_per_class: ints(perClass),
              support_vectors: floats(vectors),
              coefficients: floats(coefficients),
              rho: floats(rho.map((value) => value + 1 / 64)),
              ...(hasProbabilities && { prob_a: floats(a), prob_b: floats(b) }),
              ...(isText
                ? { classlabels_strings: strings(['p', 'q', 'r', 's'].slice(0, classes)) }
                : { classlabels_ints: ints([4, 2, 7, 0].slice(0, classes)) }),
            },
            { label: isText ? 'string' : 'int64', y: 'float32' },
            { tolerance: [1e-3, 1e-3] },
          ),
        );
    }),
];

const svmLinear: Case = [
  'SVMClassifier without support vectors',
  fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(2, 3), fc.boolean()).chain(([size, classes, isPositive]) =>
    fc
      .tuple(rowsOf(size), list(isPositive ? fc.integer({ min: 0, max: 9 }) : tame, size * classes), tame)
      .map(([rows, coefficients, rho]) =>
        of(
          'SVMClassifier',
          'float32',
          rows,
          {
            ...kernelAttributes('LINEAR', 0, 0, 0),
            coefficients: floats(coefficients),
            rho: floats(rho),
            classlabels_ints: ints([4, 2, 7].slice(0, classes)),
          },
          { label: 'int64', y: 'float32' },
        ),
      ),
  ),
];

/** A tree as the file lists it: branches and leaves by number. */
interface Node {
  readonly mode: number;
  readonly feature: number;
  readonly threshold: number;
  readonly missing: number;
  readonly yes: number;
  readonly no: number;
}
const LEAF = 6;
const modes = ['BRANCH_LEQ', 'BRANCH_LT', 'BRANCH_GTE', 'BRANCH_GT', 'BRANCH_EQ', 'BRANCH_NEQ', 'LEAF'];

/** A full tree of depth 2: three branches, four leaves. One mode a forest, as trained ones have. */
const tree = (features: number, mode: number): fc.Arbitrary<readonly Node[]> =>
  list(fc.tuple(fc.nat(features - 1), tame, fc.nat(1)), 3).map((branches) => [
    ...branches.map(([feature, threshold, missing], at) => ({
      mode,
      feature,
      threshold,
      missing,
      yes: 2 * at + 1,
      no: 2 * at + 2,
    })),
    ...Array.from({ length: 4 }, () => ({ mode: LEAF, feature: 0, threshold: 0, missing: 0, yes: 0, no: 0 })),
  ]);

const forest = (features: number): fc.Arbitrary<readonly (readonly Node[])[]> =>
  // Not NEQ: a NaN is unequal to any threshold there, where ONNX sends it the way of missing values.
  fc.nat(4).chain((mode) => fc.array(tree(features, mode), { minLength: 1, maxLength: 4 }));

/** Attributes of the nodes of trees; `isWide` writes doubles. */
function nodeAttributes(trees: readonly (readonly Node[])[], isWide = false): Record<string, AttributeValue> {
  const nodes = trees.flatMap((nodes, tree) => nodes.map((node, id) => ({ ...node, tree, id })));
  const thresholds = nodes.map((node) => node.threshold + (isWide ? 1e-12 : 0));
  return {
    nodes_treeids: ints(nodes.map(({ tree }) => tree)),
    nodes_nodeids: ints(nodes.map(({ id }) => id)),
    nodes_featureids: ints(nodes.map(({ feature }) => feature)),
    nodes_modes: strings(nodes.map(({ mode }) => modes[mode]!)),
    nodes_truenodeids: ints(nodes.map(({ yes }) => yes)),
    nodes_falsenodeids: ints(nodes.map(({ no }) => no)),
    nodes_missing_value_tracks_true: ints(nodes.map(({ missing }) => missing)),
    ...doubles('nodes_values', thresholds, isWide),
  };
}

const doubles = (name: string, values: readonly number[], isWide: boolean): Record<string, AttributeValue> =>
  isWide
    ? { [`${name}_as_tensor`]: { t: makeTensor(name, 'float64', [values.length], Float64Array.from(values)) } }
    : { [name]: floats(values) };

const withMissing = fc.oneof({ weight: 9, arbitrary: tame }, { weight: 1, arbitrary: fc.constant(Number.NaN) });

const treeClassifier: Case = [
  'TreeEnsembleClassifier',
  fc
    .tuple(fc.constantFrom(2, 3, 5), fc.constantFrom(...transforms), fc.boolean(), fc.boolean(), fc.constantFrom(0, 1))
    .chain(([classes, transform, isText, isPositive, scoring]) =>
      fc.tuple(forest(3), rowsOf(3, withMissing)).chain(([trees, rows]) => {
        // All classes in each leaf; of two classes only one, as exporters do (of both, onnxruntime looks at the second's score alone).
        const scored = classes === 2 ? [scoring] : Array.from({ length: classes }, (_, at) => at);
        const leaves = trees.flatMap((_, tree) =>
          [3, 4, 5, 6].flatMap((node) => scored.map((id) => ({ tree, node, id }))),
        );
        const hasBase = classes > 2 || (scored.length === 1 && scored[0] === 0);
        return fc
          .tuple(
            list(isPositive ? fc.integer({ min: 0, max: 8 }).map((value) => value / 16) : tame, leaves.length),
            fc.boolean(),
            list(tame, classes === 2 ? 1 : classes),
          )
          .map(([weights, wantsBase, base]) =>
            of(
              'TreeEnsembleClassifier',
              'float32',
              rows,
              {
                ...nodeAttributes(trees),
                class_treeids: ints(leaves.map(({ tree }) => tree)),
                class_nodeids: ints(leaves.map(({ node }) => node)),
                class_ids: ints(leaves.map(({ id }) => id)),
                // Never zero in sum: of nothing but zeros SOFTMAX_ZERO makes 0 / 0 in onnxruntime, and zeros here.
                class_weights: floats(weights.map((weight) => weight + 1 / 64)),
                post_transform: { s: transform === 'PROBIT' && scored.length === 1 ? 'NONE' : transform },
                ...(hasBase && wantsBase && { base_values: floats(base) }),
                ...(isText
                  ? { classlabels_strings: strings(['p', 'q', 'r', 's', 't'].slice(0, classes)) }
                  : { classlabels_int64s: ints([4, 2, 7, 0, -3].slice(0, classes)) }),
              },
              { label: isText ? 'string' : 'int64', y: 'float32' },
              { tolerance: [1e-4, 1e-4] },
            ),
          );
      }),
    ),
];

const treeRegressor: Case = [
  'TreeEnsembleRegressor',
  fc
    .tuple(
      fc.constantFrom(1, 2, 3),
      fc.constantFrom('SUM', 'AVERAGE', 'MIN', 'MAX'),
      fc.constantFrom<ElementType>('float32', 'float64'),
      fc.boolean(),
      fc.constantFrom(...transforms),
    )
    .chain(([targets, aggregate, type, hasTensors, transform]) =>
      fc.tuple(forest(3), rowsOf(3, withMissing)).chain(([trees, rows]) => {
        const leaves = trees.flatMap((_, tree) =>
          [3, 4, 5, 6].flatMap((node) => Array.from({ length: targets }, (_, id) => ({ tree, node, id }))),
        );
        const isWide = hasTensors && type === 'float64';
        return fc.tuple(list(tame, leaves.length), fc.boolean(), list(tame, targets)).map(([weights, hasBase, base]) =>
          of(
            'TreeEnsembleRegressor',
            type,
            rows,
            {
              ...nodeAttributes(trees, isWide),
              target_treeids: ints(leaves.map(({ tree }) => tree)),
              target_nodeids: ints(leaves.map(({ node }) => node)),
              target_ids: ints(leaves.map(({ id }) => id)),
              ...doubles('target_weights', weights, isWide),
              ...(hasBase && doubles('base_values', base, isWide)),
              n_targets: { i: targets },
              aggregate_function: { s: aggregate },
              post_transform: { s: transform },
            },
            { y: 'float32' },
            { tolerance: [1e-4, 1e-4] },
          ),
        );
      }),
    ),
];

const treeEnsemble5: Case = [
  'TreeEnsemble-5',
  fc
    .tuple(fc.constantFrom<'float32' | 'float64'>('float32', 'float64'), fc.integer({ min: 1, max: 3 }), fc.nat(3))
    .chain(([type, targets, aggregate]) =>
      fc
        .tuple(
          rowsOf(2, fc.oneof(tame, whole)),
          // One branch a tree, on a threshold or on a set of two. onnxruntime cuts what it compares with sets that reach below 1.
          fc.array(fc.tuple(fc.nat(1), fc.nat(6), tame, list(fc.integer({ min: 1, max: 5 }), 2), fc.nat(1)), {
            minLength: 1,
            maxLength: 4,
          }),
          list(tame, 8),
          list(fc.nat(targets - 1), 8),
        )
        .map(([rows, branches, weights, ids]) => {
          const numbers = (name: string, values: readonly number[]): AttributeValue => ({
            t: makeTensor(
              name,
              type,
              [values.length],
              (type === 'float32' ? Float32Array.from(values) : Float64Array.from(values)) as never,
            ),
          });
          const count = branches.length;
          const sets = branches.flatMap(([, mode, , set]) => (mode === 6 ? [...set, Number.NaN] : []));
          return of(
            'TreeEnsemble',
            type,
            rows,
            {
              n_targets: { i: targets },
              aggregate_function: { i: aggregate },
              post_transform: { i: 0 },
              tree_roots: ints(branches.map((_, at) => at)),
              nodes_featureids: ints(branches.map(([feature]) => feature)),
              nodes_modes: {
                t: makeTypedTensor(
                  'modes',
                  branches.map(([, mode]) => mode),
                ),
              },
              nodes_splits: numbers(
                'splits',
                branches.map(([, , threshold]) => threshold),
              ),
              nodes_truenodeids: ints(branches.map((_, at) => 2 * at)),
              nodes_falsenodeids: ints(branches.map((_, at) => 2 * at + 1)),
              nodes_trueleafs: ints(branches.map(() => 1)),
              nodes_falseleafs: ints(branches.map(() => 1)),
              nodes_missing_value_tracks_true: ints(branches.map(([, , , , missing]) => missing)),
              leaf_targetids: ints(ids.slice(0, 2 * count)),
              leaf_weights: numbers('weights', weights.slice(0, 2 * count)),
              ...(sets.length > 0 && { membership_values: numbers('sets', sets) }),
            },
            { y: type },
            { opset: 5 },
          );
        }),
    ),
];

/** A tensor of bytes: modes are that in TreeEnsemble-5. */
const makeTypedTensor = (name: string, values: readonly number[]) => ({
  ...makeTensor(name, 'int32', [values.length], Int32Array.from(values)),
  dataType: DataType.UINT8,
});

const murmur: Case = [
  'MurmurHash3 of com.microsoft',
  fc
    .tuple(fc.constantFrom<ElementType>('string', 'int32', 'int64', 'float32', 'float64'), fc.nat(2 ** 31 - 1))
    .chain(([type, seed]) =>
      rowsOf(
        2,
        type === 'string' ? fc.constantFrom(...words, 'abc', 'é', '😀') : type.startsWith('float') ? tame : whole,
      ).map((rows) => ({
        inputs: { x: column(type, rows) },
        nodes: [makeNode('MurmurHash3', ['x'], ['y'], { seed: { i: seed }, positive: { i: 0 } }, 'com.microsoft')],
        outputs: { y: 'int32' as const },
      })),
    ),
];

const cases: readonly Case[] = [
  scaler,
  imputer,
  binarizer,
  normalizer,
  oneHot,
  oneHotStrict,
  labelEncoder,
  doubleEncoder,
  mapper,
  vectorizer,
  extractor,
  linearClassifier,
  linearRegressor,
  svmRegressor,
  svmClassifier,
  svmLinear,
  treeClassifier,
  treeRegressor,
  treeEnsemble5,
  murmur,
];

describe.skipIf(ort === undefined)('ai.onnx.ml agrees with onnxruntime', () => {
  test.each(cases)('%s', async (_, comparisons) => {
    await fc.assert(fc.asyncProperty(comparisons, expectAsOnnxruntime), { numRuns: RUNS, seed });
  });
});

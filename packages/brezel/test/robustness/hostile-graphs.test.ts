import {
  type AttributeValue,
  DataType,
  makeGraph,
  makeModel,
  makeStringTensor,
  makeTensor,
  tensorInput,
  writeModel,
} from '@brezel/onnx';
import { describe, expect, test } from 'vitest';
import {
  columnsModel,
  file,
  floats,
  linearModel,
  microsoft,
  ml,
  ngramModel,
  node,
  pipelineModel,
  regressorModel,
  TEXT,
  treeModel,
} from './models.js';
import { Survivor } from './survive.js';

const survivor = await Survivor.create();
const REFUSED = /^ERR_(ONNX|FLOUR)_/;
/** Weights that mean nothing: refused unless they are allowed, and then it works. */
const WEIGHT = /^ERR_ONNX_WEIGHT$/;
const i = (value: number | bigint) => ({ i: value });
const ints = (...values: (number | bigint)[]) => ({ ints: values });
const s = (value: string) => ({ s: value });
const int64 = (name: string, ...values: number[]) =>
  makeTensor(name, 'int64', [values.length], BigInt64Array.from(values, BigInt));
const vectorOf = (name: string, size: number) => makeTensor(name, 'float32', [size], new Float32Array(size).fill(1));
/** A chain of operators, one after the other. */
const chain = (length: number, operator: string) =>
  Array.from({ length }, (_, at) => node(operator, [at === 0 ? 'x' : `v${at}`], [`v${at + 1}`]));
/** Each joins its input with itself: sizes double. */
const doubling = (steps: number) =>
  Array.from({ length: steps }, (_, at) =>
    node('Concat', [at === 0 ? 'x' : `v${at}`, at === 0 ? 'x' : `v${at}`], [`v${at + 1}`], { axis: i(1) }),
  );

type Case = readonly [name: string, bytes: () => Uint8Array, outcome: 'works' | RegExp];
const of = (cases: readonly Case[]) =>
  test.each(cases)('%s', async (_, bytes, outcome) => {
    expect(await survivor.outcome(bytes())).toMatch(outcome);
    if (outcome === WEIGHT) expect(await survivor.outcome(bytes(), { nonFinite: 'allow' })).toBe('works');
  });
const changed =
  (
    model: (attributes: Readonly<Record<string, AttributeValue | undefined>>) => Uint8Array,
    attributes: Readonly<Record<string, AttributeValue | undefined>>,
  ) =>
  () =>
    model(attributes);

describe('the models themselves', () => {
  of([
    ['n-grams', () => ngramModel(), 'works'],
    ['linear', () => linearModel(), 'works'],
    ['trees', () => treeModel(), 'works'],
    ['regression trees', () => regressorModel(), 'works'],
    ['a pipeline', pipelineModel, 'works'],
    ['columns', columnsModel, 'works'],
  ]);
});

describe('graphs', () => {
  of([
    ['a cycle', () => file([node('Neg', ['b'], ['a']), node('Neg', ['a'], ['b'])], floats(2), ['a']), /ERR_ONNX_GRAPH/],
    ['a node that reads itself', () => file([node('Add', ['x', 'y'], ['y'])], floats(2), ['y']), /ERR_ONNX_GRAPH/],
    ['an undefined input', () => file([node('Neg', ['z'], ['y'])], floats(2), ['y']), /ERR_ONNX_GRAPH/],
    ['an undefined output', () => file([node('Neg', ['x'], ['y'])], floats(2), ['z']), /ERR_ONNX_GRAPH/],
    [
      'two nodes with one output',
      () => file([node('Neg', ['x'], ['y']), node('Abs', ['x'], ['y'])], floats(2), ['y']),
      /ERR_ONNX_GRAPH/,
    ],
    [
      'one output name twice in a node',
      () =>
        file(
          [
            ml('LinearClassifier', ['x'], ['y', 'y'], {
              coefficients: { floats: [1, 2] },
              classlabels_ints: ints(0, 1),
            }),
          ],
          floats(2),
          ['y'],
        ),
      REFUSED,
    ],
    ['one graph output twice', () => file([node('Neg', ['x'], ['y'])], floats(2), ['y', 'y']), REFUSED],
    ['one graph input twice', () => file([node('Neg', ['x'], ['y'])], [...floats(2), ...floats(2)], ['y']), REFUSED],
    [
      'an initializer twice',
      () =>
        file([node('Add', ['x', 'w'], ['y'])], floats(2), ['y'], { initializer: [vectorOf('w', 2), vectorOf('w', 2)] }),
      REFUSED,
    ],
    ['no outputs', () => file([node('Neg', ['x'], ['y'])], floats(2), []), REFUSED],
    ['no inputs', () => file([], [], ['y']), REFUSED],
    ['a constant output', () => file([], floats(2), ['w'], { initializer: [vectorOf('w', 2)] }), REFUSED],
    ['an output that is an input', () => file([], floats(2), ['x']), 'works'],
    ['a text output that is an input', () => file([], TEXT, ['text']), 'works'],
    ['an input beside an output', () => file([node('Neg', ['x'], ['y'])], floats(2), ['x', 'y']), 'works'],
    [
      'an input that nobody reads',
      () => file([node('Neg', ['x'], ['y'])], [...floats(2), ...floats(3, 'z'), ...TEXT], ['y']),
      'works',
    ],
    ['a name of nothing', () => file([node('Neg', [''], ['y'])], floats(2), ['y']), REFUSED],
    [
      'an input named nothing',
      () => file([node('Neg', ['x'], ['y'])], [...floats(2), ...floats(2, '')], ['y']),
      REFUSED,
    ],
    ['an output named nothing', () => file([node('Neg', ['x'], [''])], floats(2), ['']), REFUSED],
    [
      'names of prototypes',
      () => file([node('Neg', ['constructor'], ['toString'])], floats(2, 'constructor'), ['toString']),
      'works',
    ],
    ['an output named __proto__', () => file([node('Neg', ['x'], ['__proto__'])], floats(2), ['__proto__']), REFUSED],
    [
      'an input named __proto__',
      () => file([node('Neg', ['__proto__'], ['y'])], floats(2, '__proto__'), ['y']),
      REFUSED,
    ],
    ['a node without inputs', () => file([node('Neg', [], ['y'])], floats(2), ['y']), REFUSED],
    [
      'a node without outputs',
      () => file([node('Neg', ['x'], []), node('Neg', ['x'], ['y'])], floats(2), ['y']),
      'works',
    ],
    [
      'a constant without an output',
      () =>
        file([node('Constant', [], [], { value: { t: vectorOf('', 1) } }), node('Neg', ['x'], ['y'])], floats(2), [
          'y',
        ]),
      'works',
    ],
    [
      'an operator nobody knows',
      () => file([node('Frobnicate', ['x'], ['y'])], floats(2), ['y']),
      /ERR_ONNX_UNSUPPORTED/,
    ],
    ...['toString', 'constructor', 'valueOf', '__proto__', 'hasOwnProperty'].map(
      (name): Case => [
        `an operator named ${name}`,
        () => file([node(name, [], ['c']), node('Add', ['x', 'c'], ['y'])], floats(1), ['y']),
        /ERR_ONNX_UNSUPPORTED/,
      ],
    ),
    [
      'an operator of another domain',
      () => file([node('Neg', ['x'], ['y'], {}, 'org.example')], floats(2), ['y']),
      /ERR_ONNX_GRAPH/,
    ],
    ['300 operators in a row', () => file(chain(300, 'Neg'), floats(2), ['v300']), 'works'],
    ['10 000 identities', () => file(chain(10_000, 'Identity'), floats(2), ['v10000']), 'works'],
    [
      'sizes that double 16 times',
      () => file([...doubling(16), node('ReduceMax', ['v16'], ['y'], { axes: ints(1) })], floats(2), ['y']),
      'works',
    ],
    [
      'sizes that double 40 times',
      () => file([...doubling(40), node('ReduceMax', ['v40'], ['y'], { axes: ints(1) })], floats(2), ['y']),
      REFUSED,
    ],
    [
      'sizes that double 32 times',
      () => file([...doubling(32), node('ArgMax', ['v32'], ['y'], { axis: i(1) })], floats(1), ['y']),
      REFUSED,
    ],
    [
      '1000 wide outputs',
      () =>
        file(
          [...doubling(20), ...Array.from({ length: 1000 }, (_, at) => node('Identity', ['v20'], [`y${at}`]))],
          floats(1),
          Array.from({ length: 1000 }, (_, at) => `y${at}`),
        ),
      REFUSED,
    ],
  ]);
});

describe('inputs', () => {
  const input =
    (shape: readonly (number | string | undefined)[], type: number = DataType.FLOAT) =>
    () =>
      file([node('Identity', ['x'], ['y'])], [tensorInput('x', type, shape)], ['y']);
  of([
    ['no dimensions', input([]), /ERR_ONNX_SHAPE/],
    ['three dimensions, and rows of two', input(['N', 2, 2]), /ERR_RUNTIME_INPUT/],
    ['seventeen dimensions of a row', input(['N', ...new Array<number>(17).fill(1)]), /ERR_ONNX_SHAPE/],
    ['no columns', input(['N', 0]), /ERR_ONNX_SHAPE/],
    ['fewer columns than none', input(['N', -3]), /ERR_ONNX_SHAPE/],
    ['free columns', input(['N', 'k']), /ERR_ONNX_SHAPE/],
    ['2^31 columns', input(['N', 2 ** 31]), REFUSED],
    ['2^40 columns', input(['N', 2 ** 40]), REFUSED],
    ['2^53 - 1 columns', input(['N', Number.MAX_SAFE_INTEGER]), REFUSED],
    ['2^31 columns of text', input(['N', 2 ** 31], DataType.STRING), REFUSED],
    ['an element type of a newer ONNX', input(['N', 2], 99), REFUSED],
    ['complex numbers', input(['N', 2], 14), REFUSED],
    ['two columns of text', input(['N', 2], DataType.STRING), 'works'],
    ['no batch axis to speak of', input([1, 2]), 'works'],
    ['booleans', input(['N', 3], DataType.BOOL), 'works'],
    ['int64', input(['N', 3], DataType.INT64), 'works'],
    ['double', input(['N', 3], DataType.DOUBLE), 'works'],
    ['text that is added', () => file([node('Add', ['text', 'text'], ['y'])], TEXT, ['y']), REFUSED],
    [
      'numbers that are tokenized',
      () =>
        file([microsoft('Tokenizer', ['x'], ['y'], { mark: i(0), separators: { strings: [' '] } })], floats(2), ['y']),
      REFUSED,
    ],
    [
      'text that is classified',
      () =>
        file(
          [
            ml('LinearClassifier', ['text'], ['l', 'y'], {
              coefficients: { floats: [1] },
              classlabels_ints: ints(0, 1),
            }),
          ],
          TEXT,
          ['y'],
        ),
      REFUSED,
    ],
    [
      'tokens that leave',
      () =>
        file([microsoft('Tokenizer', ['text'], ['y'], { mark: i(0), separators: { strings: [' '] } })], TEXT, ['y']),
      'works',
    ],
  ]);
});

describe('n-grams', () => {
  const ngram = (attributes: Readonly<Record<string, AttributeValue | undefined>>) => changed(ngramModel, attributes);
  of([
    ['a column of 2^31 - 1', ngram({ ngram_indexes: ints(0, 1, 2, 2 ** 31 - 1) }), REFUSED],
    ['a column of 2^31', ngram({ ngram_indexes: ints(0, 1, 2, 2 ** 31) }), REFUSED],
    ['a column of 2^32', ngram({ ngram_indexes: ints(0, 1, 2, 2 ** 32) }), REFUSED],
    ['a column of 2^52', ngram({ ngram_indexes: ints(0, 1, 2, 2 ** 52) }), REFUSED],
    ['a column of 2^62', ngram({ ngram_indexes: ints(0, 1, 2, 2n ** 62n) }), REFUSED],
    ['a column below 0', ngram({ ngram_indexes: ints(0, 1, 2, -1) }), REFUSED],
    [
      'a column of 2^31 - 1 with weights',
      ngram({ mode: s('TFIDF'), weights: { floats: [1, 2, 3, 4] }, ngram_indexes: ints(0, 1, 2, 2 ** 31 - 1) }),
      REFUSED,
    ],
    ['one column for all', ngram({ ngram_indexes: ints(5, 5, 5, 5) }), 'works'],
    ['columns far apart', ngram({ ngram_indexes: ints(0, 70_000, 1, 300_000) }), 'works'],
    ['too few columns', ngram({ ngram_indexes: ints(0) }), REFUSED],
    ['too many columns', ngram({ ngram_indexes: ints(0, 1, 2, 3, 4) }), REFUSED],
    ['no columns', ngram({ ngram_indexes: ints() }), REFUSED],
    ['counts that descend', ngram({ ngram_counts: ints(0, 3, 1) }), REFUSED],
    ['counts below 0', ngram({ ngram_counts: ints(-1, 3) }), REFUSED],
    ['counts beyond the pool', ngram({ ngram_counts: ints(0, 300) }), REFUSED],
    ['counts that cut n-grams', ngram({ ngram_counts: ints(0, 4) }), REFUSED],
    ['counts that start late', ngram({ ngram_counts: ints(2, 3), ngram_indexes: ints(0, 1) }), REFUSED],
    ['no counts', ngram({ ngram_counts: ints(), ngram_indexes: ints() }), REFUSED],
    ['counts of 2^62', ngram({ ngram_counts: ints(0, 2n ** 62n) }), REFUSED],
    [
      '100 000 sizes',
      ngram({ ngram_counts: ints(0, ...new Array<number>(100_000).fill(5)), ngram_indexes: ints(0, 1, 2, 3, 4) }),
      'works',
    ],
    ['an empty pool', ngram({ pool_strings: { strings: [] }, ngram_counts: ints(0), ngram_indexes: ints() }), REFUSED],
    ['an n-gram twice', ngram({ pool_strings: { strings: ['good', 'good', 'a', 'not', 'good'] } }), 'works'],
    [
      'a bigram twice, in other columns',
      ngram({
        pool_strings: { strings: ['a', 'not', 'good', 'not', 'good'] },
        ngram_counts: ints(0, 1),
        ngram_indexes: ints(0, 2, 1),
      }),
      'works',
    ],
    ['empty words', ngram({ pool_strings: { strings: ['', 'b', 'c', '', ''] } }), 'works'],
    [
      'words that are not UTF-8',
      ngram({ pool_strings: { strings: [Uint8Array.of(0xff), Uint8Array.of(0xfe), 'c', Uint8Array.of(0xc3), 'a'] } }),
      /works|ERR_ONNX/,
    ],
    ['a word of a megabyte', ngram({ pool_strings: { strings: ['x'.repeat(2 ** 20), 'b', 'c', 'a', 'b'] } }), 'works'],
    [
      'a word of 17 MiB',
      ngram({ pool_strings: { strings: ['x'.repeat(17 * 2 ** 20), 'b', 'c', 'a', 'b'] } }),
      /works|ERR_(ONNX|FLOUR|STORE)/,
    ],
    ['least n of 0', ngram({ min_gram_length: i(0) }), REFUSED],
    ['least n below 0', ngram({ min_gram_length: i(-1) }), REFUSED],
    ['greatest n of 2^31', ngram({ max_gram_length: i(2 ** 31) }), REFUSED],
    ['greatest n of 2^62', ngram({ max_gram_length: i(2n ** 62n) }), REFUSED],
    ['greatest below least', ngram({ min_gram_length: i(2), max_gram_length: i(1) }), REFUSED],
    ['sizes that the pool has not', ngram({ min_gram_length: i(5), max_gram_length: i(9) }), 'works'],
    ['1 000 000 000 skips', ngram({ max_skip_count: i(1_000_000_000) }), 'works'],
    ['skips below 0', ngram({ max_skip_count: i(-1) }), /works|ERR_(ONNX|FLOUR|STORE)/],
    ['a mode that is none', ngram({ mode: s('FOO') }), REFUSED],
    ['too few weights', ngram({ mode: s('TFIDF'), weights: { floats: [1] } }), /works|ERR_ONNX/],
    ['no weights', ngram({ mode: s('IDF'), weights: { floats: [] } }), /works|ERR_ONNX/],
    ['an attribute of another type', ngram({ mode: i(3) }), /ERR_ONNX_ATTRIBUTE/],
    ['attributes left out', ngram({ ngram_counts: undefined }), /ERR_ONNX_ATTRIBUTE/],
    ['numbers as words', ngram({ pool_strings: undefined, pool_int64s: ints(1, 2, 3, 4, 5) }), /ERR_ONNX_UNSUPPORTED/],
  ]);
});

describe('tokenizers', () => {
  const tokens = (tokenizer: Readonly<Record<string, AttributeValue | undefined>>) => () => ngramModel({}, tokenizer);
  const pattern = (expression: string) => tokens({ tokenexp: s(expression) });
  of([
    ['nested repetition', pattern('((a+)+)+b'), 'works'],
    ['many alternatives', pattern(`(${'a|'.repeat(5000)}b)+`), 'works'],
    ['counted repetition, nested', pattern('((a{100}){100}){100}'), /works|ERR_/],
    ['counted repetition, large', pattern('(a{1000}){1000}'), /works|ERR_/],
    ['counted repetition of everything', pattern('.{0,1000}x.{0,1000}'), 'works'],
    ['10 000 groups', pattern(`${'('.repeat(10_000)}a${')'.repeat(10_000)}`), /works|ERR_/],
    ['an open bracket', pattern('[a-z'), REFUSED],
    ['a back reference', pattern('(a)\\1'), REFUSED],
    ['look-ahead', pattern('a(?=b)'), REFUSED],
    ['a reversed range', pattern('[z-a]'), REFUSED],
    ['a star of nothing', pattern('*'), REFUSED],
    ['nothing', pattern(''), /works|ERR_/],
    ['a class of everything', pattern('[\\x{0}-\\x{10FFFF}]+'), 'works'],
    ['zero bytes', pattern('\0+'), 'works'],
    ['a megabyte of pattern', pattern('a'.repeat(2 ** 20)), REFUSED],
    ['60 000 characters of pattern', pattern('a'.repeat(60_000)), 'works'],
    [
      '1000 separators',
      tokens({ tokenexp: undefined, separators: { strings: Array.from({ length: 1000 }, (_, at) => `s${at}`) } }),
      'works',
    ],
    ['no separators', tokens({ tokenexp: undefined, separators: { strings: [] } }), /works|ERR_/],
    [
      'an empty separator among others',
      tokens({ tokenexp: undefined, separators: { strings: ['', ' '] } }),
      /works|ERR_/,
    ],
    ['neither pattern nor separators', tokens({ tokenexp: undefined }), REFUSED],
    ['minimal length below 0', tokens({ mincharnum: i(-5) }), REFUSED],
    ['minimal length of 2^31 - 1', tokens({ mincharnum: i(2 ** 31 - 1) }), 'works'],
    ['minimal length of 2^31', tokens({ mincharnum: i(2 ** 31) }), REFUSED],
    ['minimal length of 2^40', tokens({ mincharnum: i(2 ** 40) }), REFUSED],
    ['minimal length of 2^62', tokens({ mincharnum: i(2n ** 62n) }), REFUSED],
    ['marks', tokens({ mark: i(1) }), /ERR_ONNX_UNSUPPORTED/],
    [
      'case change toString',
      () => file([node('StringNormalizer', ['text'], ['y'], { case_change_action: s('toString') })], TEXT, ['y']),
      /ERR_ONNX_UNSUPPORTED/,
    ],
    [
      '50 000 stop words',
      () =>
        file(
          [
            node('StringNormalizer', ['text'], ['kept'], {
              case_change_action: s('LOWER'),
              stopwords: { strings: Array.from({ length: 50_000 }, (_, at) => `w${at % 1000}`) },
            }),
            microsoft('Tokenizer', ['kept'], ['y'], { mark: i(0), separators: { strings: [' '] } }),
          ],
          TEXT,
          ['y'],
        ),
      'works',
    ],
    [
      'norm constructor',
      () => file([ml('Normalizer', ['x'], ['y'], { norm: s('constructor') })], floats(2), ['y']),
      /ERR_ONNX_UNSUPPORTED/,
    ],
  ]);
});

describe('linear models', () => {
  const linear = (attributes: Readonly<Record<string, AttributeValue | undefined>>) => changed(linearModel, attributes);
  of([
    ['too few coefficients', linear({ coefficients: { floats: [1, 2, 3, 4, 5] } }), REFUSED],
    ['no coefficients', linear({ coefficients: { floats: [] } }), REFUSED],
    ['too many classes', linear({ classlabels_ints: ints(0, 1, 2) }), REFUSED],
    ['no classes', linear({ classlabels_ints: ints() }), REFUSED],
    ['too few intercepts', linear({ intercepts: { floats: [1] } }), REFUSED],
    [
      'NaN and infinities',
      linear({ coefficients: { floats: [Number.NaN, Number.POSITIVE_INFINITY, -0, 1e38, -1e38, 0] } }),
      WEIGHT,
    ],
    ['labels beyond 2^53', linear({ classlabels_ints: ints(2n ** 62n, -(2n ** 63n)) }), /works|ERR_ONNX/],
    ['one label twice', linear({ classlabels_ints: ints(7, 7) }), 'works'],
    ['both kinds of labels', linear({ classlabels_strings: { strings: ['a', 'b'] } }), 'works'],
    [
      'one score under a transform of many',
      linear({ coefficients: { floats: [1, 2, 3] }, intercepts: { floats: [0] }, post_transform: s('SOFTMAX') }),
      'works',
    ],
    ['a transform that is none', linear({ post_transform: s('toString') }), REFUSED],
    [
      'targets of 0',
      () =>
        file([ml('LinearRegressor', ['x'], ['y'], { coefficients: { floats: [] }, targets: i(0) })], floats(3), ['y']),
      REFUSED,
    ],
    [
      'targets below 0',
      () =>
        file(
          [ml('LinearRegressor', ['x'], ['y'], { coefficients: { floats: [1, 2, 3] }, targets: i(-1) })],
          floats(3),
          ['y'],
        ),
      REFUSED,
    ],
    [
      'targets of 2^31',
      () =>
        file(
          [ml('LinearRegressor', ['x'], ['y'], { coefficients: { floats: [1, 2, 3] }, targets: i(2 ** 31) })],
          floats(3),
          ['y'],
        ),
      REFUSED,
    ],
    [
      'a matrix that does not fit',
      () =>
        file([node('MatMul', ['x', 'w'], ['y'])], floats(3), ['y'], {
          initializer: [makeTensor('w', 'float32', [2, 2], new Float32Array(4))],
        }),
      REFUSED,
    ],
    [
      'a matrix of no columns',
      () =>
        file([node('MatMul', ['x', 'w'], ['y'])], floats(3), ['y'], {
          initializer: [makeTensor('w', 'float32', [3, 0], new Float32Array(0))],
        }),
      REFUSED,
    ],
    [
      'no names for two numbers',
      () => file([ml('ZipMap', ['x'], ['y'], { classlabels_int64s: ints() })], floats(2), ['y']),
      REFUSED,
    ],
    [
      'one name for two numbers',
      () => file([ml('ZipMap', ['x'], ['y'], { classlabels_int64s: ints(3) })], floats(2), ['y']),
      REFUSED,
    ],
    [
      'the same name twice',
      () => file([ml('ZipMap', ['x'], ['y'], { classlabels_int64s: ints(3, 3) })], floats(2), ['y']),
      /works|ERR_(ONNX|FLOUR|STORE)/,
    ],
    [
      'names of prototypes',
      () =>
        file(
          [ml('ZipMap', ['x'], ['y'], { classlabels_strings: { strings: ['__proto__', 'constructor'] } })],
          floats(2),
          ['y'],
        ),
      'works',
    ],
  ]);
});

describe('trees', () => {
  const trees = (attributes: Readonly<Record<string, AttributeValue | undefined>>) => changed(treeModel, attributes);
  const regression = (attributes: Readonly<Record<string, AttributeValue | undefined>>) =>
    changed(regressorModel, attributes);
  const deep = 20_000;
  of([
    ['a child that is its parent', trees({ nodes_truenodeids: ints(0, 0, 0, 0) }), REFUSED],
    [
      'two branches to one child',
      trees({ nodes_truenodeids: ints(1, 0, 0, 0), nodes_falsenodeids: ints(1, 0, 0, 0) }),
      'works',
    ],
    [
      'a long cycle',
      trees({
        nodes_modes: { strings: ['BRANCH_LEQ', 'BRANCH_LEQ', 'LEAF', 'LEAF'] },
        nodes_truenodeids: ints(1, 0, 0, 0),
        nodes_falsenodeids: ints(2, 0, 0, 0),
      }),
      REFUSED,
    ],
    ['a child that does not exist', trees({ nodes_truenodeids: ints(77, 0, 0, 0) }), REFUSED],
    ['a child below 0', trees({ nodes_truenodeids: ints(-1, 0, 0, 0) }), REFUSED],
    ['a feature beyond the input', trees({ nodes_featureids: ints(2, 0, 0, 0) }), REFUSED],
    ['a feature of 2^31', trees({ nodes_featureids: ints(2 ** 31, 0, 0, 0) }), REFUSED],
    ['a feature of 2^32', trees({ nodes_featureids: ints(2 ** 32, 0, 0, 0) }), REFUSED],
    ['a feature below 0', trees({ nodes_featureids: ints(-1, 0, 0, 0) }), REFUSED],
    ['a leaf with a feature beyond', trees({ nodes_featureids: ints(1, 99, -5, 0) }), 'works'],
    ['a class beyond', trees({ class_ids: ints(0, 1, 3) }), REFUSED],
    ['a class below 0', trees({ class_ids: ints(0, 1, -1) }), REFUSED],
    ['a class of 2^32', trees({ class_ids: ints(0, 1, 2 ** 32) }), REFUSED],
    ['a class of 2^31 - 1', trees({ class_ids: ints(0, 1, 2 ** 31 - 1) }), REFUSED],
    ['weights of a node that does not exist', trees({ class_nodeids: ints(1, 2, 9) }), REFUSED],
    ['weights of a branch', trees({ class_nodeids: ints(0, 2, 0) }), /works|ERR_(ONNX|FLOUR|STORE)/],
    ['class lists of different lengths', trees({ class_weights: { floats: [1] } }), REFUSED],
    ['node lists of different lengths', trees({ nodes_nodeids: ints(0, 1, 2) }), REFUSED],
    ['modes missing', trees({ nodes_modes: { strings: ['BRANCH_LEQ', 'LEAF'] } }), REFUSED],
    ['a mode that is none', trees({ nodes_modes: { strings: ['BRANCH_FOO', 'LEAF', 'LEAF', 'LEAF'] } }), REFUSED],
    ['values missing', trees({ nodes_values: { floats: [] } }), /works|ERR_(ONNX|FLOUR|STORE)/],
    ['features missing', trees({ nodes_featureids: ints() }), /works|ERR_(ONNX|FLOUR|STORE)/],
    ['one node twice', trees({ nodes_nodeids: ints(0, 1, 1, 0) }), REFUSED],
    [
      'tree numbers of any size',
      trees({
        nodes_treeids: ints(2n ** 53n - 1n, 2n ** 53n - 1n, 2n ** 53n - 1n, -(2n ** 53n) + 1n),
        class_treeids: ints(2n ** 53n - 1n, 2n ** 53n - 1n, -(2n ** 53n) + 1n),
      }),
      'works',
    ],
    ['base values of another number', trees({ base_values: { floats: [1] } }), REFUSED],
    [
      'NaN everywhere',
      trees({
        nodes_values: { floats: [Number.NaN, 0, 0, 0] },
        class_weights: { floats: [Number.NaN, 1, 2] },
        base_values: { floats: [Number.NaN, 0, 0] },
      }),
      WEIGHT,
    ],
    [
      'no nodes',
      trees({
        nodes_treeids: ints(),
        nodes_nodeids: ints(),
        nodes_modes: { strings: [] },
        class_treeids: ints(),
        class_nodeids: ints(),
        class_ids: ints(),
        class_weights: { floats: [] },
      }),
      /works|ERR_(ONNX|FLOUR|STORE)/,
    ],
    [
      'no weights for two classes',
      trees({
        classlabels_int64s: ints(0, 1),
        class_treeids: ints(),
        class_nodeids: ints(),
        class_ids: ints(),
        class_weights: { floats: [] },
      }),
      /works|ERR_(ONNX|FLOUR|STORE)/,
    ],
    [
      'a very deep tree',
      trees({
        nodes_treeids: ints(...new Array<number>(2 * deep + 1).fill(0)),
        nodes_nodeids: ints(...Array.from({ length: 2 * deep + 1 }, (_, at) => at)),
        nodes_featureids: ints(...new Array<number>(2 * deep + 1).fill(0)),
        nodes_values: { floats: new Array<number>(2 * deep + 1).fill(1) },
        nodes_modes: {
          strings: Array.from({ length: 2 * deep + 1 }, (_, at) =>
            at % 2 === 0 && at < 2 * deep ? 'BRANCH_LT' : 'LEAF',
          ),
        },
        nodes_truenodeids: ints(...Array.from({ length: 2 * deep + 1 }, (_, at) => at + 2)),
        nodes_falsenodeids: ints(...Array.from({ length: 2 * deep + 1 }, (_, at) => at + 1)),
        nodes_missing_value_tracks_true: undefined,
        class_treeids: ints(0),
        class_nodeids: ints(2 * deep),
        class_ids: ints(2),
        class_weights: { floats: [3] },
      }),
      'works',
    ],
    ['targets of 2^31', regression({ n_targets: i(2 ** 31) }), REFUSED],
    ['targets of 2^40', regression({ n_targets: i(2 ** 40) }), REFUSED],
    ['targets of 2^53 - 1', regression({ n_targets: i(Number.MAX_SAFE_INTEGER) }), REFUSED],
    ['targets of 0', regression({ n_targets: i(0) }), REFUSED],
    ['targets below 0', regression({ n_targets: i(-1) }), REFUSED],
    ['an aggregate that is none', regression({ aggregate_function: s('MEDIAN') }), REFUSED],
  ]);
});

describe('encoders and scalers', () => {
  const floatsOf = (...values: number[]) => ({ floats: values });
  const strings = (...values: string[]) => ({ strings: values });
  const text = (operator: string, attributes: Record<string, AttributeValue>) => () =>
    file([ml(operator, ['text'], ['y'], attributes)], TEXT, ['y']);
  const row = (operator: string, attributes: Record<string, AttributeValue>) => () =>
    file([ml(operator, ['x'], ['y'], attributes)], floats(2), ['y']);
  const { NaN: nan } = Number;
  of([
    ['a Scaler of one number each', row('Scaler', { offset: floatsOf(1), scale: floatsOf(2) }), 'works'],
    ['a Scaler of NaN', row('Scaler', { offset: floatsOf(nan), scale: floatsOf(nan, 0) }), WEIGHT],
    ['a Scaler without scale', row('Scaler', { offset: floatsOf(1) }), REFUSED],
    ['a Scaler of three numbers for two', row('Scaler', { offset: floatsOf(1, 2, 3), scale: floatsOf(2) }), REFUSED],
    ['a Scaler of nothing', row('Scaler', { offset: floatsOf(), scale: floatsOf() }), REFUSED],
    ['a Scaler of text', text('Scaler', { offset: floatsOf(1), scale: floatsOf(2) }), REFUSED],
    ['an Imputer', row('Imputer', { imputed_value_floats: floatsOf(1), replaced_value_float: { f: nan } }), 'works'],
    ['an Imputer of numbers over text', text('Imputer', { imputed_value_floats: floatsOf(1) }), REFUSED],
    ['an Imputer without values', row('Imputer', { replaced_value_float: { f: nan } }), REFUSED],
    ['an Imputer of integers over floats', row('Imputer', { imputed_value_int64s: ints(1) }), REFUSED],
    ['an Imputer of three values', row('Imputer', { imputed_value_floats: floatsOf(1, 2, 3) }), REFUSED],
    ['a Binarizer at NaN', row('Binarizer', { threshold: { f: nan } }), WEIGHT],
    ['a OneHotEncoder without categories', text('OneHotEncoder', {}), REFUSED],
    ['a OneHotEncoder of an empty list', text('OneHotEncoder', { cats_strings: strings() }), REFUSED],
    ['a OneHotEncoder of both', text('OneHotEncoder', { cats_strings: strings('a'), cats_int64s: ints(1) }), REFUSED],
    ['a category twice', text('OneHotEncoder', { cats_strings: strings('a', 'b', 'a') }), REFUSED],
    ['an integer twice', row('OneHotEncoder', { cats_int64s: ints(1, 1) }), REFUSED],
    ['integers for text', text('OneHotEncoder', { cats_int64s: ints(1) }), REFUSED],
    ['a category of 2^60', row('OneHotEncoder', { cats_int64s: ints(2n ** 60n) }), REFUSED],
    ['a huge category', text('OneHotEncoder', { cats_strings: strings('x'.repeat(2 ** 20), '') }), 'works'],
    ['keys without values', text('LabelEncoder', { keys_strings: strings('a') }), REFUSED],
    ['no keys', text('LabelEncoder', { values_int64s: ints(1) }), REFUSED],
    ['keys of an empty list', text('LabelEncoder', { keys_strings: strings(), values_int64s: ints() }), REFUSED],
    ['two keys, one value', text('LabelEncoder', { keys_strings: strings('a', 'b'), values_int64s: ints(1) }), REFUSED],
    ['a key twice', text('LabelEncoder', { keys_strings: strings('a', 'a'), values_int64s: ints(1, 2) }), REFUSED],
    ['float keys for text', text('LabelEncoder', { keys_floats: floatsOf(1), values_int64s: ints(1) }), REFUSED],
    ['text keys for floats', row('LabelEncoder', { keys_strings: strings('a'), values_int64s: ints(1) }), REFUSED],
    [
      'a default of another type',
      text('LabelEncoder', {
        keys_tensor: { t: makeStringTensor('k', [1], ['a']) },
        values_tensor: { t: makeTensor('v', 'float32', [1], Float32Array.of(1)) },
        default_tensor: { t: makeStringTensor('d', [1], ['b']) },
      }),
      REFUSED,
    ],
    [
      'two defaults',
      text('LabelEncoder', {
        keys_strings: strings('a'),
        values_tensor: { t: int64('v', 1) },
        default_tensor: { t: int64('d', 1, 2) },
      }),
      REFUSED,
    ],
    [
      'a mapper of unlike lists',
      text('CategoryMapper', { cats_strings: strings('a'), cats_int64s: ints(1, 2) }),
      REFUSED,
    ],
    ['a FeatureVectorizer of other sizes', row('FeatureVectorizer', { inputdimensions: ints(3) }), REFUSED],
    ['a FeatureVectorizer of text', text('FeatureVectorizer', {}), REFUSED],
    ['a Normalizer of text', text('Normalizer', {}), REFUSED],
    ['linear coefficients of text', text('LinearRegressor', { coefficients: floatsOf(1) }), REFUSED],
  ]);
});

describe('support vectors', () => {
  const { NaN: nan } = Number;
  const machine = {
    kernel_type: s('RBF'),
    kernel_params: { floats: [0.5, 0, 3] },
    support_vectors: { floats: [0, 1, 1, 0] },
    coefficients: { floats: [1, -1] },
    rho: { floats: [0.25] },
  };
  const svm =
    (operator: string, given: Record<string, AttributeValue>, changes: Record<string, AttributeValue>) => () =>
      file(
        [
          ml(operator, ['x'], operator === 'SVMRegressor' ? ['y'] : ['label', 'y'], {
            ...machine,
            ...given,
            ...changes,
          }),
        ],
        floats(2),
        ['y'],
      );
  const regressor = (changes: Record<string, AttributeValue>) => svm('SVMRegressor', { n_supports: i(2) }, changes);
  const classifier = (changes: Record<string, AttributeValue>) =>
    svm('SVMClassifier', { vectors_per_class: ints(1, 1), classlabels_ints: ints(0, 1) }, changes);
  of([
    ['a regressor', regressor({}), 'works'],
    ['a regressor of NaN', regressor({ kernel_params: { floats: [nan, nan, nan] }, rho: { floats: [nan] } }), WEIGHT],
    ['a power of 2^31', regressor({ kernel_type: s('POLY'), kernel_params: { floats: [1, 1, 2 ** 31] } }), 'works'],
    ['no kernel parameters', regressor({ kernel_params: { floats: [] } }), 'works'],
    ['a kernel that is none', regressor({ kernel_type: s('COSINE') }), REFUSED],
    ['another number of supports', regressor({ n_supports: i(3) }), REFUSED],
    ['supports below 0', regressor({ n_supports: i(-1) }), 'works'],
    ['supports of 2^40', regressor({ n_supports: i(2 ** 40) }), REFUSED],
    ['no support vectors', regressor({ support_vectors: { floats: [] } }), REFUSED],
    ['no rho', regressor({ rho: { floats: [] } }), REFUSED],
    ['coefficients missing', regressor({ coefficients: { floats: [1] } }), REFUSED],
    ['a classifier', classifier({}), 'works'],
    ['a classifier with probabilities', classifier({ prob_a: { floats: [-1] }, prob_b: { floats: [0] } }), 'works'],
    ['probabilities of NaN', classifier({ prob_a: { floats: [nan] }, prob_b: { floats: [nan] } }), WEIGHT],
    ['half of the probabilities', classifier({ prob_a: { floats: [1] } }), REFUSED],
    ['vectors of three classes for two', classifier({ vectors_per_class: ints(1, 1, 0) }), REFUSED],
    ['vectors below 0', classifier({ vectors_per_class: ints(3, -1) }), REFUSED],
    ['vectors of 2^40', classifier({ vectors_per_class: ints(2 ** 40, 1) }), REFUSED],
    ['two rhos for one pair', classifier({ rho: { floats: [1, 2] } }), REFUSED],
    ['coefficients of another number', classifier({ coefficients: { floats: [1, 2, 3] } }), REFUSED],
    ['one class', classifier({ classlabels_ints: ints(0), vectors_per_class: ints(2) }), REFUSED],
    ['no labels', classifier({ classlabels_ints: ints() }), REFUSED],
    [
      'no support vectors, weights',
      classifier({ vectors_per_class: ints(), coefficients: { floats: [1, 2, 3, 4] } }),
      'works',
    ],
    [
      'no support vectors, few weights',
      classifier({ vectors_per_class: ints(), coefficients: { floats: [1, 2] } }),
      REFUSED,
    ],
  ]);
});

describe('version 5 of trees', () => {
  const tensor = (...values: number[]) => ({
    t: makeTensor('t', 'float32', [values.length], Float32Array.from(values)),
  });
  const modes = (...values: number[]) => ({ t: makeTensor('m', 'int32', [values.length], Int32Array.from(values)) });
  const stump = {
    n_targets: i(1),
    tree_roots: ints(0),
    nodes_featureids: ints(0),
    nodes_modes: modes(0),
    nodes_splits: tensor(0.5),
    nodes_truenodeids: ints(0),
    nodes_falsenodeids: ints(1),
    nodes_trueleafs: ints(1),
    nodes_falseleafs: ints(1),
    leaf_targetids: ints(0, 0),
    leaf_weights: tensor(1, 2),
  };
  const trees = (changes: Record<string, AttributeValue>) => () =>
    writeModel(
      makeModel(
        makeGraph({
          node: [ml('TreeEnsemble', ['x'], ['y'], { ...stump, ...changes })],
          input: floats(2),
          output: floats(1, 'y'),
        }),
        { '': 17, 'ai.onnx.ml': 5 },
      ),
    );
  of([
    ['a stump', trees({}), 'works'],
    ['a stump twice', trees({ tree_roots: ints(0, 0) }), 'works'],
    ['a set', trees({ nodes_modes: modes(6), membership_values: tensor(1, 2, Number.NaN) }), 'works'],
    ['a set without its end', trees({ nodes_modes: modes(6), membership_values: tensor(1, 2) }), 'works'],
    ['no set', trees({ nodes_modes: modes(6) }), REFUSED],
    ['a set too many', trees({ membership_values: tensor(1, Number.NaN) }), REFUSED],
    ['a mode that is none', trees({ nodes_modes: modes(7) }), REFUSED],
    ['a mode below 0', trees({ nodes_modes: modes(-1) }), REFUSED],
    ['a cycle', trees({ nodes_trueleafs: ints(0) }), REFUSED],
    ['a leaf beyond', trees({ nodes_falsenodeids: ints(2) }), REFUSED],
    ['a node beyond', trees({ nodes_falseleafs: ints(0) }), REFUSED],
    ['a root beyond', trees({ tree_roots: ints(1) }), REFUSED],
    ['a root below 0', trees({ tree_roots: ints(-1) }), REFUSED],
    ['no roots', trees({ tree_roots: ints() }), 'works'],
    ['a feature beyond', trees({ nodes_featureids: ints(2) }), REFUSED],
    ['a target beyond', trees({ leaf_targetids: ints(0, 1) }), REFUSED],
    ['targets of 2^40', trees({ n_targets: i(2 ** 40) }), REFUSED],
    ['lists of other lengths', trees({ nodes_splits: tensor() }), REFUSED],
    ['weights of another number', trees({ leaf_weights: tensor(1) }), REFUSED],
    ['an aggregate that is none', trees({ aggregate_function: i(4) }), REFUSED],
    ['a transform that is none', trees({ post_transform: i(5) }), REFUSED],
    ['a feature of 2^40', trees({ nodes_featureids: ints(2 ** 40) }), REFUSED],
  ]);
});

describe('columns and constants', () => {
  const slice =
    (start: number, end: number, step: number, axis = 1) =>
    () =>
      file([node('Slice', ['x', 's', 'e', 'a', 't'], ['y'])], floats(4), ['y'], {
        initializer: [int64('s', start), int64('e', end), int64('a', axis), int64('t', step)],
      });
  const square =
    (size: number, nodes = 1) =>
    () =>
      file(
        [
          ...Array.from({ length: nodes }, (_, at) => node('Add', ['tall', 'wide'], [`c${at}`])),
          node('Neg', ['x'], ['y']),
        ],
        floats(2),
        ['y'],
        {
          initializer: [
            makeTensor('tall', 'float32', [size, 1], new Float32Array(size)),
            makeTensor('wide', 'float32', [1, size], new Float32Array(size)),
          ],
        },
      );
  const castConstant = (value: number, to: number) => () =>
    file(
      [node('Cast', ['c'], ['i'], { to: i(to) }), ml('ArrayFeatureExtractor', ['x', 'i'], ['y'])],
      floats(4),
      ['y'],
      { initializer: [makeTensor('c', 'float32', [1], Float32Array.of(value))] },
    );
  const extract =
    (...columns: number[]) =>
    () =>
      file([ml('ArrayFeatureExtractor', ['x', 'i'], ['y'])], floats(4), ['y'], {
        initializer: [int64('i', ...columns)],
      });
  const byIndex = (table: ReturnType<typeof makeTensor>) => () =>
    file(
      [
        node('ArgMax', ['x'], ['best'], { axis: i(1), keepdims: i(0) }),
        ml('ArrayFeatureExtractor', ['table', 'best'], ['y']),
      ],
      floats(4),
      ['y'],
      { initializer: [table] },
    );
  of([
    ['steps of 0', slice(3, 0, 0), REFUSED],
    ['steps of 0 on nothing', slice(0, 4, 0), REFUSED],
    ['everything backwards', slice(2 ** 40, -(2 ** 40), -1), 'works'],
    ['far steps', slice(0, 2 ** 52, 2 ** 52), 'works'],
    ['an empty slice', slice(3, 1, 1), REFUSED],
    ['rows', slice(0, 1, 1, 0), REFUSED],
    ['a slice without bounds', () => file([node('Slice', ['x'], ['y'])], floats(4), ['y']), REFUSED],
    ['a column beyond', extract(4), REFUSED],
    ['a column from the end', extract(-1), 'works'],
    ['a column before the first', extract(-5), REFUSED],
    ['columns of 2^52', extract(2 ** 52), REFUSED],
    ['no columns', extract(), REFUSED],
    [
      'columns of a constant, and the rows as a third input',
      () =>
        file([ml('ArrayFeatureExtractor', ['c', 'i', 'x'], ['y'])], floats(4), ['y'], {
          initializer: [makeTensor('c', 'float32', [4], new Float32Array(4)), int64('i', 1)],
        }),
      /works|ERR_/,
    ],
    ['a table of floats', byIndex(vectorOf('table', 4)), 'works'],
    ['a table of doubles', byIndex(makeTensor('table', 'float64', [4], Float64Array.of(0.1, 2, 3, 4))), 'works'],
    ['a table of booleans', byIndex(makeTensor('table', 'bool', [4], Uint8Array.of(1, 0, 1, 1))), 'works'],
    ['a table of int32', byIndex(makeTensor('table', 'int32', [4], Int32Array.of(1, 0, -1, 7))), 'works'],
    ['a table of text', byIndex(makeStringTensor('table', [4], ['a', '', 'b', 'b'])), 'works'],
    ['a table shorter than the scores', byIndex(makeTensor('table', 'int64', [1], BigInt64Array.of(5n))), 'works'],
    ['a table of nothing', byIndex(makeTensor('table', 'int64', [0], BigInt64Array.of())), REFUSED],
    ['constants of 3000 x 3000', square(3000), 'works'],
    ['constants of 100 000 x 100 000', square(100_000), REFUSED],
    ['constants of 3000 x 3000, 1000 times', square(3000, 1000), REFUSED],
    ['NaN as an index', castConstant(Number.NaN, 7), REFUSED],
    ['infinity as an index', castConstant(Number.POSITIVE_INFINITY, 7), REFUSED],
    ['1e30 as an index', castConstant(1e30, 7), REFUSED],
    ['NaN as an int32', castConstant(Number.NaN, 6), REFUSED],
    ['1e30 as an int32', castConstant(1e30, 6), REFUSED],
    [
      'a shape of nothing',
      () => file([node('Reshape', ['x', 's'], ['y'])], floats(4), ['y'], { initializer: [int64('s')] }),
      REFUSED,
    ],
    [
      'a shape that mixes rows',
      () => file([node('Reshape', ['x', 's'], ['y'])], floats(4), ['y'], { initializer: [int64('s', -1, 2)] }),
      REFUSED,
    ],
    [
      'a constant shape of twice -1',
      () =>
        file([node('Reshape', ['c', 's'], ['d']), node('Add', ['x', 'd'], ['y'])], floats(4), ['y'], {
          initializer: [vectorOf('c', 4), int64('s', -1, -1)],
        }),
      /works|ERR_/,
    ],
    [
      'a constant shape of 0',
      () =>
        file([node('Reshape', ['c', 's'], ['d']), node('Add', ['x', 'd'], ['y'])], floats(4), ['y'], {
          initializer: [vectorOf('c', 4), int64('s', 0, 0, -1)],
        }),
      /works|ERR_/,
    ],
    [
      'a tensor that lies about its shape',
      () =>
        file([node('Add', ['x', 'w'], ['y'])], floats(4), ['y'], {
          initializer: [makeTensor('w', 'float32', [2 ** 30], new Float32Array(4))],
        }),
      REFUSED,
    ],
    [
      'a constant below 0 in its shape',
      () =>
        file([node('Add', ['x', 'w'], ['y'])], floats(4), ['y'], {
          initializer: [makeTensor('w', 'float32', [-1, -4], new Float32Array(4))],
        }),
      REFUSED,
    ],
    [
      'sizes that do not fit',
      () => file([node('Add', ['x', 'w'], ['y'])], floats(4), ['y'], { initializer: [vectorOf('w', 3)] }),
      REFUSED,
    ],
    [
      'a constant of no elements',
      () => file([node('Add', ['x', 'w'], ['y'])], floats(4), ['y'], { initializer: [vectorOf('w', 0)] }),
      REFUSED,
    ],
    ['a reduction over no axes', () => file([node('ReduceSum', ['x'], ['y'])], floats(4), ['y']), REFUSED],
    [
      'a reduction over an axis of 2^40',
      () => file([node('ReduceSum', ['x'], ['y'], { axes: ints(2 ** 40) })], floats(4), ['y']),
      REFUSED,
    ],
    ['a cast to a type of 99', () => file([node('Cast', ['x'], ['y'], { to: i(99) })], floats(4), ['y']), REFUSED],
    ['a cast to text', () => file([node('Cast', ['x'], ['y'], { to: i(8) })], floats(4), ['y']), 'works'],
    ['a cast to complex numbers', () => file([node('Cast', ['x'], ['y'], { to: i(14) })], floats(4), ['y']), REFUSED],
    [
      'casts and back',
      () =>
        file(
          [
            node('Cast', ['x'], ['a'], { to: i(7) }),
            node('Cast', ['a'], ['b'], { to: i(6) }),
            node('Cast', ['b'], ['c'], { to: i(9) }),
            node('Cast', ['c'], ['d'], { to: i(11) }),
            node('Cast', ['d'], ['y'], { to: i(1) }),
          ],
          floats(4),
          ['a', 'b', 'c', 'd', 'y'],
        ),
      'works',
    ],
  ]);
});

test('broken bytes', async () => {
  const bytes = pipelineModel();
  expect(await survivor.outcome(new Uint8Array())).toMatch(REFUSED);
  expect(await survivor.outcome(Uint8Array.of(0xff, 0xff, 0xff))).toMatch(REFUSED);
  expect(await survivor.outcome(new Uint8Array(1000))).toMatch(REFUSED);
  expect(await survivor.outcome(new TextEncoder().encode('not a model'))).toMatch(REFUSED);
  // The operator sets come last. Where some of them are left, onnxruntime adds its own, and so do we.
  const operatorSets = Buffer.from(bytes).lastIndexOf('ai.onnx.ml') - 20;
  for (let end = 0; end < bytes.length; end += 7)
    expect(await survivor.outcome(bytes.subarray(0, end))).toMatch(end < operatorSets ? REFUSED : /works|ERR_ONNX/);
});

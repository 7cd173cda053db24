import { file, floats, ml, node, TEXT } from '../models.js';
import { type Case, i, ints, REFUSED, vectorOf } from './case.js';

/** Returns a chain of operators. */
const chain = (length: number, operator: string) =>
  Array.from({ length }, (_, at) => node(operator, [at === 0 ? 'x' : `v${at}`], [`v${at + 1}`]));
/** Returns nodes that each concatenate their input with itself, so sizes double. */
const doubling = (steps: number) =>
  Array.from({ length: steps }, (_, at) =>
    node('Concat', [at === 0 ? 'x' : `v${at}`, at === 0 ? 'x' : `v${at}`], [`v${at + 1}`], { axis: i(1) }),
  );

/** Files with unusual names, connections or sizes of graphs. */
export const graphs: readonly Case[] = [
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
  ['a constant output', () => file([], floats(2), ['w'], { initializer: [vectorOf('w', 2)] }), 'works'],
  ['an output that is an input', () => file([], floats(2), ['x']), 'works'],
  ['a text output that is an input', () => file([], TEXT, ['text']), 'works'],
  ['an input beside an output', () => file([node('Neg', ['x'], ['y'])], floats(2), ['x', 'y']), 'works'],
  [
    'an input that nobody reads',
    () => file([node('Neg', ['x'], ['y'])], [...floats(2), ...floats(3, 'z'), ...TEXT], ['y']),
    'works',
  ],
  ['a name of nothing', () => file([node('Neg', [''], ['y'])], floats(2), ['y']), REFUSED],
  ['an input named nothing', () => file([node('Neg', ['x'], ['y'])], [...floats(2), ...floats(2, '')], ['y']), REFUSED],
  ['an output named nothing', () => file([node('Neg', ['x'], [''])], floats(2), ['']), REFUSED],
  [
    'names of prototypes',
    () => file([node('Neg', ['constructor'], ['toString'])], floats(2, 'constructor'), ['toString']),
    'works',
  ],
  ['an output named __proto__', () => file([node('Neg', ['x'], ['__proto__'])], floats(2), ['__proto__']), REFUSED],
  ['an input named __proto__', () => file([node('Neg', ['__proto__'], ['y'])], floats(2, '__proto__'), ['y']), REFUSED],
  ['a node without inputs', () => file([node('Neg', [], ['y'])], floats(2), ['y']), REFUSED],
  [
    'a node without outputs',
    () => file([node('Neg', ['x'], []), node('Neg', ['x'], ['y'])], floats(2), ['y']),
    /ERR_ONNX_GRAPH/,
  ],
  [
    'a constant without an output',
    () =>
      file([node('Constant', [], [], { value: { t: vectorOf('', 1) } }), node('Neg', ['x'], ['y'])], floats(2), ['y']),
    /ERR_ONNX_GRAPH/,
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
  ['5000 identities', () => file(chain(5000, 'Identity'), floats(2), ['v5000']), 'works'],
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
];

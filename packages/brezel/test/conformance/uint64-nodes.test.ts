import {
  DataType,
  makeGraph,
  makeModel,
  makeNode,
  type NodeProto,
  tensorInput,
  writeElements,
  writeModel,
} from '@brezel/onnx';
import { createFlour, importOnnx } from 'brezel';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { difference, Engines } from './engines.js';
import { seed } from './seed.js';

// Rows hold the bits of uint64 as int64, so numbers from 2^63 on are negative. Their order and
// quotients are still unsigned.

/** The number of random nodes in each test. nodes.long.test.ts sets a larger number. */
const RUNS = Number(process.env.BREZEL_NODE_RUNS ?? 15);
const COLUMNS = 3;
const HALF = 2n ** 63n;
const [LEAST, MOST] = [5n, HALF + 5n];

const flour = await createFlour();
const engines = new Engines(flour.store);
afterAll(() => flour.dispose());

type Pair = (a: bigint, b: bigint) => bigint | boolean;
const operators: Readonly<Record<string, Pair>> = {
  Less: (a, b) => a < b,
  LessOrEqual: (a, b) => a <= b,
  Greater: (a, b) => a > b,
  GreaterOrEqual: (a, b) => a >= b,
  Max: (a, b) => (a > b ? a : b),
  Min: (a, b) => (a < b ? a : b),
  Div: (a, b) => a / b,
  Mod: (a, b) => a % b,
  'Mod by fmod': (a, b) => a % b,
};
const isQuestion = (name: string) => /Less|Greater/.test(name);

/** Two values of the row, a value and a constant, or a constant and a value. */
const pairs = [['x', 'z'], ['x', 'c'], ['c', 'z']] as const; // biome-ignore format: three pairs

/**
 * Inverts the bits of a value if the row says so. A row cannot contain numbers from 2^63 on, so the
 * graph computes them.
 */
const turned = (name: string): NodeProto[] => [
  makeNode('BitwiseNot', [`${name}0`], [`${name}1`]),
  makeNode('Where', [`${name}?`, `${name}1`, `${name}0`], [name]),
];

function fileOf(constant: readonly bigint[]): Uint8Array {
  const nodes = Object.keys(operators).flatMap((name) =>
    pairs.map((pair) => {
      const attributes: Parameters<typeof makeNode>[3] = name.endsWith('fmod') ? { fmod: { i: 1 } } : {};
      return makeNode(name.split(' ')[0]!, pair, [`${name} ${pair}`], attributes);
    }),
  );
  const constants = { c: constant, least: [LEAST], most: [MOST] };
  const graph = makeGraph({
    node: [...turned('x'), ...turned('z'), ...nodes, makeNode('Clip', ['x', 'least', 'most'], ['Clip'])],
    initializer: Object.entries(constants).map(([name, values]) =>
      writeElements(name, {
        element: 'uint64',
        shape: name === 'c' ? [COLUMNS] : [],
        data: BigUint64Array.from(values),
      }),
    ),
    input: ['x', 'z'].flatMap((name) => [
      tensorInput(`${name}0`, DataType.UINT64, ['N', COLUMNS]),
      tensorInput(`${name}?`, DataType.BOOL, ['N', COLUMNS]),
    ]),
    output: [...nodes.map(({ output }) => output[0]!), 'Clip'].map((name) =>
      tensorInput(name, isQuestion(name) ? DataType.BOOL : DataType.UINT64, ['N', COLUMNS]),
    ),
  });
  return writeModel(makeModel(graph, { '': 18 }));
}

const listOf = <T>(element: fc.Arbitrary<T>) => fc.array(element, { minLength: COLUMNS, maxLength: COLUMNS });
const numbers = listOf(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })));
const flags = listOf(fc.boolean());
const someRows = fc.array(fc.record({ x0: numbers, 'x?': flags, z0: numbers, 'z?': flags }), {
  minLength: 1,
  maxLength: 3,
});
const someConstants = listOf(
  fc.oneof(fc.bigInt({ min: 1n, max: 9n }), fc.bigInt({ min: HALF - 2n, max: 2n * HALF - 1n })),
);

test('comparisons and quotients of uint64 are unsigned in the addon', async () => {
  const property = fc.asyncProperty(someConstants, someRows, async (constants, rows) => {
    const plan = importOnnx(fileOf(constants), flour).program.plan();
    const inJavaScript = plan.stages
      .filter(({ stage }) => stage.calls === undefined)
      .flatMap(({ stage }) => stage.steps);
    expect(inJavaScript.map(({ operator, attributes }) => `${operator} ${attributes.operator ?? ''}`)).toEqual([]);
    const { answers } = await engines.answers(plan, rows);
    plan.release();
    const reference = answers.get('reference')! as readonly Record<string, readonly (number | bigint | boolean)[]>[];
    for (const [engine, got] of answers) expect(difference(got, reference), engine).toBeUndefined();
    rows.forEach((row, at) => {
      const numberOf = (name: string, column: number): bigint => {
        if (name === 'c') return constants[column]!;
        const value = BigInt(row[`${name}0` as 'x0'][column]!);
        return row[`${name}?` as 'x?'][column] ? BigInt.asUintN(64, ~value) : value;
      };
      // Brezel returns a uint64 of a row as the int64 with the same bits.
      const got = (name: string) =>
        reference[at]![name]!.map((one) => (typeof one === 'boolean' ? one : BigInt.asUintN(64, BigInt(one))));
      const columns = Array.from({ length: COLUMNS }, (_, column) => column);
      for (const [name, of] of Object.entries(operators))
        for (const [a, b] of pairs)
          expect(got(`${name} ${a},${b}`), name).toEqual(
            columns.map((column) => of(numberOf(a, column), numberOf(b, column))),
          );
      const clipped = (value: bigint) => (value < LEAST ? LEAST : value > MOST ? MOST : value);
      expect(got('Clip')).toEqual(columns.map((column) => clipped(numberOf('x', column))));
    });
  });
  await fc.assert(property, { numRuns: RUNS, seed });
});

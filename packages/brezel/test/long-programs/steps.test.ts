import {
  bake,
  createFlour,
  createRuntime,
  explain,
  type FlourContext,
  type Flow,
  type OvenOptions,
  type Program,
} from 'brezel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countSteps } from '../../../../testing/count-steps.js';

// A file of a few hundred kilobytes can contain a program of 10,000 operators. Its compilation must
// not block the process, so no loop may run n² times. These tests count steps, never time.

type Vector = Flow<'vector'>;

let flour: FlourContext;
beforeAll(async () => {
  flour = await createFlour();
});
afterAll(() => flour.dispose());

const input = () => flour.input('x', { kind: 'vector', dtype: 'float32', size: 2 }) as Vector;
const times = <T>(count: number, item: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => item(at));
const joined = ([first, ...others]: readonly Vector[]) => first!.concat(...others);
const repeated = (count: number, x: Vector, next: (value: Vector, index: number) => Vector) =>
  times(count, (index) => index).reduce(next, x);
const stump = (x: Vector) =>
  x.treeEnsemble({
    feature: Int32Array.of(0, 0, 0),
    threshold: Float32Array.of(0.5, 0, 0),
    mode: Int32Array.of(0, 6, 6),
    trueChild: Int32Array.of(1, 0, 0),
    falseChild: Int32Array.of(2, 0, 0),
    missingTrue: Int32Array.of(0, 0, 0),
    roots: Int32Array.of(0),
    leafStart: Int32Array.of(0, 0, 1, 2),
    leafTarget: Int32Array.of(0, 0),
    leafWeight: Float32Array.of(1, -1),
    base: Float32Array.of(0),
  });
const ownAdd = (x: Vector, index: number) => x.arithmetic('add', [index + 2, 1]);

/** Programs with about `n` operators, by their shape. */
const shapes: Record<string, (x: Vector, n: number) => Record<string, Flow>> = {
  chain: (x, n) => ({ y: repeated(n, x, (value, index) => value.map(index % 2 ? 'sin' : 'cos')) }),
  'chain of constants': (x, n) => ({ y: repeated(n, x, ownAdd) }),
  'chain of identities': (x, n) => ({ y: repeated(n, x, (value) => value.arithmetic('multiply', [1])) }),
  'chain of pipeline breakers': (x, n) => ({ y: repeated(n, x, (value) => value.normalize('l2')) }),
  'long sum': (x, n) => ({ y: repeated(n / 2, x, (sum, index) => sum.arithmetic('add', ownAdd(x, index))) }),
  'long sum of equal terms': (x, n) => ({ y: repeated(n / 2, x, (sum) => sum.arithmetic('add', x.map('sin'))) }),
  'star of outputs': (x, n) => Object.fromEntries(times(n, (index) => [`y${index}`, ownAdd(x, index)])),
  'star of equal outputs': (x, n) => Object.fromEntries(times(n, (index) => [`y${index}`, x.map('sin')])),
  'star into a concat': (x, n) => ({ y: joined(times(n, (index) => ownAdd(x, index))) }),
  'separate stages': (x, n) => ({ y: joined(times(n / 3, (index) => ownAdd(x, index).map('sin').normalize('l2'))) }),
  'outputs along a chain': (x, n) => {
    const outputs: [string, Flow][] = [];
    repeated(n / 2, x, (value, index) => {
      outputs.push([`y${index}`, ownAdd(value, index)]);
      return value.map('sin');
    });
    return Object.fromEntries(outputs);
  },
  ladder(x, n) {
    let [a, b] = [x, x.map('cos')];
    for (let index = 0; index < n / 2; index++) [a, b] = [a.arithmetic('add', b), b.arithmetic('multiply', a)];
    return { a, b };
  },
  diamonds: (x, n) => ({ y: repeated(n / 3, x, (value) => value.map('sin').arithmetic('add', value.map('cos'))) }),
  'diamonds of pipeline breakers': (x, n) => ({
    y: repeated(n / 4, x, (value) => value.softmax().arithmetic('add', value.softmax().map('sin'))),
  }),
  'sum of forests with other inputs': (x, n) => ({
    y: repeated(n / 3, stump(x.map('cos')), (sum) => sum.arithmetic('add', stump(x))),
  }),
  'sum of forests with an output inside'(x, n) {
    const first = stump(x);
    return { first, y: repeated(n / 2, first, (sum) => sum.arithmetic('add', stump(x))) };
  },
  'concat of forests': (x, n) => ({ y: joined(times(n / 2, (index) => stump(ownAdd(x, index % 3)))) }),
  'linear model over a concat': (x, n) => ({
    y: joined(times(n, (index) => x.arithmetic('multiply', [index + 2, 3]))).linear({
      weights: new Float32Array(2 * n).fill(0.5),
      bias: [0],
    }),
  }),
  'models that share a featurizer': (x, n) =>
    Object.fromEntries(times(n, (index) => [`y${index}`, x.map('sin').linear({ weights: [1, index], bias: [0] })])),
};

const LENGTH = 2400;
/**
 * The largest allowed number of runs of one block of code. For these shapes, a block runs at most
 * 1,510,000 times: optional rules may change 2^16 nodes, they read each changed node several times,
 * and `explain` compiles the program again. A block that runs n² times runs 5,760,000 times, which
 * is above the limit.
 */
const MOST_RUNS = 2 ** 21;

/** Compiles, registers and explains a program, and returns the blocks that run too often. */
async function tooManySteps(program: Program, options: OvenOptions): Promise<string[]> {
  await using runtime = createRuntime({ store: flour.store });
  const counts = await countSteps(() => {
    const plan = bake(program, options);
    runtime.register(plan);
    plan.release();
    explain(program, options);
  });
  expect([...counts].some(([block, runs]) => block.includes(' stageIdentity ') && runs > 0)).toBe(true);
  return [...counts].flatMap(([block, runs]) => (runs > MOST_RUNS ? [`${block}: ${runs} runs`] : []));
}

describe('no step of compiling, registering and explaining runs n² times', () => {
  test.each(Object.entries(shapes))('%s', async (_, shape) => {
    expect(await tooManySteps(flour.program(shape(input(), LENGTH)), {})).toEqual([]);
  });

  test.each(['star of outputs', 'separate stages', 'linear model over a concat'])('exact: %s', async (shape) => {
    expect(await tooManySteps(flour.program(shapes[shape]!(input(), LENGTH)), { exact: true })).toEqual([]);
  });
});

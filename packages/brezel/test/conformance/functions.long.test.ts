import { functions, shapedFunctions } from '@brezel/tensors';
import { createFlour, type Flow, vector } from 'brezel';
import { afterAll, expect, test } from 'vitest';
import { Engines, expectSame, rawAnswers } from './engines.js';
import { seed } from './seed.js';

// Functions of one element and powers, on numbers with random bits. Every engine and instruction
// set gives the bits of the reference implementation.

const ROWS = 40;
const COLUMNS = Number(process.env.BREZEL_FUNCTION_COLUMNS ?? 500);

const flour = await createFlour({ exact: true });
const engines = new Engines(flour.store);
afterAll(() => flour.dispose());

/** Returns a function that draws numbers: some with random bits, some of usual sizes. */
function numbers(start: number): () => number {
  let state = BigInt(start) | 1n;
  const bits = new BigUint64Array(1);
  const number = new Float64Array(bits.buffer);
  const next = () => {
    state ^= BigInt.asUintN(64, state << 13n);
    state ^= state >> 7n;
    state ^= BigInt.asUintN(64, state << 17n);
    return state;
  };
  const unit = () => (Number(next() >> 11n) / 2 ** 53) * 2 - 1;
  let turn = 0;
  return () => {
    turn++;
    if (turn % 3 === 0) return unit() * 10 ** ((turn % 37) - 12);
    if (turn % 3 === 1) return unit() * 8;
    bits[0] = next();
    return number[0]!;
  };
}

async function check(dtype: 'float32' | 'float64', apply: (x: Flow<'vector'>, y: Flow<'vector'>) => Flow) {
  const next = numbers(seed);
  const row = () => Array.from({ length: COLUMNS }, next);
  const both = flour.input('x', vector(dtype, 2 * COLUMNS)) as Flow<'vector'>;
  const half = (first: number) => both.selectColumns(Array.from({ length: COLUMNS }, (_, at) => first + at));
  const program = flour.program({ y: apply(half(0), half(COLUMNS)) });
  const rows = Array.from({ length: ROWS }, () => ({ x: [...row(), ...row()] }));
  const plan = program.plan();
  const { answers, engine } = await engines.answers(plan, rows);
  if (engines.native) expect(engine).toBe('native');
  expectSame(answers, rawAnswers(program, rows));
  plan.release();
}

const names = [...Object.keys(functions), ...Object.keys(shapedFunctions)] as (keyof typeof functions)[];
for (const dtype of ['float32', 'float64'] as const) {
  test(`${names.length} functions of ${ROWS * COLUMNS} ${dtype} numbers each`, async () => {
    for (const name of names) await check(dtype, (x) => x.map(name));
  });

  test(`${ROWS * COLUMNS} powers and remainders of ${dtype} numbers`, async () => {
    for (const operation of ['power', 'modulo', 'remainder'] as const)
      await check(dtype, (x, y) => x.arithmetic(operation, y));
    await check(dtype, (x, y) => x.map('abs').arithmetic('power', y.map('round')));
  });
}

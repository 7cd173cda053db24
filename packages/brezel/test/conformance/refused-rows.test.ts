import { BrezelError, bake, createFlour, createRuntime, type FlourContext, type Flow, type Row } from 'brezel';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { isas } from './engines.js';
import { seed } from './seed.js';

/**
 * Operators that reject rows because of their values. Every engine rejects the same rows, and gives
 * the other rows the same answers.
 */

const flour: FlourContext = await createFlour();
const { store } = flour;
const runtimes = [createRuntime({ store, native: false }), ...isas.map((isa) => createRuntime({ store, isa }))];
afterAll(() => flour.dispose());

const RUNS = 60;

/**
 * Returns the answers of each engine to each row alone and to all rows at once. An error is given
 * as its code and the row that it names.
 */
async function outcomes(output: Flow, rows: readonly Row[]) {
  const plan = bake(flour.program({ y: output }));
  const told = (error: unknown) => {
    expect(error).toBeInstanceOf(BrezelError);
    const { code, message } = error as BrezelError;
    return `${code} ${/row \d+/.exec(message)?.[0]}`;
  };
  const found = [];
  for (const runtime of runtimes) {
    const handle = runtime.register(plan);
    const single = rows.map((row) => {
      try {
        return runtime.predictSync(handle, row).y;
      } catch (error) {
        return told(error);
      }
    });
    const batch = await runtime.predictBatch(handle, rows).then((answers) => answers.map(({ y }) => y), told);
    found.push({ single, batch });
    runtime.unregister(handle);
  }
  plan.release();
  return found;
}

async function allAlike(output: Flow, rows: readonly Row[]): Promise<void> {
  const [first, ...others] = await outcomes(output, rows);
  for (const one of others) expect(one).toEqual(first);
  const refused = first!.single.findIndex((one) => typeof one === 'string' && one.startsWith('ERR'));
  if (refused < 0) expect(first!.batch).toEqual(first!.single);
  else expect(first!.batch).toBe(`ERR_RUNTIME_INPUT row ${refused}`);
}

const numeral = fc.oneof(
  { weight: 2, arbitrary: fc.integer().map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('inf', 'nan', '', '1e', '0x1', '1 2', '9223372036854775808', '-9223372036854775808'),
  },
  { weight: 1, arbitrary: fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String) },
  { weight: 1, arbitrary: fc.double().map(String) },
);

describe('parse-number', () => {
  test.each(['float32', 'float64', 'int64'] as const)('%s: a text that is not a number', async (to) => {
    const text = flour.columns({ text: 'string' }).select('text');
    const property = fc.asyncProperty(fc.array(numeral, { minLength: 1, maxLength: 4 }), (texts) =>
      allAlike(
        text.parseNumber({ to, unknown: 'error' }),
        texts.map((text) => ({ text })),
      ),
    );
    await fc.assert(property, { numRuns: RUNS, seed });
  });
});

test('dictionary-lookup: unknown keys', async () => {
  const keys = fc.constantFrom('a', 'b', 'c', '');
  const property = fc.asyncProperty(
    fc.array(fc.dictionary(keys, fc.integer()), { minLength: 1, maxLength: 4 }),
    fc.uniqueArray(keys, { minLength: 2 }),
    (rows, known) =>
      allAlike(
        flour.dictionary('x').lookupKeys(known, { unknown: 'error' }),
        rows.map((x) => ({ x })),
      ),
  );
  await fc.assert(property, { numRuns: RUNS, seed });
});

describe('integers of a row', () => {
  const [size, small] = [3, fc.integer({ min: -4, max: 4 })];
  const rows = fc.array(fc.record({ a: fc.array(small, { minLength: size, maxLength: size }), b: fc.array(small, { minLength: size, maxLength: size }) }), { minLength: 1, maxLength: 4 }); // biome-ignore format: one record
  const input = (name: string, dtype: 'int32' | 'int64') =>
    flour.input(name, { kind: 'vector', dtype, size }) as Flow<'vector'>;

  test.each(['int32', 'int64'] as const)('arithmetic: %s divided by 0', async (dtype) => {
    const dividing = fc.constantFrom('divide' as const, 'modulo' as const, 'unsignedDivide' as const, 'unsignedRemainder' as const); // biome-ignore format: one list
    const byRow = fc.asyncProperty(rows, dividing, (given, operation) =>
      allAlike(input('a', dtype).arithmetic(operation, input('b', dtype)), given),
    );
    await fc.assert(byRow, { numRuns: RUNS, seed });
    const constant = fc.asyncProperty(rows, fc.constantFrom('left' as const, 'right' as const), (given, side) =>
      allAlike(
        input('a', dtype).arithmetic('divide', [1, side === 'left' ? 2 : 0, 3], side),
        given.map(({ a }) => ({ a })),
      ),
    );
    await fc.assert(constant, { numRuns: RUNS, seed });
  });

  test('gather: an index out of range', async () => {
    const property = fc.asyncProperty(rows, (given) =>
      allAlike(input('a', 'int64').gather(input('b', 'int64')), given),
    );
    await fc.assert(property, { numRuns: RUNS, seed });
  });

  test('scatter and ravel-index: an index out of range', async () => {
    const [values, indices] = [input('a', 'int64'), input('b', 'int64')];
    const outputs = [values.scatter(indices, values, { reduction: 'add' }), indices.ravelIndex([4]), indices.ravelIndex([2, 3, 4])]; // biome-ignore format: one list
    const property = fc.asyncProperty(rows, fc.constantFrom(...outputs), (given, output) => allAlike(output, given));
    await fc.assert(property, { numRuns: RUNS, seed });
  });
});

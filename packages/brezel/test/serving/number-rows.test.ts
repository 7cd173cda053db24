import { createFlour, createRuntime, type Flow, loadNative, type RegisteredPlan, type Row, vector } from 'brezel';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';

/**
 * Single rows of numbers are written to pinned memory. They must give the bits of all other
 * engines, also if a getter of a row predicts, throws, or changes what the call uses.
 */

const flour = await createFlour();
const runtime = createRuntime({ store: flour.store, native: loadNative().addon !== undefined });
const reference = createRuntime({ store: flour.store, native: false });
const columns = flour.columns({ a: 'float32', b: 'float64', c: 'int32', d: 'int64', e: 'bool' });
const { a, b, c, d, e } = Object.fromEntries(
  (['a', 'b', 'c', 'd', 'e'] as const).map((name) => [name, columns.select(name) as Flow<'scalar'>]),
) as Record<'a' | 'b' | 'c' | 'd' | 'e', Flow<'scalar'>>;
const mixed = flour
  .program({
    a: a.map('negate'),
    b: b.map('negate'),
    c: c.cast('float64').map('negate'),
    d: d.cast('float64').map('negate'),
    e: e.cast('float32'),
  })
  .plan();
const list = (size: number, type: 'float32' | 'float64' = 'float64') =>
  (flour.input('x', vector(type, size)) as Flow<'vector'>).map('negate').plan();
const [three, single, narrow, wide] = [list(3), list(1), list(3, 'float32'), list(500)];
const whole = runtime.register(mixed, { name: 'whole' }) as RegisteredPlan;
const numbers = runtime.register(three, { name: 'numbers' }) as RegisteredPlan;
afterAll(async () => {
  await runtime.close();
  await reference.close();
  for (const plan of [mixed, three, single, narrow, wide]) plan.release();
  flour.dispose();
});

const row = { a: 0.1, b: 0.1, c: -3, d: 2 ** 40, e: 1 };
const answer = { a: -Math.fround(0.1), b: -0.1, c: 3, d: -(2 ** 40), e: 1 };
const hostile = (fields: PropertyDescriptorMap) => Object.defineProperties({ ...row }, fields);
const getter = (get: () => unknown): PropertyDescriptor => ({ get, enumerable: true });

/** Returns the answer or the error of a row, in a form that can be compared. */
function outcome(predict: () => unknown): unknown {
  try {
    return predict();
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return { code, message };
  }
}

/** Checks that a row gives the same outcome in the addon, in JavaScript, and in an out-array. */
function expectAlike(native: RegisteredPlan, javascript: RegisteredPlan, one: unknown): void {
  const wanted = outcome(() => reference.predictSync(javascript, one as Row));
  expect(outcome(() => runtime.predictSync(native, one as Row))).toEqual(wanted);
  const [mine, other] = [native, javascript].map(({ width }) => new Float64Array(width));
  expect(outcome(() => runtime.predictSync(native, one as Row, mine!))).toEqual(
    outcome(() => reference.predictSync(javascript, one as Row, other!)),
  );
  expect(mine).toEqual(other);
}

class Person {
  get a() {
    return row.a;
  }
  b = row.b;
  c = row.c;
  d = row.d;
  e = row.e;
}

describe('rows of numbers', () => {
  test.skipIf(loadNative().addon === undefined)('run in the addon', () => {
    expect([whole, numbers].map(({ engine }) => engine)).toEqual(['native', 'native']);
  });

  const other = reference.register(mixed, { name: 'other' }) as RegisteredPlan;
  const { e: last, ...four } = row;

  test.each<[string, unknown]>([
    ['fields in order', row],
    ['fields in another order', { e: last, ...four }],
    ['getters of a class', new Person()],
    ['inherited fields', Object.create(row)],
    ['no prototype', Object.assign(Object.create(null), row)],
    ['a proxy', new Proxy(row, {})],
    ['-0 and infinities', { ...row, a: -0, b: Number.NEGATIVE_INFINITY }],
    ['NaN', { ...row, a: Number.NaN }],
    ['a boolean and a bigint', { ...row, d: 5n, e: true }],
    ['an integer out of range', { ...row, c: 2 ** 31 }],
    ['an inexact int64', { ...row, d: 2 ** 53 }],
    ['a fraction for an integer', { ...row, c: 1.5 }],
    ['a missing field', four],
    ['an undefined field', { ...row, b: undefined }],
    ['null', { ...row, b: null }],
    ['a text', { ...row, b: '1' }],
    ['a list for a scalar', { ...row, b: [1] }],
    ['an extra field', { ...row, f: 1 }],
    ['an extra field before others', { f: 1, ...row }],
    ['a string', 'text'],
    ['a list', [1, 2, 3, 4, 5]],
    ['null as a row', null],
  ])('columns: %s', (_, one) => expectAlike(whole, other, one));

  const plans = Object.entries({ three, single, narrow }).map(
    ([name, plan]) =>
      [name, runtime.register(plan, { name }), reference.register(plan, { name })] as [
        string,
        RegisteredPlan,
        RegisteredPlan,
      ],
  );
  test.each(plans)('lists: %s', (_, native, javascript) => {
    const values = [1, 0.1, -0];
    const lists: unknown[] = [
      values,
      [1, 2, 3],
      Float64Array.from(values),
      Float32Array.from(values),
      Int32Array.of(1, 2, 3),
      new Float64Array(4).subarray(1),
      new Float64Array(new SharedArrayBuffer(24)),
      new Proxy(values, {}),
      // biome-ignore lint/suspicious/noSparseArray: a hole is an invalid element
      [1, , 3],
      [1, '2', 3],
      [1, null, 3],
      [1, 2n, 3],
      [[1], [2], [3]],
      [1, 2],
      [],
      [7],
      7,
      new Float64Array(2),
      new DataView(new ArrayBuffer(24)),
      structuredClone(new Float64Array(3)),
    ];
    for (const x of lists) {
      expectAlike(native, javascript, { x });
      expectAlike(native, javascript, x);
    }
    const detached = new Float64Array(3);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    expectAlike(native, javascript, { x: detached });
  });

  test('any numbers', () => {
    const column = fc.record({
      a: fc.double(),
      b: fc.double(),
      c: fc.integer(),
      d: fc.maxSafeInteger(),
      e: fc.constantFrom(0, 1),
    });
    fc.assert(fc.property(column, (one) => expectAlike(whole, other, one)));
  });

  test('plans of different sizes alternate', () => {
    const large = runtime.register(wide, { name: 'wide' }) as RegisteredPlan;
    const x = Array.from({ length: 500 }, (_, at) => at + 0.5);
    for (let round = 0; round < 3; round++) {
      expect(runtime.predictSync(large, { x })).toEqual({ output: x.map((one) => -one) });
      expect(runtime.predictSync(numbers, { x: [1, 2, 3] })).toEqual({ output: [-1, -2, -3] });
      expect(runtime.predictSync(whole, row)).toEqual(answer);
    }
    runtime.unregister(large);
  });
});

describe('while a row is read', () => {
  test('the same plan predicts: both answers are right', () => {
    const inner = { a: 9, b: 8, c: 7, d: 6, e: 0 };
    for (const name of Object.keys(row) as (keyof typeof row)[]) {
      let nested: unknown;
      const get = () => {
        nested = runtime.predictSync(whole, inner);
        return row[name];
      };
      expect(runtime.predictSync(whole, hostile({ [name]: getter(get) }) as Row)).toEqual(answer);
      expect(nested).toEqual({ a: -9, b: -8, c: -7, d: -6, e: 0 });
    }
  });

  test('an element of a list predicts', () => {
    const x = [1, 2, 3];
    Object.defineProperty(
      x,
      1,
      getter(() => runtime.predictSync(numbers, { x: [7, 8, 9] }) && 2),
    );
    expect(runtime.predictSync(numbers, { x })).toEqual({ output: [-1, -2, -3] });
    expect(runtime.predictSync(numbers, x)).toEqual({ output: [-1, -2, -3] });
  });

  test('a larger plan is registered and removed', () => {
    const get = () => {
      const plan = runtime.register(wide, { name: 'inside' }) as RegisteredPlan;
      runtime.predictSync(plan, { x: new Array(500).fill(1) });
      runtime.unregister(plan);
      return row.c;
    };
    expect(runtime.predictSync(whole, hostile({ c: getter(get) }) as Row)).toEqual(answer);
  });

  test('a getter throws: the error names the row, and the next row is answered', () => {
    const reason = new Error('no');
    const throwing = hostile({
      d: getter(() => {
        throw reason;
      }),
    });
    expect(() => runtime.predictSync(whole, throwing as Row)).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_INPUT', cause: reason }),
    );
    expect(runtime.predictSync(whole, row)).toEqual(answer);
  });

  test('the out-array is detached', () => {
    const out = new Float64Array(whole.width);
    const get = () => structuredClone(out.buffer, { transfer: [out.buffer] }) && row.a;
    expect(() => runtime.predictSync(whole, hostile({ a: getter(get) }) as Row, out)).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_OUTPUT' }),
    );
    expect(runtime.predictSync(whole, row)).toEqual(answer);
  });

  test('a getter detaches the list that it returns', () => {
    const x = new Float64Array(3);
    const get = () => structuredClone(x.buffer, { transfer: [x.buffer] }) && x;
    const one = Object.defineProperty({}, 'x', getter(get)) as Row;
    expect(() => runtime.predictSync(numbers, one)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_INPUT' }));
  });

  test('the plan is removed', () => {
    const plan = runtime.register(mixed, { name: 'removed' }) as RegisteredPlan;
    expect(runtime.predictSync(plan, row)).toEqual(answer);
    const get = () => {
      if (runtime.has(plan)) runtime.unregister(plan);
      return row.a;
    };
    expect(() => runtime.predictSync(plan, hostile({ a: getter(get) }) as Row)).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' }),
    );
  });
});

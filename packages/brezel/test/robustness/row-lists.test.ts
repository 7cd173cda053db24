import {
  type CompiledPlan,
  createFlour,
  createRuntime,
  type Flow,
  loadNative,
  type RegisterOptions,
  type Row,
  type RuntimeOptions,
  vector,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import type { TextOperator } from '../../../../testing/untyped.js';

/**
 * Lists of rows that are not plain arrays. Every verb on every engine reports a missing row with
 * its index, and never answers it as zeros.
 */

const flour = await createFlour();
const module = new URL('../isolation/endless-operators.mjs', import.meta.url);
const { moody }: { moody: TextOperator } = await import(module.href);
const x = flour.input('x', vector('float32', 3)) as Flow<'vector'>;
const text = flour.columns({ text: 'string' }).select('text');
const numbers = flour.program({ y: x.linear({ weights: [1, 2, 4], bias: 0.5 }) }, { name: 'numbers' }).plan();
const texts = flour
  .program(
    {
      y: text
        .tokenize()
        .wordNgram({ vocabulary: [['good']] })
        .linear({ weights: [2], bias: 0.5 }),
    },
    { name: 'texts' },
  )
  .plan();
const isolated = flour.program({ y: text.custom(moody) }, { name: 'isolated' }).plan();
const plans = { numbers, texts, isolated };
const good: Record<keyof typeof plans, [Row, unknown]> = {
  numbers: [{ x: [1, 1, 1] }, { y: [7.5] }],
  texts: ['good', { y: [2.5] }],
  isolated: ['abcd', { y: 4 }],
};

const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
  for (const plan of Object.values(plans)) plan.release();
  flour.dispose();
});

type Way = readonly [name: string, runtime: Omit<RuntimeOptions, 'store'>, register: RegisterOptions];
const reserve = { executors: 1 };
const cache = { maxBytes: 2 ** 16 };
const ways = (native: boolean | undefined): Way[] => [
  ['on the calling thread', { native, executors: 0 }, {}],
  ['with a cache', { native, executors: 0 }, { cache }],
  ['on executors', { native, executors: 2 }, { reserve }],
  ['on executors with a cache', { native, executors: 2 }, { reserve, cache }],
];
const natives = loadNative().addon === undefined ? [] : ways(undefined).map((way) => ['native', ...way] as const);
const javascripts = ways(false).map((way) => ['javascript', ...way] as const);
const cases = [...natives, ...javascripts].flatMap((way) =>
  (['numbers', 'texts'] as const).map((plan) => [plan, ...way] as const),
);

function served(compiled: CompiledPlan, options: Omit<RuntimeOptions, 'store'>, register: RegisterOptions) {
  const runtime = createRuntime({ store: flour.store, ...options });
  closers.push(() => runtime.close());
  return { runtime, plan: runtime.register(compiled, { ...register, quarantine: { failures: 1 } }) };
}

function withHole<T>(item: T): T[] {
  const list = new Array<T>(3);
  list[0] = item;
  list[2] = item;
  return list;
}

/** Lists whose second row is missing in different ways. `row` is a valid row. */
const lists: [string, (row: Row) => readonly Row[]][] = [
  ['a hole', withHole],
  [
    'a deleted row',
    (row) => {
      const rows = [row, row, row];
      delete rows[1];
      return rows;
    },
  ],
  ['undefined', (row) => [row, undefined as never, row]],
  ['null', (row) => [row, null as never, row]],
  [
    'a getter that shrinks the list',
    (row) => {
      const rows = [row, row, row];
      Object.defineProperty(rows, 0, {
        get: () => {
          rows.length = 1;
          return row;
        },
      });
      return rows;
    },
  ],
  [
    'a proxy that declares rows that it does not have',
    (row) => new Proxy([row], { get: (list, name) => (name === 'length' ? 3 : Reflect.get(list, name)) }),
  ],
  ['a list of a class that loses rows', (row) => Losing.from([row, row, row]) as Row[]],
  ['a hole after 10,000 rows', (row) => new Array(10_001).fill(row, 0, 1).fill(row, 2) as Row[]],
];
class Losing extends Array<Row> {
  override slice(): Row[] {
    return [];
  }
}
/** Returns an array with properties, as `csvParse` of d3 does. */
const withProperties = <T>(items: T[]): T[] =>
  Object.assign(items, { columns: ['text'], slice: undefined, constructor: 'csv' });
const missing = { code: 'ERR_RUNTIME_INPUT', message: expect.stringMatching(/\brow 1\b/) };
const engines = ['request-response', 'batch', 'auto', 'reference'] as const;

describe.each(cases)('%s, %s, %s', (name, _, __, options, register) => {
  const { runtime, plan } = served(plans[name], options, register);
  const [row, answer] = good[name];

  test.each(lists)('%s', async (kind, list) => {
    for (const engine of engines) {
      const call = runtime.predictBatch(plan, list(row), { engine });
      if (kind.includes('class')) expect(await call, engine).toEqual([answer, answer, answer]);
      else await expect(call, engine).rejects.toMatchObject(missing);
    }
    expect(runtime.stats().plans[0]!.calls).toMatchObject({ failed: 0, quarantined: 0 });
    expect(await runtime.predict(plan, row)).toEqual(answer);
  });

  test('4,294,967,295 holes are rejected before memory is allocated for them', async () => {
    for (const engine of engines)
      await expect(runtime.predictBatch(plan, new Array(2 ** 32 - 1), { engine }), engine).rejects.toMatchObject({
        code: 'ERR_RUNTIME_INPUT',
        message: expect.stringContaining('row 0'),
      });
    const rows = new Array<Row>(2 ** 32 - 1);
    rows[0] = row;
    await expect(runtime.predictBatch(plan, rows)).rejects.toMatchObject(missing);
  });

  test('a proxy that changes its length gets as many answers as it once declared, or an error', async () => {
    for (const engine of engines)
      for (const odd of [0, 1]) {
        let reads = 0;
        const get = (list: Row[], name: string | symbol) =>
          name === 'length' ? (++reads % 2 === odd ? 3 : 1) : Reflect.get(list, name);
        const call = runtime.predictBatch(plan, new Proxy([row], { get }), { engine });
        const result = await call.catch((error: unknown) => error);
        if (Array.isArray(result)) expect(result, engine).toEqual([answer]);
        else expect(result, engine).toMatchObject(missing);
      }
  });

  test('an invalid row is reported with its index', async () => {
    for (const engine of engines)
      await expect(runtime.predictBatch(plan, [row, { no: 1 }, row], { engine }), engine).rejects.toMatchObject(
        missing,
      );
  });

  test('rows that the caller replaces during the call do not count', async () => {
    for (const engine of engines) {
      const rows = Array.from({ length: 300 }, () => row);
      const call = runtime.predictBatch(plan, rows, { engine });
      rows.fill(null as never);
      expect(await call, engine).toEqual(Array.from({ length: 300 }, () => answer));
    }
  });

  test('the properties of a list do not count', async () => {
    for (const engine of engines)
      expect(await runtime.predictBatch(plan, withProperties([row, row]), { engine }), engine).toEqual([
        answer,
        answer,
      ]);
  });

  test('a stream', async () => {
    const stream = async () => {
      for await (const _ of runtime.predictStream(plan, withHole(row)));
    };
    await expect(stream()).rejects.toMatchObject(missing);
  });
});

test('isolated workers', async () => {
  const { runtime, plan } = served(isolated, { operatorModules: [module] }, {});
  for (const [kind, list] of lists) {
    const call = runtime.predictBatch(plan, list('abcd'));
    if (kind.includes('class')) expect(await call).toEqual([{ y: 4 }, { y: 4 }, { y: 4 }]);
    else await expect(call, kind).rejects.toMatchObject(missing);
  }
  await expect(runtime.predictBatch(plan, new Array(2 ** 32 - 1))).rejects.toMatchObject({ code: 'ERR_RUNTIME_INPUT' });
  expect(await runtime.predictBatch(plan, withProperties(['abcd']))).toEqual([{ y: 4 }]);
  expect(runtime.stats().plans[0]!.calls.failed).toBe(0);
});

test('limits.maxQueuedRows is checked before any row', async () => {
  const { runtime, plan } = served(texts, { limits: { maxQueuedRows: 1000 } }, {});
  await expect(runtime.predictBatch(plan, new Array(2 ** 32 - 1))).rejects.toMatchObject({
    code: 'ERR_RUNTIME_OVERLOADED',
  });
});

test('a missing plan in a list of plans', async () => {
  const { runtime, plan } = served(texts, {}, {});
  const holed = withHole(plan);
  for (let round = 0; round < 2; round++) {
    expect(() => runtime.predictManySync(holed, 'good')).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' }),
    );
    await expect(runtime.predictMany(holed, 'good')).rejects.toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
  }
});

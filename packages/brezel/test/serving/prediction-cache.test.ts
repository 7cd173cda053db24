import { Checksum } from '@brezel/object-store';
import {
  type CacheStatistics,
  createFlour,
  type Flow,
  type RegisteredPlan,
  type Row,
  type Runtime,
  tensor,
} from 'brezel';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { UntypedPlan } from '../../../../testing/untyped.js';
import { difference } from '../conformance/engines.js';
import { runtimes } from './runtimes.js';

const MIB = 2 ** 20;
const flour = await createFlour();
const all = runtimes(flour);
const text = flour.columns({ text: 'string' }).select('text');
const counted = text.tokenize().wordNgram({ vocabulary: [['good'], ['bad']] });
const sentiment = flour
  .program({ label: counted.softmax().argMax().labels(['yes', 'no']), probabilities: counted.softmax() })
  .plan();
const negated = flour.program({ y: flour.columns({ x: 'float32' }).select('x').map('negate') }).plan();
const two = flour.columns({ a: 'string', b: 'string', i: 'int64', f: 'float64' });
const mixed = flour.program({ a: two.select('a'), b: two.select('b'), i: two.select('i'), f: two.select('f') }).plan();
const categories = ['red', 'green'];
const colours = flour.program({ y: text.oneHot({ categories, unknown: 'error' }) }).plan();
const looked = flour.program({ y: flour.dictionary('d').lookupKeys(['n', 'm']) }).plan();
const matrix = flour.input('x', tensor('float32', [2, 2])) as Flow<'tensor'>;
const turned = flour.program({ y: matrix.asVector().map('negate').asTensor([2, 2]) }).plan();
const featureNames = ['n', 'a=b', 'a=bc', 'ab=c', 'n=1'];
const vectorized = flour
  .program({ y: flour.dictionary('d', { values: 'mixed' }).dictVectorizer({ featureNames }) })
  .plan();

afterAll(async () => {
  for (const [, runtime] of all) await runtime.close();
  for (const plan of [sentiment, negated, mixed, colours, looked, turned, vectorized]) plan.release();
  flour.dispose();
});

const statistics = (runtime: Runtime, plan: RegisteredPlan): CacheStatistics =>
  runtime.stats().plans.find(({ name }) => name === plan.name)!.cache!;

describe.each(all)('%s', (_, runtime) => {
  const registered = (compiled: UntypedPlan, name: string, maxBytes = MIB) =>
    runtime.register(compiled, { name, cache: { maxBytes } });
  /** Returns whether the cache answers the second row after the first row was predicted. */
  function isOneKey(compiled: UntypedPlan, first: Row, second: Row): boolean {
    const plan = registered(compiled, 'keys');
    try {
      for (const row of [first, second]) {
        const plain = runtime.register(compiled);
        const [want, got] = [runtime.predictSync(plain, row), runtime.predictSync(plan, row)];
        expect(difference(got, want)).toBeUndefined();
        runtime.unregister(plain);
      }
      return statistics(runtime, plan).hits === 1;
    } finally {
      runtime.unregister(plan);
    }
  }

  test('a repeated row does not run again, and is counted', async () => {
    const plan = registered(sentiment, 'counted');
    const first = runtime.predictSync(plan, 'a good film');
    expect(runtime.predictSync(plan, { text: 'a good film' })).toEqual(first);
    expect(await runtime.predict(plan, 'a good film')).toEqual(first);
    const [again, other] = await runtime.predictBatch(plan, ['a good film', 'a bad film']);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(statistics(runtime, plan)).toMatchObject({ hits: 3, misses: 2, evictions: 0, entries: 2, maxBytes: MIB });
    runtime.unregister(plan);
  });

  test('every caller receives a separate answer', async () => {
    const plan = registered(sentiment, 'own');
    const want = structuredClone(runtime.predictSync(plan, 'good'));
    for (const spoil of [
      async () => runtime.predictSync(plan, 'good'),
      async () => (await runtime.predictBatch(plan, ['good', 'good']))[0]!,
    ]) {
      const answer = (await spoil()) as { label: unknown; probabilities: number[] };
      expect(answer).toEqual(want);
      answer.probabilities.reverse();
      answer.label = 'spoiled';
    }
    const [one, same] = await runtime.predictBatch(plan, ['good', 'good']);
    expect(one).toEqual(want);
    expect(one!.probabilities).not.toBe(same!.probabilities);
    runtime.unregister(plan);
  });

  test('nested lists are separate, too', () => {
    const plan = registered(turned, 'own lists');
    const row = { x: [[1, 2], [3, 4]] }; // biome-ignore format: as it is meant
    const want = structuredClone(runtime.predictSync(plan, row));
    for (let time = 0; time < 2; time++) (runtime.predictSync(plan, row).y as number[][])[1]!.fill(0);
    expect(runtime.predictSync(plan, row)).toEqual(want);
    runtime.unregister(plan);
  });

  test('an out-array is filled from the cache, and the cache from an out-array', () => {
    const [plain, plan] = [runtime.register(sentiment), registered(sentiment, 'out')];
    const want = runtime.predictSync(plain, 'good', new Float64Array(plain.width));
    const out = new Float64Array(plan.width);
    expect(runtime.predictSync(plan, 'good', out)).toBe(out);
    expect(out).toEqual(want);
    expect(runtime.predictSync(plan, 'good', new Float64Array(plan.width))).toEqual(want);
    expect(runtime.predictSync(plan, 'good')).toEqual(runtime.predictSync(plain, 'good'));
    expect(statistics(runtime, plan)).toMatchObject({ hits: 2, misses: 1 });
    for (const one of [plain, plan]) runtime.unregister(one);
  });

  describe('rows that the schema reads in the same way have one key', () => {
    const bytes = (value: string) => new TextEncoder().encode(value);
    const row = { a: 'a', b: 'b', i: 1, f: 0.5 };
    test.each<[string, Parameters<Runtime['register']>[0], Row, Row]>([
      ['a text, and an object with it', sentiment, 'good', { text: 'good' }],
      ['a text and its UTF-8 bytes', sentiment, { text: 'gut, größer 😀' }, { text: bytes('gut, größer 😀') }],
      ['a lone surrogate and U+FFFD', sentiment, 'good \ud800', 'good \ufffd'],
      ['a float64 and its float32', negated, { x: 0.1 }, { x: Math.fround(0.1) }],
      ['NaN', negated, { x: Number.NaN }, { x: 0 / 0 }],
      ['integers of both signs of 0', mixed, { ...row, i: 0 }, { ...row, i: -0 }],
      ['a number and a bigint', mixed, row, { ...row, i: 1n }],
      ['fields in another order', mixed, row, { f: 0.5, i: 1, b: 'b', a: 'a' }],
      [
        'lists in lists, and all elements',
        turned,
        {
          x: [
            [1, 2],
            [3, 4],
          ],
        },
        { x: Float64Array.of(1, 2, 3, 4) },
      ],
      ['an object and a Map', looked, { d: { n: 1 } }, { d: new Map([['n', 1]]) }],
      ['a float64 and its float32 in a dictionary', looked, { d: { n: 0.1 } }, { d: { n: Math.fround(0.1) } }],
    ])('%s', (_name, compiled, first, second) => expect(isOneKey(compiled as UntypedPlan, first, second)).toBe(true));

    test.each<[string, Parameters<Runtime['register']>[0], Row, Row]>([
      ['0 and -0', negated, { x: 0 }, { x: -0 }],
      ['texts of another case', sentiment, 'good', 'Good'],
      ['composed and decomposed letters', sentiment, 'é', 'e\u0301'],
      ['texts that are cut elsewhere', mixed, { ...row, a: 'ab', b: 'c' }, { ...row, a: 'a', b: 'bc' }],
      ['texts that look like lengths', mixed, { ...row, a: '', b: '1:a' }, { ...row, a: '1:a', b: '' }],
      ['float64 that are one float32', mixed, { ...row, f: 0.1 }, { ...row, f: Math.fround(0.1) }],
      ['0 and -0 in float64', mixed, { ...row, f: 0 }, { ...row, f: -0 }],
      [
        'elements at other places',
        turned,
        {
          x: [
            [1, 2],
            [3, 4],
          ],
        },
        {
          x: [
            [1, 3],
            [2, 4],
          ],
        },
      ],
      ['entries of both signs of 0', looked, { d: { n: 0 } }, { d: { n: -0 } }],
      ['entries under other keys', looked, { d: { n: 1 } }, { d: { m: 1 } }],
      ['entries that are cut elsewhere', vectorized, { d: { ab: 'c' } }, { d: { a: 'bc' } }],
      ['a number and its text', vectorized, { d: { n: 1 } }, { d: { n: '1' } }],
      ['a list of texts and one text', vectorized, { d: { a: ['b', 'c'] } }, { d: { a: 'bc' } }],
      ['long texts that differ at their ends', sentiment, `${'x '.repeat(50_000)}good`, `${'x '.repeat(50_000)}bad`],
    ])('and not: %s', (_name, compiled, first, second) =>
      expect(isOneKey(compiled as UntypedPlan, first, second)).toBe(false),
    );

    test('a string and a number have different keys', () => {
      const plan = registered(mixed, 'strings');
      runtime.predictSync(plan, row);
      for (const wrong of [{ i: '1' }, { f: '0.5' }, { a: 1 }]) {
        expect(() => runtime.predictSync(plan, { ...row, ...wrong })).toThrow(
          expect.objectContaining({ code: 'ERR_RUNTIME_INPUT' }),
        );
      }
      runtime.unregister(plan);
    });
  });

  test('errors are not cached, and name the index of the row', async () => {
    const plan = registered(colours, 'errors');
    const refused = (row: number) =>
      expect.objectContaining({ code: 'ERR_RUNTIME_INPUT', message: expect.stringContaining(`row ${row}`) });
    for (let time = 0; time < 2; time++) expect(() => runtime.predictSync(plan, 'blue')).toThrow(refused(0));
    expect(statistics(runtime, plan)).toMatchObject({ hits: 0, misses: 2, entries: 0, bytes: 0 });
    runtime.predictSync(plan, 'red');
    const rows = [...new Array<string>(300).fill('red'), 'green', 'blue', 'red'];
    for (let time = 0; time < 2; time++) await expect(runtime.predictBatch(plan, rows)).rejects.toThrow(refused(301));
    expect(runtime.predictSync(plan, 'red')).toEqual({ y: [1, 0] });
    const tooLong = runtime.register(sentiment, { name: 'long', maxInputBytes: 8, cache: { maxBytes: MIB } });
    for (const wrong of ['good good good', { text: new Uint8Array([0xff]) }])
      expect(() => runtime.predictSync(tooLong, wrong)).toThrow(refused(0));
    expect(statistics(runtime, tooLong).entries).toBe(0);
    for (const one of [plan, tooLong]) runtime.unregister(one);
  });

  test('stays within its bytes: the least recently used answers are evicted first', () => {
    const plan = registered(sentiment, 'bounded', 16 * 1024);
    runtime.predictSync(plan, 'hot');
    for (let at = 0; at < 500; at++) {
      runtime.predictSync(plan, `row ${at}`);
      expect(runtime.predictSync(plan, 'hot').label).toBe('yes');
      expect(statistics(runtime, plan).bytes).toBeLessThanOrEqual(16 * 1024);
    }
    const { hits, misses, evictions, entries } = statistics(runtime, plan);
    expect({ hits, misses }).toEqual({ hits: 500, misses: 501 });
    expect(evictions).toBe(501 - entries);
    expect(entries).toBeGreaterThan(10);
    runtime.predictSync(plan, 'too large '.repeat(2000));
    expect(statistics(runtime, plan).evictions).toBe(evictions);
    runtime.unregister(plan);
  });

  test('a row that occurs twice in one block runs once', async () => {
    const plan = registered(sentiment, 'twice');
    const rows = ['good', 'bad', 'good', 'good', 'bad'];
    const plain = runtime.register(sentiment);
    expect(await runtime.predictBatch(plan, rows)).toEqual(await runtime.predictBatch(plain, rows));
    expect(statistics(runtime, plan)).toMatchObject({ entries: 2 });
    expect(await runtime.predictBatch(plan, [])).toEqual([]);
    for (const one of [plan, plain]) runtime.unregister(one);
  });

  test('the reference engine and profiles do not use the cache', async () => {
    const plan = registered(sentiment, 'reference');
    await runtime.predictBatch(plan, ['good', 'good'], { engine: 'reference' });
    await runtime.profile(plan, ['good'], { durationMs: 2, blockRows: 1 });
    await runtime.profile(plan, ['good'], { durationMs: 2 });
    expect(statistics(runtime, plan)).toMatchObject({ hits: 0, misses: 0, entries: 0 });
    runtime.unregister(plan);
  });

  test('two texts with one fingerprint are two rows', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0); // the seed of fingerprints
    const plan = registered(sentiment, 'collision');
    vi.restoreAllMocks();
    const [good, bad] = await collision();
    const plain = runtime.register(sentiment);
    const wanted = [good, bad].map((row) => runtime.predictSync(plain, row));
    expect(wanted[0]).not.toEqual(wanted[1]);
    for (let time = 0; time < 3; time++)
      expect([good, bad].map((row) => runtime.predictSync(plan, row))).toEqual(wanted);
    expect(statistics(runtime, plan)).toMatchObject({ hits: 0, misses: 6, entries: 1 });
    const rows = [bad, good, bad, bad, good, good];
    expect(await runtime.predictBatch(plan, rows)).toEqual(await runtime.predictBatch(plain, rows));
    for (const one of [plan, plain]) runtime.unregister(one);
  });

  test('a removed plan has no cached rows', () => {
    const plan = registered(sentiment, 'removed');
    runtime.predictSync(plan, 'good');
    runtime.unregister(plan);
    expect(() => runtime.predictSync(plan, 'good')).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' }),
    );
  });
});

test.each([0, -1, 1023, 1024.5, Number.NaN, Infinity, '1024', undefined])('maxBytes %s is rejected', (maxBytes) => {
  const [, runtime] = all[0]!;
  const before = runtime.stats().plans.length;
  expect(() => runtime.register(sentiment, { cache: { maxBytes: maxBytes as number } })).toThrow(
    expect.objectContaining({ code: 'ERR_RUNTIME_OPTION', message: expect.stringContaining('cache.maxBytes') }),
  );
  expect(runtime.stats().plans.length).toBe(before);
});

/**
 * Searches for a good and a bad text with the same fingerprint under seed 0. With 2^17 good texts,
 * about one of 2^15 bad texts has a fingerprint of a good one.
 */
async function collision(): Promise<[good: string, bad: string]> {
  const checksum = await Checksum.create();
  const goods = new Map<number, string>();
  for (let at = 0; at < 2 ** 17; at++) goods.set(checksum.fingerprint(`good ${at}`, 0), `good ${at}`);
  for (let at = 0; ; at++) {
    const good = goods.get(checksum.fingerprint(`bad ${at}`, 0));
    if (good !== undefined) return [good, `bad ${at}`];
  }
}

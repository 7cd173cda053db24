import { getEventListeners } from 'node:events';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type Answer, createFlour, createRuntime, loadNative, type Row, type RowSource } from 'brezel';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { turns } from '../../../../testing/turns.js';
import type { UntypedPlan } from '../../../../testing/untyped.js';
import { seed } from '../conformance/seed.js';
import { runtimes } from './runtimes.js';

const flour = await createFlour();
const text = flour.columns({ text: 'string' }).select('text');
const owned: UntypedPlan = text
  .tokenize()
  .wordNgram({ vocabulary: [['good'], ['bad']] })
  .linear({ weights: [1, -1] })
  .plan();
const slow: UntypedPlan = { ...owned, nanosPerRow: 2e6 };
/** The runtimes have no executors, so rows of a slow plan take many turns of the event loop. */
const all = runtimes(flour, { executors: 0 });
const onExecutors = createRuntime({ store: flour.store, executors: 2 });
const goods = (count: number) => 'good '.repeat(count);
const answer = (count: number) => ({ output: [count] });
const many = (count: number) => Array.from({ length: count }, (_, at) => goods(at % 50));
const answers = (count: number) => Array.from({ length: count }, (_, at) => answer(at % 50));

afterAll(async () => {
  for (const runtime of [...all.map(([, one]) => one), onExecutors]) await runtime.close();
  owned.release();
  flour.dispose();
});

async function collect(stream: AsyncIterable<Answer>): Promise<Answer[]> {
  const list: Answer[] = [];
  for await (const one of stream) list.push(one);
  return list;
}

/**
 * A source that records the calls it receives. After `pauseAt` rows it never returns the next
 * one.
 */
class Watched implements AsyncIterable<Row> {
  pulled = 0;
  returned = 0;
  constructor(
    readonly length: number,
    readonly pauseAt = Infinity,
  ) {}
  [Symbol.asyncIterator](): AsyncIterator<Row> {
    return {
      next: async () => {
        if (this.pulled === this.pauseAt) return new Promise(() => {});
        if (this.pulled === this.length) return { done: true, value: undefined };
        return { done: false, value: goods(this.pulled++) };
      },
      return: async () => {
        this.returned++;
        return { done: true, value: undefined };
      },
    };
  }
}

test('rows of a slow plan run on executors', async () => {
  const plan = onExecutors.register(slow);
  expect(await collect(onExecutors.predictStream(plan, many(600)))).toEqual(answers(600));
  expect(onExecutors.stats().executors.shared.rows).toBe(loadNative().addon === undefined ? 0 : 600);
});

describe.each(all)('%s', (_, runtime) => {
  const plan = runtime.register(owned, { name: 'stream' });
  const slowPlan = runtime.register(slow, { name: 'slow' });

  describe('sources', () => {
    async function* generated(rows: Iterable<Row>) {
      yield* rows;
    }
    test.each<[string, () => RowSource, number]>([
      ['an empty array', () => [], 0],
      ['an array of one', () => [goods(0)], 1],
      ['an array of a block', () => many(256), 256],
      ['an array of many', () => many(1000), 1000],
      ['a set', () => new Set(many(7)), 7],
      ['an empty generator', () => generated([]), 0],
      ['an asynchronous generator', () => generated(many(600)), 600],
      ['a stream of objects', () => Readable.from(many(300).map((one) => ({ text: one }))), 300],
    ])('%s', async (_name, source, count) => {
      expect(await collect(runtime.predictStream(plan, source()))).toEqual(answers(count));
      expect(await collect(runtime.predictStream(plan, source(), { maxBatch: 1 }))).toEqual(answers(count));
    });

    test('lines of a file', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'brezel-lines-'));
      writeFileSync(join(folder, 'lines'), many(2000).join('\n'));
      const lines = createInterface({ input: createReadStream(join(folder, 'lines')) });
      expect(await collect(runtime.predictStream(plan, lines))).toEqual(answers(2000));
      rmSync(folder, { recursive: true });
    });

    test('the answers of another stream', async () => {
      const texts = (async function* () {
        for await (const { output } of runtime.predictStream(plan, many(600)))
          yield goods((output as readonly number[])[0]!);
      })();
      expect(await collect(runtime.predictStream(plan, texts))).toEqual(answers(600));
    });
  });

  test('rows that are available together run together, and a single row does not wait', async () => {
    const blocks: number[] = [];
    const observed = createRuntime({ store: flour.store, latencies: true, native: runtime.isa !== undefined });
    const one = observed.register(owned);
    async function* bursts() {
      for (const burst of [3, 1, 5]) {
        yield* many(burst);
        await turns(5);
      }
    }
    for await (const _answer of observed.predictStream(one, bursts()))
      blocks.push(observed.stats().plans[0]!.latencies!.predictStream!.samples);
    expect(blocks).toEqual([1, 1, 1, 2, 3, 3, 3, 3, 3]);
    await observed.close();
  });

  test('the stream reads the source only as fast as the reader', async () => {
    const source = new Watched(10_000);
    let taken = 0;
    for await (const one of runtime.predictStream(plan, source, { maxBatch: 16 })) {
      expect(one).toEqual(answer(taken++));
      expect(source.pulled).toBeLessThanOrEqual(taken + 17);
      if (taken % 50 === 0) await setImmediate();
      if (taken === 200) break;
    }
    expect(source.returned).toBe(1);
    expect(runtime.stats().queue.rows).toBe(0);
  });

  test('the stream reads no row before the caller requests an answer', async () => {
    const source = new Watched(5);
    const stream = runtime.predictStream(plan, source);
    await turns(2);
    expect(source.pulled).toBe(0);
    expect(await collect(stream)).toHaveLength(5);
  });

  test('rows of a stream count in the queue, and are not rejected', async () => {
    const limited = createRuntime({ store: flour.store, limits: { maxQueuedRows: 10, maxQueuedBytes: 10 } });
    const one = limited.register(slow);
    const stream = runtime.predictStream(slowPlan, many(20));
    expect(await collect(limited.predictStream(one, many(30)))).toEqual(answers(30));
    const first = stream.next();
    await setImmediate();
    expect(runtime.stats().queue.rows).toBe(20);
    expect((await first).value).toEqual(answer(0));
    expect(runtime.stats().queue.rows).toBe(0);
    await stream.return();
    await limited.close();
  });

  describe('its end', () => {
    test('if the reader stops, the source is closed', async () => {
      for (const source of [new Watched(1000), new Watched(1000, 3)]) {
        for await (const _answer of runtime.predictStream(plan, source, { maxBatch: 4 })) break;
        expect(source.returned).toBe(1);
      }
      let isClosed = false;
      function* rows() {
        try {
          yield* many(1000);
        } finally {
          isClosed = true;
        }
      }
      for await (const _answer of runtime.predictStream(plan, rows())) break;
      expect(isClosed).toBe(true);
    });

    test('the reader throws into the stream', async () => {
      const source = new Watched(1000);
      const stream = runtime.predictStream(plan, source);
      await stream.next();
      await expect(stream.throw(new Error('enough'))).rejects.toThrow('enough');
      expect(source.returned).toBe(1);
      expect(await stream.next()).toEqual({ done: true, value: undefined });
    });

    test('the source throws: rows before it are answered', async () => {
      const fault = new Error('the disk is gone');
      async function* later() {
        yield* many(5);
        throw fault;
      }
      function* now() {
        yield* many(5);
        throw fault;
      }
      for (const source of [later(), now(), Readable.from(later())]) {
        const taken: Answer[] = [];
        const reading = (async () => {
          for await (const one of runtime.predictStream(plan, source)) taken.push(one);
        })();
        await expect(reading).rejects.toBe(fault);
        expect(taken).toEqual(answers(5));
      }
    });

    test('an invalid row is reported with its index in the stream, and the source is closed', async () => {
      const rows = many(700);
      rows[600] = 7 as never;
      let isClosed = false;
      async function* source() {
        try {
          yield* rows;
        } finally {
          isClosed = true;
        }
      }
      const taken: Answer[] = [];
      const reading = (async () => {
        for await (const one of runtime.predictStream(plan, source())) taken.push(one);
      })();
      await expect(reading).rejects.toThrow(
        expect.objectContaining({ code: 'ERR_RUNTIME_INPUT', message: expect.stringContaining('row 600') }),
      );
      expect(taken).toEqual(answers(512));
      expect(isClosed).toBe(true);
    });

    test('an error of closing the source is thrown if there is no earlier error', async () => {
      const closing = () => ({
        [Symbol.asyncIterator]: () => ({
          next: async () => ({ done: false, value: 'good' }),
          return: async () => {
            throw new Error('cannot close');
          },
        }),
      });
      const leave = async () => {
        for await (const _answer of runtime.predictStream(plan, closing())) break;
      };
      await expect(leave()).rejects.toThrow('cannot close');
      const stream = runtime.predictStream(plan, closing());
      await stream.next();
      await expect(stream.throw(new Error('enough'))).rejects.toThrow('enough');
    });

    test('the plan is removed', async () => {
      const going = runtime.register(owned, { name: 'going' });
      const source = new Watched(1000);
      const stream = runtime.predictStream(going, source, { maxBatch: 2 });
      expect((await stream.next()).value).toEqual(answer(0));
      runtime.unregister(going);
      expect((await stream.next()).value).toEqual(answer(1));
      await expect(stream.next()).rejects.toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
      expect(source.returned).toBe(1);
    });
  });

  describe('an abort', () => {
    test('before it starts: nothing is read', () => {
      const source = new Watched(5);
      const signal = AbortSignal.abort();
      expect(() => runtime.predictStream(plan, source, { signal })).toThrow(signal.reason);
      expect(source.pulled).toBe(0);
    });

    test('while the stream waits for the source', async () => {
      const source = new Watched(10, 3);
      const controller = new AbortController();
      const stream = runtime.predictStream(plan, source, { signal: controller.signal });
      for (let at = 0; at < 3; at++) expect((await stream.next()).value).toEqual(answer(at));
      const settled = expect(stream.next()).rejects.toMatchObject({ name: 'AbortError' });
      await setImmediate();
      controller.abort();
      await settled;
      expect(source.returned).toBe(1);
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    });

    test('between answers, and between the rows of a block', async () => {
      const reason = new Error('the client is gone');
      const [one, other] = [new AbortController(), new AbortController()];
      const between = runtime.predictStream(plan, many(10), { signal: one.signal });
      await between.next();
      one.abort(reason);
      await expect(between.next()).rejects.toBe(reason);
      const settled = expect(runtime.predictStream(slowPlan, many(20), { signal: other.signal }).next()).rejects.toBe(
        reason,
      );
      await setImmediate();
      other.abort(reason);
      await settled;
      for (const { signal } of [one, other]) expect(getEventListeners(signal, 'abort')).toEqual([]);
    });

    test('a long stream leaves no listener at its signal', async () => {
      const { signal } = new AbortController();
      let taken = 0;
      for await (const _answer of runtime.predictStream(plan, new Watched(2000), { signal })) {
        if (++taken % 100 === 0) expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      }
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });
  });

  test('several streams at once', async () => {
    const streams = [1, 7, 64, 256].map((maxBatch) =>
      collect(runtime.predictStream(plan, new Watched(45), { maxBatch })),
    );
    for (const one of await Promise.all(streams)) expect(one).toEqual(answers(45));
  });

  test('random bursts, pauses and block sizes: the answers of predictSync, in order', async () => {
    const step = fc.oneof(fc.nat(60), fc.constantFrom('turn', 'microtask', 'wait'));
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      fc.integer({ min: 1, max: 256 }),
      async (steps, maxBatch) => {
        async function* source() {
          for (const one of steps) {
            if (typeof one === 'number') yield goods(one);
            else if (one === 'turn') await setImmediate();
            else if (one === 'wait') await turns(2);
            else await null;
          }
        }
        const want = steps.flatMap((one) => (typeof one === 'number' ? [runtime.predictSync(plan, goods(one))] : []));
        expect(await collect(runtime.predictStream(plan, source(), { maxBatch }))).toEqual(want);
      },
    );
    await fc.assert(property, { seed, numRuns: 60 });
  });

  test.each<[string, unknown]>([
    ['a text', 'good'],
    ['nothing', undefined],
    ['null', null],
    ['an object', { text: 'good' }],
    ['a number', 7],
  ])('%s is no source', (_name, source) => {
    expect(() => runtime.predictStream(plan, source as RowSource)).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_INPUT' }),
    );
  });

  test.each([0, 257, 1.5, Number.NaN, '8'])('maxBatch %s is out of range', (maxBatch) => {
    expect(() => runtime.predictStream(plan, [], { maxBatch: maxBatch as number })).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' }),
    );
  });

  test('an iterator whose results are not objects', async () => {
    const broken = { [Symbol.asyncIterator]: () => ({ next: async () => 7 }) } as never as RowSource;
    await expect(collect(runtime.predictStream(plan, broken))).rejects.toMatchObject({ code: 'ERR_RUNTIME_INPUT' });
  });
});

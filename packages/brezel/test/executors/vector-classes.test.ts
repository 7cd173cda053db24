import type { Flow } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { dear, flour, hasAddon, oneByOne, runtimeWith } from './fleets.js';

/**
 * Size classes of the vectors of executors: the classes that the statistics of a plan predict, the
 * classes that its chunks need, and larger vectors.
 */

const COLUMNS = 2 ** 16;
const weights = Float32Array.from({ length: COLUMNS }, (_, at) => Math.sin(at));
const hashed = flour
  .columns({ text: 'string' })
  .select('text')
  .tokenize()
  .hashNgram({ columns: COLUMNS }) as Flow<'vector'>;
/** Each row is a chunk. */
const compiled = dear(hashed.linear({ weights, bias: 0 }).plan(), 1);
const texts = (count: number, words: number) =>
  Array.from({ length: count }, (_, n) => Array.from({ length: words }, (_, at) => `w${n}x${at}`).join(' '));
const short = texts(20, 5);
/** A text with about 60,000 entries, which take half a megabyte. */
const long = texts(1, 200_000)[0]!;
const wanted = new Map([...short, long].map((text) => [text, oneByOne(compiled, [text])[0]!]));

afterAll(() => {
  compiled.release();
  flour.dispose();
});

describe.skipIf(!hasAddon)('vectors', () => {
  async function served(plan = compiled) {
    const runtime = runtimeWith(1);
    const registered = runtime.register(plan);
    await runtime.warm(registered);
    const answer = async (rows: readonly string[]) => {
      expect(await runtime.predictBatch(registered, rows)).toEqual(rows.map((text) => wanted.get(text)));
      const { overflows, overflowBytes, vectorsRaised } = runtime.stats().executors.shared;
      return { overflows, overflowBytes, vectorsRaised };
    };
    return { runtime, answer };
  }

  test('that grew for a large row are freed and counted, and the plan continues with small vectors', async () => {
    const { runtime, answer } = await served();
    expect(await answer(short)).toEqual({ overflows: 0, overflowBytes: 0, vectorsRaised: 0 });
    const once = await answer([long]);
    expect(once).toMatchObject({ overflows: 1, vectorsRaised: 0 });
    expect(once.overflowBytes).toBeGreaterThan(400_000);
    expect(await answer([...short, long])).toMatchObject({ overflows: 2, vectorsRaised: 0 });
    await runtime.close();
  });

  test('get a larger class if large rows are frequent', async () => {
    const { runtime, answer } = await served();
    await answer(short);
    expect(await answer([long, long, long, ...short, long])).toMatchObject({ overflows: 1, vectorsRaised: 1 });
    await runtime.close();
  });

  test('are as large as the first chunks of a plan need', async () => {
    const { runtime, answer } = await served();
    expect(await answer([long, ...short, long])).toMatchObject({ overflows: 0, vectorsRaised: 1 });
    await runtime.close();
  });

  test('start in the class that the training statistics predict', async () => {
    const stages = compiled.stages.map((planned) => ({
      ...planned,
      marks: { ...planned.marks, maxVectorSizes: planned.marks.maxVectorSizes.map((most) => Math.min(most, 65_000)) },
    }));
    const { runtime, answer } = await served({ ...compiled, stages });
    expect(await answer([...short, long, ...short, long])).toEqual({
      overflows: 0,
      overflowBytes: 0,
      vectorsRaised: 0,
    });
    await runtime.close();
  });

  test('are not allocated for a text beyond maxInputBytes, which is rejected', async () => {
    const runtime = runtimeWith(1);
    const plan = runtime.register(compiled, { maxInputBytes: 1000 });
    await runtime.warm(plan);
    await expect(runtime.predictBatch(plan, [...short, long])).rejects.toMatchObject({
      code: 'ERR_RUNTIME_INPUT',
      message: expect.stringMatching(/row 20/),
    });
    expect(runtime.stats().executors.shared).toMatchObject({ overflows: 0, vectorsRaised: 0 });
    await runtime.close();
  });
});

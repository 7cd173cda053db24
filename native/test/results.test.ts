import type { NativeColumn, ResultsHandle, StageHandle } from '@brezel/native';
import { afterEach, describe, expect, it } from 'vitest';
import { seed as SEED } from '../../testing/seed.js';
import { Random } from './blobs.js';
import { addon, codeOf, firstDifference, isas, Program } from './harness.js';

/**
 * Checks that cached results of stages have the same bits as uncached ones, for every kind of slot
 * and any budget.
 */

// The memory use of sanitizers disturbs tests that measure memory.
const isSanitized = process.env.LD_PRELOAD?.includes('asan') ?? false;
const random = new Random(SEED);
const isa = isas.at(-1)!;

const releases: (() => void)[] = [];
afterEach(() => {
  for (const release of releases.splice(0).reverse()) release();
});

/**
 * Returns a stage that reads and writes a text, a sparse row and a dense row, and a plan with this
 * stage only.
 */
function everyKind() {
  const program = new Program();
  const [text, sparse, dense] = [program.input('text'), program.input('sparse', 9), program.input('dense', 2)];
  program.output(program.call('impute_text', [text], ['text'], [new Uint8Array(), new TextEncoder().encode('—')]));
  program.output(
    program.call('weight', [sparse], ['sparse', 9], [Float32Array.from({ length: 9 }, (_, at) => at - 4)]),
  );
  program.output(program.call('map', [dense], ['dense', 2], [], [5]));
  program.output(sparse); // returned unchanged
  releases.push(() => program.free());
  return stageAndPlan(program);
}

function stageAndPlan(program: Program) {
  const stage = addon.stageCreate(program.source(isa));
  const [nIn, nOut] = [program.inputs.length, program.outputs.length];
  const all = Array.from({ length: nIn + nOut }, (_, at) => at);
  const [inputs, outputs] = [all.slice(0, nIn), all.slice(nIn)];
  const plan = addon.planCreate({
    stages: [stage],
    wiring: [nIn, nOut, ...all],
    inputs,
    outputs,
    maxInputBytes: 1 << 20,
  });
  releases.push(() => {
    addon.planRelease(plan);
    addon.stageRelease(stage);
  });
  return { stage, plan };
}

function resultsOf(maxBytes: number, ...stages: StageHandle[]): ResultsHandle {
  const results = addon.resultsCreate(maxBytes);
  for (const stage of stages) addon.stageKeepResults(stage, results);
  releases.push(() => addon.resultsRelease(results));
  return results;
}

const NUMBERS = [0, -0, 1, Number.NaN, -1.5, 3e38, 1e-45, Number.POSITIVE_INFINITY];
const TEXTS = ['', 'a', 'ab', 'é', 'x'.repeat(31), 'x'.repeat(32), 'x'.repeat(64), '😀'.repeat(50), 'y'.repeat(3000)];

/**
 * Returns one row for `everyKind` from few different values, so that rows repeat or differ a
 * little.
 */
function someRow(): NativeColumn[] {
  const ids = Array.from({ length: 9 }, (_, at) => at).filter(() => random.below(3) === 0);
  return [
    [random.pick(TEXTS)],
    {
      offsets: Uint32Array.of(0, ids.length),
      ids: Uint32Array.from(ids),
      values: Float32Array.from(ids, () => random.pick(NUMBERS)),
    },
    Float32Array.of(random.pick(NUMBERS), 1),
  ];
}

/** Joins rows of `someRow` to the columns of one block. */
function joined(rows: readonly NativeColumn[][]): NativeColumn[] {
  const sparse = rows.map((row) => row[1] as Extract<NativeColumn, { ids: Uint32Array }>);
  const offsets = new Uint32Array(rows.length + 1);
  sparse.forEach(({ ids }, at) => {
    offsets[at + 1] = offsets[at]! + ids.length;
  });
  return [
    rows.flatMap(([texts]) => texts as string[]),
    {
      offsets,
      ids: Uint32Array.from(sparse.flatMap(({ ids }) => [...ids])),
      values: Float32Array.from(sparse.flatMap(({ values }) => [...values])),
    },
    Float32Array.from(rows.flatMap((row) => [...(row[2] as Float32Array)])),
  ];
}

/** Returns a stage that reads two texts and a dictionary, and a plan with this stage only. */
function textsAndDictionaries() {
  const program = new Program();
  const [texts, dictionary] = [program.input('text', 2), program.input('dictionary')];
  program.output(program.call('murmur_hash3', [texts], ['dense', 2, 'int64'], [], [0]));
  program.output(program.call('feature_hasher', [dictionary], ['sparse', 4], [], [0]));
  program.output(texts);
  releases.push(() => program.free());
  return stageAndPlan(program);
}

// biome-ignore format: one line
const column = (text: string) => [[text], { offsets: new Uint32Array(2), ids: new Uint32Array(), values: new Float32Array() }, new Float32Array(2)];

describe('cached results', () => {
  it('of rows with two texts and a dictionary are found, and rows with equal joined texts differ', () => {
    const [kept, plain] = [textsAndDictionaries(), textsAndDictionaries()];
    const results = resultsOf(2 ** 30, kept.stage);
    const pairs = ['ab', 'c', 'a', 'bc', '', 'abc'];
    const packed = [0, 1].map((value) => Uint8Array.of(0, 1, 0, 0, 0, 97, 0, 0, 0, 0, 0, 0, 240 * value, 63 * value));
    for (let time = 0; time < 200; time++) {
      const at = 2 * random.below(3);
      const row = [pairs.slice(at, at + 2), [random.pick(packed)]];
      expect(addon.runColumns(kept.plan, row, 1), `seed ${SEED}`).toEqual(addon.runColumns(plain.plan, row, 1));
    }
    expect(addon.resultsStats(results)).toMatchObject({ misses: 6, hits: 194 });
  });

  it.each([0, 300, 2000, 20_000, 2 ** 30])(
    'of every kind of value in a cache of %i bytes have the same bits',
    (maxBytes) => {
      const [kept, plain] = [everyKind(), everyKind()];
      const results = resultsOf(maxBytes, kept.stage);
      const rows = Array.from({ length: 60 }, someRow);
      for (let time = 0; time < 400; time++) {
        const row = random.pick(rows);
        expect(addon.runColumns(kept.plan, row, 1), `seed ${SEED}`).toEqual(addon.runColumns(plain.plan, row, 1));
        expect(addon.resultsStats(results).bytes).toBeLessThanOrEqual(maxBytes);
      }
      const { hits, misses, evictions, entries } = addon.resultsStats(results);
      expect(hits + misses).toBe(400);
      if (maxBytes === 2 ** 30)
        expect({ hits: hits > 300, evictions, entries: entries === misses }).toEqual({
          hits: true,
          evictions: 0,
          entries: true,
        });
      if (maxBytes === 0) expect({ hits, entries, evictions }).toEqual({ hits: 0, entries: 0, evictions: 0 });
      if (maxBytes === 20_000) expect(evictions).toBeGreaterThan(10);
    },
  );

  it('are freed by stageForgetResults, by a new cache, and with their cache', () => {
    const { stage, plan } = everyKind();
    const results = resultsOf(2 ** 20, stage);
    const fill = () => addon.runColumns(plan, column('a'), 1);
    fill();
    expect(addon.resultsStats(results)).toMatchObject({ entries: 1, hits: 0, misses: 1 });
    addon.stageForgetResults(stage);
    expect(addon.resultsStats(results)).toMatchObject({ entries: 0, bytes: 0 });
    fill();
    expect(addon.resultsStats(results)).toMatchObject({ entries: 0, misses: 1 });
    addon.stageKeepResults(stage, results);
    fill();
    addon.stageKeepResults(stage, results); // caches again
    expect(addon.resultsStats(results)).toMatchObject({ entries: 0, bytes: 0 });
    const other = addon.resultsCreate(2 ** 20);
    addon.stageKeepResults(stage, other);
    fill();
    expect(addon.resultsStats(other)).toMatchObject({ entries: 1 });
    addon.resultsRelease(other);
    expect(fill()).toEqual(fill());
    expect(codeOf(() => addon.resultsStats(other))).toBe('ERR_NATIVE_HANDLE');
  });

  it('are freed when the stage is released, although a plan still runs the stage', () => {
    const program = new Program();
    program.output(program.call('map', [program.input('dense', 2)], ['dense', 2], [], [5]));
    const stage = addon.stageCreate(program.source(isa));
    const results = resultsOf(2 ** 20, stage);
    const plan = addon.planCreate({
      stages: [stage],
      wiring: [1, 1, 0, 1],
      inputs: [0],
      outputs: [1],
      maxInputBytes: 0,
    });
    const out = new Float64Array(2);
    addon.predictRows(plan, [Float64Array.of(1, 2)], 1, out);
    expect(addon.resultsStats(results)).toMatchObject({ entries: 1 });
    addon.stageRelease(stage);
    expect(addon.resultsStats(results)).toMatchObject({ entries: 0, bytes: 0 });
    const again = new Float64Array(2);
    addon.predictRows(plan, [Float64Array.of(1, 2)], 1, again);
    expect(again).toEqual(out);
    expect(addon.resultsStats(results)).toMatchObject({ hits: 0, misses: 1 });
    addon.planRelease(plan);
    program.free();
  });

  it.each([0, 2000, 20_000, 2 ** 30])(
    'of blocks of every kind of value in a cache of %i bytes have the same bits',
    (maxBytes) => {
      const [kept, plain] = [everyKind(), everyKind()];
      const results = resultsOf(maxBytes, kept.stage);
      const rows = Array.from({ length: 300 }, someRow);
      let lookedUp = 0;
      for (let time = 0; time < 120; time++) {
        const block = Array.from({ length: 1 + random.below(40) }, () => random.pick(rows));
        const columns = joined(block);
        const [got, want] = [kept, plain].map(({ plan }) => addon.runColumns(plan, columns, block.length));
        expect(got, `seed ${SEED}`).toEqual(want);
        lookedUp += block.length;
        expect(addon.resultsStats(results).bytes).toBeLessThanOrEqual(maxBytes);
      }
      const { hits, misses, entries, evictions } = addon.resultsStats(results);
      if (maxBytes === 2 ** 30) expect({ lookedUp: hits + misses, evictions }).toEqual({ lookedUp, evictions: 0 });
      if (maxBytes === 2 ** 30) expect(hits).toBeGreaterThan(lookedUp / 2);
      if (maxBytes === 0) expect({ hits, entries }).toEqual({ hits: 0, entries: 0 });
    },
  );

  it('of blocks with texts and dictionaries have the same bits, and single rows find them', () => {
    const [kept, plain] = [textsAndDictionaries(), textsAndDictionaries()];
    const results = resultsOf(2 ** 30, kept.stage);
    const packed = [0, 1].map((value) => Uint8Array.of(0, 1, 0, 0, 0, 97, 0, 0, 0, 0, 0, 0, 240 * value, 63 * value));
    const pairs = ['ab', 'c', 'a', 'bc', '', 'abc'];
    for (let time = 0; time < 60; time++) {
      const rows = 1 + random.below(5);
      const starts = Array.from({ length: rows }, () => 2 * random.below(3));
      const columns = [starts.flatMap((at) => pairs.slice(at, at + 2)), starts.map(() => random.pick(packed))];
      const [got, want] = [kept, plain].map(({ plan }) => addon.runColumns(plan, columns, rows));
      expect(got, `seed ${SEED}`).toEqual(want);
    }
    const { entries, hits } = addon.resultsStats(results);
    expect({ entries, isFound: hits > 60 }).toEqual({ entries: 6, isFound: true });
  });

  it('of chunks are shared by executors and this thread', () => {
    const program = new Program();
    program.output(program.call('map', [program.input('dense', 2)], ['dense', 2], [], [5]));
    releases.push(() => program.free());
    const { stage, plan } = stageAndPlan(program);
    const results = resultsOf(2 ** 20, stage);
    const scheduler = addon.schedulerCreate(() => undefined);
    releases.push(() => addon.schedulerClose(scheduler));
    const queue = addon.planSchedule(scheduler, plan, 0, 1, 1, 100);
    const columns = (from: number) => [Float64Array.from({ length: 80 }, (_, at) => from + at)];
    const onExecutor = (from: number) => {
      addon.chunkSubmit(scheduler, 0, queue, columns(from), 0, 40, 40);
      addon.executorRun(scheduler, 0, 1000, 0);
      const out = new Float64Array(80);
      expect(addon.chunkNext(scheduler)).toBe(0);
      expect(addon.chunkTake(scheduler, 0, out)).toBeUndefined();
      return out;
    };
    const here = (from: number) => {
      const out = new Float64Array(80);
      addon.predictRows(plan, columns(from), 40, out);
      return out;
    };
    addon.resultsSwitch(results, false);
    const [first, second] = [here(0), here(1000)];
    expect(onExecutor(0)).toEqual(first);
    addon.resultsSwitch(results, true);
    expect([onExecutor(0), onExecutor(0), here(0)]).toEqual([first, first, first]);
    expect(addon.resultsStats(results)).toMatchObject({ misses: 40, hits: 80, entries: 40 });
    expect([here(1000), onExecutor(1000)]).toEqual([second, second]);
    expect(addon.resultsStats(results)).toMatchObject({ misses: 80, hits: 120, entries: 80 });
    // 20 rows are cached, and 20 rows are new
    expect([...onExecutor(1040)].slice(0, 40)).toEqual([...second].slice(40));
    expect(addon.resultsStats(results)).toMatchObject({ misses: 100, hits: 140, entries: 100 });
    addon.chunkSubmit(scheduler, 0, queue, columns(0), 0, 40, 40);
    addon.stageForgetResults(stage); // before an executor runs the chunk
    addon.executorRun(scheduler, 0, 1000, 0);
    const out = new Float64Array(80);
    expect(addon.chunkNext(scheduler)).toBe(0);
    addon.chunkTake(scheduler, 0, out);
    expect(out).toEqual(first);
    expect(addon.resultsStats(results)).toMatchObject({ entries: 0, bytes: 0 });
  });

  it('of chunks with cached and new rows: executors reuse their vectors, as without a cache', () => {
    const [size, rows, chunks] = [4096, 32, 6];
    const program = new Program();
    program.output(program.call('map', [program.input('dense', size)], ['dense', size], [], [5]));
    releases.push(() => program.free());
    const { stage, plan } = stageAndPlan(program);
    const results = resultsOf(2 ** 30, stage);
    const answers = (isCached: boolean) => {
      addon.resultsSwitch(results, isCached);
      const scheduler = addon.schedulerCreate(() => undefined);
      releases.push(() => addon.schedulerClose(scheduler));
      const queue = addon.planSchedule(scheduler, plan, 0, 1, 1, 100);
      for (let chunk = 0; chunk < chunks; chunk++) {
        // A quarter of the rows are rows of the previous chunk.
        const numbers = Float64Array.from({ length: size * rows }, (_, at) => (chunk * size * rows * 3) / 4 + at);
        addon.chunkSubmit(scheduler, chunk, queue, [numbers], 0, rows, rows);
      }
      while (addon.executorRun(scheduler, 0, 1000, 0) === 1); // until no chunk waits
      const outs = Array.from({ length: chunks }, (_, chunk) => {
        const out = new Float64Array(size * rows);
        expect(addon.chunkNext(scheduler)).toBe(chunk);
        expect(addon.chunkTake(scheduler, chunk, out)).toBeUndefined();
        return out;
      });
      expect(addon.groupStats(scheduler, 0)).toMatchObject({ chunks, overflows: 0 });
      return outs;
    };
    const [cached, plain] = [answers(true), answers(false)];
    expect(addon.resultsStats(results)).toMatchObject({ hits: ((chunks - 1) * rows) / 4 });
    for (let chunk = 0; chunk < chunks; chunk++) expect(firstDifference(cached[chunk]!, plain[chunk]!)).toBe(-1);
  });

  it('of a rejected block are released: afterwards only the cache holds them', () => {
    const [size, rows] = [20_000, 200];
    const program = new Program();
    const [sparse, dense] = [program.input('sparse', size), program.input('dense', 1, 'int64')];
    program.output(program.call('weight', [sparse], ['sparse', size], [new Float32Array(size).fill(2)]));
    program.output(program.call('narrow', [dense], ['dense', 1, 'int32'], [], [32, 1, 1]));
    releases.push(() => program.free());
    const { stage, plan } = stageAndPlan(program);
    const results = resultsOf(2 ** 30, stage);
    const entries = {
      offsets: Uint32Array.from({ length: rows + 1 }, (_, row) => row * size),
      ids: Uint32Array.from({ length: rows * size }, (_, at) => at % size),
      values: new Float32Array(rows * size).fill(1),
    };
    const numbers = BigInt64Array.from({ length: rows }, (_, row) => BigInt(row));
    addon.runColumns(plan, [entries, numbers], rows);
    numbers[rows - 1] = 2n ** 40n; // does not fit in int32; the other rows are cached
    expect(codeOf(() => addon.runColumns(plan, [entries, numbers], rows))).toBe('ERR_NATIVE_INPUT');
    expect(addon.resultsStats(results)).toMatchObject({ entries: rows, hits: rows - 1 });
    const resident = process.memoryUsage.rss();
    addon.stageForgetResults(stage);
    // Each of the 200 results has 160 KB, and a key of 160 KB.
    if (!isSanitized) expect(resident - process.memoryUsage.rss()).toBeGreaterThan(40 << 20);
  });

  it('are not used by profileRows, or while the cache is switched off', () => {
    const program = new Program();
    program.output(program.call('map', [program.input('dense', 1)], ['dense', 1], [], [5]));
    releases.push(() => program.free());
    const { stage, plan } = stageAndPlan(program);
    const results = resultsOf(2 ** 20, stage);
    const one = Float64Array.of(1);
    addon.profileRows(plan, [one], 1, new Float64Array(1), new Float64Array(1));
    addon.resultsSwitch(results, false);
    addon.predictRows(plan, [one], 1, new Float64Array(1));
    expect(addon.resultsStats(results)).toMatchObject({ hits: 0, misses: 0, entries: 0 });
    addon.resultsSwitch(results, true);
    for (let time = 0; time < 2; time++) addon.predictRows(plan, [one], 1, new Float64Array(1));
    expect(addon.resultsStats(results)).toMatchObject({ hits: 1, misses: 1, entries: 1 });
  });

  it('are not added while inputs never repeat, and are added when inputs repeat', () => {
    const program = new Program();
    program.output(program.call('map', [program.input('dense', 1, 'float32')], ['dense', 1], [], [5]));
    releases.push(() => program.free());
    const { stage, plan } = stageAndPlan(program);
    const results = resultsOf(2 ** 26, stage);
    const out = new Float64Array(1);
    const run = (value: number) => addon.predictRows(plan, [Float64Array.of(value)], 1, out);
    for (let value = 0; value < 5000; value++) run(value);
    const { entries } = addon.resultsStats(results);
    expect(entries).toBeLessThan(600);
    for (let time = 0; time < 20; time++) for (let value = 10_000; value < 10_500; value++) run(value);
    const before = addon.resultsStats(results);
    expect(before.entries).toBeGreaterThan(entries);
    for (let value = 10_000; value < 10_500; value++) run(value);
    expect(addon.resultsStats(results).hits - before.hits).toBeGreaterThan(400);
  });

  it('have functions that reject invalid arguments', () => {
    const { stage } = everyKind();
    const results = resultsOf(0);
    for (const wrong of [-1, Number.NaN, 2 ** 60, '1', undefined])
      expect(codeOf(() => addon.resultsCreate(wrong as number))).toBe('ERR_NATIVE_ARGUMENT');
    for (const stale of [0, -1, 1.5, 2 ** 52, results + 1000, Number.NaN]) {
      expect(
        codeOf(() => addon.resultsStats(stale as ResultsHandle)),
        String(stale),
      ).toBe('ERR_NATIVE_HANDLE');
      expect(codeOf(() => addon.stageKeepResults(stage, stale as ResultsHandle))).toBe('ERR_NATIVE_HANDLE');
      expect(codeOf(() => addon.stageForgetResults(stale as StageHandle))).toBe('ERR_NATIVE_HANDLE');
    }
    expect(codeOf(() => addon.resultsSwitch(results, 1 as never))).toBe('ERR_NATIVE_ARGUMENT');
  });
});

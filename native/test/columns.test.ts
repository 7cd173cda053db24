import type * as Native from '@brezel/native';
import { afterEach, describe, expect, it } from 'vitest';
import { seed as SEED } from '../../testing/seed.js';
import { Random } from './blobs.js';
import { addon, codeOf, type DTypeName, isas, Program } from './harness.js';

/** Tests `runColumns`: input and output columns of every kind, and invalid arguments. */

const random = new Random(SEED);
const isa = isas.at(-1)!;
/** More rows than a block of the addon, and not a multiple of a block. */
const ROWS = 613;

let program = new Program();
afterEach(() => {
  program.free();
  program = new Program();
});

type Sparse = Extract<Native.NativeColumn, { ids: Uint32Array }>;

function sparseRows(rows: number, size: number): Sparse {
  const lists = Array.from({ length: rows }, () => {
    const ids = Array.from({ length: size }, (_, id) => id).filter(() => random.next() < 0.4);
    return ids.sort(() => random.next() - 0.5);
  });
  const offsets = Uint32Array.from({ length: rows + 1 }, (_, row) => lists.slice(0, row).flat().length);
  const ids = Uint32Array.from(lists.flat());
  return { offsets, ids, values: Float32Array.from(ids, () => random.next()) };
}

describe('runColumns', () => {
  it('reads and returns sparse rows', () => {
    const input = program.input('sparse', 9);
    program.output(
      program.call(
        'select_sparse',
        [input],
        ['sparse', 4],
        [Int32Array.from({ length: 9 }, (_, id) => (id % 2 ? (id - 1) / 2 : -1))],
      ),
    );
    const plan = program.plan(isa);
    const given = sparseRows(ROWS, 9);
    const [got] = addon.runColumns(plan, [given], ROWS) as [Sparse];
    const kept = Array.from(given.ids, (id, at) => ({ id, at })).filter(({ id }) => id % 2);
    expect(Array.from(got.ids)).toEqual(kept.map(({ id }) => (id - 1) / 2));
    expect(got.values).toEqual(Float32Array.from(kept, ({ at }) => given.values[at]!));
    const counts = Array.from(
      { length: ROWS },
      (_, row) => given.ids.subarray(given.offsets[row]!, given.offsets[row + 1]!).filter((id) => id % 2).length,
    );
    expect(Array.from({ length: ROWS }, (_, row) => got.offsets[row + 1]! - got.offsets[row]!)).toEqual(counts);
    expect(codeOf(() => addon.predictRows(plan, [new Float64Array(9)], 1, new Float64Array(4)))).toBe(
      'ERR_NATIVE_ARGUMENT',
    );
  });

  it('reads and returns texts, and returns unchanged inputs', () => {
    const bytes = (text: string) => new TextEncoder().encode(text);
    const input = program.input('text');
    program.output(program.call('impute_text', [input], ['text'], [bytes(''), bytes('keiné')]));
    const stage = addon.stageCreate(program.source(isa));
    const plan = addon.planCreate({
      stages: [stage],
      wiring: [1, 1, 0, 1],
      inputs: [0],
      outputs: [1, 0],
      maxInputBytes: 100,
    });
    const texts = Array.from({ length: ROWS }, (_, row) => (row % 3 ? `naïve 😀 ${row}\0` : ''));
    expect(addon.runColumns(plan, [texts], ROWS)).toEqual([texts.map((text) => text || 'keiné'), texts]);
    expect(addon.runColumns(plan, [[]], 0)).toEqual([[], []]);
    expect(codeOf(() => addon.predictText(plan, 'x', new Float64Array(2)))).toBe('ERR_NATIVE_ARGUMENT');
    expect(codeOf(() => addon.runColumns(plan, [['x'.repeat(101)]], 1))).toBe('ERR_NATIVE_INPUT');
    addon.planRelease(plan);
    addon.stageRelease(stage);
  });

  it.each([
    ['float32', Float32Array.of(1.5, Number.NaN, -0)],
    ['float64', Float64Array.of(0.1, 1e300, -0)],
    ['int64', BigInt64Array.of(2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n)],
    ['int32', Int32Array.of(2 ** 31 - 1, -(2 ** 31), 0)],
    ['bool', Uint8Array.of(1, 0, 1)],
  ] as const)('takes and gives %s bit for bit', (dtype, values) => {
    const input = program.input('dense', 3, dtype as DTypeName);
    program.output(program.call('select_columns', [input], ['dense', 2, dtype as DTypeName], [Int32Array.of(2, 0)]));
    const many = Array.from({ length: ROWS }, () => [...(values as Iterable<number | bigint>)]).flat();
    const column = (values.constructor as unknown as { from(list: unknown): Float32Array }).from(many);
    const wanted = Array.from({ length: ROWS }, () => [values[2]!, values[0]!]).flat();
    const plan = program.plan(isa);
    expect(addon.runColumns(plan, [column], ROWS)).toEqual([
      (values.constructor as never as typeof Array).from(wanted),
    ]);
    const others = [Float32Array, Float64Array, BigInt64Array, Int32Array, Uint8Array, Uint32Array]
      .filter((one) => one !== values.constructor)
      .map((one) => new one(3));
    for (const other of [...others, [], null, {}, column.subarray(1)])
      expect(codeOf(() => addon.runColumns(plan, [other as Float32Array], ROWS))).toBe('ERR_NATIVE_ARGUMENT');
  });

  it('adds up the time of each stage if the caller passes an array', () => {
    program.output(program.call('densify', [program.input('sparse', 3)], ['dense', 3]));
    const plan = program.plan(isa);
    const times = new Float64Array(1);
    addon.runColumns(plan, [sparseRows(ROWS, 3)], ROWS, times);
    expect(times[0]).toBeGreaterThan(0);
    for (const wrong of [new Float64Array(0), new Float32Array(1), null, 1])
      expect(codeOf(() => addon.runColumns(plan, [sparseRows(1, 3)], 1, wrong as never))).toBe('ERR_NATIVE_ARGUMENT');
  });
});

// `npm run sanitize` finds a null address that reaches memcpy, even for 0 bytes.
it.each<[string, readonly number[], number]>([
  ['concat', [], 2],
  ['normalize', [1], 1],
])('%s takes rows without entries', (kernel, attributes, inputs) => {
  // the buffers of these slots are new, because no earlier test has so many slots
  for (let unused = 0; unused < 500; unused++) program.slot('dense');
  const sparse = Array.from({ length: inputs }, () => program.input('sparse', 3));
  program.output(program.call(kernel, sparse, ['sparse', 3 * inputs], [], attributes));
  const none = { offsets: new Uint32Array(3), ids: new Uint32Array(0), values: new Float32Array(0) };
  expect(addon.runColumns(program.plan(isa), new Array<Sparse>(inputs).fill(none), 2)).toEqual([none]);
});

describe('invalid sparse columns', () => {
  const good = () => ({ offsets: Uint32Array.of(0, 2, 3), ids: Uint32Array.of(0, 2, 1), values: new Float32Array(3) });
  const code = (edit: object | null) => {
    program.output(program.call('densify', [program.input('sparse', 3)], ['dense', 3]));
    const plan = program.plan(isa);
    const column = edit === null ? edit : { ...good(), ...edit };
    return codeOf(() => addon.runColumns(plan, [column as Sparse], 2));
  };

  it('are accepted if they are valid', () => expect(code({})).toBeUndefined());
  it.each([
    ['no object', null],
    ['no ids', { ids: undefined }],
    ['ids of another type', { ids: new Int32Array(3) }],
    ['an id beyond the columns', { ids: Uint32Array.of(0, 3, 1) }],
    ['fewer values than ids', { values: new Float32Array(2) }],
    ['offsets that fall', { offsets: Uint32Array.of(0, 3, 2) }],
    ['offsets beyond the ids', { offsets: Uint32Array.of(0, 2, 4) }],
    ['too few offsets', { offsets: Uint32Array.of(0, 3) }],
    [
      'more entries than columns',
      { offsets: Uint32Array.of(0, 0, 4), ids: new Uint32Array(4), values: new Float32Array(4) },
    ],
    ['an offset that wraps', { offsets: Uint32Array.of(0xffffffff, 0, 1) }],
  ])('%s', (_, edit) => expect(code(edit)).toBe('ERR_NATIVE_ARGUMENT'));

  it('that change while other columns are read', () => {
    const [text, sparse] = [program.input('text'), program.input('sparse', 3)];
    program.output(program.call('impute_text', [text], ['text'], [new Uint8Array(1), new Uint8Array(1)]));
    program.output(program.call('densify', [sparse], ['dense', 3]));
    const plan = program.plan(isa);
    const column = good();
    const texts: string[] = ['a', 'b'];
    Object.defineProperty(texts, 1, {
      get: () => {
        structuredClone(column.ids, { transfer: [column.ids.buffer] });
        return 'b';
      },
    });
    expect(codeOf(() => addon.runColumns(plan, [texts, column], 2))).toBe('ERR_NATIVE_ARGUMENT');
    const thrown = Object.defineProperty(['a'], 0, {
      get: () => {
        throw new RangeError('mine');
      },
    });
    expect(() => addon.runColumns(plan, [thrown, good()], 2)).toThrow(RangeError);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { seed as SEED } from '../../testing/seed.js';
import { Random, wordDictionary } from './blobs.js';
import { addon, codeOf, isas, Program } from './harness.js';

/**
 * Tests rows of several texts and of dictionaries: as input, as output, through a scheduler, and
 * with invalid bytes.
 */

const random = new Random(SEED);
const isa = isas.at(-1)!;
/** More rows than a block of the addon, and not a multiple of a block. */
const ROWS = 613;

let program = new Program();
afterEach(() => {
  program.free();
  program = new Program();
});

const encoder = new TextEncoder();
const words = (...list: string[]) =>
  wordDictionary({
    grams: list.map((word, column) => ({ symbols: [word], column })),
    columns: list.length,
    minN: 1,
    maxN: 1,
    seed: 5,
    load: 0.7,
  });

type Value = number | bigint | string | readonly string[];

/** Packs a row in the format of native/src/packed_dictionary.hpp. */
function packed(entries: readonly (readonly [key: string, value: Value])[]): Uint8Array {
  const number = (write: (view: DataView) => void) => {
    const bytes = new Uint8Array(8);
    write(new DataView(bytes.buffer));
    return [...bytes];
  };
  const length = (count: number) => [...new Uint8Array(Uint32Array.of(count).buffer)];
  const text = (one: string) => [...length(encoder.encode(one).length), ...encoder.encode(one)];
  const taggedValue = (value: Value): [tag: number, bytes: number[]] => {
    if (typeof value === 'number') return [0, number((view) => view.setFloat64(0, value, true))];
    if (typeof value === 'bigint') return [1, number((view) => view.setBigInt64(0, value, true))];
    if (typeof value === 'string') return [2, text(value)];
    return [3, [...length(value.length), ...value.flatMap(text)]];
  };
  return Uint8Array.from(
    entries.flatMap(([key, value]) => {
      const [tag, bytes] = taggedValue(value);
      return [tag, ...text(key), ...bytes];
    }),
  );
}

describe('several texts per row', () => {
  const some = () => random.pick(['', '1', '-2.5', ' 3e2 ', 'x', 'é😀', 'y'.repeat(40)]);

  it('are read and returned', () => {
    const texts = program.input('text', 3);
    program.output(program.call('parse_number', [texts], ['dense', 3, 'float64'], [], [0]));
    program.output(texts);
    const numbers = program.input('dense', 2, 'int32');
    program.output(program.call('format_number', [numbers], ['text', 2]));
    const given = Array.from({ length: ROWS * 3 }, some);
    const integers = Int32Array.from({ length: ROWS * 2 }, (_, at) => at * 1_000_003);
    const want = given.map((text) => (/^(|x|é😀|y+)$/.test(text) ? Number.NaN : Number(text)));
    expect(addon.runColumns(program.plan(isa), [given, integers], ROWS)).toEqual([
      Float64Array.from(want),
      given,
      Array.from(integers, String),
    ]);
  });

  it('run in a scheduler, which finds the rejected row', () => {
    program.output(
      program.call('index_of_text', [program.input('text', 2)], ['dense', 2, 'int64'], [words('a', 'b')], [2, 1]),
    );
    const plan = program.plan(isa);
    const scheduler = addon.schedulerCreate(() => {});
    const queue = addon.planSchedule(scheduler, plan, 0, 1, 1, 100);
    const good = ['a', 'b', 'b', 'b', 'b', 'a'];
    const answer = (texts: readonly string[]) => {
      addon.chunkSubmit(scheduler, 0, queue, [texts], 1, texts.length / 2, texts.length / 2);
      addon.executorRun(scheduler, 0, 1000, 0);
      expect(addon.chunkNext(scheduler)).toBe(0);
      const out = new Float64Array(texts.length - 2);
      return addon.chunkTake(scheduler, 0, out) ?? [...out];
    };
    expect(answer(good)).toEqual([1, 1, 1, 0]);
    expect(answer([...good, 'a', 'c'])).toEqual({ end: 'refused', row: 2, message: 'an unknown category' });
    addon.schedulerClose(scheduler);
  });

  it('are rejected where a kernel or a call expects one text', () => {
    program.output(program.call('key_map', [program.input('text', 2)], ['dense', 1, 'int64'], [words('a')]));
    expect(codeOf(() => program.plan(isa))).toBe('ERR_NATIVE_PROGRAM');
    program = new Program();
    program.output(program.call('parse_number', [program.input('text', 2)], ['dense', 2], [], [0]));
    const plan = program.plan(isa, 4);
    expect(codeOf(() => addon.predictText(plan, '1', new Float64Array(2)))).toBe('ERR_NATIVE_ARGUMENT');
    const code = (texts: readonly string[]) => codeOf(() => addon.predictRows(plan, [texts], 1, new Float64Array(2)));
    expect([code(['1', '2']), code(['1']), code(['1', '2.000'])]).toEqual([
      undefined,
      'ERR_NATIVE_INPUT',
      'ERR_NATIVE_INPUT',
    ]);
  });

  it.each([
    ['another number of numbers than texts', ['text', 2], ['dense', 3]],
    ['a dense input', ['dense', 2], ['dense', 2]],
  ] as const)('parse_number rejects %s', (_, [kind, size], output) => {
    program.output(program.call('parse_number', [program.input(kind, size)], output, [], [0]));
    expect(codeOf(() => program.plan(isa))).toBe('ERR_NATIVE_PROGRAM');
  });
});

describe('dictionaries', () => {
  const row = [
    ['a', 0.1],
    ['b', ['x', 'é', 'x']],
    ['', 7n],
    ['c', 'x'],
  ] as const;

  it('are looked up and hashed on every instruction set', () => {
    for (const one of isas) {
      program.free();
      program = new Program();
      const input = program.input('dictionary');
      const known = words('b=x', 'a', 'c=y', '');
      program.output(program.call('dict_vectorizer', [input], ['sparse', 4], [known, encoder.encode('=')]));
      program.output(program.call('feature_hasher', [input], ['sparse', 1], [], [0]));
      const out = program.run(one, [[packed(row), packed([]), packed(row.slice(0, 1))]], 3);
      const tenth = Math.fround(0.1);
      const sum = [1, 1, 1, 7, 1].reduce((before, number) => Math.fround(before + number), tenth);
      expect([...out]).toEqual([2, tenth, 0, 7, sum, 0, 0, 0, 0, 0, 0, tenth, 0, 0, tenth]);
    }
  });

  it('return values of the type of a slot, and reject other types', () => {
    const look = (dtype: 'float64' | 'int64', entries: Parameters<typeof packed>[0], refuses = 0) => {
      program.free();
      program = new Program();
      const parameters = [words('a', 'b'), new Uint8Array()];
      const input = program.input('dictionary');
      program.output(program.call('dictionary_lookup', [input], ['dense', 2, dtype], parameters, [refuses]));
      return Array.from(addon.runColumns(program.plan(isa), [[packed(entries)]], 1)[0] as Iterable<number>);
    };
    const numbers = [
      ['b', -0],
      ['z', 1],
    ] as const;
    expect(look('float64', numbers)).toEqual([0, -0]);
    expect(look('int64', [['a', 2n ** 62n + 1n]])).toEqual([2n ** 62n + 1n, 0n]);
    const code = (entries: Parameters<typeof packed>[0], refuses = 0) =>
      codeOf(() => look('float64', entries, refuses));
    expect(code(numbers, 1)).toBe('ERR_NATIVE_INPUT');
    expect(code([['a', 'text']])).toBe('ERR_NATIVE_INPUT');
    expect(code([['a', ['text']]])).toBe('ERR_NATIVE_INPUT');
    expect(code([['z', 'text']])).toBeUndefined();
  });

  it('return texts', () => {
    const parameters = [words('a', 'b'), encoder.encode('—')];
    program.output(program.call('dictionary_lookup', [program.input('dictionary')], ['text', 2], parameters, [0]));
    const plan = program.plan(isa);
    // biome-ignore format: one line
    const rows = [packed([['b', 'x'.repeat(99)], ['z', '']]), packed([['a', '']]), packed([])];
    expect(addon.runColumns(plan, [rows], 3)).toEqual([['—', 'x'.repeat(99), '', '—', '—', '—']]);
    expect(codeOf(() => addon.runColumns(plan, [[packed([['a', 1]])]], 1))).toBe('ERR_NATIVE_INPUT');
  });

  it.each([
    ['more keys than columns', ['dense', 1] as const, [words('a', 'b'), new Uint8Array()]],
    ['a text that is no UTF-8', ['text', 2] as const, [words('a', 'b'), Uint8Array.of(0xff)]],
    ['what is no dictionary of words', ['dense', 2] as const, [new Uint8Array(200), new Uint8Array()]],
  ])('a lookup refuses %s', (_, output, parameters) => {
    program.output(program.call('dictionary_lookup', [program.input('dictionary')], output, parameters, [0]));
    expect(codeOf(() => program.plan(isa))).toMatch(/^ERR_NATIVE_(PROGRAM|PARAMETER)$/);
  });

  it('cannot be an output or a vector', () => {
    const dictionary = program.input('dictionary');
    program.output(dictionary);
    expect(codeOf(() => program.plan(isa))).toBe('ERR_NATIVE_PROGRAM');
    program = new Program();
    program.output(program.call('concat', [program.input('dictionary')], ['dense', 1]));
    expect(codeOf(() => program.plan(isa))).toBe('ERR_NATIVE_PROGRAM');
    program = new Program();
    program.output(program.call('densify', [program.input('dictionary')], ['dense', 1]));
    expect(codeOf(() => program.plan(isa))).toBe('ERR_NATIVE_PROGRAM');
  });

  it('with damaged bytes are rejected', () => {
    const input = program.input('dictionary');
    program.output(program.call('feature_hasher', [input], ['sparse', 8], [], [1]));
    program.output(program.call('dictionary_lookup', [input], ['dense', 2], [words('', 'q'), new Uint8Array()], [0]));
    const plan = program.plan(isa);
    const out = new Float64Array(10);
    const run = (bytes: unknown) => codeOf(() => addon.predictRows(plan, [[bytes as Uint8Array]], 1, out));
    const sound = packed(row);
    expect(run(sound)).toBeUndefined();
    // A row that ends after any of its entries is also valid.
    const ends = new Set(row.map((_, at) => packed(row.slice(0, at)).length));
    for (let length = 0; length < sound.length; length++)
      expect(run(sound.subarray(0, length)), `${length} bytes`).toBe(ends.has(length) ? undefined : 'ERR_NATIVE_INPUT');
    let refused = 0;
    for (let time = 0; time < 2000; time++) {
      const bytes = sound.slice();
      // biome-ignore format: one line
      for (let edits = random.below(3); edits >= 0; edits--) bytes[random.below(bytes.length)] = random.pick([0, 1, 2, 3, 4, 97, 255]);
      const code = run(bytes);
      if (code !== undefined) expect(code, `seed ${SEED}`).toBe('ERR_NATIVE_INPUT');
      refused += code === undefined ? 0 : 1;
    }
    expect(refused).toBeGreaterThan(500);
    for (const wrong of ['text', undefined, new Float64Array(1), new Int8Array(1), { length: 1 }])
      expect(run(wrong)).toBe('ERR_NATIVE_INPUT');
  });
});

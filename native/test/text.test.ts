import { afterEach, describe, expect, it } from 'vitest';
import { seed as SEED } from '../../testing/seed.js';
import { characterDictionary, Random, textMap, textProgram, wordDictionary } from './blobs.js';
import { addon, codeOf, firstDifference, isas, Program } from './harness.js';

/**
 * Compares kernels of texts, except n-gram counting, with their definitions in native/README.md.
 * Also tests invalid blobs.
 */

const random = new Random(SEED);

let program = new Program();
afterEach(() => {
  program.free();
  program = new Program();
});

/**
 * The characters and the pairs of characters that `everything` counts, each in a separate column.
 */
const alphabet = [...'abcdexyz ABCÄäéßΣςσ中😀\0!2'];
const characters = textProgram({ mode: 'characters', minimumRun: 1, fold: (code) => code, isInClass: () => true });
const everything = characterDictionary(
  {
    grams: [
      ...alphabet.map((one, column) => ({ symbols: [one], column })),
      ...alphabet.flatMap((one, at) =>
        alphabet.map((other, column) => ({ symbols: [one, other], column: alphabet.length * (at + 1) + column })),
      ),
    ],
    columns: alphabet.length * (alphabet.length + 1),
    minN: 1,
    maxN: 2,
    seed: 3,
    load: 0.8,
  },
  2,
);

function pairsOf(text: string): number[] {
  const counts = new Array<number>(alphabet.length * (alphabet.length + 1)).fill(0);
  const symbols = [...text];
  symbols.forEach((one, at) => {
    const first = alphabet.indexOf(one);
    if (first < 0) return;
    counts[first]!++;
    const second = alphabet.indexOf(symbols[at + 1] ?? '');
    if (second >= 0) counts[alphabet.length * (first + 1) + second]!++;
  });
  return counts;
}

/**
 * Runs a kernel that maps a text to a text, on every instruction set. Compares the counts
 * of characters and of their pairs in the results.
 */
function expectTexts(
  kernel: string,
  parameters: readonly Uint8Array[],
  texts: readonly string[],
  want: (text: string) => string,
  attributes: readonly number[] = [],
): void {
  const mapped = program.call(kernel, [program.input('text')], ['text'], parameters, attributes);
  program.output(program.call('text_ngram', [mapped], ['sparse', pairsOf('').length], [characters, everything], [0]));
  const expected = texts.flatMap((text) => pairsOf(want(text)));
  for (const isa of isas) {
    const at = firstDifference(program.run(isa, [texts], texts.length), expected);
    expect(at, `${isa}, seed ${SEED}: ${JSON.stringify(texts[Math.floor(at / pairsOf('').length)])}`).toBe(-1);
  }
}

const someText = (most: number) =>
  Array.from({ length: random.below(most) }, () => random.pick(random.next() < 0.7 ? [...'abxyz  '] : alphabet)).join(
    '',
  );
const texts = Array.from({ length: 300 }, (_, at) => someText(at % 10 === 0 ? 300 : 40));

const expansions: Readonly<Record<string, string>> = {
  A: 'a',
  Ä: 'ae',
  ä: 'ae',
  ß: 'ss',
  é: '',
  x: '',
  中: 'zyzyzyzyz',
  B: 'b',
};
const expanded = (code: number) =>
  [...(expansions[String.fromCodePoint(code)] ?? String.fromCodePoint(code))].map((one) => one.codePointAt(0)!);
const withoutX = textMap({ map: expanded });
const cased = (code: number) => /[a-zA-Z中]/u.test(String.fromCodePoint(code));
const ignorable = (code: number) => code === 0x21 || code === 0x1f600; // ! and 😀
const sigmas = textMap({
  map: (code) => (code === 0x78 ? [0x7a] : [code]),
  sigma: { final: [0x3c2], other: [0x3c3, 0x3c3], isCased: cased, isIgnorable: ignorable },
});

describe('map_text', () => {
  it('replaces code points by none, one or several', () => {
    expectTexts('map_text', [withoutX], texts, (text) => [...text].map((one) => expansions[one] ?? one).join(''));
  });

  it('folds a sigma at the end of a word', () => {
    const final = (text: string) =>
      text.replaceAll('x', 'z').replace(/Σ/gu, (_, at: number) => {
        const before = /[a-zA-Z中][!😀]*$/u.test(text.slice(0, at));
        const behind = /^[!😀]*[a-zA-Z中]/u.test(text.slice(at + 1));
        return before && !behind ? 'ς' : 'σσ';
      });
    const around = Array.from({ length: 300 }, () =>
      Array.from({ length: random.below(20) }, () => random.pick([...'aΣ!😀 é'])).join(''),
    );
    expectTexts('map_text', [sigmas], [...texts, ...around], final);
  });

  it('grows with the text', () => {
    expectTexts('map_text', [withoutX], ['中'.repeat(20_000), 'x'.repeat(20_000), ''], (text) =>
      [...text].map((one) => expansions[one] ?? one).join(''),
    );
  });
});

it('mark_ends', () => {
  expectTexts('mark_ends', [], texts, (text) => text && `\x02${text}\x03`, [2, 3]);
});

it('collapse_spaces', () => {
  expectTexts('collapse_spaces', [], texts, (text) => text.replace(/\s{2,}/gu, ' '));
});

it('impute_text', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const given = ['a', '', 'ab', 'a', 'a\0', 'b'];
  expectTexts('impute_text', [bytes('a'), bytes('xyz 中')], given, (text) => (text === 'a' ? 'xyz 中' : text));
  program.free();
  program = new Program();
  expectTexts('impute_text', [bytes(''), bytes('')], given, (text) => text);
});

it('key_map', () => {
  const keys = ['a', '', 'Ä', 'a key of more than fifteen bytes', '\0'];
  const dictionary = wordDictionary({
    grams: keys.map((key, column) => ({ symbols: [key], column })),
    columns: keys.length,
    minN: 1,
    maxN: 1,
    seed: 5,
    load: 0.9,
  });
  program.output(program.call('key_map', [program.input('text')], ['dense', 1, 'int64'], [dictionary]));
  const asked = [...keys, 'b', 'a ', 'a key of more than fifteen bytez', '\0\0'];
  for (const isa of isas) expect([...program.run(isa, [asked], asked.length)]).toEqual([1, 2, 3, 4, 5, 0, 0, 0, 0]);
});

it('one_hot_hash', () => {
  program.output(program.call('one_hot_hash', [program.input('dense', 1, 'int64')], ['sparse', 4], [], [0]));
  // MurmurHash3 of eight zero bytes is 0x63852afc.
  for (const isa of isas) expect([...program.run(isa, [Float64Array.of(0, 0)], 2)]).toEqual([1, 0, 0, 0, 1, 0, 0, 0]);
  program.free();
  program = new Program();
  program.output(program.call('one_hot_hash', [program.input('dense', 1, 'int64')], ['sparse', 6], [], [0]));
  expect(codeOf(() => program.plan(isas[0]!))).toBe('ERR_NATIVE_PROGRAM');
});

describe('invalid parameters of stages', () => {
  const runs = textProgram({ mode: 'runs', minimumRun: 1, fold: (code) => code, isInClass: (code) => code > 32 });
  const words = wordDictionary({
    grams: ['a', 'bc'].map((word, column) => ({ symbols: [word], column })),
    columns: 2,
    minN: 1,
    maxN: 1,
    seed: 1,
    load: 0.8,
  });
  const letters = characterDictionary(
    { grams: [{ symbols: ['a'], column: 0 }], columns: 1, minN: 1, maxN: 1, seed: 1, load: 0.8 },
    1,
  );
  type Output = readonly ['text' | 'sparse' | 'dense', number?, 'int64'?];
  const codeFor = (
    kernel: string,
    output: Output,
    parameters: readonly Uint8Array[],
    attributes: readonly number[] = [],
  ) => {
    const one = new Program();
    one.output(one.call(kernel, [one.input('text')], output, parameters, attributes));
    try {
      return codeOf(() => addon.stageCreate(one.source(isas[0]!)));
    } finally {
      one.free();
    }
  };
  const [program_, parameter] = ['ERR_NATIVE_PROGRAM', 'ERR_NATIVE_PARAMETER'];
  const hash = [0, 1, 2, -1, 1, 1, 0];

  it.each<[string, readonly [string, Output, readonly Uint8Array[], (readonly number[])?], string | undefined]>([
    ['hashed n-grams', ['hash_ngram', ['sparse', 8], [runs], hash], undefined],
    ['with stop words', ['hash_ngram', ['sparse', 8], [runs, words], hash], undefined],
    ['of characters as symbols', ['hash_ngram', ['sparse', 8], [characters], hash], program_],
    ['stop words of characters', ['hash_ngram', ['sparse', 8], [runs, letters], hash], program_],
    ['another unit', ['hash_ngram', ['sparse', 8], [runs], [3, ...hash.slice(1)]], program_],
    ['n of 0', ['hash_ngram', ['sparse', 8], [runs], [0, 0, ...hash.slice(2)]], program_],
    ['n of 65', ['hash_ngram', ['sparse', 8], [runs], [0, 1, 65, ...hash.slice(3)]], program_],
    ['n the wrong way round', ['hash_ngram', ['sparse', 8], [runs], [0, 3, 2, ...hash.slice(3)]], program_],
    ['dense hashes', ['hash_ngram', ['dense', 8], [runs], hash], program_],
    ['an attribute too few', ['hash_ngram', ['sparse', 8], [runs], hash.slice(1)], program_],
    ['characters of words', ['word_char_ngram', ['sparse', 1], [runs, letters], [2, 0, 1]], undefined],
    ['words for characters', ['word_char_ngram', ['sparse', 2], [runs, words], [1, 0, 1]], program_],
    ['another number of columns', ['word_char_ngram', ['sparse', 2], [runs, letters], [1, 0, 1]], program_],
    ['minN of 0', ['word_char_ngram', ['sparse', 1], [runs, letters], [0, 0, 1]], program_],
    ['a negative minN', ['word_char_ngram', ['sparse', 1], [runs, letters], [-1, 0, 1]], program_],
    ['no text program', ['word_char_ngram', ['sparse', 1], [letters, letters], [1, 0, 1]], parameter],
    [
      'token stop words among characters',
      ['text_ngram', ['sparse', pairsOf('').length], [characters, everything, words], [0, 1]],
      program_,
    ],
    ['a map', ['map_text', ['text'], [withoutX]], undefined],
    ['a map that is none', ['map_text', ['text'], [runs]], parameter],
    ['an empty map', ['map_text', ['text'], [new Uint8Array()]], parameter],
    ['a value that is no UTF-8', ['impute_text', ['text'], [Uint8Array.of(0x61), Uint8Array.of(0xff)]], parameter],
    ['a value that is too long', ['impute_text', ['text'], [Uint8Array.of(), new Uint8Array(65_537)]], parameter],
    ['keys of characters', ['key_map', ['dense', 1, 'int64'], [letters]], program_],
    ['two keys at once', ['key_map', ['dense', 2, 'int64'], [words]], program_],
  ])('%s', (_, [kernel, output, parameters, attributes], code) => {
    expect(codeFor(kernel, output, parameters, attributes)).toBe(code === undefined ? undefined : code);
  });

  it.each([
    [0x80, 0x10ffff, undefined],
    [0x10ffff, 0, undefined],
    [0x10ffff, 0x110000, parameter],
    [0x10ff00, 0x110000, parameter],
    [0x80, -1, parameter],
    [0xff, -1, parameter],
    [0x3042, -1, parameter],
    [0x3042, 0x10ffff, undefined],
    [0x3042, 0x110000, parameter],
  ])('a code point that is folded: %i to %i', (from, to, code) => {
    const fold = (one: number) => (one === from ? to : one);
    const program = textProgram({ mode: 'runs', minimumRun: 1, fold, isInClass: () => true });
    expect(codeFor('hash_ngram', ['sparse', 8], [program], hash)).toBe(code);
  });

  /** Changes a few bytes of a blob, often in its header. */
  function flipped(blob: Uint8Array): Uint8Array {
    const bytes = blob.slice();
    for (let flips = 1 + random.below(4); flips > 0; flips--)
      bytes[random.next() < 0.5 ? random.below(64) : random.below(bytes.length)] = random.pick([
        0,
        1,
        31,
        255,
        random.below(256),
      ]);
    return random.next() < 0.05 ? bytes.slice(0, random.below(bytes.length)) : bytes;
  }

  it.each<[string, string, readonly Uint8Array[], readonly number[]]>([
    ['maps', 'map_text', [withoutX], []],
    ['maps that know sigmas', 'map_text', [sigmas], []],
    ['hashed n-grams', 'hash_ngram', [runs, words], hash],
    ['characters of words', 'word_char_ngram', [runs, letters], [1, 0, 1]],
  ])('survives flipped bytes: %s', (_, kernel, parameters, attributes) => {
    let accepted = 0;
    for (let round = 0; round < 400; round++) {
      const one = new Program();
      const at = random.below(parameters.length);
      const given = parameters.map((blob, place) => (place === at ? flipped(blob) : blob));
      const input = one.input('text');
      if (kernel === 'map_text') {
        const mapped = one.call(kernel, [input], ['text'], given);
        one.output(one.call('text_ngram', [mapped], ['sparse', pairsOf('').length], [characters, everything], [0]));
      } else {
        one.output(one.call(kernel, [input], ['sparse', kernel === 'hash_ngram' ? 8 : 1], given, attributes));
      }
      const code = codeOf(() => {
        const plan = one.plan(random.pick(isas));
        accepted++;
        for (const text of ['aΣ Äß中', 'x\u{10ffff}é', '\0'.repeat(300), texts[round % texts.length]!])
          addon.predictText(plan, text, new Float64Array(one.width));
      });
      if (code !== undefined) expect(code).toMatch(/^ERR_NATIVE_(PARAMETER|PROGRAM)$/);
      one.free();
    }
    expect(accepted).toBeGreaterThan(0);
  });
});

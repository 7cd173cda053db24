import { afterEach, describe, expect, it } from 'vitest';
import { seed as SEED } from '../../testing/seed.js';
import {
  characterDictionary,
  characters,
  countGrams,
  type DictionaryRules,
  foldText,
  type Gram,
  Random,
  type TextRules,
  textProgram,
  tokens,
  wordDictionary,
} from './blobs.js';
import { addon, firstDifference, isas, Program } from './harness.js';

/** Compares text_ngram with counting in a Map. */

const random = new Random(SEED);

let program = new Program();
afterEach(() => {
  program.free();
  program = new Program();
});

/**
 * Lowercases a code point if the result is one code point. Changes only code points below U+3000
 * and from U+1F000 to U+1FFFF.
 */
const lower = (code: number) => {
  if (code >= 0x3000 && (code < 0x1f000 || code > 0x1ffff)) return code;
  const folded = String.fromCodePoint(code).toLowerCase();
  return [...folded].length === 1 ? folded.codePointAt(0)! : code;
};
const isWordCode = (code: number) =>
  (code < 0x3000 || (code >= 0x1f000 && code < 0x20000)) && /[\p{L}\p{N}_\u{1F600}]/u.test(String.fromCodePoint(code));

const isSymbolCode = (code: number) => code !== 0x2e && (code < 0x3000 || isWordCode(code));
const same = (code: number) => code;
const every = () => true;

const ALPHABETS = {
  ascii: [...'abcdeABC01_ .,-\n\0'],
  unicode: [...'abAB äÖßéЖжЯ中\u{1F600}\u{1F601}İKȺ\u{10400}\u{10428}.\0'],
};

function randomText(alphabet: readonly string[], length: number): string {
  return Array.from({ length }, () => random.pick(alphabet)).join('');
}

function texts(alphabet: readonly string[]): string[] {
  const lengths = [0, 1, 2, 3, 15, 16, 31, 63, 64, 65, 127, 128, 129, 200, 720, 3000];
  const mixed = [
    randomText(ALPHABETS.ascii, 100) + randomText(alphabet, 50),
    'a'.repeat(64),
    'a'.repeat(300),
    // Texts with few non-ASCII code points, so that a non-ASCII code point is at every offset of a
    // block of 64.
    ...[1, 62, 63, 64, 65, 127].map((length) => `${'abc '.repeat(40).slice(0, length)}éß${'Bc a'.repeat(70)}Ж`),
    'lone \ud800 surrogates \udc00\ud83d',
    '\ud83d',
  ];
  return [...lengths.map((length) => randomText(alphabet, length)), ...mixed];
}

/** Returns some of the n-grams of some texts. Several n-grams may share a column. */
function someGrams(
  symbolTexts: readonly (readonly string[])[],
  maxN: number,
  share: number,
  sharedColumns: boolean,
): { grams: Gram[]; columns: number } {
  const keys = new Map<string, string[]>();
  for (const symbols of symbolTexts) {
    for (let n = 1; n <= maxN; n++) {
      for (let at = 0; at + n <= symbols.length; at++)
        if (random.next() < share) keys.set(symbols.slice(at, at + n).join('\u0001'), symbols.slice(at, at + n));
    }
  }
  const all = [...keys.values()];
  const columns = sharedColumns ? Math.max(1, Math.ceil(all.length / 2)) : Math.max(1, all.length);
  return { grams: all.map((symbols, at) => ({ symbols, column: at % columns })), columns };
}

function check(
  inputs: string[],
  rules: DictionaryRules,
  symbolsOf: (text: string) => (string | undefined)[],
  isBinary: boolean,
): void {
  const expected = inputs.map((text) => countGrams(rules, symbolsOf(text)));
  const flat = expected.flatMap((counts) =>
    Array.from({ length: rules.columns }, (_, at) => (counts.has(at) ? (isBinary ? 1 : counts.get(at)!) : 0)),
  );
  const utf8 = inputs.map((text) => new TextEncoder().encode(text));
  for (const isa of isas) {
    for (const column of [inputs, utf8]) {
      const at = firstDifference(program.run(isa, [column], inputs.length), flat);
      expect(at, `${isa}, seed ${SEED}: row ${Math.floor(at / rules.columns)}, column ${at % rules.columns}`).toBe(-1);
    }
  }
}

describe.each(['ascii', 'unicode'] as const)('%s words', (alphabet) => {
  const cases = [
    { minN: 1, maxN: 1, minimumRun: 1, load: 0.4, isBinary: false, shared: false },
    { minN: 1, maxN: 2, minimumRun: 2, load: 0.95, isBinary: false, shared: true },
    { minN: 2, maxN: 4, minimumRun: 1, load: 0.8, isBinary: true, shared: false },
    { minN: 3, maxN: 3, minimumRun: 3, load: 1, isBinary: false, shared: true },
  ];
  it.each(cases)('%o', ({ minN, maxN, minimumRun, load, isBinary, shared }) => {
    const rules: TextRules = { mode: 'runs', minimumRun, fold: lower, isInClass: isWordCode };
    const inputs = texts(ALPHABETS[alphabet]);
    const { grams, columns } = someGrams(
      inputs.map((text) => tokens(rules, text)),
      maxN,
      0.6,
      shared,
    );
    const dictionary: DictionaryRules = { grams, columns, minN, maxN, seed: random.below(2 ** 31), load };
    program.output(
      program.call(
        'text_ngram',
        [program.input('text')],
        ['sparse', columns],
        [textProgram(rules), wordDictionary(dictionary)],
        [Number(isBinary)],
      ),
    );
    check(inputs, dictionary, (text) => tokens(rules, text), isBinary);
  });
});

describe.each(['ascii', 'unicode'] as const)('%s characters', (alphabet) => {
  const cases = [
    { minN: 3, maxN: 3, directMax: 3, isBinary: false, shared: false },
    { minN: 1, maxN: 4, directMax: 4, isBinary: true, shared: true },
    { minN: 2, maxN: 5, directMax: 2, isBinary: false, shared: true },
    { minN: 4, maxN: 6, directMax: 1, isBinary: false, shared: false },
  ];
  it.each(cases)('%o', ({ minN, maxN, directMax, isBinary, shared }) => {
    const rules: TextRules = {
      mode: 'characters',
      minimumRun: 1,
      fold: lower,
      isInClass: isSymbolCode,
    };
    const inputs = texts(ALPHABETS[alphabet]);
    const { grams, columns } = someGrams(
      inputs.map((text) => characters(rules, text).filter((c) => c !== undefined)),
      maxN,
      0.3,
      shared,
    );
    const dictionary: DictionaryRules = { grams, columns, minN, maxN, seed: random.below(2 ** 31), load: 0.9 };
    program.output(
      program.call(
        'text_ngram',
        [program.input('text')],
        ['sparse', columns],
        [textProgram(rules), characterDictionary(dictionary, directMax)],
        [Number(isBinary)],
      ),
    );
    check(inputs, dictionary, (text) => characters(rules, text), isBinary);
  });

  it('a large alphabet', () => {
    const many = Array.from({ length: 400 }, (_, at) => String.fromCodePoint(0x4e00 + at));
    const rules: TextRules = { mode: 'characters', minimumRun: 1, fold: same, isInClass: every };
    const inputs = [...texts(ALPHABETS[alphabet]), ...texts(many)];
    const { grams, columns } = someGrams(
      inputs.map((text) => [...text.toWellFormed()]),
      2,
      0.5,
      false,
    );
    const dictionary: DictionaryRules = { grams, columns, minN: 1, maxN: 2, seed: 5, load: 0.7 };
    program.output(
      program.call(
        'text_ngram',
        [program.input('text')],
        ['sparse', columns],
        [textProgram(rules), characterDictionary(dictionary, 2)],
        [0],
      ),
    );
    check(inputs, dictionary, (text) => characters(rules, text), false);
  });
});

describe('order and limits', () => {
  const rules: TextRules = { mode: 'runs', minimumRun: 1, fold: lower, isInClass: isWordCode };

  it('a text that is a stop word has no n-grams', () => {
    const grams = ['good', 'bad', 'a', 'very', 'x'.repeat(40)].map((word, at) => ({ symbols: [word], column: at }));
    const dictionary = { grams, columns: 5, minN: 1, maxN: 1, seed: 1, load: 0.5 };
    const stops = ['very bad', 'x'.repeat(40), 'a'].map((text, at) => ({ symbols: [text], column: at }));
    const stopWords = wordDictionary({ grams: stops, columns: 3, minN: 1, maxN: 1, seed: 9, load: 0.5 });
    program.output(
      program.call(
        'text_ngram',
        [program.input('text')],
        ['sparse', 5],
        [textProgram(rules), wordDictionary(dictionary), stopWords],
        [0],
      ),
    );
    const stopped = new Set(stops.map(({ symbols }) => symbols[0]));
    const inputs = ['good', 'Very BAD', 'very  bad', 'a', 'A', 'a a', 'x'.repeat(40), 'x'.repeat(41), ''];
    check(inputs, dictionary, (text) => (stopped.has(foldText(rules, text)) ? [] : tokens(rules, text)), false);
  });

  it('a text that folds to fewer bytes is compared with stop texts', () => {
    const grams = ['kk', 'k', 'good'].map((word, at) => ({ symbols: [word], column: at }));
    const dictionary = { grams, columns: 3, minN: 1, maxN: 1, seed: 1, load: 0.5 };
    const stopWords = wordDictionary({
      grams: [{ symbols: ['kk'], column: 0 }],
      columns: 1,
      minN: 1,
      maxN: 1,
      seed: 9,
      load: 0.5,
    });
    program.output(
      program.call(
        'text_ngram',
        [program.input('text')],
        ['sparse', 3],
        [textProgram(rules), wordDictionary(dictionary), stopWords],
        [0],
      ),
    );
    const kelvin = '\u212a'; // the Kelvin sign has three bytes, and its lower case k has one
    const inputs = [kelvin + kelvin, `k${kelvin}`, kelvin.repeat(3), `${kelvin} k`, kelvin, 'kk', 'good'];
    check(inputs, dictionary, (text) => (foldText(rules, text) === 'kk' ? [] : tokens(rules, text)), false);
  });

  it('entries are in order of first occurrence', () => {
    // The L1 norm adds entries in their order, and float32 sums of these weights depend on the
    // order in the last bit.
    const grams = Array.from({ length: 40 }, (_, at) => ({ symbols: [`w${at}`], column: at }));
    const dictionary = wordDictionary({ grams, columns: 40, minN: 1, maxN: 1, seed: 1, load: 0.5 });
    const weights = Float32Array.from({ length: 40 }, (_, at) => 10 ** ((at * 7) % 9) / 3);
    const counts = program.call(
      'text_ngram',
      [program.input('text')],
      ['sparse', 40],
      [textProgram(rules), dictionary],
      [0],
    );
    program.output(
      program.call(
        'linear',
        [counts],
        ['dense', 9],
        [Float32Array.from({ length: 360 }, (_, at) => weights[Math.floor(at / 9)]!), new Float32Array(9)],
      ),
    );
    const order = Array.from({ length: 40 }, (_, at) => (at * 23) % 40);
    const sum = order.reduce((total, at) => Math.fround(total + weights[at]!), 0);
    for (const isa of isas) {
      expect([...program.run(isa, [[order.map((at) => `w${at}`).join(' ')]], 1)]).toEqual(
        Array.from({ length: 9 }, () => sum),
      );
    }
  });

  it('a text of 1 MB, then a short one', () => {
    const grams = [
      { symbols: ['ab'], column: 0 },
      { symbols: ['ab', 'c'], column: 1 },
      { symbols: ['é'.repeat(20)], column: 2 },
    ];
    const dictionary = wordDictionary({ grams, columns: 3, minN: 1, maxN: 2, seed: 1, load: 0.5 });
    program.output(
      program.call('text_ngram', [program.input('text')], ['sparse', 3], [textProgram(rules), dictionary], [0]),
    );
    const plan = program.plan(isas.at(-1)!);
    const out = new Float64Array(3);
    addon.predictText(plan, 'ab c '.repeat(200_000), out);
    expect([...out]).toEqual([200_000, 200_000, 0]);
    addon.predictText(plan, `ab ${'é'.repeat(20)} ${'\0'.repeat(300_000)}ab`, out);
    expect([...out]).toEqual([2, 0, 1]);
    addon.predictText(plan, new TextEncoder().encode('ab c'), out);
    expect([...out]).toEqual([1, 1, 0]);
  });
});

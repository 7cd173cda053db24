import { createFlour, createRuntime, type FlourContext, type Flow } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { type Answers, difference, Engines, expectSame, isas } from '../conformance/engines.js';

// Hostile texts: very long, of one character, without words, or growing in decomposition. The long
// tests run the same texts at larger lengths.

const LENGTH = Number(process.env.BREZEL_TEXT_LENGTH ?? 2 ** 12);
const LONG = Number(process.env.BREZEL_LONG_TEXT_BYTES ?? 2 ** 18);
const LONG_WORD = 'x'.repeat(LENGTH);
const hostile: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['zero characters', '\0'.repeat(LENGTH)],
  ['one word', LONG_WORD],
  ['one word beyond ASCII', 'é'.repeat(LENGTH)],
  ['words of one letter', 'a '.repeat(LENGTH / 2)],
  ['marks without a letter', '\u0301'.repeat(LENGTH)],
  ['a letter under many marks', `a${'\u0345\u0334'.repeat(LENGTH / 2)}`],
  ['what decomposes to eighteen', '\ufdfa'.repeat(LENGTH / 8)],
  ['Hangul', '각'.repeat(LENGTH / 4)],
  ['sigmas', 'Σ'.repeat(LENGTH)],
  ['a sigma behind much that is ignored', `Α${"'".repeat(LENGTH)}Σ${"'".repeat(LENGTH)}`],
  ['lone surrogates', '\ud800'.repeat(LENGTH)],
  ['surrogates the wrong way round', '\udc00\ud800 '.repeat(LENGTH / 4)],
  ['spaces', ' '.repeat(LENGTH)],
  ['spaces of all kinds', '\u3000\u00a0\t\u2028'.repeat(LENGTH / 4)],
  ['spaces and letters', 'a  b\n'.repeat(LENGTH / 4)],
  ['stop words', 'the '.repeat(LENGTH / 4)],
  ['beyond the first plane', '😀𝒳\u{2f800} '.repeat(LENGTH / 8)],
];
const rows = hostile.map(([, text]) => ({ text }));

const flour: FlourContext = await createFlour();
const engines = new Engines(flour.store);
const text = flour.columns({ text: 'string' }).select('text');
const weigh = (features: Flow<'vector'>, size: number) =>
  features.linear({ weights: Float32Array.from({ length: size }, (_, at) => Math.sin(at)) });

const vocabulary = ['the', 'a', 'a b', LONG_WORD, 'é', 'σ', '\u1100'];
const characters = [' a ', 'a', 'aa', '\u0301', ' x', 'xxx', '각', '\u1100\u1161', '\0\0', ' \ufffd'];
const stopWords = ['the', 'é'];

const programs: Readonly<Record<string, () => Flow<'vector'>>> = {
  'words of a vocabulary': () =>
    weigh(
      text.tfidfVectorizer({ vocabulary, ngramRange: [1, 2], stopWords, tokenPattern: '\\w+', sublinearTf: true }),
      7,
    ),
  'without accents': () =>
    weigh(text.countVectorizer({ vocabulary, stripAccents: 'unicode', tokenPattern: '\\w+' }), 7),
  'padded characters': () =>
    weigh(text.countVectorizer({ vocabulary: characters, analyzer: 'char_wb', ngramRange: [2, 3] }), 10),
  'hashed words': () =>
    weigh(text.hashingVectorizer({ nFeatures: 512, ngramRange: [1, 3], stripAccents: 'ascii' }), 512),
  'hashed characters': () =>
    weigh(text.hashingVectorizer({ nFeatures: 512, analyzer: 'char', ngramRange: [1, 2] }), 512),
  'hashed padded characters': () =>
    weigh(
      text.hashingVectorizer({ nFeatures: 509, analyzer: 'char_wb', ngramRange: [4, 5], stripAccents: 'unicode' }),
      509,
    ),
  'normalized, imputed, one hot': () =>
    weigh(
      text.normalizeText({ keepPunctuations: false }).imputeText({ value: 'none' }).oneHotHash({ hashBits: 8 }),
      256,
    ),
};

const finite = (answer: Answers[number]) => (answer.y as number[]).every(Number.isFinite);

describe.each(Object.entries(programs))('%s', (_, build) => {
  test('every engine gives the same answers', async () => {
    const plan = flour.program({ y: build() }).plan();
    const { engine, answers } = await engines.answers(plan, rows);
    expectSame(answers, answers.get('reference')!);
    if (engines.native) expect(engine).toBe('native');
    expect(answers.get('reference')!.every(finite)).toBe(true);
    plan.release();
  });

  test.runIf(engines.native)(`${LONG} bytes of one character, on every instruction set`, async () => {
    const plan = flour.program({ y: build() }).plan();
    const long = ['x', ' ', '\0', 'Σ', '\u0301', '각', '\ufdfa', '😀'].map((one) =>
      one.repeat(LONG / Buffer.byteLength(one)),
    );
    const answers = isas.map((isa) => {
      const runtime = createRuntime({ store: flour.store, isa });
      const registered = runtime.register(plan, { maxInputBytes: 4 * LONG });
      return long.map((one) => runtime.predictSync(registered, one));
    });
    for (const got of answers) expect(difference(got, answers[0])).toBeUndefined();
    expect(answers[0]!.every(finite)).toBe(true);
    plan.release();
  });
});

afterAll(() => flour.dispose());

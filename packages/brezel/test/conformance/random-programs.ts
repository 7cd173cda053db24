import type { FlourContext, Flow, NgramOptions, Program, TokenizeOptions } from 'brezel';
import fc from 'fast-check';
import { characters, listOf, noisyText, tameFloat } from '../../../flour/src/case.js';

const LONG = 'internationalization';
const LONGER = 'donaudampfschifffahrtsgesellschaftskapitänsmützenknopfhersteller_x';

/** Words that vocabularies are drawn from and texts are made of: cases, marks, scripts, short, 15, 16 and over 64 bytes. */
export const words: readonly string[] = [
  ...['good', 'bad', 'Good', 'not', 'very', 'film', 'a', 'i', 'x', '0', '42', '_', 'don', 't', 'the', 'The', 'THE'],
  ...[
    'café',
    'cafe\u0301',
    'naïve',
    'İstanbul',
    'ıstanbul',
    'istanbul',
    'ΣΊΣΥΦΟΣ',
    'σίσυφος',
    'straße',
    'STRASSE',
    'K',
    'ſ',
  ],
  ...['日本', '語', '日本語', '한국어', 'שלום', '😀', '👨‍👩‍👧', '👍🏽', '𝒳𐐀', '\0', 'a\0b', 'tab\tbed'],
  ...['fifteen_letters', 'sixteen_letters_', LONG, LONGER, LONGER.slice(0, -1), 'x'.repeat(200)],
];

const stopWords = ['the', 'a', 'not good', 'İstanbul', '', 'x'.repeat(200), '日本', 'The'];

/** Texts as people and machines write them: words of the vocabularies, cut and glued, between noise. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: noisyText(words) },
  { weight: 3, arbitrary: fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((list) => list.join(' ')) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...words), fc.integer({ min: 1, max: 80 }))
      .map(([word, times]) => `${word} `.repeat(times)),
  },
  { weight: 1, arbitrary: fc.constantFrom(...stopWords, ...words) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      maxLength: 40,
    }),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 120 }) },
);

interface WordBranch {
  readonly kind: 'words';
  readonly tokenize: TokenizeOptions;
}
type BranchKind =
  | WordBranch
  | { readonly kind: 'characters' }
  | { readonly kind: 'characters of words'; readonly tokenize: TokenizeOptions };
type Branch = BranchKind & {
  readonly ngram: NgramOptions;
  readonly idf: readonly number[] | undefined;
  readonly norm: Norm | undefined;
};
type Norm = 'l1' | 'l2' | 'max';

/** A pipeline of sentiment analysis, as data: it prints in a failing case and can be built twice. */
export interface PipelineShape {
  readonly fold:
    | {
        readonly case: 'none' | 'lower' | 'upper';
        readonly stopWords: readonly string[];
        readonly caseSensitive: boolean;
      }
    | undefined;
  readonly branches: readonly Branch[];
  readonly norm: Norm | undefined;
  readonly head: {
    readonly kind: 'linear' | 'logistic' | 'softmax';
    readonly outputs: number;
    readonly mirrored: boolean;
    readonly weights: readonly number[];
    readonly bias: readonly number[];
  };
}

const norm = fc.constantFrom<Norm | undefined>('l1', 'l2', 'max', undefined);
const patterns = [
  '[a-zA-Z0-9_]+',
  '\\w+',
  '\\b\\w\\w+\\b',
  '[^\\s]+',
  '[a-z]{2,}',
  '\\S{3,}',
  '[^ ,.!?]+',
  '[\\x{80}-\\x{10FFFF}]+',
];
/** No single class of characters: they run in JavaScript. */
const otherPatterns = ['[a-z]+|[0-9]', '[A-Z]?[a-z]+'];
const tokenize: fc.Arbitrary<TokenizeOptions> = fc.record({
  by: fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...otherPatterns).map((pattern) => ({ pattern })) },
    { weight: 12, arbitrary: fc.constantFrom(...patterns).map((pattern) => ({ pattern })) },
    {
      weight: 4,
      arbitrary: fc
        .constantFrom([' '], [' ', ','], ['\\s+'], ['[ ,.]'], ['\\s', '[.!?]'])
        .map((separators) => ({ separators })),
    },
  ),
  minLength: fc.constantFrom(1, 1, 1, 2),
});

const distinct = (grams: readonly (readonly string[])[]) => [
  ...new Map(grams.map((gram) => [JSON.stringify(gram), gram])).values(),
];
const letters = [
  ...new Set([...words.join(''), ...characters.filter((one) => [...one].length === 1 && one.isWellFormed())]),
];

/** N-grams that occur: of the words, and of their characters. */
const ngrams = (unit: 'words' | 'characters', longest: number): fc.Arbitrary<NgramOptions> =>
  fc
    .record({
      grams: fc.oneof(
        fc.array(
          fc.array(fc.constantFrom(...(unit === 'words' ? words : letters)), { minLength: 1, maxLength: longest }),
          { minLength: 1, maxLength: 50 },
        ),
        fc
          .integer({ min: 1, max: longest })
          .map((n) =>
            unit === 'words'
              ? words.map((_, at) => Array.from({ length: n }, (_, place) => words[(at + place) % words.length]!))
              : words.flatMap((word) => piecesOf(word, n)).slice(0, 200),
          ),
      ),
      minN: fc.integer({ min: 1, max: longest }),
      more: fc.nat(longest - 1),
      given: fc.boolean(),
      binary: fc.boolean(),
    })
    .map(({ grams, minN, more, given, binary }) => ({
      vocabulary: distinct(grams.length > 0 ? grams : [['a']]),
      binary,
      ...(given && { minN, maxN: minN + more }),
    }));

function piecesOf(word: string, n: number): string[][] {
  const symbols = [...`${word} `];
  return symbols.slice(0, Math.max(0, symbols.length - n + 1)).map((_, at) => symbols.slice(at, at + n));
}

const branch: fc.Arbitrary<Branch> = fc
  .oneof(
    fc.record({ kind: fc.constant('words' as const), tokenize, ngram: ngrams('words', 3) }),
    fc.record({ kind: fc.constant('characters' as const), ngram: ngrams('characters', 4) }),
    fc.record({ kind: fc.constant('characters of words' as const), tokenize, ngram: ngrams('characters', 4) }),
  )
  .chain((kind) =>
    fc
      .record({ idf: fc.option(listOf(tameFloat, columnsOf(kind.ngram)), { nil: undefined }), norm })
      .map((more) => ({ ...kind, ...more })),
  );

const columnsOf = (options: NgramOptions) => (options.vocabulary as readonly unknown[]).length;

/** Shapes of pipelines with their parameters. */
export const pipelineShape: fc.Arbitrary<PipelineShape> = fc
  .array(branch, { minLength: 1, maxLength: 3 })
  .chain((branches) => {
    const columns = branches.reduce((sum, one) => sum + columnsOf(one.ngram), 0);
    return fc.record({
      fold: fc.option(
        fc.record({
          case: fc.constantFrom('none', 'lower', 'upper'),
          stopWords: fc.oneof(fc.constant([]), fc.subarray(stopWords)),
          caseSensitive: fc.boolean(),
        }),
        { nil: undefined, freq: 4 },
      ),
      branches: fc.constant(branches),
      norm,
      head: fc
        .tuple(fc.constantFrom('linear', 'logistic', 'softmax'), fc.constantFrom(1, 2, 2, 3, 5, 9), fc.boolean())
        .chain(([kind, outputs, mirrored]) =>
          fc.record({
            kind: fc.constant(kind),
            outputs: fc.constant(outputs),
            mirrored: fc.constant(mirrored && outputs === 2),
            weights: listOf(tameFloat, columns * outputs),
            bias: listOf(tameFloat, outputs),
          }),
        ),
    });
  });

/** Writes the program. `backwards` makes its branches in the other order, and joins them in the same. */
export function buildPipeline(flour: FlourContext, shape: PipelineShape, backwards = false): Program {
  const text = flour.columns({ text: 'string' }).select('text');
  const folded = () => (shape.fold === undefined ? text : text.stringNormalize(shape.fold));
  const shared = folded();
  const places = shape.branches.map((_, at) => at);
  const made = new Map<number, Flow<'vector'>>();
  for (const at of backwards ? places.toReversed() : places)
    made.set(at, buildBranch(backwards ? folded() : shared, shape.branches[at]!));
  const [first, ...others] = places.map((at) => made.get(at)!);
  const joined = others.length === 0 ? first! : first!.concat(...others);
  const features = shape.norm === undefined ? joined : joined.normalize(shape.norm);
  const { kind, outputs, mirrored, weights, bias } = shape.head;
  const opposite = (list: readonly number[]) => list.map((value, at) => (at % 2 === 0 ? -list[at + 1]! : value));
  const model = { weights: mirrored ? opposite(weights) : weights, bias: mirrored ? opposite(bias) : bias };
  const scores = features.linear(model);
  const probabilities = kind === 'linear' ? scores : kind === 'softmax' ? scores.softmax() : scores.map('sigmoid');
  const label =
    outputs === 1
      ? probabilities.threshold(0.5).labels(['no', 'yes'])
      : probabilities.argMax().labels(Array.from({ length: outputs }, (_, at) => `class ${at}`));
  return flour.program({ label, probabilities });
}

function buildBranch(text: Flow<'text'>, one: Branch): Flow<'vector'> {
  const counts =
    one.kind === 'words'
      ? text.tokenize(one.tokenize).wordNgram(one.ngram)
      : one.kind === 'characters'
        ? text.charNgram(one.ngram)
        : text.tokenize(one.tokenize).charNgram(one.ngram);
  const weighted = one.idf === undefined ? counts : counts.tfIdf({ idf: one.idf });
  return one.norm === undefined ? weighted : weighted.normalize(one.norm);
}

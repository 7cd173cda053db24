import type {
  CharNgramOptions,
  FlourContext,
  Flow,
  HashCharNgramOptions,
  NgramOptions,
  NormalizeTextOptions,
  PreprocessTextOptions,
  Program,
  TokenizeOptions,
} from 'brezel';
import fc from 'fast-check';
import { characters, listOf, noisyText, tameFloat } from '../../../flour/src/case.js';

const LONG = 'internationalization';
const LONGER = 'donaudampfschifffahrtsgesellschaftskapitänsmützenknopfhersteller_x';

/**
 * Vocabularies and texts of random programs consist of these words. They cover letter cases,
 * combining marks, scripts, and lengths of a few bytes, 15 bytes, 16 bytes and more than 64 bytes.
 */
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

/** Draws texts: cut and joined words of the vocabularies, with noise between them. */
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

/** How a text is divided into tokens. Stop words are removed. */
interface Cut {
  readonly tokenize: TokenizeOptions;
  readonly stopWords: readonly string[];
}
/**
 * What is counted: n-grams of a vocabulary or hashed n-grams, over words, over characters of the
 * text, or over characters of words.
 */
type BranchKind =
  | { readonly kind: 'words'; readonly cut: Cut; readonly ngram: NgramOptions }
  | { readonly kind: 'characters'; readonly ngram: CharNgramOptions }
  | { readonly kind: 'characters of words'; readonly cut: Cut; readonly ngram: CharNgramOptions }
  | { readonly kind: 'hashed words'; readonly cut: Cut; readonly hash: HashCharNgramOptions }
  | { readonly kind: 'hashed characters'; readonly hash: HashCharNgramOptions }
  | { readonly kind: 'hashed characters of words'; readonly cut: Cut; readonly hash: HashCharNgramOptions };
type Branch = BranchKind & {
  readonly sublinear: boolean;
  readonly idf: readonly number[] | undefined;
  readonly norm: Norm | undefined;
};
type Norm = 'l1' | 'l2' | 'max';

type Preparation =
  | { readonly preprocess: PreprocessTextOptions }
  | { readonly normalizeText: NormalizeTextOptions }
  | { readonly imputeText: { readonly value: string; readonly missing?: string } }
  | 'collapse spaces';

/** A sentiment pipeline as data. A failing test can print it, and a test can build it twice. */
export interface PipelineShape {
  /** The changes of the text before folding, in this order. */
  readonly prepare: readonly Preparation[];
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
/** Patterns that are not a single class of characters. Such patterns run in JavaScript. */
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

/** Draws n-grams that occur in texts: n-grams of the words or of their characters. */
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

const cut: fc.Arbitrary<Cut> = fc.record({
  tokenize: fc.oneof(
    { weight: 4, arbitrary: tokenize },
    { weight: 1, arbitrary: fc.constant({ by: 'words' as const }) },
  ),
  stopWords: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.subarray(stopWords) }),
});

/** Few columns, so that n-grams collide. */
const hash: fc.Arbitrary<HashCharNgramOptions> = fc
  .record({
    columns: fc.constantFrom(1, 16, 61, 300),
    seed: fc.constantFrom(0, 42, 2 ** 32 - 1),
    minN: fc.integer({ min: 1, max: 5 }),
    more: fc.nat(2),
    signed: fc.boolean(),
    binary: fc.boolean(),
  })
  .map(({ more, ...rest }) => ({ ...rest, maxN: rest.minN + more }));

const padded = <Options extends CharNgramOptions | HashCharNgramOptions>(options: fc.Arbitrary<Options>) =>
  fc.tuple(options, fc.boolean()).map(([one, padded]) => ({ ...one, padded }));

const branch: fc.Arbitrary<Branch> = fc
  .oneof(
    fc.record({ kind: fc.constant('words' as const), cut, ngram: ngrams('words', 3) }),
    fc.record({ kind: fc.constant('characters' as const), ngram: padded(ngrams('characters', 4)) }),
    fc.record({ kind: fc.constant('characters of words' as const), cut, ngram: padded(ngrams('characters', 4)) }),
    fc.record({ kind: fc.constant('hashed words' as const), cut, hash }),
    fc.record({ kind: fc.constant('hashed characters' as const), hash: padded(hash) }),
    fc.record({ kind: fc.constant('hashed characters of words' as const), cut, hash: padded(hash) }),
  )
  .chain((kind) =>
    fc
      .record({
        // Hashed counts can cancel, and the logarithm of 0 is minus infinity.
        sublinear: 'hash' in kind ? fc.constant(false) : fc.boolean(),
        idf: fc.option(listOf(tameFloat, columnsOf(kind)), { nil: undefined }),
        norm,
      })
      .map((more) => ({ ...kind, ...more })),
  );

const columnsOf = (kind: BranchKind): number =>
  'hash' in kind ? kind.hash.columns! : (kind.ngram.vocabulary as readonly unknown[]).length;

const preparation: fc.Arbitrary<Preparation> = fc.oneof(
  fc
    .record({ lowercase: fc.boolean(), stripAccents: fc.constantFrom(null, 'unicode' as const, 'ascii' as const) })
    .map((preprocess) => ({ preprocess })),
  fc
    .record({ case: fc.constantFrom('none' as const, 'lower' as const), keepPunctuations: fc.boolean() })
    .map((normalizeText) => ({ normalizeText })),
  fc.constantFrom({ imputeText: { value: 'good film' } }, { imputeText: { value: '', missing: 'the' } }),
  fc.constant('collapse spaces' as const),
);

/** Shapes of pipelines with their parameters. */
export const pipelineShape: fc.Arbitrary<PipelineShape> = fc
  .array(branch, { minLength: 1, maxLength: 3 })
  .chain((branches) => {
    const columns = branches.reduce((sum, one) => sum + columnsOf(one), 0);
    return fc.record({
      prepare: fc.oneof(
        { weight: 2, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(preparation, { maxLength: 3 }) },
      ),
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

/**
 * Builds the program. With `backwards`, it creates the branches in reverse order, but joins them in
 * the same order.
 */
export function buildPipeline(flour: FlourContext, shape: PipelineShape, backwards = false): Program {
  const text = flour.columns({ text: 'string' }).select('text');
  const prepared = () => shape.prepare.reduce(prepareText, text);
  const folded = () => (shape.fold === undefined ? prepared() : prepared().stringNormalize(shape.fold));
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

function prepareText(text: Flow<'text'>, one: Preparation): Flow<'text'> {
  if (one === 'collapse spaces') return text.collapseSpaces();
  if ('preprocess' in one) return text.preprocess(one.preprocess);
  return 'normalizeText' in one ? text.normalizeText(one.normalizeText) : text.imputeText(one.imputeText);
}

function buildBranch(text: Flow<'text'>, one: Branch): Flow<'vector'> {
  const counts = countBranch(text, one);
  const dampened = one.sublinear ? counts.sublinearTf() : counts;
  const weighted = one.idf === undefined ? dampened : dampened.tfIdf({ idf: one.idf });
  return one.norm === undefined ? weighted : weighted.normalize(one.norm);
}

function countBranch(text: Flow<'text'>, one: BranchKind): Flow<'vector'> {
  switch (one.kind) {
    case 'words':
      return tokensOf(text, one.cut).wordNgram(one.ngram);
    case 'characters':
      return text.charNgram(one.ngram);
    case 'characters of words':
      return tokensOf(text, one.cut).charNgram(one.ngram);
    case 'hashed words':
      return tokensOf(text, one.cut).hashNgram(one.hash);
    case 'hashed characters':
      return text.hashCharNgram(one.hash);
    case 'hashed characters of words':
      return tokensOf(text, one.cut).hashCharNgram(one.hash);
  }
}

function tokensOf(text: Flow<'text'>, { tokenize, stopWords }: Cut): Flow<'tokens'> {
  const tokens = text.tokenize(tokenize);
  return stopWords.length > 0 ? tokens.removeStopWords(stopWords) : tokens;
}

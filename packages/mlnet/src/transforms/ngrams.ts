import { compactVocabulary, type Flow } from '@brezel/flour';
import { ByteReader } from '../byte-reader.js';
import { type Column, valueColumn } from '../column.js';
import { eachColumn, type TransformReader } from '../component.js';
import { mlNetError, unsupported } from '../errors.js';
import type { ModelPart } from '../model-part.js';
import type { Pipeline } from '../pipeline.js';

/** How counts of n-grams are weighted. The archive contains an index into this list. */
const weightings = ['tf', 'idf', 'tfIdf'] as const;

interface NgramColumn {
  readonly weighting: (typeof weightings)[number];
  /**
   * For each n-gram, the keys of its tokens. N-gram `i` is counted in element `i` of the result.
   * Key 0 is an unknown token.
   */
  readonly grams: readonly Uint32Array[];
  readonly idf: Float64Array;
}

export const ngrams: TransformReader = {
  newest: 0x00010003,
  read(part, pipeline) {
    if (part.version < 0x00010003) part.floatSize();
    const apply = (column: Column, grams: NgramColumn) => valueColumn(counted(column, grams, part, pipeline));
    eachColumn(part, pipeline, () => readColumn(part), apply);
  },
};

const LONGEST_GRAM = 10;

function readColumn(part: ModelPart): NgramColumn {
  const [longest, skips] = [part.int(), part.int()];
  if (!(longest >= 1 && longest <= LONGEST_GRAM)) throw part.fail(`n-grams of 1 to ${LONGEST_GRAM}`, `${longest}`);
  if (skips !== 0) throw unsupported(part.at, `n-grams that skip ${skips} tokens`);
  const isWeighted = part.version >= 0x00010002;
  const number = isWeighted ? part.int() : 0;
  const weighting = weightings[number];
  if (weighting === undefined) throw part.fail('a weighting from 0 to 2', `${number}`);
  const hasLength = Array.from({ length: longest }, () => part.bool());
  const grams = readGrams(part);
  if (grams.some(({ length }) => !hasLength[length - 1]))
    throw part.fail('n-grams of the declared lengths', 'another length');
  const idf = isWeighted ? part.doubles() : new Float64Array();
  if (weighting !== 'tf' && idf.length !== grams.length) throw part.fail(`${grams.length} weights`, `${idf.length}`);
  return { weighting, grams, idf };
}

/**
 * Reads the n-grams: a list of the positions where they start, and a buffer with their keys as
 * LEB128 integers.
 */
function readGrams(part: ModelPart): Uint32Array[] {
  const starts = part.ints(part.count(4) + 1);
  const bytes = part.bytes(starts.at(-1)!);
  if (starts[0] !== 0 || starts.some((start, at) => start < (starts[at - 1] ?? 0)))
    throw part.fail('ascending starts of n-grams', 'descending starts');
  return Array.from({ length: starts.length - 1 }, (_, at) => {
    const reader = new ByteReader(bytes, `${part.at}, n-gram ${at}`, starts[at], starts[at + 1]);
    const keys: number[] = [];
    while (reader.left > 0) keys.push(reader.leb());
    return Uint32Array.from(keys);
  });
}

/** Adds operators that count n-grams of tokens or characters and weight the counts. */
function counted(column: Column, { weighting, grams, idf }: NgramColumn, part: ModelPart, pipeline: Pipeline): Flow {
  const [tokensOf, source] = readerOf(column, part);
  const flat: string[] = [];
  const places: number[] = [];
  const texts = grams.map(tokensOf);
  const lengths = [...new Set(texts.map((tokens) => tokens?.length ?? 0))].filter((length) => length > 0);
  const gramCounts = new Array<number>(Math.max(0, ...lengths)).fill(0);
  for (let length = 1; length <= gramCounts.length; length++)
    texts.forEach((tokens, place) => {
      if (tokens?.length !== length) return;
      flat.push(...tokens);
      places.push(place);
      gramCounts[length - 1]!++;
    });
  if (places.length === 0) throw unsupported(part.at, 'n-grams without one that can occur');
  if (places.length < grams.length)
    pipeline.warnings.push(
      `${part.at}: ${grams.length - places.length} n-grams hold a token that is not known, or half a character beyond U+FFFF: they never match`,
    );
  const vocabulary = compactVocabulary(flat, gramCounts, Int32Array.from(places), grams.length);
  const options = { vocabulary, binary: weighting === 'idf' };
  const counts = source(options);
  return weighting === 'tf' ? counts : counts.tfIdf({ idf });
}

type Count = (options: { vocabulary: ReturnType<typeof compactVocabulary>; binary: boolean }) => Flow<'vector'>;
type TokensOf = (keys: Uint32Array) => readonly string[] | undefined;

function readerOf(column: Column, part: ModelPart): [TokensOf, Count] {
  if (column.kind === 'token-keys')
    return [(keys) => wordsOf(keys, column.terms), (options) => column.flow.wordNgram(options)];
  if (column.kind === 'characters') return [charactersOf, (options) => column.text.charNgram(options)];
  throw mlNetError('ERR_MLNET_COLUMN', {
    expected: 'keys of tokens or of characters',
    received: column.kind,
    at: part.at,
  });
}

function wordsOf(keys: Uint32Array, terms: readonly string[]): string[] | undefined {
  const words = Array.from(keys, (key) => terms[key - 1]);
  return words.some((word) => word === undefined) ? undefined : (words as string[]);
}

/**
 * Converts an n-gram of characters from keys, which are UTF-16 units, to code points, which Flour
 * counts. Returns undefined for an n-gram with half of a surrogate pair or with an unknown
 * character (key 0).
 */
function charactersOf(keys: Uint32Array): string[] | undefined {
  const text = String.fromCharCode(...keys);
  return text.isWellFormed() && keys.every((key) => key > 0) ? [...text] : undefined;
}

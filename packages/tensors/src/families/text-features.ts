import type { Attributes, SparseBlock, TokensBlock } from '@brezel/core';
import { sparse, strings } from '@brezel/core';
import {
  choiceAttribute,
  flagAttribute,
  floatsAttribute,
  hasAttribute,
  intAttribute,
  intsAttribute,
  stringAttribute,
  stringsAttribute,
} from '../attributes.js';
import { type TensorCall, tensorOperators } from '../define.js';
import { mapDistinct } from '../distinct.js';
import { tensorInput } from '../inputs.js';
import { allocate, finished } from '../moving.js';
import { checkPatterns } from '../patterns.js';
import { perNode } from '../per-node.js';
import { countNgrams, type NgramAttributes } from '../rows/ngram.js';
import { reFlags, tokenizeRows } from '../rows/tokenize.js';
import { shown } from '../shapes.js';
import { gramCountsOf } from '../shared/gram-counts.js';
import { murmur3 } from '../shared/murmur3.js';
import { entriesOf } from '../shared/sparse-rows.js';
import { compactVocabulary } from '../shared/vocabulary.js';
import { elementArray } from '../tensor.js';

/**
 * Operators that derive features from strings. They run the reference implementations of row
 * operators.
 */
export const textFeatures = tensorOperators(
  { domain: '', operator: 'TfIdfVectorizer', versions: [9, 25], run: vectorize },
  { domain: 'com.microsoft', operator: 'Tokenizer', versions: [1, 1], run: cutIntoTokens },
  { domain: 'com.microsoft', operator: 'MurmurHash3', versions: [1, 1], run: hashElements },
);

/**
 * Returns the vocabulary of a TfIdfVectorizer node in the form of the row operator `ngram`, and the
 * weight of each column.
 */
const vocabularyOf = perNode((call) => {
  const isText = hasAttribute(call, 'pool_strings');
  if (isText === hasAttribute(call, 'pool_int64s'))
    throw call.fault(isText ? 'pools of strings and of integers' : 'no pool', 'either pool_strings or pool_int64s');
  const pool = isText ? stringsAttribute(call, 'pool_strings') : intsAttribute(call, 'pool_int64s').map(String);
  const starts = intsAttribute(call, 'ngram_counts');
  const columns = intsAttribute(call, 'ngram_indexes');
  const gramCounts = gramCountsOf(starts, pool.length);
  if (gramCounts === undefined)
    throw call.fault(
      `ngram_counts [${starts}] of a pool of ${pool.length}`,
      'ascending ngram_counts that divide the pool into whole n-grams',
    );
  const grams = gramCounts.reduce((sum, count) => sum + count, 0);
  if (grams === 0 || grams !== columns.length || columns.some((column) => column < 0 || column >= 2 ** 31))
    throw call.fault(
      `${columns.length} ngram_indexes of ${grams} n-grams`,
      'one column index per n-gram, each 0 or greater',
    );
  const columnCount = columns.reduce((most, column) => Math.max(most, column), 0) + 1;
  const { parameters } = compactVocabulary(pool, gramCounts, Int32Array.from(columns), columnCount);
  const attributes = ngramAttributes(call, gramCounts, columnCount);
  return { isText, parameters, attributes, weights: weightsOf(call, columns) };
});

function ngramAttributes(call: TensorCall, gramCounts: readonly number[], columns: number): NgramAttributes {
  const [minN, maxN, maxSkip] = ['min_gram_length', 'max_gram_length', 'max_skip_count'].map((name) =>
    intAttribute(call, name),
  ) as [number, number, number];
  if (!(minN >= 1 && minN <= maxN && maxSkip >= 0))
    throw call.fault(
      `n-grams of ${minN} to ${maxN} tokens, ${maxSkip} skipped`,
      '1 <= min_gram_length <= max_gram_length and max_skip_count >= 0',
    );
  const binary = modeOf(call) === 'IDF';
  // The vocabulary has no longer n-grams, so longer n-grams of a text never match.
  return { unit: 'token', minN, maxN: Math.min(maxN, gramCounts.length), maxSkip, binary, columns, gramCounts };
}

const modeOf = (call: TensorCall) => choiceAttribute(call, 'mode', ['TF', 'IDF', 'TFIDF']);

/**
 * Returns the weight of each column. The node lists the weights by n-gram. Returns undefined if the
 * node has no weights, and for the mode TF, which ignores them.
 */
function weightsOf(call: TensorCall, columns: readonly number[]): ReadonlyMap<number, number> | undefined {
  if (modeOf(call) === 'TF' || !hasAttribute(call, 'weights')) return undefined;
  const weights = floatsAttribute(call, 'weights');
  if (weights.length !== columns.length)
    throw call.fault(`${weights.length} weights of ${columns.length} n-grams`, 'one weight per n-gram');
  return new Map(columns.map((column, gram) => [column, Math.fround(weights[gram]!)]));
}

function vectorize(call: TensorCall) {
  const { isText, parameters, attributes, weights } = vocabularyOf(call);
  const { data, shape } = tensorInput(call, 0, isText ? ['string'] : ['int64', 'int32']);
  if (shape.length !== 1 && shape.length !== 2) throw call.fault(`shape ${shown(shape)}`, 'shape [C] or [N, C]');
  const size = shape.at(-1)!;
  const rows = shape.length === 2 ? shape[0]! : 1;
  const made = allocate(call, 'float32', [...shape.slice(0, -1), attributes.columns]);
  const maxN = Math.min(attributes.maxN, size);
  // Each n and each skip needs one pass over the tokens.
  call.budget.take(data.length * Math.max(maxN - 1, 0) * (Math.min(attributes.maxSkip, size) + 1));
  const tokens: TokensBlock = {
    kind: 'tokens',
    rows,
    values: Array.from({ length: rows }, (_, row) =>
      Array.from(data.slice(row * size, (row + 1) * size) as ArrayLike<unknown>, String),
    ),
  };
  const counts = countNgrams({
    rows,
    inputs: [tokens],
    inputTypes: [{ kind: 'tokens' }],
    type: sparse(attributes.columns),
    attributes: { ...attributes, maxN } as unknown as Attributes,
    parameters,
  }) as SparseBlock;
  for (let row = 0; row < rows; row++)
    for (const [column, count] of entriesOf(counts, row))
      made.data[row * attributes.columns + column] = count * (weights?.get(column) ?? 1);
  return [finished(made)];
}

/** Returns the options of a Tokenizer node as attributes of the row operator `tokenize`. */
const tokenizerOf = perNode((call): Attributes => {
  const minLength = intAttribute(call, 'mincharnum', 1);
  const isPattern = hasAttribute(call, 'tokenexp');
  const patterns = isPattern ? [stringAttribute(call, 'tokenexp')] : stringsAttribute(call, 'separators');
  // One empty separator means characters.
  if (!isPattern && patterns.length === 1 && patterns[0] === '') return { mode: 'characters', patterns: [], minLength };
  checkPatterns(call, patterns, reFlags);
  return { mode: isPattern ? 'pattern' : 'separators', patterns, minLength };
});

const [START, END] = ['\u0002', '\u0003'];

/**
 * Splits each string and adds a last axis of tokens, padded to the longest list. `mark` adds a
 * token before the first token and after the last one.
 */
function cutIntoTokens(call: TensorCall) {
  const { data, shape } = tensorInput(call, 0, ['string']);
  const attributes = tokenizerOf(call);
  const padding = stringAttribute(call, 'pad_value');
  const lists = mapDistinct(data, (value) => tokensOf(value, attributes));
  const longest = lists.reduce((most, { length }) => Math.max(most, length), 0);
  const isMarked = flagAttribute(call, 'mark', false) && longest > 0;
  const width = longest + (isMarked ? 2 : 0);
  const made = allocate(call, 'string', [...shape, width]);
  for (let index = 0; index < made.data.length; index++) made.data[index] = padding;
  lists.forEach((list, at) => {
    (isMarked ? [START, ...list, END] : list).forEach((token, index) => {
      made.data[at * width + index] = token;
    });
  });
  return [finished(made)];
}

function tokensOf(value: string, attributes: Attributes): readonly string[] {
  const type = { kind: 'tokens' } as const;
  const block = tokenizeRows({
    rows: 1,
    inputs: [strings(1, 1, [value])],
    inputTypes: [],
    type,
    attributes,
    parameters: {},
  });
  return (block as TokensBlock).values[0]!;
}

const hashable = ['uint32', 'int32', 'uint64', 'int64', 'float32', 'float64'] as const;

/** Hashes the bytes of each element: UTF-8 of a string, little-endian of a number. */
function hashElements(call: TensorCall) {
  const seed = intAttribute(call, 'seed', 0) >>> 0;
  const { data, element, shape } = tensorInput(call, 0, [...hashable, 'string']);
  const made = allocate(call, flagAttribute(call, 'positive', true) ? 'uint32' : 'int32', shape);
  const write = (hash: number, at: number) => {
    made.data[at] = hash;
  };
  if (element === 'string') {
    const encoder = new TextEncoder();
    mapDistinct(data, (value) => murmur3(encoder.encode(value), seed)).forEach(write);
    return [finished(made)];
  }
  const one = elementArray(element, 1);
  const bytes = new Uint8Array(one.buffer);
  data.forEach((value: number | bigint, at: number) => {
    one[0] = value as never;
    write(murmur3(bytes, seed), at);
  });
  return [finished(made)];
}

import { indexBelow } from '@brezel/core';
import { damaged, gbdtError } from '../errors.js';
import { MAX_TARGETS } from '../options.js';

/** The head of a file: the settings of all trees. */
export interface LightGbmHead {
  readonly version: string;
  readonly features: number;
  readonly featureNames: readonly string[];
  /** The number of outputs of a prediction, for example one for each class. */
  readonly targets: number;
  /**
   * The objective and its options, as in `binary sigmoid:1`; empty if the model was trained with a
   * custom objective.
   */
  readonly objective: readonly string[];
  /**
   * Whether the prediction is the mean of the trees instead of their sum, as in a random forest.
   */
  readonly isAverage: boolean;
}

/** One tree. Each list has one entry for each split, each leaf or each categorical split. */
export interface LightGbmTree {
  readonly at: string;
  readonly leaves: number;
  readonly feature: Int32Array;
  readonly threshold: Float64Array;
  readonly decision: Int32Array;
  /**
   * The left child of each split: a split number, or the complement of a leaf number (-1 is leaf
   * 0).
   */
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly leafValue: Float64Array;
  /** The number of training rows that reached each split and each leaf. */
  readonly splitRows: Float64Array | undefined;
  readonly leafRows: Float64Array | undefined;
  /**
   * For each categorical split, the index in `categories` at which its set starts. The set ends
   * where the next set starts.
   */
  readonly boundaries: Int32Array;
  /**
   * The sets of all categorical splits as bits: bit `b` of number `n` of a set stands for category
   * `32 * n + b`.
   */
  readonly categories: Uint32Array;
}

export interface LightGbmFile {
  readonly head: LightGbmHead;
  readonly trees: readonly LightGbmTree[];
}

/** The `key=value` lines of one section of the file. A key without a value is a flag. */
type Fields = ReadonlyMap<string, string>;

/**
 * Reads LightGBM's text format, versions 2 to 4.
 *
 * @throws ERR_GBDT_FORMAT with the name of the tree and the field; ERR_GBDT_UNSUPPORTED for trees
 * with linear models in their leaves.
 */
export function readLightGbm(text: string): LightGbmFile {
  if (!/^tree\r?\n/.test(text)) throw damaged('line 1', '"tree"', JSON.stringify(text.slice(0, 20)));
  const parts = untilEndOfTrees(text).split(/\nTree=\d+\r?\n/);
  const head = readHead(fieldsOf(parts[0]!));
  return { head, trees: parts.slice(1).map((part, at) => readTree(fieldsOf(part), `tree ${at}`, head.features)) };
}

/**
 * Returns the text of a file up to the end of the last tree. A file of version 2 has no line "end
 * of trees"; its list `tree_sizes` shows where the last tree ends.
 */
function untilEndOfTrees(text: string): string {
  const end = text.indexOf('\nend of trees');
  if (end >= 0) return text.slice(0, end);
  const lines = text.replaceAll('\r\n', '\n'); // sizes count the bytes that LightGBM wrote
  const first = lines.indexOf('\nTree=0\n') + 1;
  const sizes = wordsOf(/\ntree_sizes=(.*)\n/.exec(first > 0 ? lines.slice(0, first) : lines)?.[1]).map(Number);
  if (sizes.length === 0)
    throw damaged('the end of the file', '"end of trees", or tree_sizes in the head', 'neither: the file is truncated');
  let at = first;
  for (const [tree, size] of sizes.entries()) {
    const isHere = lines.startsWith(`Tree=${tree}\n`, at) && size > 0 && at + size <= lines.length;
    if (!isHere)
      throw damaged(
        `tree_sizes, tree ${tree}`,
        `${size} bytes from byte ${at} on`,
        'a file of other trees, or a truncated one',
      );
    at += size;
  }
  if (lines.indexOf('\nTree=', at - 1) >= 0)
    throw damaged('tree_sizes', 'a size for each tree', `${sizes.length} sizes`);
  return lines.slice(0, at);
}

function fieldsOf(part: string): Fields {
  const fields = new Map<string, string>();
  for (const line of part.split('\n')) {
    const at = line.indexOf('=');
    if (at < 0) fields.set(line.trim(), '');
    else fields.set(line.slice(0, at), line.slice(at + 1).trim());
  }
  return fields;
}

function readHead(fields: Fields): LightGbmHead {
  const number = (name: string, least: number, most: number): number => {
    const text = fields.get(name);
    const value = Number(text);
    if (!text || !(Number.isInteger(value) && value >= least && value <= most))
      throw damaged(`the head, ${name}`, `a whole number from ${least} to ${most}`, text ?? 'nothing');
    return value;
  };
  const names = wordsOf(fields.get('feature_names'));
  const features = number('max_feature_idx', 0, 2 ** 31 - 2) + 1;
  const classes = number('num_class', 1, MAX_TARGETS);
  const targets = fields.has('num_tree_per_iteration') ? number('num_tree_per_iteration', 1, MAX_TARGETS) : classes;
  if (names.length !== features) throw damaged('the head, feature_names', `${features} names`, `${names.length}`);
  return {
    version: fields.get('version') || 'v2',
    features,
    featureNames: names,
    targets,
    objective: wordsOf(fields.get('objective')),
    isAverage: fields.has('average_output'),
  };
}

const wordsOf = (text = ''): string[] => text.split(' ').filter((word) => word !== '');

/**
 * Parses a list that counts training rows, which only explanations use. Returns undefined if the
 * list is missing or has another length. For example, if LightGBM loads and saves a file, a tree of
 * one leaf gets an empty list.
 */
function counts(text: string | undefined, length: number): Float64Array | undefined {
  const list = Float64Array.from(wordsOf(text), Number);
  return list.length === length && list.every((rows) => rows >= 0 && rows < Infinity) ? list : undefined;
}

function readTree(fields: Fields, at: string, features: number): LightGbmTree {
  const leaves = Number(fields.get('num_leaves'));
  if (!(Number.isInteger(leaves) && leaves >= 1)) throw damaged(`${at}, num_leaves`, 'at least 1', `${leaves}`);
  if (fields.get('is_linear') === '1')
    throw gbdtError('ERR_GBDT_UNSUPPORTED', { received: 'linear models in the leaves (linear_tree=true)', at });
  const list = (name: string, length: number): number[] => {
    const words = wordsOf(fields.get(name));
    if (words.length !== length) throw damaged(`${at}, ${name}`, `${length} numbers`, `${words.length}`);
    return words.map((word) => numberOf(word, `${at}, ${name}`));
  };
  const splits = leaves - 1;
  const sets = Number(fields.get('num_cat') ?? 0);
  const boundaries = sets > 0 ? Int32Array.from(list('cat_boundaries', sets + 1)) : new Int32Array(1);
  const tree: LightGbmTree = {
    at,
    leaves,
    feature: Int32Array.from(list('split_feature', splits)),
    threshold: Float64Array.from(list('threshold', splits)),
    decision: Int32Array.from(list('decision_type', splits)),
    left: Int32Array.from(list('left_child', splits)),
    right: Int32Array.from(list('right_child', splits)),
    leafValue: Float64Array.from(list('leaf_value', leaves)),
    splitRows: counts(fields.get('internal_count'), splits),
    leafRows: counts(fields.get('leaf_count'), leaves),
    boundaries,
    categories: sets > 0 ? Uint32Array.from(list('cat_threshold', boundaries.at(-1)!)) : new Uint32Array(0),
  };
  checkTree(tree, features);
  return tree;
}

/** Parses a number as C++ prints it, such as `1.5`, `inf` or `nan`. */
function numberOf(word: string, at: string): number {
  const value = Number(word);
  if (!Number.isNaN(value)) return value;
  if (/^[+-]?inf(inity)?$/i.test(word)) return word.startsWith('-') ? -Infinity : Infinity;
  if (/^[+-]?nan$/i.test(word)) return Number.NaN;
  throw damaged(at, 'numbers', JSON.stringify(word.slice(0, 40)));
}

/** Checks that all indices of a tree are in range. */
function checkTree(tree: LightGbmTree, features: number): void {
  const { at, leaves, feature, threshold, decision, left, right, boundaries } = tree;
  for (let split = 0; split < leaves - 1; split++) {
    const place = `${at}, split ${split}`;
    if (!(feature[split]! >= 0 && feature[split]! < features))
      throw damaged(place, indexBelow('a feature', features), `${feature[split]}`);
    for (const child of [left[split]!, right[split]!])
      if (!(child >= -leaves && child < leaves - 1)) throw damaged(place, 'children in the tree', `${child}`);
    const sets = boundaries.length - 1;
    if ((decision[split]! & 1) === 1 && !(threshold[split]! >= 0 && threshold[split]! < sets))
      throw damaged(place, `one of ${sets} sets of categories`, `${threshold[split]}`);
  }
  const grows = boundaries.every((start, set) => start >= 0 && (set === 0 || start >= boundaries[set - 1]!));
  if (!grows) throw damaged(`${at}, cat_boundaries`, 'ascending numbers', [...boundaries.subarray(0, 8)].join(' '));
}

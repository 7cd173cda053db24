import { vector } from '@brezel/core';
import type { FlourContext, Flow, Forest } from '@brezel/flour';
import { damaged, gbdtError } from '../errors.js';
import {
  answering,
  checkArguments,
  checkOptions,
  counted,
  type GbdtOptions,
  type ImportedGbdt,
  once,
} from '../options.js';
import { TreeWriter } from '../tree-writer.js';
import { objectiveOf } from './objective.js';
import { readXgboost, type XgboostModel, type XgboostTree } from './read-model.js';
import { type Json, readUbjson } from './read-ubjson.js';
import { writeTree } from './write-tree.js';

/**
 * Returns whether a file is a model of XGBoost, in JSON or in UBJSON: the first key of the file is
 * `learner` or `version`.
 */
export function isXgboost(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 64)).toString('latin1');
  return /^\{\s*"(learner|version)"/.test(start) || (isUbjson(bytes) && /^.{3,10}(learner|version)/s.test(start));
}

/**
 * Returns whether a file is UBJSON and not JSON: a key starts with its length in UBJSON, and with a
 * quote in JSON.
 */
const isUbjson = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x7b && '$#iUIlL'.includes(String.fromCharCode(bytes[1] ?? 0x22));

/**
 * Imports a model of XGBoost (`booster.save_model`, JSON or UBJSON), versions 1.3 to 3: boosting
 * and DART with numerical and categorical splits, and linear boosters. Features and sums are
 * float32, in XGBoost's order. Margins therefore equal those of XGBoost's CPU predictor bit for
 * bit. Predictions differ in the last bits of exponentials.
 *
 * Input: `x`, float32[features]. Outputs: `prediction`, float32[targets] (one number, one per
 * class, or the class for multi:softmax); `raw`, the margins; `leaves`, float32[trees], the number
 * of the leaf node that each tree reached. Cost: O(bytes). A JSON file of 30 MB blocks the calling
 * thread for about one second. The import needs about ten times the memory of the file. If the
 * import fails, the store is unchanged.
 * @throws ERR_GBDT_FORMAT for a damaged file; ERR_GBDT_LIMIT for a file that exceeds a limit;
 * ERR_GBDT_OPTION for an invalid option.
 * @throws ERR_GBDT_WEIGHT for a threshold or a leaf that is NaN, unless `nonFinite` is `allow`.
 * @throws ERR_GBDT_UNSUPPORTED for leaves that are vectors, and for objectives without a known
 * transform.
 * @see Source: XGBoost's JSON schema of models, `RegTree`, `ObjFunction::PredTransform`.
 * @example const { program } = importXgboost(readFileSync('model.ubj'), flour, { outputs: ['prediction', 'raw'] });
 */
export function importXgboost(
  model: Uint8Array | string,
  flour: FlourContext,
  options: GbdtOptions = {},
): ImportedGbdt {
  checkArguments(flour, options, 'importXgboost');
  const bytes = typeof model === 'string' ? Buffer.from(model) : model;
  checkOptions(options, bytes.length);
  const read = readXgboost(documentOf(bytes));
  const trees = treesOfRounds(read, options.rounds);
  const program = flour.attempt(() => {
    const input = flour.input(options.input ?? 'x', vector('float32', read.features)) as Flow<'vector'>;
    const raw = once(() =>
      read.linear === undefined ? margins(input, read, trees) : linearMargins(input, read, read.linear),
    );
    const write = {
      raw,
      prediction: () => objectiveOf(read.objective).predict(raw()),
      leaves: () => leaves(input, trees),
    };
    return answering(flour, input, write, options);
  }, options);
  return {
    program,
    producer: `XGBoost ${read.version}`,
    objective: read.objective,
    featureNames: read.featureNames,
    operators: countsOf(trees, read.linear !== undefined),
    fileBytes: bytes.length,
    warnings: warningsOf(read, options.rounds),
  };
}

function documentOf(bytes: Uint8Array): Json {
  if (isUbjson(bytes)) return readUbjson(bytes);
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()) as Json;
  } catch (error) {
    throw damaged('the document', 'JSON', error instanceof Error ? error.message : String(error));
  }
}

function treesOfRounds({ trees, treesPerRound }: XgboostModel, rounds: number | undefined): readonly XgboostTree[] {
  if (rounds === undefined) return trees;
  const most = Math.floor(trees.length / treesPerRound);
  if (rounds > most)
    throw gbdtError('ERR_GBDT_OPTION', { expected: `at most ${most} rounds`, received: `${rounds}`, at: 'rounds' });
  return trees.slice(0, rounds * treesPerRound);
}

/**
 * Returns the margins: for each target, the base score plus the leaves in the order of the trees.
 * Rounding depends on the order, and XGBoost starts with the base score. Therefore the base score
 * becomes the first tree of each target.
 */
function margins(input: Flow<'vector'>, model: XgboostModel, trees: readonly XgboostTree[]): Flow<'vector'> {
  const writer = new TreeWriter(input.context.nonFinite);
  const { toMargin } = objectiveOf(model.objective);
  model.baseScore.forEach((score, target) => {
    writer.startTree();
    writer.cover = 0; // any number: the tree is a single leaf, but each leaf needs a cover
    writer.leaf([], target, Math.fround(toMargin(score)));
  });
  for (const tree of trees)
    writeTree(writer, tree, (node, slots) => {
      writer.leaf(slots, tree.target, Math.fround(tree.weight * tree.condition[node]!));
    });
  return input.treeEnsemble(narrow(writer, model.targets));
}

function narrow(writer: TreeWriter, targets: number): Forest {
  const {
    threshold,
    leafWeight,
    base,
    memberStart: _,
    members: __,
    ...forest
  } = writer.forest(new Float64Array(targets));
  return {
    ...forest,
    threshold: Float32Array.from(threshold),
    leafWeight: Float32Array.from(leafWeight),
    base: Float32Array.from(base),
  };
}

/** Returns the margins of a linear model. A missing feature counts as 0. */
function linearMargins(input: Flow<'vector'>, model: XgboostModel, all: Float32Array): Flow<'vector'> {
  const { toMargin } = objectiveOf(model.objective);
  const weights = all.subarray(0, model.features * model.targets);
  const bias = model.baseScore.map((score, target) => all[weights.length + target]! + Math.fround(toMargin(score)));
  return input.impute({ values: 0 }).linear({ weights, bias });
}

/**
 * Returns, for each tree, the number of the leaf that the row reaches. It builds a forest with one
 * target for each tree, in which the weight of a leaf is the number of the leaf.
 */
function leaves(input: Flow<'vector'>, trees: readonly XgboostTree[]): Flow<'vector'> {
  const writer = new TreeWriter(input.context.nonFinite);
  trees.forEach((tree, at) => {
    writeTree(writer, tree, (node, slots) => writer.leaf(slots, at, node));
  });
  // A leaf number needs no explanation, so the forest needs no covers.
  const { cover: _, ...forest } = narrow(writer, Math.max(1, trees.length));
  return input.treeEnsemble(forest);
}

function countsOf(trees: readonly XgboostTree[], isLinear: boolean): Record<string, number> {
  let [splits, categorical] = [0, 0];
  for (const { left, categories } of trees) {
    categorical += categories.size;
    for (const child of left) if (child !== -1) splits++;
  }
  const parts = { tree: trees.length, split: splits - categorical, 'categorical split': categorical };
  return counted('xgboost', isLinear ? { 'linear model': 1 } : parts);
}

function warningsOf({ bestIteration, trees, treesPerRound }: XgboostModel, rounds: number | undefined): string[] {
  const all = trees.length / treesPerRound;
  if (rounds !== undefined || bestIteration === undefined || bestIteration + 1 >= all) return [];
  return [
    `early stopping found round ${bestIteration + 1} of ${all} to be the best; all count, as in Booster.predict. ` +
      `scikit-learn's predict stops there: { rounds: ${bestIteration + 1} }`,
  ];
}

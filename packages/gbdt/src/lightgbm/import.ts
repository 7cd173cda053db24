import { vector } from '@brezel/core';
import type { FlourContext, Flow } from '@brezel/flour';
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
import { hasPredictionsInLeaves, transformOf } from './objective.js';
import { type LightGbmFile, type LightGbmHead, type LightGbmTree, readLightGbm } from './read-text.js';
import { writeTree } from './write-tree.js';

/** Returns whether a file is in LightGBM's text format. */
export const isLightGbm = (bytes: Uint8Array): boolean =>
  /^tree\r?\n/.test(Buffer.from(bytes.subarray(0, 6)).toString('latin1'));

/**
 * Imports a model in LightGBM's text format (`booster.save_model`), versions 2 to 4: boosting,
 * DART, GOSS and random forests; every kind of missing value; categorical splits. Features and sums
 * are float64, as in LightGBM. Answers equal those of LightGBM, except for the last bits of
 * exponentials.
 *
 * Input: `x`, float64[features]. Outputs: `prediction`, float64[targets] (one number, or one per
 * class); `raw`, the margins; `leaves`, float64[trees], the number of the leaf that each tree
 * reached. Cost: O(bytes). A file of 50 MB blocks the calling thread for about one second. The
 * import needs about six times the memory of the file. If the import fails, the store is unchanged.
 * @throws ERR_GBDT_FORMAT for a damaged file; ERR_GBDT_LIMIT for a file that exceeds a limit;
 * ERR_GBDT_OPTION for an invalid option.
 * @throws ERR_GBDT_WEIGHT for a threshold or a leaf that is NaN, unless `nonFinite` is `allow`.
 * @throws ERR_GBDT_UNSUPPORTED for linear trees, and for objectives without a known transform.
 * @see Source: LightGBM's `Tree::Predict` and `ObjectiveFunction::ConvertOutput`.
 * @example const { program } = importLightGbm(readFileSync('model.txt'), flour);
 */
export function importLightGbm(
  model: Uint8Array | string,
  flour: FlourContext,
  options: GbdtOptions = {},
): ImportedGbdt {
  checkArguments(flour, options, 'importLightGbm');
  const bytes = typeof model === 'string' ? Buffer.byteLength(model) : model.length;
  checkOptions(options, bytes);
  const file = readLightGbm(
    typeof model === 'string' ? model : Buffer.from(model.buffer, model.byteOffset, model.length).toString(),
  );
  const { head } = file;
  const trees = treesOfRounds(file, options.rounds);
  const program = flour.attempt(() => {
    const input = flour.input(options.input ?? 'x', vector('float64', head.features)) as Flow<'vector'>;
    const raw = once(() => margins(input, head, trees, 1));
    const prediction = () => {
      const { scale, apply } = transformOf(head);
      return apply(scale === 1 ? raw() : margins(input, head, trees, scale));
    };
    const write = { prediction, raw, leaves: () => leaves(input, trees) };
    return answering(flour, input, write, options);
  }, options);
  return {
    program,
    producer: `LightGBM ${head.version}`,
    objective: head.objective.join(' '),
    featureNames: head.featureNames,
    operators: countsOf(trees),
    fileBytes: bytes,
    warnings: hasPredictionsInLeaves(head) && head.objective.length > 0 ? [PREDICTIONS_IN_LEAVES] : [],
  };
}

const PREDICTIONS_IN_LEAVES =
  'a random forest of format v2: Brezel reads its leaves as predictions, and does not apply the transform of the objective to their mean';

function treesOfRounds({ head, trees }: LightGbmFile, rounds: number | undefined): readonly LightGbmTree[] {
  if (trees.length % head.targets !== 0)
    throw damaged('the trees', `a multiple of ${head.targets} trees`, `${trees.length}`);
  const most = trees.length / head.targets;
  if (rounds !== undefined && rounds > most)
    throw gbdtError('ERR_GBDT_OPTION', { expected: `at most ${most} rounds`, received: `${rounds}`, at: 'rounds' });
  return rounds === undefined ? trees : trees.slice(0, rounds * head.targets);
}

/**
 * Returns the margins: for each target, the sum of the scaled leaves in the order of the trees. For
 * a random forest, returns the mean.
 */
function margins(
  input: Flow<'vector'>,
  { targets, isAverage }: LightGbmHead,
  trees: readonly LightGbmTree[],
  scale: number,
): Flow<'vector'> {
  const writer = new TreeWriter(input.context.nonFinite);
  // With several targets, each tree adds to one target only. The mean of a forest would divide by
  // all trees, so the leaves are divided here, by the number of trees of one target.
  const divisor = isAverage && targets > 1 ? trees.length / targets : 1;
  trees.forEach((tree, at) => {
    writeTree(writer, tree, (leaf, slots) => {
      writer.leaf(slots, at % targets, (tree.leafValue[leaf]! * scale) / divisor);
    });
  });
  const forest = writer.forest(new Float64Array(targets));
  return input.forest(forest, isAverage && targets === 1 && trees.length > 0 ? 'average' : 'sum');
}

/**
 * Returns, for each tree, the number of the leaf that the row reaches. It builds a forest with one
 * target for each tree, in which the weight of a leaf is the number of the leaf.
 */
function leaves(input: Flow<'vector'>, trees: readonly LightGbmTree[]) {
  const writer = new TreeWriter(input.context.nonFinite);
  trees.forEach((tree, at) => {
    writeTree(writer, tree, (leaf, slots) => writer.leaf(slots, at, leaf));
  });
  // A leaf number needs no explanation, so the forest needs no covers.
  const { cover: _, ...forest } = writer.forest(new Float64Array(Math.max(1, trees.length)));
  return input.forest(forest);
}

function countsOf(trees: readonly LightGbmTree[]): Record<string, number> {
  let [splits, categorical] = [0, 0];
  for (const { decision } of trees) {
    splits += decision.length;
    for (const bits of decision) categorical += bits & 1;
  }
  return counted('lightgbm', { tree: trees.length, split: splits - categorical, 'categorical split': categorical });
}

import type { Rule } from './rule.js';
import { checkGraph } from './steps/1-validate-input/check-graph.js';
import { checkSchema } from './steps/1-validate-input/check-schema.js';
import { propagateSchema } from './steps/1-validate-input/propagate-schema.js';
import { duplicateTokenizers } from './steps/2-build-stages/duplicate-tokenizers.js';
import { groupByBound } from './steps/2-build-stages/group-by-bound.js';
import { splitAtPipelineBreakers } from './steps/2-build-stages/split-at-pipeline-breakers.js';
import { splitAtSharingFrontier } from './steps/2-build-stages/split-at-sharing-frontier.js';
import { eliminateCommonBranches } from './steps/3-optimize-stages/eliminate-common-branches.js';
import { eliminateDeadOutputs } from './steps/3-optimize-stages/eliminate-dead-outputs.js';
import { eliminateIdentity } from './steps/3-optimize-stages/eliminate-identity.js';
import { foldAffineChains } from './steps/3-optimize-stages/fold-affine-chains.js';
import { foldAffineIntoForest } from './steps/3-optimize-stages/fold-affine-into-forest.js';
import { foldAffineIntoLinear } from './steps/3-optimize-stages/fold-affine-into-linear.js';
import { foldMirroredClasses } from './steps/3-optimize-stages/fold-mirrored-classes.js';
import { foldNormalizeIntoLinear } from './steps/3-optimize-stages/fold-normalize-into-linear.js';
import { inlineSingleTransformStages } from './steps/3-optimize-stages/inline-single-transform-stages.js';
import { mergeAddedForests } from './steps/3-optimize-stages/merge-added-forests.js';
import { mergeConcatenatedForests } from './steps/3-optimize-stages/merge-concatenated-forests.js';
import { mergeEqualStages } from './steps/3-optimize-stages/merge-equal-stages.js';
import { pruneUnusedInputs } from './steps/3-optimize-stages/prune-unused-inputs.js';
import { pushCountLinearThroughConcat } from './steps/3-optimize-stages/push-count-linear-through-concat.js';
import { pushLinearThroughConcat } from './steps/3-optimize-stages/push-linear-through-concat.js';
import { pushLinearThroughSelect } from './steps/3-optimize-stages/push-linear-through-select.js';
import { pushSelectThroughConcat } from './steps/3-optimize-stages/push-select-through-concat.js';
import { removeEmptyStages } from './steps/3-optimize-stages/remove-empty-stages.js';
import { roundCountWeights } from './steps/3-optimize-stages/round-count-weights.js';
import { skipCounting } from './steps/3-optimize-stages/skip-counting.js';
import { checkStageGraph } from './steps/4-validate-output/check-stage-graph.js';
import { markMaterializable } from './steps/4-validate-output/mark-materializable.js';
import { markSparseDense } from './steps/4-validate-output/mark-sparse-dense.js';
import { markVectorizable } from './steps/4-validate-output/mark-vectorizable.js';
import { maxVectorSizes } from './steps/4-validate-output/max-vector-sizes.js';
import { stageSchemas } from './steps/4-validate-output/stage-schemas.js';

/**
 * All rules in the order in which their steps try them. Comments say why a rule has its position.
 */
export const rules: readonly Rule[] = [
  checkGraph,
  propagateSchema, // after check-graph, because types propagate along existing edges
  checkSchema,

  // before the first division into stages, which ends a stage at a value that several nodes read
  duplicateTokenizers,
  splitAtPipelineBreakers,
  splitAtSharingFrontier, // after the first division, because it divides existing stages
  groupByBound, // after roles are known, because it joins only stages with the same role

  eliminateIdentity,
  mergeEqualStages, // before common branches, because it merges a whole stage in one change
  eliminateCommonBranches,
  pushSelectThroughConcat,
  pruneUnusedInputs, // after the selections, because a selection may hide a concat from the forest
  foldAffineChains, // before models absorb affine maps, so that a whole chain is absorbed once
  foldAffineIntoForest,
  // after scales are folded into leaves, because only then weighted votes are plain sums
  mergeAddedForests,
  mergeConcatenatedForests,
  pushCountLinearThroughConcat, // after common branches, because equal concats are merged by then
  pushLinearThroughConcat, // after common branches, because equal concats are merged by then
  pushLinearThroughSelect, // after the concat, which may be between the selection and the model
  foldAffineIntoLinear, // after both pushes, because the scaler is next to the model by then
  roundCountWeights, // after the folds, because counts are then next to the model
  // after the push, so that the pieces of the weights are halved and stages can share them
  foldMirroredClasses,
  skipCounting, // after all rules that make linear models of counts
  foldNormalizeIntoLinear, // after both folds, which support only `linear`
  eliminateDeadOutputs,
  inlineSingleTransformStages,
  removeEmptyStages,

  markSparseDense, // before the schemas, because it changes an output type of the stage
  stageSchemas,
  maxVectorSizes,
  markVectorizable,
  markMaterializable,
  checkStageGraph,
];

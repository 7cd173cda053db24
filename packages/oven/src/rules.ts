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
import { pushLinearThroughConcat } from './steps/3-optimize-stages/push-linear-through-concat.js';
import { pushLinearThroughSelect } from './steps/3-optimize-stages/push-linear-through-select.js';
import { pushSelectThroughConcat } from './steps/3-optimize-stages/push-select-through-concat.js';
import { removeEmptyStages } from './steps/3-optimize-stages/remove-empty-stages.js';
import { checkStageGraph } from './steps/4-validate-output/check-stage-graph.js';
import { markMaterializable } from './steps/4-validate-output/mark-materializable.js';
import { markSparseDense } from './steps/4-validate-output/mark-sparse-dense.js';
import { markVectorizable } from './steps/4-validate-output/mark-vectorizable.js';
import { maxVectorSizes } from './steps/4-validate-output/max-vector-sizes.js';
import { stageSchemas } from './steps/4-validate-output/stage-schemas.js';

/** Every rule, in the order in which its step tries it. A line that must come after another says why. */
export const rules: readonly Rule[] = [
  checkGraph,
  propagateSchema, // after check-graph: types flow along edges that exist
  checkSchema,

  duplicateTokenizers, // before the first split: chains are cut where a value has several users
  splitAtPipelineBreakers,
  splitAtSharingFrontier, // after the first split: it parts the stages that are there
  groupByBound, // after the frontier: only stages of one role are joined

  eliminateIdentity,
  mergeEqualStages, // before common branches: a whole stage in one change
  eliminateCommonBranches,
  pushSelectThroughConcat,
  pruneUnusedInputs, // after the selections: they hide a concat from the forest
  foldAffineChains, // before they are folded into models: once, not link by link
  foldAffineIntoForest,
  mergeAddedForests, // after scales went into the leaves: weighted votes are plain sums by then
  mergeConcatenatedForests,
  pushLinearThroughConcat, // after common branches: equal concats are one by then
  pushLinearThroughSelect, // after the concat, which may stand before the selection
  foldAffineIntoLinear, // after both: the scaler stands next to the model by then
  foldMirroredClasses, // after the push: the pieces of the weights are halved, and shared as such
  foldNormalizeIntoLinear, // after both folds, which know `linear` alone
  eliminateDeadOutputs,
  inlineSingleTransformStages,
  removeEmptyStages,

  markSparseDense, // before the schemas: it changes what a stage hands on
  stageSchemas,
  maxVectorSizes,
  markVectorizable,
  markMaterializable,
  checkStageGraph,
];

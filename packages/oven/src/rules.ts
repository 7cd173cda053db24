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
import { foldMirroredClasses } from './steps/3-optimize-stages/fold-mirrored-classes.js';
import { inlineSingleTransformStages } from './steps/3-optimize-stages/inline-single-transform-stages.js';
import { pushLinearThroughConcat } from './steps/3-optimize-stages/push-linear-through-concat.js';
import { removeEmptyStages } from './steps/3-optimize-stages/remove-empty-stages.js';
import { checkStageGraph } from './steps/4-validate-output/check-stage-graph.js';
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
  eliminateCommonBranches,
  pushLinearThroughConcat, // after common branches: equal concats are one by then
  foldMirroredClasses, // after the push: the pieces of the weights are halved, and shared as such
  eliminateDeadOutputs,
  inlineSingleTransformStages,
  removeEmptyStages,

  stageSchemas,
  checkStageGraph,
];

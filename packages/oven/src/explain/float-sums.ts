import type { NumericParameter } from '@brezel/core';
import { countLinear, linear, ngram, roundWeights } from '@brezel/flour';
import type { ObjectStore } from '@brezel/object-store';
import type { StageView, StepView } from './stage-view.js';

const REASON = `float sums, not ${countLinear.name}: weights too unequal`;
const NOT_FINITE = `float sums, not ${countLinear.name}: a weight is not finite`;

/**
 * Adds a summary to linear models that read only counts of n-grams, but whose weights cannot be
 * rounded to integers: the reason why their sums are float sums.
 */
export function withFloatSums<Stage extends StageView>(stages: readonly Stage[], store: ObjectStore): Stage[] {
  const operators = new Map(stages.flatMap(({ steps }) => steps.map(({ value, operator }) => [value, operator])));
  const readsCounts = ({ operator, inputs }: StepView) =>
    operator === linear.name && inputs.every((input) => operators.get(input) === ngram.name);
  return stages.map((stage) => {
    if (!stage.steps.some(readsCounts)) return stage;
    const reason = reasonOf(stage, store);
    if (reason === undefined) return stage;
    return { ...stage, steps: stage.steps.map((step) => (readsCounts(step) ? { ...step, summary: reason } : step)) };
  });
}

/** Returns why the weights of a stage cannot be rounded, or undefined if they can. */
function reasonOf({ parameters }: StageView, store: ObjectStore): string | undefined {
  const weights = parameters
    .filter(({ name }) => name.startsWith(`${linear.name}.weights`))
    .map(({ id }) => (store.get(id) as NumericParameter & { data: Float32Array }).data);
  if (roundWeights(weights) !== undefined) return undefined;
  return weights.every((list) => list.every(Number.isFinite)) ? REASON : NOT_FINITE;
}

import type { ParameterValue } from '@brezel/core';
import { float64, type InputSource, int32, type OperatorReplacement } from '../../define-op.js';
import { concat } from '../concat/index.js';
import { ngram } from '../ngram/index.js';
import { countLinear } from './index.js';
import { roundWeights } from './round-weights.js';

/**
 * A row has at most 2^28 bytes of text. So a model may read this many lengths of n-grams, and the
 * sum of weights with 30 bits still fits in 64 bits.
 */
const MOST_LENGTHS = 31;

/**
 * Returns the largest number of n-grams that one position of a text adds to a value. Returns
 * undefined if the value is not a vector of counts, or a concatenation of such vectors.
 */
function lengthsOf({ operator, inputs, attributes }: InputSource): number | undefined {
  if (operator === ngram) {
    const { minN, maxN, maxSkip, unit } = attributes as { minN: number; maxN: number; maxSkip: number; unit: string };
    // Padding can add a space before and after each character.
    return unit === 'padded' ? 3 * maxN : (maxN - minN + 1) * (maxSkip + 1);
  }
  return operator === concat ? lengthsOfAll(inputs) : undefined;
}

function lengthsOfAll(inputs: readonly InputSource[]): number | undefined {
  let sum = 0;
  for (const input of inputs) {
    const lengths = lengthsOf(input);
    if (lengths === undefined) return undefined;
    sum += lengths;
  }
  return sum;
}

/**
 * Returns the use of `count-linear` that replaces a use of `linear`. Returns undefined if an input
 * is not counts, or if the weights cannot be rounded (`roundWeights`).
 *
 * @param parameterOf returns the value of a parameter of the use.
 */
export function countLinearFor(
  inputs: readonly InputSource[],
  parameterOf: (name: string) => ParameterValue,
): OperatorReplacement | undefined {
  if (!((lengthsOfAll(inputs) ?? Number.POSITIVE_INFINITY) <= MOST_LENGTHS)) return undefined;
  const values = inputs.map((_, branch) => parameterOf(`weights${branch}`));
  const rounded = roundWeights(values.map((value) => (value as { data: Float32Array }).data));
  if (rounded === undefined) return undefined;
  const weights = rounded.weights.map((weights, branch) => [`weights${branch}`, int32(weights, values[branch]!.shape)]);
  return {
    operator: countLinear,
    attributes: {},
    parameters: {
      ...(Object.fromEntries(weights) as Record<string, ParameterValue>),
      scale: float64([rounded.scale]),
      bias: parameterOf('bias'),
    },
  };
}

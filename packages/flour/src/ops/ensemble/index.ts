import { sizeOf, vector } from '@brezel/core';
import { ofKind, ofLength, ofNumbers } from '../../checks.js';
import { defineOp, float32, type Numbers } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { everyNumber, ofCount, placeOf } from '../../numbers.js';
import '../concat/index.js';
import '../densify/index.js';
import type { JoinedFields } from '../../program-types.js';
import { contributions } from './contributions.js';
import { combinations, reference } from './reference.js';

/**
 * Defines the operator `ensemble`, which combines the scores of several models. `Flow.ensemble`
 * adds it to a program.
 *
 * Its parameter is `weights`: float32, one weight per model.
 */
export const ensemble = defineOp({
  name: 'ensemble',
  version: 1,
  doc: {
    does: 'Combines the scores of several models.',
    types: 'float32[n] of each model → float32[n]',
    attributes: {
      combine:
        'average: the weighted average of the scores; vote: the sum of the weights of the models that give a class the greatest score',
    },
    parameters: { weights: 'float32[models]' },
    kernels: ['ensemble'],
  },
  attributes: { combine: 'infer' },
  parameters: { weights: ['float32'] },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'model', breaker: true },
  infer(use) {
    const [first] = use.inputs;
    if (first === undefined) throw flourError('ERR_FLOUR_GRAPH', { expected: 'at least one member', at: 'ensemble' });
    for (const input of use.inputs) {
      ofNumbers('ensemble', ofKind('ensemble', input, 'vector'), 'float32');
      if (sizeOf(input) !== sizeOf(first)) {
        throw flourError('ERR_FLOUR_SIZE', {
          expected: `${sizeOf(first)} scores of every member`,
          received: `${sizeOf(input)}`,
          at: 'ensemble',
        });
      }
    }
    ofLength('ensemble', 'weights', use, use.inputs.length);
    placeOf('ensemble', 'combine', use.attributes.combine, combinations);
    return vector('float32', sizeOf(first));
  },
  reference,
  contributions,
  kernel: ({ attributes }) => ({
    kernel: 'ensemble',
    parameters: ['weights'],
    attributes: [combinations.indexOf(attributes.combine as 'vote')],
  }),
});

/** Options of `Flow.ensemble`. */
export interface EnsembleOptions {
  /**
   * `average`: the average of the scores (default). `vote`: for each class, the sum of the weights
   * of the models that give this class the greatest score. `stack`: all scores side by side, as the
   * input of another model.
   */
  readonly combine?: (typeof combinations)[number] | 'stack';
  /**
   * One weight for each model. The first weight belongs to this flow. By default, all weights are
   * 1. `stack` accepts no weights.
   */
  readonly weights?: Numbers;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Combines the scores of several models: this flow and `others`. With `vote`, the result is the
     * votes of each class. To get the class with the most votes, append `.argMax()`; if several
     * classes have the most votes, it returns the first of them.
     *
     * Shapes: `[n]` float32 of each model → `[n]` float32; `stack`: `[n * models]`. Cost: O(n *
     * models). Sums run over the models in float32, in order. Bit-equal on every engine.
     * @throws ERR_FLOUR_SIZE for models with different numbers of scores, or unless there is one
     * weight per model.
     * @throws ERR_FLOUR_PARAM for a negative weight, or if all weights are 0.
     * @see Source: scikit-learn VotingClassifier (soft, hard), VotingRegressor, StackingClassifier;
     * ML.NET ensemble combiners.
     * @example scores.ensemble([probabilities], { combine: 'average', weights: [1, 2] })
     */
    ensemble<Others extends readonly Flow<'vector', unknown, unknown>[]>(
      this: Flow<'vector', Row, unknown>,
      others: Others,
      options?: EnsembleOptions,
    ): Flow<'vector', Row & JoinedFields<Others[number]>>;
  }
}

Flow.prototype.ensemble = function (this: Flow<'vector'>, others, { combine = 'average', weights } = {}) {
  const members = [this, ...(others as readonly Flow<'vector'>[])].map((flow) => flow.densify());
  if (combine === 'stack') {
    if (weights === undefined) return members[0]!.concat(...members.slice(1));
    throw flourError('ERR_FLOUR_PARAM', { expected: 'no weights: the model above has its own', at: 'ensemble' });
  }
  const shares = Float32Array.from(weights ?? members.map(() => 1), Number);
  ofCount('ensemble', 'weights', shares, members.length);
  everyNumber('ensemble', 'weights of 0 or more', shares, (weight) => weight >= 0 && Number.isFinite(weight));
  const total = shares.reduce((sum, weight) => sum + weight, 0);
  everyNumber('ensemble', 'a positive sum of weights', [total], (sum) => sum > 0);
  return this.context.apply<'vector'>(ensemble, members, {
    attributes: { combine },
    parameters: { weights: float32(shares) },
  });
};

import { byName, drawOne, onlyAnswer, type SelectionPolicy } from '../policy.js';
import { checkNames, within } from './numbers.js';
import { equalWeights, inheritedWeights, type LogWeights, reweighted, weightsOf } from './weights.js';

/** Options of `exp3`. */
export interface Exp3Options {
  /** How much one loss changes a weight. Default 0.05. */
  readonly eta?: number;
  /**
   * The share of requests, from 0 to 1, for which the policy asks a random candidate. Default 0.02.
   */
  readonly explore?: number;
  /**
   * The share of each weight that is divided among all candidates after each feedback, so that a
   * candidate with many losses can recover. Default 0.0001.
   */
  readonly share?: number;
}

/**
 * Creates a policy that asks one candidate per row and learns which candidate has the smallest
 * loss, even if losses change over time. Source: Exp3 of Auer et al., 2002; Clipper, NSDI '17,
 * section 5.1.
 *
 * Cost: one prediction per row.
 *
 * @throws ERR_SELECTION_OPTION
 * @example createSelection({ candidates, loss, policy: exp3({ eta: 0.1 }) })
 */
export function exp3(options: Exp3Options = {}): SelectionPolicy<LogWeights> {
  checkNames('exp3', options, { eta: true, explore: true, share: true });
  const eta = within('exp3', 'eta', options.eta ?? 0.05, 0, 100);
  const explore = within('exp3', 'explore', options.explore ?? 0.02, 0, 1);
  const share = within('exp3', 'share', options.share ?? 0.0001, 0, 1);
  return {
    name: 'exp3',
    init: equalWeights,
    inherit: inheritedWeights,
    select(state, { candidates, random }) {
      const even = explore / candidates.length;
      const probabilities = weightsOf(state, candidates).map((weight) => (1 - explore) * weight + even);
      return drawOne(candidates, probabilities, random);
    },
    combine: onlyAnswer,
    observe(state, { losses, probabilities }) {
      const names = Object.keys(losses);
      // Divides the loss by the probability that the candidate was asked. The expected value of the
      // quotient is the true loss.
      const estimates = names.map((name) => losses[name]! / (probabilities[name] ?? 1));
      return reweighted(state, byName(names, estimates), eta, share);
    },
    weights: (state, candidates) => byName(candidates, weightsOf(state, candidates)),
  };
}

import { byName, type SelectionPolicy } from '../policy.js';
import { checkNames, within } from './numbers.js';
import { equalWeights, inheritedWeights, type LogWeights, reweighted, weightsOf } from './weights.js';

/** Options of `exp4`. */
export interface Exp4Options {
  /** How much one loss changes a weight. Default 0.1. */
  readonly eta?: number;
  /**
   * The share of each weight that is divided among all candidates after each feedback, so that a
   * candidate with many losses can recover. Default 0.001.
   */
  readonly share?: number;
}

/**
 * Creates a policy that asks all candidates and combines their answers. A candidate with small
 * losses so far has a large weight (Exp4 of Auer et al., 2002, as Clipper, NSDI '17, section 5.2,
 * uses it).
 *
 * Cost: one prediction per row and candidate. The confidence is the share of candidates that agree.
 *
 * @throws ERR_SELECTION_OPTION
 * @example createSelection({ candidates, loss, policy: exp4(), fallback, leastConfidence: 0.6 })
 */
export function exp4(options: Exp4Options = {}): SelectionPolicy<LogWeights> {
  checkNames('exp4', options, { eta: true, share: true });
  const eta = within('exp4', 'eta', options.eta ?? 0.1, 0, 100);
  const share = within('exp4', 'share', options.share ?? 0.001, 0, 1);
  return {
    name: 'exp4',
    init: equalWeights,
    inherit: inheritedWeights,
    select: (_state, { candidates }) => ({
      ask: candidates,
      probabilities: Object.fromEntries(candidates.map((name) => [name, 1])),
    }),
    combine(state, { answers, join }) {
      const names = [...answers.keys()];
      return join(byName(names, weightsOf(state, names)));
    },
    observe: (state, { losses }) => reweighted(state, losses, eta, share),
    weights: (state, candidates) => byName(candidates, weightsOf(state, candidates)),
  };
}

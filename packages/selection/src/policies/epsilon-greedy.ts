import { drawOne, onlyAnswer, type SelectionPolicy } from '../policy.js';
import { EMPTY, emptyTallies, inheritedTallies, type Tallies, tallied } from './means.js';
import { checkNames, within } from './numbers.js';

/** Options of `epsilonGreedy`. */
export interface EpsilonGreedyOptions {
  /**
   * The share of requests, from 0 to 1, for which the policy asks a random candidate. Default 0.1.
   */
  readonly epsilon?: number;
  /** How many of the latest observations the policy remembers, approximately. Default 1000. */
  readonly memory?: number;
}

/**
 * Creates a policy that asks the candidate with the smallest mean loss. For a share of the rows, it
 * asks a random candidate.
 *
 * Cost: one prediction per row.
 *
 * @throws ERR_SELECTION_OPTION
 * @example createSelection({ candidates, loss, policy: epsilonGreedy({ epsilon: 0.05 }) })
 */
export function epsilonGreedy(options: EpsilonGreedyOptions = {}): SelectionPolicy<Tallies> {
  checkNames('epsilonGreedy', options, { epsilon: true, memory: true });
  const epsilon = within('epsilonGreedy', 'epsilon', options.epsilon ?? 0.1, 0, 1);
  const memory = within('epsilonGreedy', 'memory', options.memory ?? 1000, 1, Infinity);
  return {
    name: 'epsilon-greedy',
    init: emptyTallies,
    inherit: inheritedTallies,
    select(state, { candidates, random }) {
      // A candidate without observations has the mean loss 0, so that the policy asks it first.
      const means = candidates.map((name) => {
        const { count, loss } = state[name] ?? EMPTY;
        return count === 0 ? 0 : loss / count;
      });
      const best = means.indexOf(Math.min(...means));
      const even = epsilon / candidates.length;
      const probabilities = candidates.map((_, at) => (at === best ? 1 - epsilon + even : even));
      return drawOne(candidates, probabilities, random);
    },
    combine: onlyAnswer,
    observe: (state, observation) => tallied(state, observation, memory),
  };
}

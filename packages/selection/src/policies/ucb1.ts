import { greatest, onlyAnswer, type SelectionPolicy } from '../policy.js';
import { EMPTY, emptyTallies, inheritedTallies, type Tallies, tallied } from './means.js';
import { checkNames, within } from './numbers.js';

/** Options of `ucb1`. */
export interface Ucb1Options {
  /**
   * How much uncertainty counts: with a larger number, the policy asks uncertain candidates more
   * often. Default 2, as in the proof of Auer et al. (2002).
   */
  readonly bonus?: number;
  /** How many of the latest observations the policy remembers, approximately. Default 1000. */
  readonly memory?: number;
}

/**
 * Creates a policy that asks the candidate with the greatest upper confidence bound of its reward,
 * 1 - loss (UCB1 of Auer et al., 2002). Old observations count less, as in the discounted UCB of
 * Garivier and Moulines, 2008.
 *
 * Cost: one prediction per row. The choice is not random, so the log of the selection cannot be
 * used to estimate other policies.
 *
 * @throws ERR_SELECTION_OPTION
 * @example createSelection({ candidates, loss, policy: ucb1() })
 */
export function ucb1(options: Ucb1Options = {}): SelectionPolicy<Tallies> {
  checkNames('ucb1', options, { bonus: true, memory: true });
  const bonus = within('ucb1', 'bonus', options.bonus ?? 2, 0, 1e6);
  const memory = within('ucb1', 'memory', options.memory ?? 1000, 1, Infinity);
  return {
    name: 'ucb1',
    init: emptyTallies,
    inherit: inheritedTallies,
    select(state, { candidates }) {
      const tallies = candidates.map((name) => state[name] ?? EMPTY);
      const total = tallies.reduce((sum, { count }) => sum + count, 0);
      const scores = tallies.map(({ count, loss }) =>
        count === 0 ? Infinity : 1 - loss / count + Math.sqrt((bonus * Math.log(Math.max(total, 1))) / count),
      );
      return greatest(candidates, scores);
    },
    combine: onlyAnswer,
    observe: (state, observation) => tallied(state, observation, memory),
  };
}

import { greatest, onlyAnswer, type SelectionPolicy } from '../policy.js';
import { EMPTY, emptyTallies, type Tallies, tallied } from './means.js';
import { checkNames, within } from './numbers.js';

/** Options of `ucb1`. */
export interface Ucb1Options {
  /**
   * The larger, the more often uncertain candidates are asked. Default 2, as in the proof of Auer
   * et al. (2002).
   */
  readonly bonus?: number;
  /** About this many of the latest observations count. Default 1000. */
  readonly memory?: number;
}

/**
 * Asks the candidate whose upper confidence bound is greatest (UCB1 of Auer et al., 2002). Because
 * old observations count less, it is the discounted UCB of Garivier and Moulines, 2008.
 *
 * Cost: one prediction per row. The choice is not random, so a log of it cannot estimate other
 * policies.
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

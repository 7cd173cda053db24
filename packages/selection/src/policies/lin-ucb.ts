import { selectionError } from '../errors.js';
import { greatest, onlyAnswer, type SelectionPolicy } from '../policy.js';
import { checkNames, within } from './numbers.js';

/**
 * What the policy has learned about a candidate: a ridge regression from features `x` of a row to
 * rewards (1 - loss).
 */
interface Regression {
  /** The inverse of the matrix I + sum of x xᵀ over all observations, in row-major order. */
  readonly inverse: readonly number[];
  /** The sum of x times the reward over all observations. */
  readonly rewards: readonly number[];
  readonly [name: string]: readonly number[];
}

/** The regression of each candidate by name. Empty before the first feedback. */
export type Regressions = Readonly<Record<string, Regression>>;

/** Options of `linUcb`. */
export interface LinUcbOptions {
  /**
   * How much uncertainty counts: with a larger number, the policy asks uncertain candidates more
   * often. Default 1.
   */
  readonly alpha?: number;
}

/**
 * Creates a policy that asks the candidate with the greatest sum of an expected reward and a bonus.
 * For each candidate, a ridge regression estimates the reward, 1 - loss, from the features of the
 * row. The bonus is large while the estimate is uncertain (LinUCB of Li et al., 2010).
 *
 * Cost: one prediction per row, and for d features d² operations per candidate. The selection needs
 * the option `features`. The choice is not random, so the log of the selection cannot be used to
 * estimate other policies.
 *
 * @throws ERR_SELECTION_OPTION; from `select`, ERR_SELECTION_FEATURES
 * @example createSelection({ candidates, loss, policy: linUcb(), features: (row) => [1, row.age / 100] })
 */
export function linUcb(options: LinUcbOptions = {}): SelectionPolicy<Regressions> {
  checkNames('linUcb', options, { alpha: true });
  const alpha = within('linUcb', 'alpha', options.alpha ?? 1, 0, 1e6);
  return {
    name: 'lin-ucb',
    init: () => ({}),
    select(state, { candidates, features }) {
      const x = checkedFeatures(state, features);
      return greatest(
        candidates,
        candidates.map((name) => upperBound(state[name], x, alpha)),
      );
    },
    combine: onlyAnswer,
    observe(state, { losses, features }) {
      const x = checkedFeatures(state, features);
      const next: Record<string, Regression> = { ...state };
      for (const [name, loss] of Object.entries(losses))
        next[name] = learned(next[name] ?? fresh(x.length), x, 1 - loss);
      return next;
    },
  };
}

const dot = (a: readonly number[], b: readonly number[]): number => {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
};

/** Returns the product of a row-major matrix and a vector. */
const times = (matrix: readonly number[], x: readonly number[]): number[] =>
  x.map((_, row) => {
    let sum = 0;
    for (let column = 0; column < x.length; column++) sum += matrix[row * x.length + column]! * x[column]!;
    return sum;
  });

const fresh = (size: number): Regression => ({
  inverse: Array.from({ length: size * size }, (_, at) => (at % (size + 1) === 0 ? 1 : 0)),
  rewards: new Array<number>(size).fill(0),
});

function upperBound(regression: Regression | undefined, x: readonly number[], alpha: number): number {
  if (regression === undefined) return alpha * Math.sqrt(dot(x, x));
  const spread = times(regression.inverse, x);
  return dot(spread, regression.rewards) + alpha * Math.sqrt(Math.max(0, dot(x, spread)));
}

/**
 * Returns the regression after one more observation. Updates the inverse with the formula of
 * Sherman and Morrison, without inverting a matrix.
 */
function learned({ inverse, rewards }: Regression, x: readonly number[], reward: number): Regression {
  const spread = times(inverse, x);
  const scale = 1 + dot(x, spread);
  return {
    inverse: inverse.map((value, at) => value - (spread[Math.floor(at / x.length)]! * spread[at % x.length]!) / scale),
    rewards: rewards.map((value, at) => value + reward * x[at]!),
  };
}

/**
 * Returns the features of a row if their number matches the state.
 * @throws ERR_SELECTION_FEATURES otherwise
 */
function checkedFeatures(state: Regressions, features: readonly number[] | undefined): readonly number[] {
  const [known] = Object.values(state);
  const size = known?.rewards.length;
  const isList = Array.isArray(features) && features.length > 0 && features.every((value) => Number.isFinite(value));
  if (isList && (size === undefined || size === features.length)) return features;
  const expected = size === undefined ? 'a list of finite numbers' : `a list of ${size} finite numbers`;
  const received = features === undefined ? 'no features' : `${JSON.stringify(features)?.slice(0, 100)}`;
  throw selectionError('ERR_SELECTION_FEATURES', { expected, received, at: 'the option features' });
}

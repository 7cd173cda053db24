import type { Flow } from '@brezel/flour';
import { gbdtError } from '../errors.js';
import type { LightGbmHead } from './read-text.js';

/** How margins (sums of leaves) become predictions: multiply by `scale`, then call `apply`. */
export interface Transform {
  readonly scale: number;
  readonly apply: (margin: Flow<'vector'>) => Flow<'vector'>;
}

const same: Transform = { scale: 1, apply: (margin) => margin };
const plain = [
  'regression',
  'regression_l2',
  'regression_l1',
  'huber',
  'fair',
  'quantile',
  'mape',
  'custom',
  'none',
  'lambdarank',
  'rank_xendcg',
];
const exponential = ['poisson', 'gamma', 'tweedie'];

/**
 * Returns whether the leaves of a model are predictions and not margins, as in random forests of
 * format version 2.
 */
export const hasPredictionsInLeaves = ({ isAverage, version }: LightGbmHead): boolean => isAverage && version === 'v2';

/**
 * Returns how the objective converts margins to predictions (`ConvertOutput` in LightGBM). Without
 * an objective, and if the leaves are predictions, predictions are the margins.
 *
 * @throws ERR_GBDT_UNSUPPORTED for an objective that the importer does not support.
 */
export function transformOf(head: LightGbmHead): Transform {
  const [name, ...options] = head.objective;
  if (name === undefined || hasPredictionsInLeaves(head)) return same;
  if (plain.includes(name) && !options.includes('sqrt')) return same;
  if (exponential.includes(name)) return { scale: 1, apply: (margin) => margin.map('exp') };
  if (name === 'multiclass' || name === 'softmax') return { scale: 1, apply: (margin) => margin.softmax() };
  if (name === 'binary' || name === 'multiclassova') return logistic(slopeOf(options));
  if (name === 'cross_entropy' || name === 'xentropy') return logistic(1);
  if (name === 'cross_entropy_lambda' || name === 'xentlambda') return { scale: -1, apply: softplusOfOpposite };
  throw gbdtError('ERR_GBDT_UNSUPPORTED', {
    received: `objective "${head.objective.join(' ')}", whose transform is unsupported`,
    at: 'the head, objective',
    hint: "import the margins: { outputs: ['raw'] }, and transform them yourself",
  });
}

const slopeOf = (options: readonly string[]) =>
  Number(options.find((option) => option.startsWith('sigmoid:'))?.slice('sigmoid:'.length) ?? 1);

const logistic = (scale: number): Transform => ({ scale, apply: (margin) => margin.map('sigmoid') });

/** Returns log(1 + e^x) as -log(sigmoid(-x)), so that no exponential overflows. The input is -x. */
const softplusOfOpposite = (opposite: Flow<'vector'>) => opposite.map('sigmoid').map('log').map('negate');

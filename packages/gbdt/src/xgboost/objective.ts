import type { Flow } from '@brezel/flour';
import { gbdtError } from '../errors.js';

/** The conversion between the margins and the predictions of an objective. */
export interface Objective {
  /** Converts a prediction to a margin (`ProbToMargin`), for the base score. */
  readonly toMargin: (prediction: number) => number;
  /** Converts margins to predictions (`PredTransform`). */
  readonly predict: (margin: Flow<'vector'>) => Flow<'vector'>;
}

const same = (value: number) => value;
const logit = (probability: number) => -Math.log(1 / probability - 1);
const margins: Objective = { toMargin: same, predict: (margin) => margin };
const logistic: Objective = { toMargin: logit, predict: (margin) => margin.map('sigmoid') };
const exponential: Objective = { toMargin: Math.log, predict: (margin) => margin.map('exp') };

const objectives: Readonly<Record<string, Objective>> = {
  'reg:squarederror': margins,
  'reg:linear': margins,
  'reg:squaredlogerror': margins,
  'reg:pseudohubererror': margins,
  'reg:absoluteerror': margins,
  'reg:quantileerror': margins,
  'rank:pairwise': margins,
  'rank:ndcg': margins,
  'rank:map': margins,
  'reg:logistic': logistic,
  'binary:logistic': logistic,
  'binary:logitraw': margins, // its base score is a margin: XGBoost does not transform it
  'binary:hinge': {
    toMargin: same,
    predict: (margin) => margin.threshold(0).cast('float32') as unknown as Flow<'vector'>,
  },
  'count:poisson': exponential,
  'reg:gamma': exponential,
  'reg:tweedie': exponential,
  'survival:cox': exponential,
  'survival:aft': exponential,
  'multi:softprob': { toMargin: same, predict: (margin) => margin.softmax() },
  'multi:softmax': {
    toMargin: same,
    predict: (margin) => margin.argMax().cast('float32') as unknown as Flow<'vector'>,
  },
};

/**
 * Returns the objective of this name.
 * @throws ERR_GBDT_UNSUPPORTED for an objective that the importer does not support.
 */
export function objectiveOf(name: string): Objective {
  if (Object.hasOwn(objectives, name)) return objectives[name]!;
  throw gbdtError('ERR_GBDT_UNSUPPORTED', {
    received: `objective ${JSON.stringify(name.slice(0, 60))}, whose transform is unsupported`,
    at: 'model.learner.objective.name',
  });
}

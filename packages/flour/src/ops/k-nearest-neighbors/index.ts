import { sizeOf, vector } from '@brezel/core';
import { ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, float32, int32, type Numbers, numbersOf } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { everyNumber, floatBits, integerIn, ofCount, placeOf, rowsOf, transposed } from '../../numbers.js';
import '../densify/index.js';
import { reference } from './reference.js';

const at = 'k-nearest-neighbors';
const MAX_NEIGHBORS = 4096;

/**
 * Defines the operator `k-nearest-neighbors`, which computes an answer from the classes or targets
 * of the nearest training rows.
 *
 * Its parameters are `points` (float32, feature-major `[features, points]`) and `targets` (the
 * classes as int32 `[points]`, or values as float32 `[points, targets]`).
 */
export const kNearestNeighbors = defineOp({
  name: at,
  version: 1,
  doc: {
    does: 'Returns the share of each class among the nearest training rows, or the mean of their targets.',
    types: 'float32[d] → float32[outputs]',
    attributes: {
      neighbors: 'number of neighbors',
      outputs: 'number of outputs',
      power: 'power of the Minkowski distance; null: the greatest difference',
      weighted: 'whether nearer rows have greater weights',
      rooted: 'whether to take the root of distances before comparing them',
    },
    parameters: { points: 'float32[d, points]', targets: 'int32[points], classes, or float32, values' },
    kernels: ['k_nearest_neighbors'],
  },
  attributes: { neighbors: 'count', outputs: 'count', power: 'number or null', weighted: 'boolean', rooted: 'boolean' },
  parameters: { points: ['float32'], targets: ['int32', 'float32'] },
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'model' },
  learned: { targets: 'number' },
  infer(use) {
    const features = sizeOf(ofNumbers(at, onlyInput(at, use, 'vector'), 'float32'));
    const { points, targets } = use.parameters;
    const count = points!.shape[1]!;
    const outputs = use.attributes.outputs as number;
    const expected = targets!.dtype === 'int32' ? count : count * outputs;
    if (points!.shape[0] !== features || targets!.shape[0] !== expected) {
      throw flourError('ERR_FLOUR_SIZE', {
        expected: `points of ${features} features and ${expected} targets`,
        received: `${points!.shape[0]} features and ${targets!.shape[0]} targets`,
        at,
      });
    }
    return vector('float32', outputs);
  },
  reference,
  check({ attributes, parameters: { targets, points } }) {
    const { outputs, neighbors, power } = attributes as { outputs: number; neighbors: number; power: number | null };
    integerIn(at, 'neighbors', neighbors, 1, Math.min(points!.shape[1]!, MAX_NEIGHBORS));
    checkPower(power ?? Number.POSITIVE_INFINITY);
    if (targets!.dtype === 'int32') checkClasses(numbersOf(targets!) as Int32Array, outputs);
  },
  kernel: ({ attributes, parameters }) => ({
    kernel: 'k_nearest_neighbors',
    parameters: ['points', 'targets'],
    attributes: [
      attributes.neighbors as number,
      floatBits((attributes.power as number | null) ?? Number.POSITIVE_INFINITY),
      Number(attributes.weighted),
      Number(parameters.targets!.dtype === 'int32'),
      Number(attributes.rooted === true),
    ],
  }),
});

/** Training rows and options of k-nearest neighbors. */
export interface NeighborsOptions {
  /** The training rows, one after another: `d` numbers per row. */
  readonly points: Numbers;
  /** Number of neighbors (`n_neighbors`), at most 4096. */
  readonly neighbors: number;
  /**
   * The weight of each neighbor: 1 (`uniform`, default), or 1 divided by its distance (`distance`).
   * With `distance`, if a neighbor has the distance 0, all other neighbors with a larger distance
   * have the weight 0.
   */
  readonly weights?: 'uniform' | 'distance';
  /**
   * The function that computes the distance of two rows. Default `euclidean`. `minkowski` uses
   * `power`.
   */
  readonly metric?: 'euclidean' | 'manhattan' | 'chebyshev' | 'minkowski';
  /** Power of the Minkowski distance: 1 or more. Default 2. */
  readonly power?: number;
  /**
   * The number by which rows are ordered. `power` (default): the sum of powers, as in scikit-learn.
   * `root`: the root of this sum in float32, as in exported graphs. Rows with different sums may
   * have the same root.
   */
  readonly nearness?: 'power' | 'root';
}

/** Training data and options of `Flow.neighborsClassifier`. */
export interface NeighborsClassifierOptions extends NeighborsOptions {
  /** The class of each training row, as an index from 0. */
  readonly classes: Numbers;
  /** Number of classes. Default: the greatest class plus one. */
  readonly classCount?: number;
}

/** Training data and options of `Flow.neighborsRegressor`. */
export interface NeighborsRegressorOptions extends NeighborsOptions {
  /** The targets of each training row. Several targets of a row are adjacent. */
  readonly targets: Numbers;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Returns the probability of each class: its fraction of the nearest training rows. If two rows
     * have the same distance, the earlier row counts as nearer.
     *
     * Shapes: features `[d]` float32 → `[classCount]` float32. Cost: O(points * d) for all points.
     * Distances are float32 sums in the order of the features; NaN counts as the greatest distance.
     * Bit-equal on every engine.
     * @throws ERR_FLOUR_SIZE unless points, classes and features match.
     * @throws ERR_FLOUR_PARAM for fewer points than neighbors, a point with NaN, a class out of
     * range, or a power below 1.
     * @see Source: scikit-learn KNeighborsClassifier, algorithm brute. Exporters write Scan and
     * TopK, and lose `weights='distance'`.
     * @example features.neighborsClassifier({ points: [0, 0, 1, 1, 5, 5], classes: [0, 0, 1], neighbors: 2 }).argMax()
     */
    neighborsClassifier(this: Flow<'vector', Row, unknown>, options: NeighborsClassifierOptions): Flow<'vector', Row>;

    /**
     * Returns the mean of the targets of the nearest training rows. With `weights: 'distance'`, it
     * is a weighted mean.
     *
     * Shapes: features `[d]` float32 → `[targets.length / points]` float32. The cost, the distances
     * and the errors are the same as in `neighborsClassifier`.
     * @see Source: scikit-learn KNeighborsRegressor, algorithm brute.
     * @example features.neighborsRegressor({ points: [0, 0, 1, 1, 5, 5], targets: [1, 2, 9], neighbors: 2, weights: 'distance' })
     */
    neighborsRegressor(this: Flow<'vector', Row, unknown>, options: NeighborsRegressorOptions): Flow<'vector', Row>;
  }
}

const metrics = ['euclidean', 'manhattan', 'chebyshev', 'minkowski'] as const;
const powers = { euclidean: 2, manhattan: 1, chebyshev: Number.POSITIVE_INFINITY };

/** Returns the power as a float32, or null for infinity, because plans store attributes as JSON. */
const finiteOrNull = (power: number) => (Number.isFinite(power) ? Math.fround(power) : null);

function checkPower(power: number): void {
  everyNumber(at, 'a power of 1 or more', [power], (value) => value >= 1);
}

function checkClasses(classes: Numbers, count: number): void {
  const expected = `classes from 0 to ${count - 1}`;
  everyNumber(at, expected, classes, (one) => Number.isInteger(one) && one >= 0 && one < count);
}

/**
 * Checks the options that classifier and regressor share. Returns the points as a parameter, and
 * the other options as attributes.
 */
function common(flow: Flow<'vector'>, options: NeighborsOptions) {
  const { points, neighbors, weights = 'uniform', metric = 'euclidean', power = 2, nearness = 'power' } = options;
  const features = sizeOf(flow.type);
  const pointCount = rowsOf(at, 'points', points, features);
  placeOf(at, 'metric', metric, metrics);
  integerIn(at, 'neighbors', neighbors, 1, Math.min(pointCount, MAX_NEIGHBORS));
  checkPower(power);
  everyNumber(at, 'points without NaN', points, (value) => !Number.isNaN(value));
  const columns = transposed(Float32Array.from(points, Number), pointCount, features);
  return {
    pointCount,
    points: float32(columns, [features, pointCount]),
    attributes: {
      neighbors,
      power: finiteOrNull(metric === 'minkowski' ? power : powers[metric]),
      weighted: placeOf(at, 'weights', weights, ['uniform', 'distance']) === 1,
      ...(placeOf(at, 'nearness', nearness, ['power', 'root']) === 1 && { rooted: true }),
    },
  };
}

Flow.prototype.neighborsClassifier = function (this: Flow<'vector'>, options) {
  const { points, pointCount, attributes } = common(this, options);
  ofCount(at, 'classes', options.classes, pointCount);
  const classes = Int32Array.from(options.classes, Number);
  const outputs = options.classCount ?? classes.reduce((most, one) => Math.max(most, one + 1), 1);
  integerIn(at, 'classCount', outputs, 1, 2 ** 24);
  checkClasses(options.classes, outputs);
  return this.context.apply<'vector'>(kNearestNeighbors, [this.densify()], {
    attributes: { ...attributes, outputs },
    parameters: { points, targets: int32(classes) },
  });
};

Flow.prototype.neighborsRegressor = function (this: Flow<'vector'>, options) {
  const { points, pointCount, attributes } = common(this, options);
  const outputs = rowsOf(at, 'targets', options.targets, pointCount);
  return this.context.apply<'vector'>(kNearestNeighbors, [this.densify()], {
    attributes: { ...attributes, outputs },
    parameters: { points, targets: float32(options.targets) },
  });
};

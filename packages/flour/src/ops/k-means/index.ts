import { sizeOf, vector } from '@brezel/core';
import { ofLength, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, float32, type Numbers } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { float64Array, ofCount, rowsOf, transposed } from '../../numbers.js';
import '../arg-max/index.js';
import '../densify/index.js';
import '../map/index.js';
import { reference } from './reference.js';

/**
 * Estimated nanoseconds: `TERM_NANOS` to read one feature, `PRODUCT_NANOS` to multiply it by one
 * number of a center. Products are exact, because they are computed in float64.
 */
const [TERM_NANOS, PRODUCT_NANOS] = [7, 0.09];

/**
 * Defines the operator `k-means`, which computes the squared distance of a row to the center of
 * each cluster. `Flow.kMeansDistances` adds it to a program.
 *
 * Types: float32[d] → float32[clusters]. Its parameters are `weights` (the centers times -2,
 * feature-major `[features, clusters]`) and `norms` (the squared lengths of the centers).
 */
export const kMeans = defineOp({
  name: 'k-means',
  version: 1,
  doc: {
    does: 'Computes squared distances to the centers of clusters.',
    types: 'float32[d] → float32[clusters]',
    parameters: {
      weights: 'float32[d, clusters], the centers times -2',
      norms: 'float32[clusters], the squared lengths of the centers',
    },
    kernels: ['k_means'],
  },
  parameters: { weights: ['float32'], norms: ['float32'] },
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'featurizer' },
  learned: { weights: 'finite', norms: 'number' },
  infer(use) {
    const input = ofNumbers('k-means', onlyInput('k-means', use, 'vector'), 'float32');
    const clusters = use.parameters.norms!.shape[0]!;
    ofLength('k-means', 'weights', use, sizeOf(input) * clusters);
    return vector('float32', clusters);
  },
  reference,
  cost: ({ entries }) => entries.inputs[0]! * (TERM_NANOS + PRODUCT_NANOS * entries.output),
  kernel: () => ({ kernel: 'k_means', parameters: ['weights', 'norms'] }),
});

/** Parameters of `Flow.kMeansDistances` and `Flow.kMeansCluster`. */
export interface KMeansOptions {
  /** The centers, one after another: `d` numbers per cluster (`cluster_centers_.ravel()`). */
  readonly centers: Numbers;
  /**
   * The squared length of each center. Default: computed from the centers. To get the bits of an
   * exported graph, pass the values in the graph, because the exporter may have rounded them
   * differently.
   */
  readonly squaredNorms?: Numbers;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Returns the distances to the centers of clusters. A squared distance that rounding makes
     * negative counts as 0, as in scikit-learn. If a feature is infinite, each distance is infinite
     * or NaN.
     *
     * Shapes: features `[d]` float32 → `[clusters]` float32. Cost: O(d * clusters). Bit-equal on
     * every engine.
     * @throws ERR_FLOUR_SIZE unless `centers` is a whole number of rows of `d`, and `squaredNorms`
     * has one number per center.
     * @see Source: scikit-learn KMeans `transform`; exported as ReduceSumSquare, Gemm, Add, Sqrt,
     * in that order of sums.
     * @example features.kMeansDistances({ centers: [0, 0, 3, 4] })
     */
    kMeansDistances(this: Flow<'vector', Row, unknown>, options: KMeansOptions): Flow<'vector', Row>;

    /**
     * Returns the index of the cluster with the nearest center. If several centers are equally
     * near, it returns the first of them. A program that also uses `kMeansDistances` computes the
     * distances only once.
     *
     * Shapes: features `[d]` float32 → int64. Cost: O(d * clusters). Bit-equal on every engine.
     * @throws ERR_FLOUR_SIZE in the same cases as `kMeansDistances`.
     * @see Source: scikit-learn KMeans `predict`; ML.NET KMeans, `PredictedLabel`; exported as
     * ArgMin over squares.
     * @example features.kMeansCluster({ centers: [0, 0, 3, 4] })
     */
    kMeansCluster(this: Flow<'vector', Row, unknown>, options: KMeansOptions): Flow<'scalar', Row>;
  }
}

function squaredDistances(flow: Flow<'vector'>, { centers, squaredNorms }: KMeansOptions): Flow<'vector'> {
  const features = sizeOf(flow.type);
  const clusters = rowsOf('k-means', 'centers', centers, features);
  const exact = float64Array(centers);
  flow.context.learned('k-means', 'centers', exact, 'finite');
  const norms =
    squaredNorms ?? Float64Array.from({ length: clusters }, (_, cluster) => squareOf(exact, cluster, features));
  ofCount('k-means', 'squaredNorms', norms, clusters);
  const weights = transposed(Float32Array.from(exact), clusters, features).map((value) => -2 * value);
  return flow.context.apply<'vector'>(kMeans, [flow.densify()], {
    parameters: { weights: float32(weights, [features, clusters]), norms: float32(norms) },
  });
}

const squareOf = (centers: Float64Array, cluster: number, features: number) =>
  centers.subarray(cluster * features, (cluster + 1) * features).reduce((sum, value) => sum + value * value, 0);

Flow.prototype.kMeansDistances = function (this: Flow<'vector'>, options) {
  return squaredDistances(this, options).map('relu').map('sqrt');
};

Flow.prototype.kMeansCluster = function (this: Flow<'vector'>, options) {
  return squaredDistances(this, options).map('negate').argMax();
};

import { sizeOf, vector } from '@brezel/core';
import { ofKind, ofLength, ofNumbers, onlyInput } from '../../checks.js';
import { ENTRY_NANOS, productNanos } from '../../costs.js';
import { defineOp, float32, type Numbers } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { everyNumber, float64Array, ofCount, rowsOf, transposed } from '../../numbers.js';
import '../densify/index.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `project`, which projects a row on components, as PCA does.
 * `Flow.project` adds it to a program.
 *
 * Its parameters are `components` (feature-major `[features, outputs]`), and optionally `mean`
 * (`[features]`) and `scale` (`[outputs]`).
 */
export const project = defineOp({
  name: 'project',
  version: 1,
  doc: {
    does: 'Projects a row on components: subtracts the mean, multiplies by the components, and divides by the scale if there is one.',
    types: 'float32[d], dense or sparse → float32[components]',
    parameters: {
      components: 'float32[d, components]',
      mean: 'float32[d]',
      scale: 'float32[components], divisors',
    },
    kernels: ['project'],
  },
  parameters: { components: ['float32'], mean: ['float32'], scale: ['float32'] },
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'featurizer' },
  learned: { components: 'finite', mean: 'finite' },
  infer(use) {
    const input = ofNumbers('project', onlyInput('project', use, 'sparse', 'vector'), 'float32');
    const outputs = use.parameters.components!.shape[1]!;
    ofLength('project', 'components', use, sizeOf(input) * outputs);
    if (use.parameters.mean !== undefined) {
      ofKind('project', input, 'vector'); // a centered row has no zeros to skip
      ofLength('project', 'mean', use, sizeOf(input));
    }
    if (use.parameters.scale !== undefined) ofLength('project', 'scale', use, outputs);
    return vector('float32', outputs);
  },
  reference,
  contributions,
  cost: (use) => productNanos(use, use.entries.output) + ENTRY_NANOS * (use.entries.inputs[0]! + use.entries.output),
  kernel({ parameters }) {
    const [mean, scale] = [parameters.mean !== undefined, parameters.scale !== undefined];
    return {
      kernel: 'project',
      parameters: ['components', ...(mean ? ['mean'] : []), ...(scale ? ['scale'] : [])],
      attributes: [Number(mean), Number(scale)],
    };
  },
});

/** Parameters of `Flow.project`. */
export interface ProjectOptions {
  /** The components, one after another: `d` numbers per output (`components_.ravel()`). */
  readonly components: Numbers;
  /**
   * The mean of each feature, which is subtracted from the feature (`mean_`). TruncatedSVD has no
   * mean.
   */
  readonly mean?: Numbers;
  /**
   * The explained variance of each output (`explained_variance_`). If given, each output is divided
   * by the square root of its explained variance (whitening).
   */
  readonly explainedVariance?: Numbers;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Projects a row on components: subtracts the mean and multiplies by the transposed components.
     * With `explainedVariance`, it also whitens the result.
     *
     * Shapes: features `[d]` float32, sparse or dense → `[components.length / d]` float32. Cost:
     * O(nnz * outputs); with a mean, a sparse row becomes dense. Bit-equal on every engine.
     * @throws ERR_FLOUR_SIZE unless `components`, `mean` and `explainedVariance` match the features
     * and each other.
     * @throws ERR_FLOUR_PARAM for an explained variance that is not positive.
     * @see Source: scikit-learn PCA and TruncatedSVD `transform` (ONNX Sub, MatMul, Div); ML.NET's
     * PCA projection.
     * @example features.project({ components: [0.6, 0.8], mean: [1, 2], explainedVariance: [4] })
     */
    project(this: Flow<'vector', Row, unknown>, options: ProjectOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.project = function (this: Flow<'vector'>, { components, mean, explainedVariance }) {
  const features = sizeOf(this.type);
  const outputs = rowsOf('project', 'components', components, features);
  // The check runs before the transposition, so that its error names the caller's index.
  this.context.learned('project', 'components', components, 'finite');
  if (mean !== undefined) ofCount('project', 'mean', mean, features);
  if (explainedVariance !== undefined) {
    ofCount('project', 'explainedVariance', explainedVariance, outputs);
    everyNumber('project', 'positive explained variances', explainedVariance, (value) => value > 0);
  }
  return this.context.apply<'vector'>(project, [mean === undefined ? this : this.densify()], {
    parameters: {
      components: float32(transposed(Float32Array.from(components, Number), outputs, features), [features, outputs]),
      ...(mean !== undefined && { mean: float32(mean) }),
      ...(explainedVariance !== undefined && { scale: float32(float64Array(explainedVariance).map(Math.sqrt)) }),
    },
  });
};

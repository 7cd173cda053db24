import { sizeOf, vector } from '@brezel/core';
import { ofNumbers, ofUsableSize, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { integerIn } from '../../numbers.js';
import '../densify/index.js';
import { reference } from './reference.js';
import { columnsOf, type PolynomialShape } from './terms.js';

const at = 'polynomial-features';
const MAX_DEGREE = 16;

/**
 * Defines the operator `polynomial-features`, which computes all products of features up to a
 * degree, in scikit-learn's order. `Flow.polynomialFeatures` adds it to a program.
 *
 * Types: float32[d] → float32[terms].
 */
export const polynomialFeatures = defineOp({
  name: at,
  version: 1,
  doc: {
    does: "Computes all products of features up to a degree, in scikit-learn's order.",
    types: 'float32[d] → float32[terms]',
    attributes: {
      least: 'minimum degree',
      most: 'maximum degree',
      interactionOnly: 'whether each feature occurs once per product',
      includeBias: 'whether the first term is 1',
    },
    kernels: ['polynomial_features'],
  },
  attributes: { least: 'infer', most: 'infer', interactionOnly: 'boolean', includeBias: 'boolean' },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'none' },
  infer(use) {
    const features = sizeOf(ofNumbers(at, onlyInput(at, use, 'vector'), 'float32'));
    const shape = use.attributes as unknown as PolynomialShape;
    integerIn(at, 'a greatest degree', shape.most, 0, MAX_DEGREE);
    integerIn(at, 'a least degree', shape.least, 0, shape.most);
    // Terms below the minimum degree are intermediate results, so they are computed too.
    ofUsableSize(at, vector('float32', columnsOf(features, { ...shape, least: 0, includeBias: true })));
    return vector('float32', columnsOf(features, shape));
  },
  reference,
  kernel({ attributes }) {
    const { least, most, interactionOnly, includeBias } = attributes as unknown as PolynomialShape;
    return { kernel: 'polynomial_features', attributes: [least, most, Number(interactionOnly), Number(includeBias)] };
  },
});

/** Options of `Flow.polynomialFeatures`. */
export interface PolynomialFeaturesOptions {
  /** Maximum degree of a term, or minimum and maximum. Default 2. */
  readonly degree?: number | readonly [least: number, most: number];
  /** If true, omits terms with a repeated feature. Default false. */
  readonly interactionOnly?: boolean;
  /** If true (default), the first column is 1 for every row. */
  readonly includeBias?: boolean;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Computes all products of features up to a degree, in scikit-learn's order: `1, a, b, a*a,
     * a*b, b*b` for degree 2.
     *
     * Shapes: features `[d]` float32 → `[terms]` float32; with the bias, the number of terms is the
     * binomial coefficient of d + degree over degree. Cost: O(terms), one multiplication each.
     * Bit-equal on every engine: a term is multiplied from left to right, with each product rounded
     * to float32.
     * @throws ERR_FLOUR_PARAM for a degree that is not an integer from 0 to 16, or a minimum above
     * the maximum.
     * @throws ERR_FLOUR_SIZE for a result without terms, or with more columns than a vector may
     * have.
     * @see Source: scikit-learn PolynomialFeatures; exported as ArrayFeatureExtractor and
     * ReduceProd for each term.
     * @example features.polynomialFeatures({ degree: 2, includeBias: false })
     */
    polynomialFeatures(this: Flow<'vector', Row, unknown>, options?: PolynomialFeaturesOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.polynomialFeatures = function (
  this: Flow<'vector'>,
  { degree = 2, interactionOnly = false, includeBias = true } = {},
) {
  const [least, most] = typeof degree === 'number' ? [0, degree] : degree;
  return this.context.apply<'vector'>(polynomialFeatures, [this.densify()], {
    attributes: { least, most, interactionOnly, includeBias },
  });
};

import { ofLength, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, type Numbers, numbersOf } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { everyNumber, float64, float64Array, ofCount } from '../../numbers.js';
import '../densify/index.js';
import { reference } from './reference.js';

/**
 * Defines the operator `isotonic`, which calibrates scores by linear interpolation between points.
 * `Flow.isotonic` adds it to a program.
 *
 * Its parameters are float64: `x` (ascending), `y` (of the same length) and `bounds` (the minimum
 * and the maximum answer).
 */
export const isotonic = defineOp({
  name: 'isotonic',
  version: 1,
  doc: {
    does: 'Calibrates scores by linear interpolation between points.',
    types: 'float32[n] → float32[n]',
    parameters: {
      x: 'float64[points], ascending',
      y: 'float64[points]',
      bounds: 'float64[2], minimum and maximum answer',
    },
    kernels: ['isotonic'],
  },
  parameters: { x: ['float64'], y: ['float64'], bounds: ['float64'] },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'model' },
  infer(use) {
    ofLength('isotonic', 'y', use, use.parameters.x!.shape[0]!);
    ofLength('isotonic', 'bounds', use, 2);
    return ofNumbers('isotonic', onlyInput('isotonic', use, 'vector'), 'float32');
  },
  reference,
  check: ({ parameters: { x } }) => checkPoints(numbersOf(x!) as Float64Array),
  kernel: () => ({ kernel: 'isotonic', parameters: ['x', 'y', 'bounds'] }),
});

/** Parameters and options of `Flow.isotonic`. */
export interface IsotonicOptions {
  /**
   * The scores of the points, ascending (`X_thresholds_`). A piece of an ML.NET calibrator becomes
   * two points: (min, value) and (max, value).
   */
  readonly x: Numbers;
  /** The calibrated value at each score (`y_thresholds_`). */
  readonly y: Numbers;
  /** Lower limit of the answer. Default: no limit. */
  readonly least?: number;
  /** Upper limit of the answer. Default: no limit. */
  readonly greatest?: number;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Calibrates scores with an isotonic function. The function is linear between the points, and
     * constant before the first point and after the last point.
     *
     * Shapes: scores `[n]` float32 → `[n]` float32. Cost: O(n log points). Computed in float64,
     * rounded once; NaN stays NaN. Bit-equal on every engine.
     * @throws ERR_FLOUR_SIZE if `x` and `y` differ in length; ERR_FLOUR_PARAM if `x` is empty or
     * not ascending, if a point is not finite, or if `least` exceeds `greatest`.
     * @see Source: scikit-learn IsotonicRegression with `out_of_bounds='clip'`
     * (CalibratedClassifierCV, method isotonic); ML.NET PavCalibrator.
     * @example scores.isotonic({ x: [-1, 0, 2], y: [0.1, 0.4, 0.95] })
     */
    isotonic(this: Flow<'vector', Row, unknown>, options: IsotonicOptions): Flow<'vector', Row>;
  }
}

function checkPoints(x: Float64Array): void {
  if (x.length === 0) throw flourError('ERR_FLOUR_PARAM', { expected: 'at least one point', at: 'isotonic' });
  everyNumber('isotonic', 'finite x', x, Number.isFinite);
  const steps = x.map((place, at) => place - (x[at - 1] ?? place));
  everyNumber('isotonic', 'ascending x', steps, (step) => step >= 0);
}

Flow.prototype.isotonic = function (
  this: Flow<'vector'>,
  { x, y, least = Number.NEGATIVE_INFINITY, greatest = Number.POSITIVE_INFINITY },
) {
  ofCount('isotonic', 'y', y, x.length);
  everyNumber('isotonic', 'finite y', y, Number.isFinite);
  const places = float64Array(x);
  checkPoints(places);
  everyNumber('isotonic', 'least <= greatest', [greatest - least], (range) => range >= 0);
  return this.context.apply<'vector'>(isotonic, [this.densify()], {
    parameters: { x: float64(places), y: float64(y), bounds: float64([least, greatest]) },
  });
};

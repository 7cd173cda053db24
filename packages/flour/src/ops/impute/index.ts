import { dtypeOf, type NumericDType, numericArray, type ParameterValue, sizeOf } from '@brezel/core';
import { denseLike, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, type Numbers, numbersOf as valuesOf } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { handlesMissing, passesMissing } from '../../missing.js';
import { passesElements } from '../../quality.js';
import '../densify/index.js';
import { imputeRows } from '@brezel/tensors';
import { contributions } from './contributions.js';

const numbers = ['float32', 'float64', 'int64', 'int32'] as const;

/**
 * Defines the operator `impute`, which replaces missing numbers: NaN, or one marker number.
 * `Flow.impute` adds it to a program.
 *
 * Types: numbers [n] → the same type.
 */
export const impute = defineOp({
  name: 'impute',
  version: 1,
  doc: {
    does: 'Replaces missing numbers: NaN, or a given number.',
    types: 'numbers [n] → the same type',
    parameters: {
      values: '[1] or [n] of the type of the input, replacements',
      missing: '[0] or [1] of the type of the input, the number that counts as missing',
    },
    kernels: ['impute'],
  },
  parameters: { values: 'input', missing: 'input' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'featurizer', passesIntegers: true },
  infer(use) {
    const input = onlyInput('impute', use, 'scalar', 'vector');
    const type = ofNumbers('impute', input, ...numbers);
    const given = use.parameters.values?.shape[0] ?? 0;
    if (given !== 1 && given !== sizeOf(type))
      throw flourError('ERR_FLOUR_SIZE', {
        expected: `1 or ${sizeOf(type)} values`,
        received: `${given}`,
        at: 'impute',
      });
    const markers = use.parameters.missing?.shape[0] ?? 0;
    if (markers > 1)
      throw flourError('ERR_FLOUR_SIZE', {
        expected: '1 missing number or none',
        received: `${markers}`,
        at: 'impute',
      });
    return denseLike(type, dtypeOf(type));
  },
  reference: imputeRows,
  contributions,
  quality(use) {
    const [marker = Number.NaN] = valuesOf(use.parameter('missing'));
    return { ...passesElements(use), missing: Number(marker) };
  },
  missing: (use) =>
    valuesOf(use.parameter('missing')).some((marker) => Number.isNaN(marker))
      ? handlesMissing(use)
      : passesMissing(use),
  kernel: () => ({ kernel: 'impute', parameters: ['values', 'missing'] }),
});

/** Replacements and options of `Flow.impute`. */
export interface ImputeOptions {
  /** The numbers that replace missing numbers: one for all columns, or one per column. */
  readonly values: number | Numbers;
  /** The number that counts as missing. Default: NaN. */
  readonly missing?: number | bigint;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Replaces missing numbers: NaN, or the number `missing`.
     *
     * Shapes: dense float32, float64, int64 or int32 `[n]` → the same. Cost: O(n). Bit-equal on
     * every engine.
     * @throws ERR_FLOUR_SIZE unless there is one value, or one per column; ERR_FLOUR_PARAM for a
     * number outside the element type.
     * @see Source: ONNX-ML Imputer-1; scikit-learn SimpleImputer.
     * @example features.impute({ values: [28, 14.5] })
     */
    impute(this: Flow<'vector', Row, unknown>, options: ImputeOptions): Flow<'vector', Row>;
    impute(this: Flow<'scalar', Row, unknown>, options: ImputeOptions): Flow<'scalar', Row>;
  }
}

Flow.prototype.impute = function (this: Flow, { values, missing = Number.NaN }: ImputeOptions) {
  const source = this.kind === 'vector' ? (this as Flow<'vector'>).densify() : this;
  const dtype = dtypeOf(ofNumbers('impute', source.type, ...numbers)) as NumericDType;
  const list = typeof values === 'number' ? [values] : values;
  return this.context.apply(impute, [source], {
    parameters: { values: numbersOf(dtype, list), missing: numbersOf(dtype, [missing], true) },
  }) as never;
};

/**
 * Converts numbers to a parameter of the flow's element type. If the type cannot represent the
 * missing number, such as NaN in an integer type, the parameter is empty and nothing is replaced.
 */
function numbersOf(
  dtype: NumericDType,
  given: Numbers | readonly (number | bigint)[],
  isMissing = false,
): ParameterValue {
  const list = Array.from(given as ArrayLike<number | bigint>);
  const isInteger = dtype === 'int64' || dtype === 'int32';
  const isFound = (value: number | bigint) =>
    !Number.isNaN(value) && (dtype === 'int64' || value === (Number(value) | 0));
  const kept = isInteger && isMissing ? list.filter(isFound) : list;
  const data = numericArray(dtype, kept.length);
  kept.forEach((value, at) => {
    if (isInteger && !Number.isInteger(Number(value)))
      throw flourError('ERR_FLOUR_PARAM', { expected: dtype, received: `${value}`, at: 'impute' });
    data[at] = (dtype === 'int64' ? BigInt(value) : Number(value)) as never;
  });
  return { dtype, shape: [data.length], data } as ParameterValue;
}

import { type NumericDType, numericArray, type ParameterValue } from '@brezel/core';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import type { KeyList } from '../../ops/index-of/index.js';
import { lookUp } from '../../ops/lookup/index.js';

/** The element types that keys and values of a mapping can have. */
export type EncodedType = 'string' | NumericDType;

/** Keys, values and options of `Flow.labelEncode`. */
export interface LabelEncodeOptions {
  /** The keys. No key occurs twice. */
  readonly keys: KeyList;
  /** One value per key. */
  readonly values: KeyList;
  /** The result for an input that equals no key. */
  readonly otherwise: string | number | bigint;
  /**
   * Element type of the values. Default: string for strings, int64 for integers, otherwise float32.
   */
  readonly type?: EncodedType;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Replaces each key by its value.
     *
     * Shapes: text or dense numbers of any type → text or numbers of the same size. Cost: O(bytes)
     * per text, O(log keys) per number.
     * @throws ERR_FLOUR_PARAM for a repeated key, for a number of values that differs from the
     * number of keys, or for a value of another type.
     * @see Source: ONNX-ML LabelEncoder-2, CategoryMapper-1; scikit-learn OrdinalEncoder; ML.NET
     * value-to-key mapping.
     * @example text.labelEncode({ keys: ['no', 'yes'], values: [0, 1], otherwise: -1 })
     */
    labelEncode(
      this: Flow<'text' | 'scalar', Row, unknown>,
      options: LabelEncodeOptions,
    ): Flow<'text' | 'scalar', Row, string | number | bigint | boolean>;
    labelEncode(
      this: Flow<'vector', Row, unknown>,
      options: LabelEncodeOptions,
    ): Flow<'vector', Row, readonly (string | number | bigint | boolean)[]>;
  }
}

Flow.prototype.labelEncode = function (this: Flow, options: LabelEncodeOptions) {
  if (options.keys.length !== options.values.length)
    throw flourError('ERR_FLOUR_PARAM', {
      expected: `${options.keys.length} values`,
      received: `${options.values.length}`,
      at: 'label-encode',
    });
  const table = valueTable(options);
  // The last entry of the table is the result for unknown values, because `indexOf` returns the
  // number of keys for them.
  return lookUp((this as Flow<'scalar'>).indexOf(options.keys), table) as never;
};

function valueTable({ values, otherwise, type }: LabelEncodeOptions): ParameterValue {
  const list = [...Array.from(values as ArrayLike<string | number | bigint>), otherwise];
  const dtype = type ?? typeOf(list);
  const wrong = list.find((value) => !isOf(value, dtype));
  if (wrong !== undefined)
    throw flourError('ERR_FLOUR_PARAM', { expected: `values of ${dtype}`, received: `${wrong}`, at: 'label-encode' });
  if (dtype === 'string')
    return { dtype, shape: [list.length], values: (list as string[]).map((one) => one.toWellFormed()) };
  const data = numericArray(dtype, list.length);
  list.forEach((value, at) => {
    data[at] = (dtype === 'int64' ? BigInt(value) : Number(value)) as never;
  });
  return { dtype, shape: [list.length], data } as ParameterValue;
}

function typeOf(list: readonly (string | number | bigint)[]): EncodedType {
  if (list.some((value) => typeof value === 'string')) return 'string';
  return list.every((value) => Number.isInteger(Number(value))) ? 'int64' : 'float32';
}

/**
 * Returns whether a value fits the element type: a bool is 0 or 1, and an integer must be in the
 * range of its type.
 */
function isOf(value: string | number | bigint, dtype: EncodedType): boolean {
  if (dtype === 'string' || typeof value === 'string') return dtype === typeof value;
  if (dtype === 'float32' || dtype === 'float64') return true;
  if (!Number.isInteger(Number(value))) return false;
  if (dtype === 'bool') return Number(value) === 0 || Number(value) === 1;
  return BigInt.asIntN(dtype === 'int32' ? 32 : 64, BigInt(value)) === BigInt(value);
}

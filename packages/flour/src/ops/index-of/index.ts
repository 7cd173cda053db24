import { dtypeOf, type NumericDType, numericArray, type ParameterValue } from '@brezel/core';
import { buildStopWords } from '@brezel/text';
import { denseLike, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, int32, type Numbers } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import '../concat/index.js';
import { stringColumns } from '../concat/string-columns.js';
import '../densify/index.js';
import { keyOf } from '@brezel/tensors';
import { contributions } from './contributions.js';
import { type Keys, reference } from './reference.js';

const dtypes = ['string', 'float32', 'float64', 'int64', 'int32', 'bool'] as const;

/**
 * Defines the operator `index-of`, which returns the index of each value in a list of keys.
 * `Flow.indexOf` adds it to a program.
 *
 * Types: text, or numbers [n] → int64[n].
 */
export const indexOf = defineOp({
  name: 'index-of',
  version: 1,
  doc: {
    does: 'Returns the index of each value in a list of keys.',
    types: 'text, or numbers [n] → int64[n]',
    attributes: {
      unknown:
        'what to do with a value that is not a key: count (return the number of keys), or error (reject the row)',
    },
    parameters: { keys: '[keys], distinct, of the type of the input' },
    kernels: ['index_of', 'index_of_text'],
  },
  attributes: { unknown: ['count', 'error'] },
  parameters: { keys: 'input' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'featurizer' },
  infer(use) {
    const type = ofNumbers('index-of', onlyInput('index-of', use, 'scalar', 'vector'), ...dtypes);
    const { keys } = use.parameters;
    if (keys?.dtype !== dtypeOf(type) || keys.shape[0] === 0)
      throw flourError('ERR_FLOUR_PARAM', {
        expected: `keys of type ${dtypeOf(type)}, at least one`,
        received: `${keys?.shape[0] ?? 0} of type ${keys?.dtype ?? 'none'}`,
        at: 'index-of',
      });
    return denseLike(type, 'int64');
  },
  quality: () => ({ known: 'keys' }),
  reference,
  contributions,
  check: ({ parameters }) => checkDistinct(parameters.keys!),
  kernel({ inputs, parameters, attributes }) {
    const [input] = inputs;
    const count = parameters.keys!.shape[0]!;
    const refuses = attributes.unknown === 'error' ? 1 : 0;
    if (dtypeOf(input!) === 'string')
      return { kernel: 'index_of_text', parameters: [dictionary], attributes: [count, refuses] };
    return { kernel: 'index_of', parameters: [sortedKeys, sortedPlaces], attributes: [count, refuses] };
  },
});

const dictionary = {
  derive: 'dictionary of whole texts',
  from: ['keys'],
  build: ({ keys }: Readonly<Record<string, ParameterValue>>) =>
    buildStopWords((keys as { values: readonly string[] }).values),
};

/**
 * Sorts the keys in ascending order, with NaN at the end, and returns the index of each key in the
 * original list.
 */
function ascending({ data }: Exclude<ParameterValue, { dtype: 'string' }>): number[] {
  const compare = (a: number | bigint, b: number | bigint) =>
    Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : a < b ? -1 : a > b ? 1 : 0;
  const list = Array.from(data as ArrayLike<number | bigint>);
  return list.map((_, at) => at).sort((a, b) => compare(list[a]!, list[b]!));
}

type Numeric = Exclude<ParameterValue, { dtype: 'string' }>;

const sortedKeys = {
  derive: 'keys in ascending order',
  from: ['keys'],
  build: ({ keys }: Readonly<Record<string, ParameterValue>>) => {
    const { dtype, data } = keys as Numeric;
    const sorted = numericArray(dtype, data.length);
    ascending(keys as Numeric).forEach((place, at) => {
      sorted[at] = data[place]! as never;
    });
    return { dtype, shape: [sorted.length], data: sorted } as ParameterValue;
  },
};

const sortedPlaces = {
  derive: 'places of keys in ascending order',
  from: ['keys'],
  build: ({ keys }: Readonly<Record<string, ParameterValue>>) => int32(ascending(keys as Numeric)),
};

/** A list of keys: texts, or numbers of one type. */
export type KeyList = readonly string[] | Numbers;

/** Options of `Flow.indexOf`. */
export interface IndexOfOptions {
  /**
   * What to do with a value that is not in the list: return the number of keys (`count`, default),
   * or reject the row with an error.
   */
  readonly unknown?: 'count' | 'error';
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Returns the index of each value in a list of keys. For a value that is not in the list,
     * returns the number of keys or rejects the row.
     *
     * Shapes: text or dense numbers of any type → int64 of the same size. NaN equals NaN. Cost:
     * O(bytes) per text, O(log keys) per number.
     * @throws ERR_FLOUR_PARAM for an empty list of keys, or a repeated key. During a prediction,
     * ERR_RUNTIME_INPUT for an unknown value with `unknown: 'error'`.
     * @see Source: the lookup of ONNX-ML LabelEncoder, OneHotEncoder and CategoryMapper.
     * @example text.indexOf(['red', 'green', 'blue'])
     */
    indexOf(this: Flow<'text' | 'scalar', Row, unknown>, keys: KeyList, options?: IndexOfOptions): Flow<'scalar', Row>;
    indexOf(this: Flow<'vector', Row, unknown>, keys: KeyList, options?: IndexOfOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.indexOf = function (this: Flow, keys: KeyList, { unknown = 'count' }: IndexOfOptions = {}) {
  // Looks up columns of text one by one, so that no vector of strings is built.
  const columns = this.kind === 'vector' ? stringColumns(this as Flow<'vector'>) : [];
  if (columns.length > 1) {
    const [first, ...others] = columns.map((column) => column.indexOf(keys, { unknown }).asVector());
    return first!.concat(...others) as never;
  }
  const input = this.kind === 'vector' ? (this as Flow<'vector'>).densify() : this;
  return this.context.apply(indexOf, [input], {
    attributes: { unknown },
    parameters: { keys: keyParameter(keys, dtypeOf(input.type)) },
  }) as never;
};

/**
 * Converts keys to a parameter of the flow's element type. In texts, replaces lone surrogates by
 * U+FFFD.
 *
 * @throws ERR_FLOUR_PARAM for a key of another type, and for a repeated key.
 */
function keyParameter(keys: KeyList, dtype: Keys['dtype']): ParameterValue {
  const fail = (received: string) => keyError(dtype, received);
  const list = Array.from(keys as ArrayLike<string | number | bigint>, (key) =>
    typeof key === 'string' ? key.toWellFormed() : key,
  );
  const wrong = list.find((key) => (typeof key === 'string') !== (dtype === 'string'));
  if (wrong !== undefined) throw fail(`${wrong}`);
  const parameter = dtype === 'string' ? texts(list as string[]) : numbers(list as number[], dtype, fail);
  checkDistinct(parameter);
  return parameter;
}

const keyError = (dtype: Keys['dtype'], received: string) =>
  flourError('ERR_FLOUR_PARAM', { expected: `distinct keys of type ${dtype}`, received, at: 'index-of' });

function checkDistinct(keys: ParameterValue): void {
  const seen = new Set<unknown>();
  for (const key of keys.dtype === 'string' ? keys.values : keys.data) {
    if (seen.has(keyOf(key))) throw keyError(keys.dtype, `${key} twice`);
    seen.add(keyOf(key));
  }
}

const texts = (values: readonly string[]): ParameterValue => ({ dtype: 'string', shape: [values.length], values });

function numbers(list: readonly (number | bigint)[], dtype: NumericDType, fail: (received: string) => Error) {
  const data = numericArray(dtype, list.length);
  list.forEach((value, at) => {
    const isInteger = dtype !== 'float32' && dtype !== 'float64';
    if (isInteger && !Number.isInteger(Number(value))) throw fail(`${value}`);
    data[at] = (dtype === 'int64' ? BigInt(value) : Number(value)) as never;
    if (isInteger && Number(data[at]) !== Number(value)) throw fail(`${value}`);
  });
  return { dtype, shape: [data.length], data } as ParameterValue;
}

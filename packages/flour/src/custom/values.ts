import {
  type DictionaryEntry,
  type DType,
  dtypeOf,
  printType,
  scalar,
  sizeOf,
  sparse,
  text,
  tokens,
  type ValueType,
  vector,
} from '@brezel/core';
import { flourError } from '../errors.js';

/** The element types for numbers. */
export type ElementName = Exclude<DType, 'string'>;

/**
 * The input types of a custom operator, in the notation of EXPLAIN. `float32[]` is a vector of any
 * size, and `float32[3]` is a vector of three numbers. The function receives all vectors as dense
 * arrays.
 */
export type CustomInput =
  | 'text'
  | 'tokens'
  | 'map'
  | 'dictionary'
  | ElementName
  | `${ElementName | 'text'}[]`
  | `${ElementName | 'text'}[${number}]`;

/**
 * The output types of a custom operator. `sparse[1000]` is a float32 vector of 1000 numbers, for
 * which the function returns pairs of column and value.
 */
export type CustomOutput = 'text' | 'tokens' | ElementName | `${ElementName | 'text'}[${number}]` | `sparse[${number}]`;

interface Vectors {
  float32: Float32Array;
  float64: Float64Array;
  int64: BigInt64Array;
  int32: Int32Array;
  bool: readonly boolean[];
  text: readonly string[];
}

interface Elements {
  float32: number;
  float64: number;
  int64: bigint;
  int32: number;
  bool: boolean;
  text: string;
}

/** The value of an input for one row, in the form that the custom function receives. */
export type RowValue<Input extends CustomInput> = Input extends keyof Elements
  ? Elements[Input]
  : Input extends 'tokens'
    ? readonly string[]
    : Input extends 'map'
      ? Readonly<Record<string, number>>
      : Input extends 'dictionary'
        ? Readonly<Record<string, DictionaryEntry>>
        : Input extends `${infer Element extends keyof Vectors}[${string}]`
          ? Vectors[Element]
          : never;

interface Results {
  float32: number;
  float64: number;
  int64: number | bigint;
  int32: number;
  bool: boolean;
  text: string;
}

/** The values that a custom function may return for an output of this type. */
export type RowResult<Output extends CustomOutput> = Output extends keyof Results
  ? Results[Output]
  : Output extends 'tokens'
    ? readonly string[]
    : Output extends `sparse[${string}]`
      ? Iterable<readonly [column: number, value: number]>
      : Output extends `${infer Element extends keyof Results}[${string}]`
        ? ArrayLike<Results[Element]>
        : never;

/** The kind of flow whose values have this type. */
export type KindOf<Name extends CustomInput | CustomOutput> = Name extends 'text' | 'tokens' | 'map' | 'dictionary'
  ? Name
  : Name extends ElementName
    ? 'scalar'
    : 'vector';

/** The type of the answer when a custom operator computes an output of the program. */
export type CustomValue<Output extends CustomOutput> = Output extends keyof Results
  ? Results[Output]
  : Output extends 'tokens' | `text[${string}]`
    ? readonly string[]
    : Output extends `bool[${string}]`
      ? readonly boolean[]
      : Output extends `int64[${string}]`
        ? readonly (number | bigint)[]
        : readonly number[];

const NAME = /^(text|tokens|map|dictionary|float32|float64|int64|int32|bool|sparse)(?:\[(\d{0,9})\])?$/;

interface ParsedName {
  readonly base: string;
  /** The size in brackets. Undefined without brackets, `any` for empty brackets. */
  readonly size: number | 'any' | undefined;
}

function parse(at: string, name: string): ParsedName {
  const [, base, size] = NAME.exec(name) ?? [];
  const isWhole = base === 'tokens' || base === 'map' || base === 'dictionary';
  if (base === undefined || (isWhole && size !== undefined) || (base === 'sparse' && size === undefined))
    throw flourError('ERR_FLOUR_TYPE', {
      expected:
        'text, tokens, map, dictionary, float32, float64, int64, int32 or bool, with [] or a size in brackets for vectors',
      received: JSON.stringify(name),
      at,
    });
  return { base, size: size === undefined ? undefined : size === '' ? 'any' : Number(size) };
}

/** Throws unless the name is a valid input type of a custom operator. */
export function checkInputName(at: string, name: string): void {
  if (parse(at, name).base === 'sparse')
    throw flourError('ERR_FLOUR_TYPE', { expected: 'float32[] for sparse vectors', received: name, at });
}

/**
 * Returns whether an input that was declared with the type `name` accepts a value of the given
 * type.
 */
export function accepts(name: CustomInput, type: ValueType): boolean {
  const { base, size } = parse(name, name);
  if (base === 'tokens' || base === 'map' || base === 'dictionary') return type.kind === base;
  const dtype = base === 'text' ? 'string' : base;
  if (dtypeOf(type) !== dtype) return false;
  if (size === undefined) return type.kind === 'scalar';
  return type.kind === 'vector' && (size === 'any' || sizeOf(type) === size);
}

/** Converts the name of an output type to the type. */
export function outputType(at: string, name: string): ValueType {
  const { base, size } = parse(at, name);
  if (base === 'tokens') return tokens;
  if (base === 'map' || base === 'dictionary' || size === 'any')
    throw flourError('ERR_FLOUR_TYPE', { expected: 'an output of a size, as float32[3]', received: name, at });
  if (base === 'sparse') return sparse(size!);
  const dtype = base === 'text' ? 'string' : (base as ElementName);
  if (size !== undefined) return vector(dtype, size);
  return dtype === 'string' ? text : scalar(dtype);
}

/**
 * Checks the type of an input.
 *
 * @throws ERR_FLOUR_TYPE for a type that the input does not accept.
 */
export function checkInput(at: string, name: CustomInput, type: ValueType): void {
  if (!accepts(name, type))
    throw flourError('ERR_FLOUR_TYPE', { expected: name, received: printType(type), at, hint: hintFor(name, type) });
}

function hintFor(name: CustomInput, type: ValueType): string {
  if (type.kind === 'tensor')
    return 'asVector() gives the elements of a tensor as a vector, asTensor(shape) makes them one again';
  if (dtypeOf(type) !== 'string' && type.kind === 'scalar' && name.includes('['))
    return 'asVector() makes a vector of one element';
  if (dtypeOf(type) !== 'string' && name !== 'text' && name !== 'tokens') return 'cast() changes the element type';
  return 'the inputs of defineOperator tell what the operator takes';
}

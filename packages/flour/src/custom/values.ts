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

/** Element types of numbers. */
export type ElementName = Exclude<DType, 'string'>;

/**
 * What an operator of a user takes: the type of one row's value, written as EXPLAIN prints it. `float32[]` is a vector of any size (sparse ones
 * have their zeros written out), `float32[3]` one of three numbers.
 */
export type CustomInput =
  | 'text'
  | 'tokens'
  | 'map'
  | 'dictionary'
  | ElementName
  | `${ElementName | 'text'}[]`
  | `${ElementName | 'text'}[${number}]`;

/** What it gives. `sparse[1000]` is a float32 vector of which only some columns are told. */
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

/** One row's value of an input, as the function gets it. */
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

/** What the function may give for an output. */
export type RowResult<Output extends CustomOutput> = Output extends keyof Results
  ? Results[Output]
  : Output extends 'tokens'
    ? readonly string[]
    : Output extends `sparse[${string}]`
      ? Iterable<readonly [column: number, value: number]>
      : Output extends `${infer Element extends keyof Results}[${string}]`
        ? ArrayLike<Results[Element]>
        : never;

/** The kind of flow that carries such a value. */
export type KindOf<Name extends CustomInput | CustomOutput> = Name extends 'text' | 'tokens' | 'map' | 'dictionary'
  ? Name
  : Name extends ElementName
    ? 'scalar'
    : 'vector';

const NAME = /^(text|tokens|map|dictionary|float32|float64|int64|int32|bool|sparse)(?:\[(\d{0,9})\])?$/;

interface ParsedName {
  readonly base: string;
  /** Undefined: no brackets; `any`: empty ones. */
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

/** Checks that a name is one of an input. */
export function checkInputName(at: string, name: string): void {
  if (parse(at, name).base === 'sparse')
    throw flourError('ERR_FLOUR_TYPE', { expected: 'float32[] for sparse vectors', received: name, at });
}

/** Whether a value of this type goes into an input of this name. */
export function accepts(name: CustomInput, type: ValueType): boolean {
  const { base, size } = parse(name, name);
  if (base === 'tokens' || base === 'map' || base === 'dictionary') return type.kind === base;
  const dtype = base === 'text' ? 'string' : base;
  if (dtypeOf(type) !== dtype) return false;
  if (size === undefined) return type.kind === 'scalar';
  return type.kind === 'vector' && (size === 'any' || sizeOf(type) === size);
}

/** The type that an output name stands for. */
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

/** @throws ERR_FLOUR_TYPE for a value that does not go in. */
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

import {
  type Block,
  type DenseBlock,
  dense,
  type NumericDType,
  numericArray,
  printType,
  sizeOf,
  strings,
  type ValueType,
} from '@brezel/core';

/**
 * Returns a function that returns the value of a row in a block. The value is a copy, so the custom
 * function may change it.
 */
export function readerOf(block: Block, type: ValueType): (row: number) => unknown {
  switch (block.kind) {
    case 'tokens':
      return (row) => [...block.values[row]!];
    case 'dictionary':
      return (row) => Object.fromEntries(block.values[row]!);
    case 'strings':
      if (type.kind === 'scalar') return (row) => block.values[row]!;
      return (row) => block.values.slice(row * block.size, (row + 1) * block.size);
    case 'dense':
      return denseReader(block, type);
    case 'sparse':
      throw new TypeError('custom operators get dense vectors');
  }
}

function denseReader({ dtype, size, values }: DenseBlock, type: ValueType): (row: number) => unknown {
  const element = (at: number) => (dtype === 'bool' ? values[at] === 1 : values[at]!);
  if (type.kind === 'scalar') return element;
  if (type.kind === 'map')
    return (row) => Object.fromEntries(type.keys.map((key, at) => [key, values[row * size + at]!]));
  if (dtype === 'bool') return (row) => Array.from({ length: size }, (_, at) => element(row * size + at));
  return (row) => values.slice(row * size, (row + 1) * size);
}

/** Describes an invalid result: the expected and the received value. */
export class WrongResult extends Error {
  readonly expected: string;
  readonly received: string;

  constructor(expected: string, received: string) {
    super(`expected ${expected}, received ${received}`);
    this.expected = expected;
    this.received = received;
  }
}

/**
 * Builds a block from the results of single rows. `add` throws a `WrongResult` if a value has the
 * wrong type.
 */
export interface BlockBuilder {
  add(row: number, value: unknown): void;
  finish(): Block;
}

export function builderOf(type: ValueType, rows: number): BlockBuilder {
  if (type.kind === 'tokens') return tokensBuilder(rows);
  if (type.kind === 'sparse') return sparseBuilder(rows, type.size);
  if ((type.kind === 'scalar' || type.kind === 'vector') && type.dtype === 'string') return stringsBuilder(type, rows);
  return denseBuilder(type, rows);
}

function stringsBuilder(type: ValueType, rows: number): BlockBuilder {
  const values: string[] = [];
  return {
    add: (_, value) => {
      for (const one of Array.from(elementsOf(type, value))) values.push(textOf(one));
    },
    finish: () => strings(rows, sizeOf(type), values),
  };
}

function tokensBuilder(rows: number): BlockBuilder {
  const values: string[][] = [];
  return {
    add: (_, value) => {
      if (!Array.isArray(value)) throw new WrongResult('an array of strings', shown(value));
      values.push(value.map(textOf));
    },
    finish: () => ({ kind: 'tokens', rows, values }),
  };
}

function denseBuilder(type: ValueType, rows: number): BlockBuilder {
  const dtype = (type as { dtype: NumericDType }).dtype;
  const size = sizeOf(type);
  const values = numericArray(dtype, rows * size);
  return {
    add: (row, value) => {
      const elements = elementsOf(type, value);
      for (let at = 0; at < size; at++) values[row * size + at] = elementOf(dtype, elements[at]) as never;
    },
    finish: () => dense(dtype, rows, size, values),
  };
}

function sparseBuilder(rows: number, size: number): BlockBuilder {
  const offsets = new Uint32Array(rows + 1);
  const [ids, values]: [number[], number[]] = [[], []];
  return {
    add: (row, value) => {
      const seen = new Set<number>();
      for (const [id, number] of entriesOf(value)) {
        if (!Number.isInteger(id) || id < 0 || id >= size)
          throw new WrongResult(`columns from 0 to ${size - 1}`, `${id}`);
        if (seen.has(id)) throw new WrongResult('each column once', `column ${id} twice`);
        seen.add(id);
        ids.push(id);
        values.push(elementOf('float32', number) as number);
      }
      offsets[row + 1] = ids.length;
    },
    finish: () => ({
      kind: 'sparse',
      rows,
      size,
      offsets,
      ids: Uint32Array.from(ids),
      values: Float32Array.from(values),
    }),
  };
}

function entriesOf(value: unknown): Iterable<readonly [number, number]> {
  if (typeof value === 'object' && value !== null && Symbol.iterator in value) return value as never;
  throw new WrongResult('pairs of column and value', shown(value));
}

/**
 * Returns the elements of the result for one row. A scalar is one element. Throws unless a vector
 * has as many elements as its type.
 */
function elementsOf(type: ValueType, value: unknown): ArrayLike<unknown> {
  if (type.kind === 'scalar') return [value];
  const isList = Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
  if (isList && (value as unknown as ArrayLike<unknown>).length === sizeOf(type)) return value as never;
  throw new WrongResult(printType(type), shown(value));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.toWellFormed();
  throw new WrongResult('text', shown(value));
}

function elementOf(dtype: NumericDType, value: unknown): number | bigint {
  switch (dtype) {
    case 'bool':
      if (typeof value === 'boolean') return value ? 1 : 0;
      break;
    case 'int32':
      if (typeof value === 'number' && (value | 0) === value) return value;
      break;
    case 'int64':
      if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value;
      if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
      break;
    default:
      if (typeof value === 'number') return value;
  }
  throw new WrongResult(dtype, shown(value));
}

/** Formats a value in a few words, for errors. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return `${value}`;
  if (value instanceof Promise) return 'a promise: operators answer at once';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (ArrayBuffer.isView(value))
    return `${value.constructor.name} of ${(value as unknown as ArrayLike<unknown>).length}`;
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 40))}`;
  return typeof value === 'object' ? 'an object' : typeof value === 'function' ? 'a function' : `${String(value)}`;
}

// The datatypes of the Open Inference Protocol: which JSON values they accept, and their bytes in
// Triton's binary extension. https://github.com/kserve/open-inference-protocol (Tensor Data Types)
import { int64Of } from 'brezel';
import { protocolError } from './errors.js';
import { halfOf, numberOfHalf } from './half.js';

export type Element = number | bigint | boolean | string | Uint8Array;
/** The elements of a tensor in row-major order. */
export type Elements = ArrayLike<Element>;

export interface Datatype {
  readonly name: DatatypeName;
  /**
   * The number of bytes of one element; undefined for BYTES, whose elements have different lengths.
   */
  readonly bytes: number | undefined;
  /** The JSON values that the datatype accepts, for error messages. */
  readonly expected: string;
  /** Converts a JSON value. Returns undefined for a value that the datatype does not accept. */
  fromJson(value: unknown): Element | undefined;
  /**
   * Returns the number of elements in the bytes of a tensor. The number is not an integer if the
   * last element is incomplete. Takes much less time than `fromBytes`, because it creates no
   * objects.
   */
  count(bytes: Uint8Array): number;
  /** Reads elements from little-endian bytes, which need not be aligned. */
  fromBytes(bytes: Uint8Array): Elements;
  toBytes(elements: Elements): Uint8Array;
}

const NOT_FINITE: ReadonlyMap<unknown, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

const floatOf = (value: unknown) => (typeof value === 'number' ? value : NOT_FINITE.get(value));

const integerOf = (least: number, most: number) => (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : undefined;

/**
 * Returns a converter for 64-bit integers. JSON.parse loses digits of a number beyond 2^53, so
 * larger integers must be texts.
 */
const wideOf = (least: bigint, most: bigint) => (value: unknown) => {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= least ? value : undefined;
  if (typeof value !== 'string' || !/^-?\d{1,20}$/.test(value)) return undefined;
  const integer = BigInt(value);
  return integer >= least && integer <= most ? integer : undefined;
};

interface TypedArrayType {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer): ArrayLike<number | bigint> & ArrayBufferView;
  new (length: number): ArrayLike<number | bigint> & ArrayBufferView;
}

const IS_BIG_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 0;
const SWAPS = { 2: 'swap16', 4: 'swap32', 8: 'swap64' } as const;

/**
 * Converts between little-endian bytes and the byte order of this machine. Swaps the bytes in
 * place.
 */
function swap(bytes: Uint8Array, size: number): Uint8Array {
  const name = SWAPS[size as keyof typeof SWAPS];
  if (IS_BIG_ENDIAN && name !== undefined) Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)[name]();
  return bytes;
}

/**
 * Returns the conversions between bytes and elements for a datatype whose elements fit into a typed
 * array.
 */
const fixed = (type: TypedArrayType, convert: (element: Element) => number | bigint = Number) => ({
  bytes: type.BYTES_PER_ELEMENT,
  count: (bytes: Uint8Array) => bytes.length / type.BYTES_PER_ELEMENT,
  fromBytes: (bytes: Uint8Array): Elements =>
    new type(swap(new Uint8Array(bytes), type.BYTES_PER_ELEMENT).buffer as ArrayBuffer),
  toBytes(elements: Elements): Uint8Array {
    const array = new type(elements.length) as unknown as { [index: number]: number | bigint } & ArrayBufferView;
    for (let index = 0; index < elements.length; index++) array[index] = convert(elements[index]!);
    return swap(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), type.BYTES_PER_ELEMENT);
  },
});

const toInt64 = (element: Element) => int64Of(element as number | bigint);
const numbers = (type: unknown) => fixed(type as TypedArrayType);
const bigints = (type: unknown) => fixed(type as TypedArrayType, toInt64);
const FLOAT = { expected: 'a number, "NaN", "Infinity" or "-Infinity"', fromJson: floatOf };

const integers = (name: string, type: unknown, least: number, most: number) => ({
  ...numbers(type),
  expected: `an integer of ${name}`,
  fromJson: integerOf(least, most),
});

const half = {
  ...FLOAT,
  bytes: 2,
  count: numbers(Uint16Array).count,
  fromBytes: (bytes: Uint8Array): Elements =>
    Float64Array.from(numbers(Uint16Array).fromBytes(bytes) as Uint16Array, numberOfHalf),
  toBytes: (elements: Elements) =>
    numbers(Uint16Array).toBytes(Array.from(elements, (element) => halfOf(Number(element)))),
};

const LENGTH_BYTES = 4;
const NO_BYTES = new Uint8Array();

/** Calls a function with the start and the end of each text in the bytes of a tensor. */
function eachText(bytes: Uint8Array, visit: (start: number, end: number) => void): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let offset = 0; offset < bytes.length; ) {
    const start = offset + LENGTH_BYTES;
    const end = start <= bytes.length ? start + view.getUint32(offset, true) : Number.POSITIVE_INFINITY;
    if (end > bytes.length) throw protocolError('BINARY', { received: `a text that ends after its tensor` });
    visit(start, end);
    offset = end;
  }
}

const strings = {
  bytes: undefined,
  expected: 'a text',
  fromJson: (value: unknown) => (typeof value === 'string' ? value : undefined),
  count(bytes: Uint8Array): number {
    let count = 0;
    eachText(bytes, () => {
      count += 1;
    });
    return count;
  },
  fromBytes(bytes: Uint8Array): Elements {
    const elements: Uint8Array[] = [];
    eachText(bytes, (start, end) => elements.push(start === end ? NO_BYTES : bytes.subarray(start, end)));
    return elements;
  },
  toBytes(elements: Elements): Uint8Array {
    const parts = Array.from(elements, (element) => {
      const bytes = typeof element === 'string' ? Buffer.from(element) : (element as Uint8Array);
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32LE(bytes.length);
      return [length, bytes];
    });
    return Buffer.concat(parts.flat());
  },
};

/**
 * Reads elements of BOOL as booleans, so that a model receives the same values from JSON and from
 * bytes.
 */
const booleans = {
  ...numbers(Uint8Array),
  expected: 'true or false',
  fromJson: (value: unknown) => BOOLEANS.get(value),
  fromBytes: (bytes: Uint8Array): Elements => Array.from(bytes, booleanOf),
};

function booleanOf(byte: number): boolean {
  const value = BOOLEANS.get(byte);
  if (value !== undefined) return value;
  throw protocolError('BINARY', { expected: 'a byte 0 or 1 for each element of BOOL', received: `the byte ${byte}` });
}

const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  [1, true],
  [0, false],
]);

const table = {
  BOOL: booleans,
  UINT8: integers('UINT8', Uint8Array, 0, 2 ** 8 - 1),
  UINT16: integers('UINT16', Uint16Array, 0, 2 ** 16 - 1),
  UINT32: integers('UINT32', Uint32Array, 0, 2 ** 32 - 1),
  UINT64: {
    ...bigints(BigUint64Array),
    expected: 'an integer of UINT64, as a text beyond 2^53',
    fromJson: wideOf(0n, 2n ** 64n - 1n),
  },
  INT8: integers('INT8', Int8Array, -(2 ** 7), 2 ** 7 - 1),
  INT16: integers('INT16', Int16Array, -(2 ** 15), 2 ** 15 - 1),
  INT32: integers('INT32', Int32Array, -(2 ** 31), 2 ** 31 - 1),
  INT64: {
    ...bigints(BigInt64Array),
    expected: 'an integer of INT64, as a text beyond 2^53',
    fromJson: wideOf(-(2n ** 63n), 2n ** 63n - 1n),
  },
  FP16: half,
  FP32: { ...numbers(Float32Array), ...FLOAT },
  FP64: { ...numbers(Float64Array), ...FLOAT },
  BYTES: strings,
};

export type DatatypeName = keyof typeof table;

export const datatypes: ReadonlyMap<string, Datatype> = new Map(
  Object.entries(table).map(([name, entry]) => [name, { name: name as DatatypeName, ...entry }]),
);

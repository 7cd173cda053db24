import { isUtf8 } from 'node:buffer';
import { httpError } from '../errors.js';
import type { Datatype, Element, Elements } from './datatypes.js';
import { shown } from './shown.js';

/**
 * Reads the elements of a tensor from JSON. The data is one flat list, or lists nested as the shape
 * requires.
 *
 * @param isBase64 whether the texts of a BYTES tensor are base64
 * @throws ERR_HTTP_TENSOR
 */
export function jsonElements(
  data: unknown,
  datatype: Datatype,
  shape: readonly number[],
  isBase64: boolean,
  at: string,
): Elements {
  if (!Array.isArray(data)) throw tensorError('a list in data', shown(data), at);
  const values = flattened(data, shape, at);
  checkCount(values.length, shape, at);
  if (isFloat(datatype) && values.every((value) => typeof value === 'number'))
    return Float64Array.from(values as number[]);
  const read = isBase64 && datatype.name === 'BYTES' ? fromBase64 : datatype.fromJson;
  return values.map((value, index) => {
    const element = read(value);
    if (element !== undefined) return element;
    const expected = read === fromBase64 ? 'base64 of UTF-8' : `${datatype.expected}, as ${datatype.name}`;
    throw tensorError(expected, shown(value), `${at}, element ${index}`);
  });
}

/** Reads the elements of a tensor from their bytes. @throws ERR_HTTP_TENSOR, ERR_HTTP_BINARY */
export function binaryElements(bytes: Uint8Array, datatype: Datatype, shape: readonly number[], at: string): Elements {
  if (datatype.bytes !== undefined && bytes.length % datatype.bytes !== 0)
    throw httpError('ERR_HTTP_BINARY', {
      expected: `a multiple of ${datatype.bytes} bytes for ${datatype.name}`,
      received: `${bytes.length}`,
      at,
    });
  const elements = datatype.fromBytes(bytes);
  checkCount(elements.length, shape, at);
  if (datatype.name === 'BYTES') checkTexts(elements as ArrayLike<Uint8Array>, at);
  return elements;
}

const isFloat = ({ name }: Datatype) => name === 'FP32' || name === 'FP64' || name === 'FP16';

function checkTexts(texts: ArrayLike<Uint8Array>, at: string): void {
  for (let index = 0; index < texts.length; index++)
    if (!isUtf8(texts[index]!)) throw tensorError('UTF-8', 'other bytes', `${at}, element ${index}`);
}

function checkCount(count: number, shape: readonly number[], at: string): void {
  let expected = 1;
  // may become infinite; it then differs from the number of elements
  for (const size of shape) expected *= size;
  if (expected !== count) throw tensorError(`${expected} elements for shape [${shape.join(', ')}]`, `${count}`, at);
}

/**
 * Flattens nested lists to the depth of the shape. Checks the lengths of the lists at each level,
 * so that the data cannot be deeper than the shape.
 */
function flattened(data: readonly unknown[], shape: readonly number[], at: string): readonly unknown[] {
  if (!Array.isArray(data[0])) return data;
  let level: readonly unknown[] = [data];
  for (const size of shape) {
    const wrong = level.find((list) => !Array.isArray(list) || list.length !== size);
    if (wrong !== undefined) throw tensorError(`lists as in shape [${shape.join(', ')}]`, shown(wrong), at);
    level = level.flat(1);
  }
  return level;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function fromBase64(value: unknown): Element | undefined {
  if (typeof value !== 'string' || value.length % 4 !== 0 || !BASE64.test(value)) return undefined;
  const bytes = Buffer.from(value, 'base64');
  return isUtf8(bytes) ? bytes : undefined;
}

const tensorError = (expected: string, received: string, at: string) =>
  httpError('ERR_HTTP_TENSOR', { expected, received, at });

import { isUtf8 } from 'node:buffer';
import type { Datatype, Elements } from './datatypes.js';
import { protocolError } from './errors.js';
import { tooManyRows } from './rows.js';

/**
 * The largest number of texts in a tensor of a request. Each text becomes an object. An empty text
 * takes few bytes in the request, but its object takes far more memory.
 */
const MAX_TEXTS = 2 ** 20;

/**
 * Reads the elements of a tensor from their bytes. Checks the number of elements and the number of
 * rows before it creates objects for elements.
 *
 * @param maxRows the largest number of rows; servers set it. A tensor then also has at most 2^20
 * texts. Default: no limits
 * @throws a ProtocolError of kind TENSOR, BINARY or ROWS
 */
export function binaryElements(
  bytes: Uint8Array,
  datatype: Datatype,
  shape: readonly number[],
  at: string,
  maxRows?: number,
): Elements {
  const count = datatype.count(bytes);
  if (!Number.isInteger(count))
    throw protocolError('BINARY', {
      expected: `a multiple of ${datatype.bytes} bytes for ${datatype.name}`,
      received: `${bytes.length}`,
      at,
    });
  checkCount(count, shape, at);
  if (maxRows !== undefined) checkLimits(count, datatype, shape, maxRows, at);
  const elements = datatype.fromBytes(bytes);
  if (datatype.name === 'BYTES') checkTexts(elements as ArrayLike<Uint8Array>, at);
  return elements;
}

/**
 * Checks the number of rows and the number of texts of a tensor of a request.
 * @throws a ProtocolError of kind ROWS or TENSOR
 */
export function checkLimits(
  count: number,
  { name }: Pick<Datatype, 'name'>,
  shape: readonly number[],
  maxRows: number,
  at: string,
): void {
  if (shape.length > 0 && shape[0]! > maxRows) throw tooManyRows(shape[0]!, maxRows);
  if (name !== 'BYTES' || count <= MAX_TEXTS) return;
  const hint = 'send fewer rows at once';
  throw protocolError('TENSOR', { expected: `at most ${MAX_TEXTS} texts in a tensor`, received: `${count}`, at, hint });
}

/**
 * Checks that the bytes of texts are UTF-8.
 * @throws a ProtocolError of kind TENSOR
 */
export function checkTexts(texts: ArrayLike<Uint8Array>, at: string): void {
  for (let index = 0; index < texts.length; index++)
    if (!isUtf8(texts[index]!))
      throw protocolError('TENSOR', { expected: 'UTF-8', received: 'other bytes', at: `${at}, element ${index}` });
}

/**
 * Checks that a tensor has as many elements as its shape.
 * @throws a ProtocolError of kind TENSOR
 */
export function checkCount(count: number, shape: readonly number[], at: string): void {
  let expected = 1;
  // the product may become infinite; it then differs from every count
  for (const size of shape) expected *= size;
  if (expected === count) return;
  const elements = `${expected} elements for shape [${shape.join(', ')}]`;
  throw protocolError('TENSOR', { expected: elements, received: `${count}`, at });
}

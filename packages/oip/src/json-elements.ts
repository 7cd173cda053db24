import { isUtf8 } from 'node:buffer';
import type { Datatype, Element, Elements } from './datatypes.js';
import { checkCount, checkLimits } from './elements.js';
import { protocolError } from './errors.js';
import { shown } from './shown.js';

/**
 * Reads the elements of a tensor from JSON. The data is one flat list, or lists nested as the shape
 * requires.
 *
 * @param isBase64 whether the texts of a BYTES tensor are base64
 * @param maxRows the largest number of rows; servers set it. A tensor then also has at most 2^20
 * texts. Default: no limits
 * @throws a ProtocolError of kind TENSOR or ROWS
 */
export function jsonElements(
  data: unknown,
  datatype: Datatype,
  shape: readonly number[],
  isBase64: boolean,
  at: string,
  maxRows?: number,
): Elements {
  if (!Array.isArray(data)) throw tensorError('a list in data', shown(data), at);
  const values = flattened(data, shape, at);
  checkCount(values.length, shape, at);
  if (maxRows !== undefined) checkLimits(values.length, datatype, shape, maxRows, at);
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

const isFloat = ({ name }: Datatype) => name === 'FP32' || name === 'FP64' || name === 'FP16';

/**
 * Flattens nested lists to the depth of the shape, and checks the length of each list. Lists at a
 * greater depth stay lists; `jsonElements` rejects them, because no datatype accepts a list.
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

const NO_BYTES = new Uint8Array();
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function fromBase64(value: unknown): Element | undefined {
  if (typeof value !== 'string' || value.length % 4 !== 0 || !BASE64.test(value)) return undefined;
  if (value === '') return NO_BYTES;
  const bytes = Buffer.from(value, 'base64');
  return isUtf8(bytes) ? bytes : undefined;
}

const tensorError = (expected: string, received: string, at: string) =>
  protocolError('TENSOR', { expected, received, at });

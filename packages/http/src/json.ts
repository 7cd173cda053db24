import { isUtf8 } from 'node:buffer';
import { type Answer, type AnswerElement, int64Of, type Row, type ValueType } from 'brezel';
import { httpError } from './errors.js';
import { datatypeOf, type InputPort } from './tensors/ports.js';

export type JsonParser = (text: string) => unknown;

/** Parses a body. @throws ERR_HTTP_JSON for bytes that are not UTF-8, or not JSON. */
export function parseJson(bytes: Uint8Array, parse: JsonParser, at?: string): unknown {
  const where = at === undefined ? {} : { at };
  if (!isUtf8(bytes)) throw httpError('ERR_HTTP_JSON', { expected: 'UTF-8', received: 'other bytes', ...where });
  try {
    return parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  } catch (cause) {
    throw httpError('ERR_HTTP_JSON', {
      expected: 'JSON',
      received: (cause as Error).message.slice(0, 200),
      ...where,
      cause,
    });
  }
}

/**
 * Writes a list of elements as JSON. NaN and infinities become texts, because JSON cannot represent
 * them.
 */
export function elementsJson(elements: readonly AnswerElement[], isFloat: boolean): string {
  if (isFloat && (elements as readonly number[]).every(isPlain)) return JSON.stringify(elements);
  return `[${elements.map((element) => elementJson(element, isFloat)).join(',')}]`;
}

/**
 * Returns whether JSON.stringify writes the number unchanged. It writes NaN and infinities as null,
 * and drops the sign of zero.
 */
const isPlain = (number: number) => Number.isFinite(number) && !Object.is(number, -0);

function elementJson(element: AnswerElement, isFloat: boolean): string {
  if (typeof element === 'bigint') return `${element}`;
  if (typeof element !== 'number') return JSON.stringify(element);
  if (Number.isNaN(element) || !Number.isFinite(element)) return `"${element}"`;
  // Clients in other languages read -0 as an integer, which has no sign.
  if (Object.is(element, -0)) return isFloat ? '-0.0' : '0';
  // 1e21 is not an integer in every language.
  return isFloat ? `${element}` : int64Of(element).toString();
}

/** Writes an answer as a JSON object. */
export function answerJson(answer: Answer, isFloat: (output: string) => boolean): string {
  const fields = Object.entries(answer).map(
    ([name, value]) => `${JSON.stringify(name)}:${valueJson(value, isFloat(name))}`,
  );
  return `{${fields.join(',')}}`;
}

/** Writes the value of an output as JSON. */
export function valueJson(value: unknown, isFloat: boolean): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const list = Array.from(value as ArrayLike<unknown>);
    if (list.some((element) => typeof element === 'object'))
      return `[${list.map((element) => valueJson(element, isFloat)).join(',')}]`;
    return elementsJson(list as AnswerElement[], isFloat);
  }
  if (typeof value !== 'object') return elementJson(value as AnswerElement, isFloat || !Number.isInteger(value));
  const entries = Object.entries(value).map(([key, entry]) => `${JSON.stringify(key)}:${valueJson(entry, true)}`);
  return `{${entries.join(',')}}`;
}

/**
 * Converts the texts of a parsed row that stand for numbers: "NaN", "Infinity", "-Infinity", and
 * integers beyond 2^53. The runtime rejects all other texts.
 */
export function decodeRow(value: unknown, inputs: readonly InputPort[]): Row {
  if (Array.isArray(value) && inputs.length === 1) return decodeValue(value, inputs[0]!.type, MAX_DEPTH) as Row;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value as Row;
  const row = value as Record<string, unknown>;
  for (const { name, type } of inputs) {
    const field = Object.hasOwn(row, name) ? row[name] : undefined;
    if (typeof field === 'string' || Array.isArray(field)) row[name] = decodeValue(field, type, MAX_DEPTH);
  }
  return row;
}

/**
 * The largest number of levels of a list that are decoded. No model has so many axes. Deeper levels
 * stay unchanged, and the runtime rejects them.
 */
const MAX_DEPTH = 32;

function decodeValue(value: unknown, type: ValueType, depth: number): unknown {
  const datatype = datatypeOf(type);
  if (datatype === 'BYTES' || depth === 0) return value;
  if (Array.isArray(value)) {
    const hasTexts = value.some((element) => typeof element !== 'number');
    return hasTexts ? value.map((element) => decodeValue(element, type, depth - 1)) : value;
  }
  if (typeof value !== 'string') return value;
  if (datatype === 'FP32' || datatype === 'FP64') return NOT_FINITE.get(value) ?? value;
  return datatype === 'INT64' && /^-?\d{1,20}$/.test(value) ? BigInt(value) : value;
}

const NOT_FINITE: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

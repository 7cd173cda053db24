import { isUtf8 } from 'node:buffer';
import { datatypeOf, type InputPort, valueJson } from '@brezel/oip';
import type { Answer, Row, ValueType } from 'brezel';
import { httpError } from './errors.js';

export type JsonParser = (text: string) => unknown;

/**
 * Parses a body.
 * @throws ERR_HTTP_JSON for bytes that are not UTF-8, or not JSON.
 */
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

/** Writes an answer as a JSON object. */
export function answerJson(answer: Answer, isFloat: (output: string) => boolean): string {
  const fields = Object.entries(answer).map(
    ([name, value]) => `${JSON.stringify(name)}:${valueJson(value, isFloat(name))}`,
  );
  return `{${fields.join(',')}}`;
}

/**
 * Converts texts of a parsed row to numbers, in place: "NaN", "Infinity" and "-Infinity" for
 * floats, and digits for int64, because JSON numbers are inexact beyond 2^53. Where the model
 * expects numbers, the runtime rejects all other texts.
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

import { type DType, dtypeOf, type InputPort, type OutputPort, shortFloat32, type ValueType } from '@brezel/core';
import type { Answer, AnswerElement, AnswerValue } from '@brezel/runtime';
import { cliError } from '../errors.js';

// Converts rows and answers to lines of JSON and back. Values that JSON cannot represent are
// strings: "NaN", "Infinity", "-Infinity", and integers beyond 2^53. A float32 is printed as the
// shortest decimal that rounds to it.

/** A row of the input, with the number of the line that contains it. */
export interface NumberedRow {
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

export const NEWLINE = 10;

/**
 * Parses rows from lines with one JSON value each, and skips blank lines. The runtime checks the
 * values later.
 *
 * @throws ERR_CLI_ROW with the line that is not UTF-8, not JSON or not a row.
 */
export function decodeRows(bytes: Uint8Array, inputs: readonly InputPort[]): NumberedRow[] {
  const decode = rowDecoder(inputs);
  const rows: NumberedRow[] = [];
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline;
    const row = decode(bytes.subarray(start, end), line);
    if (row !== undefined) rows.push(row);
    start = end + 1;
  }
  return rows;
}

/**
 * Returns a function that decodes one line of JSON. It returns undefined for a blank line.
 *
 * @throws ERR_CLI_ROW with the line that is not UTF-8, not JSON or not a row.
 */
export function rowDecoder(inputs: readonly InputPort[]): (bytes: Uint8Array, line: number) => NumberedRow | undefined {
  const types = new Map(inputs.map((input) => [input.name, input.type]));
  return (bytes, line) => {
    const text = decodeLine(bytes, line);
    return text.trim() === '' ? undefined : { line, fields: decodeFields(fieldsOf(text, inputs, line), types) };
  };
}

function decodeLine(bytes: Uint8Array, line: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: line > 1 }).decode(bytes);
  } catch (cause) {
    throw cliError('ERR_CLI_ROW', {
      expected: 'UTF-8',
      received: 'other bytes',
      at: `line ${line}`,
      hint: 'save the file as UTF-8',
      cause,
    });
  }
}

/** Parses a line. A text or a list becomes the field of the only input. */
function fieldsOf(text: string, inputs: readonly InputPort[], line: number): Readonly<Record<string, unknown>> {
  const value = parseLine(text, line);
  const [only, ...others] = inputs;
  if (only !== undefined && others.length === 0 && isBare(value, only)) return { [only.name]: value };
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  const received = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  throw cliError('ERR_CLI_ROW', { expected: 'a JSON object', received, at: `line ${line}` });
}

/** Returns whether a JSON value is the value of the only input, without an object around it. */
const isBare = (value: unknown, { type }: InputPort): boolean =>
  Array.isArray(value)
    ? type.kind === 'vector' || type.kind === 'tensor'
    : typeof value === 'string' && dtypeOf(type) === 'string';

function parseLine(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const received = (cause as Error).message;
    throw cliError('ERR_CLI_ROW', { expected: 'a JSON object', received, at: `line ${line}`, cause });
  }
}

function decodeFields(
  fields: Readonly<Record<string, unknown>>,
  types: ReadonlyMap<string, ValueType>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const type = types.get(name);
      return [name, type === undefined ? value : decodeValue(value, dtypeOf(type))];
    }),
  );
}

/**
 * Decodes a value for an input of this element type. A text that is not a number stays unchanged,
 * so that the runtime rejects it.
 */
export function decodeValue(value: unknown, dtype: DType): unknown {
  if (Array.isArray(value)) return value.map((element) => decodeValue(element, dtype));
  if (typeof value !== 'string') return value;
  if (dtype === 'float32' || dtype === 'float64') return notFinite.get(value) ?? value;
  if (dtype === 'int64' && /^-?[0-9]{1,20}$/.test(value)) return BigInt(value);
  return value;
}

const notFinite = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

/** Encodes one answer as a line of JSON, without the newline. */
export function encodeAnswer(outputs: readonly Pick<OutputPort, 'name' | 'type'>[], answer: Answer): string {
  const fields = outputs.map(({ name, type }) => `${JSON.stringify(name)}: ${encodeValue(answer[name]!, type)}`);
  return `{${fields.join(', ')}}`;
}

/** Encodes a value of an output of this type as JSON. */
export function encodeValue(value: AnswerValue, type: ValueType): string {
  const dtype = dtypeOf(type);
  if (typeof value !== 'object') return encodeElement(value, dtype);
  if (Array.isArray(value)) return `[${value.map((element) => encodeValue(element, type)).join(', ')}]`;
  const entries = Object.entries(value as Readonly<Record<string, number>>);
  return `{${entries.map(([key, number]) => `${JSON.stringify(key)}: ${encodeElement(number, dtype)}`).join(', ')}}`;
}

function encodeElement(element: AnswerElement, dtype: DType): string {
  if (typeof element === 'bigint') return encodeInteger(element);
  if (typeof element !== 'number') return JSON.stringify(element);
  if (!Number.isFinite(element)) return `"${element}"`;
  // An answer holds a float32 exactly, or as its shortest decimal. `fround` accepts both.
  if (dtype === 'float32') return decimal(shortFloat32(Math.fround(element)));
  if (dtype === 'float64') return decimal(element);
  return encodeInteger(element);
}

const encodeInteger = (value: number | bigint) =>
  Number.isSafeInteger(Number(value)) ? `${value}` : `"${BigInt(value)}"`;

/** Formats a number with its sign, because JSON.stringify drops the sign of zero. */
const decimal = (value: number) => (Object.is(value, -0) ? '-0' : `${value}`);

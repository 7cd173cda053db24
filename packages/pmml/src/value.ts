import type { Flow } from '@brezel/flour';
import { damaged, unsupported } from './errors.js';
import { isNumber, numberOf } from './xml/element.js';

/** A flow of one float64 number, or the same number for all rows. NaN means a missing value. */
export type Operand = Flow<'vector'> | number;

/**
 * The type of a value. Values of all types are float64 numbers in the program. A boolean is 0 or 1.
 * A string is its code in `Names`.
 */
export type ValueType = 'number' | 'boolean' | 'string';

/** The value of a field or of an expression. */
export interface Value {
  readonly type: ValueType;
  readonly operand: Operand;
  /** Whether the value and the constants compared with it are rounded to float32. */
  readonly isFloat?: boolean;
  /** The text of a constant, which may be read as another type. */
  readonly text?: string;
  /** The strings that the value may be, if they are known. */
  readonly texts?: readonly string[];
}

export const MISSING = Number.NaN;

const types: Readonly<Record<string, ValueType>> = {
  string: 'string',
  integer: 'number',
  float: 'number',
  double: 'number',
  boolean: 'boolean',
};

/**
 * Returns the type of values of a PMML `dataType`.
 * @throws ERR_PMML_UNSUPPORTED for dates and times.
 */
export function typeOf(dataType: string, at: string): ValueType {
  const type = Object.hasOwn(types, dataType) ? types[dataType] : undefined;
  if (type === undefined) throw unsupported(at, `dataType="${dataType}"`);
  return type;
}

/**
 * The strings of a document. Each string has a code, so that trees and comparisons can test strings
 * as numbers. Strings of rows that the document does not contain have the code `UNKNOWN`.
 */
export class Names {
  readonly #codes = new Map<string, number>();

  code(text: string): number {
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    const code = this.#codes.size;
    this.#codes.set(text, code);
    return code;
  }

  get all(): readonly string[] {
    return [...this.#codes.keys()];
  }
}

/** The code of strings in rows that the document does not contain. */
export const UNKNOWN = -1;

/** Reads a constant as a number of the program, for a value of this type. */
export function constantOf(
  { type, isFloat }: Pick<Value, 'type' | 'isFloat'>,
  text: string,
  names: Names,
  at: string,
): number {
  if (type === 'string') return names.code(text);
  if (type === 'boolean') return booleanOf(text, at);
  const number = numberOf(text, at);
  return isFloat ? Math.fround(number) : number;
}

function booleanOf(text: string, at: string): number {
  if (text === 'true' || text === '1') return 1;
  if (text === 'false' || text === '0') return 0;
  // Some exporters compare booleans with numbers, such as 0.5.
  if (isNumber(text)) return Number(text);
  throw damaged(at, 'true or false', JSON.stringify(text.slice(0, 40)));
}

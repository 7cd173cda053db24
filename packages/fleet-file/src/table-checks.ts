import { indexBelow } from '@brezel/core';
import { throwFormatError } from './format-error.js';

/**
 * The largest size of a value, and of the answer to a row. Without a limit, a hostile file could
 * request terabytes of memory.
 */
export const MAX_COLUMNS = 2 ** 24;

/**
 * Checks that a number is below a limit and returns it.
 *
 * @throws ERR_STORE_FORMAT
 */
export function below(number: number, limit: number, at: string): number {
  if (number >= limit) throwFormatError(at, `${number}`, indexBelow('a number', limit));
  return number;
}

/**
 * Checks names that become keys of rows and answers.
 *
 * @throws ERR_STORE_FORMAT when a name occurs twice or is `__proto__`.
 */
export function distinct(names: readonly string[], at: string): void {
  if (names.length > 1 && new Set(names).size !== names.length) throwFormatError(at, 'a duplicate name');
  if (names.includes('__proto__')) throwFormatError(at, '"__proto__"', 'another name');
}

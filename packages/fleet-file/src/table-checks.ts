import { indexBelow } from '@brezel/core';
import { throwFormatError } from './format-error.js';

/**
 * The largest number of elements of a value, and of numbers in the answer to a row. Without this
 * limit, a hostile file could request terabytes of memory.
 */
export const MAX_COLUMNS = 2 ** 24;

/**
 * Returns a number that is below a limit, and throws for any other number.
 *
 * @throws ERR_STORE_FORMAT
 */
export function below(number: number, limit: number, at: string): number {
  if (number >= limit) throwFormatError(at, `${number}`, indexBelow('a number', limit));
  return number;
}

/**
 * Checks names that become keys of JavaScript objects, such as rows.
 *
 * @throws ERR_STORE_FORMAT when a name occurs twice or is `__proto__`.
 */
export function distinct(names: readonly string[], at: string): void {
  if (names.length > 1 && new Set(names).size !== names.length) throwFormatError(at, 'a duplicate name');
  if (names.includes('__proto__')) throwFormatError(at, '"__proto__"', 'another name');
}

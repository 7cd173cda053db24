import { fault } from './fault.js';

/** Numbers in a row's answer, and columns of a value: hostile files ask for terabytes. */
export const MAX_COLUMNS = 2 ** 24;

/** @throws ERR_STORE_FORMAT */
export function below(number: number, limit: number, at: string): number {
  if (number >= limit) fault(at, `${number}`, `a number below ${limit}`);
  return number;
}

/** Names by which rows and answers are keyed. @throws ERR_STORE_FORMAT */
export function distinct(names: readonly string[], at: string): void {
  if (names.length > 1 && new Set(names).size !== names.length) fault(at, 'one name twice');
  if (names.includes('__proto__')) fault(at, '"__proto__"', 'another name');
}

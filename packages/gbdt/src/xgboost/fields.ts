import { JsonFields } from '@brezel/core';
import { damaged } from '../errors.js';

/** Reads the fields of a JSON object in an XGBoost file, and throws ERR_GBDT_FORMAT. */
export class Fields extends JsonFields {
  /** Reads an integer. XGBoost writes some integers as texts; this method accepts both forms. */
  int(name: string, otherwise?: number): number {
    const given = this.get(name);
    if (given === undefined && otherwise !== undefined) return otherwise;
    const value = typeof given === 'string' && given !== '' ? Number(given) : given;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
      this.fail(this.path(name), 'a whole number', given);
    return value;
  }

  /** Reads a list of numbers or flags. With `length`, the list must have that length. */
  numbers(name: string, length?: number): Float64Array {
    const list = this.list(name);
    if (length !== undefined && list.length !== length)
      throw this.error(this.path(name), `${length} numbers`, `${list.length}`);
    const numbers = new Float64Array(list.length);
    for (let at = 0; at < numbers.length; at++) {
      const value = list[at];
      if (typeof value !== 'number' && typeof value !== 'boolean')
        this.fail(`${this.path(name)}[${at}]`, 'a number', value);
      numbers[at] = Number(value);
    }
    return numbers;
  }

  /**
   * Reads a list of indices: integers that fit in 32 bits. A fraction such as 0.5 would become
   * another index.
   */
  indices(name: string, length?: number): Int32Array {
    const numbers = this.numbers(name, length);
    const indices = Int32Array.from(numbers);
    const wrong = indices.findIndex((index, at) => index !== numbers[at]);
    if (wrong >= 0) throw this.error(`${this.path(name)}[${wrong}]`, 'an integer', `${numbers[wrong]}`);
    return indices;
  }

  protected override error(at: string, expected: string, received: string): Error {
    return damaged(at, expected, received);
  }
}

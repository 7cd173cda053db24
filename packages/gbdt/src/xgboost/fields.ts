import { damaged } from '../errors.js';
import type { Json } from './read-ubjson.js';

/**
 * Reads the fields of a JSON object in an XGBoost file. Throws if a field is missing or has another
 * type. The error contains the name of the field and the expected type.
 */
export class Fields {
  readonly at: string;
  readonly #value: Readonly<Record<string, Json>>;

  constructor(value: Json | undefined, at: string) {
    this.at = at;
    if (typeof value !== 'object' || value === null || isList(value)) throw damaged(at, 'an object', described(value));
    this.#value = value as Readonly<Record<string, Json>>;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#value, name);
  }

  get(name: string): Json | undefined {
    return this.has(name) ? this.#value[name] : undefined;
  }

  object(name: string): Fields {
    return new Fields(this.get(name), `${this.at}.${name}`);
  }

  text(name: string): string {
    const value = this.get(name);
    if (typeof value !== 'string') throw damaged(`${this.at}.${name}`, 'a text', described(value));
    return value;
  }

  /** Reads an integer. XGBoost writes some integers as texts; this method accepts both forms. */
  int(name: string, otherwise?: number): number {
    const given = this.get(name);
    if (given === undefined && otherwise !== undefined) return otherwise;
    const value = typeof given === 'string' && given !== '' ? Number(given) : given;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
      throw damaged(`${this.at}.${name}`, 'a whole number', described(given));
    return value;
  }

  list(name: string): ArrayLike<Json> {
    const value = this.get(name);
    if (!isList(value)) throw damaged(`${this.at}.${name}`, 'a list', described(value));
    return value;
  }

  /** Reads a list of numbers or flags. With `length`, the list must have that length. */
  numbers(name: string, length?: number): Float64Array {
    const list = this.list(name);
    if (length !== undefined && list.length !== length)
      throw damaged(`${this.at}.${name}`, `${length} numbers`, `${list.length}`);
    const numbers = new Float64Array(list.length);
    for (let at = 0; at < numbers.length; at++) {
      const value = list[at];
      if (typeof value !== 'number' && typeof value !== 'boolean')
        throw damaged(`${this.at}.${name}[${at}]`, 'a number', described(value));
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
    if (wrong >= 0) throw damaged(`${this.at}.${name}[${wrong}]`, 'an integer', `${numbers[wrong]}`);
    return indices;
  }
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value) || ArrayBuffer.isView(value);

function described(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'object') return value === null ? 'null' : isList(value) ? 'a list' : 'an object';
  return JSON.stringify(value).slice(0, 40);
}

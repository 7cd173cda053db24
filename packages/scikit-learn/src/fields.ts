import { damaged } from './errors.js';

/** A matrix or a list of float64 numbers. */
export interface FloatArray {
  readonly data: Float64Array;
  readonly shape: readonly number[];
}

/**
 * Reads the fields of a JSON object. Throws ERR_SKLEARN_FORMAT if a field is missing or has another
 * type. The error contains the name of the field and the expected type.
 */
export class Fields {
  readonly at: string;
  readonly #value: Readonly<Record<string, unknown>>;

  constructor(value: unknown, at: string) {
    this.at = at;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw damaged(at, 'an object', described(value));
    this.#value = value as Readonly<Record<string, unknown>>;
  }

  get names(): readonly string[] {
    return Object.keys(this.#value);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#value, name);
  }

  get(name: string): unknown {
    return this.has(name) ? this.#value[name] : undefined;
  }

  object(name: string): Fields {
    return new Fields(this.get(name), this.#path(name));
  }

  list(name: string): readonly unknown[] {
    const value = this.get(name);
    return Array.isArray(value) ? value : this.#fail(name, 'a list', value);
  }

  objects(name: string): Fields[] {
    return this.list(name).map((value, index) => new Fields(value, `${this.#path(name)}[${index}]`));
  }

  text(name: string): string {
    const value = this.get(name);
    return typeof value === 'string' ? value : this.#fail(name, 'a text', value);
  }

  texts(name: string): readonly string[] {
    const list = this.list(name);
    const wrong = list.findIndex((value) => typeof value !== 'string');
    if (wrong >= 0) throw damaged(`${this.#path(name)}[${wrong}]`, 'a text', described(list[wrong]));
    return list as readonly string[];
  }

  /** Reads one of several texts. */
  choice<const Choice extends string>(name: string, choices: readonly Choice[]): Choice {
    const value = this.get(name);
    return choices.find((choice) => choice === value) ?? this.#fail(name, choices.join(' or '), value);
  }

  flag(name: string): boolean {
    const value = this.get(name);
    return typeof value === 'boolean' ? value : this.#fail(name, 'true or false', value);
  }

  /** Reads an integer from `least` to `most`. */
  int(name: string, least: number, most: number): number {
    return checkInt(this.get(name), this.#path(name), least, most);
  }

  /** Reads a list of integers from `least` to `most`. */
  intList(name: string, least: number, most: number): readonly number[] {
    return this.list(name).map((value, index) => checkInt(value, `${this.#path(name)}[${index}]`, least, most));
  }

  /** Reads one of several lists of integers. */
  intRow(name: string, row: number, least: number, most: number): readonly number[] {
    const list = this.list(name)[row];
    if (!Array.isArray(list)) throw damaged(`${this.#path(name)}[${row}]`, 'a list', described(list));
    return list.map((value, index) => checkInt(value, `${this.#path(name)}[${row}][${index}]`, least, most));
  }

  /** Reads an array of float64 numbers: `{ f64: base64, shape }`. */
  floats(name: string): FloatArray {
    const { bytes, shape } = this.#array(name, 'f64', 8);
    return { data: new Float64Array(bytes), shape };
  }

  /** Reads an array of float64 numbers with this number of elements. */
  floatsOf(name: string, size: number): Float64Array {
    const { data } = this.floats(name);
    if (data.length !== size) throw damaged(this.#path(name), `${size} numbers`, `${data.length}`);
    return data;
  }

  /**
   * Reads an array of int32 numbers: `{ i32: base64, shape }`. With `size`, it must have this size.
   */
  ints(name: string, size?: number): Int32Array {
    const data = new Int32Array(this.#array(name, 'i32', 4).bytes);
    if (size !== undefined && data.length !== size)
      throw damaged(this.#path(name), `${size} integers`, `${data.length}`);
    return data;
  }

  #array(name: string, type: 'f64' | 'i32', width: number): { bytes: ArrayBuffer; shape: readonly number[] } {
    const fields = this.object(name);
    const shape = fields.intList('shape', 0, 2 ** 31);
    const base64 = fields.text(type);
    const bytes = Uint8Array.from(Buffer.from(base64, 'base64')).buffer;
    const elements = shape.reduce((product, size) => product * size, 1);
    if (bytes.byteLength !== elements * width)
      throw damaged(`${fields.at}.${type}`, `${elements * width} bytes`, `${bytes.byteLength}`);
    return { bytes, shape };
  }

  #path(name: string): string {
    return `${this.at}.${name}`;
  }

  #fail(name: string, expected: string, received: unknown): never {
    throw damaged(this.#path(name), expected, described(received));
  }
}

function checkInt(value: unknown, at: string, least: number, most: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
    throw damaged(at, `an integer from ${least} to ${most}`, described(value));
  return value;
}

function described(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'object') return value === null ? 'null' : Array.isArray(value) ? 'a list' : 'an object';
  return JSON.stringify(value).slice(0, 40);
}

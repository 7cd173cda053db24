import { JsonFields } from '@brezel/core';
import { damaged } from './errors.js';

/** A matrix or a list of float64 numbers. */
export interface FloatArray {
  readonly data: Float64Array;
  readonly shape: readonly number[];
}

/** Reads the fields of a JSON object of brezel_export.py, and throws ERR_SKLEARN_FORMAT. */
export class Fields extends JsonFields {
  texts(name: string): readonly string[] {
    return Array.from(this.list(name), (value, index) =>
      typeof value === 'string' ? value : this.fail(`${this.path(name)}[${index}]`, 'a text', value),
    );
  }

  /** Reads one of several texts. */
  choice<const Choice extends string>(name: string, choices: readonly Choice[]): Choice {
    const value = this.get(name);
    return choices.find((choice) => choice === value) ?? this.fail(this.path(name), choices.join(' or '), value);
  }

  flag(name: string): boolean {
    const value = this.get(name);
    return typeof value === 'boolean' ? value : this.fail(this.path(name), 'true or false', value);
  }

  /** Reads an integer from `least` to `most`. */
  int(name: string, least: number, most: number): number {
    return this.#checkInt(this.get(name), this.path(name), least, most);
  }

  /** Reads a list of integers from `least` to `most`. */
  intList(name: string, least: number, most: number): readonly number[] {
    return this.#intsOf(this.list(name), this.path(name), least, most);
  }

  /** Reads one of several lists of integers. */
  intRow(name: string, row: number, least: number, most: number): readonly number[] {
    const [list, path] = [this.list(name)[row], `${this.path(name)}[${row}]`];
    return Array.isArray(list) ? this.#intsOf(list, path, least, most) : this.fail(path, 'a list', list);
  }

  /** Reads an array of float64 numbers: `{ f64: base64, shape }`. */
  floats(name: string): FloatArray {
    const { bytes, shape } = this.#array(name, 'f64', 8);
    return { data: new Float64Array(bytes), shape };
  }

  /** Reads an array of float64 numbers with this number of elements. */
  floatsOf(name: string, size: number): Float64Array {
    const { data } = this.floats(name);
    if (data.length !== size) throw this.error(this.path(name), `${size} numbers`, `${data.length}`);
    return data;
  }

  /**
   * Reads an array of int32 numbers: `{ i32: base64, shape }`. With `size`, it must have this size.
   */
  ints(name: string, size?: number): Int32Array {
    const data = new Int32Array(this.#array(name, 'i32', 4).bytes);
    if (size !== undefined && data.length !== size)
      throw this.error(this.path(name), `${size} integers`, `${data.length}`);
    return data;
  }

  protected override error(at: string, expected: string, received: string): Error {
    return damaged(at, expected, received);
  }

  #array(name: string, type: 'f64' | 'i32', width: number): { bytes: ArrayBuffer; shape: readonly number[] } {
    const fields = this.object(name);
    const shape = fields.intList('shape', 0, 2 ** 31);
    const base64 = fields.text(type);
    const bytes = Uint8Array.from(Buffer.from(base64, 'base64')).buffer;
    const elements = shape.reduce((product, size) => product * size, 1);
    if (bytes.byteLength !== elements * width)
      throw this.error(`${fields.at}.${type}`, `${elements * width} bytes`, `${bytes.byteLength}`);
    return { bytes, shape };
  }

  #intsOf(list: ArrayLike<unknown>, path: string, least: number, most: number): readonly number[] {
    return Array.from(list, (value, index) => this.#checkInt(value, `${path}[${index}]`, least, most));
  }

  #checkInt(value: unknown, at: string, least: number, most: number): number {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
      this.fail(at, `an integer from ${least} to ${most}`, value);
    return value;
  }
}

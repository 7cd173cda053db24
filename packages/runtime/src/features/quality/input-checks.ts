import { dtypeOf, type InputPort, type InputQuality, sizeOf } from '@brezel/core';
import type { Column } from '../../execute/rows/row-schema.js';
import type { Known } from './known-values.js';
import type { TermCounter } from './terms.js';

/**
 * The checks look for unknown terms only in this many characters at the start of a text, because a
 * text can be long.
 */
const MOST_CHARACTERS = 48;

/** The data quality checks of one input of a plan, and their counts. */
export class InputChecks {
  readonly name: string;
  readonly size: number;
  readonly #isFloat32: boolean;
  readonly #markers: Known[][] = [];
  readonly #known: Known[][] = [];
  #least: Float64Array | undefined;
  #greatest: Float64Array | undefined;
  readonly #terms: TermCounter[] = [];
  readonly #counts = { values: 0, missing: 0, unknown: 0, terms: 0, unknownTerms: 0, below: 0, above: 0 };

  constructor({ name, type, unused }: InputPort) {
    this.name = name;
    this.size = unused || type.kind === 'dictionary' ? 0 : sizeOf(type);
    this.#isFloat32 = dtypeOf(type) === 'float32';
  }

  /** Adds a test that returns whether a value of the element means "missing". */
  addMarker(element: number, isMarker: Known): void {
    this.#markers[element] = [...(this.#markers[element] ?? []), isMarker];
  }

  addKnown(element: number, known: Known): void {
    this.#known[element] = [...(this.#known[element] ?? []), known];
  }

  addTerms(counter: TermCounter): void {
    this.#terms.push(counter);
  }

  /**
   * Adds a range of valid values of an element. An operator of the plan defines the range. If
   * several operators define ranges, the checks use the smallest `least` and the largest
   * `greatest`.
   */
  addRange(element: number, least: number, greatest: number): void {
    if (!Number.isFinite(least) || !Number.isFinite(greatest)) return;
    this.#least ??= new Float64Array(this.size).fill(Number.NaN);
    this.#greatest ??= new Float64Array(this.size).fill(Number.NaN);
    if (!(least >= this.#least[element]!)) this.#least[element] = least;
    if (!(greatest <= this.#greatest[element]!)) this.#greatest[element] = greatest;
  }

  /** Examines the elements of one row, which start at `values[from]`. */
  examine(values: Column, from: number): void {
    const counts = this.#counts;
    if (this.#markers.length === 0 && this.#known.length === 0 && this.#examineFloats(values, from)) return;
    for (let element = 0; element < this.size; element++) {
      const value = this.#valueOf(values[from + element]);
      counts.values++;
      if (this.#isMissing(value, element)) counts.missing++;
      else if (typeof value === 'string') this.#examineText(value, element);
      else this.#examineNumber(value, element);
    }
  }

  /**
   * Counts NaN as missing, and counts values out of range, which is enough for inputs such as the
   * columns of a forest. Calls no function for each value. If a value has another type than
   * `number`, returns false and counts nothing.
   */
  #examineFloats(values: Column, from: number): boolean {
    const least = this.#least;
    const greatest = this.#greatest;
    const isFloat32 = this.#isFloat32;
    const { size } = this;
    let missing = 0;
    let below = 0;
    let above = 0;
    for (let element = 0; element < size; element++) {
      const value = values[from + element];
      if (typeof value !== 'number') return false;
      const number = isFloat32 ? Math.fround(value) : value;
      if (Number.isNaN(number)) missing++;
      else if (least !== undefined && number < least[element]!) below++;
      else if (greatest !== undefined && number > greatest[element]!) above++;
    }
    const counts = this.#counts;
    counts.values += size;
    counts.missing += missing;
    counts.below += below;
    counts.above += above;
    return true;
  }

  counts(): InputQuality {
    const { values, missing, unknown, terms, unknownTerms, below, above } = this.#counts;
    return {
      values,
      missing,
      ...(this.#known.length > 0 && { unknown }),
      ...(this.#terms.length > 0 && { terms, unknownTerms }),
      ...(this.#least !== undefined && { below, above }),
    };
  }

  /** Converts an element of a column to the value that the plan reads. */
  #valueOf(value: Column[number] | undefined): string | number | bigint {
    if (value instanceof Uint8Array) return Buffer.from(value).toString();
    return typeof value === 'number' && this.#isFloat32 ? Math.fround(value) : (value as string | number | bigint);
  }

  #isMissing(value: string | number | bigint, element: number): boolean {
    if (Number.isNaN(value)) return true;
    const markers = this.#markers[element];
    if (markers === undefined) return false;
    for (let at = 0; at < markers.length; at++) if (markers[at]!(value)) return true;
    return false;
  }

  #examineText(text: string, element: number): void {
    if (this.#known.length > 0 && this.#isUnknown(text.toWellFormed(), element)) this.#counts.unknown++;
    const start = text.length > MOST_CHARACTERS ? text.slice(0, MOST_CHARACTERS) : text;
    for (let at = 0; at < this.#terms.length; at++) {
      const { terms, unknown } = this.#terms[at]!(start);
      this.#counts.terms += terms;
      this.#counts.unknownTerms += unknown;
    }
  }

  #examineNumber(value: number | bigint, element: number): void {
    if (this.#isUnknown(value, element)) this.#counts.unknown++;
    if (this.#least === undefined) return;
    const number = Number(value);
    if (number < this.#least[element]!) this.#counts.below++;
    else if (number > this.#greatest![element]!) this.#counts.above++;
  }

  #isUnknown(value: unknown, element: number): boolean {
    const known = this.#known[element];
    if (known === undefined) return false;
    for (let at = 0; at < known.length; at++) if (!known[at]!(value)) return true;
    return false;
  }
}

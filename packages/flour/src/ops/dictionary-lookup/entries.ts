import type { ParameterValue } from '@brezel/core';
import { buildStopWords } from '@brezel/text';
import type { KernelParameter } from '../../define-op.js';
import { flourError } from '../../errors.js';

/** Returns the texts of a parameter. */
export const textsOf = (parameter: ParameterValue): readonly string[] =>
  (parameter as { readonly values: readonly string[] }).values;

// Functions and constants that several operators on dictionaries use.

/**
 * Cost estimates assume that the dictionary of a row has this many entries. `ENTRY_NANOS` is the
 * time to read one entry and find its key, in nanoseconds.
 */
export const ASSUMED_ENTRIES = 10;
export const ENTRY_NANOS = 40;

/**
 * Converts distinct texts to a parameter of well-formed texts.
 *
 * @throws ERR_FLOUR_PARAM for a repeated text.
 */
export function distinctTexts(at: string, given: readonly string[]) {
  const values = given.map((text) => text.toWellFormed());
  checkDistinct(at, values);
  return { dtype: 'string' as const, shape: [values.length], values };
}

/**
 * Checks that texts are distinct.
 *
 * @throws ERR_FLOUR_PARAM for a repeated text.
 */
export function checkDistinct(at: string, values: readonly string[]): void {
  const twice =
    values.length === new Set(values).size ? undefined : values.find((text, place) => values.indexOf(text) < place);
  if (twice !== undefined)
    throw flourError('ERR_FLOUR_PARAM', { expected: 'distinct names', received: `${JSON.stringify(twice)} twice`, at });
}

/**
 * Returns the parameter with which kernels look up whole texts. A kernel finds the index of a text
 * in the list.
 */
export const wordsOf = (parameter: string): KernelParameter => ({
  derive: 'dictionary of whole texts',
  from: [parameter],
  build: (values: Readonly<Record<string, ParameterValue>>) =>
    buildStopWords((values[parameter] as { values: readonly string[] }).values),
});

/** Returns a parameter that holds a text as UTF-8 bytes. */
export const bytesOf = (text: string): KernelParameter => ({
  derive: `bytes of ${JSON.stringify(text)}`,
  from: [],
  build: () => new TextEncoder().encode(text),
});

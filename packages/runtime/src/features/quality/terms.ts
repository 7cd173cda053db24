import type { KernelCall } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { textTerms } from './text-terms/text-terms.js';

/** Counts the terms of a text, such as tokens, and the terms that the vocabulary lacks. */
export type TermCounter = (text: string) => { readonly terms: number; readonly unknown: number };

/**
 * Returns a function that counts the terms of a text with the dictionary of a `text_ngram` kernel.
 * The first call reads the dictionary. With the addon, reading copies the dictionary to JavaScript
 * memory. Plans share the copy, which stays in memory as long as the parameter.
 */
export function termCounter({ parameters, attributes }: KernelCall, store: ObjectStore): TermCounter {
  let blobs: readonly Uint8Array[] | undefined;
  return (text) => {
    blobs ??= parameters.map((id) => store.bytes(id));
    return textTerms(blobs, attributes[1] === 1, text);
  };
}

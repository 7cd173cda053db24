import type { KernelCall } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { textTerms } from '../../execute/javascript/text-ngram.js';

/** Counts the terms of a text, and the terms that the vocabulary lacks. */
export type TermCounter = (text: string) => { readonly terms: number; readonly unknown: number };

/**
 * Returns the counter of a `text_ngram` kernel. Its first text reads the dictionary: with the
 * addon, a JavaScript copy that exists as long as the parameter, and that plans share.
 */
export function termCounter({ parameters, attributes }: KernelCall, store: ObjectStore): TermCounter {
  let blobs: readonly Uint8Array[] | undefined;
  return (text) => {
    blobs ??= parameters.map((id) => store.bytes(id));
    return textTerms(blobs, attributes[1] === 1, text);
  };
}

import type { KernelCall } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { textTerms } from '../../execute/javascript/text-ngram.js';

/** Counts the terms of a text, and the terms that the vocabulary lacks. */
export type TermCounter = (text: string) => { readonly terms: number; readonly unknown: number };

/** Returns the counter of a `text_ngram` kernel. It reads the dictionary that all plans share. */
export function termCounter({ parameters, attributes }: KernelCall, store: ObjectStore): TermCounter {
  const blobs = parameters.map((id) => store.bytes(id));
  return (text) => textTerms(blobs, attributes[1] === 1, text);
}

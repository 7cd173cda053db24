import { isAscii } from 'node:buffer';
import { bytesOfStrings, headOfStrings, type StringFunctions, type StringParameter } from '@brezel/object-store';
import { buildDictionary, buildStopWords } from './build-dictionary.js';
import { type CaseAction, foldCodePoint, foldText } from './case-folding.js';
import type { DictionarySource } from './select-grams.js';
import { readCodePoint, utf8Length, writeCodePoint } from './utf8.js';

// Dictionaries from encoded strings. The addon builds them from the bytes, so no string is created.
// Without the addon, or for a source that it does not support, the builders of this package run.

/**
 * Builds the same dictionary as `buildDictionary`, from encoded tokens. `native` holds the addon's
 * functions, if the addon is loaded.
 */
export function encodedDictionary(
  tokens: StringParameter,
  source: Omit<DictionarySource, 'tokens'>,
  native?: StringFunctions,
): Uint8Array {
  const isSupported = source.placedLike === undefined;
  const built = isSupported ? native?.dictionary({ ...source, tokens: bytesOfStrings(tokens) }) : undefined;
  return built ?? buildDictionary({ ...source, tokens: tokens.values });
}

/**
 * Folds the case of encoded words and builds the same dictionary as `buildStopWords`. `native`
 * holds the addon's functions, if the addon is loaded.
 */
export function encodedStopWords(words: StringParameter, fold: CaseAction, native?: StringFunctions): Uint8Array {
  const folded = native?.distinct(foldStrings(bytesOfStrings(words), fold));
  if (native === undefined || folded === undefined)
    return buildStopWords(words.values.map((word) => foldText(word, fold)));
  const count = new DataView(folded.strings.buffer).getUint32(0, true);
  const columns = new Int32Array(count);
  for (let column = 0; column < count; column++) columns[column] = column;
  const source = { grams: columns, gramCounts: [count], columns, columnCount: count, minN: 1, maxN: 1 };
  const built = native.dictionary({ unit: 'word', tokens: folded.strings, ...source });
  return built ?? buildStopWords(words.values.map((word) => foldText(word, fold)));
}

/** Applies `foldText` to each encoded string. */
export function foldStrings(strings: Uint8Array, action: CaseAction): Uint8Array {
  if (action === 'none') return strings;
  const from = new DataView(strings.buffer, strings.byteOffset, strings.byteLength);
  const count = from.getUint32(0, true);
  const head = headOfStrings(count);
  if (isAscii(strings.subarray(head))) return foldAscii(strings, head, action);
  // a case mapping replaces 2 bytes by at most 3
  const folded = new Uint8Array(head + Math.ceil((strings.length - head) * 1.5) + 4);
  const to = new DataView(folded.buffer);
  to.setUint32(0, count, true);
  let end = head;
  let at = head;
  for (let index = 0; index < count; index++) {
    const last = head + from.getUint32(8 + 4 * index, true);
    for (; at < last; at += utf8Length(strings[at]!))
      end = writeCodePoint(foldCodePoint(readCodePoint(strings, at), action), folded, end);
    to.setUint32(8 + 4 * index, end - head, true);
  }
  return folded.slice(0, end);
}

/**
 * Folds encoded strings that contain only ASCII characters, in one pass. Their lengths do not
 * change, so the offsets stay valid.
 */
function foldAscii(strings: Uint8Array, head: number, action: CaseAction): Uint8Array {
  const folded = new Uint8Array(strings); // a copy
  const bytes = Buffer.from(folded.buffer, head);
  const text = bytes.toString('latin1');
  bytes.write(action === 'lower' ? text.toLowerCase() : text.toUpperCase(), 'latin1');
  return folded;
}

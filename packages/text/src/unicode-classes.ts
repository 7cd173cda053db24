import type { CharClass } from './char-class.js';
import { numberRanges, punctuationRanges, wordRanges } from './generated/unicode-tables.js';

/**
 * The code points that `\w` matches in Python's `re` for str patterns: letters and numbers of every
 * script, and the underscore.
 */
export const unicodeWord: CharClass = wordRanges;

/**
 * The code points that `\s` matches in Python's `re` for str patterns. `str.split()` splits at
 * them.
 */
export const unicodeSpace: CharClass = [
  ...[0x09, 0x0d, 0x1c, 0x20, 0x85, 0x85, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a],
  ...[0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000],
];

/** The code points for which .NET's `char.IsPunctuation` is true (general category P). */
export const unicodePunctuation: CharClass = punctuationRanges;

/** The code points for which .NET's `char.IsNumber` is true (general category N). */
export const unicodeNumber: CharClass = numberRanges;

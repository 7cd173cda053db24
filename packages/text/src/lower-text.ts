import { foldCodePoint, isAscii } from './case-folding.js';
import { type CharClass, hasCodePoint } from './char-class.js';
import { casedRanges, caseIgnorableRanges } from './generated/unicode-tables.js';

export const CAPITAL_SIGMA = 0x3a3;
export const SMALL_SIGMA = 0x3c3;
export const FINAL_SIGMA = 0x3c2;
const DOTTED_CAPITAL_I = 0x130;
const DOT_ABOVE = 0x307;

/** Letters that have a case. */
export const cased: CharClass = casedRanges;
/** Characters, such as accents, that may be between letters without ending a word. */
export const caseIgnorable: CharClass = caseIgnorableRanges;

/**
 * Returns the full lower case of one code point without looking at its neighbors. İ becomes two
 * code points; a capital sigma becomes σ.
 */
export function lowerCodePoint(codePoint: number): readonly number[] {
  return codePoint === DOTTED_CAPITAL_I ? [0x69, DOT_ABOVE] : [foldCodePoint(codePoint, 'lower')];
}

/**
 * Returns the full lower case of a text, equal on every machine and in every locale. Python's
 * `str.lower` and JavaScript's `toLowerCase` return the same.
 *
 * A capital sigma becomes ς at the end of a word and σ elsewhere.
 */
export function lowerText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const codePoints = Array.from(text, (character) => character.codePointAt(0)!);
  const lower = codePoints.flatMap((codePoint, index) =>
    codePoint === CAPITAL_SIGMA ? [isFinal(codePoints, index) ? FINAL_SIGMA : SMALL_SIGMA] : lowerCodePoint(codePoint),
  );
  return lower.map((codePoint) => String.fromCodePoint(codePoint)).join('');
}

/**
 * Implements Unicode's Final_Sigma: a cased letter precedes the sigma and none follows it. It skips
 * case-ignorable characters.
 */
function isFinal(codePoints: readonly number[], index: number): boolean {
  const counts = (codePoint: number) => !hasCodePoint(caseIgnorable, codePoint);
  let before = index - 1;
  while (before >= 0 && !counts(codePoints[before]!)) before--;
  let behind = index + 1;
  while (behind < codePoints.length && !counts(codePoints[behind]!)) behind++;
  const isCased = (neighbor: number) => neighbor in codePoints && hasCodePoint(cased, codePoints[neighbor]!);
  return isCased(before) && !isCased(behind);
}

import { foldCodePoint, isAscii } from './case-folding.js';
import { type CharClass, hasCodePoint } from './char-class.js';
import { casedRanges, caseIgnorableRanges } from './generated/unicode-tables.js';

export const CAPITAL_SIGMA = 0x3a3;
export const SMALL_SIGMA = 0x3c3;
export const FINAL_SIGMA = 0x3c2;
const DOTTED_CAPITAL_I = 0x130;
const DOT_ABOVE = 0x307;

/** Code points that have a case: letters for which Unicode has lower and upper forms. */
export const cased: CharClass = casedRanges;
/** Code points that do not end a word when they are between letters, such as accents. */
export const caseIgnorable: CharClass = caseIgnorableRanges;

/**
 * Returns the lower case of one code point, which may be several code points. The result does not
 * depend on the neighboring code points: İ becomes two code points, and a capital sigma always
 * becomes σ.
 */
export function lowerCodePoint(codePoint: number): readonly number[] {
  return codePoint === DOTTED_CAPITAL_I ? [0x69, DOT_ABOVE] : [foldCodePoint(codePoint, 'lower')];
}

/**
 * Converts a text to lower case. The result is the same on every machine and in every locale. It
 * equals the result of Python's `str.lower` and JavaScript's `toLowerCase`.
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
 * Returns whether a sigma is at the end of a word (Unicode's Final_Sigma). A letter with case must
 * be before it, and no letter with case may be after it. Case-ignorable characters between the
 * sigma and these letters do not count.
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

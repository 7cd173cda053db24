import { foldCodePoint, isAscii } from './case-folding.js';
import { type CharClass, hasCodePoint } from './char-class.js';
import { casedRanges, caseIgnorableRanges } from './generated/unicode-tables.js';

export const CAPITAL_SIGMA = 0x3a3;
export const SMALL_SIGMA = 0x3c3;
export const FINAL_SIGMA = 0x3c2;
const DOTTED_CAPITAL_I = 0x130;
const DOT_ABOVE = 0x307;

/** Letters that have a case; and what stands between them without ending a word, as accents do. */
export const cased: CharClass = casedRanges;
export const caseIgnorable: CharClass = caseIgnorableRanges;

/** The full lower case of one code point, whatever stands beside it: İ is two code points. A capital sigma is σ. */
export function lowerCodePoint(codePoint: number): readonly number[] {
  return codePoint === DOTTED_CAPITAL_I ? [0x69, DOT_ABOVE] : [foldCodePoint(codePoint, 'lower')];
}

/**
 * The full lower case of a text, the same on every machine and in every locale: what Python's `str.lower` and JavaScript's `toLowerCase`
 * give. A capital sigma is ς at the end of a word and σ elsewhere.
 */
export function lowerText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const codePoints = Array.from(text, (one) => one.codePointAt(0)!);
  const lower = codePoints.flatMap((codePoint, at) =>
    codePoint === CAPITAL_SIGMA ? [isFinal(codePoints, at) ? FINAL_SIGMA : SMALL_SIGMA] : lowerCodePoint(codePoint),
  );
  return lower.map((codePoint) => String.fromCodePoint(codePoint)).join('');
}

/** Unicode's Final_Sigma: a cased letter before it, and none behind it, not counting what is case-ignorable. */
function isFinal(codePoints: readonly number[], at: number): boolean {
  const counts = (codePoint: number) => !hasCodePoint(caseIgnorable, codePoint);
  let before = at - 1;
  while (before >= 0 && !counts(codePoints[before]!)) before--;
  let behind = at + 1;
  while (behind < codePoints.length && !counts(codePoints[behind]!)) behind++;
  const isCased = (place: number) => place in codePoints && hasCodePoint(cased, codePoints[place]!);
  return isCased(before) && !isCased(behind);
}

import { type ReferenceKernel, type StringBlock, strings } from '@brezel/core';
import {
  baseLetter,
  type CaseAction,
  charClass,
  foldCodePoint,
  hasCodePoint,
  unicodeNumber,
  unicodePunctuation,
} from '@brezel/text';

export interface NormalizeTextAttributes {
  readonly case: CaseAction;
  readonly keepDiacritics: boolean;
  readonly keepPunctuations: boolean;
  readonly keepNumbers: boolean;
}

/** The combining marks of Latin, Hebrew and Arabic script that ML.NET removes. */
const diacritics = charClass([
  ...[0x300, 0x36f, 0x591, 0x5bd, 0x5c1, 0x5c2, 0x5c4, 0x5c5, 0x5c7, 0x5c7],
  ...[0x610, 0x615, 0x64c, 0x65e, 0x670, 0x670],
]);
/** The letter İ. The invariant culture of .NET does not change it. */
const DOTTED_CAPITAL_I = 0x130;
const DOTLESS_I = 0x131;
/**
 * The last code point that is one UTF-16 unit. .NET reads UTF-16 units, so it changes no code point
 * above this one.
 */
const LAST_OF_ONE_UNIT = 0xffff;

export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const options = attributes as unknown as NormalizeTextAttributes;
  const values = (inputs[0] as StringBlock).values.map((value) =>
    Array.from(value, (one) => String.fromCodePoint(...normalizeCodePoint(one.codePointAt(0)!, options))).join(''),
  );
  return strings(rows, 1, values);
};

/** Normalizes one code point. Returns one code point, or an empty list to remove it. */
export function normalizeCodePoint(codePoint: number, options: NormalizeTextAttributes): readonly number[] {
  if (codePoint > LAST_OF_ONE_UNIT) return [codePoint];
  if (!options.keepPunctuations && hasCodePoint(unicodePunctuation, codePoint)) return [];
  if (!options.keepNumbers && hasCodePoint(unicodeNumber, codePoint)) return [];
  if (!options.keepDiacritics && hasCodePoint(diacritics, codePoint)) return [];
  const letter = options.keepDiacritics ? codePoint : baseLetter(codePoint);
  return [letter === DOTTED_CAPITAL_I || letter === DOTLESS_I ? letter : foldCodePoint(letter, options.case)];
}

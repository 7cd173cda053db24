import { describe, expect, test } from 'vitest';
import { hasCodePoint } from '../src/char-class.js';
import { combiningRanges, UNICODE_TABLES_UNICODE } from '../src/generated/unicode-tables.js';
import { lowerText } from '../src/lower-text.js';
import { packedNumbers } from '../src/packed-numbers.js';
import { baseLetter, stripAccents, stripCodePoint } from '../src/strip-accents.js';
import { unicodeNumber, unicodePunctuation, unicodeSpace, unicodeWord } from '../src/unicode-classes.js';

// Another Unicode version may have more characters than the tables. Then only the common characters
// are compared.
const sameUnicode = process.versions.unicode === UNICODE_TABLES_UNICODE;
const isAssigned = (text: string) => sameUnicode || !/^\p{Cn}$/u.test(text);

/** Returns the code points for which two rules differ. */
function differences(differ: (codePoint: number, text: string) => boolean): string[] {
  const found: string[] = [];
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
    const text = String.fromCodePoint(codePoint);
    if (isAssigned(text) && differ(codePoint, text)) found.push(codePoint.toString(16));
  }
  return found;
}

const marks = packedNumbers(combiningRanges);
const isMark = (text: string) => hasCodePoint(marks, text.codePointAt(0)!);

describe('by the rule, for every code point', () => {
  test('accents', () => {
    const stripped = (text: string) => [...text.normalize('NFKD')].filter((one) => !isMark(one)).join('');
    expect(
      differences(
        (codePoint, text) => String.fromCodePoint(...stripCodePoint(codePoint, 'unicode')) !== stripped(text),
      ),
    ).toEqual([]);
    expect(differences((_, text) => stripAccents(text, 'ascii') !== stripped(text).replace(/[^\0-\x7f]/g, ''))).toEqual(
      [],
    );
  });

  test('marks are the code points that canonical ordering moves', () => {
    // In canonical order, a mark of class 1 to 239 precedes a mark of class 240, and a mark of
    // class 2 to 254 follows a mark of class 1.
    const moves = (text: string) => {
      const [high, low] = ['\u0345', '\u0334'];
      return (
        text === high ||
        text === low ||
        `${high}${text}`.normalize('NFD') !== `${high}${text}` ||
        `${text}${low}`.normalize('NFD') !== `${text}${low}`
      );
    };
    expect(differences((_, text) => text.normalize('NFD') === text && moves(text) !== isMark(text))).toEqual([]);
  });

  test('lower case', () => {
    expect(differences((_, text) => lowerText(text) !== text.toLowerCase())).toEqual([]);
    // The form of a sigma depends on its neighbors, so each character is tested before and after
    // it. From U+20000 on, no character is cased, and only a few are case-ignorable.
    const around = (text: string) => [`aΣ${text}`, `aΣ${text}b`, `${text}Σ`, `a${text}Σ`];
    const differs = (text: string) => around(text).some((one) => lowerText(one) !== one.toLowerCase());
    expect(
      differences(
        (codePoint, text) => (codePoint <= 0x1ffff || (codePoint >= 0xe0000 && codePoint <= 0xe0fff)) && differs(text),
      ),
    ).toEqual([]);
  });

  test('classes', () => {
    const classes = [
      [unicodeWord, /^[\p{L}\p{N}_]$/u],
      [unicodePunctuation, /^\p{P}$/u],
      [unicodeNumber, /^\p{N}$/u],
    ] as const;
    for (const [set, rule] of classes)
      expect(differences((codePoint, text) => hasCodePoint(set, codePoint) !== rule.test(text))).toEqual([]);
    // Python adds the information separators and the next line to JavaScript's white space, and
    // omits the byte-order mark.
    const added = [0x1c, 0x1d, 0x1e, 0x1f, 0x85];
    const isSpace = (codePoint: number, text: string) =>
      added.includes(codePoint) || (codePoint !== 0xfeff && /^\s$/u.test(text));
    expect(
      differences((codePoint, text) => hasCodePoint(unicodeSpace, codePoint) !== isSpace(codePoint, text)),
    ).toEqual([]);
  });
});

test('base letters', () => {
  const texts = ['Ǣ', 'ϓ', 'Й', 'ΐ', 'ǖ', 'ŀ', 'Ø', 'Ợ', '\u0301', 'a', '½'];
  expect(texts.map((text) => String.fromCodePoint(baseLetter(text.codePointAt(0)!)))).toEqual([
    'Æ',
    'ϒ',
    'И',
    'ι',
    'u',
    'ŀ',
    'Ø',
    'Ợ',
    '\u0301',
    'a',
    '½',
  ]);
});

test('a sigma at the end of a word', () => {
  expect(lowerText('ΟΔΥΣΣΕΥΣ ΑΣ. Σ Α.Σ ΑΣ.Α')).toBe('οδυσσευς ας. σ α.ς ασ.α');
});

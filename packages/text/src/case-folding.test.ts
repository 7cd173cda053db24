import { expect, test } from 'vitest';
import { type CaseAction, foldCodePoint, foldText } from './case-folding.js';
import { CASE_TABLES_UNICODE } from './generated/case-tables.js';

/**
 * Returns the expected mapping of a code point: JavaScript's mapping if that is one code point,
 * otherwise the code point itself. The lower case of İ is i.
 */
function rule(codePoint: number, action: CaseAction): number {
  if (action === 'none' || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return codePoint;
  if (action === 'lower' && codePoint === 0x130) return 0x69;
  const text = String.fromCodePoint(codePoint);
  const mapped = [...(action === 'lower' ? text.toLowerCase() : text.toUpperCase())];
  return mapped.length === 1 ? mapped[0]!.codePointAt(0)! : codePoint;
}

test.each(['none', 'lower', 'upper'] as const)('folds every code point to %s by the rule', (action) => {
  // Another Unicode version may have more or fewer letters. Mappings of old letters never change.
  const sameUnicode = process.versions.unicode === CASE_TABLES_UNICODE;
  const wrong: number[] = [];
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    const folded = foldCodePoint(codePoint, action);
    const expected = rule(codePoint, action);
    if (folded !== expected && (sameUnicode || (folded !== codePoint && expected !== codePoint))) wrong.push(codePoint);
    if (codePoint < 128 && folded > 127) wrong.push(codePoint);
  }
  expect(wrong).toEqual([]);
});

test('folds letters that are often folded wrongly', () => {
  expect(foldText('İ ΣΑΣ ẞ ß ǅ K Å', 'lower')).toBe('i σασ ß ß ǆ k å');
  expect(foldText('straße ŉ ı ſ ǆ 𐐨', 'upper')).toBe('STRAßE ŉ I S Ǆ 𐐀');
  expect(foldText('ASCII only', 'lower')).toBe('ascii only');
  expect(foldText('', 'upper')).toBe('');
  expect(foldText('Ünï', 'none')).toBe('Ünï');
});

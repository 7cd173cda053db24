import fc from 'fast-check';
import { noisyText, type OperatorCases, scriptTexts, shown, textCases } from '../../case.js';

export const cases: OperatorCases = {
  operators: ['normalize-text'],
  named: [
    ...textCases(
      'defaults: lower case without diacritics',
      ['Crème BRÛLÉE, 42!', 'İI ıi ΐ Йй Ǣ ϓ', 'cafe\u0301 \u05d0\u05c1 \u0644\u064c\u0644\u064b', 'Ợ 𐐀 ﬁ ΑΣ', ''],
      (text) => text.normalizeText(),
      ['creme brulee, 42!', 'ii ıi ι ии æ ϒ', 'cafe א \u0644\u0644\u064b', 'ợ 𐐀 ﬁ ασ', ''],
    ),
    ...textCases(
      'no punctuation, no numbers',
      ["don't (stop) «now»… 3² Ⅷ ٣ ½ x_y $5 a-b", '...', '😀1️⃣'],
      (text) => text.normalizeText({ keepPunctuations: false, keepNumbers: false }),
      ['dont stop now     xy $ ab', '', '😀\ufe0f\u20e3'],
    ),
    ...textCases(
      'diacritics and case stay',
      ['Crème İı'],
      (text) => text.normalizeText({ case: 'none', keepDiacritics: true }),
      ['Crème İı'],
    ),
    ...textCases(
      'upper case',
      ['straße éıi ſ ǆ'],
      (text) => text.normalizeText({ case: 'upper', keepDiacritics: true }),
      ['STRAßE ÉıI S Ǆ'],
    ),
    ...textCases('the dotted I keeps its dot', ['İ'], (text) => text.normalizeText({ keepDiacritics: true }), ['İ']),
  ],
  random: fc
    .record({
      case: fc.constantFrom('none' as const, 'lower' as const, 'upper' as const),
      keepDiacritics: fc.boolean(),
      keepPunctuations: fc.boolean(),
      keepNumbers: fc.boolean(),
    })
    .chain((options) =>
      fc
        .tuple(fc.array(fc.oneof(scriptTexts, noisyText()), { minLength: 1, maxLength: 5 }), fc.nat(1))
        .map(
          ([texts, which]) =>
            textCases(`normalize ${shown({ options, texts })}`, texts, (text) => text.normalizeText(options))[which]!,
        ),
    ),
};

import fc from 'fast-check';
import { noisyText, type OperatorCases, scriptTexts, shown, textCases } from '../../case.js';

const accents = [
  'Café crème',
  'cafe\u0301 e\u0344x',
  'ﬁ ½ № ㎏ Ａ',
  '\ufdfa',
  '한국 각',
  'Å \u212b Ω \u2126',
  'ϓ ǅ ŀ',
  '¨ \u2002',
  'ٱلسَّلَام',
  '日本 \u{2f800}',
  'a\ud800',
];

const lower = [
  'ABC Ünï',
  'İI ıi',
  'ΟΔΟΣ',
  'Σ ΣΑ ΑΣ ΑΣ.',
  'ΑΣ\u0301 ΑΣ\u0301Β Α.Σ Α.Σ.Β',
  "ΑΣ' ΑΣ'Α",
  'ΑΣΣ ΣΣ',
  'ẞ K Å ǅ 𐐀',
  '\u0345Σ ʰΣ 𝒜Σ Σ𝒜',
];

export const cases: OperatorCases = {
  operators: ['preprocess-text'],
  named: [
    ...textCases('unicode', accents, (text) => text.stripAccents('unicode'), [
      'Cafe creme',
      'cafe ex',
      'fi 1⁄2 No kg A',
      'صلى الله عليه وسلم',
      '\u1112\u1161\u11ab\u1100\u116e\u11a8 \u1100\u1161\u11a8',
      'A A Ω Ω',
      'Υ Dz l·',
      '   ',
      'ٱلسلام',
      '日本 丽',
      'a\ufffd',
    ]),
    ...textCases('ascii', accents, (text) => text.stripAccents('ascii'), [
      'Cafe creme',
      'cafe ex',
      'fi 12 No kg A',
      '   ',
      ' ',
      'A A  ',
      ' Dz l',
      '   ',
      '',
      ' ',
      'a',
    ]),
    ...textCases('lower case', lower, (text) => text.preprocess(), [
      'abc ünï',
      'i\u0307i ıi',
      'οδος',
      'σ σα ας ας.',
      'ας\u0301 ασ\u0301β α.ς α.σ.β',
      "ας' ασ'α",
      'ασς σς',
      'ß k å ǆ 𐐨',
      '\u0345σ ʰσ 𝒜ς σ𝒜',
    ]),
    ...textCases(
      'lower case before accents',
      ['İ ÀΣ Σ ﬁ Ａ', 'K \u212b ǅ', 'ΆΣ'],
      (text) => text.preprocess({ stripAccents: 'unicode' }),
      ['i aς σ fi a', 'k a dz', 'ας'],
    ),
    ...textCases(
      'ASCII of both',
      ['İ ÀΣ Σ ﬁ', 'x'.repeat(130).toUpperCase(), `${'A'.repeat(63)}É${'B'.repeat(64)}É`],
      (text) => text.preprocess({ stripAccents: 'ascii' }),
      ['i a  fi', 'x'.repeat(130), `${'a'.repeat(63)}e${'b'.repeat(64)}e`],
    ),
    ...textCases('nothing to do', ['', 'ÀΣ\0'], (text) => text.preprocess({ lowercase: false }), ['', 'ÀΣ\0']),
  ],
  random: fc
    .record({
      lowercase: fc.boolean(),
      stripAccents: fc.constantFrom(null, 'unicode' as const, 'ascii' as const),
      texts: fc.array(fc.oneof(scriptTexts, noisyText()), { minLength: 1, maxLength: 5 }),
      plain: fc.boolean(),
    })
    .map(({ lowercase, stripAccents, texts, plain }) => {
      const name = `preprocess ${shown({ lowercase, stripAccents, texts })}`;
      return textCases(name, texts, (text) => text.preprocess({ lowercase, stripAccents }))[plain ? 0 : 1];
    }),
};

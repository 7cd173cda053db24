import fc from 'fast-check';
import { noisyText, type OperatorCases, shown, textCases } from '../../case.js';

export const cases: OperatorCases = {
  operators: ['mark-ends'],
  named: [
    ...textCases('start and end of text', ['a', '', ' ', 'é😀', '\x02', 'ab\x03'], (text) => text.markEnds(), [
      '\x02a\x03',
      '',
      '\x02 \x03',
      '\x02é😀\x03',
      '\x02\x02\x03',
      '\x02ab\x03\x03',
    ]),
    ...textCases('other marks', ['a', '', '\0'], (text) => text.markEnds({ start: '^', end: '$' }), [
      '^a$',
      '',
      '^\0$',
    ]),
    ...textCases('only empty texts', ['', ''], (text) => text.markEnds(), ['', '']),
  ],
  random: fc
    .tuple(
      fc.array(noisyText(), { minLength: 1, maxLength: 5 }),
      fc.constantFrom('\x02', '\0', '<', '\x7f'),
      fc.constantFrom('\x03', ' ', '>'),
      fc.nat(1),
    )
    .map(
      ([texts, start, end, which]) =>
        textCases(`mark ${shown(texts)}`, texts, (text) => text.markEnds({ start, end }))[which]!,
    ),
};

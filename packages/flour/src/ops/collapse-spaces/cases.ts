import fc from 'fast-check';
import { noisyText, type OperatorCases, shown, textCases } from '../../case.js';

const spaces = [...'\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000'];
const others = [...'a\0\b\x0e\x1b!\x7f\x84\x86é\u180e\u200b\u2007\ufeff日😀'];
const collapsed = (text: Parameters<Parameters<typeof textCases>[2]>[0]) => text.collapseSpaces();

export const cases: OperatorCases = {
  operators: ['collapse-spaces'],
  named: [
    ...textCases(
      'two or more become one space, one stays',
      ['a b', 'a  b', 'a\nb', 'a\r\nb \n\t c', '  ', '\n', '', ' a \u3000\u3000b\u00a0c'],
      collapsed,
      ['a b', 'a b', 'a\nb', 'a b c', ' ', '\n', '', ' a b\u00a0c'],
    ),
    ...textCases(
      'every white space, and what is none',
      [spaces.join(''), spaces.join('x'), others.join(''), '\u200b\u200b', '\xa0\xa0', '\u2028\x1c'],
      collapsed,
      [' ', spaces.join('x'), others.join(''), '\u200b\u200b', ' ', ' '],
    ),
    ...textCases('not over rows', ['a ', ' b', ' '], collapsed, ['a ', ' b', ' ']),
  ],
  random: fc
    .tuple(
      fc.array(
        fc.oneof(
          noisyText(),
          fc.array(fc.constantFrom(...spaces, ...others), { maxLength: 30 }).map((list) => list.join('')),
        ),
        { minLength: 1, maxLength: 5 },
      ),
      fc.nat(1),
    )
    .map(([texts, which]) => textCases(`collapse ${shown(texts)}`, texts, collapsed)[which]!),
};

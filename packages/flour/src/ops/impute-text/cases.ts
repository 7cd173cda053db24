import fc from 'fast-check';
import { noisyText, type OperatorCases, shown, textCases } from '../../case.js';

export const cases: OperatorCases = {
  operators: ['impute-text'],
  named: [
    ...textCases(
      'the empty text is missing',
      ['', 'a', ' ', '', '\0'],
      (text) => text.imputeText({ value: 'unbekannt 😀' }),
      ['unbekannt 😀', 'a', ' ', 'unbekannt 😀', '\0'],
    ),
    ...textCases(
      'another text is missing',
      ['', 'n/a', 'n/a ', 'N/A', 'n/a'],
      (text) => text.imputeText({ value: '', missing: 'n/a' }),
      ['', '', 'n/a ', 'N/A', ''],
    ),
    ...textCases('a long value', ['', 'x'], (text) => text.imputeText({ value: 'é'.repeat(2 ** 15) }), [
      'é'.repeat(2 ** 15),
      'x',
    ]),
    ...textCases(
      'half a surrogate pair is not the missing text',
      ['\ud800', '\ufffd'],
      (text) => text.imputeText({ value: 'x', missing: '\ufffd' }),
      ['x', 'x'],
    ),
  ],
  random: fc
    .record({
      texts: fc.array(noisyText(), { minLength: 1, maxLength: 5 }),
      value: noisyText(),
      at: fc.option(fc.nat(4), { nil: undefined }),
      which: fc.nat(1),
    })
    .map(({ texts, value, at, which }) => {
      const missing = (at === undefined ? '' : (texts[at] ?? '')).toWellFormed();
      const options = { value: value.toWellFormed(), missing };
      return textCases(`impute ${shown({ options, texts })}`, texts, (text) => text.imputeText(options))[which]!;
    }),
};

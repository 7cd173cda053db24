import fc from 'fast-check';
import { anyFloat, denseCase, listOf, type OperatorCases, shown, vectorCases } from '../../case.js';

const key = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.constantFrom('0', '1', '', '-1', 'é', 'toString', 'constructor', 'a b'),
);

export const cases: OperatorCases = {
  operators: ['zip-map'],
  named: [
    denseCase(
      'names',
      [
        [0.25, 0.75],
        [-0, Number.NaN],
      ],
      (x) => x.zipMap(['no', 'yes']),
      [
        { no: 0.25, yes: 0.75 },
        { no: -0, yes: Number.NaN },
      ],
    ),
    denseCase('integer keys', [[1, 2, 3]], (x) => x.map('abs').zipMap(['10', '-1', '2']), [{ 2: 3, 10: 1, '-1': 2 }], {
      engine: 'native',
    }),
    denseCase('one', [[1]], (x) => x.zipMap(['']), [{ '': 1 }]),
  ],
  random: vectorCases(
    'zip-map',
    anyFloat,
    (size) =>
      listOf(key, size).map((keys) => ({
        name: shown(keys),
        apply: (x) => x.zipMap(keys.map((one, at) => `${one}${at}`)),
      })),
    {},
    fc.integer({ min: 1, max: 6 }),
  ),
};

import fc from 'fast-check';
import { anyElement, numericTypes, type OperatorCases, rowsOf, shown, typedCase } from '../../case.js';

const types = ['int8', 'uint8', 'int16', 'uint16', 'uint32'] as const;
const values = [-1, 127, 128, 255, 256, 300, -129, 65536, 2 ** 32 + 5, 2 ** 53 - 1];
const native = { engine: 'native' } as const;

export const cases: OperatorCases = {
  operators: ['narrow'],
  named: [
    ...(
      [
        ['int8', [-1, 127, -128, -1, 0, 44, 127, 0, 5, -1]],
        ['uint8', [255, 127, 128, 255, 0, 44, 127, 0, 5, 255]],
        ['int16', [-1, 127, 128, 255, 256, 300, -129, 0, 5, -1]],
        ['uint16', [65535, 127, 128, 255, 256, 300, 65407, 0, 5, 65535]],
        ['uint32', [4294967295, 127, 128, 255, 256, 300, 4294967167, 65536, 5, 4294967295]],
      ] as const
    ).map(([to, expected]) =>
      typedCase(`low bits of ${to}`, 'int64', [values], (x) => x.narrow(to), [expected], native),
    ),
    typedCase(
      'floats lose their fraction',
      'float32',
      [[1.9, -1.9, 300.5, Number.NaN]],
      (x) => x.narrow('uint8'),
      [[1, 255, 44, 0]],
      native,
    ),
    ...(
      [
        ['int8', [-128, 127]],
        ['uint8', [0, 255]],
        ['int16', [-(2 ** 15), 2 ** 15 - 1]],
        ['uint16', [0, 65535]],
        ['uint32', [0, 2 ** 32 - 1]],
        ['uint64', [0, 2 ** 53 - 1]],
      ] as const
    ).map(([to, edges]) =>
      // The answer may be a bigint, which the addon does not write.
      typedCase(
        `the edges of ${to}`,
        'int64',
        [edges],
        (x) => x.narrow(to, { outside: 'error' }),
        [edges],
        to === 'uint64' ? undefined : native,
      ),
    ),
  ],
  random: fc
    .tuple(fc.constantFrom(...numericTypes), fc.constantFrom(...types), fc.integer({ min: 1, max: 19 }))
    .chain(([dtype, to, size]) =>
      rowsOf(anyElement[dtype], size).map((rows) =>
        typedCase(`narrow ${dtype} to ${to}: ${shown(rows)}`, dtype, rows, (x) => x.narrow(to)),
      ),
    ),
};

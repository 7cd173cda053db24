import fc from 'fast-check';
import { anyElement, anySize, listOf, type OperatorCases, rowsOf, shown, typedCase } from '../../case.js';

const names = ['and', 'or', 'xor', 'shiftLeft', 'shiftRight'] as const;

export const cases: OperatorCases = {
  operators: ['bitwise'],
  named: [
    typedCase('and', 'int32', [[6, -1]], (x) => x.bitwise('and', 3), [[2, 3]], { engine: 'native' }),
    typedCase('or and exclusive or', 'int32', [[6, -8]], (x) => x.bitwise('or', 1).bitwise('xor', -1), [[-8, 6]]),
    typedCase(
      'shifts bring in zeros',
      'int32',
      [[-1, 1]],
      (x) => x.bitwise('shiftRight', 28).bitwise('shiftLeft', [1, 3]),
      [[30, 0]],
    ),
    typedCase('by all bits and more', 'int32', [[31, 32, -1]], (x) => x.bitwise('shiftLeft', 1, 'left'), [
      [-(2 ** 31), 0, 0],
    ]),
    typedCase('of itself', 'int64', [[2 ** 40]], (x) => x.bitwise('xor', x).compare('equal', 0), [[true]]),
  ],
  random: fc
    .tuple(
      anySize,
      fc.constantFrom(...names),
      fc.constantFrom('left' as const, 'right' as const),
      fc.boolean(),
      fc.constantFrom('int64' as const, 'int32' as const),
    )
    .chain(([size, name, side, isOne, dtype]) => {
      const element = fc.oneof(anyElement[dtype], fc.integer({ min: 0, max: 65 }));
      return fc
        .tuple(
          rowsOf(element as typeof anyElement.int32, size),
          listOf(element as typeof anyElement.int32, isOne ? 1 : size),
        )
        .map(([rows, operand]) =>
          typedCase(`${dtype} ${name} ${side} ${shown(operand)}`, dtype, rows, (x) => x.bitwise(name, operand, side)),
        );
    }),
};

import fc from 'fast-check';
import { anyElement, noisyText, type OperatorCase, type OperatorCases, rowsOf, shown, typedCase } from '../../case.js';

const types = ['int32', 'int64', 'float32', 'float64'] as const;

export const cases: OperatorCases = {
  operators: ['murmur-hash-3'],
  named: [
    {
      // Known answers of MurmurHash3_x86_32 for seeds 0 and 0x9747b28c.
      name: 'known answers',
      build(flour) {
        const text = flour.columns({ t: 'string' }).select('t');
        return {
          zero: text.murmurHash3(),
          other: text.murmurHash3({ seed: 0x9747b28c }),
          signed: text.murmurHash3({ signed: true }),
        };
      },
      rows: [{ t: '' }, { t: 'test' }, { t: 'Hello, world!' }],
      expected: [
        { zero: 0, other: 0xebb6c228, signed: 0 },
        { zero: 0xba6bd213, other: 0x704b81dc, signed: 0xba6bd213 | 0 },
        { zero: 0xc0363e43, other: 0x24884cba, signed: 0xc0363e43 | 0 },
      ],
      engine: 'native',
    },
  ],
  random: fc.tuple(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.boolean()).chain(([seed, signed]) =>
    fc.oneof(
      fc.constantFrom(...types).chain((type) =>
        rowsOf(anyElement[type], 3).map((rows) =>
          typedCase(
            `murmur ${type} ${shown({ seed, signed, rows })}`,
            type,
            // NaN has many encodings, each with another hash, so the cases use 0 instead.
            rows.map((row) => row.map((value) => (Number.isNaN(value) ? 0 : value))),
            (x) => x.murmurHash3({ seed, signed }),
            undefined,
            { engine: 'native' },
          ),
        ),
      ),
      fc.array(noisyText(['abcd', 'efg']), { minLength: 1, maxLength: 6 }).map(
        (rows): OperatorCase => ({
          name: `murmur of ${shown({ seed, signed, rows })}`,
          build: (flour) => ({ y: flour.columns({ t: 'string' }).select('t').murmurHash3({ seed, signed }) }),
          rows: rows.map((t) => ({ t })),
          engine: 'native',
        }),
      ),
    ),
  ),
};

import fc from 'fast-check';
import { noisyText, type OperatorCase, type OperatorCases, shown } from '../../case.js';

type Options = { readonly hashBits: number; readonly seed?: number };

const ofIntegers = (
  name: string,
  options: Options,
  values: readonly number[],
  expected?: readonly number[],
): OperatorCase => ({
  name,
  build: (flour) => ({ y: flour.columns({ x: 'int64' }).select('x').oneHotHash(options) }),
  rows: values.map((x) => ({ x })),
  ...(expected && { expected: expected.map((column) => ({ y: oneHot(options.hashBits, column) })) }),
  engine: 'native',
});

const ofTexts = (name: string, options: Options, texts: readonly string[]): OperatorCase => ({
  name,
  build: (flour) => ({ y: flour.columns({ text: 'string' }).select('text').oneHotHash(options) }),
  rows: texts.map((text) => ({ text })),
  engine: 'native',
});

const oneHot = (hashBits: number, column: number) =>
  Array.from({ length: 2 ** hashBits }, (_, at) => (at === column ? 1 : 0));

const options = fc.record({ hashBits: fc.integer({ min: 1, max: 8 }), seed: fc.integer({ min: -5, max: 5 }) });

export const cases: OperatorCases = {
  operators: ['one-hot-hash'],
  named: [
    // murmur3 of eight zero bytes is 0x63852afc, of "hello world" 0x5e928f0f.
    ofIntegers('the hash of eight bytes', { hashBits: 8, seed: 0 }, [0], [0x63852afc & 255]),
    ofIntegers('integers', { hashBits: 3 }, [0, 1, -1, 2 ** 53 - 1, -(2 ** 53 - 1)]),
    {
      ...ofTexts('a text, and the missing one', { hashBits: 6, seed: 0 }, ['hello world', '']),
      expected: [{ y: oneHot(6, 0x5e928f0f & 63) }, { y: oneHot(6, -1) }],
    },
    ofTexts('texts', { hashBits: 4 }, ['a', '', 'é', 'x'.repeat(50), '\ud800']),
  ],
  random: fc.oneof(
    fc
      .tuple(options, fc.array(fc.maxSafeInteger(), { minLength: 1, maxLength: 5 }))
      .map(([one, values]) => ofIntegers(`one hot ${shown({ one, values })}`, one, values)),
    fc
      .tuple(options, fc.array(noisyText(), { minLength: 1, maxLength: 5 }))
      .map(([one, texts]) => ofTexts(`one hot ${shown({ one, texts })}`, one, texts)),
  ),
};

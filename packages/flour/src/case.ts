import { vector } from '@brezel/core';
import type { FlourContext, Flow, Program } from '@brezel/flour';
import fc from 'fast-check';

// The test cases of an operator. `ops/<op>/cases.ts` declares them, and
// `packages/brezel/test/conformance` runs them on every engine. These files are compiled for tests
// only. Cases import Flour from the built package, as users do, and never from the sources.

export type CaseElement = string | number | boolean;
/** A row of a test case, as a caller of `predict` passes it. */
export type CaseRow = Readonly<Record<string, CaseValue | Readonly<Record<string, unknown>>>>;
export type CaseValue = CaseElement | readonly CaseValue[];

/** A program around one operator, its test rows, and the expected answers. */
export interface OperatorCase {
  readonly name: string;
  /** Builds the program and returns its outputs by name. */
  build(flour: FlourContext): Readonly<Record<string, Flow>>;
  readonly rows: readonly CaseRow[];
  /**
   * Expected answers, worked out by hand, one per row. If missing, the engines are only compared
   * with each other.
   */
  readonly expected?: readonly Readonly<Record<string, unknown>>[];
  /**
   * The allowed absolute difference from the reference, for plans in which rules have changed the
   * order of sums. A relative tolerance of 1e-5 is added to it. Default 1e-5. With Infinity,
   * answers are not compared; use it for sums that overflow or cancel.
   */
  readonly absolute?: number;
  /**
   * The engine that every run except the reference must use. `native`: the addon runs all stages.
   * `mixed`: the addon runs the stages that have kernels, and JavaScript runs the other stages. Use
   * `mixed` for stages without kernels, for text answers, and for integers beyond 2^53. Default: no
   * check.
   */
  readonly engine?: 'native' | 'mixed' | 'javascript';
}

/**
 * Builds the program of a case. Learned parameters may hold NaN here, because engines must agree on
 * any parameter.
 */
export const programOf = (flour: FlourContext, { build }: Pick<OperatorCase, 'build'>): Program =>
  flour.program(flour.attempt(() => build(flour), { nonFinite: 'allow' }));

/** All test cases of an operator. */
export interface OperatorCases {
  /** Names of the operators under test. Every registered operator must be listed in some file. */
  readonly operators: readonly string[];
  readonly named: readonly OperatorCase[];
  /** Random cases: each has random parameters and random rows. */
  readonly random: fc.Arbitrary<OperatorCase>;
}

/** Float32 numbers that are special cases of arithmetic. */
export const oddFloats: readonly number[] = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  0,
  -0,
  1,
  -1,
  0.5,
  Math.fround(0.1),
  Math.fround(1e-45),
  Math.fround(-1e-45),
  Math.fround(1.17549435e-38),
  Math.fround(3.4028235e38),
  Math.fround(-3.4028235e38),
  16777216,
  16777217,
];

/** Random float32 numbers, often special cases. */
export const anyFloat = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...oddFloats) },
  { weight: 3, arbitrary: fc.float() },
  { weight: 3, arbitrary: fc.integer({ min: -20, max: 20 }).map((value) => Math.fround(value / 4)) },
);

/** Random finite numbers of similar magnitude, so that sums in another order differ little. */
export const tameFloat = fc.float({ min: -8, max: 8, noNaN: true });

/** Sizes of test vectors: 1 to 9, and sizes around the widths of SIMD registers. */
export const anySize = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom(15, 16, 17, 31, 33));

export const listOf = <T>(element: fc.Arbitrary<T>, length: number): fc.Arbitrary<T[]> =>
  fc.array(element, { minLength: length, maxLength: length });

export const rowsOf = (element: fc.Arbitrary<number>, size: number, most = 5): fc.Arbitrary<number[][]> =>
  fc.array(listOf(element, size), { minLength: 1, maxLength: most });

/** Declares the input `x`: a dense float32 vector. */
export const denseInput = (flour: FlourContext, size: number): Flow<'vector'> =>
  flour.input('x', vector('float32', size)) as Flow<'vector'>;

/** Creates a case over rows of dense float32 numbers, with one output `y`. */
export function denseCase(
  name: string,
  rows: readonly (readonly number[])[],
  apply: (x: Flow<'vector'>) => Flow,
  expected?: readonly unknown[],
  more: Partial<OperatorCase> = {},
): OperatorCase {
  const size = rows[0]!.length;
  return {
    name,
    build: (flour) => ({ y: apply(denseInput(flour, size)) }),
    rows: rows.map((x) => ({ x })),
    ...(expected && { expected: expected.map((y) => ({ y })) }),
    ...more,
  };
}

/**
 * Declares the text input `name` and converts it to a sparse vector with `values.length` columns.
 * If a text contains the word `w3` once, column 3 of its vector is `values[3]`.
 */
export function sparseInput(flour: FlourContext, values: readonly number[], name = 't'): Flow<'vector'> {
  const words = flour.input(name, { kind: 'scalar', dtype: 'string' }) as Flow<'text'>;
  const vocabulary = values.map((_, column) => [`w${column}`]);
  return words.tokenize().wordNgram({ vocabulary }).tfIdf({ idf: values });
}

/** Returns the text that `sparseInput` converts to a vector with these nonzero columns. */
export const sparseText = (columns: readonly number[]): string => columns.map((column) => `w${column}`).join(' ');

/**
 * Creates a case over sparse rows. Each row lists its nonzero columns. The value of column `i` is
 * `values[i]` (see `sparseInput`).
 */
export function sparseCase(
  name: string,
  values: readonly number[],
  rows: readonly (readonly number[])[],
  apply: (x: Flow<'vector'>) => Flow,
  expected?: readonly unknown[],
  more: Partial<OperatorCase> = {},
): OperatorCase {
  return {
    name,
    build: (flour) => ({ y: apply(sparseInput(flour, values)) }),
    rows: rows.map((columns) => ({ t: sparseText(columns) })),
    ...(expected && { expected: expected.map((y) => ({ y })) }),
    ...more,
  };
}

/**
 * Random rows for `sparseCase`: lists of column indices. An index may occur several times in a row.
 */
export const sparseRows = (size: number): fc.Arbitrary<number[][]> =>
  fc.array(fc.array(fc.nat(size - 1), { maxLength: Math.min(2 * size, 40) }), { minLength: 1, maxLength: 5 });

/** Generates test cases that apply an operator to one vector of random numbers, dense or sparse. */
export function vectorCases(
  name: string,
  element: fc.Arbitrary<number>,
  applications: (size: number) => fc.Arbitrary<{ name: string; apply: (x: Flow<'vector'>) => Flow }>,
  more: Partial<OperatorCase> = {},
  size: fc.Arbitrary<number> = anySize,
): fc.Arbitrary<OperatorCase> {
  return size.chain((columns) =>
    fc.oneof(
      fc
        .tuple(rowsOf(element, columns), applications(columns))
        .map(([rows, use]) => denseCase(`${name} dense ${use.name}`, rows, use.apply, undefined, more)),
      fc
        .tuple(listOf(element, columns), sparseRows(columns), applications(columns))
        .map(([values, rows, use]) =>
          sparseCase(`${name} sparse ${use.name} values ${shown(values)}`, values, rows, use.apply, undefined, more),
        ),
    ),
  );
}

/**
 * Formats a value for the name of a failing case. Unlike JSON, it prints -0, NaN and infinities.
 */
export const shown = (value: unknown): string =>
  JSON.stringify(value, (_, one) =>
    typeof one === 'number' && (!Number.isFinite(one) || Object.is(one, -0))
      ? Object.is(one, -0)
        ? '-0'
        : String(one)
      : typeof one === 'bigint'
        ? `${one}n`
        : one,
  );

/**
 * Characters for test texts: ASCII, letters of several scripts, accented letters, combining marks,
 * emoji sequences, characters with special case mappings, control characters, and lone surrogates.
 */
export const characters: readonly string[] = [
  ...'abcdefgxyzABCXYZ0189_ ',
  ...' \t\n\r\0\x07\x7f.,;:!?\'"-+*/()[]{}<>@#$%^&|~`\\',
  ...'éèêñüößçåÉÑÜẞİıΣσςΩſKÅǅ',
  '\u0301',
  '\u0308',
  '\u200d',
  '\ufe0f',
  '\ufeff',
  '\u00a0',
  '\u2028',
  '日',
  '本',
  '語',
  '한',
  'ع',
  'ש',
  'ก',
  '😀',
  '👨‍👩‍👧',
  '🇩🇪',
  '𝒳',
  '𐐀',
  '\u{10ffff}',
  '\ud800',
  '\udc00',
];

/** Random texts that often contain the given words. */
export const noisyText = (words: readonly string[] = []): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        { weight: words.length > 0 ? 4 : 0, arbitrary: fc.constantFrom(...(words.length > 0 ? words : [''])) },
        { weight: 3, arbitrary: fc.constantFrom(...characters) },
        { weight: 2, arbitrary: fc.constantFrom(' ', '  ', ', ', '. ') },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
        { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
      ),
      { maxLength: 24 },
    )
    .map((pieces) => pieces.join(''));

/**
 * Creates two cases for a text transformation. The program of the first case returns the
 * transformed text. The program of the second case counts hashed n-grams of this text, so that the
 * whole program runs in the addon.
 */
export function textCases(
  name: string,
  texts: readonly string[],
  apply: (text: Flow<'text'>) => Flow<'text'>,
  expected?: readonly string[],
): [plain: OperatorCase, hashed: OperatorCase] {
  const made = (flour: FlourContext) => apply(flour.columns({ text: 'string' }).select('text'));
  const rows = texts.map((text) => ({ text }));
  return [
    { name, build: (flour) => ({ y: made(flour) }), rows, ...(expected && { expected: expected.map((y) => ({ y })) }) },
    {
      name: `${name}, in the addon`,
      build: (flour) => ({ y: made(flour).hashCharNgram({ columns: 509, maxN: 3 }) }),
      rows,
      engine: 'native',
    },
  ];
}

/** Random texts with special cases of decomposition, letter case and character classes. */
export const scriptTexts: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(...characters),
      fc.constantFrom(
        ...'ΑΣσςΊΐϓӑйЀÅÆǢﬁ½№㎏Ａ한각각\ufdfa\u0344\u2126\u212b\u00a8\u00b4\u2002\u2028\u0085\u3000\x1c\u200b٣Ⅷ²',
      ),
      fc.constantFrom(
        'ΑΣ',
        'ΑΣ ',
        'Σ',
        'ΑΣ\u0301',
        'aΣ.b',
        'Σ\u00ad',
        '\u05d0\u05c1',
        '\u0644\u064c',
        '\u{1d15e}',
        '\u{2f800}',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.integer({ min: 0x80, max: 0x3100 }).map((codePoint) => String.fromCodePoint(codePoint)),
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(''));

/** Element types of dense values. */
export const numericTypes = ['float32', 'float64', 'int64', 'int32', 'bool'] as const;
export type NumericType = (typeof numericTypes)[number];

/** Random values of each element type, often special cases. */
export const anyElement: Readonly<Record<NumericType, fc.Arbitrary<number>>> = {
  float32: anyFloat,
  float64: fc.oneof(fc.double(), anyFloat, fc.constantFrom(0.1, 1e300, -1e300)),
  int64: fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -3, max: 3 })),
  int32: fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.integer({ min: -3, max: 3 })),
  bool: fc.nat(1),
};

/** Declares the input `x`: dense numbers of a given type. */
export const typedInput = (flour: FlourContext, dtype: NumericType, size: number): Flow<'vector'> =>
  flour.input('x', vector(dtype, size)) as Flow<'vector'>;

/** Creates a case over rows of dense numbers of a given type, with one output `y`. */
export function typedCase(
  name: string,
  dtype: NumericType,
  rows: readonly (readonly number[])[],
  apply: (x: Flow<'vector'>) => Flow,
  expected?: readonly unknown[],
  more: Partial<OperatorCase> = {},
): OperatorCase {
  const build = (flour: FlourContext) => ({ y: apply(typedInput(flour, dtype, rows[0]!.length)) });
  return { ...denseCase(name, rows, apply, expected, more), build };
}

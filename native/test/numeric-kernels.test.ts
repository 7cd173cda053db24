import { afterEach, describe, expect, it } from 'vitest';
import { codeOf, type DTypeName, isas, type Kind, Program } from './harness.js';

/**
 * Tests programs that the compiler never writes. Kernels of numeric operators must reject them when
 * the stage is created. Conformance tests compare the answers of valid programs.
 */

type Slot = readonly [kind: Kind, size: number, dtype?: DTypeName];
interface Call {
  readonly inputs: readonly Slot[];
  readonly output: Slot;
  readonly parameters: readonly NodeJS.TypedArray[];
  readonly attributes: readonly number[];
}

let program = new Program();
afterEach(() => {
  program.free();
  program = new Program();
});

function create(kernel: string, { inputs, output, parameters, attributes }: Call): string | undefined {
  const slots = inputs.map(([kind, size, dtype]) => program.input(kind, size, dtype));
  program.output(program.call(kernel, slots, output, parameters, attributes));
  return codeOf(() => program.plan(isas[0]!));
}

const f32 = (...values: number[]) => Float32Array.from(values);
const f64 = (...values: number[]) => Float64Array.from(values);
const i32 = (...values: number[]) => Int32Array.from(values);
const bits = (value: number) => new Int32Array(f32(value).buffer)[0]!;
const [PROGRAM, PARAMETER] = ['ERR_NATIVE_PROGRAM', 'ERR_NATIVE_PARAMETER'];
const d2: Slot = ['dense', 2];
const d1: Slot = ['dense', 1];
const ints: Slot = ['dense', 2, 'int64'];

/**
 * The parameters of a stump: feature, threshold, mode, true, false, missing, roots, number, value.
 */
const stump = [
  i32(1, 0, 0),
  f32(0, 0, 0),
  i32(0, 6, 6),
  i32(1, 0, 0),
  i32(2, 0, 0),
  i32(0, 0, 0),
  i32(0),
  i32(0, 0, 1),
  f32(0, 1, 2),
];
const stumpWith = (at: number, values: NodeJS.TypedArray) =>
  stump.map((array, place) => (place === at ? values : array));

/** For each kernel a valid call, and changes that make it invalid. */
const kernels: Readonly<
  Record<string, readonly [right: Call, wrong: readonly (readonly [string, Partial<Call>, string])[]]>
> = {
  batch_mat_mul: [
    // Three matrices [2, 1] of the row, each times the first of the two constant matrices [1, 1].
    { inputs: [['dense', 6]], output: ['dense', 6], parameters: [f32(1, 2)], attributes: [0, 2, 1, 1, 3, 1, 0] },
    [
      ['no attributes', { attributes: [] }, PROGRAM],
      ['a part of an axis', { attributes: [0, 2, 1, 1, 3, 1] }, PROGRAM],
      ['a side that is none', { attributes: [3, 2, 1, 1, 3, 1, 0] }, PROGRAM],
      ['no parameter', { parameters: [] }, PROGRAM],
      ['two values and a parameter', { inputs: [['dense', 6], d2] }, PROGRAM],
      ['two values, one missing', { attributes: [2, 2, 1, 1, 3, 1, 0], parameters: [] }, PROGRAM],
      ['no rows', { attributes: [0, 0, 1, 1, 3, 1, 0] }, PROGRAM],
      ['no terms', { attributes: [0, 2, 0, 1, 3, 1, 0] }, PROGRAM],
      ['no columns', { attributes: [0, 2, 1, 0, 3, 1, 0] }, PROGRAM],
      ['columns below 0', { attributes: [0, 2, 1, -1, 3, 1, 0] }, PROGRAM],
      ['an axis without entries', { attributes: [0, 2, 1, 1, 0, 1, 0] }, PROGRAM],
      ['a step back', { attributes: [0, 2, 1, 1, 3, -1, 0] }, PROGRAM],
      ['more batches', { attributes: [0, 2, 1, 1, 4, 1, 0] }, PROGRAM],
      ['sizes that wrap', { attributes: [0, 2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1, 3, 1, 0] }, PROGRAM],
      ['batches that wrap', { attributes: [0, 2, 1, 1, 2 ** 30, 4, 3, 0, 0, 0, 0, 0, 0] }, PROGRAM],
      ['a step beyond the value', { attributes: [0, 2, 1, 1, 3, 2, 0] }, PROGRAM],
      ['a step that wraps', { attributes: [0, 2, 1, 1, 3, 2 ** 31 - 1, 0] }, PROGRAM],
      ['a step beyond the parameter', { attributes: [0, 2, 1, 1, 3, 1, 1] }, PARAMETER],
      ['an empty parameter', { parameters: [f32()] }, PARAMETER],
      ['a value that is too small', { inputs: [['dense', 5]] }, PROGRAM],
      ['another type of the value', { inputs: [['dense', 6, 'int64']] }, PROGRAM],
      ['bools', { inputs: [['dense', 6, 'bool']], output: ['dense', 6, 'bool'] }, PROGRAM],
      ['a sparse value', { inputs: [['sparse', 6]] }, PROGRAM],
    ],
  ],
  dense: [
    { inputs: [d2], output: d1, parameters: [f32(1, 2), f32(3)], attributes: [0] },
    [
      ['weights', { parameters: [f32(1), f32(3)] }, PARAMETER],
      ['bias', { parameters: [f32(1, 2), f32()] }, PARAMETER],
      ['activation', { attributes: [4] }, PROGRAM],
      ['integers', { inputs: [ints] }, PROGRAM],
      ['text', { inputs: [['text', 1]] }, PROGRAM],
    ],
  ],
  project: [
    { inputs: [d2], output: d1, parameters: [f32(1, 2), f32(3, 4), f32(5)], attributes: [1, 1] },
    [
      ['a mean too short', { parameters: [f32(1, 2), f32(3), f32(5)] }, PARAMETER],
      ['a scale too long', { parameters: [f32(1, 2), f32(3, 4), f32(5, 6)] }, PARAMETER],
      ['a parameter missing', { parameters: [f32(1, 2), f32(3, 4)] }, PROGRAM],
      ['no attributes', { attributes: [] }, PROGRAM],
      ['a flag', { attributes: [2, 1] }, PROGRAM],
    ],
  ],
  k_means: [
    { inputs: [d2], output: d1, parameters: [f32(1, 2), f32(3)], attributes: [] },
    [
      ['weights', { parameters: [f32(1, 2, 3), f32(3)] }, PARAMETER],
      ['norms', { parameters: [f32(1, 2), f32()] }, PARAMETER],
      ['a sparse output', { output: ['sparse', 1] }, PROGRAM],
    ],
  ],
  polynomial_features: [
    { inputs: [d2], output: ['dense', 6], parameters: [], attributes: [0, 2, 0, 1] },
    [
      ['size', { output: ['dense', 7] }, PROGRAM],
      ['degree', { attributes: [0, 17, 0, 1] }, PROGRAM],
      ['degrees', { attributes: [3, 2, 0, 1] }, PROGRAM],
      ['a negative degree', { attributes: [-1, 2, 0, 1] }, PROGRAM],
      ['terms beyond all memory', { inputs: [['dense', 1 << 20]], attributes: [0, 16, 0, 1] }, PROGRAM],
      [
        'terms on the way beyond all memory',
        { inputs: [['dense', 26]], output: ['dense', 5_311_735], attributes: [16, 16, 1, 0] },
        PROGRAM,
      ],
    ],
  ],
  naive_bayes: [
    { inputs: [d2], output: d2, parameters: [f64(1, 2, 3, 4), f64(0, 0)], attributes: [2, 0, 0] },
    [
      ['weights', { parameters: [f64(1, 2, 3), f64(0, 0)] }, PARAMETER],
      ['narrow weights', { parameters: [f32(1, 2, 3), f64(0, 0)] }, PARAMETER],
      ['no class', { parameters: [f64(), f64()] }, PARAMETER],
      ['half a number', { parameters: [f64(1, 2, 3, 4), f32(0, 0, 0, 0, 0)] }, PARAMETER],
      ['output', { attributes: [5, 0, 0] }, PROGRAM],
      ['a class of float32', { attributes: [3, 0, 0] }, PROGRAM],
    ],
  ],
  gaussian_mixture: [
    { inputs: [d2], output: d1, parameters: [f64(1, 2), f64(1, 0, 0, 1), f64(0)], attributes: [0, 0] },
    [
      ['means', { parameters: [f64(1), f64(1, 0, 0, 1), f64(0)] }, PARAMETER],
      ['precisions', { parameters: [f64(1, 2), f64(1, 0, 1), f64(0)] }, PARAMETER],
      ['a diagonal', { attributes: [0, 1] }, PARAMETER],
      ['a matrix beyond all memory', { inputs: [['dense', 1 << 24]] }, PARAMETER],
    ],
  ],
  isolation_score: [
    { inputs: [d1], output: d1, parameters: [f64(2, 1, -0.5)], attributes: [2] },
    [
      ['constants', { parameters: [f64(2, 1)] }, PARAMETER],
      ['several sums', { inputs: [d2] }, PROGRAM],
      ['a label of float32', { attributes: [3] }, PROGRAM],
    ],
  ],
  k_nearest_neighbors: [
    { inputs: [d1], output: d2, parameters: [f32(1, 2), i32(0, 1)], attributes: [2, bits(2), 0, 1, 0] },
    [
      ['a class out of range', { parameters: [f32(1, 2), i32(0, 2)] }, PARAMETER],
      ['a negative class', { parameters: [f32(1, 2), i32(0, -1)] }, PARAMETER],
      ['more neighbors than points', { attributes: [3, bits(2), 0, 1, 0] }, PROGRAM],
      ['no neighbors', { attributes: [0, bits(2), 0, 1, 0] }, PROGRAM],
      ['a power of NaN', { attributes: [2, bits(Number.NaN), 0, 1, 0] }, PROGRAM],
      ['half a point', { inputs: [['dense', 3]] }, PARAMETER],
      ['targets', { attributes: [2, bits(2), 0, 0, 0] }, PARAMETER],
    ],
  ],
  tree_featurize: [
    { inputs: [d2], output: ['sparse', 2], parameters: stump, attributes: [1] },
    [
      ['a feature out of range', { inputs: [d1] }, PARAMETER],
      ['a negative feature', { parameters: stumpWith(0, i32(-1, 0, 0)) }, PARAMETER],
      ['a mode', { parameters: stumpWith(2, i32(7, 6, 6)) }, PARAMETER],
      ['a child out of range', { parameters: stumpWith(3, i32(3, 0, 0)) }, PARAMETER],
      ['a circle', { parameters: stumpWith(4, i32(0, 0, 0)) }, PARAMETER],
      ['a root out of range', { parameters: stumpWith(6, i32(3)) }, PARAMETER],
      ['a leaf out of range', { parameters: stumpWith(7, i32(0, 0, 2)) }, PARAMETER],
      ['arrays of two lengths', { parameters: stumpWith(8, f32(0)) }, PARAMETER],
      ['values of two trees', { output: d2, attributes: [0] }, PROGRAM],
      ['output', { attributes: [3] }, PROGRAM],
    ],
  ],
  platt: [
    { inputs: [d2], output: d2, parameters: [f64(1), f64(0)], attributes: [] },
    [
      ['slopes', { parameters: [f64(1, 2, 3), f64(1, 2, 3)] }, PARAMETER],
      ['offsets', { parameters: [f64(1), f64(1, 2)] }, PARAMETER],
      ['another size', { output: d1 }, PROGRAM],
    ],
  ],
  isotonic: [
    { inputs: [d2], output: d2, parameters: [f64(0, 1), f64(0, 1), f64(0, 1)], attributes: [] },
    [
      ['no points', { parameters: [f64(), f64(), f64(0, 1)] }, PARAMETER],
      ['descending points', { parameters: [f64(1, 0), f64(0, 1), f64(0, 1)] }, PARAMETER],
      ['a point of NaN', { parameters: [f64(0, Number.NaN), f64(0, 1), f64(0, 1)] }, PARAMETER],
      ['bounds', { parameters: [f64(0, 1), f64(0, 1), f64(0)] }, PARAMETER],
    ],
  ],
  ensemble: [
    { inputs: [d2, d2], output: d2, parameters: [f32(1, 1)], attributes: [0] },
    [
      ['no members', { inputs: [], parameters: [f32()] }, PROGRAM],
      ['members of two sizes', { inputs: [d2, d1] }, PROGRAM],
      ['weights', { parameters: [f32(1)] }, PARAMETER],
      ['combination', { attributes: [2] }, PROGRAM],
    ],
  ],
  lp_norm: [
    { inputs: [d2], output: d2, parameters: [], attributes: [1, 0, bits(1)] },
    [
      ['norm', { attributes: [4, 0, bits(1)] }, PROGRAM],
      ['another size', { output: d1 }, PROGRAM],
    ],
  ],
  binning: [
    { inputs: [d2], output: ['sparse', 5], parameters: [f32(0, 1, 2), i32(0, 2, 3), f32(0, 0)], attributes: [1, 0] },
    [
      ['columns', { output: ['sparse', 4] }, PROGRAM],
      ['starts that fall', { parameters: [f32(0, 1, 2), i32(0, 4, 3), f32(0, 0)] }, PARAMETER],
      ['starts beyond the edges', { parameters: [f32(0, 1, 2), i32(0, 2, 4), f32(0, 0)] }, PARAMETER],
      ['a first start', { parameters: [f32(0, 1, 2), i32(-1, 2, 3), f32(0, 0)] }, PARAMETER],
      ['offsets', { parameters: [f32(0, 1, 2), i32(0, 2, 3), f32(0)] }, PARAMETER],
      ['a dense output', { output: ['dense', 5] }, PROGRAM],
    ],
  ],
  missing_values: [
    { inputs: [d2], output: d2, parameters: [f32(1, 2)], attributes: [1] },
    [
      ['replacements', { parameters: [f32(1)] }, PARAMETER],
      ['replacements nobody asked for', { attributes: [0] }, PROGRAM],
      ['task', { attributes: [2] }, PROGRAM],
    ],
  ],
  cdf_normalize: [
    { inputs: [d2], output: d2, parameters: [f32(0, 0), f32(1, 1)], attributes: [1] },
    [
      ['means', { parameters: [f32(0), f32(1, 1)] }, PARAMETER],
      ['deviations', { parameters: [f32(0, 0), f32(1)] }, PARAMETER],
      ['flag', { attributes: [2] }, PROGRAM],
    ],
  ],
};

describe.each(Object.entries(kernels))('%s', (kernel, [right, wrong]) => {
  it('accepts a valid call', () => expect(create(kernel, right)).toBeUndefined());
  it.each(wrong)('rejects %s', (_, change, code) => expect(create(kernel, { ...right, ...change })).toBe(code));
  it('rejects an additional input', () =>
    expect(create(kernel, { ...right, inputs: [...right.inputs, d2] })).toMatch(/^ERR_NATIVE_(PROGRAM|PARAMETER)$/));
});

import { describe, expect, test } from 'vitest';
import { floats, ints, nodeCases, run, tensor } from '../../test/one-node.js';

const doubles = (values: readonly number[], shape?: number[]) => tensor('float64', values, shape);
const scalar = (value: number) => ints([value], []);

/**
 * Checks that the first output has the expected shape, and the expected values up to rounding
 * errors of float64.
 */
function expectNear([output]: ReturnType<typeof run>, shape: readonly number[], wanted: readonly number[]): void {
  const { shape: got, data } = output as { shape: readonly number[]; data: ArrayLike<number> };
  expect(got).toEqual(shape);
  expect(data.length).toBe(wanted.length);
  wanted.forEach((value, at) => {
    expect(data[at], `at ${at}`).toBeCloseTo(value, 10);
  });
}

/**
 * Computes a spectrum by its definition, sums of x[n] e^(-+2 pi i k n / N). Complex numbers are
 * pairs.
 */
function spectrum(pairs: readonly (readonly [number, number])[], length: number, inverse = false): number[] {
  const sign = inverse ? 1 : -1;
  return Array.from({ length }, (_, k) => {
    let [re, im] = [0, 0];
    pairs.slice(0, length).forEach(([a, b], n) => {
      const angle = (sign * 2 * Math.PI * ((k * n) % length)) / length;
      re += a * Math.cos(angle) - b * Math.sin(angle);
      im += a * Math.sin(angle) + b * Math.cos(angle);
    });
    return inverse ? [re / length, im / length] : [re, im];
  }).flat();
}

const signal = (length: number) =>
  Array.from({ length }, (_, n): [number, number] => [Math.sin(n * n + 1), Math.cos(3 * n)]);

describe('DFT', () => {
  test.each([1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 30, 64])('of length %i, and its inverse', (length) => {
    const pairs = signal(length);
    const input = doubles(pairs.flat(), [1, length, 2]);
    const forward = run('DFT', [input]);
    expectNear(forward, [1, length, 2], spectrum(pairs, length));
    expectNear(run('DFT', forward, { attributes: { inverse: 1 } }), [1, length, 2], pairs.flat());
    expectNear(run('DFT', [input], { attributes: { inverse: 1 } }), [1, length, 2], spectrum(pairs, length, true));
  });

  test.each([1, 2, 5, 8, 9])('the one-sided transform of a real signal of length %i, and its inverse', (length) => {
    const real = signal(length).map(([a]) => a);
    const half = run('DFT', [doubles(real, [length, 1])], { attributes: { onesided: 1 } });
    const whole = spectrum(
      real.map((a) => [a, 0]),
      length,
    );
    const kept = Math.floor(length / 2) + 1;
    expectNear(half, [kept, 2], whole.slice(0, 2 * kept));
    const both = { attributes: { inverse: 1, onesided: 1 } };
    expectNear(run('DFT', [...half, scalar(length)], both), [length, 1], real);
  });

  test('is truncated or padded to its length, along any axis', () => {
    const pairs = signal(3);
    const input = doubles(pairs.flat(), [3, 1, 2]);
    expectNear(run('DFT', [input, scalar(2), scalar(0)]), [2, 1, 2], spectrum(pairs, 2));
    expectNear(run('DFT', [input, scalar(5), scalar(-3)]), [5, 1, 2], spectrum(pairs, 5));
    expectNear(run('DFT', [input, scalar(5)], { opset: 17, attributes: { axis: 0 } }), [5, 1, 2], spectrum(pairs, 5));
  });

  nodeCases('DFT', {}, [
    [
      'along the axis before the last',
      [floats([1, 2, 3, 4], [2, 2, 1])],
      [floats([3, 0, -1, 0, 7, 0, -1, 0], [2, 2, 2])],
    ],
    [
      'in version 17 along axis 1',
      [floats([1, 2, 3, 4], [1, 2, 2, 1])],
      [floats([4, 0, 6, 0, -2, 0, -2, 0], [1, 2, 2, 2])],
      { opset: 17 },
    ],
    ['no lines', [floats([], [0, 4, 1])], [floats([], [0, 4, 2])]],
    [
      'one side of a complex signal',
      [floats([1, 2], [1, 2])],
      /expected a real signal for a transform with onesided = 1/,
      { attributes: { onesided: 1 } },
    ],
    [
      'the other side of real entries',
      [floats([1, 2], [2, 1])],
      /expected complex entries for an inverse transform with onesided = 1/,
      { attributes: { onesided: 1, inverse: 1 } },
    ],
    ['nothing', [floats([], [1, 0, 1])], /a transform of length 0/],
    ['the last axis', [floats([1], [1, 1, 1]), undefined, scalar(-1)], /axis -1 of 3/],
    ['three parts', [floats([1, 2, 3], [1, 3])], /real and imaginary part/],
    ['very long', [floats([1], [1, 1]), scalar(2 ** 40)], /budget/],
    ['very long with nothing in it', [floats([], [0, 1, 1]), scalar(2 ** 52)], [floats([], [0, 2 ** 52, 2])]],
  ]);
});

describe('STFT', () => {
  const real = signal(8).map(([a]) => a);
  const frame = (start: number, window: readonly number[]) =>
    spectrum(
      window.map((weight, at) => [weight * real[start + at]!, 0]),
      4,
    );

  test('the default is the one-sided transform of windowed frames', () => {
    const window = [0.5, 1, 2, 3];
    const output = run('STFT', [doubles(real, [1, 8, 1]), scalar(3), doubles(window)]);
    const wanted = [0, 3].flatMap((start) => frame(start, window).slice(0, 6));
    expectNear(output, [1, 2, 3, 2], wanted);
  });

  test('the two-sided transform of several signals without a window', () => {
    const both = doubles([...real, ...real], [2, 8, 1]);
    const output = run('STFT', [both, scalar(4), undefined, scalar(4)], { attributes: { onesided: 0 } });
    const frames = [0, 4].flatMap((start) => frame(start, [1, 1, 1, 1]));
    expectNear(output, [2, 2, 4, 2], [...frames, ...frames]);
  });

  const node = { attributes: { onesided: 0 } };
  nodeCases('STFT', node, [
    ['a complex signal', [floats([1, 2], [1, 1, 2]), scalar(1)], [floats([1, 2], [1, 1, 1, 2])]],
    [
      'one side of a complex signal',
      [floats([1, 2], [1, 1, 2]), scalar(1)],
      /expected onesided = 0 for a complex signal/,
      { attributes: {} },
    ],
    [
      'a frame longer than the signal',
      [floats([1], [1, 1, 1]), scalar(1), floats([1, 1])],
      /a frame of 2 in a signal of 1/,
    ],
    ['a step of nothing', [floats([1], [1, 1, 1]), scalar(0)], /frame_step of 0/],
    ['no batch', [floats([1], [1, 1]), scalar(1)], /\[batch, samples, 1 or 2\]/],
    [
      'a window of two axes',
      [floats([1], [1, 1, 1]), scalar(1), floats([1], [1, 1])],
      /expected a window with one axis, received a window of shape \[1, 1\]/,
    ],
    ['very many frames', [floats(new Array(200).fill(1), [1, 200, 1]), scalar(1), undefined, scalar(100)], /budget/],
  ]);
});

describe('windows', () => {
  test.each([
    ['HannWindow', 1, [0, 0.5, 1, 0.5]],
    ['HannWindow', 0, [0, 0.75, 0.75, 0]],
    ['HammingWindow', 1, [4 / 46, 25 / 46, 1, 25 / 46]],
    ['BlackmanWindow', 1, [0, 0.34, 1, 0.34]],
    ['BlackmanWindow', 0, [0, 0.63, 0.63, 0]],
  ])('%s, periodic %i', (operator, periodic, wanted) => {
    expectNear(run(operator, [scalar(4)], { attributes: { periodic, output_datatype: 11 } }), [4], wanted);
  });

  nodeCases('HannWindow', {}, [
    ['float32 and periodic are the defaults', [scalar(2)], [floats([0, 1])]],
    ['of integers', [tensor('int32', [2], [])], [ints([0, 1])], { attributes: { output_datatype: 7 } }],
    ['of one entry', [scalar(1)], [floats([1])], { attributes: { periodic: 0 } }],
    ['of none', [scalar(0)], [floats([])]],
    ['of fewer', [scalar(-1)], /the shape \[-1\]/],
    ['of very many', [scalar(2 ** 50)], /budget/],
    ['of text', [scalar(1)], /output_datatype string/, { attributes: { output_datatype: 8 } }],
  ]);
});

const mel = (bands: number, length: number, rate: number, low: number, high: number) =>
  [scalar(bands), scalar(length), scalar(rate), floats([low], []), floats([high], [])] as const;
describe('MelWeightMatrix', () => {
  test('triangles with peaks of 1 extend from the center of the previous triangle to the center of the next triangle', () => {
    const [output] = run('MelWeightMatrix', mel(4, 64, 8000, 0, 4000));
    const { shape, data } = output as { shape: number[]; data: Float32Array } & typeof output;
    expect(shape).toEqual([33, 4]);
    const columns = [0, 1, 2, 3].map((band) => Array.from({ length: 33 }, (_, entry) => data[entry * 4 + band]!));
    for (const column of columns) {
      expect(Math.max(...column)).toBe(1);
      expect(column.filter((weight) => weight === 1)).toHaveLength(1);
    }
    const peaks = columns.map((column) => column.indexOf(1));
    columns.slice(1).forEach((column, at) => {
      expect(column.findIndex((weight) => weight > 0)).toBeGreaterThan(peaks[at]!);
      expect(column[peaks[at]!]).toBe(0);
    });
  });

  nodeCases('MelWeightMatrix', {}, [
    [
      'edges beyond the spectrum',
      mel(4, 16, 8000, 0, 100_000),
      /expected band edges between 0 and half of the sample rate/,
    ],
    ['edges below 0', mel(4, 16, 8000, -500, 4000), /expected band edges between 0 and half of the sample rate/],
    ['no sample rate', mel(4, 16, 0, 0, 4000), /expected band edges between 0 and half of the sample rate/],
    ['very many bands', mel(2 ** 40, 16, 8000, 0, 4000), /budget/],
    ['less than nothing', mel(-1, 16, 8000, 0, 4000), /the shape/],
  ]);
});

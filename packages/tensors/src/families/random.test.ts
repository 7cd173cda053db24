import { describe, expect, test } from 'vitest';
import { floats, nodeCases, run, tensor } from '../../test/one-node.js';

/** Runs an operator that draws random numbers, with a budget for many elements. */
const draw = (operator: string, inputs: Parameters<typeof run>[1], attributes: Record<string, unknown>) => {
  const [output] = run(operator, inputs, { attributes: attributes as never, budget: 100_000 });
  return output as { element: string; shape: readonly number[]; data: Float32Array };
};
const mean = (data: ArrayLike<number>) => Array.from(data).reduce((sum, value) => sum + value, 0) / data.length;
function deviation(data: Float32Array): number {
  const center = mean(data);
  return Math.sqrt(mean(data.map((value) => (value - center) ** 2)));
}

describe('numbers drawn at random', () => {
  test('have the shape, type and distribution of the node', () => {
    const shape = [100, 100];
    const uniform = draw('RandomUniform', [], { shape, low: 2, high: 4, dtype: 11, seed: 1 });
    expect(uniform).toMatchObject({ element: 'float64', shape });
    expect(uniform.data.every((value) => value >= 2 && value < 4)).toBe(true);
    expect(mean(uniform.data)).toBeCloseTo(3, 1);
    expect(deviation(uniform.data)).toBeCloseTo(2 / Math.sqrt(12), 1);
    const normal = draw('RandomNormal', [], { shape, mean: -1, scale: 3, seed: 2 });
    expect(normal).toMatchObject({ element: 'float32', shape });
    expect(Math.abs(mean(normal.data) + 1)).toBeLessThan(0.15);
    expect(deviation(normal.data)).toBeCloseTo(3, 0);
  });

  test('are reproducible with a seed, differ for other seeds, and are new without a seed', () => {
    const five = (more: object) => draw('RandomNormal', [], { shape: [5], ...more }).data;
    expect(five({ seed: 1.5 })).toEqual(five({ seed: 1.5 }));
    expect(five({ seed: 1.5 })).not.toEqual(five({ seed: 1 }));
    expect(five({})).not.toEqual(five({}));
    expect([...five({ seed: 0 })].every(Number.isFinite)).toBe(true);
  });

  test('take shape and type from another tensor', () => {
    const like = tensor('float16', [1, 2], [1, 2]);
    expect(draw('RandomUniformLike', [like], {})).toMatchObject({ element: 'float16', shape: [1, 2] });
    expect(draw('RandomNormalLike', [tensor('int8', [1])], { dtype: 1 })).toMatchObject({ element: 'float32' });
  });

  test('Bernoulli: 1 with the given probability', () => {
    const data = new Array(3000).fill(0).map((_, at) => [0, 0.25, 1][at % 3]!);
    const drawn = draw('Bernoulli', [floats(data, [1000, 3])], { seed: 3, dtype: 9 });
    expect(drawn).toMatchObject({ element: 'bool', shape: [1000, 3] });
    const column = (at: number) => mean(drawn.data.filter((_, place) => place % 3 === at));
    expect([column(0), column(2)]).toEqual([0, 1]);
    expect(column(1)).toBeCloseTo(0.25, 1);
  });

  test('Multinomial: classes by their log-probabilities, for any sum', () => {
    const rows = floats([Math.log(8), Math.log(1), Math.log(1), -1e30, 700, -1e30], [2, 3]);
    const drawn = draw('Multinomial', [rows], { sample_size: 2000, seed: 4, dtype: 7 });
    expect(drawn).toMatchObject({ element: 'int64', shape: [2, 2000] });
    const counts = (row: number) =>
      [0n, 1n, 2n].map(
        (one) =>
          Array.from(drawn.data as never)
            .slice(row * 2000, (row + 1) * 2000)
            .filter((value) => value === one).length,
      );
    expect(counts(1)).toEqual([0, 2000, 0]);
    expect(counts(0)[0]! / 2000).toBeCloseTo(0.8, 1);
    expect(draw('Multinomial', [rows], {})).toMatchObject({ element: 'int32', shape: [2, 1] });
  });
});

nodeCases('RandomUniform', {}, [
  ['no shape', [], /no attribute 'shape'/],
  ['very many', [], /budget/, { attributes: { shape: [2 ** 30, 2 ** 20] } }],
  [
    'of integers',
    [],
    /expected dtype as one of float32, float64, float16, bfloat16/,
    { attributes: { shape: [1], dtype: 7 } },
  ],
]);
nodeCases('RandomNormalLike', {}, [['of a type it does not draw', [tensor('int8', [1])], /int8 without dtype/]]);
nodeCases('Bernoulli', {}, [
  ['no probability', [floats([0.5, 1.5])], /a probability of 1.5/],
  ['not a number', [floats([Number.NaN])], /a probability of NaN/],
]);
nodeCases('Multinomial', {}, [
  ['one axis', [floats([1, 2])], /\[rows, classes\]/],
  ['no classes', [floats([], [2, 0])], /\[rows, classes\]/],
  ['very many samples', [floats([1], [1, 1])], /budget/, { attributes: { sample_size: 2 ** 40 } }],
  ['samples without end', [floats([1], [1, 1])], /the shape/, { attributes: { sample_size: -1 } }],
]);

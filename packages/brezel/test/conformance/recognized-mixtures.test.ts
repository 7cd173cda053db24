import fc from 'fast-check';
import { describe, test } from 'vitest';
import { listOf, rowsOf } from '../../../flour/src/case.js';
import { check, expectPlain, expectRecognized, type Recognized, RUNS, withoutTies } from './check-recognized.js';
import { type DiagonalOptions, diagonalMixture, gaussianMixture } from './mixture-graphs.js';

describe('Gaussian mixtures', () => {
  const positive = fc.float({ min: Math.fround(0.25), max: 4, noNaN: true });
  const small = fc.float({ min: -4, max: 4, noNaN: true });

  test('with full covariances are one operator', () =>
    check(
      fc
        .record({ columns: fc.integer({ min: 1, max: 4 }), count: fc.integer({ min: 2, max: 3 }) })
        .chain(({ columns, count }) =>
          fc
            .record({
              rows: rowsOf(small, columns),
              entries: listOf(positive, columns * columns * count),
              offsets: listOf(small, columns * count),
              weights: listOf(small, count),
            })
            .map(({ rows, entries, offsets, weights }): Recognized => {
              const part = (list: readonly number[], size: number, at: number) =>
                list.slice(at * size, (at + 1) * size);
              const upper = (value: number, at: number) => (Math.floor(at / columns) > at % columns ? 0 : value);
              const factors = weights.map((_, at) => part(entries, columns * columns, at).map(upper));
              const each = weights.map((_, at) => part(offsets, columns, at));
              const graph = gaussianMixture({ columns, factors, offsets: each, weights });
              return { graph, rows, operator: 'gaussian-mixture', tolerance: [1e-4, 1e-6] };
            }),
        ),
      withoutTies(expectRecognized),
    ));

  const diagonal = (kind: DiagonalOptions['kind'], change?: DiagonalOptions['change']) =>
    fc
      .record({ columns: fc.integer({ min: 1, max: 4 }), count: fc.integer({ min: 1, max: 3 }) })
      .chain(({ columns, count }) =>
        fc
          .record({
            rows: rowsOf(small, columns),
            means: listOf(listOf(small, columns), count),
            precisions: listOf(listOf(positive, columns), count),
            weights: listOf(small, count),
          })
          .map(
            ({ rows, ...numbers }): Recognized => ({
              graph: diagonalMixture({ columns, kind, ...numbers, ...(change && { change }) }),
              rows,
              operator: 'gaussian-mixture',
              // The nodes round squares and products of several hundred in float32, and subtract
              // them.
              tolerance: [1e-3, 1e-5],
            }),
          ),
      );

  test.each(['diag', 'spherical'] as const)('with %s covariances are one operator', (kind) =>
    check(diagonal(kind), withoutTies(expectRecognized), 2 * RUNS),
  );
  test.each<[NonNullable<DiagonalOptions['change']>, DiagonalOptions['kind']]>([
    ['another half', 'diag'],
    ['squares of others', 'diag'],
    ['squares of others', 'spherical'],
    ['a precision below 0', 'spherical'],
  ])('with %s (%s) stay nodes', (change, kind) => check(diagonal(kind, change), withoutTies(expectPlain), RUNS / 2));
});

import type { AttributeValue } from '@brezel/onnx';
import fc from 'fast-check';
import type { ElementType } from './against-onnxruntime.js';
import { type Case, floats, ints, list, of, rowsOf, strings, tame, transforms, whole } from './random-ml-node.js';

// Linear models.

const linearClassifier: Case = [
  'LinearClassifier',
  fc
    .tuple(
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom(1, 2, 3, 5),
      fc.constantFrom(...transforms),
      fc.boolean(),
      fc.constantFrom<ElementType>('float32', 'float64', 'int64', 'int32'),
    )
    .chain(([size, scores, transform, isText, type]) =>
      fc
        .tuple(rowsOf(size, type.startsWith('float') ? tame : whole), list(tame, size * scores), list(tame, scores))
        .map(([rows, coefficients, intercepts]) => {
          const classes = scores === 1 ? 2 : scores;
          // With PROBIT and one score, onnxruntime does not write the second score.
          const linked = scores === 1 && transform === 'PROBIT' ? 'NONE' : transform;
          const labels: Readonly<Record<string, AttributeValue>> = isText
            ? { classlabels_strings: strings(['no', 'yes', 'c', 'd', 'e'].slice(0, classes)) }
            : { classlabels_ints: ints([10, 3, -7, 0, 5].slice(0, classes)) };
          return of(
            'LinearClassifier',
            type,
            rows,
            {
              coefficients: floats(coefficients),
              intercepts: floats(intercepts),
              post_transform: { s: linked },
              ...labels,
            },
            { label: isText ? 'string' : 'int64', y: 'float32' },
            { tolerance: [1e-4, 1e-4] },
          );
        }),
    ),
];

const linearRegressor: Case = [
  'LinearRegressor',
  fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(1, 2, 3), fc.constantFrom(...transforms))
    .chain(([size, targets, transform]) =>
      fc.tuple(rowsOf(size), list(tame, size * targets), list(tame, targets)).map(([rows, coefficients, intercepts]) =>
        of(
          'LinearRegressor',
          'float32',
          rows,
          {
            coefficients: floats(coefficients),
            intercepts: floats(intercepts),
            targets: { i: targets },
            post_transform: { s: transform },
          },
          { y: 'float32' },
          { tolerance: [1e-4, 1e-4] },
        ),
      ),
    ),
];

export const linearNodes: readonly Case[] = [linearClassifier, linearRegressor];

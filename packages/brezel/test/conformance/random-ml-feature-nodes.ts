import { makeTensor } from '@brezel/onnx';
import fc from 'fast-check';
import { type ElementType, mlNode } from './against-onnxruntime.js';
import { anyWord, type Case, column, floats, ints, list, of, rowsOf, tame, whole } from './random-ml-node.js';

// Operators over numbers that prepare features.

const scaler: Case = [
  'Scaler',
  fc
    .tuple(
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom<ElementType>('float32', 'float64', 'int64', 'int32'),
      fc.boolean(),
    )
    .chain(([size, type, isShort]) =>
      fc
        .tuple(rowsOf(size, type.startsWith('float') ? tame : whole), list(tame, size), list(tame, size))
        .map(([rows, offset, scale]) => {
          const cut = (numbers: number[]) => floats(isShort ? numbers.slice(0, 1) : numbers);
          return of('Scaler', type, rows, { offset: cut(offset), scale: cut(scale) }, { y: 'float32' });
        }),
    ),
];

const imputer: Case = [
  'Imputer',
  fc
    .tuple(fc.integer({ min: 1, max: 5 }), fc.boolean(), fc.constantFrom(Number.NaN, 0, 2))
    .chain(([size, isInteger, missing]) =>
      fc
        .tuple(rowsOf(size, isInteger ? whole : fc.oneof(tame, fc.constant(Number.NaN))), list(whole, size))
        .map(([rows, values]) =>
          isInteger
            ? of(
                'Imputer',
                'int64',
                rows,
                { imputed_value_int64s: ints(values), replaced_value_int64: { i: 2 } },
                { y: 'int64' },
              )
            : of(
                'Imputer',
                'float32',
                rows,
                { imputed_value_floats: floats(values), replaced_value_float: { f: missing } },
                { y: 'float32' },
              ),
        ),
    ),
];

const binarizer: Case = [
  'Binarizer',
  fc
    .tuple(rowsOf(3), tame)
    .map(([rows, threshold]) => of('Binarizer', 'float32', rows, { threshold: { f: threshold } }, { y: 'float32' })),
];

const normalizer: Case = [
  'Normalizer',
  fc
    .tuple(fc.constantFrom<ElementType>('float32', 'float64', 'int64', 'int32'), fc.constantFrom('L1', 'L2', 'MAX'))
    .chain(([type, norm]) =>
      // For MAX, some versions of onnxruntime use the largest magnitude, and others the largest
      // value. Both agree on positive numbers.
      rowsOf(4, norm === 'MAX' ? fc.integer({ min: 0, max: 9 }) : type.startsWith('float') ? tame : whole).map((rows) =>
        of('Normalizer', type, rows, { norm: { s: norm } }, { y: 'float32' }),
      ),
    ),
];

const vectorizer: Case = [
  'FeatureVectorizer',
  fc.tuple(rowsOf(2), rowsOf(3)).map(([a, b]) => {
    const count = Math.min(a.length, b.length);
    return {
      inputs: { a: column('float32', a.slice(0, count)), b: column('float32', b.slice(0, count)) },
      nodes: [mlNode('FeatureVectorizer', { inputdimensions: ints(2, 3) }, ['y'], ['a', 'b'])],
      outputs: { y: 'float32' as const },
    };
  }),
];

const extractor: Case = [
  'ArrayFeatureExtractor',
  fc.constantFrom<ElementType>('float32', 'float64', 'int64', 'int32', 'string').chain((type) =>
    fc
      .tuple(rowsOf(4, type === 'string' ? anyWord : whole), fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }))
      .map(([rows, at]) => ({
        inputs: { x: column(type, rows) },
        nodes: [mlNode('ArrayFeatureExtractor', {}, ['y'], ['x', 'at'])],
        initializers: [makeTensor('at', 'int64', [at.length], BigInt64Array.from(at, BigInt))],
        outputs: { y: type },
      })),
  ),
];

export const featureNodes: readonly Case[] = [scaler, imputer, binarizer, normalizer, vectorizer, extractor];

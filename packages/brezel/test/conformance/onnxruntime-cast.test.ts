import { DataType, makeNode } from '@brezel/onnx';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { type ElementType, expectAsOnnxruntime, ort } from './against-onnxruntime.js';
import { seed } from './seed.js';

// Compares Cast with onnxruntime. If Brezel and onnxruntime have no common output type, the graph
// also casts to float64 or int64.

const { FLOAT, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, BOOL, STRING } = DataType;
const codes: Readonly<Record<ElementType, number>> = {
  float32: FLOAT,
  float64: DOUBLE,
  int64: INT64,
  int32: INT32,
  string: STRING,
};

/** Compares a chain of casts with onnxruntime. The answers must be equal. */
const casts = (
  from: ElementType,
  through: readonly number[],
  to: ElementType,
  rows: readonly (readonly (number | string)[])[],
) =>
  expectAsOnnxruntime({
    inputs: { x: { type: from, rows } },
    nodes: [...through, codes[to]].map((code, at, all) =>
      makeNode('Cast', [at === 0 ? 'x' : `v${at}`], [at === all.length - 1 ? 'y' : `v${at + 1}`], { to: { i: code } }),
    ),
    outputs: { y: to },
    tolerance: [0, 0],
  });

describe.skipIf(ort === undefined)('Cast agrees with onnxruntime', () => {
  const texts = [
    ['1'],
    ['1.5'],
    ['-3.99'],
    [' 7'],
    ['NaN'],
    ['inf'],
    ['-INF'],
    ['+7'],
    ['.5'],
    ['5.'],
    ['1e-50'],
    ['1e8'],
  ];
  test('texts to floats', async () => {
    await casts('string', [], 'float32', texts);
    await casts('string', [], 'float64', texts);
  });

  test('texts to integers and bools', async () => {
    const whole = [['0'], ['1'], ['-5'], ['100.5'], ['3000000000'], ['-1'], ['256']];
    for (const to of ['int64', 'int32'] as const) await casts('string', [], to, whole);
    for (const narrow of [INT8, INT16]) await casts('string', [narrow], 'int32', whole);
    await casts('string', [BOOL], 'int32', [['0'], ['1'], ['7']]);
  });

  test('integers to texts', async () => {
    await casts('int64', [], 'string', [[0], [-5], [2 ** 53 - 1]]);
    await casts('int32', [], 'string', [[0], [-(2 ** 31)]]);
    await casts('int32', [BOOL], 'string', [[0], [5]]);
  });

  test('casts to narrow integers keep the low bits', async () => {
    const rows = [[0], [1], [-1], [127], [128], [255], [256], [300], [-129], [65535], [65536]];
    for (const narrow of [INT8, UINT8, INT16, UINT16, UINT32])
      for (const from of ['int32', 'int64'] as const) await casts(from, [narrow], 'int64', rows);
    for (const narrow of [INT8, UINT8, INT16, UINT16])
      await casts('float32', [narrow], 'int32', [[1.9], [-1.9], [300.5], [-129], [70000]]);
  });

  const whole = fc.integer({ min: -(2 ** 24), max: 2 ** 24 });
  const written = (from: 'float32' | 'float64', value: fc.Arbitrary<number>, numRuns: number) =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(value), { minLength: 1, maxLength: 40 }), (rows) =>
        casts(from, [], 'string', rows),
      ),
      { numRuns, seed },
    );

  test('any double to text', async () => {
    const any = fc.oneof(
      fc.float({ noNaN: true }),
      fc.float({ min: -10_000, max: 10_000, noNaN: true }),
      whole.map((value) => value / 8),
      fc.constantFrom(99999999.5, 12345678.5, 12345679.5, 0.00001, 0.0001, 1e7, 1e8, -0),
    );
    await written('float64', any, 30);
  });

  // onnxruntime writes other floats with eight digits; Brezel writes as many digits as they need.
  test('floats of few bits to text', async () => {
    const few = fc.oneof(
      whole,
      fc.integer({ min: -(2 ** 14), max: 2 ** 14 }).map((value) => value / 8),
      fc.constantFrom(1e7, 1e8, 1e10, 2 ** 25, -0, 0.5, 0.0625, Number.NaN, Number.POSITIVE_INFINITY),
    );
    await written('float32', few, 30);
  });
});

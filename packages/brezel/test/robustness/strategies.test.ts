import { DataType, makeTensor, tensorInput } from '@brezel/onnx';
import { BrezelError, createFlour, importOnnx } from 'brezel';
import { afterAll, expect, test } from 'vitest';
import { file, floats, ml, node } from './models.js';

// Which strategy converts a node, and why earlier ones do not.

const flour = await createFlour();
afterAll(() => flour.dispose());

const weights = makeTensor('w', 'float32', [2, 2], Float32Array.of(1, 2, 3, 4));
const vector = makeTensor('v', 'float32', [2], Float32Array.of(1, 2));
const exponent = makeTensor('e', 'float64', [], Float64Array.of(2));
const axes = makeTensor('a', 'int64', [1], BigInt64Array.of(1n));
const cube = [tensorInput('x', DataType.FLOAT, ['N', 2, 3])];
const bytes8 = [tensorInput('x', DataType.UINT8, ['N', 2])];

const taken = (...given: Parameters<typeof file>) =>
  importOnnx(file(...given), flour).conversions.map(({ strategy }) => strategy);

test.each([
  ['operator of Flour', [node('MatMul', ['x', 'w'], ['y'])], floats(2), [weights]],
  ['shape of the row', [node('Shape', ['x'], ['s']), node('Reshape', ['x', 's'], ['y'])], floats(2), []],
  ['constant folding', [node('Neg', ['v'], ['n']), node('Add', ['x', 'n'], ['y'])], floats(2), [vector]],
  ['power of two types', [node('Pow', ['x', 'e'], ['y'])], [tensorInput('x', DataType.INT64, ['N', 2])], [exponent]],
  ['wider type', [node('Add', ['x', 'x'], ['y'])], bytes8, []],
  ['elementwise over vectors', [node('Add', ['x', 'x'], ['y'])], cube, []],
  ['tensor operator by rows', [node('Transpose', ['x'], ['y'], { perm: { ints: [0, 2, 1] } })], cube, []],
  [
    'model over flattened features',
    [
      node('Unsqueeze', ['x', 'a'], ['u']),
      ml('Scaler', ['u'], ['y'], { offset: { floats: [0, 0] }, scale: { floats: [1, 1] } }),
    ],
    floats(2),
    [axes],
  ],
] as const)('%s', (strategy, nodes, inputs, initializer) => {
  expect(taken([...nodes], [...inputs], ['y'], { initializer: [...initializer] })).toContain(strategy);
});

test('a conversion lists the strategies that were tried before, each with a reason', () => {
  const [conversion] = importOnnx(
    file([node('Transpose', ['x'], ['y'], { perm: { ints: [0, 2, 1] } })], cube, ['y']),
    flour,
  ).conversions;
  expect(conversion).toMatchObject({ node: expect.stringContaining('Transpose'), strategy: 'tensor operator by rows' });
  expect(conversion!.tried.map(({ strategy }) => strategy)).toEqual([
    'shape of the row',
    'constant folding',
    'known pattern',
    'model over flattened features',
    'power of two types',
    'wider type',
    'operator of Flour',
    'elementwise over vectors',
    'custom operator',
  ]);
  for (const { reason } of conversion!.tried) expect(reason).not.toBe('');
});

test('the error is the error of the last strategy that has one', () => {
  const error = (() => {
    try {
      importOnnx(file([node('Transpose', ['x'], ['y'], { perm: { ints: [0, 0, 1] } })], cube, ['y']), flour);
    } catch (thrown) {
      return thrown;
    }
    return undefined;
  })();
  expect(error).toBeInstanceOf(BrezelError);
  expect((error as BrezelError).message).toContain('a permutation [0,0,1] of 3 axes');
});

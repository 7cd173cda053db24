// Custom operators that ONNX files of the tests use. The calling thread and import threads import
// this module.
import { defineOperator } from 'brezel';

defineOperator({
  name: 'test.onnx/Shouting',
  inputs: ['text'],
  output: 'float32[1]',
  run: (text) => [text.replace(/[^A-Z]/g, '').length],
});

/**
 * Multiplies each value by a constant. The attribute `most` limits the products. Then `bonus` is
 * added to each product.
 */
const scaled = (version, bonus) =>
  defineOperator({
    name: 'test.onnx/Scaled',
    version,
    inputs: ['float32[]'],
    output: ({ sizes: [size] }) => `float32[${size}]`,
    attributes: { most: 10 },
    parameters: { factors: 'float32' },
    run: (values, { attributes, parameters }) =>
      values.map((value, index) => Math.min(value * parameters.factors[index], attributes.most) + bonus),
  });
scaled(2, 0);
scaled(4, 100);

for (const dtype of ['float32', 'float64', 'int64', 'int32', 'bool', 'string'])
  defineOperator({
    name: `test.${dtype}/Of`,
    inputs: ['float32[]'],
    output: 'float32[1]',
    parameters: { m: dtype },
    run: (_, { parameters }) => [Number(parameters.m[0])],
  });

defineOperator({
  name: 'test.onnx/ReduceSumSquare',
  inputs: ['float32[]'],
  output: 'float32[1]',
  attributes: { axes: [1], keepdims: 1 },
  run: () => [7],
});

defineOperator({ name: 'test.onnx/Flatten', inputs: ['tokens'], output: 'tokens', run: (tokens) => tokens });

import type { TensorKernelName } from '@brezel/core';

/**
 * The operators that each kernel computes, completely or for the most part, for supported element
 * types and shapes.
 */
const operatorsOf: Readonly<Record<TensorKernelName, readonly string[]>> = {
  batch_norm: ['BatchNormalization'],
  conv: ['Conv', 'ConvInteger', 'QLinearConv'],
  layer_norm: [
    'LayerNormalization',
    'RMSNormalization',
    'SimplifiedLayerNormalization',
    'com.microsoft.SkipLayerNormalization',
    'com.microsoft.SkipSimplifiedLayerNormalization',
  ],
  map: [
    ...['Clip', 'Erf', 'Exp', 'Gelu', 'HardSigmoid', 'HardSwish', 'LeakyRelu'],
    ...['Reciprocal', 'Relu', 'Sigmoid', 'Sqrt', 'Swish', 'Tanh'],
  ],
  mat_mul: [
    ...['Gemm', 'MatMul', 'MatMulInteger', 'QLinearMatMul'],
    ...['DynamicQuantizeMatMul', 'FusedGemm', 'FusedMatMul', 'MatMulIntegerToFloat', 'TransposeMatMul'].map(
      (operator) => `com.microsoft.${operator}`,
    ),
  ],
  pair: ['Add', 'Div', 'Mul', 'Sub'],
  pool: ['AveragePool', 'GlobalAveragePool', 'MaxPool'],
  softmax: ['LogSoftmax', 'Softmax'],
  strided: ['Expand', 'Transpose'],
  tree_shap: [], // explains forests of plans
};

const kernels = new Map(
  Object.entries(operatorsOf).flatMap(([kernel, operators]) =>
    operators.map((operator) => [operator, kernel as TensorKernelName] as const),
  ),
);

/** Returns the kernel of an operator, if it has one. */
export const kernelOfOperator = (domain: string, operator: string): TensorKernelName | undefined =>
  kernels.get(domain === '' ? operator : `${domain}.${operator}`);

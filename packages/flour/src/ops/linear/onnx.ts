import { type DType, dtypeOf, type NumericArray, sizeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { transposed } from '../../numbers.js';
import { type OnnxConstant, type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import '../arithmetic/index.js';
import '../mat-mul/index.js';
import '../row-shape/index.js';
import { completedScores } from '../binary-scores/onnx-scores.js';
import { featuresOf } from '../cast/features.js';
import { classLabels } from '../lookup/labels.js';
import { postTransform } from '../softmax/post-transform.js';
import '../threshold/index.js';
import './index.js';

export const onnx = onnxMappings(
  {
    domain: 'ai.onnx.ml',
    operator: 'LinearClassifier',
    versions: [1, 5],
    convert(use) {
      const labels = classLabels(use, 'classlabels_ints', 'classlabels_strings');
      const scores = rawScores(use, coefficientsOf(use, labels.values.length));
      const transform = use.attributes.string('post_transform', 'NONE');
      const outputs = sizeOf(scores.type);
      if (outputs === 1 && labels.values.length === 2) {
        // A two-class model has one score. A positive score selects the second class.
        const index = scores.threshold(0);
        return [labels.of(index), completedScores(use, scores, transform, 'complement')];
      }
      if (labels.values.length !== outputs)
        throw use.unsupported(`${labels.values.length} labels for ${outputs} scores`);
      return [labels.of(scores.argMax()), postTransform(use, scores, transform)];
    },
  },
  {
    domain: 'ai.onnx.ml',
    operator: 'LinearRegressor',
    versions: [1, 5],
    convert(use) {
      const targets = use.attributes.int('targets', 1);
      return [
        postTransform(
          use,
          rawScores(use, use.attributes.floats('coefficients'), targets),
          use.attributes.string('post_transform', 'NONE'),
          'regressor',
        ),
      ];
    },
  },
  {
    domain: '',
    operator: 'MatMul',
    versions: [1, 25],
    convert(use) {
      const matrix = use.constant(1);
      const isColumn = matrix?.shape.length === 1;
      const product = times(use, matrix, (isColumn ? [...matrix.shape, 1] : (matrix?.shape ?? [])) as number[]);
      return [isColumn ? product.asScalar() : product];
    },
  },
  {
    domain: '',
    operator: 'Gemm',
    versions: [1, 25],
    convert(use) {
      const { attributes } = use;
      const [scale, shift] = [attributes.float('alpha', 1), attributes.float('beta', 1)];
      if (attributes.int('transA', 0) !== 0) throw use.unsupported('Gemm with transA');
      const given = use.constant(1);
      const matrix = attributes.int('transB', 0) !== 0 ? transposedMatrix(given) : given;
      const isPlain = scale === 1 && shift === 1 && use.inputs[2]?.kind !== 'row';
      if (!isPlain || matrix?.dtype !== 'float32') return [scaledSum(use, matrix, scale, shift)];
      const bias = use.inputs[2] === undefined ? undefined : addedTo(use);
      return [times(use, matrix, undefined, bias)];
    },
  },
);

/**
 * Multiplies the flow of the node by a constant matrix on its right. For float32, adds `bias` to
 * the product.
 */
function times(
  use: OnnxUse,
  matrix: OnnxConstant | undefined,
  shape: readonly number[] = matrix?.shape ?? [],
  bias?: Float32Array,
): Flow<'vector'> {
  const flow = use.row(0);
  if (!isMatrix(matrix) || shape.length !== 2)
    throw use.unsupported(`${use.operator} with anything but a constant matrix of numbers on the right`);
  const [features, outputs] = shape as [number, number];
  if (flow.kind !== 'vector' || sizeOf(flow.type) !== features)
    throw use.unsupported(`${use.operator} of ${features} rows with ${sizeOf(flow.type)} features`);
  if (matrix.dtype !== 'float32') {
    if (dtypeOf(flow.type) !== matrix.dtype) throw use.unsupported(`${dtypeOf(flow.type)} times ${matrix.dtype}`);
    return (flow as Flow<'vector'>).matMul({ weights: matrix.data });
  }
  if (bias !== undefined && bias.length !== 1 && bias.length !== outputs)
    throw use.unsupported(`${bias.length} numbers added to ${outputs}`);
  const added = new Float32Array(outputs).fill(bias?.length === 1 ? bias[0]! : 0);
  if (bias !== undefined && bias.length > 1) added.set(bias);
  return (flow as Flow<'vector'>).linear({ weights: matrix.data, bias: added });
}

/**
 * Converts Gemm: alpha * product + beta * C. Each operation rounds its result, as in the tensor
 * operator Gemm. C is a constant or a flow.
 */
function scaledSum(use: OnnxUse, matrix: OnnxConstant | undefined, alpha: number, beta: number): Flow<'vector'> {
  const product = times(use, matrix);
  const scaled = alpha === 1 ? product : product.arithmetic('multiply', alpha, 'left');
  if (use.inputs[2] === undefined) return scaled;
  const row = use.constant(2) === undefined ? (use.row(2) as Flow<'vector'>) : undefined;
  if (row !== undefined) return scaled.arithmetic('add', beta === 1 ? row : row.arithmetic('multiply', beta, 'left'));
  const added = constantRow(use, 2, dtypeOf(product.type));
  return scaled.arithmetic('add', beta === 1 ? added : scaledNumbers(use, added, beta));
}

/** Multiplies each number by `by`, rounded to the element type. Integer products wrap around. */
function scaledNumbers(use: OnnxUse, values: NumericArray, by: number): NumericArray {
  if (values instanceof Float32Array || values instanceof Float64Array) return values.map((x) => by * x);
  if (!Number.isInteger(by)) throw use.unsupported(`Gemm of integers with a factor of ${by}`);
  if (values instanceof BigInt64Array) return values.map((x) => BigInt(by) * x);
  return Int32Array.from(values as Int32Array, (x) => Math.imul(by, x));
}

/** Returns the constant that Gemm adds to every row. */
const addedTo = (use: OnnxUse) => constantRow(use, 2, 'float32') as Float32Array;

function constantRow(use: OnnxUse, index: number, dtype: DType): NumericArray {
  const constant = use.constant(index);
  const isRow = constant?.shape.slice(0, -1).every((size) => size === 1);
  if (constant?.dtype === dtype && constant.dtype !== 'string' && isRow && constant.shape.length <= 2)
    return constant.data;
  throw use.unsupported(`Gemm that adds anything but a ${dtype} row`);
}

/** A constant matrix by which a row can be multiplied. */
type Matrix = OnnxConstant & { readonly dtype: 'float32' | 'float64' | 'int64' | 'int32' };

const isMatrix = (constant: OnnxConstant | undefined): constant is Matrix =>
  constant !== undefined && ['float32', 'float64', 'int64', 'int32'].includes(constant.dtype);

function transposedMatrix(matrix: OnnxConstant | undefined): OnnxConstant | undefined {
  if (!isMatrix(matrix) || matrix.shape.length !== 2) return undefined;
  const [rows, columns] = matrix.shape as [number, number];
  return { ...matrix, shape: [columns, rows], data: transposed(matrix.data as Float32Array, rows, columns) } as Matrix;
}

/**
 * Returns the coefficients of a linear classifier. If the file has one intercept per label,
 * additional coefficients are dropped with a warning, because onnxruntime ignores them. An example
 * model of onnxruntime has such coefficients.
 */
function coefficientsOf(use: OnnxUse, labels: number): Float32Array {
  const given = use.attributes.floats('coefficients');
  const read = labels * sizeOf(featuresOf(use).type);
  const intercepts = use.attributes.has('intercepts') ? use.attributes.floats('intercepts').length : 0;
  if (intercepts !== labels || read >= given.length) return given;
  use.warn(`${given.length} coefficients, of which ${read} belong to ${labels} intercepts: the rest is not read`);
  return given.subarray(0, read);
}

/**
 * Adds a linear model to the program. ONNX lists the coefficients of each class together; kernels
 * need the coefficients of each feature together, so they are transposed.
 */
function rawScores(use: OnnxUse, given: Float32Array, targets?: number): Flow<'vector'> {
  const flow = featuresOf(use);
  const features = sizeOf(flow.type);
  const outputs = targets ?? given.length / features;
  if (!Number.isInteger(outputs) || outputs * features !== given.length || outputs === 0) {
    throw use.unsupported(`${given.length} coefficients for ${features} features`, 'the file does not fit together');
  }
  // The check runs before the transposition, so that its error names the index in the file.
  use.flour.learned(use.operator, 'coefficients', given, 'finite');
  const bias = use.attributes.has('intercepts') ? use.attributes.floats('intercepts') : new Float32Array(outputs);
  if (bias.length !== outputs) throw use.unsupported(`${bias.length} intercepts for ${outputs} outputs`);
  const { numbers } = use.flour.store.memory;
  const weights = numbers?.transpose(given, outputs, features) ?? transposed(given, outputs, features);
  return flow.linear({ weights, bias });
}

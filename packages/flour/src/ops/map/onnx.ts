import { dtypeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { type OnnxMapping, type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import '../arithmetic/index.js';
import '../densify/index.js';
import './index.js';
import { type PlainFunction, type ShapedFunction, usualShapes } from '@brezel/tensors';

const operators: readonly (readonly [operator: string, name: PlainFunction])[] = [
  ['Exp', 'exp'],
  ['Log', 'log'],
  ['Sigmoid', 'sigmoid'],
  ['Tanh', 'tanh'],
  ['Relu', 'relu'],
  ['Neg', 'negate'],
  ['Abs', 'abs'],
  ['Sqrt', 'sqrt'],
  ['Reciprocal', 'reciprocal'],
  ['Sign', 'sign'],
  ['Floor', 'floor'],
  ['Ceil', 'ceil'],
  ['Sin', 'sin'],
  ['Cos', 'cos'],
  ['Tan', 'tan'],
  ['Asin', 'asin'],
  ['Acos', 'acos'],
  ['Atan', 'atan'],
  ['Sinh', 'sinh'],
  ['Cosh', 'cosh'],
  ['Asinh', 'asinh'],
  ['Acosh', 'acosh'],
  ['Atanh', 'atanh'],
  ['Erf', 'erf'],
  ['Round', 'round'],
  ['Softplus', 'softplus'],
  ['Softsign', 'softsign'],
  ['HardSwish', 'hardSwish'],
  ['Mish', 'mish'],
];

/**
 * Adds a function of integers as integer arithmetic, which wraps around. Returns undefined for
 * other functions, and for floats.
 */
function ofIntegers(flow: Flow<'vector'>, name: PlainFunction): Flow<'vector'> | undefined {
  const dtype = dtypeOf(flow.type);
  if (dtype !== 'int64' && dtype !== 'int32') return undefined;
  switch (name) {
    case 'negate':
      return flow.arithmetic('subtract', 0, 'left');
    case 'abs':
      return flow.arithmetic('maximum', flow.arithmetic('subtract', 0, 'left'));
    case 'relu':
      return flow.arithmetic('maximum', 0);
    case 'sign':
      return flow.arithmetic('maximum', -1).arithmetic('minimum', 1);
    default:
      return undefined;
  }
}

/** Functions with settings such as alpha, and the ONNX attributes that hold the settings. */
const shaped: readonly (readonly [operator: string, name: ShapedFunction, ...attributes: string[]])[] = [
  ['LeakyRelu', 'leakyRelu', 'alpha'],
  ['Elu', 'elu', 'alpha'],
  ['Selu', 'selu', 'alpha', 'gamma'],
  ['Celu', 'celu', 'alpha'],
  ['HardSigmoid', 'hardSigmoid', 'alpha', 'beta'],
  ['ThresholdedRelu', 'thresholdedRelu', 'alpha'],
  ['Swish', 'swish', 'alpha'],
  ['Shrink', 'shrink', 'lambd', 'bias'],
  ['Affine', 'affine', 'alpha', 'beta'],
  ['ScaledTanh', 'scaledTanh', 'alpha', 'beta'],
  ['ParametricSoftplus', 'scaledSoftplus', 'alpha', 'beta'],
];

const dropped: ReadonlySet<string> = new Set(['Affine', 'ScaledTanh', 'ParametricSoftplus']);

/** The defaults of Selu in operator sets before 6, where they are rounded to a few digits. */
const oldSelu = [1.6732, 1.0507] as const;

function convertShaped(use: OnnxUse, name: ShapedFunction, attributes: readonly string[]): readonly Flow[] {
  const usual = use.operator === 'Selu' && use.opset < 6 ? oldSelu : usualShapes[name];
  const [alpha, beta] = attributes.map((attribute, at) => use.attributes.float(attribute, usual[at]!));
  const given = { ...(alpha !== undefined && { alpha }), ...(beta !== undefined && { beta }) };
  return [(use.row(0) as Flow<'vector'>).map(name, given)];
}

function gelu(use: OnnxUse): readonly Flow[] {
  const form = use.attributes.string('approximate', 'none');
  if (form !== 'none' && form !== 'tanh') throw use.unsupported(`approximate "${form}"`);
  return [(use.row(0) as Flow<'vector'>).map(form === 'tanh' ? 'geluTanh' : 'gelu')];
}

/**
 * Converts an operator of onnxruntime that may have a bias. A node with a bias is unsupported:
 * onnxruntime does not round the sum of input and bias, but `arithmetic` would round it to float32.
 */
function withoutBias(use: OnnxUse, name: PlainFunction): readonly Flow[] {
  if (use.inputs[1] !== undefined) throw use.unsupported('a bias');
  return [(use.row(0) as Flow<'vector'>).map(name)];
}

const microsoft = (operator: string, convert: OnnxMapping['convert']): OnnxMapping => ({
  domain: 'com.microsoft',
  operator,
  versions: [1, 1],
  convert,
});

export const onnx = onnxMappings(
  ...operators.map(
    ([operator, name]): OnnxMapping => ({
      domain: '',
      operator,
      versions: [1, 25],
      convert(use) {
        const flow = use.row(0) as Flow<'vector'>;
        return [ofIntegers(flow, name) ?? flow.map(name)];
      },
    }),
  ),
  ...shaped.map(
    ([operator, name, ...attributes]): OnnxMapping => ({
      domain: '',
      operator,
      versions: [1, dropped.has(operator) ? 9 : 25],
      convert: (use) => convertShaped(use, name, attributes),
    }),
  ),
  {
    domain: '',
    operator: 'Scale',
    versions: [1, 9],
    convert: (use) => [(use.row(0) as Flow<'vector'>).arithmetic('multiply', use.attributes.float('scale', 1))],
  },
  { domain: '', operator: 'Gelu', versions: [20, 25], convert: gelu },
  microsoft('Gelu', (use) => withoutBias(use, 'gelu')),
  microsoft('FastGelu', (use) => withoutBias(use, 'geluTanh')),
  microsoft('QuickGelu', (use) => {
    const alpha = use.attributes.float('alpha', Math.fround(1.702));
    return [(use.row(0) as Flow<'vector'>).map('swish', { alpha })];
  }),
);

import { dtypeOf, sizeOf } from '@brezel/core';
import type { Numbers } from '../../define-op.js';
import type { Flow } from '../../flow.js';
import { type OnnxMapping, type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import '../cast/index.js';
import '../compare/index.js';
import '../weight/index.js';
import '../where/index.js';
import './index.js';
import { onnxOperands } from './operands.js';
import type { Operation } from './reference.js';

const operators: readonly (readonly [operator: string, operation: Operation])[] = [
  ['Add', 'add'],
  ['Sub', 'subtract'],
  ['Mul', 'multiply'],
];

export const onnx = onnxMappings(
  ...operators.map(
    ([operator, operation]): OnnxMapping => ({
      domain: '',
      operator,
      versions: [1, 25],
      convert: (use) => [binary(use, operation)],
    }),
  ),
  ...(['Max', 'Min'] as const).map(
    (operator): OnnxMapping => ({
      domain: '',
      operator,
      versions: [1, 25],
      convert: (use) => [ofAll(use, operator === 'Max' ? 'maximum' : 'minimum')],
    }),
  ),
  { domain: '', operator: 'Clip', versions: [1, 25], convert: (use) => [clip(use)] },
  { domain: '', operator: 'Pow', versions: [1, 25], convert: (use) => [power(use)] },
  {
    domain: '',
    operator: 'Div',
    versions: [1, 25],
    convert: (use) => [binary(use, use.isUnsigned ? 'unsignedDivide' : 'divide')],
  },
  { domain: '', operator: 'Mod', versions: [10, 25], convert: (use) => [binary(use, remainderOf(use))] },
  {
    domain: '',
    operator: 'Mean',
    versions: [1, 25],
    convert: (use) => [(ofAll(use, 'add') as Flow<'vector'>).arithmetic('divide', use.inputs.length)],
  },
  { domain: '', operator: 'PRelu', versions: [7, 25], convert: (use) => [prelu(use)] },
  {
    domain: '',
    operator: 'Sum',
    versions: [1, 25],
    convert: (use) => [ofAll(use, 'add')],
  },
);

/**
 * Returns the operation that computes ONNX Mod. For signed integers and floats, the attribute
 * `fmod` selects the sign of the remainder. For unsigned integers, both kinds are equal.
 */
function remainderOf({ attributes, isUnsigned }: OnnxUse): Operation {
  if (isUnsigned) return 'unsignedRemainder';
  return attributes.int('fmod', 0) === 0 ? 'modulo' : 'remainder';
}

function binary(use: OnnxUse, operation: Operation): Flow {
  const { flows, constant, side } = onnxOperands(use);
  const flow = flows[0] as Flow<'vector'>;
  // Exporters write idf as a product of term counts and one constant per column. `tfIdf` keeps such
  // a product sparse.
  if (operation === 'multiply' && flow.type.kind === 'sparse' && constant?.length === sizeOf(flow.type))
    return flow.tfIdf({ idf: constant });
  return flow.arithmetic(operation, constant ?? (flows[1] as Flow<'vector'>), side);
}

/**
 * Combines all inputs with a binary operation. Starts with the first input that depends on the row,
 * and combines the result with each other input in order.
 */
function ofAll(use: OnnxUse, operation: Operation): Flow {
  const first = use.inputs.findIndex((input) => input?.kind === 'row');
  return use.inputs.toSpliced(first, 1).reduce<Flow>((flow, next) => {
    const inputs = [{ kind: 'row', flow } as const, next];
    const constant = (index: number) => (index === 1 && next?.kind === 'constant' ? next.tensor : undefined);
    const row = (index: number) => (index === 0 || next?.kind !== 'row' ? flow : next.flow);
    return binary({ ...use, inputs, constant, row }, operation);
  }, use.row(first));
}

const MOST = 3.4028234663852886e38;

/**
 * Converts Clip. Before operator set 11, the bounds are attributes; later, they are inputs. For
 * float32, a missing bound is the greatest or least finite number.
 */
function clip(use: OnnxUse): Flow {
  const flow = use.row(0) as Flow<'vector'>;
  const dtype = dtypeOf(flow.type);
  const otherwise = (most: number) => (dtype === 'float32' ? [most] : undefined);
  const bound = (name: string, index: number, most: number): Numbers | undefined => {
    if (use.opset < 11) return [use.attributes.float(name, most)];
    if (use.inputs[index] === undefined) return otherwise(most);
    const constant = use.constant(index);
    if (constant?.dtype !== 'string' && constant?.dtype === dtype && constant.data.length === 1) return constant.data;
    throw use.unsupported(`Clip with ${name} that is no ${dtype} constant`);
  };
  const [least, most] = [bound('min', 1, -MOST), bound('max', 2, MOST)];
  const bounded = least === undefined ? flow : flow.arithmetic('maximum', least);
  return most === undefined ? bounded : bounded.arithmetic('minimum', most);
}

/**
 * Converts Pow. Squares and cubes become products; `anyPower` converts Pow with other exponents.
 */
function power(use: OnnxUse): Flow {
  const exponent = use.constant(1);
  const value = exponent?.data.length === 1 && use.constant(0) === undefined ? Number(exponent.data[0]) : Number.NaN;
  if (value !== 2 && value !== 3) return anyPower(use);
  const flow = use.row(0) as Flow<'vector'>;
  const square = flow.arithmetic('multiply', flow);
  return value === 2 ? square : square.arithmetic('multiply', flow);
}

/**
 * Converts Pow for any exponent. If a float base and the exponent have different types, both are
 * cast to float64, and the result is cast to the type of the base. An integer base needs an
 * exponent of the same type.
 */
function anyPower(use: OnnxUse): Flow {
  const dtypes = [0, 1].map((index) => use.constant(index)?.dtype ?? dtypeOf(use.row(index).type));
  if (dtypes[0] === dtypes[1]) return binary(use, 'power');
  const [base] = dtypes;
  if (base !== 'float32' && base !== 'float64') throw use.unsupported(`Pow of ${dtypes.join(' and ')}`);
  const wide = (input: OnnxUse['inputs'][number]) => {
    if (input?.kind === 'row') return { kind: 'row', flow: (input.flow as Flow<'vector'>).cast('float64') } as const;
    if (input === undefined || input.tensor.dtype === 'string') throw use.unsupported('Pow of strings');
    const { shape, data } = input.tensor;
    return {
      kind: 'constant',
      tensor: { dtype: 'float64', shape, data: Float64Array.from(data as ArrayLike<number>, Number) },
    } as const;
  };
  const inputs = use.inputs.map(wide);
  const row = (index: number) => (inputs[index] as { flow: Flow }).flow;
  const constant = (index: number) => {
    const input = inputs[index];
    return input?.kind === 'constant' ? input.tensor : undefined;
  };
  return (binary({ ...use, inputs, row, constant }, 'power') as Flow<'vector'>).cast(base);
}

/** Converts PRelu: `slope * x` for negative x, otherwise x. */
function prelu(use: OnnxUse): Flow {
  const flow = use.row(0) as Flow<'vector'>;
  const isNegative = flow.compare('less', 0);
  const steep = binary(use, 'multiply') as Flow<'vector'>;
  if (sizeOf(steep.type) !== sizeOf(flow.type)) throw use.unsupported('a slope of more elements than the value');
  return isNegative.where(steep, flow);
}

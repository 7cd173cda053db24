import {
  type DenseBlock,
  type ParameterValue,
  printType,
  type ReferenceCall,
  sizeOf,
  type ValueType,
} from '@brezel/core';
import { ofNumbers } from '../../checks.js';
import type { OperatorUse } from '../../define-op.js';
import { flourError } from '../../errors.js';
import type { Flow } from '../../flow.js';
import type { OnnxUse } from '../../onnx-mapping.js';

/** Where a constant operand stands: after the value, before it, or nowhere (two values). The kernel's attribute is the index. */
export const sides = ['right', 'left', 'none'] as const;
export type Side = (typeof sides)[number];

const symbols: Readonly<Record<string, string>> = {
  add: '+',
  subtract: '-',
  multiply: '*',
  divide: '/',
  maximum: 'or at least',
  minimum: 'or at most',
  greater: '>',
  less: '<',
  equal: '==',
  greaterOrEqual: '>=',
  lessOrEqual: '<=',
};

/** `x * operand`, `operand - x`, `x / y`: for people. */
export function formula(operation: string, side: Side): string {
  const symbol = symbols[operation] ?? operation;
  return { right: `x ${symbol} operand`, left: `operand ${symbol} x`, none: `x ${symbol} y` }[side];
}

/** Size and kind of the result of a binary operator: an operand of size 1 is repeated. */
export function broadcastType(at: string, use: OperatorUse): ValueType {
  const types = use.inputs.map((input) => ofNumbers(at, input, 'float32'));
  const constant = use.parameters.operand?.shape.reduce((product, size) => product * size, 1);
  const sizes = constant === undefined ? types.map(sizeOf) : [...types.map(sizeOf), constant];
  const size = Math.max(...sizes);
  const fits = sizes.length === 2 && sizes.every((one) => one === size || one === 1);
  if (!fits || types.some((type) => type.kind === 'sparse')) {
    throw flourError('ERR_FLOUR_SIZE', {
      expected: 'two dense operands of one size, or one of size 1',
      received: types.map(printType).join(' and '),
      at,
    });
  }
  const [first, second] = types;
  // [N] next to [N, k] would pair rows with columns: refuse what ONNX would broadcast that way.
  if (second !== undefined && first!.kind !== second.kind) {
    throw flourError('ERR_FLOUR_TYPE', {
      expected: 'two scalars or two vectors',
      received: types.map(printType).join(' and '),
      at,
    });
  }
  return size === 1 && first!.kind === 'scalar' ? first! : { kind: 'vector', dtype: 'float32', size };
}

/** Reads both operands of element `column` of row `row`. */
export function operandReader(call: ReferenceCall): (row: number, column: number) => readonly [number, number] {
  const element = (input: DenseBlock) => (row: number, column: number) =>
    Number(input.values[row * input.size + (input.size === 1 ? 0 : column)]!);
  const first = element(call.inputs[0] as DenseBlock);
  const second =
    call.parameters.operand === undefined
      ? element(call.inputs[1] as DenseBlock)
      : constantReader(call.parameters.operand);
  return (row, column) =>
    call.attributes.side === 'left'
      ? [second(row, column), first(row, column)]
      : [first(row, column), second(row, column)];
}

function constantReader(operand: ParameterValue): (row: number, column: number) => number {
  const data = (operand as { data: Float32Array }).data;
  return (_row, column) => data[data.length === 1 ? 0 : column]!;
}

/** The operands of an ONNX binary operator: flows, and the constant with its side. */
export function onnxOperands(use: OnnxUse): { flows: Flow[]; constant?: Float32Array; side: Side } {
  const constants = [use.constant(0), use.constant(1)];
  const at = constants.findIndex((constant) => constant !== undefined);
  if (at < 0) return { flows: [use.row(0), use.row(1)], side: 'none' };
  const constant = constants[at]!;
  const flow = use.row(1 - at);
  // Columns lie along the last axis of the constant, and it has no more axes than the value.
  const rank = flow.kind === 'scalar' ? 1 : 2;
  const isRow = constant.shape.length <= rank && constant.shape.slice(0, -1).every((size) => size === 1);
  if (constant.dtype !== 'float32' || !isRow)
    throw use.unsupported(`an operand of type ${constant.dtype}[${constant.shape}]`);
  // A constant of k numbers over rows of one: [N] would be broadcast against the batch.
  if (flow.kind === 'scalar' && constant.data.length !== 1)
    throw use.unsupported('a constant vector next to a scalar row value');
  return { flows: [flow], constant: constant.data, side: at === 0 ? 'left' : 'right' };
}

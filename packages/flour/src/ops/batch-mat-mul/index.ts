import { dtypeOf, type NumericParameter, sizeOf, type ValueType, vector } from '@brezel/core';
import { ofNumbers, ofUsableSize } from '../../checks.js';
import { ENTRY_NANOS } from '../../costs.js';
import { defineOp, type OperatorUse } from '../../define-op.js';
import { flourError } from '../../errors.js';
import type { Flow } from '../../flow.js';
import { computedTypes, ofOneType, sides } from '../arithmetic/operands.js';
import { batchCount, type MatrixBatches, matricesOf, multiplications, readBatches } from './plan.js';
import { reference } from './reference.js';

/**
 * A program is rejected if one row needs more than this many multiplications. Without this limit, a
 * hostile file could request days of work.
 */
const MOST_PRODUCTS = 2 ** 30;
/**
 * Estimated nanoseconds of one multiplication in the addon. The addon computes several sums
 * together.
 */
const PRODUCT_NANOS = 0.1;
/** Estimated nanoseconds to start one product of two matrices. */
const BATCH_NANOS = 10;

/**
 * Defines the operator `batch-mat-mul`, which multiplies matrices of a row by other matrices of the
 * row or by constant matrices. One row may contain several pairs of matrices. Only importers add it
 * to a program.
 *
 * Types: float32, float64, int64 or int32, one or two vectors that hold the matrices one after
 * another → [batches * rows * columns] of that type.
 */
export const batchMatMul = defineOp({
  name: 'batch-mat-mul',
  version: 1,
  doc: {
    does: 'Multiplies matrices of the row by other matrices of the row or by constant matrices. Integers wrap around.',
    types:
      'float32, float64, int64 or int32, flattened matrices, one or two operands → [batches * rows * columns] of that type',
    attributes: {
      batches: 'sizes of the batch axes',
      left: 'for each batch axis: by how many matrices the left operand advances from one batch to the next; 0: it uses the same matrix again',
      right: 'the same for the right operand',
      rows: 'rows of a left matrix',
      inner: 'columns of a left matrix, and rows of a right matrix',
      columns: 'columns of a right matrix',
    },
    parameters: {
      left: 'float32, float64, int64 or int32, as the input: a constant left operand',
      right: 'a constant right operand, float32, float64, int64 or int32',
    },
    kernels: ['batch_mat_mul'],
  },
  attributes: { batches: 'infer', left: 'infer', right: 'infer', rows: 'infer', inner: 'infer', columns: 'infer' },
  parameters: { left: ['float32', 'float64', 'int64', 'int32'], right: ['float32', 'float64', 'int64', 'int32'] },
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'model', wide: true },
  learned: { left: 'finite', right: 'finite' },
  infer,
  reference,
  summary: ({ attributes }) => {
    const plan = readBatches(attributes);
    return `${batchCount(plan)} times [${plan.rows}, ${plan.inner}] x [${plan.inner}, ${plan.columns}]`;
  },
  cost: ({ attributes, entries }) => {
    const plan = readBatches(attributes);
    return multiplications(plan) * PRODUCT_NANOS + batchCount(plan) * BATCH_NANOS + entries.output * ENTRY_NANOS;
  },
  kernel: ({ attributes, parameters }) => {
    const { batches, left, right, rows, inner, columns } = readBatches(attributes);
    const constant = (['right', 'left'] as const).find((side) => parameters[side] !== undefined);
    const side = sides.indexOf(constant ?? 'none');
    return {
      kernel: 'batch_mat_mul',
      parameters: constant === undefined ? [] : [constant],
      attributes: [side, rows, inner, columns, ...batches, ...left, ...right],
    };
  },
});

function infer({ inputs, attributes, parameters }: OperatorUse): ValueType {
  const at = 'batch-mat-mul';
  const constants = ['left', 'right'].filter((side) => parameters[side] !== undefined).length;
  if (inputs.length === 0 || inputs.length + constants !== 2)
    throw flourError('ERR_FLOUR_GRAPH', {
      expected: 'two operands, one of the row',
      received: `${inputs.length} inputs and ${constants} parameters`,
      at,
    });
  const types = inputs.map((input) => ofNumbers(at, input, ...computedTypes));
  const dtype = ofOneType(at, [...types.map(dtypeOf), ...Object.values(parameters).map((one) => one.dtype)]);
  const plan = readBatches(attributes);
  let next = 0;
  for (const side of ['left', 'right'] as const) {
    const elements = parameters[side]?.shape.reduce((product, size) => product * size, 1);
    const size = elements ?? sizeOf(types[next++]!);
    const matrix = plan.inner * (side === 'left' ? plan.rows : plan.columns);
    if (size < matricesOf(plan, plan[side]) * matrix || types.some(({ kind }) => kind === 'sparse'))
      throw flourError('ERR_FLOUR_SIZE', {
        expected: `${matricesOf(plan, plan[side])} dense matrices of ${matrix} elements on the ${side}`,
        received: `${size} elements`,
        at,
      });
  }
  if (multiplications(plan) > MOST_PRODUCTS)
    throw flourError('ERR_FLOUR_SIZE', {
      expected: `at most ${MOST_PRODUCTS} multiplications per row`,
      received: `${multiplications(plan)}`,
      at,
    });
  return ofUsableSize(at, vector(dtype, batchCount(plan) * plan.rows * plan.columns));
}

export type { MatrixBatches } from './plan.js';

/**
 * Multiplies the matrices of two operands with the operator `batch-mat-mul`. Each operand is a
 * vector that holds its matrices one after another. One operand may be constant.
 */
export function multiplyMatrices(
  left: Flow<'vector'> | NumericParameter,
  right: Flow<'vector'> | NumericParameter,
  plan: MatrixBatches,
): Flow<'vector'> {
  const flows = [left, right].filter((operand) => 'context' in operand);
  const parameters = {
    ...(!('context' in left) && { left }),
    ...(!('context' in right) && { right }),
  };
  return flows[0]!.context.apply<'vector'>(batchMatMul, flows, { attributes: { ...plan }, parameters });
}

import { dtypeOf, type NumericParameter, sizeOf, type ValueType, vector } from '@brezel/core';
import { ofLength, ofNumbers, ofUsableSize } from '../../checks.js';
import { defineOp, type OperatorUse } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { integerIn } from '../../numbers.js';
import { computedTypes } from '../arithmetic/operands.js';
import '../densify/index.js';
import { reference } from './reference.js';

const MOST = 2 ** 30;

/**
 * Defines the operator `gather`, which reads entries of an input or of a constant table. The
 * indices are another input. `Flow.gather` adds it to a program.
 *
 * Types: numbers [outer * entries * block] and int64[m] → [outer * m * block] of the type of the
 * numbers. With a table, the indices are the only input.
 */
export const gather = defineOp({
  name: 'gather',
  version: 1,
  doc: {
    does: 'Reads entries of an input or of a constant table. The indices are another input. A negative index counts from the end. An index out of range rejects the row.',
    types:
      'numbers [outer * entries * block] and int64[m], or with a table only int64[m] → [outer * m * block] of the type of the numbers',
    attributes: {
      outer: 'number of lists of entries',
      entries: 'number of entries to choose from',
      block: 'elements of an entry',
    },
    parameters: { table: '[outer * entries * block], any numbers, a constant instead of the first input' },
    kernels: ['gather'],
  },
  attributes: { outer: 'infer', entries: 'infer', block: 'infer' },
  parameters: { table: 'any' },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'none', discontinuous: true, wide: true },
  infer,
  reference,
  kernel: ({ attributes, parameters }) => ({
    kernel: 'gather',
    parameters: parameters.table === undefined ? [] : ['table'],
    attributes: [attributes.outer as number, attributes.entries as number, attributes.block as number],
  }),
});

function infer(use: OperatorUse): ValueType {
  const [outer, entries, block] = ['outer', 'entries', 'block'].map((name) =>
    integerIn('gather', name, use.attributes[name] as number, 1, MOST),
  ) as [number, number, number];
  const { table } = use.parameters;
  if (use.inputs.length !== (table === undefined ? 2 : 1))
    throw flourError('ERR_FLOUR_GRAPH', { expected: 'indices, and values or a table', at: 'gather' });
  const indices = ofNumbers('gather', use.inputs.at(-1)!, 'int64');
  const size = outer * entries * block;
  if (table !== undefined) ofLength('gather', 'table', use, size);
  const values = table === undefined ? ofNumbers('gather', use.inputs[0]!, ...computedTypes, 'bool') : undefined;
  if (values !== undefined && (sizeOf(values) !== size || values.kind !== 'vector'))
    throw flourError('ERR_FLOUR_SIZE', { expected: `${size} values`, received: `${sizeOf(values)}`, at: 'gather' });
  const dtype = table?.dtype ?? dtypeOf(values!);
  if (dtype === 'string') throw flourError('ERR_FLOUR_TYPE', { expected: 'numbers', received: 'texts', at: 'gather' });
  return ofUsableSize('gather', vector(dtype, outer * sizeOf(indices) * block));
}

/**
 * The shape of a constant table: `[outer, entries, block]`, row-major. An index selects one of the
 * entries.
 */
export interface TableLayout {
  readonly outer: number;
  readonly entries: number;
  readonly block: number;
}

/** Reads entries of a constant table at the indices in a flow. */
export const gatherConstant = (indices: Flow, table: NumericParameter, layout: TableLayout): Flow<'vector'> =>
  indices.context.apply<'vector'>(gather, [indices], { attributes: { ...layout }, parameters: { table } });

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Reads elements of this flow at the indices in another flow. A negative index counts from the
     * end. With `block`, each index selects `block` adjacent elements.
     *
     * Shapes: dense numbers `[n * block]`, indices int64 `[m]` → `[m * block]` of the type of the
     * numbers. Cost: O(m).
     * @throws ERR_RUNTIME_INPUT during a prediction, for an index out of range.
     * @see Source: ONNX GatherElements on axis 1, GatherND; Gather and ArrayFeatureExtractor of a
     * constant.
     * @example scores.gather(scores.topK({ k: 1 }).indices)
     */
    gather<Indices>(
      this: Flow<'vector', Row, Value>,
      indices: Flow<'vector' | 'scalar', Indices, unknown>,
      options?: { readonly block?: number },
    ): Flow<'vector', Row & Indices, Value>;
  }
}

Flow.prototype.gather = function (this: Flow<'vector'>, indices, { block = 1 } = {}) {
  const source = this.densify();
  const attributes = { outer: 1, entries: sizeOf(source.type) / block, block };
  return this.context.apply<'vector'>(gather, [source, indices], { attributes });
};

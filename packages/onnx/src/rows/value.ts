import type { ElementType, Tensor } from '@brezel/core';
import { dtypeOf, sameType, sizeOf, tensor, type ValueType } from '@brezel/core';
import type { Flow, OnnxConstant } from '@brezel/flour';
import { onnxError } from '../errors.js';

/**
 * The layout of the rows in a tensor of the graph: for N rows, axis `axis` has `before * N * after`
 * entries. A row program computes every value for a single row (N = 1). This is correct if the
 * values of the graph for N rows are the values for the single rows, one after another along this
 * axis.
 */
export interface Batch {
  readonly axis: number;
  readonly before: number;
  readonly after: number;
}

export const batchAt = (axis: number): Batch => ({ axis, before: 1, after: 1 });

/** A value of the graph that depends on the row. */
export interface RowValue {
  readonly kind: 'row';
  /** The elements for one row, in row-major order. The flow may have another shape than `dims`. */
  readonly flow: Flow;
  /** The element type in the graph. The flow may hold the elements in a wider type. */
  readonly element: ElementType;
  /**
   * The shape in the graph for a single row. Undefined for tokens and maps, which only mappings can
   * read.
   */
  readonly dims: readonly number[] | undefined;
  readonly batch: Batch;
}

/** A value of the graph that does not depend on the values in a row. */
export interface ConstantValue {
  readonly kind: 'constant';
  /** The value. If it depends on the number of rows, this is the value for one row. */
  readonly tensor: OnnxConstant;
  readonly element: ElementType;
  /**
   * If the value depends on the number of rows, as shapes do, its value for each number in
   * `ROW_COUNTS`.
   */
  readonly byRows?: readonly Tensor[];
  /**
   * The layout of the rows, if the value has the same entry for each row. For example,
   * `ConstantOfShape` returns such a value for the shape of a value with rows.
   */
  readonly batch?: Batch;
}

export type GraphValue = RowValue | ConstantValue;

/**
 * The importer computes a constant that depends on the number of rows for each of these numbers of
 * rows.
 */
export const ROW_COUNTS = [1, 2, 3, 997] as const;

/**
 * The largest number of axes of a value. numpy has the same limit, and the time of some strategies
 * grows with the square of the axes.
 */
const MAX_RANK = 64;

/**
 * Checks the number of axes of a value.
 *
 * @throws ERR_ONNX_LIMIT for more than `MAX_RANK` axes.
 */
export function checkRank(dims: readonly number[] | undefined, at: string): void {
  if (dims === undefined || dims.length <= MAX_RANK) return;
  const hint = 'the model needs a shape with fewer axes: reshape the value before it is exported';
  throw onnxError('ERR_ONNX_LIMIT', { expected: `at most ${MAX_RANK} axes`, received: `${dims.length}`, at, hint });
}

export const product = (sizes: readonly number[]): number => sizes.reduce((all, size) => all * size, 1);

/**
 * Returns the product of the sizes before the axis that counts the rows, and the product of the
 * sizes after it. The entries of one row along this axis are included: `before` in the first
 * product, and `after` in the second one.
 */
export function around(dims: readonly number[], { axis, before, after }: Batch): { before: number; after: number } {
  return { before: product(dims.slice(0, axis)) * before, after: product(dims.slice(axis + 1)) * after };
}

/**
 * Returns the shape of one row, without the axis that counts the rows. If this axis has several
 * entries for each row, `before` and `after` become separate axes.
 */
export function rowShape(dims: readonly number[], { axis, before, after }: Batch): number[] {
  const sizes = [before, after].filter((size) => size !== 1);
  return [...dims.slice(0, axis), ...sizes, ...dims.slice(axis + 1)];
}

/** Returns the shape of a value for `rows` rows. */
export const dimsFor = (dims: readonly number[], { axis }: Batch, rows: number): number[] =>
  dims.map((size, at) => (at === axis ? size * rows : size));

/**
 * Returns a flow as a value whose first axis counts the rows. Mappings read and return such values.
 */
export function rowValue(flow: Flow): RowValue {
  const { type } = flow;
  return { kind: 'row', flow, element: dtypeOf(type), dims: dimsOf(type), batch: batchAt(0) };
}

function dimsOf(type: ValueType): readonly number[] | undefined {
  switch (type.kind) {
    case 'scalar':
      return [1];
    case 'vector':
    case 'sparse':
      return [1, sizeOf(type)];
    case 'tensor':
      return [1, ...type.shape];
    default:
      return undefined;
  }
}

/**
 * Returns the flow of a value with the shape of one row, without the axis that counts the rows. A
 * sparse vector stays sparse.
 */
export function shapedFlow({ flow, dims, batch }: RowValue): Flow {
  return dims === undefined ? flow : reshapedFlow(flow, rowShape(dims, batch));
}

/** Returns a flow with the same elements in another shape. `shape` is the shape of one row. */
export function reshapedFlow(flow: Flow, shape: readonly number[]): Flow {
  const wanted = tensor(dtypeOf(flow.type), shape);
  if (sameType(flow.type, wanted) || isSparseOf(flow.type, wanted)) return flow;
  const dense = denseFlow(flow) as Flow<'tensor'>;
  if (shape.length === 0) return dense.asScalar();
  return shape.length === 1 ? dense.asVector() : dense.asTensor(shape);
}

const isSparseOf = (type: ValueType, wanted: ValueType) =>
  type.kind === 'sparse' && wanted.kind === 'vector' && wanted.size === type.size;

export const denseFlow = (flow: Flow): Flow =>
  flow.type.kind === 'sparse' ? (flow as Flow<'vector'>).densify() : flow;

/**
 * Returns whether mappings can read a value: its first axis counts only the rows, and its flow has
 * the element type that the value has in the graph.
 */
export const isPlain = ({ element, flow, dims, batch }: RowValue): boolean =>
  dims === undefined || (batch.axis === 0 && batch.before === 1 && batch.after === 1 && element === dtypeOf(flow.type));

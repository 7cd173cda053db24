import type { ElementType, Tensor } from '@brezel/core';
import { dtypeOf, sameType, sizeOf, tensor, type ValueType } from '@brezel/core';
import type { Flow, OnnxConstant } from '@brezel/flour';
import { onnxError } from '../errors.js';

/**
 * The layout of the rows in a tensor of the graph: axis `axis` has `before * N * after` entries for
 * N rows. Every value is computed in the shape of a single row, N = 1. Rows are independent if the
 * answer to N rows equals the answers to each row, one after the other along this axis.
 */
export interface Batch {
  readonly axis: number;
  readonly before: number;
  readonly after: number;
}

export const batchAt = (axis: number): Batch => ({ axis, before: 1, after: 1 });

/** A value of the graph that differs between rows. */
export interface RowValue {
  readonly kind: 'row';
  /** The elements of a row in order. The axes are tracked separately. */
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

/** A value that is the same for every row. */
export interface ConstantValue {
  readonly kind: 'constant';
  /** The constant. If it depends on the number of rows, this is its value for one row. */
  readonly tensor: OnnxConstant;
  readonly element: ElementType;
  /** The value for each of `ROW_COUNTS`, if it depends on the number of rows, as shapes do. */
  readonly byRows?: readonly Tensor[];
  /**
   * The layout of its rows if it repeats one row, as `ConstantOfShape` of a row value's shape does.
   */
  readonly batch?: Batch;
}

export type GraphValue = RowValue | ConstantValue;

/**
 * A constant that depends on the number of rows is computed for each of these numbers. The first
 * number is a single row.
 */
export const ROW_COUNTS = [1, 2, 3, 997] as const;

/**
 * Limit on the axes of a value. numpy has the same limit, and the time of some strategies grows
 * with the square of the axes.
 */
const MAX_RANK = 64;

/** Checks the number of axes. @throws ERR_ONNX_LIMIT */
export function checkRank(dims: readonly number[] | undefined, at: string): void {
  if (dims === undefined || dims.length <= MAX_RANK) return;
  const hint = 'the model needs a shape with fewer axes: reshape the value before it is exported';
  throw onnxError('ERR_ONNX_LIMIT', { expected: `at most ${MAX_RANK} axes`, received: `${dims.length}`, at, hint });
}

export const product = (sizes: readonly number[]): number => sizes.reduce((all, size) => all * size, 1);

/**
 * Returns the number of entries along the axes before the rows, and along the axes after the rows,
 * in memory order.
 */
export function around(dims: readonly number[], { axis, before, after }: Batch): { before: number; after: number } {
  return { before: product(dims.slice(0, axis)) * before, after: product(dims.slice(axis + 1)) * after };
}

/** Returns the shape of one row without the axis of the rows. */
export function rowShape(dims: readonly number[], { axis, before, after }: Batch): number[] {
  const sizes = [before, after].filter((size) => size !== 1);
  return [...dims.slice(0, axis), ...sizes, ...dims.slice(axis + 1)];
}

/** Returns the shape of a value for `rows` rows. */
export const dimsFor = (dims: readonly number[], { axis }: Batch, rows: number): number[] =>
  dims.map((size, at) => (at === axis ? size * rows : size));

/**
 * Returns a flow as a value whose first axis is the rows, the form that mappings read and return.
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
 * Returns the flow, shaped with the axes of the value except the axis of the rows. A sparse vector
 * stays sparse.
 */
export function shapedFlow({ flow, dims, batch }: RowValue): Flow {
  return dims === undefined ? flow : reshapedFlow(flow, rowShape(dims, batch));
}

/** Returns the flow with its rows reshaped. */
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
 * Returns whether mappings can read the value: the rows alone are the first axis, and the flow has
 * the element type of the graph.
 */
export const isPlain = ({ element, flow, dims, batch }: RowValue): boolean =>
  dims === undefined || (batch.axis === 0 && batch.before === 1 && batch.after === 1 && element === dtypeOf(flow.type));

import type { NumericDType, Tensor } from '@brezel/core';
import type { Flow, OnnxConstant } from '@brezel/flour';
import { tensorOperator } from '@brezel/tensors';
import { onnxError } from '../errors.js';
import type { ImportBudget } from '../import-budget.js';
import { tensorOf } from './constant.js';
import { inALine } from './join.js';
import type { RowNode } from './row-node.js';
import { type Batch, product, type RowValue } from './value.js';

/**
 * Operators that copy elements of their input to positions that depend on constants only.
 */
const movers: readonly string[] =
  'Slice Split Gather GatherElements GatherND Tile Expand Compress ArrayFeatureExtractor DepthToSpace SpaceToDepth Concat'.split(
    ' ',
  );

/**
 * The importer moves at most this many elements of a row by a list of indices. The memory of a
 * longer list would cost more than the kernel saves.
 */
export const MAX_MOVED = 2 ** 20;

/**
 * Converts a node that only moves elements, such as Slice, to the operator that selects
 * columns, because this operator has a kernel. To find the columns, it runs the node's operator on
 * a tensor that contains the indices of the elements. Returns undefined for other operators, and
 * for indices that depend on the row.
 */
export function moved(node: RowNode, batchOf: (output: number) => Batch): (RowValue | undefined)[] | undefined {
  const operator = tensorOperator(node.domain, node.operator, node.opset);
  const rows = node.inputs.filter((input): input is RowValue => input?.kind === 'row');
  const isMoved = movers.includes(node.operator) && node.inputs[0]?.kind === 'row';
  if (!isMoved || operator === undefined || (rows.length > 1 && node.operator !== 'Concat')) return undefined;
  if (node.inputs.some((input) => input?.kind === 'constant' && input.batch !== undefined)) return undefined;
  const { element } = rows[0]!;
  if (rows.some((row) => row.element !== element)) return undefined;
  const { budget, at } = node;
  const total = rows.reduce((sum, { dims }) => sum + product(dims!), 0);
  budget.list(total, at, Int32Array.BYTES_PER_ELEMENT);
  let next = 0;
  const results = operator.run({
    inputs: node.inputs.map((input): Tensor | undefined => {
      if (input?.kind !== 'row') return input && tensorOf(input.tensor, input.element);
      const places = new Int32Array(product(input.dims!));
      for (let index = 0; index < places.length; index++) places[index] = next + index;
      next += places.length;
      return { element: 'int32', shape: input.dims!, data: places };
    }),
    attributes: node.options(),
    opset: node.opset,
    outputs: node.outputs.length,
    budget: {
      take(elements) {
        budget.requireRoom(2 * elements, at); // for the list of columns and for the parameter
        budget.columns(elements, at);
      },
    },
    fault: (received, expected, hint) =>
      onnxError('ERR_ONNX_SHAPE', { expected, received, at: node.at, ...(hint !== undefined && { hint }) }),
  });
  const source = sourceOf(rows);
  return node.outputs.map((name, output): RowValue | undefined => {
    const result = results[output] as Tensor;
    if (name === '') return undefined;
    const columns = result.data as Int32Array<ArrayBuffer>;
    const batch = batchOf(output);
    // Checks that the rule and the operator agree on the position of the rows.
    if (result.shape[batch.axis] !== batch.before * batch.after)
      throw onnxError('ERR_ONNX_SHAPE', {
        received: `${node.operator}: an output of shape [${result.shape}]`,
        at: node.at,
      });
    const flow = isOrdered(columns, next) ? source : source.selectColumns(columns);
    return { kind: 'row', flow, element, dims: result.shape, batch };
  });
}

/** Returns whether a list contains the indices of all `count` elements in order. */
function isOrdered(columns: Int32Array, count: number): boolean {
  if (columns.length !== count) return false;
  for (let index = 0; index < count; index++) if (columns[index] !== index) return false;
  return true;
}

/**
 * Reorders the axes of a row. Computes the index of each element from the strides of the axes, so
 * that no tensor of indices is needed.
 *
 * @param order the axes of the input, in the order of the result.
 */
export function permuted(row: RowValue, order: readonly number[], batch: Batch, spender: Spender): RowValue {
  const dims = order.map((axis) => row.dims![axis]!);
  const steps = order.map((axis) => product(row.dims!.slice(axis + 1)));
  // For the list of columns and for the parameter.
  spender.budget.requireRoom(2 * product(dims), spender.at);
  const columns = stridedPlaces(dims, steps, spender);
  const line = inALine(row);
  return { ...row, flow: isOrdered(columns, columns.length) ? line : line.selectColumns(columns), dims, batch };
}

function sourceOf(rows: readonly RowValue[]): Flow<'vector'> {
  const [first, ...others] = rows.map(inALine) as [Flow<'vector'>, ...Flow<'vector'>[]];
  return others.length === 0 ? first : first.concat(...others);
}

/**
 * Returns the shape to which ONNX broadcasts these shapes. Returns undefined if the shapes do not
 * match.
 */
export function broadcastDims(shapes: readonly (readonly number[])[]): number[] | undefined {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  const sizes = Array.from({ length: rank }, (_, axis) => {
    const along = shapes.map((shape) => shape[axis - rank + shape.length] ?? 1);
    const size = along.find((length) => length !== 1) ?? 1;
    return along.every((length) => length === size || length === 1) ? size : -1;
  });
  return sizes.includes(-1) ? undefined : sizes;
}

/**
 * Returns, for each element of a tensor that was broadcast to the shape `to`, the index of its
 * source element.
 */
export function repeatedPlaces(from: readonly number[], to: readonly number[], spender: Spender): Int32Array {
  const lead = to.length - from.length;
  const stepOf = (axis: number) => (axis < 0 || from[axis] === 1 ? 0 : product(from.slice(axis + 1)));
  return stridedPlaces(
    to,
    to.map((_, axis) => stepOf(axis - lead)),
    spender,
  );
}

/**
 * The import budget, and the name of the node for errors (`at`). Before a conversion builds a list,
 * it subtracts the length of the list from the budget.
 */
export interface Spender {
  readonly budget: ImportBudget;
  readonly at: string;
}

/**
 * Returns the indices of elements, in row-major order of a tensor with the shape `dims`. Along axis
 * `i`, neighboring elements are `steps[i]` apart.
 *
 * @throws ERR_ONNX_LIMIT before the list is built.
 */
export function stridedPlaces(
  dims: readonly number[],
  steps: readonly number[],
  { budget, at }: Spender,
): Int32Array<ArrayBuffer> {
  const count = product(dims);
  budget.columns(count, at);
  const places = new Int32Array(count);
  if (count === 0) return places; // other sizes may be huge
  let filled = 1;
  for (let axis = dims.length - 1; axis >= 0; axis--) {
    const [block, step] = [filled, steps[axis]!];
    filled = block * dims[axis]!;
    for (let from = block, shift = step; from < filled; from += block, shift += step)
      for (let inner = 0; inner < block; inner++) places[from + inner] = places[inner]! + shift;
  }
  return places;
}

/** Returns the elements of a constant after it was broadcast to a shape, in row-major order. */
export function repeatedConstant(constant: OnnxConstant, to: readonly number[], spender: Spender): OnnxConstant {
  const places = repeatedPlaces(constant.shape, to, spender);
  spender.budget.list(places.length, spender.at);
  const shape = [places.length];
  if (constant.dtype === 'string')
    return { dtype: 'string', shape, data: Array.from(places, (at) => constant.data[at]!) };
  const data = new (constant.data.constructor as Float32ArrayConstructor)(places.length);
  places.forEach((from, at) => {
    data[at] = constant.data[from] as number;
  });
  return { dtype: constant.dtype as NumericDType, shape, data } as OnnxConstant;
}

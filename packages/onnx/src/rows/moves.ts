import type { NumericDType, Tensor } from '@brezel/core';
import type { Flow, OnnxConstant } from '@brezel/flour';
import { tensorOperator } from '@brezel/tensors';
import { onnxError } from '../errors.js';
import { tensorOf } from './constant.js';
import { inALine } from './join.js';
import type { RowNode } from './row-node.js';
import { type Batch, product, type RowValue } from './value.js';

/** Operators that give elements of their input as they are, at places that depend on constants alone. */
const movers: readonly string[] =
  'Transpose Slice Split Gather GatherElements GatherND Tile Expand Compress ArrayFeatureExtractor DepthToSpace SpaceToDepth Concat'.split(
    ' ',
  );

/** Beyond that a list of columns costs more than it saves. */
export const MAX_MOVED = 2 ** 20;

/**
 * What a node moves, as columns of its rows: the operator is run on the places of the elements, and tells where each element of the result comes
 * from. Selecting columns has a kernel, and sees no axes. Undefined for other operators, and where indices come from the row.
 */
export function moved(node: RowNode, batchOf: (output: number) => Batch): (RowValue | undefined)[] | undefined {
  const operator = tensorOperator(node.domain, node.operator, node.opset);
  const rows = node.inputs.filter((input): input is RowValue => input?.kind === 'row');
  const isMoved = movers.includes(node.operator) && node.inputs[0]?.kind === 'row';
  if (!isMoved || operator === undefined || (rows.length > 1 && node.operator !== 'Concat')) return undefined;
  if (node.inputs.some((input) => input?.kind === 'constant' && input.batch !== undefined)) return undefined;
  const { element } = rows[0]!;
  if (rows.some((row) => row.element !== element)) return undefined;
  let place = 0;
  const results = operator.run({
    inputs: node.inputs.map((input): Tensor | undefined => {
      if (input?.kind !== 'row') return input && tensorOf(input.tensor, input.element);
      const places = BigInt64Array.from({ length: product(input.dims!) }, () => BigInt(place++));
      return { element: 'int64', shape: input.dims!, data: places };
    }),
    attributes: node.options(),
    opset: node.opset,
    outputs: node.outputs.length,
    budget: { take: (elements) => checkSize(node, elements) },
    fault: (received, hint) =>
      onnxError('ERR_ONNX_SHAPE', { received, at: node.at, ...(hint !== undefined && { hint }) }),
  });
  const source = sourceOf(rows);
  return node.outputs.map((name, output): RowValue | undefined => {
    const result = results[output] as Tensor;
    if (name === '') return undefined;
    const columns = Array.from(result.data as BigInt64Array, Number);
    const batch = batchOf(output);
    // The rule and the operator agree on where rows are.
    if (result.shape[batch.axis] !== batch.before * batch.after)
      throw onnxError('ERR_ONNX_SHAPE', {
        received: `${node.operator}: an output of shape [${result.shape}]`,
        at: node.at,
      });
    const isSame = columns.length === place && columns.every((column, at) => column === at);
    const flow = isSame ? source : source.selectColumns(columns);
    return { kind: 'row', flow, element, dims: result.shape, batch };
  });
}

/** Results are moved many times only by hostile files. */
function checkSize({ at }: RowNode, elements: number): void {
  if (elements <= 4 * MAX_MOVED) return;
  throw onnxError('ERR_ONNX_LIMIT', { received: `${elements} elements moved in one row`, at });
}

function sourceOf(rows: readonly RowValue[]): Flow<'vector'> {
  const [first, ...others] = rows.map(inALine) as [Flow<'vector'>, ...Flow<'vector'>[]];
  return others.length === 0 ? first : first.concat(...others);
}

/** The shape of the elements of all these shapes, repeated where they have one entry. Undefined where they do not fit. */
export function broadcastDims(shapes: readonly (readonly number[])[]): number[] | undefined {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  const sizes = Array.from({ length: rank }, (_, axis) => {
    const along = shapes.map((shape) => shape[axis - rank + shape.length] ?? 1);
    const size = along.find((one) => one !== 1) ?? 1;
    return along.every((one) => one === size || one === 1) ? size : -1;
  });
  return sizes.includes(-1) ? undefined : sizes;
}

/** Which element of a tensor stands at each place when it is repeated to a shape. */
export function repeatedPlaces(from: readonly number[], to: readonly number[]): number[] {
  const lead = to.length - from.length;
  const stepOf = (axis: number) => (axis < 0 || from[axis] === 1 ? 0 : product(from.slice(axis + 1)));
  return stridedPlaces(
    to,
    to.map((_, axis) => stepOf(axis - lead)),
  );
}

/** Where the elements lie that are `steps` apart along axes of these sizes. */
export function stridedPlaces(dims: readonly number[], steps: readonly number[]): number[] {
  let places = [0];
  dims.forEach((size, axis) => {
    places = places.flatMap((place) => Array.from({ length: size }, (_, at) => place + at * steps[axis]!));
  });
  return places;
}

/** A constant repeated to a shape, its elements in a line. */
export function repeatedConstant(constant: OnnxConstant, to: readonly number[]): OnnxConstant {
  const places = repeatedPlaces(constant.shape, to);
  const shape = [places.length];
  if (constant.dtype === 'string') return { dtype: 'string', shape, data: places.map((at) => constant.data[at]!) };
  const data = new (constant.data.constructor as Float32ArrayConstructor)(places.length);
  places.forEach((from, at) => {
    data[at] = constant.data[from] as number;
  });
  return { dtype: constant.dtype as NumericDType, shape, data } as OnnxConstant;
}

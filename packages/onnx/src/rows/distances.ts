import type { OnnxConstant } from '@brezel/flour';
import { makeNode } from '../proto/make.js';
import type { NodeProto } from '../proto/schema.js';
import { plainConstant } from './constant.js';
import type { RowNode } from './row-node.js';
import type { ConstantValue } from './value.js';

/**
 * The functions of the importer that `writeDistances` uses to convert several nodes instead of one.
 */
export interface DistanceHost {
  define(name: string, value: ConstantValue): void;
  convert(node: NodeProto): void;
}

/**
 * A CDist node that computes the distances from each row to constant points: the points, and
 * whether the distance is the root of the sum of squares (`euclidean`) or the sum itself
 * (`sqeuclidean`).
 */
interface Measured {
  readonly points: OnnxConstant;
  readonly isRooted: boolean;
}

/**
 * Returns the constant points and the metric of a CDist node. Returns undefined if the node is not
 * a CDist from rows to constant points, or if its metric is unknown.
 */
export function measuredPoints({ domain, operator, inputs, outputs, attributes }: RowNode): Measured | undefined {
  const [row, points] = inputs;
  const isKnown = domain === 'com.microsoft' && operator === 'CDist' && outputs.length === 1;
  if (!isKnown || inputs.length !== 2 || row?.kind !== 'row' || row.dims?.length !== 2) return undefined;
  const metric = attributes.string('metric', 'sqeuclidean');
  const isConstant = points?.kind === 'constant' && points.batch === undefined && points.byRows === undefined;
  if (!isConstant || points.element !== row.element || points.tensor.shape.length !== 2) return undefined;
  if (points.tensor.dtype === 'string' || points.tensor.shape[1] !== row.dims[1]) return undefined;
  return metric === 'euclidean' || metric === 'sqeuclidean'
    ? { points: points.tensor, isRooted: metric === 'euclidean' }
    : undefined;
}

/**
 * Writes a CDist as several nodes: differences along a new first axis, the sum of their squares,
 * and for `euclidean` its root. A Scan that computes distances to constant points becomes the same
 * nodes.
 */
export function writeDistances(proto: NodeProto, { points, isRooted }: Measured, host: DistanceHost): void {
  const [input, output] = [proto.input[0]!, proto.output[0]!];
  const own = (name: string) => `${output}/${name}`;
  const [count, size] = points.shape as [number, number];
  host.define(own('points'), plainConstant({ ...points, shape: [count, 1, size] } as OnnxConstant));
  host.convert(makeNode('Sub', [input, own('points')], [own('away')]));
  host.convert(makeNode('ReduceSumSquare', [own('away')], [own('sums')], { axes: { ints: [2] }, keepdims: { i: 0 } }));
  host.convert(makeNode('Transpose', [own('sums')], [isRooted ? own('turned') : output], { perm: { ints: [1, 0] } }));
  if (isRooted) host.convert(makeNode('Sqrt', [own('turned')], [output]));
}

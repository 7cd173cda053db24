import { sizeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import { lookupOnnx } from '../lookup/by-index.js';
import './index.js';

export const onnx = onnxMappings(
  {
    domain: 'ai.onnx.ml',
    operator: 'ArrayFeatureExtractor',
    versions: [1, 5],
    convert(use) {
      // The operator has two uses: columns of a row at constant indices, or an entry of a constant
      // at the row's index.
      if (use.constant(0) !== undefined) return [lookupOnnx(use)];
      return [columnsOf(use, integers(use, 1))];
    },
    /**
     * Returns the layout of a node that reads entries of a constant at the indices in a row. In
     * ONNX, the shape of its result is [1, rows * entries].
     */
    layout(use, output) {
      return use.constant(0) === undefined ? undefined : { dims: [1, sizeOf(output.type)], axis: 1 };
    },
  },
  {
    domain: '',
    operator: 'Slice',
    versions: [1, 25],
    convert(use) {
      const option = (name: string, index: number) =>
        use.opset < 10
          ? use.attributes.has(name)
            ? use.attributes.places(name)
            : undefined
          : use.inputs[index] && integers(use, index);
      const starts = option('starts', 1) ?? [];
      const ends = option('ends', 2) ?? [];
      const axes = option('axes', 3) ?? starts.map((_, axis) => axis);
      const steps = option('steps', 4) ?? starts.map(() => 1);
      if (axes.length !== 1 || (axes[0] !== 1 && axes[0] !== -1))
        throw use.unsupported(`Slice on axes [${axes}]`, 'only columns (axis 1) of a row can be cut');
      if (steps[0] === 0) throw use.unsupported('a Slice in steps of 0', 'the file is damaged');
      return [columnsOf(use, range(sizeOf(use.row(0).type), starts[0]!, ends[0]!, steps[0]!))];
    },
  },
);

function columnsOf(use: OnnxUse, columns: readonly number[]) {
  const flow = use.row(0);
  if (flow.kind !== 'vector') throw use.unsupported(`columns of a ${flow.kind}`);
  const size = sizeOf(flow.type);
  return (flow as Flow<'vector'>).selectColumns(columns.map((column) => (column < 0 ? column + size : column)));
}

function integers(use: OnnxUse, index: number): number[] {
  const constant = use.constant(index);
  if (constant === undefined || constant.dtype === 'string')
    throw use.unsupported(`input ${index} must be constant integers`);
  return Array.from(constant.data as ArrayLike<number | bigint>, Number);
}

/**
 * Returns the indices that a Slice selects. As in numpy, a negative `start` or `end` counts from
 * the end, and a `start` or `end` beyond the axis is moved to the nearest end of the axis.
 */
function range(size: number, start: number, end: number, step: number): number[] {
  const from = start < 0 ? Math.max(start + size, step < 0 ? -1 : 0) : Math.min(start, step < 0 ? size - 1 : size);
  const to = end < 0 ? Math.max(end + size, step < 0 ? -1 : 0) : Math.min(end, size);
  const columns: number[] = [];
  for (let at = from; step > 0 ? at < to : at > to; at += step) columns.push(at);
  return columns;
}

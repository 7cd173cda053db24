import { type DenseBlock, dense, type ReferenceKernel } from '@brezel/core';
import { SparseRows } from '@brezel/tensors';

export const edgeBins = ['above', 'below'] as const;
export type EdgeBin = (typeof edgeBins)[number];

export const binningOutputs = ['ordinal', 'oneHot', 'normalized'] as const;
/**
 * The form of the output of `Flow.binning`: the index of the bin, one-hot columns, or a scaled
 * index.
 */
export type BinningOutput = (typeof binningOutputs)[number];

/**
 * Computes the bin of each value: the number of edges below the value. With `edgeIn` `above`, an
 * edge that equals the value also counts. `normalized` divides the bin by the number of edges and
 * subtracts the offset of the column. NaN has no bin: it stays NaN, and sets no one-hot column.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, parameters }) => {
  const numbers = (name: string) => (parameters[name] as { data: Float32Array | Int32Array }).data;
  const [edges, starts, offsets] = [numbers('edges'), numbers('starts'), numbers('offsets')];
  const { values, size } = inputs[0] as DenseBlock<'float32'>;
  const passed = (value: number, edge: number) => (attributes.edgeIn === 'above' ? value >= edge : value > edge);
  const binOf = (value: number, column: number) =>
    edges.subarray(starts[column]!, starts[column + 1]!).filter((edge) => passed(value, edge)).length;
  if (attributes.output === 'oneHot') {
    const out = new SparseRows(edges.length + size);
    for (let row = 0; row < rows; row++) {
      const own = Array.from(values.subarray(row * size, (row + 1) * size), (value, column) => ({ value, column }));
      out.push(
        own
          .filter(({ value }) => !Number.isNaN(value))
          .map(({ value, column }) => [starts[column]! + column + binOf(value, column), 1] as const),
      );
    }
    return out.finish();
  }
  const bins = values.map((value, at) => {
    const column = at % size;
    if (Number.isNaN(value)) return value;
    const bin = binOf(value, column);
    if (attributes.output === 'ordinal') return bin;
    return Math.fround(bin / Math.max(1, starts[column + 1]! - starts[column]!)) - offsets[column]!;
  });
  return dense('float32', rows, size, bins);
};

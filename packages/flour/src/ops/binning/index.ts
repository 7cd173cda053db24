import { sizeOf, sparse, vector } from '@brezel/core';
import { ofLength, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, float32, int32, type Numbers, numbersOf } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { checkStarts, everyNumber, placeOf } from '../../numbers.js';
import '../densify/index.js';
import { contributions } from './contributions.js';
import { type BinningOutput, binningOutputs, type EdgeBin, edgeBins, reference } from './reference.js';

export type { BinningOutput } from './reference.js';

const at = 'binning';

/**
 * Defines the operator `binning`, which replaces each value by the index of its bin, or by a
 * one-hot vector. `Flow.binning` adds it to a program.
 *
 * Its parameters: `edges` (float32) lists the edges of all columns one after another. `starts`
 * (int32 `[columns + 1]`) holds the index of each column's first edge. `offsets` (float32
 * `[columns]`) is subtracted from the scaled index.
 */
export const binning = defineOp({
  name: at,
  version: 1,
  doc: {
    does: 'Replaces each value by the index of its bin, or by a one-hot vector.',
    types: 'float32[n] → float32[n], or sparse float32[bins]',
    attributes: {
      output: 'ordinal, oneHot or normalized',
      edgeIn: 'bin of a value that equals an edge: above or below',
    },
    parameters: {
      edges: 'float32[all edges], ascending within a column',
      starts: 'int32[n + 1], start of the edges of each column',
      offsets: 'float32[n], offsets of normalized bins',
    },
    kernels: ['binning'],
  },
  attributes: { output: 'infer', edgeIn: 'infer' },
  parameters: { edges: ['float32'], starts: ['int32'], offsets: ['float32'] },
  annotations: { cardinality: '1-to-n', bound: 'memory', state: 'featurizer' },
  infer(use) {
    const columns = sizeOf(ofNumbers(at, onlyInput(at, use, 'vector'), 'float32'));
    ofLength(at, 'starts', use, columns + 1);
    ofLength(at, 'offsets', use, columns);
    placeOf(at, 'edgeIn', use.attributes.edgeIn, edgeBins);
    const place = placeOf(at, 'output', use.attributes.output, binningOutputs);
    if (binningOutputs[place] === 'oneHot') return sparse(use.parameters.edges!.shape[0]! + columns);
    return vector('float32', columns);
  },
  reference,
  contributions,
  check({ parameters }) {
    const [edges, starts] = [parameters.edges!, parameters.starts!].map(numbersOf) as [Float32Array, Int32Array];
    checkStarts(at, starts, edges.length);
    for (let column = 0; column + 1 < starts.length; column++)
      checkEdges(edges.subarray(starts[column], starts[column + 1]));
  },
  kernel: ({ attributes }) => ({
    kernel: 'binning',
    parameters: ['edges', 'starts', 'offsets'],
    attributes: [
      binningOutputs.indexOf(attributes.output as BinningOutput),
      edgeBins.indexOf(attributes.edgeIn as EdgeBin),
    ],
  }),
});

/** Edges and options of `Flow.binning`. */
export interface BinningOptions {
  /**
   * The inner edges of each column, ascending: k edges separate k + 1 bins (scikit-learn's
   * `bin_edges_` without the first and last).
   */
  readonly edges: readonly Numbers[];
  /**
   * Which bin contains a value that equals an edge: the bin `above` (default, as in scikit-learn)
   * or `below` the edge (as in ML.NET).
   */
  readonly edgeIn?: EdgeBin;
  /**
   * `ordinal` (default): the index of the bin. `oneHot`: a 1 in the column of the bin.
   * `normalized`: the index divided by the number of edges, as in ML.NET.
   */
  readonly output?: BinningOutput;
  /**
   * If true, the output `normalized` subtracts the result for the value 0, so that 0 stays 0, as
   * with ML.NET's `fixZero`. Default false.
   */
  readonly fixZero?: boolean;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Replaces each value by its bin. Each column has its own list of edges.
     *
     * Shapes: float32 `[d]` → `ordinal`, `normalized`: float32 `[d]`; `oneHot`: sparse `[d + all
     * edges]` with a 1 per column. Cost: O(all edges). NaN stays NaN; with `oneHot`, NaN sets no
     * column to 1. Bit-equal on every engine.
     * @throws ERR_FLOUR_SIZE unless there is one list of edges per column.
     * @throws ERR_FLOUR_PARAM for edges that are NaN or do not ascend.
     * @see Source: scikit-learn KBinsDiscretizer (uniform, quantile, kmeans); ML.NET
     * NormalizeBinning, NormalizeSupervisedBinning.
     * @example features.binning({ edges: [[0, 1], [0.5]], output: 'oneHot' })
     */
    binning(this: Flow<'vector', Row, unknown>, options: BinningOptions): Flow<'vector', Row>;
  }
}

function checkEdges(edges: Float32Array): void {
  everyNumber(at, 'edges that are no NaN', edges, (edge) => !Number.isNaN(edge));
  const ascends = edges.every((edge, place) => place === 0 || edge >= edges[place - 1]!);
  if (!ascends) throw flourError('ERR_FLOUR_PARAM', { expected: 'ascending edges', received: edges.join(', '), at });
}

Flow.prototype.binning = function (
  this: Flow<'vector'>,
  { edges, edgeIn = 'above', output = 'ordinal', fixZero = false },
) {
  const columns = sizeOf(this.type);
  if (edges.length !== columns) {
    throw flourError('ERR_FLOUR_SIZE', { expected: `edges of ${columns} columns`, received: `${edges.length}`, at });
  }
  const lists = edges.map((list) => Float32Array.from(list, Number));
  lists.forEach(checkEdges);
  const starts = [0];
  for (const list of lists) starts.push(starts.at(-1)! + list.length);
  const zeroBin = (list: Float32Array) => list.filter((edge) => (edgeIn === 'above' ? edge <= 0 : edge < 0)).length;
  const offsets = lists.map((list) => (fixZero ? zeroBin(list) / Math.max(1, list.length) : 0));
  return this.context.apply<'vector'>(binning, [this.densify()], {
    attributes: { output, edgeIn },
    parameters: {
      edges: float32(lists.flatMap((list) => [...list])),
      starts: int32(starts),
      offsets: float32(offsets),
    },
  });
};

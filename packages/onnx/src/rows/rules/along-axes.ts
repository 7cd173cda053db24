import { axisOf, type BatchRule, besides, intsOption, onlyRow, type RuleUse, type Seen, shifted } from '../rule.js';
import type { Batch } from '../value.js';

// Rules for operators that work along some axes of one value. The rows must be on another axis.

const reduce: BatchRule = (use) => {
  const row = onlyRow(use);
  const axes = intsOption(use, 'axes', 1) ?? [];
  if (axes.length === 0 && use.attributes.int('noop_with_empty_axes', 0) === 1) return row.batch;
  if (axes.length === 0) throw use.mixes('it reduces all axes');
  return reduced(use, row, axes);
};

/**
 * Returns the layout of the rows after an operator has reduced `axes`. With `keepdims` these axes
 * remain with size 1, otherwise they are removed.
 */
function reduced(use: RuleUse, row: Seen & { batch: Batch }, axes: readonly number[]): Batch {
  const batch = besides(use, row, axes);
  if (use.attributes.int('keepdims', 1) === 1) return batch;
  const gone = axes.map((axis) => axisOf(use, axis, row.dims.length)).filter((axis) => axis < batch.axis);
  return shifted(batch, -new Set(gone).size);
}

/** Returns the batch rule of an operator that works along the axis in its attribute `name`. */
const along =
  (otherwise: number, name = 'axis'): BatchRule =>
  (use) =>
    besides(use, onlyRow(use), [use.attributes.int(name, otherwise)]);

/** Batch rule for Softmax. In older operator sets it works along `axis` and all axes after it. */
const softmax: BatchRule = (use) => {
  if (use.opset >= 13) return along(-1)(use);
  const row = onlyRow(use);
  const [axis, rank] = [use.attributes.int('axis', 1), row.dims.length];
  // No axis follows the last one.
  return besides(use, row, axis === rank ? [] : range(axisOf(use, axis, rank), rank));
};

const fromAxisOn =
  (otherwise: number): BatchRule =>
  (use) => {
    const row = onlyRow(use);
    const axis = axisOf(use, use.attributes.int('axis', otherwise), row.dims.length);
    return besides(use, row, range(axis, row.dims.length));
  };

const cumulative: BatchRule = (use) => besides(use, onlyRow(use), use.ints(1) ?? []);

const lastTwo: BatchRule = (use) => besides(use, onlyRow(use), [-1, -2]);

const slice: BatchRule = (use) => {
  const row = onlyRow(use);
  const starts = intsOption(use, 'starts', 1) ?? [];
  const ends = intsOption(use, 'ends', 2) ?? [];
  const axes = intsOption(use, 'axes', 3) ?? starts.map((_, axis) => axis);
  const steps = use.ints(4) ?? [];
  // A slice of all rows in order is allowed, because files write it to keep an axis unchanged. No
  // input has more than 2^31 rows.
  const isWhole = (at: number) => starts[at] === 0 && ends[at]! >= 2 ** 31 - 1 && (steps[at] ?? 1) === 1;
  const cut = axes.filter((axis, at) => axisOf(use, axis, row.dims.length) !== row.batch.axis || !isWhole(at));
  return besides(use, row, cut);
};

const split: BatchRule = along(0);

const pad: BatchRule = (use) => {
  const row = onlyRow(use);
  const pads = intsOption(use, 'pads', 1) ?? [];
  const axes = use.ints(3) ?? row.dims.map((_, axis) => axis);
  const padded = axes.filter((_, at) => pads[at] !== 0 || pads[at + axes.length] !== 0);
  return besides(use, row, padded);
};

const tile: BatchRule = (use) => {
  const row = onlyRow(use);
  const repeats = use.ints(1) ?? [];
  return besides(
    use,
    row,
    row.dims.map((_, axis) => axis).filter((axis) => repeats[axis] !== 1),
  );
};

const compress: BatchRule = (use) => {
  const row = onlyRow(use);
  if (!use.attributes.has('axis')) throw use.mixes('it selects among all elements');
  return besides(use, row, [use.attributes.int('axis')]);
};

/** Batch rule for OneHot, which adds an axis for the categories. */
const oneHot: BatchRule = (use) => {
  const { dims, batch } = onlyRow(use);
  const axis = axisOf(use, use.attributes.int('axis', -1), dims.length + 1);
  return shifted(batch, axis <= batch.axis ? 1 : 0);
};

/**
 * Batch rule for quantization. A scale and a zero point are single numbers, or lists with a number
 * for each entry of one axis. This axis must not count the rows.
 */
const quantize: BatchRule = (use) => {
  const row = onlyRow(use);
  return (use.inputs[1]?.dims.length ?? 0) === 0 ? row.batch : along(1)(use);
};

const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);

/** Operators that reduce axes to a single entry. */
export const reductions: readonly string[] =
  'ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare'.split(
    ' ',
  );

export const alongAxesRules: Readonly<Record<string, BatchRule>> = {
  ...Object.fromEntries(reductions.map((name) => [name, reduce])),
  ArgMax: (use) => reduced(use, onlyRow(use), [use.attributes.int('axis', 0)]),
  ArgMin: (use) => reduced(use, onlyRow(use), [use.attributes.int('axis', 0)]),
  Softmax: softmax,
  LogSoftmax: softmax,
  Hardmax: softmax,
  LpNormalization: along(-1),
  TopK: along(-1),
  CumSum: cumulative,
  CumProd: cumulative,
  LayerNormalization: fromAxisOn(-1),
  SimplifiedLayerNormalization: fromAxisOn(-1),
  RMSNormalization: fromAxisOn(-1),
  MeanVarianceNormalization: (use) =>
    besides(use, onlyRow(use), use.attributes.has('axes') ? use.attributes.ints('axes') : [0, 2, 3]),
  Det: (use) => besides(use, onlyRow(use), [-1, -2]),
  Trilu: lastTwo,
  Slice: slice,
  Split: split,
  Pad: pad,
  Tile: tile,
  Compress: compress,
  OneHot: oneHot,
  QuantizeLinear: quantize,
  DequantizeLinear: quantize,
};

import { axisOf, type BatchRule, besides, onlyRow, type RuleUse, type Seen, shifted } from '../rule.js';
import { around, type Batch, batchAt, product } from '../value.js';

/**
 * Batch rule for Gather, which selects entries along an axis of the data. In the result, the axes
 * of the indices replace this axis.
 */
const gather: BatchRule = (use) => {
  const [data, indices] = pair(use);
  const axis = axisOf(use, use.attributes.int('axis', 0), data.dims.length);
  if (data.batch !== undefined && indices.batch !== undefined) throw use.mixes('indices of a row for all rows');
  if (data.batch === undefined) return shifted(indices.batch!, axis);
  const batch = besides(use, data as Seen & { batch: Batch }, [axis]);
  return shifted(batch, batch.axis > axis ? indices.dims.length - 1 : 0);
};

/**
 * Batch rule for operators that work along one axis. Another axis must count the rows, and it must
 * be the same axis in all inputs.
 */
const inPlace: BatchRule = (use) => {
  const rows = use.inputs.filter((input): input is Seen & { batch: Batch } => input?.batch !== undefined);
  const [first] = rows as [Seen & { batch: Batch }];
  const alike = use.inputs.every((input) => {
    const batch = input?.batch;
    return batch?.axis === first.batch.axis && batch.before === first.batch.before && batch.after === first.batch.after;
  });
  if (!alike) throw use.mixes('not all of its inputs have rows at one axis');
  return besides(use, first, [use.attributes.int('axis', 0)]);
};

const gatherNd: BatchRule = (use) => {
  const [data, indices] = pair(use);
  const shared = use.attributes.int('batch_dims', 0);
  const [a, b] = [data.batch, indices.batch];
  if (a !== undefined && b !== undefined) {
    if (a.axis === b.axis && a.axis < shared && a.before === b.before && a.after === b.after) return a;
    throw use.mixes('indices of a row for all rows');
  }
  const depth = indices.dims.at(-1)!;
  if (a === undefined) {
    if (b!.axis < shared || b!.axis === indices.dims.length - 1) throw use.mixes('rows along the axis of the indices');
    return b!;
  }
  if (a.axis < shared + depth) throw use.mixes('indices among the rows');
  return shifted(a, indices.dims.length - 1 - shared - depth);
};

function pair(use: RuleUse): [Seen, Seen] {
  const [data, indices] = use.inputs;
  if (data === undefined || indices === undefined) throw use.mixes('no indices');
  if (data.batch === undefined && indices.batch === undefined) throw use.mixes('rows at a third input, of two');
  return [data, indices];
}

/**
 * Batch rule for ArrayFeatureExtractor, which selects columns of rows, or entries of a constant. If
 * the data is a constant, each index of the row selects an entry along the last axis.
 */
const arrayFeatureExtractor: BatchRule = (use) => {
  const [data, indices] = pair(use);
  if (data.batch !== undefined) {
    if (data.dims.length === 1) throw use.mixes('entries of all rows');
    return besides(use, onlyRow(use), [-1]);
  }
  const { before, after } = around(indices.dims, indices.batch!);
  return { axis: Math.max(1, data.dims.length - 1), before, after };
};

/**
 * Batch rule for Concat. The same axis must count the rows in all inputs. Concat may work along
 * this axis or along another one.
 */
const concat: BatchRule = (use) => {
  const [first, ...others] = use.inputs as readonly [Seen, ...Seen[]];
  if (!use.inputs.every((input) => input?.batch !== undefined)) throw use.mixes('rows are joined with a constant');
  const batch = first.batch!;
  const same = ({ batch: b }: Seen) => b!.axis === batch.axis && b!.after === batch.after;
  const isAlong = axisOf(use, use.attributes.int('axis', 1), first.dims.length) === batch.axis;
  if (!others.every((value) => same(value) && (isAlong || value.batch!.before === batch.before)))
    throw use.mixes('rows lie at different axes of its inputs');
  if (!isAlong) return batch;
  // The rows of the first input precede the rows of the second input: [rows | rows] has the order
  // of [2, rows] in one axis.
  return { ...batch, before: use.inputs.reduce((sum, input) => sum + input!.batch!.before, 0) };
};

/**
 * Batch rule for Expand, which broadcasts a tensor to a shape. For the axis that counts the rows,
 * the shape must contain 1 or the number of rows.
 */
const expand: BatchRule = (use) => {
  const [row, shape] = use.inputs;
  if (row?.batch === undefined || shape?.constant === undefined) throw use.mixes('a shape that depends on rows');
  if (dependsElsewhere(shape, row)) throw use.mixes('a shape that depends on the number of rows');
  const wanted = Array.from(shape.constant.data as ArrayLike<number | bigint>, Number);
  const axis = row.batch.axis - row.dims.length;
  const rank = Math.max(wanted.length, row.dims.length);
  const size = wanted.at(axis) ?? 1;
  if (size !== 1 && size !== product([row.batch.before, row.batch.after]))
    throw use.mixes(`rows repeated ${size} times`);
  return { ...row.batch, axis: rank + axis };
};

/**
 * Returns whether the number of rows changes a size in the target shape, apart from the axis that
 * counts the rows.
 */
function dependsElsewhere({ byRows }: Seen, row: Seen): boolean {
  if (byRows === undefined) return false;
  const [shape, doubled] = byRows.map(({ data }) => Array.from(data as ArrayLike<number | bigint>, Number)) as [
    number[],
    number[],
  ];
  const axis = shape.length - row.dims.length + row.batch!.axis;
  return shape.some((size, at) => at !== axis && size !== doubled[at]);
}

/**
 * Batch rule for convolutions, poolings and normalizations by channel: the first axis of the input
 * must count the rows. The first axis of the result then counts the rows too.
 */
const batchFirst: BatchRule = (use) => {
  const { batch } = onlyRow(use);
  if (use.attributes.int('training_mode', 0) !== 0) throw use.mixes('statistics of all rows');
  if (batch.axis === 0 && batch.before === 1 && batch.after === 1) return batch;
  throw use.mixes('rows must lie along its first axis');
};

/**
 * Batch rule for recurrent networks. The axes of the data are [time, row, input] if the attribute
 * `layout` is 0, and [row, time, input] if it is 1. The axes of an initial state are [direction,
 * row, hidden] or [row, direction, hidden]. The sequence lengths have one axis, which counts the
 * rows.
 */
const recurrent: BatchRule = (use) => {
  const [first, ...others] = use.inputs;
  if (first?.batch === undefined) throw use.mixes('its data is constant');
  const isRowFirst = use.attributes.int('layout', 0) === 1;
  const at = isRowFirst ? 0 : 1;
  const isAt = ({ axis, before, after }: Batch, wanted: number) => axis === wanted && before * after === 1;
  if (!isAt(first.batch, at)) throw use.mixes('rows along another axis');
  others.forEach((input, index) => {
    const wanted = [undefined, undefined, undefined, 0, at, at][index];
    if (input?.batch === undefined) return;
    if (wanted === undefined || !isAt(input.batch, wanted)) throw use.mixes(`input ${index + 1} has rows`);
  });
  return isRowFirst ? [batchAt(0), batchAt(0), batchAt(0)] : [batchAt(2), batchAt(1), batchAt(1)];
};

const spatial =
  'Conv ConvInteger ConvTranspose MaxPool AveragePool LpPool GlobalAveragePool GlobalMaxPool GlobalLpPool BatchNormalization ' +
  'InstanceNormalization GroupNormalization LRN DepthToSpace SpaceToDepth';

export const gatherRules: Readonly<Record<string, BatchRule>> = {
  ...Object.fromEntries(spatial.split(' ').map((name) => [name, batchFirst])),
  Gather: gather,
  GatherElements: inPlace,
  ScatterElements: inPlace,
  Scatter: inPlace,
  GatherND: gatherNd,
  Concat: concat,
  Expand: expand,
  LSTM: recurrent,
  GRU: recurrent,
  RNN: recurrent,
};

/** Batch rules of the operators of ai.onnx.ml that are not elementwise. */
export const mlRules: Readonly<Record<string, BatchRule>> = {
  ArrayFeatureExtractor: arrayFeatureExtractor,
};

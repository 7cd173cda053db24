import { axisOf, intsOption, onlyRow, type RuleUse, type Seen } from './rule.js';
import { around, type Batch, checkRank, product } from './value.js';

/**
 * The shape and the row layout of a node's result. The result has the elements of the node's input
 * in the same order.
 */
export interface Retyped {
  readonly dims: readonly number[];
  readonly batch: Batch;
}

type Retype = (use: RuleUse) => Retyped;

/**
 * Returns the layout of a row after its shape became `dims`, if axis `axis` then counts the rows.
 * Returns undefined if the elements of different rows would mix on this axis.
 */
function placed(row: Seen & { batch: Batch }, dims: readonly number[], axis: number): Retyped | undefined {
  const entries = around(row.dims, row.batch);
  const before = entries.before / product(dims.slice(0, axis));
  const after = entries.after / product(dims.slice(axis + 1));
  const fits = Number.isInteger(before) && Number.isInteger(after) && dims[axis] === before * after;
  return fits ? { dims, batch: { axis, before, after } } : undefined;
}

/**
 * Returns the function that converts Reshape. If `isFixed` is true, the file declares exactly one
 * row, so the target shape may contain a fixed 1 instead of the number of rows.
 */
const reshape =
  (isFixed: boolean): Retype =>
  (use) => {
    const row = onlyRow({ ...use, inputs: use.inputs.slice(0, 1) });
    const target = use.inputs[1];
    const wanted = target === undefined ? use.attributes.ints('shape') : integers(target);
    checkRank(wanted, use.operator);
    const copies = use.attributes.int('allowzero', 0) !== 1;
    const sizes = wanted.map((size, axis) => (size === 0 && copies ? (row.dims[axis] ?? 0) : size));
    const open = sizes.indexOf(-1);
    const known = product(sizes.filter((size) => size !== -1));
    const dims = sizes.map((size) => (size === -1 ? product(row.dims) / known : size));
    if (product(dims) !== product(row.dims)) throw use.mixes(`${product(row.dims)} elements of a row to [${wanted}]`);
    const candidates = rowAxes(row, wanted, copies, target);
    if (candidates.length === 0 && open >= 0) candidates.push(open);
    if (isFixed) candidates.push(...dims.flatMap((size, axis) => (size === 1 ? [axis] : [])), ...dims.keys());
    for (const axis of candidates) {
      const found = placed(row, dims, axis);
      if (found !== undefined) return found;
    }
    throw use.mixes(`a new shape [${wanted}] for [${row.dims}] with rows at axis ${row.batch.axis}`);
  };

/**
 * Returns the axes of the target shape that may count the rows: the axis that copies the number of
 * rows from the input (0 in the target shape), and axes whose size grows with the number of rows.
 */
function rowAxes(row: Seen & { batch: Batch }, wanted: readonly number[], copies: boolean, target: Seen | undefined) {
  const copied = copies && wanted[row.batch.axis] === 0 ? [row.batch.axis] : [];
  const [single, double] = (target?.byRows ?? []).map(({ data }) =>
    Array.from(data as ArrayLike<number | bigint>, Number),
  );
  const growing = single?.flatMap((size, axis) => (double![axis] === 2 * size && size > 0 ? [axis] : [])) ?? [];
  return [...copied, ...growing];
}

const integers = ({ constant }: Seen) => Array.from((constant?.data ?? []) as ArrayLike<number | bigint>, Number);

const flatten: Retype = (use) => {
  const row = onlyRow(use);
  const written = use.attributes.int('axis', 1);
  const axis = written === row.dims.length ? written : axisOf(use, written, row.dims.length);
  const dims = [product(row.dims.slice(0, axis)), product(row.dims.slice(axis))];
  const found = placed(row, dims, row.batch.axis < axis ? 0 : 1);
  if (found !== undefined) return found;
  throw use.mixes(`a flat shape [${dims}]`);
};

const squeeze: Retype = (use) => {
  const row = onlyRow(use);
  const rank = row.dims.length;
  const listed = intsOption(use, 'axes', 1)?.map((axis) => axisOf(use, axis, rank));
  const ones = row.dims.flatMap((size, axis) => (size === 1 && axis !== row.batch.axis ? [axis] : []));
  const gone = new Set(listed === undefined || listed.length === 0 ? ones : listed);
  const wrong = [...gone].find((axis) => axis === row.batch.axis || row.dims[axis] !== 1);
  if (wrong !== undefined)
    throw use.mixes(`axis ${wrong} of [${row.dims}] cannot go, rows lie at axis ${row.batch.axis}`);
  const dims = row.dims.filter((_, axis) => !gone.has(axis));
  const by = [...gone].filter((axis) => axis < row.batch.axis).length;
  return { dims, batch: { ...row.batch, axis: row.batch.axis - by } };
};

const unsqueeze: Retype = (use) => {
  const row = onlyRow(use);
  const axes = intsOption(use, 'axes', 1) ?? [];
  checkRank([...row.dims, ...axes], use.operator);
  const rank = row.dims.length + axes.length;
  const added = new Set(axes.map((axis) => axisOf(use, axis, rank)));
  if (added.size !== axes.length) throw use.mixes(`axes [${axes}]`);
  const remaining = Array.from({ length: rank }, (_, axis) => axis).filter((axis) => !added.has(axis));
  const dims = Array.from({ length: rank }, (_, axis) => (added.has(axis) ? 1 : row.dims[remaining.indexOf(axis)]!));
  return { dims, batch: { ...row.batch, axis: remaining[row.batch.axis]! } };
};

const same: Retype = (use) => {
  const { dims, batch } = onlyRow({ ...use, inputs: use.inputs.slice(0, 1) });
  return { dims, batch };
};

/**
 * Returns the shape of the input, because Dropout changes elements only during training. Throws if
 * the node may train.
 */
const dropout: Retype = (use) => {
  const training = use.inputs[2];
  if (training !== undefined && training.constant?.data[0] !== 0) throw use.mixes('it may train');
  return same(use);
};

/** The result of a Transpose. */
interface Transposed extends Retyped {
  /** The axes of the input, in the order of the result. */
  readonly order: readonly number[];
  /** Whether the elements of a row keep their order. */
  readonly isAlias: boolean;
}

/**
 * Returns the result of a Transpose. `isAlias` is true if the node moves only the axis that counts
 * the rows, or axes of size 1. The elements of a row then keep their order.
 */
export function transposed(use: RuleUse): Transposed {
  const { dims, batch } = onlyRow(use);
  const order = use.attributes.has('perm') ? use.attributes.ints('perm') : dims.map((_, axis) => axis).reverse();
  if (order.length !== dims.length || order.toSorted((a, b) => a - b).some((axis, at) => axis !== at))
    throw use.mixes(`a permutation [${order}] of ${dims.length} axes`);
  const wide = order.filter((axis) => axis !== batch.axis && dims[axis] !== 1);
  const isAlias = wide.every((axis, at) => at === 0 || wide[at - 1]! < axis) && batch.before * batch.after === 1;
  return {
    dims: order.map((axis) => dims[axis]!),
    batch: { ...batch, axis: order.indexOf(batch.axis) },
    order,
    isAlias,
  };
}

/** Returns, by operator, the functions that convert operators that change only the shape. */
export const retypes = (isFixed: boolean): Readonly<Record<string, Retype>> => ({
  Reshape: reshape(isFixed),
  Flatten: flatten,
  Squeeze: squeeze,
  Unsqueeze: unsqueeze,
  Identity: same,
  Dropout: dropout,
});

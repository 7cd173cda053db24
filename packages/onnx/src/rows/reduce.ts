import { type Flow, onnxReductions } from '@brezel/flour';
import { type Runs, runsAlong } from './along.js';
import type { Spender } from './moves.js';
import type { RowNode } from './row-node.js';
import { axisOf, intsOption, type RuleUse } from './rule.js';
import { type Batch, product, type RowValue } from './value.js';

/**
 * Converts a node that reduces or normalizes elements along any axes, such as ReduceSum or Softmax.
 * First makes the elements along these axes adjacent, because Flour's operators process adjacent
 * elements. Returns undefined if Flour has no operator for the node.
 */
export function reducedRows(node: RowNode, use: RuleUse, batch: Batch): readonly RowValue[] | undefined {
  const [row] = node.inputs;
  if (row?.kind !== 'row' || row.dims === undefined || node.domain !== '' || !computed.has(row.element))
    return undefined;
  if (product(row.dims) === 0) return undefined;
  if (Object.hasOwn(onnxReductions, node.operator) || node.operator === 'ReduceLogSum')
    return reduced(node, use, row, batch);
  if (node.operator === 'ArgMax' || node.operator === 'ArgMin') return best(node, use, row, batch);
  const isFloat = row.element === 'float32' || row.element === 'float64';
  if (isFloat && sharing.has(node.operator)) return shares(node, use, row, batch);
  if (isFloat && node.operator === 'LpNormalization') return ofLengthOne(node, use, row, batch);
  return undefined;
}

const sharing: ReadonlySet<string> = new Set(['Softmax', 'LogSoftmax', 'Hardmax']);

/** The element types for which reductions have kernels. */
const computed: ReadonlySet<string> = new Set(['float32', 'float64', 'int64', 'int32']);

function reduced(node: RowNode, use: RuleUse, row: RowValue, batch: Batch): readonly RowValue[] | undefined {
  const axes = (intsOption(use, 'axes', 1) ?? []).map((axis) => axisOf(use, axis, row.dims!.length));
  const runs = runsAlong(row, axes, node);
  if (runs === undefined) return undefined;
  const isLog = node.operator === 'ReduceLogSum';
  if (isLog && !row.element.startsWith('float')) return undefined;
  const reduction = isLog ? 'sum' : onnxReductions[node.operator]!;
  const { flow, parts } = runs;
  const result = parts === 1 ? flow.reduce(reduction) : flow.reduce(reduction, { parts });
  const logarithm = isLog ? (result as Flow<'vector'>).map('log') : result;
  return [{ ...row, flow: logarithm, dims: reducedDims(use, row, axes), batch }];
}

function reducedDims(use: RuleUse, { dims }: RowValue, axes: readonly number[]): readonly number[] {
  if (use.attributes.int('keepdims', 1) !== 1) return dims!.filter((_, axis) => !axes.includes(axis));
  return dims!.map((size, axis) => (axes.includes(axis) ? 1 : size));
}

function best(node: RowNode, use: RuleUse, row: RowValue, batch: Batch): readonly RowValue[] | undefined {
  const axis = axisOf(use, use.attributes.int('axis', 0), row.dims!.length);
  const runs = runsAlong(row, [axis], node);
  if (runs === undefined) return undefined;
  const { flow, parts } = runs;
  const options = {
    of: node.operator === 'ArgMin' ? 'least' : 'greatest',
    equals: use.attributes.int('select_last_index', 0) === 0 ? 'first' : 'last',
  } as const;
  const found: Flow = parts === 1 ? flow.argMax(options) : flow.argMax({ ...options, parts });
  return [{ ...row, flow: found, element: 'int64', dims: reducedDims(use, row, [axis]), batch }];
}

/**
 * Converts Softmax, LogSoftmax or Hardmax. Since version 13 these operators work along one axis.
 * Before, they work along `axis` and all axes after it.
 */
function shares(node: RowNode, use: RuleUse, row: RowValue, batch: Batch): RowValue[] | undefined {
  const { operator, opset } = node;
  const [rank, written] = [row.dims!.length, use.attributes.int('axis', opset < 13 ? 1 : -1)];
  if (written === rank) return undefined; // no axis follows the last one
  const axis = axisOf(use, written, rank);
  const axes = opset < 13 ? row.dims!.map((_, at) => at).slice(axis) : [axis];
  const runs = runsAlong(row, axes, node, operator === 'Hardmax' ? 2 : 0);
  if (runs === undefined) return undefined;
  const { flow, parts } = runs;
  if (operator === 'Hardmax') return [{ ...row, flow: runs.back(marked(runs, row, node)), batch }];
  const options = { ...(operator === 'LogSoftmax' && { logarithm: true }), ...(parts > 1 && { parts }) };
  return [{ ...row, flow: runs.back(flow.softmax(options)), batch }];
}

/**
 * Computes Hardmax: in each part of the row, 1 for the first of the greatest elements and 0 for all
 * others.
 */
function marked({ flow, parts }: Runs, { dims, element }: RowValue, spender: Spender): Flow<'vector'> {
  const size = product(dims!) / parts;
  const best = flow.argMax({ parts }).selectColumns(runOfEach(parts, size, spender));
  spender.budget.columns(parts * size, spender.at);
  const places = new BigInt64Array(parts * size);
  for (let index = 0; index < size; index++) places[index] = BigInt(index);
  for (let part = 1; part < parts; part++) places.copyWithin(part * size, 0, size);
  return best.compare('equal', places).cast(element as 'float32' | 'float64');
}

/** Returns the index of the part to which each element belongs. Each part has `size` elements. */
function runOfEach(parts: number, size: number, { budget, at }: Spender): Int32Array {
  budget.columns(parts * size, at);
  const runs = new Int32Array(parts * size);
  for (let part = 0; part < parts; part++) runs.fill(part, part * size, (part + 1) * size);
  return runs;
}

/**
 * The largest number of parts of a float32 row that `normalized` divides by their norms. Each part
 * needs a separate operator.
 */
const MAX_RUNS = 64;

/**
 * Converts LpNormalization: divides each part of the row by its L1 or L2 norm. A part with norm 0
 * stays unchanged.
 */
function ofLengthOne(node: RowNode, use: RuleUse, row: RowValue, batch: Batch): RowValue[] | undefined {
  const order = use.attributes.int('p', 2);
  if (order !== 1 && order !== 2) return undefined;
  const runs = runsAlong(row, [axisOf(use, use.attributes.int('axis', -1), row.dims!.length)], node, 1);
  if (runs === undefined) return undefined;
  const size = product(row.dims!) / runs.parts;
  const flow =
    row.element === 'float64' ? dividedByLengths(runs, size, order, node) : normalized(runs, size, order, node);
  return flow && [{ ...row, flow: runs.back(flow), batch }];
}

function dividedByLengths({ flow, parts }: Runs, size: number, order: 1 | 2, spender: Spender): Flow<'vector'> {
  const lengths = flow.reduce(order === 1 ? 'sumOfAbsolutes' : 'length', { parts });
  const divisors = lengths.compare('equal', 0).where(1, lengths);
  return flow.arithmetic('divide', divisors.selectColumns(runOfEach(parts, size, spender)));
}

/**
 * Divides float32 parts by their norms with the operator `normalize`, which adds in lanes
 * (native/README.md, section 1). That operator supports only whole rows, so each part needs a
 * separate use of it.
 */
function normalized(
  { flow, parts }: Runs,
  size: number,
  order: 1 | 2,
  { budget, at }: Spender,
): Flow<'vector'> | undefined {
  if (parts > MAX_RUNS) return undefined;
  budget.columns(parts * size, at);
  const all = Int32Array.from({ length: parts * size }, (_, index) => index);
  const columns = (part: number) => all.subarray(part * size, (part + 1) * size);
  const [first, ...others] = Array.from({ length: parts }, (_, part) =>
    flow.selectColumns(columns(part)).normalize(order === 1 ? 'l1' : 'l2'),
  );
  return others.length === 0 ? first! : first!.concat(...others);
}

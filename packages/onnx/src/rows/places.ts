import type { Flow } from '@brezel/flour';
import { inALine } from './join.js';
import { type Spender, stridedPlaces } from './moves.js';
import { product, type RowValue } from './value.js';

/**
 * Describes which elements of the flattened data the indices of a row select. If the data has one
 * axis, positions equal indices, and the operators `gather` and `scatter` check them.
 */
export interface Places {
  readonly places: Flow<'vector'>;
  /** The number of elements that each position selects. */
  readonly block: number;
  /** The shape of the selected elements together. */
  readonly dims: readonly number[];
}

/** The largest list of positions. A longer list costs more than kernels save. */
const MAX_PLACES = 2 ** 20;

/**
 * Returns the positions for GatherElements and ScatterElements. Along `axis`, the value in
 * `indices` selects the element; along other axes, the element's position in `indices` selects it.
 * Returns undefined if the axes do not match.
 */
export function elementPlaces(
  indices: RowValue,
  data: readonly number[],
  axis: number,
  spender: Spender,
): Places | undefined {
  const dims = indices.dims!;
  const fits = dims.length === data.length && dims.every((size, at) => at === axis || size <= data[at]!);
  if (!fits || !isUsable(indices, data)) return undefined;
  const steps = data.map((_, at) => product(data.slice(at + 1)));
  const isOnly = product(data) === data[axis];
  const places = isOnly ? lineOf(indices) : lineOf(indices).ravelIndex([data[axis]!], [steps[axis]!]);
  return { places: from(places, stridedPlaces(dims, steps.with(axis, 0), spender)), block: 1, dims };
}

/**
 * Returns the positions for GatherND and ScatterND: tuples along the last axis of the indices
 * select groups of adjacent elements. Data and indices share the first `shared` axes. Returns
 * undefined if the axes do not match.
 */
export function blockPlaces(
  indices: RowValue,
  data: readonly number[],
  shared: number,
  spender: Spender,
): Places | undefined {
  const [lead, width] = [indices.dims!.slice(0, -1), indices.dims!.at(-1) ?? 0];
  const isSame = shared <= lead.length && lead.slice(0, shared).every((size, at) => size === data[at]);
  const isTuple = width >= 1 && width <= data.length - shared;
  if (shared < 0 || !isSame || !isTuple || !isUsable(indices, data)) return undefined;
  const behind = shared + width;
  const isOnly = width === 1 && product(data.slice(0, behind)) === data[shared];
  const places = isOnly ? lineOf(indices) : lineOf(indices).ravelIndex(data.slice(shared, behind));
  const steps = lead.map((_, at) => (at < shared ? product(data.slice(at + 1, behind)) : 0));
  const inner = data.slice(behind);
  return {
    places: from(places, stridedPlaces(lead, steps, spender)),
    block: product(inner),
    dims: [...lead, ...inner],
  };
}

const lineOf = (indices: RowValue) => inALine(indices).cast('int64') as Flow<'vector'>;

function isUsable({ element, dims }: RowValue, data: readonly number[]): boolean {
  const isFew = product(dims!) > 0 && product(dims!) <= MAX_PLACES && product(data) > 0;
  return isFew && (element === 'int64' || element === 'int32');
}

const from = (places: Flow<'vector'>, begin: Int32Array): Flow<'vector'> =>
  begin.every((start) => start === 0) ? places : places.arithmetic('add', Array.from(begin));

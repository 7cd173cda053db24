import type { Flow } from '@brezel/flour';
import { inALine } from './join.js';
import { type Spender, stridedPlaces } from './moves.js';
import { product, type RowValue } from './value.js';

/**
 * Which elements the indices of a row select. `places` contains positions in the data as a flat
 * list. If the data has one axis, the positions are the indices, and the operators `gather` and
 * `scatter` check their range.
 */
export interface Places {
  readonly places: Flow<'vector'>;
  /** The number of adjacent elements that each position selects. */
  readonly block: number;
  /** The shape of all selected elements together. */
  readonly dims: readonly number[];
}

/**
 * The largest list of positions that the importer builds. The memory of a longer list would cost
 * more than the kernel saves.
 */
const MAX_PLACES = 2 ** 20;

/**
 * Returns the positions that GatherElements and ScatterElements select. An entry of `indices` is
 * the index along `axis`; along all other axes, the selected element has the same index as the
 * entry. Returns undefined if the shapes do not match.
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
 * Returns the positions that GatherND and ScatterND select. Each list along the last axis of the
 * index tensor locates one group of adjacent elements in the data. Data and index tensor have the
 * first `shared` axes in common. Returns undefined if the shapes do not match.
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

import type { Flow } from '@brezel/flour';
import { inALine } from './join.js';
import { product, type RowValue } from './value.js';

/** Places that indices of the row name, in data whose elements lie in a line. Along an only axis they are the indices, which `gather` and `scatter` check. */
export interface Places {
  readonly places: Flow<'vector'>;
  /** Elements that a place names. */
  readonly block: number;
  /** The axes of what all places name. */
  readonly dims: readonly number[];
}

/** Beyond that a list of places costs more than kernels save. */
const MAX_PLACES = 2 ** 20;

/** The place of each element of `indices` is its own, but along `axis` the index counts. Undefined where axes do not fit. */
export function elementPlaces(indices: RowValue, data: readonly number[], axis: number): Places | undefined {
  const dims = indices.dims!;
  const fits = dims.length === data.length && dims.every((size, at) => at === axis || size <= data[at]!);
  if (!fits || !isUsable(indices, data)) return undefined;
  const steps = data.map((_, at) => product(data.slice(at + 1)));
  const isOnly = product(data) === data[axis];
  const places = isOnly ? lineOf(indices) : lineOf(indices).ravelIndex([data[axis]!], [steps[axis]!]);
  return { places: from(places, starts(dims, steps.with(axis, 0))), block: 1, dims };
}

/** Tuples of indices along the last axis name blocks of the data; the first `shared` axes are those of both. Undefined where axes do not fit. */
export function blockPlaces(indices: RowValue, data: readonly number[], shared: number): Places | undefined {
  const [lead, width] = [indices.dims!.slice(0, -1), indices.dims!.at(-1) ?? 0];
  const isSame = shared <= lead.length && lead.slice(0, shared).every((size, at) => size === data[at]);
  const isTuple = width >= 1 && width <= data.length - shared;
  if (shared < 0 || !isSame || !isTuple || !isUsable(indices, data)) return undefined;
  const behind = shared + width;
  const isOnly = width === 1 && product(data.slice(0, behind)) === data[shared];
  const places = isOnly ? lineOf(indices) : lineOf(indices).ravelIndex(data.slice(shared, behind));
  const steps = lead.map((_, at) => (at < shared ? product(data.slice(at + 1, behind)) : 0));
  const inner = data.slice(behind);
  return { places: from(places, starts(lead, steps)), block: product(inner), dims: [...lead, ...inner] };
}

const lineOf = (indices: RowValue) => inALine(indices).cast('int64');

function isUsable({ element, dims }: RowValue, data: readonly number[]): boolean {
  const isFew = product(dims!) > 0 && product(dims!) <= MAX_PLACES && product(data) > 0;
  return isFew && (element === 'int64' || element === 'int32');
}

/** Where each entry of these axes starts, one step of an axis being so far. */
function starts(dims: readonly number[], steps: readonly number[]): number[] {
  let found = [0];
  dims.forEach((size, axis) => {
    found = found.flatMap((start) => Array.from({ length: size }, (_, at) => start + at * steps[axis]!));
  });
  return found;
}

const from = (places: Flow<'vector'>, begin: readonly number[]): Flow<'vector'> =>
  begin.every((start) => start === 0) ? places : places.arithmetic('add', begin);

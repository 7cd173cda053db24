import { hasAttribute, intAttribute, isOne } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { numbers } from '../elements.js';
import { intsInput, onlyElement, tensorInput } from '../inputs.js';
import { allocate, anyInput, finished, int64, reshaped } from '../moving.js';
import { ascending } from '../order.js';
import { BLOCK, forEachIndex, interruptible } from '../pauses.js';
import { normalizeAxis, shown, strides } from '../shapes.js';
import { sortedIndices } from '../sorting.js';
import { elementCount, type Tensor } from '../tensor.js';
import { pickedAxis, view, wholeAxis } from '../view.js';

/** Operators that select or order elements by their values. */
export const select = tensorOperators(
  interruptible({ domain: '', operator: 'Compress', versions: [9, 25], steps: compress }),
  interruptible({ domain: '', operator: 'NonZero', versions: [9, 25], steps: nonZero }),
  interruptible({ domain: '', operator: 'OneHot', versions: [9, 25], steps: oneHot }),
  interruptible({ domain: '', operator: 'TopK', versions: [1, 25], steps: topK }),
  interruptible({ domain: '', operator: 'Unique', versions: [11, 25], steps: unique }),
);

/**
 * Returns the input and the attribute `axis`. Without the attribute, returns the flattened input.
 */
function alongAxis(call: TensorCall): { readonly data: Tensor; readonly axis: number } {
  const data = anyInput(call, 0);
  if (!hasAttribute(call, 'axis')) return { data: reshaped(data, [data.data.length]), axis: 0 };
  return { data, axis: normalizeAxis(intAttribute(call, 'axis'), data.shape.length, call) };
}

/** Returns the entries of an axis at `places`. */
function pick(call: TensorCall, data: Tensor, axis: number, places: readonly number[]): OperatorSteps<Tensor> {
  const steps = strides(data.shape);
  const axes = data.shape.map((size, at) =>
    at === axis ? pickedAxis(places.length, steps[at]!, (index) => places[index]!) : wholeAxis(size, steps[at]!),
  );
  return view(call, data, axes);
}

function* compress(call: TensorCall): OperatorSteps {
  const { data, axis } = alongAxis(call);
  const condition = tensorInput(call, 1, ['bool']);
  if (condition.shape.length !== 1)
    throw call.fault(`a condition of shape ${shown(condition.shape)}`, 'a condition with one axis');
  call.budget.take(condition.data.length);
  const kept = yield* placesOf(call, condition.data.length, (place) => condition.data[place] !== 0);
  if ((kept.at(-1) ?? -1) >= data.shape[axis]!)
    throw call.fault(
      `a condition that selects entry ${kept.at(-1)}`,
      `a condition that selects entries below ${data.shape[axis]}`,
    );
  return [yield* pick(call, data, axis, kept)];
}

/** Returns the indices from 0 to `count - 1` that a test accepts. */
function* placesOf(call: TensorCall, count: number, holds: (place: number) => boolean): OperatorSteps<number[]> {
  const places: number[] = [];
  yield* forEachIndex(call, count, (place) => {
    if (holds(place)) places.push(place);
  });
  return places;
}

/**
 * An index of NonZero counts against the budget like this many elements of a result, because it
 * takes as long.
 */
const INDEX_ELEMENTS = 8;

/**
 * Returns the indices of all elements except zeros, false and empty strings. The result has one row
 * per axis. A scalar has no rows.
 */
function* nonZero(call: TensorCall): OperatorSteps {
  const { data, shape } = anyInput(call, 0);
  call.budget.take(data.length);
  const found = yield* placesOf(call, data.length, (place) => {
    const value = data[place];
    return value !== 0 && value !== 0n && value !== '';
  });
  const steps = strides(shape);
  call.budget.take((INDEX_ELEMENTS - 1) * shape.length * found.length);
  const made = allocate(call, 'int64', [shape.length, found.length]);
  yield* forEachIndex(call, made.data.length, (at) => {
    const axis = Math.floor(at / found.length);
    made.data[at] = BigInt(Math.floor(found[at % found.length]! / steps[axis]!) % shape[axis]!);
  });
  return [finished(made)];
}

/**
 * Replaces each index with a list of `depth` values: `on` at the index, and `off` elsewhere. Since
 * version 11, negative indices count from the end. An index outside the depth gives only `off`.
 */
function* oneHot(call: TensorCall): OperatorSteps {
  const indices = tensorInput(call, 0, numbers);
  const depth = Math.trunc(Number(onlyElement(call, tensorInput(call, 1, numbers), 'the depth')));
  const values = anyInput(call, 2);
  if (shown(values.shape) !== '[2]')
    throw call.fault(`values of shape ${shown(values.shape)}`, 'two values, [off, on]');
  const axis = normalizeAxis(intAttribute(call, 'axis', -1), indices.shape.length + 1, call);
  const shape = indices.shape.toSpliced(axis, 0, depth);
  const made = allocate(call, values.element, shape);
  yield* forEachIndex(call, made.data.length, (place) => {
    made.data[place] = values.data[0];
  });
  const block = elementCount(indices.shape.slice(axis));
  yield* forEachIndex(call, indices.data.length, (at) => {
    const index = Math.trunc(Number(indices.data[at]));
    const place = index < 0 && call.opset >= 11 ? index + depth : index;
    if (place >= 0 && place < depth)
      made.data[(Math.floor(at / block) * depth + place) * block + (at % block)] = values.data[1];
  });
  return [finished(made)];
}

/**
 * Returns the greatest or least entries of each line along an axis, in order. Of equal entries, the
 * first comes first.
 */
function* topK(call: TensorCall): OperatorSteps {
  const data = tensorInput(call, 0, numbers);
  const axis = normalizeAxis(intAttribute(call, 'axis', -1), data.shape.length, call);
  const size = data.shape[axis]!;
  const k = call.opset < 10 ? intAttribute(call, 'k') : intsInput(call, 1)?.[0];
  if (k === undefined || k < 0 || k > size) throw call.fault(`k ${k}`, `k from 0 to ${size}, the size of axis ${axis}`);
  const sign = isOne(call, 'largest', true) ? -1 : 1;
  const shape = data.shape.with(axis, k);
  const [values, places] = [allocate(call, data.element, shape), allocate(call, 'int64', shape)];
  const block = elementCount(data.shape.slice(axis + 1));
  takeSorting(call, data.data.length, size);
  for (let line = 0; line < values.data.length / k; line++) {
    const start = Math.floor(line / block) * size * block + (line % block);
    const at = (index: number) => data.data[start + index * block]!;
    const order = yield* sortedIndices(call, size, (a, b) => sign * ascending(at(a), at(b)));
    const first = Math.floor(line / block) * k * block + (line % block);
    yield* forEachIndex(call, k, (rank) => {
      values.data[first + rank * block] = at(order[rank]!);
      places.data[first + rank * block] = BigInt(order[rank]!);
    });
    if (call.isOver?.()) yield;
  }
  return [finished(values), finished(places)];
}

/**
 * A comparison of two elements counts against the budget like this many elements of a result,
 * because it takes as long.
 */
const COMPARISON_ELEMENTS = 2;

/** Takes the comparisons that sort `count` elements in lists of `size` elements from the budget. */
const takeSorting = (call: TensorCall, count: number, size: number): void =>
  call.budget.take(Math.ceil(COMPARISON_ELEMENTS * count * Math.log2(size + 1)));

/**
 * Returns four lists for an axis: its distinct entries, the index of the first occurrence of each,
 * the index of the distinct entry for every entry, and the counts. Distinct entries are in
 * ascending order, or in the order of their first occurrence if `sorted` is 0.
 */
function* unique(call: TensorCall): OperatorSteps {
  const { data, axis } = alongAxis(call);
  const groups = yield* groupsOf(call, data, axis);
  if (!isOne(call, 'sorted', true)) groups.sort(([a], [b]) => a! - b!);
  const inverse = new Array<number>(data.shape[axis]!).fill(0);
  groups.forEach((members, group) => {
    for (const member of members) inverse[member] = group;
  });
  const firsts = groups.map((members) => members[0]!);
  const counts = groups.map((members) => members.length);
  return [
    yield* pick(call, data, axis, firsts),
    int64(call, [firsts.length], firsts),
    int64(call, [inverse.length], inverse),
    int64(call, [counts.length], counts),
  ];
}

/**
 * Groups the indices of equal entries of an axis, in ascending order of the entries. Entries
 * compare element by element, and NaN equals NaN.
 */
function* groupsOf(call: TensorCall, data: Tensor, axis: number): OperatorSteps<number[][]> {
  const size = data.shape[axis]!;
  call.budget.take(size); // an axis may have any size if another one is 0
  const steps = strides(data.shape);
  const order = [axis, ...[...data.shape.keys()].filter((at) => at !== axis)];
  const entries = yield* view(
    call,
    data,
    order.map((at) => wholeAxis(data.shape[at]!, steps[at]!)),
  );
  const width = size === 0 ? 0 : entries.data.length / size;
  takeSorting(call, size * Math.max(width, 1), size);
  const compare = (a: number, b: number) => {
    for (let at = 0; at < width; at++) {
      const difference = ascending(entries.data[a * width + at]!, entries.data[b * width + at]!);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  const groups: number[][] = [];
  const sorted = yield* sortedIndices(call, size, compare, width);
  const group = (at: number) => {
    const [entry, last] = [sorted[at]!, groups.at(-1)];
    if (last !== undefined && compare(last[0]!, entry) === 0) last.push(entry);
    else groups.push([entry]);
  };
  yield* forEachIndex(call, size, group, Math.ceil(BLOCK / Math.max(width, 1)));
  return groups;
}

import { intAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { type Indices, indicesInput, normalizeIndex } from '../indices.js';
import { allocate, anyInput, countOf, finished, reshaped } from '../moving.js';
import { forEachIndex, interruptible } from '../pauses.js';
import { normalizeAxis, offsetSteps, type Shape, shown, strides } from '../shapes.js';
import { elementCount, type Tensor } from '../tensor.js';
import { pickedAxis, view, wholeAxis } from '../view.js';

/** Operators that read elements by index. */
export const gather = tensorOperators(
  interruptible({ domain: '', operator: 'Gather', versions: [1, 25], steps: gatherEntries }),
  interruptible({ domain: '', operator: 'GatherElements', versions: [11, 25], steps: gatherElements }),
  interruptible({ domain: '', operator: 'GatherND', versions: [11, 25], steps: gatherTuples }),
);

/**
 * Returns the entries of an axis that the indices select. In the result, the axes of the indices
 * replace that axis.
 */
function* gatherEntries(call: TensorCall): OperatorSteps {
  const data = anyInput(call, 0);
  const indices = indicesInput(call, 1);
  const axis = normalizeAxis(intAttribute(call, 'axis', 0), data.shape.length, call);
  const size = data.shape[axis]!;
  const starts = new Float64Array(indices.data.length);
  yield* forEachIndex(call, starts.length, (at) => {
    starts[at] = normalizeIndex(indices.data[at]!, size, call);
  });
  const steps = strides(data.shape);
  const axes = data.shape.map((size, at) =>
    at === axis ? pickedAxis(starts.length, steps[at]!, (index) => starts[index]!) : wholeAxis(size, steps[at]!),
  );
  const shape = [...data.shape.slice(0, axis), ...indices.shape, ...data.shape.slice(axis + 1)];
  countOf(call, shape);
  return [reshaped(yield* view(call, data, axes), shape)];
}

/**
 * Returns the index in `data` that each element of `indices` selects, as in GatherElements. On
 * `axis`, the coordinate is the value of the element. On other axes, it is the coordinate of the
 * element.
 */
export function* elementSources(
  call: TensorCall,
  data: Tensor,
  indices: Indices,
  axis: number,
): OperatorSteps<Float64Array> {
  const fits = (size: number, at: number) => at === axis || size <= data.shape[at]!;
  if (indices.shape.length !== data.shape.length || !indices.shape.every(fits))
    throw call.fault(
      `indices ${shown(indices.shape)} into ${shown(data.shape)}`,
      `indices with ${data.shape.length} axes, no larger than the data except along axis ${axis}`,
    );
  const steps = strides(data.shape);
  const starts = yield* offsetSteps(indices.shape, steps.with(axis, 0), call);
  const [size, step] = [data.shape[axis]!, steps[axis]!];
  yield* forEachIndex(call, starts.length, (at) => {
    starts[at]! += normalizeIndex(indices.data[at]!, size, call) * step;
  });
  return starts;
}

function* gatherElements(call: TensorCall): OperatorSteps {
  const data = anyInput(call, 0);
  const axis = normalizeAxis(intAttribute(call, 'axis', 0), data.shape.length, call);
  const indices = indicesInput(call, 1);
  const starts = yield* elementSources(call, data, indices, axis);
  const made = allocate(call, data.element, indices.shape);
  yield* forEachIndex(call, starts.length, (at) => {
    made.data[at] = data.data[starts[at]!];
  });
  return [finished(made)];
}

/** The parts of a tensor that index tuples select. The last axis of `indices` holds a tuple. */
export interface TuplePicks {
  /** Index of the first element of each part. */
  readonly starts: ArrayLike<number>;
  /** Number of elements of a part. */
  readonly size: number;
  /** Shape of the result: axes of the list of tuples, then axes of a part. */
  readonly shape: Shape;
}

/**
 * Finds the parts that index tuples select. The first `batchAxes` axes of both tensors are batch
 * axes: a tuple selects from the entry of `data` with the same indices on these axes.
 */
export function* tuplePicks(
  call: TensorCall,
  data: Tensor,
  indices: Indices,
  batchAxes: number,
): OperatorSteps<TuplePicks> {
  const lead = indices.shape.slice(0, -1);
  const width = indices.shape.at(-1) ?? 0;
  const isSame = batchAxes <= lead.length && lead.slice(0, batchAxes).every((size, axis) => size === data.shape[axis]);
  if (batchAxes < 0 || !isSame || width < 1 || width > data.shape.length - batchAxes)
    throw call.fault(
      `indices ${shown(indices.shape)} into ${shown(data.shape)} with ${batchAxes} batch axes`,
      'equal batch axes, and a last axis with at most one index per other axis of the data',
    );
  const steps = strides(data.shape);
  const tuplesOfBatch = elementCount(lead.slice(batchAxes));
  const batchSize = elementCount(data.shape.slice(batchAxes));
  const starts = new Float64Array(indices.data.length / width);
  yield* forEachIndex(call, starts.length, (tuple) => {
    let start = Math.floor(tuple / tuplesOfBatch) * batchSize;
    for (let at = 0; at < width; at++) {
      const axis = batchAxes + at;
      start += normalizeIndex(indices.data[tuple * width + at]!, data.shape[axis]!, call) * steps[axis]!;
    }
    starts[tuple] = start;
  });
  const inner = data.shape.slice(batchAxes + width);
  return { starts, size: elementCount(inner), shape: [...lead, ...inner] };
}

function* gatherTuples(call: TensorCall): OperatorSteps {
  const data = anyInput(call, 0);
  const batchAxes = intAttribute(call, 'batch_dims', 0);
  const { starts, size, shape } = yield* tuplePicks(call, data, indicesInput(call, 1), batchAxes);
  const made = allocate(call, data.element, shape);
  yield* forEachIndex(call, starts.length * size, (at) => {
    made.data[at] = data.data[starts[Math.floor(at / size)]! + (at % size)];
  });
  return [finished(made)];
}

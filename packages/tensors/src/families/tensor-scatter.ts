import { choiceAttribute, intAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { optionalInput, tensorInput } from '../inputs.js';
import { anyInput, copied, finished } from '../moving.js';
import { forEachIndex, interruptible } from '../pauses.js';
import { normalizeAxis, shown } from '../shapes.js';
import { elementCount } from '../tensor.js';

/** The operator that updates caches of keys and values. */
export const tensorScatter = tensorOperators(
  interruptible({ domain: '', operator: 'TensorScatter', versions: [24, 25], steps: updated }),
);

/**
 * Overwrites entries of a cache along an axis. Each sample has a start index. In mode `circular`,
 * entries after the end wrap to the start.
 */
function* updated(call: TensorCall): OperatorSteps {
  const cache = anyInput(call, 0);
  const update = tensorInput(call, 1, [cache.element]);
  const { shape } = cache;
  const axis = normalizeAxis(intAttribute(call, 'axis', -2), shape.length, call);
  if (axis === 0) throw call.fault('axis 0', 'an axis other than 0, the axis of the samples');
  const [size, count] = [shape[axis]!, update.shape[axis] ?? 0];
  if (shown(update.shape) !== shown(shape.with(axis, count)) || count > size)
    throw call.fault(
      `an update of ${shown(update.shape)} for the cache ${shown(shape)}`,
      `an update that is at most as long as the cache along axis ${axis}, and of equal size along the other axes`,
    );
  const isCircular = choiceAttribute(call, 'mode', ['linear', 'circular'], 'linear') === 'circular';
  const starts = startsOf(call, shape[0]!);
  const made = copied(call, cache);
  if (update.data.length === 0) return [finished(made)];
  const [before, after] = [elementCount(shape.slice(0, axis)), elementCount(shape.slice(axis + 1))];
  for (let block = 0; block < before; block++) {
    const start = starts(Math.floor((block * shape[0]!) / before));
    if (start < 0 || (!isCircular && start + count > size))
      throw call.fault(
        `entries from ${start} to ${start + count} of ${size}`,
        isCircular ? 'write_indices 0 or greater' : `entries inside the cache, or mode = 'circular'`,
      );
    yield* forEachIndex(call, count * after, (at) => {
      const entry = Math.floor(at / after);
      const to = (block * size + ((start + entry) % size)) * after;
      made.data[to + (at % after)] = update.data[block * count * after + at];
    });
    if (call.isOver?.()) yield;
  }
  return [finished(made)];
}

/**
 * Returns a function that returns the index at which the new entries of a sample start in the
 * cache.
 */
function startsOf(call: TensorCall, samples: number): (sample: number) => number {
  const given = optionalInput(call, 2, ['int64']);
  if (given === undefined) return () => 0;
  if (shown(given.shape) !== shown([samples]))
    throw call.fault(
      `write_indices of shape ${shown(given.shape)}`,
      `write_indices of shape [${samples}], one index per sample`,
    );
  return (sample) => Number(given.data[sample]);
}

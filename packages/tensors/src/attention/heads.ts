import { hasAttribute, intAttribute } from '../attributes.js';
import type { OperatorSteps, TensorCall } from '../define.js';
import { floats } from '../elements.js';
import { type Floats, optionalInput, tensorInput } from '../inputs.js';
import { allocate, countOf, finished } from '../moving.js';
import { forEachIndex } from '../pauses.js';
import { strided } from '../permute.js';
import { type Shape, shown, strides } from '../shapes.js';

/**
 * Returns a tensor of shape `[batch, heads, steps, size]`. The given tensor has this shape, or the
 * shape `[batch, steps, heads * size]`. `steps` is the length of the sequences.
 */
export function* headsOf(call: TensorCall, given: Floats, countAttribute: string): OperatorSteps<Floats> {
  if (given.shape.length === 4) return given;
  const [batch, steps, width] = given.shape as [number, number, number];
  if (given.shape.length !== 3 || !hasAttribute(call, countAttribute))
    throw call.fault(
      `shape ${shown(given.shape)}`,
      `shape [batch, heads, steps, size], or [batch, steps, heads * size] with the attribute '${countAttribute}'`,
    );
  const heads = intAttribute(call, countAttribute);
  if (heads < 1 || width % heads !== 0)
    throw call.fault(`${width} columns for ${heads} heads`, 'a number of heads that divides the number of columns');
  return yield* swapped(call, given, [batch, steps, heads, width / heads]);
}

/** Swaps the second and third axis of a tensor of four axes. */
export function* swapped(call: TensorCall, given: Floats, shape: Shape): OperatorSteps<Floats> {
  const own = strides(shape);
  const order = [0, 2, 1, 3];
  const pick = (list: Shape) => order.map((axis) => list[axis]!);
  return (yield* strided(call, given, pick(shape), pick(own))) as Floats;
}

/** Appends the keys or values of this call to the cached keys or values of earlier calls. */
export function* withPast(
  call: TensorCall,
  before: Floats | undefined,
  now: Floats,
): OperatorSteps<{ readonly all: Floats; readonly past: number }> {
  if (before === undefined) return { all: now, past: 0 };
  const [batch, heads, steps, size] = now.shape as [number, number, number, number];
  const past = before.shape[2] ?? 0;
  if (shown(before.shape) !== shown([batch, heads, past, size]))
    throw call.fault(`past ${shown(before.shape)}`, `past of shape [${batch}, ${heads}, steps, ${size}]`);
  const made = allocate(call, now.element, [batch, heads, past + steps, size]);
  const [to, kept, own] = [(past + steps) * size, past * size, steps * size];
  yield* forEachIndex(call, made.data.length, (at) => {
    const [head, place] = [Math.floor(at / to), at % to];
    made.data[at] = place < kept ? before.data[head * kept + place] : now.data[head * own + place - kept];
  });
  return { all: finished(made) as Floats, past };
}

interface AttentionInputs {
  readonly queries: Floats;
  readonly keys: Floats;
  readonly values: Floats;
  readonly past: number;
  readonly isFlat: boolean;
}

/**
 * Returns the queries, all keys and values (the cached ones first), the number of cached keys, and
 * whether the queries have three axes.
 */
export function* attentionInputs(call: TensorCall): OperatorSteps<AttentionInputs> {
  const q = tensorInput(call, 0, floats);
  const [k, v] = [tensorInput(call, 1, [q.element]), tensorInput(call, 2, floats)];
  const queries = yield* headsOf(call, q, 'q_num_heads');
  const before = (index: number, now: Floats) => optionalInput(call, index, [now.element]) as Floats | undefined;
  const ownKeys = yield* headsOf(call, k, 'kv_num_heads');
  const ownValues = yield* headsOf(call, v, 'kv_num_heads');
  const keys = yield* withPast(call, before(4, ownKeys), ownKeys);
  const values = yield* withPast(call, before(5, ownValues), ownValues);
  const [batch, heads, , size] = queries.shape as [number, number, number, number];
  const [, shared, total] = keys.all.shape as [number, number, number];
  const fits =
    shown(keys.all.shape) === shown([batch, shared, total, size]) &&
    shown(values.all.shape.slice(0, 3)) === shown([batch, shared, total]) &&
    keys.past === values.past &&
    (shared > 0 ? heads % shared === 0 : heads === 0);
  if (!fits)
    throw call.fault(
      `queries ${shown(queries.shape)}, keys ${shown(keys.all.shape)}, values ${shown(values.all.shape)}`,
      'queries, keys and values [batch, heads, steps, size], with equal steps of keys and values, and heads that divide the heads of the queries',
    );
  countOf(call, [batch, heads, queries.shape[2]!, total]);
  return { queries, keys: keys.all, values: values.all, past: keys.past, isFlat: q.shape.length === 3 };
}

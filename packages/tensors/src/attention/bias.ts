import { flagAttribute, intAttribute } from '../attributes.js';
import { indexMapOf } from '../broadcast.js';
import type { TensorCall } from '../define.js';
import { floats } from '../elements.js';
import { optionalInput } from '../inputs.js';
import { checkBroadcast, type Shape, shown } from '../shapes.js';

/**
 * Returns the number to add to the score of a query and a key: -Infinity if the query must not
 * attend to the key.
 */
export type Bias = (batch: number, head: number, query: number, key: number) => number;

/**
 * Returns the bias function of a node. `shape` is [batch, heads, queries, keys], and `past` is the
 * number of cached keys.
 */
export function biasOf(call: TensorCall, shape: Shape, past: number): Bias {
  const valid = validKeys(call, shape);
  const mask = maskOf(call, shape);
  const isCausal = flagAttribute(call, 'is_causal', false);
  const [left, right] = [windowAttribute(call, 'left_window_size'), windowAttribute(call, 'right_window_size')];
  return (batch, head, query, key) => {
    // The position of the query among the keys. Queries come after the cached keys. Without cached
    // keys, but with `nonpad_kv_seqlen`, the last query is at the last valid key.
    const position = query + (valid === undefined || past > 0 ? past : valid[batch]! - shape[2]!);
    const isHidden =
      (valid !== undefined && key >= valid[batch]!) ||
      (isCausal && key > position) ||
      position - key > left ||
      key - position > right;
    return isHidden ? Number.NEGATIVE_INFINITY : mask(batch, head, query, key);
  };
}

function windowAttribute(call: TensorCall, name: string): number {
  const size = intAttribute(call, name, -1);
  if (size < -1) throw call.fault(`${name} ${size}`, `${name} 0 or greater, or -1 for no limit`);
  return size === -1 ? Number.POSITIVE_INFINITY : size;
}

/**
 * Returns for each sample the number of keys without the padding at the end, or undefined if the
 * node has no input with these numbers.
 */
function validKeys(call: TensorCall, [batch]: Shape): number[] | undefined {
  const lengths = optionalInput(call, 6, ['int64']);
  if (lengths === undefined) return undefined;
  if (shown(lengths.shape) !== shown([batch!]))
    throw call.fault(`nonpad_kv_seqlen ${shown(lengths.shape)}`, `nonpad_kv_seqlen of shape [${batch}]`);
  return Array.from(lengths.data, Number);
}

/**
 * Returns a function that reads the mask, broadcast to the shape of the scores. A bool says whether
 * the key is visible; a number is added to the score. If the mask is shorter than the list of keys,
 * the keys after its end are hidden.
 */
function maskOf(call: TensorCall, shape: Shape): Bias {
  const mask = optionalInput(call, 3, [...floats, 'bool']);
  if (mask === undefined) return () => 0;
  const [, heads, queries, keys] = shape as [number, number, number, number];
  const columns = mask.shape.at(-1) ?? 1;
  const isShort = columns > 1 && columns < keys;
  const to = isShort ? [...shape.slice(0, 3), columns] : shape;
  checkBroadcast(mask.shape, to, call);
  const indexAt = indexMapOf(mask.shape, to, call);
  const width = to[3]!;
  return (batch, head, query, key) => {
    if (key >= width) return Number.NEGATIVE_INFINITY;
    const value = mask.data[indexAt(((batch * heads + head) * queries + query) * width + key)]!;
    if (mask.element !== 'bool') return value;
    return value === 0 ? Number.NEGATIVE_INFINITY : 0;
  };
}

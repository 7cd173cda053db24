import { flagAttribute, floatAttribute } from '../attributes.js';
import { indexMapOf } from '../broadcast.js';
import type { TensorCall } from '../define.js';
import { floats } from '../elements.js';
import { optionalInput } from '../inputs.js';
import { checkBroadcast, type Shape, shown } from '../shapes.js';

/** Returns the number to add to the score of a query and a key. */
export type Mask = (batch: number, head: number, query: number, key: number) => number;

/** The input indexes of the mask and of the added scores, and the number of cached keys. */
export interface MaskInputs {
  readonly mask: number;
  readonly bias: number;
  readonly past: number;
}

/**
 * In a causal node, this number is added to the scores of keys after the query. onnxruntime uses
 * the least float32.
 */
const BEHIND = -3.4028234663852886e38;

/**
 * Returns the mask function of a node. `shape` is [batch, heads, queries, keys]. The function
 * returns `mask_filter_value` for a hidden key, so the weight of the key is small but not 0.
 */
export function maskFrom(call: TensorCall, shape: Shape, { mask, bias, past }: MaskInputs): Mask {
  const hidden = floatAttribute(call, 'mask_filter_value', -10000);
  const isHidden = hiddenKeys(call, mask, shape);
  const added = addedScores(call, bias, shape);
  const looksBack = flagAttribute(call, 'unidirectional', false);
  return (batch, head, query, key) => {
    if (looksBack && key > past + query) return BEHIND;
    return (isHidden(batch, query, key) ? hidden : 0) + added(batch, head, query, key);
  };
}

type Hidden = (batch: number, query: number, key: number) => boolean;

/**
 * Returns a function that returns whether a key is hidden. A mask of shape [batch, keys] or [batch,
 * queries, keys] has 0 for each hidden key. A mask with one axis has the end of the keys of each
 * sample, and then optionally the start of the keys of each sample.
 */
function hiddenKeys(call: TensorCall, index: number, [batch, , queries, keys]: Shape): Hidden {
  const mask = optionalInput(call, index, ['int32']);
  if (mask === undefined) return () => false;
  const { data } = mask;
  switch (shown(mask.shape)) {
    case shown([batch!, keys!]):
      return (sample, _, key) => data[sample * keys! + key]! <= 0;
    case shown([batch!, queries!, keys!]):
      return (sample, query, key) => data[(sample * queries! + query) * keys! + key]! <= 0;
    case shown([batch!]):
      return (sample, _, key) => key >= data[sample]!;
    case shown([2 * batch!]):
      return (sample, _, key) => key >= data[sample]! || key < data[batch! + sample]!;
  }
  throw call.fault(
    `a mask of shape ${shown(mask.shape)}`,
    `a mask of shape [${batch}], [${2 * batch!}], [${batch}, ${keys}] or [${batch}, ${queries}, ${keys}]`,
  );
}

/** Returns a function that reads the number to add, broadcast to the shape of the scores. */
function addedScores(call: TensorCall, index: number, shape: Shape): Mask {
  const bias = optionalInput(call, index, floats);
  if (bias === undefined) return () => 0;
  checkBroadcast(bias.shape, shape, call);
  const indexAt = indexMapOf(bias.shape, shape, call);
  const [, heads, queries, keys] = shape as [number, number, number, number];
  return (batch, head, query, key) => bias.data[indexAt(((batch * heads + head) * queries + query) * keys + key)]!;
}

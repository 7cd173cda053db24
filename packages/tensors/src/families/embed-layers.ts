import { floatAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats } from '../elements.js';
import { normalizeIndex } from '../indices.js';
import { computed, computedSteps, type Floats, optionalInput, tensorInput } from '../inputs.js';
import { interruptible } from '../pauses.js';
import { shown } from '../shapes.js';
import type { Tensor } from '../tensor.js';
import { layerNormalization } from './normalize.js';

/**
 * The fused operator of onnxruntime's optimizer that embeds words, positions and sentence indexes.
 */
export const embedLayers = tensorOperators(
  interruptible({ domain: 'com.microsoft', operator: 'EmbedLayerNormalization', versions: [1, 1], steps: embedLayer }),
);

/**
 * Looks up rows of three tables, adds these rows and normalizes the sums. Also returns the number
 * of ones in each mask, and the sums before the normalization.
 */
function* embedLayer(call: TensorCall): OperatorSteps {
  const ids = tensorInput(call, 0, ['int32', 'int64']);
  const [batch, steps] = ids.shape as [number, number];
  if (ids.shape.length !== 2) throw call.fault(`ids of shape ${shown(ids.shape)}`, 'ids [batch, steps]');
  const words = tableOf(call, 2);
  const [sentences, sentenceRows] = [optionalInput(call, 1, ['int32', 'int64']), optionalInput(call, 4, floats)];
  const columns = words.shape[1]!;
  const wordAt = entries(call, ids, words, [[batch, steps]]);
  const positionIds = optionalInput(call, 8, ['int32', 'int64']);
  const placeRows = tableOf(call, 3);
  const positionAt = entries(
    call,
    positionIds,
    placeRows,
    [
      [batch, steps],
      [1, steps],
    ],
    (at) => at % steps,
  );
  const sentenceAt =
    sentences && sentenceRows ? entries(call, sentences, tableOf(call, 4), [[batch, steps]]) : () => () => 0;
  const sumAt = (at: number) => {
    const [step, column] = [Math.floor(at / columns), at % columns];
    return wordAt(step)(column) + positionAt(step)(column) + sentenceAt(step)(column);
  };
  const sum = yield* computedSteps(call, words.element, [batch, steps, columns], sumAt);
  const attributes = { axis: -1, epsilon: floatAttribute(call, 'epsilon', Math.fround(1e-12)) };
  const inputs = [sum, call.inputs[5], call.inputs[6]];
  const [result] = yield* layerNormalization({ ...call, inputs, attributes, outputs: 1 });
  return [result, masked(call, batch, steps), sum].slice(0, Math.max(1, call.outputs));
}

function tableOf(call: TensorCall, index: number): Floats {
  const table = tensorInput(call, index, floats);
  if (table.shape.length === 2) return table;
  throw call.fault(`a table of shape ${shown(table.shape)}`, 'a table with two axes: one row per id');
}

/**
 * Returns a function that returns one row of a table for position `step` of the batch. The row is a
 * function from a column to a number. The index of the row is the id at this position, or the
 * result of `otherwise` if the node has no ids.
 */
function entries(
  call: TensorCall,
  ids: { readonly shape: readonly number[]; readonly data: ArrayLike<number | bigint> } | undefined,
  table: Floats,
  shapes: readonly (readonly number[])[],
  otherwise: (at: number) => number = () => 0,
): (step: number) => (column: number) => number {
  if (ids !== undefined && !shapes.some((shape) => shown(shape) === shown(ids.shape)))
    throw call.fault(`ids of shape ${shown(ids.shape)}`, `ids of shape ${shown(shapes[0]!)}`);
  const [rows, columns] = table.shape as [number, number];
  return (step) => {
    const id = ids === undefined ? otherwise(step) : ids.data[step % ids.data.length]!;
    const row = normalizeIndex(id, rows, call) * columns;
    return (column) => table.data[row + column]!;
  };
}

/** Returns the number of ones in each sample's mask, or zeros without a mask. */
function masked(call: TensorCall, batch: number, steps: number): Tensor {
  const mask = optionalInput(call, 7, ['int32']);
  if (mask !== undefined && shown(mask.shape) !== shown([batch, steps]))
    throw call.fault(`a mask of shape ${shown(mask.shape)}`, `a mask of shape [${batch}, ${steps}]`);
  const set = (sample: number) => mask?.data.subarray(sample * steps, (sample + 1) * steps).filter((one) => one === 1);
  return computed(call, 'int32', [batch], (sample) => set(sample)?.length ?? 0);
}

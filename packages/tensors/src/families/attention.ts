import { tanh } from '@brezel/core';
import { biasOf } from '../attention/bias.js';
import { attentionInputs, headsOf, swapped } from '../attention/heads.js';
import { dot, softmax } from '../attention/scores.js';
import { flagAttribute, floatAttribute, hasAttribute, intAttribute } from '../attributes.js';
import { elementOf } from '../data-types.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats, isFloat, rounding } from '../elements.js';
import { takeWork } from '../images.js';
import { normalizeIndex } from '../indices.js';
import {
  computedSteps,
  type Floats,
  type NumberData,
  newData,
  optionalInput,
  tensorInput,
  tensorOf,
} from '../inputs.js';
import { reshaped } from '../moving.js';
import { blockOf, inBlocks, interruptible } from '../pauses.js';
import { type Shape, shown } from '../shapes.js';

/** The attention operators of the standard domain, which transformer models use. */
export const attentions = tensorOperators(
  interruptible({ domain: '', operator: 'Attention', versions: [23, 25], steps: attention }),
  interruptible({ domain: '', operator: 'RotaryEmbedding', versions: [23, 25], steps: rotaryEmbedding }),
);

/**
 * Values of the attribute `qk_matmul_output_mode`. The attribute selects the scores that the node
 * returns: the raw scores, the scores after softcap or after the bias, or the weights.
 */
const RAW = 0;
const CAPPED = 1;
const BIASED = 2;
const WEIGHTS = 3;

/**
 * Computes softmax(Q K' scale + bias) V per head, in float64 and rounded once. A query without
 * visible keys gives zeros. Also returns all keys and values, and the scores that the attribute
 * `qk_matmul_output_mode` selects.
 */
function* attention(call: TensorCall): OperatorSteps {
  const { queries, keys, values, past, isFlat } = yield* attentionInputs(call);
  const { element } = queries;
  const [batch, heads, steps, size] = queries.shape as [number, number, number, number];
  const [, shared, total, width] = values.shape as [number, number, number, number];
  const shape = [batch, heads, steps, total];
  takeWork(call, batch * heads * steps * total * (size + width + 4));
  const bias = biasOf(call, shape, past);
  const shownScores = newData(call, element, shape) as NumberData;
  const out = newData(call, element, [batch, heads, steps, width]) as NumberData;
  const stages = stagesOf(call, size, element);
  const round = rounding(element);
  const attend = (row: number) => {
    const [at, head, query] = [Math.floor(row / steps / heads), Math.floor(row / steps) % heads, row % steps];
    const other = at * shared + Math.floor(head / (heads / shared));
    const score = (key: number) => dot(queries.data, row * size, keys.data, (other * total + key) * size, size);
    const scores = Float64Array.from({ length: total }, (_, key) => score(key));
    const { weights, shown: kept } = stages(scores, (key) => bias(at, head, query, key));
    kept.forEach((value, key) => {
      shownScores[row * total + key] = round(value);
    });
    for (let column = 0; column < width; column++) {
      let sum = 0;
      weights.forEach((weight, key) => {
        if (weight !== 0) sum += weight * values.data[(other * total + key) * width + column]!;
      });
      out[row * width + column] = round(sum);
    }
  };
  const attendAll = (from: number, to: number) => {
    for (let row = from; row < to; row++) attend(row);
  };
  yield* inBlocks(call, batch * heads * steps, attendAll, blockOf(total * (size + width + 4)));
  const result = tensorOf(element, [batch, heads, steps, width], out) as Floats;
  const flat = isFlat ? reshaped(yield* swapped(call, result, result.shape), [batch, steps, heads * width]) : result;
  return [flat, keys, values, tensorOf(element, shape, shownScores)];
}

/**
 * Returns a function that converts the products of one query with all keys to weights. The function
 * also returns the scores that the attribute `qk_matmul_output_mode` selects.
 */
function stagesOf(call: TensorCall, size: number, element: Floats['element']) {
  const scale = hasAttribute(call, 'scale') ? floatAttribute(call, 'scale') : 1 / Math.sqrt(size);
  const cap = floatAttribute(call, 'softcap', 0);
  const mode = intAttribute(call, 'qk_matmul_output_mode', RAW);
  if (![RAW, CAPPED, BIASED, WEIGHTS].includes(mode))
    throw call.fault(`qk_matmul_output_mode ${mode}`, 'qk_matmul_output_mode from 0 to 3');
  const precision = hasAttribute(call, 'softmax_precision')
    ? elementOf(call, intAttribute(call, 'softmax_precision'))
    : element;
  if (!isFloat(precision))
    throw call.fault(`softmax_precision ${precision}`, `softmax_precision as one of ${floats.join(', ')}`);
  // Rounds the scores before softmax only if the node names a precision.
  const round = hasAttribute(call, 'softmax_precision') ? rounding(precision) : (x: number) => x;
  return (products: Float64Array, bias: (key: number) => number) => {
    const raw = products.map((product) => product * scale);
    const capped = cap > 0 ? raw.map((score) => cap * tanh(score / cap)) : raw;
    const biases = capped.map((_, key) => bias(key));
    const biased = capped.map((score, key) => score + biases[key]!);
    const sees = biases.some((one) => one !== Number.NEGATIVE_INFINITY);
    const weights = sees ? softmax(biased.map(round)) : new Float64Array(biased.length);
    return { weights, shown: [raw, capped, biased, weights][mode]! };
  };
}

/**
 * Rotates pairs of numbers by the angle of their position. The first `rotary_embedding_dim` numbers
 * of a head are rotated. The two numbers of a pair are half of this count apart, or adjacent if the
 * node is `interleaved`.
 */
function* rotaryEmbedding(call: TensorCall): OperatorSteps {
  const x = tensorInput(call, 0, floats);
  const heads = yield* headsOf(call, x, 'num_heads');
  const { element, shape, data } = heads;
  const [batch, count, steps, size] = shape as [number, number, number, number];
  const turned = intAttribute(call, 'rotary_embedding_dim', 0) || size;
  const half = turned / 2;
  if (!Number.isInteger(half) || turned < 0 || turned > size)
    throw call.fault(
      `rotary_embedding_dim ${turned} for ${size} numbers per head`,
      'an even number, at most the numbers per head',
    );
  const isInterleaved = flagAttribute(call, 'interleaved', false);
  const row = anglesOf(call, [batch, steps, half]);
  const [cos, sin] = [tensorInput(call, 1, [element]).data, tensorInput(call, 2, [element]).data];
  const rotated = (at: number) => {
    const lane = at % size;
    if (lane >= turned) return data[at]!;
    const pair = isInterleaved ? Math.floor(lane / 2) : lane % half;
    const isFirst = isInterleaved ? lane % 2 === 0 : lane < half;
    const first = at - lane + (isInterleaved ? 2 * pair : pair);
    const [a, b] = [data[first]!, data[first + (isInterleaved ? 1 : half)]!];
    const angle = row(Math.floor(at / size / steps / count), Math.floor(at / size) % steps) * half + pair;
    return isFirst ? cos[angle]! * a - sin[angle]! * b : sin[angle]! * a + cos[angle]! * b;
  };
  const result = (yield* computedSteps(call, element, shape, rotated)) as Floats;
  return [x.shape.length === 4 ? result : reshaped(yield* swapped(call, result, shape), x.shape)];
}

/**
 * Returns a function that returns which row of the cosine and sine tables belongs to a position in
 * a sequence. With the input `position_ids`, this input contains the row. Without it, the tables
 * have one row for each position.
 */
function anglesOf(call: TensorCall, [batch, steps, half]: Shape): (row: number, step: number) => number {
  const [cos, sin] = [tensorInput(call, 1, floats), tensorInput(call, 2, floats)];
  const ids = optionalInput(call, 3, ['int64']);
  const rows = cos.shape[0] ?? 0;
  const wanted = ids === undefined ? [batch!, steps!, half!] : [rows, half!];
  if ([cos, sin].some(({ shape }) => shown(shape) !== shown(wanted)))
    throw call.fault(
      `tables ${shown(cos.shape)} and ${shown(sin.shape)}`,
      `cosine and sine tables of shape ${shown(wanted)}`,
    );
  if (ids === undefined) return (row, step) => row * steps! + step;
  if (shown(ids.shape) !== shown([batch!, steps!]))
    throw call.fault(`position_ids ${shown(ids.shape)}`, `position_ids of shape [${batch}, ${steps}]`);
  return (row, step) => normalizeIndex(ids.data[row * steps! + step]!, rows, call);
}

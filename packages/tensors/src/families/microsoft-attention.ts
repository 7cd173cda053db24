import { headsOf, swapped, withPast } from '../attention/heads.js';
import { type Mask, maskFrom } from '../attention/microsoft-mask.js';
import { dot, softmax } from '../attention/scores.js';
import { flagAttribute, floatAttribute, hasAttribute, intAttribute, intsAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats, rounding } from '../elements.js';
import { takeWork } from '../images.js';
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
import type { Tensor } from '../tensor.js';
import { matmulSteps } from './matrix.js';

const domain = 'com.microsoft';

/**
 * The attention operators of onnxruntime's optimizer. Packed batches, shared buffers and masks of
 * four axes are unsupported.
 */
export const microsoftAttentions = tensorOperators(
  interruptible({ domain, operator: 'Attention', versions: [1, 1], steps: attention }),
  interruptible({ domain, operator: 'MultiHeadAttention', versions: [1, 1], steps: multiHeadAttention }),
);

/**
 * Queries, keys and values. Each is a tensor of shape [batch, heads, steps, size], where `steps` is
 * the length of the sequences.
 */
interface Heads {
  readonly queries: Floats;
  readonly keys: Floats;
  readonly values: Floats;
}

/**
 * Runs Attention. One matrix product and the bias give the queries, keys and values: [batch, steps,
 * inputs] x [inputs, columns of all three] + bias.
 */
function* attention(call: TensorCall): OperatorSteps {
  refuse(call, ['do_rotary', 'past_present_share_buffer']);
  const input = tensorInput(call, 0, floats);
  const weights = tensorInput(call, 1, [input.element]) as Floats;
  if (input.shape.length !== 3)
    throw call.fault(`an input of shape ${shown(input.shape)}`, 'an input [batch, steps, size]');
  const product = (yield* matmulSteps(call, input, weights)) as Floats;
  const columns = product.shape[2]!;
  const sizes = hasAttribute(call, 'qkv_hidden_sizes')
    ? intsAttribute(call, 'qkv_hidden_sizes')
    : [0, 1, 2].map(() => columns / 3);
  if (sizes.length !== 3 || sizes.reduce((sum, size) => sum + size, 0) !== columns || !sizes.every(Number.isInteger))
    throw call.fault(`hidden sizes [${sizes}]`, `three hidden sizes with the sum ${columns}, the number of columns`);
  const parts: Floats[] = [];
  for (const [part, size] of sizes.entries()) {
    const first = sizes.slice(0, part).reduce((sum, before) => sum + before, 0);
    parts.push(yield* headsOf(call, yield* part3(call, product, first, size), 'num_heads'));
  }
  const [q, k, v] = parts as [Floats, Floats, Floats];
  const past = optionalInput(call, 4, [input.element]) as Floats | undefined;
  const keys = yield* withPast(call, half(call, past, 0), k);
  const values = yield* withPast(call, half(call, past, 1), v);
  const heads = { queries: q, keys: keys.all, values: values.all };
  const mask = maskFrom(call, shapeOf(call, heads), { mask: 3, bias: 5, past: keys.past });
  const result = yield* attended(call, heads, mask);
  return [result, call.outputs > 1 ? yield* paired(call, keys.all, values.all) : undefined];
}

/**
 * Returns `columns` columns of the product, from column `first` on, plus their bias. The result has
 * the shape [batch, steps, columns].
 */
function* part3(call: TensorCall, product: Floats, first: number, columns: number): OperatorSteps<Floats> {
  const [batch, steps, all] = product.shape as [number, number, number];
  const bias = optionalInput(call, 2, [product.element]);
  if (bias !== undefined && shown(bias.shape) !== shown([all]))
    throw call.fault(`a bias of shape ${shown(bias.shape)}`, `a bias of shape [${all}]`);
  const valueAt = (at: number) => {
    const column = first + (at % columns);
    return product.data[Math.floor(at / columns) * all + column]! + (bias?.data[column] ?? 0);
  };
  return (yield* computedSteps(call, product.element, [batch, steps, columns], valueAt)) as Floats;
}

/**
 * Returns the keys (`which` 0) or the values (`which` 1) from a tensor of shape [2, batch, heads,
 * steps, size].
 */
function half(call: TensorCall, pair: Floats | undefined, which: 0 | 1): Floats | undefined {
  if (pair === undefined) return undefined;
  if (pair.shape.length !== 5 || pair.shape[0] !== 2)
    throw call.fault(`a past of shape ${shown(pair.shape)}`, 'a past [2, batch, heads, steps, size]');
  const count = pair.data.length / 2;
  const data = pair.data.subarray(which * count, (which + 1) * count);
  return tensorOf(pair.element, pair.shape.slice(1), data) as Floats;
}

function paired(call: TensorCall, keys: Floats, values: Floats): OperatorSteps<Tensor> {
  if (shown(keys.shape) !== shown(values.shape))
    throw call.fault(`keys ${shown(keys.shape)} and values ${shown(values.shape)}`, 'past keys and values of one size');
  const count = keys.data.length;
  const at = (index: number) => (index < count ? keys.data[index]! : values.data[index - count]!);
  return computedSteps(call, keys.element, [2, ...keys.shape], at);
}

/**
 * Runs MultiHeadAttention. Queries, keys and values are inputs of shape [batch, steps, heads *
 * size], or are already split into heads. One bias input holds the biases of all three.
 */
function* multiHeadAttention(call: TensorCall): OperatorSteps {
  const query = tensorInput(call, 0, floats);
  if (query.shape.length !== 3)
    throw call.fault(
      `a query of shape ${shown(query.shape)}`,
      'a query [batch, steps, size]; packed queries, keys and values are not supported',
    );
  const [key, value] = [tensorInput(call, 1, [query.element]), tensorInput(call, 2, [query.element])] as [
    Floats,
    Floats,
  ];
  const widths = [query, key, value].map(({ shape }) => (shape.length === 3 ? shape[2]! : shape[1]! * shape[3]!));
  const bias = optionalInput(call, 3, [query.element]) as Floats | undefined;
  if (bias !== undefined && shown(bias.shape) !== shown([widths[0]! + widths[1]! + widths[2]!]))
    throw call.fault(
      `a bias of shape ${shown(bias.shape)} for [${widths}] columns`,
      `a bias of shape [${widths[0]! + widths[1]! + widths[2]!}]`,
    );
  const part = function* (tensor: Floats, first: number) {
    return yield* headsOf(call, yield* biased(call, tensor, bias, first), 'num_heads');
  };
  const q = yield* part(query, 0);
  const k = yield* part(key, widths[0]!);
  const v = yield* part(value, widths[0]! + widths[1]!);
  const kept = (index: number) => optionalInput(call, index, [query.element]) as Floats | undefined;
  const keys = yield* withPast(call, kept(6), k);
  const values = yield* withPast(call, kept(7), v);
  const heads = { queries: q, keys: keys.all, values: values.all };
  const mask = maskFrom(call, shapeOf(call, heads), { mask: 4, bias: 5, past: keys.past });
  return [yield* attended(call, heads, mask), keys.all, values.all].slice(0, call.outputs);
}

/**
 * Adds the bias to queries, keys or values. A tensor that is already split into heads stays
 * unchanged, because it includes its bias.
 */
function* biased(call: TensorCall, tensor: Floats, bias: Floats | undefined, first: number): OperatorSteps<Floats> {
  if (bias === undefined || tensor.shape.length === 4) return tensor;
  const width = tensor.shape[2]!;
  const at = (index: number) => tensor.data[index]! + bias.data[first + (index % width)]!;
  return (yield* computedSteps(call, tensor.element, tensor.shape, at)) as Floats;
}

/** Returns the shape of the scores: [batch, heads, queries, keys]. */
function shapeOf(call: TensorCall, { queries, keys, values }: Heads): Shape {
  const [batch, heads, steps, size] = queries.shape as [number, number, number, number];
  const total = keys.shape[2]!;
  if (
    shown(keys.shape) !== shown([batch, heads, total, size]) ||
    shown(values.shape.slice(0, 3)) !== shown([batch, heads, total])
  )
    throw call.fault(
      `queries ${shown(queries.shape)}, keys ${shown(keys.shape)}, values ${shown(values.shape)}`,
      `keys [${batch}, ${heads}, steps, ${size}] and values [${batch}, ${heads}, steps, size]`,
    );
  return [batch, heads, steps, total];
}

/**
 * Computes softmax(Q K' scale + mask) V per head, in float64 and rounded once. The result has the
 * shape [batch, steps, heads * size].
 */
function* attended(call: TensorCall, { queries, keys, values }: Heads, mask: Mask): OperatorSteps<Tensor> {
  const { element } = queries;
  const [batch, heads, steps, size] = queries.shape as [number, number, number, number];
  const [total, width] = values.shape.slice(2) as [number, number];
  const scale = floatAttribute(call, 'scale', 0) || 1 / Math.sqrt(size);
  takeWork(call, batch * heads * steps * total * (size + width + 4));
  const out = newData(call, element, [batch, heads, steps, width]) as NumberData;
  const round = rounding(element);
  const attend = (row: number) => {
    const [at, head, query] = [Math.floor(row / steps / heads), Math.floor(row / steps) % heads, row % steps];
    const other = (at * heads + head) * total;
    const score = (key: number) => scale * dot(queries.data, row * size, keys.data, (other + key) * size, size);
    const weights = softmax(Float64Array.from({ length: total }, (_, key) => score(key) + mask(at, head, query, key)));
    for (let column = 0; column < width; column++) {
      let sum = 0;
      for (let key = 0; key < total; key++) sum += weights[key]! * values.data[(other + key) * width + column]!;
      out[row * width + column] = round(sum);
    }
  };
  const attendAll = (from: number, to: number) => {
    for (let row = from; row < to; row++) attend(row);
  };
  yield* inBlocks(call, batch * heads * steps, attendAll, blockOf(total * (size + width + 4)));
  const result = tensorOf(element, [batch, heads, steps, width], out) as Floats;
  return reshaped(yield* swapped(call, result, result.shape), [batch, steps, heads * width]);
}

function refuse(call: TensorCall, flags: readonly string[]): void {
  const set = flags.find((name) => flagAttribute(call, name, false));
  if (set !== undefined)
    throw call.fault(`${set} = ${intAttribute(call, set)}`, `${set} = 0, because Brezel does not support it`);
}

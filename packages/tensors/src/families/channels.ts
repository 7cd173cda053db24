import { power } from '@brezel/core';
import { floatAttribute, intAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats } from '../elements.js';
import { imageInput, takeWork } from '../images.js';
import { computedSteps, type Floats, tensorInput } from '../inputs.js';
import { BLOCK, blockOf, forEachIndex, interruptible } from '../pauses.js';
import { shown } from '../shapes.js';
import { elementCount, type Tensor } from '../tensor.js';

/**
 * Normalizations of images `[batch, channels, ...spatial]` over some of their channels, in float64
 * and rounded once.
 */
export const channelNormalizations = tensorOperators(
  interruptible({ domain: '', operator: 'InstanceNormalization', versions: [1, 25], steps: instanceNormalization }),
  interruptible({ domain: '', operator: 'GroupNormalization', versions: [18, 25], steps: groupNormalization }),
  interruptible({ domain: '', operator: 'LRN', versions: [1, 25], steps: localResponse }),
);

const { fround } = Math;

/** Normalizes each channel of each image, with one scale and one bias per channel. */
function* instanceNormalization(call: TensorCall): OperatorSteps {
  const { image, channels } = imageInput(call, floats);
  return [yield* normalized(call, image, channels, channels)];
}

/** Normalizes groups of adjacent channels. Versions before 21 have one scale and bias per group. */
function* groupNormalization(call: TensorCall): OperatorSteps {
  const { image, channels } = imageInput(call, floats);
  const groups = intAttribute(call, 'num_groups');
  if (groups < 1 || channels % groups !== 0)
    throw call.fault(
      `${groups} groups of ${channels} channels`,
      'a number of groups that divides the number of channels',
    );
  return [yield* normalized(call, image, groups, call.opset < 21 ? groups : channels)];
}

/**
 * Computes (x - mean) / sqrt(variance + epsilon) * scale + bias, for each group of channels. The
 * channels form `groups` groups, and the node has `scales` scales and as many biases.
 */
function* normalized(call: TensorCall, image: Floats, groups: number, scales: number): OperatorSteps<Tensor> {
  const [, channels] = image.shape as [number, number];
  const epsilon = floatAttribute(call, 'epsilon', fround(1e-5));
  const [scale, bias] = [channelInput(call, 1, scales), channelInput(call, 2, scales)];
  const size = elementCount(image.shape.slice(2));
  const group = (channels / groups) * size;
  call.budget.take(2 * image.shape[0]! * groups);
  const statistics: ReturnType<typeof statisticsOf>[] = [];
  const addGroup = (at: number) => {
    statistics.push(statisticsOf(image.data.subarray(at * group, (at + 1) * group), epsilon));
  };
  yield* forEachIndex(call, group === 0 ? 0 : image.data.length / group, addGroup, Math.ceil(BLOCK / (group + 1)));
  const valueAt = (at: number) => {
    const { mean, deviation } = statistics[Math.floor(at / group)]!;
    const which = Math.floor((Math.floor(at / size) % channels) / (channels / scales));
    return ((image.data[at]! - mean) / deviation) * scale[which]! + bias[which]!;
  };
  return yield* computedSteps(call, image.element, image.shape, valueAt);
}

function channelInput(call: TensorCall, index: number, size: number): ArrayLike<number> {
  const tensor = tensorInput(call, index, floats);
  if (shown(tensor.shape) === shown([size])) return tensor.data;
  throw call.fault(`input ${index} of shape ${shown(tensor.shape)}`, `input ${index} of shape [${size}]`);
}

function statisticsOf(values: Float32Array | Float64Array, epsilon: number) {
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) * (value - mean);
  return { mean, deviation: Math.sqrt(squares / values.length + epsilon) };
}

/**
 * Computing a power takes about as long as this many multiplications. The number determines how
 * many elements are computed between two pauses.
 */
const FUNCTION_PRODUCTS = 64;

/** Computes x / (bias + alpha / size * the sum of squares of `size` neighboring channels)^beta. */
function* localResponse(call: TensorCall): OperatorSteps {
  const { image, channels } = imageInput(call, floats);
  const { data, shape } = image;
  const size = intAttribute(call, 'size');
  if (size < 1) throw call.fault(`size ${size}`, 'size 1 or greater');
  const alpha = floatAttribute(call, 'alpha', fround(1e-4)) / size;
  const [beta, bias] = [floatAttribute(call, 'beta', 0.75), floatAttribute(call, 'bias', 1)];
  const pixels = elementCount(shape.slice(2));
  const neighbors = Math.min(size, channels);
  takeWork(call, data.length * neighbors);
  const normalized = (at: number) => {
    const channel = Math.floor(at / pixels) % channels;
    const first = Math.max(channel - Math.floor((size - 1) / 2), 0);
    const last = Math.min(channel + Math.ceil((size - 1) / 2), channels - 1);
    let squares = 0;
    for (let other = first; other <= last; other++) squares += data[at + (other - channel) * pixels]! ** 2;
    return data[at]! / power(bias + alpha * squares, beta);
  };
  return [yield* computedSteps(call, image.element, shape, normalized, blockOf(neighbors + FUNCTION_PRODUCTS))];
}

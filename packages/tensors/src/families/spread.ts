import { hasAttribute, intAttribute, intsAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats } from '../elements.js';
import { imageInput, takeWork } from '../images.js';
import { computed, computedSteps, optionalInput, tensorInput } from '../inputs.js';
import { countOf, requiredInts } from '../moving.js';
import { blockOf, forEachIndex, inBlocks, interruptible } from '../pauses.js';
import { shown } from '../shapes.js';
import { reachesOf, spreadOf } from '../spreads.js';
import { elementCount } from '../tensor.js';
import { windowsOf } from '../windows.js';

/**
 * Operators that spread entries over a larger image and add overlapping values. Sums are computed
 * in float64, in the order of the entries, and are rounded once.
 */
export const spreading = tensorOperators(
  interruptible({ domain: '', operator: 'ConvTranspose', versions: [1, 25], steps: convTranspose }),
  interruptible({ domain: '', operator: 'Col2Im', versions: [18, 25], steps: col2Im }),
);

const smallIntegers = ['int8', 'int16', 'int32', 'uint8', 'uint16', 'uint32'] as const;

function* convTranspose(call: TensorCall): OperatorSteps {
  const { image, batch, channels, spatial } = imageInput(call, floats);
  const { element, data } = image;
  const weights = tensorInput(call, 1, [element]);
  const bias = optionalInput(call, 2, [element]);
  const [rows, depth, ...kernel] = weights.shape;
  const groups = intAttribute(call, 'group', 1);
  const outputs = depth! * groups;
  const declared = hasAttribute(call, 'kernel_shape') ? intsAttribute(call, 'kernel_shape') : kernel;
  const fits = groups >= 1 && rows === channels && channels % groups === 0 && shown(declared) === shown(kernel);
  if (!fits || kernel.length !== spatial.length || (bias !== undefined && shown(bias.shape) !== shown([outputs])))
    throw call.fault(
      `weights ${shown(weights.shape)}, bias ${shown(bias?.shape ?? [])}, ${groups} groups for ${shown(image.shape)}`,
      'weights [channels, outputs / groups, ...kernel] and one bias per output',
    );
  const spread = spreadOf(call, spatial, kernel);
  const shape = [batch, outputs, ...spread.to];
  call.budget.take(countOf(call, shape));
  const [size, entries, to] = [elementCount(spatial), elementCount(kernel), elementCount(spread.to)];
  takeWork(call, batch * channels * depth! * size * entries);
  if (call.onlyShapes) return [computed(call, element, shape, () => 0)];
  const reaches = reachesOf(call, spread, spatial, kernel);
  const sums = new Float64Array(elementCount(shape));
  const addChannel = (channel: number, output: number) => {
    const group = Math.floor((channel % channels) / (channels / groups));
    const base = (Math.floor(channel / channels) * outputs + group * depth! + output) * to;
    const row = ((channel % channels) * depth! + output) * entries;
    for (const { from, tap, target } of reaches)
      sums[base + target] = sums[base + target]! + data[channel * size + from]! * weights.data[row + tap]!;
  };
  const addChannels = (from: number, until: number) => {
    for (let at = from; at < until; at++) addChannel(Math.floor(at / depth!), at % depth!);
  };
  yield* inBlocks(call, batch * channels * depth!, addChannels, blockOf(reaches.length));
  const valueAt = (at: number) => sums[at]! + (bias?.data[Math.floor(at / to) % outputs] ?? 0);
  return [yield* computedSteps(call, element, shape, valueAt)];
}

/**
 * Adds windows `[batch, channels * entries, windows]` to an image. Each window has one column of
 * entries. This is the reverse of reading the windows of a convolution.
 */
function* col2Im(call: TensorCall): OperatorSteps {
  const columns = tensorInput(call, 0, [...floats, ...smallIntegers]);
  const { element, data } = columns;
  const [image, block] = [requiredInts(call, 1), requiredInts(call, 2)];
  const [batch, rows, count] = columns.shape as [number, number, number];
  if (columns.shape.length !== 3 || image.length !== block.length || image.length === 0)
    throw call.fault(
      `columns ${shown(columns.shape)} of blocks ${shown(block)} of an image ${shown(image)}`,
      'columns with three axes, and one block size per image axis',
    );
  const windows = windowsOf(call, image, block);
  const entries = elementCount(block);
  const channels = rows / entries;
  if (!Number.isInteger(channels) || elementCount(windows.to) !== count)
    throw call.fault(
      `columns ${shown(columns.shape)}`,
      `columns [batch, channels * ${entries}, ${elementCount(windows.to)}] for blocks ${shown(block)} of an image ${shown(image)}`,
    );
  const shape = [batch, channels, ...image];
  call.budget.take(countOf(call, shape));
  const reaches = reachesOf(call, { ...windows, to: image }, windows.to, block);
  const size = elementCount(image);
  const column = (channel: number, tap: number, from: number) => (channel * entries + tap) * count + from;
  takeWork(call, batch * channels * reaches.length);
  const sums = new Float64Array(elementCount(shape));
  const addChannel = (channel: number) => {
    for (const { from, tap, target } of reaches) {
      const at = channel * size + target;
      sums[at] = sums[at]! + data[column(channel, tap, from)]!;
    }
  };
  yield* forEachIndex(call, batch * channels, addChannel, blockOf(reaches.length));
  return [yield* computedSteps(call, element, shape, (at) => sums[at]!)];
}

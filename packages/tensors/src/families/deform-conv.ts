import { intAttribute } from '../attributes.js';
import { fittingWeights } from '../convolution.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats } from '../elements.js';
import { imageInput, takeWork } from '../images.js';
import { computedSteps, type Floats, optionalInput, tensorInput } from '../inputs.js';
import { countOf } from '../moving.js';
import { blockOf, inBlocks, interruptible } from '../pauses.js';
import { linearFilter } from '../resize/taps.js';
import { type Sample, sampled, samplesAround, zeros } from '../sampling.js';
import { type Shape, shown, strides } from '../shapes.js';
import { elementCount } from '../tensor.js';
import { type Windows, windowsOf } from '../windows.js';

export const deformConvolutions = tensorOperators(
  interruptible({ domain: '', operator: 'DeformConv', versions: [19, 25], steps: deformConv }),
);

/**
 * The positions at which a deformable convolution reads its values. Each weight of each window adds
 * an offset per axis to its position, and multiplies the value at the new position by a factor.
 */
interface Moves {
  /** The number of groups of channels. The channels of a group have the same offsets. */
  readonly groups: number;
  readonly offsets: Floats;
  /** The factors. Undefined if all factors are 1. */
  readonly mask: Floats | undefined;
}

/**
 * Computes a convolution in which each weight of a window reads the image at an individual offset.
 * Sums are computed in float64: over the channels, and within a channel over the weights of the
 * window.
 */
function* deformConv(call: TensorCall): OperatorSteps {
  const { image, batch, channels, spatial } = imageInput(call, floats);
  const { element } = image;
  const weights = tensorInput(call, 1, [element]);
  const bias = optionalInput(call, 3, [element]);
  const { outputs, depth, kernel, firstChannel } = fittingWeights(call, image.shape, weights.shape, bias?.shape);
  const windows = windowsOf(call, spatial, kernel);
  const moves = movesOf(call, image, windows);
  const [taps, positions] = [elementCount(kernel), elementCount(windows.to)];
  const shape = [batch, outputs, ...windows.to];
  takeWork(call, countOf(call, shape) * depth * taps);
  const columns = yield* columnsOf(call, image, windows, moves);
  const sumAt = (at: number) => {
    const [row, output] = [Math.floor(at / positions / outputs), Math.floor(at / positions) % outputs];
    const column = ((row * positions + (at % positions)) * channels + firstChannel(output)) * taps;
    let sum = 0;
    for (let term = 0; term < depth * taps; term++)
      sum += columns[column + term]! * weights.data[output * depth * taps + term]!;
    return sum + (bias?.data[output] ?? 0);
  };
  return [yield* computedSteps(call, element, shape, sumAt, blockOf(depth * taps))];
}

function movesOf(call: TensorCall, image: Floats, { to, kernel }: Windows): Moves {
  const [batch, channels] = image.shape as [number, number];
  const groups = intAttribute(call, 'offset_group', 1);
  const taps = elementCount(kernel);
  const [offsets, mask] = [tensorInput(call, 2, [image.element]), optionalInput(call, 4, [image.element])];
  const shapeOf = (entries: number) => [batch, groups * taps * entries, ...to];
  const fits = groups >= 1 && channels % groups === 0 && shown(offsets.shape) === shown(shapeOf(kernel.length));
  if (fits && (mask === undefined || shown(mask.shape) === shown(shapeOf(1)))) return { groups, offsets, mask };
  throw call.fault(
    `offsets ${shown(offsets.shape)}, mask ${shown(mask?.shape ?? [])}, ${groups} offset groups`,
    `offsets ${shown(shapeOf(kernel.length))} and a mask ${shown(shapeOf(1))}`,
  );
}

/**
 * Returns the value that each weight of each window reads. The shape is `[batch, windows, channels,
 * weights of a window]`.
 */
function* columnsOf(
  call: TensorCall,
  image: Floats,
  windows: Windows,
  { groups, offsets, mask }: Moves,
): OperatorSteps<Float64Array> {
  const [batch, channels, ...spatial] = image.shape as [number, number, ...number[]];
  const { kernel, to } = windows;
  const [taps, positions, size, rank] = [elementCount(kernel), elementCount(to), elementCount(spatial), kernel.length];
  const count = countOf(call, [batch, positions, channels, taps]);
  call.budget.take(count);
  const products = taps * (channels + groups) * 2 ** rank;
  takeWork(call, batch * positions * products);
  const columns = new Float64Array(count);
  const sampleAt = (at: number) => {
    const [row, position] = [Math.floor(at / positions), at % positions];
    for (let lane = 0; lane < groups * taps; lane++) {
      const [group, tap] = [Math.floor(lane / taps), lane % taps];
      const offset = (axis: number) =>
        offsets.data[((row * groups * taps + lane) * rank + axis) * positions + position]!;
      const samples = samplesOf(windows, spatial, position, tap, offset);
      const factor = mask?.data[(row * groups * taps + lane) * positions + position] ?? 1;
      for (let channel = (group * channels) / groups; channel < ((group + 1) * channels) / groups; channel++)
        columns[(at * channels + channel) * taps + tap] =
          factor * sampled(image.data, (row * channels + channel) * size, samples);
    }
  };
  const sampleAll = (from: number, until: number) => {
    for (let at = from; at < until; at++) sampleAt(at);
  };
  yield* inBlocks(call, batch * positions, sampleAll, blockOf(products));
  return columns;
}

function samplesOf(
  windows: Windows,
  spatial: Shape,
  position: number,
  tap: number,
  offset: (axis: number) => number,
): Sample[] {
  const { kernel, to, steps, dilations, before } = windows;
  const [toSteps, kernelSteps] = [strides(to), strides(kernel)];
  const point = spatial.map((_, axis) => {
    const window = Math.floor(position / toSteps[axis]!) % to[axis]!;
    const lane = Math.floor(tap / kernelSteps[axis]!) % kernel[axis]!;
    return window * steps[axis]! - before[axis]! + lane * dilations[axis]! + offset(axis);
  });
  return samplesAround(point, spatial, linearFilter, zeros);
}

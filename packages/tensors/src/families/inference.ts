import { flagAttribute, floatAttribute, hasAttribute, intAttribute } from '../attributes.js';
import { chargeIndexMap, type IndexMap, indexMapOf } from '../broadcast.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats } from '../elements.js';
import {
  computedSteps,
  type Floats,
  type NumberData,
  newData,
  onlyElement,
  optionalInput,
  tensorInput,
  tensorOf,
} from '../inputs.js';
import { canRun, KERNEL_BLOCK, MOST_ELEMENTS, runKernel } from '../kernels.js';
import { forEachIndex, inBlocks, interruptible } from '../pauses.js';
import { uniformFrom } from '../random.js';
import { type Shape, shown } from '../shapes.js';
import { elementCount, type Tensor } from '../tensor.js';

const TRAINED = 'export the model for inference: model.eval()';

/**
 * Computes (x - mean) / sqrt(variance + epsilon) * scale + bias with one mean and one variance of
 * the training data for each channel (axis 1). With `training_mode`, the function uses the mean and
 * the variance of the input instead. It then also returns updated statistics: momentum * old + (1 -
 * momentum) * statistic of the input.
 */
function* batchNormalization(call: TensorCall): OperatorSteps {
  const input = tensorInput(call, 0, floats);
  const trains = call.opset >= 14 && flagAttribute(call, 'training_mode', false);
  if (call.opset < 14 && call.outputs > 1) throw call.fault('a node that trains', 'a node for inference', TRAINED);
  const epsilon = floatAttribute(call, 'epsilon', Math.fround(1e-5));
  const { element, shape } = input;
  const own = statisticsShape(call, shape);
  const statistic = (index: number) => {
    const tensor = tensorInput(call, index, floats);
    if (shown(tensor.shape) === shown(own.given)) return tensor.data;
    throw call.fault(
      `input ${index} of shape ${shown(tensor.shape)} for ${shown(shape)}`,
      `input ${index} of shape ${shown(own.given)}`,
    );
  };
  const [scale, bias, oldMean, oldVariance] = [statistic(1), statistic(2), statistic(3), statistic(4)];
  const fresh = trains ? yield* ownStatistics(call, input, own.given, indexMapOf(own.beside, shape, call)) : undefined;
  const [mean, variance] = fresh ?? [oldMean, oldVariance];
  if (fresh === undefined && !own.isEach) {
    const fast = yield* normalizedByKernel(call, input, [scale, bias, oldMean, oldVariance], epsilon);
    if (fast !== undefined) return [fast];
  }
  const statisticAt = indexMapOf(own.beside, shape, call);
  const normalized = (at: number) => {
    const channel = statisticAt(at);
    const away = input.data[at]! - mean[channel]!;
    return (away / Math.sqrt(variance[channel]! + epsilon)) * scale[channel]! + bias[channel]!;
  };
  const result = yield* computedSteps(call, element, shape, normalized);
  if (fresh === undefined) return [result];
  const momentum = floatAttribute(call, 'momentum', Math.fround(0.9));
  const moved = function* (index: number, statistics: Float64Array) {
    const old = tensorInput(call, index, floats);
    const next = (at: number) => momentum * old.data[at]! + (1 - momentum) * statistics[at]!;
    return yield* computedSteps(call, old.element, own.given, next);
  };
  return [result, yield* moved(3, fresh[0]), yield* moved(4, fresh[1])];
}

/**
 * Runs the kernel if all tensors are float32. Otherwise returns undefined. Each tensor of
 * `statistics` has one number per channel.
 */
function* normalizedByKernel(
  call: TensorCall,
  { element, shape, data }: Floats,
  statistics: readonly Floats['data'][],
  epsilon: number,
): OperatorSteps<Tensor | undefined> {
  if (element !== 'float32' || shape.length < 2 || !canRun(call, 0)) return undefined;
  if (statistics.some((one) => one instanceof Float64Array)) return undefined;
  const [batch, channels] = shape as [number, number];
  chargeIndexMap([channels, ...shape.slice(2).map(() => 1)], shape, call);
  const out = newData(call, element, shape) as Float32Array;
  if (data.length > MOST_ELEMENTS) return undefined;
  if (data.length === 0) return tensorOf(element, shape, out); // other sizes may be huge
  const pixels = elementCount(shape.slice(2));
  const image = channels * pixels;
  const some = (from: number, to: number) => {
    const [target, source] = [out, data as Float32Array].map((list) => list.subarray(from * image, to * image));
    runKernel(call, 'batch_norm', [target, source, ...statistics], [to - from, channels, pixels, epsilon]);
  };
  yield* inBlocks(call, batch, some, Math.ceil(KERNEL_BLOCK / image));
  return tensorOf(element, shape, out);
}

/**
 * Returns the means and the variances of the input, in the shape `given`: usually one per channel.
 */
function* ownStatistics(
  call: TensorCall,
  { data }: Floats,
  given: Shape,
  statisticAt: IndexMap,
): OperatorSteps<[Float64Array, Float64Array]> {
  const channels = elementCount(given);
  call.budget.take(2 * channels);
  const [means, variances] = [new Float64Array(channels), new Float64Array(channels)];
  const size = data.length / channels;
  yield* forEachIndex(call, data.length, (at) => {
    const channel = statisticAt(at);
    means[channel] = means[channel]! + data[at]! / size;
  });
  yield* forEachIndex(call, data.length, (at) => {
    const channel = statisticAt(at);
    variances[channel] = variances[channel]! + (data[at]! - means[channel]!) ** 2 / size;
  });
  return [means, variances];
}

/**
 * Returns the shape of scale, bias, mean and variance, and the same shape aligned with the data.
 * Before version 9, `spatial = 0` means one scale, bias, mean and variance per element.
 */
function statisticsShape(call: TensorCall, shape: readonly number[]) {
  if (call.opset < 9 && intAttribute(call, 'spatial', 1) === 0)
    return { given: shape.slice(1), beside: shape.slice(1), isEach: true };
  const channels = shape[1] ?? 1;
  const behind = new Array<number>(Math.max(shape.length - 2, 0)).fill(1);
  return { given: [channels], beside: shape.length < 2 ? [] : [channels, ...behind], isEach: false };
}

/**
 * Returns the input and a mask of ones. In `training_mode` (version 12), drops each element with
 * probability `ratio` and multiplies the other elements by 1 / (1 - ratio). A seed makes the choice
 * repeatable. ONNX does not define the random numbers.
 */
function* dropout(call: TensorCall): OperatorSteps {
  const input = tensorInput(call, 0, floats);
  if (call.opset < 7 && !flagAttribute(call, 'is_test', false) && call.outputs > 1)
    throw call.fault('a node that trains', 'a node for inference', TRAINED);
  const training = optionalInput(call, 2, ['bool']);
  const ratio = training !== undefined && onlyElement(call, training, 'training_mode') ? ratioOf(call) : 0;
  const mask = yield* maskOf(call, input, ratio);
  const scale = 1 / (1 - ratio);
  const result =
    ratio === 0
      ? input
      : yield* computedSteps(call, input.element, input.shape, (at) =>
          (mask.data as NumberData)[at] ? input.data[at]! * scale : 0,
        );
  return call.outputs < 2 ? [result] : [result, mask];
}

function ratioOf(call: TensorCall): number {
  const given = optionalInput(call, 1, floats);
  const ratio = given === undefined ? 0.5 : Number(onlyElement(call, given, 'the ratio'));
  if (ratio >= 0 && ratio < 1) return ratio;
  throw call.fault(`a ratio of ${ratio}`, 'a ratio of at least 0 and less than 1');
}

function maskOf(call: TensorCall, { element, shape }: Floats, ratio: number): OperatorSteps<Tensor> {
  const uniform = uniformFrom(hasAttribute(call, 'seed') ? intAttribute(call, 'seed') : undefined);
  const keeps = ratio === 0 ? () => 1 : () => (uniform() < ratio ? 0 : 1);
  return computedSteps(call, call.opset < 10 ? element : 'bool', shape, keeps);
}

/** Operators that behave differently in training. */
export const inference = tensorOperators(
  interruptible({ domain: '', operator: 'BatchNormalization', versions: [1, 25], steps: batchNormalization }),
  interruptible({ domain: '', operator: 'Dropout', versions: [1, 25], steps: dropout }),
);

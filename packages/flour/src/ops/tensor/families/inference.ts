import { flagAttribute, floatAttribute, intAttribute } from '../attributes.js';
import { placesOf } from '../broadcast.js';
import { type TensorCall, tensorOperators } from '../define.js';
import { floats } from '../elements.js';
import { computed, onlyElement, optionalInput, tensorInput } from '../inputs.js';
import { shown } from '../shapes.js';
import type { Tensor } from '../tensor.js';

const TRAINED = 'export the model for inference: model.eval()';

/** (x - mean) / sqrt(variance + epsilon) * scale + bias with the statistics of training, one of each a channel (axis 1). */
function batchNormalization(call: TensorCall): Tensor[] {
  const input = tensorInput(call, 0, floats);
  const trains = call.opset < 14 ? call.outputs > 1 : flagAttribute(call, 'training_mode', false);
  if (trains) throw call.fault('a node that trains', TRAINED);
  const epsilon = floatAttribute(call, 'epsilon', Math.fround(1e-5));
  const { element, shape } = input;
  const own = statisticsShape(call, shape);
  const statistic = (index: number) => {
    const tensor = tensorInput(call, index, floats);
    if (shown(tensor.shape) === shown(own.given)) return tensor.data;
    throw call.fault(
      `input ${index} of shape ${shown(tensor.shape)} for ${shown(shape)}`,
      `it takes ${shown(own.given)}`,
    );
  };
  const [scale, bias, mean, variance] = [statistic(1), statistic(2), statistic(3), statistic(4)];
  const place = placesOf(own.beside, shape, call);
  const normalized = (at: number) => {
    const channel = place(at);
    const away = input.data[at]! - mean[channel]!;
    return (away / Math.sqrt(variance[channel]! + epsilon)) * scale[channel]! + bias[channel]!;
  };
  return [computed(call, element, shape, normalized)];
}

/** The shape of scale, bias, mean and variance, and the same laid beside the data. Before version 9 `spatial = 0` has one of each an element. */
function statisticsShape(call: TensorCall, shape: readonly number[]) {
  if (call.opset < 9 && intAttribute(call, 'spatial', 1) === 0)
    return { given: shape.slice(1), beside: shape.slice(1) };
  const channels = shape[1] ?? 1;
  const behind = new Array<number>(Math.max(shape.length - 2, 0)).fill(1);
  return { given: [channels], beside: shape.length < 2 ? [] : [channels, ...behind] };
}

/** The input as it is, and a mask that keeps all of it. */
function dropout(call: TensorCall): Tensor[] {
  const input = tensorInput(call, 0, floats);
  const ratio = optionalInput(call, 1, floats);
  const training = optionalInput(call, 2, ['bool']);
  const drops = ratio === undefined || Number(onlyElement(call, ratio, 'the ratio')) !== 0;
  if (training !== undefined && onlyElement(call, training, 'training_mode') && drops)
    throw call.fault('a node that trains', TRAINED);
  if (call.opset < 7 && !flagAttribute(call, 'is_test', false) && call.outputs > 1)
    throw call.fault('a node that trains', TRAINED);
  if (call.outputs < 2) return [input];
  return [input, computed(call, call.opset < 10 ? input.element : 'bool', input.shape, () => 1)];
}

/** Operators that do something else while a model is trained. */
export const inference = tensorOperators(
  { domain: '', operator: 'BatchNormalization', versions: [1, 25], run: batchNormalization },
  { domain: '', operator: 'Dropout', versions: [1, 25], run: dropout },
);

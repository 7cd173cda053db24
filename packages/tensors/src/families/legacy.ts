import { tanh } from '@brezel/core';
import { flagAttribute, floatAttribute, floatsAttribute, hasAttribute, intsAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, type TensorOperator, tensorOperators } from '../define.js';
import { floats } from '../elements.js';
import { transformed } from '../groups.js';
import { computedSteps, tensorInput } from '../inputs.js';
import { anyInput } from '../moving.js';
import { interruptible } from '../pauses.js';
import { shown, strides } from '../shapes.js';
import { elementCount, type Tensor } from '../tensor.js';
import { pickedAxis, view, wholeAxis } from '../view.js';
import { softplus } from './activations.js';
import { slice } from './join.js';
import { meanAndDeviation } from './normalize.js';

/**
 * The last operator set with ONNX's early experimental operators, which converters of Core ML and
 * Caffe2 wrote.
 */
const LAST = 9;

const operator = (name: string, steps: NonNullable<TensorOperator['steps']>, last = LAST): TensorOperator =>
  interruptible({ domain: '', operator: name, versions: [1, last], steps });

/**
 * Declares an operator that applies a function with two numbers to each element. The defaults of
 * the numbers are 1 and 0.
 */
const element = (name: string, functionOf: (alpha: number, beta: number) => (x: number) => number, factor = 'alpha') =>
  operator(name, function* (call) {
    const { element, shape, data } = tensorInput(call, 0, floats);
    const apply = functionOf(floatAttribute(call, factor, 1), floatAttribute(call, 'beta', 0));
    return [yield* computedSteps(call, element, shape, (at) => apply(data[at]!))];
  });

/** Operators that later operator sets removed. */
export const legacy = tensorOperators(
  element('Affine', (alpha, beta) => (x) => alpha * x + beta),
  element('Scale', (scale) => (x) => scale * x, 'scale'),
  element('ScaledTanh', (alpha, beta) => (x) => alpha * tanh(beta * x)),
  element('ParametricSoftplus', (alpha, beta) => (x) => alpha * softplus(beta * x)),
  operator('ImageScaler', scaledImage),
  operator('Crop', cropped),
  operator('DynamicSlice', (call) => slice({ ...call, opset: 10 })),
  operator('MeanVarianceNormalization', normalized, 8),
);

/** Checks that a tensor holds images `[N, C, H, W]`. */
function checkImages(call: TensorCall, { shape }: Tensor): void {
  if (shape.length !== 4) throw call.fault(`shape ${shown(shape)}`, 'images [N, C, H, W]');
}

/** Runs ImageScaler: multiplies all elements by a factor, and adds one number per channel. */
function* scaledImage(call: TensorCall): OperatorSteps {
  const input = tensorInput(call, 0, floats);
  checkImages(call, input);
  const { element, shape, data } = input;
  const channels = shape[1]!;
  const [scale, bias] = [floatAttribute(call, 'scale', 1), floatsAttribute(call, 'bias')];
  if (bias.length !== channels) throw call.fault(`${bias.length} biases`, `${channels} biases, one per channel`);
  const pixels = elementCount(shape.slice(2));
  const scaledAt = (at: number) => scale * data[at]! + bias[Math.floor(at / pixels) % channels]!;
  return [yield* computedSteps(call, element, shape, scaledAt)];
}

/**
 * Crops images: removes pixels at the left, top, right and bottom. With the attribute `scale`,
 * removes pixels at the left and top, and returns as many lines and columns of pixels as `scale`
 * requests.
 */
function* cropped(call: TensorCall): OperatorSteps {
  const input = anyInput(call, 0);
  checkImages(call, input);
  const [, , height, width] = input.shape as [number, number, number, number];
  const border = intsAttribute(call, 'border');
  if (border.length !== 4 || border.some((pixels) => pixels < 0))
    throw call.fault(`a border of [${border}]`, 'a border of 4 numbers, each 0 or greater: left, top, right, bottom');
  const [left, top, right, bottom] = border as [number, number, number, number];
  const [rows, columns] = hasAttribute(call, 'scale')
    ? intsAttribute(call, 'scale')
    : [height - top - bottom, width - left - right];
  if (!(rows! >= 0 && columns! >= 0 && top + rows! <= height && left + columns! <= width))
    throw call.fault(
      `${rows} rows and ${columns} columns from [${top}, ${left}] of ${shown(input.shape)}`,
      'a region inside the image',
    );
  const steps = strides(input.shape);
  const lead = [0, 1].map((axis) => wholeAxis(input.shape[axis]!, steps[axis]!));
  const picked = [
    pickedAxis(rows!, steps[2]!, (row) => row + top),
    pickedAxis(columns!, steps[3]!, (column) => column + left),
  ];
  return [yield* view(call, input, [...lead, ...picked])];
}

/**
 * Subtracts the mean of each image, or of each channel. Then divides by the standard deviation,
 * unless `normalize_variance` is 0.
 */
function* normalized(call: TensorCall): OperatorSteps {
  const input = tensorInput(call, 0, floats);
  checkImages(call, input);
  const axes = flagAttribute(call, 'across_channels', false) ? [1, 2, 3] : [2, 3];
  const isScaled = flagAttribute(call, 'normalize_variance', true);
  const center = (values: Float64Array) => {
    const { away, deviation } = meanAndDeviation(values);
    return isScaled ? away.map((value) => value / (deviation + 1e-9)) : away;
  };
  return [yield* transformed(call, input, axes, center)];
}

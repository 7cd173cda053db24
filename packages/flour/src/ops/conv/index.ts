import { type NumericParameter, sizeOf, type ValueType, vector } from '@brezel/core';
import { ofKind, ofLength, ofNumbers, ofUsableSize } from '../../checks.js';
import { defineOp, type OperatorUse } from '../../define-op.js';
import { flourError } from '../../errors.js';
import type { Flow } from '../../flow.js';
import { integerIn } from '../../numbers.js';
import { reference } from './reference.js';
import { type ImageWindows, readWindows, windowNumbers } from './windows.js';

/**
 * A program is rejected if one row needs more than this many multiplications. Without this limit, a
 * hostile file could request days of work.
 */
const MOST_PRODUCTS = 2 ** 30;
/**
 * Estimated nanoseconds of one multiplication in the addon. The addon computes several windows
 * together.
 */
const PRODUCT_NANOS = 0.2;

/**
 * Defines the operator `conv`, which convolves an image with several channels and adds a bias to
 * each output channel. Only importers add it to a program.
 *
 * Types: float32[channels * height * width] → float32[outputs * windows].
 */
export const conv = defineOp({
  name: 'conv',
  version: 1,
  doc: {
    does: 'Convolves an image with several channels, and adds a bias to each output channel.',
    types: 'float32[channels * height * width] → float32[outputs * windows]',
    attributes: {
      groups: 'independent groups of channels and outputs',
      size: 'height and width of the image',
      kernel: 'height and width of the kernel',
      strides: 'distance between windows',
      dilations: 'distance between entries of the kernel',
      before: 'padding above and left',
      places: 'number of windows, vertical and horizontal',
    },
    parameters: { weights: 'float32[outputs, channels / groups, kernel]', bias: 'float32[outputs]' },
    kernels: ['conv'],
  },
  attributes: {
    groups: 'infer',
    size: 'infer',
    kernel: 'infer',
    strides: 'infer',
    dilations: 'infer',
    before: 'infer',
    places: 'infer',
  },
  parameters: { weights: ['float32'], bias: ['float32'] },
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'model' },
  learned: { weights: 'finite', bias: 'number' },
  infer,
  reference,
  cost: (use) => (use.parameters.weights === undefined ? 0 : productsOf(use) * PRODUCT_NANOS),
  kernel: ({ attributes, inputs, parameters }) => {
    const windows = readWindows('conv', attributes);
    const channels = sizeOf(inputs[0]!) / (windows.size[0] * windows.size[1]);
    const depth = channels / (attributes.groups as number);
    return {
      kernel: 'conv',
      parameters: ['weights', 'bias'],
      attributes: [...windowNumbers(windows), channels, depth, parameters.bias!.shape[0]!],
    };
  },
});

const product = (sizes: readonly number[]) => sizes.reduce((all, size) => all * size, 1);

function productsOf({ attributes, parameters }: OperatorUse): number {
  return product(parameters.weights!.shape) * product(readWindows('conv', attributes).places);
}

function infer(use: OperatorUse): ValueType {
  const [input] = use.inputs;
  if (use.inputs.length !== 1 || input === undefined)
    throw flourError('ERR_FLOUR_GRAPH', { expected: 'one input', received: `${use.inputs.length}`, at: 'conv' });
  ofNumbers('conv', ofKind('conv', input, 'vector'), 'float32');
  const windows = readWindows('conv', use.attributes);
  const channels = sizeOf(input) / product(windows.size);
  const groups = integerIn('conv', 'groups', use.attributes.groups as number, 1, Math.max(1, channels));
  const outputs = use.parameters.bias?.shape[0] ?? 0;
  const isWhole = Number.isInteger(channels) && channels % groups === 0 && outputs > 0 && outputs % groups === 0;
  if (!isWhole || use.parameters.weights?.dtype !== 'float32' || use.parameters.bias?.dtype !== 'float32')
    throw flourError('ERR_FLOUR_SIZE', {
      expected: `${groups} equal groups of channels and outputs, in float32`,
      received: `${channels} channels and ${outputs} outputs`,
      at: 'conv',
    });
  ofLength('conv', 'weights', use, (outputs * channels * product(windows.kernel)) / groups);
  if (productsOf(use) > MOST_PRODUCTS)
    throw flourError('ERR_FLOUR_SIZE', {
      expected: `at most ${MOST_PRODUCTS} multiplications per row`,
      received: `${productsOf(use)}`,
      at: 'conv',
    });
  return ofUsableSize('conv', vector('float32', outputs * product(windows.places)));
}

export type { ImageWindows } from './windows.js';
export { onnxWindows } from './windows.js';

/** Applies the operator `conv` to a flow of flattened images. */
export const convolve = (
  image: Flow<'vector'>,
  weights: NumericParameter,
  bias: NumericParameter,
  windows: ImageWindows,
  groups: number,
): Flow<'vector'> =>
  image.context.apply<'vector'>(conv, [image], {
    attributes: { ...windows, groups },
    parameters: { weights, bias },
  });

import { hasAttribute, intAttribute, intsAttribute } from './attributes.js';
import type { TensorCall } from './define.js';
import { takeWork } from './images.js';
import { countOf } from './moving.js';
import { type Shape, shown } from './shapes.js';
import { elementCount } from './tensor.js';
import { coveredPlaces, windowsOf } from './windows.js';

/** Every product of a convolution: for an element of the result, the places of its factors in the image and in the weights. */
export interface Convolution {
  /** The shape of the result, and places it has in one channel. */
  readonly shape: Shape;
  readonly places: number;
  readonly outputs: number;
  visit(at: number, product: (image: number, weight: number) => void): void;
}

/** Weights `[outputs, channels / group, ...kernel]` that fit an image `[batch, channels, ...spatial]`. */
export interface FittingWeights {
  readonly outputs: number;
  readonly depth: number;
  readonly kernel: Shape;
  /** Which of the channels is the first that an output reads. */
  readonly firstChannel: (output: number) => number;
}

/** @throws a fault where weights and bias do not fit the image and the attributes. */
export function fittingWeights(
  call: TensorCall,
  image: Shape,
  weights: Shape,
  bias: Shape | undefined,
): FittingWeights {
  const [outputs, depth, ...kernel] = weights as [number, number, ...number[]];
  const groups = intAttribute(call, 'group', 1);
  const told = hasAttribute(call, 'kernel_shape') ? intsAttribute(call, 'kernel_shape') : kernel;
  const fits = groups >= 1 && depth * groups === image[1] && outputs % groups === 0 && shown(told) === shown(kernel);
  if (!fits || (bias !== undefined && shown(bias) !== shown([outputs])))
    throw call.fault(
      `weights ${shown(weights)}, bias ${shown(bias ?? [])}, ${groups} groups for ${shown(image)}`,
      'weights are [outputs, channels / groups, ...kernel], and there is one bias an output',
    );
  return { outputs, depth, kernel, firstChannel: (output) => Math.floor(output / (outputs / groups)) * depth };
}

/** All products of an image under its weights. */
export function convolutionOf(call: TensorCall, image: Shape, weights: Shape, bias: Shape | undefined): Convolution {
  const [batch, channels, ...spatial] = image as [number, number, ...number[]];
  const { outputs, depth, kernel, firstChannel } = fittingWeights(call, image, weights, bias);
  const windows = windowsOf(call, spatial, kernel);
  const inside = coveredPlaces(call, windows).map((window) => window.filter(({ place }) => place >= 0));
  const [size, places, entries] = [elementCount(spatial), inside.length, elementCount(kernel)];
  const shape = [batch, outputs, ...windows.to];
  takeWork(call, countOf(call, shape) * depth * entries);
  const visit: Convolution['visit'] = (at, product) => {
    const output = Math.floor(at / places) % outputs;
    const first = Math.floor(at / places / outputs) * channels + firstChannel(output);
    for (let channel = 0; channel < depth; channel++)
      for (const { kernel: entry, place } of inside[at % places]!)
        product((first + channel) * size + place, (output * depth + channel) * entries + entry);
  };
  return { shape, places, outputs, visit };
}

import { type DenseBlock, dense, type NumericParameter, type ReferenceKernel, sizeOf } from '@brezel/core';
import { convolutionUnder, convolvedInLanes } from '@brezel/tensors';
import { readWindows, tensorWindows } from './windows.js';

/** Applies the tensor operator Conv to each row. A row is one image. */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, parameters, type }) => {
  const { values, size } = inputs[0] as DenseBlock<'float32'>;
  const windows = readWindows('conv', attributes);
  const [weights, bias] = ['weights', 'bias'].map(
    (name) => (parameters[name] as NumericParameter).data as Float32Array,
  ) as [Float32Array, Float32Array];
  const [outputs, groups] = [bias.length, attributes.groups as number];
  const channels = size / (windows.size[0] * windows.size[1]);
  const depth = channels / groups;
  const firstChannel = (output: number) => Math.floor(output / (outputs / groups)) * depth;
  const convolution = convolutionUnder(tensorWindows(windows), {
    batch: rows,
    channels,
    depth,
    outputs,
    firstChannel,
  });
  const convolved = new Float32Array(rows * sizeOf(type));
  convolvedInLanes(convolution, values, weights, bias, convolved);
  return dense('float32', rows, sizeOf(type), convolved);
};

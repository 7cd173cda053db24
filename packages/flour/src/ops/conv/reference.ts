import { type DenseBlock, dense, LaneSum, type NumericParameter, type ReferenceKernel, sizeOf } from '@brezel/core';
import { entriesInside, readWindows } from './windows.js';

/** Each sum in the lanes of one output, over channels, then the kernel; places outside the image are no terms. Then the bias. */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, parameters, type }) => {
  const { values, size } = inputs[0] as DenseBlock<'float32'>;
  const windows = readWindows('conv', attributes);
  const [weights, bias] = ['weights', 'bias'].map(
    (name) => (parameters[name] as NumericParameter).data as Float32Array,
  );
  const outputs = bias!.length;
  const [height, width] = windows.size;
  const [kernelHeight, kernelWidth] = windows.kernel;
  const groups = attributes.groups as number;
  const depth = size / (height * width) / groups;
  const convolved = new Float32Array(rows * sizeOf(type));
  let to = 0;
  for (let row = 0; row < rows; row++) {
    for (let output = 0; output < outputs; output++) {
      const first = Math.floor(output / (outputs / groups)) * depth;
      for (let y = 0; y < windows.places[0]; y++) {
        for (let x = 0; x < windows.places[1]; x++) {
          const sum = new LaneSum(1);
          for (let channel = 0; channel < depth; channel++) {
            for (const down of entriesInside(windows, 0, y)) {
              for (const across of entriesInside(windows, 1, x)) {
                const pixel = values[row * size + ((first + channel) * height + down.at) * width + across.at]!;
                const entry = (output * depth + channel) * kernelHeight + down.entry;
                sum.add(Math.fround(pixel * weights![entry * kernelWidth + across.entry]!));
              }
            }
          }
          convolved[to++] = sum.finish()[0]! + bias![output]!;
        }
      }
    }
  }
  return dense('float32', rows, sizeOf(type), convolved);
};

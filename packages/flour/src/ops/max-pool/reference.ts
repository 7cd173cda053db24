import { type DenseBlock, dense, type ReferenceKernel, sizeOf } from '@brezel/core';
import { entriesInside, readWindows } from '../conv/windows.js';

/** The greatest entry of each window, a NaN where there is one; of equals the first. */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, type }) => {
  const { values } = inputs[0] as DenseBlock<'float32'>;
  const windows = readWindows('max-pool', attributes);
  const [height, width] = windows.size;
  const greatest = new Float32Array(rows * sizeOf(type));
  let to = 0;
  for (let image = 0; image < values.length; image += height * width) {
    for (let y = 0; y < windows.places[0]; y++) {
      for (let x = 0; x < windows.places[1]; x++) {
        const entries = entriesInside(windows, 0, y).flatMap((down) =>
          entriesInside(windows, 1, x).map((across) => values[image + down.at * width + across.at]!),
        );
        const isAbove = (value: number, other: number) =>
          value > other || (Number.isNaN(value) && !Number.isNaN(other));
        greatest[to++] = entries.reduce((most, value) => (isAbove(value, most) ? value : most));
      }
    }
  }
  return dense('float32', rows, sizeOf(type), greatest);
};

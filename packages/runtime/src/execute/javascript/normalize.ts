import { type DenseBlock, dense, type FastKernel } from '@brezel/core';

const fround = Math.fround;
const lanes = new Float32Array(16);

/** Returns the norm of the values from index `first` to index `end - 1`. */
type Norm = (values: Float32Array, first: number, end: number) => number;

function l1(values: Float32Array, first: number, end: number): number {
  lanes.fill(0);
  for (let at = first; at < end; at++) {
    const lane = (at - first) & 15;
    lanes[lane] = lanes[lane]! + Math.abs(values[at]!);
  }
  return folded();
}

function l2(values: Float32Array, first: number, end: number): number {
  lanes.fill(0);
  for (let at = first; at < end; at++) {
    const lane = (at - first) & 15;
    lanes[lane] = lanes[lane]! + fround(values[at]! * values[at]!);
  }
  return fround(Math.sqrt(folded()));
}

/** Returns the largest value. It may be negative, as ONNX defines this norm. */
function max(values: Float32Array, first: number, end: number): number {
  let greatest = values[first]!;
  for (let at = first + 1; at < end; at++) if (values[at]! > greatest) greatest = values[at]!;
  return greatest;
}

function folded(): number {
  for (let step = 8; step >= 1; step >>= 1) {
    for (let lane = 0; lane < step; lane++) lanes[lane] = lanes[lane]! + lanes[lane + step]!;
  }
  return lanes[0]!;
}

const norms: readonly Norm[] = [l1, l2, max];

/**
 * Divides each row by its norm, unless the norm is 0 (native/README.md: `normalize`). The attribute
 * selects the norm: 0 is L1, 1 is L2 and 2 is max. A sparse result shares the ids of its input.
 */
export const normalize: FastKernel = ({ inputs, attributes }) => {
  const norm = norms[attributes[0]!]!;
  const input = inputs[0]!;
  if (input.kind === 'sparse') {
    const values = new Float32Array(input.values.length);
    for (let row = 0; row < input.rows; row++) {
      divideRow(input.values, values, input.offsets[row]!, input.offsets[row + 1]!, norm);
    }
    return { ...input, values };
  }
  const { rows, size, values: from } = input as DenseBlock<'float32'>;
  const values = new Float32Array(rows * size);
  for (let row = 0; row < rows; row++) divideRow(from, values, row * size, (row + 1) * size, norm);
  return dense('float32', rows, size, values);
};

function divideRow(from: Float32Array, to: Float32Array, first: number, end: number, norm: Norm): void {
  if (first === end) return;
  const divisor = norm(from, first, end);
  for (let at = first; at < end; at++) to[at] = divisor === 0 ? from[at]! : from[at]! / divisor;
}
